//! Patterns, parameters and attributes.

use super::Layout;
use crate::tape::Group;
use kenaz_base::with_stack;
use kenaz_syntax::ast::{PatId, PatKind, TypeExpId, TypeParam};
use kenaz_syntax::token::Tok;

impl Layout<'_> {
    pub(super) fn pat(&mut self, id: PatId) {
        with_stack(|| self.pat_here(id));
    }

    fn pat_here(&mut self, id: PatId) {
        let ast = self.ast;
        let span = ast[id].span;
        match &ast[id].kind {
            PatKind::Error | PatKind::Name(_) | PatKind::Wild | PatKind::Lit(_) => self.until(span.hi),
            PatKind::Paren(p) => self.pats(&[*p]),
            PatKind::Tuple(ps) => self.pats(ps),
            PatKind::Record(fields) => {
                let end = |(name, pat): &(kenaz_syntax::ast::Ident, Option<PatId>)| {
                    pat.map_or(name.span.hi, |pat| self.ast[pat].span.hi)
                };
                let ends: Vec<u32> = fields.iter().map(end).collect();
                self.list(Group::Fill, &ends, |this, at| match fields[at] {
                    // `{x: t}`
                    (name, Some(pat)) if ast[pat].span.lo == name.span.lo => this.pat(pat),
                    (_, Some(pat)) => {
                        this.tok();
                        this.space();
                        this.tok();
                        this.space();
                        this.pat(pat);
                    }
                    (_, None) => this.tok(),
                });
            }
            PatKind::Constr(_, args) => {
                self.tok();
                for &arg in args {
                    self.space();
                    self.pat(arg);
                }
            }
            PatKind::Ascript(pat, ty) => {
                self.pat(*pat);
                self.tok();
                self.space();
                self.type_exp(*ty);
            }
            PatKind::Attr(_, pat) => {
                self.attr();
                self.space();
                self.pat(*pat);
            }
        }
    }

    fn pats(&mut self, ps: &[PatId]) {
        let ends: Vec<u32> = ps.iter().map(|&p| self.ast[p].span.hi).collect();
        self.list(Group::Fill, &ends, |this, at| this.pat(ps[at]));
    }

    /// Behind the name of a function: its parameters beside or below one another, and its result.
    pub(super) fn function_head(&mut self, type_params: &[TypeParam], params: &[PatId], ret: Option<TypeExpId>) {
        self.begin(Group::Fill);
        if type_params.is_empty() && params.is_empty() {
            self.indent(4);
        } else if self.is_broken() {
            self.indent(4);
            self.line();
        } else {
            self.space();
            self.align();
        }
        self.type_params(type_params);
        for (at, &param) in params.iter().enumerate() {
            if at > 0 || !type_params.is_empty() {
                self.line();
            }
            self.pat(param);
        }
        self.result(ret);
        self.pop();
        self.end();
    }

    /// `: t`
    fn result(&mut self, ret: Option<TypeExpId>) {
        if let Some(ret) = ret {
            self.soft();
            self.tok();
            self.space();
            self.type_exp(ret);
        }
    }

    /// `\x y: t ->`
    pub(super) fn lambda_head(&mut self, params: &[PatId], ret: Option<TypeExpId>) {
        self.begin(Group::Fill);
        self.tok();
        self.align();
        for (at, &param) in params.iter().enumerate() {
            if at > 0 {
                self.line();
            }
            self.pat(param);
        }
        if let Some(ret) = ret {
            self.tok();
            self.space();
            self.type_exp(ret);
        }
        self.pop();
        self.end();
        self.space();
        self.tok();
    }

    /// `[n] [m] 't`
    pub(super) fn type_params(&mut self, params: &[TypeParam]) {
        for (at, param) in params.iter().enumerate() {
            let is_size = self.kind().is_bracket();
            if at > 0 {
                self.line();
            }
            while self.token().lo < param.name.span.hi {
                self.tok();
            }
            if is_size {
                self.tok();
            }
        }
    }

    /// `#[a]`
    pub(super) fn attr(&mut self) {
        self.tok();
        let mut depth = 1;
        while depth > 0 && self.kind() != Tok::Eof {
            match self.kind() {
                Tok::RBracket | Tok::RParen => depth -= 1,
                Tok::LParen => depth += 1,
                _ => {}
            }
            self.tok();
            if self.pos > 0 && self.source.tokens[self.pos - 1].kind == Tok::Comma {
                self.space();
            }
        }
    }
}
