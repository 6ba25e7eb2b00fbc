//! Programs compiled to C, as servers, which may crash or hang without harm.

use super::{Watch, guarded, shown};
use crate::{
    CompileError, Compiled, EntryPoint, EntryType, Executor, Program, RunError, Timed, Tuning, read_tuning, tuning_file,
};
use kenaz_base::{FileSystem, RealFileSystem};
use kenaz_codegen::CFile;
use kenaz_driver::native::cache::{Built, Cache, TemporaryFolder};
use kenaz_driver::native::host;
use kenaz_driver::native::server::{Server, ServerError};
use kenaz_driver::native::{BuildError, FailureKind, Toolchain};
use kenaz_driver::{Artefact, Compiler, Settings};
use kenaz_ir::{Ownership, Stage, Target};
use kenaz_runtime::{Reader, Value, from_stored, to_stored, write_binary};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The C compiler, of what programs are compiled to.
#[derive(Clone)]
pub struct CompiledByC {
    pub settings: Settings,
    pub tools: Toolchain,
    /// How long a program may take for a test.
    limit: Duration,
    /// On how many threads a program for several cores runs, if not on as many as usual.
    pub threads: Option<u32>,
    /// What else programs are started with.
    pub options: Vec<String>,
    /// The extension of tuning files beside programs, if they are looked for.
    pub tuning: Option<String>,
    pub watch: Option<Watch>,
}

impl CompiledByC {
    /// As `$CC` and `$CFLAGS` say, if that can be understood.
    pub fn new(target: &'static Target, limit: Duration) -> Result<CompiledByC, BuildError> {
        let (settings, tools) = (Settings::default(), Toolchain::from_env(target)?);
        Ok(CompiledByC { settings, tools, limit, threads: None, options: Vec::new(), tuning: None, watch: None })
    }

    /// With another folder for what is compiled.
    #[must_use]
    pub fn with_cache(mut self, folder: &Path) -> CompiledByC {
        self.tools.cache = Cache::new(Some(folder.to_path_buf()));
        self
    }

    /// With another limit to how long a program may take.
    #[must_use]
    pub fn with_limit(self, limit: Duration) -> CompiledByC {
        CompiledByC { limit, ..self }
    }

    /// The C of a program, whose files may be other ones than those on the disk.
    pub fn translate(&self, files: &dyn FileSystem, path: &Path) -> Result<Translated, CompileError> {
        let failed = |message: String| CompileError::Failed(message);
        let compiler = Compiler::new(files, self.tools.compiler.target).with(self.settings.clone());
        let elaborated = compiler.elaborate(path).map_err(kenaz_driver::CompileError::from)?;
        // The text of the program before all passes identifies it.
        let fingerprint = elaborated.prog.to_string();
        let compilation = compiler.advance(elaborated, Stage::Memory(Ownership::Settled))?;
        self.watch.iter().for_each(|watch| watch(&compilation));
        let loops = compilation.lower();
        kenaz_imp::check(&loops).map_err(|error| failed(format!("the imperative stage is not right: {error}")))?;
        let file = compilation.emit_lowered(&loops, Artefact::Server);
        let warnings = shown(&compilation.sources, &compilation.warnings());
        let tuning = self.tuning.iter().map(|extension| read_tuning(&tuning_file(path, extension)));
        let tuning = tuning.collect::<Result<Vec<_>, _>>().map_err(CompileError::Rejected)?.concat();
        Ok(Translated { file, loops, entry_points: compilation.entry_points(), fingerprint, warnings, tuning })
    }

    /// What the C compiler makes of it.
    pub fn build(&self, translated: Translated) -> Result<Compiled, CompileError> {
        let failed = |message: String| CompileError::Failed(message);
        let Translated { file, entry_points, fingerprint, warnings, tuning, loops: _ } = translated;
        let built = if host::is_for(self.tools.compiler.target) {
            self.tools.library("server", &file.text)
        } else {
            self.tools.executable("server", &file.text)
        };
        let built = built.map_err(|error| failed(error.to_string()))?;
        let folder =
            TemporaryFolder::new().map_err(|(path, error)| failed(BuildError::Io { path, error }.to_string()))?;
        let program = Served {
            entry_points,
            fingerprint,
            tools: self.tools.clone(),
            built,
            folder,
            limit: self.limit,
            threads: self.threads,
            options: self.options.clone(),
            tuning: Mutex::new(tuning),
            server: Mutex::new(None),
        };
        Ok(Compiled { program: Box::new(program), warnings })
    }
}

/// A program as C.
pub struct Translated {
    pub file: CFile,
    /// The loops that it was written from.
    pub loops: kenaz_imp::Prog,
    entry_points: Vec<EntryPoint>,
    fingerprint: String,
    warnings: String,
    tuning: Tuning,
}

impl Executor for CompiledByC {
    fn name(&self) -> &'static str {
        self.tools.compiler.target.name
    }

    fn compile(&self, path: &Path) -> Result<Compiled, CompileError> {
        guarded(path, || self.translate(&RealFileSystem, path).and_then(|translated| self.build(translated)))
    }
}

/// A compiled program, and the server that runs it.
struct Served {
    entry_points: Vec<EntryPoint>,
    fingerprint: String,
    tools: Toolchain,
    built: Built,
    /// For arguments and results.
    folder: TemporaryFolder,
    limit: Duration,
    threads: Option<u32>,
    options: Vec<String>,
    /// What parameters are set to when the server starts. One of another target says nothing.
    tuning: Mutex<Tuning>,
    /// Started when it is first needed, and again after it has ended.
    server: Mutex<Option<Server>>,
}

impl Program for Served {
    fn entry_points(&self) -> &[EntryPoint] {
        &self.entry_points
    }

    fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }

    fn run(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, RunError> {
        Ok(self.time(entry, &arguments, 1)?.results)
    }

    fn tuning_params(&self, entry: &str) -> Result<Vec<(String, String)>, RunError> {
        let said = self.with_server(|server| self.ask(server, &["tuning_params", entry]))?;
        let pair = |line: &str| line.split_once(' ').map(|(name, class)| (name.to_string(), class.to_string()));
        Ok(said.lines().filter_map(pair).collect())
    }

    fn set_tuning_param(&self, name: &str, value: Option<u64>) -> Result<(), RunError> {
        if let Some(value) = value {
            self.with_server(|server| self.ask(server, &["set_tuning_param", name, &value.to_string()]))?;
        } else {
            // Only the program knows what it is.
            self.server.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        let mut tuning = self.tuning.lock().unwrap_or_else(PoisonError::into_inner);
        tuning.retain(|(other, _)| other != name);
        tuning.extend(value.map(|value| (name.to_string(), value)));
        Ok(())
    }

    /// The server itself says how long a call took, without what it took to read the arguments.
    fn time(&self, entry: &str, arguments: &[Value], runs: usize) -> Result<Timed, RunError> {
        let Some(point) = self.entry_points.iter().find(|point| point.name == entry) else {
            return Err(RunError::Broken(format!("the program has no entry point `{entry}`")));
        };
        self.with_server(|server| self.calls(server, point, arguments, runs.max(1)))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let running = self.server.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        running.into_iter().for_each(|server| host::end(self.tools.compiler.target, server));
    }
}

impl Served {
    fn file(&self, name: &str) -> PathBuf {
        self.folder.path.join(name)
    }

    /// Does something with the server, which is started if it does not run; after a panic it is started anew.
    fn with_server<R>(&self, f: impl FnOnce(&mut Server) -> Result<R, RunError>) -> Result<R, RunError> {
        let mut running = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        let mut server = match running.take() {
            Some(server) => server,
            None => self.start().map_err(|error| self.explained(&error))?,
        };
        let result = f(&mut server);
        if !matches!(result, Err(RunError::Broken(_))) {
            *running = Some(server);
        }
        result
    }

    fn start(&self) -> Result<Server, ServerError> {
        if host::is_for(self.tools.compiler.target) {
            return host::start(&self.tools, &self.built.path, &self.options, &self.file("errors"), self.limit);
        }
        let errors = File::create(self.file("errors")).map_or_else(|_| Stdio::null(), Stdio::from);
        let mut command = Command::new(&self.built.path);
        command.args(&self.options);
        if let Some(threads) = self.threads {
            command.args(["--num-threads", &threads.to_string()]);
        }
        let mut server = Server::start_as(&mut command, errors, self.limit)?;
        for (name, value) in self.tuning.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            match server.ask(&["set_tuning_param", name, &value.to_string()]) {
                Ok(_) | Err(ServerError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(server)
    }

    /// One that has ended may have said why.
    fn explained(&self, error: &ServerError) -> RunError {
        const MOST: usize = 2000;
        let errors = fs::read(self.file("errors")).unwrap_or_default();
        let last = String::from_utf8_lossy(&errors[errors.len().saturating_sub(MOST)..]).trim().to_string();
        let more = if last.is_empty() { String::new() } else { format!("\nits last words: {last}") };
        RunError::Broken(format!("{error}{more}"))
    }

    /// Calls a function so often; an argument that it consumes is passed anew each time.
    fn calls(
        &self,
        server: &mut Server,
        point: &EntryPoint,
        arguments: &[Value],
        runs: usize,
    ) -> Result<Timed, RunError> {
        let broken = |error: io::Error| RunError::Broken(format!("a file of values failed: {error}"));
        let (given, got) = (self.file("arguments"), self.file("results"));
        let (given_name, got_name) = (given.to_string_lossy(), got.to_string_lossy());
        let names = |stem: &str, types: &[EntryType]| -> Vec<String> {
            (0..types.len()).map(|i| format!("{stem}{i}")).collect()
        };
        let (ins, outs) = (names("in", &point.parameters), names("out", &point.results));
        let mut restore = vec!["restore", &given_name];
        for (name, ty) in ins.iter().zip(&point.parameters) {
            restore.extend([name.as_str(), ty.name.as_str()]);
        }
        if !ins.is_empty() {
            write(&given, &to_stored(&point.parameters, arguments.to_vec())).map_err(broken)?;
        }
        let mut call: Vec<&str> = vec!["call", &point.name];
        call.extend(outs.iter().chain(&ins).map(String::as_str));
        let consumes = runs > 1 && self.ask(server, &["inputs", &point.name])?.lines().any(|ty| ty.starts_with('*'));
        let free = |server: &mut Server, names: &[String]| {
            let mut words = vec!["free"];
            words.extend(names.iter().map(String::as_str));
            self.ask(server, &words)
        };
        let mut timed = Timed::default();
        for run in 0..runs {
            if !ins.is_empty() && (run == 0 || consumes) {
                self.ask(server, &restore)?;
            }
            match server.ask(&call) {
                Ok(said) => timed.times.push(run_time(&said)),
                Err(ServerError::Refused(failure)) if failure.kind != FailureKind::Command => {
                    free(server, &ins)?;
                    return Err(RunError::Failed(failure.message));
                }
                Err(error) => return Err(self.explained(&error)),
            }
            let is_last = run + 1 == runs;
            if is_last || consumes {
                free(server, &ins)?;
            }
            if !is_last && !outs.is_empty() {
                free(server, &outs)?;
            }
        }
        if !outs.is_empty() {
            let mut words = vec!["store", &got_name];
            words.extend(outs.iter().map(String::as_str));
            self.ask(server, &words)?;
            free(server, &outs)?;
            let stored = Reader::new(File::open(&got).map_err(broken)?)
                .rest()
                .map_err(|error| RunError::Broken(format!("the results cannot be read: {error}")))?;
            timed.results = from_stored(&point.results, stored);
        }
        Ok(timed)
    }

    fn ask(&self, server: &mut Server, words: &[&str]) -> Result<String, RunError> {
        server.ask(words).map_err(|error| self.explained(&error))
    }
}

/// The line `runtime: 123` of what a server says to a call, in microseconds.
fn run_time(said: &str) -> Duration {
    let microseconds = said.lines().find_map(|line| line.strip_prefix("runtime:")?.trim().parse().ok());
    Duration::from_micros(microseconds.unwrap_or_default())
}

fn write(path: &Path, values: &[Value]) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    values.iter().try_for_each(|value| write_binary(&mut file, value))?;
    file.flush()
}
