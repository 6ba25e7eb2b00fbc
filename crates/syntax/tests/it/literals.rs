//! Numbers, characters and strings.

use crate::common::{check_exprs, check_rejected, codes, errors, expr};

#[test]
fn integers() {
    check_exprs(
        "
        0 => 0
        1_000__0_ => 10000
        007 => 7
        42i8 => 42i8
        300u8 => 300u8
        2f32 => 2f32
        0xfF_1u64 => 4081u64
        0xf32 => 3890
        0b1_01i16 => 5i16
        0B11 => 3
        0rMCMXCIV => 1994
        0rIIIIi32 => 4i32
        -1 => (neg 1)
        340282366920938463463374607431768211456 => 0!
        ",
    );
}

#[test]
fn floats() {
    check_exprs(
        "
        1.5 => 1.5
        1_0.2_5 => 10.25
        1e3 => 1000.0
        1.5E-3f64 => 0.0015f64
        2.0f16 => 2.0f16
        1e400 => inf
        0x1.8p3 => 12.0
        0x1.fP-1f32 => 0.96875f32
        0x0.1p4 => 1.0
        0x1.0p-1074 => 5e-324
        0x1.8p2000 => inf
        ",
    );
    assert_eq!(expr("0x1.00000000000008p0"), "1.0", "halfway, to even");
    assert_eq!(expr("0x1.000000000000080000000000000000001p0"), "1.0000000000000002", "more than halfway");
}

#[test]
fn numbers_next_to_dots() {
    check_exprs(
        "
        1..2...3 => (... 1 2 3)
        1.5..<2.5 => (..< 1.5 2.5)
        x.0.1 => (. (. x 0) 1)
        1.a => (. 1 a)
        0...0x1 => (... 0 1)
        ",
    );
}

#[test]
fn malformed_numbers() {
    for text in ["1x", "12abc", "2i128", "2.0i32", "1e", "0x", "0b12", "0b1f32", "0x1.8", "0x.8p3", "a.0x1", "a.1f32"] {
        assert_eq!(codes(&format!("def x = {text}")).len(), 1, "{text}");
        assert!(errors(&format!("def x = {text}"))[0].contains("bad-literal"), "{text}");
    }
}

#[test]
fn characters() {
    check_exprs(
        r#"
        'a' => (char 97)
        ' ' => (char 32)
        '"' => (char 34)
        '\'' => (char 39)
        '\\' => (char 92)
        '\n' => (char 10)
        '\65' => (char 65)
        'å' => (char 229)
        "#,
    );
    assert_eq!(codes(r"def x = '\q'"), ["1:10 bad-literal"]);
    check_rejected("''\n 'ab'\n 'a");
}

#[test]
fn strings() {
    check_exprs(
        r#"
        "" => ""
        "a'b" => "a'b"
        "å" => "\xc3\xa5"
        "a\n\t\"\\\'" => "a\x0a\x09\"\\'"
        "\65\x42\o103\NUL\SOH\DEL\^A" => "ABC\x00\x01\x7f\x01"
        "\1234\&5" => "\xd3\x925"
        "a\   \b" => "ab"
        "#,
    );
    assert_eq!(codes(r#"def x = "a\qb" ++ "\1114112""#), ["1:11 bad-literal", "1:20 bad-literal"]);
    assert_eq!(codes("def x = \"abc\ndef y = 2 +"), ["1:9 unterminated-string", "2:11 unexpected-token"]);
}

#[test]
fn names() {
    check_exprs("_x => _x\n x'y_1 => x'y_1\n f' 'a' => (app f' (char 97))");
    assert_eq!(codes("def x = ååå + 1"), ["1:9 unknown-character"]);
}
