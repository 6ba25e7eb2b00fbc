//! The programs of tests/run in the memory stage, run by heap: they must give what is expected ([mem] def. 3.1), use
//! memory as the rules of the stage say, and leave nothing behind. So must they when all iterations of all loops that
//! could run at the same time are said to do so, without a race.

use kenaz_base::RealFileSystem;
use kenaz_driver::{Compiler, Pipeline, entry_points, function, pipelines};
use kenaz_interp::{Environment, heap};
use kenaz_ir::visit::{VisitMut, walk_mut};
use kenaz_ir::{Exp, Level, Prog, Target, target};
use kenaz_runtime::{Tolerance, Value};
use kenaz_testing::executors::Interpreter;
use kenaz_testing::{CompileError, Compiled, EntryPoint, Executor, Options, Program, RunError, find_programs, run};
use std::io;
use std::path::Path;

/// Runs programs by heap, all `par`s with this level if there is one.
struct ByHeap {
    target: &'static Target,
    level: Option<Level>,
}

struct Placed {
    prog: Prog,
    entry_points: Vec<EntryPoint>,
}

impl Executor for ByHeap {
    fn name(&self) -> &'static str {
        "interpreter"
    }

    fn is_interpreter(&self) -> bool {
        true
    }

    fn compile(&self, path: &Path) -> Result<Compiled, CompileError> {
        let elaborated = Compiler::new(&RealFileSystem, self.target).elaborate(path);
        let mut prog = elaborated.map_err(|_| CompileError::Rejected(String::new()))?.prog;
        let through = |prog: &mut Prog, names: &[&str]| {
            let options = kenaz_driver::Options { check: true, ..kenaz_driver::Options::default() };
            let ran = kenaz_driver::run(prog, &Pipeline::new(self.target, &[names]), options, |_, _| {});
            ran.map(|_| ()).map_err(|broken| CompileError::Failed(broken.to_string()))
        };
        through(&mut prog, pipelines::OPTIMISE)?;
        through(&mut prog, pipelines::schedule(self.target))?;
        if let Some(level) = self.level {
            prog.funs.iter_mut().for_each(|fun| Levels(level).fun(fun));
        }
        through(&mut prog, pipelines::PLACE)?;
        let program = Placed { entry_points: entry_points(&prog), prog };
        Ok(Compiled { program: Box::new(program), warnings: String::new() })
    }
}

struct Levels(Level);

impl VisitMut for Levels {
    fn exp(&mut self, exp: &mut Exp) {
        if let Exp::Par(par) = exp {
            par.level = Some(self.0);
        }
        walk_mut::exp(self, exp);
    }
}

impl Program for Placed {
    fn entry_points(&self) -> &[EntryPoint] {
        &self.entry_points
    }

    fn fingerprint(&self) -> String {
        self.prog.to_string()
    }

    fn run(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let mut environment = Environment { trace: Box::new(io::sink()), ..Environment::default() };
        let options = heap::Options { workers: 3, ..heap::Options::default() };
        Ok(heap::run_in(&self.prog, &function(entry), arguments, options, &mut environment)?)
    }
}

/// Runs all programs.
fn check(executor: &ByHeap) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run");
    let programs = find_programs(&folder).unwrap();
    assert!(programs.len() > 500, "there are only {} programs", programs.len());
    let options = Options {
        executor,
        reference: Some(&Interpreter::default()),
        cache: None,
        // The order of additions may be another one.
        tolerance: Tolerance::SUITE,
        exclude: vec![format!("no_{}", executor.target.name)],
        threads: None,
        progress: false,
    };
    let report = run(&programs, &options);
    assert_eq!(report.failed(), 0, "{report}");
}

#[test]
fn one_iteration_after_the_other() {
    check(&ByHeap { target: &target::C, level: None });
}

#[test]
fn all_iterations_at_once() {
    check(&ByHeap { target: &target::MULTICORE, level: Some(Level::Core) });
}

#[test]
fn on_the_cores() {
    check(&ByHeap { target: &target::MULTICORE, level: None });
}
