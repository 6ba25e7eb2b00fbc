//! What to say about mistakes with uniqueness.

use super::aliases::{RootId, Roots};
use super::{Consumption, FrameKind, How, Mark, Pass, RootKind};
use crate::types::{Ty, TyKind, VarId};
use kenaz_base::{Code, Diagnostic, Span};
use kenaz_syntax::ast::{ExprId, TypeExpId};

impl Pass<'_, '_> {
    fn is_reported(&mut self, at: Span) -> bool {
        let seen = self.reported.contains(&at);
        if !seen {
            self.reported.push(at);
        }
        seen
    }

    /// A root as it is called in a sentence.
    fn called(&self, root: RootId) -> String {
        match self.roots[root].kind {
            RootKind::Result => self.roots[root].name.clone(),
            RootKind::Owned
            | RootKind::Observed
            | RootKind::ObservedFunction
            | RootKind::ObservedInLoop
            | RootKind::InCondition
            | RootKind::Element
            | RootKind::Global => format!("`{}`", self.roots[root].name),
        }
    }

    fn name_of(function: Option<&str>) -> String {
        function.map_or("this function".to_string(), |f| format!("`{f}`"))
    }

    /// What happened to a root, which is gone.
    fn how(&self, consumption: &Consumption, root: RootId) -> String {
        let text = &consumption.text;
        let source = self.called(root);
        let is_part = format!("`{text}`") != source && self.roots[root].kind != RootKind::Result;
        match &consumption.how {
            How::Update if is_part => format!("`{text}` is updated in place here, which consumes {source} as well"),
            How::Update => format!("`{text}` is updated in place here, which consumes it"),
            How::Argument(f) => {
                let owner = f.as_ref().map_or("the function".to_string(), |f| format!("`{f}`"));
                let also = if is_part { format!(", and with it {source}") } else { String::new() };
                format!("`{text}` is consumed here{also}: {owner} takes ownership of this argument")
            }
            How::LoopStart => "consumed here: the loop takes ownership of its initial value".to_string(),
            How::Call => "called here, which consumes what the function holds".to_string(),
        }
    }

    /// A variable is used after it was consumed.
    pub(super) fn report_use(&mut self, var: VarId, at: Span, root: RootId, consumption: &Consumption) {
        if self.is_reported(consumption.span) {
            return;
        }
        let text = self.cx.names.vars[var].name;
        let source = self.called(root);
        let (kind, from) = (self.roots[root].kind, self.roots[root].span);
        let is_function = matches!(self.var_ty(var).kind(), TyKind::Arrow(_)) && source != format!("`{text}`");
        let message = if is_function {
            format!("`{text}` is used after {source}, which it refers to, was consumed")
        } else {
            format!("`{text}` is used after it was consumed")
        };
        let mut diagnostic =
            Diagnostic::error(Code::UseAfterConsume, at, message).cause(consumption.span, self.how(consumption, root));
        diagnostic = if is_function {
            let bound = self.cx.names.vars[var].span;
            diagnostic.label("used here").cause(bound, format!("`{text}` refers to {source}"))
        } else if kind == RootKind::Result {
            diagnostic.label("used here").cause(from, "the parts of this may share memory")
        } else if source == format!("`{text}`") {
            diagnostic.label("used here")
        } else {
            let bound = self.cx.names.vars[var].span;
            diagnostic
                .label(format!("this may share memory with {source}"))
                .cause(bound, format!("`{text}` may share memory with {source} since here"))
        };
        diagnostic = diagnostic.hint(if let How::Call = consumption.how {
            "call the function only once, or make it where it is called".to_string()
        } else if at < consumption.span {
            "what stands further right is evaluated first here: bind this with `let` before, or use a copy".to_string()
        } else {
            format!("use it before it is consumed, or consume a copy: `copy {}`", parenthesised(&consumption.text))
        });
        self.cx.error(diagnostic);
    }

    /// A value that was computed already is consumed before it could be used.
    pub(super) fn report_gone(&mut self, at: Span, root: RootId, consumption: &Consumption) {
        if self.is_reported(consumption.span) {
            return;
        }
        let (text, source) = (self.cx.text(at), self.called(root));
        let same = source == format!("`{text}`") || self.roots[root].kind == RootKind::Result;
        self.cx.error(
            Diagnostic::error(Code::UseAfterConsume, at, format!("`{text}` is consumed while it is still needed"))
                .label(if same { "needed here".to_string() } else { format!("this may share memory with {source}") })
                .cause(consumption.span, self.how(consumption, root))
                .hint(format!("use a copy: `copy {}`", parenthesised(&text))),
        );
    }

    /// Something is consumed that does not belong to the function.
    pub(super) fn report_not_consumable(&mut self, root: RootId, at: Span, how: &How) {
        if self.is_reported(at) {
            return;
        }
        let (text, source) = (self.cx.text(at), self.called(root));
        let (name, bound, kind) = (self.roots[root].name.clone(), self.roots[root].span, self.roots[root].kind);
        let action = match how {
            How::Update => "updated in place here".to_string(),
            How::Argument(Some(f)) => format!("`{f}` would consume this argument"),
            How::Argument(None) => "the function would consume this argument".to_string(),
            How::LoopStart => "the loop would consume this initial value".to_string(),
            How::Call => "calling this function consumes what it holds".to_string(),
        };
        let copy = format!("use a copy: `copy {}`", parenthesised(&text));
        let label = if text == name { action.clone() } else { format!("{action}; it may share memory with {source}") };
        let diagnostic = |code, message: String| Diagnostic::error(code, at, message).label(label.clone());
        let frame = self.frames.iter().find(|frame| super::is_before(root, frame.first)).map(|f| (f.kind, f.span));
        let diagnostic = match (kind, frame) {
            (RootKind::Observed, _) => {
                let diagnostic =
                    diagnostic(Code::NotConsumable, format!("{source} is consumed, but the function does not own it"))
                        .cause(bound, format!("{source} is a parameter without `*`, so the caller may still use it"));
                let home = self.frames.iter().rev().find(|frame| !super::is_before(root, frame.first));
                if home.is_some_and(|frame| frame.kind == FrameKind::Lambda) {
                    diagnostic.hint(copy)
                } else {
                    diagnostic.hint(format!("mark the parameter with `*` to take ownership, or {copy}"))
                }
            }
            (RootKind::ObservedFunction, _) => Diagnostic::error(
                Code::NotConsumable,
                at,
                format!("`{text}` is consumed, but {source} may return memory that others use"),
            )
            .label(action)
            .cause(bound, format!("the type of {source} does not say that its result is new"))
            .hint(format!("write `*` in front of the result in the type of {source}, or {copy}")),
            (RootKind::ObservedInLoop, _) => {
                diagnostic(Code::NotConsumable, format!("{source} is consumed, but the loop does not own it"))
                    .cause(bound, format!("{source} is a loop parameter whose declared type has no `*`"))
                    .hint(format!("write `*` in front of its type, or {copy}"))
            }
            (RootKind::InCondition, _) => {
                diagnostic(Code::ConsumedInLoop, format!("the condition of a loop cannot consume {source}"))
                    .cause(bound, format!("the body of the loop needs {source} as well"))
                    .hint(copy)
            }
            (RootKind::Element, _) => {
                diagnostic(Code::NotConsumable, format!("{source} is consumed, but it is a part of another array"))
                    .cause(bound, format!("{source} is an element of the array that the loop runs over"))
                    .hint(copy)
            }
            (RootKind::Global, _) => {
                diagnostic(Code::NotConsumable, format!("{source} is consumed, but it is defined outside the function"))
                    .cause(bound, format!("{source} is a definition, which everybody may use"))
                    .hint(copy)
            }
            (RootKind::Owned | RootKind::Result, Some((FrameKind::Size, _))) => {
                diagnostic(Code::NotConsumable, format!("the size of a parameter cannot consume {source}"))
                    .cause(bound, format!("{source} is still needed after the size is known"))
                    .hint(copy)
            }
            (RootKind::Owned | RootKind::Result, Some((FrameKind::Loop, span))) => {
                diagnostic(Code::ConsumedInLoop, format!("{source} would be consumed in every iteration of the loop"))
                    .cause(bound, format!("{source} comes from outside the loop"))
                    .cause(span, "this loop")
                    .hint(format!("make {source} a parameter of the loop, or {copy}"))
            }
            (RootKind::Owned | RootKind::Result, _) => diagnostic(
                Code::ConsumptionInFunction,
                format!("{source} would be consumed every time the function is called"),
            )
            .cause(bound, format!("{source} comes from outside the function"))
            .hint(format!("{copy}, or make {source} a parameter marked with `*`")),
        };
        self.cx.error(diagnostic);
    }

    /// The loop takes memory of others for its own, but does nothing with it.
    pub(super) fn warn_loop_start(&mut self, root: RootId, param: &str, at: Span) {
        let (source, bound) = (self.called(root), self.roots[root].span);
        let name = self.roots[root].name.clone();
        self.cx.warn(
            Diagnostic::warning(
                Code::ImplicitCopy,
                at,
                format!("the loop parameter `{param}` starts as a copy of {source}"),
            )
            .label(format!("its type has a `*`, but {source} may still be used by others"))
            .cause(bound, format!("{source} comes from here"))
            .hint(format!("write `copy {name}`, or leave the `*` out")),
        );
    }

    /// A functional value whose evaluation consumes something.
    pub(super) fn report_hidden_consumption(&mut self, mark: Mark, expr: ExprId, what: &str) {
        let span = self.span(expr);
        let first = self.trail[mark.0.min(self.trail.len())..].first().copied();
        let first = first.and_then(|root| self.consumed.get(&root).cloned().map(|consumption| (root, consumption)));
        let mut diagnostic = Diagnostic::error(
            Code::ConsumptionInFunction,
            span,
            format!("a function that has consumed something cannot be {what}"),
        )
        .label("this is or contains a function, which could be called many times")
        .hint("give the function all its arguments at once, or let it work on a `copy`");
        if let Some((root, consumption)) = first {
            diagnostic = diagnostic.cause(consumption.span, self.how(&consumption, root));
            self.reported.push(consumption.span);
        }
        self.cx.error(diagnostic);
    }

    /// A function that says its result is new, but it is not, is passed where that is relied upon.
    pub(super) fn report_broken_promise(&mut self, arg: ExprId, expected: &Ty, roots: &Roots) {
        let (span, shown) = (self.span(arg), self.cx.names.show(expected));
        let mut diagnostic = Diagnostic::error(
            Code::ResultAliases,
            span,
            "this function may return memory that others use, but its result must be new",
        )
        .label(format!("a function of type `{shown}` is needed"))
        .hint("let the function return a `copy`");
        if let Some(root) = roots.iter().next() {
            let source = self.called(root);
            diagnostic = diagnostic.cause(self.roots[root].span, format!("the result may share memory with {source}"));
        }
        self.cx.error(diagnostic);
    }

    pub(super) fn report_update_aliases(&mut self, root: RootId, at: Span, value: ExprId) {
        let (span, source) = (self.span(value), self.called(root));
        let text = self.cx.text(span);
        self.cx.error(
            Diagnostic::error(
                Code::UpdateAliases,
                span,
                format!("an array is updated with `{text}`, which may share its memory"),
            )
            .label(format!("this may share memory with {source}"))
            .cause(at, "the array that is updated")
            .hint(format!("make a copy first: `copy {}`", parenthesised(&text))),
        );
    }

    /// Two parts of a consumed argument are the same.
    pub(super) fn report_self_aliasing(&mut self, shared: Option<RootId>, span: Span, function: Option<&str>) {
        let what = shared.map_or("memory".to_string(), |root| format!("the memory of {}", self.called(root)));
        self.cx.error(
            Diagnostic::error(
                Code::SelfAliasingArgument,
                span,
                format!("{} consumes an argument whose parts share memory", Self::name_of(function)),
            )
            .label(format!("two parts of this may share {what}"))
            .hint("make a `copy` for one of the parts"),
        );
    }

    /// One argument is consumed, and another is the same.
    pub(super) fn report_consumed_beside(&mut self, consumed: Span, other: Span, function: Option<&str>) {
        if self.is_reported(consumed) {
            return;
        }
        let text = self.cx.text(other);
        self.cx.error(
            Diagnostic::error(
                Code::SelfAliasingArgument,
                other,
                format!("{} consumes an argument that another one shares memory with", Self::name_of(function)),
            )
            .label("this may be the same memory")
            .cause(consumed, "this argument is consumed")
            .hint(format!("pass a copy: `copy {}`", parenthesised(&text))),
        );
    }

    pub(super) fn report_result_aliases(&mut self, root: RootId, function: Option<&str>, body: ExprId, ret: TypeExpId) {
        let (source, bound, kind) = (self.called(root), self.roots[root].span, self.roots[root].kind);
        let who = Self::name_of(function);
        let mut diagnostic = Diagnostic::error(
            Code::ResultAliases,
            tail(self, body),
            format!("the result of {who} is declared to be unique, but it may share memory with {source}"),
        )
        .label(format!("this may share memory with {source}"))
        .cause(self.cx.ast[ret].span, "`*` promises that the result is new memory");
        diagnostic = if kind == RootKind::Observed {
            diagnostic
                .cause(bound, format!("{source} is a parameter without `*`, so the caller may still use it"))
                .hint(format!("return a `copy`, or mark {source} with `*` as well"))
        } else {
            diagnostic.cause(bound, format!("{source} comes from here")).hint("return a `copy`")
        };
        self.cx.error(diagnostic);
    }

    pub(super) fn report_result_parts(
        &mut self,
        shared: Option<RootId>,
        function: Option<&str>,
        body: ExprId,
        ret: TypeExpId,
    ) {
        let who = Self::name_of(function);
        let mut diagnostic = Diagnostic::error(
            Code::ResultAliases,
            tail(self, body),
            format!(
                "a part of the result of {who} is declared to be unique, but it may share memory with another part"
            ),
        )
        .label(match shared {
            Some(root) => format!("two parts may share memory with {}", self.called(root)),
            None => "two parts may share memory".to_string(),
        })
        .cause(self.cx.ast[ret].span, "`*` promises that the part is new memory")
        .hint("make a `copy` for one of the parts");
        if let Some(root) = shared
            && self.roots[root].kind == RootKind::Result
        {
            diagnostic = diagnostic.cause(self.roots[root].span, "the parts of this may share memory");
        }
        self.cx.error(diagnostic);
    }

    pub(super) fn report_result_aliases_global(&mut self, root: RootId, function: Option<&str>, body: ExprId) {
        let (source, bound) = (self.called(root), self.roots[root].span);
        let who = Self::name_of(function);
        self.cx.error(
            Diagnostic::error(
                Code::ResultAliasesGlobal,
                tail(self, body),
                format!("the result of {who} may share memory with {source}, which is defined outside it"),
            )
            .label(format!("this may share memory with {source}"))
            .cause(bound, format!("{source} is defined here"))
            .hint("return a copy: the result of a function may share memory only with its arguments"),
        );
    }

    /// The body of a loop returns the same for a consumed parameter and another one.
    pub(super) fn report_loop_parts(&mut self, param: &str, other: Option<&str>, body: ExprId) {
        let message = match other {
            Some(other) => format!("the loop returns values for `{param}` and `{other}` that may share memory"),
            None => format!("the loop returns a value for `{param}` whose parts may share memory"),
        };
        self.cx.error(
            Diagnostic::error(Code::LoopAliases, tail(self, body), message)
                .label(format!("the next iteration consumes `{param}`"))
                .hint("make a `copy` for one of them"),
        );
    }

    /// The body of a loop returns something from outside for a consumed parameter.
    pub(super) fn report_loop_returns(&mut self, root: RootId, param: &str, body: ExprId) {
        let (source, bound) = (self.called(root), self.roots[root].span);
        self.cx.error(
            Diagnostic::error(
                Code::LoopAliases,
                tail(self, body),
                format!("the loop returns a value for `{param}` that may share memory with {source}"),
            )
            .label(format!("the next iteration consumes `{param}`, and with it {source}"))
            .cause(bound, format!("{source} must stay as it is during the loop"))
            .hint("return a `copy`"),
        );
    }

    /// The initial value of a consumed parameter is also that of another one.
    pub(super) fn report_loop_start(&mut self, param: &str, other: Option<&str>, at: Span) {
        let message = match other {
            Some(other) => format!("the loop parameters `{param}` and `{other}` would share memory"),
            None => format!("parts of the loop parameter `{param}` would share memory"),
        };
        self.cx.error(
            Diagnostic::error(Code::LoopAliases, at, message)
                .label(format!("the loop consumes `{param}`"))
                .hint("make a `copy` for one of the initial values"),
        );
    }

    /// A loop consumes its initial value, but its body or condition needs it as well.
    pub(super) fn report_used_in_loop(&mut self, root: RootId, param: &str, at: Span, used: Option<(Span, String)>) {
        let source = self.called(root);
        let mut diagnostic = Diagnostic::error(
            Code::ConsumedInLoop,
            at,
            format!("the loop consumes its initial value {source}, but also uses it in every iteration"),
        )
        .label(format!("consumed here, because the loop consumes `{param}`"));
        diagnostic = match used {
            Some((span, text)) if format!("`{text}`") == source => diagnostic.cause(span, "used here inside the loop"),
            Some((span, text)) => {
                diagnostic.cause(span, format!("`{text}`, which may share memory with {source}, is used here"))
            }
            None => diagnostic.note("the loop runs over that array"),
        };
        self.cx.error(diagnostic.hint(format!("use `{param}` inside the loop, or start it with a `copy`")));
    }
}

/// The last expression of a chain of bindings: that is what is returned.
fn tail(pass: &Pass<'_, '_>, body: ExprId) -> Span {
    use kenaz_syntax::ast::ExprKind;
    let mut expr = body;
    loop {
        expr = match &pass.cx.ast[expr].kind {
            ExprKind::LetPat { body, .. } | ExprKind::LetFun { body, .. } | ExprKind::LetWith { body, .. } => *body,
            ExprKind::Paren(e) | ExprKind::Attr(_, e) | ExprKind::LocalOpen(_, e) => *e,
            _ => return pass.cx.ast[expr].span,
        };
    }
}

fn parenthesised(text: &str) -> String {
    if text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '[' | ']' | ':')) {
        text.to_string()
    } else {
        format!("({text})")
    }
}
