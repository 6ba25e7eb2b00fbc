//! Makes two types equal by solving variables of inference.
//!
//! Unification is directed: the first type is what is expected, the second what is there. The direction decides which
//! of two function types may consume or return fresh values, and whose existential sizes stand for any size: those of
//! the expected type are solved, those of the actual type are unknown.

use crate::limits;
use crate::names::{Constraint, Level, MetaState, Names, PrimSet, SizeCause, Usage, VarKind};
use crate::types::{Arrow, MetaId, Size, Ty, TyArg, TyKind, TypeId, VarId};
use crate::walk::{Subst, TyVisit, free_vars, open_metas, witnesses};
use kenaz_base::{Span, Symbol, with_stack};
use kenaz_syntax::ast::Liftedness;
use std::collections::BTreeMap;

/// Why two types are not equal: the innermost parts that clash.
#[derive(Clone, Debug)]
pub enum Clash {
    Types(Ty, Ty),
    Sizes(Size, Size),
    /// Fields or constructors that only the expected or only the actual type has.
    Parts {
        kind: PartKind,
        missing: Vec<Symbol>,
        extra: Vec<Symbol>,
    },
    /// A constructor's payloads differ in number.
    Payload(Symbol, usize, usize),
    Infinite(Ty, Ty),
    InfiniteSize(Size, Size),
    /// A size or type would have to mean this name where it is not in scope.
    SizeScope {
        size: Size,
        name: VarId,
        cause: Option<(SizeCause, Span)>,
    },
    TypeScope {
        ty: Ty,
        name: TypeId,
    },
    Overload {
        set: PrimSet,
        ty: Ty,
        usage: Usage,
    },
    NoEquality {
        ty: Ty,
        usage: Usage,
    },
    /// A type that is or contains a function (or a lifted type) where that is not allowed.
    Lifted {
        ty: Ty,
        allowed: Liftedness,
        usage: Option<Usage>,
    },
    NotRecord {
        ty: Ty,
        usage: Usage,
    },
    NotSum {
        ty: Ty,
        usage: Usage,
    },
    /// The actual function consumes its argument.
    Consumes(Ty, Ty),
    /// The actual function's result is not unique.
    NotUnique(Ty, Ty),
    /// A function returns something of a size that is not known in advance, and the type variable cannot stand for
    /// that.
    Existential {
        ty: Ty,
        sizes: Vec<VarId>,
    },
    /// An existential size would occur in the parameter of a function.
    ExistentialParam {
        ty: Ty,
        sizes: Vec<VarId>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    Field,
    Constructor,
}

type Unified = Result<(), Box<Clash>>;

pub(crate) struct Unifier<'a> {
    names: &'a mut Names,
    level: Level,
    /// Names bound by the function types around the parts being compared.
    bound: Vec<VarId>,
    /// Sizes that stand for the existential ones of expected types: they can be anything.
    existential: Vec<VarId>,
    /// Whether the first type is the actual one, as inside the parameter of a function type.
    flipped: bool,
    /// How many parts may still be looked at. Types that are shared by variables of inference can be much larger than
    /// what is kept of them.
    budget: u32,
}

impl Names {
    /// Makes `actual` equal to `expected`.
    pub fn unify(&mut self, level: Level, expected: &Ty, actual: &Ty) -> Unified {
        let mut unifier = Unifier::new(self, level);
        let result = unifier.types(expected, actual);
        // An existential size that became part of a solution and stayed open is bound there.
        for v in unifier.existential {
            if let VarKind::Flexible(_, None) = self.vars[v].kind {
                self.vars[v].kind = VarKind::Bound;
            }
        }
        result
    }

    pub fn unify_sizes(&mut self, level: Level, expected: &Size, actual: &Size) -> Unified {
        Unifier::new(self, level).sizes(expected, actual)
    }

    /// Requires a type to be one of the primitive types of `set`.
    pub fn require_prim(&mut self, level: Level, ty: &Ty, set: PrimSet, usage: Usage) -> Unified {
        Unifier::new(self, level).overload(ty, set, &usage)
    }

    pub fn require_equality(&mut self, level: Level, ty: &Ty, usage: Usage) -> Unified {
        Unifier::new(self, level).equality(ty, &usage)
    }

    /// Requires a type to be of at most this liftedness.
    pub fn require_liftedness(&mut self, level: Level, ty: &Ty, allowed: Liftedness, usage: Usage) -> Unified {
        Unifier::new(self, level).liftedness(ty, allowed, Some(&usage))
    }
}

impl<'a> Unifier<'a> {
    fn new(names: &'a mut Names, level: Level) -> Unifier<'a> {
        Unifier {
            names,
            level,
            bound: Vec::new(),
            existential: Vec::new(),
            flipped: false,
            budget: 2 * limits::MAX_PARTS,
        }
    }

    fn clash(&self, make: impl Fn(Ty, Ty) -> Clash, a: &Ty, b: &Ty) -> Unified {
        let (a, b) = (a.clone(), b.clone());
        Err(Box::new(if self.flipped { make(b, a) } else { make(a, b) }))
    }

    /// Whether one more part of a type may be looked at; otherwise the type is too large.
    fn step(&mut self) -> bool {
        match self.budget.checked_sub(1) {
            Some(left) => self.budget = left,
            None => limits::exceed(),
        }
        !limits::is_exceeded()
    }

    fn types(&mut self, a: &Ty, b: &Ty) -> Unified {
        if !self.step() {
            return Ok(());
        }
        with_stack(|| self.types_(&self.names.shallow(a), &self.names.shallow(b)))
    }

    fn types_(&mut self, a: &Ty, b: &Ty) -> Unified {
        match (a.kind(), b.kind()) {
            (TyKind::Error, _) | (_, TyKind::Error) => Ok(()),
            (TyKind::Meta(m), TyKind::Meta(n)) if m == n => Ok(()),
            (TyKind::Unique(a), _) => self.types(a, b),
            (_, TyKind::Unique(b)) => self.types(a, b),
            (TyKind::Meta(m), _) => self.link(*m, b),
            (_, TyKind::Meta(m)) => self.link(*m, a),
            (TyKind::Exists(..), _) | (_, TyKind::Exists(..)) => {
                let depth = self.bound.len();
                let a = self.open(a, !self.flipped);
                let b = self.open(b, self.flipped);
                let result = self.types(&a, &b);
                self.bound.truncate(depth);
                result
            }
            (TyKind::Prim(p), TyKind::Prim(q)) if p == q => Ok(()),
            (TyKind::Array(m, x), TyKind::Array(n, y)) => {
                // The element types first: they say more about what is wrong.
                self.types(x, y)?;
                self.sizes(m, n)
            }
            (TyKind::Record(xs), TyKind::Record(ys)) => {
                self.same_parts(PartKind::Field, xs, ys)?;
                xs.iter().zip(ys).try_for_each(|((_, x), (_, y))| self.types(x, y))
            }
            (TyKind::Sum(xs), TyKind::Sum(ys)) => {
                self.same_parts(PartKind::Constructor, xs, ys)?;
                xs.iter().zip(ys).try_for_each(|((name, xs), (_, ys))| self.payload(*name, xs, ys))
            }
            (TyKind::Con(f, xs), TyKind::Con(g, ys)) if f == g && xs.len() == ys.len() => {
                xs.iter().zip(ys).try_for_each(|(x, y)| match (x, y) {
                    (TyArg::Size(x), TyArg::Size(y)) => self.sizes(x, y),
                    (TyArg::Type(x), TyArg::Type(y)) => self.types(x, y),
                    _ => self.clash(Clash::Types, a, b),
                })
            }
            (TyKind::Arrow(f), TyKind::Arrow(g)) => self.arrows(a, b, f, g),
            _ => self.clash(Clash::Types, a, b),
        }
    }

    fn same_parts<T>(&self, kind: PartKind, xs: &[(Symbol, T)], ys: &[(Symbol, T)]) -> Unified {
        if xs.len() == ys.len() && xs.iter().zip(ys).all(|((x, _), (y, _))| x == y) {
            return Ok(());
        }
        let only = |xs: &[(Symbol, T)], ys: &[(Symbol, T)]| -> Vec<Symbol> {
            xs.iter().map(|(n, _)| *n).filter(|n| ys.iter().all(|(m, _)| m != n)).collect()
        };
        let (mut missing, mut extra) = (only(xs, ys), only(ys, xs));
        if missing.is_empty() && extra.is_empty() {
            return Ok(());
        }
        if self.flipped {
            std::mem::swap(&mut missing, &mut extra);
        }
        Err(Box::new(Clash::Parts { kind, missing, extra }))
    }

    fn payload(&mut self, name: Symbol, xs: &[Ty], ys: &[Ty]) -> Unified {
        if xs.len() != ys.len() {
            let (x, y) = if self.flipped { (ys.len(), xs.len()) } else { (xs.len(), ys.len()) };
            return Err(Box::new(Clash::Payload(name, x, y)));
        }
        xs.iter().zip(ys).try_for_each(|(x, y)| self.types(x, y))
    }

    fn arrows(&mut self, a: &Ty, b: &Ty, f: &Arrow, g: &Arrow) -> Unified {
        let (expected, actual) = if self.flipped { (g, f) } else { (f, g) };
        if actual.consumes && !expected.consumes {
            return self.clash(Clash::Consumes, a, b);
        }
        self.flipped = !self.flipped;
        let args = self.types(&f.arg, &g.arg);
        self.flipped = !self.flipped;
        args?;
        let depth = self.bound.len();
        self.bound.extend(f.param);
        // Both parameters get one name.
        let g_ret = match (f.param, g.param) {
            (Some(p), Some(q)) if p != q => Subst::one_size(q, Size::Var(p)).apply(&self.names.zonk(&g.ret)),
            (None, Some(q)) => {
                self.bound.push(q);
                g.ret.clone()
            }
            _ => g.ret.clone(),
        };
        let f_ret = self.open(&f.ret, !self.flipped);
        let g_ret = self.open(&g_ret, self.flipped);
        let result = self.types(&f_ret, &g_ret);
        self.bound.truncate(depth);
        result?;
        let (wanted, got) = if self.flipped { (&g_ret, &f_ret) } else { (&f_ret, &g_ret) };
        if self.is_unique_enough(wanted, got) { Ok(()) } else { self.clash(Clash::NotUnique, a, b) }
    }

    /// Opens `?[n].t`: the sizes of an expected type can be anything, those of an actual type are bound.
    fn open(&mut self, ty: &Ty, expected: bool) -> Ty {
        let ty = self.names.zonk(ty);
        let TyKind::Exists(dims, body) = ty.kind() else { return ty };
        let mut subst = Subst::default();
        for d in dims {
            let info = self.names.vars[*d].clone();
            let kind = if expected { VarKind::Flexible(SizeCause::Anonymous, None) } else { VarKind::Bound };
            let fresh = self.names.var(info.name, info.span, self.level, kind);
            if expected {
                self.existential.push(fresh);
            } else {
                self.bound.push(fresh);
            }
            subst.sizes.insert(*d, Size::Var(fresh));
        }
        subst.apply(body)
    }

    /// Whether the actual result is unique where the expected one is.
    fn is_unique_enough(&self, expected: &Ty, actual: &Ty) -> bool {
        let (expected, actual) = (self.names.shallow(expected), self.names.shallow(actual));
        match (expected.kind(), actual.kind()) {
            (TyKind::Unique(_), _) => self.is_unique(&actual),
            (TyKind::Record(xs), TyKind::Record(ys)) => {
                xs.iter().zip(ys).all(|((_, x), (_, y))| self.is_unique_enough(x, y))
            }
            _ => true,
        }
    }

    fn is_unique(&self, ty: &Ty) -> bool {
        let ty = self.names.shallow(ty);
        match ty.kind() {
            TyKind::Error | TyKind::Prim(_) | TyKind::Unique(_) | TyKind::Meta(_) => true,
            TyKind::Record(fields) => fields.iter().all(|(_, t)| self.is_unique(t)),
            TyKind::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).all(|t| self.is_unique(t)),
            TyKind::Exists(_, t) => self.is_unique(t),
            TyKind::Array(..) | TyKind::Arrow(_) | TyKind::Con(..) => false,
        }
    }

    fn sizes(&mut self, a: &Size, b: &Size) -> Unified {
        let (a, b) = (self.names.shallow_size(a), self.names.shallow_size(b));
        let flexible = |names: &Names, s: &Size| match s {
            Size::Var(v) => matches!(names.vars[*v].kind, VarKind::Flexible(_, None)).then_some(*v),
            Size::Error | Size::Const(_) | Size::Term(_) => None,
        };
        match (flexible(self.names, &a), flexible(self.names, &b)) {
            _ if a == b => Ok(()),
            _ if a == Size::Error || b == Size::Error => Ok(()),
            (Some(v), Some(w)) => {
                // The one that is known in more places stays. An existential one can be anything, so it never does if
                // the other is not.
                let rank = |v: VarId| (self.existential.contains(&v), self.names.vars[v].level);
                let (stays, goes) = if rank(v) <= rank(w) { (v, w) } else { (w, v) };
                self.solve_size(goes, Size::Var(stays))
            }
            (Some(v), None) => self.solve_size(v, b),
            (None, Some(w)) => self.solve_size(w, a),
            (None, None) => match (&a, &b) {
                (Size::Term(x), Size::Term(y)) if x.head == y.head && x.args.len() == y.args.len() => {
                    let parts = x.args.iter().zip(&y.args).try_for_each(|(x, y)| with_stack(|| self.sizes(x, y)));
                    parts.map_err(|_| Box::new(self.size_clash(&a, &b)))
                }
                _ => Err(Box::new(self.size_clash(&a, &b))),
            },
        }
    }

    fn size_clash(&self, a: &Size, b: &Size) -> Clash {
        let (a, b) = (self.names.size(a), self.names.size(b));
        if self.flipped { Clash::Sizes(b, a) } else { Clash::Sizes(a, b) }
    }

    fn solve_size(&mut self, v: VarId, size: Size) -> Unified {
        let size = self.names.size(&size);
        let mut used = Vec::new();
        size.for_each_var(&mut |w| used.push(w));
        if used.contains(&v) {
            return Err(Box::new(Clash::InfiniteSize(Size::Var(v), size)));
        }
        let level = self.names.vars[v].level;
        let anything = self.existential.contains(&v);
        for w in used {
            if anything {
                break;
            }
            let info = &mut self.names.vars[w];
            match &info.kind {
                VarKind::Flexible(..) => info.level = info.level.min(level),
                _ if self.bound.contains(&w) || info.level > level => {
                    let cause = match &self.names.vars[v].kind {
                        VarKind::Flexible(cause, _) => Some((cause.clone(), self.names.vars[v].span)),
                        _ => None,
                    };
                    return Err(Box::new(Clash::SizeScope { size, name: w, cause }));
                }
                _ => {}
            }
        }
        if let VarKind::Flexible(_, solution) = &mut self.names.vars[v].kind {
            *solution = Some(size);
        }
        Ok(())
    }

    /// Solves a type variable.
    fn link(&mut self, m: MetaId, ty: &Ty) -> Unified {
        let ty = self.names.zonk(ty).without_unique();
        if let TyKind::Meta(n) = ty.kind() {
            return self.merge(m, *n);
        }
        if open_metas(&ty).contains(&m) {
            return self.clash(Clash::Infinite, &Ty::meta(m), &ty);
        }
        let level = self.names.metas[m].level;
        self.scope_check(level, &ty)?;
        let free = free_vars(&ty);
        let escaping: Vec<VarId> =
            self.bound.iter().chain(&self.existential).copied().filter(|v| free.contains(v)).collect();
        let MetaState::Open(constraint) = self.names.metas[m].state.clone() else { return Ok(()) };
        let (allowed, reason) = (self.names.metas[m].liftedness, self.names.metas[m].reason.clone());
        if allowed == Liftedness::Unlifted && !escaping.is_empty() {
            return Err(Box::new(Clash::Existential { ty, sizes: escaping }));
        }
        if let TyKind::Arrow(_) = ty.kind() {
            // The sizes can be bound behind the arrows, unless a parameter needs them.
            let seen = witnesses(&ty);
            let mut in_params = escaping.clone();
            in_params.retain(|v| !seen.contains(v) && occurs_in_param(&ty, *v));
            if !in_params.is_empty() {
                return Err(Box::new(Clash::ExistentialParam { ty, sizes: in_params }));
            }
        }
        // Solved before the constraint is checked, so that a type that leads back to itself ends.
        self.names.metas[m].state = MetaState::Solved(ty.clone());
        let checked = self.liftedness(&ty, allowed, reason.as_ref()).and_then(|()| match &constraint {
            Constraint::Any => Ok(()),
            Constraint::Overloaded(set, usage) => self.overload(&ty, *set, usage),
            Constraint::Equality(usage) => self.equality(&ty, usage),
            Constraint::Fields(fields, usage) => self.fields(&ty, fields, usage),
            Constraint::Constructors(constrs, usage) => self.constructors(&ty, constrs, usage),
        });
        if checked.is_err() {
            self.names.metas[m].state = MetaState::Open(constraint);
        } else if !escaping.is_empty() {
            let solution = self.names.zonk(&ty);
            let free = free_vars(&solution);
            let sizes: Vec<VarId> =
                self.bound.iter().chain(&self.existential).copied().filter(|v| free.contains(v)).collect();
            self.names.metas[m].state = MetaState::Solved(Ty::exists(sizes, solution));
        }
        checked
    }

    /// Makes `m` stand for `n`, which takes over what is known about `m`.
    fn merge(&mut self, m: MetaId, n: MetaId) -> Unified {
        // The shorter chain is added to the longer one, so that chains stay short.
        let (m, n) = if self.names.metas[m].rank > self.names.metas[n].rank { (n, m) } else { (m, n) };
        if self.names.metas[m].rank == self.names.metas[n].rank {
            self.names.metas[n].rank += 1;
        }
        let (MetaState::Open(cm), MetaState::Open(cn)) =
            (self.names.metas[m].state.clone(), self.names.metas[n].state.clone())
        else {
            return Ok(());
        };
        self.names.metas[n].level = self.names.metas[n].level.min(self.names.metas[m].level);
        self.names.metas[m].state = MetaState::Solved(Ty::meta(n));
        self.constrained(n);
        let (allowed, reason) = (self.names.metas[m].liftedness, self.names.metas[m].reason.clone());
        let set = |this: &mut Self, c: Constraint| this.names.metas[n].state = MetaState::Open(c);
        match (cm, cn) {
            (Constraint::Any, other) | (other, Constraint::Any) => set(self, other),
            (Constraint::Overloaded(x, ux), Constraint::Overloaded(y, uy)) => {
                let both = x.intersect(y);
                if both.is_empty() {
                    set(self, Constraint::Overloaded(y, ux.clone()));
                    return Err(Box::new(Clash::Overload { set: x, ty: Ty::meta(n), usage: ux }));
                }
                // What restricts the type more is what to blame later.
                set(self, Constraint::Overloaded(both, if both == y && x != y { uy } else { ux }));
            }
            (Constraint::Overloaded(x, u), Constraint::Equality(_))
            | (Constraint::Equality(_), Constraint::Overloaded(x, u)) => set(self, Constraint::Overloaded(x, u)),
            (Constraint::Equality(u), Constraint::Equality(_)) => set(self, Constraint::Equality(u)),
            (Constraint::Fields(x, u), Constraint::Fields(y, _)) => {
                let mut all = y.clone();
                all.extend(x.clone());
                set(self, Constraint::Fields(all, u));
                for (name, t) in &x {
                    if let Some(other) = y.get(name) {
                        self.types(t, other)?;
                    }
                }
            }
            (Constraint::Constructors(x, u), Constraint::Constructors(y, _)) => {
                let mut all = y.clone();
                all.extend(x.clone());
                set(self, Constraint::Constructors(all, u));
                for (name, ts) in &x {
                    if let Some(other) = y.get(name) {
                        self.payload(*name, ts, other)?;
                    }
                }
            }
            (Constraint::Equality(u), parts @ (Constraint::Fields(..) | Constraint::Constructors(..)))
            | (parts @ (Constraint::Fields(..) | Constraint::Constructors(..)), Constraint::Equality(u)) => {
                let inner: Vec<Ty> = match &parts {
                    Constraint::Fields(fields, _) => fields.values().cloned().collect(),
                    Constraint::Constructors(constrs, _) => constrs.values().flatten().cloned().collect(),
                    Constraint::Any | Constraint::Overloaded(..) | Constraint::Equality(_) => Vec::new(),
                };
                set(self, parts);
                for t in inner {
                    self.equality(&t, &u)?;
                }
            }
            (Constraint::Overloaded(set_, usage), other @ (Constraint::Fields(..) | Constraint::Constructors(..)))
            | (other @ (Constraint::Fields(..) | Constraint::Constructors(..)), Constraint::Overloaded(set_, usage)) => {
                set(self, other);
                return Err(Box::new(Clash::Overload { set: set_, ty: Ty::meta(n), usage }));
            }
            (Constraint::Fields(_, u), other @ Constraint::Constructors(..))
            | (other @ Constraint::Constructors(..), Constraint::Fields(_, u)) => {
                set(self, other);
                return Err(Box::new(Clash::NotRecord { ty: Ty::meta(n), usage: u }));
            }
        }
        self.liftedness(&Ty::meta(n), allowed, reason.as_ref())
    }

    /// Everything in the type must be known at this level; what is still to be inferred becomes so.
    fn scope_check(&mut self, level: Level, ty: &Ty) -> Unified {
        struct Scope<'a, 'b> {
            names: &'a mut Names,
            outer: &'b [VarId],
            level: Level,
            ty: &'b Ty,
            clash: Option<Clash>,
        }
        impl TyVisit for Scope<'_, '_> {
            fn size(&mut self, size: &Size, bound: &[VarId]) {
                size.for_each_var(&mut |v| {
                    let info = &mut self.names.vars[v];
                    match &info.kind {
                        VarKind::Flexible(..) => info.level = info.level.min(self.level),
                        _ if bound.contains(&v) || self.outer.contains(&v) => {}
                        _ if info.level > self.level && self.clash.is_none() => {
                            self.clash = Some(Clash::SizeScope { size: size.clone(), name: v, cause: None });
                        }
                        _ => {}
                    }
                });
            }
            fn meta(&mut self, meta: MetaId) {
                let info = &mut self.names.metas[meta];
                info.level = info.level.min(self.level);
            }
            fn con(&mut self, id: TypeId) {
                if self.names.types[id].level > self.level && self.clash.is_none() {
                    self.clash = Some(Clash::TypeScope { ty: self.ty.clone(), name: id });
                }
            }
        }
        let mut scope = Scope { names: self.names, outer: &self.bound, level, ty, clash: None };
        scope.walk(ty, &mut Vec::new());
        scope.clash.map_or(Ok(()), |clash| Err(Box::new(clash)))
    }

    fn overload(&mut self, ty: &Ty, set: PrimSet, usage: &Usage) -> Unified {
        let ty = self.names.shallow(ty);
        let fail = |ty: Ty| Err(Box::new(Clash::Overload { set, ty, usage: usage.clone() }));
        match ty.kind() {
            TyKind::Error => Ok(()),
            TyKind::Prim(p) if set.contains(*p) => Ok(()),
            TyKind::Unique(t) => self.overload(t, set, usage),
            TyKind::Meta(m) => {
                let MetaState::Open(constraint) = &self.names.metas[*m].state else { return Ok(()) };
                let new = match constraint {
                    Constraint::Any | Constraint::Equality(_) => Constraint::Overloaded(set, usage.clone()),
                    Constraint::Overloaded(old, before) if !old.intersect(set).is_empty() => {
                        let both = old.intersect(set);
                        let usage = if both == *old && *old != set { before } else { usage };
                        Constraint::Overloaded(both, usage.clone())
                    }
                    Constraint::Overloaded(..) | Constraint::Fields(..) | Constraint::Constructors(..) => {
                        return fail(ty);
                    }
                };
                self.names.metas[*m].state = MetaState::Open(new);
                self.constrained(*m);
                Ok(())
            }
            _ => fail(ty),
        }
    }

    /// Remembers where a variable was constrained last.
    fn constrained(&mut self, m: MetaId) {
        if let Some(span) = self.names.at {
            self.names.metas[m].span = span;
        }
    }

    fn equality(&mut self, ty: &Ty, usage: &Usage) -> Unified {
        if !self.step() {
            return Ok(());
        }
        with_stack(|| {
            let ty = self.names.shallow(ty);
            match ty.kind() {
                TyKind::Error | TyKind::Prim(_) => Ok(()),
                TyKind::Array(_, t) | TyKind::Unique(t) | TyKind::Exists(_, t) => self.equality(t, usage),
                TyKind::Record(fields) => fields.iter().try_for_each(|(_, t)| self.equality(t, usage)),
                TyKind::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).try_for_each(|t| self.equality(t, usage)),
                TyKind::Arrow(_) | TyKind::Con(..) => {
                    Err(Box::new(Clash::NoEquality { ty: ty.clone(), usage: usage.clone() }))
                }
                TyKind::Meta(m) => {
                    let MetaState::Open(constraint) = self.names.metas[*m].state.clone() else { return Ok(()) };
                    match constraint {
                        Constraint::Any => {
                            self.names.metas[*m].state = MetaState::Open(Constraint::Equality(usage.clone()));
                            Ok(())
                        }
                        Constraint::Overloaded(..) | Constraint::Equality(_) => Ok(()),
                        Constraint::Fields(fields, _) => fields.values().try_for_each(|t| self.equality(t, usage)),
                        Constraint::Constructors(constrs, _) => {
                            constrs.values().flatten().try_for_each(|t| self.equality(t, usage))
                        }
                    }
                }
            }
        })
    }

    fn liftedness(&mut self, ty: &Ty, allowed: Liftedness, usage: Option<&Usage>) -> Unified {
        if allowed == Liftedness::Lifted || !self.step() {
            return Ok(());
        }
        with_stack(|| {
            let ty = self.names.shallow(ty);
            let fail = |ty: &Ty| Err(Box::new(Clash::Lifted { ty: ty.clone(), allowed, usage: usage.cloned() }));
            match ty.kind() {
                TyKind::Error | TyKind::Prim(_) => Ok(()),
                TyKind::Arrow(_) => fail(&ty),
                TyKind::Con(id, args) => {
                    if self.names.types[*id].liftedness > allowed {
                        return fail(&ty);
                    }
                    args.iter().try_for_each(|arg| match arg {
                        TyArg::Size(_) => Ok(()),
                        TyArg::Type(t) => self.liftedness(t, allowed, usage),
                    })
                }
                TyKind::Array(_, t) | TyKind::Unique(t) => self.liftedness(t, allowed, usage),
                TyKind::Exists(_, t) => {
                    if allowed == Liftedness::Unlifted {
                        return fail(&ty);
                    }
                    self.liftedness(t, allowed, usage)
                }
                TyKind::Record(fields) => fields.iter().try_for_each(|(_, t)| self.liftedness(t, allowed, usage)),
                TyKind::Sum(constrs) => {
                    constrs.iter().flat_map(|(_, ts)| ts).try_for_each(|t| self.liftedness(t, allowed, usage))
                }
                TyKind::Meta(m) => {
                    let info = &mut self.names.metas[*m];
                    if info.liftedness <= allowed {
                        return Ok(());
                    }
                    info.liftedness = allowed;
                    info.reason = usage.cloned();
                    let MetaState::Open(constraint) = info.state.clone() else { return Ok(()) };
                    match constraint {
                        Constraint::Any | Constraint::Overloaded(..) | Constraint::Equality(_) => Ok(()),
                        Constraint::Fields(fields, _) => {
                            fields.values().try_for_each(|t| self.liftedness(t, allowed, usage))
                        }
                        Constraint::Constructors(constrs, _) => {
                            constrs.values().flatten().try_for_each(|t| self.liftedness(t, allowed, usage))
                        }
                    }
                }
            }
        })
    }

    fn fields(&mut self, ty: &Ty, wanted: &BTreeMap<Symbol, Ty>, usage: &Usage) -> Unified {
        let TyKind::Record(fields) = ty.kind() else {
            return Err(Box::new(Clash::NotRecord { ty: ty.clone(), usage: usage.clone() }));
        };
        for (name, t) in wanted {
            match fields.iter().find(|(n, _)| n == name) {
                Some((_, u)) => self.types(t, u)?,
                None => {
                    return Err(Box::new(Clash::Parts {
                        kind: PartKind::Field,
                        missing: vec![*name],
                        extra: Vec::new(),
                    }));
                }
            }
        }
        Ok(())
    }

    fn constructors(&mut self, ty: &Ty, wanted: &BTreeMap<Symbol, Vec<Ty>>, usage: &Usage) -> Unified {
        let TyKind::Sum(constrs) = ty.kind() else {
            return Err(Box::new(Clash::NotSum { ty: ty.clone(), usage: usage.clone() }));
        };
        for (name, ts) in wanted {
            match constrs.iter().find(|(n, _)| n == name) {
                Some((_, us)) => self.payload(*name, ts, us)?,
                None => {
                    let kind = PartKind::Constructor;
                    return Err(Box::new(Clash::Parts { kind, missing: Vec::new(), extra: vec![*name] }));
                }
            }
        }
        Ok(())
    }
}

/// Whether a name occurs in the parameter of the function type, or in a parameter of what it returns.
fn occurs_in_param(ty: &Ty, v: VarId) -> bool {
    match ty.kind() {
        TyKind::Arrow(a) => free_vars(&a.arg).contains(&v) || occurs_in_param(&a.ret, v),
        TyKind::Unique(t) | TyKind::Exists(_, t) => occurs_in_param(t, v),
        _ => false,
    }
}
