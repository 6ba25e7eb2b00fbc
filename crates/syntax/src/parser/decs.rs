//! Declarations.

use super::{Failed, Parsed, Parser};
use crate::ast::{
    Attr, Dec, DecId, DecKind, ExprId, ExprKind, Ident, Liftedness, ModBind, ModParam, ModTypeBind, StringLit,
    TypeBind, ValBind, ValKeyword,
};
use crate::token::Tok;
use kenaz_base::{Code, Diagnostic};

impl Parser<'_> {
    pub(super) fn file_decs(&mut self) -> Vec<DecId> {
        let mut decs = Vec::new();
        while !self.at(Tok::Eof) && !self.stopped {
            self.dec_or_error(&mut decs, false);
        }
        decs
    }

    /// One declaration; after an error, everything up to the next one is skipped.
    pub(super) fn dec_or_error(&mut self, decs: &mut Vec<DecId>, in_braces: bool) {
        let start = self.pos;
        self.lost = false;
        self.quiet_until = 0;
        let outer = std::mem::replace(&mut self.in_braces, in_braces);
        let outer_failed = std::mem::replace(&mut self.dec_failed, false);
        if let Ok(dec) = self.dec() {
            decs.push(dec);
            if !self.at_dec_end() {
                self.trailing();
                self.skip_to_dec();
            }
        } else if !self.stopped {
            if self.pos == start {
                self.bump();
            }
            self.skip_to_dec();
        }
        self.in_braces = outer;
        self.dec_failed |= outer_failed;
        self.quiet_until = 0;
        self.lost = false;
    }

    fn starts_dec(&self) -> bool {
        matches!(
            self.tok(),
            Tok::Def
                | Tok::Entry
                | Tok::Let
                | Tok::Type
                | Tok::Module
                | Tok::Open
                | Tok::Import
                | Tok::Local
                | Tok::AttrOpen
        )
    }

    /// Whether a declaration may end before the next token.
    fn at_dec_end(&self) -> bool {
        self.at(Tok::Eof) || self.starts_dec() || (self.in_braces && self.at(Tok::RBrace))
    }

    /// Skips to the next token that surely starts a declaration, or to the `}` of the module that this is in.
    pub(super) fn skip_to_dec(&mut self) {
        let mut braces = 0usize;
        while !self.at_boundary() && !self.stopped {
            match self.tok() {
                Tok::LBrace => braces += 1,
                Tok::RBrace if braces > 0 => braces -= 1,
                Tok::RBrace if self.in_braces => return,
                _ => {}
            }
            self.bump();
        }
    }

    fn dec(&mut self) -> Parsed<DecId> {
        let doc = self.doc();
        let lo = self.lo();
        let mut attrs: Vec<Attr> = Vec::new();
        while self.at(Tok::AttrOpen) {
            attrs.push(self.attr()?);
        }
        let kind = match self.tok() {
            Tok::Def => self.val_dec(ValKeyword::Def)?,
            Tok::Entry => self.val_dec(ValKeyword::Entry)?,
            Tok::Let => self.val_dec(ValKeyword::Let)?,
            Tok::Type => {
                self.bump();
                let (liftedness, name) = self.type_name()?;
                let params = self.type_params()?;
                self.equals()?;
                DecKind::Type(TypeBind { liftedness, name, params, body: self.type_exp()? })
            }
            Tok::Module if self.peek(1) == Tok::Type => {
                self.bump();
                self.bump();
                let name = self.name("the name of a module type")?;
                self.equals()?;
                DecKind::ModType(ModTypeBind { name, body: self.mod_type_exp()? })
            }
            Tok::Module => self.module_dec()?,
            Tok::Open => {
                self.bump();
                DecKind::Open(self.mod_exp()?)
            }
            Tok::Import => {
                self.bump();
                DecKind::Import(self.import_path()?)
            }
            Tok::Local => {
                self.bump();
                DecKind::Local(self.nested(Self::dec)?)
            }
            _ if attrs.is_empty() && !self.at(Tok::Eof) => {
                return Err(self.trailing());
            }
            _ => return Err(self.expected("a declaration")),
        };
        let span = self.span_from(lo);
        Ok(self.ast.decs.push(Dec { span, doc, attrs, kind }))
    }

    pub(super) fn import_path(&mut self) -> Parsed<StringLit> {
        let token = self.token();
        if token.kind != Tok::String {
            return Err(self.expected_with("the path of a file", "an import is written `import \"path/to/file\"`"));
        }
        self.bump();
        Ok(StringLit { span: self.span_of(token), text: self.string_value(token) })
    }

    /// The `~` or `^`, and the name.
    pub(super) fn type_name(&mut self) -> Parsed<(Liftedness, Ident)> {
        let liftedness = self.liftedness();
        Ok((liftedness, self.name("the name of a type")?))
    }

    fn val_dec(&mut self, keyword: ValKeyword) -> Parsed<DecKind> {
        self.bump();
        let is_operator = |this: &Self, ahead| this.peek(ahead).is_operator() || this.peek(ahead) == Tok::Backtick;
        let named = |this: &Self| this.at(Tok::Name) && (keyword == ValKeyword::Entry || !is_operator(this, 1));
        let (name, type_params, params) = if named(self) {
            let name = self.name("a name")?;
            let type_params = self.type_params()?;
            (name, type_params, self.any_params()?)
        } else if self.at(Tok::LParen) && is_operator(self, 1) && self.peek_operator_close() {
            let open = self.bump();
            let name = self.operator_name()?;
            self.close(open, "")?;
            let type_params = self.type_params()?;
            (name, type_params, self.any_params()?)
        } else if keyword == ValKeyword::Entry {
            return Err(self.expected("the name of an entry point"));
        } else {
            let lo = self.lo();
            let left = self.param("a name")?;
            if self.at(Tok::Equals) || self.at(Tok::Colon) {
                let span = self.span_from(lo);
                let message = "a declaration defines one name, not a pattern";
                return Err(self.report(
                    Diagnostic::error(Code::UnexpectedToken, span, message)
                        .hint("define the parts one by one: `def x = …`, then `def y = …`"),
                ));
            }
            if !is_operator(self, 0) {
                return Err(self.expected("an operator"));
            }
            let name = self.operator_name()?;
            let right = self.param("a parameter")?;
            (name, Vec::new(), vec![left, right])
        };
        let ret = if self.eat(Tok::Colon) { Some(self.type_exp()?) } else { None };
        if !self.eat(Tok::Equals) {
            return Err(self.expected_parameter_or_equals(!params.is_empty(), ret.is_some()));
        }
        let body = self.dec_body();
        Ok(DecKind::Val(ValBind { keyword, name, type_params, params, ret, body }))
    }

    /// Whether the operator in parentheses here is all that they hold.
    fn peek_operator_close(&self) -> bool {
        // `(`f`)` may have a longer path inside; nothing else starts with a backtick here.
        self.peek(1) == Tok::Backtick || self.peek(2) == Tok::RParen
    }

    fn any_params(&mut self) -> Parsed<Vec<crate::ast::PatId>> {
        if Self::starts_param(self.tok()) { self.params("a parameter") } else { Ok(Vec::new()) }
    }

    fn expected_parameter_or_equals(&mut self, has_params: bool, has_ret: bool) -> Failed {
        match self.tok() {
            Tok::Apostrophe | Tok::LBracket | Tok::Index if has_params && !has_ret => {
                self.expected_with("`=`", "type and size parameters come before the other parameters")
            }
            Tok::AttrOpen => self.expected("a parameter or `=`"),
            kind if kind.is_keyword() && !has_ret && !self.at_boundary() => self.expected("a parameter"),
            _ => self.expected("`=`"),
        }
    }

    /// The expression that ends a declaration. The name of a declaration with a broken body is still declared.
    fn dec_body(&mut self) -> ExprId {
        let lo = self.lo();
        match self.expr() {
            Ok(body) if self.at_dec_end() => return body,
            Ok(_) => drop(self.trailing()),
            Err(Failed) => {}
        }
        self.skip_to_dec();
        self.expr_node(lo, ExprKind::Error)
    }

    fn module_dec(&mut self) -> Parsed<DecKind> {
        let depth = self.depth;
        let parsed = self.module_bind();
        self.depth = depth;
        parsed
    }

    fn module_bind(&mut self) -> Parsed<DecKind> {
        self.bump();
        let name = self.name("the name of a module")?;
        let mut params = Vec::new();
        while self.at(Tok::LParen) {
            // A module of two parameters is one in one.
            self.descend()?;
            params.push(self.mod_param()?);
        }
        let mod_type = if self.eat(Tok::Colon) { Some(self.mod_type_exp()?) } else { None };
        self.equals()?;
        Ok(DecKind::Module(ModBind { name, params, mod_type, body: self.mod_exp()? }))
    }

    /// `(name: module type)`
    pub(super) fn mod_param(&mut self) -> Parsed<ModParam> {
        let lo = self.lo();
        let open = self.expect(Tok::LParen, "`(`")?;
        let name = self.name("the name of a module parameter")?;
        if !self.eat(Tok::Colon) {
            return Err(self.expected_with("`:`", "the parameter of a module is written `(name: module_type)`"));
        }
        let mod_type = self.mod_type_exp()?;
        self.close(open, "")?;
        Ok(ModParam { name, mod_type, span: self.span_from(lo) })
    }
}
