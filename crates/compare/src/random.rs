//! Random programs.

use crate::{Difference, Totals};
use kenaz_base::{MemoryFileSystem, Severity};
use kenaz_driver::compare::{Answer, Input, Stages, guarded};
use kenaz_driver::{Compiler, Pipeline, function};
use kenaz_generate::{Program, Size, generate};
use kenaz_ir::{Prog, target};
use kenaz_runtime::{Reader, Value};
use std::path::Path;

/// What became of a program.
pub enum Outcome {
    Agrees(Totals, Vec<Ran>),
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

/// A program of the IR and what is run.
pub struct Case {
    pub prog: Prog,
    pub calls: Vec<Call>,
}

/// A call of an entry point.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its name in the program.
    pub entry: String,
    /// The call whose results are the first arguments.
    pub takes: Option<usize>,
    /// The other arguments.
    pub arguments: Vec<Value>,
}

/// A call that means the same after every pass, and its answer.
#[derive(Clone, Debug)]
pub struct Ran {
    pub call: Call,
    /// None if there was nothing to take.
    pub answer: Option<Answer>,
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
    let mut calls: Vec<Call> = Vec::new();
    for entry in &program.entries {
        let point = points.iter().find(|point| point.name == entry.name);
        let point = point.ok_or_else(|| format!("there is no entry point `{}`", entry.name))?;
        for (input, number) in entry.inputs.iter().zip(0..) {
            let taken = |maker: &String| calls.iter().position(|call| call.entry == *maker).map(|first| first + number);
            let takes = entry.takes.as_ref().and_then(taken);
            let mut reader = Reader::new(input.as_bytes());
            let params = point.parameters.iter().skip(usize::from(takes.is_some()));
            let arguments: Result<_, _> =
                params.flat_map(|param| &param.parts).map(|part| reader.next_of(*part)).collect();
            let arguments = arguments.map_err(|error| format!("{input}: {error}"))?;
            calls.push(Call { entry: entry.name.clone(), takes, arguments });
        }
    }
    Ok(Case { prog: elaborated.prog, calls })
}

/// Runs a random program before and after every pass.
pub fn compare(program: &Program, pipeline: &Pipeline) -> Outcome {
    let Case { prog, calls } = match case(program) {
        Ok(case) => case,
        Err(message) => return Outcome::Rejected(message),
    };
    let mut totals = Totals { programs: 1, ..Totals::default() };
    let stages = match Stages::new(&prog, pipeline) {
        Ok(stages) => stages,
        Err(discrepancy) => return Outcome::Differs(Box::new(Difference { prog, discrepancy, input: None })),
    };
    totals.count_rules(&stages.log);
    let mut runs: Vec<Ran> = Vec::new();
    for call in calls {
        let taken = match call.takes.map(|made| &runs[made].answer) {
            None => Vec::new(),
            Some(Some(Answer::Values(values, _))) => values.clone(),
            Some(_) => {
                runs.push(Ran { call, answer: None });
                continue;
            }
        };
        let arguments = [&taken[..], &call.arguments].concat();
        let input = Input { function: function(&call.entry), arguments };
        match stages.run(&input) {
            Ok(agreement) => {
                totals.count_run(&agreement);
                runs.push(Ran { call, answer: Some(agreement.answer) });
            }
            Err(discrepancy) => {
                return Outcome::Differs(Box::new(Difference { prog, discrepancy, input: Some(input) }));
            }
        }
    }
    Outcome::Agrees(totals, runs)
}

/// A small program that differs in the same way, and how.
pub fn shrink(program: Program, difference: &Difference, pipeline: &Pipeline) -> (Program, Difference) {
    let has_strategies = program.has_strategies;
    let whole = |program: &Program| if has_strategies { program.clone().with_strategies() } else { program.clone() };
    let again = |program: &Program| match compare(&whole(program), pipeline) {
        Outcome::Differs(other) => {
            let same = other.discrepancy.wrong == difference.discrepancy.wrong
                && other.pass(pipeline) == difference.pass(pipeline);
            same.then_some(other)
        }
        Outcome::Agrees(..) | Outcome::Rejected(_) => None,
    };
    let small = kenaz_generate::shrink(program, |program| again(program).is_some());
    let difference = again(&small).unwrap_or_else(|| panic!("shrinking keeps what is interesting"));
    (whole(&small), *difference)
}
