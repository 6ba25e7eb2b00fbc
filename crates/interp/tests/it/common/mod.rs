//! Runs programs that are given as text.

pub(crate) mod heap;

use kenaz_interp::{Compiled, Environment, Options, RunError, compile};
use kenaz_ir::Scalar;
use kenaz_runtime::Value;

pub(crate) fn compiled_with(text: &str, options: Options) -> Compiled {
    let prog = kenaz_ir::parse::prog(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    compile(&prog, options)
}

pub(crate) fn compiled(text: &str) -> Compiled {
    compiled_with(text, Options { count: true, ..Options::default() })
}

/// Runs the function `main` with each kind of code, which must agree.
pub(crate) fn run(text: &str, args: Vec<Value>) -> Result<Vec<Value>, RunError> {
    let run = |options| {
        let mut environment = Environment { trace: Box::new(std::io::sink()), ..Environment::default() };
        compiled_with(text, options).run_in("main", args.clone(), &mut environment)
    };
    let result = run(Options::default());
    assert_eq!(result, run(Options { scalar_only: true, ..Options::default() }), "{text}");
    assert_eq!(result, run(Options { count: true, scalar_only: true }), "{text}");
    result
}

/// What the function `main` of a program gives, as text, one result after the other.
pub(crate) fn results(text: &str, args: Vec<Value>) -> String {
    let values = run(text, args).unwrap_or_else(|e| panic!("{e}\n{text}"));
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The value of an expression of this type.
pub(crate) fn value(ty: &str, exp: &str) -> String {
    results(&format!("fun main : ({ty}) = {{ let x_0: {ty} = {exp} in x_0 }}"), vec![])
}

/// Checks `type: expression = value` on each line.
pub(crate) fn check_values(table: &str) {
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (ty, rest) = line.split_once(": ").unwrap_or_else(|| panic!("no type: {line}"));
        let (exp, expected) = rest.split_once(" = ").unwrap_or_else(|| panic!("no value: {line}"));
        // By way of a value, so that it does not matter how numbers are written.
        let expected = Scalar::parse(expected.strip_suffix("i64").unwrap_or(expected));
        let expected = Value::scalar(expected.unwrap_or_else(|| panic!("no value: {line}"))).to_string();
        assert_eq!(value(ty, exp), expected, "{line}");
    }
}
