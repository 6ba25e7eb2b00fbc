//! What the threads of a region allocate for themselves is allocated before, for all of them.
//!
//! ```text
//! parallel grid n_1 of k_2 with t_3, k_4 {         alloc all_8: device k_2*stride_9
//!   for i_5: i64 < len_6 {                         parallel grid n_1 of k_2 with t_3, k_4 {
//!     alloc m_7: device 4*n_1                        for i_5: i64 < len_6 {
//!     …                                        →       slot m_7 = all_8 at t_3*stride_9
//!     free m_7                                         …
//!   }                                                }
//! }                                                }
//!                                                  free all_8
//! ```
//!
//! Only the host can allocate, so that such a region would be a loop of the host. Most of what iterations make has a
//! slot already (`place::expand`); left are blocks that loops and branches hand on, which come here. Every `alloc` has
//! a slot of its own for each thread, since a thread runs one iteration at a time: it may do so where no block outlives
//! the iteration of the loop that makes it. Scalars that are the same for all threads, among them the sizes of these
//! blocks, are computed before as well.
//!
//! Nobody counts inside a region who has a block: those from outside live longer, and so do slots.

use super::Split;
use crate::visit::for_each_stm;
use crate::{Exp, Stm, Ty};
use kenaz_base::{Prim, with_stack};
use kenaz_ir::{MathFn, Name, Space};
use rustc_hash::FxHashSet;

/// Slots begin at a multiple of so many bytes.
const LINE: i64 = 64;

/// The body of a region that is able to run on a device, with what has to be done before and after it; if there is one.
pub(super) struct Before {
    pub body: Vec<Stm>,
    pub front: Vec<Stm>,
    pub back: Vec<Stm>,
}

impl Split<'_> {
    /// `ids` are the number of a thread or block and how many there are, which is `count`.
    pub(super) fn allocated_before(&mut self, ids: &[Name], count: &Exp, body: &[Stm]) -> Option<Before> {
        let [thread, _] = ids else { return None };
        let mut inside: FxHashSet<Name> = ids.iter().copied().collect();
        for_each_stm(body, &mut |stm| {
            inside.extend(stm.declares());
            match stm {
                Stm::Set { name, .. } | Stm::SetBlock { name, .. } => drop(inside.insert(*name)),
                Stm::For { var, .. } => drop(inside.insert(*var)),
                Stm::Lanes { lane, .. } => drop(inside.insert(*lane)),
                Stm::Update { cells, .. } => inside.extend(cells.iter().map(|cell| cell.old)),
                Stm::Combine { values, .. } => {
                    inside.extend(values.iter().flat_map(|value| [value.left, value.right, value.all]));
                }
                _ => {}
            }
        });
        let worker = Worker { number: Exp::var(*thread), count: count.clone() };
        let mut pass = Pass { split: self, inside, front: Vec::new(), back: Vec::new() };
        let mut body = body.to_vec();
        pass.stms(&mut body, &worker)?;
        let Pass { front, back, .. } = pass;
        body.iter().all(|stm| self.is_able(stm)).then_some(Before { body, front, back })
    }
}

/// Which of how many a statement is run by.
struct Worker {
    number: Exp,
    count: Exp,
}

struct Pass<'a, 'b> {
    split: &'a mut Split<'b>,
    /// What may differ from one thread to the next, or from one time to the next.
    inside: FxHashSet<Name>,
    front: Vec<Stm>,
    back: Vec<Stm>,
}

impl Pass<'_, '_> {
    fn stms(&mut self, stms: &mut Vec<Stm>, worker: &Worker) -> Option<()> {
        with_stack(|| {
            let all = std::mem::take(stms);
            for at in 0..all.len() {
                let mut stm = all[at].clone();
                if self.is_same(&stm, &all) {
                    self.moves(stm, stms);
                    continue;
                }
                match &mut stm {
                    Stm::Alloc { name, space: Space::Device, bytes } => {
                        let slot = self.slot(*name, bytes.clone(), worker)?;
                        stms.push(slot);
                    }
                    Stm::Share { name, from } if self.is_far(*from) => {
                        stms.push(Stm::Slot { name: *name, from: *from, offset: Exp::i64(0) });
                    }
                    Stm::Free { name } if self.is_far(*name) => {}
                    Stm::Lanes { lane, count, body } => {
                        let number = Exp::add(Exp::mul(worker.number.clone(), count.clone()), Exp::var(*lane));
                        let of_lane = Worker { number, count: Exp::mul(worker.count.clone(), count.clone()) };
                        self.stms(body, &of_lane)?;
                        stms.push(stm);
                    }
                    Stm::For { body, .. } | Stm::While { body, .. } if outlive(body) => return None,
                    inner => {
                        let mut is_done = Some(());
                        inner.for_each_body_mut(|body| {
                            if is_done.is_some() {
                                is_done = self.stms(body, worker);
                            }
                        });
                        is_done?;
                        stms.push(stm);
                    }
                }
            }
            Some(())
        })
    }

    fn is_far(&self, block: Name) -> bool {
        self.split.types.get(&block) == Some(&Ty::Block(Space::Device))
    }

    /// The part of a thread of a block for all of them.
    fn slot(&mut self, name: Name, bytes: Exp, worker: &Worker) -> Option<Stm> {
        if !self.is_outside(&bytes) || !self.is_outside(&worker.count) {
            return None;
        }
        let lines = Exp::quot(Exp::max(bytes, Exp::i64(0)), Exp::i64(LINE));
        let line = Exp::i64(LINE);
        // A size that is too large stays too large.
        let product = |factors: Vec<Exp>| Exp::Math(MathFn::SizeMul, Prim::I64, factors);
        let stride = product(vec![Exp::add(lines, Exp::i64(1)), line]);
        let stride = self.split.let_i64("stride", stride, &mut self.front);
        let all = self.split.name("all");
        self.split.types.insert(all, Ty::Block(Space::Device));
        let bytes = product(vec![worker.count.clone(), stride.clone()]);
        self.front.push(Stm::Alloc { name: all, space: Space::Device, bytes });
        self.back.push(Stm::Free { name: all });
        Some(Stm::Slot { name, from: all, offset: Exp::mul(worker.number.clone(), stride) })
    }

    /// Whether an expression is the same for all threads and can be computed before.
    fn is_outside(&self, exp: &Exp) -> bool {
        let mut is_outside = true;
        exp.walk(&mut |part| {
            is_outside &= match part {
                Exp::Var(name, _) => !self.inside.contains(name),
                Exp::Load { .. } => false,
                // What is not positive is not divided by where the region does not get there.
                Exp::Quot(_, by) | Exp::Rem(_, by) => matches!(**by, Exp::Const(_)),
                _ => true,
            };
        });
        is_outside
    }

    /// Whether a statement only computes scalars that are the same for all threads, and the statements beside it do
    /// not set them.
    fn is_same(&self, stm: &Stm, beside: &[Stm]) -> bool {
        let mut own: FxHashSet<Name> = FxHashSet::default();
        let mut set: Vec<Name> = Vec::new();
        let mut is_pure = matches!(stm, Stm::Let { .. } | Stm::Set { .. } | Stm::If { .. } | Stm::Switch { .. });
        for_each_stm(std::slice::from_ref(stm), &mut |stm| {
            own.extend(stm.declares());
            match stm {
                Stm::Let { .. } | Stm::Declare { ty: Ty::Scalar(_), .. } | Stm::If { .. } | Stm::Switch { .. } => {}
                Stm::Set { name, .. } => set.push(*name),
                _ => is_pure = false,
            }
        });
        let declared_beside = |name: &Name| {
            beside.iter().any(|stm| matches!(stm, Stm::Declare { name: declared, .. } if declared == name))
        };
        let is_set_by = |stm: &Stm, name: &Name| {
            let mut is_set = false;
            for_each_stm(std::slice::from_ref(stm), &mut |stm| {
                is_set |= matches!(stm, Stm::Set { name: other, .. } if other == name);
            });
            is_set
        };
        set.retain(|name| !own.contains(name));
        let is_set_here =
            |name: &Name| declared_beside(name) && beside.iter().filter(|stm| is_set_by(stm, name)).count() == 1;
        if !is_pure || !set.iter().all(is_set_here) {
            return false;
        }
        own.extend(set);
        let mut is_outside = true;
        for_each_stm(std::slice::from_ref(stm), &mut |stm| {
            stm.for_each_exp(|exp| {
                exp.walk(&mut |part| {
                    is_outside &= match part {
                        Exp::Var(name, _) => own.contains(name) || !self.inside.contains(name),
                        Exp::Load { .. } => false,
                        Exp::Quot(_, by) | Exp::Rem(_, by) => matches!(**by, Exp::Const(_)),
                        _ => true,
                    };
                });
            });
        });
        is_outside
    }

    /// Moves such a statement to the front, with the declarations of what it sets.
    fn moves(&mut self, stm: Stm, beside: &mut Vec<Stm>) {
        let mut made: Vec<Name> = Vec::new();
        for_each_stm(std::slice::from_ref(&stm), &mut |stm| {
            made.extend(stm.declares());
            if let Stm::Set { name, .. } = stm {
                made.push(*name);
            }
        });
        let (declared, rest) = std::mem::take(beside)
            .into_iter()
            .partition(|stm| matches!(stm, Stm::Declare { name, .. } if made.contains(name)));
        *beside = rest;
        self.front.extend::<Vec<Stm>>(declared);
        self.front.push(stm);
        made.iter().for_each(|name| _ = self.inside.remove(name));
    }
}

/// Whether a block that a body allocates, outside of loops in it, is still there when the body ends.
fn outlive(body: &[Stm]) -> bool {
    let (mut own, mut inside) = (Vec::new(), FxHashSet::default());
    for_each_stm(body, &mut |stm| {
        inside.extend(stm.declares());
        if let Stm::Alloc { name, space: Space::Device, .. } = stm {
            own.push(*name);
        }
    });
    let mut seen: FxHashSet<Name> = own.iter().copied().collect();
    let mut outlive = false;
    while let Some(block) = own.pop() {
        for_each_stm(body, &mut |stm| {
            let (Stm::SetBlock { name, from } | Stm::Share { name, from }) = stm else { return };
            if *from == block {
                outlive |= !inside.contains(name);
                if seen.insert(*name) {
                    own.push(*name);
                }
            }
        });
    }
    outlive
}
