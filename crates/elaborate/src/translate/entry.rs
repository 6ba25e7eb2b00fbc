//! Entry points: functions for the outside, which read the sizes off their arguments.

use super::{Binding, Result, Translate};
use crate::core::{CoerceKind, Def, Dim, Exp, Kind};
use kenaz_base::Symbol;
use kenaz_ir::{Entry, EntryParam};
use kenaz_sema::types::{self as sema, SchemeParam, TyKind, VarId};
use kenaz_syntax::ast::{DecId, ValBind};

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
        while let TyKind::Arrow(a) = ret.kind() {
            let base = a.param.map_or("x", |p| self.checked.names.vars[p].name.as_str());
            let name = self.fresh(base);
            let ty = self.ty(&a.arg, span)?.erased();
            params.push((name, ty.clone()));
            args.push((Exp::var(name, ty, loc), a.arg.clone(), a.param));
            described.push(EntryParam {
                name: Symbol::intern(base),
                unique: a.consumes,
                ty: Symbol::intern(&self.outside_type(&a.arg)),
                parts: 0,
            });
            let next = a.ret.clone();
            ret = next;
        }
        let results = match ret.without_unique().kind() {
            TyKind::Exists(_, t) => t.clone(),
            _ => ret.without_unique(),
        };
        let result_types = results.as_tuple().map_or(vec![results.clone()], |ts| ts.into_iter().cloned().collect());
        let results = result_types
            .iter()
            .enumerate()
            .map(|(i, t)| EntryParam {
                name: Symbol::intern(&format!("out{i}")),
                unique: true,
                ty: Symbol::intern(&self.outside_type(t)),
                parts: 0,
            })
            .collect();
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
        let attrs = self.ast()[dec].attrs.iter().map(super::attr).collect();
        let doc = self.ast()[dec].doc.as_ref().map(|d| d.text.clone());
        let entry = Some(Entry { params: described, results, doc });
        self.prog.defs.push(Def { name: bind.name.name, body, entry, attrs, loc, builtin: false });
        Ok(())
    }

    /// The type as the outside knows it: without sizes.
    fn outside_type(&self, ty: &sema::Ty) -> String {
        match ty.kind() {
            TyKind::Array(_, t) => format!("[]{}", self.outside_atom(t)),
            TyKind::Unique(t) | TyKind::Exists(_, t) => self.outside_type(t),
            TyKind::Con(id, _) => self.checked.names.types[*id].name.to_string(),
            TyKind::Prim(p) => p.name().to_string(),
            TyKind::Record(fields) => match ty.as_tuple() {
                Some(parts) => format!("({})", list(parts.into_iter().map(|t| self.outside_type(t)), ", ")),
                None => {
                    let fields = fields.iter().map(|(name, t)| format!("{name}: {}", self.outside_type(t)));
                    format!("{{{}}}", list(fields, ", "))
                }
            },
            TyKind::Sum(constrs) => list(constrs.iter().map(|(name, ts)| self.outside_constructor(*name, ts)), " | "),
            TyKind::Arrow(_) | TyKind::Error | TyKind::Meta(_) => self.checked.names.show(ty),
        }
    }

    fn outside_constructor(&self, name: Symbol, payload: &[sema::Ty]) -> String {
        let mut out = format!("#{name}");
        for ty in payload {
            out.push(' ');
            out.push_str(&self.outside_atom(ty));
        }
        out
    }

    fn outside_atom(&self, ty: &sema::Ty) -> String {
        let text = self.outside_type(ty);
        if let TyKind::Sum(_) = ty.without_unique().kind() { format!("({text})") } else { text }
    }
}

fn list(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}
