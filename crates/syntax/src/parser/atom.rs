//! Atoms: literals, names, everything in brackets, and the fields and indices behind them.

use super::expr::Operated;
use super::{Failed, Parsed, Parser};
use crate::ast::{DimIndex, ExprId, ExprKind, FieldInit, QualName, Slice};
use crate::literal;
use crate::token::{Tok, Token};
use kenaz_base::{Code, Diagnostic, Span};

impl Parser<'_> {
    pub(super) fn starts_atom(&self) -> bool {
        matches!(
            self.tok(),
            Tok::Name
                | Tok::Constructor
                | Tok::Int
                | Tok::Nat
                | Tok::Float
                | Tok::Char
                | Tok::String
                | Tok::True
                | Tok::False
                | Tok::Hole
                | Tok::LParen
                | Tok::LBracket
                | Tok::LBrace
        )
    }

    /// An atom with the fields and indices behind it; `what` says what is missing when there is none.
    pub(super) fn atom(&mut self, what: &str) -> Parsed<ExprId> {
        let lo = self.lo();
        let token = self.token();
        let mut e = match token.kind {
            Tok::Name => self.path()?,
            Tok::LParen => self.parens()?,
            Tok::LBrace => self.record()?,
            Tok::LBracket => self.array()?,
            _ => {
                let Some(kind) = self.literal(token) else { return Err(self.expected(what)) };
                self.bump();
                self.expr_node(lo, kind)
            }
        };
        loop {
            match self.tok() {
                Tok::Dot => {
                    self.bump();
                    let field = self.field()?;
                    e = self.expr_node(lo, ExprKind::Project(e, field));
                }
                Tok::Index => {
                    let slice = self.slice()?;
                    e = self.expr_node(lo, ExprKind::Index(e, slice));
                }
                _ => return Ok(e),
            }
        }
    }

    fn literal(&mut self, token: Token) -> Option<ExprKind> {
        let text = self.text_of(token);
        Some(match token.kind {
            Tok::Nat | Tok::Int => ExprKind::Int(literal::int(text)),
            Tok::Float => ExprKind::Float(literal::float(text)),
            Tok::Char => ExprKind::Char(self.char_value(token)),
            Tok::String => ExprKind::String(self.string_value(token).into_bytes()),
            Tok::True => ExprKind::Bool(true),
            Tok::False => ExprKind::Bool(false),
            Tok::Hole => ExprKind::Hole,
            Tok::Constructor => ExprKind::Constr(self.constructor_of(token), Vec::new()),
            _ => return None,
        })
    }

    pub(super) fn char_value(&mut self, token: Token) -> u32 {
        literal::character(self.text_of(token)).unwrap_or_else(|bad| {
            self.bad_escape(token, bad.lo, bad.hi);
            0
        })
    }

    pub(super) fn string_value(&mut self, token: Token) -> String {
        let text = self.text_of(token);
        literal::string(text).unwrap_or_else(|bad| {
            self.bad_escape(token, bad.lo, bad.hi);
            String::new()
        })
    }

    /// The literal still has a value, so parsing goes on.
    fn bad_escape(&mut self, token: Token, lo: usize, hi: usize) {
        let span = Span::new(self.file, token.lo + lo as u32, token.lo + hi as u32);
        let text = &self.text[span.lo as usize..span.hi as usize];
        let message = format!("`{text}` is not an escape sequence");
        self.report(
            Diagnostic::error(Code::BadLiteral, span, message)
                .hint(r#"the usual ones are `\n`, `\t`, `\\`, `\"`, `\'` and `\65` for a character by its number"#),
        );
    }

    /// `x`, `m.x`, `m.(e)`. The path ends before a numbered field.
    fn path(&mut self) -> Parsed<ExprId> {
        let first = self.bump();
        let mut name = self.ident_of(first);
        let mut quals = Vec::new();
        while self.at(Tok::Dot) {
            match self.peek(1) {
                Tok::Name => {
                    self.bump();
                    quals.push(name);
                    let token = self.bump();
                    name = self.ident_of(token);
                }
                Tok::LParen => {
                    self.bump();
                    let open = self.bump();
                    let module = QualName { quals, name };
                    let body = self.bracketed(open, |this| {
                        let body = this.expr()?;
                        this.close(open, "an operator")?;
                        Ok(body)
                    })?;
                    return Ok(self.expr_node(first.lo, ExprKind::LocalOpen(module, body)));
                }
                _ => break,
            }
        }
        Ok(self.expr_node(first.lo, ExprKind::Var(QualName { quals, name })))
    }

    /// Runs `inside` behind an opening bracket; after a failure, an error node stands for all up to the closing one.
    fn bracketed(&mut self, open: Token, inside: impl FnOnce(&mut Self) -> Parsed<ExprId>) -> Parsed<ExprId> {
        inside(self).or_else(|Failed| {
            self.recover_bracket(open)?;
            Ok(self.expr_node(open.lo, ExprKind::Error))
        })
    }

    /// Everything that starts with `(`.
    fn parens(&mut self) -> Parsed<ExprId> {
        let open = self.bump();
        self.bracketed(open, |this| this.inside_parens(open))
    }

    fn inside_parens(&mut self, open: Token) -> Parsed<ExprId> {
        let lo = open.lo;
        let kind = match self.tok() {
            Tok::RParen => {
                self.bump();
                ExprKind::Tuple(Vec::new())
            }
            Tok::Dot => return self.dot_section(open),
            Tok::Equals => {
                let span = self.span_of(self.token());
                return Err(self.report(
                    Diagnostic::error(Code::ReservedName, span, "`=` is not an operator")
                        .hint("the operator that compares two values is `==`"),
                ));
            }
            // `(-x)` and `(!x)` are no sections.
            Tok::Minus if self.peek(1) != Tok::RParen => return self.parenthesised(open),
            Tok::Bang if self.peek(1) != Tok::RParen => return self.parenthesised(open),
            kind if kind.is_operator() || kind == Tok::Backtick => {
                let (op, _) = self.operator()?;
                if self.eat(Tok::RParen) {
                    ExprKind::OpSection(op)
                } else {
                    let operand = self.plain_expr()?;
                    self.close(open, "an operator")?;
                    ExprKind::RightSection(op, operand)
                }
            }
            _ => return self.parenthesised(open),
        };
        Ok(self.expr_node(lo, kind))
    }

    /// `(e)`, `(e, f)`, `(e +)`.
    fn parenthesised(&mut self, open: Token) -> Parsed<ExprId> {
        let lo = self.lo();
        let first = match self.nested(|this| this.operators_or_section(true))? {
            Operated::LeftSection(e, op) => {
                self.close(open, "")?;
                return Ok(self.expr_node(open.lo, ExprKind::LeftSection(e, op)));
            }
            Operated::Expr(e) => e,
        };
        let first = self.with_updates(lo, first)?;
        let first = self.range(lo, first)?;
        let first = self.ascriptions(lo, first)?;
        if self.eat(Tok::RParen) {
            return Ok(self.expr_node(open.lo, ExprKind::Paren(first)));
        }
        let mut elements = vec![first];
        while self.eat(Tok::Comma) {
            if self.at(Tok::RParen) && elements.len() > 1 {
                break;
            }
            elements.push(self.expr()?);
        }
        self.close(open, "an operator, `,`")?;
        Ok(self.expr_node(open.lo, ExprKind::Tuple(elements)))
    }

    /// `(.f.g)`, `(.[i])`
    fn dot_section(&mut self, open: Token) -> Parsed<ExprId> {
        self.bump();
        if self.tok().is_bracket() {
            // With no index at all it is a function that changes nothing.
            let slice = if self.peek(1) == Tok::RBracket { self.no_slice() } else { self.slice()? };
            self.close(open, "")?;
            return Ok(self.expr_node(open.lo, ExprKind::IndexSection(slice)));
        }
        let mut fields = vec![self.field()?];
        while self.eat(Tok::Dot) {
            fields.push(self.field()?);
        }
        self.close(open, "")?;
        Ok(self.expr_node(open.lo, ExprKind::ProjectSection(fields)))
    }

    fn record(&mut self) -> Parsed<ExprId> {
        let open = self.bump();
        self.bracketed(open, |this| {
            let mut fields = Vec::new();
            while !this.at(Tok::RBrace) {
                let is_name = this.at(Tok::Name);
                let name = this.field()?;
                let value = if this.eat(Tok::Equals) {
                    Some(this.expr()?)
                } else if is_name && matches!(this.tok(), Tok::Comma | Tok::RBrace) {
                    None
                } else {
                    return Err(this.expected_with("`=`", "a record is written `{name = value, …}`"));
                };
                fields.push(FieldInit { name, value });
                if !this.eat(Tok::Comma) {
                    break;
                }
            }
            this.close(open, "an operator, `,`")?;
            Ok(this.expr_node(open.lo, ExprKind::Record(fields)))
        })
    }

    fn array(&mut self) -> Parsed<ExprId> {
        let open = self.bump();
        self.bracketed(open, |this| {
            let mut elements = Vec::new();
            while !this.at(Tok::RBracket) {
                elements.push(this.expr()?);
                if !this.eat(Tok::Comma) {
                    break;
                }
            }
            this.close(open, "an operator, `,`")?;
            Ok(this.expr_node(open.lo, ExprKind::Array(elements)))
        })
    }

    /// `[i, j:k:s, :]`
    pub(super) fn slice(&mut self) -> Parsed<Slice> {
        let open = self.bump();
        let mut dims = Vec::new();
        let inside = self.slice_dims(open, &mut dims);
        if inside.is_err() {
            self.recover_bracket(open)?;
            // What was understood may stand, but an index that says nothing must not look complete.
            let error = self.expr_node(open.lo, ExprKind::Error);
            dims.push(DimIndex::Fix(error));
        }
        Ok(Slice { span: self.span_from(open.lo), dims })
    }

    /// `[]`
    fn no_slice(&mut self) -> Slice {
        let open = self.bump();
        self.bump();
        Slice { span: self.span_from(open.lo), dims: Vec::new() }
    }

    fn slice_dims(&mut self, open: Token, dims: &mut Vec<DimIndex>) -> Parsed<()> {
        while !self.at(Tok::RBracket) || dims.is_empty() {
            if self.at(Tok::RBracket) {
                return Err(self.expected_with("an index or a slice", "all of `a` is just `a`, or `a[:]`"));
            }
            let lo = self.lo();
            let start = if self.at(Tok::Colon) { None } else { Some(self.plain_expr()?) };
            if self.eat(Tok::Colon) {
                let ends = matches!(self.tok(), Tok::Colon | Tok::Comma | Tok::RBracket);
                let end = if ends { None } else { Some(self.plain_expr()?) };
                let step = if self.eat(Tok::Colon) { Some(self.plain_expr()?) } else { None };
                dims.push(DimIndex::Slice { start, end, step, span: self.span_from(lo) });
            } else if let Some(index) = start {
                dims.push(DimIndex::Fix(index));
            }
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.close(open, "an operator, `,`, `:`")
    }
}
