//! Times compiled programs against those of the peer's C back end and against C++, on the programs of bench/c.

mod chart;
mod cpp;
mod exactness;
mod machine;
mod process;
mod program;
mod report;
mod results;
mod server;
mod summary;
mod versus;

use anyhow::{Context, Result, bail};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use process::Folder;
use program::{DataSet, Program};
use server::Server;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use summary::{Row, Summary};

/// Times compiled programs: ours, the peer's and C++.
#[derive(Parser)]
#[command(name = "cargo xtask bench c")]
pub struct Args {
    /// The peer, a `futhark`; `$FUTHARK` if it is not given. Without one its columns are left out
    #[arg(long)]
    peer: Option<PathBuf>,
    /// The script that times both compilers in alternating rounds through the peer's `bench`; `$VERSUS` if it is not
    /// given. Without one this program does so itself
    #[arg(long)]
    versus: Option<PathBuf>,
    /// The compiler to measure; a release build of this repository if it is not given
    #[arg(long)]
    ours: Option<PathBuf>,
    /// How many rounds
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// How many runs in a round
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Write the table to this file too, as values separated by commas
    #[arg(long)]
    csv: Option<PathBuf>,
    /// Write a report to this file, in Markdown: the machine, what the table comes to, and the table. The times of each round
    /// go beside it, to a file whose name ends in `.csv`
    #[arg(long)]
    markdown: Option<PathBuf>,
    /// Draw the ratios into this file, as SVG
    #[arg(long)]
    chart: Option<PathBuf>,
    /// Only programs with one of these names
    programs: Vec<String>,
}

/// The flags of the C and C++ compilers, the same for all and those of versus.
fn flags() -> String {
    std::env::var("CFLAGS").unwrap_or("-O3 -march=native".to_string())
}

fn main() -> ExitCode {
    let args = Args::parse();
    match process::catch_interrupts().and_then(|()| run(&args)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether everything could be measured and all results agree.
fn run(args: &Args) -> Result<bool> {
    let from_environment = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let peer = found("peer", args.peer.clone().or_else(|| from_environment("FUTHARK")))?;
    let script = found("script", args.versus.clone().or_else(|| from_environment("VERSUS")))?;
    let ours = match found("compiler", args.ours.clone())? {
        Some(path) => path,
        None => build()?,
    };
    let programs = program::list(Path::new("bench/c"), &args.programs)?;
    if peer.is_none() {
        println!("note: without a peer ($FUTHARK or --peer PATH) its columns are left out");
    } else if script.is_none() {
        println!("note: without --versus PATH both compilers are timed by this program itself");
    }
    let folder = Folder::new()?;
    let session = Session { args, ours, peer, script, folder };
    let total = programs.iter().map(|program| program.sets.len() as u64).sum();
    let bar = ProgressBar::new(total);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} data sets, {elapsed}, {msg}") {
        bar.set_style(style);
    }
    let mut rows = Vec::new();
    bar.suspend(|| println!("{}", Row::header()));
    for program in &programs {
        bar.set_message(program.name.clone());
        for row in session.measure(program, &bar)? {
            bar.suspend(|| println!("{row}"));
            rows.push(row);
        }
    }
    bar.finish_and_clear();
    let summary = Summary::new(&rows, session.lines_of_smallest()?);
    print!("{summary}");
    if let Some(path) = &args.csv {
        fs::write(path, summary::csv(&rows)).with_context(|| path.display().to_string())?;
    }
    if let Some(path) = &args.markdown {
        let machine = machine::describe(&session);
        fs::write(path, report::markdown(&machine, &rows, &summary)).with_context(|| path.display().to_string())?;
        let path = path.with_extension("csv");
        fs::write(&path, report::rounds(&rows)).with_context(|| path.display().to_string())?;
    }
    if let Some(path) = &args.chart {
        fs::write(path, chart::svg(&rows)).with_context(|| path.display().to_string())?;
    }
    Ok(rows.iter().all(|row| row.problems.is_empty()))
}

/// The full path of a file that must exist if it is given at all, because commands run in other folders.
fn found(what: &str, path: Option<PathBuf>) -> Result<Option<PathBuf>> {
    path.map(|path| fs::canonicalize(&path).with_context(|| format!("the {what} {}", path.display()))).transpose()
}

/// The command, as users get it.
fn build() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    process::run(Command::new(cargo).args(["build", "--quiet", "--release", "--package", "kenaz"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
    fs::canonicalize(target.join("release/kenaz")).context("the build has no kenaz")
}

/// What does not change between programs.
struct Session<'a> {
    args: &'a Args,
    ours: PathBuf,
    peer: Option<PathBuf>,
    script: Option<PathBuf>,
    folder: Folder,
}

impl Session<'_> {
    /// A row for every data set of a program. What goes wrong is in the rows; only an interrupt ends the work.
    fn measure(&self, program: &Program, bar: &ProgressBar) -> Result<Vec<Row>> {
        let mut rows: Vec<Row> = program.sets.iter().map(|set| Row::new(&program.name, &set.name)).collect();
        let ours = self.compile(&self.ours, "ours", program);
        let peer = self.peer.as_ref().map(|peer| self.compile(peer, "peer", program));
        let native = program.cpp.as_ref().map(|source| cpp::compile(source, &self.folder.path().join("cpp")));
        process::interrupted()?;
        let mut failures = Vec::new();
        let compiled = ours.map_err(|error| failures.push(format!("ours: {error:#}"))).ok();
        let peer = peer.and_then(|it| it.map_err(|error| failures.push(format!("peer: {error:#}"))).ok());
        let native = native.and_then(|it| it.map_err(|error| failures.push(format!("C++: {error:#}"))).ok());
        if let Some(row) = rows.first_mut() {
            row.problems = failures;
        }
        let timed = match (&self.script, &self.peer) {
            (Some(script), Some(futhark)) if compiled.is_some() && peer.is_some() => {
                let times = versus::time(script, &self.ours, futhark, program, self.args, &self.folder);
                process::interrupted()?;
                Some(times)
            }
            _ => None,
        };
        for (set, row) in program.sets.iter().zip(&mut rows) {
            bar.set_message(format!("{} {}", program.name, set.name));
            let servers = [compiled.as_deref(), peer.as_deref()];
            let done = self.measure_set(set, row, servers, native.as_deref(), timed.is_none());
            process::interrupted()?;
            if let Err(error) = done {
                row.problems.push(format!("{error:#}"));
            }
            match &timed {
                Some(Ok(times)) => match times.get(&set.name) {
                    Some(times) => (row.ours, row.peer) = times.clone(),
                    None => row.problems.push("versus has no times of both".to_string()),
                },
                Some(Err(error)) => row.problems.push(format!("{error:#}")),
                None => {}
            }
            bar.inc(1);
        }
        if let Some(row) = rows.first_mut() {
            match self.text_to_c(&self.ours, program, 5) {
                Ok(time) => row.to_c = Some(time),
                Err(error) => row.problems.push(format!("{error:#}")),
            }
            if let Some(peer) = &self.peer {
                row.peer_to_c = self.text_to_c(peer, program, 3).ok();
            }
            process::interrupted()?;
        }
        Ok(rows)
    }

    /// Memory and results on one data set, and the times against C++; with `alone` also those against the peer.
    fn measure_set(
        &self,
        set: &DataSet,
        row: &mut Row,
        [ours, peer]: [Option<&Path>; 2],
        native: Option<&Path>,
        alone: bool,
    ) -> Result<()> {
        let file = |name: &str| self.folder.path().join(name);
        let input = file("input");
        set.write(&input)?;
        let mut reference: Option<PathBuf> = None;
        let mut same = |what: &str, result: PathBuf| -> Result<()> {
            match &reference {
                None => reference = Some(result),
                Some(expected) => {
                    let agreement = results::agree(expected, &result, &set.exactness);
                    agreement.with_context(|| format!("the result of {what}"))?;
                }
            }
            Ok(())
        };
        let mut running = Vec::new();
        for (who, executable) in [("ours", ours), ("peer", peer)] {
            let Some(executable) = executable else {
                running.push(None);
                continue;
            };
            let mut server = Server::start(executable).with_context(|| format!("the server of {who}"))?;
            server.load(&input)?;
            for _ in 0..2 {
                server.call()?;
            }
            let memory = server.peak_memory();
            if who == "ours" {
                row.memory = memory
            } else {
                row.peer_memory = memory
            }
            let result = file(&format!("{who}.result"));
            server.store(&result)?;
            same(who, result)?;
            // Both in memory at once would make the memory of one the other's problem.
            let needed = if who == "ours" { native.is_some() || alone } else { alone };
            running.push(needed.then_some(server));
        }
        let (mut times, mut peer_times, mut native_times) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.args.rounds {
            for (server, times) in running.iter_mut().zip([&mut times, &mut peer_times]) {
                if let Some(server) = server {
                    let runs = (0..self.args.runs).map(|_| server.call()).collect::<Result<Vec<_>>>()?;
                    times.push(summary::median(&runs));
                }
                process::interrupted()?;
            }
            if let Some(native) = native {
                let result = file("cpp.result");
                let runs = cpp::time(native, &input, &result, self.args.runs)?;
                native_times.push(summary::median(&runs));
            }
            process::interrupted()?;
        }
        if native.is_some() {
            (row.cpp, row.ours_beside_cpp) = (native_times, times.clone());
        }
        if alone {
            (row.ours, row.peer) = (times, peer_times);
        }
        if native.is_some() {
            same("C++", file("cpp.result"))?;
        }
        Ok(())
    }

    /// The server of a program.
    fn compile(&self, compiler: &Path, who: &str, program: &Program) -> Result<PathBuf> {
        let folder = self.folder.path().join(who);
        fs::create_dir_all(&folder)?;
        let executable = folder.join(&program.name);
        let mut command = Command::new(compiler);
        command.args(["c", "--server"]).arg(&program.path).arg("-o").arg(&executable);
        process::run(command.env("CFLAGS", flags()))?;
        Ok(executable)
    }

    /// The median of the times from the text of a program to its C.
    fn text_to_c(&self, compiler: &Path, program: &Program, runs: usize) -> Result<Duration> {
        let mut times = Vec::new();
        for _ in 0..runs {
            let start = Instant::now();
            self.library(compiler, &program.path)?;
            times.push(start.elapsed());
        }
        times.sort_unstable();
        Ok(times[runs / 2])
    }

    fn library(&self, compiler: &Path, program: &Path) -> Result<PathBuf> {
        let stem = self.folder.path().join("library");
        process::run(Command::new(compiler).args(["c", "--library"]).arg(program).arg("-o").arg(&stem))?;
        Ok(stem.with_extension("c"))
    }

    /// How long the C of a program of one line is, if it can be had.
    fn lines_of_smallest(&self) -> Result<Option<usize>> {
        let program = Path::new("bench/programs/1.fut");
        if !program.exists() {
            bail!("{} is missing", program.display());
        }
        let Ok(file) = self.library(&self.ours, program) else {
            process::interrupted()?;
            return Ok(None);
        };
        Ok(Some(fs::read_to_string(file)?.lines().count()))
    }
}
