//! Runs a pass on programs that are given as text.

use kenaz_interp::{Environment, Kind, Options, compile};
use kenaz_ir::{Log, Pass, PassCx, Prog, target};
use kenaz_runtime::Value;

pub(crate) fn parse(text: &str) -> Prog {
    let prog = kenaz_ir::parse::prog(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    check(&prog);
    prog
}

pub(crate) fn check(prog: &Prog) {
    kenaz_ir::check::array(prog).unwrap_or_else(|e| panic!("{e}\n{prog}"));
}

/// The program after a pass, and what the pass did. The program must be well formed after any number of rewrites.
pub(crate) fn run(pass: &Pass, text: &str) -> (String, Log) {
    let (prog, log) = rewritten(pass, text);
    (prog.to_string(), log)
}

fn rewritten(pass: &Pass, text: &str) -> (Prog, Log) {
    let before = parse(text);
    let mut cx = PassCx::default();
    let mut prog = before.clone();
    (pass.run)(&mut prog, &mut cx);
    check(&prog);
    for fuel in 0..cx.log.used() {
        let mut prog = before.clone();
        (pass.run)(&mut prog, &mut PassCx::new(&target::C, Log::with_fuel(fuel)));
        check(&prog);
    }
    (prog, cx.log)
}

/// The results of the function `main`, or none if it fails.
pub(crate) fn results(prog: &Prog, args: &[Value]) -> Option<String> {
    let mut environment = Environment { trace: Box::new(std::io::sink()), ..Environment::default() };
    let values = match compile(prog, Options::default()).run_in("main", args.to_vec(), &mut environment) {
        Ok(values) => values,
        Err(error) => {
            assert_ne!(error.kind, Kind::Fault, "{error}\n{prog}");
            return None;
        }
    };
    Some(values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

/// Checks that a pass, after any number of rewrites, does not change what `main` does with each list of arguments, and
/// gives the program after all of them.
pub(crate) fn same(pass: &Pass, text: &str, inputs: &[Vec<Value>]) -> (String, Log) {
    let before = parse(text);
    let (after, log) = rewritten(pass, text);
    for fuel in 0..=log.used() {
        let mut prog = before.clone();
        (pass.run)(&mut prog, &mut PassCx::new(&target::C, Log::with_fuel(fuel)));
        for args in inputs {
            assert_eq!(results(&before, args), results(&prog, args), "{args:?} after {fuel} rewrites\n{prog}");
        }
    }
    (after.to_string(), log)
}

/// How often a rule was used.
pub(crate) fn count(log: &Log, rule: &str) -> u64 {
    log.counts().get(rule).copied().unwrap_or(0)
}

/// The lines of a text, without the spaces around them.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).collect()
}

/// Whether a line comes before another; each is given by how it begins.
pub(crate) fn before(text: &str, first: &str, second: &str) -> bool {
    let at = |start: &str| {
        let at = lines(text).iter().position(|line| line.starts_with(start));
        at.unwrap_or_else(|| panic!("no line begins with `{start}`:\n{text}"))
    };
    at(first) < at(second)
}
