//! Definitions of components.

use super::meaning::{Meaning, Means, Value, at, key};
use super::{Component, Gen, Kind};
use std::rc::Rc;

/// A component as it is written in a body.
pub(super) struct Definition {
    pub text: String,
    pub component: Component,
    pub means: Means<Meaning>,
}

/// Another component that can be named: what stands in front of its name, and the name.
#[derive(Clone)]
pub(super) struct Other {
    pub prefix: String,
    pub name: &'static str,
    pub component: Component,
}

impl Other {
    fn means(&self) -> Means<Meaning> {
        let (prefix, key) = (self.prefix.clone(), key(self.name, self.component.kind));
        Rc::new(move |table| at(table, &prefix, &key))
    }
}

fn add(x: i64, y: i64) -> i64 {
    x.wrapping_add(y)
}

impl Gen {
    pub(super) fn other(&mut self, kind: Kind) -> Option<Other> {
        self.some(kind).map(|(prefix, name, component)| Other { prefix, name, component })
    }

    pub(super) fn definition(&mut self, name: &'static str, kind: Kind) -> Definition {
        match kind {
            Kind::Plain => self.plain(name),
            Kind::Sized => self.sized(name),
            Kind::Poly => self.poly(name),
            Kind::Number => self.number(name),
        }
    }

    /// A type that is another one by another name, with functions of its own.
    pub(super) fn alias(&mut self, name: &'static str, other: &Other) -> Definition {
        let (p, u, of) = (&other.prefix, other.name, other.means());
        let k = 1 + self.choices.below(5) as i64;
        let renamed = self.choices.chance(2);
        let (text, means): (String, Means<Meaning>) = match other.component.kind {
            // A function that is only renamed is the other one's, whatever type it is written with.
            Kind::Plain if renamed => {
                (format!("type {name} = {p}{u}\ndef un_{name} = {p}un_{u}\ndef mk_{name} = {p}mk_{u}\n"), of)
            }
            Kind::Plain => (
                format!(
                    "type {name} = {p}{u}\ndef un_{name} (x: {name}) : i64 = {p}un_{u} x + {k}\n\
                     def mk_{name} (x: i64) : {name} = {p}mk_{u} (x * {k})\n"
                ),
                Rc::new(move |table| {
                    let (make, take) = (of(table), of(table));
                    Meaning::Plain {
                        make: Rc::new(move |x| make.make(&Value::Int(x.int().wrapping_mul(k)))),
                        take: Rc::new(move |x| Value::Int(add(take.take(x).int(), k))),
                    }
                }),
            ),
            Kind::Sized => (
                format!(
                    "type {name} [n] = {p}{u} [n]\ndef un_{name} [n] (x: {name} [n]) : [n]i64 = {p}un_{u} x\n\
                     def mk_{name} [n] (x: [n]i64) : {name} [n] = {p}mk_{u} x\n"
                ),
                of,
            ),
            Kind::Poly => (
                format!(
                    "type {name} 'b = {p}{u} b\ndef un_{name} 'a (x: {name} a) : a = {p}un_{u} x\n\
                     def tag_{name} 'a (x: {name} a) : i64 = {p}tag_{u} x\n\
                     def mk_{name} 'a (k: i64) (x: a) : {name} a = {p}mk_{u} k x\n"
                ),
                of,
            ),
            Kind::Number => (
                format!(
                    "def {name}_ = {p}{u}\ndef {name} = {name}_\ndef arr_{name} = {p}arr_{u} :> [{name}]i64\n\
                     def few_{name} (x: i64) : []i64 = {p}few_{u} x\n"
                ),
                of,
            ),
        };
        Definition { text, component: other.component, means }
    }

    fn plain(&mut self, name: &'static str) -> Definition {
        let k = 1 + self.choices.below(7) as i64;
        let other = self.other(Kind::Plain);
        let (sized, poly, number) = (self.other(Kind::Sized), self.other(Kind::Poly), self.other(Kind::Number));
        let weights = [3, 2, 1, 5 * usize::from(other.is_some()), 4 * usize::from(other.is_some())];
        let more = [sized.is_some(), poly.is_some() && other.is_some(), number.is_some(), other.is_some()];
        let weights: Vec<usize> = weights.into_iter().chain(more.map(|has| 2 * usize::from(has))).collect();
        let id = self.id();
        let component = Component { kind: Kind::Plain, id };
        let (text, means): (String, Means<Meaning>) = match (self.choices.weighted(&weights), other) {
            (3, Some(other)) => return self.alias(name, &other),
            (4, Some(o)) => {
                let (p, u, of) = (&o.prefix, o.name, o.means());
                (
                    format!(
                        "type {name} = ({p}{u}, i64)\ndef un_{name} ((x, y): {name}) : i64 = {p}un_{u} x * 3 + y\n\
                         def mk_{name} (x: i64) : {name} = ({p}mk_{u} (x + {k}), x)\n"
                    ),
                    Rc::new(move |table| {
                        let (make, take) = (of(table), of(table));
                        Meaning::Plain {
                            make: Rc::new(move |x| {
                                Value::Parts(vec![make.make(&Value::Int(add(x.int(), k))), x.clone()])
                            }),
                            take: Rc::new(move |x| {
                                let first = take.take(&x.parts()[0]).int();
                                Value::Int(add(first.wrapping_mul(3), x.parts()[1].int()))
                            }),
                        }
                    }),
                )
            }
            (5, _) if sized.is_some() => {
                let o = sized.expect("there is one");
                let (p, u, of) = (&o.prefix, o.name, o.means());
                (
                    format!(
                        "type {name} = {p}{u} [3]\ndef un_{name} (x: {name}) : i64 = i64.sum ({p}un_{u} x) + {k}\n\
                         def mk_{name} (x: i64) : {name} = {p}mk_{u} [x, {k}, x + 1]\n"
                    ),
                    Rc::new(move |table| {
                        let (make, take) = (of(table), of(table));
                        Meaning::Plain {
                            make: Rc::new(move |x| make.make(&Value::ints([x.int(), k, add(x.int(), 1)]))),
                            take: Rc::new(move |x| Value::Int(add(take.take(x).sum(), k))),
                        }
                    }),
                )
            }
            (6, Some(o)) if poly.is_some() => {
                let c = poly.expect("there is one");
                let (p, u, of) = (&o.prefix, o.name, o.means());
                let (q, v, box_of) = (&c.prefix, c.name, c.means());
                (
                    format!(
                        "type {name} = {q}{v} {p}{u}\n\
                         def un_{name} (x: {name}) : i64 = {q}tag_{v} x * {k} + {p}un_{u} ({q}un_{v} x)\n\
                         def mk_{name} (x: i64) : {name} = {q}mk_{v} {k} ({p}mk_{u} x)\n"
                    ),
                    Rc::new(move |table| {
                        let (make, take) = (of(table), of(table));
                        let (wrap, unwrap) = (box_of(table), box_of(table));
                        Meaning::Plain {
                            make: Rc::new(move |x| wrap.make_poly(k, &make.make(x))),
                            take: Rc::new(move |x| {
                                let inner = take.take(&unwrap.take(x)).int();
                                Value::Int(add(unwrap.tag(x).wrapping_mul(k), inner))
                            }),
                        }
                    }),
                )
            }
            (7, _) if number.is_some() => {
                let o = number.expect("there is one");
                let (p, u, of) = (&o.prefix, o.name, o.means());
                (
                    format!(
                        "type {name} = [{p}{u}]i64\ndef un_{name} (x: {name}) : i64 = i64.sum x + {k}\n\
                         def mk_{name} (x: i64) : {name} = map (+ x) {p}arr_{u}\n"
                    ),
                    Rc::new(move |table| {
                        let (_, array) = of(table).number();
                        Meaning::Plain {
                            make: Rc::new(move |x| Value::ints(array.iter().map(|y| add(*y, x.int())))),
                            take: Rc::new(move |x| Value::Int(add(x.sum(), k))),
                        }
                    }),
                )
            }
            (8, Some(o)) => {
                let (p, u, of) = (&o.prefix, o.name, o.means());
                (
                    format!(
                        "type {name} = #one{id} i64 | #two{id} {p}{u}\n\
                         def un_{name} (x: {name}) : i64 = match x case #one{id} y -> y case #two{id} y -> {p}un_{u} y\n\
                         def mk_{name} (x: i64) : {name} = if x < {k} then #one{id} x else #two{id} ({p}mk_{u} x)\n"
                    ),
                    Rc::new(move |table| {
                        let (make, take) = (of(table), of(table));
                        Meaning::Plain {
                            make: Rc::new(move |x| match x.int() < k {
                                true => Value::Parts(vec![x.clone()]),
                                false => Value::Parts(vec![x.clone(), make.make(x)]),
                            }),
                            take: Rc::new(move |x| match x.parts() {
                                [x] => x.clone(),
                                parts => take.take(&parts[1]),
                            }),
                        }
                    }),
                )
            }
            (1, _) => (
                format!(
                    "type {name} = {{f: i64, g: i64}}\ndef un_{name} (x: {name}) : i64 = x.f + x.g\n\
                     def mk_{name} (x: i64) : {name} = {{f = {k} * x, g = x}}\n"
                ),
                Rc::new(move |_| Meaning::Plain {
                    make: Rc::new(move |x| Value::ints([x.int().wrapping_mul(k), x.int()])),
                    take: Rc::new(|x| Value::Int(x.sum())),
                }),
            ),
            (2, _) => (
                format!(
                    "type {name} = [2]i64\ndef un_{name} (x: {name}) : i64 = x[0] + x[1]\n\
                     def mk_{name} (x: i64) : {name} = [x, {k}]\n"
                ),
                Rc::new(move |_| Meaning::Plain {
                    make: Rc::new(move |x| Value::ints([x.int(), k])),
                    take: Rc::new(|x| Value::Int(x.sum())),
                }),
            ),
            _ => (
                format!(
                    "type {name} = i64\ndef un_{name} (x: {name}) : i64 = x\n\
                     def mk_{name} (x: i64) : {name} = x * {k}\n"
                ),
                Rc::new(move |_| Meaning::Plain {
                    make: Rc::new(move |x| Value::Int(x.int().wrapping_mul(k))),
                    take: Rc::new(Value::clone),
                }),
            ),
        };
        Definition { text, component, means }
    }

    /// Which of its ways a type with a parameter is made in; some need a type to be made of.
    fn way(&mut self, other: Option<&Other>, plain: Option<&Other>) -> usize {
        let (other, plain) = (3 * usize::from(other.is_some()), 3 * usize::from(plain.is_some()));
        self.choices.weighted(&[3, 2, other, other, plain])
    }

    fn sized(&mut self, name: &'static str) -> Definition {
        let k = 1 + self.choices.below(7) as i64;
        let (plain, other) = (self.other(Kind::Plain), self.other(Kind::Sized));
        let component = Component { kind: Kind::Sized, id: self.id() };
        let (text, means): (String, Means<Meaning>) = match (self.way(other.as_ref(), plain.as_ref()), other, plain) {
            (2, Some(other), _) => return self.alias(name, &other),
            (3, Some(o), _) => {
                let (p, u, of) = (&o.prefix, o.name, o.means());
                (
                    format!(
                        "type {name} [n] = ({p}{u} [n], [n]i64)\n\
                         def un_{name} [n] ((x, y): {name} [n]) : [n]i64 = map2 (+) ({p}un_{u} x) y\n\
                         def mk_{name} [n] (x: [n]i64) : {name} [n] = ({p}mk_{u} x, map (* {k}) x)\n"
                    ),
                    Rc::new(move |table| {
                        let (make, take) = (of(table), of(table));
                        Meaning::Plain {
                            make: Rc::new(move |x| {
                                let scaled = Value::ints(x.parts().iter().map(|y| y.int().wrapping_mul(k)));
                                Value::Parts(vec![make.make(x), scaled])
                            }),
                            take: Rc::new(move |x| {
                                let first = take.take(&x.parts()[0]);
                                let pairs = first.parts().iter().zip(x.parts()[1].parts());
                                Value::ints(pairs.map(|(a, b)| add(a.int(), b.int())))
                            }),
                        }
                    }),
                )
            }
            (4, _, Some(o)) => {
                let (p, u, of) = (&o.prefix, o.name, o.means());
                (
                    format!(
                        "type {name} [n] = [n]({p}{u})\n\
                         def un_{name} [n] (x: {name} [n]) : [n]i64 = map {p}un_{u} x\n\
                         def mk_{name} [n] (x: [n]i64) : {name} [n] = map (\\y -> {p}mk_{u} (y + {k})) x\n"
                    ),
                    Rc::new(move |table| {
                        let (make, take) = (of(table), of(table));
                        Meaning::Plain {
                            make: Rc::new(move |x| {
                                let elem = |y: &Value| make.make(&Value::Int(add(y.int(), k)));
                                Value::Parts(x.parts().iter().map(elem).collect())
                            }),
                            take: Rc::new(move |x| Value::Parts(x.parts().iter().map(|y| take.take(y)).collect())),
                        }
                    }),
                )
            }
            (1, _, _) => (
                format!(
                    "type {name} [n] = {{f: i64, g: [n]i64}}\n\
                     def un_{name} [n] (x: {name} [n]) : [n]i64 = map (+ x.f) x.g\n\
                     def mk_{name} [n] (x: [n]i64) : {name} [n] = {{f = {k} + n, g = x}}\n"
                ),
                Rc::new(move |_| Meaning::Plain {
                    make: Rc::new(move |x| Value::Parts(vec![Value::Int(k + x.parts().len() as i64), x.clone()])),
                    take: Rc::new(|x| {
                        let f = x.parts()[0].int();
                        Value::ints(x.parts()[1].parts().iter().map(|y| add(y.int(), f)))
                    }),
                }),
            ),
            _ => (
                format!(
                    "type {name} [n] = [n]i64\ndef un_{name} [n] (x: {name} [n]) : [n]i64 = x\n\
                     def mk_{name} [n] (x: [n]i64) : {name} [n] = map (+ {k}) x\n"
                ),
                Rc::new(move |_| Meaning::Plain {
                    make: Rc::new(move |x| Value::ints(x.parts().iter().map(|y| add(y.int(), k)))),
                    take: Rc::new(Value::clone),
                }),
            ),
        };
        Definition { text, component, means }
    }

    fn poly(&mut self, name: &'static str) -> Definition {
        let k = 1 + self.choices.below(7) as i64;
        let (plain, other) = (self.other(Kind::Plain), self.other(Kind::Poly));
        let component = Component { kind: Kind::Poly, id: self.id() };
        let (text, means): (String, Means<Meaning>) = match (self.way(other.as_ref(), plain.as_ref()), other, plain) {
            (2, Some(other), _) => return self.alias(name, &other),
            (3, Some(o), _) => {
                let (p, u, of) = (&o.prefix, o.name, o.means());
                (
                    format!(
                        "type {name} 'a = (i64, {p}{u} a)\ndef un_{name} 'a (x: {name} a) : a = {p}un_{u} x.1\n\
                         def tag_{name} 'b ((x, y): {name} b) : i64 = x + {p}tag_{u} y\n\
                         def mk_{name} 'a (k: i64) (x: a) : {name} a = (k * {k}, {p}mk_{u} (k + 1) x)\n"
                    ),
                    Rc::new(move |table| {
                        let (make, take, tag) = (of(table), of(table), of(table));
                        Meaning::Poly {
                            make: Rc::new(move |n, x| {
                                Value::Parts(vec![Value::Int(n.wrapping_mul(k)), make.make_poly(add(n, 1), x)])
                            }),
                            take: Rc::new(move |x| take.take(&x.parts()[1])),
                            tag: Rc::new(move |x| Value::Int(add(x.parts()[0].int(), tag.tag(&x.parts()[1])))),
                        }
                    }),
                )
            }
            (4, _, Some(o)) => {
                let (p, u, of) = (&o.prefix, o.name, o.means());
                (
                    format!(
                        "type {name} 'a = {{f: a, g: {p}{u}}}\n\
                         def tag_{name} 'a (x: {name} a) : i64 = {p}un_{u} x.g\n\
                         def un_{name} 'a (x: {name} a) : a = x.f\n\
                         def mk_{name} 'a (k: i64) (x: a) : {name} a = {{g = {p}mk_{u} (k * {k}), f = x}}\n"
                    ),
                    Rc::new(move |table| {
                        let (make, tag) = (of(table), of(table));
                        Meaning::Poly {
                            make: Rc::new(move |n, x| {
                                Value::Parts(vec![make.make(&Value::Int(n.wrapping_mul(k))), x.clone()])
                            }),
                            take: Rc::new(|x| x.parts()[1].clone()),
                            tag: Rc::new(move |x| tag.take(&x.parts()[0])),
                        }
                    }),
                )
            }
            (1, _, _) => (
                format!(
                    "type {name} 'a = [2]a\ndef un_{name} 'a (x: {name} a) : a = x[1]\n\
                     def tag_{name} 'a (x: {name} a) : i64 = length x\n\
                     def mk_{name} 'a (_: i64) (x: a) : {name} a = replicate 2 x\n"
                ),
                Rc::new(move |_| Meaning::Poly {
                    make: Rc::new(|_, x| x.clone()),
                    take: Rc::new(Value::clone),
                    tag: Rc::new(|_| Value::Int(2)),
                }),
            ),
            _ => (
                format!(
                    "type {name} 'a = (a, i64)\ndef un_{name} 'a ((x, _): {name} a) : a = x\n\
                     def tag_{name} 'a (x: {name} a) : i64 = x.1\n\
                     def mk_{name} 'a (k: i64) (x: a) : {name} a = (x, k + {k})\n"
                ),
                Rc::new(move |_| Meaning::Poly {
                    make: Rc::new(move |n, x| Value::Parts(vec![x.clone(), Value::Int(add(n, k))])),
                    take: Rc::new(|x| x.parts()[0].clone()),
                    tag: Rc::new(|x| x.parts()[1].clone()),
                }),
            ),
        };
        Definition { text, component, means }
    }

    fn number(&mut self, name: &'static str) -> Definition {
        let k = self.choices.below(4) as i64;
        let other = self.other(Kind::Number);
        let component = Component { kind: Kind::Number, id: self.id() };
        let weights = [3, 2 * usize::from(other.is_some()), 2 * usize::from(other.is_some())];
        let (text, means): (String, Means<Meaning>) = match (self.choices.weighted(&weights), other) {
            (1, Some(o)) => {
                let (p, u, of) = (&o.prefix, o.name, o.means());
                (
                    format!(
                        "def {name}_ = ({p}{u} + {k}) % 4\ndef {name} = {name}_\ndef arr_{name} = tabulate {name} (+ {k})\n"
                    ),
                    Rc::new(move |table| {
                        let n = (of(table).number().0 + k) % 4;
                        Meaning::Number(n, (0..n).map(|i| i + k).collect())
                    }),
                )
            }
            (2, Some(o)) => {
                let (p, u, of) = (&o.prefix, o.name, o.means());
                (
                    format!(
                        "def arr_{name}_ = map (+ {k}) {p}arr_{u}\ndef {name} = {p}{u}\ndef arr_{name} = arr_{name}_ :> [{name}]i64\n"
                    ),
                    Rc::new(move |table| {
                        let (n, array) = of(table).number();
                        Meaning::Number(n, array.into_iter().map(|x| add(x, k)).collect())
                    }),
                )
            }
            _ => (
                format!("def {name} = {k}i64\ndef arr_{name} = iota {name}\n"),
                Rc::new(move |_| Meaning::Number(k, (0..k).collect())),
            ),
        };
        let text = format!("{text}{}\n", self.few(name));
        Definition { text, component, means }
    }

    /// A function that yields the elements of an array below a number, of a size that nobody knows before.
    fn few(&mut self, name: &str) -> String {
        let head = format!("def few_{name} (x: i64)");
        match self.choices.below(5) {
            0 => format!("{head} : []i64 = filter (< x) arr_{name}"),
            1 => format!("{head} = filter (\\y -> y < x) arr_{name}"),
            2 => format!("{head} : ?[k].[k]i64 = let [k] (ys: [k]i64) = filter (< x) arr_{name} in map id ys"),
            3 => format!("{head} : []i64 = loop ys = [] for y in arr_{name} do if y < x then ys ++ [y] else ys"),
            _ => format!("{head} : []i64 = copy (partition (< x) arr_{name}).0"),
        }
    }
}
