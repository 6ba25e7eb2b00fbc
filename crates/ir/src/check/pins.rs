//! Whether a pass has left pinned operators alone: a comparison of the programs before and after it.
//!
//! A *pin* is an operator at a place of the program text with an attribute that pins it ([`Attrs::is_pin`]). Passes may
//! copy pins, where functions are inlined or loops unrolled, and drop those whose results nobody needs. Everything else
//! shows in a census of both programs:
//!
//! - A pin that is gone has taken its work along: nothing of what only it computed is left elsewhere, and no operator
//!   is left at its place without the attribute. Otherwise it was merged with another one, or has lost its attribute.
//! - No operator is pinned that was not.
//! - No operator is inside of a pin that was not before, so that nothing was fused into it, but for what `#[source]`
//!   says is computed where it is read.
//! - The loops and operators around a pin are those that were, but for those that are gone and, where those have become
//!   part of others, as many others. Of several at one place, one may be gone. So it was not moved out of or into one. A pin inside of what is
//!   computed where it is read may be in more than before.
//! - Pins with the same around them are in the order in which they were.
//!
//! Operators are recognised by their places, since passes give new names; without a place, by the name that they bind.
//! A wish may be refused by any pass, so that only the last three rules are about it. Nothing is said about programs
//! with derivatives, which have several operators for one. Calls are followed. The cost is that of a traversal of both
//! programs, if there are pins at all.

use super::{CheckError, Checked, Rule};
use crate::exp::Exp;
use crate::prog::{Attrs, Body, Fun, LocId, Locs, Prog, Stm};
use crate::visit::{Visit, for_each_body, walk};
use kenaz_base::{Attr, Symbol, with_stack};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Whether the pins of the first program are those of the second, which a pass made of it.
pub fn pins(before: &Prog, after: &Prog) -> Result<(), CheckError> {
    let (then, now) = (Found::of(before), Found::of(after));
    // A derivative has several operators for one.
    if !then.pin && !now.pin || then.derivative {
        return Ok(());
    }
    compare(&Census::of(before), &Census::of(after)).map_err(|error| *error)
}

/// What there is in a program.
#[derive(Default)]
struct Found {
    pin: bool,
    derivative: bool,
}

impl Found {
    fn of(prog: &Prog) -> Found {
        let mut found = Found::default();
        prog.funs.iter().for_each(|fun| found.fun(fun));
        found
    }
}

impl Visit for Found {
    fn stm(&mut self, stm: &Stm) {
        self.pin |= stm.attrs.is_pin();
        self.derivative |= matches!(stm.exp, Exp::Jvp(..) | Exp::Vjp(..));
        walk::stm(self, stm);
    }
}

/// Where an operator is, and the attribute that pins it.
type Key = (Symbol, Attr);

/// A function and the place where it is called, what is around that, and what pins its operators.
type Call = (Symbol, Symbol, Vec<Symbol>, Vec<Key>, Vec<Attr>);

#[derive(Default)]
struct Pin {
    fun: Option<Symbol>,
    stm: String,
    is_wish: bool,
    /// The places of operators inside.
    operators: BTreeSet<Symbol>,
    /// The places of all statements inside.
    inside: BTreeSet<Symbol>,
    /// The places of operators and loops around it.
    around: BTreeSet<Symbol>,
}

#[derive(Default)]
struct Census<'a> {
    funs: FxHashMap<Symbol, &'a Fun>,
    locs: Option<&'a Locs>,
    pins: BTreeMap<Key, Pin>,
    /// The pins in the order in which they first occur.
    order: Vec<Key>,
    /// The places of operators and loops, and how many there are at each: one expression may be several of them.
    operators: BTreeMap<Symbol, usize>,
    /// The places of operators that are not pinned, and of statements that are in no pin.
    unpinned: BTreeSet<Symbol>,
    free: BTreeSet<Symbol>,
    /// The places of operators that are to be computed where they are read, and of those inside.
    sources: BTreeSet<Symbol>,
    is_source: bool,
    /// What is around the statement that is looked at: places of operators and loops, and pins.
    around: Vec<Symbol>,
    open: Vec<Key>,
    fun: Option<Symbol>,
    /// The places of the calls that are followed, which statements of a library have for want of their own.
    calls: Vec<Symbol>,
    /// Calls that were followed.
    seen: FxHashSet<Call>,
}

impl<'a> Census<'a> {
    fn of(prog: &'a Prog) -> Census<'a> {
        let funs = prog.funs.iter().map(|fun| (fun.name, fun)).collect();
        let mut census = Census { funs, locs: Some(&prog.locs), ..Census::default() };
        let has_entries = prog.funs.iter().any(|fun| fun.entry.is_some());
        for fun in prog.funs.iter().filter(|fun| !has_entries || fun.entry.is_some()) {
            census.fun = Some(fun.name);
            census.body(&fun.body, &[]);
        }
        census
    }

    fn place(&self, stm: &Stm) -> Symbol {
        let written = |loc: LocId| self.locs.and_then(|locs| locs.chain(loc).first().copied());
        let known = written(stm.loc).or(self.calls.last().copied());
        known.unwrap_or_else(|| stm.pat.first().map_or(Symbol::intern(""), |param| param.name.base))
    }

    /// A body, and the attributes that hold for operators at its top.
    fn body(&mut self, body: &Body, given: &[Attr]) {
        with_stack(|| body.stms.iter().for_each(|stm| self.stm(stm, given)));
    }

    fn stm(&mut self, stm: &Stm, given: &[Attr]) {
        let place = self.place(stm);
        for key in &self.open {
            self.pins.entry(*key).or_default().inside.insert(place);
        }
        if self.open.is_empty() {
            self.free.insert(place);
        }
        let own = given.iter().copied().chain(stm.attrs.0.iter().copied().filter(|attr| attr.pins()));
        let said: BTreeSet<Attr> = own.collect();
        match &stm.exp {
            Exp::Call(f, _) => {
                let said: Vec<Attr> = said.into_iter().collect();
                let here = (*f, place, self.around.clone(), self.open.clone(), said.clone());
                if let Some(fun) = self.funs.get(f).copied()
                    && self.seen.insert(here)
                {
                    self.calls.push(place);
                    self.body(&fun.body, &said);
                    self.calls.pop();
                }
            }
            Exp::If(..) | Exp::Match(..) => {
                let said: Vec<Attr> = said.into_iter().collect();
                for_each_body(&stm.exp, |body| self.body(body, &said));
            }
            exp @ (Exp::Soac(_) | Exp::Par(_) | Exp::Loop { .. }) => {
                let is_loop = matches!(exp, Exp::Loop { .. });
                *self.operators.entry(place).or_default() += 1;
                let was_source = self.is_source;
                self.is_source |= stm.attrs.0.iter().any(|attr| attr.wanted() == Attr::Source);
                if self.is_source {
                    self.sources.insert(place);
                }
                if !is_loop {
                    for key in &self.open {
                        self.pins.entry(*key).or_default().operators.insert(place);
                    }
                }
                // A loop is no operator, but an operator may have become one.
                let said: BTreeSet<Attr> = match is_loop {
                    true => said.into_iter().filter(|attr| stm.attrs.0.contains(attr)).collect(),
                    false => said,
                };
                if said.is_empty() {
                    self.unpinned.insert(place);
                }
                let depth = self.open.len();
                for attr in said {
                    self.pin((place, attr.wanted()), attr.is_wish(), stm);
                }
                self.around.push(place);
                for_each_body(exp, |body| self.body(body, &[]));
                self.around.pop();
                self.open.truncate(depth);
                self.is_source = was_source;
            }
            exp => for_each_body(exp, |body| self.body(body, &[])),
        }
    }

    fn pin(&mut self, key: Key, is_wish: bool, stm: &Stm) {
        if !self.pins.contains_key(&key) {
            self.order.push(key);
        }
        let pin = self.pins.entry(key).or_default();
        pin.fun = pin.fun.or(self.fun);
        pin.is_wish |= is_wish;
        if pin.stm.is_empty() {
            pin.stm = stm.to_string();
        }
        pin.around.extend(self.around.iter().filter(|place| **place != key.0));
        self.open.push(key);
    }
}

fn compare(before: &Census<'_>, after: &Census<'_>) -> Checked {
    for (key, pin) in &before.pins {
        let Some(now) = after.pins.get(key) else {
            if pin.is_wish {
                continue;
            }
            let is_elsewhere = |place: &&Symbol| {
                let is_new = |(other, now): (&Key, &Pin)| {
                    let known = before.pins.get(other);
                    now.inside.contains(*place) && !known.is_some_and(|known| known.inside.contains(*place))
                };
                after.free.contains(*place) || after.pins.iter().any(is_new)
            };
            if after.unpinned.contains(&key.0) && !before.unpinned.contains(&key.0) {
                return wrong(*key, pin, "has lost its attribute");
            }
            let own = pin.inside.iter().filter(|place| !before.free.contains(*place) && **place != key.0);
            if own.clone().any(|place| is_elsewhere(&place)) {
                return wrong(*key, pin, "is gone, but not what it computes");
            }
            continue;
        };
        let is_new =
            |place: &Symbol| *place != key.0 && !pin.operators.contains(place) && !before.sources.contains(place);
        if now.operators.iter().any(is_new) {
            return wrong(*key, now, "has another operator inside than before");
        }
        let new = now.around.difference(&pin.around).count();
        let count = |census: &Census<'_>, place: &Symbol| census.operators.get(place).copied().unwrap_or(0);
        let is_gone = |place: &&Symbol| count(after, place) < count(before, place);
        let gone = pin.around.iter().filter(is_gone).count();
        if new > gone && !before.sources.contains(&key.0) {
            return wrong(*key, now, "was moved into a loop or operator");
        }
        if pin.around.iter().any(|place| !now.around.contains(place) && !is_gone(&place)) {
            return wrong(*key, now, "was moved out of a loop or operator");
        }
    }
    if let Some((key, pin)) = after.pins.iter().find(|(key, _)| !before.pins.contains_key(key)) {
        return wrong(*key, pin, "was not pinned before");
    }
    let stays = |key: &&Key| after.pins.get(key).is_some_and(|now| now.around == before.pins[key].around);
    let mut orders: BTreeMap<&BTreeSet<Symbol>, [Vec<Key>; 2]> = BTreeMap::new();
    for (i, order) in [&before.order, &after.order].into_iter().enumerate() {
        for key in order.iter().filter(stays) {
            orders.entry(&before.pins[key].around).or_default()[i].push(*key);
        }
    }
    for [then, now] in orders.into_values() {
        if let Some((_, key)) = then.iter().zip(&now).find(|(then, now)| then != now) {
            return wrong(*key, &after.pins[key], "comes before one that it came after");
        }
    }
    Ok(())
}

fn wrong(key: Key, pin: &Pin, what: &str) -> Checked {
    let (place, attr) = key;
    let fun = pin.fun.unwrap_or_else(|| Symbol::intern(""));
    let message = format!("the operator at {place}, which `#[{attr}]` pins, {what}");
    Err(Box::new(CheckError { rule: Rule::Pin, fun, stm: Some(pin.stm.clone()), bound: Vec::new(), message }))
}

impl Attrs {
    /// Whether they pin an operator, see [`Attr::pins`].
    pub fn is_pin(&self) -> bool {
        self.0.iter().any(|attr| attr.pins())
    }
}
