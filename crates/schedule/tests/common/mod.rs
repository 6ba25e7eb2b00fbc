//! Schedules programs that are given as text, and runs them before and after.
#![allow(dead_code, reason = "each test file uses some of these")]

use kenaz_interp::{Environment, Kind, Options, compile};
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{Exp, Log, PassCx, Prog, Scalar};
use kenaz_runtime::Value;
use kenaz_schedule::SCHEDULE;

pub fn i64(n: i64) -> Value {
    Value::scalar(Scalar::I64(n))
}

/// The function `main` of an `i64` in the parallel stage. Its results for some arguments are those of before, its text
/// can be read again, and no operator of the array stage is left.
pub fn scheduled(text: &str) -> (String, Log) {
    let before = kenaz_ir::parse::prog(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    kenaz_ir::check::array(&before).unwrap_or_else(|e| panic!("{e}\n{before}"));
    let mut after = before.clone();
    let mut cx = PassCx::default();
    (SCHEDULE.run)(&mut after, &mut cx);
    let printed = after.to_string();
    let parsed = kenaz_ir::parse::prog(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(parsed.to_string(), printed);
    let mut found = Found::default();
    after.funs.iter().for_each(|fun| found.fun(fun));
    assert!(!found.soac, "{printed}");
    if !found.par {
        // What is left of the array stage keeps its promises: nothing is used after it was consumed.
        kenaz_ir::check::array(&after).unwrap_or_else(|e| panic!("{e}\n{after}"));
    }
    for n in [0, 1, 2, 5] {
        assert_eq!(results(&before, n), results(&after, n), "main {n}\n{after}");
    }
    (printed, cx.log)
}

#[derive(Default)]
struct Found {
    soac: bool,
    par: bool,
}

impl Visit for Found {
    fn exp(&mut self, exp: &Exp) {
        self.soac |= matches!(exp, Exp::Soac(_));
        self.par |= matches!(exp, Exp::Par(_));
        walk::exp(self, exp);
    }
}

pub fn results(prog: &Prog, n: i64) -> String {
    let mut environment = Environment { trace: Box::new(std::io::sink()), ..Environment::default() };
    match compile(prog, Options::default()).run_in("main", vec![i64(n)], &mut environment) {
        Ok(values) => values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        Err(error) => {
            assert_ne!(error.kind, Kind::Fault, "{error}\n{prog}");
            format!("{error}")
        }
    }
}

/// Whether lines that begin like this, without the spaces before them, come in this order.
pub fn in_order(text: &str, starts: &[&str]) -> bool {
    let mut lines = text.lines().map(str::trim);
    starts.iter().all(|start| lines.any(|line| line.starts_with(start)))
}

pub fn assert_order(text: &str, starts: &[&str]) {
    assert!(in_order(text, starts), "not in this order: {starts:#?}\n{text}");
}
