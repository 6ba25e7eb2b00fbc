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
pub(crate) fn check(runs: usize) -> Result<()> {
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
pub(crate) fn interp(peer: Option<&Path>) -> Result<()> {
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

/// What the optimiser is timed on, and the milliseconds that the way from text to optimised IR may take at most.
const OPTIMISED: [(&str, u64); 5] = [
    ("bench/programs/300.fut", 60),
    ("bench/programs/1300.fut", 600),
    ("bench/programs/stencils.fut", 400),
    ("bench/programs/reactions.fut", 200),
    ("bench/programs/insurance.fut", 200),
];

/// `bench optimise`: from text to optimised IR, the median of several runs and the most memory, and the same for the
/// peer if it is there; then how the time grows with the length of a program.
pub(crate) fn optimise(peer: Option<&Path>) -> Result<()> {
    const RUNS: usize = 11;
    let kenaz = build()?;
    let ours = |file: &str| -> Result<(Duration, u64)> {
        let args = ["ir", "--optimise", "--metrics", "--time-passes", file].map(Path::new);
        let mut runs = (0..RUNS).map(|_| time_stderr(&kenaz, &args)).collect::<Result<Vec<_>>>()?;
        runs.sort_unstable();
        let memory =
            |text: &str| text.lines().find_map(|line| line.strip_prefix("memory ")?.split(' ').next()?.parse().ok());
        Ok((runs[RUNS / 2].0, memory(&runs[RUNS / 2].1).unwrap_or(0)))
    };
    println!("{:28} {:>9} {:>7} {:>6} {:>9} {:>7}", "program", "median ms", "goal ms", "MB", "peer ms", "ratio");
    for (program, goal) in OPTIMISED {
        let (median, memory) = ours(program)?;
        print!("{program:28} {:>9.1} {goal:>7} {:>6}", ms(median), memory / 1000);
        if let Some(peer) = peer {
            let args = ["dev", "-s", program].map(Path::new);
            let mut runs = (0..3).map(|_| time_stderr(peer, &args)).collect::<Result<Vec<_>>>()?;
            runs.sort_unstable();
            print!(" {:>9.0} {:>7.1}", ms(runs[1].0), runs[1].0.as_secs_f64() / median.as_secs_f64());
        }
        println!();
    }
    println!("\n{:28} {:>9} {:>7} {:>6} {:>9}", "copies of 1300.fut", "median ms", "lines", "MB", "ms/line");
    let text = fs::read_to_string("bench/programs/1300.fut")?;
    for n in [1, 2, 4, 8] {
        let file = std::env::temp_dir().join(format!("kenaz-bench-{}-{n}.fut", std::process::id()));
        let copies = copies(&text, n);
        fs::write(&file, &copies)?;
        let measured = ours(&file.to_string_lossy());
        fs::remove_file(&file)?;
        let (median, memory) = measured?;
        let lines = copies.lines().count();
        println!("{n:28} {:>9.1} {lines:>7} {:>6} {:>9.4}", ms(median), memory / 1000, ms(median) / lines as f64);
    }
    Ok(())
}

/// A program several times over: each copy is a module, whose entry points have entry points outside it.
fn copies(text: &str, n: usize) -> String {
    let mut out = String::new();
    for i in 0..n {
        let mut entries = String::new();
        out.push_str(&format!("module copy{i} = {{\n"));
        for line in text.lines() {
            match line.strip_prefix("entry ") {
                Some(rest) => {
                    let name = rest.split([' ', ':', '=']).next().unwrap_or(rest);
                    entries.push_str(&format!("entry {name}_{i} = copy{i}.{name}\n"));
                    out.push_str(&format!("def {rest}\n"));
                }
                None => out.push_str(&format!("{line}\n")),
            }
        }
        out.push_str(&format!("}}\n{entries}"));
    }
    out
}

/// How long a command takes that must succeed, and what it says on standard error.
fn time_stderr(program: &Path, args: &[&Path]) -> Result<(Duration, String)> {
    let start = Instant::now();
    let output = Command::new(program).args(args).stdin(Stdio::null()).output().context("cannot start")?;
    let time = start.elapsed();
    if !output.status.success() {
        bail!("`{}` failed: {}", program.display(), String::from_utf8_lossy(&output.stderr));
    }
    Ok((time, String::from_utf8_lossy(&output.stderr).into_owned()))
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
