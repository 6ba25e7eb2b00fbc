//! The text of the source at a position: which part of it to show, and which names are bound there.
//!
//! The IR knows the positions of whole expressions, and names that may have been made up. What is shown of a long
//! expression is what it begins with, and a name is shown only if it stands where it would have been bound.

use kenaz_base::{SourceMap, Span};

/// What says which operator an expression is: the last piece of a pipe, no more than a line.
pub(super) fn operator(sources: &SourceMap, span: Span) -> Span {
    let text = sources.text(span);
    let is_expression = !["let", "loop", "if", "match"].contains(&word(text));
    let start = if is_expression { last_piece(text) } else { 0 };
    let line = text[start..].lines().next().unwrap_or("").trim_end();
    part(span, start, line.len())
}

/// The beginning of a loop or operator: its first word, so that the source from there on is shown as it is.
pub(super) fn head(sources: &SourceMap, span: Span) -> Span {
    let line = operator(sources, span);
    let first = word(sources.text(line));
    if first.is_empty() { line } else { part(line, 0, first.len()) }
}

fn part(span: Span, start: usize, length: usize) -> Span {
    let lo = span.lo + start as u32;
    Span { lo, hi: (lo + length as u32).max(lo + 1).min(span.hi.max(lo + 1)), ..span }
}

/// Where the last piece of `x |> f |> g` begins.
fn last_piece(text: &str) -> usize {
    let (mut depth, mut start) = (0usize, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '|' if depth == 0 && text[at..].starts_with("|>") => start = at + 2,
            _ => {}
        }
    }
    start + (text[start..].len() - text[start..].trim_start().len())
}

/// The name that a text begins with.
fn word(text: &str) -> &str {
    let is_part = |c: char| is_of_name(c) || c == '.';
    text.find(|c| !is_part(c)).map_or(text, |end| &text[..end])
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '\''
}

/// Whether a name stands in a text.
pub(super) fn has_word(text: &str, name: &str) -> bool {
    !name.is_empty() && text.split(|c| !is_of_name(c)).any(|word| word == name)
}

/// The parameters of the function whose name is at a place.
pub(super) fn header(sources: &SourceMap, name: Span) -> String {
    let text = sources.file(name.file).text.get(name.lo as usize..).unwrap_or("");
    text[..text.find('=').unwrap_or(text.len())].to_string()
}

/// What the text of a loop binds: its pattern, and its index.
pub(super) fn pattern(text: &str) -> String {
    let Some(text) = text.strip_prefix("loop") else { return String::new() };
    let end = |word: &str| text.find(word).unwrap_or(text.len());
    let index = text[end(" for ")..].strip_prefix(" for ").unwrap_or("");
    let index = &index[..index.find(['<', '\n']).unwrap_or(index.len())];
    let index = index.split(" in ").next().unwrap_or("");
    format!("{} {index}", &text[..end("=").min(end(" for ")).min(end(" while "))])
}

/// The parameters of the lambdas in a text.
pub(super) fn lambdas(text: &str) -> Vec<&str> {
    let pieces = text.split('\\').skip(1);
    pieces.filter_map(|piece| piece.split_once("->")).map(|(params, _)| params).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> (SourceMap, Span) {
        let mut sources = SourceMap::new();
        let file = sources.add("a.fut", text.to_string());
        (sources, Span::new(file, 0, text.len() as u32))
    }

    #[test]
    fn what_is_shown_of_an_expression() {
        for (text, expected, first) in [
            ("map (+ 1) xs", "map (+ 1) xs", "map"),
            ("xs |> map f |> map (\\x -> x |> g)", "map (\\x -> x |> g)", "map"),
            ("xs\n  |> filter p", "filter p", "filter"),
            ("tabulate n (\\i ->\n  i)", "tabulate n (\\i ->", "tabulate"),
            ("loop x = y |> f for i < n do\n  x |> g", "loop x = y |> f for i < n do", "loop"),
            ("let a[0] = x |> f\nin a", "let a[0] = x |> f", "let"),
            ("[1, 2]", "[1, 2]", "[1, 2]"),
            ("f |>", "", ""),
        ] {
            let (sources, span) = whole(text);
            assert_eq!(sources.text(operator(&sources, span)), expected);
            assert_eq!(sources.text(head(&sources, span)), first);
        }
    }

    #[test]
    fn names_stand_where_they_are_bound() {
        let text = "f [n] (a: [n]f32): f32 = let k = 1 in k";
        let (sources, span) = whole(text);
        let header = header(&sources, span);
        assert!(has_word(&header, "n") && has_word(&header, "a") && !has_word(&header, "k"));
        let pattern = pattern("loop (xs, ys) = (p, q) for d' < n do d");
        let names: Vec<&str> =
            ["xs", "ys", "d'", "d", "p", "n"].into_iter().filter(|x| has_word(&pattern, x)).collect();
        assert_eq!(names, ["xs", "ys", "d'"]);
        assert_eq!(lambdas("map2 (\\x (y, _) -> x + y) (map (\\z -> z) a)"), ["x (y, _) ", "z "]);
    }
}
