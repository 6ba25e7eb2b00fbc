//! The flat version of a nest: all its levels run at once.
//!
//! ```text
//! let b_1 = par grid (i_2 < n_3) own {              let ys_10 = par grid (i_11 < n_3, j_12 < m_6) own {… in y_7}
//!   let y_4 = par (j_5 < m_6) own {… in y_7}          let b_1 = par grid (i_13 < n_3) own {
//!   let s_8 = par (j_9 < m_6) reduce … {… y_4 …}  ⇒     let y_14 = index ys_10[i_13]
//!   in s_8                                              let s_15 = par (j_16 < m_6) reduce … {… y_14 …}
//! }                                                     in s_15
//!                                                     }
//! ```
//!
//! The map is distributed over the statements of its body:
//!
//! | statement | becomes |
//! |---|---|
//! | a map, or arrays that are filled, copied or put behind each other | a map over the dimensions of both |
//! | a reduction or scan | a nest with nothing else in it, which [`leaf`](super::leaf) knows more about |
//! | a loop with parallelism inside, whose trip count is that of all iterations | a loop of the host around the same for its body |
//! | views and a few instructions | are repeated wherever they are needed |
//! | everything else | a map over the outer dimensions |
//!
//! A value of one of these that another needs is kept in an array with the outer dimensions in front. Checks come
//! before what relies on them, since the host waits for them; certificates do not outlive their kernel. What changes an
//! array that it has not made itself, or makes rows of different sizes, has no flat version.

use super::{is_cheap, is_small};
use crate::cores::is_closed;
use kenaz_base::{Prim, with_stack};
use kenaz_ir::effects;
use kenaz_ir::visit::{bound_in_body, bound_in_exp, copy_body, for_each_body_mut, free_in_body, free_in_stm};
use kenaz_ir::{
    Attrs, BinOp, Body, CmpOp, Exp, Form, Fresh, Level, LocId, LoopForm, Name, Operand, Par, Param, Plan, Stm, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The statements of the host that do what a nest does, as the body of a branch; its names are new.
pub(super) fn spread(pat: &[Param], nest: &Par, loc: LocId, fresh: &mut Fresh) -> Option<Body> {
    let mut bound: FxHashSet<Name> = bound_in_body(&nest.body).into_iter().collect();
    bound.extend(nest.space.iter().map(|(var, _)| *var));
    let mut types: FxHashMap<Name, Type> = FxHashMap::default();
    effects::any(&nest.body, |stm| {
        let params: &[(Param, Operand)] = match &stm.exp {
            Exp::Loop { params, .. } => params,
            _ => &[],
        };
        types.extend(stm.pat.iter().chain(params.iter().map(|(param, _)| param)).map(|p| (p.name, p.ty.clone())));
        false
    });
    let mut spread = Spread {
        fresh,
        loc,
        types,
        space: &nest.space,
        bound,
        defs: FxHashMap::default(),
        again: Vec::new(),
        out: Vec::new(),
        of_loops: FxHashMap::default(),
        is_parallel: false,
    };
    spread.stms(&nest.body)?;
    let mut results = Vec::new();
    for (x, param) in nest.body.results.iter().zip(pat) {
        spread.result(*x, &param.ty.row(nest.space.len()), &mut results)?;
    }
    let Spread { is_parallel, out, fresh, .. } = spread;
    is_parallel.then(|| copy_body(&Body { stms: out, results }, fresh))
}

/// How a value of an iteration can be had elsewhere.
#[derive(Clone)]
enum Def {
    /// By the statement of that number in [`Spread::again`].
    Again(usize),
    /// It has this type and is a row of this array.
    Kept(Name, Type),
}

struct Spread<'a> {
    fresh: &'a mut Fresh,
    loc: LocId,
    /// The outer dimensions.
    space: &'a [(Name, Operand)],
    /// The types of what statements and loops of the nest bind.
    types: FxHashMap<Name, Type>,
    /// The names of the nest, which differ from one iteration to the next.
    bound: FxHashSet<Name>,
    defs: FxHashMap<Name, Def>,
    /// Statements that may be repeated.
    again: Vec<Stm>,
    out: Vec<Stm>,
    /// The arrays that the result of a loop may be, of those that the loop begins with.
    of_loops: FxHashMap<Name, BTreeSet<Name>>,
    /// Whether anything but the outer dimensions has become parallel.
    is_parallel: bool,
}

/// Whether an inner operator has enough iterations to be worth a kernel.
pub(super) fn is_wide(stm: &Stm) -> bool {
    match &stm.exp {
        Exp::Par(par) => !is_closed(stm) && par.space.iter().any(|(_, n)| !is_small(*n)),
        _ => false,
    }
}

impl Spread<'_> {
    fn is_outside(&self, x: &Operand) -> bool {
        x.name().is_none_or(|name| !self.bound.contains(&name))
    }

    fn is_regular(&self, ty: &Type) -> bool {
        matches!(ty, Type::Prim(_) | Type::Array(..)) && ty.dims().iter().all(|n| self.is_outside(n))
    }

    fn outer(&self) -> Vec<Operand> {
        self.space.iter().map(|(_, n)| *n).collect()
    }

    /// The statements of a body, in groups.
    fn stms(&mut self, body: &Body) -> Option<()> {
        with_stack(|| {
            let mut pending: Vec<(usize, Stm)> = Vec::new();
            for (at, stm) in body.stms.iter().enumerate() {
                if let Some(par) = self.as_par(stm) {
                    self.group(std::mem::take(&mut pending), body)?;
                    self.par(stm, par)?;
                    continue;
                }
                let has_wide = effects::any_inside(&stm.exp, is_wide);
                match &stm.exp {
                    Exp::Loop { params, form: LoopForm::For(i, _, n), body: inner } if has_wide && !is_closed(stm) => {
                        self.group(std::mem::take(&mut pending), body)?;
                        self.interchange(stm, params, (*i, *n), inner)?;
                    }
                    _ if has_wide || is_wide(stm) => return None,
                    _ if self.may_repeat(stm, &pending) => {
                        let number = self.again.len();
                        self.again.push(stm.clone());
                        self.defs.extend(stm.pat.iter().map(|param| (param.name, Def::Again(number))));
                    }
                    _ => {
                        if makes_much(stm) || self.changes_kept(stm) {
                            return None;
                        }
                        pending.push((at, stm.clone()));
                    }
                }
            }
            self.group(pending, body)
        })
    }

    /// A view or a few instructions, of what is not still to be made by a group: a group has its statements in the
    /// order of the program.
    fn may_repeat(&self, stm: &Stm, pending: &[(usize, Stm)]) -> bool {
        let is_value = stm.pat.iter().all(|param| self.is_regular(&param.ty));
        let needed = free_in_stm(stm);
        let of_group = || pending.iter().any(|(_, stm)| stm.pat.iter().any(|param| needed.contains(&param.name)));
        is_value && is_cheap(stm) && effects::of(stm).may_repeat() && !of_group()
    }

    /// An operator as a `par` with its dimensions, also where a statement only fills or copies an array.
    fn as_par(&mut self, stm: &Stm) -> Option<Par> {
        if is_closed(stm) {
            return None;
        }
        if let Exp::Par(par) = &stm.exp {
            let is_regular = par.level.is_none() && par.space.iter().all(|(_, n)| self.is_outside(n));
            return (is_regular && is_wide(stm)).then(|| par.clone());
        }
        let [param] = &stm.pat[..] else { return None };
        let dims = param.ty.dims().to_vec();
        if !self.is_regular(&param.ty) || dims.iter().all(|n| is_small(*n)) {
            return None;
        }
        let vars: Vec<Name> = dims.iter().map(|_| self.fresh.named("i")).collect();
        let indices: Vec<Operand> = vars.iter().map(|var| Operand::Var(*var)).collect();
        let element = Type::Prim(param.ty.prim()?);
        let mut stms = Vec::new();
        let mut bind = |fresh: &mut Fresh, ty: Type, exp: Exp| {
            let name = fresh.named("x");
            stms.push(plain(vec![Param::new(name, ty)], exp, self.loc));
            Operand::Var(name)
        };
        let value = match &stm.exp {
            Exp::Replicate(outer, x) if outer.len() == dims.len() => *x,
            Exp::Replicate(outer, Operand::Var(x)) => {
                bind(self.fresh, element, Exp::Index(*x, indices[outer.len()..].to_vec()))
            }
            Exp::Copy(x) => bind(self.fresh, element, Exp::Index(*x, indices)),
            Exp::Concat(_, arrays) => {
                let sizes: Option<Vec<Operand>> =
                    arrays.iter().map(|x| self.types.get(x)?.dims().first().copied()).collect();
                let sizes = sizes?;
                if !sizes.iter().all(|n| self.is_outside(n)) {
                    return None;
                }
                let parts: Vec<(Name, Operand)> = arrays.iter().copied().zip(sizes).collect();
                let Body { stms: of_parts, results } = element_of(&parts, &indices, &element, self.loc, self.fresh)?;
                stms = of_parts;
                results[0]
            }
            Exp::Iota { start, stride, prim, .. } => {
                let mut i = indices[0];
                if *prim != Prim::I64 {
                    i = bind(self.fresh, element.clone(), Exp::Conv(*prim, i));
                }
                let scaled = bind(self.fresh, element.clone(), Exp::Bin(BinOp::Mul, i, *stride));
                bind(self.fresh, element, Exp::Bin(BinOp::Add, scaled, *start))
            }
            _ => return None,
        };
        let body = Body { stms, results: vec![value] };
        self.bound.extend(vars.iter().copied());
        self.bound.extend(bound_in_body(&body));
        let space = vars.into_iter().zip(dims).collect();
        Some(map_over(space, body, 1))
    }

    /// Whether a statement changes an array that is kept, or is a view of one.
    fn changes_kept(&self, stm: &Stm) -> bool {
        let is_kept = |exp: &Exp| effects::consumed(exp, |_, _| true).iter().any(|name| self.defs.contains_key(name));
        is_kept(&stm.exp) || effects::any_inside(&stm.exp, |stm| is_kept(&stm.exp))
    }

    // Groups

    /// A map over the outer dimensions of statements that one thread does, which keeps what others need.
    fn group(&mut self, pending: Vec<(usize, Stm)>, body: &Body) -> Option<()> {
        let Some((last, _)) = pending.last() else { return Some(()) };
        let mut needed: FxHashSet<Name> = body.results.iter().filter_map(|x| x.name()).collect();
        needed.extend(body.stms[*last + 1..].iter().flat_map(free_in_stm));
        needed.extend(self.again.iter().flat_map(free_in_stm));
        let made = pending.iter().flat_map(|(_, stm)| &stm.pat).filter(|param| needed.contains(&param.name));
        let kept: Vec<Param> = made.filter(|param| param.ty != Type::Cert).cloned().collect();
        if !kept.iter().all(|param| self.is_regular(&param.ty)) {
            return None;
        }
        let stms: Vec<Stm> = pending.into_iter().map(|(_, stm)| stm).collect();
        self.emit(&[], stms, &kept, Attrs::default())
    }

    fn par(&mut self, stm: &Stm, par: Par) -> Option<()> {
        let is_scalar = par.ops.iter().all(|op| op.shape.is_empty());
        let is_known = is_scalar && par.forms.iter().all(|form| matches!(form, Form::Own));
        if !is_known || !stm.pat.iter().all(|param| self.is_regular(&param.ty)) {
            return None;
        }
        self.is_parallel = true;
        if par.any_order() {
            let Par { space, body, .. } = par;
            return self.map(&space, body, &stm.pat, stm.attrs.clone());
        }
        let has_scans = par.scans().next().is_some();
        if has_scans && par.reduced() > 0 {
            return None;
        }
        if has_scans || par.forms.is_empty() {
            let leaf = Stm { exp: Exp::Par(par), ..stm.clone() };
            return self.emit(&[], vec![leaf], &stm.pat, Attrs::default());
        }
        self.reduce_apart(stm, par)
    }

    /// A map inside, over the dimensions of both.
    fn map(&mut self, space: &[(Name, Operand)], body: Body, pat: &[Param], attrs: Attrs) -> Option<()> {
        let Body { stms, results } = body;
        let rows: Vec<Param> =
            pat.iter().zip(&results).map(|(param, _)| Param::new(param.name, param.ty.row(space.len()))).collect();
        self.emit_results(space, stms, results, &rows, attrs)
    }

    /// A map whose values are reduced as well: the map first, then the reduction over what it has made.
    fn reduce_apart(&mut self, stm: &Stm, par: Par) -> Option<()> {
        let Par { space, ops, body, .. } = par;
        let (reduced, made) = stm.pat.split_at(ops.iter().map(|op| op.neutral.len()).sum());
        let sizes: Vec<Operand> = space.iter().map(|(_, n)| *n).collect();
        let types = ops.iter().flat_map(|op| &op.lambda.params[..op.neutral.len()]).map(|param| param.ty.clone());
        let operands: Vec<(Operand, Type)> = body.results.iter().copied().zip(types).collect();
        let mut results = body.results[operands.len()..].to_vec();
        let mut pat = made.to_vec();
        let vars: Vec<Name> = space.iter().map(|(var, _)| self.fresh.like(*var)).collect();
        let (mut stms, mut values) = (Vec::new(), Vec::new());
        for (x, ty) in operands {
            if self.is_outside(&x) {
                values.push(x);
                continue;
            }
            let at = results.iter().position(|result| *result == x).unwrap_or_else(|| {
                let name = self.fresh.named("operands");
                self.bound.insert(name);
                pat.push(Param::new(name, ty.with_outer(&sizes)));
                results.push(x);
                results.len() - 1
            });
            let value = self.fresh.named("x");
            let indices = vars.iter().map(|var| Operand::Var(*var)).collect();
            stms.push(plain(vec![Param::new(value, ty)], Exp::Index(pat[at].name, indices), stm.loc));
            self.bound.insert(value);
            values.push(Operand::Var(value));
        }
        self.bound.extend(vars.iter().copied());
        self.map(&space, Body { stms: body.stms, results }, &pat, stm.attrs.clone())?;
        let par = Par {
            level: None,
            space: vars.into_iter().zip(sizes).collect(),
            plan: Plan::default(),
            ops,
            body: Body { stms, results: values },
            post: None,
            forms: Vec::new(),
        };
        let leaf = Stm { pat: reduced.to_vec(), exp: Exp::Par(par), ..stm.clone() };
        self.emit(&[], vec![leaf], reduced, Attrs::default())
    }

    /// A loop of the host in the place of one in each iteration.
    fn interchange(
        &mut self,
        stm: &Stm,
        params: &[(Param, Operand)],
        (i, n): (Name, Operand),
        body: &Body,
    ) -> Option<()> {
        let are_regular = params.iter().all(|(param, _)| self.is_regular(&param.ty));
        if !are_regular || !self.is_outside(&n) {
            return None;
        }
        let outer = self.outer();
        let mut host = Vec::new();
        for (param, init) in params {
            let init = self.on_host(*init, &param.ty)?;
            let name = self.fresh.like(param.name);
            host.push((Param::new(name, param.ty.with_outer(&outer)), Operand::Var(init)));
            self.defs.insert(param.name, Def::Kept(name, param.ty.clone()));
        }
        // From here on it is the same for all iterations.
        self.bound.remove(&i);
        let around = std::mem::take(&mut self.out);
        self.stms(body)?;
        let mut results = Vec::new();
        for (x, (param, _)) in body.results.iter().zip(params) {
            self.result(*x, &param.ty, &mut results)?;
        }
        let stms = std::mem::replace(&mut self.out, around);
        let form = match &stm.exp {
            Exp::Loop { form, .. } => form.clone(),
            _ => return None,
        };
        let pat: Vec<Param> =
            stm.pat.iter().map(|param| Param::new(self.fresh.like(param.name), param.ty.with_outer(&outer))).collect();
        for (k, (param, x)) in pat.iter().zip(&results).enumerate() {
            let begins = |at: usize| host[at].1.name().map_or(BTreeSet::new(), |init| self.may_be(init));
            let made = x.name().map_or(BTreeSet::new(), |name| self.may_be(name));
            let carried = (0..host.len()).filter(|at| made.contains(&host[*at].0.name));
            let may_be = [k].into_iter().chain(carried).flat_map(begins).collect();
            self.of_loops.insert(param.name, may_be);
        }
        let kept = stm.pat.iter().zip(&pat).map(|(param, host)| (param.name, Def::Kept(host.name, param.ty.clone())));
        self.defs.extend(kept);
        let exp = Exp::Loop { params: host, form, body: Body { stms, results } };
        self.out.push(plain(pat, exp, stm.loc));
        Some(())
    }

    // What groups are made of

    /// A `par grid` over the outer dimensions and more, which keeps values of its statements.
    fn emit(&mut self, more: &[(Name, Operand)], stms: Vec<Stm>, kept: &[Param], attrs: Attrs) -> Option<()> {
        let results = kept.iter().map(|param| Operand::Var(param.name)).collect();
        self.emit_results(more, stms, results, kept, attrs)
    }

    /// The same with what it yields, under the names and with the types of `kept`.
    fn emit_results(
        &mut self,
        more: &[(Name, Operand)],
        stms: Vec<Stm>,
        mut results: Vec<Operand>,
        kept: &[Param],
        attrs: Attrs,
    ) -> Option<()> {
        let space: Vec<(Name, Operand)> = self.space.iter().chain(more).copied().collect();
        let sizes: Vec<Operand> = space.iter().map(|(_, n)| *n).collect();
        let mut body = Body { stms, results: results.clone() };
        let mut front = Vec::new();
        let mut seen: FxHashSet<Name> = bound_in_body(&body).into_iter().collect();
        seen.extend(space.iter().map(|(var, _)| *var));
        self.needed(&free_in_body(&body), &mut seen, &mut front)?;
        front.append(&mut body.stms);
        body.stms = front;
        let local: FxHashSet<Name> = bound_in_body(&body).into_iter().collect();
        self.strip(&mut body, &local);
        let mut pat: Vec<Param> =
            kept.iter().map(|param| Param::new(self.fresh.like(param.name), param.ty.with_outer(&sizes))).collect();
        // A `par` that only checks something yields that it has.
        if pat.is_empty() {
            results.push(Operand::Const(kenaz_ir::Scalar::Bool(true)));
            pat.push(Param::new(self.fresh.named("checked"), Type::BOOL.with_outer(&sizes)));
        }
        body.results = results;
        let mut par = map_over(space, body, pat.len());
        par.level = Some(Level::Grid);
        let stm = Stm { attrs, ..plain(pat, Exp::Par(par), self.loc) };
        let copy = copy_body(&Body { stms: vec![stm], results: Vec::new() }, self.fresh);
        for stm in copy.stms {
            let rows = |host: &Param| host.ty.row(self.space.len());
            let kept = kept.iter().zip(&stm.pat);
            self.defs.extend(kept.map(|(param, host)| (param.name, Def::Kept(host.name, rows(host)))));
            self.out.push(stm);
        }
        Some(())
    }

    /// The statements that make names of the nest available, those that they stand on first.
    fn needed(&self, names: &BTreeSet<Name>, seen: &mut FxHashSet<Name>, out: &mut Vec<Stm>) -> Option<()> {
        for name in names.iter().filter(|name| self.bound.contains(name)) {
            if !seen.insert(*name) {
                continue;
            }
            match self.defs.get(name) {
                Some(Def::Again(number)) => {
                    let stm = &self.again[*number];
                    seen.extend(stm.pat.iter().map(|param| param.name));
                    seen.extend(bound_in_exp(&stm.exp));
                    let mut free = free_in_stm(stm);
                    free.retain(|name| !stm.certs.contains(name));
                    with_stack(|| self.needed(&free, seen, out))?;
                    out.push(stm.clone());
                }
                Some(Def::Kept(array, ty)) => {
                    let indices = self.space.iter().map(|(var, _)| Operand::Var(*var)).collect();
                    out.push(plain(vec![Param::new(*name, ty.clone())], Exp::Index(*array, indices), self.loc));
                }
                // A certificate, whose check has been made.
                None => {}
            }
        }
        Some(())
    }

    /// Takes away the certificates that are not from here.
    fn strip(&self, body: &mut Body, local: &FxHashSet<Name>) {
        with_stack(|| {
            for stm in &mut body.stms {
                stm.certs.retain(|cert| !self.bound.contains(cert) || local.contains(cert));
                for_each_body_mut(&mut stm.exp, |body| self.strip(body, local));
            }
        });
    }

    // Values as arrays of the host

    /// Adds the array of a result, which has memory of its own.
    fn result(&mut self, x: Operand, ty: &Type, results: &mut Vec<Operand>) -> Option<()> {
        let mut array = self.on_host(x, ty)?;
        let others = results.iter().filter_map(|x| x.name()).flat_map(|name| self.may_be(name));
        if !self.may_be(array).is_disjoint(&others.collect()) {
            let again = Param::new(self.fresh.named("again"), ty.with_outer(&self.outer()));
            let name = again.name;
            self.out.push(plain(vec![again], Exp::Copy(array), self.loc));
            array = name;
        }
        results.push(Operand::Var(array));
        Some(())
    }

    /// The arrays in whose memory one may be.
    fn may_be(&self, array: Name) -> BTreeSet<Name> {
        self.of_loops.get(&array).cloned().unwrap_or_else(|| BTreeSet::from([array]))
    }

    /// The array with the value of each iteration.
    fn on_host(&mut self, x: Operand, ty: &Type) -> Option<Name> {
        if let Some(Def::Kept(array, _)) = x.name().and_then(|name| self.defs.get(&name)) {
            return Some(*array);
        }
        if self.is_outside(&x) {
            let all = Param::new(self.fresh.named("all"), ty.with_outer(&self.outer()));
            let name = all.name;
            self.out.push(plain(vec![all], Exp::Replicate(self.outer(), x), self.loc));
            return Some(name);
        }
        // Under a name of its own, since it may still be repeated elsewhere.
        let value = Param::new(self.fresh.named("value"), ty.clone());
        self.bound.insert(value.name);
        self.emit_results(&[], Vec::new(), vec![x], std::slice::from_ref(&value), Attrs::default())?;
        match self.defs.get(&value.name) {
            Some(Def::Kept(array, _)) => Some(*array),
            _ => None,
        }
    }
}

/// The element of arrays one behind the other, of these sizes.
fn element_of(
    parts: &[(Name, Operand)],
    indices: &[Operand],
    ty: &Type,
    loc: LocId,
    fresh: &mut Fresh,
) -> Option<Body> {
    let ((array, n), rest) = parts.split_first()?;
    let own = Param::new(fresh.named("x"), ty.clone());
    let results = vec![Operand::Var(own.name)];
    let own = Body { stms: vec![plain(vec![own], Exp::Index(*array, indices.to_vec()), loc)], results };
    if rest.is_empty() {
        return Some(own);
    }
    let behind = fresh.named("i");
    let others: Vec<Operand> = [Operand::Var(behind)].iter().chain(&indices[1..]).copied().collect();
    let mut other = element_of(rest, &others, ty, loc, fresh)?;
    let from = Exp::Bin(BinOp::Sub, indices[0], *n);
    other.stms.insert(0, plain(vec![Param::new(behind, Type::I64)], from, loc));
    let (is_own, x) = (fresh.named("is"), Param::new(fresh.named("x"), ty.clone()));
    let results = vec![Operand::Var(x.name)];
    let is_before = Exp::Cmp(CmpOp::Lt, indices[0], *n);
    let stms = vec![
        plain(vec![Param::new(is_own, Type::BOOL)], is_before, loc),
        plain(vec![x], Exp::If(Operand::Var(is_own), own, other), loc),
    ];
    Some(Body { stms, results })
}

/// Whether a statement that one thread does makes an array that many could make.
fn makes_much(stm: &Stm) -> bool {
    let is_large = |param: &Param| param.ty.dims().iter().any(|n| !is_small(*n));
    matches!(stm.exp, Exp::Concat(..)) && stm.pat.iter().any(is_large)
}

fn map_over(space: Vec<(Name, Operand)>, body: Body, results: usize) -> Par {
    let forms = vec![Form::Own; results];
    Par { level: None, space, plan: Plan::default(), ops: Vec::new(), body, post: None, forms }
}

pub(super) fn plain(pat: Vec<Param>, exp: Exp, loc: LocId) -> Stm {
    Stm { pat, certs: Vec::new(), attrs: Attrs::default(), exp, loc }
}
