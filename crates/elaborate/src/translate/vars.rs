//! Variables where they are used: instances of definitions and of local functions, intrinsics.

use super::env::Env;
use super::types::for_each_size;
use super::{Binding, LocalPoly, Result, Translate};
use crate::core::{Dim, Exp, Kind, Ty};
use crate::resolve::Ctx;
use kenaz_base::{Span, with_stack};
use kenaz_ir::LocId;
use kenaz_sema::intrinsics::{self, Intrinsic, IntrinsicId};
use kenaz_sema::names::VarKind;
use kenaz_sema::types::{self as sema, Scheme, SchemeParam, Size, TyArg, TyKind, TypeId, VarId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Translate<'_> {
    /// A variable with its instance, and its type where it is used.
    pub fn variable(&mut self, v: VarId, instance: &[TyArg], used_as: Option<&sema::Ty>, span: Span) -> Result<Exp> {
        let loc = self.loc(span);
        match self.scope.vars.get(&v).cloned() {
            Some(Binding::Value(name, ty)) => Ok(Exp::var(name, ty, loc)),
            Some(Binding::Local(poly)) => self.local(&poly, instance, span, loc),
            None if self.is_global(v) => self.global_as(v, instance, used_as, span),
            None => self.size_exp(&Size::Var(v), span),
        }
    }

    pub fn global(&mut self, v: VarId, instance: &[TyArg], span: Span) -> Result<Exp> {
        self.global_as(v, instance, None, span)
    }

    fn global_as(&mut self, v: VarId, instance: &[TyArg], used_as: Option<&sema::Ty>, span: Span) -> Result<Exp> {
        let loc = self.loc(span);
        let ctx = self.scope.ctx.clone();
        let (def, def_ctx) = self.modules.value(self.checked, v, &ctx);
        if let VarKind::Intrinsic(id) = self.checked.names.vars[def].kind {
            return self.intrinsic(id, def, used_as, span, loc);
        }
        let Some(scheme) = self.checked.names.vars[def].scheme.clone() else {
            return Err(self.bug(span, "a value without a type"));
        };
        let args = if def == v || scheme.params.is_empty() {
            self.args_here(instance)
        } else {
            self.match_instance(&scheme, &def_ctx, used_as, span)?
        };
        if let Some(wrapped) = self.hidden_sizes(def, &def_ctx, &scheme, &args, used_as, span)? {
            return Ok(wrapped);
        }
        let (types, sizes) = self.instance_args(&scheme.params, &args, span)?;
        let id = self.instance(def, def_ctx, &types, span)?;
        let ty = self.prog.defs[id].body.ty.clone();
        let function = Exp::new(Kind::Global(id), ty.clone(), loc);
        let ret = ty.after(sizes.len());
        Ok(self.apply(function, sizes, ret, loc))
    }

    fn args_here(&self, args: &[TyArg]) -> Vec<ArgIn> {
        let here = self.here();
        args.iter().map(|arg| (arg.clone(), here.clone())).collect()
    }

    /// What an instance is made for: its type arguments, and the sizes to pass.
    fn instance_args(&mut self, params: &[SchemeParam], args: &[ArgIn], span: Span) -> Result<(Vec<Ty>, Vec<Exp>)> {
        let loc = self.loc(span);
        let mut types = Vec::new();
        let mut sizes = Vec::new();
        for (param, (arg, env)) in params.iter().zip(args) {
            match (param, arg) {
                (SchemeParam::Size(_), TyArg::Size(size)) => sizes.push(self.size_in(size, env, span)?),
                (SchemeParam::Type(..), TyArg::Type(ty)) => {
                    // A size that the type of the result says exists is nobody's to pass.
                    let mut unknown = self.bound_in(ty);
                    for arg in env.all_args() {
                        match arg {
                            TyArg::Type(ty) => unknown.extend(self.bound_in(ty)),
                            TyArg::Size(size) => {
                                size.for_each_var(&mut |v| unknown.extend(Some(v).filter(|v| self.is_bound(*v))))
                            }
                        }
                    }
                    let ty = self.sized_ty_in(ty, env, &unknown, span)?;
                    for dim in ty.dims() {
                        match dim {
                            Dim::Any => {}
                            Dim::Const(n) => sizes.push(Exp::i64(n, loc)),
                            Dim::Var(name) => sizes.push(Exp::var(name, Ty::I64, loc)),
                        }
                    }
                    types.push(ty);
                }
                _ => return Err(self.bug(span, "an instance of the wrong kind")),
            }
        }
        if types.len() + Self::count_sizes(params) != params.len() {
            return Err(self.bug(span, "an instance with too few arguments"));
        }
        Ok((types, sizes))
    }

    /// Whether a size is bound inside a type, rather than by what is being translated.
    fn is_bound(&self, v: VarId) -> bool {
        matches!(self.checked.names.vars[v].kind, VarKind::Bound) && !self.scope.vars.contains_key(&v)
    }

    /// The sizes in a type that are bound outside of it, inside a larger type.
    pub fn bound_in(&self, ty: &sema::Ty) -> Vec<VarId> {
        let mut bound = Vec::new();
        for_each_size(ty, &mut |size| size.for_each_var(&mut |v| bound.push(v)));
        bound.retain(|v| self.is_bound(*v));
        bound
    }

    /// A function whose sizes are hidden by an abstract type reads them off its arguments.
    fn hidden_sizes(
        &mut self,
        def: VarId,
        def_ctx: &Ctx,
        scheme: &Scheme,
        args: &[ArgIn],
        used_as: Option<&sema::Ty>,
        span: Span,
    ) -> Result<Option<Exp>> {
        let hidden = |this: &Self, size: &Size, env: &Env| {
            let mut bound = false;
            this.filled_size(size, env).for_each_var(&mut |v| bound |= this.is_bound(v));
            bound
        };
        let deferred: Vec<VarId> = scheme
            .params
            .iter()
            .zip(args)
            .filter_map(|(p, (a, env))| match (p, a) {
                (SchemeParam::Size(v), TyArg::Size(size)) if hidden(self, size, env) => Some(*v),
                _ => None,
            })
            .collect();
        let Some(used_as) = used_as.filter(|_| !deferred.is_empty()) else { return Ok(None) };
        let loc = self.loc(span);
        let mut params = Vec::new();
        let (mut outer, mut inner) = (used_as.clone(), scheme.ty.clone());
        let mut known: FxHashMap<VarId, Exp> = FxHashMap::default();
        while let (TyKind::Arrow(a), TyKind::Arrow(b)) = (outer.clone().kind(), inner.clone().kind()) {
            let ty = self.ty(&a.arg, span)?;
            let name = self.fresh("x");
            let value = Exp::var(name, ty.clone(), loc);
            for v in &deferred {
                let ctx = std::mem::replace(&mut self.scope.ctx, def_ctx.clone());
                let path = self.find_size(&b.arg, &Size::Var(*v));
                self.scope.ctx = ctx;
                if let Some(path) = path {
                    let size = Exp::new(Kind::SizeOf(Box::new(value.clone()), path), Ty::I64, loc);
                    known.entry(*v).or_insert(size);
                }
            }
            params.push((name, ty));
            outer = a.ret.clone();
            inner = b.ret.clone();
            if known.len() == deferred.len() {
                break;
            }
        }
        for v in &deferred {
            if known.contains_key(v) {
                continue;
            }
            // A size of the result alone can be anything.
            let mut taken = false;
            let mut rest = scheme.ty.clone();
            while let TyKind::Arrow(a) = rest.clone().kind() {
                for_each_size(&a.arg, &mut |size| size.for_each_var(&mut |w| taken |= w == *v));
                rest = a.ret.clone();
            }
            if taken {
                return Err(self.bug(span, "a size that is hidden by a module type cannot be found"));
            }
            known.insert(*v, Exp::i64(0, loc));
        }
        let shown: Vec<ArgIn> = scheme
            .params
            .iter()
            .zip(args)
            .map(|(p, a)| match p {
                SchemeParam::Size(v) if known.contains_key(v) => (TyArg::Size(Size::Const(0)), a.1.clone()),
                _ => a.clone(),
            })
            .collect();
        let (types, mut sizes) = self.instance_args(&scheme.params, &shown, span)?;
        let mut at = 0;
        let mut type_args = types.iter();
        for param in &scheme.params {
            match param {
                SchemeParam::Size(v) => {
                    if let Some(size) = known.get(v) {
                        sizes[at] = size.clone();
                    }
                    at += 1;
                }
                SchemeParam::Type(..) => {
                    let dims = type_args.next().map(Ty::dims).unwrap_or_default();
                    at += dims.iter().filter(|d| **d != Dim::Any).count();
                }
            }
        }
        let id = self.instance(def, def_ctx.clone(), &types, span)?;
        let ty = self.prog.defs[id].body.ty.clone();
        let function = Exp::new(Kind::Global(id), ty.clone(), loc);
        let mut all = sizes;
        all.extend(params.iter().map(|(n, t)| Exp::var(*n, t.clone(), loc)));
        let ret = ty.after(all.len());
        let body = self.apply(function, all, ret, loc);
        Ok(Some(self.lambda(params, body, loc)))
    }

    fn local(&mut self, poly: &Arc<LocalPoly>, instance: &[TyArg], span: Span, loc: LocId) -> Result<Exp> {
        let (types, sizes) = self.instance_args(&poly.params, &self.args_here(instance), span)?;
        let function = self.local_instance(poly, &types, loc)?;
        let ret = function.ty.after(sizes.len());
        Ok(self.apply(function, sizes, ret, loc))
    }

    /// The instance of a local function for these type arguments.
    pub(super) fn local_instance(&mut self, poly: &Arc<LocalPoly>, types: &[Ty], loc: LocId) -> Result<Exp> {
        let mark = |d: Dim| if d == Dim::Any { Dim::Any } else { Dim::Const(0) };
        let key: Vec<Ty> = types.iter().map(|t| t.map_dims(&mut |d| mark(d))).collect();
        let known = poly.instances.lock().ok().and_then(|table| table.get(&key).cloned());
        let (name, ty) = match known {
            Some(known) => known,
            None => {
                // The instance belongs to the block of the definition, whatever is being translated now.
                let inner = self.blocks.split_off(poly.block + 1);
                let at = self.loc(poly.fun.name.span);
                let function = with_stack(|| {
                    let size_params = self.bind_scheme_params(&poly.params, &key);
                    self.function(size_params, &poly.fun.params, poly.fun.body, at)
                });
                let name = self.fresh_symbol(poly.fun.name.name);
                let pushed = function.map(|f| {
                    let ty = f.ty.clone();
                    self.push(name, f);
                    (name, ty)
                });
                self.blocks.extend(inner);
                let made = pushed?;
                if let Ok(mut table) = poly.instances.lock() {
                    table.insert(key, made.clone());
                }
                made
            }
        };
        Ok(Exp::var(name, ty, loc))
    }

    /// An intrinsic as a function.
    fn intrinsic(
        &mut self,
        id: IntrinsicId,
        def: VarId,
        used_as: Option<&sema::Ty>,
        span: Span,
        loc: LocId,
    ) -> Result<Exp> {
        let Some(used_as) =
            used_as.cloned().or_else(|| self.checked.names.vars[def].scheme.as_ref().map(|s| s.ty.clone()))
        else {
            return Err(self.bug(span, "an intrinsic without a type"));
        };
        let arity = match &intrinsics::def(id).intrinsic {
            Intrinsic::Overloaded(_) => 2,
            Intrinsic::Prim { params, .. } => params.len(),
            Intrinsic::Type { .. } => 0,
            Intrinsic::Poly { .. } => {
                let mut n = 0;
                let mut ty = self.checked.names.vars[def].scheme.as_ref().map(|s| s.ty.clone());
                while let Some(TyKind::Arrow(a)) = ty.as_ref().map(|t| t.kind().clone()) {
                    n += 1;
                    ty = Some(a.ret.clone());
                }
                n
            }
        };
        let mut params = Vec::new();
        let mut rest = used_as;
        for _ in 0..arity {
            let TyKind::Arrow(a) = rest.kind() else { break };
            let ty = self.ty(&a.arg, span)?;
            params.push((self.fresh("x"), ty));
            let next = a.ret.clone();
            rest = next;
        }
        let ret = self.ty(&rest, span)?;
        let args = params.iter().map(|(n, t)| Exp::var(*n, t.clone(), loc)).collect();
        let body = Exp::new(Kind::Intrinsic(id, args), ret, loc);
        Ok(self.lambda(params, body, loc))
    }

    /// The instance of a definition that is seen through a module type: what its parameters must be for its type to be
    /// the one it is used with.
    fn match_instance(
        &mut self,
        scheme: &Scheme,
        def_ctx: &Ctx,
        used_as: Option<&sema::Ty>,
        span: Span,
    ) -> Result<Vec<ArgIn>> {
        let Some(used_as) = used_as else { return Err(self.bug(span, "a value of a module without a type")) };
        let here = self.here();
        let mut found = Found::default();
        self.match_ty((&scheme.ty, &Env::plain(def_ctx)), (used_as, &here), scheme, &mut found);
        let arg = |param: &SchemeParam| match param {
            SchemeParam::Size(v) => match found.sizes.get(v) {
                Some((size, env)) => (TyArg::Size(size.clone()), env.clone()),
                None => (TyArg::Size(Size::Const(0)), here.clone()),
            },
            SchemeParam::Type(id, _) => match found.types.get(id) {
                Some((ty, env)) => (TyArg::Type(ty.clone()), env.clone()),
                None => (TyArg::Type(sema::Ty::unit()), here.clone()),
            },
        };
        Ok(scheme.params.iter().map(arg).collect())
    }

    fn match_ty(
        &mut self,
        (pattern, pattern_env): (&sema::Ty, &Env),
        (ty, env): (&sema::Ty, &Env),
        scheme: &Scheme,
        found: &mut Found,
    ) {
        let (pattern, pattern_env) = self.unfold(pattern, pattern_env);
        if let TyKind::Con(id, _) = pattern.kind()
            && scheme.params.iter().any(|p| matches!(p, SchemeParam::Type(t, _) if t == id))
        {
            found.types.entry(*id).or_insert_with(|| (ty.without_unique(), env.clone()));
            return;
        }
        let (ty, env) = self.unfold(ty, env);
        let parts = |this: &mut Self, x: &sema::Ty, y: &sema::Ty, found: &mut Found| {
            with_stack(|| this.match_ty((x, &pattern_env), (y, &env), scheme, found));
        };
        match (pattern.kind(), ty.kind()) {
            (TyKind::Array(m, x), TyKind::Array(n, y)) => {
                self.match_size(scheme, &self.filled_size(m, &pattern_env), n, &env, found);
                parts(self, x, y, found);
            }
            (TyKind::Record(xs), TyKind::Record(ys)) => {
                for ((_, x), (_, y)) in xs.iter().zip(ys) {
                    parts(self, x, y, found);
                }
            }
            (TyKind::Sum(xs), TyKind::Sum(ys)) => {
                for ((_, xs), (_, ys)) in xs.iter().zip(ys) {
                    for (x, y) in xs.iter().zip(ys) {
                        parts(self, x, y, found);
                    }
                }
            }
            (TyKind::Arrow(f), TyKind::Arrow(g)) => {
                parts(self, &f.arg, &g.arg, found);
                parts(self, &f.ret, &g.ret, found);
            }
            (TyKind::Con(_, xs), TyKind::Con(_, ys)) => {
                for (x, y) in xs.iter().zip(ys) {
                    match (x, y) {
                        (TyArg::Size(x), TyArg::Size(y)) => {
                            self.match_size(scheme, &self.filled_size(x, &pattern_env), y, &env, found);
                        }
                        (TyArg::Type(x), TyArg::Type(y)) => parts(self, x, y, found),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// Finds out what the size parameters in a size are for it to be another one.
    fn match_size(&self, scheme: &Scheme, pattern: &Size, size: &Size, env: &Env, found: &mut Found) {
        if let Size::Var(v) = size
            && let Some((arg, outer)) = env.size(*v)
        {
            return self.match_size(scheme, pattern, arg, outer, found);
        }
        match (pattern, size) {
            (Size::Var(v), _) if scheme.params.iter().any(|q| matches!(q, SchemeParam::Size(w) if w == v)) => {
                found.sizes.entry(*v).or_insert_with(|| (size.clone(), env.clone()));
            }
            (Size::Term(p), Size::Term(s)) if p.head == s.head && p.args.len() == s.args.len() => {
                p.args.iter().zip(&s.args).for_each(|(p, s)| self.match_size(scheme, p, s, env, found));
            }
            _ => {}
        }
    }
}

/// An argument, and where it is to be understood.
type ArgIn = (TyArg, Env);

#[derive(Default)]
struct Found {
    types: FxHashMap<TypeId, (sema::Ty, Env)>,
    sizes: FxHashMap<VarId, (Size, Env)>,
}
