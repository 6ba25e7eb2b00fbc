//! What modules compute, without types.

use super::{Kind, Known, Module};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A value of some type; which one does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Int(i64),
    Parts(Vec<Value>),
}

impl Value {
    pub(super) fn int(&self) -> i64 {
        match self {
            Value::Int(n) => *n,
            Value::Parts(_) => unreachable!("a number is asked for"),
        }
    }

    pub(super) fn parts(&self) -> &[Value] {
        match self {
            Value::Parts(parts) => parts,
            Value::Int(_) => unreachable!("parts are asked for"),
        }
    }

    pub(super) fn ints(numbers: impl IntoIterator<Item = i64>) -> Value {
        Value::Parts(numbers.into_iter().map(Value::Int).collect())
    }

    /// The wrapped sum of an array of numbers.
    pub(super) fn sum(&self) -> i64 {
        self.parts().iter().fold(0, |sum, n| sum.wrapping_add(n.int()))
    }
}

pub(super) type Function = Rc<dyn Fn(&Value) -> Value>;
pub(super) type MakePoly = Rc<dyn Fn(i64, &Value) -> Value>;

/// A component, a module or a parametric module.
#[derive(Clone)]
pub(super) enum Meaning {
    /// Also for types with size parameters, whose functions take arrays.
    Plain {
        make: Function,
        take: Function,
    },
    Poly {
        make: MakePoly,
        take: Function,
        tag: Function,
    },
    Number(i64, Vec<i64>),
    Module(Table),
    Parametric(Rc<dyn Fn(&Table) -> Meaning>),
}

pub(super) type Table = Rc<BTreeMap<String, Meaning>>;

/// What a part of a program means where it stands.
pub(super) type Means<T> = Rc<dyn Fn(&Table) -> T>;

impl Meaning {
    pub(super) fn table(&self) -> Table {
        match self {
            Meaning::Module(table) => table.clone(),
            _ => unreachable!("a module is asked for"),
        }
    }

    pub(super) fn make(&self, value: &Value) -> Value {
        match self {
            Meaning::Plain { make, .. } => make(value),
            _ => unreachable!("a type is asked for"),
        }
    }

    pub(super) fn take(&self, value: &Value) -> Value {
        match self {
            Meaning::Plain { take, .. } | Meaning::Poly { take, .. } => take(value),
            _ => unreachable!("a type is asked for"),
        }
    }

    pub(super) fn make_poly(&self, n: i64, value: &Value) -> Value {
        match self {
            Meaning::Poly { make, .. } => make(n, value),
            _ => unreachable!("a type with a parameter is asked for"),
        }
    }

    pub(super) fn tag(&self, value: &Value) -> i64 {
        match self {
            Meaning::Poly { tag, .. } => tag(value).int(),
            _ => unreachable!("a type with a parameter is asked for"),
        }
    }

    pub(super) fn number(&self) -> (i64, Vec<i64>) {
        match self {
            Meaning::Number(n, array) => (*n, array.clone()),
            _ => unreachable!("a number is asked for"),
        }
    }

    /// Applied to a module.
    pub(super) fn apply(&self, arg: &Table) -> Meaning {
        match self {
            Meaning::Parametric(fun) => fun(arg),
            _ => unreachable!("a parametric module is asked for"),
        }
    }

    /// As a module type shows it.
    pub(super) fn shown_as(&self, module: &Module) -> Meaning {
        match (self, module) {
            (Meaning::Module(table), Module::Plain(known)) => Meaning::Module(shown(table, known)),
            (Meaning::Parametric(fun), Module::Parametric(known)) => {
                let (fun, result) = (fun.clone(), known.result.clone());
                Meaning::Parametric(Rc::new(move |arg| fun(arg).shown_as(&result)))
            }
            (other, _) => other.clone(),
        }
    }
}

/// The components that a module type names, and no others.
pub(super) fn shown(table: &Table, known: &Known) -> Table {
    let mut out = BTreeMap::new();
    for name in known.components.keys() {
        out.insert(key(name, known.components[name].kind), table[&key(name, known.components[name].kind)].clone());
    }
    for (name, module) in &known.modules {
        out.insert(name.clone(), table[name].shown_as(module));
    }
    Rc::new(out)
}

/// A name in a table. Components of different kinds have names of their own, so that none is hidden by half.
pub(super) fn key(name: &str, kind: Kind) -> String {
    match kind {
        Kind::Number => format!("number {name}"),
        Kind::Plain | Kind::Sized | Kind::Poly => format!("type {name}"),
    }
}

/// What a path means.
pub(super) fn at(table: &Table, prefix: &str, key: &str) -> Meaning {
    let mut table = table.clone();
    for part in prefix.split('.').filter(|part| !part.is_empty()) {
        let next = table[part].table();
        table = next;
    }
    table[key].clone()
}

/// A table with one more entry, which hides an older one.
pub(super) fn with(table: &Table, key: String, meaning: Meaning) -> Table {
    let mut out = (**table).clone();
    out.insert(key, meaning);
    Rc::new(out)
}

/// A table with all entries of another.
pub(super) fn opened(table: &Table, other: &Table) -> Table {
    let mut out = (**table).clone();
    out.extend(other.iter().map(|(key, meaning)| (key.clone(), meaning.clone())));
    Rc::new(out)
}
