//! What each rule of the simplifier does, and where it must not apply.
//!
//! The cases are in `simplify_values.ir` and `simplify_bodies.ir`. A case is a program and what becomes of it, up to the choice of names; without
//! the latter, the program stays as it is. Its title begins with the rule that it is about, which must apply, or not at
//! all if there is a `!` in front of it. The meaning of `main` is compared before and after, with whatever number of
//! rewrites, for arguments made up from its parameters.

mod common;

use common::{check, count, results, same};
use kenaz_ir::{Param, PassCx, Prog, Scalar, Type};
use kenaz_optimise::simplify::{OTHERS, PASS, RULES};
use kenaz_runtime::{Data, Value};
use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

const CASES: &[&str] = &[include_str!("simplify_values.ir"), include_str!("simplify_bodies.ir")];

struct Case<'a> {
    title: &'a str,
    rule: &'a str,
    fires: bool,
    before: &'a str,
    after: Option<&'a str>,
}

fn cases() -> Vec<Case<'static>> {
    let read = |text: &'static str| {
        let (title, rest) = text.split_once('\n').expect("a program after the title");
        let (before, after) = match rest.split_once("\n----\n") {
            Some((before, after)) => (before, Some(after)),
            None => (rest, None),
        };
        let name = title.split_once(':').expect("a title after the rule").0;
        let rule = name.trim_start_matches("! ");
        Case { title, rule, fires: rule == name, before, after }
    };
    CASES.iter().flat_map(|cases| cases.split("\n==== ").skip(1)).map(read).collect()
}

/// The names of all rules.
fn rules() -> BTreeSet<&'static str> {
    RULES.iter().flat_map(|rules| rules.iter()).map(|rule| rule.name).chain(OTHERS.iter().copied()).collect()
}

/// A program as text in which names are numbered in the order in which they occur.
fn numbered(prog: &Prog) -> String {
    let text = prog.to_string();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut out = String::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = &text[..];
    while let Some(first) = rest.chars().next() {
        let len = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (word, more) = rest.split_at(len);
        rest = more;
        let is_name = word.rsplit_once('_').is_some_and(|(_, id)| !id.is_empty() && id.chars().all(char::is_numeric));
        if is_name {
            let next = numbers.len();
            out.push_str(&format!("x{}", numbers.entry(word).or_insert(next)));
        } else {
            out.push_str(word);
        }
    }
    out
}

/// Numbers that look random, the same ones in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn scalar(&mut self, ty: &Type) -> Scalar {
        let float = self.pick(&[0.0, -0.0, 1.0, -2.5, f64::NAN, f64::INFINITY, 7.0]);
        let small = self.pick(&[0, 1, 2, 3, 5, 1, 0, -1, -7, i64::MAX, i64::MIN]);
        match Scalar::zero(ty.prim().expect("a parameter that can be given")) {
            Scalar::F32(_) => Scalar::F32(float as f32),
            Scalar::F64(_) => Scalar::F64(float),
            zero => Scalar::from_bits(zero.prim(), small as u64),
        }
    }

    /// Arguments for a function: sizes are small, and fit together.
    fn arguments(&mut self, params: &[Param]) -> Vec<Value> {
        let mut sizes = HashMap::new();
        let is_size = |param: &Param| params.iter().any(|p| p.ty.dims().contains(&param.name.into()));
        params
            .iter()
            .map(|param| match &param.ty {
                Type::Prim(_) if is_size(param) => {
                    let n = self.pick(&[0, 1, 3, 4]);
                    sizes.insert(param.name, n);
                    Value::scalar(Scalar::I64(n))
                }
                Type::Prim(_) => Value::scalar(self.scalar(&param.ty)),
                ty => {
                    let size = |n: &kenaz_ir::Operand| match n {
                        kenaz_ir::Operand::Const(c) => c.bits() as usize,
                        kenaz_ir::Operand::Var(name) => sizes[name] as usize,
                    };
                    let shape: Vec<usize> = ty.dims().iter().map(size).collect();
                    let mut data = Data::empty(ty.prim().expect("an array of scalars"));
                    for _ in 0..shape.iter().product() {
                        assert!(data.push(self.scalar(ty)));
                    }
                    Value::new(shape, data)
                }
            })
            .collect()
    }
}

fn check_case(case: &Case<'_>) {
    assert!(rules().contains(case.rule), "there is no such rule");
    let before = common::parse(case.before);
    let main = before.funs.last().expect("a function `main`");
    let mut random = Random(1);
    let inputs: Vec<Vec<Value>> = (0..12).map(|_| random.arguments(&main.params)).collect();
    let (after, log) = same(&PASS, case.before, &inputs);
    assert_eq!(count(&log, case.rule) > 0, case.fires, "{:?}\n{after}", log.counts());
    let mut prog = before.clone();
    (PASS.run)(&mut prog, &mut PassCx::default());
    let wanted = common::parse(case.after.unwrap_or(case.before));
    assert!(numbered(&prog) == numbered(&wanted), "wanted:\n{wanted}\nbut:\n{prog}{:?}", log.counts());
    // What is simple stays so.
    let mut cx = PassCx::default();
    (PASS.run)(&mut prog, &mut cx);
    assert_eq!(cx.log.used(), 0, "once more: {:?}\n{prog}", cx.log.counts());
    check(&prog);
    assert!(inputs.iter().any(|args| results(&prog, args).is_some()), "always fails");
}

#[test]
fn cases_come_out_as_they_should() {
    let failed = |case: &Case<'static>| {
        let ran = catch_unwind(AssertUnwindSafe(|| check_case(case)));
        ran.is_err().then_some(case.title)
    };
    let failed: Vec<&str> = cases().iter().filter_map(failed).collect();
    assert!(failed.is_empty(), "{} cases: {failed:#?}", failed.len());
}

#[test]
fn every_rule_has_a_case() {
    let covered: BTreeSet<&str> = cases().iter().filter(|case| case.fires).map(|case| case.rule).collect();
    let missing: Vec<&str> = rules().difference(&covered).copied().collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}
