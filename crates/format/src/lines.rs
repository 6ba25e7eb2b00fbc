//! Which part of a file is formatted when only some lines are asked for.

use crate::source::{BLANKS, Source};
use kenaz_syntax::ast::{Ast, DecId};
use kenaz_syntax::token::Tok;
use std::ops::{Range, RangeInclusive};

/// Whole declarations with the comments before them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) decs: Range<usize>,
    pub(crate) tokens: Range<usize>,
    /// Whole lines, without the end of the last one unless it is the end of the file.
    pub(crate) text: Range<usize>,
}

/// The declarations that have something in these lines, counted from 1. What follows a declaration belongs to the next
/// one, and at the end of the file to the last.
pub(crate) fn widen(ast: &Ast, source: &Source, decs: &[DecId], lines: &RangeInclusive<usize>) -> Option<Part> {
    let ends: Vec<usize> = decs.iter().map(|&dec| end_of_line(source, ast[dec].span.hi)).collect();
    let starts = source.start_of_line(*lines.start())?;
    let mut first = ends.partition_point(|&end| end < starts).min(decs.len().checked_sub(1)?);
    // The line after the last asked for, or the end.
    let limit = source.start_of_line(lines.end().saturating_add(1)).unwrap_or(source.text.len() + 1);
    let mut last = ends.partition_point(|&end| end < limit).saturating_sub(1).max(first);
    // A declaration whose end is below begins in these lines, or the comments before it do.
    if last + 1 < decs.len() && ends[last] < limit && first_thing(source, ends[last]) < limit {
        last += 1;
    }
    // Declarations on one line are formatted together.
    while first > 0 && ends[first - 1] == end_of_line(source, ast[decs[first]].span.lo) {
        first -= 1;
    }
    while last + 1 < decs.len() && ends[last] == end_of_line(source, ast[decs[last + 1]].span.lo) {
        last += 1;
    }
    let behind = if first == 0 { 0 } else { ends[first - 1] };
    let thing = first_thing(source, behind);
    let start = source.text[..thing].rfind('\n').map_or(0, |at| at + 1).max(behind);
    let is_last = last + 1 == decs.len();
    let token_at = |offset: u32| source.tokens.partition_point(|token| token.kind != Tok::Eof && token.lo < offset);
    let first_token = if first == 0 { 0 } else { token_at(ast[decs[first]].span.lo) };
    let end_token = if is_last { source.tokens.len() - 1 } else { token_at(ast[decs[last + 1]].span.lo) };
    let end = if is_last { source.text.len() } else { ends[last] };
    Some(Part { decs: first..last + 1, tokens: first_token..end_token, text: start..end })
}

fn end_of_line(source: &Source, at: u32) -> usize {
    let rest = &source.text[at as usize..];
    let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
    at as usize + line.strip_suffix('\r').unwrap_or(line).len()
}

/// The first token or comment behind a place.
fn first_thing(source: &Source, behind: usize) -> usize {
    source.text.len() - source.text[behind..].trim_start_matches(|c| c == '\n' || BLANKS.contains(&c)).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::{Diagnostics, source::first_file};
    use kenaz_syntax::parse_file;

    const TEXT: &str = "-- one\ndef a = 1 -- end\n\n-- two\n-- three\ndef b =\n  2\ndef c = 3 def d = 4\n\n-- end\n";

    /// The declarations and the text that are formatted for some lines.
    fn part(lines: RangeInclusive<usize>) -> (Range<usize>, &'static str) {
        let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::new());
        let parsed = parse_file(&mut ast, first_file(), TEXT, &mut diagnostics);
        let source = Source::new(first_file(), TEXT);
        let part = widen(&ast, &source, &parsed.decs, &lines).unwrap();
        (part.decs, &TEXT[part.text])
    }

    #[test]
    fn lines_become_whole_declarations() {
        let a = "-- one\ndef a = 1 -- end";
        let b = "-- two\n-- three\ndef b =\n  2";
        let rest = "def c = 3 def d = 4\n\n-- end\n";
        assert_eq!(part(1..=1), (0..1, a));
        assert_eq!(part(2..=2), (0..1, a));
        assert_eq!(part(2..=3), (0..1, a));
        assert_eq!(part(2..=4), (0..2, &TEXT[..TEXT.find("\ndef c").unwrap()]));
        for lines in [4..=4, 5..=6, 6..=6, 7..=7] {
            assert_eq!(part(lines), (1..2, b));
        }
        for lines in [8..=8, 8..=100, 9..=9, 10..=10, 11..=11] {
            assert_eq!(part(lines), (2..4, rest));
        }
        assert_eq!(part(1..=100), (0..4, TEXT));
    }
}
