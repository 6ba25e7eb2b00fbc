//! Turns a failed unification into a message.

mod explain;
mod hints;
mod shown;

pub(crate) use hints::arity;

use crate::checker::Checker;
use crate::names::{Constraint, MetaState};
use crate::remedy::Remedy;
use crate::types::{Ty, TyKind};
use crate::unify::Clash;
use kenaz_base::{Code, Diagnostic, Fix, Span};
use kenaz_syntax::ast::ExprId;

/// What was being checked when two types turned out to differ.
#[derive(Clone)]
pub(crate) struct Context {
    pub code: Code,
    /// The place of what has the actual type.
    pub span: Span,
    /// What is wrong as a whole: ``argument `x` does not fit `f` ``.
    pub headline: String,
    /// Where the expected type comes from.
    pub cause: Option<(Span, String)>,
    /// What has the actual type.
    pub value: Option<ExprId>,
    /// The function whose argument does not fit.
    pub function: Option<String>,
    /// What clashes in particular, where that is known better here.
    pub detail: Option<String>,
    /// What one can do about it, where that is known better here.
    pub hint: Option<Remedy>,
}

impl Context {
    pub(crate) fn new(span: Span, headline: impl Into<String>) -> Context {
        Context {
            code: Code::TypeMismatch,
            span,
            headline: headline.into(),
            cause: None,
            value: None,
            function: None,
            detail: None,
            hint: None,
        }
    }

    #[must_use]
    pub(crate) fn cause(mut self, span: Span, text: impl Into<String>) -> Context {
        self.cause = Some((span, text.into()));
        self
    }

    #[must_use]
    pub(crate) fn code(mut self, code: Code) -> Context {
        self.code = code;
        self
    }

    #[must_use]
    pub(crate) fn value(mut self, value: ExprId) -> Context {
        self.value = Some(value);
        self
    }

    #[must_use]
    pub(crate) fn detail(mut self, detail: Option<String>) -> Context {
        self.detail = detail;
        self
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: Option<Remedy>) -> Context {
        self.hint = hint;
        self
    }
}

/// Two types that clash, with all that is known filled in, and the innermost parts that do.
pub(crate) struct Clashing<'a> {
    pub expected: &'a Ty,
    pub actual: &'a Ty,
    pub clash: &'a Clash,
    pub context: &'a Context,
}

/// The code, what clashes in particular, and what one can do about it.
pub(crate) struct Explanation {
    pub code: Code,
    pub notes: Vec<String>,
    pub hints: Vec<String>,
    pub fixes: Vec<Fix>,
}

impl Checker<'_> {
    /// Makes `actual` equal to `expected`, or reports why it is not.
    pub(crate) fn unify(&mut self, expected: &Ty, actual: &Ty, context: &dyn Fn(&Self) -> Context) -> bool {
        let Err(clash) = self.names.unify(self.level, expected, actual) else { return true };
        self.tell_apart(&[expected, actual]);
        let context = context(self);
        self.report_clash(expected, actual, &clash, context);
        false
    }

    /// [`Checker::unify`] for something at this place, which is where its type is said to be ambiguous if it is.
    pub(crate) fn unify_at(
        &mut self,
        span: Span,
        expected: &Ty,
        actual: &Ty,
        context: &dyn Fn(&Self) -> Context,
    ) -> bool {
        self.names.at = Some(span);
        let ok = self.unify(expected, actual, context);
        self.names.at = None;
        ok
    }

    pub(crate) fn report_clash(&mut self, expected: &Ty, actual: &Ty, clash: &Clash, context: Context) {
        if self.is_consequence(expected, actual, clash) {
            self.current.errors += 1;
            self.forget_shown();
            return;
        }
        let (expected, actual) = (self.names.zonk(expected), self.names.zonk(actual));
        let clashing = Clashing { expected: &expected, actual: &actual, clash, context: &context };
        let Explanation { code, notes, hints, fixes } = self.explain(&clashing);
        let label = self.clash_label(&clashing);
        let mut diagnostic = Diagnostic::error(code, context.span, &context.headline).label(label);
        if let Some((span, text)) = &context.cause {
            diagnostic = diagnostic.cause(*span, text);
        }
        for (span, text) in self.size_origins(clash) {
            diagnostic = diagnostic.cause(span, text);
        }
        diagnostic.notes = notes;
        diagnostic.hints = hints;
        diagnostic.fixes = fixes;
        self.forget_shown();
        self.error(diagnostic);
    }

    /// Whether a clash follows from something that was reported already.
    fn is_consequence(&mut self, expected: &Ty, actual: &Ty, clash: &Clash) -> bool {
        let mentions_error = self.names.zonk(expected).is_error() || self.names.zonk(actual).is_error();
        if mentions_error && self.diagnostics.has_errors() {
            return true;
        }
        match clash {
            Clash::Overload { usage, .. } | Clash::NoEquality { usage, .. } => {
                // One violation can be noticed in several places.
                if self.current.reported.contains(&usage.span) {
                    return true;
                }
                self.current.reported.push(usage.span);
                false
            }
            Clash::Types(a, b) => {
                // One wrong use of a type parameter can make it differ from the same type in several places.
                let is_param = |ty: &Ty| matches!(ty.kind(), TyKind::Con(id, _) if self.names.types[*id].is_param);
                if !is_param(a) && !is_param(b) {
                    return false;
                }
                let (a, b) = (self.names.show(a), self.names.show(b));
                let pair = if a < b { (a, b) } else { (b, a) };
                !self.current.differ.insert(pair)
            }
            // The function that is out of place is so wherever it is used.
            Clash::Lifted { ty, .. } if self.contains_arrow(ty) => {
                std::mem::replace(&mut self.current.misplaced_function, true)
            }
            _ => false,
        }
    }

    fn clash_label(&self, clashing: &Clashing<'_>) -> String {
        let (want, have) = (self.expected_phrase(clashing.expected), self.actual_phrase(clashing.actual));
        if want != self.actual_phrase(clashing.expected) || (want != have && want != "`_`") {
            format!("expected {want}, found {have}")
        } else if have.starts_with('`') {
            format!("this has type {have}")
        } else {
            format!("this is {have}")
        }
    }

    /// The type in backquotes, or what is known of it: ``a numeric type``.
    pub(crate) fn expected_phrase(&self, ty: &Ty) -> String {
        if let TyKind::Meta(m) = self.names.shallow(ty).kind()
            && let MetaState::Open(Constraint::Overloaded(set, _)) = &self.names.metas[*m].state
        {
            return set.describe();
        }
        format!("`{}`", self.names.show(ty))
    }

    /// The same of a value that is there: ``a decimal literal``.
    pub(crate) fn actual_phrase(&self, ty: &Ty) -> String {
        if let TyKind::Meta(m) = self.names.shallow(ty).kind()
            && let MetaState::Open(Constraint::Overloaded(set, usage)) = &self.names.metas[*m].state
        {
            return if usage.what.ends_with("literal") { usage.what.clone() } else { set.describe() };
        }
        format!("`{}`", self.names.show(ty))
    }
}
