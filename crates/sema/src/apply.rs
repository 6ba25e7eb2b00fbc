//! Application of functions and operators.

use crate::checker::Checker;
use crate::info::Resolved;
use crate::names::SizeCause;
use crate::report::Context;
use crate::sizes::NotASize;
use crate::types::{Size, Ty, TyKind, VarId};
use crate::walk::{Subst, free_vars};
use kenaz_base::{Code, Diagnostic, Span, Symbol};
use kenaz_syntax::ast::{BinOp, ExprId, ExprKind};

/// An argument that has been typed.
struct Arg {
    expr: ExprId,
    ty: Ty,
}

impl Checker<'_> {
    /// `f a b c`
    pub fn apply(&mut self, expr: ExprId, f: ExprId, args: &[ExprId]) -> Ty {
        let fun_ty = self.infer(f);
        let args: Vec<Arg> = args.iter().map(|e| Arg { expr: *e, ty: self.infer(*e) }).collect();
        let span = self.ast[f].span;
        let name = self.function_name(f);
        self.apply_all(expr, span, name.as_deref(), fun_ty, &args)
    }

    /// What to call a function in messages: its name, if it has one.
    fn function_name(&self, f: ExprId) -> Option<String> {
        match &self.ast[f].kind {
            ExprKind::Var(path) => Some(path.to_string()),
            ExprKind::OpSection(op) => Some(op.name.to_string()),
            ExprKind::Paren(e) => self.function_name(*e),
            _ => None,
        }
    }

    fn apply_all(&mut self, expr: ExprId, fun_span: Span, name: Option<&str>, fun_ty: Ty, args: &[Arg]) -> Ty {
        let mut ty = fun_ty;
        for (i, arg) in args.iter().enumerate() {
            match self.apply_one(expr, fun_span, name, &ty, arg, i) {
                Some(result) => ty = result,
                None => return Ty::error(),
            }
        }
        self.finish_application(expr, &ty, name)
    }

    /// The result of an application: fresh unknown sizes for existential ones, no `*`.
    fn finish_application(&mut self, expr: ExprId, ty: &Ty, name: Option<&str>) -> Ty {
        let zonked = self.names.zonk(ty);
        if let TyKind::Exists(dims, body) = zonked.kind()
            && let TyKind::Arrow(_) = body.kind()
        {
            let (dims, shown) = (dims.clone(), self.names.show(&zonked));
            let sizes: Vec<String> = dims.iter().map(|d| format!("`{}`", self.names.vars[*d].name)).collect();
            return self.error(
                Diagnostic::error(
                    Code::SizeUnknownFunction,
                    self.ast[expr].span,
                    "the function that this yields needs an argument of a size that is not known yet",
                )
                .label(format!("this would have type `{shown}`"))
                .note(format!("the size {} exists only once the first function has returned", sizes.join(", ")))
                .hint("apply the functions one after the other with `|>` instead of composing them"),
            );
        }
        let cause = SizeCause::Result(name.map(str::to_string));
        self.open_result(expr, &zonked, &cause).without_unique()
    }

    fn apply_one(
        &mut self,
        expr: ExprId,
        fun_span: Span,
        name: Option<&str>,
        fun_ty: &Ty,
        arg: &Arg,
        index: usize,
    ) -> Option<Ty> {
        let mut fun_ty = self.names.shallow(fun_ty);
        if let TyKind::Unique(t) = fun_ty.kind() {
            fun_ty = self.names.shallow(&t.clone());
        }
        if let TyKind::Meta(_) = fun_ty.kind() {
            let (a, b) = (self.fresh(self.ast[arg.expr].span), self.fresh(self.ast[expr].span));
            let arrow = Ty::arrow(None, false, a, b);
            if !self.unify(&fun_ty, &arrow, &|this| {
                Context::new(fun_span, format!("`{}` is applied but is not a function", this.text(fun_span)))
                    .code(Code::NotAFunction)
            }) {
                return None;
            }
            fun_ty = arrow;
        }
        let TyKind::Arrow(arrow) = fun_ty.kind() else {
            if !fun_ty.is_error() {
                self.not_a_function(fun_span, &fun_ty, arg, index);
            } else {
                self.current.errors += 1;
            }
            return None;
        };
        let ok = self.unify(&arrow.arg, &arg.ty, &|this| {
            let span = this.ast[arg.expr].span;
            let what = this.text(span);
            let headline = match name {
                Some(f) if crate::display::is_operator(f) => format!("`{what}` is no operand for `{f}`"),
                Some(f) => format!("`{f}` cannot be applied to `{what}`"),
                None => format!("this function cannot be applied to `{what}`"),
            };
            let headline = if headline.chars().count() > 100 {
                format!(
                    "{} cannot be applied to this argument",
                    name.map_or("this function".into(), |f| format!("`{f}`"))
                )
            } else {
                headline
            };
            let context = Context::new(span, headline).code(Code::ArgumentMismatch);
            match name {
                Some(f) if crate::display::is_operator(f) => context,
                _ => context.cause(fun_span, this.describe_function(arrow.param, &fun_ty)),
            }
        });
        if !ok {
            return None;
        }
        let mut ret = arrow.ret.clone();
        if let Some(p) = arrow.param {
            let zonked = self.names.zonk(&ret);
            if free_vars(&zonked).contains(&p) {
                let size = self.size_of_argument(expr, arg.expr, name);
                ret = Subst::one_size(p, size).apply(&zonked);
            }
        }
        Some(ret)
    }

    fn describe_function(&self, param: Option<VarId>, fun_ty: &Ty) -> String {
        let shown = self.names.show(&self.names.zonk(fun_ty));
        match param {
            Some(p) => format!("its parameter `{}`: the function has type `{shown}`", self.names.vars[p].name),
            None => format!("the function has type `{shown}`"),
        }
    }

    fn not_a_function(&mut self, fun_span: Span, fun_ty: &Ty, arg: &Arg, index: usize) {
        let (text, shown) = (self.text(fun_span), self.names.show(&self.names.zonk(fun_ty)));
        let arg_span = self.ast[arg.expr].span;
        let mut diagnostic = if index == 0 {
            Diagnostic::error(Code::NotAFunction, fun_span, format!("`{text}` is applied but is not a function"))
                .label(format!("this has type `{shown}`"))
                .cause(arg_span, "applied to this")
        } else {
            Diagnostic::error(
                Code::NotAFunction,
                arg_span,
                format!("`{text}` takes {}, but more are given", crate::type_exp::count(index, "argument")),
            )
            .label("this argument is one too many")
            .cause(fun_span, format!("what is left after the others has type `{shown}`"))
        };
        if matches!(fun_ty.kind(), TyKind::Array(..)) {
            diagnostic = diagnostic.hint("an index is written without a space: `a[i]`");
        }
        self.error(diagnostic);
    }

    /// The argument as a size, for a function whose result type mentions its parameter.
    fn size_of_argument(&mut self, expr: ExprId, arg: ExprId, name: Option<&str>) -> Size {
        match self.size_of_expr(arg) {
            Ok(size) => {
                self.note_size(&size, arg);
                size
            }
            Err(why) => {
                let span = self.ast[arg].span;
                if why == NotASize::Binds {
                    self.warn(
                        Diagnostic::warning(
                            Code::SizeWithBinding,
                            span,
                            "a size expression with binding is replaced by an unknown size",
                        )
                        .label("this binds a name, so it cannot be part of a type")
                        .hint("bind the size with `let` before this expression"),
                    );
                }
                let cause = SizeCause::Argument {
                    text: self.text(span),
                    of: name.map(str::to_string),
                    binding: why == NotASize::Binds,
                };
                self.unknown_size(expr, "n", cause)
            }
        }
    }

    /// The built-in operator of this spelling.
    pub fn builtin_operator(&self, op: &str) -> Option<VarId> {
        self.operators.get(&Symbol::intern(op)).copied()
    }

    fn is_logical(op: &BinOp) -> bool {
        !op.backtick && op.name.quals.is_empty() && matches!(op.name.name.name.as_str(), "&&" | "||")
    }

    /// The type of an operator where it is used; `expr` remembers what it is.
    pub fn operator(&mut self, expr: ExprId, op: &BinOp) -> Ty {
        let b = self.bool_ty();
        if Self::is_logical(op) {
            return Ty::arrow(None, false, b.clone(), Ty::arrow(None, false, b.clone(), b));
        }
        let Some((var, fields)) = self.resolve_value(&op.name) else { return Ty::error() };
        let (ty, instance) = self.instantiate_var(var, op.span);
        self.info.resolved.insert(expr, Resolved { var, fields, instance, ty: ty.clone() });
        self.current.resolved.push(expr);
        if fields > 0 {
            let parts: Vec<_> = op.name.quals.iter().chain([&op.name.name]).copied().collect();
            return parts[parts.len() - fields..].iter().fold(ty, |ty, f| self.project(&ty, *f, op.span));
        }
        ty
    }

    pub fn binary(&mut self, expr: ExprId, op: &BinOp, a: ExprId, b: ExprId) -> Ty {
        let op_ty = self.operator(expr, op);
        let a = Arg { expr: a, ty: self.infer(a) };
        let b = Arg { expr: b, ty: self.infer(b) };
        let name = op.name.to_string();
        if let Some(diagnostic) = self.mixed_operands(expr, op, &a, &b) {
            return self.error(diagnostic);
        }
        self.apply_all(expr, op.span, Some(&name), op_ty, &[a, b])
    }

    /// A better message for the most frequent mistake: numbers of different types.
    fn mixed_operands(&self, expr: ExprId, op: &BinOp, a: &Arg, b: &Arg) -> Option<Diagnostic> {
        let var = self.info.resolved.get(expr)?.var;
        if self.operators.get(&op.name.name.name) != Some(&var) {
            return None;
        }
        let prim = |ty: &Ty| self.names.shallow(ty).as_prim();
        let (p, q) = (prim(&a.ty)?, prim(&b.ty)?);
        if p == q || !p.is_numeric() || !q.is_numeric() {
            return None;
        }
        let (sa, sb) = (self.ast[a.expr].span, self.ast[b.expr].span);
        let name = op.name.name.name;
        Some(
            Diagnostic::error(
                Code::ArgumentMismatch,
                op.span,
                format!("the operands of `{name}` have different types: `{}` and `{}`", p.name(), q.name()),
            )
            .label("both must have the same type")
            .cause(sa, format!("this is of type `{}`", p.name()))
            .cause(sb, format!("this is of type `{}`", q.name()))
            .hint(format!(
                "convert one of them: `{}.{} {}`",
                p.name(),
                q.name(),
                parenthesised(&self.text(sb))
            )),
        )
    }

    /// `(e +)`
    pub fn left_section(&mut self, expr: ExprId, e: ExprId, op: &BinOp) -> Ty {
        let op_ty = self.operator(expr, op);
        let arg = Arg { expr: e, ty: self.infer(e) };
        let name = op.name.to_string();
        self.apply_all(expr, op.span, Some(&name), op_ty, &[arg])
    }

    /// `(+ e)`: a function of the left operand.
    pub fn right_section(&mut self, expr: ExprId, op: &BinOp, e: ExprId) -> Ty {
        let op_ty = self.operator(expr, op);
        let arg = Arg { expr: e, ty: self.infer(e) };
        let name = op.name.to_string();
        let span = self.ast[expr].span;
        // The operator as a function of both operands.
        let op_ty = self.names.shallow(&op_ty);
        let (param, consumes, left, rest) = match op_ty.kind() {
            TyKind::Error => return Ty::error(),
            TyKind::Arrow(arrow) => (arrow.param, arrow.consumes, arrow.arg.clone(), arrow.ret.clone()),
            _ => {
                let (a, b) = (self.fresh(span), self.fresh(span));
                let arrow = Ty::arrow(None, false, a.clone(), b.clone());
                self.unify(&op_ty, &arrow, &|this| {
                    Context::new(op.span, format!("`{}` is applied but is not a function", this.text(op.span)))
                        .code(Code::NotAFunction)
                });
                (None, false, a, b)
            }
        };
        match self.apply_one(expr, op.span, Some(&name), &rest, &arg, 1) {
            Some(ret) => Ty::arrow(param, consumes, left, ret),
            None => Ty::error(),
        }
    }
}

fn parenthesised(text: &str) -> String {
    if text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.' || c == '\'') {
        text.to_string()
    } else {
        format!("({text})")
    }
}
