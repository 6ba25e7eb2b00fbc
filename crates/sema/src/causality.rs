//! Whether every size is known before it is needed.
//!
//! An unknown size comes into being when an expression is evaluated: the size of what `filter` returns, say. A function
//! whose type was inferred to depend on that size needs it as an argument, so the expression must come first. The order
//! of evaluation is fixed only as far as this: `let` before its body, arguments before the function they are passed to
//! (the last one first), the left operand before the right one, and a section's operator before its operand. What
//! happens in one branch, or inside a function, is not known outside.

use crate::checker::Checker;
use crate::names::VarKind;
use crate::types::{Ty, VarId};
use crate::walk::free_vars;
use kenaz_base::{Code, Diagnostic, Id, Span, with_stack};
use kenaz_syntax::ast::{DimIndex, ExprId, ExprKind, LoopForm, Slice, ValBind};
use rustc_hash::FxHashSet;

impl Checker<'_> {
    pub(crate) fn check_causality(&mut self, bind: &ValBind) {
        if self.info.unknown_sizes.is_empty() {
            return;
        }
        let mut walk = Causality { checker: self, known: FxHashSet::default(), trail: Vec::new(), reported: false };
        walk.expr(bind.body);
    }
}

struct Causality<'a, 'b> {
    checker: &'a mut Checker<'b>,
    known: FxHashSet<VarId>,
    /// What became known, in order, to forget it again at the end of a branch.
    trail: Vec<VarId>,
    /// One such mistake leads to others.
    reported: bool,
}

impl Causality<'_, '_> {
    fn all(&mut self, exprs: &[ExprId]) {
        exprs.iter().for_each(|e| self.expr(*e));
    }

    /// Something after which what became known is forgotten.
    fn inner(&mut self, expr: ExprId) {
        let depth = self.trail.len();
        self.expr(expr);
        for v in self.trail.drain(depth..) {
            self.known.remove(&v);
        }
    }

    fn slice(&mut self, slice: &Slice) {
        for dim in &slice.dims {
            match dim {
                DimIndex::Fix(e) => self.expr(*e),
                DimIndex::Slice { start, end, step, .. } => {
                    [start, end, step].into_iter().flatten().for_each(|e| self.expr(*e));
                }
            }
        }
    }

    fn expr(&mut self, expr: ExprId) {
        with_stack(|| self.expr_(expr));
        if let Some(made) = self.checker.info.unknown_sizes.get(&expr) {
            for v in made {
                if self.known.insert(*v) {
                    self.trail.push(*v);
                }
            }
        }
    }

    fn expr_(&mut self, expr: ExprId) {
        let ast = self.checker.ast;
        match &ast[expr].kind {
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::String(_) => {}
            ExprKind::Var(_) | ExprKind::OpSection(_) => self.instance(expr, ast[expr].span),
            ExprKind::Hole | ExprKind::ProjectSection(_) => self.own_type(expr),
            ExprKind::IndexSection(slice) => {
                self.slice(slice);
                self.own_type(expr);
            }
            ExprKind::Paren(e)
            | ExprKind::Attr(_, e)
            | ExprKind::Ascript(e, _)
            | ExprKind::Coerce(e, _)
            | ExprKind::LocalOpen(_, e)
            | ExprKind::Project(e, _)
            | ExprKind::Not(e)
            | ExprKind::Neg(e) => self.expr(*e),
            ExprKind::Tuple(es) => self.all(es),
            ExprKind::Array(es) | ExprKind::Constr(_, es) => {
                self.all(es);
                self.own_type(expr);
            }
            ExprKind::Record(fields) => fields.iter().filter_map(|f| f.value).for_each(|e| self.expr(e)),
            ExprKind::Index(e, slice) => {
                self.expr(*e);
                self.slice(slice);
            }
            ExprKind::Apply(f, args) => {
                args.iter().rev().for_each(|e| self.expr(*e));
                self.expr(*f);
            }
            ExprKind::BinOp(op, a, b) => {
                self.expr(*a);
                if matches!(op.name.name.name.as_str(), "&&" | "||") {
                    self.inner(*b);
                } else {
                    self.expr(*b);
                    self.instance(expr, op.span);
                }
            }
            ExprKind::LeftSection(e, op) | ExprKind::RightSection(op, e) => {
                self.instance(expr, op.span);
                self.expr(*e);
            }
            ExprKind::Range(range) => {
                self.expr(range.first);
                range.second.iter().for_each(|e| self.expr(*e));
                self.expr(range.last);
            }
            ExprKind::If { cond, then, otherwise } => {
                self.expr(*cond);
                self.inner(*then);
                self.inner(*otherwise);
            }
            ExprKind::Match(e, cases) => {
                self.expr(*e);
                cases.iter().for_each(|case| self.inner(case.body));
            }
            ExprKind::LetPat { init, body, .. } => {
                self.expr(*init);
                self.expr(*body);
            }
            ExprKind::LetFun { fun, body } => {
                self.inner(fun.body);
                self.expr(*body);
            }
            ExprKind::LetWith { slice, value, body, .. } => {
                self.slice(slice);
                self.expr(*value);
                self.expr(*body);
            }
            ExprKind::Lambda { body, .. } => self.inner(*body),
            ExprKind::Loop { init, form, body, .. } => {
                init.iter().for_each(|e| self.expr(*e));
                match form {
                    LoopForm::ForLess(_, e) | LoopForm::ForIn(_, e) => self.expr(*e),
                    LoopForm::While(e) => self.inner(*e),
                }
                self.inner(*body);
            }
            ExprKind::Assert(cond, e) => self.all(&[*cond, *e]),
            ExprKind::UpdateIndex(e, slice, value) => {
                self.expr(*e);
                self.slice(slice);
                self.expr(*value);
            }
            ExprKind::UpdateField(e, _, value) => self.all(&[*e, *value]),
        }
    }

    /// A variable or operator whose type was made for its use.
    fn instance(&mut self, expr: ExprId, span: Span) {
        let Some(resolved) = self.checker.info.resolved.get(expr) else { return };
        if resolved.instance.is_empty() {
            return;
        }
        let (ty, name) = (resolved.ty.clone(), self.checker.names.vars[resolved.var].name.to_string());
        self.needs(&ty, span, &format!("`{name}`"));
    }

    fn own_type(&mut self, expr: ExprId) {
        let Some(ty) = self.checker.info.expr_ty.get(expr).cloned() else { return };
        self.needs(&ty, self.checker.ast[expr].span, "this");
    }

    fn needs(&mut self, ty: &Ty, span: Span, what: &str) {
        if self.reported {
            return;
        }
        let names = &self.checker.names;
        let mut early: Vec<VarId> = free_vars(ty)
            .into_iter()
            .filter(|v| v.index() >= self.checker.current.first_var)
            .filter(|v| matches!(names.vars[*v].kind, VarKind::Unknown(_)) && !self.known.contains(v))
            .collect();
        early.sort_unstable();
        let Some(v) = early.first().copied() else { return };
        self.reported = true;
        let (name, shown, at) = (names.show_var(v), names.show(ty), names.vars[v].span);
        let mut diagnostic =
            Diagnostic::error(Code::SizeCausality, span, format!("{what} needs the size `{name}` before it is known"))
                .label(format!("this has type `{shown}`"));
        if let Some(origin) = self.checker.size_origin(v) {
            diagnostic = diagnostic.cause(at, origin);
        }
        self.checker.error(diagnostic.hint("bind the value that determines the size with `let` first"));
    }
}
