//! Turns a failed unification into a message.

use crate::checker::Checker;
use crate::names::{SizeCause, VarKind};
use crate::types::{Size, Ty, VarId};
use crate::unify::{Clash, PartKind};
use kenaz_base::{Code, Diagnostic, Span, Symbol};
use kenaz_syntax::ast::Liftedness;

/// What was being checked when two types turned out to differ.
#[derive(Clone)]
pub struct Context {
    pub code: Code,
    /// The place of what has the actual type.
    pub span: Span,
    /// What is wrong as a whole: ``argument `x` does not fit `f` ``.
    pub headline: String,
    /// Where the expected type comes from.
    pub cause: Option<(Span, String)>,
}

impl Context {
    pub fn new(span: Span, headline: impl Into<String>) -> Context {
        Context { code: Code::TypeMismatch, span, headline: headline.into(), cause: None }
    }

    #[must_use]
    pub fn cause(mut self, span: Span, text: impl Into<String>) -> Context {
        self.cause = Some((span, text.into()));
        self
    }

    #[must_use]
    pub fn code(mut self, code: Code) -> Context {
        self.code = code;
        self
    }
}

impl Checker<'_> {
    /// Makes `actual` equal to `expected`, or reports why it is not.
    pub fn unify(&mut self, expected: &Ty, actual: &Ty, context: &dyn Fn(&Self) -> Context) -> bool {
        let Err(clash) = self.names.unify(self.level, expected, actual) else { return true };
        let context = context(self);
        self.report_clash(expected, actual, &clash, context);
        false
    }

    pub fn report_clash(&mut self, expected: &Ty, actual: &Ty, clash: &Clash, context: Context) {
        if self.mentions_error(expected) || self.mentions_error(actual) {
            // A consequence of something that was reported already.
            self.current.errors += 1;
            if self.diagnostics.has_errors() {
                return;
            }
        }
        if let Clash::Overload { usage, .. } | Clash::NoEquality { usage, .. } = clash {
            // One violation can be noticed in several places.
            if self.current.reported.contains(&usage.span) {
                self.current.errors += 1;
                return;
            }
            self.current.reported.push(usage.span);
        }
        let names = &self.names;
        let (expected, actual) = (names.zonk(expected), names.zonk(actual));
        let (want, have) = (names.show(&expected), names.show(&actual));
        let (code, detail, hint) = self.explain(clash, context.code);
        let mut diagnostic = Diagnostic::error(code, context.span, context.headline);
        diagnostic = diagnostic.label(if want == have || want == "_" {
            format!("this has type `{have}`")
        } else {
            format!("expected `{want}`, found `{have}`")
        });
        if let Some((span, text)) = context.cause {
            diagnostic = diagnostic.cause(span, text);
        }
        let innermost = format!("expected `{want}`, found `{have}`");
        if let Some(detail) = detail.filter(|d| *d != innermost) {
            diagnostic = diagnostic.note(detail);
        }
        for (span, text) in self.size_origins(clash) {
            diagnostic = diagnostic.cause(span, text);
        }
        if let Some(hint) = hint {
            diagnostic = diagnostic.hint(hint);
        }
        self.error(diagnostic);
    }

    fn mentions_error(&self, ty: &Ty) -> bool {
        self.names.zonk(ty).is_error()
    }

    /// The code, what clashes in particular, and what one can do about it.
    fn explain(&self, clash: &Clash, code: Code) -> (Code, Option<String>, Option<String>) {
        let names = &self.names;
        let show = |ty: &Ty| names.show(&names.zonk(ty));
        match clash {
            Clash::Types(a, b) => (code, Some(format!("expected `{}`, found `{}`", show(a), show(b))), None),
            Clash::Sizes(a, b) => (
                Code::SizeMismatch,
                Some(format!(
                    "the sizes {} and {} are not known to be equal",
                    names.quote_size(a),
                    names.quote_size(b)
                )),
                Some(format!(
                    "if they are equal whenever the program runs, say so with a size coercion: `:> [{}]…`",
                    names.show_size(a)
                )),
            ),
            Clash::Parts { kind, missing, extra } => {
                let list = |names: &[Symbol], mark: &str| {
                    names.iter().map(|n| format!("`{mark}{n}`")).collect::<Vec<_>>().join(", ")
                };
                let (what, mark) = match kind {
                    PartKind::Field => ("field", ""),
                    PartKind::Constructor => ("constructor", "#"),
                };
                let s = |names: &[Symbol]| if names.len() == 1 { "" } else { "s" };
                let mut parts = Vec::new();
                if !missing.is_empty() {
                    parts.push(format!("{what}{} {} missing", s(missing), list(missing, mark)));
                }
                if !extra.is_empty() {
                    parts.push(format!("{what}{} {} not expected", s(extra), list(extra, mark)));
                }
                (code, Some(parts.join("; ")), None)
            }
            Clash::Payload(name, a, b) => {
                (code, Some(format!("constructor `#{name}` has {a} values in its payload, but {b} are given")), None)
            }
            Clash::Infinite(a, b) => (
                Code::InfiniteType,
                Some(format!("`{}` would have to be the same as `{}`, which contains it", show(a), show(b))),
                None,
            ),
            Clash::InfiniteSize(a, b) => (
                Code::InfiniteType,
                Some(format!(
                    "size {} would have to be the same as {}, which contains it",
                    names.quote_size(a),
                    names.quote_size(b)
                )),
                None,
            ),
            Clash::SizeScope { size, name, .. } if matches!(names.vars[*name].kind, VarKind::Bound) => (
                Code::SizeUnknownFunction,
                Some(format!("the size {} exists only while a function is running", names.quote_size(size))),
                Some("apply the functions one after the other with `|>` instead of composing them".to_string()),
            ),
            Clash::SizeScope { size, name, cause } => {
                let var = names.show_var(*name);
                let subject = match cause {
                    Some((SizeCause::Anonymous | SizeCause::Inferred, _)) => "an array from outside its scope",
                    _ => "something from outside its scope",
                };
                let detail = format!("{} would have to be the size of {subject}", names.quote_size(size));
                let hint = match &names.vars[*name].kind {
                    VarKind::Unknown(_) => "bind the value whose size this is with `let` before this point".to_string(),
                    _ => format!("bind `{var}` earlier, or coerce the other array to this size with `:>`"),
                };
                let code = match &names.vars[*name].kind {
                    VarKind::Unknown(_) => Code::SizeCausality,
                    _ => Code::SizeEscapes,
                };
                (code, Some(detail), Some(hint))
            }
            Clash::TypeScope { ty, name } => (
                Code::TypeEscapes,
                Some(format!(
                    "type `{}` contains the type parameter `{}`, which is not in scope where this value comes from",
                    show(ty),
                    names.types[*name].name
                )),
                None,
            ),
            Clash::Overload { set, ty, usage } => (
                if usage.what.ends_with("literal") { code } else { Code::OperandType },
                Some(format!("{} needs {}, but this is `{}`", usage.what, one_of(&set.describe()), show(ty))),
                None,
            ),
            Clash::NoEquality { ty, usage } => (
                Code::NoEquality,
                Some(format!("{}: values of type `{}` cannot be compared", usage.what, show(ty))),
                Some("only numbers, booleans and arrays, records and sums of them can be compared".to_string()),
            ),
            Clash::Lifted { ty, allowed, usage } => {
                let what = usage.as_ref().map_or("this", |u| u.what.as_str());
                let functional = self.contains_arrow(ty);
                let code = usage.as_ref().map_or(Code::FunctionInstance, |u| u.code);
                let code = if functional || code != Code::FunctionInArray { code } else { Code::LiftedType };
                let kind = match (functional, allowed) {
                    (true, _) => "is, contains or may be a function",
                    (false, Liftedness::Unlifted) => "may stand for arrays of different sizes",
                    (false, _) => "is lifted",
                };
                (code, Some(format!("{what}: `{}` {kind}, which is not allowed here", show(ty))), None)
            }
            Clash::NotRecord { ty, usage } => {
                (code, Some(format!("{}: `{}` is not a record with such fields", usage.what, show(ty))), None)
            }
            Clash::NotSum { ty, usage } => {
                (code, Some(format!("{}: `{}` is not a sum type with such constructors", usage.what, show(ty))), None)
            }
            Clash::Consumes(_, actual) => (
                Code::ConsumingFunction,
                Some(format!("a function of type `{}` consumes its argument, which is not allowed here", show(actual))),
                Some("wrap it in a function that copies its argument: `\\x -> f (copy x)`".to_string()),
            ),
            Clash::NotUnique(want, have) => (
                code,
                Some(format!(
                    "the result of `{}` may share memory with its arguments, but `{}` promises a fresh value",
                    show(have),
                    show(want)
                )),
                None,
            ),
            Clash::Existential { ty, sizes } => (
                Code::SizeUnknownFunction,
                Some(format!(
                    "the function returns `{}`, where {} not known before it is called and may differ between calls",
                    show(ty),
                    self.size_list(sizes)
                )),
                Some("bind the size to a name outside the function, or state it with a type annotation".to_string()),
            ),
            Clash::ExistentialParam { ty, sizes } => (
                Code::SizeUnknownFunction,
                Some(format!(
                    "in `{}`, {} not known when the function is made, but its parameter needs it",
                    show(ty),
                    self.size_list(sizes)
                )),
                Some("apply the functions one after the other with `|>` instead of composing them".to_string()),
            ),
        }
    }

    fn size_list(&self, sizes: &[VarId]) -> String {
        let names: Vec<String> = sizes.iter().map(|v| format!("`{}`", self.names.vars[*v].name)).collect();
        match &names[..] {
            [one] => format!("the size depends on {one}, which is"),
            _ => format!("the sizes depend on {}, which are", names.join(", ")),
        }
    }

    /// Where the unknown sizes in a clash come from.
    fn size_origins(&self, clash: &Clash) -> Vec<(Span, String)> {
        let mut sizes: Vec<&Size> = Vec::new();
        match clash {
            Clash::Sizes(a, b) => sizes.extend([a, b]),
            Clash::SizeScope { size, .. } => sizes.push(size),
            _ => {}
        }
        let mut out = Vec::new();
        for size in sizes {
            self.names.size(size).for_each_var(&mut |v| {
                if let Some(text) = self.size_origin(v) {
                    let span = self.names.vars[v].span;
                    if out.iter().all(|(s, _)| *s != span) {
                        out.push((span, text));
                    }
                }
            });
        }
        out
    }

    /// For a size that the program does not name: what it is.
    pub fn size_origin(&self, v: VarId) -> Option<String> {
        let VarKind::Unknown(cause) = &self.names.vars[v].kind else { return None };
        let name = self.names.show_var(v);
        Some(match cause {
            SizeCause::Result(Some(f)) => format!("`{name}` is the unknown size of the result of `{f}`"),
            SizeCause::Result(None) => format!("`{name}` is the unknown size of this result"),
            SizeCause::Argument { text, of, .. } => match of {
                Some(f) => format!("`{name}` is the value of `{text}`, which `{f}` gets here"),
                None => format!("`{name}` is the value of `{text}`"),
            },
            SizeCause::Branches(a, b) => {
                format!("`{name}` is `{a}` in one branch and `{b}` in another")
            }
            SizeCause::Slice => format!("`{name}` is the unknown size of this slice"),
            SizeCause::Range => format!("`{name}` is the unknown length of this range"),
            SizeCause::Loop => format!("`{name}` is the size after this loop, which may change it"),
            SizeCause::Scope(size) => format!("`{name}` is `{size}`, which is not in scope outside of this"),
            SizeCause::Anonymous
            | SizeCause::Coercion
            | SizeCause::Inferred
            | SizeCause::Pattern
            | SizeCause::Instance { .. } => format!("`{name}` is an unknown size"),
        })
    }
}

fn one_of(set: &str) -> String {
    if set.contains(" or ") { format!("one of {set}") } else { set.to_string() }
}
