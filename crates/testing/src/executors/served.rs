//! Programs compiled to C, as servers, which may crash or hang without harm.

use super::{Watch, guarded, shown};
use crate::{
    CompileError, Compiled, EntryPoint, EntryType, Executor, Program, RunError, Session, Tuning, read_tuning,
    tuning_file,
};
use kenaz_base::TemporaryFolder;
use kenaz_base::{FileSystem, RealFileSystem};
use kenaz_codegen::CFile;
use kenaz_driver::native::cache::{Built, Cache};
use kenaz_driver::native::host;
use kenaz_driver::native::server::{Server, ServerError};
use kenaz_driver::native::{BuildError, FailureKind, Toolchain};
use kenaz_driver::{Artefact, Compiler, Settings, result_types};
use kenaz_ir::{Ownership, Stage, Target};
use kenaz_runtime::{Reader, Value, from_stored, to_stored, write_binary};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
        let result_types = result_types(&elaborated.prog);
        let compilation = compiler.advance(elaborated, Stage::Memory(Ownership::Settled))?;
        self.watch.iter().for_each(|watch| watch(&compilation));
        let loops = compilation.lower();
        kenaz_imp::check(&loops).map_err(|error| failed(format!("the imperative stage is not right: {error}")))?;
        let file = compilation.emit_lowered(&loops, Artefact::Server);
        let warnings = shown(&compilation.sources, &compilation.warnings());
        let tuning = self.tuning.iter().map(|extension| read_tuning(&tuning_file(path, extension)));
        let tuning = tuning.collect::<Result<Vec<_>, _>>().map_err(CompileError::Rejected)?.concat();
        let entry_points = compilation.entry_points();
        Ok(Translated { file, loops, entry_points, result_types, fingerprint, warnings, tuning })
    }

    /// What the C compiler makes of it.
    pub fn build(&self, translated: Translated) -> Result<Compiled, CompileError> {
        let failed = |message: String| CompileError::Failed(message);
        let Translated { file, entry_points, result_types, fingerprint, warnings, tuning, loops: _ } = translated;
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
            result_types,
            fingerprint,
            executable: built.path.clone(),
            host: host::is_for(self.tools.compiler.target).then(|| self.tools.clone()),
            folder,
            limit: self.limit,
            threads: self.threads,
            options: self.options.clone(),
            tuning: Mutex::new(tuning),
            server: Mutex::new(None),
            _built: Some(built),
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
    result_types: ResultTypes,
    fingerprint: String,
    warnings: String,
    tuning: Tuning,
}

/// How the results of each entry point are made of their parts.
type ResultTypes = BTreeMap<String, Vec<Arc<kenaz_ir::EntryType>>>;

impl Executor for CompiledByC {
    fn name(&self) -> &'static str {
        self.tools.compiler.target.name
    }

    fn compile(&self, path: &Path) -> Result<Compiled, CompileError> {
        guarded(path, || self.translate(&RealFileSystem, path).and_then(|translated| self.build(translated)))
    }
}

/// A compiled program, and the server that runs it.
pub(super) struct Served {
    pub(super) entry_points: Vec<EntryPoint>,
    pub(super) result_types: ResultTypes,
    pub(super) fingerprint: String,
    /// A library if `host` is there.
    pub(super) executable: PathBuf,
    /// How to start the process that runs programs for a device, one after the other.
    pub(super) host: Option<Toolchain>,
    /// For arguments and results.
    pub(super) folder: TemporaryFolder,
    /// How long an answer may take.
    pub(super) limit: Duration,
    pub(super) threads: Option<u32>,
    pub(super) options: Vec<String>,
    /// What parameters are set to when the server starts. One of another target says nothing.
    pub(super) tuning: Mutex<Tuning>,
    /// Started when it is first needed, and again after it has ended.
    pub(super) server: Mutex<Option<Server>>,
    /// The executable may go away with it.
    pub(super) _built: Option<Built>,
}

impl Program for Served {
    fn entry_points(&self) -> &[EntryPoint] {
        &self.entry_points
    }

    fn result_types(&self, entry: &str) -> &[Arc<kenaz_ir::EntryType>] {
        self.result_types.get(entry).map_or(&[], Vec::as_slice)
    }

    fn fingerprint(&self) -> String {
        self.fingerprint.clone()
    }

    fn run(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, RunError> {
        Ok(self.time(entry, &arguments, 1)?.results)
    }

    fn tuning_params(&self, entry: &str) -> Result<Vec<(String, String)>, RunError> {
        self.with_server(|server| {
            let said = self.ask(server, &["tuning_params", entry])?;
            // Those of Futhark 0.25.32 answer with names alone, and so do ours; its documentation has the class, too.
            let names = said.lines().filter_map(|line| line.split_whitespace().next());
            let mut class = |name: &str| self.ask(server, &["tuning_param_class", name]);
            names.map(|name| Ok((name.to_string(), class(name)?.trim().to_string()))).collect()
        })
    }

    fn set_tuning_param(&self, name: &str, value: Option<u64>) -> Result<(), RunError> {
        if let Some(value) = value {
            self.with_server(|server| self.ask(server, &["set_tuning_param", name, &value.to_string()]))?;
        } else {
            // Only the program knows what it is.
            self.running().take();
        }
        let mut tuning = self.tuning.lock().unwrap_or_else(PoisonError::into_inner);
        tuning.retain(|(other, _)| other != name);
        tuning.extend(value.map(|value| (name.to_string(), value)));
        Ok(())
    }

    /// The server itself says how long a call took, without what it took to read the arguments.
    fn session<'a>(&'a self, entry: &str, arguments: &[Value]) -> Result<Box<dyn Session + 'a>, RunError> {
        let Some(point) = self.entry_points.iter().find(|point| point.name == entry) else {
            return Err(RunError::Broken(format!("the program has no entry point `{entry}`")));
        };
        let names = |stem: &str, types: &[EntryType]| -> Vec<String> {
            (0..types.len()).map(|i| format!("{stem}{i}")).collect()
        };
        let (arguments_are, results_are) = (names("in", &point.parameters), names("out", &point.results));
        // The files, too, belong to one session at a time.
        let mut server = self.running();
        if !arguments_are.is_empty() {
            write(&self.file("arguments"), &to_stored(&point.parameters, arguments.to_vec())).map_err(unstored)?;
        }
        if server.is_none() {
            *server = Some(self.start().map_err(|error| self.explained(&error))?);
        }
        Ok(Box::new(Calls {
            served: self,
            server,
            point,
            arguments: arguments_are,
            results: results_are,
            consumes: None,
            has_run: false,
            is_loaded: false,
            has_results: false,
        }))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let running = self.server.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(host), Some(server)) = (&self.host, running) {
            host::end(host.compiler.target, server);
        }
    }
}

impl Served {
    fn file(&self, name: &str) -> PathBuf {
        self.folder.path.join(name)
    }

    /// The server if it runs; after a panic it is still one.
    fn running(&self) -> MutexGuard<'_, Option<Server>> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the server, which is started if it does not run; after a panic it is started anew.
    fn with_server<R>(&self, f: impl FnOnce(&mut Server) -> Result<R, RunError>) -> Result<R, RunError> {
        let mut running = self.running();
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
        if let Some(tools) = &self.host {
            return host::start(tools, &self.executable, &self.options, &self.file("errors"), self.limit);
        }
        let errors = File::create(self.file("errors")).map_or_else(|_| Stdio::null(), Stdio::from);
        let mut command = Command::new(&self.executable);
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

    fn ask(&self, server: &mut Server, words: &[&str]) -> Result<String, RunError> {
        server.ask(words).map_err(|error| self.explained(&error))
    }
}

/// Calls of an entry point. An argument that a call consumes is passed anew each time.
struct Calls<'a> {
    served: &'a Served,
    /// None once it has failed.
    server: MutexGuard<'a, Option<Server>>,
    point: &'a EntryPoint,
    /// Names of variables.
    arguments: Vec<String>,
    results: Vec<String>,
    /// Whether a call consumes an argument, once that matters.
    consumes: Option<bool>,
    has_run: bool,
    is_loaded: bool,
    has_results: bool,
}

impl Calls<'_> {
    /// The answer to a command, or what went wrong in a call; a server that cannot answer is ended.
    fn said(&mut self, words: &[&str]) -> Result<String, RunError> {
        let Some(server) = &mut *self.server else {
            return Err(RunError::Broken("the program has ended".to_string()));
        };
        match server.ask(words) {
            Ok(said) => Ok(said),
            Err(ServerError::Refused(failure)) if failure.kind != FailureKind::Command => {
                Err(RunError::Failed(failure.message))
            }
            Err(error) => {
                *self.server = None;
                Err(self.served.explained(&error))
            }
        }
    }

    /// The answer to a command that does not fail.
    fn ask(&mut self, words: &[&str]) -> Result<String, RunError> {
        self.said(words).map_err(|error| match error {
            RunError::Failed(message) | RunError::Broken(message) => {
                *self.server = None;
                RunError::Broken(message)
            }
        })
    }

    fn free_arguments(&mut self) -> Result<(), RunError> {
        if std::mem::take(&mut self.is_loaded) && !self.arguments.is_empty() {
            let arguments = self.arguments.clone();
            self.ask(&words(&["free"], &[&arguments]))?;
        }
        Ok(())
    }

    fn free_results(&mut self) -> Result<(), RunError> {
        if std::mem::take(&mut self.has_results) && !self.results.is_empty() {
            let results = self.results.clone();
            self.ask(&words(&["free"], &[&results]))?;
        }
        Ok(())
    }

    /// The arguments are there for one more call.
    fn load(&mut self) -> Result<(), RunError> {
        if self.arguments.is_empty() {
            return Ok(());
        }
        if self.has_run {
            let consumes = match self.consumes {
                Some(consumes) => consumes,
                None => self.ask(&["inputs", &self.point.name])?.lines().any(|ty| ty.starts_with('*')),
            };
            self.consumes = Some(consumes);
            if consumes {
                self.free_arguments()?;
            }
        }
        if !self.is_loaded {
            let file = self.served.file("arguments");
            let file = file.to_string_lossy();
            let arguments = self.arguments.clone();
            let types = self.point.parameters.iter().map(|ty| ty.name.as_str());
            let typed = arguments.iter().zip(types).flat_map(|(name, ty)| [name.as_str(), ty]);
            let restore: Vec<&str> = ["restore", &file].into_iter().chain(typed).collect();
            self.ask(&restore)?;
            self.is_loaded = true;
        }
        Ok(())
    }
}

impl Session for Calls<'_> {
    fn run(&mut self) -> Result<Duration, RunError> {
        self.free_results()?;
        self.load()?;
        self.has_run = true;
        let (results, arguments) = (self.results.clone(), self.arguments.clone());
        let said = self.said(&words(&["call", &self.point.name], &[&results, &arguments]))?;
        self.has_results = true;
        Ok(run_time(&said))
    }

    fn results(&mut self) -> Result<Vec<Value>, RunError> {
        if !self.has_results || self.results.is_empty() {
            return Ok(Vec::new());
        }
        let (file, results) = (self.served.file("results"), self.results.clone());
        self.ask(&words(&["store", &file.to_string_lossy()], &[&results]))?;
        let stored = Reader::new(File::open(&file).map_err(unstored)?)
            .rest()
            .map_err(|error| RunError::Broken(format!("the results cannot be read: {error}")))?;
        Ok(from_stored(&self.point.results, stored))
    }

    fn set_limit(&mut self, limit: Duration) {
        self.server.iter_mut().for_each(|server| server.set_limit(limit));
    }

    fn clear(&mut self) -> Result<(), RunError> {
        self.ask(&["clear"]).map(|_| ())
    }

    fn peak_memory(&mut self) -> Result<BTreeMap<String, u64>, RunError> {
        Ok(peaks(&self.ask(&["report"])?))
    }
}

impl Drop for Calls<'_> {
    fn drop(&mut self) {
        self.set_limit(self.served.limit);
        // A server that cannot even do this is ended.
        let _ = self.free_results().and_then(|()| self.free_arguments());
    }
}

/// Some words and then others.
fn words<'a>(first: &[&'a str], rest: &[&'a [String]]) -> Vec<&'a str> {
    first.iter().copied().chain(rest.iter().copied().flatten().map(String::as_str)).collect()
}

fn unstored(error: io::Error) -> RunError {
    RunError::Broken(format!("a file of values failed: {error}"))
}

/// The bytes that a report of a server has for each memory.
fn peaks(report: &str) -> BTreeMap<String, u64> {
    let report: serde_json::Value = serde_json::from_str(report.trim()).unwrap_or_default();
    let spaces = report.get("memory").and_then(|memory| memory.as_object());
    spaces.into_iter().flatten().filter_map(|(name, bytes)| Some((name.clone(), bytes.as_u64()?))).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_tell_the_memory_of_each_space() {
        let peaks = peaks("{\"memory\":{\"device space\": 12, \"default space\": 5},\"events\":[]}\n");
        assert_eq!(peaks, BTreeMap::from([("device space".to_string(), 12), ("default space".to_string(), 5)]));
        assert_eq!(super::peaks("no report"), BTreeMap::new());
    }
}
