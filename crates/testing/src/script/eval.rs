//! Running scripts.

use super::{Exp, Fun};
use crate::{EntryPoint, Program, RunError};
use kenaz_base::Prim;
use kenaz_ir::{EntryField, EntryKind, EntryType};
use kenaz_runtime::{Data, Format, ParamType, Reader, Value};
use std::path::Path;
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct ScriptError(pub String);

/// Runs a script and returns the arguments that it makes: the parts of its value, those of a tuple one after the other.
/// Files are relative to `folder`; `wanted` are the types of the arguments, for numbers without a type.
pub fn evaluate(
    exp: &Exp,
    program: &dyn Program,
    folder: &Path,
    wanted: &[ParamType],
) -> Result<Vec<Value>, ScriptError> {
    let mut evaluator = Evaluator::new(program, folder);
    let value = evaluator.eval(exp)?;
    flatten(value, wanted)
}

/// A value of a script.
#[derive(Clone, Debug)]
pub enum Val {
    Plain(Value),
    Number(String),
    /// An array of numbers without a type, or of arrays of them.
    Numbers(Vec<Val>),
    Text(String),
    /// A value of the program by its parts, and how it is made of them, if that is known.
    Whole(Vec<Value>, Option<Arc<EntryType>>),
    Tuple(Vec<Val>),
    Record(Vec<(String, Val)>),
    /// An entry point, and the first of its arguments.
    Function(String, Vec<Val>),
}

/// A function `$name` of one file, besides those that every script has.
pub type Builtin = (&'static str, fn(&Path) -> Result<Value, String>);

/// Those that every script has.
const BUILTINS: [&str; 3] = ["loaddata", "loadimg", "loadbytes"];

/// Runs scripts.
pub struct Evaluator<'a> {
    program: &'a dyn Program,
    folder: &'a Path,
    variables: Vec<(String, Val)>,
    builtins: &'a [Builtin],
}

fn fail<T>(message: impl Into<String>) -> Result<T, ScriptError> {
    Err(ScriptError(message.into()))
}

impl<'a> Evaluator<'a> {
    pub fn new(program: &'a dyn Program, folder: &'a Path) -> Evaluator<'a> {
        Evaluator { program, folder, variables: Vec::new(), builtins: &[] }
    }

    #[must_use]
    pub fn with(self, builtins: &'a [Builtin]) -> Evaluator<'a> {
        Evaluator { builtins, ..self }
    }

    pub fn eval(&mut self, exp: &Exp) -> Result<Val, ScriptError> {
        match exp {
            Exp::Value(value) => Ok(Val::Plain(value.clone())),
            Exp::Number(text) => Ok(Val::Number(text.clone())),
            Exp::Text(text) => Ok(Val::Text(text.clone())),
            Exp::Tuple(parts) => Ok(Val::Tuple(self.all(parts)?)),
            Exp::Array(parts) => {
                let parts = self.all(parts)?;
                let is_open = |part: &Val| matches!(part, Val::Number(_) | Val::Numbers(_));
                let are_numbers = !parts.is_empty() && parts.iter().all(is_open);
                if are_numbers { Ok(Val::Numbers(parts)) } else { stack(parts).map(Val::Plain) }
            }
            Exp::Record(fields) => {
                let mut values = Vec::new();
                for (name, exp) in fields {
                    values.push((name.clone(), self.eval(exp)?));
                }
                // The parts of a record are in the order of the names of its fields.
                values.sort_by(|(a, _), (b, _)| a.cmp(b));
                Ok(Val::Record(values))
            }
            Exp::Let(names, value, body) => {
                let value = self.eval(value)?;
                let outer = self.variables.len();
                match (names.as_slice(), if names.len() == 1 { value } else { value.opened() }) {
                    ([name], value) => self.variables.push((name.clone(), value)),
                    (names, Val::Tuple(parts)) if parts.len() == names.len() => {
                        self.variables.extend(names.iter().cloned().zip(parts));
                    }
                    (names, _) => return fail(format!("the value is not a tuple with {} parts", names.len())),
                }
                let result = self.eval(body);
                self.variables.truncate(outer);
                result
            }
            Exp::Call(Fun::Builtin(name), arguments) => {
                let arguments = self.all(arguments)?;
                self.builtin(name, &arguments)
            }
            Exp::Call(Fun::Named(name), arguments) => {
                let found = self.variables.iter().rev().find(|(variable, _)| variable == name);
                let variable = found.map(|(_, value)| value.clone());
                let arguments = self.all(arguments)?;
                match variable {
                    Some(value) if arguments.is_empty() => Ok(value),
                    Some(function @ Val::Function(..)) => self.apply(&function, arguments),
                    Some(_) => fail(format!("the variable `{name}` is not a function")),
                    None => self.call(name, arguments),
                }
            }
        }
    }

    fn all(&mut self, exps: &[Exp]) -> Result<Vec<Val>, ScriptError> {
        exps.iter().map(|exp| self.eval(exp)).collect()
    }

    /// What a function gives for some more arguments.
    pub fn apply(&self, function: &Val, arguments: Vec<Val>) -> Result<Val, ScriptError> {
        match function {
            Val::Function(name, first) => self.call(name, [&first[..], &arguments].concat()),
            _ => fail("a value is used as a function and is none"),
        }
    }

    fn call(&self, name: &str, mut arguments: Vec<Val>) -> Result<Val, ScriptError> {
        let Some(entry) = self.program.entry_points().iter().find(|entry| entry.name == name) else {
            return fail(format!("there is neither a variable nor an entry point `{name}`"));
        };
        let wanted = entry.parameters.len();
        // A tuple stands for several arguments.
        if let [argument] = arguments.as_slice()
            && wanted > 1
            && let Val::Tuple(parts) = argument.clone().opened()
            && parts.len() == wanted
        {
            arguments = parts;
        }
        if arguments.len() < wanted {
            return Ok(Val::Function(name.to_string(), arguments));
        }
        if arguments.len() != wanted {
            let plural = if wanted == 1 { "" } else { "s" };
            return fail(format!("`{name}` takes {wanted} argument{plural}, not {}", arguments.len()));
        }
        let mut values = Vec::new();
        for (argument, parameter) in arguments.into_iter().zip(&entry.parameters) {
            let parts = flatten(argument, &parameter.parts)?;
            let types: Vec<ParamType> = parts.iter().map(ParamType::of).collect();
            if types != parameter.parts {
                let types: Vec<String> = types.iter().map(ToString::to_string).collect();
                let (types, wanted) = (types.join(", "), &parameter.name);
                return fail(format!("`{name}` takes an argument of type `{wanted}`, not `{types}`"));
            }
            values.extend(parts);
        }
        match self.program.run(name, values) {
            Ok(results) => regroup(entry, results, self.program.result_types(name)),
            Err(RunError::Failed(message) | RunError::Broken(message)) => fail(format!("`{name}` failed: {message}")),
        }
    }

    fn builtin(&self, name: &str, arguments: &[Val]) -> Result<Val, ScriptError> {
        let [Val::Text(file)] = arguments else {
            return fail(format!("`${name}` takes the name of a file in quotes"));
        };
        let path = self.folder.join(file);
        let cannot = |error: &dyn std::fmt::Display| ScriptError(format!("cannot read `{}`: {error}", path.display()));
        match name {
            "loadbytes" => {
                let bytes = std::fs::read(&path).map_err(|error| cannot(&error))?;
                Ok(Val::Plain(Value::vector(bytes)))
            }
            "loaddata" => {
                let mut reader = Reader::open(&path, None).map_err(|error| cannot(&error))?;
                let mut values = reader.rest().map_err(|error| cannot(&error))?;
                Ok(if values.len() == 1 {
                    Val::Plain(values.remove(0))
                } else {
                    Val::Tuple(values.into_iter().map(Val::Plain).collect())
                })
            }
            "loadimg" => {
                let mut reader = Reader::open(&path, Some(Format::Png)).map_err(|error| cannot(&error))?;
                let value = reader.next_of(ParamType { rank: 2, prim: Prim::U32 }).map_err(|error| cannot(&error))?;
                Ok(Val::Plain(value))
            }
            _ => match self.builtins.iter().find(|(other, _)| *other == name) {
                Some((_, load)) => load(&path).map(Val::Plain).map_err(|error| cannot(&error)),
                None => {
                    let all = BUILTINS.iter().chain(self.builtins.iter().map(|(name, _)| name));
                    let mut all: Vec<String> = all.map(|name| format!("`${name}`")).collect();
                    let last = all.pop().unwrap_or_default();
                    fail(format!("there is no function `${name}`, only {} and {last}", all.join(", ")))
                }
            },
        }
    }
}

/// The results of an entry point as a value: that of the only result, or else a tuple.
fn regroup(entry: &EntryPoint, results: Vec<Value>, types: &[Arc<EntryType>]) -> Result<Val, ScriptError> {
    let mut results = results.into_iter();
    let mut values = Vec::new();
    for (i, ty) in entry.results.iter().enumerate() {
        let mut parts: Vec<Value> = results.by_ref().take(ty.parts.len()).collect();
        if parts.len() != ty.parts.len() {
            return fail(format!("`{}` returned too few values", entry.name));
        }
        let is_plain = ty.transparent && parts.len() == 1;
        values.push(if is_plain { Val::Plain(parts.remove(0)) } else { Val::Whole(parts, types.get(i).cloned()) });
    }
    Ok(if values.len() == 1 { values.remove(0) } else { Val::Tuple(values) })
}

impl Val {
    /// A tuple or record of the program as one of the script.
    #[must_use]
    pub fn opened(self) -> Val {
        let Val::Whole(parts, Some(ty)) = &self else { return self };
        let EntryKind::Record(fields) = &ty.kind else { return self };
        let mut parts = parts.iter().cloned();
        let field = |field: &EntryField| {
            let mut own: Vec<Value> = parts.by_ref().take(field.ty.parts().len()).collect();
            let value = match field.ty.kind {
                EntryKind::Plain(_) if own.len() == 1 => Val::Plain(own.remove(0)),
                _ => Val::Whole(own, Some(field.ty.clone())),
            };
            (field.name.to_string(), value)
        };
        let fields: Vec<(String, Val)> = fields.iter().map(field).collect();
        let is_tuple = fields.iter().enumerate().all(|(i, (name, _))| *name == i.to_string());
        if is_tuple { Val::Tuple(fields.into_iter().map(|(_, value)| value).collect()) } else { Val::Record(fields) }
    }

    /// The only array or scalar of which it consists.
    pub fn plain(self) -> Result<Value, ScriptError> {
        let mut parts = flatten(self, &[])?;
        match (parts.pop(), parts.is_empty()) {
            (Some(value), true) => Ok(value),
            _ => fail("this is a value of several or none"),
        }
    }
}

/// The arrays and scalars of which a value consists. Numbers without a type get the type at their place in `wanted`.
fn flatten(value: Val, wanted: &[ParamType]) -> Result<Vec<Value>, ScriptError> {
    fn add(value: Val, wanted: &[ParamType], to: &mut Vec<Value>) -> Result<(), ScriptError> {
        match value {
            Val::Plain(value) => to.push(value),
            Val::Whole(parts, _) => to.extend(parts),
            Val::Text(text) => to.push(Value::vector(text.into_bytes())),
            Val::Number(text) => to.push(number(&text, wanted.get(to.len()).copied())?),
            Val::Numbers(parts) => to.push(numbers(parts, wanted.get(to.len()).copied())?),
            Val::Tuple(parts) => parts.into_iter().try_for_each(|part| add(part, wanted, to))?,
            Val::Record(fields) => fields.into_iter().try_for_each(|(_, part)| add(part, wanted, to))?,
            Val::Function(name, arguments) => {
                let said = if arguments.is_empty() { String::new() } else { format!(" after {}", arguments.len()) };
                return fail(format!("`{name}` takes more arguments{said}"));
            }
        }
        Ok(())
    }
    let mut parts = Vec::new();
    add(value, wanted, &mut parts)?;
    Ok(parts)
}

fn number(text: &str, wanted: Option<ParamType>) -> Result<Value, ScriptError> {
    let mut reader = Reader::new(text.as_bytes());
    let value = match wanted {
        Some(wanted) if wanted.rank == 0 => reader.next_of(wanted).map(Some),
        _ => reader.next_value(),
    };
    match value {
        Ok(Some(value)) => Ok(value),
        Ok(None) => fail(format!("`{text}` is not a number")),
        Err(error) => fail(error.problem.to_string()),
    }
}

/// An array of numbers that have no type: that of the parameter, if it is an array, or else the usual one.
fn numbers(parts: Vec<Val>, wanted: Option<ParamType>) -> Result<Value, ScriptError> {
    let wanted = match wanted {
        Some(ParamType { rank, prim }) if rank > 0 => ParamType { rank: rank - 1, prim },
        _ => {
            ParamType { rank: depth(&parts[0]), prim: if parts.iter().any(is_decimal) { Prim::F64 } else { Prim::I32 } }
        }
    };
    let row =
        |part: Val| flatten(part, &[wanted])?.pop().map_or_else(|| fail("a row is missing"), |row| Ok(Val::Plain(row)));
    stack(parts.into_iter().map(row).collect::<Result<_, _>>()?)
}

fn depth(value: &Val) -> usize {
    if let Val::Numbers(parts) = value { 1 + parts.first().map_or(0, depth) } else { 0 }
}

fn is_decimal(value: &Val) -> bool {
    match value {
        Val::Number(text) => number(text, None).is_ok_and(|value| value.prim().is_float()),
        Val::Numbers(parts) => parts.iter().any(is_decimal),
        _ => false,
    }
}

/// An array of values of the same type and shape.
fn stack(parts: Vec<Val>) -> Result<Value, ScriptError> {
    if parts.is_empty() {
        return fail("the type of `[]` is unknown: write it as `empty([0]i32)`");
    }
    // The first number that has a type gives it to those that have none.
    let typed =
        parts.iter().find_map(|part| if let Val::Plain(value) = part { Some(ParamType::of(value)) } else { None });
    let wanted: &[ParamType] = typed.as_slice();
    let mut rows = Vec::new();
    for part in parts {
        match flatten(part, wanted)?.as_slice() {
            [row] => rows.push(row.clone()),
            _ => return fail("an array can contain only arrays and scalars"),
        }
    }
    let ty = rows[0].value_type();
    let mut data = Data::empty(ty.prim);
    for row in &rows {
        if row.value_type() != ty {
            return fail(format!("an array contains values of the types {ty} and {}", row.value_type()));
        }
        for i in 0..row.data().len() {
            let pushed = data.push(row.data().get(i));
            debug_assert!(pushed);
        }
    }
    let shape = [&[rows.len()], ty.shape.as_slice()].concat();
    Ok(Value::new(shape, data))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EntryType;
    use crate::script::parse;

    struct Toy {
        entries: Vec<EntryPoint>,
    }

    fn toy() -> Toy {
        let plain = |ty: &str| EntryType::plain(ty.parse().unwrap());
        let pair = EntryType {
            name: "pair".to_string(),
            parts: vec!["i64".parse().unwrap(), "[]f32".parse().unwrap()],
            names: vec!["0".to_string(), "1".to_string()],
            transparent: false,
        };
        let entry = |name: &str, parameters: &[EntryType], results: &[EntryType]| EntryPoint {
            name: name.to_string(),
            parameters: parameters.to_vec(),
            results: results.to_vec(),
        };
        let entries = vec![
            entry("add", &[plain("i64"), plain("i64")], &[plain("i64")]),
            entry("both", &[plain("i64")], &[plain("i64"), plain("[]f32")]),
            entry("pack", &[plain("i64")], std::slice::from_ref(&pair)),
            entry("count", &[pair], &[plain("i64")]),
            entry("fail", &[], &[plain("i64")]),
        ];
        Toy { entries }
    }

    impl Program for Toy {
        fn entry_points(&self) -> &[EntryPoint] {
            &self.entries
        }
        fn fingerprint(&self) -> String {
            String::new()
        }
        fn run(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, RunError> {
            let n = |i: usize| arguments[i].elements::<i64>().unwrap()[0];
            match entry {
                "add" => Ok(vec![Value::from(n(0) + n(1))]),
                "both" | "pack" => Ok(vec![Value::from(n(0)), Value::from(vec![0.5f32; n(0) as usize])]),
                "count" => Ok(vec![Value::from(n(0))]),
                _ => Err(RunError::Failed("it cannot be".to_string())),
            }
        }
    }

    fn result(text: &str) -> String {
        let exp = parse(text).unwrap();
        let wanted = ["i64".parse().unwrap()];
        match evaluate(&exp, &toy(), Path::new("no such folder"), &wanted) {
            Ok(values) => values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn values() {
        assert_eq!(result("(1, 2, 1.5f32)"), "1i64 2i32 1.5f32");
        assert_eq!(result("add 1 (add 2 3i64)"), "6i64");
        assert_eq!(result("let x = 2 in let y = x in add x y"), "4i64");
        assert_eq!(result("add (1, 2)"), "3i64");
        assert_eq!(result("let f = add 1 in f 3"), "4i64");
        assert_eq!(result("both 2"), "2i64 [0.5f32, 0.5f32]");
        assert_eq!(result("let (n, xs) = both 2 in (xs, n)"), "[0.5f32, 0.5f32] 2i64");
        assert_eq!(result("count (pack 3)"), "3i64");
        assert_eq!(result("count (1, [2.5f32, 1])"), "1i64");
        assert_eq!(result("{b = 2i8, a = 1i8}"), "1i8 2i8");
        assert_eq!(result("[[1i64, 2], [3i64, 4]]"), "[[1i64, 2i64], [3i64, 4i64]]");
        assert_eq!(result("[1, 2.5]"), "[1.0f64, 2.5f64]");
        assert_eq!(result("[[1, 2], [3, 4.5]]"), "[[1.0f64, 2.0f64], [3.0f64, 4.5f64]]");
        assert_eq!(result("[[1u8, 2], [3, 4]]"), "[[1u8, 2u8], [3u8, 4u8]]");
        assert_eq!(result("let xs = [2.5, 1] in count (1, xs)"), "1i64");
    }

    #[test]
    fn mistakes() {
        assert_eq!(result("add"), "`add` takes more arguments");
        assert_eq!(result("add 1"), "`add` takes more arguments after 1");
        assert_eq!(result("add 1 2 3"), "`add` takes 2 arguments, not 3");
        assert_eq!(result("add 1 2i32"), "`add` takes an argument of type `i64`, not `i32`");
        assert_eq!(result("count 1"), "`count` takes an argument of type `pair`, not `i64`");
        assert_eq!(result("nothing 1"), "there is neither a variable nor an entry point `nothing`");
        assert_eq!(result("let x = 1 in x 2"), "the variable `x` is not a function");
        assert_eq!(result("let (x, y) = 1 in x"), "the value is not a tuple with 2 parts");
        assert_eq!(result("fail"), "`fail` failed: it cannot be");
        assert_eq!(result("$loaddata 1"), "`$loaddata` takes the name of a file in quotes");
        assert_eq!(
            result("$loadaudio \"a\""),
            "there is no function `$loadaudio`, only `$loaddata`, `$loadimg` and `$loadbytes`"
        );
        assert!(result("$loadimg \"a\"").starts_with("cannot read `no such folder/a`: "));
        assert!(result("$loaddata \"a\"").starts_with("cannot read `no such folder/a`: "));
        assert_eq!(result("count (1, [[1, 2]])"), "`count` takes an argument of type `pair`, not `i64, [][]i32`");
        assert_eq!(result("[[1, 2], [3]]"), "an array contains values of the types [2]i32 and [1]i32");
        assert_eq!(result("[1i32, 2i64]"), "an array contains values of the types i32 and i64");
        assert_eq!(result("[pack 1]"), "an array can contain only arrays and scalars");
    }
}
