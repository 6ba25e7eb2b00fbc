//! Running other programs, one named step at a time.

use crate::progress::Progress;
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, mpsc};
use std::time::{Duration, Instant};

/// Runs a step, printing its name before and its time after it.
pub(crate) fn step<T>(name: &str, f: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("==> {name}");
    let start = Instant::now();
    let result = f();
    println!("<== {name}: {} in {:.1} s", if result.is_ok() { "ok" } else { "FAILED" }, start.elapsed().as_secs_f64());
    result
}

/// A call of cargo, by the same cargo that started us. `args` is split at blanks.
pub(crate) fn cargo(args: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    command.args(args.split_whitespace());
    command
}

/// Our compiler: the one that is given, or one that is built here, as tests use it.
pub(crate) fn kenaz(given: Option<PathBuf>) -> Result<PathBuf> {
    let path = match given {
        Some(path) => path,
        None => {
            step("build", || run(&mut cargo("build --quiet --locked --package kenaz")))?;
            let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
            target.join("debug/kenaz")
        }
    };
    fs::canonicalize(&path).with_context(|| path.display().to_string())
}

/// Runs a command that must succeed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}

/// Whether a command can be run at all, silently.
pub(crate) fn works(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// What a command prints, if it succeeds within some time.
pub(crate) fn output_within(limit: Duration, command: &mut Command) -> Option<String> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let mut stdout = child.stdout.take()?;
    // It is read while the command runs, since a full pipe would stop it.
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).ok().map(|_| bytes)
    });
    let start = Instant::now();
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if start.elapsed() > limit => {
                // It may have ended just now.
                let _ = child.kill();
                break child.wait().ok()?;
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let bytes = reader.join().ok()??;
    String::from_utf8(bytes).ok().filter(|_| status.success())
}

/// How often a command that is running says how far it is.
const EVERY: Duration = Duration::from_secs(30);

/// Runs a command and hands each line that it prints to `progress`, which also says how far it is from time to time.
/// Whether the command succeeded.
pub(crate) fn watch(command: &mut Command, progress: &Mutex<impl Progress>) -> Result<bool> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    let (stdout, stderr) = (child.stdout.take().context("no stdout")?, child.stderr.take().context("no stderr")?);
    let (ended, end) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(|| copy(stderr, progress));
        let start = Instant::now();
        scope.spawn(move || {
            // Nothing is ever sent: the wait ends with the command, or when it is time for a line.
            while end.recv_timeout(EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                show(&format!("... {:.0} s: {}\n", start.elapsed().as_secs_f64(), lock(progress).state()));
            }
        });
        copy(stdout, progress);
        drop(ended);
    });
    Ok(child.wait()?.success())
}

/// Hands on all lines as they come, and prints those that should be seen.
fn copy(from: impl Read, progress: &Mutex<impl Progress>) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
        let text = String::from_utf8_lossy(&line);
        if lock(progress).line(&text) {
            show(&text);
        }
        line.clear();
    }
}

fn lock<P>(progress: &Mutex<P>) -> MutexGuard<'_, P> {
    progress.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Prints; a reader that has gone away should not end the tests.
fn show(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}
