//! Entry points: functions for the outside, which read the sizes off their arguments.

use super::{Binding, Result, Translate};
use crate::core::{CoerceKind, Def, Dim, Exp, Kind, Ty};
use kenaz_base::{Span, Symbol};
use kenaz_ir::{Entry, EntryParam};
use kenaz_sema::types::{self as sema, SchemeParam, TyKind, VarId};
use kenaz_syntax::ast::{DecId, PatId, PatKind, TypeExpId, TypeExpKind, ValBind};

impl Translate<'_> {
    pub fn entry_point(&mut self, v: VarId, bind: &ValBind, dec: DecId) -> Result<()> {
        let span = bind.name.span;
        let loc = self.loc(span);
        let Some(scheme) = self.checked.names.vars[v].scheme.clone() else {
            return Err(self.bug(span, "an entry point without a type"));
        };
        let id = self.instance(v, Vec::new(), &[], span)?;
        self.scope = super::Scope::default();
        let mut params = Vec::new();
        let mut described = Vec::new();
        let mut args = Vec::new();
        let mut ret = scheme.ty.clone();
        // The type of what the patterns leave over, as far as it is written.
        let mut ret_exp = bind.ret;
        let mut pats = bind.params.iter();
        while let TyKind::Arrow(a) = ret.kind() {
            let base = a.param.map_or("x", |p| self.checked.names.vars[p].name.as_str());
            let name = self.fresh(base);
            let ty = self.ty(&a.arg, span)?.erased();
            let (shown, exp) = match pats.next() {
                Some(pat) => self.outside_param(*pat),
                None => match ret_exp.map(|exp| &self.ast()[exp].kind) {
                    Some(TypeExpKind::Arrow { param, arg, ret }) => {
                        ret_exp = Some(*ret);
                        (param.map(|p| p.name), Some(*arg))
                    }
                    _ => {
                        ret_exp = None;
                        (a.param.map(|p| self.checked.names.vars[p].name), None)
                    }
                },
            };
            let unique = a.consumes && !ty.dims().is_empty();
            let name_shown = shown.unwrap_or_else(|| Symbol::intern("_"));
            described.push(EntryParam { name: name_shown, unique, ty: self.outside_type(exp, &ty) });
            params.push((name, ty.clone()));
            args.push((Exp::var(name, ty, loc), a.arg.clone(), a.param));
            let next = a.ret.clone();
            ret = next;
        }
        let results = self.outside_results(&ret, ret_exp, span)?;
        let body = self.block(|this| {
            let mut sizes = Vec::new();
            for param in &scheme.params {
                let SchemeParam::Size(n) = param else { continue };
                for (value, ty, _) in &args {
                    if !this.scope.vars.contains_key(n) {
                        this.bind_size_of(*n, ty, value);
                    }
                }
                match this.scope.vars.get(n) {
                    Some(Binding::Value(name, ty)) => sizes.push(Exp::var(*name, ty.clone(), loc)),
                    _ => return Err(this.bug(span, "an entry point whose sizes are not known")),
                }
            }
            let mut values = sizes;
            for (number, ((value, ty, param), about)) in (1..).zip(args.iter().zip(&described)) {
                if let (Some(p), Kind::Var(name)) = (param, &value.kind) {
                    this.scope.vars.insert(*p, Binding::Value(*name, value.ty.clone()));
                }
                let sized = this.sized_ty(ty, &this.bound_in(ty), span)?;
                let known = sized.dims().iter().any(|d| *d != Dim::Any);
                values.push(if known {
                    let kind = CoerceKind::Entry(number, about.name);
                    Exp::new(Kind::Coerce(Box::new(value.clone()), kind), sized, loc)
                } else {
                    value.clone()
                });
            }
            let ty = this.prog.defs[id].body.ty.clone();
            let result = ty.after(values.len());
            let function = Exp::new(Kind::Global(id), ty, loc);
            Ok(this.apply(function, values, result, loc))
        })?;
        let body = self.lambda(params, body, loc);
        let attrs = self.ast()[dec].attrs.iter().filter_map(|attr| attr.meaning.ok()).collect();
        let doc = self.ast()[dec].doc.as_ref().map(|d| d.text.clone());
        let entry = Some(Entry { params: described, results, doc });
        self.prog.defs.push(Def { name: bind.name.name, body, entry, attrs, loc, builtin: false });
        Ok(())
    }

    /// The name and the type of a parameter, as far as they are written.
    fn outside_param(&self, pat: PatId) -> (Option<Symbol>, Option<TypeExpId>) {
        match &self.ast()[pat].kind {
            PatKind::Name(name) => (Some(name.name), None),
            PatKind::Paren(pat) => self.outside_param(*pat),
            PatKind::Ascript(inner, exp) => {
                let mut pat = *inner;
                while let PatKind::Paren(inner) = &self.ast()[pat].kind {
                    pat = *inner;
                }
                match &self.ast()[pat].kind {
                    PatKind::Name(name) => (Some(name.name), Some(*exp)),
                    _ => (None, Some(*exp)),
                }
            }
            PatKind::Error
            | PatKind::Wild
            | PatKind::Lit(_)
            | PatKind::Tuple(_)
            | PatKind::Record(_)
            | PatKind::Constr(..)
            | PatKind::Attr(..) => (None, None),
        }
    }

    /// A tuple is several results, unless its type is written in another way than as a tuple.
    fn outside_results(&mut self, ret: &sema::Ty, exp: Option<TypeExpId>, span: Span) -> Result<Vec<EntryParam>> {
        let ty = self.ty(ret, span)?;
        // Which components are unique: as many as a tuple type that is visible has, or all alike.
        let (whole, opened) = opened(ret);
        let unique: Vec<bool> = match opened.as_tuple() {
            Some(parts) => parts.iter().map(|t| whole || t.mentions_unique()).collect(),
            None => Vec::new(),
        };
        let any = whole || opened.mentions_unique();
        let exps = match exp.map(|exp| &self.ast()[exp].kind) {
            None => None,
            Some(TypeExpKind::Tuple(elems)) => Some(elems),
            Some(_) => {
                let param = self.outside_result(0, any, exp, &ty);
                return Ok(vec![param]);
            }
        };
        let Ty::Record(fields) = &ty else { return Ok(vec![self.outside_result(0, any, None, &ty)]) };
        if !sema::is_tuple(fields) {
            return Ok(vec![self.outside_result(0, any, None, &ty)]);
        }
        let result = |(i, (_, ty)): (usize, &(Symbol, Ty))| {
            let exp = exps.and_then(|exps| exps.get(i).copied());
            self.outside_result(i, unique.get(i).copied().unwrap_or(any), exp, ty)
        };
        Ok(fields.iter().enumerate().map(result).collect())
    }

    fn outside_result(&mut self, i: usize, unique: bool, exp: Option<TypeExpId>, ty: &Ty) -> EntryParam {
        let name = Symbol::intern(&format!("out{i}"));
        EntryParam { name, unique: unique && !ty.dims().is_empty(), ty: self.outside_type(exp, ty) }
    }
}

/// A type without quantifier and `*` around it, and whether there was a `*`.
fn opened(ty: &sema::Ty) -> (bool, sema::Ty) {
    let (mut unique, mut ty) = (false, ty.clone());
    loop {
        ty = match ty.kind() {
            TyKind::Exists(_, t) => t.clone(),
            TyKind::Unique(t) => {
                unique = true;
                t.clone()
            }
            _ => return (unique, ty),
        };
    }
}
