//! Sizes that differ from iteration to iteration, and what they are at most.
//!
//! ```text
//! par core (i_1 < n_2) … {
//!   let k_3 = sub n_2 i_1
//!   let b_4 = size_mul 4 k_3      at most 4 * n_2
//!   let m_5 = alloc host b_4
//! ```
//!
//! A size is a product of factors. Candidates for the most that a factor can be are the operands that it is computed
//! from or compared with, and the bounds of the iterations around it; [`Facts`] say of each whether it is at least the
//! factor, from what is known where the block is allocated. A check that comes after that does not count, since arrays
//! may be written before it fails. A constant is no candidate: a cap is often far above all that occurs.

use kenaz_base::Prim;
use kenaz_ir::facts::{Facts, Mark};
use kenaz_ir::{Exp, Fun, LoopForm, MathFn, MemExp, Name, Operand, Param, Stm};
use rustc_hash::FxHashMap;

/// How many definitions are followed back from a factor.
const STEPS: usize = 4;

pub(crate) struct Sizes {
    facts: Facts,
    /// The factors of which a size is the product.
    products: FxHashMap<Name, Vec<Operand>>,
    /// The operands that scalars are computed from and compared with.
    operands: FxHashMap<Name, Vec<Operand>>,
    /// The bounds of the iterations around the current place.
    bounds: Vec<Operand>,
    /// For each block and each factor of its size the operands that are at least as large; the factor is the first.
    most: FxHashMap<Name, Vec<Vec<Operand>>>,
}

/// What is forgotten when a body ends.
pub(crate) struct Outside(Mark, usize);

impl Sizes {
    pub(crate) fn of(fun: &Fun) -> Sizes {
        let mut facts = Facts::new();
        facts.enter_fun(fun);
        let (products, operands, most) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        Sizes { facts, products, operands, bounds: Vec::new(), most }
    }

    /// The bodies of an expression begin.
    pub(crate) fn enter(&mut self, exp: &Exp) -> Outside {
        let outside = Outside(self.facts.mark(), self.bounds.len());
        match exp {
            Exp::Loop { params, form, .. } => {
                let params: Vec<&Param> = params.iter().map(|(p, _)| p).collect();
                self.facts.enter_loop(params.iter().copied(), form);
                if let LoopForm::For(_, Prim::I64, n) = form {
                    self.bounds.push(*n);
                }
            }
            Exp::Par(par) => {
                self.facts.enter_space(&par.space);
                self.bounds.extend(par.space.iter().map(|(_, n)| *n));
            }
            _ => {}
        }
        outside
    }

    /// And end.
    pub(crate) fn leave(&mut self, outside: Outside) {
        self.facts.reset(outside.0);
        self.bounds.truncate(outside.1);
    }

    /// A statement of the current body; those inside it came before.
    pub(crate) fn stm(&mut self, stm: &Stm) {
        self.facts.stm(stm);
        let [param] = &stm.pat[..] else { return };
        match &stm.exp {
            Exp::Math(MathFn::SizeMul, Prim::I64, factors) => {
                let all = factors.iter().flat_map(|x| self.factors(*x)).collect();
                self.products.insert(param.name, all);
            }
            Exp::Operand(x) => self.operands.entry(param.name).or_default().push(*x),
            Exp::Bin(_, x, y) => self.operands.entry(param.name).or_default().extend([*x, *y]),
            Exp::Cmp(_, x, y) => {
                for (one, other) in [(x, y), (y, x)] {
                    one.name().into_iter().for_each(|name| self.operands.entry(name).or_default().push(*other));
                }
            }
            Exp::Mem(MemExp::Alloc(_, bytes)) => {
                let most = self.factors(*bytes).into_iter().map(|factor| self.at_least(factor)).collect();
                self.most.insert(param.name, most);
            }
            _ => {}
        }
    }

    /// The factors of the most bytes that a block can need, in terms of what `is_known`; nothing if there is no bound.
    pub(crate) fn most(&self, block: Name, mut is_known: impl FnMut(Name) -> bool) -> Option<Vec<Operand>> {
        let mut is_known = |x: &Operand| x.name().is_none_or(&mut is_known);
        self.most.get(&block)?.iter().map(|candidates| candidates.iter().copied().find(&mut is_known)).collect()
    }

    fn factors(&self, size: Operand) -> Vec<Operand> {
        match size.name().and_then(|name| self.products.get(&name)) {
            Some(factors) => factors.clone(),
            None => vec![size],
        }
    }

    /// The operands that are known to be at least a factor, itself included.
    fn at_least(&self, factor: Operand) -> Vec<Operand> {
        let mut candidates = vec![factor];
        let mut from = 0;
        for _ in 0..STEPS {
            let last = std::mem::replace(&mut from, candidates.len());
            for i in last..from {
                let operands = candidates[i].name().and_then(|name| self.operands.get(&name));
                candidates.extend(operands.into_iter().flatten().copied());
            }
        }
        candidates.extend(&self.bounds);
        let mut most = vec![factor];
        for x in candidates {
            if x.name().is_some() && !most.contains(&x) && self.facts.proves_le(factor, x) {
                most.push(x);
            }
        }
        most
    }
}
