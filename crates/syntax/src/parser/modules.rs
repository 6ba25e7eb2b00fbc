//! Module expressions, module types and their specifications.

use super::{Parsed, Parser};
use crate::ast::{
    Ident, ModExp, ModExpId, ModExpKind, ModTypeExp, ModTypeExpId, ModTypeExpKind, Spec, SpecId, SpecKind, TypeBind,
};
use crate::token::Tok;

impl Parser<'_> {
    fn mod_node(&mut self, lo: u32, kind: ModExpKind) -> ModExpId {
        let span = self.span_from(lo);
        self.ast.mod_exps.push(ModExp { span, kind })
    }

    fn mod_type_node(&mut self, lo: u32, kind: ModTypeExpKind) -> ModTypeExpId {
        let span = self.span_from(lo);
        self.ast.mod_types.push(ModTypeExp { span, kind })
    }

    /// Any module expression. An ascription belongs to the whole, even behind a lambda.
    pub(super) fn mod_exp(&mut self) -> Parsed<ModExpId> {
        let lo = self.lo();
        let mut exp = self.nested(Self::plain_mod_exp)?;
        while self.eat(Tok::Colon) {
            let mod_type = self.mod_type_exp()?;
            exp = self.mod_node(lo, ModExpKind::Ascript(exp, mod_type));
        }
        Ok(exp)
    }

    fn plain_mod_exp(&mut self) -> Parsed<ModExpId> {
        let lo = self.lo();
        match self.tok() {
            Tok::Backslash => {
                self.bump();
                let param = self.mod_param()?;
                let mod_type = if self.eat(Tok::Colon) { Some(self.mod_type_without_arrow()?) } else { None };
                self.expect(Tok::Arrow, "`->`")?;
                let body = self.nested(Self::plain_mod_exp)?;
                Ok(self.mod_node(lo, ModExpKind::Lambda { param, mod_type, body }))
            }
            Tok::Import => {
                self.bump();
                let path = self.import_path()?;
                Ok(self.mod_node(lo, ModExpKind::Import(path)))
            }
            _ => {
                let mut exp = self.mod_atom()?;
                while matches!(self.tok(), Tok::Name | Tok::LParen | Tok::LBrace) {
                    let arg = self.mod_atom()?;
                    exp = self.mod_node(lo, ModExpKind::Apply(exp, arg));
                }
                Ok(exp)
            }
        }
    }

    fn mod_atom(&mut self) -> Parsed<ModExpId> {
        let lo = self.lo();
        match self.tok() {
            Tok::LParen => {
                let open = self.bump();
                let exp = self.mod_exp()?;
                self.close(open, "")?;
                Ok(self.mod_node(lo, ModExpKind::Paren(exp)))
            }
            Tok::LBrace => self.mod_body(),
            Tok::Name => {
                let name = self.qual_name("the name of a module")?;
                Ok(self.mod_node(lo, ModExpKind::Name(name)))
            }
            _ => Err(self.expected("a module")),
        }
    }

    /// `{ declarations }`
    fn mod_body(&mut self) -> Parsed<ModExpId> {
        let open = self.bump();
        let mut decs = Vec::new();
        while !matches!(self.tok(), Tok::RBrace | Tok::Eof) && !self.stopped {
            self.dec_or_error(&mut decs, true);
        }
        if self.stopped {
            return Err(super::Failed);
        }
        self.close(open, "a declaration")?;
        Ok(self.mod_node(open.lo, ModExpKind::Decs(decs)))
    }

    /// Any module type.
    pub(super) fn mod_type_exp(&mut self) -> Parsed<ModTypeExpId> {
        self.nested(|this| {
            let mut params: Vec<(u32, Option<Ident>, ModTypeExpId)> = Vec::new();
            let last = loop {
                let lo = this.lo();
                if this.at(Tok::LParen) && this.peek(1) == Tok::Name && this.peek(2) == Tok::Colon {
                    let param = this.mod_param()?;
                    if !this.eat(Tok::Arrow) {
                        let hint = "only the parameter of a parametric module's type can be named";
                        return Err(this.expected_with("`->`", hint));
                    }
                    params.push((lo, Some(param.name), param.mod_type));
                    continue;
                }
                let mod_type = this.mod_type_without_arrow()?;
                if !this.eat(Tok::Arrow) {
                    break mod_type;
                }
                params.push((lo, None, mod_type));
            };
            Ok(params
                .into_iter()
                .rev()
                .fold(last, |ret, (lo, param, arg)| this.mod_type_node(lo, ModTypeExpKind::Arrow { param, arg, ret })))
        })
    }

    /// A module type with its refinements.
    fn mod_type_without_arrow(&mut self) -> Parsed<ModTypeExpId> {
        let lo = self.lo();
        let mut base = self.mod_type_atom()?;
        while self.eat(Tok::With) {
            let name = self.qual_name("the name of a type")?;
            let params = self.type_params()?;
            self.equals()?;
            let body = self.type_exp()?;
            base = self.mod_type_node(lo, ModTypeExpKind::With { base, name, params, body });
        }
        Ok(base)
    }

    fn mod_type_atom(&mut self) -> Parsed<ModTypeExpId> {
        let lo = self.lo();
        match self.tok() {
            Tok::LParen => {
                let open = self.bump();
                let mod_type = self.mod_type_exp()?;
                self.close(open, "")?;
                Ok(self.mod_type_node(lo, ModTypeExpKind::Paren(mod_type)))
            }
            Tok::LBrace => self.specs(),
            Tok::Name => {
                let name = self.qual_name("the name of a module type")?;
                Ok(self.mod_type_node(lo, ModTypeExpKind::Name(name)))
            }
            _ => Err(self.expected("a module type")),
        }
    }

    /// `{ specifications }`
    fn specs(&mut self) -> Parsed<ModTypeExpId> {
        let open = self.bump();
        let mut specs = Vec::new();
        while !matches!(self.tok(), Tok::RBrace | Tok::Eof) && !self.stopped {
            match self.spec() {
                Ok(spec) => specs.push(spec),
                Err(failed) => {
                    if self.stopped || self.lost || !self.skip_to_spec() {
                        return Err(failed);
                    }
                }
            }
        }
        if self.stopped {
            return Err(super::Failed);
        }
        self.close(open, "a specification")?;
        Ok(self.mod_type_node(open.lo, ModTypeExpKind::Specs(specs)))
    }

    /// Skips to the next specification or the end of the module type, if it seems to have one.
    fn skip_to_spec(&mut self) -> bool {
        let mut braces = 0usize;
        loop {
            let token = self.token();
            match token.kind {
                Tok::Eof => return false,
                Tok::Val | Tok::Include | Tok::Type | Tok::Module if braces == 0 && self.starts_line(token) => {
                    return true;
                }
                Tok::Def | Tok::Entry | Tok::Let | Tok::Open | Tok::Local | Tok::Import
                    if self.at_column_one(token) =>
                {
                    return false;
                }
                Tok::LBrace => braces += 1,
                Tok::RBrace if braces == 0 => return true,
                Tok::RBrace => braces -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    fn spec(&mut self) -> Parsed<SpecId> {
        let mut doc = self.doc();
        let lo = self.lo();
        let mut attrs = Vec::new();
        while self.at(Tok::AttrOpen) {
            attrs.push(self.attr()?);
            doc = self.doc().or(doc);
        }
        let kind = match self.tok() {
            Tok::Val => {
                self.bump();
                let name = self.spec_name()?;
                let type_params = self.type_params()?;
                if !self.eat(Tok::Colon) {
                    return Err(self.expected_with("`:`", "a value is specified by its type: `val name : type`"));
                }
                SpecKind::Val { name, type_params, ty: self.type_exp()? }
            }
            Tok::Type => {
                self.bump();
                let (liftedness, name) = self.type_name()?;
                let params = self.type_params()?;
                if self.eat(Tok::Equals) {
                    SpecKind::TypeAbbr(TypeBind { liftedness, name, params, body: self.type_exp()? })
                } else {
                    SpecKind::Type { liftedness, name, params }
                }
            }
            Tok::Module => {
                self.bump();
                let name = self.name("the name of a module")?;
                if !self.eat(Tok::Colon) {
                    return Err(
                        self.expected_with("`:`", "a module is specified by its type: `module name : module_type`")
                    );
                }
                SpecKind::Module { name, mod_type: self.mod_type_exp()? }
            }
            Tok::Include => {
                self.bump();
                SpecKind::Include(self.mod_type_exp()?)
            }
            Tok::Def | Tok::Entry | Tok::Let => {
                return Err(
                    self.expected_with("a specification or `}`", "a module type has `val name : type` for a value")
                );
            }
            _ => return Err(self.expected("a specification (`val`, `type`, `module` or `include`) or `}`")),
        };
        let span = self.span_from(lo);
        Ok(self.ast.specs.push(Spec { span, doc, attrs, kind }))
    }

    /// `name`, `+` or `(+)`.
    fn spec_name(&mut self) -> Parsed<Ident> {
        match self.tok() {
            Tok::LParen => {
                let open = self.bump();
                if !(self.tok().is_operator() || self.at(Tok::Backtick)) {
                    return Err(self.expected("an operator"));
                }
                let name = self.operator_name()?;
                self.close(open, "")?;
                Ok(name)
            }
            kind if kind.is_operator() => self.operator_name(),
            _ => self.name("the name of a value"),
        }
    }
}
