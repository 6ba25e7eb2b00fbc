//! Reductions inside a map, when the map and not the reduction goes along neighbours.
//!
//! ```text
//! for j < m {                          for j < m { c[j] = 0 }
//!   s = 0                              for k < n {
//!   for k < n { s = s + a[k*m + j] }     for j < m { c[j] = c[j] + a[k*m + j] }
//!   c[j] = s                           }
//! }
//! ```
//!
//! The result is the accumulator; what the map does with the sum is done in a loop of its own at the end. Each element
//! gets its operands in the same order as before, so that the operator need not commute. Matrix products, sums of
//! columns and products with a transposed matrix are like this.

use super::Lower;
use super::order::{far, is_view};
use crate::Exp;
use kenaz_ir as ir;
use kenaz_ir::visit::for_each_use;
use kenaz_ir::{Form, Name, OpKind, Operand, Par, ParOp, Poly, Type};
use kenaz_syntax::ast::Prim;

/// A map whose body is a reduction between views and operations on scalars.
struct Nest<'p> {
    views: &'p [ir::Stm],
    reduce: &'p Par,
    /// Its result.
    sum: Name,
    rest: &'p [ir::Stm],
    value: Operand,
    op: &'p ParOp,
    /// The innermost index of the map, and that of the reduction, with what they are below.
    inner: (Name, Operand),
    along: (Name, Operand),
}

impl Lower<'_> {
    /// Lowers a `par` this way, if that is better.
    pub(super) fn exchange(&mut self, pat: &[ir::Param], par: &Par) -> bool {
        let Some(nest) = self.nest_of(pat, par) else { return false };
        let Some(result) = pat.first().map(|param| self.array(param.name)) else { return false };
        let blocks = [result.place.block];
        let independent = Some(&blocks[..]);
        let outer = &par.space[..par.space.len() - 1];
        let loops = outer.iter().map(|(var, n)| (*var, self.operand(*n))).collect();
        let mut index: Vec<Poly> = par.space.iter().map(|(var, _)| Poly::name(*var)).collect();
        let last = index.len() - 1;
        let (bound, along) = (self.operand(nest.inner.1), self.operand(nest.along.1));
        let neutral = self.operand(nest.op.neutral[0]);
        self.loops(loops, independent, |cx| {
            let var = cx.fresh.like(nest.inner.0);
            index[last] = Poly::name(var);
            cx.for_loop(var, Prim::I64, bound.clone(), independent, |cx| cx.store(&result, &index, neutral));
            index[last] = Poly::name(nest.inner.0);
            let bound_after = bound.clone();
            cx.for_loop(nest.along.0, Prim::I64, along, None, |cx| {
                cx.for_loop(nest.inner.0, Prim::I64, bound, independent, |cx| {
                    nest.views.iter().for_each(|stm| cx.stm(stm));
                    cx.body(&nest.reduce.body);
                    let args = vec![cx.load(&result, &index), cx.operand(nest.reduce.body.results[0])];
                    let new = cx.apply(&nest.op.lambda, args);
                    cx.store(&result, &index, new.into_iter().next().unwrap_or(Exp::i64(0)));
                });
            });
            if nest.value == Operand::Var(nest.sum) {
                return;
            }
            let var = cx.fresh.like(nest.inner.0);
            index[last] = Poly::name(var);
            cx.for_loop(var, Prim::I64, bound_after, independent, |cx| {
                // The same index under another name, for the same statements.
                cx.scalars.insert(nest.inner.0, Exp::Var(var, Prim::I64));
                let sum = cx.load(&result, &index);
                cx.bind(nest.sum, sum);
                nest.views.iter().filter(|stm| is_view(&stm.exp)).for_each(|stm| cx.stm(stm));
                nest.rest.iter().for_each(|stm| cx.stm(stm));
                let value = cx.operand(nest.value);
                cx.store(&result, &index, value);
            });
        });
        true
    }

    fn nest_of<'p>(&self, pat: &[ir::Param], map: &'p Par) -> Option<Nest<'p>> {
        let ([result], [Form::Own], true) = (pat, &map.forms[..], map.ops.is_empty()) else { return None };
        let at = map.body.stms.iter().position(|stm| matches!(stm.exp, ir::Exp::Par(_)))?;
        let (views, rest) = map.body.stms.split_at(at);
        let (first, rest) = rest.split_first()?;
        let (ir::Exp::Par(reduce), [sum]) = (&first.exp, &first.pat[..]) else { return None };
        let ([op], [along], []) = (&reduce.ops[..], &reduce.space[..], &reduce.forms[..]) else { return None };
        let OpKind::Reduce { .. } = op.kind else { return None };
        let inner = *map.space.last()?;
        // The sum is kept where the result will be.
        let is_scalar = op.shape.is_empty() && op.neutral.len() == 1 && sum.ty == result.ty.row(map.space.len());
        let is_outside = |x: Operand| x.name().is_none_or(|name| self.scalars.contains_key(&name));
        // What the map computes before the reduction would be computed again and again.
        let are_views = views.iter().all(|stm| is_view(&stm.exp) && stm.pat.iter().all(|p| p.place.is_some()));
        let fits = is_scalar
            && are_views
            && is_outside(along.1)
            && is_outside(op.neutral[0])
            && matches!(sum.ty, Type::Prim(_));
        if !fits {
            return None;
        }
        let loads = self.loads(views.iter().chain(&reduce.body.stms))?;
        self.loads(views.iter().chain(rest))?;
        // An array that the map replaces by its result, element by element, is still needed.
        let block = self.arrays.get(&result.name)?.place.block;
        if views.iter().chain(&reduce.body.stms).chain(rest).any(|stm| self.reads(stm, block)) {
            return None;
        }
        let index: Vec<Poly> = map.space.iter().map(|(var, _)| Poly::name(*var)).collect();
        let store = super::order::linear(&self.arrays.get(&result.name)?.place.layout, &index)?;
        let is_better = far(&loads, along.0) > far(&loads, inner.0) && far(&[store], inner.0) == 0;
        let value = *map.body.results.first()?;
        is_better.then_some(Nest { views, reduce, sum: sum.name, rest, value, op, inner, along: *along })
    }

    /// Whether a statement reads an array in a block, or makes a view of one.
    fn reads(&self, stm: &ir::Stm, block: Name) -> bool {
        let is_there = |param: &ir::Param| param.place.as_ref().is_some_and(|place| self.block(place.block) == block);
        let mut reads = stm.pat.iter().any(is_there);
        for_each_use(&stm.exp, |name| reads |= self.arrays.get(&name).is_some_and(|array| array.place.block == block));
        reads
    }
}
