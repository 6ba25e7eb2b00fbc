//! Random programs that copy whatever they update are right after `in-place`, after any number of its rewrites.

use kenaz_ir::Scalar;
use kenaz_optimise::in_place::PASS;
use kenaz_runtime::Value;
use std::fmt::Write;

/// Writes a program from a seed. All arrays are of type `[4]i64`; only copies are consumed, which nothing else uses.
struct Writer {
    seed: u64,
    next: u32,
    text: String,
    /// How many functions there are to call.
    funs: usize,
}

#[derive(Clone)]
struct Scope {
    ints: Vec<String>,
    arrays: Vec<String>,
}

const ARRAY: &str = "[4]i64";

impl Writer {
    fn below(&mut self, n: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as usize % n
    }

    fn name(&mut self, base: &str) -> String {
        self.next += 1;
        format!("{base}_{}", self.next)
    }

    fn pick(&mut self, names: &[String]) -> String {
        let i = self.below(names.len()).max(self.below(names.len()));
        names[i].clone()
    }

    fn array(&mut self, exp: &str) -> String {
        let name = self.name("a");
        let _ = writeln!(self.text, "let {name}: {ARRAY} = {exp}");
        name
    }

    fn int(&mut self, scope: &mut Scope, exp: &str) {
        let name = self.name("x");
        let _ = writeln!(self.text, "let {name}: i64 = {exp}");
        scope.ints.push(name);
    }

    /// Statements and, in `scope`, what they bind.
    fn statements(&mut self, scope: &mut Scope, depth: usize) {
        for _ in 0..2 + self.below(5) {
            let a = self.pick(&scope.arrays);
            let x = self.pick(&scope.ints);
            let i = self.below(4);
            match self.below(if depth == 0 { 8 } else { 13 }) {
                0 => {
                    let new = self.array("iota 4 : i64");
                    scope.arrays.push(new);
                }
                1 => {
                    let view = self.array(&format!("slice {a}[0 :+ 4 * 1]"));
                    scope.arrays.push(view);
                }
                2 => self.int(scope, &format!("index {a}[{i}]")),
                3 => {
                    let copy = self.array(&format!("copy {a}"));
                    scope.arrays.push(copy);
                }
                4 if self.funs > 0 => {
                    let (f, b) = (self.below(self.funs), self.pick(&scope.arrays));
                    let result = self.array(&format!("call f{f} ({x}, {a}, {b})"));
                    scope.arrays.push(result);
                }
                5 => {
                    let (copy, i, b) = (self.array(&format!("copy {a}")), self.name("i"), self.pick(&scope.arrays));
                    let new = self.array(&format!(
                        "scatter 4 ({b}) \\({i}: i64): i64, i64 -> {{ in {i}, {x} }} into ({copy} rank 1)"
                    ));
                    scope.arrays.push(new);
                }
                4 | 6 | 7 => {
                    let copy = self.array(&format!("copy {a}"));
                    let new = self.array(&format!("update {copy}[{i}] = {x}"));
                    scope.arrays.push(new);
                }
                8 | 9 => self.branch(scope, depth, &x),
                10 | 11 => self.repeat(scope, depth),
                _ => self.map(scope, depth, &a),
            }
        }
    }

    /// The end of a body that yields so many arrays.
    fn yields(&mut self, scope: &Scope, count: usize) {
        let results: Vec<String> = (0..count).map(|_| self.pick(&scope.arrays)).collect();
        let _ = writeln!(self.text, "in {}", results.join(", "));
    }

    fn pattern(&mut self, count: usize) -> (Vec<String>, String) {
        let names: Vec<String> = (0..count).map(|_| self.name("r")).collect();
        let pat: Vec<String> = names.iter().map(|name| format!("{name}: {ARRAY}")).collect();
        (names, pat.join(", "))
    }

    fn branch(&mut self, scope: &mut Scope, depth: usize, x: &str) {
        let count = 1 + self.below(2);
        let (names, pat) = self.pattern(count);
        let cond = self.name("q");
        let _ = writeln!(self.text, "let {cond}: bool = lt {x} 2\nlet {pat} = if {cond} then {{");
        for between in ["} else {", "}"] {
            let mut inner = scope.clone();
            if self.below(3) > 0 {
                self.statements(&mut inner, depth - 1);
            }
            self.yields(&inner, count);
            let _ = writeln!(self.text, "{between}");
        }
        scope.arrays.extend(names);
    }

    fn repeat(&mut self, scope: &mut Scope, depth: usize) {
        let count = 1 + self.below(2);
        let (names, pat) = self.pattern(count);
        let mut inner = scope.clone();
        let (mut params, mut own) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (param, init) = (self.name("p"), self.pick(&scope.arrays));
            params.push(format!("{param}: {ARRAY} = {init}"));
            own.push(param);
        }
        let i = self.name("i");
        let _ = writeln!(self.text, "let {pat} = loop ({}) for {i}: i64 < 3 {{", params.join(", "));
        inner.ints.push(i);
        // Mostly the loop's own arrays, lest all its results come from outside.
        if self.below(3) > 0 {
            inner.arrays.clone_from(&own);
        } else {
            inner.arrays.extend(own);
        }
        self.statements(&mut inner, depth - 1);
        self.yields(&inner, count);
        self.text.push_str("}\n");
        scope.arrays.extend(names);
    }

    fn map(&mut self, scope: &mut Scope, depth: usize, a: &str) {
        let (name, row) = (self.name("m"), self.name("x"));
        let _ = writeln!(self.text, "let {name}: {ARRAY} = map 4 ({a}) \\({row}: i64): i64 -> {{");
        let mut inner = scope.clone();
        inner.ints.push(row);
        self.statements(&mut inner, depth - 1);
        let x = self.pick(&inner.ints);
        let _ = writeln!(self.text, "in {x}\n}}");
        scope.arrays.push(name);
    }

    fn fun(&mut self, name: &str) {
        let (x, a, b) = (self.name("x"), self.name("a"), self.name("b"));
        let _ = writeln!(self.text, "fun {name} ({x}: i64) ({a}: {ARRAY}) ({b}: {ARRAY}) : ({ARRAY}) = {{");
        let mut scope = Scope { ints: vec![x], arrays: vec![a, b] };
        self.statements(&mut scope, 2);
        self.yields(&scope, 1);
        self.text.push_str("}\n");
        self.funs += 1;
    }

    fn main(&mut self) {
        let x = self.name("x");
        let _ = writeln!(self.text, "fun main ({x}: i64) : ({ARRAY}) ({ARRAY}) = {{");
        let start = self.array("iota 4 : i64");
        let mut scope = Scope { ints: vec![x], arrays: vec![start] };
        self.statements(&mut scope, 3);
        self.statements(&mut scope, 3);
        self.yields(&scope, 2);
        self.text.push_str("}\n");
    }
}

#[test]
fn random_programs_mean_the_same() {
    let mut rules: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
    for seed in 0..20 {
        let mut writer = Writer { seed, next: 0, text: String::new(), funs: 0 };
        writer.below(1);
        writer.fun("f0");
        writer.fun("f1");
        writer.main();
        let inputs = [0, 3].map(|n| vec![Value::scalar(Scalar::I64(n))]);
        let (_, log) = crate::common::same(&PASS, &writer.text, &inputs);
        for (rule, n) in log.counts() {
            *rules.entry(rule).or_default() += n;
        }
    }
    // All rules were tried.
    for rule in ["copy-of-dead", "loop-in-place", "unique-parameter", "unique-result"] {
        assert!(rules.get(rule).is_some_and(|n| *n > 0), "{rules:?}");
    }
}
