//! Blocks with a part for each worker, see Note \[Slots\] in [`crate::mem`].
//!
//! That nobody else is in the slot of an iteration follows from where it stands: nothing but one `slot` leads into the
//! block, and of those who run that statement at the same time each has another part. So the other checks may take a
//! slot for a block that the iteration has allocated.

use super::super::{CheckError, Checked, Rule};
use crate::exp::Exp;
use crate::mem::{MemExp, Place, Slots};
use crate::name::Name;
use crate::par::Level;
use crate::prog::{Fun, Param, Stm};
use crate::target::WorkerOrder;
use crate::types::Type;
use crate::visit::{Visit, walk};
use rustc_hash::FxHashMap;

/// Checks the slots of a function.
pub(super) fn check(fun: &Fun) -> Checked {
    let mut uses =
        Uses { fun, blocks: FxHashMap::default(), slots: FxHashMap::default(), levels: Vec::new(), result: Ok(()) };
    uses.fun(fun);
    uses.result
}

struct Uses<'a> {
    fun: &'a Fun,
    blocks: FxHashMap<Name, Block>,
    /// For each slot the bytes of its elements, where they must be the same for all and are known.
    slots: FxHashMap<Name, Elements>,
    /// The levels around the current place, the outermost first.
    levels: Vec<Level>,
    result: Checked,
}

struct Block {
    level: Level,
    order: WorkerOrder,
    /// How many levels are around it.
    depth: usize,
    /// Whether there is a `slot` of it.
    is_used: bool,
}

enum Elements {
    Any,
    OneSize(Option<usize>),
}

impl Uses<'_> {
    fn fail(&mut self, message: String) {
        if self.result.is_ok() {
            let error = CheckError { rule: Rule::Slot, fun: self.fun.name, stm: None, bound: Vec::new(), message };
            self.result = Err(Box::new(error));
        }
    }

    fn slot(&mut self, of: Name, pat: &[Param]) {
        let Some(block) = self.blocks.get_mut(&of) else {
            return self.fail(format!("`{of}` has no slots"));
        };
        if std::mem::replace(&mut block.is_used, true) {
            return self.fail(format!("there are two slots of `{of}`"));
        }
        let Block { level, order, depth, .. } = *block;
        // The workers of a `core` in another are those of the other; each block has lanes of its own.
        let inside = self.levels.get(depth..).unwrap_or_default();
        if inside.is_empty() || inside.iter().any(|other| *other != level) {
            return self.fail(format!("the slot of `{of}` is not in an iteration at `{level}`"));
        }
        let elements = match order {
            WorkerOrder::Outermost => Elements::Any,
            WorkerOrder::Innermost => Elements::OneSize(None),
        };
        self.slots.extend(pat.first().map(|param| (param.name, elements)));
    }
}

impl Visit for Uses<'_> {
    fn stm(&mut self, stm: &Stm) {
        let was_ok = self.result.is_ok();
        match &stm.exp {
            Exp::Mem(MemExp::AllocEach(Slots { level, order, .. })) => {
                walk::stm(self, stm);
                let block = Block { level: *level, order: *order, depth: self.levels.len(), is_used: false };
                self.blocks.extend(stm.pat.first().map(|param| (param.name, block)));
            }
            Exp::Mem(MemExp::Slot(block)) => self.slot(*block, &stm.pat),
            Exp::Mem(MemExp::Free(block)) if self.blocks.contains_key(block) => {}
            Exp::Par(par) => {
                self.levels.extend(par.level);
                walk::stm(self, stm);
                self.levels.truncate(self.levels.len() - usize::from(par.level.is_some()));
            }
            _ => walk::stm(self, stm),
        }
        if let (true, Err(error)) = (was_ok, &mut self.result) {
            error.within(stm);
        }
    }

    fn param(&mut self, param: &Param) {
        walk::param(self, param);
        let (Type::Array(_, prim), Some(place)) = (&param.ty, &param.place) else { return };
        if let Some(Elements::OneSize(size)) = self.slots.get_mut(&place.block)
            && *size.get_or_insert(prim.bytes()) != prim.bytes()
        {
            self.fail(format!("elements of different sizes are in the slot `{}`", place.block));
        }
    }

    fn place(&mut self, place: &Place) {
        if self.blocks.contains_key(&place.block) {
            self.fail(format!("an array is in `{}` itself, not in a slot of it", place.block));
        }
    }

    fn name(&mut self, name: &Name) {
        if self.blocks.contains_key(name) {
            self.fail(format!("`{name}`, which has slots, is used as a whole"));
        } else if self.slots.contains_key(name) {
            self.fail(format!("the slot `{name}` is used other than by arrays in it"));
        }
    }
}
