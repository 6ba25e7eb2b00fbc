//! The aliases of expressions, and what evaluating them consumes.

use super::aliases::{Aliases, Memory, RootId, holds_function, holds_memory};
use super::{How, Pass, RootKind};
use crate::types::{Ty, VarId};
use kenaz_base::{Span, Symbol, with_stack};
use kenaz_syntax::ast::{Case, DimIndex, ExprId, ExprKind, QualName, Slice};
use rustc_hash::FxHashMap;

impl Pass<'_, '_> {
    pub(super) fn ty(&self, expr: ExprId) -> Ty {
        self.cx.info.expr_ty.get(expr).cloned().unwrap_or_else(Ty::error)
    }

    /// The place of an expression, without parentheses around it.
    pub(super) fn span(&self, expr: ExprId) -> Span {
        let mut expr = expr;
        while let ExprKind::Paren(e) = &self.cx.ast[expr].kind {
            expr = *e;
        }
        self.cx.ast[expr].span
    }

    /// Goes through an expression in the order of evaluation; see Note [Order of evaluation].
    pub(super) fn expr(&mut self, expr: ExprId) -> Aliases {
        with_stack(|| self.chain(expr))
    }

    /// A chain of bindings is walked without recursion.
    fn chain(&mut self, expr: ExprId) -> Aliases {
        let ast = self.cx.ast;
        let mut expr = expr;
        loop {
            expr = match &ast[expr].kind {
                ExprKind::LetPat { pat, init, body, .. } => {
                    let mark = self.mark();
                    let aliases = self.expr(*init);
                    if self.consumed_since(mark) && holds_function(&self.ty(*init)) {
                        self.report_hidden_consumption(mark, *init, "bound to a name");
                    }
                    self.bind(*pat, &aliases);
                    *body
                }
                ExprKind::LetFun { fun, body } => {
                    let aliases = self.local_function(expr, fun);
                    if let Some(var) = self.cx.info.bound_var.get(expr).copied() {
                        self.own(var, aliases);
                    }
                    *body
                }
                ExprKind::LetWith { dest, slice, value, body } => {
                    self.slice(slice);
                    let value_aliases = self.expr(*value);
                    if let Some(resolved) = self.cx.info.resolved.get(expr) {
                        let (var, ty) = (resolved.var, resolved.ty.clone());
                        let array = self.variable(var, &ty, dest.span);
                        self.update(&array, dest.span, &value_aliases, *value);
                        if let Some(var) = self.cx.info.bound_var.get(expr).copied() {
                            self.own(var, Aliases::fresh(&ty));
                        }
                    }
                    *body
                }
                ExprKind::Paren(e) | ExprKind::Attr(_, e) | ExprKind::LocalOpen(_, e) => *e,
                _ => return self.one(expr),
            };
        }
    }

    fn one(&mut self, expr: ExprId) -> Aliases {
        let ast = self.cx.ast;
        match &ast[expr].kind {
            ExprKind::Error | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Char(_) => {
                Aliases::Scalar
            }
            ExprKind::String(_) | ExprKind::Hole => Aliases::fresh(&self.ty(expr)),
            ExprKind::Paren(_)
            | ExprKind::Attr(..)
            | ExprKind::LocalOpen(..)
            | ExprKind::LetPat { .. }
            | ExprKind::LetFun { .. }
            | ExprKind::LetWith { .. } => self.chain(expr),
            ExprKind::Ascript(e, _) | ExprKind::Coerce(e, _) => self.expr(*e),
            ExprKind::Tuple(es) => {
                let names = (0..es.len()).map(Symbol::field);
                let parts = self.parts(es);
                record(names.zip(parts).collect())
            }
            ExprKind::Array(es) => {
                // The elements are copied into the new array.
                self.parts(es);
                Aliases::fresh(&self.ty(expr))
            }
            ExprKind::Constr(_, es) => {
                if !holds_memory(&self.ty(expr)) {
                    self.parts(es);
                    return Aliases::Scalar;
                }
                let parts = self.parts(es);
                let payload = Aliases::Record(parts.into_iter().map(|part| (Symbol::field(0), part)).collect());
                let (roots, tangled) = (payload.roots(), payload.shared().is_some());
                Aliases::Memory(Memory { roots, tangled })
            }
            ExprKind::Record(_) => self.record_literal(expr),
            ExprKind::Var(path) => self.path(expr, path),
            ExprKind::Project(e, field) => self.expr(*e).field(field.name),
            ExprKind::Index(e, slice) => {
                let array = self.expr(*e);
                let mark = self.mark();
                self.slice(slice);
                if self.consumed_since(mark) {
                    self.still_there(&array, self.span(*e));
                }
                self.part_of(&array, expr)
            }
            ExprKind::Apply(f, args) => self.apply(expr, *f, args),
            ExprKind::BinOp(op, a, b) => self.binary(expr, op, *a, *b),
            ExprKind::OpSection(op) => self.operator(expr, op).0,
            ExprKind::LeftSection(e, op) => self.section(expr, op, *e, 0),
            ExprKind::RightSection(op, e) => self.section(expr, op, *e, 1),
            ExprKind::ProjectSection(_) => Aliases::fresh(&self.ty(expr)),
            ExprKind::IndexSection(slice) => {
                self.slice(slice);
                Aliases::fresh(&self.ty(expr))
            }
            ExprKind::Not(e) | ExprKind::Neg(e) => {
                self.expr(*e);
                Aliases::Scalar
            }
            ExprKind::Range(range) => {
                for e in [Some(range.first), range.second, Some(range.last)].into_iter().flatten() {
                    self.expr(e);
                }
                Aliases::fresh(&self.ty(expr))
            }
            ExprKind::If { cond, then, otherwise } => {
                self.expr(*cond);
                self.branches(&[*then, *otherwise], &mut |this, e| this.expr(*e))
            }
            ExprKind::Match(e, cases) => {
                let aliases = self.expr(*e);
                self.branches(cases, &mut |this, case: &Case| {
                    this.bind(case.pat, &aliases);
                    this.expr(case.body)
                })
            }
            ExprKind::Lambda { params, ret, body } => self.lambda(expr, params, *ret, *body),
            ExprKind::Loop { pat, init, form, body } => self.loop_(expr, *pat, *init, form, *body),
            ExprKind::Assert(cond, e) => {
                self.expr(*cond);
                self.expr(*e)
            }
            ExprKind::UpdateIndex(e, slice, value) => {
                self.slice(slice);
                let value_aliases = self.expr(*value);
                let array = self.expr(*e);
                self.update(&array, self.span(*e), &value_aliases, *value);
                Aliases::fresh(&self.ty(expr))
            }
            ExprKind::UpdateField(e, fields, value) => {
                let base = self.expr(*e);
                let mark = self.mark();
                let value_aliases = self.expr(*value);
                let path: Vec<Symbol> = fields.iter().map(|f| f.name).collect();
                if self.consumed_since(mark) {
                    self.still_there(&base.with_field(&path, &Aliases::Scalar), self.span(*e));
                }
                base.with_field(&path, &value_aliases)
            }
        }
    }

    /// Evaluates expressions from left to right. A value must not be consumed by what comes after it.
    pub(super) fn parts(&mut self, es: &[ExprId]) -> Vec<Aliases> {
        let mark = self.mark();
        let parts: Vec<Aliases> = es.iter().map(|e| self.expr(*e)).collect();
        if self.consumed_since(mark) {
            for (e, part) in es.iter().zip(&parts) {
                self.still_there(part, self.span(*e));
            }
        }
        parts
    }

    fn record_literal(&mut self, expr: ExprId) -> Aliases {
        let ast = self.cx.ast;
        let ExprKind::Record(fields) = &ast[expr].kind else { return Aliases::Scalar };
        let mark = self.mark();
        let mut parts: Vec<(Symbol, Aliases)> = Vec::with_capacity(fields.len());
        for (i, field) in fields.iter().enumerate() {
            let part = match field.value {
                Some(e) => self.expr(e),
                None => match self.cx.info.field_ref.get(&(expr, i)).copied() {
                    Some(var) => {
                        let ty = self.var_ty(var);
                        self.variable(var, &ty, field.name.span)
                    }
                    None => Aliases::Scalar,
                },
            };
            parts.push((field.name.name, part));
        }
        if self.consumed_since(mark) {
            for (field, (_, part)) in fields.iter().zip(&parts) {
                self.still_there(part, field.value.map_or(field.name.span, |e| self.span(e)));
            }
        }
        crate::types::sort_fields(&mut parts);
        record(parts)
    }

    pub(super) fn var_ty(&self, var: VarId) -> Ty {
        self.cx.names.vars[var].scheme.as_ref().map_or_else(Ty::error, |scheme| scheme.ty.clone())
    }

    /// `x`, `m.x`, `x.f`
    fn path(&mut self, expr: ExprId, path: &QualName) -> Aliases {
        let Some(resolved) = self.cx.info.resolved.get(expr) else { return Aliases::fresh(&self.ty(expr)) };
        let (var, fields, ty) = (resolved.var, resolved.fields, resolved.ty.clone());
        let aliases = self.variable(var, &ty, path.span());
        if fields == 0 {
            return aliases;
        }
        let names: Vec<Symbol> = path.quals.iter().chain([&path.name]).map(|ident| ident.name).collect();
        aliases.fields(&names[names.len() - fields..])
    }

    /// A value taken out of an array.
    fn part_of(&mut self, array: &Aliases, expr: ExprId) -> Aliases {
        let ty = self.ty(expr);
        if holds_memory(&ty) { Aliases::of(&ty, &array.roots()) } else { Aliases::Scalar }
    }

    pub(super) fn slice(&mut self, slice: &Slice) {
        for dim in &slice.dims {
            match dim {
                DimIndex::Fix(e) => {
                    self.expr(*e);
                }
                DimIndex::Slice { start, end, step, .. } => {
                    for e in [start, end, step].into_iter().flatten() {
                        self.expr(*e);
                    }
                }
            }
        }
    }

    /// An update in place, at `span`, of an array with a value.
    fn update(&mut self, array: &Aliases, span: Span, value_aliases: &Aliases, value: ExprId) {
        let roots = array.roots();
        if let Some(root) = roots.common(&value_aliases.roots()) {
            self.report_update_aliases(root, span, value);
            return;
        }
        self.still_there(value_aliases, self.span(value));
        self.consume(array, span, &How::Update);
    }

    /// Alternatives, each of which starts from the same state. What any of them consumes is consumed afterwards.
    fn branches<T>(&mut self, alternatives: &[T], f: &mut dyn FnMut(&mut Self, &T) -> Aliases) -> Aliases {
        let mark = self.mark();
        let mut result: Option<Aliases> = None;
        let mut consumed = Vec::new();
        for alternative in alternatives {
            let aliases = f(self, alternative);
            consumed.extend(self.rewind(mark));
            result = Some(match result {
                Some(so_far) => so_far.join(aliases),
                None => aliases,
            });
        }
        let mut result = result.unwrap_or(Aliases::Scalar);
        // What one alternative consumes and another returns belongs to the result alone from now on.
        let mut names: FxHashMap<RootId, RootId> = FxHashMap::default();
        for (root, consumption) in &consumed {
            names.insert(*root, self.new_root(RootKind::Result, "the result of the branches", consumption.span));
        }
        if !names.is_empty() {
            result.for_each_mut(&mut |roots| roots.rename(&names));
        }
        self.redo(consumed);
        result
    }
}

fn record(fields: Vec<(Symbol, Aliases)>) -> Aliases {
    if fields.iter().all(|(_, part)| matches!(part, Aliases::Scalar)) {
        Aliases::Scalar
    } else {
        Aliases::Record(fields)
    }
}
