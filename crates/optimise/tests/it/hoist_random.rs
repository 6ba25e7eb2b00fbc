//! Random programs full of loops, lambdas, branches and checks mean the same after `hoist`.

use kenaz_ir::{Log, PassCx, Scalar, target};
use kenaz_optimise::hoist::PASS;
use kenaz_runtime::Value;
use std::fmt::Write;

/// Writes a program from a seed.
struct Writer {
    seed: u64,
    next: u32,
    text: String,
}

#[derive(Clone)]
struct Scope {
    ints: Vec<String>,
    bools: Vec<String>,
}

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
        // Later names are more likely: they are what was computed inside.
        let i = self.below(names.len()).max(self.below(names.len()));
        names[i].clone()
    }

    fn operand(&mut self, scope: &Scope) -> String {
        if self.below(5) == 0 { self.below(4).to_string() } else { self.pick(&scope.ints) }
    }

    fn int(&mut self, scope: &mut Scope, exp: &str) -> String {
        let name = self.name("x");
        let _ = writeln!(self.text, "let {name}: i64 = {exp}");
        scope.ints.push(name.clone());
        name
    }

    fn bool(&mut self, scope: &mut Scope, exp: &str) -> String {
        let name = self.name("q");
        let _ = writeln!(self.text, "let {name}: bool = {exp}");
        scope.bools.push(name.clone());
        name
    }

    fn assert(&mut self, cond: &str, shown: &str) -> String {
        let name = self.name("c");
        let _ = writeln!(self.text, "let {name}: cert = assert {cond} \"bad {{{shown}}}\"");
        name
    }

    fn in_bounds(&mut self, scope: &mut Scope, v: &str, n: &str) -> String {
        let low = self.bool(scope, &format!("le 0 {v}"));
        let high = self.bool(scope, &format!("lt {v} {n}"));
        self.bool(scope, &format!("and {low} {high}"))
    }

    fn sum(&mut self, scope: &mut Scope, n: &str, array: &str) {
        let [x, p, q, o] = ["x", "p", "q", "o"].map(|base| self.name(base));
        let lambda = format!("\\({p}: i64, {q}: i64) -> {{ let {o}: i64 = add {p} {q} in {o} }}");
        let _ = writeln!(self.text, "let {x}: i64 = reduce {n} ({array}) (0) {lambda}");
        scope.ints.push(x);
    }

    fn body(&mut self, mut scope: Scope, depth: usize) {
        for _ in 0..2 + self.below(4) {
            self.statement(&mut scope, depth);
        }
        let result = self.pick(&scope.ints);
        let _ = write!(self.text, "in {result} }}");
    }

    fn statement(&mut self, scope: &mut Scope, depth: usize) {
        let (v, w) = (self.operand(scope), self.operand(scope));
        let kinds = if depth == 0 { 9 } else { 15 };
        match self.below(kinds) {
            0 | 1 => {
                let op = ["add", "sub", "min", "max"][self.below(4)];
                self.int(scope, &format!("{op} {v} {w}"));
            }
            2 => {
                let op = ["lt", "le", "eq", "gt", "ge"][self.below(5)];
                self.bool(scope, &format!("{op} {v} {w}"));
            }
            3 => {
                let q = self.bool(scope, &format!("le {v} 9"));
                let c = self.assert(&q, &v);
                self.int(scope, &format!("<{c}> add {v} 1"));
            }
            4 | 5 => {
                let (n, array) = [("n_1", "a_4"), ("m_3", "b_5")][self.below(2)];
                let v = if self.below(2) == 0 { self.int(scope, &format!("max {v} 0")) } else { v };
                let ok = self.in_bounds(scope, &v, n);
                let c = self.assert(&ok, &v);
                self.int(scope, &format!("<{c}> index {array}[{v}]"));
            }
            6 => {
                let ok = self.in_bounds(scope, &v, "m_3");
                let y = self.name("y");
                self.int(scope, &format!("if {ok} then {{ let {y}: i64 = index b_5[{v}] in {y} }} else {{ in {w} }}"));
            }
            7 => {
                let q = self.bool(scope, &format!("ne {v} 0"));
                let c = self.assert(&q, &v);
                self.int(scope, &format!("<{c}> div {w} {v}"));
            }
            8 => {
                let n = self.int(scope, &format!("min {v} 3"));
                let q = self.bool(scope, &format!("le 0 {n}"));
                let c = self.assert(&q, &n);
                let i = self.name("i");
                let _ = writeln!(self.text, "let {i}: [{n}]i64 = <{c}> iota {n} : i64");
                self.sum(scope, &n, &i);
            }
            9 | 10 => {
                let n = if self.below(2) == 0 { "n_1".to_string() } else { self.int(scope, &format!("min {v} 3")) };
                let [x, s, i] = ["x", "s", "i"].map(|base| self.name(base));
                let _ = writeln!(self.text, "let {x}: i64 = loop ({s}: i64 = {w}) for {i}: i64 < {n} {{");
                let mut inner = scope.clone();
                inner.ints.extend([s, i.clone(), i]);
                self.body(inner, depth - 1);
                self.text.push('\n');
                scope.ints.push(x);
            }
            11 | 12 => {
                let [r, x, i] = ["r", "x", "i"].map(|base| self.name(base));
                let _ = writeln!(self.text, "let {i}: [n_1]i64 = iota n_1 : i64");
                let array = if self.below(2) == 0 { i } else { "a_4".to_string() };
                let _ = writeln!(self.text, "let {r}: [n_1]i64 = map n_1 ({array}) \\({x}: i64): i64 -> {{");
                let mut inner = scope.clone();
                inner.ints.extend([x.clone(), x]);
                self.body(inner, depth - 1);
                self.text.push('\n');
                self.sum(scope, "n_1", &r);
            }
            13 => {
                let q = self.pick(&scope.bools);
                let x = self.name("x");
                let _ = writeln!(self.text, "let {x}: i64 = if {q} then {{");
                self.body(scope.clone(), depth - 1);
                self.text.push_str(" else {\n");
                self.body(scope.clone(), depth - 1);
                self.text.push('\n');
                scope.ints.push(x);
            }
            _ => {
                let [l, r, u, i, d, z] = ["l", "r", "u", "i", "d", "z"].map(|base| self.name(base));
                let _ = writeln!(self.text, "let {l}: [m_3]i64 = copy b_5");
                let _ = writeln!(self.text, "let {r}: [m_3]i64 = loop ({u}: *[m_3]i64 = {l}) for {i}: i64 < m_3 {{");
                let _ = writeln!(
                    self.text,
                    "let {z}: i64 = add {v} {i}\nlet {d}: [m_3]i64 = update {u}[{i}] = {z}\nin {d} }}"
                );
                self.sum(scope, "m_3", &r);
            }
        }
    }
}

fn program(seed: u64) -> String {
    let mut writer = Writer { seed, next: 10, text: String::new() };
    writer.text += "fun main (n_1: i64) (k_2: i64) (m_3: i64) (a_4: [n_1]i64) (b_5: [m_3]i64) : (i64) = {\n";
    writer.text += "let q_6: bool = lt k_2 1\n";
    let scope = Scope { ints: ["n_1", "k_2", "m_3"].map(String::from).to_vec(), bools: vec!["q_6".to_string()] };
    writer.body(scope, 3);
    writer.text.push('\n');
    writer.text
}

fn inputs() -> Vec<Vec<Value>> {
    let mut inputs = Vec::new();
    for (n, k, m) in [(0, 0, 0), (0, 2, 3), (3, -1, 2), (2, 1, 0), (1, 0, 1), (3, 2, 3), (2, 3, 5)] {
        let a: Vec<i64> = (0..n).map(|i| i * 3 - 2).collect();
        let b: Vec<i64> = (0..m).map(|i| 2 * i).collect();
        let scalars = [n, k, m].map(|x| Value::scalar(Scalar::I64(x)));
        inputs.push(scalars.into_iter().chain([Value::vector(a), Value::vector(b)]).collect());
    }
    inputs
}

#[test]
fn random_programs_keep_their_meaning() {
    let programs = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(200);
    let inputs = inputs();
    for seed in 0..programs {
        let before = crate::common::parse(&program(seed));
        let mut cx = PassCx::default();
        (PASS.run)(&mut before.clone(), &mut cx);
        // All rewrites, and some of them.
        for fuel in [cx.log.used(), cx.log.used() * (seed % 7) / 7] {
            let mut after = before.clone();
            (PASS.run)(&mut after, &mut PassCx::new(&target::C, Log::with_fuel(fuel)));
            crate::common::check(&after);
            for args in &inputs {
                let (old, new) = (crate::common::results(&before, args), crate::common::results(&after, args));
                assert_eq!(old, new, "program {seed} with {args:?}, {fuel} rewrites:\n{before}\nafter:\n{after}");
            }
        }
    }
}
