//! Random programs.

use crate::{Difference, Totals};
use kenaz_base::{MemoryFileSystem, Severity};
use kenaz_driver::compare::{Input, Stages, guarded};
use kenaz_driver::{Compiler, Pipeline, function};
use kenaz_generate::{Program, Size, generate};
use kenaz_ir::{Prog, target};
use kenaz_runtime::Reader;
use std::path::Path;

/// What became of a program.
pub enum Outcome {
    Agrees(Totals),
    /// Something in front of the optimiser did not like it.
    Rejected(String),
    Differs(Box<Difference>),
}

/// How long the program of a seed is: of every length there are some.
pub fn size(seed: u64) -> Size {
    match seed % 4 {
        0 => Size::Large,
        1 => Size::Small,
        _ => Size::Medium,
    }
}

pub fn program(seed: u64) -> Program {
    generate(seed, size(seed))
}

/// A program of the IR with inputs.
pub struct Case {
    pub prog: Prog,
    pub inputs: Vec<Input>,
}

/// What a random program elaborates to.
pub fn case(program: &Program) -> Result<Case, String> {
    let files = MemoryFileSystem::new().with("main.fut", program.source.clone());
    let compiler = Compiler::new(&files, &target::C);
    let elaborated = guarded(|| compiler.elaborate(Path::new("main.fut")))
        .map_err(|panic| format!("the front end: {panic}"))?
        .map_err(|mut rejected| {
            rejected.diagnostics.retain(|d| d.severity == Severity::Error);
            rejected.to_string()
        })?;
    let points = elaborated.entry_points();
    let mut inputs = Vec::new();
    for entry in &program.entries {
        let point = points.iter().find(|point| point.name == entry.name);
        let point = point.ok_or_else(|| format!("there is no entry point `{}`", entry.name))?;
        for input in &entry.inputs {
            let mut reader = Reader::new(input.as_bytes());
            let parts = point.parameters.iter().flat_map(|param| &param.parts);
            let arguments: Result<_, _> = parts.map(|part| reader.next_of(*part)).collect();
            let arguments = arguments.map_err(|error| format!("{input}: {error}"))?;
            inputs.push(Input { function: function(&entry.name), arguments });
        }
    }
    Ok(Case { prog: elaborated.prog, inputs })
}

/// Runs a random program before and after every pass.
pub fn compare(program: &Program, pipeline: &Pipeline) -> Outcome {
    let Case { prog, inputs } = match case(program) {
        Ok(case) => case,
        Err(message) => return Outcome::Rejected(message),
    };
    let mut totals = Totals { programs: 1, ..Totals::default() };
    let stages = match Stages::new(&prog, pipeline) {
        Ok(stages) => stages,
        Err(discrepancy) => return Outcome::Differs(Box::new(Difference { prog, discrepancy, input: None })),
    };
    totals.count_rules(&stages.log);
    for input in inputs {
        match stages.run(&input) {
            Ok(agreement) => totals.count_run(&agreement),
            Err(discrepancy) => {
                return Outcome::Differs(Box::new(Difference { prog, discrepancy, input: Some(input) }));
            }
        }
    }
    Outcome::Agrees(totals)
}

/// A small program that differs in the same way, and how.
pub fn shrink(program: Program, difference: &Difference, pipeline: &Pipeline) -> (Program, Difference) {
    let again = |program: &Program| match compare(program, pipeline) {
        Outcome::Differs(other) => {
            let same = other.discrepancy.wrong == difference.discrepancy.wrong
                && other.pass(pipeline) == difference.pass(pipeline);
            same.then_some(other)
        }
        Outcome::Agrees(_) | Outcome::Rejected(_) => None,
    };
    let small = kenaz_generate::shrink(program, |program| again(program).is_some());
    let difference = again(&small).unwrap_or_else(|| panic!("shrinking keeps what is interesting"));
    (small, *difference)
}
