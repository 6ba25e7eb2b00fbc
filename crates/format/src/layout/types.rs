//! Types.

use super::Layout;
use crate::tape::Group;
use kenaz_base::with_stack;
use kenaz_syntax::ast::{Ident, SizeExp, TypeArg, TypeExpId, TypeExpKind};

impl Layout<'_> {
    pub(super) fn type_exp(&mut self, id: TypeExpId) {
        with_stack(|| self.type_here(id));
    }

    fn type_here(&mut self, id: TypeExpId) {
        let ast = self.ast;
        let span = ast[id].span;
        match &ast[id].kind {
            TypeExpKind::Error | TypeExpKind::Name(_) => self.until(span.hi),
            TypeExpKind::Paren(ty) => self.types(Group::Fill, &[*ty]),
            TypeExpKind::Tuple(types) => self.types(Group::Together, types),
            TypeExpKind::Record(fields) => {
                let ends: Vec<u32> = fields.iter().map(|(_, ty)| self.ast[*ty].span.hi).collect();
                self.list(Group::Together, &ends, |this, at| {
                    this.tok();
                    this.tok();
                    this.space();
                    this.type_exp(fields[at].1);
                });
            }
            TypeExpKind::Array(size, element) => {
                self.size(size);
                self.type_exp(*element);
            }
            TypeExpKind::Unique(ty) => {
                self.tok();
                self.type_exp(*ty);
            }
            TypeExpKind::Sum(constructors) => self.sum(constructors),
            TypeExpKind::Arrow { .. } => self.arrows(id),
            TypeExpKind::Apply(head, args) => {
                self.type_exp(*head);
                for arg in args {
                    self.space();
                    match arg {
                        TypeArg::Size(size) => self.size(size),
                        TypeArg::Type(ty) => self.type_exp(*ty),
                    }
                }
            }
            TypeExpKind::Exists(_, ty) => {
                self.until(ast[*ty].span.lo);
                self.type_exp(*ty);
            }
        }
    }

    fn types(&mut self, group: Group, types: &[TypeExpId]) {
        let ends: Vec<u32> = types.iter().map(|&ty| self.ast[ty].span.hi).collect();
        self.list(group, &ends, |this, at| this.type_exp(types[at]));
    }

    /// `[n]`
    fn size(&mut self, size: &SizeExp) {
        self.tok();
        if let Some(e) = size.expr {
            self.expr(e);
        }
        self.tok();
    }

    /// `#a t | #b`, where each `|` that begins a line stands before the constructors.
    fn sum(&mut self, constructors: &[(Ident, Vec<TypeExpId>)]) {
        let group =
            if constructors.iter().all(|(_, payload)| payload.is_empty()) { Group::Fill } else { Group::Together };
        self.align();
        self.begin(group);
        for (at, (_, payload)) in constructors.iter().enumerate() {
            if at > 0 {
                self.indent(-2);
                self.line();
                self.pop();
                self.tok();
                self.space();
            }
            self.tok();
            for &ty in payload {
                self.space();
                self.type_exp(ty);
            }
        }
        self.end();
        self.pop();
    }

    /// `t -> u -> v`
    fn arrows(&mut self, id: TypeExpId) {
        self.align();
        self.begin(Group::Fill);
        let mut ty = id;
        while let TypeExpKind::Arrow { param, arg, ret } = self.ast[ty].kind {
            if param.is_some() {
                for _ in 0..3 {
                    self.tok();
                }
                self.space();
                self.type_exp(arg);
                self.tok();
            } else {
                self.type_exp(arg);
            }
            if self.is_broken() {
                self.line();
                self.tok();
                self.space();
            } else {
                self.space();
                self.tok();
                self.line();
            }
            ty = ret;
        }
        self.type_exp(ty);
        self.end();
        self.pop();
    }

    /// A type behind `=` or `:`, on the same line or indented on the next ones.
    pub(super) fn rhs_type(&mut self, ty: TypeExpId) {
        let (by, own_line) = match &self.ast[ty].kind {
            TypeExpKind::Sum(constructors) => {
                let begins_line = |name: &Ident| {
                    let bar = self.source.text[..name.span.lo as usize].trim_end().len() as u32;
                    self.source.starts_line(name.span.lo)
                        || bar.checked_sub(1).is_some_and(|bar| self.source.starts_line(bar))
                };
                (4, constructors.iter().skip(1).any(|(name, _)| begins_line(name)))
            }
            _ => (2, false),
        };
        self.indented_line(by, own_line);
        self.type_exp(ty);
        self.pop();
    }
}
