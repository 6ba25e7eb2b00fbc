//! Runs random programs, and those of tests/run, before and after every pass.

use anyhow::{Context, Result, bail};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use kenaz_compare::{Compared, Finding, Outcome, Reporter, Totals, compare, program};
use kenaz_driver::Pipeline;
use kenaz_ir::{Ownership, Stage, Target, target};
use kenaz_runtime::Tolerance;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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
    /// Make what differs small, and write it and what is known about it into this folder
    #[arg(long)]
    out: Option<PathBuf>,
    /// Also run the programs of tests/run
    #[arg(long)]
    tests: bool,
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
        let (more, found, others) = of_seeds(args, &pipeline);
        totals.add(&more);
        differing += found.len();
        rejected = others;
        report(&mut reporter, found)?;
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

/// The totals, what differs and what was rejected, by seeds.
fn of_seeds(args: &Args, pipeline: &Pipeline) -> (Totals, Vec<Finding>, Vec<(u64, String)>) {
    let bar = if args.quiet { ProgressBar::hidden() } else { ProgressBar::new(args.count) };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} programs, {elapsed}, {msg}") {
        bar.set_style(style);
    }
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let (next, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let all = Mutex::new((Totals::default(), Vec::new(), Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.unwrap_or(processors) {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= args.count {
                        break;
                    }
                    let seed = args.seed.wrapping_add(number);
                    let program = program(seed);
                    let outcome = compare(&program, pipeline);
                    let Ok(mut all) = all.lock() else { break };
                    let (totals, found, rejected) = &mut *all;
                    match outcome {
                        Outcome::Agrees(more) => totals.add(&more),
                        Outcome::Rejected(message) => rejected.push((seed, message)),
                        Outcome::Differs(difference) => {
                            stop.fetch_or(args.first, Ordering::Relaxed);
                            found.push((
                                seed,
                                Finding {
                                    name: format!("seed {seed}"),
                                    difference: *difference,
                                    program: Some(program),
                                },
                            ));
                            bar.set_message(format!("{} differ", found.len()));
                        }
                    }
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let (totals, mut found, mut rejected) = all.into_inner().unwrap_or_default();
    found.sort_by_key(|(seed, _)| *seed);
    rejected.sort_by_key(|(seed, _)| *seed);
    (totals, found.into_iter().map(|(_, finding)| finding).collect(), rejected)
}
