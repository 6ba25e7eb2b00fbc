//! Patterns.

use super::{Parsed, Parser};
use crate::ast::{Pat, PatId, PatKind, PatLit};
use crate::literal;
use crate::token::{Tok, Token};
use kenaz_base::{Code, Diagnostic};

impl Parser<'_> {
    fn pat_node(&mut self, lo: u32, kind: PatKind) -> PatId {
        let span = self.span_from(lo);
        self.ast.pats.push(Pat { span, kind })
    }

    /// Any pattern.
    pub(super) fn pattern(&mut self) -> Parsed<PatId> {
        self.nested(Self::pattern_here)
    }

    fn pattern_here(&mut self) -> Parsed<PatId> {
        let lo = self.lo();
        if self.at(Tok::AttrOpen) {
            let attr = self.attr()?;
            let pat = self.pattern()?;
            return Ok(self.pat_node(lo, PatKind::Attr(attr, pat)));
        }
        if self.at(Tok::Constructor) && (self.peek(1) == Tok::Minus || Self::starts_param(self.peek(1))) {
            let token = self.bump();
            let name = self.constructor_of(token);
            let mut args = Vec::new();
            while self.at(Tok::Minus) || Self::starts_param(self.tok()) {
                args.push(self.simple_pattern("a pattern")?);
            }
            return Ok(self.pat_node(lo, PatKind::Constr(name, args)));
        }
        let pat = self.simple_pattern("a pattern")?;
        if self.eat(Tok::Colon) {
            let ty = self.type_exp()?;
            return Ok(self.pat_node(lo, PatKind::Ascript(pat, ty)));
        }
        Ok(pat)
    }

    /// Whether a token starts a pattern that needs no parentheses as a parameter.
    pub(super) fn starts_param(kind: Tok) -> bool {
        matches!(
            kind,
            Tok::Name
                | Tok::Constructor
                | Tok::Int
                | Tok::Nat
                | Tok::Float
                | Tok::Char
                | Tok::True
                | Tok::False
                | Tok::Underscore
                | Tok::LParen
                | Tok::LBrace
        )
    }

    /// One parameter and more.
    pub(super) fn params(&mut self, what: &str) -> Parsed<Vec<PatId>> {
        let mut params = vec![self.param(what)?];
        while Self::starts_param(self.tok()) {
            params.push(self.param(what)?);
        }
        Ok(params)
    }

    pub(super) fn param(&mut self, what: &str) -> Parsed<PatId> {
        if !Self::starts_param(self.tok()) {
            return Err(self.expected(what));
        }
        self.simple_pattern(what)
    }

    /// A parameter or a negative number.
    fn simple_pattern(&mut self, what: &str) -> Parsed<PatId> {
        let token = self.token();
        let kind = match token.kind {
            Tok::Name => {
                self.bump();
                PatKind::Name(self.ident_of(token))
            }
            Tok::Underscore => {
                self.bump();
                PatKind::Wild
            }
            Tok::Constructor => {
                self.bump();
                PatKind::Constr(self.constructor_of(token), Vec::new())
            }
            Tok::LParen => return self.paren_pattern(),
            Tok::LBrace => return self.record_pattern(),
            Tok::Minus if matches!(self.peek(1), Tok::Int | Tok::Nat | Tok::Float) => {
                self.bump();
                PatKind::Lit(self.number_pattern(true))
            }
            Tok::Int | Tok::Nat | Tok::Float => PatKind::Lit(self.number_pattern(false)),
            Tok::Char => {
                self.bump();
                PatKind::Lit(PatLit::Char(self.char_value(token)))
            }
            Tok::True | Tok::False => {
                self.bump();
                PatKind::Lit(PatLit::Bool(token.kind == Tok::True))
            }
            _ => return Err(self.expected(what)),
        };
        Ok(self.pat_node(token.lo, kind))
    }

    fn number_pattern(&mut self, negative: bool) -> PatLit {
        let token = self.bump();
        let text = self.text_of(token);
        if token.kind == Tok::Float {
            PatLit::Float { negative, lit: literal::float(text) }
        } else {
            PatLit::Int { negative, lit: literal::int(text) }
        }
    }

    /// `()`, `(p)`, `(p, q)`, `(+)`.
    fn paren_pattern(&mut self) -> Parsed<PatId> {
        let open = self.bump();
        self.inside_paren_pattern(open).or_else(|failed| {
            self.recover_bracket(open).map_err(|_| failed)?;
            Ok(self.pat_node(open.lo, PatKind::Error))
        })
    }

    fn inside_paren_pattern(&mut self, open: Token) -> Parsed<PatId> {
        if self.eat(Tok::RParen) {
            return Ok(self.pat_node(open.lo, PatKind::Tuple(Vec::new())));
        }
        if self.at_operator_name() {
            let name = self.operator_name()?;
            self.close(open, "")?;
            return Ok(self.pat_node(open.lo, PatKind::Name(name)));
        }
        let first = self.pattern()?;
        if self.eat(Tok::RParen) {
            return Ok(self.pat_node(open.lo, PatKind::Paren(first)));
        }
        let mut elements = vec![first];
        while self.eat(Tok::Comma) {
            if self.at(Tok::RParen) && elements.len() > 1 {
                break;
            }
            elements.push(self.pattern()?);
        }
        self.close(open, "`,`")?;
        Ok(self.pat_node(open.lo, PatKind::Tuple(elements)))
    }

    /// Whether an operator stands here alone, in front of `)`, or a name in backticks.
    pub(super) fn at_operator_name(&self) -> bool {
        self.at(Tok::Backtick) || (self.tok().is_operator() && (self.peek(1) == Tok::RParen || !self.at(Tok::Minus)))
    }

    /// An operator where it is bound.
    pub(super) fn operator_name(&mut self) -> Parsed<crate::ast::Ident> {
        let (op, _) = self.operator()?;
        if op.name.quals.is_empty() {
            return Ok(op.name.name);
        }
        let message = "an operator is defined without a module name in front";
        Err(self.report(Diagnostic::error(Code::UnexpectedToken, op.span, message)))
    }

    /// `{f, g = p, h: t}`
    fn record_pattern(&mut self) -> Parsed<PatId> {
        let open = self.bump();
        self.inside_record_pattern(open).or_else(|failed| {
            self.recover_bracket(open).map_err(|_| failed)?;
            Ok(self.pat_node(open.lo, PatKind::Error))
        })
    }

    fn inside_record_pattern(&mut self, open: Token) -> Parsed<PatId> {
        let mut fields = Vec::new();
        while !self.at(Tok::RBrace) {
            let lo = self.lo();
            let field = self.field()?;
            let pat = if self.eat(Tok::Equals) {
                Some(self.pattern()?)
            } else if self.at(Tok::Colon) {
                let name = self.pat_node(lo, PatKind::Name(field));
                self.bump();
                let ty = self.type_exp()?;
                Some(self.pat_node(lo, PatKind::Ascript(name, ty)))
            } else {
                None
            };
            fields.push((field, pat));
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.close(open, "`=`, `,`")?;
        Ok(self.pat_node(open.lo, PatKind::Record(fields)))
    }
}
