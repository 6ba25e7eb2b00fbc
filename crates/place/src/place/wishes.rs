//! What the user asks for: `#[materialize]`, `#[dest]` and `#[source]`.
//!
//! An array with `#[materialize]` has no destination, and a view with it becomes a copy in a block of its own. An array
//! with `#[dest]` is built where it is needed in the end, that is as part of another array or as a result of the
//! function. What cannot be had is said in the log, with the rule that is in the way; the program means the same all
//! the same.
//!
//! The rules are those of [views] §4.2.3, restated on what is made and used: what is never written has no destination
//! (`S` followed by `D`), so fusion and `#[source]` leave such arrays alone; and what is written elsewhere has none
//! either.

use super::frames::Placer;
use super::plan::Dest;
use kenaz_base::Code;
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{Attr, Attrs, DecisionKind, Exp, Fun, Name, Operand, Param, Placement, Refusal, Space, Stm, Type};

/// The arrays that are to have a block of their own.
pub(super) fn materialised(fun: &Fun) -> Vec<Name> {
    struct Marked(Vec<Name>);
    impl Visit for Marked {
        fn stm(&mut self, stm: &Stm) {
            if stm.attrs.has(Attr::Materialize) {
                self.0.extend(arrays(stm));
            }
            walk::stm(self, stm);
        }
    }
    let mut marked = Marked(Vec::new());
    marked.fun(fun);
    marked.0
}

fn arrays(stm: &Stm) -> impl Iterator<Item = Name> {
    stm.pat.iter().filter(|p| p.ty.is_array()).map(|p| p.name)
}

impl Placer<'_> {
    /// Places what a statement makes, as its attributes say.
    pub(super) fn wished(&mut self, stm: Stm) {
        let (is_own, in_dest) = (stm.attrs.has(Attr::Materialize), stm.attrs.has(Attr::Dest));
        let is_source = stm.attrs.has(Attr::Source);
        let memory: Vec<Attr> = stm.attrs.0.iter().copied().filter(|attr| attr.is_memory()).collect();
        let is_window = stm.attrs.has(Attr::Window);
        if !is_own && !in_dest && !is_source && !is_window && memory.is_empty() {
            return self.stm(stm);
        }
        let arrays: Vec<Name> = arrays(&stm).collect();
        let attrs = stm.attrs.clone();
        let copied = self.copied_from(&stm);
        let is_view = kenaz_ir::effects::viewed(&stm.exp).is_some();
        match is_own && is_view && !arrays.is_empty() {
            true => self.materialised_view(stm),
            false => self.stm(stm),
        }
        for name in arrays {
            for attr in &memory {
                if let Some(reason) = self.not_in(*attr, name) {
                    self.disobey(attr.wanted(), &attrs, name, &reason);
                }
            }
            if is_window {
                self.disobey(Attr::Window, &attrs, name, "the pass `windows` has not run");
            }
            // What could be read without being written is gone by now.
            if is_source && (is_own || in_dest) {
                self.disobey(Attr::Source, &attrs, name, "it is to be written to memory, too");
            } else if is_source {
                self.disobey(
                    Attr::Source,
                    &attrs,
                    name,
                    "it is needed as a whole, or its elements depend on each other",
                );
            }
            if is_own && !self.is_whole(name) {
                self.disobey(Attr::Materialize, &attrs, name, "an update leaves its array where it is");
            }
            if in_dest && is_own {
                self.disobey(Attr::Dest, &attrs, name, "it is to be materialised, too");
            } else if in_dest && let Some(reason) = copied.filter(|_| self.is_part(name)) {
                self.disobey(Attr::Dest, &attrs, name, reason);
            } else if in_dest && let Some(reason) = self.not_in_dest(name, is_view) {
                self.disobey(Attr::Dest, &attrs, name, reason);
            }
        }
    }

    /// Why an array is not in the memory that an attribute asks for.
    fn not_in(&self, attr: Attr, name: Name) -> Option<String> {
        let place = self.place_of(name);
        let space = match self.types.get(&place.block) {
            Some(Type::Mem(space)) => Some(*space),
            _ => None,
        };
        let is = |space: Option<Space>| match space {
            Some(Space::Shared) => "it is on chip".to_string(),
            Some(space) => format!("it is in the memory of the {space}"),
            None => "its memory comes from elsewhere".to_string(),
        };
        match attr.wanted() {
            Attr::Shared => (space != Some(Space::Shared)).then(|| is(space)),
            Attr::Global => (!matches!(space, Some(Space::Host | Space::Device))).then(|| is(space)),
            _ => {
                let ty = self.types.get(&name)?;
                let bytes = ty.prim().map_or(8, |prim| prim.bytes() as u64);
                let size = |dim: &Operand| if let Operand::Const(n) = dim { n.as_i64()?.try_into().ok() } else { None };
                let sizes: Option<Vec<u64>> = ty.dims().iter().map(size).collect();
                let most = self.target.stack_bytes;
                match sizes.map(|sizes| sizes.into_iter().fold(bytes, u64::saturating_mul)) {
                    None => Some("its size is not known before the program runs".to_string()),
                    Some(bytes) if bytes > most => Some(format!("it has {bytes} bytes, and a thread keeps {most}")),
                    Some(_) if self.plan.dests.contains_key(&name) => Some("it is part of another array".to_string()),
                    Some(_) => None,
                }
            }
        }
    }

    fn disobey(&mut self, attribute: Attr, attrs: &Attrs, name: Name, reason: &str) {
        let attr = attrs.find(|attr| attr == attribute).unwrap_or(attribute);
        let message = format!("`#[{attribute}]` cannot be obeyed");
        let hint = format!("leave the attribute out, or write `#[try({attribute})]`");
        let refusal = Refusal::new(Code::AttributeRefused, attr, self.loc, message);
        self.log.refuse(refusal.label(format!("`#[{attribute}]`, `{}`: {reason}", name.base)).hint(hint));
    }

    /// Why results of this statement reach their destinations by a copy only.
    fn copied_from(&self, stm: &Stm) -> Option<&'static str> {
        match &stm.exp {
            Exp::Loop { params, .. } if !params.iter().any(|(p, _)| self.plan.in_place.contains(&p.name)) => {
                Some("a loop makes it in turns in two blocks")
            }
            Exp::Call(..) => Some("a function makes its results in blocks of their own"),
            _ => None,
        }
    }

    fn is_part(&self, name: Name) -> bool {
        matches!(self.plan.dests.get(&name), Some(Dest::Into(_)))
    }

    fn is_whole(&self, name: Name) -> bool {
        let layout = self.place_of(name).layout;
        layout.offset.is_zero() && layout.is_row_major(&self.facts)
    }

    fn not_in_dest(&mut self, name: Name, is_view: bool) -> Option<&'static str> {
        match self.plan.dests.get(&name) {
            Some(Dest::Own) if self.is_whole(name) => None,
            Some(Dest::Own) => Some("the result of a function is row-major"),
            Some(Dest::Into(_)) if is_view => {
                let level = self.level();
                let place = self.destination(name, level);
                let is_there = place.is_some_and(|place| self.same(&place, &self.place_of(name)));
                (!is_there).then_some("what it is a view of is made elsewhere")
            }
            Some(Dest::Into(_)) if self.arrived.contains_key(&name) => None,
            Some(Dest::Into(_)) => {
                self.refusals.get(&name).copied().or(Some("the block it belongs to is not there yet"))
            }
            None => self.plan.refusal(name).or(Some("it does not become part of another array")),
        }
    }

    /// A view that is to have a block of its own.
    fn materialised_view(&mut self, mut stm: Stm) {
        let param = Param::new(stm.pat[0].name, stm.pat[0].ty.clone());
        let view = self.fresh.like(param.name);
        stm.pat[0].name = view;
        self.stm(stm);
        let place = self.new_block(param.name, &param.ty, self.level());
        let (array, reason) = (param.name, "it is to be materialised");
        self.log.placed(array, self.loc, Placement { kind: DecisionKind::Copy, array, reason });
        let mut copy = self.simple(param, Exp::Copy(view));
        copy.pat[0].place = Some(Box::new(place));
        self.emit(copy);
    }

    /// Why an array has a block of its own.
    pub(super) fn why_own(&self, name: Name) -> &'static str {
        let refused = || self.refusals.get(&name).copied().or_else(|| self.plan.refusal(name));
        match self.plan.dests.get(&name) {
            Some(Dest::Own) => "it is a result of the function",
            _ => refused().unwrap_or("it is needed as a whole, and not as part of another array"),
        }
    }
}
