//! Does the compiler survive any input?

use anyhow::{Context, Result};
use kenaz_base::RealFileSystem;
use kenaz_base::Rng;
use kenaz_ir::Target;
use kenaz_mutate::corpus::{self, Program};
use kenaz_mutate::minimise::minimise;
use kenaz_mutate::probe::probe_to;
use kenaz_mutate::{Mutant, fine, rough, workers};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders of programs, or programs
    #[arg(required = true)]
    suite: Vec<PathBuf>,
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// What is accepted becomes C for these targets
    #[arg(long, value_parser = target)]
    target: Vec<&'static Target>,
    /// The most seconds that a mutant may take
    #[arg(long, default_value_t = 60)]
    limit: u64,
    /// Where failing mutants go, made smaller
    #[arg(long)]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<bool> {
    let programs = corpus::read(&args.suite)?;
    if let Some(out) = &args.out {
        fs::create_dir_all(out)?;
    }
    let bar = super::progress(args.count);
    // The mutants of each fault that was found.
    let faults: Mutex<BTreeMap<String, Vec<u64>>> = Mutex::default();
    workers::for_each(args.count, args.jobs, Duration::from_secs(args.limit), |index, announce| {
        let (program, mutant) = make(&programs, args.seed, index);
        let text = String::from_utf8_lossy(&mutant.text);
        announce(format!("seed {} mutant {index}, {}\n{text}", args.seed, mutant.what()));
        if let Err(fault) = probe_to(&args.target, &program.path, &mutant.text, &RealFileSystem) {
            let first = {
                let mut faults = faults.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let seen = faults.entry(fault.clone()).or_default();
                seen.push(index);
                bar.set_message(format!("{} faults", faults.len()));
                faults[&fault].len() == 1
            };
            if first {
                let again = |text: &[u8]| {
                    let text = String::from_utf8_lossy(text);
                    announce(format!("making seed {} mutant {index} small\n{text}", args.seed));
                };
                if let Err(error) = record(args, index, program, &mutant, &fault, again) {
                    bar.println(format!("{error:#}"));
                }
            }
        }
        bar.inc(1);
    });
    bar.finish_and_clear();
    let faults = faults.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    for (fault, mutants) in &faults {
        println!("{} × {fault} (mutants {:?})", mutants.len(), &mutants[..mutants.len().min(5)]);
    }
    let failed: usize = faults.values().map(Vec::len).sum();
    println!("{} mutants of {} programs, {failed} failed in {} ways", args.count, programs.len(), faults.len());
    Ok(failed == 0)
}

fn target(name: &str) -> Result<&'static Target, String> {
    Target::from_name(name).ok_or_else(|| format!("there is no target `{name}`"))
}

/// Three of four mutants are rough; a fine one gets further into the checker.
fn make(programs: &[Program], seed: u64, index: u64) -> (&Program, Mutant) {
    let mut rng = Rng::nth(seed, index);
    let program = &programs[rng.below(programs.len())];
    if rng.chance(4)
        && let Ok(text) = str::from_utf8(&program.text)
        && let Some(mutant) = fine::mutate(text, &mut rng)
    {
        return (program, mutant);
    }
    let other = &programs[rng.below(programs.len())];
    (program, rough::mutate(&program.text, &other.text, &mut rng))
}

/// Writes a mutant that fails and a small one that does too; `again` is told of each that is tried.
fn record(
    args: &Args,
    index: u64,
    program: &Program,
    mutant: &Mutant,
    fault: &str,
    again: impl Fn(&[u8]),
) -> Result<()> {
    let Some(out) = &args.out else { return Ok(()) };
    let fails = |text: &[u8]| {
        again(text);
        probe_to(&args.target, &program.path, text, &RealFileSystem).is_err_and(|f| f == fault)
    };
    let small = minimise(&mutant.text, 2000, fails);
    let name = out.join(format!("{}-{index}", args.seed));
    let about = format!("{fault}\n{} of {}\n", mutant.what(), program.path.display());
    fs::write(name.with_extension("txt"), about)?;
    fs::write(name.with_extension("full"), &mutant.text)?;
    fs::write(name.with_extension("fut"), small).with_context(|| name.display().to_string())
}
