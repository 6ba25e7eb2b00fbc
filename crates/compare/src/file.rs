//! Programs with test blocks, run by the runner of test blocks.

use crate::{Difference, Totals};
use kenaz_base::RealFileSystem;
use kenaz_driver::compare::{Answer, Discrepancy, Input, Stages};
use kenaz_driver::{Compiler, Pipeline, entry_points, function};
use kenaz_ir::Prog;
use kenaz_runtime::Value;
use kenaz_testing::executors::shown;
use kenaz_testing::{CompileError, Compiled, EntryPoint, Executor, Program, RunError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The interpreter, before all passes and after each. What differs is kept.
pub struct Compared {
    pub pipeline: Pipeline,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    totals: Totals,
    found: Vec<(PathBuf, Difference)>,
}

impl Compared {
    pub fn new(pipeline: Pipeline) -> Compared {
        Compared { pipeline, seen: Arc::default() }
    }

    /// What was seen so far, with the programs that differ.
    pub fn take(&self) -> (Totals, Vec<(PathBuf, Difference)>) {
        let Seen { totals, found } = std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner));
        (totals, found)
    }
}

impl Executor for Compared {
    fn name(&self) -> &'static str {
        "interpreter"
    }

    fn is_interpreter(&self) -> bool {
        true
    }

    fn compile(&self, path: &Path) -> Result<Compiled, CompileError> {
        let elaborated = Compiler::new(&RealFileSystem, self.pipeline.target).elaborate(path);
        let elaborated = elaborated.map_err(|rejected| CompileError::Rejected(rejected.to_string()))?;
        let warnings = shown(&elaborated.sources, &elaborated.diagnostics);
        let prog = elaborated.prog;
        let mut program = Stages::new(&prog, &self.pipeline).map(|stages| InStages {
            path: path.to_path_buf(),
            entry_points: entry_points(&prog),
            prog: prog.clone(),
            stages,
            seen: Arc::clone(&self.seen),
        });
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut program {
            Ok(program) => {
                seen.totals.programs += 1;
                seen.totals.count_rules(&program.stages.log);
            }
            Err(discrepancy) => {
                let difference = Difference { prog, discrepancy: discrepancy.clone(), input: None };
                seen.found.push((path.to_path_buf(), difference));
            }
        }
        let program = program.map_err(|discrepancy| CompileError::Failed(text(&discrepancy)))?;
        Ok(Compiled { program: Box::new(program), warnings })
    }
}

struct InStages {
    path: PathBuf,
    entry_points: Vec<EntryPoint>,
    prog: Prog,
    stages: Stages,
    seen: Arc<Mutex<Seen>>,
}

impl Program for InStages {
    fn entry_points(&self) -> &[EntryPoint] {
        &self.entry_points
    }

    fn fingerprint(&self) -> String {
        self.prog.to_string()
    }

    fn run(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let input = Input { function: function(entry), arguments };
        let ran = self.stages.run(&input);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match ran {
            Ok(agreement) => {
                seen.totals.count_run(&agreement);
                match agreement.answer {
                    Answer::Values(values, _) => Ok(values),
                    Answer::Failed(message) => Err(RunError::Failed(format!("Error: {message}\n"))),
                    Answer::Fault(message) => Err(RunError::Broken(message)),
                }
            }
            Err(discrepancy) => {
                let message = text(&discrepancy);
                let difference = Difference { prog: self.prog.clone(), discrepancy, input: Some(input) };
                seen.found.push((self.path.clone(), difference));
                Err(RunError::Broken(message))
            }
        }
    }
}

fn text(discrepancy: &Discrepancy) -> String {
    let Discrepancy { passes, wrong, message } = discrepancy;
    format!("after {passes} passes there is {wrong}: {message}")
}
