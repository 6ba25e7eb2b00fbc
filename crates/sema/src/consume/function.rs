//! Functions: what their results share memory with.

use super::aliases::{Aliases, Closure, RootId, Roots, holds_memory};
use super::call::result_after;
use super::{FrameKind, Pass, RootKind};
use crate::types::{Arrow, Scheme, Ty, TyKind};
use kenaz_base::{Span, with_stack};
use kenaz_syntax::ast::{ExprId, LocalFun, PatId, TypeExpId, ValBind};
use rustc_hash::FxHashMap;

/// The parts of a function.
struct Fun<'a> {
    name: Option<String>,
    kind: FrameKind,
    params: &'a [PatId],
    ret: Option<TypeExpId>,
    body: ExprId,
    span: Span,
    /// Its type as inferred.
    ty: Ty,
}

/// A part of a result.
struct Part<'a> {
    aliases: &'a Aliases,
    roots: Roots,
    /// Whether the declared type says that it is unique.
    unique: bool,
}

impl Pass<'_, '_> {
    pub(super) fn definition(&mut self, bind: &ValBind, scheme: &mut Scheme) {
        let fun = Fun {
            name: Some(bind.name.name.to_string()),
            kind: FrameKind::Definition,
            params: &bind.params,
            ret: bind.ret,
            body: bind.body,
            span: bind.name.span,
            ty: scheme.ty.clone(),
        };
        let errors = self.cx.current.errors;
        let (inferred, _) = self.function(&fun, false);
        if bind.ret.is_none() && !bind.params.is_empty() && self.cx.current.errors == errors {
            scheme.ty = inferred;
        }
    }

    pub(super) fn lambda(&mut self, expr: ExprId, params: &[PatId], ret: Option<TypeExpId>, body: ExprId) -> Aliases {
        let (span, ty) = (self.span(expr), self.ty(expr));
        let fun = Fun { name: None, kind: FrameKind::Lambda, params, ret, body, span, ty };
        let (ty, roots) = self.function(&fun, true);
        Aliases::Function(Closure { roots, ty: Some(ty), once: false })
    }

    pub(super) fn local_function(&mut self, expr: ExprId, fun: &LocalFun) -> Aliases {
        let Some(var) = self.cx.info.bound_var.get(expr).copied() else { return Aliases::Scalar };
        let fun = Fun {
            name: Some(fun.name.name.to_string()),
            kind: FrameKind::Function,
            params: &fun.params,
            ret: fun.ret,
            body: fun.body,
            span: fun.name.span,
            ty: self.var_ty(var),
        };
        let (ty, roots) = self.function(&fun, true);
        Aliases::Function(Closure { roots, ty: Some(ty), once: false })
    }

    /// Goes through a function. Returns its type with a `*` on every part of the result that is new memory, and the
    /// roots outside that it refers to. Where `through` is set, the same is said of functions in the result.
    fn function(&mut self, fun: &Fun<'_>, through: bool) -> (Ty, Roots) {
        let (ty, frame) = self.framed(fun.kind, fun.span, |this| {
            for param in fun.params {
                this.bind_param(*param, None);
            }
            let mark = this.mark();
            let aliases = this.expr(fun.body);
            let result_ty = result_after(&fun.ty, fun.params.len());
            if !fun.params.is_empty() {
                this.check_result(fun, &aliases);
            }
            this.rewind(mark);
            let marked = this.mark_unique(&result_ty.without_unique(), &aliases, through);
            with_result(&fun.ty, fun.params.len(), &marked)
        });
        (ty, frame.captured)
    }

    /// Checks what the result of a function may share memory with.
    fn check_result(&mut self, fun: &Fun<'_>, aliases: &Aliases) {
        if let Aliases::Scalar = aliases {
            return;
        }
        let declared = fun.ret.and_then(|t| self.cx.info.type_exp.get(t).cloned());
        let mut parts = Vec::new();
        collect_parts(aliases, declared.as_ref(), &mut parts);
        let global = parts.iter().find_map(|part| {
            if let Aliases::Function(_) = part.aliases {
                return None;
            }
            part.roots.iter().find(|root| self.roots[*root].kind == RootKind::Global)
        });
        if let Some(root) = global {
            self.report_result_aliases_global(root, fun.name.as_deref(), fun.body);
            return;
        }
        let Some(ret) = fun.ret else { return };
        for (i, part) in parts.iter().enumerate().filter(|(_, part)| part.unique) {
            // Memory outside a local function is accounted for where the function is called.
            let bad = part.roots.iter().find(|root| !self.is_outside(*root) && !self.is_consumable(*root));
            if let Some(root) = bad {
                self.report_result_aliases(root, fun.name.as_deref(), fun.body, ret);
                return;
            }
            let tangled = matches!(part.aliases, Aliases::Memory(memory) if memory.tangled);
            let other =
                parts.iter().enumerate().filter(|(j, _)| *j != i).find_map(|(_, o)| o.roots.common(&part.roots));
            if tangled || other.is_some() {
                self.report_result_parts(other, fun.name.as_deref(), fun.body, ret);
                return;
            }
        }
    }

    /// The type of a result, with a `*` on every part that is new memory.
    fn mark_unique(&self, ty: &Ty, aliases: &Aliases, through: bool) -> Ty {
        let mut uses: FxHashMap<RootId, usize> = FxHashMap::default();
        aliases.for_each(&mut |roots| {
            for root in roots.iter() {
                *uses.entry(root).or_default() += 1;
            }
        });
        self.mark_part(ty, aliases, through, &uses)
    }

    fn mark_part(&self, ty: &Ty, aliases: &Aliases, through: bool, uses: &FxHashMap<RootId, usize>) -> Ty {
        with_stack(|| match (ty.kind(), aliases) {
            (TyKind::Exists(dims, t), _) => Ty::exists(dims.clone(), self.mark_part(t, aliases, through, uses)),
            (TyKind::Record(tys), Aliases::Record(parts)) if tys.len() == parts.len() => Ty::new(TyKind::Record(
                tys.iter()
                    .zip(parts)
                    .map(|((name, ty), (_, part))| (*name, self.mark_part(ty, part, through, uses)))
                    .collect(),
            )),
            (_, Aliases::Function(Closure { ty: Some(refined), .. })) if through => refined.clone(),
            (_, Aliases::Memory(memory)) => {
                let is_new = !memory.tangled
                    && memory.roots.iter().all(|root| self.is_consumable(root) && uses.get(&root) == Some(&1));
                if is_new { all_unique(ty) } else { ty.clone() }
            }
            (_, Aliases::Scalar | Aliases::Function(_) | Aliases::Record(_)) => ty.clone(),
        })
    }
}

/// The parts of a result that hold memory, with what the declared type says about them.
fn collect_parts<'a>(aliases: &'a Aliases, declared: Option<&Ty>, out: &mut Vec<Part<'a>>) {
    with_stack(|| match (aliases, declared.map(Ty::kind)) {
        (Aliases::Scalar, _) => {}
        (_, Some(TyKind::Exists(_, t))) => collect_parts(aliases, Some(t), out),
        (Aliases::Record(fields), Some(TyKind::Record(tys))) if fields.len() == tys.len() => {
            fields.iter().zip(tys).for_each(|((_, part), (_, ty))| collect_parts(part, Some(ty), out));
        }
        (Aliases::Record(fields), _) => fields.iter().for_each(|(_, part)| collect_parts(part, declared, out)),
        (Aliases::Memory(_) | Aliases::Function(_), _) => {
            let unique = declared.is_some_and(Ty::mentions_unique) && !matches!(aliases, Aliases::Function(_));
            out.push(Part { aliases, roots: aliases.roots(), unique });
        }
    });
}

/// A function type with another result after `n` arguments.
fn with_result(ty: &Ty, n: usize, result: &Ty) -> Ty {
    if n == 0 {
        return result.clone();
    }
    with_stack(|| match ty.kind() {
        TyKind::Arrow(arrow) => {
            Ty::new(TyKind::Arrow(Arrow { ret: with_result(&arrow.ret, n - 1, result), ..arrow.clone() }))
        }
        TyKind::Exists(dims, t) => Ty::exists(dims.clone(), with_result(t, n, result)),
        _ => ty.clone(),
    })
}

/// The type of a value all of which is new memory.
fn all_unique(ty: &Ty) -> Ty {
    with_stack(|| match ty.kind() {
        TyKind::Sum(constrs) => Ty::new(TyKind::Sum(
            constrs.iter().map(|(name, ts)| (*name, ts.iter().map(all_unique).collect())).collect(),
        )),
        TyKind::Record(fields) => {
            Ty::new(TyKind::Record(fields.iter().map(|(name, t)| (*name, all_unique(t))).collect()))
        }
        TyKind::Arrow(_) => ty.clone(),
        _ if holds_memory(ty) => Ty::unique(ty.clone()),
        _ => ty.clone(),
    })
}
