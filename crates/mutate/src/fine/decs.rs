//! Changes in definitions and their parameters.

use crate::tokens::{Edit, Tokens};
use kenaz_base::Rng;
use kenaz_syntax::token::Tok;
use std::ops::Range;

/// The tokens of the parameters behind a defined name: up to its type or body.
fn head(t: &Tokens, i: usize) -> Range<usize> {
    let start = i + 2;
    let end = (start..t.len()).find(|&j| {
        t.depth[j] <= t.depth[i] && (matches!(t.kind(j), Tok::Equals | Tok::Colon) || t.kind(j).is_keyword())
    });
    start..end.unwrap_or(start)
}

fn is_definition(t: &Tokens, i: usize) -> bool {
    matches!(t.kind(i), Tok::Def | Tok::Entry | Tok::Let | Tok::Val | Tok::Type)
        && t.before(i) != Tok::Module
        && t.kind(i + 1) == Tok::Name
}

/// Where the heads of definitions have something, at their own depth.
fn in_heads(t: &Tokens, accept: impl Fn(usize) -> bool) -> Vec<usize> {
    let heads = t.sites(|i| is_definition(t, i));
    heads
        .into_iter()
        .flat_map(|i| head(t, i).filter(move |&j| t.depth[j] == t.depth[i]))
        .filter(|&j| accept(j))
        .collect()
}

pub(super) fn size_parameter_removed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&in_heads(t, |i| t.kind(i).is_bracket() && t.close(i) == Some(i + 2)))?;
    Some(Edit::delete(t.span(at, at + 2)))
}

pub(super) fn type_parameter_removed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&in_heads(t, |i| t.kind(i) == Tok::Apostrophe))?;
    let last = if t.kind(at + 1) == Tok::Name { at + 1 } else { at + 2 };
    Some(Edit::delete(t.span(at, last)))
}

pub(super) fn parameter_removed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&in_heads(t, |i| matches!(t.kind(i), Tok::Name | Tok::LParen | Tok::Underscore)))?;
    Some(Edit::delete(t.span(at, t.close(at).unwrap_or(at))))
}

pub(super) fn definition_renamed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let is_module = |i: usize| t.kind(i) == Tok::Module && t.kind(i + 1) == Tok::Name;
    let at = *rng.pick(&t.sites(|i| is_definition(t, i) || is_module(i)))?;
    Some(Edit::insert(t.range(at + 1).end, "_renamed"))
}

/// From the start of a declaration to the start of the next in the same module, or the end of the module.
fn declarations(t: &Tokens) -> Vec<Range<usize>> {
    let starts = |i: usize| {
        matches!(t.kind(i), Tok::Def | Tok::Entry | Tok::Val | Tok::Type | Tok::Module | Tok::Open | Tok::Include)
            && !matches!(t.before(i), Tok::Module | Tok::Local)
    };
    let end = |i: usize| {
        (i + 1..t.len())
            .find(|&j| t.depth[j] < t.depth[i] || (t.depth[j] == t.depth[i] && (starts(j) || t.kind(j) == Tok::Local)))
            .unwrap_or(t.len())
    };
    t.sites(starts).into_iter().map(|i| i..end(i)).collect()
}

pub(super) fn definition_dropped(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let declaration = rng.pick(&declarations(t))?.clone();
    Some(Edit::delete(t.span(declaration.start, declaration.end - 1)))
}

pub(super) fn definitions_swapped(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let declarations = declarations(t);
    let pairs: Vec<(&Range<usize>, &Range<usize>)> = declarations
        .iter()
        .flat_map(|a| {
            declarations
                .iter()
                .filter(|b| b.start == a.end && t.depth[b.start] == t.depth[a.start])
                .map(move |b| (a, b))
        })
        .collect();
    let (a, b) = *rng.pick(&pairs)?;
    let (first, second) = (t.span(a.start, a.end - 1), t.span(b.start, b.end - 1));
    let between = &t.text[first.end..second.start];
    let text = [&t.text[second.clone()], between, &t.text[first.clone()]].concat();
    Some(Edit::replace(first.start..second.end, text))
}

pub(super) fn entry_toggled(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| matches!(t.kind(i), Tok::Def | Tok::Entry) && t.kind(i + 1) == Tok::Name))?;
    Some(Edit::replace(t.range(at), if t.kind(at) == Tok::Def { "entry" } else { "def" }))
}

pub(super) fn local_added(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let declaration = rng.pick(&declarations(t))?.clone();
    Some(Edit::insert(t.range(declaration.start).start, "local "))
}

/// `module m: t = e` becomes `module m = e`.
pub(super) fn ascription_removed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let end = |i: usize| {
        (i..t.len()).find(|&j| t.depth[j] == t.depth[i] && t.kind(j) == Tok::Equals && t.before(j) != Tok::Name)
    };
    let sites = t.sites(|i| t.kind(i) == Tok::Colon && i >= 2 && t.kind(i - 2) == Tok::Module);
    let at = *rng.pick(&sites)?;
    let plain = (at..t.len()).find(|&j| t.depth[j] == t.depth[at] && t.kind(j) == Tok::Equals)?;
    let end = if (at..plain).any(|j| t.kind(j) == Tok::With) { end(plain + 1)? } else { plain };
    Some(Edit::delete(t.range(at).start..t.range(end).start))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn parameters() {
        let text = "def f [n] 't (x: [n]t) y: t = g [n] 1";
        check(size_parameter_removed, text, &["def f  't (x: [n]t) y: t = g [n] 1"]);
        check(type_parameter_removed, text, &["def f [n]  (x: [n]t) y: t = g [n] 1"]);
        check(parameter_removed, "def f (x: t) y = x", &["def f  y = x", "def f (x: t)  = x"]);
    }

    #[test]
    fn declarations_move() {
        let text = "module m = { def a = 1\n def b = 2 }";
        check(definitions_swapped, text, &["module m = { def b = 2\n def a = 1 }"]);
        check(definition_dropped, "def a = 1\ndef b = 2", &["\ndef b = 2", "def a = 1\n"]);
        check(ascription_removed, "module m: t = {}", &["module m= {}"]);
    }
}
