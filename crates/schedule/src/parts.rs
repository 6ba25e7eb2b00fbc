//! Reductions over arrays on several cores.
//!
//! ```text
//! let r: [m]f32 = screma n (a) map … reduce (zeros) ⊕
//!   ⇒ let rs: [parts][m]f32 = par (k < parts) own {
//!       let start = mul k size
//!       let b = slice a[start :+ len * 1]
//!       let part = loop (x: *[m]f32 = copy zeros) for i < len {… index b[i] … in x ⊕ y}
//!       in part
//!     }
//!     let r: [m]f32 = loop (x: *[m]f32 = copy zeros) for k < parts {… in x ⊕ index rs[k]}
//! ```
//!
//! How many parts there are depends on the number of elements alone, so that the result does not depend on the threads.
//! A part has so many elements that the operator is not applied much more often than in sequence.

use crate::serial::row_slices;
use crate::walk::{At, Mapped, Walk};
use kenaz_ir::visit::instantiate;
use kenaz_ir::{BinOp, DimSlice, Exp, Form, Lambda, Name, Operand, Par, Param, Plan, Reduce};

/// The most parts.
const PARTS: i64 = 64;

/// The least elements of a part.
const LEAST: i64 = 16;

impl Walk<'_> {
    /// Whether a reduction over arrays has enough elements, and nothing else to yield.
    pub(crate) fn has_parts(&self, at: &At, mapped: &Mapped, reduces: &[Reduce]) -> bool {
        let is_small = match mapped.width {
            Operand::Const(n) => n.as_i64().is_none_or(|n| n < 2 * LEAST),
            Operand::Var(_) => false,
        };
        let reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
        let is_outside = self.target.is_parallel() && self.inside == 0 && !at.is_in_sequence();
        is_outside && !is_small && mapped.map.ret.len() == reduced
    }

    pub(crate) fn reduce_in_parts(&mut self, at: &At, pat: Vec<Param>, mapped: Mapped, reduces: Vec<Reduce>) {
        let n = mapped.width;
        let more = self.b.bin(BinOp::Add, n, Operand::i64(PARTS - 1));
        let share = self.b.bin(BinOp::Div, more, Operand::i64(PARTS));
        let size = self.b.bin(BinOp::Max, share, Operand::i64(LEAST));
        let above = self.b.bin(BinOp::Add, n, size);
        let last = self.b.bin(BinOp::Sub, above, Operand::i64(1));
        let parts = self.b.bin(BinOp::Div, last, size);

        let k = self.index_name();
        self.b.begin();
        self.b.loc = at.loc();
        let start = self.b.bin(BinOp::Mul, k, size);
        let left = self.b.bin(BinOp::Sub, n, start);
        let len = self.b.bin(BinOp::Min, size, left);
        let arrays = mapped.arrays.iter().map(|array| self.rows_of(*array, start, len)).collect();
        let again: Vec<Reduce> = reduces.iter().map(|reduce| self.again(reduce)).collect();
        let types: Vec<_> = again.iter().flat_map(|reduce| reduce.op.ret.clone()).collect();
        let results: Vec<Param> = types.iter().map(|ty| self.b.param("part", ty.clone())).collect();
        let yielded = results.iter().map(|param| param.name.into()).collect();
        self.inside += 1;
        let inner = Mapped { width: len, arrays, map: mapped.map };
        self.screma_loop(&at.plain(), results, inner, Vec::new(), again, None);
        self.inside -= 1;
        let body = self.b.end(yielded);

        let all: Vec<Param> = types.iter().map(|ty| self.b.param("parts", ty.array_of(parts))).collect();
        let arrays = all.iter().map(|param| param.name).collect();
        let forms = vec![Form::Own; all.len()];
        let space = vec![(k, parts)];
        let par = Par { level: self.level(at), space, plan: Plan::default(), ops: Vec::new(), body, post: None, forms };
        self.add(at, all, Exp::Par(par));
        let map = self.identity(types);
        self.screma_loop(&at.plain(), pat, Mapped { width: parts, arrays, map }, Vec::new(), reduces, None);
    }

    /// Some rows of an array.
    fn rows_of(&mut self, array: Name, start: Operand, len: Operand) -> Name {
        let ty = self.b.type_of(array);
        let mut slices = vec![DimSlice::Range { start, len, stride: Operand::i64(1) }];
        slices.extend(row_slices(&ty.row(1), &[]));
        self.b.let_exp(array.base.as_str(), Exp::Slice(array, slices), ty.row(1).array_of(len))
    }

    /// The same reduction with other names.
    fn again(&mut self, reduce: &Reduce) -> Reduce {
        let op = &reduce.op;
        let params: Vec<Param> = op
            .params
            .iter()
            .map(|p| Param { name: self.b.name(p.name.base.as_str(), p.ty.clone()), ..p.clone() })
            .collect();
        let args: Vec<Operand> = params.iter().map(|p| p.name.into()).collect();
        let body = instantiate(&op.params, &op.body, &args, &mut self.b.fresh);
        Reduce { op: Lambda { params, body, ret: op.ret.clone() }, ..reduce.clone() }
    }
}
