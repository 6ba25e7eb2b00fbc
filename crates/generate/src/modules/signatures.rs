//! Module types.

use super::definitions::Other;
use super::{Component, Gen, Id, Kind, Known, Module, Parametric, Signature};
use std::collections::{BTreeMap, BTreeSet};

/// The names of types, and those of numbers.
pub(super) const TYPES: [&str; 3] = ["t", "u", "v"];
pub(super) const NUMBERS: [&str; 2] = ["k", "l"];

/// A module type as it is written.
#[derive(Clone)]
pub(super) struct Written {
    pub text: String,
    pub known: Known,
    /// The types that can be anything; the others are refined.
    pub open: BTreeSet<Id>,
}

impl Gen {
    /// A module type: one with a name, perhaps refined, or written out.
    pub(super) fn signature(&mut self, depth: usize) -> Written {
        let first = self.next + 1;
        let (text, known) = if !self.signatures.is_empty() && self.choices.more(4) {
            let signatures = self.signatures.clone();
            let signature = self.choices.pick(&signatures);
            let known = self.fresh_types(&signature);
            self.refined(signature.name.clone(), known, first)
        } else {
            let (text, known) = self.specs(depth);
            (format!("{{ {text}}}"), known)
        };
        let open = known.ids_from(first);
        Written { text, known, open }
    }

    /// The same module type, of which some types are known that could be anything: those from `first` on.
    fn refined(&mut self, mut text: String, mut known: Known, first: Id) -> (String, Known) {
        for name in TYPES {
            let Some(component) = known.components.get(name).copied() else { continue };
            if component.kind == Kind::Number || component.id < first || !self.choices.chance(3) {
                continue;
            }
            let Some(other) = self.other(component.kind) else { continue };
            let (p, u) = (&other.prefix, other.name);
            text = match component.kind {
                Kind::Sized => format!("({text} with {name} [n] = {p}{u} [n])"),
                Kind::Poly => format!("({text} with {name} 'a = {p}{u} a)"),
                Kind::Plain | Kind::Number => format!("({text} with {name} = {p}{u})"),
            };
            let (old, new) = (component.id, other.component.id);
            known = known.renamed(&mut |id| if id == old { new } else { id });
        }
        (text, known)
    }

    /// What a module type has, with types of its own.
    pub(super) fn fresh_types(&mut self, signature: &Signature) -> Known {
        let mut ids: BTreeMap<Id, Id> = BTreeMap::new();
        signature.known.renamed(&mut |id| match signature.open.contains(&id) {
            true => *ids.entry(id).or_insert_with(|| self.id()),
            false => id,
        })
    }

    /// The specifications of a module type.
    fn specs(&mut self, depth: usize) -> (String, Known) {
        let start = self.choices.open();
        let result = self.nested(|g| g.specs_(depth));
        self.choices.close(start, "specs");
        result
    }

    fn specs_(&mut self, depth: usize) -> (String, Known) {
        let mut text = String::new();
        let mut known = Known::default();
        if !self.signatures.is_empty() && self.choices.chance(5) {
            let signatures = self.signatures.clone();
            let signature = self.choices.pick(&signatures);
            let first = self.next + 1;
            let included = self.fresh_types(&signature);
            let (included_text, included) = self.refined(signature.name.clone(), included, first);
            text.push_str(&format!("include {included_text} "));
            self.scope.open(&included);
            known = included;
        }
        while known.components.is_empty() || (known.components.len() < 4 && self.choices.more(3)) {
            let (name, kind) = self.name_and_kind();
            if known.components.contains_key(name) {
                break;
            }
            text.push_str(&spec(name, kind));
            let component = Component { kind, id: self.id() };
            known.components.insert(name, component);
            self.scope.components.insert(name, component);
        }
        if depth > 0 && !known.modules.contains_key("inner") && self.choices.chance(4) {
            let inner = self.signature(depth - 1);
            text.push_str(&format!("module inner : {} ", inner.text));
            let module = Module::Plain(inner.known);
            known.modules.insert("inner".to_string(), module.clone());
            self.scope.modules.insert("inner".to_string(), module);
        }
        if depth > 0 && !known.modules.contains_key("maker") && self.choices.chance(4) {
            let param = self.signature(depth - 1);
            let (result, makes) = self.nested(|g| {
                let first = g.next + 1;
                g.scope.modules.insert("X".to_string(), Module::Plain(param.known.clone()));
                let result = g.signature(depth - 1);
                let makes = result.known.ids_from(first);
                (result, makes)
            });
            text.push_str(&format!("module maker : (X: {}) -> {} ", param.text, result.text));
            let result = Module::Plain(result.known);
            let fun = Parametric { param: param.known, open: param.open, result, makes };
            known.modules.insert("maker".to_string(), Module::Parametric(Box::new(fun)));
        }
        (text, known)
    }

    /// A module type written out, if everything that it knows can be named here.
    pub(super) fn spelled(&mut self, known: &Known, open: &BTreeSet<Id>) -> Option<String> {
        let mut text = String::new();
        for (name, component) in &known.components {
            if open.contains(&component.id) || component.kind == Kind::Number {
                text.push_str(&spec(name, component.kind));
                continue;
            }
            let other = self.named(component)?;
            let (p, u) = (&other.prefix, other.name);
            // Inside of the module type its own components hide those around it.
            if p.is_empty() && known.components.contains_key(u) {
                return None;
            }
            let written = spec(name, component.kind);
            let (head, tail) = written.split_once(" val ")?;
            let args = match component.kind {
                Kind::Sized => " [n]",
                Kind::Poly => " a",
                Kind::Plain | Kind::Number => "",
            };
            text.push_str(&format!("{head} = {p}{u}{args} val {tail}"));
        }
        if !known.modules.is_empty() {
            return None;
        }
        Some(format!("{{ {text}}}"))
    }

    /// A component of the same type that can be named here.
    pub(super) fn named(&mut self, component: &Component) -> Option<Other> {
        let all = self.reachable(component.kind);
        let (prefix, name, component) = all.into_iter().find(|(_, _, c)| c.id == component.id)?;
        Some(Other { prefix, name, component })
    }

    pub(super) fn name_and_kind(&mut self) -> (&'static str, Kind) {
        match self.choices.weighted(&[5, 2, 2, 2]) {
            0 => (self.choices.pick(&TYPES), Kind::Plain),
            1 => (self.choices.pick(&TYPES), Kind::Sized),
            2 => (self.choices.pick(&TYPES), Kind::Poly),
            _ => (self.choices.pick(&NUMBERS), Kind::Number),
        }
    }
}

fn spec(name: &str, kind: Kind) -> String {
    match kind {
        Kind::Plain => format!("type {name} val mk_{name} : i64 -> {name} val un_{name} : {name} -> i64 "),
        Kind::Sized => format!(
            "type {name} [n] val mk_{name} [n] : [n]i64 -> {name} [n] val un_{name} [n] : {name} [n] -> [n]i64 "
        ),
        Kind::Poly => format!(
            "type {name} 'a val mk_{name} 'a : i64 -> a -> {name} a val un_{name} 'a : {name} a -> a \
             val tag_{name} 'a : {name} a -> i64 "
        ),
        Kind::Number => format!("val {name} : i64 val arr_{name} : [{name}]i64 val few_{name} : i64 -> []i64 "),
    }
}
