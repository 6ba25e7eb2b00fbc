//! The allocations that lowering leaves where they are.

use kenaz_base::{Symbol, with_stack};
use kenaz_imp::{Prog, Stm};
use kenaz_ir::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// What lowering has made of allocations.
#[derive(Default)]
pub(super) struct Left {
    blocks: FxHashMap<Name, Becomes>,
    /// The regions that are launched from a loop.
    repeated: FxHashSet<Symbol>,
}

/// What a block has become.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Becomes {
    /// It is on the stack, or a table of constants.
    Nothing,
    Once,
    InLoop,
}

impl Left {
    pub(super) fn of(prog: &Prog) -> Left {
        let mut left = Left::default();
        for fun in &prog.funs {
            left.stms(&fun.body, false);
        }
        // A region launches only those before it.
        for region in prog.regions.iter().rev() {
            let in_loop = left.repeated.contains(&region.name);
            left.stms(&region.body, in_loop);
        }
        left
    }

    /// Whether a block is allocated, and in a loop if it was in one before. Of code that there is twice, such as for
    /// few and for many iterations, blocks have new names, and stay where they were in one of the two at least.
    pub(super) fn has(&self, block: Name, in_loop: bool) -> bool {
        let least = if in_loop { Becomes::InLoop } else { Becomes::Once };
        self.blocks.get(&block).is_none_or(|becomes| *becomes >= least)
    }

    fn stms(&mut self, stms: &[Stm], in_loop: bool) {
        with_stack(|| {
            for stm in stms {
                match stm {
                    Stm::Alloc { name, .. } => self.note(*name, if in_loop { Becomes::InLoop } else { Becomes::Once }),
                    Stm::Local { name, .. } | Stm::Table { name, .. } => self.note(*name, Becomes::Nothing),
                    Stm::Launch { region, .. } if in_loop => drop(self.repeated.insert(*region)),
                    _ => {}
                }
                let repeats = matches!(stm, Stm::For { .. } | Stm::While { .. });
                stm.for_each_body(|body| self.stms(body, in_loop || repeats));
            }
        });
    }

    fn note(&mut self, block: Name, becomes: Becomes) {
        let known = self.blocks.entry(block).or_insert(becomes);
        *known = becomes.max(*known);
    }
}
