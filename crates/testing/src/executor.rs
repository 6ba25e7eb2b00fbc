//! What is tested: something that compiles programs and runs them.

use kenaz_runtime::{ParamType, Value};
use std::path::Path;

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

    /// Another text whenever the program may mean something else: all its sources, for example, or its IR.
    fn fingerprint(&self) -> String;

    /// Runs an entry point. Tuples, records and other values of the language are passed and returned as the arrays and
    /// scalars of which they consist.
    fn run(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, RunError>;
}

#[derive(Clone, Debug)]
pub enum RunError {
    /// The program stopped with this message.
    Failed(String),
    /// The executor could not run the program, or not to its end.
    Broken(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryPoint {
    pub name: String,
    pub parameters: Vec<EntryType>,
    pub results: Vec<EntryType>,
}

/// The type of a parameter or result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryType {
    /// As the program writes it.
    pub name: String,
    /// The arrays and scalars of which a value consists.
    pub parts: Vec<ParamType>,
    /// Whether it is an array or scalar itself, which can be written and compared.
    pub transparent: bool,
}

impl EntryType {
    /// The type of an array or scalar.
    pub fn plain(ty: ParamType) -> EntryType {
        EntryType { name: ty.to_string(), parts: vec![ty], transparent: true }
    }
}
