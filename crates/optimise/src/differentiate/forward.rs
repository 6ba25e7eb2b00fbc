//! Forward mode: beside each value that depends on the argument, its change.
//!
//! An operator on several values becomes one on the values and their changes: a scan of pairs, a loop with twice as
//! many parameters, a function with more parameters and results. An accumulator of values becomes one of values and
//! changes, so that it stays one.

use super::arrays::{plus, select, zero};
use super::partial::{self, Way};
use super::{Cx, Derived, activity, renamed};
use kenaz_base::with_stack;
use kenaz_ir::{
    AccInput, Attrs, BinOp, Body, Exp, Fun, HistOp, Lambda, LoopForm, Name, Operand, Param, Reduce, Scan, ScatterDest,
    Soac, Stm, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Adds the statements of the body with the changes of what they compute; gives those of the results.
pub(super) fn along(cx: &mut Cx, body: &Body, params: &[Option<Name>], direction: &[Operand]) -> Derived<Vec<Operand>> {
    let mut forward = Forward::new(cx, params, direction, body);
    forward.stms(&body.stms)?;
    Ok(body.results.iter().map(|x| forward.change_or_zero(*x)).collect())
}

pub(super) struct Forward<'a> {
    cx: &'a mut Cx,
    active: FxHashSet<Name>,
    changes: FxHashMap<Name, Operand>,
}

impl Forward<'_> {
    fn new<'a>(cx: &'a mut Cx, params: &[Option<Name>], direction: &[Operand], body: &Body) -> Forward<'a> {
        let moved = params.iter().zip(direction).filter(|(_, d)| !super::arrays::is_zero(**d));
        let changes: FxHashMap<Name, Operand> = moved.filter_map(|(p, d)| Some(((*p)?, *d))).collect();
        let mut active = changes.keys().copied().collect();
        activity::spread(&cx.b, body, &mut active);
        Forward { cx, active, changes }
    }

    fn change(&self, x: Operand) -> Option<Operand> {
        x.name().and_then(|name| self.changes.get(&name).copied())
    }

    fn change_or_zero(&mut self, x: Operand) -> Operand {
        match self.change(x) {
            Some(change) => change,
            None => {
                let ty = self.cx.b.type_of(x);
                zero(&mut self.cx.b, &ty)
            }
        }
    }

    fn named_change(&mut self, array: Name) -> Derived<Name> {
        self.change_or_zero(array.into()).name().ok_or("an array without a change")
    }

    fn is_active(&self, name: Name) -> bool {
        self.active.contains(&name)
    }

    /// The type of an accumulator that also takes changes.
    fn lift(&self, ty: &Type) -> Type {
        match ty {
            Type::Acc { token, shape, elems } if self.is_active(*token) => {
                Type::Acc { token: *token, shape: shape.clone(), elems: [&elems[..], &elems[..]].concat() }
            }
            _ => ty.clone(),
        }
    }

    fn lift_param(&mut self, param: &Param) -> Param {
        let lifted = Param { ty: self.lift(&param.ty), ..param.clone() };
        self.cx.b.declare(lifted.name, lifted.ty.clone());
        lifted
    }

    /// A parameter for the change of another, if that is active.
    fn change_param(&mut self, param: &Param) -> Option<Param> {
        if !self.is_active(param.name) || param.ty.prim().is_none() {
            return None;
        }
        let change = self.cx.b.param(&format!("{}_t", param.name.base), param.ty.clone());
        self.changes.insert(param.name, change.name.into());
        Some(change)
    }

    fn change_params(&mut self, params: &[Param]) -> Vec<Param> {
        params.iter().filter_map(|p| self.change_param(p)).collect()
    }

    fn stms(&mut self, stms: &[Stm]) -> Derived {
        let (loc, certs) = (self.cx.b.loc, self.cx.b.certs.clone());
        let done = with_stack(|| stms.iter().try_for_each(|stm| self.stm(stm)));
        (self.cx.b.loc, self.cx.b.certs) = (loc, certs);
        done
    }

    /// Whether a statement computes something that has a change, or adds to an accumulator that takes changes.
    fn is_concerned(&self, stm: &Stm) -> bool {
        stm.pat.iter().any(|p| match &p.ty {
            Type::Acc { token, .. } => self.is_active(*token),
            _ => self.is_active(p.name),
        })
    }

    fn stm(&mut self, stm: &Stm) -> Derived {
        (self.cx.b.loc, self.cx.b.certs, self.cx.b.attrs) = (stm.loc, stm.certs.clone(), Attrs::default());
        if !self.is_concerned(stm) {
            self.cx.b.push(stm.clone());
            return Ok(());
        }
        let one = |f: &mut Self, exp: Exp| {
            f.cx.b.push(stm.clone());
            let change = f.cx.b.let_exp(&format!("{}_t", stm.pat[0].name.base), exp, stm.pat[0].ty.clone());
            f.changes.insert(stm.pat[0].name, change.into());
        };
        match &stm.exp {
            Exp::Bin(op @ (BinOp::Min | BinOp::Max), x, y) => {
                self.cx.b.push(stm.clone());
                let (dx, dy) = (self.change_or_zero(*x), self.change_or_zero(*y));
                let is_first = partial::is_first(&mut self.cx.b, *op, *x, *y);
                let change = select(&mut self.cx.b, is_first, dx, dy);
                self.changes.insert(stm.pat[0].name, change);
            }
            exp @ (Exp::Un(..) | Exp::Bin(..) | Exp::Conv(..) | Exp::Math(..)) => {
                self.cx.b.push(stm.clone());
                let p: Operand = stm.pat[0].name.into();
                let mut total = None;
                for (k, x) in partial::operands(exp).into_iter().enumerate() {
                    let Some(v) = self.change(x) else { continue };
                    if !partial::depends(&self.cx.b, exp, k) {
                        continue;
                    }
                    let part = partial::push(&mut self.cx.b, exp, p, k, v, Way::Forward);
                    total = Some(total.map_or(part, |sum| plus(&mut self.cx.b, &stm.pat[0].ty, sum, part)));
                }
                if let Some(total) = total {
                    self.changes.insert(stm.pat[0].name, total);
                }
            }
            Exp::Operand(x) => {
                let change = self.change_or_zero(*x);
                one(self, Exp::Operand(change));
            }
            Exp::Opaque(x) => {
                let change = self.change_or_zero(*x);
                one(self, Exp::Opaque(change));
            }
            Exp::Trace(_, x) => {
                let change = self.change_or_zero(*x);
                one(self, Exp::Operand(change));
            }
            Exp::Index(a, index) => {
                let a = self.named_change(*a)?;
                one(self, Exp::Index(a, index.clone()));
            }
            Exp::Slice(a, dims) => {
                let a = self.named_change(*a)?;
                one(self, Exp::Slice(a, dims.clone()));
            }
            Exp::Update(a, dims, v) => {
                let (a, v) = (self.named_change(*a)?, self.change_or_zero(*v));
                one(self, Exp::Update(a, dims.clone(), v));
            }
            Exp::Array(elems, ty) => {
                let elems = elems.iter().map(|x| self.change_or_zero(*x)).collect();
                one(self, Exp::Array(elems, ty.clone()));
            }
            Exp::Iota { len, start, stride, prim } => {
                let (start, stride) = (self.change_or_zero(*start), self.change_or_zero(*stride));
                one(self, Exp::Iota { len: *len, start, stride, prim: *prim });
            }
            Exp::Replicate(dims, x) => {
                let x = self.change_or_zero(*x);
                one(self, Exp::Replicate(dims.clone(), x));
            }
            Exp::Concat(n, arrays) => {
                let arrays = arrays.iter().map(|a| self.named_change(*a)).collect::<Derived<Vec<Name>>>()?;
                one(self, Exp::Concat(*n, arrays));
            }
            Exp::Rearrange(perm, a) => {
                let a = self.named_change(*a)?;
                one(self, Exp::Rearrange(perm.clone(), a));
            }
            Exp::Reshape(dims, a) => {
                let a = self.named_change(*a)?;
                one(self, Exp::Reshape(dims.clone(), a));
            }
            Exp::Resize(dims, a) => {
                let a = self.named_change(*a)?;
                one(self, Exp::Resize(dims.clone(), a));
            }
            Exp::Copy(a) => {
                let a = self.named_change(*a)?;
                one(self, Exp::Copy(a));
            }
            Exp::FlatIndex(a, offset, dims) => {
                let a = self.named_change(*a)?;
                one(self, Exp::FlatIndex(a, *offset, dims.clone()));
            }
            Exp::FlatUpdate(a, offset, strides, v) => {
                let (a, v) = (self.named_change(*a)?, self.named_change(*v)?);
                one(self, Exp::FlatUpdate(a, *offset, strides.clone(), v));
            }
            Exp::If(cond, yes, no) => {
                let (yes, no) = (self.branch(yes, &stm.pat)?, self.branch(no, &stm.pat)?);
                self.finish(stm, Exp::If(*cond, yes, no));
            }
            Exp::Match(x, cases, default) => {
                let branch = |(c, body): &(_, Body)| Ok((*c, self.branch(body, &stm.pat)?));
                let cases = cases.iter().map(branch).collect::<Derived<Vec<_>>>()?;
                let default = self.branch(default, &stm.pat)?;
                self.finish(stm, Exp::Match(*x, cases, default));
            }
            Exp::Loop { params, form, body } => self.loop_(stm, params, form, body)?,
            Exp::Call(f, args) => self.call(stm, *f, args)?,
            Exp::Soac(soac) => self.soac(stm, soac)?,
            Exp::Cmp(..) | Exp::Assert(..) | Exp::Scratch(..) | Exp::Tunable(_) => self.cx.b.push(stm.clone()),
            Exp::Mem(_) | Exp::Par(_) => return Err("an operator of a later stage"),
            Exp::Jvp(..) | Exp::Vjp(..) => return Err("a derivative that cannot be expanded itself"),
        }
        Ok(())
    }

    /// The statement with an expression that yields the changes of active results after all others.
    fn finish(&mut self, stm: &Stm, exp: Exp) {
        let mut pat: Vec<Param> = stm.pat.iter().map(|p| self.lift_param(p)).collect();
        pat.extend(self.change_params(&stm.pat));
        self.cx.b.push(Stm { pat, exp, ..stm.clone() });
    }

    fn branch(&mut self, body: &Body, pat: &[Param]) -> Derived<Body> {
        self.cx.b.begin();
        let done = self.stms(&body.stms);
        let mut results = body.results.clone();
        for (p, x) in pat.iter().zip(&body.results) {
            if self.is_active(p.name) {
                let change = self.change_or_zero(*x);
                results.push(change);
            }
        }
        let body = self.cx.b.end(results);
        done.map(|()| body)
    }

    /// The body of a lambda, with the changes of some of its results after all of them.
    fn results(&mut self, body: &Body, select: impl FnOnce(&mut Self, &[Operand]) -> Vec<Operand>) -> Derived<Body> {
        self.cx.b.begin();
        let done = self.stms(&body.stms);
        let results = select(self, &body.results);
        let body = self.cx.b.end(results);
        done.map(|()| body)
    }

    fn lambda(&self, params: Vec<Param>, body: Body) -> Lambda {
        let ret = body.results.iter().map(|x| self.cx.b.type_of(*x)).collect();
        Lambda { params, body, ret }
    }

    fn loop_(&mut self, stm: &Stm, params: &[(Param, Operand)], form: &LoopForm, body: &Body) -> Derived {
        let mut inits = Vec::new();
        for (p, init) in params {
            if self.is_active(p.name) {
                inits.push(self.change_or_zero(*init));
            }
        }
        let (plain, _): (Vec<Param>, Vec<Operand>) = params.iter().cloned().unzip();
        let mut all: Vec<(Param, Operand)> = params.iter().map(|(p, init)| (self.lift_param(p), *init)).collect();
        let changes = self.change_params(&plain);
        all.extend(changes.into_iter().zip(inits));
        let body = self.branch(body, &plain)?;
        // The pattern has changes for the same results as there are parameters for.
        let mut pat: Vec<Param> = stm.pat.iter().map(|p| self.lift_param(p)).collect();
        for (p, result) in plain.iter().zip(&stm.pat) {
            if self.is_active(p.name) {
                self.active.insert(result.name);
                pat.extend(self.change_param(result));
            }
        }
        let exp = Exp::Loop { params: all, form: form.clone(), body };
        self.cx.b.push(Stm { pat, exp, ..stm.clone() });
        Ok(())
    }

    fn call(&mut self, stm: &Stm, f: kenaz_base::Symbol, args: &[Operand]) -> Derived {
        let mask: Vec<bool> = args.iter().map(|x| self.change(*x).is_some()).collect();
        let (name, active) = lifted_fun(self.cx, f, &mask)?;
        let mut all = args.to_vec();
        all.extend(args.iter().filter_map(|x| self.change(*x)));
        let mut pat = stm.pat.clone();
        for (p, is_active) in stm.pat.iter().zip(active) {
            if is_active {
                self.active.insert(p.name);
                pat.extend(self.change_param(p));
            }
        }
        (self.cx.b.loc, self.cx.b.certs) = (stm.loc, stm.certs.clone());
        self.cx.b.push(Stm { pat, exp: Exp::Call(name, all), ..stm.clone() });
        Ok(())
    }

    /// The parameters of a function of rows and those of their changes, with the arrays that both are rows of.
    fn inputs(&mut self, arrays: &[Name], params: &[Param]) -> Derived<(Vec<Name>, Vec<Param>)> {
        let mut all = arrays.to_vec();
        let mut lifted: Vec<Param> = params.iter().map(|p| self.lift_param(p)).collect();
        for (a, p) in arrays.iter().zip(params) {
            if self.is_active(p.name) && p.ty.prim().is_some() {
                all.push(self.named_change(*a)?);
                lifted.extend(self.change_param(p));
            }
        }
        Ok((all, lifted))
    }

    /// Which components of an operator have changes.
    fn components(&self, op: &Lambda) -> Vec<bool> {
        let k = op.params.len() / 2;
        (0..k).map(|i| self.is_active(op.params[i].name) || self.is_active(op.params[k + i].name)).collect()
    }

    /// The operator on values and changes.
    fn operator(&mut self, op: &Lambda, neutral: &[Operand]) -> Derived<(Lambda, Vec<Operand>)> {
        let active = self.components(op);
        let k = active.len();
        let mut params = Vec::new();
        for half in [&op.params[..k], &op.params[k..]] {
            params.extend(half.iter().cloned());
            for (p, is_active) in half.iter().zip(&active) {
                if *is_active {
                    self.active.insert(p.name);
                    params.extend(self.change_param(p));
                }
            }
        }
        let body = self.results(&op.body, |f, results| f.with_changes(results, &active))?;
        let neutral = self.with_changes(neutral, &active);
        Ok((self.lambda(params, body), neutral))
    }

    fn with_changes(&mut self, values: &[Operand], active: &[bool]) -> Vec<Operand> {
        let mut all = values.to_vec();
        for (x, is_active) in values.iter().zip(active) {
            if *is_active {
                all.push(self.change_or_zero(*x));
            }
        }
        all
    }

    /// Patterns in the order of values and changes, part by part.
    fn pattern(&mut self, pat: &[Param], active: &[bool]) -> Vec<Param> {
        let mut all: Vec<Param> = pat.iter().map(|p| self.lift_param(p)).collect();
        for (p, is_active) in pat.iter().zip(active) {
            if *is_active {
                self.active.insert(p.name);
                all.extend(self.change_param(p));
            }
        }
        all
    }

    fn soac(&mut self, stm: &Stm, soac: &Soac) -> Derived {
        match soac {
            Soac::Screma { width, arrays, map, scans, reduces, post } => {
                let (arrays, params) = self.inputs(arrays, &map.params)?;
                // The parts of the function's results: those of each scan and reduction, then the rest.
                let ops: Vec<(&Lambda, usize)> = scans
                    .iter()
                    .map(|s| (&s.op, s.neutral.len()))
                    .chain(reduces.iter().map(|r| (&r.op, r.neutral.len())))
                    .collect();
                let used: usize = ops.iter().map(|(_, k)| k).sum();
                let mut parts: Vec<Vec<bool>> = ops.iter().map(|(op, _)| self.components(op)).collect();
                let rest: Vec<bool> =
                    map.body.results[used..].iter().map(|x| x.name().is_some_and(|n| self.is_active(n))).collect();
                parts.push(rest);
                let body = self.results(&map.body, |f, results| {
                    let mut all = Vec::new();
                    let mut left = results;
                    for part in &parts {
                        let (values, others) = left.split_at(part.len());
                        all.extend(f.with_changes(values, part));
                        left = others;
                    }
                    all
                })?;
                let lifted = self.lambda(params, body);
                let mut new_scans = Vec::new();
                for s in scans {
                    let (op, neutral) = self.operator(&s.op, &s.neutral)?;
                    new_scans.push(Scan { op, neutral });
                }
                let mut new_reduces = Vec::new();
                for r in reduces {
                    let (op, neutral) = self.operator(&r.op, &r.neutral)?;
                    new_reduces.push(Reduce { op, neutral, commutative: r.commutative });
                }
                let mut pat = Vec::new();
                let mut left = &stm.pat[..];
                let new_post = match post {
                    None => {
                        for part in &parts {
                            let (results, others) = left.split_at(part.len());
                            pat.extend(self.pattern(results, part));
                            left = others;
                        }
                        None
                    }
                    Some(post) => {
                        for part in &parts[scans.len()..scans.len() + reduces.len()] {
                            let (results, others) = left.split_at(part.len());
                            pat.extend(self.pattern(results, part));
                            left = others;
                        }
                        let mut params = Vec::new();
                        let mut inputs = &post.params[..];
                        for part in parts[..scans.len()].iter().chain(parts.last()) {
                            let (these, others) = inputs.split_at(part.len());
                            params.extend(self.pattern(these, part));
                            inputs = others;
                        }
                        let active: Vec<bool> =
                            post.body.results.iter().map(|x| x.name().is_some_and(|n| self.is_active(n))).collect();
                        let body = self.results(&post.body, |f, results| f.with_changes(results, &active))?;
                        pat.extend(self.pattern(left, &active));
                        Some(self.lambda(params, body))
                    }
                };
                let soac = Soac::Screma {
                    width: *width,
                    arrays,
                    map: lifted,
                    scans: new_scans,
                    reduces: new_reduces,
                    post: new_post,
                };
                self.cx.b.push(Stm { pat, exp: Exp::Soac(soac), ..stm.clone() });
            }
            Soac::Filter { width, arrays, pred } => {
                let (all, params) = self.inputs(arrays, &pred.params)?;
                let is_plain = pred.ret.len() == 1;
                let active: Vec<bool> = if is_plain {
                    pred.params.iter().map(|p| self.is_active(p.name)).collect()
                } else {
                    pred.body.results[1..].iter().map(|x| x.name().is_some_and(|n| self.is_active(n))).collect()
                };
                let body = self.results(&pred.body, |f, results| {
                    let mut out = vec![results[0]];
                    out.extend(f.with_changes(&results[1..], if is_plain { &[] } else { &active }));
                    out
                })?;
                let pred = self.lambda(params, body);
                let mut pat = vec![stm.pat[0].clone()];
                pat.extend(self.pattern(&stm.pat[1..], &active));
                let soac = Soac::Filter { width: *width, arrays: all, pred };
                self.cx.b.push(Stm { pat, exp: Exp::Soac(soac), ..stm.clone() });
            }
            Soac::Scatter { width, arrays, map, dests } => {
                let active: Vec<bool> = stm.pat.iter().map(|p| self.is_active(p.name)).collect();
                let mut all = dests.clone();
                for (dest, is_active) in dests.iter().zip(&active) {
                    if *is_active {
                        all.push(ScatterDest { array: self.named_change(dest.array)?, rank: dest.rank });
                    }
                }
                let (arrays, params) = self.inputs(arrays, &map.params)?;
                let indices: usize = dests.iter().map(|d| d.rank).sum();
                let body = self.results(&map.body, |f, results| {
                    let (index, values) = results.split_at(indices);
                    let mut out = index.to_vec();
                    let mut left = index;
                    for (dest, is_active) in dests.iter().zip(&active) {
                        let (own, others) = left.split_at(dest.rank);
                        if *is_active {
                            out.extend(own);
                        }
                        left = others;
                    }
                    out.extend(f.with_changes(values, &active));
                    out
                })?;
                let map = self.lambda(params, body);
                let pat = self.pattern(&stm.pat, &active);
                let soac = Soac::Scatter { width: *width, arrays, map, dests: all };
                self.cx.b.push(Stm { pat, exp: Exp::Soac(soac), ..stm.clone() });
            }
            Soac::Hist { width, arrays, map, ops } => self.hist(stm, *width, arrays, map, ops)?,
            Soac::WithAcc { inputs, body } => {
                let mut lifted = Vec::new();
                let mut pat = Vec::new();
                let mut left = &stm.pat[..];
                for (AccInput { shape, dests, op }, token) in inputs.iter().zip(&body.params) {
                    let (results, others) = left.split_at(dests.len());
                    left = others;
                    if !self.is_active(token.name) {
                        lifted.push(AccInput { shape: shape.clone(), dests: dests.clone(), op: op.clone() });
                        pat.extend(results.iter().cloned());
                        continue;
                    }
                    let mut all = dests.clone();
                    for dest in dests {
                        all.push(self.named_change(*dest)?);
                    }
                    let op = match op {
                        None => None,
                        Some((op, neutral)) => {
                            op.params.iter().for_each(|p| {
                                self.active.insert(p.name);
                            });
                            Some(self.operator(op, neutral)?)
                        }
                    };
                    lifted.push(AccInput { shape: shape.clone(), dests: all, op });
                    pat.extend(self.pattern(results, &vec![true; results.len()]));
                }
                let active: Vec<bool> = left.iter().map(|p| self.is_active(p.name)).collect();
                let params: Vec<Param> = body.params.iter().map(|p| self.lift_param(p)).collect();
                let count = inputs.len();
                let body = self.results(&body.body, |f, results| {
                    let mut out = results[..count].to_vec();
                    out.extend(f.with_changes(&results[count..], &active));
                    out
                })?;
                let body = self.lambda(params, body);
                pat.extend(self.pattern(left, &active));
                self.cx.b.push(Stm { pat, exp: Exp::Soac(Soac::WithAcc { inputs: lifted, body }), ..stm.clone() });
            }
            Soac::UpdateAcc { acc, index, values } => {
                let mut all = values.clone();
                for v in values {
                    all.push(self.change_or_zero(*v));
                }
                let exp = Exp::Soac(Soac::UpdateAcc { acc: *acc, index: index.clone(), values: all });
                self.finish(stm, exp);
            }
        }
        Ok(())
    }

    fn hist(&mut self, stm: &Stm, width: Operand, arrays: &[Name], map: &Lambda, ops: &[HistOp]) -> Derived {
        let (arrays, params) = self.inputs(arrays, &map.params)?;
        let parts: Vec<Vec<bool>> = ops.iter().map(|op| self.components(&op.op)).collect();
        // Sums of changes are sums of their own; other operators combine values and changes at once.
        let is_sum = |op: &HistOp| op.op.built_in().is_some_and(|ops| ops.iter().all(|(op, _)| *op == BinOp::Add));
        let apart: Vec<bool> = ops.iter().map(is_sum).collect();
        let indices: usize = ops.iter().map(|op| op.rank).sum();
        let body = self.results(&map.body, |f, results| {
            let (index, values) = results.split_at(indices);
            let (mut out, mut all) = (Vec::new(), Vec::new());
            let (mut left_index, mut left) = (index, values);
            for ((op, part), apart) in ops.iter().zip(&parts).zip(&apart) {
                let (own, others) = left_index.split_at(op.rank);
                left_index = others;
                let (these, others) = left.split_at(part.len());
                left = others;
                let twice = usize::from(*apart && part.contains(&true)) + 1;
                out.extend(std::iter::repeat_n(own, twice).flatten());
                all.extend(f.with_changes(these, part));
            }
            out.extend(all);
            out
        })?;
        let map = self.lambda(params, body);
        let (mut lifted, mut pat) = (Vec::new(), Vec::new());
        let mut left = &stm.pat[..];
        for ((op, part), apart) in ops.iter().zip(&parts).zip(apart) {
            let (results, others) = left.split_at(part.len());
            left = others;
            let mut changes = Vec::new();
            for (dest, is_active) in op.dests.iter().zip(part) {
                if *is_active {
                    changes.push(self.named_change(*dest)?);
                }
            }
            if apart {
                lifted.push(op.clone());
                if !changes.is_empty() {
                    let copy = self.cx.copy(&op.op, &mut FxHashSet::default());
                    let kept: Vec<usize> = (0..part.len()).filter(|i| part[*i]).collect();
                    let k = part.len();
                    let results = kept.iter().map(|i| copy.body.results[*i]).collect();
                    let body = Body { stms: copy.body.stms, results };
                    let params = kept
                        .iter()
                        .chain(&kept)
                        .enumerate()
                        .map(|(at, i)| copy.params[if at < kept.len() { *i } else { k + *i }].clone());
                    let op_lambda = Lambda {
                        params: params.collect(),
                        ret: kept.iter().map(|i| copy.ret[*i].clone()).collect(),
                        body: only_needed(body),
                    };
                    let neutral = op_lambda.ret.clone();
                    let neutral = neutral.iter().map(|ty| zero(&mut self.cx.b, ty)).collect();
                    lifted.push(HistOp { dests: changes, rank: op.rank, op: op_lambda, neutral });
                }
            } else {
                let (op_lambda, neutral) = self.operator(&op.op, &op.neutral)?;
                let dests = op.dests.iter().copied().chain(changes).collect();
                lifted.push(HistOp { dests, rank: op.rank, op: op_lambda, neutral });
            }
            pat.extend(self.pattern(results, part));
        }
        let soac = Soac::Hist { width, arrays, map, ops: lifted };
        self.cx.b.push(Stm { pat, exp: Exp::Soac(soac), ..stm.clone() });
        Ok(())
    }
}

/// The statements of a body that compute its results.
fn only_needed(body: Body) -> Body {
    let needed: FxHashSet<Name> = body.results.iter().filter_map(|x| x.name()).collect();
    let stms = body.stms.into_iter().filter(|stm| stm.pat.iter().any(|p| needed.contains(&p.name))).collect();
    Body { stms, results: body.results }
}

/// The function that also computes changes, where some of its arguments have them; and which results do.
fn lifted_fun(cx: &mut Cx, f: kenaz_base::Symbol, mask: &[bool]) -> Derived<(kenaz_base::Symbol, Vec<bool>)> {
    let fun = cx.fun(f)?.clone();
    let key = (f, false, mask.to_vec(), Vec::new());
    let (params, results, body) = renamed(cx, &fun);
    let mut changes = Vec::new();
    let mut seeds = Vec::new();
    for (p, is_active) in params.iter().zip(mask) {
        if *is_active {
            let change = cx.b.param(&format!("{}_t", p.name.base), p.ty.clone());
            seeds.push((Some(p.name), Operand::Var(change.name)));
            changes.push(change);
        }
    }
    let (names, directions): (Vec<Option<Name>>, Vec<Operand>) = seeds.into_iter().unzip();
    let mut forward = Forward::new(cx, &names, &directions, &body);
    let active: Vec<bool> = body.results.iter().map(|x| x.name().is_some_and(|n| forward.is_active(n))).collect();
    if let Some(name) = forward.cx.made.get(&key) {
        return Ok((*name, active));
    }
    let lifted = forward.results(&body, |f, results| f.with_changes(results, &active))?;
    let mut all = results.clone();
    for (r, is_active) in results.iter().zip(&active) {
        if *is_active {
            all.push(Param::new(cx.b.fresh.like(r.name), r.ty.clone()));
        }
    }
    let name = cx.fun_name(f, "jvp");
    let params = params.into_iter().chain(changes).map(|p| Param { unique: false, ..p }).collect();
    let new = Fun { name, entry: None, params, results: all, body: lifted, attrs: fun.attrs, loc: fun.loc };
    cx.add(new);
    cx.made.insert(key, name);
    Ok((name, active))
}
