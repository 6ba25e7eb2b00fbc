//! Mutants for robustness: any damage to the text.

use crate::Mutant;
use crate::tokens::{Tokens, line};
use kenaz_base::Rng;
use std::ops::Range;

type Change = fn(&[u8], &[u8], &mut Rng) -> (Range<usize>, Vec<u8>);

/// A change replaces a range of a program; it may take things from another program.
const CHANGES: [(&str, Change); 17] = [
    ("random-bytes", random_bytes),
    ("delete-tokens", delete_tokens),
    ("duplicate-tokens", duplicate_tokens),
    ("swap-tokens", swap_tokens),
    ("insert-token", insert_token),
    ("borrow-tokens", borrow_tokens),
    ("delete-line", delete_line),
    ("duplicate-line", duplicate_line),
    ("swap-lines", swap_lines),
    ("splice", splice),
    ("truncate", truncate),
    ("bracket", bracket),
    ("huge-number", huge_number),
    ("unicode", unicode),
    ("deep-nesting", deep_nesting),
    ("long-chain", long_chain),
    ("rename", rename),
];

/// A mutant with one to four changes.
pub fn mutate(program: &[u8], other: &[u8], rng: &mut Rng) -> Mutant {
    let mut mutant = Mutant { text: program.to_vec(), kinds: Vec::new(), line: 1 };
    for _ in 0..1 + rng.below(4) {
        let (kind, change) = CHANGES[rng.below(CHANGES.len())];
        let (range, with) = change(&mutant.text, other, rng);
        mutant.line = line(&mutant.text, range.start);
        mutant.kinds.push(kind);
        mutant.text.splice(range, with);
    }
    mutant
}

/// The ranges of the tokens; of the valid part, should the text not be UTF-8.
fn tokens(text: &[u8]) -> Vec<Range<usize>> {
    let text = match str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&text[..error.valid_up_to()]).unwrap_or(""),
    };
    let tokens = Tokens::new(text);
    (0..tokens.len()).map(|i| tokens.range(i)).collect()
}

/// Up to `most` tokens in a row.
fn some_tokens(text: &[u8], most: usize, rng: &mut Rng) -> Range<usize> {
    let tokens = tokens(text);
    let first = rng.below(tokens.len());
    let Some(start) = tokens.get(first) else { return 0..0 };
    let last = (first + rng.below(most)).min(tokens.len() - 1);
    start.start..tokens[last].end
}

fn lines(text: &[u8]) -> Vec<Range<usize>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive(|b| *b == b'\n') {
        lines.push(start..start + line.len());
        start += line.len();
    }
    lines
}

fn some_line(text: &[u8], rng: &mut Rng) -> Range<usize> {
    rng.pick(&lines(text)).cloned().unwrap_or(0..0)
}

fn random_bytes(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    let at = rng.below(text.len() + 1);
    let end = (at + rng.below(4)).min(text.len());
    // Printable most of the time: what is not UTF-8 gets no further than the reader.
    let byte = |rng: &mut Rng| {
        if rng.chance(20) { rng.next() as u8 } else { b' ' + (rng.below(95) as u8) }
    };
    (at..end, (0..rng.below(6)).map(|_| byte(rng)).collect())
}

fn delete_tokens(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    (some_tokens(text, 3, rng), Vec::new())
}

fn duplicate_tokens(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    let range = some_tokens(text, 6, rng);
    let mut with = b" ".to_vec();
    with.extend(&text[range.clone()]);
    (range.end..range.end, with)
}

fn swap_tokens(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    let tokens = tokens(text);
    let i = rng.below(tokens.len());
    let j = i + 1 + rng.below(4);
    let (Some(a), Some(b)) = (tokens.get(i), tokens.get(j)) else { return (0..0, Vec::new()) };
    let with = [&text[b.clone()], &text[a.end..b.start], &text[a.clone()]].concat();
    (a.start..b.end, with)
}

const TOKENS: [&str; 64] = [
    "def", "let", "in", "if", "then", "else", "loop", "for", "while", "do", "with", "match", "case", "module", "type",
    "entry", "open", "local", "import", "include", "val", "assert", "true", "???", "(", ")", "[", "]", "{", "}", "#[",
    "=", ":", ":>", "->", "\\", "..", "...", "..<", "..>", ".", ",", "'", "^", "~", "?", "*", "-", "!", "|", "<", "+",
    "`", "#a", "_", "x", "0", "1.5f32", "'c'", "\"s\"", "'^a", "&&", "|>", "-- |",
];

fn insert_token(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    let at = some_tokens(text, 1, rng).end;
    let token = TOKENS[rng.below(TOKENS.len())];
    let with = if rng.chance(3) { token.to_string() } else { format!(" {token} ") };
    (at..at, with.into_bytes())
}

fn borrow_tokens(text: &[u8], other: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    let range = some_tokens(text, 4, rng);
    let range = if rng.chance(2) { range } else { range.end..range.end };
    let mut with = b" ".to_vec();
    with.extend(&other[some_tokens(other, 12, rng)]);
    with.push(b' ');
    (range, with)
}

fn delete_line(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    (some_line(text, rng), Vec::new())
}

fn duplicate_line(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    let line = some_line(text, rng);
    let with = text[line.clone()].to_vec();
    let at = some_line(text, rng).start;
    (at..at, with)
}

fn swap_lines(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    let lines = lines(text);
    let i = rng.below(lines.len());
    let (Some(a), Some(b)) = (lines.get(i), lines.get(i + 1 + rng.below(3))) else { return (0..0, Vec::new()) };
    (a.start..b.end, [&text[b.clone()], &text[a.end..b.start], &text[a.clone()]].concat())
}

/// The start of one program and the end of another.
fn splice(text: &[u8], other: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    let cut = some_tokens(text, 1, rng).end;
    let from = some_tokens(other, 1, rng).start;
    (cut..text.len(), other[from..].to_vec())
}

fn truncate(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    let at = if rng.chance(2) { rng.below(text.len() + 1) } else { some_tokens(text, 1, rng).end };
    (at..text.len(), Vec::new())
}

fn bracket(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    let at = some_tokens(text, 1, rng).end;
    (at..at, vec![b"()[]{}"[rng.below(6)]])
}

fn huge_number(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    let digits = "9".repeat([10, 19, 20, 40, 400, 5000][rng.below(6)]);
    let number = match rng.below(8) {
        0 => format!("1e{}", &digits[..digits.len().min(400)]),
        1 => format!("0x{digits}"),
        2 => format!("{digits}i8"),
        3 => format!("0b{}", "1".repeat(digits.len())),
        4 => format!("1.{digits}f16"),
        5 => format!("0r{}", "M".repeat(digits.len())),
        6 => format!("-{digits}u64"),
        _ => digits,
    };
    (some_tokens(text, 1, rng), format!(" {number} ").into_bytes())
}

fn unicode(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    const PIECES: [&str; 14] = [
        "é",
        "×",
        "–",
        "“x”",
        "λ",
        "中",
        "🙂",
        "\u{301}",
        "\u{202e}",
        "\u{0}",
        "\u{feff}",
        "\u{1b}[31m",
        "\r",
        "\t\u{b}",
    ];
    let at = if rng.chance(2) { some_tokens(text, 1, rng).end } else { some_line(text, rng).start };
    let piece = PIECES[rng.below(PIECES.len())];
    (at..at, piece.repeat([1, 1, 3, 200][rng.below(4)]).into_bytes())
}

fn deep_nesting(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    const PAIRS: [(&str, &str); 20] = [
        ("(", ")"),
        ("[", "]"),
        ("{a=", "}"),
        ("{a:", "}"),
        ("(0,", ")"),
        ("-", ""),
        ("!", ""),
        ("(\\x->", ")"),
        ("if true then ", " else x"),
        ("if true then x else ", ""),
        ("let x = ", " in x"),
        ("let x = 1 in ", ""),
        ("match x case ", ""),
        ("loop x = ", " for i < 1 do x"),
        ("#a (", ")"),
        ("[]", ""),
        ("i32 -> ", ""),
        ("module m = { ", " }"),
        ("#[a]", ""),
        ("(f (", "))"),
    ];
    let range = some_tokens(text, 3, rng);
    let (open, close) = PAIRS[rng.below(PAIRS.len())];
    let n = [10, 100, 100, 1000][rng.below(4)];
    let closed = if rng.chance(4) { 0 } else { n };
    let inner = String::from_utf8_lossy(&text[range.clone()]).into_owned();
    (range, [" ", &open.repeat(n), &inner, &close.repeat(closed), " "].concat().into_bytes())
}

fn long_chain(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    const LINKS: [&str; 12] =
        [" + 1", " x", ".a", "[0]", ", x", " |> f", " | #a", " && x", " : i32", " ++ x", "'", "\n"];
    let at = some_tokens(text, 1, rng).end;
    (at..at, LINKS[rng.below(LINKS.len())].repeat([10, 100, 1000][rng.below(3)]).into_bytes())
}

/// A token takes the place of another.
fn rename(text: &[u8], _: &[u8], rng: &mut Rng) -> (Range<usize>, Vec<u8>) {
    let with = text[some_tokens(text, 1, rng)].to_vec();
    (some_tokens(text, 1, rng), with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_mutant() {
        let program = b"def f (x: i32): i32 = x + 1\n\nentry main = f 2\n";
        let make = |seed| mutate(program, b"def g = 1\n", &mut Rng::new(seed));
        assert_eq!(make(7), make(7));
        assert!((0..50).any(|seed| make(seed).text != make(seed + 1).text));
    }

    #[test]
    fn every_change_copes_with_every_text() {
        for text in [&b""[..], b"x", b"\xff\xfe", b"def \xff = 1\n", b"((((", b"\n\n"] {
            for (kind, change) in CHANGES {
                for seed in 0..40 {
                    let (range, _) = change(text, b"", &mut Rng::new(seed));
                    assert!(range.start <= range.end && range.end <= text.len(), "{kind}");
                    change(b"", text, &mut Rng::new(seed));
                }
            }
        }
    }
}
