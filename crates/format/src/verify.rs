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
