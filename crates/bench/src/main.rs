//! Times compiled programs against those of the peer, against C and C++ by hand, and against NumPy.

#![expect(clippy::print_stderr, reason = "a command line says there what it does and what went wrong")]

mod ad;
mod apps;
mod chart;
mod cpp;
mod exactness;
mod goals;
mod gpu;
mod machine;
mod multicore;
mod pace;
mod panels;
mod process;
mod program;
mod programs;
mod race;
mod report;
mod results;
mod rival;
mod section;
mod server;
mod session;
mod summary;
mod versus;
mod work;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};
use kenaz_ir::target;
use pace::Pace;
use section::Section;
use session::{Options, Session};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Times compiled programs.
#[derive(Parser)]
#[command(name = "cargo xtask bench")]
struct Command {
    #[command(subcommand)]
    backend: Measured,
}

#[derive(Subcommand)]
enum Measured {
    /// Sequential C: ours, the peer's, and C++
    C(Sequential),
    /// C for several cores: ours, the peer's, NumPy's products, C with OpenMP by hand, and how time grows
    Multicore(multicore::Multicore),
    /// The whole programs of bench/apps, for both: ours and the peer's
    Apps(apps::Apps),
    /// The programs of bench/ad: derivatives against their functions and against the peer's
    Ad(ad::Ad),
    /// The programs of bench/gpu, bench/c and bench/multicore on a device: ours and the peer's
    Gpu(gpu::Gpu),
}

#[derive(Args)]
struct Sequential {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    pace: Pace,
    /// One round on one data set of each program: whether all can be measured, not how fast it is
    #[arg(long)]
    quick: bool,
    /// Write the table to this file too, as values separated by commas
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Write a report to this file, in Markdown: the machine, what the table comes to, and the table. The times of each
    /// round go beside it, to a file whose name ends in `.csv`
    #[arg(long)]
    markdown: Option<PathBuf>,
    /// Draw the ratios into this file, as SVG
    #[arg(long)]
    chart: Option<PathBuf>,
    /// The folder for RESULTS.md, of which this writes a part, and, in its folder `results`, the times and a chart
    #[arg(long)]
    into: Option<PathBuf>,
    /// Only programs with one of these names
    programs: Vec<String>,
}

fn main() -> ExitCode {
    let command = Command::parse();
    let run = || match &command.backend {
        Measured::C(args) => sequential(args),
        Measured::Multicore(args) => multicore::run(args),
        Measured::Apps(args) => apps::run(args),
        Measured::Ad(args) => ad::run(args),
        Measured::Gpu(args) => gpu::run(args),
    };
    match process::catch_interrupts().and_then(|()| run()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether everything could be measured and all results agree.
fn sequential(args: &Sequential) -> Result<bool> {
    let mut session = Session::new(&target::C, &args.options, 1, args.quick)?;
    session.pace = args.pace.start();
    let (rows, summary) = programs::measure(&session, &args.programs)?;
    let is_right = summary.wrong == 0;
    if let Some(path) = &args.csv {
        write(path, &summary::csv(&rows))?;
    }
    if let Some(path) = &args.markdown {
        let machine = machine::describe(&session);
        write(path, &report::sequential(&machine, &rows, &summary))?;
        write(&path.with_extension("csv"), &section::csv(&section::times(&rows)))?;
    }
    if let Some(path) = &args.chart {
        write(path, &chart::ratios(&rows))?;
    }
    if let Some(folder) = &args.into {
        let text = "The programs of `c`, compiled by both compilers, in sequence: milliseconds, megabytes at most, and milliseconds\n\
                    from text to C. A ratio is how many times faster ours is, or how much memory for each byte of the peer.";
        let section = Section::new("sequential", "In sequence", text.to_string(), &multicore::COLUMNS_WITH_CPP, 2);
        let section = multicore::of_rows(section, &target::C, &rows, summary);
        multicore::save(
            &session,
            &[section],
            folder,
            multicore::PAGE,
            "One core\n\nWritten by `cargo xtask bench c`",
            &[],
        )?;
    }
    Ok(is_right)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| path.display().to_string())
}
