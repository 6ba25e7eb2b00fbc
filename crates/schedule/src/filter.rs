//! Filters as loops that count what they keep.
//!
//! ```text
//! let k: i64, b: [k]f32 = filter n (a) \(x) -> {… in c}
//!   ⇒ let b' = scratch [n] f32
//!     let k: i64, all: [n]f32 = loop (k_1: i64 = 0, b_1: *[n]f32 = b') for i < n {
//!       let x = index a[i]
//!       …
//!       let k_2, b_2 = if c then { let b_3 = update b_1[k_1] = x  let k_3 = add k_1 1 in k_3, b_3 } else { in k_1, b_1 }
//!       in k_2, b_2
//!     }
//!     let b: [k]f32 = slice all[0 :+ k * 1]
//! ```
//!
//! Scalars are written whether they are kept or not, which costs less than a branch that nobody can predict: what is not
//! kept is overwritten by what is, or is not part of the slice.

use crate::serial::Carried;
use crate::walk::{At, Mapped, Walk};
use kenaz_ir::{BinOp, DimSlice, Exp, Operand, Param, Type};
use kenaz_syntax::ast::Prim;

impl Walk<'_> {
    pub fn filter(&mut self, at: &At, pat: Vec<Param>, mapped: Mapped) {
        self.refuse_level(at, "this is a filter");
        // Where the function yields no values, the rows are kept.
        let keeps_rows = mapped.map.body.results.len() == 1;
        let i = self.index_name();
        let mut pat = pat.into_iter();
        let Some(count) = pat.next() else { return };
        let results: Vec<Param> = pat.collect();
        let mut carried = Carried::default();
        let counter = self.b.param(count.name.base.as_str(), Type::I64);
        carried.add(counter.clone(), Operand::i64(0), count.clone());
        let (mut outputs, mut puts) = (Vec::new(), Vec::new());
        let mut wholes = Vec::new();
        for result in &results {
            let ty = result.ty.row(1).array_of(mapped.width);
            let whole = self.b.param(result.name.base.as_str(), ty.clone());
            wholes.push(whole.name);
            outputs.push(self.output(at, &mut carried, whole, ty));
        }
        self.b.begin();
        self.b.loc = at.loc();
        let mut kept: Vec<Operand> = Vec::new();
        if keeps_rows {
            let rows = mapped.map.params.iter().zip(&mapped.arrays);
            kept.extend(rows.map(|(param, array)| Operand::Var(self.row(param, *array, i))));
        } else {
            self.rows(&mapped, i);
        }
        let mut yielded = self.splice(mapped.map.body).into_iter();
        let Some(flag) = yielded.next() else { return };
        kept.extend(yielded);
        self.b.loc = at.loc();
        if results.iter().all(|result| result.ty.rank() == 1) {
            for (out, x) in outputs.iter().zip(kept) {
                let updated = self.put(out, counter.name.into(), x);
                puts.push(updated);
            }
            let more = self.b.conv(Prim::I64, flag);
            let next = self.b.bin(BinOp::Add, counter.name, more);
            carried.then(next);
            puts.into_iter().for_each(|name| carried.then(name));
        } else {
            self.keep_if(at, flag, &counter, &outputs, kept, &mut carried);
        }
        self.finish_loop(at, carried, i, mapped.width);
        for (result, whole) in results.into_iter().zip(wholes) {
            let all = |len: &Operand| DimSlice::Range { start: Operand::i64(0), len: *len, stride: Operand::i64(1) };
            let dims = result.ty.dims().iter().map(all).collect();
            self.add(&at.plain(), vec![result], Exp::Slice(whole, dims));
        }
    }

    /// Counts and writes what is kept, in a branch.
    fn keep_if(
        &mut self,
        at: &At,
        flag: Operand,
        counter: &Param,
        outputs: &[Param],
        kept: Vec<Operand>,
        carried: &mut Carried,
    ) {
        self.b.begin();
        let updated: Vec<Operand> =
            outputs.iter().zip(kept).map(|(out, x)| self.put(out, counter.name.into(), x).into()).collect();
        let more = self.b.bin(BinOp::Add, counter.name, Operand::i64(1));
        let yes = self.b.end([vec![more], updated].concat());
        self.b.begin();
        let same = [counter].into_iter().chain(outputs).map(|p| p.name.into()).collect();
        let no = self.b.end(same);
        let next: Vec<Param> =
            [counter].into_iter().chain(outputs).map(|p| Param::new(self.b.fresh.like(p.name), p.ty.clone())).collect();
        next.iter().for_each(|p| carried.then(p.name));
        self.add(&at.plain(), next, Exp::If(flag, yes, no));
    }
}
