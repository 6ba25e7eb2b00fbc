//! That code uses only memory that its level reaches.
//!
//! Host code may use the memory of a device, although [`Space::is_reached_from`] says that it cannot: programs are as
//! they would be for a CPU until `imp` makes transfers and regions for one thread of that.

use super::super::{CheckError, Checked, Rule};
use crate::exp::Exp;
use crate::mem::{MemExp, Place, Space};
use crate::name::Name;
use crate::par::Level;
use crate::prog::{Fun, Param, Stm};
use crate::types::Type;
use crate::visit::{Visit, walk};
use rustc_hash::FxHashMap;

/// Checks the levels at which the arrays of a function are used.
pub(super) fn check(fun: &Fun) -> Checked {
    let mut uses =
        Uses { fun, blocks: FxHashMap::default(), arrays: FxHashMap::default(), levels: Vec::new(), result: Ok(()) };
    // The block of a result may stand behind it: the second time all are known.
    uses.fun(fun);
    uses.fun(fun);
    uses.result
}

struct Uses<'a> {
    fun: &'a Fun,
    blocks: FxHashMap<Name, Block>,
    /// The blocks of arrays.
    arrays: FxHashMap<Name, Name>,
    /// The levels around the current place, without `simd`: its lanes are one thread.
    levels: Vec<Level>,
    result: Checked,
}

#[derive(Clone, Copy)]
struct Block {
    space: Space,
    /// How many levels are around it.
    depth: usize,
}

impl Uses<'_> {
    /// Whether the current place can read and write what is in a block.
    fn reaches(&mut self, block: Name, what: Name) {
        let Some(Block { space, depth }) = self.blocks.get(&block).copied() else { return };
        let is_reached = match (space, self.levels.last()) {
            (Space::Private, _) => self.levels.len() == depth,
            (_, None) => true,
            (_, Some(level)) => space.is_reached_from(Some(*level)),
        };
        if !is_reached && self.result.is_ok() {
            let level = self.levels.last().map_or_else(|| "host code".to_string(), |level| format!("`{level}`"));
            let message = format!("`{what}` is in `{space}` memory, which {level} does not reach");
            let error = CheckError { rule: Rule::Reach, fun: self.fun.name, stm: None, bound: Vec::new(), message };
            self.result = Err(Box::new(error));
        }
    }
}

impl Visit for Uses<'_> {
    fn stm(&mut self, stm: &Stm) {
        let (was_ok, around) = (self.result.is_ok(), self.levels.len());
        match &stm.exp {
            // The results of a `par` are written by those who run it.
            Exp::Par(par) => {
                self.levels.extend(par.level.filter(|level| !matches!(level, Level::Simd(_))));
                walk::stm(self, stm);
                self.levels.truncate(around);
            }
            // The slots are used elsewhere.
            Exp::Mem(MemExp::AllocEach(_)) => {}
            _ => walk::stm(self, stm),
        }
        if let (true, Err(error)) = (was_ok, &mut self.result) {
            error.within(stm);
        }
    }

    fn param(&mut self, param: &Param) {
        if let Type::Mem(space) = param.ty {
            self.blocks.insert(param.name, Block { space, depth: self.levels.len() });
        }
        if let Some(place) = &param.place {
            self.arrays.insert(param.name, place.block);
            self.reaches(place.block, param.name);
        }
        walk::param(self, param);
    }

    fn place(&mut self, _: &Place) {}

    fn name(&mut self, name: &Name) {
        if let Some(block) = self.arrays.get(name) {
            self.reaches(*block, *name);
        }
    }
}
