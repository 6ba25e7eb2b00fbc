//! Type expressions and type parameters.

use super::{Parsed, Parser};
use crate::ast::{Ident, Liftedness, SizeExp, TypeArg, TypeExp, TypeExpId, TypeExpKind, TypeParam, TypeParamKind};
use crate::token::{Tok, Token};

/// What stands before the last part of a type.
enum Prefix {
    Arrow { param: Option<Ident>, arg: TypeExpId },
    Exists(Vec<Ident>),
    Unique,
    Array(SizeExp),
}

impl Parser<'_> {
    fn type_node(&mut self, lo: u32, kind: TypeExpKind) -> TypeExpId {
        let span = self.span_from(lo);
        self.ast.types.push(TypeExp { span, kind })
    }

    fn wrap_type(&mut self, mut ty: TypeExpId, prefixes: Vec<(u32, Prefix)>) -> TypeExpId {
        for (lo, prefix) in prefixes.into_iter().rev() {
            let kind = match prefix {
                Prefix::Arrow { param, arg } => TypeExpKind::Arrow { param, arg, ret: ty },
                Prefix::Exists(sizes) => TypeExpKind::Exists(sizes, ty),
                Prefix::Unique => TypeExpKind::Unique(ty),
                Prefix::Array(size) => TypeExpKind::Array(size, ty),
            };
            ty = self.type_node(lo, kind);
        }
        ty
    }

    /// Any type.
    pub(super) fn type_exp(&mut self) -> Parsed<TypeExpId> {
        let depth = self.depth;
        let parsed = self.nested(|this| {
            let mut prefixes = Vec::new();
            loop {
                let lo = this.lo();
                // Every parameter is a level of the type.
                if !prefixes.is_empty() {
                    this.descend()?;
                }
                if this.at(Tok::Question) {
                    prefixes.push((lo, this.existential()?));
                    continue;
                }
                if this.at(Tok::LParen) && this.peek(1) == Tok::Name && this.peek(2) == Tok::Colon {
                    prefixes.push((lo, this.named_parameter()?));
                    continue;
                }
                let ty = this.type_without_arrow()?;
                if !this.eat(Tok::Arrow) {
                    return Ok(this.wrap_type(ty, prefixes));
                }
                prefixes.push((lo, Prefix::Arrow { param: None, arg: ty }));
            }
        });
        self.depth = depth;
        parsed
    }

    /// `?[n][m].`
    fn existential(&mut self) -> Parsed<Prefix> {
        self.bump();
        let mut sizes = Vec::new();
        while self.tok().is_bracket() {
            sizes.push(self.size_name()?);
        }
        let missing = if sizes.is_empty() { "`[`" } else { "`.`" };
        if sizes.is_empty() || !self.eat(Tok::Dot) {
            return Err(self.expected_with(missing, "an unknown size is written `?[n].t`"));
        }
        Ok(Prefix::Exists(sizes))
    }

    /// `(x: t) ->`
    fn named_parameter(&mut self) -> Parsed<Prefix> {
        let open = self.bump();
        let param = self.name("a name")?;
        self.bump();
        let arg = self.type_exp()?;
        self.close(open, "")?;
        if !self.eat(Tok::Arrow) {
            return Err(self.expected_with("`->`", "only the parameter of a function type can be named"));
        }
        Ok(Prefix::Arrow { param: Some(param), arg })
    }

    /// A type that is no function type and has no unknown sizes in front.
    pub(super) fn type_without_arrow(&mut self) -> Parsed<TypeExpId> {
        let depth = self.depth;
        let parsed = self.dimensions();
        self.depth = depth;
        parsed
    }

    fn dimensions(&mut self) -> Parsed<TypeExpId> {
        let mut prefixes = Vec::new();
        loop {
            let lo = self.lo();
            if !prefixes.is_empty() {
                self.descend()?;
            }
            if self.eat(Tok::Star) {
                prefixes.push((lo, Prefix::Unique));
            } else if self.tok().is_bracket() {
                prefixes.push((lo, Prefix::Array(self.size()?)));
            } else {
                break;
            }
        }
        let ty = if self.at(Tok::Constructor) { self.sum()? } else { self.type_application()? };
        Ok(self.wrap_type(ty, prefixes))
    }

    /// `[]` or `[e]`
    fn size(&mut self) -> Parsed<SizeExp> {
        let open = self.bump();
        let expr = if self.at(Tok::RBracket) { None } else { Some(self.expr()?) };
        self.close(open, "an operator")?;
        Ok(SizeExp { span: self.span_from(open.lo), expr })
    }

    /// `#a t u | #b`
    fn sum(&mut self) -> Parsed<TypeExpId> {
        let lo = self.lo();
        let mut constructors = Vec::new();
        loop {
            let token = self.token();
            if token.kind != Tok::Constructor {
                return Err(self.expected("a constructor such as `#name`"));
            }
            self.bump();
            let mut payload = Vec::new();
            loop {
                if self.tok().is_bracket() {
                    // An array takes all that follows for its element type.
                    payload.push(self.nested(Self::type_without_arrow)?);
                } else if self.starts_type_atom() {
                    payload.push(self.type_atom()?);
                } else {
                    break;
                }
            }
            constructors.push((self.constructor_of(token), payload));
            if !self.eat(Tok::Pipe) {
                break;
            }
        }
        Ok(self.type_node(lo, TypeExpKind::Sum(constructors)))
    }

    /// `t [n] u`
    fn type_application(&mut self) -> Parsed<TypeExpId> {
        let lo = self.lo();
        let head = self.type_atom()?;
        let mut args = Vec::new();
        loop {
            if self.tok().is_bracket() {
                args.push(TypeArg::Size(self.size()?));
            } else if self.starts_type_atom() {
                args.push(TypeArg::Type(self.type_atom()?));
            } else {
                break;
            }
        }
        if args.is_empty() { Ok(head) } else { Ok(self.type_node(lo, TypeExpKind::Apply(head, args))) }
    }

    fn starts_type_atom(&self) -> bool {
        matches!(self.tok(), Tok::Name | Tok::LParen | Tok::LBrace)
    }

    fn type_atom(&mut self) -> Parsed<TypeExpId> {
        let lo = self.lo();
        match self.tok() {
            Tok::LParen => self.bracketed_type(Self::inside_paren_type),
            Tok::LBrace => self.bracketed_type(Self::inside_record_type),
            Tok::Name => {
                let name = self.qual_name("the name of a type")?;
                Ok(self.type_node(lo, TypeExpKind::Name(name)))
            }
            Tok::Apostrophe => {
                Err(self.expected_with("a type", "a type parameter is used without its quote: `t`, not `'t`"))
            }
            _ => Err(self.expected("a type")),
        }
    }

    fn bracketed_type(&mut self, inside: impl FnOnce(&mut Self, Token) -> Parsed<TypeExpId>) -> Parsed<TypeExpId> {
        let open = self.bump();
        inside(self, open).or_else(|failed| {
            self.recover_bracket(open).map_err(|_| failed)?;
            Ok(self.type_node(open.lo, TypeExpKind::Error))
        })
    }

    fn inside_paren_type(&mut self, open: Token) -> Parsed<TypeExpId> {
        if self.eat(Tok::RParen) {
            return Ok(self.type_node(open.lo, TypeExpKind::Tuple(Vec::new())));
        }
        let first = self.type_exp()?;
        if self.eat(Tok::RParen) {
            return Ok(self.type_node(open.lo, TypeExpKind::Paren(first)));
        }
        let mut elements = vec![first];
        while self.eat(Tok::Comma) {
            if self.at(Tok::RParen) && elements.len() > 1 {
                break;
            }
            elements.push(self.type_exp()?);
        }
        self.close(open, "`,`")?;
        Ok(self.type_node(open.lo, TypeExpKind::Tuple(elements)))
    }

    fn inside_record_type(&mut self, open: Token) -> Parsed<TypeExpId> {
        let mut fields = Vec::new();
        while !self.at(Tok::RBrace) {
            let field = self.field()?;
            if !self.eat(Tok::Colon) {
                return Err(self.expected_with("`:`", "a record type is written `{name: type, …}`"));
            }
            fields.push((field, self.type_exp()?));
            if !self.eat(Tok::Comma) {
                break;
            }
        }
        self.close(open, "`,`")?;
        Ok(self.type_node(open.lo, TypeExpKind::Record(fields)))
    }

    /// `[n] 't '~t '^t`, any number of them.
    pub(super) fn type_params(&mut self) -> Parsed<Vec<TypeParam>> {
        let mut params = Vec::new();
        loop {
            if self.tok().is_bracket() {
                params.push(TypeParam { name: self.size_name()?, kind: TypeParamKind::Size });
            } else if self.eat(Tok::Apostrophe) {
                let liftedness = self.liftedness();
                let name = self.name("the name of a type parameter")?;
                params.push(TypeParam { name, kind: TypeParamKind::Type(liftedness) });
            } else {
                return Ok(params);
            }
        }
    }

    /// The `~` or `^` of a lifted type.
    pub(super) fn liftedness(&mut self) -> Liftedness {
        if self.eat(Tok::Tilde) {
            Liftedness::SizeLifted
        } else if self.eat(Tok::Caret) {
            Liftedness::Lifted
        } else {
            Liftedness::Unlifted
        }
    }
}
