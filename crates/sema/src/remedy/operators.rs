//! Operands that an operator cannot have.

use super::Remedy;
use crate::apply::Arg;
use crate::checker::Checker;
use crate::names::{Constraint, MetaState, PrimSet, VarKind};
use crate::types::{Size, Ty, TyKind};
use kenaz_base::{Prim, Span};
use kenaz_syntax::ast::{BinOp, ExprId, ExprKind};

/// Operators that yield a `bool`.
pub(crate) fn is_comparison(op: &BinOp) -> bool {
    is_plain(op) && matches!(op.name.name.name.as_str(), "<" | "<=" | ">" | ">=" | "==" | "!=")
}

fn is_plain(op: &BinOp) -> bool {
    !op.backtick && op.name.quals.is_empty()
}

impl Checker<'_> {
    /// Whether this is one of the operators of numbers and booleans, and not another one of the same spelling.
    pub(crate) fn is_builtin(&self, expr: ExprId, op: &BinOp) -> bool {
        let name = op.name.name.name;
        if is_plain(op) && matches!(name.as_str(), "&&" | "||") {
            return true;
        }
        let resolved = self.info.resolved.get(expr).map(|r| r.var);
        is_plain(op) && resolved.is_some() && self.operators.get(&name).copied() == resolved
    }

    /// What to do about the operands of an operator of numbers or booleans.
    pub(super) fn operator_remedy(&self, expr: ExprId, args: &[Arg], index: usize) -> Option<Remedy> {
        let (ExprKind::BinOp(op, ..), [a, b]) = (&self.ast[expr].kind, args) else { return None };
        if !self.is_builtin(expr, op) {
            return None;
        }
        let remedy = self.function_operand(op, a, b).or_else(|| self.chained(expr, op, a, b, index));
        remedy.or_else(|| self.elementwise(expr, op, a, b)).or_else(|| self.other_operator(expr, op, a, b))
    }

    /// `reduce + 0 xs`, `f -1`
    fn function_operand(&self, op: &BinOp, a: &Arg, b: &Arg) -> Option<Remedy> {
        let ty = self.names.shallow(&a.ty);
        let TyKind::Arrow(arrow) = ty.kind() else { return None };
        let mut first = b.expr;
        loop {
            first = match &self.ast[first].kind {
                ExprKind::BinOp(_, left, _) => *left,
                ExprKind::Apply(head, _) => *head,
                _ => break,
            };
        }
        let (name, first) = (op.name.name.name, self.ast[first].span);
        let is_sign = name.as_str() == "-" && op.span.hi == first.lo;
        let wanted = crate::report::arity(&self.names.zonk(&arrow.arg));
        let takes_function = wanted > 0;
        if wanted == 1 && name.as_str() != "-" {
            let text = self.text(first);
            let hint = format!("an operator with one operand stands in parentheses: `({name} {text})`");
            let fits = !text.ends_with('…');
            let blank = if op.span.lo == self.ast[a.expr].span.hi { " " } else { "" };
            return fits.then(|| Remedy::new(hint).fix(op.span.to(first), format!("{blank}({name} {text})")));
        }
        if wanted == 2 && !is_sign {
            let hint = format!("an operator that is an argument stands in parentheses: `({name})`");
            return Some(Remedy::new(hint).fix(op.span, format!("({name})")));
        }
        if is_sign && !takes_function {
            let text = self.text(first);
            let hint = format!("a negative argument needs parentheses: `{} (-{text})`", self.short_text(a.expr)?);
            let fits = !text.ends_with('…');
            return fits.then(|| Remedy::new(hint).fix(op.span.to(first), format!("(-{text})")));
        }
        None
    }

    /// `0 < x < 10`
    fn chained(&self, expr: ExprId, op: &BinOp, a: &Arg, b: &Arg, index: usize) -> Option<Remedy> {
        let ExprKind::BinOp(first, x, y) = &self.ast[a.expr].kind else { return None };
        if index != 1 || !is_comparison(op) || !is_comparison(first) || self.prim(&b.ty) == Some(Prim::Bool) {
            return None;
        }
        let (x, y, z) = (self.short_text(*x)?, self.short_text(*y)?, self.short_text(b.expr)?);
        let text = format!("{x} {} {y} && {y} {} {z}", first.name, op.name);
        let remedy = Remedy::new(format!("comparisons are not chained: `{text}`"));
        Some(self.in_place(remedy, expr, &text))
    }

    /// An operator on whole arrays.
    fn elementwise(&self, expr: ExprId, op: &BinOp, a: &Arg, b: &Arg) -> Option<Remedy> {
        let (ra, rb) = (self.rank(&a.ty), self.rank(&b.ty));
        let name = op.name.name.name.as_str();
        if ra == 0 && rb == 0 {
            return None;
        }
        let is_string = |arg: &Arg| matches!(self.ast[self.without_parens(arg.expr)].kind, ExprKind::String(_));
        if name == "+" && ra == 1 && rb == 1 && (is_string(a) || is_string(b)) {
            return Some(Remedy::new("strings and other arrays are joined by `++`").fix(op.span, "++"));
        }
        if matches!(name, "==" | "!=") && ra == rb {
            return None;
        }
        let general = || Remedy::new("an operator works on single values; for all elements of an array there is `map`");
        if !self.is_array_or_scalar(&a.ty) || !self.is_array_or_scalar(&b.ty) {
            return None;
        }
        let texts = self.short_argument(a.expr).zip(self.short_argument(b.expr));
        if let (Some((whole, _)), Some((x, y)), 0) = (self.masked.filter(|(_, e)| *e == expr), &texts, rb)
            && let ExprKind::Index(indexed, _) = &self.ast[whole].kind
            && self.text(self.ast[*indexed].span) == *x
        {
            let text = format!("filter ({name} {y}) {x}");
            let remedy = Remedy::new(format!("the elements that satisfy a condition are `{text}`"));
            return Some(self.in_place(remedy, whole, &text));
        }
        let (Some((x, y)), true) = (texts, self.same_elements(&a.ty, &b.ty)) else { return Some(general()) };
        let nested = |function: String, rank: usize| (1..rank).fold(function, |f, _| format!("(map {f})"));
        let text = match (ra, rb) {
            (rank, 0) if name == "-" => {
                let v = unused_name(&y);
                format!("map {} {x}", nested(format!("(\\{v} -> {v} - {y})"), rank))
            }
            (rank, 0) => format!("map {} {x}", nested(format!("({name} {y})"), rank)),
            (0, rank) => format!("map {} {y}", nested(format!("({x} {name})"), rank)),
            (r, s) if r == s => {
                let function = (1..r).fold(format!("({name})"), |f, _| format!("(map2 {f})"));
                format!("map2 {function} {x} {y}")
            }
            (2, 1) => format!("map (\\row -> map2 ({name}) row {y}) {x}"),
            (1, 2) => format!("map (map2 ({name}) {x}) {y}"),
            _ => return Some(general()),
        };
        let hint = format!("an operator works on single values; for all elements of an array: `{text}`");
        let remedy = Remedy::new(hint);
        Some(if self.same_sizes(&a.ty, &b.ty) { self.in_place(remedy, expr, &text) } else { remedy })
    }

    fn is_array_or_scalar(&self, ty: &Ty) -> bool {
        match self.names.shallow(ty).kind() {
            TyKind::Array(_, elem) => self.is_array_or_scalar(elem),
            TyKind::Prim(_) => true,
            TyKind::Meta(_) => self.overloaded(ty).is_some(),
            _ => false,
        }
    }

    /// The types that a number may have whose type is not settled.
    pub(crate) fn overloaded(&self, ty: &Ty) -> Option<PrimSet> {
        let ty = self.names.shallow(ty);
        let TyKind::Meta(m) = ty.kind() else { return None };
        match &self.names.metas[*m].state {
            MetaState::Open(Constraint::Overloaded(set, _)) => Some(*set),
            _ => None,
        }
    }

    /// Whether the elements of two arrays, or of one and a number, can have the same type.
    fn same_elements(&self, a: &Ty, b: &Ty) -> bool {
        let elem = |ty: &Ty| {
            let mut ty = self.names.shallow(ty);
            while let TyKind::Array(_, elem) = ty.kind() {
                ty = self.names.shallow(&elem.clone());
            }
            ty
        };
        let (a, b) = (elem(a), elem(b));
        let set = |ty: &Ty| match ty.as_prim() {
            Some(prim) => Some(PrimSet::of(|p| p == prim)),
            None => self.overloaded(ty),
        };
        set(&a).zip(set(&b)).is_some_and(|(a, b)| !a.intersect(b).is_empty())
    }

    /// Whether two arrays of the same rank may have the same sizes, as far as the checker knows.
    fn same_sizes(&self, a: &Ty, b: &Ty) -> bool {
        let (a, b) = (self.names.shallow(a), self.names.shallow(b));
        let (TyKind::Array(s, x), TyKind::Array(t, y)) = (a.kind(), b.kind()) else { return true };
        let (ra, rb) = (self.rank(&a), self.rank(&b));
        if ra != rb {
            return if ra > rb { self.same_sizes(x, &b) } else { self.same_sizes(&a, y) };
        }
        let (s, t) = (self.names.size(s), self.names.size(t));
        let is_open = |size: &Size| matches!(size, Size::Var(v) if matches!(self.names.vars[*v].kind, VarKind::Flexible(_, None)));
        (s == t || is_open(&s) || is_open(&t)) && self.same_sizes(x, y)
    }

    /// The operator that is meant for operands of these types.
    fn other_operator(&self, expr: ExprId, op: &BinOp, a: &Arg, b: &Arg) -> Option<Remedy> {
        let (p, q) = (self.prim(&a.ty), self.prim(&b.ty));
        let is_float = |ty: &Ty| {
            let set = self.overloaded(ty);
            self.prim(ty).is_some_and(Prim::is_float) || set.is_some_and(|s| s.iter().all(Prim::is_float))
        };
        let (float, bools) = (is_float(&a.ty) || is_float(&b.ty), p == Some(Prim::Bool) || q == Some(Prim::Bool));
        let both_bools = p == Some(Prim::Bool) && q == Some(Prim::Bool);
        let name = op.name.name.name.as_str();
        let instead = |what: &str, new: &str| {
            // The operator that is meant may bind tighter than the one that stands there.
            let is_atom = |arg: &&Arg| !matches!(self.ast[arg.expr].kind, ExprKind::BinOp(..));
            let texts = Some((a, b)).filter(|(a, b)| is_atom(a) && is_atom(b));
            let texts = texts.and_then(|(a, b)| self.short_text(a.expr).zip(self.short_text(b.expr)));
            let whole = texts.map_or(new.to_string(), |(x, y)| format!("{x} {new} {y}"));
            Some(Remedy::new(format!("{what} is written `{whole}`")).fix(op.span, new))
        };
        match name {
            "^" if float => instead("a power", "**"),
            "&" if both_bools => instead("`and`", "&&"),
            "|" if both_bools => instead("`or`", "||"),
            "^" if both_bools => instead("`either, but not both`", "!="),
            "//" if float => {
                let prim = p.or(q).unwrap_or(Prim::F64).name();
                let (x, y) = (self.short_text(a.expr)?, self.short_argument(b.expr)?);
                let text = format!("{prim}.floor ({x} / {y})");
                let remedy = Remedy::new(format!("`//` divides integers; a quotient is rounded down by `{text}`"));
                Some(if p == q || p.is_none() || q.is_none() { self.in_place(remedy, expr, &text) } else { remedy })
            }
            "+" | "-" | "*" | "/" if bools && !both_bools => {
                let (flag, number) = if p == Some(Prim::Bool) { (a, b) } else { (b, a) };
                let prim = self.prim(&number.ty);
                let text = format!("{}.bool {}", prim.unwrap_or(Prim::I32).name(), self.short_argument(flag.expr)?);
                let remedy = Remedy::new(format!("a boolean is converted to 0 or 1 by `{text}`"));
                Some(if prim.is_some() { self.in_place(remedy, flag.expr, &text) } else { remedy })
            }
            _ => None,
        }
    }

    /// A sign or `!` in front of a whole array.
    pub(crate) fn unary_remedy(&self, expr: ExprId, operand: ExprId, ty: &Ty) -> Option<Remedy> {
        let is_not = matches!(self.ast[expr].kind, ExprKind::Not(_));
        let text = self.short_argument(operand)?;
        if is_not
            && let Some(compared) = self.compared
            && let ExprKind::BinOp(op, left, right) = &self.ast[compared].kind
            && *left == expr
        {
            let new = format!("!({text} {} {})", op.name, self.short_text(*right)?);
            let remedy = Remedy::new(format!("`!` binds tighter than a comparison: `{new}`"));
            return Some(remedy.fix(self.ast[compared].span, new));
        }
        if self.rank(ty) != 1 {
            return None;
        }
        let (prim, _) = self.numbers(ty)?;
        let function = match (is_not, prim) {
            (true, Prim::Bool) => "not",
            (true, p) if p.is_integer() => "(\\x -> !x)",
            (false, p) if p.is_numeric() => "(\\x -> -x)",
            _ => return None,
        };
        let new = format!("map {function} {text}");
        let remedy = Remedy::new(format!("an operator works on single values; for all elements of an array: `{new}`"));
        Some(self.in_place(remedy, expr, &new))
    }

    /// How to make a value of type `from` one of type `to`. The operands of a division are converted rather than its
    /// result, which has lost the fraction already.
    pub(crate) fn converted(&self, value: ExprId, to: Prim, from: Prim) -> Remedy {
        let inner = self.without_parens(value);
        if to.is_float() && from.is_integer() && self.divides(inner) {
            let text = self.with_converted_operands(inner, to, from).filter(|text| text.len() <= 80);
            let what = "a quotient of integers has no fraction; convert the operands";
            return match text {
                Some(text) => self.in_place(Remedy::new(format!("{what}: `{text}`")), value, &text),
                None => Remedy::new(format!("{what} with `{}.{}`", to.name(), from.name())),
            };
        }
        let argument = self.argument_text(value);
        let text = format!("{}.{} {argument}", to.name(), from.name());
        let remedy = Remedy::new(format!("convert it: `{text}`"));
        if argument.contains('…') { remedy } else { self.in_place(remedy, value, &text) }
    }

    /// `map (\\i -> i / n) xs`: the operands in the function are converted.
    pub(crate) fn mapped_division(&self, value: ExprId, to: Prim, from: Prim) -> Option<Remedy> {
        let ExprKind::Apply(f, args) = &self.ast[value].kind else { return None };
        let name = self.function_name(*f)?;
        let ExprKind::Lambda { body, .. } = self.ast[self.without_parens(*args.first()?)].kind else { return None };
        let divides = to.is_float() && from.is_integer() && self.divides(body);
        (name.starts_with("map") && divides).then(|| self.converted(body, to, from))
    }

    /// Whether a value is computed by a division whose operands could be converted. A long expression is not looked at,
    /// so that neither this nor the conversion goes deep.
    fn divides(&self, expr: ExprId) -> bool {
        let span = self.ast[expr].span;
        if span.hi - span.lo > 200 {
            return false;
        }
        match &self.ast[expr].kind {
            ExprKind::BinOp(op, a, b) if is_plain(op) => match op.name.name.name.as_str() {
                "/" => true,
                "+" | "-" | "*" => self.divides(*a) || self.divides(*b),
                _ => false,
            },
            ExprKind::Paren(e) | ExprKind::Neg(e) => self.divides(*e),
            _ => false,
        }
    }

    fn with_converted_operands(&self, expr: ExprId, to: Prim, from: Prim) -> Option<String> {
        match &self.ast[expr].kind {
            ExprKind::BinOp(op, a, b)
                if is_plain(op) && matches!(op.name.name.name.as_str(), "+" | "-" | "*" | "/") =>
            {
                let (a, b) = (self.with_converted_operands(*a, to, from)?, self.with_converted_operands(*b, to, from)?);
                Some(format!("{a} {} {b}", op.name))
            }
            ExprKind::Paren(e) => Some(format!("({})", self.with_converted_operands(*e, to, from)?)),
            ExprKind::Neg(e) => Some(format!("-{}", self.with_converted_operands(*e, to, from)?)),
            ExprKind::Int(lit) if lit.suffix.is_none() => self.short_text(expr),
            _ => {
                let ty = self.info.expr_ty.get(expr)?;
                let text = self.short_argument(expr)?;
                (self.prim(ty) == Some(from)).then(|| format!("{}.{} {text}", to.name(), from.name()))
            }
        }
    }

    /// `1e3` where an integer is needed.
    pub(crate) fn integral(&self, literal: ExprId) -> Option<Remedy> {
        let span = self.ast[literal].span;
        let value: f64 = self.sources.text(span).replace('_', "").parse().ok()?;
        let text = format!("{value:.0}");
        (value.fract() == 0.0 && value.abs() < 1e15)
            .then(|| Remedy::new(format!("as an integer it is written `{text}`")).fix(span, text))
    }

    /// The operator that a word between two operands stands for.
    pub(super) fn word_operator(word: &str) -> Option<&'static str> {
        Some(match word {
            "and" => "&&",
            "or" => "||",
            "mod" | "rem" => "%",
            "div" => "/",
            "xor" => "^",
            "is" | "eq" => "==",
            _ => return None,
        })
    }

    /// The remedy for a word between two operands.
    pub(crate) fn word_remedy(word: &str, span: Span) -> Option<Remedy> {
        let op = Self::word_operator(word)?;
        Some(Remedy::new(format!("`{word}` between two operands is written `{op}`")).fix(span, op))
    }
}

/// A name for a parameter that does not occur in a text.
fn unused_name(text: &str) -> &'static str {
    let occurs = |name: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    ["x", "y", "z", "v"].into_iter().find(|name| !occurs(name)).unwrap_or("elem")
}
