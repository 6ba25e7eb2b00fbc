//! Results that are larger than the caches are written past them.
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
//! without. There are `head` elements before the first whole line. What is computed goes through a few lines on the stack,
//! which C compilers keep in registers. The loop as it was stays, for results that are small when the program runs.

use super::{Array, Lower, bytes_of};
use crate::{Exp, Stm};
use kenaz_base::Prim;
use kenaz_ir as ir;
use kenaz_ir::layout::Dim;
use kenaz_ir::visit::for_each_body;
use kenaz_ir::{BinOp, CmpOp, Form, Layout, MathFn, Name, Par, Place, Poly};

/// What is written at once, and a line, in bytes.
const STRIP: u64 = 512;
const LINE: u64 = 64;

/// Shorter loops stay as they are, in strips.
const SHORTEST: i64 = 4;

/// Bodies with more statements than this have more to do than to wait for memory.
const MOST_STATEMENTS: usize = 32;

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
        let is_own = |form: &Form| matches!(form, Form::Own | Form::Tile(_));
        if !par.ops.is_empty() || !par.forms.iter().all(is_own) {
            return f(self);
        }
        let (mut blocks, mut largest) = (Vec::new(), None);
        for param in pat {
            let array = self.array(param.name);
            let element = Exp::i64(i64::try_from(bytes_of(array.prim)).unwrap_or(8));
            let size = array.sizes.iter().fold(element, |bytes, n| {
                let n = self.index(n);
                Exp::Math(MathFn::SizeMul, Prim::I64, vec![bytes, n])
            });
            largest = Some(match largest {
                None => size,
                Some(other) => Exp::Bin(BinOp::Max, Prim::I64, Box::new(other), Box::new(size)),
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

    /// The result of a `par` whose loop can be in strips, and whether it should.
    fn can_stream(&mut self, pat: &[ir::Param], par: &Par) -> Option<(Array, Exp)> {
        let ([result], [Form::Own], [_], [], None) = (pat, &par.forms[..], &par.space[..], &par.ops[..], &par.post)
        else {
            return None;
        };
        let array = self.array(result.name);
        let streaming = self.streaming.as_ref().filter(|streaming| streaming.blocks.contains(&array.place.block))?;
        let flag = Exp::Var(streaming.name, Prim::Bool);
        let is_row = array.sizes.len() == 1
            && array.place.layout.dims[0].stride().is_some_and(|stride| stride.as_constant() == Some(1));
        let is_simple = par.body.stms.len() <= MOST_STATEMENTS
            && par.body.stms.iter().all(|stm| {
                let mut is_simple = !matches!(stm.exp, ir::Exp::Call(..) | ir::Exp::Mem(_) | ir::Exp::Trace(..));
                for_each_body(&stm.exp, |_| is_simple = false);
                let makes_array = stm.pat.iter().any(|param| param.ty.is_array());
                is_simple && (!makes_array || stm.exp.is_view())
            });
        if !is_row || !is_simple {
            return None;
        }
        if let Some(streaming) = &mut self.streaming {
            streaming.is_used = true;
        }
        Some((array, flag))
    }

    /// Lowers the loop of a `par` this way, where its result is large, and by `f` where it is not; only by `f` if it cannot be.
    pub(super) fn streamed(&mut self, pat: &[ir::Param], par: &Par, bound: &Exp, f: impl FnOnce(&mut Self)) {
        let Some((array, flag)) = self.can_stream(pat, par) else { return f(self) };
        let elements = |bytes: u64| i64::try_from(bytes / bytes_of(array.prim)).unwrap_or(1);
        let (line, strip) = (elements(LINE), elements(STRIP));
        let least = Box::new(Exp::i64(strip * SHORTEST));
        let is_long = Exp::Cmp(CmpOp::Le, Prim::I64, least, Box::new(bound.clone()));
        let cond = Exp::Bin(BinOp::And, Prim::Bool, Box::new(flag), Box::new(is_long));
        let yes = self.scoped(false, |cx| {
            let first = cx.address(&array.place.layout, &[Poly::default()]);
            let first = cx.index(&first);
            let over = Exp::Rem(Box::new(first), Box::new(Exp::i64(line)));
            let over = Exp::Sub(Box::new(Exp::i64(line)), Box::new(over));
            let head = cx.let_index("head", Exp::Rem(Box::new(over), Box::new(Exp::i64(line))));
            cx.some(pat, par, &Poly::default(), head.clone(), &array, None);
            let left = Exp::Sub(Box::new(bound.clone()), Box::new(head.clone()));
            let strips = cx.let_index("q", Exp::Quot(Box::new(left), Box::new(Exp::i64(strip))));
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
                cx.some(pat, par, &start, Exp::i64(strip), &buffer, Some(lines));
                let to = cx.address(&array.place.layout, &[start]);
                let index = cx.index(&to);
                let (block, prim) = (array.place.block, array.prim);
                cx.push(Stm::Stream { block, prim, index, from: lines, len: strip.cast_unsigned() });
            });
            let done = cx.let_index("t", Exp::Mul(Box::new(strips), Box::new(Exp::i64(strip))));
            let done = cx.plus(&head, &super::as_poly(&done).unwrap_or_default());
            let left = Exp::Sub(Box::new(bound.clone()), Box::new(cx.index(&done)));
            let left = cx.let_index("n", left);
            cx.some(pat, par, &done, left, &array, None);
        });
        let no = self.scoped(false, f);
        self.push(Stm::If { cond, yes, no });
    }

    /// Some iterations of the loop from one on, which go to an array: the first one to its beginning if that is a block on
    /// the stack.
    fn some(&mut self, pat: &[ir::Param], par: &Par, start: &Poly, count: Exp, to: &Array, lines: Option<Name>) {
        let g = self.fresh("g");
        let original = self.scope.array(pat[0].name).cloned();
        self.for_loop(g, Prim::I64, count, Some(&[to.place.block]), |cx| {
            let at = cx.plus(start, &Poly::name(g));
            let copy = cx.same_iteration(par, &at);
            cx.body(&copy.body);
            let index = if lines.is_some() { Poly::name(g) } else { Poly::name(copy.space[0].0) };
            cx.scope.bind_array(pat[0].name, to.clone());
            cx.finish(pat, &copy, &[], &[index], false);
        });
        if let Some(array) = original {
            self.scope.bind_array(pat[0].name, array);
        }
    }
}
