//! Whole programs about modules.

use super::bodies::Declarations;
use super::meaning::{Meaning, Table, Value, at, key, opened};
use super::{Gen, Kind, Known};
use crate::choices::Choices;

/// A program about modules, and what it computes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModuleProgram {
    /// The program without its entry point.
    pub declarations: String,
    /// An expression over `x: i64`, of type `[]i64`.
    pub result: String,
    pub cases: Vec<Case>,
    /// What it was made from, for [`replay_modules`].
    pub choices: Vec<u64>,
}

/// A value of `x`, and what the result is for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    pub x: i64,
    pub result: Vec<i64>,
}

impl Case {
    /// As text, in the format of data files.
    pub fn input(&self) -> String {
        format!("{}i64", self.x)
    }

    pub fn output(&self) -> String {
        let numbers: Vec<String> = self.result.iter().map(|n| format!("{n}i64")).collect();
        if numbers.is_empty() { "empty([0]i64)".to_string() } else { format!("[{}]", numbers.join(", ")) }
    }
}

/// The program of a seed, which is the same everywhere.
pub fn generate_modules(seed: u64) -> ModuleProgram {
    make(Choices::random(seed))
}

/// The program that is made from some choices. Any choices make a program.
pub fn replay_modules(choices: &[u64]) -> ModuleProgram {
    make(Choices::replay(choices))
}

impl ModuleProgram {
    /// The whole program, after a test block.
    pub fn with_tests(&self) -> String {
        let main = format!("entry main (x: i64) : []i64 = {}", self.result);
        format!("{}\n{}\n{main}\n", self.tests("main"), self.declarations)
    }

    /// The program as one of many in a file, each in a module with its own entry point.
    pub fn in_module(&self, name: &str) -> String {
        let inner = format!("{}def main (x: i64) : []i64 = {}", self.declarations, self.result);
        let entry = format!("entry {name} (x: i64) : []i64 = in_{name}.main x");
        format!("{}\nmodule in_{name} = {{\n{inner}\n}}\n{entry}\n", self.tests(name))
    }

    fn tests(&self, entry: &str) -> String {
        let mut text = format!("-- ==\n-- entry: {entry}\n");
        for case in &self.cases {
            text.push_str(&format!("-- input {{ {} }}\n-- output {{ {} }}\n", case.input(), case.output()));
        }
        text
    }
}

type Result = Box<dyn Fn(&Table, i64) -> i64>;
/// A number made with a component, given where it stands and `x`.
type Use = Box<dyn Fn(&Meaning, &Table, i64) -> i64>;

fn make(choices: Choices) -> ModuleProgram {
    let mut g = Gen { choices, scope: Known::default(), signatures: Vec::new(), next: 0, modules: 0 };
    let mut decs = Declarations::default();
    let mut count = 0;
    while count < 8 && g.choices.more(9) {
        g.extra(&mut decs, 2, true);
        count += 1;
    }
    let (mut texts, mut means): (Vec<String>, Vec<Result>) = (Vec::new(), Vec::new());
    let mut all = Vec::new();
    for kind in [Kind::Plain, Kind::Sized, Kind::Poly, Kind::Number] {
        all.extend(g.reachable(kind));
    }
    for (prefix, name, component) in all.into_iter().take(40) {
        let (p, u, kind) = (&prefix, name, component.kind);
        let style = g.choices.below(3);
        let poly_of = if kind == Kind::Poly { g.other(Kind::Plain) } else { None };
        let (text, result): (String, Use) = match kind {
            Kind::Plain if style == 1 && !p.is_empty() => {
                (format!("{p}(un_{u} (mk_{u} x))"), Box::new(|m, _, x| m.take(&m.make(&Value::Int(x))).int()))
            }
            Kind::Plain if style == 2 => (
                format!("(let ys = map {p}mk_{u} [x, 2, 3] in i64.sum (map {p}un_{u} ys))"),
                Box::new(|m, _, x| {
                    [x, 2, 3].iter().fold(0, |sum: i64, y| sum.wrapping_add(m.take(&m.make(&Value::Int(*y))).int()))
                }),
            ),
            Kind::Plain => {
                (format!("{p}un_{u} ({p}mk_{u} x)"), Box::new(|m, _, x| m.take(&m.make(&Value::Int(x))).int()))
            }
            Kind::Sized => (
                format!("i64.sum ({p}un_{u} ({p}mk_{u} [x, 1, 2, x]))"),
                Box::new(|m, _, x| m.take(&m.make(&Value::ints([x, 1, 2, x]))).sum()),
            ),
            Kind::Poly => match poly_of {
                Some(o) => {
                    let (q, v, at_key) = (o.prefix.clone(), o.name, key(o.name, Kind::Plain));
                    let prefix = o.prefix;
                    (
                        format!("(let y = {p}mk_{u} x ({q}mk_{v} 5) in {p}tag_{u} y + {q}un_{v} ({p}un_{u} y))"),
                        Box::new(move |m, table, x| {
                            let other = at(table, &prefix, &at_key);
                            let y = m.make_poly(x, &other.make(&Value::Int(5)));
                            m.tag(&y).wrapping_add(other.take(&m.take(&y)).int())
                        }),
                    )
                }
                None => (
                    format!("(let y = {p}mk_{u} x (x + 1) in {p}tag_{u} y + {p}un_{u} y)"),
                    Box::new(|m, _, x| {
                        let y = m.make_poly(x, &Value::Int(x.wrapping_add(1)));
                        m.tag(&y).wrapping_add(m.take(&y).int())
                    }),
                ),
            },
            Kind::Number if style == 1 => (
                format!("(let ys = {p}few_{u} x in length ys + i64.sum (map (+ length ys) ys))"),
                Box::new(|m, _, x| {
                    let few: Vec<i64> = m.number().1.into_iter().filter(|y| *y < x).collect();
                    let n = few.len() as i64;
                    few.iter().fold(n, |sum, y| sum.wrapping_add(y.wrapping_add(n)))
                }),
            ),
            Kind::Number => (
                format!("i64.sum (map (* x) {p}arr_{u}) + {p}{u}"),
                Box::new(|m, _, x| {
                    let (n, array) = m.number();
                    array.iter().fold(n, |sum, y| sum.wrapping_add(y.wrapping_mul(x)))
                }),
            ),
        };
        texts.push(text);
        let key = key(name, kind);
        means.push(Box::new(move |table, x| result(&at(table, &prefix, &key), table, x)));
    }
    let mut table = Table::default();
    for (_, dec) in &decs.means {
        let more = dec(&table);
        table = opened(&table, &more);
    }
    let cases = [0, 3, -7].map(|x| Case { x, result: means.iter().map(|f| f(&table, x)).collect() }).to_vec();
    let result = if texts.is_empty() { "[x][1:]".to_string() } else { format!("[{}]", texts.join(",\n  ")) };
    let (choices, _) = g.choices.finish();
    ModuleProgram { declarations: decs.text, result, cases, choices }
}
