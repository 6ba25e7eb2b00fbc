//! Pipelines of passes: running them, with the checker between passes, fuel and times.

use crate::pipelines;
use kenaz_base::in_pass;
use kenaz_interp::heap;
use kenaz_ir::check::Stage;
use kenaz_ir::{CheckError, Log, Ownership, Pass, PassCx, Prog, Rewrite, Target, target};
use std::time::Duration;

/// All passes.
pub fn all_passes() -> impl Iterator<Item = &'static Pass> + Clone {
    kenaz_optimise::PASSES.iter().chain(kenaz_schedule::PASSES).chain(kenaz_place::PASSES).chain(kenaz_plan::PASSES)
}

/// The pass with a name.
pub fn pass(name: &str) -> Option<&'static Pass> {
    all_passes().find(|pass| pass.name == name)
}

/// Passes in their order, and what the program is for.
#[derive(Clone, Debug)]
pub struct Pipeline {
    pub target: &'static Target,
    pub passes: Vec<&'static Pass>,
}

impl Pipeline {
    /// The passes of lists of names. A name that there is no pass for is a fault of the list.
    pub fn new(target: &'static Target, lists: &[&[&str]]) -> Pipeline {
        Pipeline { target, passes: lists.iter().flat_map(|names| passes(names)).collect() }
    }

    /// All passes from the array stage to a stage.
    pub fn to(target: &'static Target, stage: Stage) -> Pipeline {
        let mut lists = vec![pipelines::OPTIMISE];
        if stage >= Stage::Parallel {
            lists.push(pipelines::schedule(target));
        }
        if stage > Stage::Parallel {
            lists.extend([pipelines::PLACE, pipelines::plan(target)]);
        }
        Pipeline::new(target, &lists)
    }

    /// The first passes of it.
    pub fn first(&self, count: usize) -> Pipeline {
        Pipeline { target: self.target, passes: self.passes[..count].to_vec() }
    }

    /// How far a program has come after these passes.
    pub fn stage(&self) -> Stage {
        self.passes.iter().rev().find_map(|pass| pass.stage).unwrap_or_default()
    }

    /// Whether after these passes every block has an owner, who frees it.
    pub fn settles_owners(&self) -> bool {
        self.stage() == Stage::Memory(Ownership::Settled)
    }

    /// How a program is run by heap after these passes. The iterations of parallel loops are mixed, so that it shows
    /// when their order matters.
    pub fn heap_options(&self) -> heap::Options {
        heap::Options { workers: 3, leaks: self.settles_owners(), ..heap::Options::default() }
    }
}

/// How a pipeline is run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Stop after this many rewrites.
    pub fuel: Option<u64>,
    /// Ask the checker after every pass.
    pub check: bool,
}

/// What became of a program.
#[derive(Debug, Default)]
pub struct Report {
    pub log: Log,
    /// How long each pass took, in the order in which they ran.
    pub times: Vec<(&'static str, Duration)>,
}

/// A pass that broke a rule of the stage.
#[derive(Debug, thiserror::Error)]
#[error("the pass `{pass}` made a program that is not right: {error}")]
pub struct BrokenPass {
    pub pass: &'static str,
    /// The last rewrite.
    pub rewrite: Option<Rewrite>,
    pub error: CheckError,
    pub before: Prog,
    pub after: Prog,
}

/// Runs passes one after the other. `between` sees the program after each of them.
pub fn run(
    prog: &mut Prog,
    pipeline: &Pipeline,
    options: Options,
    mut between: impl FnMut(&'static Pass, &Prog),
) -> Result<Report, Box<BrokenPass>> {
    let log = options.fuel.map_or_else(Log::new, Log::with_fuel);
    let mut cx = PassCx::new(pipeline.target, log);
    let mut times = Vec::with_capacity(pipeline.passes.len());
    for pass in &pipeline.passes {
        let (ran, time) = timed(|| step(prog, pass, options.check, &mut cx));
        times.push((pass.name, time));
        ran?;
        between(pass, prog);
    }
    Ok(Report { log: cx.log, times })
}

/// Runs one pass, and asks the checker what it thinks of the program.
pub fn step(prog: &mut Prog, pass: &'static Pass, check: bool, cx: &mut PassCx) -> Result<(), Box<BrokenPass>> {
    let (before, refused) = (check.then(|| prog.clone()), cx.log.refusals().len());
    cx.log.enter(pass.name);
    in_pass(pass.name, || (pass.run)(prog, cx));
    let log = &mut cx.log;
    pass.stage.into_iter().for_each(|stage| log.reach(stage));
    if let Some(before) = before
        && let Err(error) =
            kenaz_ir::check::stage(prog, log.stage()).and_then(|()| match log.refusals().len() == refused {
                true => kenaz_ir::check::pins(&before, prog),
                // What a pass refuses to obey is not pinned any more.
                false => Ok(()),
            })
    {
        return Err(Box::new(BrokenPass { pass: pass.name, rewrite: log.last(), error, before, after: prog.clone() }));
    }
    Ok(())
}

/// How long something took; a browser has no clock for us.
fn timed<R>(f: impl FnOnce() -> R) -> (R, Duration) {
    #[cfg(not(target_family = "wasm"))]
    {
        let start = std::time::Instant::now();
        let result = f();
        (result, start.elapsed())
    }
    #[cfg(target_family = "wasm")]
    (f(), Duration::ZERO)
}

/// The passes of a list of names. A name that there is no pass for is a fault of the list.
pub fn passes(names: &[&str]) -> Vec<&'static Pass> {
    let find = |name: &&str| pass(name).unwrap_or_else(|| panic!("there is no pass `{name}`"));
    names.iter().map(find).collect()
}

/// Makes a program fast, checking every step in debug builds.
pub fn optimise(prog: &mut Prog) -> Result<Report, Box<BrokenPass>> {
    let options = Options { fuel: None, check: cfg!(debug_assertions) };
    run(prog, &Pipeline::to(&target::C, Stage::Array), options, |_, _| {})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pass that breaks a pin is named.
    #[test]
    fn pinned_operators_stay() {
        fn forget(prog: &mut Prog, _: &mut PassCx) {
            prog.funs.iter_mut().flat_map(|fun| &mut fun.body.stms).for_each(|stm| stm.attrs.0.clear());
        }
        const FORGET: Pass = Pass { name: "forget", about: "drops attributes", stage: None, run: forget };
        let text = "fun main (n_1: i64) (a_2: [n_1]i64) : ([n_1]i64) = {\n  let b_3: [n_1]i64 = #[core] map n_1 (a_2) \
                    \\(x_4: i64) -> { let y_5: i64 = add x_4 1 in y_5 }\n  in b_3\n}\n";
        let mut prog = kenaz_ir::parse::prog(text).unwrap();
        let before = prog.to_string();
        let broken = step(&mut prog, &FORGET, true, &mut PassCx::default()).unwrap_err();
        assert_eq!((broken.pass, broken.before.to_string()), ("forget", before));
        assert!(broken.to_string().contains("[pin]"), "{broken}");
    }

    #[test]
    fn pipelines_name_passes() {
        for target in Target::ALL {
            let pipeline = Pipeline::to(target, Stage::Memory(Ownership::Settled));
            assert!(pipeline.settles_owners(), "{}", target.name);
        }
    }
}
