//! What is tested: something that compiles programs and runs them.

use kenaz_ir::Scalar;
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

/// The values in the files of a server: those of the arguments or results, and a `bool` for what consists of nothing.
pub fn to_stored(types: &[EntryType], values: Vec<Value>) -> Vec<Value> {
    let mut values = values.into_iter();
    let mut stored = Vec::new();
    for ty in types {
        if ty.parts.is_empty() {
            stored.push(Value::scalar(Scalar::Bool(false)));
        }
        stored.extend(values.by_ref().take(ty.parts.len()));
    }
    stored.extend(values);
    stored
}

/// The inverse of [`to_stored`].
pub fn from_stored(types: &[EntryType], stored: Vec<Value>) -> Vec<Value> {
    let mut stored = stored.into_iter();
    let mut values = Vec::new();
    for ty in types {
        if ty.parts.is_empty() {
            stored.next();
        }
        values.extend(stored.by_ref().take(ty.parts.len()));
    }
    values.extend(stored);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::Prim;
    use kenaz_runtime::write_binary;

    #[test]
    fn what_consists_of_nothing_is_a_bool_in_files() {
        let unit = EntryType { name: "()".to_string(), parts: Vec::new(), transparent: false };
        let plain = EntryType::plain(ParamType { rank: 0, prim: Prim::I32 });
        let types = [unit.clone(), plain, unit];
        let values = vec![Value::scalar(Scalar::I32(7))];
        let stored = to_stored(&types, values.clone());
        let texts: Vec<String> = stored.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["false", "7i32", "false"]);
        assert_eq!(from_stored(&types, stored.clone()), values);
        // As Futhark writes it.
        let mut bytes = Vec::new();
        write_binary(&mut bytes, &stored[0]).unwrap();
        assert_eq!(bytes, *b"b\x02\x00bool\x00");
        // What is too much stays, to be found by who compares.
        assert_eq!(from_stored(&types, [stored.clone(), stored].concat()).len(), 4);
    }
}
