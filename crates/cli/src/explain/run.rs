//! `kenaz explain --run`: a measured run beside what formulas say of it.

use crate::program::mistake;
use crate::run::{InputArgs, no_entry, read, with_progress};
use crate::{Outcome, output};
use kenaz_base::memory::without_limit;
use kenaz_driver::Compilation;
use kenaz_explain::{Argument, Explanation, Measured, Run};
use kenaz_ir::Target;
use kenaz_measure::bench::{self, Watch};
use kenaz_measure::machine;
use kenaz_measure::rule::Rule;
use kenaz_measure::statistics::{interval, without_outliers};
use kenaz_runtime::{Tolerance, Value};
use kenaz_testing::executors::CompiledByC;
use kenaz_testing::{CompileError, DataSet, Executor, Program, data_cases};
use std::path::Path;
use std::time::Duration;

#[derive(clap::Args)]
pub(super) struct RunArgs {
    /// Also run an entry point, and say how long it takes beside what formulas say of its loops and its memory. Its
    /// arguments are those of a test block, or what `--input` says
    #[arg(long)]
    pub(super) run: bool,

    /// The entry point to run
    #[arg(short, long, default_value = "main", requires = "run", value_name = "NAME")]
    entry_point: String,

    /// The data set of a test block to run it on; the first one if not given
    #[arg(long, requires = "run", value_name = "NAME")]
    dataset: Option<String>,

    /// Do not wait for a tight confidence interval
    #[arg(long, requires = "run")]
    no_convergence_phase: bool,

    #[command(flatten)]
    inputs: InputArgs,
}

impl RunArgs {
    /// Says what is asked of a run that nobody asks for.
    pub(super) fn must_be_for_a_run(&self) -> Result<(), String> {
        if self.inputs.is_given() && !self.run { Err("`--input` is for `--run`".to_string()) } else { Ok(()) }
    }
}

/// A run ends when its mean is known this well, or after so much time.
const RULE: Rule = Rule { runs: 10, least: Duration::from_millis(500), convergence: Some(Duration::from_secs(20)) };

/// How long a single run may take.
const LIMIT: Duration = Duration::from_secs(3600);

struct Silent;
impl Watch for Silent {}

pub(super) fn of(
    args: &RunArgs,
    file: &Path,
    target: &'static Target,
    compilation: &Compilation,
    explanation: &Explanation,
) -> Result<Run, Outcome> {
    let points = compilation.entry_points();
    let Some(entry) = points.iter().find(|point| point.name == args.entry_point) else {
        return Err(mistake(&no_entry(compilation, &points, &args.entry_point)));
    };
    if args.dataset.is_some() && args.inputs.is_given() {
        return Err(mistake("`--dataset` names a data set of a test block; leave out `--input`"));
    }
    let executor = CompiledByC::new(target, LIMIT).map_err(|error| mistake(&error.to_string()))?;
    let what = format!("compiling {} …", file.display());
    let compiled = with_progress(&what, || executor.compile(file)).map_err(|error| not_compiled(&error))?;
    let program = &*compiled.program;
    let (data, arguments) = if args.inputs.is_given() {
        let values = without_limit(|| read(&compilation.prog, entry, &args.inputs));
        ("the input".to_string(), values.map_err(|message| mistake(&message))?)
    } else {
        chosen(args, file, program)?
    };
    // Before the program, which might leave less memory for it.
    let copy_rate = with_progress("copying an array …", || machine::copy_rate(&executor));
    let copy_rate = copy_rate.map_err(|message| failed(&format!("a copy cannot be measured: {message}")))?;
    let known = arguments.iter().map(argument).collect();
    let set = DataSet { entry: entry.name.clone(), name: data.clone(), arguments, expected: None };
    let options = bench::Options {
        executor: &executor,
        rule: Rule { convergence: RULE.convergence.filter(|_| !args.no_convergence_phase), ..RULE },
        limit: None,
        entry: None,
        exclude: Vec::new(),
        blocks: None,
        tolerance: Tolerance::SUITE,
        concurrency: 1,
    };
    let measure = || bench::alone(program, &set, &options, &mut Silent);
    let found = with_progress(&format!("measuring {} …", entry.name), measure).map_err(|message| failed(&message))?;
    let mean = interval(&without_outliers(&found.times).numbers);
    let measured = Measured {
        entry: entry.name.clone(),
        data,
        arguments: known,
        microseconds: mean.mean,
        half: mean.half,
        runs: found.times.len(),
        memory: (!found.bytes.is_empty()).then(|| found.bytes.values().sum()),
        copy_rate,
    };
    kenaz_explain::run(explanation, &measured)
        .ok_or_else(|| failed(&format!("the explanation says nothing of the entry point `{}`", entry.name)))
}

/// A data set of the test blocks.
fn chosen(args: &RunArgs, file: &Path, program: &dyn Program) -> Result<(String, Vec<Value>), Outcome> {
    let mut cases = data_cases(file, None).map_err(|message| mistake(&message))?;
    cases.retain(|case| case.entry == args.entry_point);
    let wanted = |name: &String| cases.iter().find(|case| case.name == *name || case.measured_name == *name);
    let case = match &args.dataset {
        Some(name) => wanted(name).ok_or_else(|| {
            let names: Vec<String> = cases.iter().map(|case| format!("`{}`", case.measured_name)).collect();
            let there = if names.is_empty() { "none".to_string() } else { names.join(", ") };
            mistake(&format!("there is no data set `{name}` for `{}`; there are: {there}", args.entry_point))
        })?,
        None => cases.first().ok_or_else(|| {
            mistake(&format!(
                "no test block has data for `{}`: give some with `--input FILE`, `-` for standard input",
                args.entry_point
            ))
        })?,
    };
    let set = without_limit(|| case.load(file, program)).map_err(|message| mistake(&message))?;
    Ok((case.measured_name.clone(), set.arguments))
}

fn argument(value: &Value) -> Argument {
    if value.shape().is_empty() {
        Argument::Scalar(value.as_scalar().and_then(|scalar| scalar.as_i64()))
    } else {
        Argument::Array(value.shape().to_vec())
    }
}

fn not_compiled(error: &CompileError) -> Outcome {
    let (CompileError::Rejected(message) | CompileError::Failed(message)) = error;
    mistake(message.trim_end())
}

fn failed(message: &str) -> Outcome {
    let _ = output::to_stderr(&format!("error: {}\n", message.trim_end()));
    Outcome::Failure
}
