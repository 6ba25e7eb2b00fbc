//! Application of functions and operators; see Note [Functions].

use super::aliases::{Aliases, Closure, Roots, holds_function, holds_memory, memory_parts};
use super::{How, Pass, RootKind};
use crate::types::{Arrow, Ty, TyKind};
use kenaz_base::{Span, Symbol, with_stack};
use kenaz_syntax::ast::{BinOp, ExprId, ExprKind};

/// An argument that has been evaluated.
struct Arg {
    aliases: Aliases,
    span: Span,
    consumed: bool,
}

impl Pass<'_, '_> {
    pub(super) fn apply(&mut self, expr: ExprId, f: ExprId, args: &[ExprId]) -> Aliases {
        let name = self.function_name(f);
        let arrows = arrows(&self.ty(f), args.len());
        let mut done: Vec<Arg> = Vec::with_capacity(args.len());
        let mark = self.mark();
        for (i, arg) in args.iter().enumerate().rev() {
            let arg = self.argument(*arg, arrows.get(i), name.as_deref());
            done.push(arg);
        }
        let function = self.expr(f);
        if self.consumed_since(mark) {
            self.arguments_still_there(&done, name.as_deref());
        }
        self.call(expr, &function, &self.ty(f), &done, name.as_deref())
    }

    fn function_name(&self, f: ExprId) -> Option<String> {
        match &self.cx.ast[f].kind {
            ExprKind::Var(path) => Some(path.to_string()),
            ExprKind::OpSection(op) => Some(op.name.to_string()),
            ExprKind::Paren(e) => self.function_name(*e),
            _ => None,
        }
    }

    fn argument(&mut self, arg: ExprId, arrow: Option<&Arrow>, name: Option<&str>) -> Arg {
        let mark = self.mark();
        let aliases = self.expr(arg);
        let span = self.span(arg);
        if let Aliases::Scalar = aliases {
            return Arg { aliases, span, consumed: false };
        }
        if self.consumed_since(mark) && holds_function(&self.ty(arg)) {
            self.report_hidden_consumption(mark, arg, "passed to a function");
        }
        if let (Some(arrow), Aliases::Function(Closure { ty: Some(ty), roots, .. })) = (arrow, &aliases)
            && !keeps_promise(&arrow.arg, ty)
        {
            self.report_broken_promise(arg, &arrow.arg, roots);
        }
        let consumed = arrow.is_some_and(|arrow| arrow.consumes);
        if consumed {
            if let Some(shared) = aliases.shared() {
                self.report_self_aliasing(shared, span, name);
            } else {
                self.consume(&aliases, span, &How::Argument(name.map(str::to_string)));
            }
        }
        Arg { aliases, span, consumed }
    }

    /// What is passed must not be consumed by the evaluation of other arguments, or as another argument.
    fn arguments_still_there(&mut self, args: &[Arg], name: Option<&str>) {
        for (i, arg) in args.iter().enumerate().filter(|(_, arg)| !arg.consumed) {
            let roots = arg.aliases.roots();
            let other = args
                .iter()
                .enumerate()
                .find(|(j, other)| *j != i && other.consumed && other.aliases.roots().common(&roots).is_some());
            match other {
                Some((_, other)) => self.report_consumed_beside(other.span, arg.span, name),
                None => self.still_there(&arg.aliases, arg.span),
            }
        }
    }

    /// The result of a call whose arguments have been evaluated.
    fn call(&mut self, expr: ExprId, function: &Aliases, ty: &Ty, args: &[Arg], name: Option<&str>) -> Aliases {
        let result_ty = self.ty(expr);
        let closure = match function {
            Aliases::Function(closure) => closure.clone(),
            Aliases::Scalar | Aliases::Memory(_) | Aliases::Record(_) => {
                Closure { roots: function.roots(), ..Closure::default() }
            }
        };
        if closure.once {
            self.consume(function, self.span(expr), &How::Call);
        }
        if !holds_memory(&result_ty) {
            return Aliases::Scalar;
        }
        let mut roots = if closure.once { Roots::default() } else { closure.roots };
        for arg in args.iter().filter(|arg| !arg.consumed) {
            arg.aliases.for_each(&mut |r| roots.add(r));
        }
        let ret = result_after(closure.ty.as_ref().unwrap_or(ty), args.len());
        if roots.is_empty() && loose_parts(&ret, &result_ty) > 1 {
            let what = name.map_or("the result of this function".to_string(), |f| format!("the result of `{f}`"));
            roots = Roots::one(self.new_root(RootKind::Result, what, self.span(expr)));
        }
        let once = closure.once || args.iter().any(|arg| arg.consumed);
        result(&ret, &result_ty, &roots, once)
    }

    /// The aliases and type of an operator.
    pub(super) fn operator(&mut self, expr: ExprId, op: &BinOp) -> (Aliases, Ty) {
        let Some(resolved) = self.cx.info.resolved.get(expr) else { return (Aliases::Scalar, Ty::error()) };
        let (var, fields, mut ty) = (resolved.var, resolved.fields, resolved.ty.clone());
        let aliases = self.variable(var, &ty, op.span);
        if fields == 0 {
            return (aliases, ty);
        }
        let names: Vec<Symbol> = op.name.quals.iter().chain([&op.name.name]).map(|ident| ident.name).collect();
        let path = &names[names.len() - fields..];
        for name in path {
            ty = match ty.kind() {
                TyKind::Record(parts) => {
                    parts.iter().find(|(n, _)| n == name).map_or_else(Ty::error, |(_, t)| t.clone())
                }
                _ => Ty::error(),
            };
        }
        (aliases.fields(path), ty)
    }

    pub(super) fn binary(&mut self, expr: ExprId, op: &BinOp, a: ExprId, b: ExprId) -> Aliases {
        let (function, ty) = self.operator(expr, op);
        let arrows = arrows(&ty, 2);
        let name = op.name.to_string();
        let mark = self.mark();
        let left = self.argument(a, arrows.first(), Some(&name));
        let right = self.argument(b, arrows.get(1), Some(&name));
        let args = [left, right];
        if self.consumed_since(mark) {
            self.arguments_still_there(&args, Some(&name));
        }
        self.call(expr, &function, &ty, &args, Some(&name))
    }

    /// An operator with one of its operands; `index` says which.
    pub(super) fn section(&mut self, expr: ExprId, op: &BinOp, operand: ExprId, index: usize) -> Aliases {
        let (function, ty) = self.operator(expr, op);
        let name = op.name.to_string();
        let arg = self.argument(operand, arrows(&ty, 2).get(index), Some(&name));
        let mut roots = function.roots();
        if !arg.consumed {
            roots.add(&arg.aliases.roots());
        }
        let once = function.is_once() || arg.consumed;
        Aliases::Function(Closure { roots, ty: None, once })
    }
}

/// The first `n` arrows of a function type.
fn arrows(ty: &Ty, n: usize) -> Vec<Arrow> {
    let mut out = Vec::with_capacity(n);
    let mut ty = ty.clone();
    while out.len() < n {
        let next = match ty.kind() {
            TyKind::Arrow(arrow) => {
                out.push(arrow.clone());
                arrow.ret.clone()
            }
            TyKind::Unique(t) | TyKind::Exists(_, t) => t.clone(),
            _ => break,
        };
        ty = next;
    }
    out
}

/// The type of what a function returns after `n` arguments.
pub(super) fn result_after(ty: &Ty, n: usize) -> Ty {
    if n == 0 {
        return ty.clone();
    }
    arrows(ty, n).pop().map_or_else(Ty::error, |arrow| arrow.ret)
}

/// The aliases of a result of type `ty`, where `ret` says what is unique; everything else lies in `roots`.
fn result(ret: &Ty, ty: &Ty, roots: &Roots, once: bool) -> Aliases {
    with_stack(|| match (ret.kind(), ty.kind()) {
        (TyKind::Exists(_, ret), _) => result(ret, ty, roots, once),
        (_, TyKind::Arrow(_)) => {
            let ty = if let TyKind::Arrow(_) = ret.kind() { ret } else { ty };
            Aliases::Function(Closure { roots: roots.clone(), ty: Some(ty.clone()), once })
        }
        (TyKind::Unique(_), _) => Aliases::fresh(ty),
        (TyKind::Record(rets), TyKind::Record(tys)) if rets.len() == tys.len() => {
            if !holds_memory(ty) {
                return Aliases::Scalar;
            }
            let parts = rets.iter().zip(tys).map(|((name, ret), (_, ty))| (*name, result(ret, ty, roots, once)));
            Aliases::Record(parts.collect())
        }
        (TyKind::Sum(_), _) if loose_parts(ret, ty) == 0 => Aliases::fresh(ty),
        _ => Aliases::of(ty, roots),
    })
}

/// How many parts of a result of type `ty` are memory that `ret` does not say to be unique; two stand for more.
fn loose_parts(ret: &Ty, ty: &Ty) -> usize {
    with_stack(|| match (ret.kind(), ty.kind()) {
        (TyKind::Unique(_), _) => 0,
        (TyKind::Exists(_, ret), _) => loose_parts(ret, ty),
        (TyKind::Record(rets), TyKind::Record(tys)) if rets.len() == tys.len() => {
            rets.iter().zip(tys).map(|((_, ret), (_, ty))| loose_parts(ret, ty)).sum()
        }
        (TyKind::Sum(rets), TyKind::Sum(tys)) if rets.len() == tys.len() => rets
            .iter()
            .zip(tys)
            .map(|((_, rets), (_, tys))| rets.iter().zip(tys).map(|(ret, ty)| loose_parts(ret, ty)).sum())
            .max()
            .unwrap_or(0),
        _ => memory_parts(ty, 2),
    })
}

/// Whether a function's result is unique wherever the type of a parameter that it is passed for says so.
fn keeps_promise(expected: &Ty, actual: &Ty) -> bool {
    with_stack(|| match (expected.kind(), actual.kind()) {
        (TyKind::Exists(_, expected), _) => keeps_promise(expected, actual),
        (_, TyKind::Exists(_, actual)) => keeps_promise(expected, actual),
        (TyKind::Arrow(a), TyKind::Arrow(b)) => keeps_promise(&a.ret, &b.ret),
        (TyKind::Unique(_), TyKind::Unique(_)) => true,
        (TyKind::Unique(e), TyKind::Record(tys)) => tys.iter().all(|(_, ty)| keeps_promise(&Ty::unique(e.clone()), ty)),
        (TyKind::Unique(_), _) => !holds_memory(actual),
        (TyKind::Record(es), TyKind::Record(tys)) if es.len() == tys.len() => {
            es.iter().zip(tys).all(|((_, e), (_, ty))| keeps_promise(e, ty))
        }
        _ => true,
    })
}
