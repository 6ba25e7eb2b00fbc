//! Expressions that start with a keyword: `let`, `if`, `loop`, `match`, lambdas, attributes.

use super::{Parsed, Parser};
use crate::ast::{Attr, AttrKind, Case, ExprId, ExprKind, Ident, LocalFun, LoopForm, PatId, Slice, TypeExpId};
use crate::token::Tok;
use kenaz_base::Symbol;

/// The part of an expression before its last body. Bodies extend to the right as far as they can, so a chain of these
/// is parsed by a loop, however long it is.
enum Head {
    LetPat { sizes: Vec<Ident>, pat: PatId, init: ExprId },
    LetFun(LocalFun),
    LetWith { dest: Ident, slice: Slice, value: ExprId },
    If { cond: ExprId, then: ExprId },
    Loop { pat: PatId, init: Option<ExprId>, form: LoopForm },
    Lambda { params: Vec<PatId>, ret: Option<TypeExpId> },
    Attr(Attr),
}

impl Parser<'_> {
    /// `let`, `if`, `loop`, a lambda or an attribute, with its body.
    pub(super) fn control(&mut self) -> Parsed<ExprId> {
        let depth = self.depth;
        let parsed = self.control_chain();
        self.depth = depth;
        parsed
    }

    fn control_chain(&mut self) -> Parsed<ExprId> {
        let mut heads: Vec<(u32, Head)> = Vec::new();
        loop {
            // What is nested without brackets counts like something in brackets: for its own level and for that of
            // its body.
            let nests = match (self.tok(), heads.last()) {
                (_, None) => false,
                (Tok::Loop | Tok::Backslash, _) => true,
                (Tok::If, Some((_, before))) => !matches!(before, Head::If { .. }),
                _ => false,
            };
            if nests {
                self.descend()?;
                self.descend()?;
            }
            let lo = self.lo();
            let head = match self.tok() {
                Tok::Let => self.let_head()?,
                Tok::If => self.if_head()?,
                Tok::Loop => self.loop_head()?,
                Tok::Backslash => self.lambda_head()?,
                Tok::AttrOpen => Head::Attr(self.attr()?),
                _ => break,
            };
            heads.push((lo, head));
        }
        let mut body = self.expr()?;
        while let Some((lo, head)) = heads.pop() {
            let kind = match head {
                Head::LetPat { sizes, pat, init } => ExprKind::LetPat { sizes, pat, init, body },
                Head::LetFun(fun) => ExprKind::LetFun { fun, body },
                Head::LetWith { dest, slice, value } => ExprKind::LetWith { dest, slice, value, body },
                Head::If { cond, then } => ExprKind::If { cond, then, otherwise: body },
                Head::Loop { pat, init, form } => ExprKind::Loop { pat, init, form, body },
                Head::Lambda { params, ret } => ExprKind::Lambda { params, ret, body },
                Head::Attr(attr) => ExprKind::Attr(attr, body),
            };
            body = self.expr_node(lo, kind);
        }
        Ok(body)
    }

    /// Up to the `in`, which may be missing before another `let`.
    fn let_head(&mut self) -> Parsed<Head> {
        let keyword = self.bump();
        let head = if self.at(Tok::Name) && self.peek(1) == Tok::Index {
            let dest = self.name("a name")?;
            let slice = self.slice()?;
            self.equals()?;
            Head::LetWith { dest, slice, value: self.expr()? }
        } else if self.at(Tok::Name) && self.starts_params(1) {
            let name = self.name("a name")?;
            let type_params = self.type_params()?;
            let params = self.params("a parameter")?;
            let ret = if self.eat(Tok::Colon) { Some(self.type_exp()?) } else { None };
            self.equals()?;
            Head::LetFun(LocalFun { name, type_params, params, ret, body: self.expr()? })
        } else {
            let mut sizes = Vec::new();
            while self.tok().is_bracket() {
                sizes.push(self.size_name()?);
            }
            let pat = self.pattern()?;
            self.equals()?;
            Head::LetPat { sizes, pat, init: self.expr()? }
        };
        if !self.eat(Tok::In) && !self.at(Tok::Let) {
            let keyword = self.span_of(keyword);
            let diagnostic = self.missing("`in`", "every `let` has an `in`, except before another `let`");
            return Err(self.report(diagnostic.cause(keyword, "the `let` that it belongs to")));
        }
        Ok(head)
    }

    /// Whether type parameters or parameters follow the name here: it is a function that is defined.
    fn starts_params(&self, ahead: usize) -> bool {
        matches!(self.peek(ahead), Tok::LBracket | Tok::Apostrophe) || Self::starts_param(self.peek(ahead))
    }

    fn if_head(&mut self) -> Parsed<Head> {
        let keyword = self.bump();
        let keyword = self.span_of(keyword);
        let cond = self.expr()?;
        if !self.eat(Tok::Then) {
            let hint = if self.at(Tok::Equals) {
                "to compare two values write `==`"
            } else {
                "a conditional is written `if c then a else b`"
            };
            let diagnostic = self.missing("`then`", hint);
            return Err(self.report(diagnostic.cause(keyword, "the `if` that it belongs to")));
        }
        let then = self.expr()?;
        if !self.eat(Tok::Else) {
            let diagnostic = self.missing("`else`", "every `if` has an `else` branch");
            return Err(self.report(diagnostic.cause(keyword, "the `if` that it belongs to")));
        }
        Ok(Head::If { cond, then })
    }

    fn loop_head(&mut self) -> Parsed<Head> {
        self.bump();
        let pat = self.pattern()?;
        let init = if self.eat(Tok::Equals) { Some(self.expr()?) } else { None };
        let form = if self.eat(Tok::For) {
            if self.at(Tok::Name) && self.peek(1) == Tok::Less {
                let index = self.name("a name")?;
                self.bump();
                LoopForm::ForLess(index, self.expr()?)
            } else {
                let pat = self.pattern()?;
                if !self.eat(Tok::In) {
                    return Err(self.expected_with("`in`", "a loop is written `for i < n do …` or `for x in xs do …`"));
                }
                LoopForm::ForIn(pat, self.expr()?)
            }
        } else if self.eat(Tok::While) {
            LoopForm::While(self.expr()?)
        } else {
            return Err(self.expected_with("`for` or `while`", "a loop is written `loop x = e for i < n do …`"));
        };
        self.expect(Tok::Do, "`do`")?;
        Ok(Head::Loop { pat, init, form })
    }

    fn lambda_head(&mut self) -> Parsed<Head> {
        self.bump();
        let params = self.params("a parameter")?;
        // The arrow of the lambda must not be taken for a function type's.
        let ret = if self.eat(Tok::Colon) { Some(self.type_without_arrow()?) } else { None };
        self.expect(Tok::Arrow, "`->`")?;
        Ok(Head::Lambda { params, ret })
    }

    pub(super) fn match_expr(&mut self) -> Parsed<ExprId> {
        let lo = self.bump().lo;
        let subject = self.expr()?;
        let mut cases = Vec::new();
        while self.at(Tok::Case) {
            let case = self.bump();
            let pat = self.pattern()?;
            self.expect(Tok::Arrow, "`->`")?;
            let body = self.plain_expr()?;
            cases.push(Case { span: self.span_from(case.lo), pat, body });
        }
        if cases.is_empty() {
            return Err(self.expected_with("`case`", "a match is written `match e case p -> e case q -> f`"));
        }
        Ok(self.expr_node(lo, ExprKind::Match(subject, cases)))
    }

    /// `[n]`, where only a name can stand.
    pub(super) fn size_name(&mut self) -> Parsed<Ident> {
        let open = self.bump();
        let name = self.name("the name of a size")?;
        self.close(open, "")?;
        Ok(name)
    }

    /// `#[attr]`
    pub(super) fn attr(&mut self) -> Parsed<Attr> {
        let open = self.bump();
        let lo = self.token().lo;
        let kind = self.attr_atom()?;
        let span = self.span_from(lo);
        self.close(open, "")?;
        Ok(Attr { span, meaning: kind.meaning(), kind })
    }

    fn attr_atom(&mut self) -> Parsed<AttrKind> {
        let token = self.token();
        let kind = match token.kind {
            Tok::Nat => {
                self.bump();
                AttrKind::Number(crate::literal::int(self.text_of(token)).value)
            }
            Tok::Int if crate::literal::int(self.text_of(token)).suffix.is_none() => {
                self.bump();
                AttrKind::Number(crate::literal::int(self.text_of(token)).value)
            }
            _ => {
                let name: Symbol = self.name("the name of an attribute")?.name;
                if self.at(Tok::LParen) {
                    let open = self.bump();
                    let mut attrs = Vec::new();
                    while !self.at(Tok::RParen) {
                        attrs.push(self.nested(Self::attr_atom)?);
                        if !self.eat(Tok::Comma) {
                            break;
                        }
                    }
                    self.close(open, "`,`")?;
                    AttrKind::Compound(name, attrs)
                } else {
                    AttrKind::Name(name)
                }
            }
        };
        Ok(kind)
    }
}
