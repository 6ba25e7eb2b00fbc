//! What does not change between programs: the compilers, how they are called, and how often programs run.

use crate::goals::Goals;
use crate::pace::Clocked;
use crate::process::{self, Folder};
use crate::program::{DataSet, Program};
use crate::server::Server;
use anyhow::{Context, Result};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use kenaz_ir::{Level, Target};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The options for all targets.
#[derive(Args)]
pub(crate) struct Options {
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
    /// How many rounds, 5 if it is not given
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: Option<u32>,
    /// How many runs in a round, 3 if it is not given
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
}

pub(crate) struct Session {
    pub target: &'static Target,
    pub goals: &'static Goals,
    /// How many threads compiled programs run on, if the target has threads.
    pub threads: u32,
    pub ours: PathBuf,
    pub peer: Option<PathBuf>,
    pub script: Option<PathBuf>,
    pub rounds: u32,
    pub runs: u32,
    /// Only a try: as little data as possible, one round.
    pub quick: bool,
    /// Ours runs on one thread as well.
    pub also_on_one: bool,
    pub pace: Clocked,
    /// The longest time that a command of a server may take.
    pub patience: Duration,
    pub folder: Folder,
}

/// The flags of the C and C++ compilers, the same for all and those of versus.
pub(crate) fn flags() -> String {
    std::env::var("CFLAGS").unwrap_or("-O3 -march=native".to_string())
}

/// The command that a variable of the environment names, or the usual one.
pub(crate) fn tool(variable: &str, usual: &str) -> PathBuf {
    std::env::var_os(variable).filter(|name| !name.is_empty()).unwrap_or(usual.into()).into()
}

impl Session {
    pub(crate) fn new(target: &'static Target, options: &Options, threads: u32, quick: bool) -> Result<Session> {
        let from_environment = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let peer = found("peer", options.peer.clone().or_else(|| from_environment("FUTHARK")))?;
        let script = found("script", options.versus.clone().or_else(|| from_environment("VERSUS")))?;
        let ours = match found("compiler", options.ours.clone())? {
            Some(path) => path,
            None => build()?,
        };
        let usual = |often: u32| if quick { 1 } else { often };
        let session = Session {
            target,
            goals: Goals::of(target)?,
            threads,
            ours,
            peer,
            script,
            rounds: options.rounds.unwrap_or(usual(5)),
            runs: options.runs.unwrap_or(usual(3)),
            quick,
            also_on_one: false,
            pace: Clocked::CALM,
            patience: Duration::from_secs(3600),
            folder: Folder::new()?,
        };
        if session.peer.is_none() {
            println!("note: without a peer ($FUTHARK or --peer PATH) its columns are left out");
        } else if session.script.is_none() {
            println!("note: without --versus PATH both compilers are timed by this program itself");
        }
        Ok(session)
    }

    /// A file for what is needed for a while only.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A folder for what is needed for one program, of which several may be under way.
    pub(crate) fn folder_of(&self, program: &Program) -> Result<PathBuf> {
        let folder = self.file(&format!("of-{}", program.name));
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// The server of a program, which is compiled once. `who` is whose compiler it is.
    pub(crate) fn compile(&self, compiler: &Path, who: &str, program: &Program) -> Result<PathBuf> {
        let folder = self.file(who);
        fs::create_dir_all(&folder)?;
        let executable = folder.join(&program.name);
        if !executable.exists() {
            let mut command = Command::new(compiler);
            command.args([self.target.name, "--server"]).arg(&program.path).arg("-o").arg(&executable);
            process::run(command.env("CFLAGS", flags()))?;
        }
        Ok(executable)
    }

    /// Starts a server on this many threads, and gives it the arguments of a data set, which are in a file already.
    pub(crate) fn serve(&self, executable: &Path, threads: u32, set: &DataSet, input: &Path) -> Result<Server> {
        let mut options = Vec::new();
        if self.target.runs(Level::Core) {
            options.extend(["--num-threads".to_string(), threads.to_string()]);
        }
        self.serve_with(executable, &options, set, input)
    }

    /// The same with other options.
    pub(crate) fn serve_with(
        &self,
        executable: &Path,
        options: &[String],
        set: &DataSet,
        input: &Path,
    ) -> Result<Server> {
        let mut server = Server::start(executable, options, &set.entry, self.patience)?;
        match set.maker() {
            Some(maker) => server.make(maker, input)?,
            None => server.load(input)?,
        }
        Ok(server)
    }

    /// The median of the times from the text of a program to its C.
    pub(crate) fn text_to_c(&self, compiler: &Path, program: &Program, runs: usize) -> Result<Duration> {
        let mut times = Vec::new();
        for _ in 0..runs {
            let start = Instant::now();
            self.library(compiler, &program.path, &self.folder_of(program)?)?;
            times.push(start.elapsed());
        }
        times.sort_unstable();
        Ok(times[runs / 2])
    }

    /// Compiles a program to C in a folder, and returns where it is.
    pub(crate) fn library(&self, compiler: &Path, program: &Path, folder: &Path) -> Result<PathBuf> {
        let stem = folder.join("library");
        let mut command = Command::new(compiler);
        process::run(command.args([self.target.name, "--library"]).arg(program).arg("-o").arg(&stem))?;
        Ok(stem.with_extension("c"))
    }

    /// Shows how far a part of the work is.
    pub(crate) fn progress(&self, steps: usize) -> ProgressBar {
        self.progress_of(steps, "data sets")
    }

    /// The same, with another word for steps.
    pub(crate) fn progress_of(&self, steps: usize, unit: &str) -> ProgressBar {
        let bar = ProgressBar::new(steps as u64);
        let template = format!("{{bar:40}} {{pos}}/{{len}} {unit}, {{elapsed}}, {{msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        bar
    }
}

/// The full path of a file that must exist if it is given at all, because commands run in other folders.
fn found(what: &str, path: Option<PathBuf>) -> Result<Option<PathBuf>> {
    path.map(|path| fs::canonicalize(&path).with_context(|| format!("the {what} {}", path.display()))).transpose()
}

/// The command, as users get it.
fn build() -> Result<PathBuf> {
    let cargo = tool("CARGO", "cargo");
    process::run(Command::new(cargo).args(["build", "--quiet", "--release", "--package", "kenaz"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(PathBuf::from("target"), PathBuf::from);
    fs::canonicalize(target.join("release/kenaz")).context("the build has no kenaz")
}
