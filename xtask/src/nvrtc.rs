//! `cargo xtask nvrtc`: whether the compilers of CUDA accept our kernels, which needs no GPU.
//!
//! The programs are those that tests run on a device by way of OpenCL. Each is compiled by one of the compilers for one
//! of the architectures, in turn, and the first of each folder by all of them for all: a difference between them is one
//! of the language and not of a program, and machine code takes NVRTC most of a second. Numbers have 32 or 64 bits, in
//! turn.

use crate::step::{self, run};
use anyhow::{Context, Result, bail};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// Where Python's packages with the compilers are.
const FOLDER: &str = "target/nvrtc";
const MAJORS: [&str; 2] = ["12", "13"];
const ARCHITECTURES: [&str; 2] = ["sm_80", "sm_90"];
/// The folders of tests/run whose programs become kernels of every kind.
const SAMPLE: &str = "tests/run/kernels.txt";

/// How to get the compilers.
pub(crate) const HINT: &str = "python3 -m venv target/nvrtc && \
                               target/nvrtc/bin/pip install nvidia-cuda-nvrtc-cu12 'nvidia-cuda-nvrtc>=13,<14'";

/// The compilers of all majors, if they are there.
pub(crate) fn libraries() -> Option<Vec<PathBuf>> {
    MAJORS.iter().map(|major| find(Path::new(FOLDER), &format!("libnvrtc.so.{major}"))).collect()
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let here = entries.iter().find(|path| path.file_name().is_some_and(|file| file == name)).cloned();
    here.or_else(|| entries.iter().filter(|path| path.is_dir() && !path.is_symlink()).find_map(|path| find(path, name)))
}

/// Compiles the sample, or everything by every compiler; `kenaz` is the compiler to take instead of the one built here.
pub(crate) fn nvrtc(args: &[&str]) -> Result<()> {
    let (all, kenaz) = match args {
        [] => (false, None),
        ["--all"] => (true, None),
        ["--ours", kenaz] => (false, Some(PathBuf::from(kenaz))),
        ["--all", "--ours", kenaz] => (true, Some(PathBuf::from(kenaz))),
        _ => bail!("usage: cargo xtask nvrtc [--all] [--ours PATH]"),
    };
    let Some(libraries) = libraries() else { bail!("NVRTC is not there; get it with\n  {HINT}") };
    let kenaz = step::kenaz(kenaz)?;
    let programs = programs()?;
    let texts = Path::new(FOLDER).join("texts");
    fs::create_dir_all(&texts)?;
    let texts = in_parallel(&programs, |path| text(&kenaz, path, &texts))?;
    let mut jobs = vec![String::new(); libraries.len()];
    let mut folder = None;
    let kinds = MAJORS.len() * ARCHITECTURES.len();
    for (i, (program, text)) in programs.iter().zip(&texts).enumerate() {
        let is_first = std::mem::replace(&mut folder, program.parent()) != program.parent();
        for kind in (0..kinds).filter(|kind| all || is_first || i % kinds == *kind) {
            let (architecture, bits) = (ARCHITECTURES[kind % ARCHITECTURES.len()], [32, 64][(i + kind) % 2]);
            jobs[kind / ARCHITECTURES.len()].push_str(&format!("{architecture} {bits} {}\n", text.display()));
        }
    }
    let work: Vec<(PathBuf, String)> = libraries.into_iter().zip(jobs).collect();
    in_parallel(&work, |(library, jobs)| compile(library, jobs))?;
    let count: usize = work.iter().map(|(_, jobs)| jobs.lines().count()).sum();
    println!("NVRTC {} accept the kernels of {} programs, {count} times", MAJORS.join(" and "), programs.len());
    Ok(())
}

/// The programs of the sample, by folder, without those that say that they are for other targets.
fn programs() -> Result<Vec<PathBuf>> {
    let mut programs = Vec::new();
    for folder in fs::read_to_string(SAMPLE).context(SAMPLE)?.lines() {
        let folder = Path::new("tests/run").join(folder);
        let entries = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
        let entries = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        let before = programs.len();
        for path in entries.into_iter().filter(|path| path.extension().is_some_and(|it| it == "fut")) {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            if !text.lines().any(|line| line.starts_with("-- tags") && line.contains("no_cuda")) {
                programs.push(path);
            }
        }
        programs[before..].sort();
    }
    if programs.is_empty() {
        bail!("{SAMPLE} names no programs");
    }
    Ok(programs)
}

/// The file with the kernels of a program, as its executable gives them, which needs no device.
fn text(kenaz: &Path, program: &Path, folder: &Path) -> Result<PathBuf> {
    let name = program.strip_prefix("tests/run")?.with_extension("").display().to_string().replace('/', "-");
    let (executable, text) = (fs::canonicalize(folder)?.join(&name), folder.join(format!("{name}.cu")));
    // An old text must not stand for the new one.
    let _ = fs::remove_file(&text);
    let mut command = Command::new(kenaz);
    run(command.args(["cuda", "-w"]).arg(program).arg("-o").arg(&executable).env("CFLAGS", "-O0"))?;
    run(Command::new(&executable).arg("--dump-cuda").arg(&text).stdin(Stdio::null()))?;
    fs::remove_file(&executable)?;
    Ok(text)
}

fn compile(library: &Path, jobs: &str) -> Result<()> {
    let python = Path::new(FOLDER).join("bin/python3");
    let mut command = Command::new(&python);
    command.arg("xtask/nvrtc.py").arg(library).stdin(Stdio::piped());
    let mut child = command.spawn().with_context(|| python.display().to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(jobs.as_bytes())?;
    }
    if !child.wait()?.success() {
        bail!("{} refuses kernels", library.display());
    }
    Ok(())
}

/// Does something with each item, on as many threads as there are processors; the results in order, or the first error.
fn in_parallel<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let share = |thread: usize| items.iter().skip(thread).step_by(threads).map(&f).collect::<Result<Vec<R>>>();
    let mut shares = thread::scope(|scope| {
        let share = &share;
        let handles: Vec<_> = (0..threads).map(|thread| scope.spawn(move || share(thread))).collect();
        let join = |handle: thread::ScopedJoinHandle<'_, Result<Vec<R>>>| match handle.join() {
            Ok(share) => share.map(Vec::into_iter),
            Err(panic) => std::panic::resume_unwind(panic),
        };
        handles.into_iter().map(join).collect::<Result<Vec<_>>>()
    })?;
    Ok((0..items.len()).filter_map(|i| shares[i % threads].next()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        let items: Vec<usize> = (0..23).collect();
        assert_eq!(in_parallel(&items, |i| Ok(i * 2)).unwrap(), (0..23).map(|i| i * 2).collect::<Vec<_>>());
        let odd = in_parallel(&items, |i| if *i == 20 { bail!("no {i}") } else { Ok(*i) });
        assert_eq!(odd.unwrap_err().to_string(), "no 20");
        assert_eq!(in_parallel(&[0usize; 0], |i| Ok(*i)).unwrap(), [0usize; 0]);
    }
}
