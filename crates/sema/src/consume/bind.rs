//! Names: who owns what is bound to them.

use super::aliases::{Aliases, Roots, holds_memory};
use super::{FrameKind, Pass, RootKind};
use crate::types::{Ty, TyKind, VarId};
use kenaz_base::{Symbol, with_stack};
use kenaz_syntax::ast::{PatId, PatKind, SizeExp, TypeArg, TypeExpId, TypeExpKind};

impl Pass<'_, '_> {
    /// Binds the names of a pattern to the parts of a value.
    pub(super) fn bind(&mut self, pat: PatId, aliases: &Aliases) {
        let ast = self.cx.ast;
        with_stack(|| match &ast[pat].kind {
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) => {}
            PatKind::Name(_) => {
                if let Some(var) = self.cx.info.pat_var.get(pat).copied() {
                    self.own(var, aliases.clone());
                }
            }
            // A type in a pattern does not change what the value shares memory with.
            PatKind::Paren(p) | PatKind::Attr(_, p) | PatKind::Ascript(p, _) => self.bind(*p, aliases),
            PatKind::Tuple(ps) => {
                for (i, p) in ps.iter().enumerate() {
                    self.bind(*p, &aliases.field(Symbol::field(i)));
                }
            }
            PatKind::Record(fields) => {
                for (i, (name, p)) in fields.iter().enumerate() {
                    let part = aliases.field(name.name);
                    match p {
                        Some(p) => self.bind(*p, &part),
                        None => {
                            if let Some(var) = self.cx.info.field_var.get(&(pat, i)).copied() {
                                self.own(var, part);
                            }
                        }
                    }
                }
            }
            PatKind::Constr(_, ps) => {
                let roots = aliases.roots();
                for p in ps {
                    let part = self.cx.info.pat_ty.get(*p).map_or(Aliases::Scalar, |ty| Aliases::of(ty, &roots));
                    self.bind(*p, &part);
                }
            }
        });
    }

    /// Binds a variable; see Note [Owning].
    pub(super) fn own(&mut self, var: VarId, mut aliases: Aliases) {
        if needs_root(&aliases) {
            let info = &self.cx.names.vars[var];
            let (name, span) = (info.name.to_string(), info.span);
            let root = self.new_root(RootKind::Owned, name, span);
            tie(&mut aliases, &Roots::one(root));
        }
        self.vars.insert(var, aliases);
    }

    /// Binds the names of a function's parameter, of which `written` is the type as far as it is stated.
    pub(super) fn bind_param(&mut self, pat: PatId, written: Option<&Ty>) {
        let ast = self.cx.ast;
        with_stack(|| match &ast[pat].kind {
            PatKind::Error | PatKind::Wild | PatKind::Lit(_) => {}
            PatKind::Name(_) => {
                if let Some(var) = self.cx.info.pat_var.get(pat).copied() {
                    self.bind_param_var(var, written);
                }
            }
            PatKind::Paren(p) | PatKind::Attr(_, p) => self.bind_param(*p, written),
            PatKind::Ascript(p, t) => {
                self.sizes(*t);
                let stated = self.cx.info.type_exp.get(*t).cloned();
                let stated = stated.filter(|ty| ty.mentions_unique() || !written.is_some_and(Ty::mentions_unique));
                self.bind_param(*p, stated.as_ref().or(written));
            }
            PatKind::Tuple(ps) => {
                for (i, p) in ps.iter().enumerate() {
                    let part = written.and_then(|ty| field_of(ty, Symbol::field(i)));
                    self.bind_param(*p, part.as_ref());
                }
            }
            PatKind::Record(fields) => {
                for (i, (name, p)) in fields.iter().enumerate() {
                    let part = written.and_then(|ty| field_of(ty, name.name));
                    match p {
                        Some(p) => self.bind_param(*p, part.as_ref()),
                        None => {
                            if let Some(var) = self.cx.info.field_var.get(&(pat, i)).copied() {
                                self.bind_param_var(var, part.as_ref());
                            }
                        }
                    }
                }
            }
            PatKind::Constr(name, ps) => {
                for (i, p) in ps.iter().enumerate() {
                    let part = written.and_then(|ty| payload_of(ty, name.name, i));
                    self.bind_param(*p, part.as_ref());
                }
            }
        });
    }

    /// The sizes in the type of a parameter may look at other parameters, but not consume them.
    fn sizes(&mut self, ty: TypeExpId) {
        let ast = self.cx.ast;
        let size = |this: &mut Self, size: &SizeExp| {
            if let Some(e) = size.expr {
                this.framed(FrameKind::Size, ast[e].span, |this| this.expr(e));
            }
        };
        with_stack(|| match &ast[ty].kind {
            TypeExpKind::Error | TypeExpKind::Name(_) => {}
            TypeExpKind::Paren(t) | TypeExpKind::Unique(t) | TypeExpKind::Exists(_, t) => self.sizes(*t),
            TypeExpKind::Tuple(ts) => ts.iter().for_each(|t| self.sizes(*t)),
            TypeExpKind::Record(fields) => fields.iter().for_each(|(_, t)| self.sizes(*t)),
            TypeExpKind::Array(dim, t) => {
                size(self, dim);
                self.sizes(*t);
            }
            TypeExpKind::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).for_each(|t| self.sizes(*t)),
            TypeExpKind::Apply(_, args) => {
                for arg in args {
                    match arg {
                        TypeArg::Size(dim) => size(self, dim),
                        TypeArg::Type(t) => self.sizes(*t),
                    }
                }
            }
            // Names that a function type binds are sizes of calls that are still to come.
            TypeExpKind::Arrow { .. } => {}
        });
    }

    fn bind_param_var(&mut self, var: VarId, written: Option<&Ty>) {
        let kind = match self.var_ty(var).kind() {
            TyKind::Arrow(_) => RootKind::ObservedFunction,
            _ if written.is_some_and(Ty::mentions_unique) => RootKind::Owned,
            _ => RootKind::Observed,
        };
        self.bind_as(var, kind);
    }

    /// Binds a variable to memory of its own, which may be restricted.
    pub(super) fn bind_as(&mut self, var: VarId, kind: RootKind) -> Option<super::RootId> {
        let info = &self.cx.names.vars[var];
        let ty = info.scheme.as_ref().map_or_else(Ty::error, |scheme| scheme.ty.clone());
        if !holds_memory(&ty) {
            self.vars.insert(var, Aliases::Scalar);
            return None;
        }
        let (name, span) = (info.name.to_string(), info.span);
        let root = self.new_root(kind, name, span);
        self.vars.insert(var, Aliases::of(&ty, &Roots::one(root)));
        Some(root)
    }
}

/// Adds roots to every part of a value but functions that refer to nothing.
pub(super) fn tie(aliases: &mut Aliases, roots: &Roots) {
    with_stack(|| match aliases {
        Aliases::Scalar => {}
        Aliases::Memory(memory) => memory.roots.add(roots),
        Aliases::Function(closure) => {
            if closure.once || !closure.roots.is_empty() {
                closure.roots.add(roots);
            }
        }
        Aliases::Record(fields) => fields.iter_mut().for_each(|(_, part)| tie(part, roots)),
    });
}

/// Whether something in the value is new memory, or its parts lie in different roots.
fn needs_root(aliases: &Aliases) -> bool {
    fn go(aliases: &Aliases, first: &mut Option<Roots>) -> bool {
        let roots = match aliases {
            Aliases::Scalar => return false,
            Aliases::Record(fields) => return fields.iter().any(|(_, part)| go(part, first)),
            Aliases::Function(closure) if closure.roots.is_empty() => return closure.once,
            Aliases::Function(closure) => &closure.roots,
            Aliases::Memory(memory) => &memory.roots,
        };
        match first {
            _ if roots.is_empty() => true,
            None => {
                *first = Some(roots.clone());
                false
            }
            Some(first) => first != roots,
        }
    }
    go(aliases, &mut None)
}

/// The type of a field, with a `*` that stands around the record.
pub(super) fn field_of(ty: &Ty, name: Symbol) -> Option<Ty> {
    match ty.kind() {
        TyKind::Unique(t) => field_of(t, name).map(Ty::unique),
        TyKind::Exists(_, t) => field_of(t, name),
        TyKind::Record(fields) => fields.iter().find(|(n, _)| *n == name).map(|(_, t)| t.clone()),
        _ => None,
    }
}

/// The type of a constructor's payload, with a `*` that stands around the sum.
fn payload_of(ty: &Ty, name: Symbol, index: usize) -> Option<Ty> {
    match ty.kind() {
        TyKind::Unique(t) => payload_of(t, name, index).map(Ty::unique),
        TyKind::Exists(_, t) => payload_of(t, name, index),
        TyKind::Sum(constrs) => constrs.iter().find(|(n, _)| *n == name).and_then(|(_, ts)| ts.get(index).cloned()),
        _ => None,
    }
}
