//! Programs on a device against the peer's: those of bench/gpu, bench/c and bench/multicore.
//!
//! Nothing but the two compilers, a C compiler and a driver is needed, so that this binary can be carried to a machine
//! that has a device and nothing else.

use crate::multicore::save;
use crate::program::{DataSet, Program};
use crate::race::{Runner, turn};
use crate::section::{self, Section};
use crate::session::{Options, Session};
use crate::summary::{Row, Summary, median};
use crate::{process, program, results};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use kenaz_ir::{Target, target};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Args)]
pub(crate) struct Gpu {
    #[command(flatten)]
    options: Options,
    /// The back end of both compilers
    #[arg(long, value_enum, default_value_t = Backend::Cuda)]
    backend: Backend,
    /// Only programs of these folders
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    /// One round on the first data set of each program, which is the smallest: whether all can be measured, not how
    /// fast it is
    #[arg(long)]
    quick: bool,
    /// The folder for RESULTS-GPU.md and, in its folder `results`, the times. It is `bench` when everything is measured
    /// with CUDA; otherwise nothing is written if it is not given
    #[arg(long)]
    into: Option<PathBuf>,
    /// Only programs with one of these names
    programs: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Backend {
    Cuda,
    Opencl,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Part {
    Gpu,
    C,
    Multicore,
}

impl Backend {
    fn target(self) -> &'static Target {
        match self {
            Backend::Cuda => &target::CUDA,
            Backend::Opencl => &target::OPENCL,
        }
    }
}

impl Part {
    fn folder(self) -> &'static Path {
        Path::new(match self {
            Part::Gpu => "bench/gpu",
            Part::C => "bench/c",
            Part::Multicore => "bench/multicore",
        })
    }
}

const COLUMNS: [(&str, usize); 7] =
    [("program", 20), ("data set", 28), ("ours ms", 10), ("peer ms", 10), ("ratio", 6), ("ours", 14), ("peer", 14)];

/// Whether everything could be measured and all results agree.
pub(crate) fn run(args: &Gpu) -> Result<bool> {
    let session = Session::new(args.backend.target(), &args.options, 1, args.quick)?;
    let text = format!(
        "The programs of `gpu`, and those of `c` and `multicore`, compiled by both compilers for a device (`{}`):\n\
         milliseconds of a call whose arguments are on the device and whose results stay there. A ratio is how many times\n\
         faster ours is. The last columns are speeds, of programs that say how much they have to move or to compute.",
        session.target.name
    );
    let mut section = Section::new("gpu", "Programs on a device", text, &COLUMNS, 2);
    let mut programs = Vec::new();
    for part in Part::value_variants().iter().filter(|part| args.only.is_empty() || args.only.contains(part)) {
        // A name may be one of several folders, and must be one of some.
        let all = program::list(part.folder(), &[])?.into_iter();
        let wanted = all.filter(|program| args.programs.is_empty() || args.programs.contains(&program.name));
        programs.extend(wanted.map(|program| (*part, program)));
    }
    let is_known = |name: &&String| programs.iter().any(|(_, program)| program.name == **name);
    if let Some(unknown) = args.programs.iter().find(|name| !is_known(name)) {
        anyhow::bail!("there is no program `{unknown}`");
    }
    if args.quick {
        programs.iter_mut().for_each(|(_, program)| program.sets.truncate(1));
    }
    let bar = session.progress(programs.iter().map(|(_, program)| program.sets.len()).sum());
    bar.suspend(|| println!("{}", section.header()));
    let mut rows = Vec::new();
    let mut devices = None;
    for (part, program) in &programs {
        bar.set_message(program.name.clone());
        let folder = part.folder().file_name().unwrap_or_default().to_string_lossy().into_owned();
        measure(&session, &folder, program, &mut section, &mut rows, &mut devices, &bar)?;
    }
    let summary = Summary::new(session.goals, &rows, None);
    section.lines = summary.lines;
    section.times = section::times(&rows);
    section.finish(&bar);
    println!("{} data sets, {} problems", rows.len(), section.problems.len());
    let all = args.only.is_empty() && args.programs.is_empty() && !args.quick && args.backend == Backend::Cuda;
    if let Some(folder) = args.into.clone().or(all.then(|| PathBuf::from("bench"))) {
        let head = "Programs on a device\n\nWritten by `kenaz-bench gpu`";
        let devices: Vec<(String, String)> = devices.map(|text| ("device".to_string(), text)).into_iter().collect();
        save(&session, std::slice::from_ref(&section), &folder, "RESULTS-GPU.md", head, &devices)?;
    }
    Ok(section.problems.is_empty())
}

/// Adds a row for each data set of a program. Only an interrupt ends the work.
fn measure(
    session: &Session,
    folder: &str,
    program: &Program,
    section: &mut Section,
    rows: &mut Vec<Row>,
    devices: &mut Option<String>,
    bar: &ProgressBar,
) -> Result<()> {
    let name = format!("{folder}/{}", program.name);
    let mut servers: [Option<PathBuf>; 2] = [None, None];
    let compilers = [("ours", Some(&session.ours)), ("peer", session.peer.as_ref())];
    for ((who, compiler), server) in compilers.into_iter().zip(&mut servers) {
        let Some(compiler) = compiler else { continue };
        // Programs of several folders have the same names.
        match session.compile(compiler, &format!("{who}-{folder}"), program) {
            Ok(executable) => *server = Some(executable),
            Err(error) => {
                process::interrupted()?;
                let problem = format!("{name}: {who}: {error:#}");
                bar.suspend(|| println!("{problem}"));
                section.problems.push(problem);
            }
        }
    }
    if let (Some(ours), None) = (&servers[0], &devices) {
        *devices = process::run(Command::new(ours).arg("--list-devices")).ok().map(|text| listed(&text));
    }
    for set in &program.sets {
        let shown = program.name_of(set);
        bar.set_message(format!("{name} {shown}"));
        let measured = race(session, set, [servers[0].as_deref(), servers[1].as_deref()]);
        let Some([ours, peer]) = section.attempt(bar, &format!("{name} {shown}"), measured)? else { continue };
        let row = Row { ours, peer, ..Row::new(&name, &shown) };
        let ms = |times: &[f64]| format!("{:.3}", median(times) / 1e3);
        let speed = |times: &[f64]| Some(set.work?.speed(median(times)));
        let cell = |times: &[f64], f: &dyn Fn(&[f64]) -> Option<String>| {
            if times.is_empty() { None } else { f(times) }.unwrap_or("-".to_string())
        };
        let cells = vec![
            name.clone(),
            shown,
            cell(&row.ours, &|times| Some(ms(times))),
            cell(&row.peer, &|times| Some(ms(times))),
            row.ratio().map_or("-".to_string(), |ratio| format!("{ratio:.2}")),
            cell(&row.ours, &speed),
            cell(&row.peer, &speed),
        ];
        section.row(bar, cells);
        rows.push(row);
    }
    Ok(())
}

/// The names of devices, in one line.
fn listed(text: &str) -> String {
    let names = text.lines().map(str::trim).filter(|line| line.starts_with("Device")).map(|line| {
        let name = line.split_once(':').map_or(line, |(_, name)| name);
        name.trim().to_string()
    });
    names.collect::<Vec<_>>().join("; ")
}

/// The times of both on a data set, in which they take turns; their results must agree.
fn race(session: &Session, set: &DataSet, servers: [Option<&Path>; 2]) -> Result<[Vec<f64>; 2]> {
    let input = session.file("input");
    set.write(&input)?;
    let mut running = Vec::new();
    let mut stored = Vec::new();
    for (who, executable) in ["ours", "peer"].into_iter().zip(servers) {
        let Some(executable) = executable else {
            running.push(None);
            continue;
        };
        let server = session.serve(executable, session.threads, set, &input);
        let mut server = server.with_context(|| format!("the server of {who}"))?;
        server.run().with_context(|| who.to_string())?;
        let result = session.file(&format!("{who}.result"));
        server.store(&result).with_context(|| who.to_string())?;
        stored.push(result);
        running.push(Some(server));
    }
    if let [ours, peer] = &stored[..] {
        results::agree(ours, peer, &set.exactness).context("the result of peer")?;
    }
    // These may be large.
    stored.iter().try_for_each(std::fs::remove_file)?;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..session.rounds {
        for (server, times) in running.iter_mut().zip(&mut times) {
            if let Some(server) = server {
                times.push(turn(server, session.runs)?);
            }
            process::interrupted()?;
        }
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_says_how_much_it_does() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/gpu");
        let programs = program::list(&folder, &[]).unwrap();
        assert!(programs.len() >= 12, "only {} programs", programs.len());
        for program in &programs {
            assert!(program.sets.len() >= 2, "{} has less than two data sets", program.name);
            for set in &program.sets {
                assert!(set.work.is_some(), "{} {} says nothing", program.name, set.name);
                assert!(set.maker().is_some(), "{} {} is not made on the device", program.name, set.name);
            }
        }
    }

    #[test]
    fn devices_are_named_in_one_line() {
        let text = "Platform #0: Portable\n  Device #0: cpu-a: b\nPlatform #1: X\n  Device #1: GPU 3000\n";
        assert_eq!(listed(text), "cpu-a: b; GPU 3000");
    }
}
