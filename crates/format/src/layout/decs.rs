//! Declarations.

use super::Layout;
use crate::tape::Group;
use kenaz_base::with_stack;
use kenaz_syntax::ast::{Attr, DecId, DecKind, Liftedness, TypeParam, ValBind};
use kenaz_syntax::token::Tok;

impl Layout<'_> {
    pub(super) fn dec(&mut self, id: DecId) {
        with_stack(|| self.dec_here(id));
    }

    fn dec_here(&mut self, id: DecId) {
        let ast = self.ast;
        self.attrs(&ast[id].attrs);
        match &ast[id].kind {
            DecKind::Error => self.until(ast[id].span.hi),
            DecKind::Val(bind) => self.val(bind),
            DecKind::Type(bind) => {
                self.begin(Group::Together);
                self.type_head(bind.liftedness, &bind.params);
                self.space();
                self.tok();
                self.rhs_type(bind.body);
                self.end();
            }
            DecKind::Module(bind) => self.module(bind),
            DecKind::ModType(bind) => {
                for _ in 0..3 {
                    self.tok();
                    self.space();
                }
                self.tok();
                self.space();
                self.mod_type(bind.body);
            }
            DecKind::Open(module) => {
                self.tok();
                self.space();
                self.mod_exp(*module);
            }
            DecKind::Import(_) => {
                self.tok();
                self.space();
                self.tok();
            }
            DecKind::Local(dec) => {
                self.tok();
                self.space();
                self.dec(*dec);
            }
        }
    }

    /// Attributes stay before what they are about, or on lines of their own.
    pub(super) fn attrs(&mut self, attrs: &[Attr]) {
        for _ in attrs {
            self.begin(Group::Fill);
            self.attr();
            self.line();
            self.end();
        }
    }

    fn val(&mut self, bind: &ValBind) {
        self.begin(Group::Together);
        self.tok();
        self.space();
        match bind.params[..] {
            // Between its parameters, it is an operator.
            [left, right] if self.ast[left].span.lo < bind.name.span.lo => {
                self.pat(left);
                self.space();
                while self.token().lo < self.ast[right].span.lo {
                    self.tok();
                }
                self.space();
                self.pat(right);
                self.function_head(&[], &[], bind.ret);
            }
            _ => {
                self.name_of_value();
                self.function_head(&bind.type_params, &bind.params, bind.ret);
            }
        }
        self.space();
        self.tok();
        self.rhs(bind.body);
        self.end();
    }

    /// `f`, `(+)`, `` (`f`) ``, in a specification also `+`.
    pub(super) fn name_of_value(&mut self) {
        if self.eat(Tok::LParen) {
            while !matches!(self.kind(), Tok::RParen | Tok::Eof) {
                self.tok();
            }
        }
        self.tok();
    }

    /// `type^ t 'a`
    pub(super) fn type_head(&mut self, liftedness: Liftedness, params: &[TypeParam]) {
        self.tok();
        if liftedness != Liftedness::Unlifted {
            self.tok();
        }
        self.space();
        self.tok();
        if !params.is_empty() {
            self.space();
            self.begin(Group::Fill);
            self.align();
            self.type_params(params);
            self.pop();
            self.end();
        }
    }
}
