//! `cargo xtask bench`: how long do commands take, as processes, wall-clock?

use crate::step::{cargo, run, step};
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What `kenaz check` is timed on, and the milliseconds that it may take at most.
const CHECKED: [(&str, u64); 3] =
    [("bench/programs/1.fut", 15), ("bench/programs/300.fut", 25), ("bench/programs/1300.fut", 60)];

/// What `kenaz run --interpret` is timed on, and its input.
const INTERPRETED: [(&str, &str); 4] = [
    ("bench/interp/loop.fut", "2000i64 1000i64"),
    ("bench/interp/matmul.fut", "256i64"),
    ("bench/interp/mandelbrot.fut", "400i64 100i32"),
    ("bench/interp/sort.fut", "10000i64"),
];

/// How many times faster than the peer's interpreter ours should be.
const GOAL: u32 = 50;

/// `bench check`
pub fn check(runs: usize) -> Result<()> {
    if runs == 0 {
        bail!("at least one run is needed");
    }
    let kenaz = build()?;
    println!("{:28} {:>6} {:>9} {:>9} {:>9} {:>7}", "program", "lines", "median ms", "min ms", "max ms", "goal ms");
    for (program, goal) in CHECKED {
        let lines = fs::read_to_string(program).with_context(|| program.to_string())?.lines().count();
        let command = [kenaz.as_path(), Path::new("check"), Path::new(program)];
        // The first runs fill the caches of the system.
        for _ in 0..3 {
            time(&command, "")?;
        }
        let mut times = (0..runs).map(|_| time(&command, "")).collect::<Result<Vec<_>>>()?;
        times.sort_unstable();
        let (min, median, max) = (ms(times[0].0), ms(times[runs / 2].0), ms(times[runs - 1].0));
        println!("{program:28} {lines:>6} {median:>9.2} {min:>9.2} {max:>9.2} {goal:>7}");
    }
    Ok(())
}

/// `bench interp`: our interpreter, and the peer's if it is there. The median of five runs of ours, one run of the
/// peer's, which takes long; both from the start of the process to its end.
pub fn interp(peer: Option<&Path>) -> Result<()> {
    let kenaz = build()?;
    println!("{:28} {:>9} {:>9} {:>7} {:>6}", "program", "median ms", "peer ms", "ratio", "goal");
    for (program, input) in INTERPRETED {
        let ours = [kenaz.as_path(), Path::new("run"), Path::new("--interpret"), Path::new(program)];
        let mut times = (0..5).map(|_| time(&ours, input)).collect::<Result<Vec<_>>>()?;
        times.sort_unstable();
        let (median, result) = &times[times.len() / 2];
        let Some(peer) = peer else {
            println!("{program:28} {:>9.1}", ms(*median));
            continue;
        };
        let (theirs, expected) = time(&[peer, Path::new("run"), Path::new(program)], input)?;
        if *result != expected {
            bail!("{program} yields {}, but the peer says {}", result.trim(), expected.trim());
        }
        let ratio = theirs.as_secs_f64() / median.as_secs_f64();
        println!("{program:28} {:>9.1} {:>9.0} {ratio:>7.0} {GOAL:>6}", ms(*median), ms(theirs));
    }
    Ok(())
}

/// The command, as users get it.
fn build() -> Result<PathBuf> {
    step("build", || run(&mut cargo("build --quiet --release --package kenaz")))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
    Ok(target.join("release/kenaz"))
}

/// How long a command takes that must succeed, and what it prints.
fn time(command: &[&Path], input: &str) -> Result<(Duration, String)> {
    let text = || command.iter().map(|part| part.display().to_string()).collect::<Vec<_>>().join(" ");
    let (program, args) = command.split_first().context("no command")?;
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{}`", text()))?;
    // The command reads it to its end, or says itself what is wrong.
    let _ = child.stdin.take().context("no standard input")?.write_all(input.as_bytes());
    let output = child.wait_with_output()?;
    let time = start.elapsed();
    if !output.status.success() {
        bail!("`{}` failed", text());
    }
    Ok((time, String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
