//! `cargo xtask mutate`: many mutants of many programs, by hand rather than in the tests.

#![expect(clippy::print_stderr, reason = "a command line says there what it does and what went wrong")]

mod data;
mod rough;
mod verdicts;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use kenaz_base::Rng;
use kenaz_mutate::{fine, probe};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "mutate", about = "Runs mutants of programs through the compiler")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Damage programs in any way; the compiler must survive it
    Rough(rough::Args),
    /// Damage data; a compiled program must read it as the compiler does
    Data(data::Args),
    /// Change programs a little; the verdict must be that of another compiler
    Verdicts(verdicts::Args),
    /// Print a small change of one program
    Show { program: PathBuf, seed: u64 },
}

fn main() -> ExitCode {
    probe::catch_panics();
    let result = match Args::parse().command {
        Command::Rough(args) => rough::run(&args),
        Command::Data(args) => data::run(&args),
        Command::Verdicts(args) => verdicts::run(&args),
        Command::Show { program, seed } => show(&program, seed),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn show(program: &std::path::Path, seed: u64) -> Result<bool> {
    let text = std::fs::read_to_string(program).with_context(|| program.display().to_string())?;
    let mutant = fine::mutate(&text, &mut Rng::new(seed)).context("no change is possible")?;
    eprintln!("{}", mutant.what());
    print!("{}", String::from_utf8_lossy(&mutant.text));
    Ok(true)
}

fn progress(count: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len}  {elapsed} of {duration}  {msg}");
    ProgressBar::new(count).with_style(style.unwrap_or(ProgressStyle::default_bar()))
}
