//! Loops that are marked `#[stripmine(k)]`: `k + 1` loops in each other, each over about the same number of iterations.
//! One that is split once, and is in no other, keeps values by strips ([`strips`](super::strips)).
//!
//! ```text
//! #[stripmine(1)] loop (x = x0) for i < n { f x i }
//! ⇒ loop (y = x0) for o < ⌈n/c⌉ { loop (x = y) for j < min c (n - o·c) { f x (o·c + j) } }
//! ```
//!
//! The second sweep of the outer loop keeps the values of its own iterations only, and the inner loop those of one
//! strip: instead of memory for `n` iterations it takes that for about `(k + 1) · n^(1/(k+1))`, and `k` more runs.

use super::super::Declare;
use super::Reverse;
use kenaz_base::Prim;
use kenaz_ir::infer::mentions;
use kenaz_ir::visit::Visit;
use kenaz_ir::{Attr, Attrs, BinOp, Exp, LoopForm, MathFn, Name, Operand, Param, Scalar, Stm, Type};

impl Reverse<'_> {
    /// The statements that take the place of a loop that is to be split; none for any other.
    pub(super) fn stripmined(&mut self, stm: &Stm) -> Option<Vec<Stm>> {
        let Exp::Loop { params, form: LoopForm::For(index, prim, n), body } = &stm.exp else { return None };
        let times = stm.attrs.0.iter().find_map(|attr| match attr {
            Attr::Stripmine(k) if *k > 0 => Some(*k),
            _ => None,
        })?;
        if times == 1 && self.depth == 0 {
            return None;
        }
        let (plain, inits): (Vec<Param>, Vec<Operand>) = params.iter().cloned().unzip();
        let names: Vec<Name> = plain.iter().map(|p| p.name).collect();
        if plain.iter().any(|p| mentions(&p.ty, &names)) {
            return None;
        }
        self.at(stm.loc, &stm.certs);
        self.cx.b.begin();
        let b = &mut self.cx.b;
        let n = if *prim == Prim::I64 { *n } else { b.conv(Prim::I64, *n) };
        let n = b.bin(BinOp::Max, n, Operand::i64(0));
        // How many iterations all inner loops have together.
        let share = times as f64 / (times as f64 + 1.0);
        let float = b.conv(Prim::F64, n);
        let root = b.bin(BinOp::Pow, float, Operand::Const(Scalar::F64(share)));
        let root = b.math(MathFn::Ceil, Prim::F64, vec![root]);
        let strip = b.conv(Prim::I64, root);
        let strip = b.bin(BinOp::Max, strip, Operand::i64(1));
        let less = b.bin(BinOp::Sub, strip, Operand::i64(1));
        let more = b.bin(BinOp::Add, n, less);
        let count = b.bin(BinOp::Div, more, strip);
        let outer: Vec<Param> = plain.iter().map(|p| b.param("strip", p.ty.clone())).collect();
        let o = b.name("o", Type::I64);
        b.begin();
        let start = b.bin(BinOp::Mul, o, strip);
        let rest = b.bin(BinOp::Sub, n, start);
        let len = b.bin(BinOp::Min, strip, rest);
        let j = b.name("j", Type::I64);
        b.begin();
        let i = b.bin(BinOp::Add, start, j);
        let conv = if *prim == Prim::I64 { Exp::Operand(i) } else { Exp::Conv(*prim, i) };
        b.let_pat(vec![Param::new(*index, Type::Prim(*prim))], conv);
        let results = b.splice(body.clone());
        let inner = b.end(results);
        let params = plain.iter().cloned().zip(outer.iter().map(|p| p.name.into())).collect();
        let exp = Exp::Loop { params, form: LoopForm::For(j, Prim::I64, len), body: inner };
        let types: Vec<Type> = plain.iter().map(|p| p.ty.clone()).collect();
        let attrs = |k: u64| {
            let others = stm.attrs.0.iter().copied().filter(|attr| !matches!(attr, Attr::Stripmine(_)));
            Attrs(others.chain((k > 0).then_some(Attr::Stripmine(k))).collect())
        };
        let pat: Vec<Param> = types.iter().map(|ty| b.param("strip", ty.clone())).collect();
        let next = pat.iter().map(|p| p.name.into()).collect();
        b.push(Stm { pat, exp, attrs: attrs(times - 1), ..stm.clone() });
        let body = b.end(next);
        let params = outer.into_iter().zip(inits).collect();
        let exp = Exp::Loop { params, form: LoopForm::For(o, Prim::I64, count), body };
        b.push(Stm { pat: stm.pat.clone(), exp, attrs: attrs(0), ..stm.clone() });
        let stms = b.end(Vec::new()).stms;
        stms.iter().for_each(|stm| Declare(&mut self.cx.b).stm(stm));
        Some(stms)
    }
}
