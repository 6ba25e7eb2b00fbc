//! Expressions.

use super::Layout;
use crate::tape::{Group, Op};
use kenaz_base::with_stack;
use kenaz_syntax::ast::{DimIndex, ExprId, ExprKind, FieldInit, LocalFun, LoopForm, Slice};
use kenaz_syntax::token::Tok;

impl Layout<'_> {
    pub(super) fn expr(&mut self, id: ExprId) {
        with_stack(|| self.expr_here(id));
    }

    fn expr_here(&mut self, id: ExprId) {
        let ast = self.ast;
        let span = ast[id].span;
        match &ast[id].kind {
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::String(_)
            | ExprKind::Hole
            | ExprKind::Var(_)
            | ExprKind::OpSection(_)
            | ExprKind::ProjectSection(_) => self.until(span.hi),
            ExprKind::Paren(e) => {
                let align = match self.hanging {
                    Some((hanging, always)) if hanging == id => Op::Hang { always },
                    _ => Op::Align,
                };
                self.aligned_list(align, Group::Fill, &[ast[*e].span.hi], |this, _| this.expr(*e));
            }
            ExprKind::Tuple(es) => self.exprs(Group::Fill, es),
            ExprKind::Array(es) => self.exprs(Group::Fill, es),
            ExprKind::Record(fields) => self.record(fields),
            ExprKind::Project(e, _) => {
                self.expr(*e);
                self.until(span.hi);
            }
            ExprKind::Index(e, slice) => {
                self.expr(*e);
                self.slice(slice);
            }
            ExprKind::LocalOpen(_, e) => {
                while !matches!(self.kind(), Tok::LParen | Tok::Eof) {
                    self.tok();
                }
                self.exprs(Group::Fill, &[*e]);
            }
            ExprKind::Apply(f, args) => self.application(Some(*f), args),
            ExprKind::Constr(_, args) if args.is_empty() => self.until(span.hi),
            ExprKind::Constr(_, args) => self.application(None, args),
            ExprKind::Assert(condition, value) => self.application(None, &[*condition, *value]),
            ExprKind::Not(e) | ExprKind::Neg(e) => {
                self.tok();
                self.expr(*e);
            }
            ExprKind::BinOp(..) => self.operators(id),
            ExprKind::Ascript(..) | ExprKind::Coerce(..) => self.ascriptions(id),
            ExprKind::UpdateIndex(..) | ExprKind::UpdateField(..) => self.updates(id),
            ExprKind::Range(range) => self.range(range),
            ExprKind::If { .. } => self.conditional(id),
            ExprKind::LetPat { .. } | ExprKind::LetFun { .. } | ExprKind::LetWith { .. } => self.lets(id),
            ExprKind::Lambda { params, ret, body } => {
                self.begin(Group::Together);
                self.lambda_head(params, *ret);
                // Arguments before the lambda can count on it.
                self.tape.push(Op::Hug);
                self.indented_line(2, self.needs_own_line(*body));
                self.expr(*body);
                self.pop();
                self.end();
            }
            ExprKind::Loop { pat, init, form, body } => {
                self.align();
                self.begin(Group::Together);
                self.begin(Group::Together);
                self.tok();
                self.space();
                self.pat(*pat);
                if let Some(init) = *init {
                    self.begin(Group::Together);
                    self.space();
                    self.tok();
                    self.rhs(init);
                    self.end();
                }
                self.line();
                self.loop_form(form);
                self.end();
                self.space();
                self.tok();
                self.indented_line(2, self.needs_own_line(*body));
                self.expr(*body);
                self.pop();
                self.end();
                self.pop();
            }
            ExprKind::Attr(_, e) => {
                self.begin(Group::Fill);
                self.attr();
                self.line();
                self.expr(*e);
                self.end();
            }
            ExprKind::Match(subject, cases) => {
                let broken = self.has_lines(id);
                self.align();
                self.begin(Group::Together);
                self.tok();
                self.space();
                self.expr(*subject);
                for case in cases {
                    self.line_or_hard(broken);
                    self.begin(Group::Together);
                    self.tok();
                    self.space();
                    self.pat(case.pat);
                    self.space();
                    self.tok();
                    self.rhs(case.body);
                    self.end();
                }
                self.end();
                self.pop();
            }
            ExprKind::LeftSection(e, op) => {
                self.tok();
                self.align();
                self.expr(*e);
                self.space();
                self.until(op.span.hi);
                self.pop();
                self.tok();
            }
            ExprKind::RightSection(op, e) => {
                self.tok();
                self.align();
                self.until(op.span.hi);
                self.space();
                self.expr(*e);
                self.pop();
                self.tok();
            }
            ExprKind::IndexSection(slice) => {
                self.tok();
                self.tok();
                self.slice(slice);
                self.tok();
            }
        }
    }

    fn exprs(&mut self, group: Group, es: &[ExprId]) {
        let ends: Vec<u32> = es.iter().map(|&e| self.ast[e].span.hi).collect();
        self.list(group, &ends, |this, at| this.expr(es[at]));
    }

    fn record(&mut self, fields: &[FieldInit]) {
        let end = |field: &FieldInit| field.value.map_or(field.name.span.hi, |e| self.ast[e].span.hi);
        let ends: Vec<u32> = fields.iter().map(end).collect();
        self.list(Group::Together, &ends, |this, at| {
            this.begin(Group::Together);
            this.tok();
            if let Some(value) = fields[at].value {
                this.space();
                this.tok();
                this.rhs(value);
            }
            this.end();
        });
    }

    /// `[i, j:k]`
    pub(super) fn slice(&mut self, slice: &Slice) {
        let end = |dim: &DimIndex| match dim {
            DimIndex::Fix(e) => self.ast[*e].span.hi,
            DimIndex::Slice { span, .. } => span.hi,
        };
        let ends: Vec<u32> = slice.dims.iter().map(end).collect();
        self.list(Group::Fill, &ends, |this, at| match &slice.dims[at] {
            DimIndex::Fix(e) => this.expr(*e),
            DimIndex::Slice { start, end, step, span } => {
                for part in [start, end, step].into_iter().flatten() {
                    while this.kind() == Tok::Colon {
                        this.tok();
                    }
                    this.expr(*part);
                }
                this.until(span.hi);
            }
        });
    }

    /// `f a b`, `#c a b`, `assert c e`: arguments are beside or below one another.
    fn application(&mut self, head: Option<ExprId>, args: &[ExprId]) {
        self.tape.push(Op::Anchor);
        self.begin(Group::Fill);
        match head {
            Some(head) => self.expr(head),
            None => self.tok(),
        }
        if self.is_broken() {
            self.indent(2);
            self.line();
        } else {
            self.space();
            self.align();
        }
        for (at, &arg) in args.iter().enumerate() {
            if at > 0 {
                self.line();
            }
            if at + 1 == args.len()
                && let ExprKind::Paren(inner) = self.ast[arg].kind
                && let ExprKind::Lambda { body, .. } = self.ast[inner].kind
            {
                let (open, body) = (self.ast[arg].span.lo, self.ast[body].span.lo);
                let is_left = self.source.starts_line(body) && self.source.column(body) <= self.source.column(open);
                self.hanging = Some((arg, is_left));
            }
            if at + 1 == args.len() && self.is_block(arg) {
                self.tape.push(Op::HangBlock);
                self.expr(arg);
                self.pop();
            } else {
                self.expr(arg);
            }
        }
        self.pop();
        self.end();
        self.tape.push(Op::Loose);
    }

    /// Whether an expression has what it holds below its bracket.
    fn is_block(&self, e: ExprId) -> bool {
        let has_brackets = matches!(
            self.ast[e].kind,
            ExprKind::Paren(_) | ExprKind::Tuple(_) | ExprKind::Array(_) | ExprKind::Record(_)
        );
        has_brackets && self.source.ends_after(self.ast[e].span.lo + 1)
    }

    /// `let … in`, any number of them, below one another.
    fn lets(&mut self, id: ExprId) {
        let broken = self.has_lines(id);
        self.align();
        self.begin(Group::Together);
        let mut e = id;
        while let Some((init, body)) = self.binding(e) {
            self.tok();
            self.rhs(init);
            self.end();
            self.before_body(broken);
            e = body;
        }
        self.expr(e);
        self.end();
        self.pop();
    }

    /// The part of a `let` up to its `=`, as the beginning of a group. Returns what is behind, and the body.
    fn binding(&mut self, e: ExprId) -> Option<(ExprId, ExprId)> {
        let ast = self.ast;
        match &ast[e].kind {
            ExprKind::LetPat { sizes, pat, init, body } => {
                self.begin(Group::Together);
                self.tok();
                self.space();
                for _ in sizes {
                    for _ in 0..3 {
                        self.tok();
                    }
                    self.space();
                }
                self.pat(*pat);
                self.space();
                Some((*init, *body))
            }
            ExprKind::LetFun { fun: LocalFun { name, type_params, params, ret, body: init }, body } => {
                self.begin(Group::Together);
                self.tok();
                self.space();
                self.until(name.span.hi);
                self.function_head(type_params, params, *ret);
                self.space();
                Some((*init, *body))
            }
            ExprKind::LetWith { slice, value, body, .. } => {
                self.begin(Group::Together);
                self.tok();
                self.space();
                self.tok();
                self.slice(slice);
                self.space();
                Some((*value, *body))
            }
            _ => None,
        }
    }

    /// The `in` of a `let`, which may be missing before another one, and the line breaks around it.
    fn before_body(&mut self, broken: bool) {
        if self.kind() != Tok::In {
            return self.line_or_hard(broken);
        }
        let before = self.is_broken();
        let behind = self.source.ends_after(self.token().hi);
        if before || !behind {
            self.line_or_hard(broken);
            self.tok();
            // An `in` alone on its line stays there.
            if before && behind { self.hard() } else { self.space() }
        } else {
            self.space();
            self.tok();
            self.hard();
        }
    }

    /// `if … then … else`, where `else if` goes on.
    fn conditional(&mut self, id: ExprId) {
        self.align();
        self.begin(Group::Together);
        let mut e = id;
        while let ExprKind::If { cond, then, otherwise } = self.ast[e].kind {
            self.tok();
            self.space();
            self.expr(cond);
            self.line();
            self.begin(Group::Together);
            self.tok();
            self.rhs(then);
            self.end();
            e = otherwise;
            if let ExprKind::If { .. } = self.ast[e].kind {
                let ends_line = !self.is_broken() && self.source.ends_after(self.token().hi);
                if ends_line {
                    self.space()
                } else {
                    self.line()
                }
                self.tok();
                if ends_line { self.hard() } else { self.space() }
            } else {
                self.line();
                self.begin(Group::Together);
                self.tok();
                self.rhs(e);
                self.end();
                break;
            }
        }
        self.end();
        self.pop();
    }

    fn loop_form(&mut self, form: &LoopForm) {
        self.tok();
        self.space();
        match form {
            LoopForm::ForLess(_, bound) => {
                self.tok();
                self.space();
                self.tok();
                self.space();
                self.expr(*bound);
            }
            LoopForm::ForIn(pat, array) => {
                self.pat(*pat);
                self.space();
                self.tok();
                self.space();
                self.expr(*array);
            }
            LoopForm::While(condition) => self.expr(*condition),
        }
    }

    /// Whether an expression that the author has written on several lines begins on a line of its own, so that its
    /// parts stand below one another.
    pub(super) fn needs_own_line(&self, e: ExprId) -> bool {
        let has_parts = match &self.ast[e].kind {
            ExprKind::LetPat { .. }
            | ExprKind::LetFun { .. }
            | ExprKind::LetWith { .. }
            | ExprKind::If { .. }
            | ExprKind::Match(..)
            | ExprKind::Loop { .. }
            | ExprKind::BinOp(..)
            | ExprKind::UpdateIndex(..)
            | ExprKind::UpdateField(..)
            | ExprKind::Ascript(..)
            | ExprKind::Coerce(..)
            | ExprKind::Attr(..) => true,
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Char(_)
            | ExprKind::String(_)
            | ExprKind::Hole
            | ExprKind::Paren(_)
            | ExprKind::Tuple(_)
            | ExprKind::Record(_)
            | ExprKind::Array(_)
            | ExprKind::Var(_)
            | ExprKind::Project(..)
            | ExprKind::Index(..)
            | ExprKind::LocalOpen(..)
            | ExprKind::Apply(..)
            | ExprKind::Constr(..)
            | ExprKind::Not(_)
            | ExprKind::Neg(_)
            | ExprKind::Range(_)
            | ExprKind::Lambda { .. }
            | ExprKind::Assert(..)
            | ExprKind::OpSection(_)
            | ExprKind::LeftSection(..)
            | ExprKind::RightSection(..)
            | ExprKind::ProjectSection(_)
            | ExprKind::IndexSection(_) => false,
        };
        has_parts && self.has_lines(e)
    }

    /// Whether the author has written an expression on several lines.
    fn has_lines(&self, e: ExprId) -> bool {
        self.source.has_break(self.ast[e].span)
    }
}
