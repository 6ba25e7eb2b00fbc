//! What clashes in particular, for each kind of clash.

use super::hints::{Compared, arity};
use super::{Clashing, Explanation};
use crate::checker::Checker;
use crate::display::is_operator;
use crate::names::{PrimSet, SizeCause, Usage, VarKind};
use crate::type_exp::{are_given, count};
use crate::types::{Size, Ty, TyKind, VarId};
use crate::unify::{Clash, PartKind};
use kenaz_base::{Code, Span, Symbol};
use kenaz_syntax::ast::Liftedness;

/// Types longer than this, together, are worth a note about the parts that differ.
const LONG: usize = 60;

impl Explanation {
    fn new(code: Code, note: impl Into<Option<String>>) -> Explanation {
        Explanation { code, notes: note.into().into_iter().collect(), hints: Vec::new(), fixes: Vec::new() }
    }

    fn hint(mut self, hint: impl Into<Option<String>>) -> Explanation {
        self.hints.extend(hint.into());
        self
    }
}

impl Checker<'_> {
    pub(super) fn explain(&self, clashing: &Clashing<'_>) -> Explanation {
        let context = clashing.context;
        let mut explanation = self.explain_clash(clashing);
        if let Clash::Sizes(..) | Clash::SizeScope { .. } = clashing.clash
            && let Some(remedy) = self.size_remedy(clashing)
        {
            explanation.hints = vec![remedy.hint];
            explanation.fixes = remedy.fixes;
        }
        if context.detail.is_some()
            && matches!(clashing.clash, Clash::Types(..) | Clash::Infinite(..) | Clash::Parts { .. })
        {
            explanation.code = context.code;
            explanation.notes = context.detail.iter().cloned().collect();
        }
        if explanation.hints.is_empty() {
            let remedy = context.hint.clone().or_else(|| {
                let value = context.value?;
                self.conversion(clashing.expected, clashing.actual, value)
            });
            if let Some(remedy) = remedy {
                explanation.hints.push(remedy.hint);
                explanation.fixes.extend(remedy.fixes);
            }
        }
        explanation
    }

    fn explain_clash(&self, clashing: &Clashing<'_>) -> Explanation {
        let code = clashing.context.code;
        let names = &self.names;
        let show = |ty: &Ty| names.show(&names.zonk(ty));
        match clashing.clash {
            Clash::Types(a, b) => self.explain_types(a, b, clashing),
            Clash::Sizes(a, b) => self.explain_sizes(a, b, clashing),
            Clash::Parts { kind, missing, extra } => Explanation::new(code, parts_note(*kind, missing, extra)),
            Clash::Payload(name, a, b) => Explanation::new(
                code,
                format!("constructor `#{name}` has {}, but {}", count(*a, "value"), are_given(*b)),
            ),
            Clash::Infinite(a, b) => match self.other_arity(clashing) {
                Some(note) => Explanation::new(code, note),
                None => Explanation::new(
                    Code::InfiniteType,
                    format!("`{}` would have to be the same as `{}`, which contains it", show(a), show(b)),
                ),
            },
            Clash::InfiniteSize(a, b) => Explanation::new(
                Code::InfiniteType,
                format!(
                    "size {} would have to be the same as {}, which contains it",
                    names.quote_size(a),
                    names.quote_size(b)
                ),
            ),
            Clash::SizeScope { size, name, cause } => self.explain_size_scope(size, *name, cause.as_ref()),
            Clash::TypeScope { ty, name } => Explanation::new(
                Code::TypeEscapes,
                format!(
                    "type `{}` contains the type parameter `{}`, which is not in scope where this value comes from",
                    show(ty),
                    names.types[*name].name
                ),
            ),
            Clash::Overload { set, ty, usage } => self.explain_overload(*set, ty, usage, clashing),
            Clash::NoEquality { ty, usage } => Explanation::new(
                Code::NoEquality,
                format!("{}: values of type `{}` cannot be compared", usage.what, show(ty)),
            )
            .hint("only numbers, booleans and arrays, records and sums of them can be compared".to_string()),
            Clash::Lifted { ty, allowed, usage } => self.explain_lifted(ty, *allowed, usage.as_ref(), clashing),
            Clash::NotRecord { ty, usage } => {
                Explanation::new(code, format!("{}: `{}` is not a record with such fields", usage.what, show(ty)))
            }
            Clash::NotSum { ty, usage } => Explanation::new(
                code,
                format!("{}: `{}` is not a sum type with such constructors", usage.what, show(ty)),
            ),
            Clash::Consumes(_, actual) => Explanation::new(
                Code::ConsumingFunction,
                format!("a function of type `{}` consumes its argument, which is not allowed here", show(actual)),
            )
            .hint("wrap it in a function that copies its argument: `\\x -> f (copy x)`".to_string()),
            Clash::NotUnique(want, have) => Explanation::new(
                code,
                format!(
                    "the result of `{}` may share memory with its arguments, but `{}` promises a fresh value",
                    show(have),
                    show(want)
                ),
            ),
            Clash::Existential { ty, sizes } => Explanation::new(
                Code::SizeUnknownFunction,
                format!(
                    "the function returns `{}`, where {} not known before it is called and may differ between calls",
                    show(ty),
                    self.size_list(sizes)
                ),
            )
            .hint("bind the size to a name outside the function, or state it with a type annotation".to_string()),
            Clash::ExistentialParam { ty, sizes } => Explanation::new(
                Code::SizeUnknownFunction,
                format!(
                    "in `{}`, {} not known when the function is made, but its parameter needs it",
                    show(ty),
                    self.size_list(sizes)
                ),
            )
            .hint("apply the functions one after the other with `|>` instead of composing them".to_string()),
        }
    }

    fn explain_types(&self, a: &Ty, b: &Ty, clashing: &Clashing<'_>) -> Explanation {
        let code = clashing.context.code;
        let one_is_a_function = matches!(a.kind(), TyKind::Arrow(_)) != matches!(b.kind(), TyKind::Arrow(_));
        if let Some(note) = self.other_arity(clashing).filter(|_| one_is_a_function) {
            return Explanation::new(code, note);
        }
        if let Some(note) = self.missing_arguments(clashing) {
            return Explanation::new(code, note);
        }
        let show = |ty: &Ty| self.names.show(&self.names.zonk(ty));
        let (want, have) = (show(clashing.expected), show(clashing.actual));
        let (inner_want, inner_have) = (show(a), show(b));
        let is_whole = inner_want == want && inner_have == have;
        let note = (!is_whole && want.len() + have.len() > LONG)
            .then(|| format!("expected `{inner_want}`, found `{inner_have}`"));
        Explanation::new(code, note)
    }

    fn explain_sizes(&self, a: &Size, b: &Size, clashing: &Clashing<'_>) -> Explanation {
        let (left, right) = (self.names.quote_size(a), self.names.quote_size(b));
        let (note, hints) = match self.compare_sizes(a, b) {
            Compared::NeverEqual => (format!("the sizes {left} and {right} differ"), Vec::new()),
            Compared::AlwaysEqual => (
                format!("the sizes {left} and {right} are equal, but sizes are compared as they are written"),
                self.size_hints(a, b, true, clashing),
            ),
            Compared::Unknown => (
                format!("the sizes {left} and {right} are not known to be equal"),
                self.size_hints(a, b, false, clashing),
            ),
        };
        Explanation { code: Code::SizeMismatch, notes: vec![note], hints, fixes: Vec::new() }
    }

    fn explain_size_scope(&self, size: &Size, name: VarId, cause: Option<&(SizeCause, Span)>) -> Explanation {
        let names = &self.names;
        let (code, hint) = match &names.vars[name].kind {
            VarKind::Bound => {
                return Explanation::new(
                    Code::SizeUnknownFunction,
                    format!("the size {} exists only while a function is running", names.quote_size(size)),
                )
                .hint("apply the functions one after the other with `|>` instead of composing them".to_string());
            }
            VarKind::Unknown(_) => {
                (Code::SizeCausality, "bind the value whose size this is with `let` before this point".to_string())
            }
            _ => (
                Code::SizeEscapes,
                format!("bind `{}` earlier, or coerce the other array to this size with `:>`", names.show_var(name)),
            ),
        };
        let subject = match cause {
            Some((SizeCause::Anonymous | SizeCause::Inferred, _)) => "an array from outside its scope",
            _ => "something from outside its scope",
        };
        let note = format!("{} would have to be the size of {subject}", names.quote_size(size));
        Explanation::new(code, note).hint(hint)
    }

    fn explain_overload(&self, set: PrimSet, ty: &Ty, usage: &Usage, clashing: &Clashing<'_>) -> Explanation {
        let is_literal = usage.what.ends_with("literal");
        let ty = self.names.zonk(ty);
        let is_whole = ty == *clashing.expected || ty == *clashing.actual;
        // An operand that restricts the other one does so through the operator.
        let is_operand = clashing.context.function.as_deref().is_some_and(is_operator) && ty == *clashing.actual;
        let code = if is_literal && !is_operand { clashing.context.code } else { Code::OperandType };
        let note = match (is_literal, is_whole) {
            // The label says it.
            (true, true) => None,
            (true, false) => Some(format!("{} cannot be of type `{}`", usage.what, self.names.show(&ty))),
            (false, true) => Some(format!("{} needs {}", usage.what, set.describe())),
            (false, false) => {
                Some(format!("{} needs {}, but this is {}", usage.what, set.describe(), self.actual_phrase(&ty)))
            }
        };
        // Where the headline names what is used, the label says what it needs.
        let name = usage.what.strip_prefix("the operator ").unwrap_or(&usage.what);
        let is_named = !usage.what.starts_with("the operator") || clashing.context.headline.contains(name);
        let is_labelled = is_whole && self.expected_phrase(clashing.expected) == set.describe();
        let is_said = is_named && (is_labelled || clashing.context.is_at(usage.span));
        Explanation::new(code, note.filter(|_| !is_said))
    }

    fn explain_lifted(
        &self,
        ty: &Ty,
        allowed: Liftedness,
        usage: Option<&Usage>,
        clashing: &Clashing<'_>,
    ) -> Explanation {
        let functional = self.contains_arrow(ty);
        let code = usage.map_or(Code::FunctionInstance, |u| u.code);
        let code = match code {
            Code::FunctionInArray | Code::FunctionInstance if !functional => Code::LiftedType,
            code => code,
        };
        // Where the headline is about this place, it says all there is to say.
        let is_said = functional && usage.is_some_and(|u| clashing.context.is_at(u.span));
        let what = usage.map_or("this", |u| u.what.as_str());
        let shown = self.names.show(&self.names.zonk(ty));
        let kind = match (functional, allowed) {
            (true, _) => "cannot be a function",
            (false, Liftedness::Unlifted) => "cannot stand for arrays of different sizes",
            (false, _) => "cannot be lifted",
        };
        // Whose type parameter it is tells whether the function or its argument is to blame.
        let is_parameter = clashing.context.function.as_ref().is_some_and(|f| what.ends_with(&format!("of `{f}`")));
        let other_arity = self.other_arity(clashing).filter(|_| is_parameter);
        if let Some(note) = other_arity.clone().filter(|_| arity(clashing.actual) < arity(clashing.expected)) {
            return Explanation::new(clashing.context.code, note);
        }
        let note = (!is_said).then(|| format!("{what} {kind}, but here it is `{shown}`"));
        let mut explanation = Explanation::new(code, note);
        if !functional {
            return explanation;
        }
        explanation.notes.extend(other_arity);
        if code == Code::FunctionFromBranch {
            let keyword = if what.contains("`match`") { "match" } else { "if" };
            explanation
                .notes
                .push(format!("as an extension of the language, `#[dispatch]` in front of the `{keyword}` allows it"));
        }
        let hint = match code {
            Code::FunctionFromBranch => "choose between results instead, or use `match` inside the function",
            Code::FunctionInArray => {
                "put what tells the functions apart in the array, and use `match` inside one function"
            }
            Code::FunctionInLoop => "let the loop compute a result, and use `match` inside the function",
            _ => return explanation,
        };
        explanation.hint(hint.to_string())
    }

    fn size_list(&self, sizes: &[VarId]) -> String {
        let names: Vec<String> = sizes.iter().map(|v| format!("`{}`", self.names.vars[*v].name)).collect();
        match &names[..] {
            [one] => format!("the size depends on {one}, which is"),
            _ => format!("the sizes depend on {}, which are", names.join(", ")),
        }
    }

    /// Where the unknown sizes in a clash come from.
    pub(super) fn size_origins(&self, clash: &Clash) -> Vec<(Span, String)> {
        let mut sizes: Vec<&Size> = Vec::new();
        match clash {
            Clash::Sizes(a, b) => sizes.extend([a, b]),
            Clash::SizeScope { size, .. } => sizes.push(size),
            _ => {}
        }
        let mut out = Vec::new();
        for size in &sizes {
            self.names.size(size).for_each_var(&mut |v| {
                if let Some(text) = self.size_origin(v) {
                    let span = self.names.vars[v].span;
                    if out.iter().all(|(s, _)| *s != span) {
                        out.push((span, text));
                    }
                }
            });
        }
        out.extend(self.told_apart(&sizes));
        out
    }

    /// For a size that the program does not name: what it is.
    pub(crate) fn size_origin(&self, v: VarId) -> Option<String> {
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

/// The fields or constructors that only one of two types has.
fn parts_note(kind: PartKind, missing: &[Symbol], extra: &[Symbol]) -> String {
    let (what, mark) = match kind {
        PartKind::Field => ("field", ""),
        PartKind::Constructor => ("constructor", "#"),
    };
    let list = |names: &[Symbol]| {
        let s = if names.len() == 1 { "" } else { "s" };
        format!("{what}{s} {}", names.iter().map(|n| format!("`{mark}{n}`")).collect::<Vec<_>>().join(", "))
    };
    if missing.iter().chain(extra).all(|name| name.as_str().parse::<usize>().is_ok()) {
        return match (missing.len(), extra.len()) {
            (0, n) => format!("{} too many", count(n, "component")),
            (n, _) => format!("{} missing", count(n, "component")),
        };
    }
    let mut parts = Vec::new();
    if !missing.is_empty() {
        parts.push(format!("{} missing", list(missing)));
    }
    if !extra.is_empty() {
        parts.push(format!("{} not expected", list(extra)));
    }
    parts.join("; ")
}
