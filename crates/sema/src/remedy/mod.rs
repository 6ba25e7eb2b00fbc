//! What one can do about a mistake: the remedy that a colleague would name.
//!
//! Everything here is asked only after a mistake was found, and changes nothing but what is said about it. Texts are
//! made of the user's own expressions where these are short. Where a text is certain to be right in the place of
//! another one, it is a fix as well; the tests apply every fix and check the program again.

mod arguments;
mod calls;
mod names;
mod operators;

pub(crate) use arguments::Application;
pub(crate) use names::binds_names;
pub(crate) use operators::is_comparison;

use crate::checker::Checker;
use crate::types::{Ty, TyKind};
use kenaz_base::{Diagnostic, Fix, Prim, Span};
use kenaz_syntax::ast::{ExprId, ExprKind};

/// What one can do, in words, and the changes that do it.
#[derive(Clone)]
pub(crate) struct Remedy {
    pub hint: String,
    pub fixes: Vec<Fix>,
}

impl Remedy {
    pub(crate) fn new(hint: impl Into<String>) -> Remedy {
        Remedy { hint: hint.into(), fixes: Vec::new() }
    }

    #[must_use]
    pub(crate) fn fix(mut self, span: Span, text: impl Into<String>) -> Remedy {
        self.fixes.push(Fix { span, text: text.into() });
        self
    }

    #[must_use]
    pub(crate) fn fix_if(self, condition: bool, span: Span, text: impl Into<String>) -> Remedy {
        if condition { self.fix(span, text) } else { self }
    }

    pub(crate) fn add_to(self, mut diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.hints.push(self.hint);
        diagnostic.fixes.extend(self.fixes);
        diagnostic
    }
}

impl Checker<'_> {
    /// Runs `f` without reporting what is wrong: the mistake it is part of has a message already.
    pub(crate) fn muted<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.is_muted, true);
        let result = f(self);
        self.is_muted = outer;
        result
    }

    /// The whole text of an expression on one line, if it is short.
    pub(crate) fn short_text(&self, expr: ExprId) -> Option<String> {
        let text = self.text(self.ast[expr].span);
        (!text.ends_with('…') && !text.contains("--")).then_some(text)
    }

    /// The text of an expression as the argument of a function, if it is short.
    pub(crate) fn short_argument(&self, expr: ExprId) -> Option<String> {
        self.short_text(self.without_parens(expr))?;
        Some(self.argument_text(expr))
    }

    /// Puts `text` in the place of an expression, wherever that stands.
    pub(crate) fn in_place(&self, remedy: Remedy, expr: ExprId, text: &str) -> Remedy {
        match &self.ast[expr].kind {
            ExprKind::Paren(inner) => remedy.fix(self.ast[*inner].span, text),
            _ => remedy.fix(self.ast[expr].span, format!("({text})")),
        }
    }

    /// The primitive type of a number, or of the elements of an array of numbers, and the rank.
    pub(crate) fn numbers(&self, ty: &Ty) -> Option<(Prim, usize)> {
        let mut rank = 0;
        let mut ty = self.names.shallow(ty);
        while let TyKind::Array(_, elem) = ty.kind() {
            rank += 1;
            ty = self.names.shallow(&elem.clone());
        }
        Some((ty.as_prim()?, rank))
    }

    pub(crate) fn rank(&self, ty: &Ty) -> usize {
        match self.names.shallow(ty).kind() {
            TyKind::Array(_, elem) => 1 + self.rank(elem),
            TyKind::Unique(t) => self.rank(t),
            _ => 0,
        }
    }
}
