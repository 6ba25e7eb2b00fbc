//! Is a formatted program the same program?

use kenaz_base::{Diagnostics, FileId};
use kenaz_syntax::ast::{Ast, File};
use kenaz_syntax::lexer::{Lexed, lex};
use kenaz_syntax::token::Token;
use kenaz_syntax::{dump, parse_file};

/// Compares two texts, of which the first was parsed: tokens, comments, test blocks and trees. Returns what differs.
pub(crate) fn difference(ast: &Ast, parsed: &File, before: &str, after: &str) -> Option<String> {
    let file = parsed.file;
    let (old, new) = (read(file, before), read(file, after));
    if let Some(difference) = tokens(&old.tokens, before, &new.tokens, after) {
        return Some(difference);
    }
    let comments = |lexed: &Lexed, text: &'_ str| -> Vec<(bool, String)> {
        let text_of = |lo: u32, hi: u32| text[lo as usize..hi as usize].trim_end().to_string();
        lexed.comments.iter().map(|comment| (comment.is_doc, text_of(comment.span.lo, comment.span.hi))).collect()
    };
    if comments(&old, before) != comments(&new, after) {
        return Some("the comments differ".to_string());
    }
    if test_blocks(before) != test_blocks(after) {
        return Some("the test blocks differ".to_string());
    }
    let (mut new_ast, mut diagnostics) = (Ast::default(), Diagnostics::new());
    let new_file = parse_file(&mut new_ast, file, after, &mut diagnostics);
    if diagnostics.has_errors() {
        return Some("the result has syntax errors".to_string());
    }
    (dump::file(ast, parsed) != dump::file(&new_ast, &new_file)).then(|| "the syntax trees differ".to_string())
}

fn read(file: FileId, text: &str) -> Lexed {
    lex(file, text, &mut Diagnostics::new())
}

/// The first difference between tokens. Whether a `[` stands directly behind a name is seen in the tree.
fn tokens(old: &[Token], before: &str, new: &[Token], after: &str) -> Option<String> {
    let text = |token: Option<&Token>, text: &'_ str| {
        token.map_or(String::new(), |t| text[t.lo as usize..t.hi as usize].to_string())
    };
    let count = old.len().max(new.len());
    (0..count).find_map(|at| {
        let (a, b) = (old.get(at), new.get(at));
        let same = match (a, b) {
            (Some(a), Some(b)) => {
                before[a.lo as usize..a.hi as usize] == after[b.lo as usize..b.hi as usize]
                    && (a.kind == b.kind || (a.kind.is_bracket() && b.kind.is_bracket()))
            }
            _ => false,
        };
        (!same).then(|| format!("token {at} was `{}` and became `{}`", text(a, before), text(b, after)))
    })
}

/// The comments at the margin that have a line `==`.
fn test_blocks(text: &str) -> Vec<Vec<&str>> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let at_margin = |line: &&str| line.starts_with("--");
    lines
        .chunk_by(|a, b| at_margin(a) == at_margin(b))
        .filter(|block| at_margin(&block[0]) && block.iter().any(|line| line[2..].trim() == "=="))
        .map(<[&str]>::to_vec)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::source::first_file;

    fn compared(before: &str, after: &str) -> Option<String> {
        let (mut ast, mut diagnostics) = (Ast::default(), Diagnostics::new());
        let parsed = parse_file(&mut ast, first_file(), before, &mut diagnostics);
        difference(&ast, &parsed, before, after)
    }

    #[test]
    fn spaces_make_no_difference() {
        assert_eq!(compared("def f[n] (x:[n]i32)=x -- c  \n", "-- c\ndef f [n] (x: [n]i32) =\n  x\n"), None);
    }

    #[test]
    fn differences_are_found() {
        let of = |before: &str, after: &str| compared(before, after).unwrap_or_default();
        assert_eq!(of("def f = 1", "def f = 2"), "token 3 was `1` and became `2`");
        assert_eq!(of("def f = 1", "def f = 1 + 1"), "token 4 was `` and became `+`");
        assert_eq!(of("def f = - -1", "def f = --1"), "token 3 was `-` and became ``");
        assert_eq!(of("def f = x .0", "def f = x. 0x0"), "token 5 was `0` and became `0x0`");
        assert_eq!(of("def f = 1 -- a\n-- b", "def f = 1 -- a"), "the comments differ");
        assert_eq!(of("def f = 1 -- a\n-- b", "-- b\ndef f = 1 -- a"), "the comments differ");
        assert_eq!(of("-- ==\ndef f = 1", " -- ==\ndef f = 1"), "the test blocks differ");
        assert_eq!(of("-- ==\n-- a\n\n-- b", "-- ==\n-- a\n-- b"), "the test blocks differ");
        assert_eq!(of("def f = g [1]", "def f = g[1]"), "the syntax trees differ");
        assert_eq!(of("-- | d\n\ndef f = 1", "-- | d\ndef f = 1"), "the syntax trees differ");
        assert_eq!(of("-- d\n-- | d\ndef f = 1", "-- d\ndef f = 1 -- | d"), "the result has syntax errors");
    }
}
