//! From a program to a server that is checked while it runs.

use crate::case::{Case, Outcome};
use crate::loops::{Loops, OTHERS, THREADS};
use crate::requests::Requests;
use anyhow::{Context, Result};
use kenaz_base::RealFileSystem;
use kenaz_driver::native::CCompiler;
use kenaz_driver::native::failure::{Failure, FailureKind};
use kenaz_driver::native::server::{End, Server, ServerError};
use kenaz_driver::{Artefact, Compiler};
use kenaz_ir::{Ownership, Stage, Target, target};
use kenaz_runtime::Value;
use kenaz_testing::executors::{guarded, shown};
use kenaz_testing::{CompileError, Compiled, EntryPoint, Executor, Program, RunError};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What watches programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tool {
    /// AddressSanitizer with LeakSanitizer, and UndefinedBehaviorSanitizer.
    Sanitizers,
    Valgrind,
    /// ThreadSanitizer, on programs for several cores. All loops that can run on several threads do.
    Threads,
    /// Nothing but the run-time text itself, on programs for a device: drivers do not bear the sanitizers.
    Device(Driver),
}

/// By way of which programs use a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Driver {
    Opencl,
    Cuda,
}

impl Tool {
    fn target(self) -> &'static Target {
        match self {
            Tool::Sanitizers | Tool::Valgrind => &target::C,
            Tool::Threads => &target::MULTICORE,
            Tool::Device(Driver::Opencl) => &target::OPENCL,
            Tool::Device(Driver::Cuda) => &target::CUDA,
        }
    }
}

/// How programs are checked.
#[derive(Clone, Debug)]
pub struct Checks {
    pub tool: Tool,
    /// The flag for the C compiler's optimiser.
    pub level: String,
    /// How many requests for memory of each case fail at most, one in each run.
    pub faults: u64,
    /// How long a program may take for anything.
    pub limit: Duration,
    /// A piece of the C and what stands there instead: a bug that must be found.
    pub planted: Option<(&'static str, &'static str)>,
}

impl Checks {
    /// Those of the sanitizers, at a level of the C compiler's optimiser and with so many faults for each case.
    pub fn sanitizers(level: &str, faults: u64) -> Checks {
        let limit = Duration::from_secs(300);
        Checks { tool: Tool::Sanitizers, level: level.to_string(), faults, limit, planted: None }
    }

    /// Those of a device, with so many faults for each case.
    pub fn device(driver: Driver, faults: u64) -> Checks {
        Checks { tool: Tool::Device(driver), ..Checks::sanitizers("-O1", faults) }
    }

    /// Those of ThreadSanitizer.
    pub fn threads(level: &str) -> Checks {
        Checks { tool: Tool::Threads, ..Checks::sanitizers(level, 0) }
    }
}

/// What was done, over all programs.
#[derive(Debug, Default)]
pub struct Totals {
    /// Runs of entry points.
    pub cases: AtomicU64,
    /// Requests for memory that one run of each case, and the start of each program, make.
    pub requests: AtomicU64,
    /// Those of them that were made to fail.
    pub faults: AtomicU64,
    /// Those of them after which the program could do without.
    pub recovered: AtomicU64,
    pub loops: Loops,
}

/// Compiles programs for [`Checks`]. What it writes goes away with it.
pub struct Checked {
    pub checks: Checks,
    pub totals: Arc<Totals>,
    folder: Arc<Folder>,
    number: AtomicU64,
}

impl Checked {
    pub fn new(checks: Checks) -> Result<Checked> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("kenaz-sanitize-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
        let folder = Arc::new(Folder { path });
        let headers = [
            ("checked.h", include_str!("../../../rts/tests/checked.h")),
            ("counted.h", include_str!("../../../rts/tests/counted.h")),
        ];
        for (name, text) in headers {
            let header = folder.path.join(name);
            fs::write(&header, text).with_context(|| header.display().to_string())?;
        }
        Ok(Checked { checks, totals: Arc::default(), folder, number: AtomicU64::new(0) })
    }

    fn prepare(&self, path: &Path) -> Result<Compiled, CompileError> {
        let failed = |message: String| CompileError::Failed(message);
        let compiler = Compiler::new(&RealFileSystem, self.checks.tool.target());
        let compilation = compiler.to(path, Stage::Memory(Ownership::Settled))?;
        let mut file = compilation.emit(Artefact::Server);
        if let Some((piece, bug)) = self.checks.planted {
            if !file.text.contains(piece) {
                return Err(failed(format!("the C does not contain `{piece}`")));
            }
            file.text = file.text.replacen(piece, bug, 1);
        }
        let name = path.display().to_string();
        if self.checks.tool == Tool::Threads {
            self.totals.loops.found(&name, &file.text[file.program]);
        }
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let executable = self.folder.path.join(format!("program{number}"));
        self.build(&file.text, &executable).map_err(|error| failed(format!("{error:#}")))?;
        let checked = CheckedProgram {
            name,
            executable,
            text: file.text,
            entry_points: compilation.entry_points(),
            checks: self.checks.clone(),
            totals: self.totals.clone(),
            _folder: self.folder.clone(),
            number: AtomicU64::new(0),
        };
        checked.start_without_memory().map_err(failed)?;
        let warnings = shown(&compilation.sources, &compilation.warnings());
        Ok(Compiled { program: Box::new(checked), warnings })
    }

    /// Compiles C, with all warnings as errors.
    fn build(&self, text: &str, executable: &Path) -> Result<()> {
        let source = executable.with_extension("c");
        fs::write(&source, text).with_context(|| source.display().to_string())?;
        let mut compiler = CCompiler::from_env(self.checks.tool.target())?;
        compiler.flags = vec![self.checks.level.clone()];
        compiler.flags.extend(["-g", "-Wall", "-Wextra", "-Werror"].map(String::from));
        let mut include = |header: &str| {
            compiler.flags.extend(["-include".to_string(), self.folder.path.join(header).display().to_string()]);
        };
        match self.checks.tool {
            Tool::Sanitizers => {
                include("checked.h");
                compiler.flags.extend(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"].map(String::from));
            }
            Tool::Valgrind => {}
            Tool::Device(_) => include("checked.h"),
            Tool::Threads => {
                include("counted.h");
                compiler.flags.push("-fsanitize=thread".to_string());
            }
        }
        compiler.executable(&source, executable)?;
        Ok(())
    }
}

impl Executor for Checked {
    fn name(&self) -> &'static str {
        self.checks.tool.target().name
    }

    fn compile(&self, path: &Path) -> Result<Compiled, CompileError> {
        guarded(path, || self.prepare(path))
    }
}

pub(crate) struct CheckedProgram {
    /// The file of the program, for people.
    name: String,
    executable: PathBuf,
    text: String,
    entry_points: Vec<EntryPoint>,
    checks: Checks,
    totals: Arc<Totals>,
    /// Has the executable.
    _folder: Arc<Folder>,
    /// How often it was run.
    number: AtomicU64,
}

/// A process of the program, and where the words that it says on standard error go.
pub(crate) struct Process {
    pub server: Server,
    pub errors: PathBuf,
}

/// Why there is no process, and what it has said on standard error.
struct NotStarted {
    error: ServerError,
    words: String,
}

impl From<NotStarted> for String {
    fn from(NotStarted { error, words }: NotStarted) -> String {
        format!("{error}\n{words}")
    }
}

impl CheckedProgram {
    /// A name for files that no other run has.
    fn stem(&self) -> PathBuf {
        let mut name = self.executable.clone().into_os_string();
        name.push(format!("-{}", self.number.fetch_add(1, Ordering::Relaxed)));
        name.into()
    }

    /// On so many threads, if it is for several.
    fn start(&self, stem: &Path, requests: &Requests, threads: u64) -> Result<Process, NotStarted> {
        let mut command = match self.checks.tool {
            Tool::Sanitizers | Tool::Threads | Tool::Device(_) => Command::new(&self.executable),
            Tool::Valgrind => {
                let mut command = Command::new("valgrind");
                command.args(["--quiet", "--error-exitcode=99", "--leak-check=full", "--exit-on-first-error=yes"]);
                command.arg(&self.executable);
                command
            }
        };
        // Memory that nobody has written to is not 0. A program that asks for too much gets none.
        let address = "detect_leaks=1:detect_stack_use_after_return=1:max_malloc_fill_size=1048576:malloc_fill_byte=165:\
                       allocator_may_return_null=1:max_allocation_size_mb=4096";
        // With it the host waits for each kernel, so that checks fail elsewhere than they do for users.
        if !matches!(self.checks.tool, Tool::Device(_)) {
            command.arg("--debugging");
        }
        command.env("ASAN_OPTIONS", address).env("UBSAN_OPTIONS", "print_stacktrace=1");
        command.env("KENAZ_ALLOC_FILE", &requests.path);
        if self.checks.tool == Tool::Threads {
            command.args(["--num-threads", &threads.to_string()]);
            command.env("TSAN_OPTIONS", "halt_on_error=1:allocator_may_return_null=1");
        }
        let errors = stem.with_extension("errors");
        let file = File::create(&errors).map_err(|error| {
            let why = format!("{}: {error}", errors.display());
            NotStarted { error: ServerError::Ended(End::NotStarted(why)), words: String::new() }
        })?;
        match Server::start_as(&mut command, Stdio::from(file), self.checks.limit) {
            Ok(server) => Ok(Process { server, errors }),
            Err(error) => Err(NotStarted { error, words: words(&errors) }),
        }
    }

    /// One call in a process of its own.
    fn case(&self, point: &EntryPoint, arguments: &[Value], threads: u64) -> Result<Outcome, String> {
        let stem = self.stem();
        let requests = Requests::new(&stem.with_extension("requests")).map_err(|error| error.to_string())?;
        let process = self.start(&stem, &requests, threads)?;
        let case = Case::new(point, arguments, &stem, process, requests)?;
        self.totals.cases.fetch_add(1, Ordering::Relaxed);
        let (outcome, words) = case.check(self.checks.faults, &self.totals)?;
        self.totals.loops.ran(&self.name, threads, &words);
        Ok(outcome)
    }

    /// Each request for memory of the start fails once: there must be a message about it and no report.
    fn start_without_memory(&self) -> Result<(), String> {
        if self.checks.faults == 0 {
            return Ok(());
        }
        let stem = self.stem();
        let mut requests = Requests::new(&stem.with_extension("requests")).map_err(|error| error.to_string())?;
        let io = |error: std::io::Error| error.to_string();
        drop(self.start(&stem, &requests, THREADS)?);
        let made = requests.made().map_err(io)?;
        self.totals.requests.fetch_add(made, Ordering::Relaxed);
        for number in crate::requests::chosen(made, self.checks.faults) {
            requests.restart(number).map_err(io)?;
            let what = format!("without memory for request {number} of {made} of the start");
            match self.start(&stem, &requests, THREADS) {
                // That of a device asks for its name and the like.
                Ok(_) if matches!(self.checks.tool, Tool::Device(_)) => {
                    self.totals.recovered.fetch_add(1, Ordering::Relaxed);
                }
                Ok(_) => return Err(format!("{what}: the server does not mind")),
                Err(NotStarted { error: ServerError::Ended(End::Exited(1)), words })
                    if Failure::read(words.as_str()).kind == FailureKind::OutOfMemory => {}
                Err(error) => return Err(format!("{what}: {}", String::from(error))),
            }
            self.totals.faults.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// What a program has said on standard error, but for what it always says.
pub(crate) fn words(errors: &Path) -> String {
    let text = fs::read(errors).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines().filter(|line| !line.starts_with("Ran ")).flat_map(|line| [line, "\n"]).collect()
}

impl Program for CheckedProgram {
    fn entry_points(&self) -> &[EntryPoint] {
        &self.entry_points
    }

    fn fingerprint(&self) -> String {
        self.text.clone()
    }

    fn run(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let Some(point) = self.entry_points.iter().find(|point| point.name == entry) else {
            return Err(RunError::Broken(format!("there is no entry point `{entry}`")));
        };
        let outcome = self.case(point, &arguments, THREADS).map_err(RunError::Broken)?;
        if self.checks.tool == Tool::Threads {
            for threads in OTHERS {
                // Sums of floats depend on the number of threads, so that it is only looked for reports.
                if self.totals.loops.has_idle(&self.name) {
                    self.case(point, &arguments, threads)
                        .map_err(|error| RunError::Broken(format!("on {threads} threads: {error}")))?;
                }
            }
        }
        match outcome {
            Outcome::Results(values) => Ok(values),
            Outcome::Failed(message) => Err(RunError::Failed(message)),
        }
    }
}

/// Goes away with its owners.
struct Folder {
    path: PathBuf,
}

impl Drop for Folder {
    fn drop(&mut self) {
        // There is nobody to tell.
        let _ = fs::remove_dir_all(&self.path);
    }
}
