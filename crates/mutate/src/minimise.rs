//! Makes a failing program smaller: fewer lines, then fewer tokens (delta debugging, by Zeller and Hildebrandt).

use crate::tokens::Tokens;

/// The smallest program found that still fails. The test is run at most `budget` times.
pub fn minimise(text: &[u8], budget: usize, fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut left = budget;
    let lines: Vec<Vec<u8>> = text.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    let text = reduce(lines, &mut left, &fails).concat();
    match str::from_utf8(&text) {
        Ok(valid) => reduce(pieces(valid), &mut left, &fails).concat(),
        Err(_) => reduce(text.iter().map(|b| vec![*b]).collect(), &mut left, &fails).concat(),
    }
}

/// The tokens, each with the white space and comments before it.
fn pieces(text: &str) -> Vec<Vec<u8>> {
    let tokens = Tokens::new(text);
    let mut start = 0;
    let mut pieces = Vec::new();
    for i in 0..tokens.len() {
        let end = tokens.range(i).end;
        pieces.push(text.as_bytes()[start..end].to_vec());
        start = end;
    }
    pieces.push(text.as_bytes()[start..].to_vec());
    pieces
}

/// Leaves out runs of pieces, ever shorter ones, as long as the rest fails.
fn reduce(mut pieces: Vec<Vec<u8>>, left: &mut usize, fails: &impl Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
    let mut size = pieces.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        let mut smaller = false;
        while at < pieces.len() && *left > 0 {
            let end = (at + size).min(pieces.len());
            let rest = [&pieces[..at], &pieces[end..]].concat();
            *left -= 1;
            if fails(&rest.concat()) {
                pieces = rest;
                smaller = true;
            } else {
                at = end;
            }
        }
        if !(smaller && size == 1) {
            size /= 2;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_matters_is_left() {
        let text = b"def a = 1\ndef b = (x + y)\n-- c\ndef d = 2\n";
        let contains = |text: &[u8], what: &str| String::from_utf8_lossy(text).contains(what);
        let small = minimise(text, 1000, |t| contains(t, "x") && contains(t, ")"));
        assert_eq!(small, b"x)");
        assert_eq!(minimise(text, 0, |_| true), text);
    }
}
