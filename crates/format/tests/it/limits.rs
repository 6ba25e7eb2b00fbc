//! Programs that are long, deep, broken, or written on other systems.

use super::{check, formatted};
use kenaz_format::{Refusal, format};

#[test]
fn long_chains() {
    const MANY: usize = 100_000;
    for (first, link, last) in [
        ("", "let y = 1 in ", "y"),
        ("", "if b then 1 else ", "2"),
        ("", "1 + ", "2"),
        ("", "f <| ", "2"),
        ("", "- ", "2"),
        ("", "#[inline] ", "2"),
        ("a", "[0]", ""),
        ("y", " : t", ""),
        ("r", " with a = 1", ""),
        ("f", " x", ""),
        ("[", "1, ", "2]"),
    ] {
        let text = format!("def x = {first}{}{last}\n", link.repeat(MANY));
        check(link, &text).unwrap();
    }
}

#[test]
fn deep_nesting_is_an_error_before_it_is_a_problem() {
    let nested = |depth: usize| format!("def x = {}1{}\n", "(f ".repeat(depth), ")".repeat(depth));
    check("brackets", &nested(900)).unwrap();
    match format(super::file(), &nested(100_000)) {
        Err(Refusal::Rejected(diagnostics)) => assert_eq!(diagnostics[0].message, "the program is nested too deeply"),
        _ => panic!("it is laid out"),
    }
}

#[test]
fn deep_nesting_does_not_make_long_lines() {
    let depth = 900;
    let text = format!("def x = {}1{}\n", "(f\n ".repeat(depth), ")".repeat(depth));
    let longest = formatted(&text).lines().map(str::len).max();
    assert!(longest < Some(2000), "{longest:?}");
}

#[test]
fn programs_with_syntax_errors_are_refused() {
    for text in ["def x =", "def x = (1", "def x = \"", "-- | nothing\n", "def x = 1 )"] {
        assert!(matches!(format(super::file(), text), Err(Refusal::Rejected(_))), "{text}");
    }
}

#[test]
fn lines_end_as_the_first_one() {
    assert_eq!(formatted("def x=1\r\n-- c  \r\ndef y=\n 2"), "def x = 1\r\n-- c\r\ndef y =\r\n  2\r\n");
    assert_eq!(formatted("def x=1\n-- c\r\ndef y=2\r\n"), "def x = 1\n-- c\ndef y = 2\n");
}

#[test]
fn nothing_but_comments() {
    assert_eq!(formatted(""), "");
    assert_eq!(formatted("\n\n  \n"), "");
    assert_eq!(formatted("\n\n  -- a\n\n\n-- b"), "-- a\n\n-- b\n");
}

/// Test blocks stand at the margin.
#[test]
fn no_test_block_comes_or_goes() {
    let block = "def f =\n  let x = 1\n-- ==\n-- input {} output { 1 }\n  in x\n";
    assert_eq!(formatted(block), block);
    let no_block = "def f = 1\n  -- ==\n  -- input {}\ndef g = 2\n";
    assert_eq!(formatted(no_block), no_block);
    let half = "-- ==\n-- input {}\n  -- a comment\ndef f = 1\n";
    assert_eq!(formatted(half), half);
    let odd = "-- ==\n\t\x0b-- input {}\n-- input {}\ndef f = 1\n";
    assert_eq!(formatted(odd), odd.replace("\t\x0b", "  "));
}
