//! Changes in types.

use crate::tokens::{Edit, Tokens};
use kenaz_base::Rng;
use kenaz_syntax::token::Tok;

const PRIMITIVE: [&str; 12] = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bool"];

/// Whether a `[` here starts the dimension of an array type: what follows the bracket looks like a type.
fn is_dimension(t: &Tokens, i: usize) -> bool {
    t.kind(i).is_bracket()
        && t.close(i).is_some_and(|close| {
            close <= i + 4
                && t.range(close).end == t.range(close + 1).start
                && matches!(t.kind(close + 1), Tok::Name | Tok::LParen | Tok::Index | Tok::LBracket | Tok::LBrace)
        })
}

/// The names that are used as sizes somewhere.
fn size_names<'a>(t: &Tokens<'a>) -> Vec<&'a str> {
    t.words(|i| t.kind(i) == Tok::Name && t.kind(i + 1) == Tok::RBracket && i > 0 && t.kind(i - 1).is_bracket())
}

/// A dimension gets another size.
pub(super) fn size_changed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| is_dimension(t, i)))?;
    let close = t.close(at)?;
    let inner = t.range(at).end..t.range(close).start;
    let old = &t.text[inner.clone()];
    let mut sizes: Vec<String> = size_names(t).iter().map(|name| (*name).to_string()).collect();
    sizes.extend(["1", "2", "10"].map(String::from));
    if !old.is_empty() {
        sizes.extend([format!("{old}+1"), format!("{old}*2"), format!("{old}-1")]);
    }
    sizes.retain(|size| size != old);
    Some(Edit::replace(inner, rng.pick(&sizes)?.clone()))
}

/// `[n]t` becomes `[]t`.
pub(super) fn size_forgotten(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| is_dimension(t, i) && t.close(i) > Some(i + 1)))?;
    Some(Edit::delete(t.range(at).end..t.range(t.close(at)?).start))
}

pub(super) fn dimension_added(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| PRIMITIVE.contains(&t.word(i)) && t.kind(i + 1) != Tok::Dot))?;
    let sizes = size_names(t);
    let size = if rng.chance(2) { "" } else { rng.pick(&sizes).copied().unwrap_or("2") };
    Some(Edit::insert(t.range(at).start, format!("[{size}]")))
}

pub(super) fn dimension_removed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| is_dimension(t, i)))?;
    Some(Edit::delete(t.span(at, t.close(at)?)))
}

/// Whether a type starts behind this token.
fn introduces_type(t: &Tokens, i: usize) -> bool {
    matches!(t.kind(i), Tok::Colon | Tok::Arrow)
}

pub(super) fn star_added(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let starts = |i: usize| matches!(t.kind(i), Tok::LBracket | Tok::Index | Tok::Name | Tok::LParen | Tok::LBrace);
    let at = *rng.pick(&t.sites(|i| introduces_type(t, i) && starts(i + 1)))?;
    Some(Edit::insert(t.range(at + 1).start, "*"))
}

pub(super) fn star_removed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let before = |i: usize| matches!(t.before(i), Tok::Colon | Tok::Arrow | Tok::LParen | Tok::Comma | Tok::Dot);
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::Star && before(i) && t.kind(i + 1) != Tok::RParen))?;
    Some(Edit::delete(t.range(at)))
}

/// A type or a conversion function of another type.
pub(super) fn type_replaced(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::Name && PRIMITIVE.contains(&t.word(i))))?;
    Some(Edit::replace(t.range(at), *rng.pick(&PRIMITIVE)?))
}

/// `(x: t)` becomes `(x)`.
pub(super) fn annotation_removed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let end = |i: usize| {
        let end = (i..t.len()).find(|&j| {
            t.depth[j] < t.depth[i] || (t.depth[j] == t.depth[i] && matches!(t.kind(j), Tok::Comma | Tok::Equals))
        })?;
        (t.kind(end) == Tok::RParen || t.kind(end) == Tok::Comma).then_some(end)
    };
    let sites = t.sites(|i| t.kind(i) == Tok::Colon && t.depth[i] > 0 && end(i + 1).is_some());
    let at = *rng.pick(&sites)?;
    Some(Edit::delete(t.range(at).start..t.range(end(at + 1)?).start))
}

/// `def f x: t = e` becomes `def f x = e`.
pub(super) fn result_type_removed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let end = |i: usize| {
        let end = (i..t.len().min(i + 40)).find(|&j| {
            t.depth[j] < t.depth[i]
                || (t.depth[j] == t.depth[i] && (t.kind(j).is_keyword() || t.kind(j) == Tok::Equals))
        })?;
        (t.kind(end) == Tok::Equals).then_some(end)
    };
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::Colon && end(i + 1).is_some()))?;
    Some(Edit::delete(t.range(at).start..t.range(end(at + 1)?).start))
}

/// `'a`, `'~a` and `'^a`; `type`, `type~` and `type^`.
pub(super) fn liftedness_changed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let is_type = |i: usize| t.kind(i) == Tok::Type && t.before(i) != Tok::Module;
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::Apostrophe || is_type(i)))?;
    let start = t.range(at).end;
    let old = if matches!(t.kind(at + 1), Tok::Caret | Tok::Tilde) { t.range(at + 1) } else { start..start };
    Some(Edit::replace(old, *rng.pick(&["", "~", "^"])?))
}

pub(super) fn coercion_to_ascription(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::Coerce))?;
    Some(Edit::replace(t.range(at), ":"))
}

/// Only behind an expression in parentheses; elsewhere the `:` is that of a parameter, where nothing else can stand.
pub(super) fn ascription_to_coercion(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::Colon && matches!(t.before(i), Tok::RParen | Tok::RBracket)))?;
    Some(Edit::replace(t.range(at), ":>"))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn sizes() {
        check(size_forgotten, "def f [n] (x: [n]i32) = x[n] + 1", &["def f [n] (x: []i32) = x[n] + 1"]);
        check(dimension_removed, "val f : [n][m]i32", &["val f : [m]i32", "val f : [n]i32"]);
        let sizes = ["x: [n+1]t", "x: [n*2]t", "x: [n-1]t", "x: [1]t", "x: [2]t", "x: [10]t"];
        check(size_changed, "x: [n]t", &sizes);
    }

    #[test]
    fn stars() {
        check(star_added, "(x: []i32): t =", &["(x: *[]i32): t =", "(x: []i32): *t ="]);
        check(star_removed, "(x: *[]i32) (*) (a * b)", &["(x: []i32) (*) (a * b)"]);
    }

    #[test]
    fn annotations() {
        check(annotation_removed, "f (x: [n]t, y: a) = 1", &["f (x, y: a) = 1", "f (x: [n]t, y) = 1"]);
        check(result_type_removed, "def f (x: a): [n]t = x : b", &["def f (x: a)= x : b"]);
        check(liftedness_changed, "def f 'a", &["def f 'a", "def f '^a", "def f '~a"]);
        check(liftedness_changed, "type^ t", &["type t", "type^ t", "type~ t"]);
    }
}
