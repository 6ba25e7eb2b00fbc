//! Variables where they are used: instances of definitions and of local functions, intrinsics.

use super::{Binding, LocalPoly, Result, Translate};
use crate::core::{Dim, Exp, Kind, Ty};
use crate::resolve::{Ctx, TypeDef};
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
            instance.to_vec()
        } else {
            self.match_instance(&scheme, &def_ctx, used_as, span)?
        };
        let (types, sizes) = self.instance_args(&scheme.params, &args, span)?;
        let id = self.instance(def, def_ctx, &types, span)?;
        let ty = self.prog.defs[id].body.ty.clone();
        let function = Exp::new(Kind::Global(id), ty.clone(), loc);
        let ret = ty.after(sizes.len());
        Ok(self.apply(function, sizes, ret, loc))
    }

    /// What an instance is made for: its type arguments, and the sizes to pass.
    fn instance_args(&mut self, params: &[SchemeParam], args: &[TyArg], span: Span) -> Result<(Vec<Ty>, Vec<Exp>)> {
        let loc = self.loc(span);
        let mut types = Vec::new();
        let mut sizes = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            match (param, arg) {
                (SchemeParam::Size(_), TyArg::Size(size)) => {
                    let size = self.checked.names.size(size);
                    sizes.push(self.size_exp(&size, span)?);
                }
                (SchemeParam::Type(..), TyArg::Type(ty)) => {
                    let ty = self.sized_ty(ty, &[], span)?;
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

    fn local(&mut self, poly: &Arc<LocalPoly>, instance: &[TyArg], span: Span, loc: LocId) -> Result<Exp> {
        let (types, sizes) = self.instance_args(&poly.params, instance, span)?;
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
                    self.function(size_params, &poly.fun.params, poly.fun.ret, poly.fun.body, at)
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
        let ret = ty.after(sizes.len());
        let function = Exp::var(name, ty, loc);
        Ok(self.apply(function, sizes, ret, loc))
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
        let Some(used_as) = used_as.cloned().or_else(|| self.checked.names.vars[def].scheme.as_ref().map(|s| s.ty.clone()))
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
    ) -> Result<Vec<TyArg>> {
        let Some(used_as) = used_as else { return Err(self.bug(span, "a value of a module without a type")) };
        let ctx = self.scope.ctx.clone();
        let mut found = Found::default();
        self.match_ty(&scheme.ty, def_ctx, used_as, &ctx, scheme, &mut found);
        scheme
            .params
            .iter()
            .map(|param| match param {
                SchemeParam::Size(v) => match found.sizes.get(v) {
                    Some(size) => Ok(TyArg::Size(size.clone())),
                    None => Ok(TyArg::Size(Size::Const(0))),
                },
                SchemeParam::Type(id, _) => Ok(TyArg::Type(found.types.get(id).cloned().unwrap_or_else(sema::Ty::unit))),
            })
            .collect()
    }

    fn match_ty(
        &mut self,
        pattern: &sema::Ty,
        pattern_ctx: &Ctx,
        ty: &sema::Ty,
        ctx: &Ctx,
        scheme: &Scheme,
        found: &mut Found,
    ) {
        if let TyKind::Con(id, _) = pattern.kind()
            && scheme.params.iter().any(|p| matches!(p, SchemeParam::Type(t, _) if t == id))
        {
            found.types.entry(*id).or_insert_with(|| ty.without_unique());
            return;
        }
        let pattern = self.unfold(pattern, pattern_ctx);
        let ty = self.unfold(ty, ctx);
        let size = |p: &Size, s: &Size, found: &mut Found| {
            if let Size::Var(v) = p
                && scheme.params.iter().any(|q| matches!(q, SchemeParam::Size(w) if w == v))
            {
                found.sizes.entry(*v).or_insert_with(|| s.clone());
            }
        };
        match (pattern.0.kind(), ty.0.kind()) {
            (TyKind::Array(m, x), TyKind::Array(n, y)) => {
                size(m, n, found);
                self.match_ty(x, &pattern.1, y, &ty.1, scheme, found);
            }
            (TyKind::Record(xs), TyKind::Record(ys)) => {
                for ((_, x), (_, y)) in xs.iter().zip(ys) {
                    self.match_ty(x, &pattern.1, y, &ty.1, scheme, found);
                }
            }
            (TyKind::Sum(xs), TyKind::Sum(ys)) => {
                for ((_, xs), (_, ys)) in xs.iter().zip(ys) {
                    for (x, y) in xs.iter().zip(ys) {
                        self.match_ty(x, &pattern.1, y, &ty.1, scheme, found);
                    }
                }
            }
            (TyKind::Arrow(f), TyKind::Arrow(g)) => {
                self.match_ty(&f.arg, &pattern.1, &g.arg, &ty.1, scheme, found);
                self.match_ty(&f.ret, &pattern.1, &g.ret, &ty.1, scheme, found);
            }
            (TyKind::Con(_, xs), TyKind::Con(_, ys)) => {
                for (x, y) in xs.iter().zip(ys) {
                    match (x, y) {
                        (TyArg::Size(x), TyArg::Size(y)) => size(x, y, found),
                        (TyArg::Type(x), TyArg::Type(y)) => self.match_ty(x, &pattern.1, y, &ty.1, scheme, found),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    /// The type without abstraction, existential sizes and `*` at its head.
    fn unfold(&mut self, ty: &sema::Ty, ctx: &Ctx) -> (sema::Ty, Ctx) {
        let (mut ty, mut ctx) = (ty.clone(), ctx.clone());
        loop {
            match ty.kind() {
                TyKind::Unique(t) | TyKind::Exists(_, t) => {
                    let next = t.clone();
                    ty = next;
                }
                TyKind::Con(id, args) => match self.modules.ty(self.checked, *id, &ctx) {
                    TypeDef::Abbr(abbr, inner) => {
                        let next = abbr.apply(args);
                        ty = next;
                        ctx = inner;
                    }
                    TypeDef::Itself(_) => return (ty, ctx),
                },
                _ => return (ty, ctx),
            }
        }
    }
}

#[derive(Default)]
struct Found {
    types: FxHashMap<TypeId, sema::Ty>,
    sizes: FxHashMap<VarId, Size>,
}
