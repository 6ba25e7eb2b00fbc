//! Expressions: ascriptions, ranges, updates, operators, applications. The table of precedences is at
//! [`crate::token::Fixity`].

use super::{Parsed, Parser};
use crate::ast::{BinOp, ExprId, ExprKind, Ident, QualName, Range, RangeKind};
use crate::token::{BACKTICK, Fixity, Tok, Token, fixity};
use kenaz_base::{Span, Symbol};

/// An operator that waits for its right operand.
struct Pending {
    left: ExprId,
    op: BinOp,
    fixity: Fixity,
}

/// What an expression in parentheses turns out to be.
pub(super) enum Operated {
    Expr(ExprId),
    /// `e +`, and the next token is `)`.
    LeftSection(ExprId, BinOp),
}

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        let lo = self.lo();
        let e = self.plain_expr()?;
        self.ascriptions(lo, e)
    }

    /// `e : t`, `e :> t`, any number of them.
    pub(super) fn ascriptions(&mut self, lo: u32, mut e: ExprId) -> Parsed<ExprId> {
        loop {
            if self.eat(Tok::Colon) {
                let ty = self.type_exp()?;
                e = self.expr_node(lo, ExprKind::Ascript(e, ty));
            } else if self.eat(Tok::Coerce) {
                let ty = self.type_exp()?;
                e = self.expr_node(lo, ExprKind::Coerce(e, ty));
            } else {
                return Ok(e);
            }
        }
    }

    /// An expression without an ascription: the body of a `case`, an index, the operand of a section.
    pub(super) fn plain_expr(&mut self) -> Parsed<ExprId> {
        self.nested(|this| {
            let lo = this.lo();
            let e = this.updates()?;
            this.range(lo, e)
        })
    }

    /// What follows the first operand of a range, if it is one.
    pub(super) fn range(&mut self, lo: u32, first: ExprId) -> Parsed<ExprId> {
        let second = if self.at(Tok::DotDot) {
            let dots = self.pos;
            self.bump();
            let second = self.nested(Self::updates)?;
            if self.range_kind().is_none() {
                self.pos = dots;
                return Err(self.bad_range());
            }
            Some(second)
        } else {
            None
        };
        let Some(kind) = self.range_kind() else { return Ok(first) };
        self.bump();
        let last = self.plain_expr()?;
        Ok(self.expr_node(lo, ExprKind::Range(Range { first, second, kind, last })))
    }

    fn range_kind(&self) -> Option<RangeKind> {
        match self.tok() {
            Tok::Ellipsis => Some(RangeKind::Inclusive),
            Tok::UpTo => Some(RangeKind::UpTo),
            Tok::DownTo => Some(RangeKind::DownTo),
            _ => None,
        }
    }

    /// `e with [i] = v`, `e with f.g = v`, any number of them.
    fn updates(&mut self) -> Parsed<ExprId> {
        let lo = self.lo();
        let e = self.operators()?;
        self.with_updates(lo, e)
    }

    pub(super) fn with_updates(&mut self, lo: u32, mut e: ExprId) -> Parsed<ExprId> {
        while self.eat(Tok::With) {
            if self.tok().is_bracket() {
                let slice = self.slice()?;
                self.expect(Tok::Equals, "`=`")?;
                let value = self.operators()?;
                e = self.expr_node(lo, ExprKind::UpdateIndex(e, slice, value));
            } else {
                let mut fields = vec![self.field()?];
                while self.eat(Tok::Dot) {
                    fields.push(self.field()?);
                }
                self.expect(Tok::Equals, "`=`")?;
                let value = self.operators()?;
                e = self.expr_node(lo, ExprKind::UpdateField(e, fields, value));
            }
        }
        Ok(e)
    }

    /// Operands and infix operators between them.
    fn operators(&mut self) -> Parsed<ExprId> {
        match self.operators_or_section(false)? {
            Operated::Expr(e) => Ok(e),
            // Not asked for.
            Operated::LeftSection(..) => Err(self.expected("an expression")),
        }
    }

    /// As [`Self::operators`]; when `in_parens`, an operator may be last, in front of `)`.
    pub(super) fn operators_or_section(&mut self, in_parens: bool) -> Parsed<Operated> {
        let mut right = self.operand()?;
        let mut pending: Vec<Pending> = Vec::new();
        loop {
            if !(self.tok().is_operator() || self.at(Tok::Backtick)) {
                while let Some(Pending { left, op, .. }) = pending.pop() {
                    right = self.apply_operator(left, op, right);
                }
                return Ok(Operated::Expr(right));
            }
            let (op, fixity) = self.operator()?;
            while let Some(top) = pending
                .pop_if(|top| top.fixity.level > fixity.level || (top.fixity.level == fixity.level && !fixity.right))
            {
                right = self.apply_operator(top.left, top.op, right);
            }
            if in_parens && self.at(Tok::RParen) && pending.is_empty() {
                return Ok(Operated::LeftSection(right, op));
            }
            pending.push(Pending { left: right, op, fixity });
            right = self.operand()?;
        }
    }

    fn apply_operator(&mut self, left: ExprId, op: BinOp, right: ExprId) -> ExprId {
        let span = self.ast[left].span.to(self.ast[right].span);
        self.ast.exprs.push(crate::ast::Expr { span, kind: ExprKind::BinOp(op, left, right) })
    }

    /// An infix operator and how it binds.
    pub(super) fn operator(&mut self) -> Parsed<(BinOp, Fixity)> {
        let token = self.token();
        match token.kind {
            Tok::Backtick => {
                self.bump();
                let name = self.qual_name("a function name")?;
                self.expect(Tok::Backtick, "a closing backtick")?;
                Ok((BinOp { name, span: self.span_from(token.lo), backtick: true }, BACKTICK))
            }
            Tok::Bang => Err(self.bang_as_infix()),
            _ => {
                self.bump();
                let name = self.symbol_name(token);
                let fixity = fixity(name.name.name.as_str().as_bytes());
                Ok((BinOp { name, span: self.span_of(token), backtick: false }, fixity))
            }
        }
    }

    /// Splits `m.n.+` into its parts.
    fn symbol_name(&self, token: Token) -> QualName {
        if token.kind != Tok::QualSymbol {
            return QualName { quals: Vec::new(), name: self.ident_of(token) };
        }
        let mut text = self.text_of(token);
        let mut lo = token.lo;
        let mut quals = Vec::new();
        let ident = |text: &str, lo: u32| Ident {
            name: Symbol::intern(text),
            span: Span::new(self.file, lo, lo + text.len() as u32),
        };
        while text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            let dot = text.find('.').unwrap_or(text.len() - 1);
            quals.push(ident(&text[..dot], lo));
            text = &text[dot + 1..];
            lo += dot as u32 + 1;
        }
        QualName { quals, name: ident(text, lo) }
    }

    /// An operand of an infix operator: prefix operators and what they apply to.
    fn operand(&mut self) -> Parsed<ExprId> {
        if !matches!(self.tok(), Tok::Minus | Tok::Bang) {
            return self.operand_without_prefix();
        }
        let mut prefixes = Vec::new();
        while matches!(self.tok(), Tok::Minus | Tok::Bang) {
            prefixes.push(self.bump());
        }
        let mut e = self.operand_without_prefix()?;
        while let Some(prefix) = prefixes.pop() {
            let kind = if prefix.kind == Tok::Minus { ExprKind::Neg(e) } else { ExprKind::Not(e) };
            e = self.expr_node(prefix.lo, kind);
        }
        Ok(e)
    }

    fn operand_without_prefix(&mut self) -> Parsed<ExprId> {
        match self.tok() {
            Tok::Let | Tok::If | Tok::Loop | Tok::Backslash | Tok::AttrOpen => self.control(),
            Tok::Match => self.match_expr(),
            Tok::Assert => {
                let lo = self.bump().lo;
                let cond = self.atom("a condition")?;
                let value = self.atom("an expression")?;
                Ok(self.expr_node(lo, ExprKind::Assert(cond, value)))
            }
            _ => self.application(),
        }
    }

    /// `f a b`, `#c a b`; the last argument may be a lambda without parentheses.
    fn application(&mut self) -> Parsed<ExprId> {
        let lo = self.lo();
        let head = self.atom("an expression")?;
        let mut args = Vec::new();
        while self.starts_atom() {
            args.push(self.atom("an expression")?);
        }
        if self.at(Tok::Backslash) {
            args.push(self.control()?);
        }
        if args.is_empty() {
            return Ok(head);
        }
        let kind = match &self.ast[head].kind {
            ExprKind::Constr(name, none) if none.is_empty() => ExprKind::Constr(*name, args),
            _ => ExprKind::Apply(head, args),
        };
        Ok(self.expr_node(lo, kind))
    }
}
