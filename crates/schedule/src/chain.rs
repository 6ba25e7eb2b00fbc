//! Scans and reductions of what scans yield become one loop.
//!
//! ```text
//! let m_1: [n_2]i64 = par (i_3 < n_2) scan … own {…}       let a_9: [n_2]i64 = scratch [n_2] i64
//!   post (s_4) {… in x_5}                              →   let c_10, d_11, r_6 = loop (p_12 = 0, q_13 = 0,
//! let r_6: [n_2]i64 = par (j_7 < n_2) scan … own {                                    b_14: * = a_9) for i_3 < n_2 {
//!   let y_8 = index m_1[j_7] …                               …         -- the first scan, from p_12
//! } post …                                                   …         -- the second, from q_13 and x_5
//!                                                            let e_15 = update b_14[i_3] = …
//!                                                          }
//! ```
//!
//! No single operator combines two such scans, so that fusion leaves them alone. Where one thread runs both, one after
//! the other, a loop can do both at once: what is in between needs no memory, and each element waits for one chain of
//! operations instead of two. So for targets on which nothing runs at the same time, a `par` with scans of scalars
//! takes those with it that read what it yields at their own index and nowhere else, over the same points, with nothing
//! but scalars computed in between. A reduction adds nothing to what each element waits for, so that it comes along,
//! too. Arrays that others need are filled by the loop.
//!
//! The pass assumes the parallel stage. It looks at each statement once, and at the uses of what a scan yields.

use kenaz_base::{Prim, with_stack};
use kenaz_ir::effects;
use kenaz_ir::visit::{Subst, Visit, VisitMut, for_each_body_mut, for_each_use, instantiate, walk, walk_mut};
use kenaz_ir::{
    Body, DimSlice, Exp, Form, Fresh, Log, LoopForm, Name, OpKind, Operand, Par, Param, Pass, PassCx, Prog, Stm, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub const CHAIN: Pass = Pass {
    name: "chain",
    about: "makes one loop of scans and of what scans or reduces what they yield",
    stage: Some(kenaz_ir::Stage::Parallel),
    run: chain,
};

fn chain(prog: &mut Prog, cx: &mut PassCx) {
    if cx.target.is_parallel() {
        return;
    }
    for fun in &mut prog.funs {
        body(&mut fun.body, &mut prog.fresh, &mut cx.log);
    }
}

fn body(body_: &mut Body, fresh: &mut Fresh, log: &mut Log) {
    with_stack(|| {
        for stm in &mut body_.stms {
            for_each_body_mut(&mut stm.exp, |inner| body(inner, fresh, log));
        }
        let mut at = 0;
        while at < body_.stms.len() {
            let group = group(body_, at);
            if group.len() > 1 && log.fire("chain-scans") {
                at = replace(body_, &group, fresh);
            } else {
                at += 1;
            }
        }
    });
}

/// The numbers of the statements that can become one loop, the first of which is the one at `at`.
fn group(body: &Body, at: usize) -> Vec<usize> {
    let Some(first) = in_order(&body.stms[at]).filter(|par| has_scan(par)) else { return Vec::new() };
    let mut group = vec![at];
    let mut yielded: FxHashSet<Name> = body.stms[at].pat.iter().map(|p| p.name).collect();
    // Scalars that depend on a scan come behind the loop.
    for (i, stm) in body.stms.iter().enumerate().skip(at + 1) {
        match in_order(stm) {
            Some(par) if par.space[0].1 == first.space[0].1 && reads(stm, par, &yielded) => {
                group.push(i);
                yielded.extend(stm.pat.iter().map(|p| p.name));
            }
            _ if is_passed(stm, &yielded) => {}
            _ => break,
        }
    }
    group
}

/// A `par` that one thread runs over scalars, with a scan or a reduction in it.
fn in_order(stm: &Stm) -> Option<&Par> {
    let Exp::Par(par) = &stm.exp else { return None };
    let is_scalar = |p: &&Param| matches!(p.ty, Type::Prim(_));
    let of_scalars = par.ops.iter().all(|op| op.shape.is_empty() && op.lambda.params.iter().all(|p| is_scalar(&p)));
    let mut elements = stm.pat.iter().skip(par.reduced());
    let is_fine = par.level.is_none()
        && par.space.len() == 1
        && !par.ops.is_empty()
        && of_scalars
        && par.forms.iter().all(|form| *form == Form::Own)
        && elements.all(|p| p.ty.dims().len() == 1)
        && par.post.is_some() == has_scan(par)
        && stm.attrs.is_empty();
    is_fine.then_some(par)
}

fn has_scan(par: &Par) -> bool {
    par.ops.iter().any(|op| op.kind == OpKind::Scan)
}

/// Whether a statement reads elements of these arrays, at its own index and in no other way.
fn reads(stm: &Stm, par: &Par, arrays: &FxHashSet<Name>) -> bool {
    let mut uses = Uses { arrays, index: par.space[0].0, own: 0, others: 0 };
    uses.stm(stm);
    uses.own > 0 && uses.others == 0
}

struct Uses<'a> {
    arrays: &'a FxHashSet<Name>,
    index: Name,
    own: usize,
    others: usize,
}

impl Visit for Uses<'_> {
    fn stm(&mut self, stm: &Stm) {
        match &stm.exp {
            Exp::Index(array, indices) if self.arrays.contains(array) && indices[..] == [self.index.into()] => {
                self.own += 1;
            }
            _ => walk::stm(self, stm),
        }
    }

    fn name(&mut self, name: &Name) {
        self.others += usize::from(self.arrays.contains(name));
    }
}

/// Whether a statement computes scalars that have nothing to do with these arrays, so that it may come first.
fn is_passed(stm: &Stm, arrays: &FxHashSet<Name>) -> bool {
    let effects = effects::of(stm);
    let mut is_free = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
    for_each_use(&stm.exp, |name| is_free &= !arrays.contains(&name));
    is_free && effects.may_speculate() && effects.cost.is_constant()
}

/// Puts the loop where the last of the statements was; gives the number of the statement behind it.
fn replace(body: &mut Body, group: &[usize], fresh: &mut Fresh) -> usize {
    let last = group[group.len() - 1];
    let mut needed: FxHashSet<Name> = body.results.iter().filter_map(|x| x.name()).collect();
    body.stms.iter().skip(last + 1).for_each(|stm| Names(&mut needed).stm(stm));
    let (mut chained, mut behind) = (Chained::default(), 0);
    let mut rest = Vec::with_capacity(body.stms.len());
    for (i, stm) in std::mem::take(&mut body.stms).into_iter().enumerate() {
        if !group.contains(&i) {
            rest.push(stm);
            continue;
        }
        chained.add(stm, &needed, fresh);
        if i == last {
            rest.extend(std::mem::take(&mut chained).finish());
            behind = rest.len();
        }
    }
    body.stms = rest;
    behind
}

struct Names<'a>(&'a mut FxHashSet<Name>);

impl Visit for Names<'_> {
    fn name(&mut self, name: &Name) {
        self.0.insert(*name);
    }
}

/// The loop while it is put together.
#[derive(Default)]
struct Chained {
    index: Option<(Name, Operand)>,
    /// The arrays that the loop fills.
    scratch: Vec<Stm>,
    params: Vec<(Param, Operand)>,
    results: Vec<Operand>,
    pat: Vec<Param>,
    stms: Vec<Stm>,
    /// The elements of what the scans so far yield.
    elements: FxHashMap<Name, Operand>,
    model: Option<Stm>,
}

impl Chained {
    fn add(&mut self, stm: Stm, needed: &FxHashSet<Name>, fresh: &mut Fresh) {
        let model =
            Stm { pat: Vec::new(), certs: stm.certs.clone(), exp: Exp::Operand(Operand::i64(0)), ..stm.clone() };
        let Stm { pat, exp, certs, .. } = stm;
        let Exp::Par(mut par) = exp else { return };
        match &mut self.model {
            None => self.model = Some(model),
            Some(model) => {
                let more: Vec<Name> = certs.into_iter().filter(|c| !model.certs.contains(c)).collect();
                model.certs.extend(more);
            }
        }
        let (index, _) = *self.index.get_or_insert(par.space[0]);
        let own = par.space[0].0;
        let here: Subst = [(own, index)].into_iter().collect();
        let mut post = par.post.take();
        for body in std::iter::once(&mut par.body).chain(post.as_mut().map(|post| &mut post.body)) {
            Elements(&self.elements, own).body(body);
            here.apply_to_body(body);
        }
        self.stms.append(&mut par.body.stms);
        let mut values = par.body.results.iter().copied();
        let (mut scanned, mut reduced) = (Vec::new(), pat.iter());
        for op in &par.ops {
            let arity = op.neutral.len();
            let before: Vec<Param> =
                op.lambda.params.iter().take(arity).map(|p| Param::new(fresh.like(p.name), p.ty.clone())).collect();
            let args =
                before.iter().map(|p| p.name.into()).chain(values.by_ref().take(arity)).collect::<Vec<Operand>>();
            let combined = instantiate(&op.lambda.params, &op.lambda.body, &args, fresh);
            self.stms.extend(combined.stms);
            self.results.extend(&combined.results);
            for param in &before {
                let name = match op.kind {
                    OpKind::Reduce { .. } => reduced.next().map_or(param.name, |p| p.name),
                    OpKind::Scan => fresh.like(param.name),
                };
                self.pat.push(Param::new(name, param.ty.clone()));
            }
            self.params.extend(before.into_iter().zip(op.neutral.iter().copied()));
            if op.kind == OpKind::Scan {
                scanned.extend(combined.results);
            }
        }
        let elements = match post {
            Some(mut post) => {
                let scanned: Subst = post.params.iter().map(|p| p.name).zip(scanned).collect();
                scanned.apply_to_body(&mut post.body);
                self.stms.append(&mut post.body.stms);
                post.body.results
            }
            None => values.collect(),
        };
        for (param, value) in pat.iter().skip(par.reduced()).zip(elements) {
            self.elements.insert(param.name, value);
            if needed.contains(&param.name) {
                self.filled(param, value, index, fresh);
            }
        }
    }

    /// An array that the loop fills with an element in each iteration.
    fn filled(&mut self, param: &Param, value: Operand, index: Name, fresh: &mut Fresh) {
        let (empty, before, after) = (fresh.like(param.name), fresh.like(param.name), fresh.like(param.name));
        let Some(prim) = param.ty.prim() else { return };
        let plain = |name: Name, exp: Exp, model: &Stm| Stm {
            pat: vec![Param::new(name, param.ty.clone())],
            certs: Vec::new(),
            exp,
            ..model.clone()
        };
        let Some(model) = &self.model else { return };
        self.scratch.push(plain(empty, Exp::Scratch(param.ty.dims().to_vec(), prim), model));
        self.stms.push(plain(after, Exp::Update(before, vec![DimSlice::Fix(index.into())], value), model));
        self.params.push((Param { unique: true, ..Param::new(before, param.ty.clone()) }, empty.into()));
        self.results.push(after.into());
        self.pat.push(Param::new(param.name, param.ty.clone()));
    }

    fn finish(self) -> Vec<Stm> {
        let (Some((index, bound)), Some(model)) = (self.index, self.model) else { return Vec::new() };
        let body = Body { stms: self.stms, results: self.results };
        let form = LoopForm::For(index, Prim::I64, bound);
        let exp = Exp::Loop { params: self.params, form, body };
        let mut out = self.scratch;
        out.push(Stm { pat: self.pat, exp, ..model });
        out
    }
}

/// Reads elements where they are made.
struct Elements<'a>(&'a FxHashMap<Name, Operand>, Name);

impl VisitMut for Elements<'_> {
    fn stm(&mut self, stm: &mut Stm) {
        if let Exp::Index(array, indices) = &stm.exp
            && indices[..] == [self.1.into()]
            && let Some(element) = self.0.get(array)
        {
            stm.exp = Exp::Operand(*element);
        }
        walk_mut::stm(self, stm);
    }
}
