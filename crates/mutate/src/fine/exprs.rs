//! Changes in expressions and patterns.

use crate::tokens::{Edit, Tokens};
use kenaz_base::Rng;
use kenaz_syntax::token::Tok;

const OPERATORS: [&str; 21] = [
    "+", "-", "*", "/", "%", "**", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "&", "|", "^", "<<", ">>", "++", "|>",
];

/// Between two operands, not a section or the name of the operator.
fn is_infix(t: &Tokens, i: usize) -> bool {
    let operand = |kind: Tok| {
        matches!(kind, Tok::Name | Tok::RParen | Tok::RBracket | Tok::RBrace | Tok::Int | Tok::Nat | Tok::Float)
    };
    OPERATORS.contains(&t.word(i)) && operand(t.before(i)) && t.atom_end(i + 1).is_some()
}

pub(super) fn operator_swapped(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| OPERATORS.contains(&t.word(i)) && t.before(i) != Tok::Colon))?;
    Some(Edit::replace(t.range(at), *rng.pick(&OPERATORS)?))
}

pub(super) fn operands_swapped(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let sites = t.sites(|i| is_infix(t, i) && i > 0 && t.atom_end(i - 1) == Some(i - 1));
    let at = *rng.pick(&sites)?;
    let end = t.atom_end(at + 1)?;
    let text = format!("{} {} {}", t.slice(at + 1, end), t.word(at), t.word(at - 1));
    Some(Edit::replace(t.span(at - 1, end), text))
}

pub(super) fn name_dropped(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::Name))?;
    Some(Edit::delete(t.range(at)))
}

pub(super) fn name_replaced(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::Name))?;
    Some(Edit::replace(t.range(at), *rng.pick(&t.words(|i| t.kind(i) == Tok::Name))?))
}

/// Applications, each as the first and last tokens of the function and its arguments.
fn applications(t: &Tokens) -> Vec<Vec<(usize, usize)>> {
    let mut found = Vec::new();
    let mut covered = 0;
    for i in 0..t.len() {
        // The parameters of a definition look the same.
        let starts = i >= covered && t.kind(i) == Tok::Name && !matches!(t.before(i), Tok::Def | Tok::Entry | Tok::Dot);
        if !starts {
            continue;
        }
        let mut atoms = Vec::new();
        let mut next = i;
        while let Some(end) = t.atom_end(next) {
            atoms.push((next, end));
            next = end + 1;
        }
        if atoms.len() > 1 {
            // Arguments in parentheses have applications of their own.
            covered = atoms[0].1 + 1;
            found.push(atoms);
        }
    }
    found
}

pub(super) fn argument_dropped(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let atoms = rng.pick(&applications(t))?.clone();
    let (first, last) = *rng.pick(&atoms[1..])?;
    Some(Edit::delete(t.span(first, last)))
}

pub(super) fn argument_swapped(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let mut applications = applications(t);
    applications.retain(|atoms| atoms.len() > 2);
    let atoms = rng.pick(&applications)?.clone();
    let i = 1 + rng.below(atoms.len() - 2);
    let (a, b) = (atoms[i], atoms[i + 1]);
    Some(Edit::replace(t.span(a.0, b.1), format!("{} {}", t.slice(b.0, b.1), t.slice(a.0, a.1))))
}

pub(super) fn argument_duplicated(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let atoms = rng.pick(&applications(t))?.clone();
    let (first, last) = *rng.pick(&atoms[1..])?;
    Some(Edit::insert(t.range(last).end, format!(" {}", t.slice(first, last))))
}

pub(super) fn copy_removed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| t.word(i) == "copy" && t.kind(i) == Tok::Name))?;
    Some(Edit::delete(t.range(at)))
}

/// The variables that are updated or passed to something that consumes.
fn consumed_names(t: &Tokens) -> Vec<usize> {
    const CONSUMERS: [&str; 5] = ["scatter", "reduce_by_index", "scatter_2d", "consume", "update"];
    t.sites(|i| {
        let updated = t.kind(i + 1) == Tok::With && t.kind(i + 2).is_bracket();
        let passed = i > 0 && CONSUMERS.contains(&t.word(i - 1));
        let let_updated = t.before(i) == Tok::Let && t.kind(i + 1) == Tok::Index;
        t.kind(i) == Tok::Name && (updated || passed || let_updated)
    })
}

/// A name soon after a consumption becomes the consumed one.
pub(super) fn used_after_consumption(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&consumed_names(t))?;
    let later: Vec<usize> = (at + 1..t.len().min(at + 40)).filter(|&i| t.kind(i) == Tok::Name).collect();
    Some(Edit::replace(t.range(*rng.pick(&later)?), t.word(at)))
}

/// A use of a variable becomes an update of it.
pub(super) fn consumed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let arrays = t.words(|i| t.kind(i) == Tok::Name && t.kind(i + 1) == Tok::Index);
    let use_of_array = |i: usize| {
        t.kind(i) == Tok::Name
            && arrays.contains(&t.word(i))
            && !matches!(t.before(i), Tok::Let | Tok::Def | Tok::Dot)
            && !matches!(t.kind(i + 1), Tok::Colon | Tok::Equals | Tok::With | Tok::Comma | Tok::Index | Tok::RBracket)
    };
    let at = *rng.pick(&t.sites(use_of_array))?;
    let name = t.word(at);
    Some(Edit::replace(t.range(at), format!("({name} with [0] = {name}[1])")))
}

pub(super) fn suffix_changed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let is_number = |i: usize| matches!(t.kind(i), Tok::Int | Tok::Nat | Tok::Float) && t.before(i) != Tok::Dot;
    let at = *rng.pick(&t.sites(is_number))?;
    let word = t.word(at);
    let hexadecimal = word.starts_with("0x");
    let digits =
        word.find(|c: char| c == 'i' || c == 'u' || (c == 'f' && !hexadecimal)).map_or(word, |end| &word[..end]);
    let suffixes: &[&str] = if t.kind(at) == Tok::Float {
        &["f16", "f32", "f64", ""]
    } else {
        &["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "", ".5"]
    };
    Some(Edit::replace(t.range(at), format!("{digits}{}", rng.pick(suffixes)?)))
}

pub(super) fn number_changed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::Nat))?;
    Some(Edit::replace(t.range(at), *rng.pick(&["0", "1", "2", "3", "100", "300", "100000", "5000000000"])?))
}

pub(super) fn field_renamed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let is_field = |i: usize| {
        matches!(t.kind(i), Tok::Name | Tok::Nat)
            && (t.before(i) == Tok::Dot
                || (matches!(t.before(i), Tok::LBrace | Tok::Comma)
                    && matches!(t.kind(i + 1), Tok::Equals | Tok::Colon)))
    };
    let at = *rng.pick(&t.sites(is_field))?;
    let fields = t.words(is_field);
    let with = if rng.chance(2) { format!("{}1", t.word(at)) } else { (*rng.pick(&fields)?).to_string() };
    Some(Edit::replace(t.range(at), with))
}

/// By another one of the program, or without what it holds.
pub(super) fn constructor_replaced(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::Constructor))?;
    if let Some(end) = t.atom_end(at + 1)
        && rng.chance(3)
    {
        return Some(Edit::delete(t.span(at + 1, end)));
    }
    Some(Edit::replace(t.range(at), *rng.pick(&t.words(|i| t.kind(i) == Tok::Constructor))?))
}

/// One of several, up to the next.
pub(super) fn case_dropped(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let next = |i: usize| {
        (i + 1..t.len()).find(|&j| t.depth[j] < t.depth[i] || (t.depth[j] == t.depth[i] && t.kind(j) == Tok::Case))
    };
    let sites = t.sites(|i| t.kind(i) == Tok::Case && next(i).is_some_and(|j| t.kind(j) == Tok::Case));
    let at = *rng.pick(&sites)?;
    Some(Edit::delete(t.range(at).start..t.range(next(at)?).start))
}

/// `(a, b, c)` becomes `(a, b)`.
pub(super) fn component_dropped(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let end = |i: usize| {
        let ends = |j: usize| t.depth[j] < t.depth[i] || (t.depth[j] == t.depth[i] && t.kind(j) == Tok::Comma);
        (i + 1..t.len()).find(|&j| ends(j))
    };
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::Comma && end(i).is_some()))?;
    Some(Edit::delete(t.range(at).start..t.range(end(at)?).start))
}

pub(super) fn parentheses_removed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::LParen && t.close(i) > Some(i + 1)))?;
    let close = t.close(at)?;
    Some(Edit::replace(t.span(at, close), t.slice(at + 1, close - 1)))
}

pub(super) fn index_changed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::Index && t.close(i) > Some(i + 1)))?;
    let close = t.close(at)?;
    let inner = t.slice(at + 1, close - 1);
    let with = [String::new(), format!("[{inner}, 0]"), format!("[{inner}:]"), "[0]".into(), format!("[{inner}][0]")];
    Some(Edit::replace(t.span(at, close), rng.pick(&with)?.clone()))
}

/// One `let` of several.
pub(super) fn binding_dropped(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let next = |i: usize| {
        let ends = |j: usize| matches!(t.kind(j), Tok::Let | Tok::In | Tok::Def | Tok::Entry);
        (i + 1..t.len()).find(|&j| t.depth[j] < t.depth[i] || (t.depth[j] == t.depth[i] && ends(j)))
    };
    let at = *rng.pick(&t.sites(|i| t.kind(i) == Tok::Let && next(i).is_some_and(|j| t.kind(j) == Tok::Let)))?;
    Some(Edit::delete(t.range(at).start..t.range(next(at)?).start))
}

pub(super) fn range_changed(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let at = *rng.pick(&t.sites(|i| matches!(t.kind(i), Tok::Ellipsis | Tok::UpTo | Tok::DownTo)))?;
    Some(Edit::replace(t.range(at), *rng.pick(&["...", "..<", "..>"])?))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn arguments() {
        check(argument_dropped, "def f x = g (a b) y", &["def f x = g  y", "def f x = g (a b) ", "def f x = g (a ) y"]);
        check(argument_swapped, "g (a) y", &["g y (a)"]);
        check(argument_duplicated, "g x", &["g x x"]);
        check(operands_swapped, "x - f(1)", &["f - x(1)"]);
    }

    #[test]
    fn uses() {
        check(copy_removed, "copy xs", &[" xs"]);
        check(used_after_consumption, "a with [0] = 1 in b", &["a with [0] = 1 in a"]);
        check(consumed, "x[0] + f x", &["x[0] + f (x with [0] = x[1])"]);
    }

    #[test]
    fn parts() {
        check(component_dropped, "(a, b, c)", &["(a, c)", "(a, b)"]);
        check(parentheses_removed, "f (a b) ()", &["f a b ()"]);
        check(case_dropped, "match x case 1 -> 2 case 2 -> 3", &["match x case 2 -> 3"]);
        check(binding_dropped, "let a = 1 let b = 2 in a", &["let b = 2 in a"]);
        check(index_changed, "a[i]", &["a", "a[i, 0]", "a[i:]", "a[0]", "a[i][0]"]);
    }
}
