//! Disjunctions that hold, such as a check that was moved out of a loop and need not pass where the loop has no
//! iterations: inside the loop one side of it remains.

use super::{Answer, Cond, Facts, Undo};
use crate::name::Name;
use crate::prog::Operand;
use rustc_hash::FxHashSet;

/// How much was known when the disjunctions were last looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Revisited {
    ors: usize,
    undo: usize,
}

impl Facts {
    /// A disjunction one side of which cannot hold is the other side. Asks only about new disjunctions, and those about
    /// which something was learnt since the last time: each takes several questions to the prover.
    pub(super) fn revisit_ors(&mut self) {
        // Only the latest ones: there may be many, and this is done at each assumption.
        const MOST: usize = 16;
        let new = self.revisited.ors;
        let mut touched = FxHashSet::default();
        for i in self.ors.len().saturating_sub(MOST)..self.ors.len() {
            self.touch(&mut touched);
            let (x, y) = self.ors[i];
            if i < new && !self.is_about(x, &touched) && !self.is_about(y, &touched) {
                continue;
            }
            let first = self.decide(x);
            if first.is_proved() {
                continue;
            }
            let other = match (first, self.decide(y)) {
                (Answer::Refuted, Answer::Unknown) => y,
                (Answer::Unknown, Answer::Refuted) => x,
                _ => continue,
            };
            let Operand::Var(name) = other else { continue };
            // Another disjunction would be added again each time.
            if !matches!(self.conds.get(&name), Some(Cond::Or(..))) {
                self.learn_cond(other, true);
            }
        }
        self.revisited.ors = self.ors.len();
    }

    /// Adds the names about which something was learnt since the last time, and those that facts connect with them.
    fn touch(&mut self, touched: &mut FxHashSet<Name>) {
        const MOST: usize = 256;
        let from = self.revisited.undo.max(self.undo.len().saturating_sub(MOST));
        self.revisited.undo = self.undo.len();
        let learnt = self.undo[from..].iter().map(|undo| match *undo {
            Undo::Range(name, _) | Undo::Exact(name) | Undo::Size(name) | Undo::Mention(name) => name,
        });
        let mut todo: Vec<Name> = learnt.filter(|name| touched.insert(*name)).collect();
        let mut seen = FxHashSet::default();
        while let Some(name) = todo.pop() {
            for at in self.mentions.get(&name).into_iter().flatten().rev() {
                if seen.len() == MOST {
                    return;
                }
                if *at < self.nonneg.len() && seen.insert(*at) {
                    todo.extend(self.nonneg[*at].names().filter(|name| touched.insert(*name)));
                }
            }
        }
    }

    /// Whether some names are among those that a condition compares, or these were computed from.
    fn is_about(&self, cond: Operand, names: &FxHashSet<Name>) -> bool {
        const MOST: usize = 32;
        let mut todo = vec![cond];
        for _ in 0..MOST {
            let Some(x) = todo.pop() else { return false };
            let Operand::Var(name) = x else { continue };
            if names.contains(&name) {
                return true;
            }
            match self.conds.get(&name) {
                Some(Cond::Same(x) | Cond::Not(x)) => todo.push(*x),
                Some(Cond::And(x, y) | Cond::Or(x, y) | Cond::Cmp(_, x, y)) => todo.extend([*x, *y]),
                None => match (self.exact.get(&name), self.pending.get(&name)) {
                    (Some(poly), _) => todo.extend(poly.names().map(Operand::Var)),
                    (None, Some((_, x, y))) => todo.extend([*x, *y]),
                    (None, None) => {}
                },
            }
        }
        // Too long to tell.
        true
    }
}
