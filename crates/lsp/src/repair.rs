//! Programs with errors in their syntax, changed so that the checker looks at the rest of them.
//!
//! The checker says nothing about a program that cannot be parsed. While somebody types, that is most of the time, and
//! the rest of the file is as it was. So a declaration with such an error is completed: a hole for an expression that
//! is missing, a bracket that is not closed; and where none of that helps, its body becomes a hole, or it goes. The
//! changes are remembered, and places are translated to those of the text that the user sees.

use kenaz_base::source::first_file;
use kenaz_base::{Diagnostic, Diagnostics, Severity};
use kenaz_syntax::ast::Ast;
use kenaz_syntax::lexer::lex;
use kenaz_syntax::token::{Tok, Token};
use std::collections::BTreeSet;
use std::ops::Range;

/// A text that can be parsed, and how it differs from what was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Repaired {
    pub(crate) text: String,
    /// Sorted, apart from each other.
    edits: Vec<Edit>,
    /// The declarations that were changed, as bytes of what was written.
    broken: Vec<Range<u32>>,
    /// The names that what was taken away may have bound.
    lost: BTreeSet<String>,
}

/// The bytes `lo..hi` of what was written, and the length of what stands there now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edit {
    lo: u32,
    hi: u32,
    length: u32,
}

impl Repaired {
    /// A text as it was written.
    pub(crate) fn nothing(text: &str) -> Repaired {
        Repaired { text: text.to_string(), ..Repaired::default() }
    }

    /// Puts another text in the place of a part that no other change touches.
    pub(crate) fn replace(&mut self, written: Range<u32>, new: &str) {
        let (lo, hi) = (self.to_changed(written.start), self.to_changed(written.end));
        self.text.replace_range(lo as usize..hi as usize, new);
        self.edits.push(Edit { lo: written.start, hi: written.end, length: new.len() as u32 });
        self.edits.sort_by_key(|edit| (edit.lo, edit.hi));
    }

    /// The offset in what was written.
    pub(crate) fn to_written(&self, offset: u32) -> u32 {
        // The start, in the changed text, of what stands behind the edits so far, less that in what was written.
        let mut shift = 0i64;
        for edit in &self.edits {
            let start = i64::from(edit.lo) + shift;
            if i64::from(offset) < start {
                break;
            }
            if i64::from(offset) < start + i64::from(edit.length) {
                return edit.lo;
            }
            shift += i64::from(edit.length) - i64::from(edit.hi - edit.lo);
        }
        u32::try_from(i64::from(offset) - shift).unwrap_or(0)
    }

    /// The offset in the changed text.
    pub(crate) fn to_changed(&self, offset: u32) -> u32 {
        let mut shift = 0i64;
        for edit in &self.edits {
            if offset < edit.hi || (offset == edit.lo && edit.lo == edit.hi) {
                return u32::try_from(i64::from(offset.min(edit.lo)) + shift).unwrap_or(0);
            }
            shift += i64::from(edit.length) - i64::from(edit.hi - edit.lo);
        }
        u32::try_from(i64::from(offset) + shift).unwrap_or(0)
    }

    /// Whether something at an offset of what was written is due to the changes.
    pub(crate) fn is_broken(&self, offset: u32) -> bool {
        self.broken.iter().any(|range| range.contains(&offset) || range.end == offset)
    }

    /// Whether a name may be one of those that were taken away.
    pub(crate) fn has_lost(&self, name: &str) -> bool {
        self.lost.contains(name)
    }
}

/// The errors in the syntax of a text.
pub(crate) fn errors(text: &str) -> Vec<Diagnostic> {
    let mut diagnostics = Diagnostics::new();
    kenaz_syntax::parse_file(&mut Ast::default(), first_file(), text, &mut diagnostics);
    diagnostics.into_sorted().into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error).collect()
}

/// The text, changed as little as is needed for it to be parsed; what stands at `keep` is not taken away if that can be
/// avoided.
pub(crate) fn repair(text: &str, keep: Option<u32>) -> Repaired {
    let mut repaired = Repaired::nothing(text);
    let wrong = errors(text);
    if wrong.is_empty() {
        return repaired;
    }
    let tokens = tokens(text);
    let starts = declarations(text, &tokens);
    // Backwards, so that what is before a change keeps its place.
    for (at, start) in starts.iter().enumerate().rev() {
        let end = starts.get(at + 1).copied().unwrap_or(text.len() as u32);
        let is_inside = |diagnostic: &Diagnostic| {
            let lo = diagnostic.primary.span.lo;
            (*start..end).contains(&lo) || (end as usize == text.len() && lo >= end)
        };
        if wrong.iter().any(is_inside) {
            repair_declaration(&mut repaired, *start..end, &tokens, keep);
        }
    }
    if !errors(&repaired.text).is_empty() {
        // Errors that only the whole file shows.
        return without(text, 0..text.len() as u32, &tokens);
    }
    repaired.edits.sort_by_key(|edit| (edit.lo, edit.hi));
    repaired
}

fn tokens(text: &str) -> Vec<Token> {
    let mut ignored = Diagnostics::new();
    let lexed = lex(first_file(), text, &mut ignored).tokens;
    lexed.into_iter().filter(|token| token.kind != Tok::Eof).collect()
}

/// Where declarations of the file start, the first of them at its start.
fn declarations(text: &str, tokens: &[Token]) -> Vec<u32> {
    let mut starts = vec![0];
    // Only attributes and `local` so far: the declaration is still to come.
    let mut is_opening = false;
    let mut attribute = 0usize;
    for token in tokens {
        let column_one = token.lo == 0 || text.as_bytes()[token.lo as usize - 1] == b'\n';
        let starts_dec = matches!(
            token.kind,
            Tok::Def
                | Tok::Let
                | Tok::Entry
                | Tok::Type
                | Tok::Module
                | Tok::Open
                | Tok::Import
                | Tok::Local
                | Tok::AttrOpen
        );
        if column_one && starts_dec && attribute == 0 {
            if !is_opening && token.lo > 0 {
                starts.push(token.lo);
            }
            is_opening = matches!(token.kind, Tok::Local | Tok::AttrOpen);
            attribute = usize::from(token.kind == Tok::AttrOpen);
            continue;
        }
        match token.kind {
            // An attribute that is not closed ends with its declaration.
            _ if column_one && starts_dec => {
                starts.push(token.lo);
                (attribute, is_opening) = (0, false);
            }
            Tok::RBracket if attribute > 0 => attribute -= 1,
            Tok::LBracket | Tok::Index | Tok::AttrOpen if attribute > 0 => attribute += 1,
            _ if attribute > 0 => {}
            _ => is_opening = false,
        }
    }
    starts
}

/// What can be added where something is missing.
const COMPLETIONS: &[&str] = &[
    " ??? ",
    " in ??? ",
    ") ",
    "] ",
    "} ",
    " = ??? ",
    " -> ??? ",
    " then ??? else ??? ",
    " else ??? ",
    " do ??? ",
    " case _ -> ??? ",
    ") in ??? ",
    "] in ??? ",
    " ???) ",
    " ???] ",
    " ??? in ??? ",
    " = ??? in ??? ",
    " i32 ",
    "i32 = ??? ",
    " {} ",
    " x ",
];

/// How often a declaration is completed before its body is given up.
const ROUNDS: usize = 4;

fn repair_declaration(repaired: &mut Repaired, dec: Range<u32>, tokens: &[Token], keep: Option<u32>) {
    let written = repaired.text[dec.start as usize..dec.end as usize].to_string();
    let own: Vec<Token> = tokens
        .iter()
        .filter(|token| dec.contains(&token.lo))
        .map(|token| Token { kind: token.kind, lo: token.lo - dec.start, hi: token.hi - dec.start })
        .collect();
    let keep = keep.filter(|at| *at > dec.start && *at <= dec.end).map(|at| at - dec.start);
    let fixed = completed(&written, &own, keep).unwrap_or_else(|| emptied(&written, &own));
    repaired.broken.insert(0, dec.clone());
    repaired.lost.extend(fixed.lost);
    repaired.text.replace_range(dec.start as usize..dec.end as usize, &fixed.text);
    let moved = |edit: &Edit| Edit { lo: edit.lo + dec.start, hi: edit.hi + dec.start, length: edit.length };
    repaired.edits.extend(fixed.edits.iter().map(moved));
}

/// The declaration with something added or taken away at its errors, if that is enough.
fn completed(written: &str, tokens: &[Token], keep: Option<u32>) -> Option<Repaired> {
    let mut best = Repaired::nothing(written);
    let mut left = errors(written);
    for _ in 0..ROUNDS {
        let first = left.first()?;
        let at = best.to_written(first.primary.span.lo);
        // How far the text is right.
        let progress = |text: &Repaired, errors: &[Diagnostic]| {
            errors.first().map_or(u32::MAX, |d| text.to_written(d.primary.span.lo))
        };
        let before = progress(&best, &left);
        let mut found: Option<(Repaired, Vec<Diagnostic>)> = None;
        for change in changes(written, tokens, at, keep) {
            if best.edits.iter().any(|edit| edit.lo < change.0.end && change.0.start < edit.hi.max(edit.lo + 1)) {
                continue;
            }
            let mut candidate = best.clone();
            candidate.replace(change.0.clone(), change.1);
            if change.0.len() > 1 {
                candidate.lost.extend(names(written, tokens, &change.0));
            }
            let errors = errors(&candidate.text);
            if errors.is_empty() {
                return Some(candidate);
            }
            let further = found.as_ref().map_or(before, |(text, errors)| progress(text, errors));
            if progress(&candidate, &errors) > further && errors.len() <= left.len() {
                found = Some((candidate, errors));
            }
        }
        (best, left) = found?;
    }
    None
}

/// The changes worth trying where an error is, the smallest first.
fn changes(written: &str, tokens: &[Token], at: u32, keep: Option<u32>) -> Vec<(Range<u32>, &'static str)> {
    let index = tokens.iter().position(|token| token.hi > at);
    let token = index.map(|index| tokens[index]);
    let before = index.unwrap_or(tokens.len()).checked_sub(1).map(|index| tokens[index]);
    let end = written.len() as u32;
    // An error at the end of a declaration is told of its last token, another one of the token that is wrong.
    let mut places = [before.map_or(0, |token| token.hi), token.map_or(end, |token| token.hi)];
    if index.is_none_or(|index| index + 1 == tokens.len()) {
        places.reverse();
    }
    let mut out: Vec<(Range<u32>, &str)> = Vec::new();
    for completion in COMPLETIONS {
        out.extend(places.iter().map(|place| (*place..*place, *completion)));
    }
    let line_lo = written[..at.min(end) as usize].rfind('\n').map_or(0, |found| found + 1) as u32;
    let line_hi = written[line_lo as usize..].find('\n').map_or(end, |found| line_lo + found as u32);
    let gone = [token, before].into_iter().flatten().map(|token| token.lo..token.hi);
    for range in gone.chain(std::iter::once(line_lo..line_hi)) {
        if range.start < range.end && !keep.is_some_and(|keep| (range.start..=range.end).contains(&keep)) {
            out.push((range, " "));
        }
    }
    out
}

/// The declaration without its body, or nothing in its place.
fn emptied(written: &str, tokens: &[Token]) -> Repaired {
    let all = 0..written.len() as u32;
    let first = tokens.iter().find(|token| !matches!(token.kind, Tok::Local));
    let is_value = first.is_some_and(|token| matches!(token.kind, Tok::Def | Tok::Entry | Tok::Let));
    if let Some(equals) = tokens.iter().find(|token| token.kind == Tok::Equals).filter(|_| is_value) {
        let mut repaired = Repaired::nothing(written);
        let body = equals.hi..all.end;
        repaired.lost = names(written, tokens, &body);
        repaired.replace(body, " ???\n");
        if errors(&repaired.text).is_empty() {
            return repaired;
        }
    }
    without(written, all, tokens)
}

/// Nothing in the place of a part.
fn without(written: &str, range: Range<u32>, tokens: &[Token]) -> Repaired {
    let mut repaired = Repaired::nothing(written);
    repaired.lost = names(written, tokens, &range);
    repaired.broken.push(range.clone());
    repaired.replace(range, "\n");
    repaired
}

/// All names in a part.
fn names(written: &str, tokens: &[Token], range: &Range<u32>) -> BTreeSet<String> {
    let inside = tokens.iter().filter(|token| range.contains(&token.lo) && token.kind == Tok::Name);
    inside.filter_map(|token| written.get(token.lo as usize..token.hi as usize)).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text after the repair; what was not touched is where it was.
    fn repaired(text: &str) -> Repaired {
        let repaired = repair(text, None);
        assert_eq!(errors(&repaired.text), [], "{}", repaired.text);
        for (at, c) in text.char_indices() {
            let there = repaired.to_changed(at as u32);
            assert!(there as usize <= repaired.text.len());
            if repaired.edits.iter().all(|edit| !(edit.lo..edit.hi).contains(&(at as u32))) && !c.is_whitespace() {
                assert_eq!(repaired.text[there as usize..].chars().next(), Some(c), "{at} of {text}");
                assert_eq!(repaired.to_written(there), at as u32, "{at} of {text}");
            }
        }
        repaired
    }

    #[test]
    fn what_is_right_stays() {
        let text = "def f (x: i32) = x\n";
        assert_eq!(repair(text, None), Repaired::nothing(text));
    }

    #[test]
    fn expressions_are_completed() {
        let rest = "def g = 1\n";
        for (broken, names) in [
            ("def f (x: i32) = x + \n", ["f", "x +"]),
            ("def f (x: i32) =\n", ["f", "x: i32"]),
            ("def f (x: i32) =\n  let y = x\n", ["f", "let y = x"]),
            ("def f (x: i32) = (x + 1\n", ["f", "(x + 1"]),
            ("def f (x: i32) =\n  let y = x *\n  in y\n", ["let y", "in y"]),
            ("def f (x: i32) = if x > 1 then x\n", ["x > 1", "then x"]),
            ("def f (x: i32) =\n  let y = [1, x\n  in y\n", ["[1, x", "in y"]),
            ("#[inline]\ndef f (x: i32) = x +\n", ["#[inline]", "x +"]),
        ] {
            let repaired = repaired(&format!("{rest}{broken}{rest}"));
            for name in names {
                assert!(repaired.text.contains(name), "{broken}: {}", repaired.text);
            }
            assert!(repaired.text.starts_with(rest) && repaired.text.ends_with(rest), "{}", repaired.text);
        }
    }

    #[test]
    fn what_cannot_be_completed_goes() {
        let text = "def a = 1\ndef f (x: = ] } let let\ndef b = a\n";
        let repaired = repaired(text);
        assert!(repaired.text.contains("def a = 1") && repaired.text.contains("def b = a"), "{}", repaired.text);
        assert!(repaired.has_lost("f") && !repaired.has_lost("a"));
        assert!(repaired.is_broken(20) && !repaired.is_broken(2));
    }

    #[test]
    fn nothing_is_beyond_repair() {
        for text in
            ["}", "def", "\"", "(((((", "let", "#[", "type t = ", "module m = {", "def f = \"a\nb", "import", "'"]
        {
            repaired(text);
            repaired(&format!("{text}\ndef x = 1\n"));
        }
    }
}
