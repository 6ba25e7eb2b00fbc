//! Modules and module types.

use super::{Gap, Layout};
use crate::tape::{Group, Op};
use kenaz_base::{Span, with_stack};
use kenaz_syntax::ast::{
    ModBind, ModExpId, ModExpKind, ModParam, ModTypeExpId, ModTypeExpKind, SpecId, SpecKind, TypeBind,
};

impl Layout<'_> {
    pub(super) fn module(&mut self, bind: &ModBind) {
        self.tok();
        self.space();
        self.tok();
        self.begin(Group::Fill);
        for param in &bind.params {
            self.continuation(4);
            self.mod_param(param);
        }
        if let Some(mod_type) = bind.mod_type {
            self.tok();
            self.space();
            self.mod_type(mod_type);
        }
        self.end();
        self.space();
        self.tok();
        self.space();
        self.mod_exp(bind.body);
    }

    /// A line that is indented alone.
    fn continuation(&mut self, by: i32) {
        self.indent(by);
        self.line();
        self.pop();
    }

    /// `(name: module_type)`
    fn mod_param(&mut self, param: &ModParam) {
        for _ in 0..3 {
            self.tok();
        }
        self.space();
        self.begin(Group::Fill);
        self.mod_type(param.mod_type);
        self.end();
        self.tok();
    }

    pub(super) fn mod_exp(&mut self, id: ModExpId) {
        with_stack(|| self.mod_exp_here(id));
    }

    fn mod_exp_here(&mut self, id: ModExpId) {
        let ast = self.ast;
        match &ast[id].kind {
            ModExpKind::Error | ModExpKind::Name(_) => self.until(ast[id].span.hi),
            ModExpKind::Paren(inner) => {
                let ends = [ast[*inner].span.hi];
                self.list(Group::Fill, &ends, |this, _| this.mod_exp(*inner));
            }
            ModExpKind::Import(_) => {
                self.tok();
                self.space();
                self.tok();
            }
            ModExpKind::Decs(decs) => {
                self.block(ast[id].span, decs.len(), |this, at| this.dec(decs[at]));
            }
            ModExpKind::Apply(f, arg) => {
                self.begin(Group::Fill);
                self.mod_exp(*f);
                self.gap(Gap::Line { space: true }, Some(2), true);
                self.mod_exp(*arg);
                self.pop();
                self.end();
            }
            ModExpKind::Ascript(inner, mod_type) => {
                self.mod_exp(*inner);
                self.space();
                self.tok();
                self.space();
                self.mod_type(*mod_type);
            }
            ModExpKind::Lambda { param, mod_type, body } => {
                self.tok();
                self.mod_param(param);
                if let Some(mod_type) = mod_type {
                    self.tok();
                    self.space();
                    self.mod_type(*mod_type);
                }
                self.space();
                self.tok();
                self.begin(Group::Fill);
                self.indented_line(2, false);
                self.mod_exp(*body);
                self.pop();
                self.end();
            }
        }
    }

    /// Declarations or specifications in braces: below one another, unless the author has put all on one line.
    fn block(&mut self, span: Span, count: usize, mut item: impl FnMut(&mut Self, usize)) {
        self.tok();
        if count == 0 {
            self.indent(2);
            self.comments_before_close();
            self.tok();
            return;
        }
        let broken = self.source.has_break(span);
        // What is before the brace can count on it.
        self.tape.push(Op::Hug);
        self.begin(Group::Together);
        self.indent(2);
        for at in 0..count {
            if at == 0 && broken {
                self.hard_without_blank();
            } else {
                self.line_or_hard(broken);
            }
            item(self, at);
        }
        self.comments_before_close();
        if broken {
            self.hard_without_blank()
        } else {
            self.line()
        }
        self.tok();
        self.end();
    }

    pub(super) fn mod_type(&mut self, id: ModTypeExpId) {
        with_stack(|| self.mod_type_here(id));
    }

    fn mod_type_here(&mut self, id: ModTypeExpId) {
        let ast = self.ast;
        match &ast[id].kind {
            ModTypeExpKind::Error | ModTypeExpKind::Name(_) => self.until(ast[id].span.hi),
            ModTypeExpKind::Paren(inner) => {
                let ends = [ast[*inner].span.hi];
                self.list(Group::Fill, &ends, |this, _| this.mod_type(*inner));
            }
            ModTypeExpKind::Specs(specs) => {
                self.block(ast[id].span, specs.len(), |this, at| this.spec(specs[at]));
            }
            ModTypeExpKind::With { base, params, body, name } => {
                self.mod_type(*base);
                self.continuation(4);
                self.tok();
                self.space();
                self.until(name.span().hi);
                if !params.is_empty() {
                    self.space();
                    self.type_params(params);
                }
                self.space();
                self.tok();
                self.space();
                self.type_exp(*body);
            }
            ModTypeExpKind::Arrow { param, arg, ret } => {
                if param.is_some() {
                    for _ in 0..3 {
                        self.tok();
                    }
                    self.space();
                    self.mod_type(*arg);
                    self.tok();
                } else {
                    self.mod_type(*arg);
                }
                self.space();
                self.tok();
                self.begin(Group::Fill);
                self.line();
                self.end();
                self.mod_type(*ret);
            }
        }
    }

    fn spec(&mut self, id: SpecId) {
        let ast = self.ast;
        let spec = &ast[id];
        self.attrs(&spec.attrs);
        match &spec.kind {
            SpecKind::Error => self.until(spec.span.hi),
            SpecKind::Val { type_params, ty, .. } => {
                self.begin(Group::Together);
                self.tok();
                self.space();
                self.name_of_value();
                if !type_params.is_empty() {
                    self.space();
                    self.type_params(type_params);
                }
                self.tok();
                self.rhs_type(*ty);
                self.end();
            }
            SpecKind::TypeAbbr(TypeBind { liftedness, params, body, .. }) => {
                self.begin(Group::Together);
                self.type_head(*liftedness, params);
                self.space();
                self.tok();
                self.rhs_type(*body);
                self.end();
            }
            SpecKind::Type { liftedness, params, .. } => self.type_head(*liftedness, params),
            SpecKind::Module { mod_type, .. } => {
                self.tok();
                self.space();
                self.tok();
                self.tok();
                self.space();
                self.mod_type(*mod_type);
            }
            SpecKind::Include(mod_type) => {
                self.tok();
                self.space();
                self.mod_type(*mod_type);
            }
        }
    }
}
