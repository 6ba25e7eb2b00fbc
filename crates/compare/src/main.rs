//! Runs random programs, and those of tests/run, before and after every pass.

#![expect(clippy::print_stderr, reason = "a command line says there what it does and what went wrong")]

use anyhow::{Context, Result, bail};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use kenaz_compare::{Backend, Campaign, Compared, Finding, Reporter, Results, Totals};
use kenaz_driver::Pipeline;
use kenaz_ir::{Ownership, Stage, Target, target};
use kenaz_runtime::Tolerance;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs programs before and after every pass, with the checker on, and says what differs.
#[derive(Parser)]
struct Args {
    /// The seed of the first random program; the next ones have the next seeds
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many random programs
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// How many at a time; as many as there are processors if it is not given
    #[arg(long)]
    jobs: Option<usize>,
    /// The passes, with commas between them, instead of those that make programs fast
    #[arg(long, value_delimiter = ',')]
    pipeline: Vec<String>,
    /// All passes for this target, down to the plans of loops, which are evaluated as well
    #[arg(long, conflicts_with = "pipeline")]
    target: Option<String>,
    /// Also compile the programs, many in a file, and run them, on several numbers of threads: for the targets of the
    /// CPU, or for those named
    #[arg(long, value_name = "TARGETS", value_delimiter = ',', num_args = 0..=1, default_missing_value = "c,multicore")]
    native: Vec<String>,
    /// Also compile them by this command, which is Futhark's, and run them
    #[arg(long)]
    peer: Option<PathBuf>,
    /// How many programs are compiled as one file
    #[arg(long, default_value_t = 40)]
    batch: u64,
    /// Make what differs small, and write it and what is known about it into this folder
    #[arg(long)]
    out: Option<PathBuf>,
    /// Also run the programs of tests/run
    #[arg(long)]
    tests: bool,
    /// Put wishes for levels, memories, views and cuts in front of operators
    #[arg(long)]
    strategies: bool,
    /// Stop when something differs
    #[arg(long)]
    first: bool,
    /// Only say whether something differs
    #[arg(long)]
    quiet: bool,
}

fn main() -> ExitCode {
    let args = Args::parse();
    // Panics of passes are among what is looked for.
    std::panic::set_hook(Box::new(|_| {}));
    match run(&args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether all programs mean the same.
fn run(args: &Args) -> Result<bool> {
    let pipeline = match &args.target {
        Some(name) => {
            let target = Target::from_name(name).with_context(|| format!("there is no target `{name}`"))?;
            Pipeline::to(target, Stage::Memory(Ownership::Settled))
        }
        None => named(&args.pipeline)?,
    };
    let mut reporter = Reporter::new(pipeline.clone(), args.out.clone());
    let mut totals = Totals::default();
    let mut differing = 0;
    if args.tests {
        let (more, found) = of_tests(&pipeline)?;
        totals.add(&more);
        differing += found.len();
        report(&mut reporter, found)?;
    }
    let mut rejected = Vec::new();
    if !(args.first && differing > 0) {
        let results = of_seeds(args, &pipeline)?;
        totals.add(&results.totals);
        differing += results.differing();
        rejected = results.rejected;
        for seed in &results.stuck {
            println!("seed {seed}: its comparison does not end");
        }
        for (seed, message) in &results.compiled.differences {
            println!("seed {seed}: {}", message.trim_end());
        }
        for (seed, message) in &results.compiled.refused {
            println!("seed {seed}: the peer does not accept it: {}", message.trim_end());
        }
        println!(
            "{} programs from seed {} on: {} rejected by the front end, {} by the peer, {} runs fail compiled with \
             another message; the next seed is {}",
            results.programs,
            args.seed,
            rejected.len(),
            results.compiled.refused.len(),
            results.compiled.other_message,
            results.next
        );
        report(&mut reporter, results.found.into_iter().map(|(_, finding)| finding).collect())?;
    }
    if !args.quiet {
        print!("{totals}");
        println!("{} were rejected", rejected.len());
        for (seed, message) in &rejected {
            println!("  seed {seed}: {}", message.lines().next().unwrap_or_default());
        }
    }
    println!("{differing} differ");
    Ok(differing == 0)
}

fn named(names: &[String]) -> Result<Pipeline> {
    if names.is_empty() {
        return Ok(Pipeline::to(&target::C, Stage::Array));
    }
    let pass = |name: &String| kenaz_driver::pass(name).with_context(|| format!("there is no pass `{name}`"));
    Ok(Pipeline { target: &target::C, passes: names.iter().map(pass).collect::<Result<_>>()? })
}

fn report(reporter: &mut Reporter, found: Vec<Finding>) -> Result<()> {
    for finding in found {
        print!("{}", reporter.report(finding)?);
    }
    Ok(())
}

fn of_tests(pipeline: &Pipeline) -> Result<(Totals, Vec<Finding>)> {
    let programs = kenaz_testing::find_programs(Path::new("tests/run")).context("tests/run")?;
    if programs.is_empty() {
        bail!("there are no programs in tests/run");
    }
    let executor = Compared::new(pipeline.clone());
    kenaz_testing::run(
        &programs,
        &kenaz_testing::Options {
            executor: &executor,
            reference: None,
            cache: None,
            tolerance: Tolerance::STRICT,
            exclude: Vec::new(),
            threads: None,
            progress: true,
        },
    );
    let (totals, found) = executor.take();
    let finding =
        |(path, difference): (PathBuf, _)| Finding { name: path.display().to_string(), difference, program: None };
    Ok((totals, found.into_iter().map(finding).collect()))
}

/// Compares random programs and shows how far it is.
fn of_seeds(args: &Args, pipeline: &Pipeline) -> Result<Results> {
    let bar = if args.quiet { ProgressBar::hidden() } else { ProgressBar::new(args.count) };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} programs, {elapsed}, {msg}") {
        bar.set_style(style);
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut backends = Vec::new();
    for name in &args.native {
        let target = Target::from_name(name).with_context(|| format!("there is no target `{name}`"))?;
        backends.push(Backend::Ours(target));
    }
    backends.extend(args.peer.clone().map(Backend::Peer));
    let campaign = Campaign {
        first: args.seed,
        count: args.count,
        jobs: args.jobs.unwrap_or(processors),
        batch: if backends.is_empty() { 1 } else { args.batch },
        pipeline: pipeline.clone(),
        backends,
        stop_at_first: args.first,
        strategies: args.strategies,
    };
    let results = campaign.run(|results| {
        bar.set_position(results.programs);
        bar.set_message(format!("{} differ, go on with --seed {}", results.differing(), results.next));
    });
    bar.finish_and_clear();
    Ok(results)
}
