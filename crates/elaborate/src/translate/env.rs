//! Types and sizes together with where they are to be understood.
//!
//! The body of an abbreviation means something where it was written, its arguments mean something where it is used, and
//! between the two there may be applications of parametric modules:
//!
//! ```text
//! module G (B: box) = { type u = (B.u, i32)  type t 'a = (B.t a, B.u) }
//! module g = G (G base)
//! ```
//!
//! In the body of the outer application, `B.t B.u` is `(base.t B.u, base.u)`: this `B.u` is that of the outer one, the
//! `B.u` of the abbreviation that of the inner one. So nothing is substituted: a body is looked at in an [`Env`] that
//! knows the arguments with an environment of their own.

use super::{Binding, Result, Translate};
use crate::core::{Exp, Kind, Ty};
use crate::resolve::{Ctx, TypeDef};
use kenaz_base::Span;
use kenaz_sema::types::{self as sema, SchemeParam, Size, TyArg, TyKind, TypeAbbr, TypeId, VarId};
use std::sync::Arc;

/// Where a type or size is to be understood.
#[derive(Clone)]
pub struct Env {
    /// The applications of parametric modules that are meant.
    pub ctx: Ctx,
    /// Inside the body of an abbreviation: its arguments.
    args: Option<Arc<Args>>,
}

struct Args {
    abbr: TypeAbbr,
    args: Vec<TyArg>,
    outer: Env,
}

impl Env {
    /// Where nothing is abbreviated.
    pub fn plain(ctx: &Ctx) -> Env {
        Env { ctx: ctx.clone(), args: None }
    }

    /// Inside the body of an abbreviation that is applied to arguments of this environment.
    fn body(&self, abbr: TypeAbbr, args: &[TyArg], ctx: Ctx) -> Env {
        let args = (!args.is_empty()).then(|| Arc::new(Args { abbr, args: args.to_vec(), outer: self.clone() }));
        Env { ctx, args }
    }

    fn arg(&self, is_param: impl Fn(&SchemeParam) -> bool) -> Option<(&TyArg, &Env)> {
        let this = self.args.as_deref()?;
        let at = this.abbr.params.iter().position(is_param)?;
        Some((this.args.get(at)?, &this.outer))
    }

    /// What a type parameter stands for.
    pub fn ty(&self, id: TypeId) -> Option<(&sema::Ty, &Env)> {
        match self.arg(|p| matches!(p, SchemeParam::Type(t, _) if *t == id))? {
            (TyArg::Type(ty), env) => Some((ty, env)),
            (TyArg::Size(_), _) => None,
        }
    }

    /// What a size parameter stands for.
    pub fn size(&self, v: VarId) -> Option<(&Size, &Env)> {
        match self.arg(|p| matches!(p, SchemeParam::Size(w) if *w == v))? {
            (TyArg::Size(size), env) => Some((size, env)),
            (TyArg::Type(_), _) => None,
        }
    }

    /// The arguments of abbreviations around, the innermost first.
    pub fn all_args(&self) -> impl Iterator<Item = &TyArg> {
        let mut next = self.args.as_deref();
        std::iter::from_fn(move || {
            let this = next?;
            next = this.outer.args.as_deref();
            Some(&this.args)
        })
        .flatten()
    }
}

impl Translate<'_> {
    /// The environment of the definition that is being translated.
    pub fn here(&self) -> Env {
        Env::plain(&self.scope.ctx)
    }

    /// The type without abstraction, existential sizes and `*` at its head.
    pub fn unfold(&mut self, ty: &sema::Ty, env: &Env) -> (sema::Ty, Env) {
        let (mut ty, mut env) = (ty.clone(), env.clone());
        loop {
            match ty.kind() {
                TyKind::Unique(t) | TyKind::Exists(_, t) => ty = t.clone(),
                TyKind::Con(id, args) => match self.unfold_con(*id, args, &env) {
                    Some(next) => (ty, env) = next,
                    None => return (ty, env),
                },
                _ => return (ty, env),
            }
        }
    }

    /// What an abstract type or type parameter stands for, unless it is one of the definition that is being translated.
    pub fn unfold_con(&mut self, id: TypeId, args: &[TyArg], env: &Env) -> Option<(sema::Ty, Env)> {
        if let Some((ty, outer)) = env.ty(id) {
            return Some((ty.clone(), outer.clone()));
        }
        match self.modules.ty(self.checked, id, &env.ctx) {
            TypeDef::Abbr(abbr, ctx) => Some((abbr.body.clone(), env.body(abbr, args, ctx))),
            TypeDef::Itself => None,
        }
    }

    /// A size with the arguments of abbreviations filled in.
    pub fn filled_size(&self, size: &Size, env: &Env) -> Size {
        self.checked.names.size(size).map_vars(&mut |v| env.size(v).map(|(arg, outer)| self.filled_size(arg, outer)))
    }

    /// The value of a size.
    pub fn size_in(&mut self, size: &Size, env: &Env, span: Span) -> Result<Exp> {
        let size = self.checked.names.size(size);
        if let Size::Var(v) = &size
            && let Some((arg, outer)) = env.size(*v)
        {
            let (arg, outer) = (arg.clone(), outer.clone());
            return self.size_in(&arg, &outer, span);
        }
        let mut params = Vec::new();
        size.for_each_var(&mut |v| params.extend(env.size(v).map(|(arg, outer)| (v, arg.clone(), outer.clone()))));
        // All arguments come first: they may be sizes of the same abbreviation.
        let mut names = Vec::new();
        for (v, arg, outer) in &params {
            let value = self.size_in(arg, outer, span)?;
            let name = match self.bind("n", value) {
                Exp { kind: Kind::Var(name), .. } => name,
                literal => {
                    let name = self.fresh("n");
                    self.push(name, literal);
                    name
                }
            };
            names.push((*v, name));
        }
        let bindings = names.iter().map(|(v, name)| (*v, Binding::Value(*name, Ty::I64)));
        self.scope.vars.extend(bindings);
        let value = self.size_in_ctx(&size, &env.ctx, span);
        let params: Vec<VarId> = names.into_iter().map(|(v, _)| v).collect();
        for v in &params {
            self.scope.vars.remove(v);
        }
        // The same names stand for other sizes the next time.
        if !params.is_empty() {
            self.forget_sizes(&params);
        }
        value
    }

    fn size_in_ctx(&mut self, size: &Size, ctx: &Ctx, span: Span) -> Result<Exp> {
        if *ctx == self.scope.ctx {
            return self.size_exp(size, span);
        }
        // Compound sizes that are known are those of the other context.
        let outer = std::mem::replace(&mut self.scope.ctx, ctx.clone());
        let known = std::mem::take(&mut self.scope.sizes);
        let value = self.size_exp(size, span);
        self.scope.ctx = outer;
        self.scope.sizes = known;
        value
    }
}
