//! What one can do about two types that differ.

use super::{Clashing, Context};
use crate::checker::Checker;
use crate::names::{PrimSet, SizeCause, VarKind};
use crate::remedy::Remedy;
use crate::type_exp::{are_given, count};
use crate::types::{Size, SizeHead, Ty, TyKind, VarId};
use crate::unify::Clash;
use crate::walk::{free_vars, open_metas};
use kenaz_base::{Prim, Span};
use kenaz_syntax::ast::{ExprId, ExprKind};

/// How two sizes that are not the same term compare.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Compared {
    AlwaysEqual,
    NeverEqual,
    Unknown,
}

impl Checker<'_> {
    /// The expression without the parentheses around it.
    pub(crate) fn without_parens(&self, mut expr: ExprId) -> ExprId {
        while let ExprKind::Paren(inner) = &self.ast[expr].kind {
            expr = *inner;
        }
        expr
    }

    /// The program text of an expression as the argument of a function.
    pub(crate) fn argument_text(&self, expr: ExprId) -> String {
        let text = self.text(self.ast[self.without_parens(expr)].span);
        if text.ends_with('…') { "(…)".to_string() } else { parenthesised(&text) }
    }

    /// How to make the expected type of the value.
    pub(crate) fn conversion(&self, expected: &Ty, actual: &Ty, value: ExprId) -> Option<Remedy> {
        let inner = self.without_parens(value);
        if let ExprKind::Float(_) = self.ast[inner].kind {
            return self.prim(expected).filter(|p| p.is_integer()).and_then(|_| self.integral(inner));
        }
        if let ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Char(_) = self.ast[inner].kind {
            return None;
        }
        let text = self.argument_text(value);
        let remedy = |hint: &str, new: String| {
            let remedy = Remedy::new(format!("{hint}: `{new}`"));
            if text.contains('…') { remedy } else { self.in_place(remedy, value, &new) }
        };
        if let (TyKind::Array(_, x), TyKind::Array(_, y)) = (expected.kind(), actual.kind()) {
            let q = self.prim(y)?;
            let needs_float = self.overloaded(x).is_some_and(|set| set.iter().all(Prim::is_float));
            let p = self.prim(x).or_else(|| needs_float.then_some(Prim::F64).filter(|_| q.is_integer()))?;
            let both = p != q && p.is_numeric() && q.is_numeric();
            if let Some(remedy) = self.mapped_division(inner, p, q).filter(|_| both) {
                return Some(remedy);
            }
            return both.then(|| remedy("convert its elements", format!("map {}.{} {text}", p.name(), q.name())));
        }
        if let (None, Some(q)) = (self.prim(expected), self.prim(actual)) {
            let needs_float = q.is_integer() && self.expected_phrase(expected) == PrimSet::float().describe();
            return needs_float.then(|| self.converted(value, Prim::F64, q));
        }
        match (self.prim(expected)?, self.prim(actual)?) {
            (p, q) if p == q => None,
            (Prim::Bool, _) => Some(remedy("compare it with zero", format!("{text} != 0"))),
            (p, q) => Some(self.converted(value, p, q)),
        }
    }

    pub(crate) fn prim(&self, ty: &Ty) -> Option<Prim> {
        self.names.shallow(ty).as_prim()
    }

    /// That a value is a function because arguments are missing.
    pub(super) fn missing_arguments(&self, clashing: &Clashing<'_>) -> Option<String> {
        let left = arity(clashing.actual);
        let is_known = !matches!(clashing.expected.kind(), TyKind::Arrow(_) | TyKind::Meta(_) | TyKind::Error);
        if left == 0 || !is_known {
            return None;
        }
        let value = self.without_parens(clashing.context.value?);
        let (name, given) = match &self.ast[value].kind {
            ExprKind::Apply(f, args) => (self.function_name(*f)?, args.len()),
            ExprKind::Var(path) => (path.to_string(), 0),
            _ => return None,
        };
        Some(format!("`{name}` takes {}, {}", count(given + left, "argument"), are_given(given)))
    }

    /// That a function takes another number of arguments than is needed.
    pub(super) fn other_arity(&self, clashing: &Clashing<'_>) -> Option<String> {
        let (want, have) = (arity(clashing.expected), arity(clashing.actual));
        let name = clashing.context.function.as_ref()?;
        let takes = if have == 1 { "one".to_string() } else { have.to_string() };
        (want > 0 && have > 0 && want != have)
            .then(|| format!("`{name}` needs a function of {}, this one takes {takes}", count(want, "argument")))
    }

    /// What one can do where it is known how a size came about.
    pub(super) fn size_remedy(&self, clashing: &Clashing<'_>) -> Option<Remedy> {
        let outer = |ty: &Ty| match ty.kind() {
            TyKind::Array(size, _) => Some(self.names.size(size)),
            _ => None,
        };
        let (a, b) = match clashing.clash {
            Clash::Sizes(a, b) => (self.names.size(a), self.names.size(b)),
            _ => (outer(clashing.expected)?, outer(clashing.actual)?),
        };
        let array = self.length_of(&b).or_else(|| self.length_of(&a));
        if let Some(array) = array {
            let name = self.names.vars[array].name;
            let other = if self.length_of(&b).is_some() { &a } else { &b };
            let own = self.names.vars[array].scheme.as_ref().and_then(|scheme| outer(&self.names.zonk(&scheme.ty)));
            let is_iota = clashing.context.value.is_some_and(|value| {
                self.text(self.ast[self.without_parens(value)].span) == format!("iota (length {name})")
            });
            if let (true, Some(value)) = (is_iota, clashing.context.value) {
                let text = format!("indices {name}");
                let remedy = Remedy::new(format!("the indices of an array, with its size, are `{text}`"));
                let is_same = own.as_ref() == Some(other);
                return Some(if is_same { self.in_place(remedy, value, &text) } else { remedy });
            }
            return Some(Remedy::new(format!(
                "name the size where `{name}` is bound, as in `[n] ({name}: [n]t)`, and write `n` instead of `length {name}`"
            )));
        }
        let is_loop = |size: &Size| matches!(size, Size::Var(v) if matches!(self.names.vars[*v].kind, VarKind::Unknown(SizeCause::Loop)));
        let stated = self.is_writable(clashing.expected) && matches!(clashing.expected.kind(), TyKind::Array(..));
        (is_loop(&b) && stated).then(|| {
            let shown = self.names.show(clashing.expected);
            Remedy::new(format!(
                "if the loop keeps the size, state it for its parameter and its body: `loop (xs: {shown}) = … do (… :> {shown})`"
            ))
        })
    }

    /// The array of which a size is the `length`.
    fn length_of(&self, size: &Size) -> Option<VarId> {
        let Size::Term(term) = size else { return None };
        match (&term.head, &term.args[..]) {
            (SizeHead::Apply, [Size::Var(f), Size::Var(array)]) if self.names.vars[*f].name.as_str() == "length" => {
                Some(*array)
            }
            _ => None,
        }
    }

    /// What one can do about sizes that are not the same.
    pub(super) fn size_hints(&self, a: &Size, b: &Size, equal: bool, clashing: &Clashing<'_>) -> Vec<String> {
        let mut hints = Vec::new();
        let is_param =
            |size: &Size| matches!(size, Size::Var(v) if matches!(self.names.vars[*v].kind, VarKind::SizeParam));
        if is_param(a) && is_param(b) {
            let (a, b) = (self.names.show_size(a), self.names.show_size(b));
            hints.push(format!("if they must be equal, give both the same size: `[{a}]` instead of `[{b}]`"));
        }
        let expected = clashing.expected;
        let whole = matches!(expected.kind(), TyKind::Array(..) | TyKind::Record(_)) && self.is_writable(expected);
        let target = if whole { self.names.show(expected) } else { format!("[{}]…", self.names.show_size(a)) };
        let condition = if equal { "" } else { "if they are equal whenever the program runs, " };
        hints.push(if self.is_writable_size(a) {
            format!("{condition}say so with a size coercion: `:> {target}`")
        } else {
            "give the size a name where the array is bound, as in `let [k] (xs: [k]t) = …`, and coerce to it with `:>`"
                .to_string()
        });
        hints
    }

    /// Whether a type can be written in the program.
    fn is_writable(&self, ty: &Ty) -> bool {
        open_metas(ty).is_empty() && free_vars(ty).into_iter().all(|v| self.is_writable_size(&Size::Var(v)))
    }

    fn is_writable_size(&self, size: &Size) -> bool {
        let mut writable = true;
        self.names.size(size).for_each_var(&mut |v| {
            writable &=
                !matches!(self.names.vars[v].kind, VarKind::Flexible(..) | VarKind::Unknown(_) | VarKind::Bound);
        });
        writable
    }

    /// Compares two sizes as sums.
    pub(super) fn compare_sizes(&self, a: &Size, b: &Size) -> Compared {
        let mut sum = Sum::default();
        self.add_size(a, 1, &mut sum);
        self.add_size(b, -1, &mut sum);
        match (sum.terms.iter().all(|(_, n)| *n == 0), sum.constant) {
            (true, 0) => Compared::AlwaysEqual,
            (true, _) => Compared::NeverEqual,
            (false, _) => Compared::Unknown,
        }
    }

    fn add_size(&self, size: &Size, sign: i64, sum: &mut Sum) {
        let size = self.names.size(size);
        if let Size::Const(n) = size {
            sum.constant = sum.constant.wrapping_add(sign.wrapping_mul(n));
            return;
        }
        if let Size::Term(term) = &size
            && let (SizeHead::Apply, [Size::Var(op), x, y]) = (&term.head, &term.args[..])
        {
            let is = |name: &str| self.builtin_operator(name) == Some(*op);
            if is("+") || is("-") {
                self.add_size(x, sign, sum);
                self.add_size(y, if is("+") { sign } else { -sign }, sum);
                return;
            }
        }
        match sum.terms.iter_mut().find(|(other, _)| *other == size) {
            Some((_, n)) => *n += sign,
            None => sum.terms.push((size, sign)),
        }
    }
}

/// A sum of sizes, each with how often it occurs, and of a number.
#[derive(Default)]
struct Sum {
    terms: Vec<(Size, i64)>,
    constant: i64,
}

impl Context {
    pub(crate) fn is_at(&self, span: Span) -> bool {
        self.span == span
    }
}

/// How many arguments a function of this type takes.
pub(crate) fn arity(ty: &Ty) -> usize {
    match ty.kind() {
        TyKind::Arrow(a) => 1 + arity(&a.ret),
        TyKind::Unique(t) | TyKind::Exists(_, t) => arity(t),
        _ => 0,
    }
}

/// An expression as the argument of a function.
fn parenthesised(text: &str) -> String {
    if text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.' || c == '\'') || is_bracketed(text) {
        text.to_string()
    } else {
        format!("({text})")
    }
}

/// Whether the first bracket of a text is closed by its last one.
fn is_bracketed(text: &str) -> bool {
    let mut depth = 0usize;
    let mut chars = text.chars();
    if !chars.next().is_some_and(|c| matches!(c, '(' | '[' | '{')) || text.contains(['"', '\'']) {
        return false;
    }
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + c.len_utf8() == text.len();
        }
    }
    false
}
