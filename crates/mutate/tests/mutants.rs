//! A short run of mutants of our own programs, the same every time. `cargo xtask mutate` makes longer ones.

use kenaz_base::MemoryFileSystem;
use kenaz_base::Rng;
use kenaz_mutate::corpus::{self, Program};
use kenaz_mutate::probe::{catch_panics, probe};
use kenaz_mutate::{fine, rough, workers};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

const SEED: u64 = 2;
const MUTANTS: u64 = 3_000;

fn programs() -> Vec<Program> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["examples", "tests", "bench/programs"].map(|folder| root.join(folder));
    corpus::read(&folders).unwrap()
}

/// The compiler survives each mutant, and what it says about it can be shown.
#[test]
fn mutants_do_no_harm() {
    catch_panics();
    let programs = programs();
    assert!(programs.len() >= 10);
    let mut files = MemoryFileSystem::new();
    for program in &programs {
        files.add(&program.path, program.text.clone());
    }
    let faults = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    workers::for_each(MUTANTS, threads, Duration::from_secs(60), |index, announce| {
        let mut rng = Rng::nth(SEED, index);
        // Large programs take long and find no more than small ones.
        let program = match rng.pick(&programs).unwrap() {
            large if large.text.len() > 10_000 => rng.pick(&programs).unwrap(),
            small => small,
        };
        let other = rng.pick(&programs).unwrap();
        let fine = || str::from_utf8(&program.text).ok().and_then(|text| fine::mutate(text, &mut rng.clone()));
        let mutant = if index % 2 == 0 { fine() } else { None };
        let mutant = mutant.unwrap_or_else(|| rough::mutate(&program.text, &other.text, &mut rng));
        let text = String::from_utf8_lossy(&mutant.text);
        let about = format!("seed {SEED}, mutant {index} of {}: {}", program.path.display(), mutant.what());
        announce(format!("{about}\n{text}"));
        if let Err(fault) = probe(&program.path, &mutant.text, &files) {
            faults.lock().unwrap().push(format!("{about}\n{fault}\n{text}"));
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{} mutants failed:\n{}", faults.len(), faults[..faults.len().min(3)].join("\n\n"));
}

/// The programs that mutants are made of are right themselves, so that their mutants get far.
#[test]
fn a_mutant_can_be_accepted() {
    let text = "def f (x: i32): i32 = x + 1\n";
    let mutants = (0..100).filter_map(|seed| fine::mutate(text, &mut Rng::new(seed)));
    let verdicts: Vec<bool> = mutants
        .map(|mutant| probe("f.fut".as_ref(), &mutant.text, &MemoryFileSystem::new()).unwrap().accepted)
        .collect();
    assert!(verdicts.contains(&true) && verdicts.contains(&false));
}
