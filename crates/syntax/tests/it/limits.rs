//! Depth, length and the time they take: no input overflows the stack, and chains may have any length.

use crate::common::{codes, expr, file, parse};
use kenaz_syntax::dump;

const MANY: usize = 100_000;

#[test]
fn nesting_too_deep_is_one_error() {
    for text in [
        format!("def x = {}1{}", "(".repeat(MANY), ")".repeat(MANY)),
        format!("def x = {}", "(".repeat(MANY)),
        format!("def x = {}", "[".repeat(MANY)),
        format!("def x = {}", "{a = ".repeat(MANY)),
        format!("def x = {}1", "let x = ".repeat(MANY)),
        format!("def x = {}1", "1..<".repeat(MANY)),
        format!("def x = {}", "match a case b -> ".repeat(MANY)),
        format!("def x = {}", "a[".repeat(MANY)),
        format!("def x = {}", "f \\y -> 1 + (".repeat(MANY)),
        format!("def x = {}", "\\y -> ".repeat(MANY)),
        format!("def x = {}", "loop x for i < 9 do ".repeat(MANY)),
        format!("def x = {}", "if a then b else let c = a in ".repeat(MANY)),
        format!("def f {} = 1", "(".repeat(MANY)),
        format!("def f ({}", "#[a] ".repeat(MANY)),
        format!("type t = {}", "(".repeat(MANY)),
        format!("type t = {}", "#a [n]".repeat(MANY)),
        format!("type t = {}", "[".repeat(MANY)),
        format!("type t = {}a", "a -> ".repeat(MANY)),
        format!("type t = {}a", "[n]".repeat(MANY)),
        format!("type t = {}a", "* ".repeat(MANY)),
        format!("type t = {}a", "?[n].".repeat(MANY)),
        "module m = {".repeat(5000),
        format!("module type t = {}", "{module m : ".repeat(MANY)),
        format!("module m = {}", "(".repeat(MANY)),
        format!("module m = {}", "\\(p: t) -> ".repeat(MANY)),
        format!("{}def x = 1", "local ".repeat(MANY)),
        format!("#[{}", "a(".repeat(MANY)),
    ] {
        let found = codes(&text);
        assert_eq!(found.len(), 1, "{}… {found:?}", &text[..40]);
        assert!(found[0].ends_with("nesting-too-deep"), "{}… {found:?}", &text[..40]);
    }
}

#[test]
fn some_hundred_levels_are_fine() {
    let depth = 1990;
    for (open, close) in [("(", ")"), ("[", "]"), ("f (", ")"), ("-(1 + ", ")"), ("{a = ", "}")] {
        let text = format!("def x = {}1{}", open.repeat(depth), close.repeat(depth));
        assert_eq!(codes(&text), [""; 0], "{open}");
    }
    let text = format!("{}{}", "module m = {".repeat(depth), "}".repeat(depth));
    assert_eq!(file(&text).matches("module").count(), depth);
}

#[test]
fn chains_may_have_any_length() {
    let join = |part: &str| vec![part; MANY].join("");
    for (text, word) in [
        (format!("def x = 1{}", join(" + 1")), "+"),
        (format!("def x = {}f", join("f <| ")), "<|"),
        (format!("def x = f{}", join(" a")), "a"),
        (format!("def x = a{}", join(".0")), "."),
        (format!("def x = a{}", join("[0]")), "index"),
        (format!("def x = {}1", join("- ")), "neg"),
        (format!("def x = a{}", join(" with [0] = 1")), "with"),
        (format!("def x = a{}", join(" : t")), "(:"),
        (format!("def x = {}1", join("let x = 1 in ")), "let"),
        (format!("def x = {}in 1", join("let x = 1\n  ")), "let"),
        (format!("def x = {}1", join("if a then b else ")), "if"),
        (format!("def x = {}1", join("#[a] ")), "#[a]"),
        (format!("def x = match a{}", join(" case 1 -> 2")), "case"),
        (format!("{}def x = 1", join("#[a] ")), "#[a]"),
        (format!("module m = f{}", join(" a")), "app"),
        (join("def x = 1\n"), "def"),
    ] {
        assert!(file(&text).matches(word).count() >= MANY, "{}…", &text[..40]);
    }
}

#[test]
fn mixed_operator_chains_keep_their_shape() {
    let text = vec!["a * b + c <| d"; 1000].join(" |> ");
    let once = "(<| (+ (* a b) c) d)";
    let tree = expr(&text);
    assert!(tree.starts_with(&"(|> ".repeat(999)));
    assert_eq!(tree.matches(once).count(), 1000);
}

#[test]
fn long_lines_and_tokens_are_fine() {
    let name = "a".repeat(10_000_000);
    assert_eq!(file(&format!("def x = {name}")).len(), name.len() + 8);
    assert_eq!(codes(&format!("def x = [{}1]", "1,".repeat(1_000_000))), [""; 0]);
    assert_eq!(codes(&format!("def x = {}b", "a.".repeat(1_000_000))), [""; 0]);
    assert_eq!(codes(&format!("-- {name}\n{}def x = 1", "-- | a\n".repeat(100_000))), [""; 0]);
}

#[test]
fn endless_mistakes_are_not_all_listed() {
    assert_eq!(parse(&"def x = 1 )\n".repeat(10_000)).errors.len(), 200);
    assert_eq!(parse(&"@ ".repeat(100_000)).errors.len(), 200);
    assert_eq!(parse(&"-- | a\n\n".repeat(10_000)).errors.len(), 200);
}

#[test]
fn deep_trees_are_dumped() {
    let outcome = parse(&format!("def x = 1{}", " + 1".repeat(MANY)));
    assert!(dump::file(&outcome.ast, &outcome.file).ends_with(" 1) 1))\n"));
}
