//! Why an allocation has not left its loop.

use super::find::Known;
use kenaz_base::Symbol;
use kenaz_ir::effects;
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{Body, Exp, Fun, MemExp, Name, Operand, Stm};
use rustc_hash::FxHashMap;

/// The reason, found in the program. `hoist-allocations`, `double-buffer` and `expand` move what has none of them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stays {
    /// The size depends on this, which differs from one iteration to the next.
    SizeVaries(Option<Known>),
    /// The size is computed in the iteration from more than scalars.
    SizeIsLate,
    /// The size is computed from scalars, in a way that may fail, so that it is not computed before.
    SizeMayFail,
    /// The block is handed to a function, which may keep it.
    Argument(Symbol),
    /// The block is handed to a loop inside the iteration.
    ToLoop,
    /// The block is that of the next iteration; whether the one of this iteration goes elsewhere, so that the two
    /// cannot take turns.
    Yielded { elsewhere: bool },
    /// The block is made in a branch.
    Branch,
    /// A branch may yield the block, so that what comes after it may need it.
    Joined,
    /// There is no loop in the function; its callers have one.
    Called,
    /// Nothing of the above: iterations that run at the same time have a block each.
    Apart,
}

/// What a size depends on in an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Root {
    /// An index or a parameter.
    Parameter(Name),
    /// More than scalars.
    Late,
    /// A scalar that must not be computed too early, such as a quotient.
    MayFail,
}

/// What becomes of blocks other than that arrays lie in them.
#[derive(Default)]
pub(super) struct Handed {
    how: FxHashMap<Name, Stays>,
    /// Blocks and further references to them.
    shared: Vec<(Name, Name)>,
    /// What loops yield for their parameters.
    next: Vec<(Name, Name)>,
}

impl Handed {
    pub(super) fn of(fun: &Fun) -> Handed {
        let mut handed = Handed::default();
        fun.body.stms.iter().for_each(|stm| handed.stm(stm));
        // A block is handed on by its other references, which come after it.
        for (block, reference) in std::mem::take(&mut handed.shared).into_iter().rev() {
            if let Some(how) = handed.get(reference) {
                handed.how.entry(block).or_insert(how);
            }
        }
        for (block, param) in std::mem::take(&mut handed.next) {
            if handed.how.contains_key(&param)
                && handed.get(block).is_some_and(|how| matches!(how, Stays::Yielded { .. }))
            {
                handed.how.insert(block, Stays::Yielded { elsewhere: true });
            }
        }
        handed
    }

    pub(super) fn get(&self, block: Name) -> Option<Stays> {
        self.how.get(&block).copied()
    }

    fn add(&mut self, x: &Operand, how: Stays) {
        if let Operand::Var(name) = x {
            self.how.insert(*name, how);
        }
    }

    fn yields(&mut self, body: &Body, how: Stays) {
        body.results.iter().for_each(|x| self.add(x, how));
    }
}

impl Visit for Handed {
    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Call(fun, args) => args.iter().for_each(|x| self.add(x, Stays::Argument(*fun))),
            Exp::Loop { params, body, .. } => {
                params.iter().for_each(|(_, init)| self.add(init, Stays::ToLoop));
                self.yields(body, Stays::Yielded { elsewhere: false });
                let next = body.results.iter().zip(params).filter_map(|(x, (param, _))| Some((x.name()?, param.name)));
                self.next.extend(next);
            }
            Exp::If(_, yes, no) => [yes, no].into_iter().for_each(|body| self.yields(body, Stays::Joined)),
            Exp::Match(_, cases, default) => {
                let bodies = cases.iter().map(|(_, body)| body).chain([default]);
                bodies.for_each(|body| self.yields(body, Stays::Joined));
            }
            Exp::Mem(MemExp::Share(block)) => self.shared.extend(stm.pat.first().map(|param| (*block, param.name))),
            _ => {}
        }
        walk::stm(self, stm);
    }
}

/// How scalars are computed, and how many loops are around that.
#[derive(Default)]
pub(super) struct Scalars<'a>(FxHashMap<Name, (Option<&'a Stm>, usize)>);

impl<'a> Scalars<'a> {
    /// An index, or a parameter of a loop or of a lambda.
    pub(super) fn parameter(&mut self, name: Name, loops: usize) {
        self.0.insert(name, (None, loops));
    }

    pub(super) fn bound(&mut self, stm: &'a Stm, loops: usize) {
        self.0.extend(stm.pat.iter().map(|param| (param.name, (Some(stm), loops))));
    }

    /// How a scalar is computed.
    pub(super) fn definition(&self, name: Name) -> Option<&'a Exp> {
        self.0.get(&name).and_then(|(stm, _)| *stm).map(|stm| &stm.exp)
    }

    /// Why a size differs from one iteration of the innermost of so many loops to the next, if it may.
    pub(super) fn varies(&self, size: Operand, loops: usize) -> Option<Root> {
        let mut left: Vec<Name> = size.name().into_iter().collect();
        let mut late = None;
        while let Some(name) = left.pop() {
            let Some((stm, bound)) = self.0.get(&name) else { continue };
            if *bound < loops {
                continue;
            }
            let Some(stm) = stm else { return Some(Root::Parameter(name)) };
            match &stm.exp {
                Exp::Operand(x) | Exp::Un(_, x) | Exp::Conv(_, x) => left.extend(x.name()),
                Exp::Bin(_, x, y) | Exp::Cmp(_, x, y) => left.extend(x.name().into_iter().chain(y.name())),
                Exp::Math(_, _, args) => left.extend(args.iter().filter_map(|x| x.name())),
                // Anything else may be the result of whole arrays.
                _ => {
                    late = Some(Root::Late);
                    continue;
                }
            }
            if !stm.certs.is_empty() || !effects::of(stm).may_speculate() {
                late = late.or(Some(Root::MayFail));
            }
        }
        late
    }
}
