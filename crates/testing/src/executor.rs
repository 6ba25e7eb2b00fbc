//! What is tested: something that compiles programs and runs them.

use kenaz_ir::EntryType;
use kenaz_runtime::{EntryPoint, Value};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A back end, the interpreter, another compiler. Programs are compiled and run from several threads at once.
pub trait Executor: Sync {
    /// Programs and cases with the tag `no_NAME` are not for it.
    fn name(&self) -> &str;

    /// Whether cases with the tag `compiled` would take it too long.
    fn is_interpreter(&self) -> bool {
        false
    }

    fn compile(&self, program: &Path) -> Result<Compiled, CompileError>;
}

pub struct Compiled {
    pub program: Box<dyn Program>,
    /// All warnings, as the user would see them.
    pub warnings: String,
}

#[derive(Clone, Debug)]
pub enum CompileError {
    /// The program is wrong.
    Rejected(String),
    /// The compiler is: something is not supported, or it failed.
    Failed(String),
}

pub trait Program: Send + Sync {
    fn entry_points(&self) -> &[EntryPoint];

    /// How the results of an entry point are made of their parts, if that is known.
    fn result_types(&self, _entry: &str) -> &[Arc<EntryType>] {
        &[]
    }

    /// Another text whenever the program may mean something else: all its sources, for example, or its IR.
    fn fingerprint(&self) -> String;

    /// Runs an entry point. Tuples, records and other values of the language are passed and returned as the arrays and
    /// scalars of which they consist.
    fn run(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, RunError>;

    /// The numbers that change how an entry point runs, and not what it yields, each with its class.
    fn tuning_params(&self, _entry: &str) -> Result<Vec<(String, String)>, RunError> {
        Ok(Vec::new())
    }

    /// Sets such a number from now on; without a value, to its default.
    fn set_tuning_param(&self, name: &str, _value: Option<u64>) -> Result<(), RunError> {
        Err(RunError::Broken(format!("there is no tuning parameter `{name}`")))
    }

    /// An entry point with its arguments. While there is a session, the program may do nothing else.
    fn session<'a>(&'a self, entry: &str, arguments: &[Value]) -> Result<Box<dyn Session + 'a>, RunError> {
        let (entry, arguments) = (entry.to_string(), arguments.to_vec());
        Ok(Box::new(Repeated { program: self, entry, arguments, results: Vec::new() }))
    }

    /// Runs an entry point so often, at least once, with the same arguments each time.
    fn time(&self, entry: &str, arguments: &[Value], runs: usize) -> Result<Timed, RunError> {
        let mut session = self.session(entry, arguments)?;
        let times = (0..runs.max(1)).map(|_| session.run()).collect::<Result<_, _>>()?;
        Ok(Timed { results: session.results()?, times })
    }
}

/// An entry point with its arguments, to be run again and again.
pub trait Session {
    /// Runs it once more, and says how long that took.
    fn run(&mut self) -> Result<Duration, RunError>;

    /// The results of the last run.
    fn results(&mut self) -> Result<Vec<Value>, RunError>;

    /// From now on a run may take so long, if anybody looks.
    fn set_limit(&mut self, _limit: Duration) {}

    /// Forgets how much memory there was at most.
    fn clear(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    /// The most bytes that were in use at a time, in each memory of which that is known.
    fn peak_memory(&mut self) -> Result<BTreeMap<String, u64>, RunError> {
        Ok(BTreeMap::new())
    }
}

/// A session with a program that keeps nothing between runs.
struct Repeated<'a, P: Program + ?Sized> {
    program: &'a P,
    entry: String,
    arguments: Vec<Value>,
    results: Vec<Value>,
}

impl<P: Program + ?Sized> Session for Repeated<'_, P> {
    fn run(&mut self) -> Result<Duration, RunError> {
        let arguments = self.arguments.clone();
        let start = Instant::now();
        self.results = self.program.run(&self.entry, arguments)?;
        Ok(start.elapsed())
    }

    fn results(&mut self) -> Result<Vec<Value>, RunError> {
        Ok(self.results.clone())
    }
}

/// The results of the last of several runs, and how long each of them took.
#[derive(Clone, Default, Debug)]
pub struct Timed {
    pub results: Vec<Value>,
    pub times: Vec<Duration>,
}

#[derive(Clone, Debug)]
pub enum RunError {
    /// The program stopped with this message.
    Failed(String),
    /// The executor could not run the program, or not to its end.
    Broken(String),
}
