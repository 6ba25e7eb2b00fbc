//! Sizes and conditions that are computed in front of a nest.

use super::Blocks;
use super::spread::plain;
use kenaz_base::{Prim, Symbol};
use kenaz_ir::{BinOp, CmpOp, Exp, Fresh, LocId, MathFn, Name, Operand, Param, Stm, Tunable, TunableClass, Type};
use rustc_hash::FxHashMap;

/// What is computed in front of a nest.
pub(super) struct Front<'a> {
    pub fresh: &'a mut Fresh,
    pub out: &'a mut Vec<Stm>,
    pub loc: LocId,
}

/// The nest that thresholds are about: its function, and its number there.
#[derive(Clone, Copy)]
pub(super) struct Of {
    pub fun: Symbol,
    pub number: usize,
}

impl Front<'_> {
    pub(super) fn bind(&mut self, base: &str, ty: Type, exp: Exp) -> Operand {
        let name: Name = self.fresh.named(base);
        self.out.push(plain(vec![Param::new(name, ty)], exp, self.loc));
        Operand::Var(name)
    }

    pub(super) fn bin(&mut self, op: BinOp, x: Operand, y: Operand) -> Operand {
        let (base, ty) = match op {
            BinOp::And | BinOp::Or => ("chosen", Type::BOOL),
            _ => ("size", Type::I64),
        };
        self.bind(base, ty, Exp::Bin(op, x, y))
    }

    pub(super) fn cmp(&mut self, op: CmpOp, x: Operand, y: Operand) -> Operand {
        self.bind("is", Type::BOOL, Exp::Cmp(op, x, y))
    }

    /// Of sizes, whose product may be too large for a number: then it is the largest.
    pub(super) fn product(&mut self, sizes: impl Iterator<Item = Operand>) -> Operand {
        let by = |x: Operand, y: Operand| {
            let exp = Exp::Math(MathFn::SizeMul, Prim::I64, vec![x, y]);
            self.bind("size", Type::I64, exp)
        };
        sizes.reduce(by).unwrap_or(Operand::i64(1))
    }

    /// The greatest product of those of these sizes.
    pub(super) fn most(&mut self, spaces: &[Vec<Operand>]) -> Option<Operand> {
        let new = (0..spaces.len()).filter(|i| !spaces[..*i].contains(&spaces[*i]));
        let products: Vec<Operand> = new.map(|i| self.product(spaces[i].iter().copied())).collect();
        products.into_iter().reduce(|x, y| self.bin(BinOp::Max, x, y))
    }

    /// How many parts of a size there are in so many; the size is at least one.
    pub(super) fn parts(&mut self, n: Operand, size: Operand) -> Operand {
        let above = self.bin(BinOp::Add, n, size);
        let last = self.bin(BinOp::Sub, above, Operand::i64(1));
        self.bin(BinOp::Quot, last, size)
    }

    pub(super) fn tunable(&mut self, tunable: Tunable) -> Operand {
        self.bind("tunable", Type::I64, Exp::Tunable(tunable))
    }

    pub(super) fn threshold(&mut self, of: Of, what: &str, default: i64) -> Operand {
        let fun = of.fun.as_str();
        let fun = fun.strip_prefix("entry_").unwrap_or(fun);
        let name = Symbol::intern(&format!("{fun}.{what}_{}", of.number));
        self.tunable(Tunable { name, class: TunableClass::Threshold, default })
    }

    /// How many bytes of shared memory a block needs at most.
    pub(super) fn bytes(&mut self, blocks: &Blocks) -> Operand {
        let mut counts: FxHashMap<&[Operand], i64> = FxHashMap::default();
        let mut order: Vec<&[Operand]> = Vec::new();
        for (sizes, bytes) in &blocks.arrays {
            if !counts.contains_key(&sizes[..]) {
                order.push(sizes);
            }
            *counts.entry(sizes).or_default() += bytes;
        }
        let mut sum = Operand::i64(blocks.kept);
        for sizes in order {
            let bytes = Operand::i64(counts[sizes]);
            let product = self.product(sizes.iter().copied().chain([bytes]));
            // A product that is too large stays too large.
            let most = self.bin(BinOp::Min, product, Operand::i64(i64::MAX / 4));
            sum = self.bin(BinOp::Add, sum, most);
        }
        sum
    }
}
