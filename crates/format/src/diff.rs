//! What formatting has changed, as a unified diff.
//!
//! Both texts have the same tokens and comments in the same order, so lines belong together when they begin with the
//! same one. That takes time that is linear in the texts.

use kenaz_base::{Diagnostics, FileId};
use kenaz_syntax::lexer::lex;
use std::fmt::Write;
use std::ops::Range;

/// This many lines around a change are shown.
const CONTEXT: usize = 3;

struct TextLine<'a> {
    text: &'a str,
    /// The number of tokens and comments before the first one that begins on this line or, if none does, below.
    before: usize,
    /// The number of lines above on which nothing begins before something does.
    blanks: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Same,
    Removed,
    Added,
}

/// A unified diff of two texts with the same tokens and comments, with ANSI colours if wanted. Empty if they are equal.
pub fn diff(name: &str, before: &str, after: &str, colour: bool) -> String {
    let changes = changes(&lines(before), &lines(after));
    let mut out = String::new();
    // The lines of both texts above the hunk, and where the one before it ended.
    let (mut above, mut end) = ([0, 0], 0);
    for hunk in hunks(&changes) {
        if out.is_empty() {
            paint(&mut out, colour, "1", &format!("--- {name}"));
            paint(&mut out, colour, "1", &format!("+++ {name}"));
        }
        let count = |part: &[(Change, &str)], not: Change| part.iter().filter(|(change, _)| *change != not).count();
        let here = &changes[hunk.clone()];
        let mut range = |at: usize, not: Change| {
            above[at] += count(&changes[end..hunk.start], not);
            let lines = count(here, not);
            // A range without lines is named after the line above it.
            let start = above[at] + usize::from(lines > 0);
            above[at] += lines;
            if lines == 1 { start.to_string() } else { format!("{start},{lines}") }
        };
        let (old, new) = (range(0, Change::Added), range(1, Change::Removed));
        end = hunk.end;
        paint(&mut out, colour, "36", &format!("@@ -{old} +{new} @@"));
        for &(change, text) in here {
            let (sign, code) = match change {
                Change::Same => (' ', ""),
                Change::Removed => ('-', "31"),
                Change::Added => ('+', "32"),
            };
            let end = if text.ends_with('\n') { "" } else { "\n\\ No newline at end of file" };
            paint(&mut out, colour, code, &format!("{sign}{}{end}", text.strip_suffix('\n').unwrap_or(text)));
        }
    }
    out
}

fn paint(out: &mut String, colour: bool, code: &str, line: &str) {
    let _ =
        if colour && !code.is_empty() { writeln!(out, "\x1b[{code}m{line}\x1b[0m") } else { writeln!(out, "{line}") };
}

fn lines(text: &str) -> Vec<TextLine<'_>> {
    let file: FileId = kenaz_base::source::first_file();
    let lexed = lex(file, text, &mut Diagnostics::new());
    let mut things: Vec<u32> = lexed.tokens.iter().map(|token| token.lo).collect();
    things.extend(lexed.comments.iter().map(|comment| comment.span.lo));
    things.sort_unstable();
    let (mut at, mut before, mut blanks) = (0, 0, 0);
    text.split_inclusive('\n')
        .map(|line| {
            at += line.len() as u32;
            let here = TextLine { text: line, before, blanks };
            let first = before;
            while things.get(before).is_some_and(|&thing| thing < at) {
                before += 1;
            }
            blanks = if before == first { blanks + 1 } else { 0 };
            here
        })
        .collect()
}

fn changes<'a>(old: &[TextLine<'a>], new: &[TextLine<'a>]) -> Vec<(Change, &'a str)> {
    let mut changes = Vec::with_capacity(old.len().max(new.len()));
    let (mut i, mut j) = (0, 0);
    // Lines on which something begins come behind empty ones before it.
    let place = |line: &TextLine| {
        let is_blank = line.text.trim().is_empty();
        (line.before, !is_blank, if is_blank { line.blanks } else { 0 })
    };
    while i < old.len() || j < new.len() {
        match (old.get(i), new.get(j)) {
            (Some(a), Some(b)) if place(a) == place(b) && a.text == b.text => {
                changes.push((Change::Same, a.text));
                (i, j) = (i + 1, j + 1);
            }
            (Some(a), b) if b.is_none_or(|b| place(a) <= place(b)) => {
                changes.push((Change::Removed, a.text));
                i += 1;
            }
            (_, Some(b)) => {
                changes.push((Change::Added, b.text));
                j += 1;
            }
            (_, None) => break,
        }
    }
    // Of a run of changes, those that remove come first.
    let mut at = 0;
    while at < changes.len() {
        let same = changes[at].0 == Change::Same;
        let len = changes[at..].iter().take_while(|(change, _)| (*change == Change::Same) == same).count();
        if !same {
            changes[at..at + len].sort_by_key(|(change, _)| *change == Change::Added);
        }
        at += len;
    }
    changes
}

/// The changes with the lines around them.
fn hunks(changes: &[(Change, &str)]) -> Vec<Range<usize>> {
    let mut hunks: Vec<Range<usize>> = Vec::new();
    for (at, _) in changes.iter().enumerate().filter(|(_, (change, _))| *change != Change::Same) {
        let (start, end) = (at.saturating_sub(CONTEXT), (at + CONTEXT + 1).min(changes.len()));
        match hunks.last_mut() {
            Some(last) if last.end >= start => last.end = end,
            _ => hunks.push(start..end),
        }
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_no_diff() {
        assert_eq!(diff("a", "def x = 1\n", "def x = 1\n", true), "");
    }

    #[test]
    fn changes_have_lines_around_them() {
        let before = "-- 1\n-- 2\n-- 3\n-- 4\ndef x=1\n-- 5\n-- 6\n-- 7\n-- 8\n";
        let after = before.replace("x=1", "x = 1");
        let expected =
            "--- a.fut\n+++ a.fut\n@@ -2,7 +2,7 @@\n -- 2\n -- 3\n -- 4\n-def x=1\n+def x = 1\n -- 5\n -- 6\n -- 7\n";
        assert_eq!(diff("a.fut", before, &after, false), expected);
    }

    #[test]
    fn changes_far_apart_have_hunks_of_their_own() {
        let comments = "-- c\n".repeat(7);
        let before = format!("def x=1\n{comments}def y=2");
        let after = format!("def x = 1\n{comments}def y = 2\n");
        let expected = "--- a\n+++ a\n@@ -1,4 +1,4 @@\n-def x=1\n+def x = 1\n -- c\n -- c\n -- c\n@@ -6,4 +6,4 @@\n -- c\n -- c\n -- c\n-def y=2\n\\ No newline at end of file\n+def y = 2\n";
        assert_eq!(diff("a", &before, &after, false), expected);
    }

    #[test]
    fn lines_are_joined_and_split() {
        let before = "def f x =\n  x\n  + 1\n\n\n\ndef g = 1\n";
        let after = "def f x = x + 1\n\ndef g = 1\n";
        let expected =
            "--- a\n+++ a\n@@ -1,7 +1,3 @@\n-def f x =\n-  x\n-  + 1\n+def f x = x + 1\n \n-\n-\n def g = 1\n";
        assert_eq!(diff("a", before, after, false), expected);
    }

    #[test]
    fn colours() {
        let text = diff("a", "def x=1\n", "def x = 1\n", true);
        assert!(text.contains("\x1b[31m-def x=1\x1b[0m\n\x1b[32m+def x = 1\x1b[0m\n"), "{text:?}");
    }
}
