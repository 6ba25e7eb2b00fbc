//! Cases about passes: what they make of a program, with any number of rewrites.

use super::Found;
use super::case::{Answer, Case, Directives, File, Refused, read_again};
use super::inputs::{self, Run};
use kenaz_driver::{Pipeline, step};
use kenaz_interp::{Environment, Kind, Ready, heap};
use kenaz_ir::metrics::Metrics;
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{Exp, Log, Ownership, Pass, PassCx, Prog, Stage, Stm, target};
use kenaz_optimise::differentiate::has_derivatives;
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use std::path::Path;

pub(super) fn run(case: &Case) -> Result<Found, String> {
    let directives = &case.directives;
    let passes = directives.passes.as_deref().unwrap_or_default();
    let before = case.program()?;
    let stage = directives.stage.unwrap_or_else(|| stage_before(passes[0]));
    kenaz_ir::check::stage(&before, stage).map_err(|error| format!("the checker refuses the program: {error}"))?;
    if let Some(expected) = &directives.error {
        return refused(case, expected, passes, stage);
    }
    if directives.any_text && case.after.is_some() {
        return Err("there is a program below the line, which nobody reads".to_string());
    }
    let end = passes.iter().rev().find_map(|pass| pass.stage).unwrap_or(stage);
    if !directives.any_text {
        let expected = case.expected()?;
        kenaz_ir::check::stage(&expected, end).map_err(|error| format!("below the line: {error}"))?;
    }

    let with = |fuel: Option<u64>| apply(&before, passes, stage, directives, fuel);
    let (after, log) = with(directives.fuel)?;
    let mut complaints = complaints(directives, &after, &log);
    if directives.again {
        let (_, again) = apply(&after, passes, end, directives, None)?;
        if again.used() > 0 {
            complaints.push(format!("once more: {:?}", again.counts()));
        }
    }
    // Nothing runs derivatives: what they become must give what the case says, with any amount of fuel.
    let (reference, at) = if has_derivatives(&before) { (&after, end) } else { (&before, stage) };
    let mut runs = inputs::runs(inputs::main(&before, directives)?, directives)?;
    if has_derivatives(reference) {
        runs.clear();
    }
    let answers = run_all(reference, at, &runs, directives)?;
    let all_fail = runs.iter().all(|run| run.answer.is_none()) && answers.iter().all(Result::is_err);
    if all_fail && !runs.is_empty() {
        complaints.push(format!("it fails for all inputs: {answers:?}"));
    }
    let mut last = before.to_string();
    for fuel in 0..=log.used() {
        let (prog, _) = with(Some(fuel))?;
        let text = prog.to_string();
        if text == last && fuel < log.used() {
            continue;
        }
        if fuel == log.used() && text != after.to_string() {
            return Err(format!("with as much fuel as it needs, it becomes\n{text}but else\n{after}"));
        }
        let wrong = |message: String| format!("after {fuel} of {} rewrites: {message}\n{text}", log.used());
        let found = run_all(&prog, end, &runs, directives).map_err(wrong)?;
        for ((run, old), new) in runs.iter().zip(&answers).zip(&found) {
            differ(run, old, new, directives).map_or(Ok(()), |message| Err(wrong(message)))?;
        }
        last = text;
    }
    Ok(Found { text: (!directives.any_text).then(|| after.to_string()), complaints })
}

/// Passes that make something of a program that the checker refuses for a reason, such as what an attribute asks for.
fn refused(case: &Case, expected: &Refused, passes: &[&'static Pass], stage: Stage) -> Result<Found, String> {
    let mut cx = PassCx::new(case.directives.target(), Log::new());
    cx.log.reach(stage);
    let mut prog = case.program()?;
    for pass in passes {
        match step(&mut prog, pass, true, &mut cx) {
            Ok(()) => {}
            Err(broken) if expected.is(&broken.error) => return Ok(Found::default()),
            Err(broken) => return Err(format!("the checker says something else: {broken}")),
        }
    }
    Err(format!("the checker accepts the program in spite of `{}`\n{prog}", expected.rule))
}

/// The stage at which a pass stands in the pipelines for the first time.
fn stage_before(pass: &Pass) -> Stage {
    let pipeline = Pipeline::to(&target::MULTICORE, Stage::Memory(Ownership::Settled));
    let before = pipeline.passes.iter().take_while(|other| other.name != pass.name);
    before.filter_map(|pass| pass.stage).last().unwrap_or_default()
}

/// The program after the passes, each of which leaves a program that the checker accepts.
fn apply(
    before: &Prog,
    passes: &[&'static Pass],
    stage: Stage,
    directives: &Directives,
    fuel: Option<u64>,
) -> Result<(Prog, Log), String> {
    let mut cx = PassCx::new(directives.target(), fuel.map_or_else(Log::new, Log::with_fuel));
    cx.log.reach(stage);
    let mut prog = before.clone();
    for pass in passes {
        let number = cx.log.used();
        step(&mut prog, pass, true, &mut cx)
            .map_err(|broken| format!("with fuel {fuel:?}, after {number} rewrites: {broken}\n{}", broken.after))?;
        read_again(&prog)?;
    }
    Ok((prog, cx.log))
}

/// The directives that do not hold.
fn complaints(directives: &Directives, after: &Prog, log: &Log) -> Vec<String> {
    let mut complaints = Vec::new();
    let counts = log.counts();
    let mut fired = |ok: bool, what: String| {
        if !ok {
            complaints.push(format!("{what}, but there were {counts:?}"));
        }
    };
    let count = |rule: &str| counts.get(rule).copied().unwrap_or(0);
    if let Some(fires) = &directives.fires {
        for (rule, expected) in &fires.rules {
            let ok = expected.map_or(count(rule) > 0, |expected| count(rule) == expected);
            fired(ok, format!("`{rule}` should be used {}", expected.map_or("".into(), |n| format!("{n} times"))));
        }
        let is_listed = |rule: &str| fires.rules.iter().any(|(listed, _)| listed == rule);
        fired(fires.others || counts.keys().all(|rule| is_listed(rule)), "no other rule should be used".to_string());
    }
    for rule in &directives.not {
        fired(count(rule) == 0, format!("`{rule}` should not be used"));
    }
    if let Some(expected) = &directives.decides {
        let decided = |decision: &kenaz_ir::Decision| format!("{}, because {}", decision.kind, decision.reason);
        let found: Vec<String> = log.decisions().iter().map(decided).collect();
        if found != *expected {
            complaints.push(format!("the decisions should be {expected:#?}, but are {found:#?}"));
        }
    }
    if let Some(expected) = &directives.joins {
        let found: Vec<&str> = log.joins().iter().map(|join| if join.shared { "shared" } else { "alone" }).collect();
        if found != *expected {
            complaints.push(format!("the joins should be {expected:?}, but are {found:?}"));
        }
    }
    let metrics = Metrics::of(after);
    for expected in &directives.counts {
        let operator = &expected.operator;
        let found = expected.depth.map_or_else(|| metrics.count(operator), |depth| metrics.count_at(operator, depth));
        if found != expected.count {
            complaints.push(format!("{expected:?}, but there are {found}"));
        }
    }
    if let Some(expected) = &directives.levels {
        let found = levels(after);
        if found != *expected {
            complaints.push(format!("the levels should be {expected:?}, but are {found:?}"));
        }
    }
    complaints
}

/// How many `par`s there are at each level, in the order of the words for them.
fn levels(prog: &Prog) -> Vec<(String, u64)> {
    struct Levels(BTreeMap<String, u64>);
    impl Visit for Levels {
        fn stm(&mut self, stm: &Stm) {
            if let Exp::Par(par) = &stm.exp {
                let word = par.level.map_or_else(|| "none".to_string(), |level| level.to_string());
                *self.0.entry(word).or_default() += 1;
            }
            walk::stm(self, stm);
        }
    }
    let mut levels = Levels(BTreeMap::new());
    prog.funs.iter().for_each(|fun| levels.fun(fun));
    levels.0.into_iter().collect()
}

/// The values as text and what was traced, or the message of an error.
pub(super) type Ran = Result<(String, Vec<String>), String>;

/// Runs a program by value or by heap, whichever it needs. An error that no right program gives is one of ours.
fn run_all(prog: &Prog, stage: Stage, runs: &[Run], directives: &Directives) -> Result<Vec<Ran>, String> {
    let leaks = stage == Stage::Memory(Ownership::Settled);
    let ready = Ready::new(prog, heap::Options { workers: 3, leaks, ..heap::Options::default() });
    let main = inputs::main(prog, directives)?.name;
    let one = |run: &Run| {
        let mut traced = Vec::new();
        let mut environment = Environment { trace: Box::new(&mut traced), ..Environment::default() };
        let ran = ready.run_entry(main.as_str(), run.args.clone(), &mut environment);
        drop(environment);
        match ran {
            Ok(values) => {
                let mut lines: Vec<String> = String::from_utf8_lossy(&traced).lines().map(String::from).collect();
                lines.sort_unstable();
                Ok(Ok((values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "), lines)))
            }
            Err(error) => match error.kind {
                Kind::Assertion | Kind::Hole | Kind::OutOfMemory => Ok(Err(error.message)),
                _ => Err(format!("{}: {error}", shown(&run.args))),
            },
        }
    };
    runs.iter().map(one).collect()
}

fn shown(args: &[kenaz_runtime::Value]) -> String {
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    format!("main {}", args.join(" "))
}

/// How a program is wrong that gives something new.
fn differ(run: &Run, old: &Ran, new: &Ran, directives: &Directives) -> Option<String> {
    let same = match (old, new) {
        (Ok(old), Ok(new)) => old == new,
        (Err(old), Err(new)) => old == new || !directives.same_messages,
        _ => false,
    };
    if !same {
        return Some(format!("{} gave {old:?} before, but {new:?} after", shown(&run.args)));
    }
    run.answer.as_ref().and_then(|answer| wrong(answer, new)).map(|message| format!("{}: {message}", shown(&run.args)))
}

/// Why this is not the answer.
pub(super) fn wrong(answer: &Answer, ran: &Ran) -> Option<String> {
    match (answer, ran) {
        (Answer::Gives(expected), Ok((found, _))) if found == expected => None,
        (Answer::Fails(part), Err(message)) if message.contains(part.as_str()) => None,
        (_, Ok((found, _))) => Some(format!("it gives {found}, not {answer:?}")),
        (_, Err(message)) => Some(format!("it fails with `{message}`, not {answer:?}")),
    }
}

/// Tests of this module itself: that it can fail.
pub(super) fn harness_trials() -> Vec<Trial> {
    const PROGRAM: &str = "fun main (n_1: i64) : (i64) = {
  let a_2: [3]i64 = iota 3 : i64
  let b_3: [3]i64 = copy a_2
  let x_4: i64 = index b_3[0]
  let y_5: i64 = add x_4 n_1
  in y_5
}
";
    let holds = |condition: bool| if condition { Ok(()) } else { Err(Failed::from("does not hold")) };
    let found = |directives: &str| {
        let text = format!("==== a\n{directives}\n{PROGRAM}");
        let file = File::parse(Path::new("tests/ir/in-place/a.ir"), &text)?;
        run(&file.cases[0])
    };
    vec![Trial::test("harness/ir/directives", move || {
        let right = [
            "fires: copy-of-dead 1",
            "fires: copy-of-dead",
            "not: loop-in-place",
            "decides: nothing",
            "counts: copy 0",
            "counts: add@0 1",
            "input: 3\n-- gives: 3i64",
            "fuel: 0\n-- fires: nothing\n-- counts: copy 1",
            "again: nothing",
            "levels:",
        ];
        for directive in right {
            let found = found(&format!("-- {directive}"))?;
            holds(found.complaints.is_empty() && found.text.is_some())?;
        }
        let wrong = [
            "fires: copy-of-dead 2",
            "fires: nothing",
            "fires: loop-in-place, …",
            "not: copy-of-dead",
            "counts: copy 1",
            "decides: copy stays, because",
            "joins: alone",
            "levels: core 1",
        ];
        for directive in wrong {
            holds(!found(&format!("-- {directive}"))?.complaints.is_empty())?;
        }
        for directive in ["input: 3\n-- gives: 4i64", "input: 3\n-- fails: no", "input: 3 4", "stage: memory"] {
            holds(found(&format!("-- {directive}")).is_err())?;
        }
        Ok(())
    })]
}
