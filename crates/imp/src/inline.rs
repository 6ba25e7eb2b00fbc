//! Puts what is computed once and used once into its use, and drops what is not used.
//!
//! ```text
//! let x_1: f32 = a_2.f32[i_3]
//! let y_4: f32 = mul(x_1, 2.0f32)
//! b_5.f32[i_3] = y_4
//! ```
//! becomes
//! ```text
//! b_5.f32[i_3] = mul(a_2.f32[i_3], 2.0f32)
//! ```
//!
//! A value moves only within its block of statements, a load only as long as nothing is stored, and a value that reads
//! variables only as long as none is assigned. Expressions stay small. Cost: linear.

use crate::{Exp, Fun, Stm, Ty};
use kenaz_base::with_stack;
use kenaz_ir::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// Expressions do not grow beyond this, and are not nested more deeply.
const MOST_NODES: usize = 36;
const DEEPEST: usize = 9;

pub(crate) fn inline(fun: &mut Fun) {
    let mut uses = Uses::new(fun);
    uses.drop_unused(&mut fun.body);
    uses.inline(&mut fun.body);
}

#[derive(Default)]
struct Uses {
    /// How often each scalar is read.
    reads: FxHashMap<Name, u32>,
    /// Scalars that are assigned, and so may change.
    variables: FxHashSet<Name>,
    /// Those that a call or the caller needs.
    kept: FxHashSet<Name>,
}

/// Values on their way to their uses.
#[derive(Default)]
struct Pending {
    /// Where their statements are.
    at: FxHashMap<Name, usize>,
    /// Those that must be computed before the next store, or the next assignment.
    loads: Vec<Name>,
    readers: Vec<Name>,
}

impl Uses {
    fn new(fun: &Fun) -> Uses {
        let mut uses = Uses::default();
        uses.kept.extend(fun.results.iter().map(|result| result.name));
        uses.variables.extend(fun.results.iter().map(|result| result.name));
        crate::visit::for_each_stm(&fun.body, &mut |stm| {
            stm.for_each_exp(|x| uses.count(x, 1));
            match stm {
                Stm::Declare { name, ty: Ty::Scalar(_) } => drop(uses.variables.insert(*name)),
                Stm::Call { results, .. } => uses.kept.extend(results),
                _ => {}
            }
        });
        uses
    }

    fn count(&mut self, x: &Exp, by: i32) {
        x.walk(&mut |x| {
            if let Exp::Var(name, _) = x {
                let count = self.reads.entry(*name).or_default();
                *count = count.saturating_add_signed(by);
            }
        });
    }

    fn is_read(&self, name: Name) -> bool {
        self.reads.get(&name).is_some_and(|count| *count > 0)
    }

    /// From the last statement to the first, so that what only unused values use goes with them.
    fn drop_unused(&mut self, stms: &mut Vec<Stm>) {
        with_stack(|| {
            let mut kept = Vec::with_capacity(stms.len());
            for mut stm in std::mem::take(stms).into_iter().rev() {
                stm.for_each_body_mut(|body| self.drop_unused(body));
                let is_used = match &stm {
                    Stm::Let { name, .. } => self.is_read(*name),
                    Stm::Declare { name, ty: Ty::Scalar(_) } | Stm::Set { name, .. } => {
                        self.is_read(*name) || self.kept.contains(name)
                    }
                    Stm::For { body, .. } => !body.is_empty(),
                    Stm::If { yes, no, .. } => !yes.is_empty() || !no.is_empty(),
                    _ => true,
                };
                if is_used {
                    kept.push(stm);
                } else {
                    stm.for_each_exp(|x| self.count(x, -1));
                }
            }
            kept.reverse();
            *stms = kept;
        });
    }

    fn inline(&self, stms: &mut Vec<Stm>) {
        with_stack(|| {
            let mut done: Vec<Option<Stm>> = Vec::with_capacity(stms.len());
            let mut pending = Pending::default();
            for mut stm in std::mem::take(stms) {
                // A bound and a condition are evaluated more than once.
                if !matches!(stm, Stm::For { .. } | Stm::While { .. }) {
                    let mut room = MOST_NODES.saturating_sub(nodes_of(&stm));
                    stm.for_each_exp_mut(|x| fill_in(x, DEEPEST, &mut pending, &mut done, &mut room));
                }
                stm.for_each_body_mut(|body| self.inline(body));
                pending.stay_before(&Effect::of(&stm));
                if let Stm::Let { name, value, .. } = &stm
                    && self.reads.get(name) == Some(&1)
                {
                    pending.at.insert(*name, done.len());
                    value.walk(&mut |x| match x {
                        Exp::Load { .. } => pending.loads.push(*name),
                        Exp::Var(var, _) if self.variables.contains(var) => pending.readers.push(*name),
                        _ => {}
                    });
                }
                done.push(Some(stm));
            }
            stms.extend(done.into_iter().flatten());
        });
    }
}

impl Pending {
    /// What the statement could change stays before it.
    fn stay_before(&mut self, effect: &Effect) {
        let loads = self.loads.drain(..if effect.stores { self.loads.len() } else { 0 });
        let readers = self.readers.drain(..if effect.assigns { self.readers.len() } else { 0 });
        for name in loads.chain(readers) {
            self.at.remove(&name);
        }
    }
}

/// Replaces variables by their values as long as there is room, up to so many levels.
fn fill_in(x: &mut Exp, levels: usize, pending: &mut Pending, done: &mut [Option<Stm>], room: &mut usize) {
    let Exp::Var(name, _) = x else {
        return x.for_each_part_mut(|part| fill_in(part, levels.saturating_sub(1), pending, done, room));
    };
    let Some(at) = pending.at.get(name).copied() else { return };
    let Some(Stm::Let { value, .. }) = &done[at] else { return };
    let size = nodes(value);
    if size > *room || depth(value) > levels {
        return;
    }
    *room -= size;
    pending.at.remove(name);
    if let Some(Stm::Let { value, .. }) = done[at].take() {
        *x = value;
    }
}

fn nodes(x: &Exp) -> usize {
    let mut count = 0;
    x.walk(&mut |_| count += 1);
    count
}

fn depth(x: &Exp) -> usize {
    let mut deepest = 0;
    x.for_each_part(|part| deepest = deepest.max(depth(part)));
    deepest + 1
}

fn nodes_of(stm: &Stm) -> usize {
    let mut count = 0;
    stm.for_each_exp(|x| count += nodes(x));
    count
}

/// What a statement may do to values that are not computed yet.
pub(crate) struct Effect {
    pub(crate) stores: bool,
    pub(crate) assigns: bool,
}

impl Effect {
    pub(crate) fn of(stm: &Stm) -> Effect {
        let (stores, assigns) = match stm {
            Stm::Let { .. }
            | Stm::Declare { .. }
            | Stm::Local { .. }
            | Stm::Table { .. }
            | Stm::Share { .. }
            | Stm::Alloc { .. }
            | Stm::Workers { .. }
            | Stm::Width { .. }
            | Stm::Tunable { .. }
            | Stm::Shared { .. }
            | Stm::PerLane { .. }
            | Stm::Board { .. }
            | Stm::Slot { .. }
            | Stm::Chunks { .. }
            | Stm::Read { .. }
            | Stm::Streams { .. }
            | Stm::Assert { .. }
            | Stm::Trace { .. } => (false, false),
            Stm::Set { .. } => (false, true),
            // A block variable that is assigned stands for another block.
            Stm::SetBlock { .. }
            | Stm::Free { .. }
            | Stm::Store { .. }
            | Stm::Stream { .. }
            | Stm::Race { .. }
            | Stm::Update { .. }
            | Stm::Write { .. }
            | Stm::Copy { .. } => (true, false),
            Stm::Parallel { .. } | Stm::Launch { .. } | Stm::Lanes { .. } | Stm::Combine { .. } => (true, false),
            Stm::Take { .. } | Stm::Publish { .. } | Stm::Await { .. } => (true, false),
            Stm::Call { .. } | Stm::For { .. } | Stm::While { .. } | Stm::If { .. } | Stm::Switch { .. } => {
                (true, true)
            }
        };
        Effect { stores, assigns }
    }
}
