//! `cargo xtask bench check`: how long does `kenaz check` take, as a process, wall-clock?

use crate::step::{cargo, run, step};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What is timed, and the time that it may take at most.
const CASES: [(&str, u64); 3] =
    [("bench/programs/1.fut", 15), ("bench/programs/300.fut", 25), ("bench/programs/1300.fut", 60)];

pub fn check(runs: usize) -> Result<()> {
    if runs == 0 {
        bail!("at least one run is needed");
    }
    step("build", || run(&mut cargo("build --quiet --release --package kenaz")))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
    let kenaz = target.join("release/kenaz");

    println!("{:28} {:>6} {:>9} {:>9} {:>9} {:>7}", "program", "lines", "median ms", "min ms", "max ms", "goal ms");
    for (program, goal) in CASES {
        let lines = fs::read_to_string(program).with_context(|| program.to_string())?.lines().count();
        // The first runs fill the caches of the system.
        for _ in 0..3 {
            time(&kenaz, program)?;
        }
        let mut times = (0..runs).map(|_| time(&kenaz, program)).collect::<Result<Vec<_>>>()?;
        times.sort_unstable();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let (min, median, max) = (ms(times[0]), ms(times[runs / 2]), ms(times[runs - 1]));
        println!("{program:28} {lines:>6} {median:>9.2} {min:>9.2} {max:>9.2} {goal:>7}");
    }
    Ok(())
}

fn time(kenaz: &Path, program: &str) -> Result<Duration> {
    let mut command = Command::new(kenaz);
    command.arg("check").arg(program).stdin(Stdio::null()).stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status().with_context(|| format!("cannot start {}", kenaz.display()))?;
    let time = start.elapsed();
    if !status.success() {
        bail!("{} check {program} failed", kenaz.display());
    }
    Ok(time)
}
