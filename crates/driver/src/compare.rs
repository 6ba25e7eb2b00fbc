//! Whether a program means the same after each pass as before: the reference interpreter runs all of them. Interpreters
//! ignore plans, so that programs whose blocks have owners are lowered and evaluated as well.
//!
//! Integers and booleans must be equal and floats close. Where a program fails, it must still fail, perhaps with
//! another message, since checks may change places. A pass that panics or whose program the checker refuses is wrong
//! anyway.

use crate::bisect::{Culprit, bisect};
use crate::lowered::Lowered;
use crate::{Pipeline, step};
use kenaz_interp::heap::{self, has_memory};
use kenaz_interp::{Environment, Kind, Ready};
use kenaz_ir::{Log, PassCx, Prog};
use kenaz_runtime::{Tolerance, Value, compare};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How long all interpretations of a program on one input may take together; one that takes longer is a fault.
const LIMIT: Duration = Duration::from_secs(20);

/// What a program is run on.
#[derive(Clone, Debug)]
pub struct Input {
    /// The function of an entry point.
    pub function: String,
    pub arguments: Vec<Value>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Answer {
    /// With these values, after tracing this.
    Values(Vec<Value>, String),
    /// With a message, as programs may.
    Failed(String),
    /// Not as programs may.
    Fault(String),
}

/// A program before all passes, and after each that changed something.
pub struct Stages {
    stages: Vec<Stage>,
    pub log: Log,
}

struct Stage {
    /// How many passes have run.
    passes: usize,
    ready: Runnable,
}

/// A program after some passes, ready to run.
struct Runnable {
    interpreted: Ready,
    lowered: Option<Lowered>,
}

/// Something that is not as it was before.
#[derive(Clone, Debug)]
pub struct Discrepancy {
    /// After how many passes. With none, the program itself is wrong.
    pub passes: usize,
    pub wrong: Wrong,
    pub message: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wrong {
    /// A pass panicked, or the interpreter did.
    Panic,
    /// The checker refuses the program.
    Check,
    /// The interpreter met something that the checker should have refused.
    Fault,
    /// It fails where it did not.
    Fails,
    /// It does not fail where it did.
    Succeeds,
    Values,
    Trace,
}

impl Stages {
    /// Runs the passes, with the checker after each.
    pub fn new(prog: &Prog, pipeline: &Pipeline) -> Result<Stages, Discrepancy> {
        let mut cx = PassCx::new(pipeline.target, Log::new());
        let mut stages = Stages { stages: Vec::new(), log: Log::new() };
        if let Err(error) = kenaz_ir::check::array(prog) {
            return Err(Discrepancy { passes: 0, wrong: Wrong::Check, message: error.to_string() });
        }
        stages.add(0, prog, &pipeline.first(0))?;
        let mut prog = prog.clone();
        for (pass, number) in pipeline.passes.iter().zip(1..) {
            let before = cx.log.used();
            let wrong = |wrong, message| Discrepancy { passes: number, wrong, message };
            guarded(|| step(&mut prog, pass, true, &mut cx))
                .map_err(|message| wrong(Wrong::Panic, message))?
                .map_err(|broken| wrong(Wrong::Check, broken.error.to_string()))?;
            // Places are given without rewrites, too.
            if cx.log.used() > before || pass.stage.is_some() && has_memory(&prog) {
                stages.add(number, &prog, &pipeline.first(number))?;
            }
        }
        stages.log = cx.log;
        Ok(stages)
    }

    fn add(&mut self, number: usize, prog: &Prog, pipeline: &Pipeline) -> Result<(), Discrepancy> {
        let wrong = |wrong, message| Discrepancy { passes: number, wrong, message };
        let ready = guarded(|| ready(prog, pipeline)).map_err(|message| wrong(Wrong::Panic, message))?;
        let ready = ready.map_err(|message| wrong(Wrong::Check, message))?;
        self.stages.push(Stage { passes: number, ready });
        Ok(())
    }

    /// The answer of the program, if it is the same after every pass.
    pub fn run(&self, input: &Input) -> Result<Agreement, Discrepancy> {
        within(LIMIT, |interrupt| self.run_until(input, interrupt))
    }

    fn run_until(&self, input: &Input, interrupt: &AtomicBool) -> Result<Agreement, Discrepancy> {
        let mut stages = self.stages.iter();
        let expected = stages.next().map_or_else(
            || Answer::Fault("no program".into()),
            |s| interpreted(&s.ready.interpreted, input, interrupt),
        );
        if let Answer::Fault(message) = expected {
            return Err(Discrepancy { passes: 0, wrong: Wrong::Fault, message });
        }
        let mut agreement = Agreement { answer: expected, other_message: false };
        for stage in stages {
            let actual = answer(&stage.ready, &agreement.answer, input, interrupt);
            match differ(&agreement.answer, &actual) {
                None => {}
                Some((wrong, message)) => return Err(Discrepancy { passes: stage.passes, wrong, message }),
            }
            if let (Answer::Failed(x), Answer::Failed(y)) = (&agreement.answer, &actual) {
                agreement.other_message |= x != y;
            }
        }
        Ok(agreement)
    }
}

/// What a program and all that passes made of it answer.
#[derive(Clone, Debug)]
pub struct Agreement {
    pub answer: Answer,
    /// Whether one of them fails with another message.
    pub other_message: bool,
}

/// The first wrong rewrite behind a discrepancy, which an input showed unless a pass itself went wrong.
pub fn explain(prog: &Prog, pipeline: &Pipeline, discrepancy: &Discrepancy, input: Option<&Input>) -> Option<Culprit> {
    let pipeline = &pipeline.first(discrepancy.passes);
    let prepare = |prog: &Prog, pipeline: &Pipeline| guarded(|| ready(prog, pipeline)).and_then(|ready| ready);
    let first = prepare(prog, &pipeline.first(0));
    let expected = input.map(|input| match &first {
        Ok(ready) => within(LIMIT, |interrupt| interpreted(&ready.interpreted, input, interrupt)),
        Err(message) => Answer::Fault(message.clone()),
    });
    bisect(prog, pipeline, |prog| match (input, &expected, prepare(prog, pipeline)) {
        (Some(input), Some(expected), Ok(ready)) => {
            let answer = within(LIMIT, |interrupt| answer(&ready, expected, input, interrupt));
            differ(expected, &answer).is_none()
        }
        (_, _, ready) => ready.is_ok(),
    })
}

/// A program after these passes, ready to run; or why the checker of loops does not accept it.
fn ready(prog: &Prog, pipeline: &Pipeline) -> Result<Runnable, String> {
    let options = heap::Options { workers: 3, leaks: pipeline.settles_owners(), ..heap::Options::default() };
    let is_last = pipeline.settles_owners();
    let lowered = is_last.then(|| Lowered::new(prog, pipeline.target)).transpose()?;
    Ok(Runnable { interpreted: Ready::new(prog, options), lowered })
}

/// What a program answers: as it is interpreted, and if that is right, as it is lowered.
fn answer(ready: &Runnable, expected: &Answer, input: &Input, interrupt: &AtomicBool) -> Answer {
    let answer = interpreted(&ready.interpreted, input, interrupt);
    let Some(lowered) = ready.lowered.as_ref().filter(|_| differ(expected, &answer).is_none()) else { return answer };
    match (answer, guarded(|| lowered.run(&input.function, &input.arguments))) {
        (_, Err(panic)) => Answer::Fault(panic),
        // Arrays are traced in another way.
        (Answer::Values(_, x), Ok(Answer::Values(values, y))) if x.lines().count() == y.lines().count() => {
            Answer::Values(values, x)
        }
        (_, Ok(answer)) => answer,
    }
}

fn interpreted(ready: &Ready, input: &Input, interrupt: &AtomicBool) -> Answer {
    let mut traced = Vec::new();
    let mut environment =
        Environment { interrupt: Some(interrupt), trace: Box::new(&mut traced), ..Environment::default() };
    let ran = guarded(|| ready.run_entry(&input.function, input.arguments.clone(), &mut environment));
    drop(environment);
    match ran {
        Ok(Ok(values)) => Answer::Values(values, String::from_utf8_lossy(&traced).into_owned()),
        Ok(Err(error)) => match error.kind {
            Kind::Assertion | Kind::Hole | Kind::OutOfMemory | Kind::Arguments => Answer::Failed(error.message),
            Kind::Limitation | Kind::Interrupted | Kind::Memory(_) | Kind::Fault => Answer::Fault(error.message),
        },
        Err(panic) => Answer::Fault(panic),
    }
}

/// What `f` returns, whose flag is raised when the time is over.
fn within<R>(limit: Duration, f: impl FnOnce(&AtomicBool) -> R) -> R {
    let raised = AtomicBool::new(false);
    let over = &raised;
    let (done, wait) = channel::<()>();
    thread::scope(|scope| {
        // Without threads there is no limit.
        let _ = thread::Builder::new().spawn_scoped(scope, move || {
            if wait.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                over.store(true, Ordering::Relaxed);
            }
        });
        let result = f(over);
        drop(done);
        result
    })
}

/// How the second answer is wrong if the first is right.
pub fn differ(expected: &Answer, actual: &Answer) -> Option<(Wrong, String)> {
    match (expected, actual) {
        (_, Answer::Fault(message)) => Some((Wrong::Fault, message.clone())),
        (Answer::Fault(_) | Answer::Failed(_), Answer::Failed(_)) => None,
        (Answer::Values(..), Answer::Failed(message)) => Some((Wrong::Fails, message.clone())),
        (Answer::Fault(message) | Answer::Failed(message), Answer::Values(..)) => {
            Some((Wrong::Succeeds, format!("it failed before: {message}")))
        }
        (Answer::Values(xs, x), Answer::Values(ys, y)) => {
            if xs.len() != ys.len() {
                return Some((Wrong::Values, format!("{} values instead of {}", ys.len(), xs.len())));
            }
            for ((x, y), i) in xs.iter().zip(ys).zip(1..) {
                if let Err(difference) = compare(x, y, &Tolerance::STRICT) {
                    return Some((Wrong::Values, format!("value {i}: {difference}")));
                }
            }
            (sorted(x) != sorted(y)).then(|| (Wrong::Trace, format!("it traces\n{y}instead of\n{x}")))
        }
    }
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Catches a panic; whether it is printed is the business of the panic hook.
pub fn guarded<R>(f: impl FnOnce() -> R) -> Result<R, String> {
    // Values that `f` left half done are only shown to people, never computed with.
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
        format!("internal error: {}", text.unwrap_or("unknown"))
    })
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wrong::Panic => "a panic",
            Wrong::Check => "a program that the checker refuses",
            Wrong::Fault => "a fault of the interpreter",
            Wrong::Fails => "a program that fails",
            Wrong::Succeeds => "a program that does not fail",
            Wrong::Values => "other values",
            Wrong::Trace => "another trace",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_ir::Pass;

    const PROGRAM: &str = "fun main (n_1: i64) (x_2: i64) : (i64) = {
        let q_3: bool = le n_1 9
        let c_4: cert = assert q_3 \"too large\"
        let y_5: i64 = <c_4> add n_1 x_2
        in y_5
    }";

    fn replace(prog: &mut Prog, cx: &mut PassCx, from: &str, to: &str) {
        if cx.log.fire("replace") {
            *prog = kenaz_ir::parse::prog(&prog.to_string().replace(from, to)).expect("it is right");
        }
    }

    const SWAP: Pass =
        Pass { name: "swap", about: "", stage: None, run: |p, cx| replace(p, cx, "add n_1 x_2", "add x_2 n_1") };
    const SUB: Pass = Pass { name: "sub", about: "", stage: None, run: |p, cx| replace(p, cx, "add", "sub") };
    const LESS: Pass =
        Pass { name: "less", about: "", stage: None, run: |p, cx| replace(p, cx, "le n_1 9", "lt n_1 9") };
    const MORE: Pass =
        Pass { name: "more", about: "", stage: None, run: |p, cx| replace(p, cx, "le n_1 9", "lt n_1 12") };
    const WORDS: Pass = Pass { name: "words", about: "", stage: None, run: |p, cx| replace(p, cx, "too", "far too") };
    const BAD: Pass = Pass { name: "bad", about: "", stage: None, run: |p, cx| replace(p, cx, "in y_5", "in q_3") };
    const PANIC: Pass =
        Pass { name: "panic", about: "", stage: None, run: |_, cx| assert!(!cx.log.fire("replace"), "no") };

    /// After which pass what is wrong, and by which pass's rewrite.
    fn found(passes: &[&'static Pass], n: i64) -> Result<Agreement, (usize, Wrong, Option<&'static str>)> {
        let prog = kenaz_ir::parse::prog(PROGRAM).expect("it is right");
        let pipeline = Pipeline { target: &kenaz_ir::target::C, passes: passes.to_vec() };
        let input = Input { function: "main".into(), arguments: vec![n.into(), 3i64.into()] };
        let culprit = |wrong: Discrepancy, input| {
            let culprit = explain(&prog, &pipeline, &wrong, input).and_then(|culprit| culprit.rewrite);
            (wrong.passes, wrong.wrong, culprit.map(|rewrite| rewrite.pass))
        };
        let stages = Stages::new(&prog, &pipeline).map_err(|wrong| culprit(wrong, None))?;
        stages.run(&input).map_err(|wrong| culprit(wrong, Some(&input)))
    }

    #[test]
    fn what_is_the_same() {
        assert!(matches!(found(&[&SWAP], 4), Ok(Agreement { answer: Answer::Values(..), other_message: false })));
        assert!(matches!(found(&[&WORDS], 11), Ok(Agreement { answer: Answer::Failed(_), other_message: true })));
        assert!(matches!(found(&[&SWAP, &LESS], 8), Ok(Agreement { answer: Answer::Values(..), .. })));
    }

    #[test]
    fn what_is_not() {
        assert_eq!(found(&[&SWAP, &SUB, &SWAP], 4).err(), Some((2, Wrong::Values, Some("sub"))));
        assert_eq!(found(&[&SWAP, &LESS], 9).err(), Some((2, Wrong::Fails, Some("less"))));
        assert_eq!(found(&[&MORE, &SWAP], 11).err(), Some((1, Wrong::Succeeds, Some("more"))));
        assert_eq!(found(&[&SWAP, &BAD], 4).err(), Some((2, Wrong::Check, Some("bad"))));
        assert_eq!(found(&[&SWAP, &PANIC], 4).err(), Some((2, Wrong::Panic, Some("panic"))));
    }

    /// Interpreters ignore plans, but neither the checker nor those who lower do.
    #[test]
    fn plans_are_checked_and_evaluated() {
        use kenaz_ir::plan::{Lanes, Piece};
        use kenaz_ir::{Exp, Ownership, Stage, Target};
        fn set(prog: &mut Prog, cx: &mut PassCx, lanes: Lanes) {
            for stm in &mut prog.funs[0].body.stms {
                if let Exp::Par(par) = &mut stm.exp
                    && cx.log.fire("plan")
                {
                    par.plan.set(Piece::Lanes(lanes));
                }
            }
        }
        const LANES: Lanes = Lanes { wide: 16, narrow: 4, fewest: 4 };
        const RIGHT: Pass = Pass { name: "right", about: "", stage: None, run: |p, cx| set(p, cx, LANES) };
        const WRONG: Pass =
            Pass { name: "wrong", about: "", stage: None, run: |p, cx| set(p, cx, Lanes { fewest: 2, ..LANES }) };
        let text = "fun main (n_1: i64) : (f64) = {
            let a_2: [n_1]i64 = iota n_1 : i64
            let s_3: f64 = screma n_1 (a_2) map \\(i_4: i64) -> { let x_5: f64 = conv f64 i_4 in x_5 }
              reduce (0.0f64) \\(x_6: f64, y_7: f64) -> { let z_8: f64 = add x_6 y_7 in z_8 }
            in s_3
        }";
        let prog = kenaz_ir::parse::prog(text).expect("it is right");
        let input = Input { function: "main".into(), arguments: vec![77i64.into()] };
        for target in Target::ALL {
            let pipeline = Pipeline::to(target, Stage::Memory(Ownership::Settled));
            let with = |pass: &'static Pass| {
                let passes = pipeline.passes.iter().copied().chain([pass]).collect();
                let pipeline = Pipeline { target, passes };
                Stages::new(&prog, &pipeline).and_then(|stages| stages.run(&input)).map_err(|wrong| {
                    let culprit = explain(&prog, &pipeline, &wrong, Some(&input)).and_then(|culprit| culprit.rewrite);
                    (wrong.wrong, culprit.map(|rewrite| rewrite.pass))
                })
            };
            assert!(matches!(with(&RIGHT), Ok(Agreement { answer: Answer::Values(..), .. })), "{}", target.name);
            assert_eq!(with(&WRONG).err(), Some((Wrong::Check, Some("wrong"))), "{}", target.name);
        }
    }
}
