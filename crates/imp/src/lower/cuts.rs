//! Loops in parts, in each of which comparisons with the index have one answer: the piece `cuts` of a plan.
//!
//! ```c
//! int64_t a = 0;
//! for (int64_t part = 0; part < 2; part++) {
//!   int64_t begin = a, end = point > begin && point < n ? point : n;
//!   bool lt = begin < k;
//!   for (int64_t i = 0; i < end - begin; i++) … begin + i … lt …
//!   a = end;
//! }
//! ```
//!
//! A comparison of `i64`s has one answer on either side of a point if nothing wraps around. Where what is compared is
//! so large that it could, the loop is one as if there were no cuts.

use super::Lower;
use super::par::Run;
use crate::{Exp, Stm, Ty};
use kenaz_base::Prim;
use kenaz_ir::plan::Cut;
use kenaz_ir::visit::{Subst, copy_body};
use kenaz_ir::{BinOp, CmpOp, Name, Operand, Poly};
use std::borrow::Cow;

/// What is compared with an index is at most this, and there are at most so many iterations.
const LARGE: i64 = 1 << 60;

/// A comparison with the parts of it that are known before the loop.
struct Known {
    name: Name,
    cut: Cut,
    left: Exp,
    right: Exp,
}

impl Lower<'_> {
    /// The innermost loop of a map, in parts. Whether there are any.
    pub(super) fn in_parts(&mut self, run: &Run, index: Name, bound: Exp, results: Option<&[Name]>) -> bool {
        let found = |name: &Name| Some((*name, Cut::of(&run.body, index, *name)?));
        let Some(cuts) = run.par.plan.cuts().iter().map(found).collect::<Option<Vec<(Name, Cut)>>>() else {
            return false;
        };
        if cuts.is_empty() {
            return false;
        }
        let bound = self.let_i64("n", bound);
        let small = |x: &Exp| {
            let from = Exp::cmp(CmpOp::Ge, x.clone(), Exp::i64(-LARGE));
            Exp::and(from, Exp::cmp(CmpOp::Le, x.clone(), Exp::i64(LARGE)))
        };
        let mut is_small = Exp::cmp(CmpOp::Le, bound.clone(), Exp::i64(LARGE));
        let (mut known, mut seen) = (Vec::new(), Vec::new());
        for (name, cut) in cuts {
            let (left, right) = (self.wrapping(&cut.left), self.wrapping(&cut.right));
            let (left, right) = (self.let_i64("l", left), self.let_i64("r", right));
            for side in [&left, &right] {
                if !matches!(side, Exp::Const(c) if c.as_i64().is_some_and(|n| (-LARGE..=LARGE).contains(&n)))
                    && !seen.contains(side)
                {
                    is_small = Exp::and(is_small, small(side));
                    seen.push(side.clone());
                }
            }
            known.push(Known { name, cut, left, right });
        }
        let yes = self.scoped(false, |cx| cx.parts(run, index, &bound, &known, results));
        let no = self.scoped(false, |cx| {
            cx.for_loop(index, Prim::I64, bound.clone(), results, |cx| cx.iteration(run, &[], false));
        });
        self.push(Stm::If { cond: is_small, yes, no });
        true
    }

    fn parts(&mut self, run: &Run, index: Name, bound: &Exp, known: &[Known], results: Option<&[Name]>) {
        let mut points = Vec::new();
        for Known { cut, left, right, .. } in known {
            let (a, b) = cut.factors;
            // The index at which both sides are equal.
            let (x, y) = if a - b == 1 { (right, left) } else { (left, right) };
            let equal = if is_zero(y) { x.clone() } else { self.let_i64("p", Exp::sub(x.clone(), y.clone())) };
            let next = Exp::add(equal.clone(), Exp::i64(1));
            let is_rising = a - b == 1;
            match (cut.op, is_rising) {
                (CmpOp::Lt | CmpOp::Ge, true) | (CmpOp::Le | CmpOp::Gt, false) => points.push(equal),
                (CmpOp::Le | CmpOp::Gt, true) | (CmpOp::Lt | CmpOp::Ge, false) => {
                    points.push(self.let_i64("p", next));
                }
                (CmpOp::Eq | CmpOp::Ne, _) => {
                    let next = self.let_i64("p", next);
                    points.extend([equal, next]);
                }
            }
        }
        let at = self.fresh("a");
        self.variable(at, Prim::I64);
        self.push(Stm::Declare { name: at, ty: Ty::Scalar(Prim::I64) });
        self.push(Stm::Set { name: at, value: Exp::i64(0) });
        let part = self.fresh("part");
        let parts = Exp::i64(i64::try_from(points.len() + 1).unwrap_or(i64::MAX));
        self.for_loop(part, Prim::I64, parts, None, |cx| {
            let begin = cx.fresh("begin");
            cx.variable(begin, Prim::I64);
            cx.push(Stm::Let { name: begin, prim: Prim::I64, value: Exp::var(at) });
            let mut end = bound.clone();
            for point in &points {
                let after = Exp::cmp(CmpOp::Gt, point.clone(), Exp::var(begin));
                let before = Exp::cmp(CmpOp::Lt, point.clone(), end.clone());
                end = cx.let_i64("end", Exp::select(Exp::and(after, before), point.clone(), end));
            }
            let mut subst = Subst::new();
            for Known { name, cut, left, right } in known {
                let side = |x: &Exp, factor: i128| match factor {
                    0 => x.clone(),
                    1 if is_zero(x) => Exp::var(begin),
                    1 => Exp::add(x.clone(), Exp::var(begin)),
                    _ => Exp::sub(x.clone(), Exp::var(begin)),
                };
                let value = Exp::cmp(cut.op, side(left, cut.factors.0), side(right, cut.factors.1));
                let answer = cx.fresh.like(*name);
                cx.variable(answer, Prim::Bool);
                cx.push(Stm::Let { name: answer, prim: Prim::Bool, value });
                subst.insert(*name, answer);
            }
            let place = cx.fresh.like(index);
            subst.insert(index, place);
            let mut body = run.body.clone().into_owned();
            body.stms.retain(|stm| !stm.pat.iter().any(|p| known.iter().any(|known| known.name == p.name)));
            let mut body = copy_body(&body, cx.fresh);
            subst.apply_to_body(&mut body);
            let space = run.space.iter().map(|(i, n)| if *i == index { (place, *n) } else { (*i, *n) }).collect();
            let part = Run {
                pat: run.pat,
                par: run.par,
                space,
                body: Cow::Owned(body),
                shift: run.shift,
                flat: None,
                ops: Vec::new(),
                has_forms: run.has_forms,
            };
            let (i, count) = (cx.fresh.like(index), Exp::sub(end.clone(), Exp::var(begin)));
            cx.for_loop(i, Prim::I64, count, results, |cx| {
                let sum = cx.plus(&Poly::name(begin), &Poly::name(i));
                cx.define_index(place, &sum);
                cx.iteration(&part, &[], false);
            });
            cx.push(Stm::Set { name: at, value: end });
        });
    }

    /// A polynomial in the arithmetic of the program, which wraps around.
    fn wrapping(&mut self, poly: &Poly) -> Exp {
        let mut sum: Option<Exp> = None;
        let terms: Vec<(Vec<Name>, i128)> = poly.terms().map(|(names, n)| (names.to_vec(), n)).collect();
        for (names, n) in terms {
            let n = ((n & i128::from(u64::MAX)) as u64).cast_signed();
            let mut product = (n != 1 || names.is_empty()).then(|| Exp::i64(n));
            for name in names {
                let x = self.operand(Operand::Var(name));
                product = Some(product.map_or(x.clone(), |product| Exp::bin(BinOp::Mul, product, x)));
            }
            let Some(product) = product else { continue };
            sum = Some(sum.map_or(product.clone(), |sum| Exp::bin(BinOp::Add, sum, product)));
        }
        sum.unwrap_or_else(|| Exp::i64(0))
    }
}

fn is_zero(x: &Exp) -> bool {
    matches!(x, Exp::Const(c) if c.bits() == 0)
}
