//! Compiled programs: many random programs in one file, run as a server, must answer what the interpreter answered.

use crate::Ran;
use kenaz_base::{MemoryFileSystem, TemporaryFolder};
use kenaz_driver::compare::{Answer, differ};
use kenaz_driver::native::host;
use kenaz_driver::native::server::{End, Server, ServerError};
use kenaz_driver::native::{BuildError, FailureKind, Toolchain};
use kenaz_driver::{Artefact, Compiler, fault};
use kenaz_generate::Program;
use kenaz_ir::{Ownership, Stage, Target, target};
use kenaz_runtime::{Reader, Value, write_binary};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long a server may take for a command.
const LIMIT: Duration = Duration::from_secs(20);

/// Something that compiles a file with random programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Backend {
    /// Ours, for a target.
    Ours(&'static Target),
    /// Futhark's, by a command.
    Peer(PathBuf),
}

/// A random program and what it answers.
pub struct Expected {
    pub seed: u64,
    pub program: Program,
    pub runs: Vec<Ran>,
}

/// What came of compiled programs.
#[derive(Default)]
pub struct Compared {
    /// What is not as it should be, with the seeds of the programs.
    pub differences: Vec<(u64, String)>,
    /// Programs that the peer does not accept, and why.
    pub refused: Vec<(u64, String)>,
    /// Runs that failed as they should, but with another message.
    pub other_message: usize,
}

impl Backend {
    pub fn name(&self) -> &'static str {
        match self {
            Backend::Ours(target) => target.name,
            Backend::Peer(_) => "peer",
        }
    }

    /// On how many threads programs are to run.
    fn threads(&self) -> &'static [Option<u32>] {
        match self {
            Backend::Ours(of) if of.name == target::MULTICORE.name => &[Some(1), Some(2), Some(7)],
            Backend::Ours(_) | Backend::Peer(_) => &[None],
        }
    }

    /// Compiles programs in one file and runs them. When that fails, halves of them show which is the reason.
    pub fn compare(&self, programs: &[Expected], compared: &mut Compared) {
        let Some(first) = programs.first() else { return };
        let Ok(folder) = TemporaryFolder::new() else {
            compared.differences.push((first.seed, "there is no temporary folder".to_string()));
            return;
        };
        let texts: Vec<String> = programs.iter().zip(0..).map(|(expected, i)| expected.program.in_batch(i)).collect();
        match self.compile(&texts.concat(), &folder.path) {
            Ok(server) => {
                for threads in self.threads() {
                    self.run(&server, *threads, &folder.path, programs, compared);
                }
            }
            Err(_) if programs.len() > 1 => {
                let (left, right) = programs.split_at(programs.len() / 2);
                self.compare(left, compared);
                self.compare(right, compared);
            }
            Err(message) => match self {
                Backend::Ours(_) => compared.differences.push((first.seed, message)),
                Backend::Peer(_) => compared.refused.push((first.seed, message)),
            },
        }
    }

    fn compile(&self, source: &str, folder: &Path) -> Result<PathBuf, String> {
        let (c, program) = (folder.join("program.c"), folder.join("program"));
        let io = |error: io::Error| error.to_string();
        match self {
            Backend::Ours(target) => {
                let files = MemoryFileSystem::new().with("main.fut", source.to_string());
                let compiler = Compiler::new(&files, target);
                let compiled = fault::guard(|| {
                    compiler
                        .to(Path::new("main.fut"), Stage::Memory(Ownership::Settled))
                        .map(|compilation| compilation.emit(Artefact::Server))
                });
                let file = match compiled {
                    Ok(Ok(file)) => file,
                    Ok(Err(error)) => return Err(error.to_string()),
                    Err(fault) => return Err(fault.text_about(Path::new("main.fut"))),
                };
                fs::write(&c, file.text).map_err(io)?;
                let built = tools(target).and_then(|tools| {
                    if host::is_for(target) {
                        tools.compiler.shared(&c, &program)
                    } else {
                        tools.compiler.executable(&c, &program)
                    }
                });
                built.map_err(|error| error.to_string())?;
            }
            Backend::Peer(peer) => {
                let path = folder.join("program.fut");
                fs::write(&path, source).map_err(io)?;
                let mut command = Command::new(peer);
                command.args(["c", "--server"]).arg(&path).env("CFLAGS", "-O0");
                let output = command.output().map_err(io)?;
                if !output.status.success() {
                    let text = String::from_utf8_lossy(&output.stderr).into_owned();
                    let at = text.find("Error").unwrap_or(0);
                    return Err(text[at..].to_string());
                }
            }
        }
        Ok(program)
    }

    fn run(&self, program: &Path, threads: Option<u32>, folder: &Path, programs: &[Expected], compared: &mut Compared) {
        let shown = threads.map_or(String::new(), |n| format!(" on {n} threads"));
        let start = || {
            if let Backend::Ours(target) = self
                && host::is_for(target)
            {
                let tools = tools(target).map_err(|error| ServerError::Ended(End::NotStarted(error.to_string())))?;
                return host::start(&tools, program, &[], Path::new("/dev/null"), LIMIT);
            }
            let mut command = Command::new(program);
            if let Some(threads) = threads {
                command.args(["--num-threads", &threads.to_string()]);
            }
            Server::start_as(&mut command, Stdio::null(), LIMIT)
        };
        let mut server = None;
        for (Expected { seed, runs, .. }, number) in programs.iter().zip(0..) {
            for (at, run) in runs.iter().enumerate() {
                let Some(expected) = &run.answer else { continue };
                let mut running = match server.take().map_or_else(start, Ok) {
                    Ok(server) => server,
                    Err(error) => {
                        compared.differences.push((*seed, format!("{}{shown}: {error}", self.name())));
                        return;
                    }
                };
                let taken = run.call.takes.is_some_and(|made| runs[made].answer.is_some());
                let called = Called { server: &mut running, folder, number, at };
                let answer = called.answer(run, taken, runs);
                let answer = match answer {
                    Ok(answer) => {
                        server = Some(running);
                        answer
                    }
                    Err(error) => Answer::Fault(error),
                };
                let transparent = !answer_is_opaque(runs, at);
                let wrong = match (&answer, expected) {
                    (Answer::Values(..), Answer::Values(..)) if !transparent => None,
                    (Answer::Values(values, _), Answer::Values(_, trace)) => {
                        differ(expected, &Answer::Values(values.clone(), trace.clone()))
                    }
                    _ => differ(expected, &answer),
                };
                if let (Answer::Failed(x), Answer::Failed(y)) = (expected, &answer) {
                    compared.other_message += usize::from(!y.contains(x.as_str()));
                }
                if let Some((wrong, message)) = wrong {
                    let text = format!("{}{shown}, call {at} of {}: {wrong}: {message}", self.name(), run.call.entry);
                    compared.differences.push((*seed, text));
                    break;
                }
            }
        }
        if let (Some(server), Backend::Ours(target)) = (server, self) {
            host::end(target, server);
        }
    }
}

/// How fast programs are does not matter.
fn tools(target: &'static Target) -> Result<Toolchain, BuildError> {
    let tools = Toolchain::from_env(target)?;
    Ok(Toolchain { compiler: tools.compiler.with_default_flags(&["-O0"]), ..tools })
}

/// Whether another call takes the results of this one, which are of a type that only the program knows.
fn answer_is_opaque(runs: &[Ran], at: usize) -> bool {
    runs.iter().any(|run| run.call.takes == Some(at))
}

/// A call of a program in a file of many.
struct Called<'s> {
    server: &'s mut Server,
    folder: &'s Path,
    /// Of the program.
    number: usize,
    /// The number of the call.
    at: usize,
}

impl Called<'_> {
    /// The answer to a call; an error if the server is of no use any more.
    fn answer(self, run: &Ran, taken: bool, runs: &[Ran]) -> Result<Answer, String> {
        let file = self.folder.join("values");
        let path = file.to_string_lossy();
        let io = |error: io::Error| error.to_string();
        let mut ins: Vec<String> = Vec::new();
        if taken && let Some(made) = run.call.takes {
            ins.push(made_name(self.number, made));
        }
        let given: Vec<String> = (0..run.call.arguments.len()).map(|i| format!("in{i}")).collect();
        if !given.is_empty() {
            let mut out = BufWriter::new(File::create(&file).map_err(io)?);
            run.call.arguments.iter().try_for_each(|value| write_binary(&mut out, value)).map_err(io)?;
            out.flush().map_err(io)?;
            let types: Vec<String> = run.call.arguments.iter().map(type_name).collect();
            let mut words = vec!["restore", &path];
            for (name, ty) in given.iter().zip(&types) {
                words.extend([name.as_str(), ty.as_str()]);
            }
            ask(self.server, &words)?;
        }
        ins.extend(given.iter().cloned());
        let entry = Program::name_in_batch(&run.call.entry, self.number);
        let opaque = answer_is_opaque(runs, self.at);
        let outs: Vec<String> = if opaque {
            vec![made_name(self.number, self.at)]
        } else {
            let listed = ask(self.server, &["outputs", &entry])?;
            (0..listed.lines().count()).map(|i| format!("out{i}")).collect()
        };
        let mut words = vec!["call", &entry];
        words.extend(outs.iter().chain(&ins).map(String::as_str));
        let called = self.server.ask(&words);
        let mut free = vec!["free"];
        free.extend(given.iter().map(String::as_str));
        if !given.is_empty() {
            // A server that has ended says so below.
            let _ = self.server.ask(&free);
        }
        match called {
            Ok(_) => {}
            Err(ServerError::Refused(failure)) if failure.kind != FailureKind::Command => {
                return Ok(Answer::Failed(failure.message));
            }
            Err(error) => return Err(error.to_string()),
        }
        if opaque {
            return Ok(Answer::Values(Vec::new(), String::new()));
        }
        let mut store = vec!["store", &path];
        store.extend(outs.iter().map(String::as_str));
        ask(self.server, &store)?;
        let mut free = vec!["free"];
        free.extend(outs.iter().map(String::as_str));
        ask(self.server, &free)?;
        let values: Vec<Value> =
            Reader::new(File::open(&file).map_err(io)?).rest().map_err(|error| error.to_string())?;
        Ok(Answer::Values(values, String::new()))
    }
}

fn type_name(value: &Value) -> String {
    format!("{}{}", "[]".repeat(value.rank()), value.prim().name())
}

fn made_name(number: usize, call: usize) -> String {
    format!("made_{number}_{call}")
}

fn ask(server: &mut Server, words: &[&str]) -> Result<String, String> {
    server.ask(words).map_err(|error| error.to_string())
}
