//! `stream`: results that are larger than the caches are written past them.
//!
//! ```text
//! for i < n {                    for i < head { b[i] = f(i) }
//!   b[i] = f(i)                  for h < (n - head)/64 {
//! }                                local x[64]
//!                           →      for g < 64 { x[g] = f(head + 64*h + g) }
//!                                  stream b[head + 64*h] <- x[64]
//!                                }
//!                                for i < the rest { … }
//! ```
//!
//! A store to memory that is not in a cache reads the line first and throws out another one; whole lines can be written
//! without. There are `head` elements before the first whole line. What is computed goes through a few lines on the
//! stack, which C compilers keep in registers. The loop as it was stays, for results that are small when the program
//! runs.

use super::par::Run;
use super::{Array, Lower};
use crate::{Exp, Stm};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::layout::Dim;
use kenaz_ir::{CmpOp, Layout, MathFn, Name, Par, Place, Poly, plan};

/// What a chunk may write past the caches.
pub(super) struct Streaming {
    /// A `bool`: whether its results are large.
    name: Name,
    /// The blocks of the results.
    blocks: Vec<Name>,
    is_used: bool,
}

impl Lower<'_> {
    /// Calls `f`, which makes chunks of a `par` and may write their results past the caches.
    pub(super) fn with_streams(&mut self, pat: &[ir::Param], par: &Par, f: impl FnOnce(&mut Self)) {
        if !Run::whole(pat, par).is_independent() {
            return f(self);
        }
        let (mut blocks, mut largest) = (Vec::new(), None);
        for param in pat {
            let array = self.array(param.name);
            let size = array.sizes.iter().fold(Exp::bytes_of(array.prim), |bytes, n| {
                let n = self.index(n);
                Exp::Math(MathFn::SizeMul, Prim::I64, vec![bytes, n])
            });
            largest = Some(match largest {
                None => size,
                Some(other) => Exp::max(other, size),
            });
            blocks.push(array.place.block);
        }
        let Some(bytes) = largest else { return f(self) };
        let name = self.fresh("streams");
        self.variable(name, Prim::Bool);
        let (here, at) = (self.here(), self.frames[self.here()].stms.len());
        let before = self.streaming.replace(Streaming { name, blocks, is_used: false });
        f(self);
        let is_used = self.streaming.take().is_some_and(|streaming| streaming.is_used);
        self.streaming = before;
        if is_used {
            self.frames[here].stms.insert(at, Stm::Streams { name, bytes });
        }
    }

    /// Whether the result of a loop is one of those of the chunk in the making.
    pub(super) fn streams(&self, run: &Run) -> bool {
        let block = self.array(run.pat[0].name).place.block;
        self.streaming.as_ref().is_some_and(|streaming| streaming.blocks.contains(&block))
    }

    /// The loop of a run this way where its result is large, and by `f` where it is not.
    pub(super) fn streamed(&mut self, run: &Run, plan: plan::Stream, bound: &Exp, f: impl FnOnce(&mut Self)) {
        let Some(streaming) = &mut self.streaming else { return f(self) };
        streaming.is_used = true;
        let flag = Exp::Var(streaming.name, Prim::Bool);
        let array = self.array(run.pat[0].name);
        let elements = |bytes: u64| (bytes / array.prim.bytes() as u64).max(1).cast_signed();
        let (line, strip) = (elements(self.target.line_bytes), elements(plan.bytes));
        let is_long = Exp::cmp(CmpOp::Le, Exp::i64(strip * plan.fewest.cast_signed()), bound.clone());
        let cond = Exp::and(flag, is_long);
        let yes = self.scoped(false, |cx| {
            let first = cx.address(&array.place.layout, &[Poly::default()]);
            let first = cx.index(&first);
            let over = Exp::sub(Exp::i64(line), Exp::rem(first, Exp::i64(line)));
            let head = cx.let_i64("head", Exp::rem(over, Exp::i64(line)));
            cx.some(run, &Poly::default(), head.clone(), &array, None);
            let left = Exp::sub(bound.clone(), head.clone());
            let strips = cx.let_i64("q", Exp::quot(left, Exp::i64(strip)));
            let head = super::as_poly(&head).unwrap_or_default();
            let h = cx.fresh("h");
            cx.for_loop(h, Prim::I64, strips.clone(), Some(&[array.place.block]), |cx| {
                let start = cx.times(&Poly::name(h), &Poly::constant(strip.into()));
                let start = cx.plus(&head, &start);
                let lines = cx.fresh("lines");
                cx.push(Stm::Local { name: lines, prim: array.prim, len: strip.cast_unsigned() });
                let dims = vec![Dim::new(Poly::constant(strip.into()), Poly::constant(1))];
                let layout = Layout { offset: Poly::default(), dims };
                let sizes = vec![Poly::constant(strip.into())];
                let buffer = Array { prim: array.prim, sizes, place: Place { block: lines, layout } };
                cx.some(run, &start, Exp::i64(strip), &buffer, Some(lines));
                let to = cx.address(&array.place.layout, &[start]);
                let index = cx.index(&to);
                let (block, prim) = (array.place.block, array.prim);
                cx.push(Stm::Stream { block, prim, index, from: lines, len: strip.cast_unsigned() });
            });
            let done = cx.let_i64("t", Exp::mul(strips, Exp::i64(strip)));
            let done = cx.plus(&head, &super::as_poly(&done).unwrap_or_default());
            let left = Exp::sub(bound.clone(), cx.index(&done));
            let left = cx.let_i64("n", left);
            cx.some(run, &done, left, &array, None);
        });
        let no = self.scoped(false, f);
        self.push(Stm::If { cond, yes, no });
    }

    /// Some iterations of the loop from one on, which go to an array: the first one to its beginning if that is a block
    /// on the stack.
    fn some(&mut self, run: &Run, start: &Poly, count: Exp, to: &Array, lines: Option<Name>) {
        let g = self.fresh("g");
        let result = run.pat[0].name;
        let original = self.array(result);
        self.for_loop(g, Prim::I64, count, Some(&[to.place.block]), |cx| {
            let at = cx.plus(start, &Poly::name(g));
            cx.scope.bind_array(result, to.clone());
            cx.copied_iteration(run, &[], &at, lines.map(|_| Poly::name(g)));
        });
        self.scope.bind_array(result, original);
    }
}
