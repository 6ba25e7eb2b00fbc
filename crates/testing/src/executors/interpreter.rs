//! The interpreter, at any stage that it runs.

use super::{Watch, guarded, shown};
use crate::{CompileError, Compiled, EntryPoint, Executor, Program, RunError};
use kenaz_base::{RealFileSystem, Severity};
use kenaz_driver::{Compilation, Compiler, Settings, fault, function, message, result_types};
use kenaz_interp::{Environment, Kind, Ready, heap};
use kenaz_ir::{EntryType, Prog, Stage, Target, target};
use kenaz_runtime::{Tolerance, Value, compare};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The interpreter.
#[derive(Clone)]
pub struct Interpreter {
    /// What is done to programs before they run.
    pub settings: Settings,
    pub target: &'static Target,
    pub stage: Stage,
    /// Whether to ask the checker of its stage about every program, and to run it a second time as printed and
    /// parsed, which must make no difference.
    pub verify: bool,
    pub watch: Option<Watch>,
}

/// Runs programs as they are.
impl Default for Interpreter {
    fn default() -> Interpreter {
        let (settings, target, stage) = (Settings::default(), &target::C, Stage::Array);
        Interpreter { settings, target, stage, verify: false, watch: None }
    }
}

impl Executor for Interpreter {
    fn name(&self) -> &'static str {
        "interpreter"
    }

    fn is_interpreter(&self) -> bool {
        true
    }

    fn compile(&self, path: &Path) -> Result<Compiled, CompileError> {
        guarded(path, || self.prepare(path))
    }
}

impl Interpreter {
    fn prepare(&self, path: &Path) -> Result<Compiled, CompileError> {
        let compiler = Compiler::new(&RealFileSystem, self.target).with(self.settings.clone());
        let compilation = compiler.to(path, self.stage)?;
        self.watch.iter().for_each(|watch| watch(&compilation));
        let diagnostics = compilation.warnings();
        debug_assert!(diagnostics.iter().all(|d| d.severity == Severity::Warning));
        let warnings = shown(&compilation.sources, &diagnostics);
        let again = if self.verify { Some(reparsed(&compilation).map_err(CompileError::Failed)?) } else { None };
        let options = compilation.pipeline.heap_options();
        let program = Interpreted::new(compilation, again.as_ref(), options);
        Ok(Compiled { program: Box::new(program), warnings })
    }
}

/// What the parser makes of a program's text, if the program is well formed.
fn reparsed(compilation: &Compilation) -> Result<Prog, String> {
    compilation.check().map_err(|error| format!("the IR is not right: {error}"))?;
    let printed = compilation.prog.to_string();
    let parsed =
        kenaz_ir::parse::prog(&printed).map_err(|error| format!("the printed IR cannot be parsed: {error}"))?;
    if parsed.to_string() == printed { Ok(parsed) } else { Err("the IR changes when it is printed and parsed".into()) }
}

/// A program that is ready to run.
struct Interpreted {
    ready: Ready,
    entry_points: Vec<EntryPoint>,
    result_types: BTreeMap<String, Vec<Arc<EntryType>>>,
    prog: Prog,
    /// The same program once more, whose runs must have the same results.
    again: Option<Ready>,
}

impl Interpreted {
    fn new(compilation: Compilation, again: Option<&Prog>, options: heap::Options) -> Interpreted {
        let ready = |prog: &Prog| Ready::new(prog, options);
        let (entry_points, prog) = (compilation.entry_points(), compilation.prog);
        let result_types = result_types(&prog);
        Interpreted { ready: ready(&prog), entry_points, result_types, again: again.map(ready), prog }
    }
}

impl Program for Interpreted {
    fn entry_points(&self) -> &[EntryPoint] {
        &self.entry_points
    }

    fn result_types(&self, entry: &str) -> &[Arc<EntryType>] {
        self.result_types.get(entry).map_or(&[], Vec::as_slice)
    }

    fn fingerprint(&self) -> String {
        self.prog.to_string()
    }

    fn run(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let Some(again) = &self.again else { return run(&self.ready, entry, arguments) };
        let first = run(&self.ready, entry, arguments.clone());
        let second = run(again, entry, arguments);
        let same = match (&first, &second) {
            (Ok(first), Ok(second)) => {
                first.len() == second.len()
                    && first.iter().zip(second).all(|(x, y)| compare(x, y, &Tolerance::EXACT).is_ok())
            }
            (Err(first), Err(second)) => format!("{first:?}") == format!("{second:?}"),
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        };
        if same {
            return first;
        }
        Err(RunError::Broken(format!("printed and parsed, the program gives {second:?} instead of {first:?}")))
    }
}

fn run(ready: &Ready, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, RunError> {
    let mut environment = Environment { trace: Box::new(io::sink()), ..Environment::default() };
    let ran = fault::guard(|| ready.run_entry(&function(entry), arguments, &mut environment));
    let ran = ran.map_err(|fault| RunError::Broken(fault.to_string()))?;
    Ok(ran?)
}

impl From<kenaz_interp::RunError> for RunError {
    fn from(error: kenaz_interp::RunError) -> RunError {
        match error.kind {
            Kind::Assertion | Kind::Hole | Kind::OutOfMemory | Kind::Arguments => RunError::Failed(message(&error)),
            Kind::Limitation | Kind::Interrupted | Kind::Memory(_) | Kind::Fault => RunError::Broken(message(&error)),
        }
    }
}
