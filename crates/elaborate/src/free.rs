//! Free variables of core expressions.

use crate::core::{Dim, Exp, Free, IndexDim, Kind, LoopForm, Pat, Ty};
use kenaz_base::{Symbol, with_stack};
use kenaz_ir::{LocId, Name};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// The variables of an expression that it does not bind, but for those in `own`; sizes in types count.
pub(crate) fn free_vars(exp: &Exp, own: impl Iterator<Item = Name>) -> Vec<Free> {
    let mut walk = Walk { bound: own.collect(), free: BTreeMap::new() };
    walk.exp(exp);
    let free = |(name, fields): (Name, Fields)| Free { name, fields: fields.map(|f| f.into_iter().collect()) };
    walk.free.into_iter().map(free).collect()
}

/// The fields that are used of a variable, if nothing else of it is.
type Fields = Option<BTreeSet<Symbol>>;

/// Every name is bound once, so a set of all names that are bound anywhere inside will do.
struct Walk {
    bound: FxHashSet<Name>,
    free: BTreeMap<Name, Fields>,
}

impl Walk {
    fn name(&mut self, name: Name) {
        if !self.bound.contains(&name) {
            self.free.insert(name, None);
        }
    }

    fn fields(&mut self, name: Name, fields: impl IntoIterator<Item = Symbol>) {
        if !self.bound.contains(&name)
            && let Some(known) = self.free.entry(name).or_insert_with(|| Some(BTreeSet::new()))
        {
            known.extend(fields);
        }
    }

    fn ty(&mut self, ty: &Ty) {
        let _ = ty.map_dims(&mut |d| {
            if let Dim::Var(name) = d {
                self.name(name);
            }
            d
        });
    }

    fn all(&mut self, exps: &[Exp]) {
        exps.iter().for_each(|e| self.exp(e));
    }

    fn dims(&mut self, dims: &[IndexDim]) {
        for dim in dims {
            match dim {
                IndexDim::Fix(e) => self.exp(e),
                IndexDim::Slice { start, end, step } => {
                    [start, end, step].into_iter().flatten().for_each(|e| self.exp(e));
                }
            }
        }
    }

    fn pat(&mut self, pat: &Pat) {
        match pat {
            Pat::Wild | Pat::Lit(_) => {}
            Pat::Name(name, _) => {
                self.bound.insert(*name);
            }
            Pat::Record(fields) => fields.iter().for_each(|(_, p)| self.pat(p)),
            Pat::Constr(_, pats, _) => pats.iter().for_each(|p| self.pat(p)),
        }
    }

    fn exp(&mut self, exp: &Exp) {
        self.ty(&exp.ty);
        with_stack(|| match &exp.kind {
            Kind::Var(name) => self.name(*name),
            Kind::Lit(_) | Kind::Global(_) | Kind::Hole => {}
            Kind::Lam(lam) => {
                for free in &lam.free {
                    match &free.fields {
                        Some(fields) => self.fields(free.name, fields.iter().copied()),
                        None => self.name(free.name),
                    }
                }
            }
            Kind::App(f, args) => {
                self.exp(f);
                self.all(args);
            }
            Kind::Block(bindings, result) => {
                for (name, value) in bindings {
                    self.exp(value);
                    self.bound.insert(*name);
                }
                self.exp(result);
            }
            Kind::Record(fields) => fields.iter().for_each(|(_, e)| self.exp(e)),
            Kind::Project(e, field) => match e.kind {
                Kind::Var(name) => {
                    self.ty(&e.ty);
                    self.fields(name, [*field]);
                }
                _ => self.exp(e),
            },
            Kind::Not(e) | Kind::Neg(e) | Kind::Coerce(e, _) | Kind::Attr(_, e) | Kind::SizeOf(e, _) => self.exp(e),
            Kind::Array(es) | Kind::Constr(_, es) | Kind::Intrinsic(_, es) => self.all(es),
            Kind::Index(e, dims) => {
                self.exp(e);
                self.dims(dims);
            }
            Kind::Update(e, dims, v) => {
                self.exp(e);
                self.dims(dims);
                self.exp(v);
            }
            Kind::UpdateField(e, _, v) | Kind::Assert(e, v, _) => {
                self.exp(e);
                self.exp(v);
            }
            Kind::If(c, t, f) => {
                self.exp(c);
                self.exp(t);
                self.exp(f);
            }
            Kind::Match(e, cases) => {
                self.exp(e);
                for (pat, body) in cases {
                    self.pat(pat);
                    self.exp(body);
                }
            }
            Kind::Loop(l) => {
                self.exp(&l.init);
                match &l.form {
                    LoopForm::For(i, n) => {
                        self.exp(n);
                        self.bound.insert(*i);
                    }
                    LoopForm::ForIn(x, xs) => {
                        self.exp(xs);
                        self.bound.insert(*x);
                    }
                    LoopForm::While(_) => {}
                }
                self.bound.insert(l.param);
                if let LoopForm::While(c) = &l.form {
                    self.exp(c);
                }
                self.exp(&l.body);
            }
            Kind::Range { first, second, last, .. } => {
                self.exp(first);
                second.iter().for_each(|e| self.exp(e));
                self.exp(last);
            }
        });
    }
}

/// Calls `f` for every definition that an expression mentions, with the position.
pub(crate) fn for_each_global(exp: &Exp, f: &mut dyn FnMut(crate::core::DefId, LocId)) {
    with_stack(|| {
        let mut all = |exps: &[Exp]| exps.iter().for_each(|e| for_each_global(e, f));
        match &exp.kind {
            Kind::Var(_) | Kind::Lit(_) | Kind::Hole => {}
            Kind::Global(id) => f(*id, exp.loc),
            Kind::Lam(lam) => for_each_global(&lam.body, f),
            Kind::App(g, args) => {
                all(args);
                for_each_global(g, f);
            }
            Kind::Block(bindings, result) => {
                for (_, e) in bindings {
                    for_each_global(e, f);
                }
                for_each_global(result, f);
            }
            Kind::Record(fields) => fields.iter().for_each(|(_, e)| for_each_global(e, f)),
            Kind::Project(e, _)
            | Kind::Not(e)
            | Kind::Neg(e)
            | Kind::Coerce(e, _)
            | Kind::Attr(_, e)
            | Kind::SizeOf(e, _) => for_each_global(e, f),
            Kind::Array(es) | Kind::Constr(_, es) | Kind::Intrinsic(_, es) => all(es),
            Kind::Index(e, dims) => {
                for_each_global(e, f);
                dims_globals(dims, f);
            }
            Kind::Update(e, dims, v) => {
                for_each_global(e, f);
                dims_globals(dims, f);
                for_each_global(v, f);
            }
            Kind::UpdateField(e, _, v) | Kind::Assert(e, v, _) => {
                for_each_global(e, f);
                for_each_global(v, f);
            }
            Kind::If(c, t, e) => {
                for_each_global(c, f);
                for_each_global(t, f);
                for_each_global(e, f);
            }
            Kind::Match(e, cases) => {
                for_each_global(e, f);
                cases.iter().for_each(|(_, b)| for_each_global(b, f));
            }
            Kind::Loop(l) => {
                for_each_global(&l.init, f);
                match &l.form {
                    LoopForm::For(_, e) | LoopForm::ForIn(_, e) | LoopForm::While(e) => for_each_global(e, f),
                }
                for_each_global(&l.body, f);
            }
            Kind::Range { first, second, last, .. } => {
                for_each_global(first, f);
                second.iter().for_each(|e| for_each_global(e, f));
                for_each_global(last, f);
            }
        }
    });
}

fn dims_globals(dims: &[IndexDim], f: &mut dyn FnMut(crate::core::DefId, LocId)) {
    for dim in dims {
        match dim {
            IndexDim::Fix(e) => for_each_global(e, f),
            IndexDim::Slice { start, end, step } => {
                [start, end, step].into_iter().flatten().for_each(|e| for_each_global(e, f));
            }
        }
    }
}
