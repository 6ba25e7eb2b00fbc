//! Other programs, and a folder for what they write. After an interrupt nothing is left of either.

use anyhow::{Context, Result, bail};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on an interrupt is only noted, so that what is under way can clean up.
pub(crate) fn catch_interrupts() -> Result<()> {
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed)).context("interrupts cannot be caught")
}

/// An error if there was an interrupt.
pub(crate) fn interrupted() -> Result<()> {
    if INTERRUPTED.load(Ordering::Relaxed) {
        bail!("interrupted");
    }
    Ok(())
}

/// Runs a command that must succeed, and returns what it prints on standard output.
pub(crate) fn run(command: &mut Command) -> Result<String> {
    let name = PathBuf::from(command.get_program());
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {name}"))?;
    // Both are read while it runs, since a full pipe would stop it.
    let output = reader(child.stdout.take());
    let errors = reader(child.stderr.take());
    let status = wait(&mut child)?;
    let (output, errors) = (output.join().unwrap_or_default(), errors.join().unwrap_or_default());
    if !status {
        let errors = errors.trim();
        let telling = errors.lines().find(|line| line.contains("error"));
        let shown = telling.or(errors.lines().next_back()).unwrap_or("no message");
        bail!("{name} failed: {shown}");
    }
    Ok(output)
}

fn reader(from: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            // Output before an error is still worth showing.
            let _ = from.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Whether a process succeeds. After an interrupt it has a moment to end by itself.
fn wait(child: &mut Child) -> Result<bool> {
    let mut interrupt: Option<Instant> = None;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            interrupted()?;
            return Ok(status.success());
        }
        if INTERRUPTED.load(Ordering::Relaxed)
            && interrupt.get_or_insert_with(Instant::now).elapsed() > Duration::from_secs(3)
        {
            child.kill()?;
        }
        // Processes are timed, so a pause is short beside the time that has passed.
        thread::sleep((start.elapsed() / 50).clamp(Duration::from_micros(100), Duration::from_millis(20)));
    }
}

/// A folder that goes away with its owner.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new() -> Result<Folder> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("kenaz-bench-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        Ok(Folder { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // There is nobody to tell.
        let _ = fs::remove_dir_all(&self.path);
    }
}
