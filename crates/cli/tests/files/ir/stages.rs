//! Cases without passes: what the checkers say about a program, and what it computes.

use super::Found;
use super::case::{Case, parse};
use super::inputs::{self, Run};
use super::passes::{Ran, wrong};
use kenaz_interp::heap::{self, RaceCheck};
use kenaz_interp::{Environment, Options, RunError, compile};
use kenaz_ir::check::{self, Rule};
use kenaz_ir::{Ownership, Prog, Stage, erase};
use kenaz_runtime::Value;

/// A program that a checker refuses for the reason given, or accepts if none is given.
pub(super) fn check(case: &Case) -> Result<Found, String> {
    // A program that is refused may be one that cannot be printed.
    let prog = kenaz_ir::parse::prog(&case.before).map_err(|error| error.to_string())?;
    let stage = case.directives.stage.ok_or("`-- stage: …` is needed")?;
    let found = check::stage(&prog, stage);
    match (&case.directives.error, found) {
        (None, Ok(())) => {
            accepted(&prog, stage)?;
            if case.directives.inputs.is_empty() { Ok(Found::default()) } else { interpret(case) }
        }
        (None, Err(error)) => Err(format!("the checker refuses the program: {error}")),
        (Some(refused), Ok(())) => Err(format!("the checker accepts the program in spite of `{}`", refused.rule)),
        (Some(refused), Err(error)) => {
            if !refused.is(&error) {
                return Err(format!("the checker says something else: {error}"));
            }
            if stage == Stage::Memory(Ownership::Settled) {
                open(case, &prog, error.rule)?;
            }
            Ok(Found::default())
        }
    }
}

/// What holds of all programs that are right.
fn accepted(prog: &Prog, stage: Stage) -> Result<(), String> {
    parse(&prog.to_string())?;
    if !matches!(stage, Stage::Memory(_)) {
        return Ok(());
    }
    // Without memory it is a program of the parallel stage, and nothing is left to erase.
    let erased = erase(prog);
    check::parallel(&erased).map_err(|error| format!("without memory it is refused: {error}"))?;
    let text = erased.to_string();
    if text.contains(" mem") || text.contains('@') {
        return Err(format!("memory is left:\n{text}"));
    }
    let again = erase(&erased).to_string();
    if again == text { Ok(()) } else { Err(format!("more is erased the second time:\n{text}{again}")) }
}

/// As long as blocks need no owners, none leaks, but one that was freed is gone.
fn open(case: &Case, prog: &Prog, rule: Rule) -> Result<(), String> {
    let found = check::memory(prog, Ownership::Open).map_err(|error| error.rule);
    let expected = match rule {
        Rule::Leak => Ok(()),
        _ if case.directives.open_accepted => Ok(()),
        Rule::UseAfterFree => Err(Rule::UseAfterFree),
        _ => return Ok(()),
    };
    if found == expected { Ok(()) } else { Err(format!("with open ownership: {found:?}, not {expected:?}")) }
}

/// A program that gives what it should, with every kind of code. Only with a directive `stage` must it be right.
pub(super) fn interpret(case: &Case) -> Result<Found, String> {
    let prog = kenaz_ir::parse::prog(&case.before).map_err(|error| format!("{error}\n{}", case.before))?;
    if let Some(stage) = case.directives.stage {
        check::stage(&prog, stage).map_err(|error| format!("the checker refuses the program: {error}"))?;
    }
    let fun = inputs::main(&prog, &case.directives)?;
    let runs = inputs::runs(fun, &case.directives)?;
    if runs.iter().all(|run| run.answer.is_none()) {
        return Err("no `gives` or `fails` says what comes out".to_string());
    }
    let mut complaints = Vec::new();
    for run in &runs {
        let is_by_heap = case.directives.by_heap || heap::has_memory(&prog);
        let run_once = if is_by_heap { by_heap } else { by_value };
        let ran = run_once(case, &prog, fun.name.as_str(), run)?;
        complaints.extend(run.answer.as_ref().and_then(|answer| wrong(answer, &ran)));
    }
    Ok(Found { text: None, complaints })
}

/// Code for one iteration at a time, for many, and with counts must agree.
fn by_value(_: &Case, prog: &Prog, fun: &str, run: &Run) -> Result<Ran, String> {
    let one = |options: Options| {
        let mut environment = Environment { trace: Box::new(std::io::sink()), ..Environment::default() };
        compile(prog, options).run_entry(fun, run.args.clone(), &mut environment)
    };
    let first = one(Options::default());
    for options in [Options { scalar_only: true, ..Options::default() }, Options { scalar_only: true, count: true }] {
        let other = one(options);
        if other != first {
            return Err(format!("{first:?} by default, but {other:?} with {options:?}"));
        }
    }
    Ok(shown(first))
}

/// Every number of workers must give the same.
fn by_heap(case: &Case, prog: &Prog, fun: &str, run: &Run) -> Result<Ran, String> {
    let workers = if case.directives.workers.is_empty() { &[1][..] } else { &case.directives.workers };
    let races = case.directives.races.unwrap_or(RaceCheck::Levels);
    let leaks = !case.directives.leaks_allowed;
    let one = |workers: usize| {
        let options = heap::Options { workers, races, leaks, ..heap::Options::default() };
        shown(heap::run(prog, fun, run.args.clone(), options))
    };
    let first = one(workers[0]);
    for workers in &workers[1..] {
        let other = one(*workers);
        if other != first {
            return Err(format!("{first:?}, but {other:?} with {workers} workers"));
        }
    }
    Ok(first)
}

fn shown(ran: Result<Vec<Value>, RunError>) -> Ran {
    let text = |values: Vec<Value>| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    ran.map(|values| (text(values), Vec::new())).map_err(|error| error.message)
}
