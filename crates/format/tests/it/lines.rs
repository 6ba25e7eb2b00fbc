//! Only some lines.

use kenaz_format::format_lines;
use std::ops::RangeInclusive;

#[track_caller]
fn formatted(text: &str, lines: RangeInclusive<usize>) -> String {
    format_lines(super::file(), text, lines).unwrap()
}

#[test]
fn the_rest_is_left_alone() {
    let text = "-- one\ndef  a=1 -- end\n\n\n  -- two\ndef  b =\n     2+3\ndef  c=3\n\n-- last  ";
    assert_eq!(formatted(text, 1..=1), text.replace("def  a=1", "def a = 1"));
    let b = "-- two\ndef b =\n  2 + 3";
    assert_eq!(formatted(text, 7..=7), text.replace("  -- two\ndef  b =\n     2+3", b));
    assert_eq!(formatted(text, 5..=5), formatted(text, 6..=7));
    assert_eq!(formatted(text, 8..=8), text.replace("def  c=3\n\n-- last  ", "def c = 3\n\n-- last\n"));
    assert_eq!(formatted(text, 1..=99), super::formatted(text));
}

#[test]
fn declarations_inside_a_module_belong_to_it() {
    let text = "module m = {\n def  a=1\n def  b=2\n}\ndef  c=3\n";
    assert_eq!(formatted(text, 3..=3), "module m = {\n  def a = 1\n  def b = 2\n}\ndef  c=3\n");
}

#[test]
fn several_declarations_on_a_line() {
    let text = "def  a=1 def  b=2\ndef  c=3\n";
    assert_eq!(formatted(text, 1..=1), "def a = 1\ndef b = 2\ndef  c=3\n");
}

#[test]
fn lines_that_are_not_there() {
    assert_eq!(formatted("def  a=1\n", 7..=9), "def  a=1\n");
    assert_eq!(formatted("", 1..=1), "");
}

#[test]
fn line_ends_are_kept() {
    assert_eq!(formatted("def  a=\r\n 1\r\ndef  b=2\r\n", 1..=1), "def a =\r\n  1\r\ndef  b=2\r\n");
}
