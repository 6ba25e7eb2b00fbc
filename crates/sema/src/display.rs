//! Types and sizes as the user would write them.

use crate::names::{MetaState, Names, VarKind};
use crate::types::{Scheme, SchemeParam, Size, SizeHead, SizeTerm, Ty, TyArg, TyKind, VarId, is_tuple};
use kenaz_base::{Id, with_stack};
use kenaz_syntax::ast::Liftedness;
use std::fmt::Write;

/// A type that is shown is read: what is longer than this, in characters, is cut.
const MOST_SHOWN: usize = 300;

/// From this length on, in bytes, nothing more of a type is written: it would be cut.
const MOST_WRITTEN: usize = 4 * MOST_SHOWN;

impl Names {
    pub fn show(&self, ty: &Ty) -> String {
        let mut out = String::new();
        self.write_ty(&mut out, ty, 0);
        cut(out)
    }

    pub fn show_size(&self, size: &Size) -> String {
        let mut out = String::new();
        self.write_size(&mut out, size, 0);
        cut(out)
    }

    /// The size without brackets around it, in backquotes for messages: `` `n + 1` ``.
    pub fn quote_size(&self, size: &Size) -> String {
        format!("`{}`", self.show_size(size))
    }

    /// `f [n] 'a : [n]a -> a`, without the name.
    pub fn show_scheme(&self, scheme: &Scheme) -> String {
        let mut out = String::new();
        for param in &scheme.params {
            match param {
                SchemeParam::Size(v) => {
                    let _ = write!(out, "[{}] ", self.vars[*v].name);
                }
                SchemeParam::Type(id, liftedness) => {
                    let _ = write!(out, "'{}{} ", lift_mark(*liftedness), self.types[*id].name);
                }
            }
        }
        if !out.is_empty() {
            out.push_str(": ");
        }
        out.push_str(&self.show(&scheme.ty));
        out
    }

    /// Precedence: 0 anything, 1 no arrow or sum, 2 an atom.
    fn write_ty(&self, out: &mut String, ty: &Ty, prec: u8) {
        if out.len() > MOST_WRITTEN {
            return;
        }
        with_stack(|| self.write_ty_(out, &self.shallow(ty), prec));
    }

    fn write_ty_(&self, out: &mut String, ty: &Ty, prec: u8) {
        match ty.kind() {
            TyKind::Error => out.push('_'),
            TyKind::Prim(p) => out.push_str(p.name()),
            TyKind::Array(size, elem) => {
                out.push('[');
                self.write_size(out, size, 0);
                out.push(']');
                self.write_ty(out, elem, 2);
            }
            TyKind::Record(fields) if is_tuple(fields) => {
                out.push('(');
                for (i, (_, t)) in fields.iter().enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    self.write_ty(out, t, 0);
                }
                out.push(')');
            }
            TyKind::Record(fields) => {
                out.push('{');
                for (i, (name, t)) in fields.iter().enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    let _ = write!(out, "{name}: ");
                    self.write_ty(out, t, 0);
                }
                out.push('}');
            }
            TyKind::Sum(constrs) => {
                let parens = prec > 0;
                if parens {
                    out.push('(');
                }
                for (i, (name, ts)) in constrs.iter().enumerate() {
                    if i > 0 {
                        out.push_str(" | ");
                    }
                    let _ = write!(out, "#{name}");
                    for t in ts {
                        out.push(' ');
                        self.write_ty(out, t, 2);
                    }
                }
                if parens {
                    out.push(')');
                }
            }
            TyKind::Arrow(a) => {
                if prec > 0 {
                    out.push('(');
                }
                match a.param.filter(|p| crate::walk::free_vars(&a.ret).contains(p)) {
                    Some(p) => {
                        let _ = write!(out, "({}: ", self.vars[p].name);
                        if a.consumes {
                            out.push('*');
                        }
                        self.write_ty(out, &a.arg, 0);
                        out.push(')');
                    }
                    None => {
                        if a.consumes {
                            out.push('*');
                        }
                        self.write_ty(out, &a.arg, 1);
                    }
                }
                out.push_str(" -> ");
                self.write_ty(out, &a.ret, 0);
                if prec > 0 {
                    out.push(')');
                }
            }
            TyKind::Con(id, args) => {
                let parens = prec > 1 && !args.is_empty();
                if parens {
                    out.push('(');
                }
                match self.shown.types.get(id) {
                    Some(name) => out.push_str(name),
                    None => out.push_str(self.types[*id].name.as_str()),
                }
                for arg in args {
                    out.push(' ');
                    match arg {
                        TyArg::Size(size) => {
                            out.push('[');
                            self.write_size(out, size, 0);
                            out.push(']');
                        }
                        TyArg::Type(t) => self.write_ty(out, t, 2),
                    }
                }
                if parens {
                    out.push(')');
                }
            }
            TyKind::Meta(m) => match &self.metas[*m].state {
                MetaState::Solved(t) => self.write_ty(out, t, prec),
                MetaState::Open(_) => out.push('_'),
            },
            TyKind::Unique(t) => {
                out.push('*');
                self.write_ty(out, t, 2);
            }
            TyKind::Exists(dims, t) => {
                let mut text = String::new();
                if prec > 0 {
                    text.push('(');
                }
                text.push('?');
                for dim in dims {
                    let _ = write!(text, "[{}]", self.show_var(*dim));
                }
                text.push('.');
                self.write_ty(&mut text, t, 0);
                if prec > 0 {
                    text.push(')');
                }
                // Those of other definitions are numbered here.
                let mut names: Vec<(String, String)> = Vec::new();
                for (i, dim) in dims.iter().enumerate() {
                    let (name, shown) = (self.vars[*dim].name, self.show_var(*dim));
                    if shown.contains('′') {
                        names.push((shown, format!("{name}{}", subscript(i))));
                    }
                }
                names.sort_by_key(|(shown, _)| std::cmp::Reverse(shown.len()));
                out.push_str(&names.iter().fold(text, |text, (shown, name)| text.replace(shown, name)));
            }
        }
    }

    fn write_size(&self, out: &mut String, size: &Size, prec: u8) {
        if out.len() > MOST_WRITTEN {
            return;
        }
        with_stack(|| match self.shallow_size(size) {
            Size::Error => out.push('_'),
            Size::Const(n) => {
                let _ = write!(out, "{n}");
            }
            Size::Var(v) => out.push_str(&self.show_var(v)),
            Size::Term(term) => self.write_term(out, &term, prec),
        });
    }

    /// The name of a variable; sizes that no one named get a number to tell them apart.
    pub fn show_var(&self, v: VarId) -> String {
        let info = &self.vars[v];
        if let Some(name) = self.shown.vars.get(&v) {
            return name.clone();
        }
        match &info.kind {
            VarKind::Flexible(_, Some(solution)) => self.show_size(solution),
            VarKind::Unknown(_) => match v.index().checked_sub(self.shown_from) {
                Some(number) => format!("{}{}", info.name, subscript(number)),
                // Those of other definitions are counted backwards, with two digits, which hardly two of them share.
                None => format!("{}′{}", info.name, subscript((self.shown_from - v.index()) % 100)),
            },
            VarKind::Flexible(..)
            | VarKind::Value
            | VarKind::Global
            | VarKind::SizeParam
            | VarKind::Bound
            | VarKind::Intrinsic(_) => info.name.to_string(),
        }
    }

    /// Precedence: 0 anything, 1 an operand of an operator, 2 an argument.
    fn write_term(&self, out: &mut String, term: &SizeTerm, prec: u8) {
        let args = |this: &Names, out: &mut String, list: &[Size], sep: &str, p: u8| {
            for (i, arg) in list.iter().enumerate() {
                if i > 0 {
                    out.push_str(sep);
                }
                this.write_size(out, arg, p);
            }
        };
        let closed = match &term.head {
            SizeHead::Constr(_) => term.args.is_empty(),
            SizeHead::Field(_)
            | SizeHead::Index
            | SizeHead::Tuple
            | SizeHead::Record(_)
            | SizeHead::Array
            | SizeHead::Literal(_)
            | SizeHead::Absent
            | SizeHead::Slice
            | SizeHead::LeftSection
            | SizeHead::RightSection
            | SizeHead::ProjectSection(_)
            | SizeHead::IndexSection
            | SizeHead::Opaque(_) => true,
            SizeHead::Apply
            | SizeHead::Neg
            | SizeHead::Not
            | SizeHead::If
            | SizeHead::And
            | SizeHead::Or
            | SizeHead::Range(_)
            | SizeHead::UpdateField(_) => false,
        };
        let infix = match (&term.head, &term.args[..]) {
            (SizeHead::Apply, [Size::Var(f), a, b]) if is_operator(self.vars[*f].name.as_str()) => {
                Some((self.vars[*f].name.as_str(), a, b))
            }
            (SizeHead::And, [a, b]) => Some(("&&", a, b)),
            (SizeHead::Or, [a, b]) => Some(("||", a, b)),
            _ => None,
        };
        let parens = if infix.is_some() || !matches!(term.head, SizeHead::Apply) { prec > 0 } else { prec > 1 };
        let parens = parens && !closed;
        if parens {
            out.push('(');
        }
        if let Some((op, a, b)) = infix {
            // Additions group to the left; other operators get their parentheses.
            let plain = |s: &Size| match self.shallow_size(s) {
                Size::Term(t) => matches!((&t.head, &t.args[..]), (SizeHead::Apply, [Size::Var(f), _, _])
                    if matches!(self.vars[*f].name.as_str(), "+" | "-") && matches!(op, "+" | "-")),
                Size::Error | Size::Const(_) | Size::Var(_) => false,
            };
            self.write_size(out, a, u8::from(!plain(a)));
            let _ = write!(out, " {op} ");
            self.write_size(out, b, 1);
        } else {
            match &term.head {
                SizeHead::Apply | SizeHead::And | SizeHead::Or => args(self, out, &term.args, " ", 2),
                SizeHead::Neg => {
                    out.push('-');
                    args(self, out, &term.args, " ", 2);
                }
                SizeHead::Not => {
                    out.push('!');
                    args(self, out, &term.args, " ", 2);
                }
                SizeHead::Field(f) => {
                    args(self, out, &term.args, " ", 2);
                    let _ = write!(out, ".{f}");
                }
                SizeHead::Index => {
                    if let [array, dims @ ..] = &term.args[..] {
                        self.write_size(out, array, 2);
                        out.push('[');
                        args(self, out, dims, ", ", 0);
                        out.push(']');
                    }
                }
                SizeHead::Slice => args(self, out, &term.args, ":", 0),
                SizeHead::Absent => {}
                SizeHead::If => {
                    if let [c, t, f] = &term.args[..] {
                        out.push_str("if ");
                        self.write_size(out, c, 0);
                        out.push_str(" then ");
                        self.write_size(out, t, 0);
                        out.push_str(" else ");
                        self.write_size(out, f, 0);
                    }
                }
                SizeHead::Tuple => {
                    out.push('(');
                    args(self, out, &term.args, ", ", 0);
                    out.push(')');
                }
                SizeHead::Record(names) => {
                    out.push('{');
                    for (i, (name, arg)) in names.iter().zip(&term.args).enumerate() {
                        let _ = write!(out, "{}{name} = ", if i > 0 { ", " } else { "" });
                        self.write_size(out, arg, 0);
                    }
                    out.push('}');
                }
                SizeHead::Array => {
                    out.push('[');
                    args(self, out, &term.args, ", ", 0);
                    out.push(']');
                }
                SizeHead::Constr(name) => {
                    let _ = write!(out, "#{name}");
                    for arg in &term.args {
                        out.push(' ');
                        self.write_size(out, arg, 2);
                    }
                }
                SizeHead::Literal(text) => out.push_str(text.as_str()),
                SizeHead::LeftSection | SizeHead::RightSection => {
                    out.push('(');
                    args(self, out, &term.args, " ", 1);
                    out.push(')');
                }
                SizeHead::ProjectSection(fields) => {
                    out.push('(');
                    for f in fields {
                        let _ = write!(out, ".{f}");
                    }
                    out.push(')');
                }
                SizeHead::IndexSection => {
                    out.push_str("(.[");
                    args(self, out, &term.args, ", ", 0);
                    out.push_str("])");
                }
                SizeHead::Range(op) => args(self, out, &term.args, op.as_str(), 1),
                SizeHead::Opaque(_) => out.push('…'),
                SizeHead::UpdateField(fields) => {
                    if let [record, value] = &term.args[..] {
                        self.write_size(out, record, 1);
                        let path: Vec<&str> = fields.iter().map(|f| f.as_str()).collect();
                        let _ = write!(out, " with {} = ", path.join("."));
                        self.write_size(out, value, 0);
                    }
                }
            }
        }
        if parens {
            out.push(')');
        }
    }
}

fn cut(text: String) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

fn lift_mark(liftedness: Liftedness) -> &'static str {
    match liftedness {
        Liftedness::Unlifted => "",
        Liftedness::SizeLifted => "~",
        Liftedness::Lifted => "^",
    }
}

/// Whether a name is written between its arguments.
pub(crate) fn is_operator(name: &str) -> bool {
    name.bytes().next().is_some_and(|b| !b.is_ascii_alphanumeric() && b != b'_')
}

pub(crate) fn subscript(n: usize) -> String {
    n.to_string().chars().map(|c| char::from_u32('₀' as u32 + c as u32 - '0' as u32).unwrap_or(c)).collect()
}
