//! Random programs whose layout is damaged are laid out: they stay the same programs, and so does their new layout.

use kenaz_base::{Diagnostics, source::first_file};
use kenaz_format::format;
use kenaz_generate::{Size, generate, generate_modules};
use kenaz_syntax::lexer::lex;
use kenaz_syntax::token::Tok;

#[test]
fn damaged_layouts_are_mended() {
    for seed in 0..60 {
        for text in [generate(seed, Size::Small).source, generate_modules(seed).with_tests()] {
            check(seed, &text);
            for rarely in [2, 7, 50] {
                check(seed, &spread(&text, rarely));
            }
        }
    }
}

/// The texts of all tokens and comments.
fn pieces(text: &str) -> Vec<&str> {
    let lexed = lex(first_file(), text, &mut Diagnostics::new());
    let tokens = lexed.tokens.iter().map(|token| (token.lo, token.hi));
    let comments = lexed.comments.iter().map(|comment| (comment.span.lo, comment.span.hi));
    let mut places: Vec<(u32, u32)> = tokens.chain(comments).collect();
    places.sort_unstable();
    places.into_iter().map(|(lo, hi)| text[lo as usize..hi as usize].trim_end()).collect()
}

#[track_caller]
fn check(seed: u64, text: &str) {
    let once = format(first_file(), text).unwrap_or_else(|refusal| panic!("seed {seed}: {refusal:?}\n{text}"));
    assert!(pieces(text) == pieces(&once), "seed {seed}: it is another program\n{text}");
    let twice = format(first_file(), &once).unwrap_or_else(|refusal| panic!("seed {seed}: {refusal:?}\n{once}"));
    assert!(once == twice, "seed {seed}: the second time it is laid out otherwise\n{text}");
}

/// The program with comments, empty lines and line breaks before some tokens, and joined lines elsewhere.
fn spread(text: &str, rarely: usize) -> String {
    let lexed = lex(first_file(), text, &mut Diagnostics::new());
    let mut out = String::new();
    let mut before = 0;
    for (token, number) in lexed.tokens.iter().zip(0usize..) {
        let (lo, hi) = (token.lo as usize, token.hi as usize);
        let between = &text[before..lo];
        let is_comment = between.contains("--");
        // An index follows its array directly, and the number of a field its dot.
        let is_free = !matches!(token.kind, Tok::Index | Tok::Nat);
        match number * 7 % (3 * rarely) {
            _ if is_comment || !is_free => out.push_str(between),
            0 => out.push_str(" -- here\n-- and here\n"),
            1 => out.push_str("\n\n\n"),
            2 | 3 => out.push('\n'),
            _ => out.push_str(&between.replace('\n', " ")),
        }
        out.push_str(&text[lo..hi]);
        before = hi;
    }
    out
}
