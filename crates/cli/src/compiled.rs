//! Programs compiled to C as something that runs entry points: for `kenaz run` loaded into this process, for
//! `kenaz test` as servers, which may crash or hang without harm.

use crate::c::{self, refused};
use crate::check::outcome_of;
use crate::interpreter::{entry_points, function};
use crate::program::{self, Elaborated};
use crate::run::fails;
use crate::{Outcome, fault, output, passes};
use kenaz_base::{RealFileSystem, in_pass, render};
use kenaz_codegen::c::{CFile, module, server};
use kenaz_driver::build::{BuildError, Compiler};
use kenaz_driver::cache::{Built, Cache, TemporaryFolder};
use kenaz_driver::failure::FailureKind;
use kenaz_driver::module::{CallError, Module};
use kenaz_driver::server::{Server, ServerError};
use kenaz_interp::check_arguments;
use kenaz_ir::{Entry, Fun, Param, Prog, Signature, Target, Type};
use kenaz_runtime::{Reader, Value, write_binary};
use kenaz_testing::{
    CompileError, Compiled, EntryPoint, EntryType, Executor, Program, RunError, from_stored, to_stored,
};
use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Runs an entry point of a program of the memory stage that was loaded; what goes wrong is said as the interpreter says
/// it.
pub fn call(module: &Module, prog: &Prog, entry: &str, values: Vec<Value>) -> Result<Vec<Value>, Outcome> {
    let (_, described) = find(prog, entry)?;
    module.call(entry, &described.params, &described.results, values).map_err(|error| said(&error))
}

/// The function of an entry point.
fn find<'p>(prog: &'p Prog, entry: &str) -> Result<(&'p Fun, &'p Entry), Outcome> {
    let fun = prog.funs.iter().find(|fun| fun.name.as_str() == function(entry));
    fun.and_then(|fun| Some((fun, fun.entry.as_ref()?)))
        .ok_or_else(|| broken(&format!("the program has no function for the entry point `{entry}`")))
}

/// Whether the shapes of the arguments fit each other. The program checks this as well, but cannot say that it is
/// the user's mistake.
pub fn check_shapes(prog: &Prog, entry: &str, values: &[Value]) -> Result<(), Outcome> {
    let (Fun { params, results, .. }, entry) = find(prog, entry)?;
    let of_values = |params: &[Param]| -> Vec<Param> {
        params.iter().filter(|param| !matches!(param.ty, Type::Mem(_))).cloned().collect()
    };
    let signature = Signature::of(Some(entry), &of_values(params), &of_values(results))
        .map_err(|mismatch| broken(&format!("the entry point is not what it says: {mismatch}")))?;
    check_arguments(entry, &signature, values).map_err(|error| fails(&error))
}

/// Why a program was not loaded.
pub enum NotLoaded {
    Build(BuildError),
    Start(CallError),
}

/// Loads a program of the memory stage, to run on so many threads if it is for several cores.
pub fn load(path: &Path, prog: &Prog, target: &'static Target, threads: Option<u32>) -> Result<Module, NotLoaded> {
    let lowered = kenaz_driver::lower(prog, target);
    let file = in_pass("codegen", || module(&lowered, &c::options(path, target)));
    let compiler = Compiler::from_env(target);
    let cache = Cache::of_user();
    let built = |cache: &Cache| {
        let build = || built(cache, &compiler, "module", &file, |from, to| compiler.shared(from, to));
        with_progress(&format!("compiling {} …", path.display()), build).map_err(NotLoaded::Build)
    };
    let first = built(&cache)?;
    match Module::load(&first.path, threads) {
        // Somebody may have damaged it, or another process removed it since we looked, to make room for its own.
        Err(CallError::Broken(_)) if first.found || !first.path.exists() => {
            cache.forget(first);
            let second = built(&cache)?;
            match Module::load(&second.path, threads) {
                // Nobody else knows the folder that this one is in.
                Err(CallError::Broken(_)) if !second.path.exists() => {
                    Module::load(&built(&Cache::new(None))?.path, threads)
                }
                loaded => loaded,
            }
        }
        loaded => loaded,
    }
    .map_err(NotLoaded::Start)
}

/// What the C compiler makes of a text, now or earlier.
fn built(
    cache: &Cache,
    compiler: &Compiler,
    kind: &str,
    file: &CFile,
    make: impl FnMut(&Path, &Path) -> Result<(), BuildError>,
) -> Result<Built, BuildError> {
    let mut key = compiler.fingerprint();
    key.add(kind.as_bytes());
    key.add(file.text.as_bytes());
    cache.get(key, &file.text, make)
}

/// Says why the program in a file was not loaded.
pub fn not_loaded(path: &Path, error: NotLoaded) -> Outcome {
    let error = match error {
        NotLoaded::Build(error) => error,
        NotLoaded::Start(error) => return said(&error),
    };
    let hint = match &error {
        BuildError::Refused { command, output } => return refused(path, command, output),
        BuildError::NoCompiler { .. } => "hint: `--interpret` runs the program without one\n",
        BuildError::NoOpenMp { .. } => {
            "hint: `$CC` says which compiler to use; `--backend c` runs the program on one core\n"
        }
        BuildError::Io { .. } => "",
    };
    let _ = output::to_stderr(&format!("error: {error}\n{hint}"));
    Outcome::Failure
}

fn said(error: &CallError) -> Outcome {
    match error {
        CallError::Failed(failure) => {
            let _ = output::to_stderr(&failure.message);
            if failure.kind == FailureKind::Arguments { Outcome::Mistake } else { Outcome::Failure }
        }
        CallError::Broken(what) => broken(what),
    }
}

/// Our own fault.
fn broken(what: &str) -> Outcome {
    let _ = output::to_stderr(&format!("error: internal error: {what}\n"));
    Outcome::Fault
}

/// Says what is being done, to a terminal, and only as long as it takes longer than a second.
fn with_progress<R: Send>(what: &str, f: impl FnOnce() -> R + Send) -> R {
    const PATIENCE: Duration = Duration::from_secs(1);
    if !io::stderr().is_terminal() {
        return f();
    }
    let (done, wait) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let _ = output::to_stderr(what);
                let _ = wait.recv();
                let _ = output::to_stderr("\r\x1b[K");
            }
        });
        let result = f();
        drop(done);
        result
    })
}

/// Programs as servers, for the runner of test blocks.
#[derive(Clone, Debug)]
pub struct CompiledByC {
    passes: passes::PassArgs,
    pub compiler: Compiler,
    cache: Cache,
    /// How long a program may take for a test.
    limit: Duration,
    /// On how many threads a program for several cores runs, if not on as many as usual.
    pub threads: Option<u32>,
}

impl CompiledByC {
    pub fn new(passes: &passes::PassArgs, target: &'static Target, limit: Duration) -> CompiledByC {
        // Tests may expect warnings of the optimiser.
        let passes = passes::PassArgs { optimise: true, ..passes.clone() }.to_memory(target);
        CompiledByC { passes, compiler: Compiler::from_env(target), cache: Cache::of_user(), limit, threads: None }
    }

    /// With another folder for what is compiled.
    pub fn with_cache(self, folder: &Path) -> CompiledByC {
        CompiledByC { cache: Cache::new(Some(folder.to_path_buf())), ..self }
    }

    fn prepare(&self, path: &Path) -> Result<Compiled, CompileError> {
        let Elaborated { sources, mut diagnostics, prog } = program::elaborate(path, &RealFileSystem);
        let Some(mut prog) = prog else {
            let text = render::terminal(&sources, &diagnostics, render::Style::PLAIN);
            return Err(match outcome_of(&diagnostics) {
                Outcome::Mistake => CompileError::Rejected(text),
                Outcome::Right | Outcome::Failure | Outcome::Fault => CompileError::Failed(text),
            });
        };
        // What the program is, before anything is done to it.
        let fingerprint = prog.to_string();
        let failed = |message: String| CompileError::Failed(message);
        diagnostics.extend(self.passes.apply(&mut prog).map_err(|_| failed("a pass failed".to_string()))?);
        let target = self.passes.target;
        let lowered = kenaz_driver::lower(&prog, target);
        kenaz_imp::check(&lowered).map_err(|error| failed(format!("the imperative stage is not right: {error}")))?;
        let file = in_pass("codegen", || server(&lowered, &c::options(path, target)));
        let compiler = &self.compiler;
        let make = |from: &Path, to: &Path| compiler.executable(from, to);
        let built = built(&self.cache, compiler, "server", &file, make).map_err(|error| failed(error.to_string()))?;
        let folder =
            TemporaryFolder::new().map_err(|(path, error)| failed(BuildError::Io { path, error }.to_string()))?;
        let program = Served {
            entry_points: entry_points(&prog),
            fingerprint,
            built,
            folder,
            limit: self.limit,
            threads: self.threads,
            server: Mutex::new(None),
        };
        let warnings = render::terminal(&sources, &diagnostics, render::Style::PLAIN);
        Ok(Compiled { program: Box::new(program), warnings })
    }
}

impl Executor for CompiledByC {
    fn name(&self) -> &'static str {
        self.passes.target.name
    }

    fn compile(&self, path: &Path) -> Result<Compiled, CompileError> {
        fault::guard(|| self.prepare(path)).unwrap_or_else(|fault| {
            let (sources, diagnostic) = fault.about(path);
            Err(CompileError::Failed(render::terminal(&sources, &[diagnostic], render::Style::PLAIN)))
        })
    }
}

/// A compiled program, and the server that runs it.
struct Served {
    entry_points: Vec<EntryPoint>,
    fingerprint: String,
    built: Built,
    /// For arguments and results.
    folder: TemporaryFolder,
    limit: Duration,
    threads: Option<u32>,
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
        let Some(point) = self.entry_points.iter().find(|point| point.name == entry) else {
            return Err(RunError::Broken(format!("the program has no entry point `{entry}`")));
        };
        // After a panic the server is started anew.
        let mut running = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        let mut server = match running.take() {
            Some(server) => server,
            None => self.start().map_err(|error| self.explained(&error))?,
        };
        let result = self.call(&mut server, point, arguments);
        if !matches!(result, Err(RunError::Broken(_))) {
            *running = Some(server);
        }
        result
    }
}

impl Served {
    fn file(&self, name: &str) -> PathBuf {
        self.folder.path.join(name)
    }

    fn start(&self) -> Result<Server, ServerError> {
        let errors = File::create(self.file("errors")).map_or_else(|_| Stdio::null(), Stdio::from);
        // Several programs run at a time, so that threads without work should leave the cores to others.
        let mut command = Command::new(&self.built.path);
        if let Some(threads) = self.threads {
            command.args(["--num-threads", &threads.to_string()]);
        }
        Server::start_as(command.env("OMP_WAIT_POLICY", "passive"), errors, self.limit)
    }

    /// One that has ended may have said why.
    fn explained(&self, error: &ServerError) -> RunError {
        const MOST: usize = 2000;
        let errors = fs::read(self.file("errors")).unwrap_or_default();
        let last = String::from_utf8_lossy(&errors[errors.len().saturating_sub(MOST)..]).trim().to_string();
        let more = if last.is_empty() { String::new() } else { format!("\nits last words: {last}") };
        RunError::Broken(format!("{error}{more}"))
    }

    fn call(&self, server: &mut Server, point: &EntryPoint, arguments: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let broken = |error: io::Error| RunError::Broken(format!("a file of values failed: {error}"));
        let (given, got) = (self.file("arguments"), self.file("results"));
        let (given_name, got_name) = (given.to_string_lossy(), got.to_string_lossy());
        let names = |stem: &str, types: &[EntryType]| -> Vec<String> {
            (0..types.len()).map(|i| format!("{stem}{i}")).collect()
        };
        let (ins, outs) = (names("in", &point.parameters), names("out", &point.results));
        if !ins.is_empty() {
            write(&given, &to_stored(&point.parameters, arguments)).map_err(broken)?;
            let mut words = vec!["restore", &given_name];
            for (name, ty) in ins.iter().zip(&point.parameters) {
                words.extend([name.as_str(), ty.name.as_str()]);
            }
            self.ask(server, &words)?;
        }
        let mut call: Vec<&str> = vec!["call", &point.name];
        call.extend(outs.iter().chain(&ins).map(String::as_str));
        let called = server.ask(&call);
        let free = |server: &mut Server, names: &[String]| {
            let mut words = vec!["free"];
            words.extend(names.iter().map(String::as_str));
            self.ask(server, &words)
        };
        match called {
            Ok(_) => {}
            Err(ServerError::Refused(failure)) if failure.kind != FailureKind::Command => {
                free(server, &ins)?;
                return Err(RunError::Failed(failure.message));
            }
            Err(error) => return Err(self.explained(&error)),
        }
        free(server, &ins)?;
        let mut values = Vec::new();
        if !outs.is_empty() {
            let mut words = vec!["store", &got_name];
            words.extend(outs.iter().map(String::as_str));
            self.ask(server, &words)?;
            free(server, &outs)?;
            let stored = Reader::new(File::open(&got).map_err(broken)?)
                .rest()
                .map_err(|error| RunError::Broken(format!("the results cannot be read: {error}")))?;
            values = from_stored(&point.results, stored);
        }
        Ok(values)
    }

    fn ask(&self, server: &mut Server, words: &[&str]) -> Result<String, RunError> {
        server.ask(words).map_err(|error| self.explained(&error))
    }
}

fn write(path: &Path, values: &[Value]) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    values.iter().try_for_each(|value| write_binary(&mut file, value))?;
    file.flush()
}
