//! Loops whose values in all iterations would take too much memory: they are kept for one strip of iterations at a
//! time.
//!
//! ```text
//! let r = loop (x = x0) for i < n { f x i }
//! ⇒ first sweep:  let r, xs, starts = loop (x = x0, xs = scratch, starts = scratch) for o < strips {
//!                   let starts' = update starts[o] = x
//!                   let x', xs' = loop … for j < len { as before, with i = o · size + j and places j }
//!                   in x', xs', starts' }
//! ⇒ second sweep: loop (x_bar = r_bar, xs) for t < strips {
//!                   let o = strips - 1 - t
//!                   let _, xs' = the inner loop of the first sweep from starts[o], unless t = 0
//!                   let x_bar' = loop … from the last iteration of the strip to the first
//!                   in x_bar', xs' }
//! ```
//!
//! There is one strip where all values take at most [`BOUND`] bytes: then nothing runs twice. Otherwise all but the
//! last strip run once more, and the values of a strip take half of that, or those of as many iterations as there are
//! strips. A loop marked `#[stripmine(1)]` is always split like that.

use super::super::Declare;
use super::super::arrays::{number, select};
use super::Reverse;
use super::kept::Known;
use super::loops::Values;
use kenaz_base::Prim;
use kenaz_ir::visit::instantiate;
use kenaz_ir::{Attr, Attrs, BinOp, Body, CmpOp, Exp, LoopForm, MathFn, Name, Operand, Param, Scalar, Stm, Type};

/// The most bytes that the values of a loop may take if it is not to run again.
const BOUND: u32 = 1 << 30;
/// So few iterations are never split.
const FEW: i64 = 16;

/// How many iterations there are, how many of them are in a strip, and how many strips there are.
pub(super) struct Sizes {
    pub total: Operand,
    pub size: Operand,
    pub strips: Operand,
}

/// The loop over the iterations of one strip in the first sweep, but for its sizes.
pub(super) struct Inner {
    pub params: Vec<(Param, Operand)>,
    /// How many of the parameters, the last ones, are arrays of values.
    pub kept: usize,
    pub start: Name,
    pub step: Name,
    pub body: Body,
}

/// What the second sweep has to know of a loop in strips.
pub(super) struct Split {
    sizes: Sizes,
    /// What the parameters were when each strip began.
    starts: Vec<Name>,
    /// The arrays of values, of the last strip.
    values: Vec<Name>,
    /// The loop over a strip: parameters, arrays of values, its first iteration and its length; yields arrays of
    /// values.
    params: Vec<Param>,
    body: Body,
}

/// A strip of the second sweep.
pub(super) struct Strip {
    number: Name,
    pub start: Operand,
    pub len: Operand,
    /// The arrays of values of the strip after this one, and of this one.
    before: Vec<Param>,
    renamed: Vec<(Name, Name)>,
}

impl Strip {
    /// Makes the arrays of values those of this strip.
    pub(super) fn rename(&self, kept: &mut [Values], known: &mut Known) {
        let rename = |name: &mut Name| {
            if let Some((_, new)) = self.renamed.iter().find(|(old, _)| old == name) {
                *name = *new;
            }
        };
        kept.iter_mut().for_each(|values| values.arrays().into_iter().for_each(rename));
        known.iter_mut().for_each(|(_, array)| rename(array));
    }
}

impl Reverse<'_> {
    /// How many iterations there are in a strip, and how many strips, if values of these types are kept in each.
    pub(super) fn split_of<'t>(
        &mut self,
        total: Operand,
        types: impl Iterator<Item = &'t Type>,
        attrs: &Attrs,
    ) -> Option<(Operand, Operand)> {
        let types: Vec<&Type> = types.collect();
        let is_short = matches!(total, Operand::Const(Scalar::I64(n)) if n <= FEW);
        let is_marked = attrs.0.iter().any(|attr| matches!(attr, Attr::Stripmine(1..)));
        if self.depth > 0 || !is_marked && (is_short || !types.iter().any(|ty| ty.is_array())) {
            return None;
        }
        let b = &mut self.cx.b;
        let float = |x: f64| Operand::Const(Scalar::F64(x));
        let mut bytes = float(1.0);
        for ty in types {
            let mut all = float(ty.prim().map_or(0.0, |prim| prim.bytes() as f64));
            for n in ty.dims() {
                let n = b.conv(Prim::F64, *n);
                all = b.bin(BinOp::Mul, all, n);
            }
            bytes = b.bin(BinOp::Add, bytes, all);
        }
        let iterations = b.conv(Prim::F64, total);
        let fitting = b.bin(BinOp::Div, float(f64::from(BOUND)), bytes);
        let fitting = if is_marked { float(0.0) } else { fitting };
        let fits = b.cmp(CmpOp::Le, iterations, fitting);
        let root = b.math(MathFn::Sqrt, Prim::F64, vec![iterations]);
        let half = b.bin(BinOp::Div, fitting, float(2.0));
        let some = b.bin(BinOp::Max, root, half);
        let some = b.math(MathFn::Ceil, Prim::F64, vec![some]);
        let some = b.conv(Prim::I64, some);
        let some = b.bin(BinOp::Min, some, total);
        let size = select(b, fits, total, some);
        let size = b.bin(BinOp::Max, size, Operand::i64(1));
        let less = b.bin(BinOp::Sub, size, Operand::i64(1));
        let more = b.bin(BinOp::Add, total, less);
        Some((size, b.bin(BinOp::Div, more, size)))
    }

    /// Adds the loop over strips; `pat` has the results of the inner loop.
    pub(super) fn in_strips(&mut self, stm: &Stm, mut pat: Vec<Param>, inner: Inner, sizes: Sizes) -> Split {
        let Inner { params: mut own, kept, start, step, body } = inner;
        let plain = own.len() - kept;
        let mut outer: Vec<(Param, Operand)> = Vec::new();
        let mut starts: Vec<(Param, Operand)> = Vec::new();
        for (i, (p, init)) in own.iter_mut().enumerate() {
            let fresh = self.cx.b.param("strip", p.ty.clone());
            outer.push((fresh.clone(), std::mem::replace(init, fresh.name.into())));
            if i < plain {
                let ty = p.ty.array_of(sizes.strips);
                let blank = Exp::Scratch(ty.dims().to_vec(), ty.prim().unwrap_or(Prim::Bool));
                let blank = self.cx.b.let_infer("starts", blank);
                starts.push((self.cx.b.param("starts", ty), blank.into()));
            }
        }
        let o = self.cx.b.name("o", Type::I64);
        self.cx.b.begin();
        let b = &mut self.cx.b;
        b.let_pat(vec![Param::new(start, Type::I64)], Exp::Bin(BinOp::Mul, o.into(), sizes.size));
        let rest = b.bin(BinOp::Sub, sizes.total, start);
        let len = b.bin(BinOp::Min, sizes.size, rest);
        let mut begun = Vec::new();
        for ((array, _), (p, _)) in starts.iter().zip(&outer) {
            let dims = super::slice_at(&array.ty, &[o.into()]);
            begun.push(Operand::Var(b.update(array.name, dims, p.name)));
        }
        let length = b.param("len", Type::I64);
        b.let_pat(vec![length.clone()], Exp::Operand(len));
        let results: Vec<Param> = own.iter().map(|(p, _)| b.param("strip", p.ty.clone())).collect();
        let form = LoopForm::For(step, Prim::I64, length.name.into());
        let stm_inner = Stm { pat: results.clone(), exp: Exp::Loop { params: own, form, body }, ..stm.clone() };
        b.push(stm_inner.clone());
        let all = results.iter().map(|p| p.name.into()).chain(begun).collect();
        let body = b.end(all);
        let values = pat[plain..].iter().map(|p| p.name).collect();
        let outs: Vec<Param> = starts.iter().map(|(p, _)| self.cx.b.param("starts", p.ty.clone())).collect();
        let params = outer.iter().map(|(p, _)| p.clone()).chain([Param::new(start, Type::I64), length]).collect();
        pat.extend(outs.iter().cloned());
        outer.extend(starts);
        let exp = Exp::Loop { params: outer, form: LoopForm::For(o, Prim::I64, sizes.strips), body };
        self.cx.b.push(Stm { pat, exp, ..stm.clone() });
        let yields = results[plain..].iter().map(|p| p.name.into()).collect();
        let body = Body { stms: vec![stm_inner], results: yields };
        Split { sizes, starts: outs.iter().map(|p| p.name).collect(), values, params, body }
    }

    /// Begins the body of the loop over strips in the second sweep, with the values of its strip.
    pub(super) fn strip_again(&mut self, split: &Split) -> Strip {
        let b = &mut self.cx.b;
        let Sizes { total, size, strips } = split.sizes;
        let t = b.name("t", Type::I64);
        b.begin();
        let last = b.bin(BinOp::Sub, strips, Operand::i64(1));
        let o = b.bin(BinOp::Sub, last, t);
        let start = b.bin(BinOp::Mul, o, size);
        let rest = b.bin(BinOp::Sub, total, start);
        let len = b.bin(BinOp::Min, size, rest);
        let is_last = b.cmp(CmpOp::Eq, t, Operand::i64(0));
        let again = select(b, is_last, number(Prim::I64, 0), len);
        let mut args: Vec<Operand> = split.starts.iter().map(|array| b.index(*array, vec![o])).collect();
        let mut before = Vec::new();
        for name in &split.values {
            let ty = b.type_of(*name);
            before.push(b.param("kept", ty));
        }
        args.extend(before.iter().map(|p| Operand::Var(p.name)));
        args.extend([start, again]);
        let body = instantiate(&split.params, &split.body, &args, &mut b.fresh);
        Declare(b).declare_body(&body);
        let values = b.splice(body);
        let renamed = split.values.iter().zip(values).filter_map(|(old, new)| Some((*old, new.name()?))).collect();
        Strip { number: t, start, len, before, renamed }
    }

    /// Adds the loop over strips in the second sweep, around a loop over the iterations of a strip.
    pub(super) fn back_in_strips(
        &mut self,
        split: &Split,
        strip: Strip,
        mut own: Vec<(Param, Operand)>,
        form: LoopForm,
        body: Body,
    ) -> Vec<Name> {
        let types: Vec<Type> = own.iter().map(|(p, _)| p.ty.clone()).collect();
        let mut outer = Vec::new();
        for (p, init) in &mut own {
            let fresh = self.cx.b.param("bar", p.ty.clone());
            outer.push((fresh.clone(), std::mem::replace(init, fresh.name.into())));
        }
        let inner = self.cx.b.let_types("adj", Exp::Loop { params: own, form, body }, types.clone());
        let values = strip.renamed.iter().map(|(_, new)| *new);
        let body = self.cx.b.end(inner.into_iter().chain(values).map(Operand::Var).collect());
        let all = types.into_iter().chain(strip.before.iter().map(|p| p.ty.clone())).collect();
        let inits = split.values.iter().map(|name| Operand::Var(*name));
        outer.extend(strip.before.into_iter().zip(inits));
        let form = LoopForm::For(strip.number, Prim::I64, split.sizes.strips);
        self.cx.b.let_types("adj", Exp::Loop { params: outer, form, body }, all)
    }
}
