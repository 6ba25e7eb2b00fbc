//! Numbers of elements, bytes and iterations as polynomials.
//!
//! What is no sum of products, such as a quotient, is an [`Atom`] with a name of its own; the same expression always
//! has the same name, so that polynomials are equal if they were made alike.
//!
//! Numbers are taken to be small enough that nothing wraps around: this is for people.

use kenaz_base::Symbol;
use kenaz_ir::poly::Poly;
use kenaz_ir::{Fresh, Name};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// An expression that was given a name is written by that name if it is longer than this, in characters.
const SHORT: usize = 24;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Atom {
    Max(Poly, Poly),
    Min(Poly, Poly),
    Quot(Poly, Poly),
    Rem(Poly, Poly),
    /// 1 if the first is less than the second, otherwise 0.
    Less(Poly, Poly),
}

/// What is known about the names in polynomials.
pub struct Sizes {
    fresh: Fresh,
    atoms: FxHashMap<Name, Atom>,
    names: FxHashMap<Atom, Name>,
    /// Names that are not less than a number.
    lowest: FxHashMap<Name, i128>,
    /// What is written for a name.
    texts: FxHashMap<Name, String>,
    /// The variables that the program has for atoms.
    nicknames: FxHashMap<Name, Name>,
}

/// Where the parts of a text are written out that have a name in it: `size = max(m, 1)`.
#[derive(Default)]
pub struct Legend {
    lines: BTreeMap<String, String>,
    is_off: bool,
}

impl Legend {
    /// For texts in which everything is written out.
    pub fn off() -> Legend {
        Legend { is_off: true, ..Legend::default() }
    }

    pub fn into_lines(self) -> Vec<(String, String)> {
        self.lines.into_iter().collect()
    }
}

impl Sizes {
    pub fn new(fresh: Fresh) -> Sizes {
        Sizes {
            fresh,
            atoms: FxHashMap::default(),
            names: FxHashMap::default(),
            lowest: FxHashMap::default(),
            texts: FxHashMap::default(),
            nicknames: FxHashMap::default(),
        }
    }

    // What is known of names

    pub fn fresh(&mut self, base: &str) -> Name {
        self.fresh.named(base)
    }

    pub fn at_least(&mut self, name: Name, n: i128) {
        let lowest = self.lowest.entry(name).or_insert(n);
        *lowest = n.max(*lowest);
    }

    /// Says what is written for a name.
    pub fn call(&mut self, name: Name, text: &str) {
        self.texts.insert(name, text.to_string());
    }

    pub fn text_of(&self, name: Name) -> Option<&String> {
        self.texts.get(&name)
    }

    pub fn is_called(&self, text: &str) -> bool {
        self.texts.values().any(|other| other == text)
    }

    /// Names are called by what they begin with, and numbered, in the order in which they are written, if several begin
    /// alike.
    pub fn called(&mut self, name: Name) -> String {
        if let Some(text) = self.texts.get(&name) {
            return text.clone();
        }
        let text = numbered(name.base.as_str(), |text| self.is_called(text));
        self.texts.insert(name, text.clone());
        text
    }

    /// Notes that a variable is another word for a number.
    pub fn nickname(&mut self, variable: Name, value: &Poly) {
        if let Some(atom) = single(value)
            && self.atoms.contains_key(&atom)
        {
            self.nicknames.entry(atom).or_insert(variable);
        }
    }

    pub fn atom(&self, name: Name) -> Option<&Atom> {
        self.atoms.get(&name)
    }

    /// The atom that a polynomial is.
    pub fn as_atom(&self, x: &Poly) -> Option<&Atom> {
        self.atoms.get(&single(x)?)
    }

    /// The names in a polynomial and in the atoms in it that are no atoms themselves.
    pub fn leaves(&self, x: &Poly) -> BTreeSet<Name> {
        let mut leaves = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut rest: Vec<Name> = x.names().collect();
        while let Some(name) = rest.pop() {
            if !seen.insert(name) {
                continue;
            }
            match self.atoms.get(&name) {
                None => drop(leaves.insert(name)),
                Some(atom) => {
                    let (x, y) = atom.parts();
                    rest.extend(x.names().chain(y.names()));
                }
            }
        }
        leaves
    }

    /// A number that a polynomial is not less than.
    pub fn lowest(&self, x: &Poly) -> Option<i128> {
        x.terms().try_fold(0i128, |sum, (product, n)| {
            let least = product.iter().try_fold(1i128, |least, name| {
                let lowest = self.lowest.get(name).filter(|lowest| **lowest >= 0)?;
                least.checked_mul(*lowest)
            })?;
            if n < 0 && !product.is_empty() {
                return None;
            }
            sum.checked_add(least.checked_mul(n)?)
        })
    }

    /// Whether the first is not less than the second, whatever the sizes are.
    pub fn is_at_least(&self, x: &Poly, y: &Poly) -> bool {
        x.plus(y, -1).and_then(|difference| self.lowest(&difference)).is_some_and(|n| n >= 0)
    }

    // Operations

    pub fn max(&mut self, x: Poly, y: Poly) -> Poly {
        if self.is_at_least(&x, &y) {
            return x;
        }
        if self.is_at_least(&y, &x) {
            return y;
        }
        let lowest = [&x, &y].into_iter().filter_map(|x| self.lowest(x)).max();
        self.make(Atom::Max(x, y), lowest)
    }

    pub fn min(&mut self, x: Poly, y: Poly) -> Poly {
        if self.is_at_least(&x, &y) {
            return y;
        }
        if self.is_at_least(&y, &x) {
            return x;
        }
        let lowest = self.lowest(&x).zip(self.lowest(&y)).map(|(x, y)| x.min(y));
        self.make(Atom::Min(x, y), lowest)
    }

    /// Of a number that is not negative by one that is positive.
    pub fn quot(&mut self, x: Poly, y: Poly) -> Poly {
        if let (Some(n), Some(m)) = (x.as_constant(), y.as_constant())
            && n >= 0
            && m > 0
        {
            return Poly::constant(n / m);
        }
        if let Some(quotient) = x.divided_by(&y) {
            return quotient;
        }
        let lowest = self.lowest(&x).filter(|n| *n >= 0).map(|_| 0);
        self.make(Atom::Quot(x, y), lowest)
    }

    pub fn rem(&mut self, x: Poly, y: Poly) -> Poly {
        if let (Some(n), Some(m)) = (x.as_constant(), y.as_constant())
            && n >= 0
            && m > 0
        {
            return Poly::constant(n % m);
        }
        if x.divided_by(&y).is_some() {
            return Poly::default();
        }
        let lowest = self.lowest(&x).filter(|n| *n >= 0).map(|_| 0);
        self.make(Atom::Rem(x, y), lowest)
    }

    pub fn less(&mut self, x: Poly, y: Poly) -> Poly {
        self.make(Atom::Less(x, y), Some(0))
    }

    fn make(&mut self, atom: Atom, lowest: Option<i128>) -> Poly {
        if let Some(name) = self.names.get(&atom) {
            return Poly::name(*name);
        }
        let name = self.fresh.name(Symbol::intern("atom"));
        if let Some(lowest) = lowest {
            self.lowest.insert(name, lowest);
        }
        self.atoms.insert(name, atom.clone());
        self.names.insert(atom, name);
        Poly::name(name)
    }

    /// The number that is rounded up to a multiple, where a polynomial is one that was: `16 * ceil(x / 16)`.
    pub fn without_rounding(&self, x: &Poly, multiple: i128) -> Poly {
        let mut out = Poly::default();
        for (product, n) in x.terms() {
            let rounded = match product {
                [name] if n % multiple == 0 => self.rounded_up(*name),
                _ => None,
            };
            let (more, factor) = match rounded {
                Some((total, part)) if part.as_constant() == Some(multiple) => (Some(total), n / multiple),
                _ => (product.iter().try_fold(Poly::constant(1), |x, name| x.times(&Poly::name(*name))), n),
            };
            match more.and_then(|more| out.plus(&more, factor)) {
                Some(sum) => out = sum,
                None => return x.clone(),
            }
        }
        out
    }

    /// `total` and `part`, where a name stands for the number of parts that make up the total.
    pub fn rounded_up(&self, name: Name) -> Option<(Poly, Poly)> {
        let Some(Atom::Quot(x, y)) = self.atom(name) else { return None };
        let total = x.plus(y, -1)?.plus(&Poly::constant(1), 1)?;
        // A sum with the divisor in it, and not one that would have it taken away.
        let has_fewer = total.terms().count() <= x.terms().count();
        (has_fewer && self.lowest(&total).is_some_and(|n| n >= 0)).then(|| (total, y.clone()))
    }

    // Text

    pub fn text(&mut self, x: &Poly, legend: &mut Legend) -> String {
        let mut terms: Vec<(&[Name], i128)> = x.terms().collect();
        // Large products first, the constant last, and nothing begins with a minus that need not.
        terms.sort_by_key(|(product, n)| (*n < 0, Reverse(product.len())));
        let mut out = String::new();
        for (i, (product, n)) in terms.iter().enumerate() {
            let sign = match (i, *n < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            let n = n.unsigned_abs();
            let factors: Vec<String> = product.iter().map(|name| self.name_text(*name, legend)).collect();
            let _ = match (&factors[..], n) {
                ([], n) => write!(out, "{sign}{n}"),
                (factors, 1) => write!(out, "{sign}{}", factors.join("*")),
                (factors, n) => write!(out, "{sign}{n}*{}", factors.join("*")),
            };
        }
        if out.is_empty() { "0".to_string() } else { out }
    }

    fn name_text(&mut self, name: Name, legend: &mut Legend) -> String {
        let Some(atom) = self.atoms.get(&name).cloned() else { return self.called(name) };
        let mut inner = Legend { is_off: legend.is_off, ..Legend::default() };
        let text = self.atom_text(name, &atom, &mut inner);
        if text.chars().count() > SHORT
            && !legend.is_off
            && let Some(variable) = self.nicknames.get(&name).copied()
        {
            let nickname = self.called(variable);
            legend.lines.extend(inner.lines);
            legend.lines.insert(nickname.clone(), text);
            return nickname;
        }
        legend.lines.extend(inner.lines);
        text
    }

    fn atom_text(&mut self, name: Name, atom: &Atom, legend: &mut Legend) -> String {
        if let Some((total, part)) = self.rounded_up(name) {
            return format!("ceil({} / {})", self.operand(&total, legend), self.operand(&part, legend));
        }
        let (word, (x, y)) = match atom {
            Atom::Quot(x, y) => {
                return format!("floor({} / {})", self.operand(x, legend), self.operand(y, legend));
            }
            Atom::Rem(x, y) => return format!("({} mod {})", self.operand(x, legend), self.operand(y, legend)),
            Atom::Less(x, y) => return format!("[{} < {}]", self.text(x, legend), self.text(y, legend)),
            Atom::Max(x, y) => ("max", (x, y)),
            Atom::Min(x, y) => ("min", (x, y)),
        };
        format!("{word}({}, {})", self.text(x, legend), self.text(y, legend))
    }

    /// With parentheses if it is a sum or a product.
    fn operand(&mut self, x: &Poly, legend: &mut Legend) -> String {
        let text = self.text(x, legend);
        if x.as_operand().is_some() { text } else { format!("({text})") }
    }
}

impl Atom {
    fn parts(&self) -> (&Poly, &Poly) {
        match self {
            Atom::Max(x, y) | Atom::Min(x, y) | Atom::Quot(x, y) | Atom::Rem(x, y) | Atom::Less(x, y) => (x, y),
        }
    }
}

/// The name that a polynomial is.
pub fn single(x: &Poly) -> Option<Name> {
    let mut terms = x.terms();
    match (terms.next(), terms.next()) {
        (Some(([name], 1)), None) => Some(*name),
        _ => None,
    }
}

/// The word itself, or followed by the first number that makes it new.
pub fn numbered(base: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut texts = (1..).map(|n: usize| if n == 1 { base.to_string() } else { format!("{base}_{n}") });
    texts.find(|text| !is_taken(text)).unwrap_or_else(|| base.to_string())
}
