//! The interpreter as something that runs entry points: for `kenaz run` one of them, for `kenaz test` many.

use crate::check::outcome_of;
use crate::program::{self, Elaborated};
use crate::{Outcome, fault, passes};
use kenaz_base::{Diagnostic, RealFileSystem, Severity, render};
use kenaz_interp::{Environment, Kind, Ready, heap};
use kenaz_ir::{EntryKind, EntryParam, Prog};
use kenaz_runtime::{ParamType, Tolerance, Value, compare};
use kenaz_testing::{CompileError, Compiled, EntryPoint, EntryType, Executor, Program, RunError};
use std::fmt::Write;
use std::io;
use std::path::Path;

/// The interpreter for the runner of test blocks.
#[derive(Clone, Default, Debug)]
pub struct Interpreter {
    /// What is done to programs before they run.
    pub passes: passes::PassArgs,
    /// Whether to ask the checker of its stage about every program, and to run it a second time as printed and
    /// parsed, which must make no difference.
    pub verify: bool,
}

impl Executor for Interpreter {
    fn name(&self) -> &'static str {
        "interpreter"
    }

    fn is_interpreter(&self) -> bool {
        true
    }

    fn compile(&self, path: &Path) -> Result<Compiled, CompileError> {
        fault::guard(|| self.prepare(path)).unwrap_or_else(|fault| {
            let (sources, diagnostic) = fault.about(path);
            Err(CompileError::Failed(render::terminal(&sources, &[diagnostic], render::Style::PLAIN)))
        })
    }
}

impl Interpreter {
    fn prepare(&self, path: &Path) -> Result<Compiled, CompileError> {
        let Elaborated { sources, mut diagnostics, prog } = program::elaborate(path, &RealFileSystem);
        let show = |diagnostics: &[Diagnostic]| render::terminal(&sources, diagnostics, render::Style::PLAIN);
        let Some(mut prog) = prog else {
            let text = show(&diagnostics);
            return Err(match outcome_of(&diagnostics) {
                Outcome::Mistake => CompileError::Rejected(text),
                Outcome::Right | Outcome::Failure | Outcome::Fault => CompileError::Failed(text),
            });
        };
        let failed = |_| CompileError::Failed("the optimiser failed".into());
        diagnostics.extend(self.passes.apply(&mut prog).map_err(failed)?);
        debug_assert!(diagnostics.iter().all(|d| d.severity == Severity::Warning));
        let text = show(&diagnostics);
        let again = if self.verify { Some(reparsed(&prog, &self.passes).map_err(CompileError::Failed)?) } else { None };
        Ok(Compiled {
            program: Box::new(Interpreted::new(prog, again.as_ref(), self.passes.heap_options())),
            warnings: text,
        })
    }
}

/// What the parser makes of a program's text, if the program is well formed.
fn reparsed(prog: &Prog, passes: &passes::PassArgs) -> Result<Prog, String> {
    passes.check(prog).map_err(|error| format!("the IR is not right: {error}"))?;
    let printed = prog.to_string();
    let parsed =
        kenaz_ir::parse::prog(&printed).map_err(|error| format!("the printed IR cannot be parsed: {error}"))?;
    if parsed.to_string() == printed { Ok(parsed) } else { Err("the IR changes when it is printed and parsed".into()) }
}

/// A program that is ready to run.
pub struct Interpreted {
    ready: Ready,
    entry_points: Vec<EntryPoint>,
    prog: Prog,
    /// The same program once more, whose runs must have the same results.
    again: Option<Ready>,
}

impl Interpreted {
    fn new(prog: Prog, again: Option<&Prog>, options: heap::Options) -> Interpreted {
        let ready = |prog: &Prog| Ready::new(prog, options);
        Interpreted { ready: ready(&prog), entry_points: entry_points(&prog), again: again.map(ready), prog }
    }
}

impl Program for Interpreted {
    fn entry_points(&self) -> &[EntryPoint] {
        &self.entry_points
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
    ran.map_err(|error| match error.kind {
        Kind::Assertion | Kind::Hole | Kind::OutOfMemory | Kind::Arguments => RunError::Failed(message(&error)),
        Kind::Limitation | Kind::Interrupted | Kind::Memory(_) | Kind::Fault => RunError::Broken(message(&error)),
    })
}

/// The function of an entry point.
pub fn function(entry: &str) -> String {
    format!("entry_{entry}")
}

/// The entry points of a program, in its order.
pub fn entry_points(prog: &Prog) -> Vec<EntryPoint> {
    let points = prog.funs.iter().filter_map(|fun| {
        let entry = fun.entry.as_ref()?;
        Some(EntryPoint {
            name: fun.name.as_str().strip_prefix("entry_").unwrap_or(fun.name.as_str()).to_string(),
            parameters: types(&entry.params),
            results: types(&entry.results),
        })
    });
    points.collect()
}

fn types(described: &[EntryParam]) -> Vec<EntryType> {
    let ty = |described: &EntryParam| EntryType {
        name: described.ty.name.to_string(),
        parts: described.ty.parts().iter().map(|part| ParamType { rank: part.rank, prim: part.prim }).collect(),
        transparent: matches!(described.ty.kind, EntryKind::Plain(_)),
    };
    described.iter().map(ty).collect()
}

/// What the user reads when a program failed: why, where, and from where that was called.
pub fn message(error: &kenaz_interp::RunError) -> String {
    let mut text = format!("Error: {}\n", error.message);
    if !error.trace.is_empty() {
        text.push_str("\nBacktrace:\n");
        for (i, place) in error.trace.iter().enumerate() {
            let arrow = if i == 0 { "-> " } else { "   " };
            let _ = writeln!(text, "{arrow}#{i}  {place}");
        }
    }
    text
}

/// How a command ends whose program failed.
pub fn outcome(error: &kenaz_interp::RunError) -> Outcome {
    match error.kind {
        Kind::Arguments => Outcome::Mistake,
        Kind::Limitation | Kind::Memory(_) | Kind::Fault => Outcome::Fault,
        Kind::Assertion | Kind::Hole | Kind::OutOfMemory | Kind::Interrupted => Outcome::Failure,
    }
}
