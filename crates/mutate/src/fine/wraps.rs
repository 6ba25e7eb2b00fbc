//! Changes that keep the meaning for the most part: expressions in other clothes, which types and sizes may not
//! survive.

use crate::tokens::{Edit, Tokens};
use kenaz_base::Rng;
use kenaz_syntax::token::Tok;

/// The operands in expressions: arguments, and whatever stands next to an operator.
fn operands(t: &Tokens) -> Vec<(usize, usize)> {
    let after = |kind: Tok| {
        kind.is_operator()
            || matches!(kind, Tok::Name | Tok::RParen | Tok::In | Tok::Then | Tok::Else | Tok::Equals | Tok::Comma)
    };
    let is_binding = |end: usize| matches!(t.kind(end + 1), Tok::Colon | Tok::Equals | Tok::Arrow | Tok::Apostrophe);
    let sites = t.sites(|i| after(t.before(i)) && matches!(t.kind(i), Tok::Name | Tok::LParen | Tok::LBracket));
    sites.into_iter().filter_map(|i| Some((i, t.atom_end(i)?))).filter(|(_, end)| !is_binding(*end)).collect()
}

pub(super) fn wrapped(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    const WRAPS: [&str; 18] = [
        "(id E)",
        "(copy E)",
        "(if true then E else E)",
        "(let wrapped = E in wrapped)",
        "((\\wrapped -> wrapped) E)",
        "(match E case wrapped -> wrapped)",
        "(loop wrapped = E for _i < 1i64 do wrapped)",
        "(loop wrapped = E for _i < 1i64 do E)",
        "(E |> id)",
        "(id <| E)",
        "(E, E).0",
        "{wrapped = E}.wrapped",
        "[E][0]",
        "(let wrapped () = E in wrapped ())",
        "(let n = 1i64 in E)",
        "(trace E)",
        "(const E 1i32)",
        "(assert true E)",
    ];
    let (first, last) = *rng.pick(&operands(t))?;
    Some(Edit::replace(t.span(first, last), rng.pick(&WRAPS)?.replace('E', t.slice(first, last))))
}

/// `f` becomes `(\x -> f x)`.
pub(super) fn eta_expanded(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    const FORMS: [&str; 5] =
        ["(\\eta -> E eta)", "(\\eta zeta -> E eta zeta)", "(let eta x = E x in eta)", "(E >-> id)", "(id >-> E)"];
    let (first, last) = *rng.pick(&operands(t))?;
    Some(Edit::replace(t.span(first, last), rng.pick(&FORMS)?.replace('E', t.slice(first, last))))
}

/// `f x` becomes `x |> f` or `f <| x`, where both are single operands.
pub(super) fn piped(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    let pairs: Vec<(usize, usize, usize)> = t
        .sites(|i| t.kind(i) == Tok::Name && !matches!(t.before(i), Tok::Def | Tok::Entry | Tok::Let | Tok::Dot))
        .into_iter()
        .filter_map(|i| {
            let function = t.atom_end(i)?;
            let argument = t.atom_end(function + 1)?;
            (t.atom_end(argument + 1).is_none()).then_some((i, function, argument))
        })
        .collect();
    let (first, function, argument) = *rng.pick(&pairs)?;
    let (f, x) = (t.slice(first, function), t.slice(function + 1, argument));
    let text = if rng.chance(2) { format!("({x} |> {f})") } else { format!("({f} <| {x})") };
    Some(Edit::replace(t.span(first, argument), text))
}

/// A function or value of the prelude takes the place of a name.
pub(super) fn name_from_prelude(t: &Tokens, rng: &mut Rng) -> Option<Edit> {
    const NAMES: [&str; 44] = [
        "map",
        "map2",
        "reduce",
        "scan",
        "filter",
        "iota",
        "replicate",
        "zip",
        "unzip",
        "length",
        "null",
        "head",
        "tail",
        "last",
        "init",
        "take",
        "drop",
        "split",
        "reverse",
        "rotate",
        "concat",
        "flatten",
        "unflatten",
        "transpose",
        "id",
        "const",
        "curry",
        "uncurry",
        "foldl",
        "foldr",
        "tabulate",
        "tabulate_2d",
        "scatter",
        "reduce_by_index",
        "indices",
        "copy",
        "i64.sum",
        "f32.sum",
        "any",
        "all",
        "partition",
        "fst",
        "i32.max",
        "hist",
    ];
    let at = *rng.pick(&t.sites(|i| {
        t.kind(i) == Tok::Name && !matches!(t.before(i), Tok::Def | Tok::Entry | Tok::Let | Tok::Dot | Tok::Colon)
    }))?;
    Some(Edit::replace(t.range(at), *rng.pick(&NAMES)?))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn pipes() {
        check(piped, "def y = f x", &["def y = (x |> f)", "def y = (f <| x)"]);
        check(piped, "f x y", &["f (y |> x)", "f (x <| y)"]);
    }

    #[test]
    fn only_operands_are_wrapped() {
        let tokens = Tokens::new("def f (x: i32) = g x[0]");
        let found: Vec<&str> = operands(&tokens).iter().map(|(a, b)| tokens.slice(*a, *b)).collect();
        assert_eq!(found, ["g", "x[0]"]);
    }
}
