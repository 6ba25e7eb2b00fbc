//! Runs the tests of programs as C under the sanitizers or valgrind, and without memory.

#![expect(clippy::print_stderr, reason = "a command line says there what it does and what went wrong")]

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum};
use kenaz_driver::fault;
use kenaz_driver::native::device;
use kenaz_ir::target;
use kenaz_runtime::Tolerance;
use kenaz_sanitize::{Checked, Checks, Driver, Tool, Totals};
use kenaz_testing::executors::Interpreter;
use kenaz_testing::{Options, find_programs};
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// Runs the tests of programs as C under AddressSanitizer and UndefinedBehaviorSanitizer, or under ThreadSanitizer, or
/// on a device; and without memory.
#[derive(Parser)]
#[command(name = "cargo xtask sanitize")]
struct Args {
    /// Programs, and folders in which to look for programs
    #[arg(default_value = "tests/run")]
    paths: Vec<PathBuf>,
    /// Only so many programs, spread evenly over all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    sample: Option<u32>,
    /// Let each request for memory of each case fail once
    #[arg(long, conflicts_with = "valgrind")]
    faults: bool,
    /// How many requests of a case fail at most; half of them are its first, the others are spread over the rest
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(2..))]
    most_faults: u64,
    /// Use valgrind instead of the sanitizers
    #[arg(long)]
    valgrind: bool,
    /// Use ThreadSanitizer, on programs for several cores: four threads, and no loop is too short for them
    #[arg(long, conflicts_with_all = ["valgrind", "faults"])]
    threads: bool,
    /// Use a device by way of this, without sanitizers; requests are also what its driver may have no memory for
    #[arg(long, value_enum, value_name = "BACKEND", conflicts_with_all = ["valgrind", "threads"])]
    device: Option<Backend>,
    /// The flag for the optimiser of the C compiler, which is `$CC` or `cc`
    #[arg(long, default_value = "-O1", allow_hyphen_values = true)]
    level: String,
    /// How many programs run at a time; as many as there are processors if not given
    #[arg(short = 'j', long, value_name = "N")]
    concurrency: Option<usize>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Backend {
    Opencl,
    Cuda,
}

fn main() -> ExitCode {
    fault::install_hook(|fault| eprint!("{}", fault.text()));
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether nothing was found.
fn run(args: &Args) -> Result<bool> {
    let mut programs = Vec::new();
    for path in &args.paths {
        programs.extend(find_programs(path).with_context(|| path.display().to_string())?);
    }
    if let Some(sample) = args.sample {
        let (all, sample) = (programs.len(), sample as usize);
        programs = (0..sample.min(all)).map(|i| programs[i * all / sample.min(all)].clone()).collect();
    }
    let mut checks = Checks::sanitizers(&args.level, if args.faults { args.most_faults } else { 0 });
    if args.threads {
        checks = Checks::threads(&args.level);
    } else if args.valgrind {
        checks.tool = Tool::Valgrind;
    }
    let mut exclude = Vec::new();
    if let Some(backend) = args.device {
        let (driver, target) = match backend {
            Backend::Opencl => (Driver::Opencl, &target::OPENCL),
            Backend::Cuda => (Driver::Cuda, &target::CUDA),
        };
        device::probe(target)?;
        checks.tool = Tool::Device(driver);
        exclude.push(format!("no_{}", target.name));
    }
    let checked = Checked::new(checks)?;
    let options = Options {
        executor: &checked,
        reference: Some(&Interpreter::default()),
        cache: None,
        tolerance: Tolerance::SUITE,
        exclude,
        threads: args.concurrency,
        progress: io::stderr().is_terminal(),
    };
    let report = kenaz_testing::run(&programs, &options);
    print!("{report}");
    let of = |number: &AtomicU64| number.load(Ordering::Relaxed);
    let Totals { cases, requests, faults, recovered, loops } = &*checked.totals;
    println!("{} programs, {} runs of entry points", programs.len(), of(cases));
    if args.faults {
        let (requests, faults, recovered) = (of(requests), of(faults), of(recovered));
        println!("{requests} requests for memory, {faults} of them failed once, {recovered} without consequence");
    }
    if args.threads {
        print!("{loops}");
    }
    Ok(report.failed() == 0 && loops.idle().is_empty())
}
