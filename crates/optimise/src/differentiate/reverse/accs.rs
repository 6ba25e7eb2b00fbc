//! Accumulators of sums: what is added at a place has the adjoint of that place.
//!
//! The adjoint of an accumulator's array is the same all the time, since a sum changes by what is added to it. So the
//! second sweep of a body with accumulators only reads it; the accumulators themselves are left out when the body is
//! computed again.

use super::super::Derived;
use super::super::arrays::index_or_zero;
use super::Reverse;
use super::folds::deep_built_in;
use kenaz_base::with_stack;
use kenaz_ir::{AccInput, BinOp, Body, Exp, Lambda, Name, Operand, Soac, Stm, Type};
use rustc_hash::FxHashMap;

/// The adjoints of the arrays of an accumulator.
pub(super) struct Gathered(Vec<Option<Name>>);

impl Reverse<'_> {
    pub(super) fn is_gathered(&self, ty: &Type) -> bool {
        matches!(ty, Type::Acc { token, .. } if self.gathered.contains_key(token))
    }

    pub(super) fn with_acc_back(&mut self, stm: &Stm, inputs: &[AccInput], body: &Lambda) -> Derived {
        let arrays: usize = inputs.iter().map(|input| input.dests.len()).sum();
        let bars: Vec<Option<Operand>> = stm.pat.iter().map(|p| self.take(p.name)).collect();
        if bars.iter().all(Option::is_none) {
            return Ok(());
        }
        let copy = self.copy(body);
        let mut rest = &bars[..arrays];
        for (input, token) in inputs.iter().zip(&copy.params) {
            let (own, others) = rest.split_at(input.dests.len());
            rest = others;
            if own.iter().any(Option::is_some) {
                let is_sum = |op: &Lambda| {
                    deep_built_in(op).is_some_and(|ops| ops.iter().all(|op| matches!(op, BinOp::Add | BinOp::Or)))
                };
                match &input.op {
                    Some((op, _)) if is_sum(op) => {}
                    Some(_) => return Err("an accumulator whose operator is not addition"),
                    None => return Err("an accumulator that overwrites"),
                }
            }
            for (dest, bar) in input.dests.iter().zip(own) {
                if let Some(bar) = bar {
                    self.add((*dest).into(), *bar);
                }
            }
            let names = own.iter().map(|bar| bar.and_then(Operand::name)).collect();
            self.gathered.insert(token.name, Gathered(names));
        }
        let steps = self.first_sweep(&copy.body.stms)?;
        self.at(stm.loc, &stm.certs);
        for (x, bar) in copy.body.results[inputs.len()..].iter().zip(&bars[arrays..]) {
            if let Some(bar) = bar {
                self.add(*x, *bar);
            }
        }
        self.second_sweep(steps)
    }

    pub(super) fn update_acc_back(&mut self, acc: Name, index: &[Operand], values: &[Operand]) -> Derived {
        let Type::Acc { token, .. } = self.cx.b.type_of(acc) else { return Ok(()) };
        let Some(Gathered(arrays)) = self.gathered.get(&token) else { return Ok(()) };
        for (value, array) in values.iter().zip(arrays.clone()) {
            if let Some(array) = array
                && self.is_active(*value)
            {
                let part = index_or_zero(&mut self.cx.b, array, index);
                self.add(*value, part);
            }
        }
        Ok(())
    }

    /// A statement without the accumulators whose adjoints are gathered; none if nothing is left of it.
    pub(super) fn without_gathered(&self, stm: &Stm) -> Option<Stm> {
        if self.gathered.is_empty() { Some(stm.clone()) } else { without(stm, &self.gathered) }
    }
}

fn is_gone(ty: &Type, gone: &FxHashMap<Name, Gathered>) -> bool {
    matches!(ty, Type::Acc { token, .. } if gone.contains_key(token))
}

/// Those of a list whose type stays.
fn kept<T: Clone>(items: &[T], keep: &[bool]) -> Vec<T> {
    items.iter().zip(keep).filter(|(_, keep)| **keep).map(|(x, _)| x.clone()).collect()
}

fn without(stm: &Stm, gone: &FxHashMap<Name, Gathered>) -> Option<Stm> {
    let stays: Vec<bool> = stm.pat.iter().map(|p| !is_gone(&p.ty, gone)).collect();
    let body = |body: &Body, keep: &[bool]| body_without(body, keep, gone);
    let exp = match &stm.exp {
        Exp::Soac(Soac::UpdateAcc { .. }) if stays == [false] => return None,
        Exp::If(cond, yes, no) => Exp::If(*cond, body(yes, &stays), body(no, &stays)),
        Exp::Match(x, cases, default) => {
            let cases = cases.iter().map(|(c, case)| (*c, body(case, &stays))).collect();
            Exp::Match(*x, cases, body(default, &stays))
        }
        Exp::Loop { params, form, body: inner } => {
            Exp::Loop { params: kept(params, &stays), form: form.clone(), body: body(inner, &stays) }
        }
        Exp::Soac(Soac::Screma { width, arrays, map, scans, reduces, post }) => {
            let inputs: Vec<bool> = map.params.iter().map(|p| !is_gone(&p.ty, gone)).collect();
            Exp::Soac(Soac::Screma {
                width: *width,
                arrays: kept(arrays, &inputs),
                map: lambda_without(map, gone),
                scans: scans.clone(),
                reduces: reduces.clone(),
                post: post.clone(),
            })
        }
        Exp::Soac(Soac::WithAcc { inputs, body }) => {
            Exp::Soac(Soac::WithAcc { inputs: inputs.clone(), body: lambda_without(body, gone) })
        }
        other => other.clone(),
    };
    let pat = kept(&stm.pat, &stays);
    (!pat.is_empty()).then(|| Stm { pat, exp, ..stm.clone() })
}

fn body_without(body: &Body, keep: &[bool], gone: &FxHashMap<Name, Gathered>) -> Body {
    with_stack(|| {
        let stms = body.stms.iter().filter_map(|stm| without(stm, gone)).collect();
        Body { stms, results: kept(&body.results, keep) }
    })
}

fn lambda_without(lambda: &Lambda, gone: &FxHashMap<Name, Gathered>) -> Lambda {
    let params: Vec<bool> = lambda.params.iter().map(|p| !is_gone(&p.ty, gone)).collect();
    let results: Vec<bool> = lambda.ret.iter().map(|ty| !is_gone(ty, gone)).collect();
    Lambda {
        params: kept(&lambda.params, &params),
        body: body_without(&lambda.body, &results, gone),
        ret: kept(&lambda.ret, &results),
    }
}
