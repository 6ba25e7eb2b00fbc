//! What is said about mistakes, and how parsing goes on after them.

use crate::common::{codes, errors, parse};
use kenaz_syntax::dump;

/// The only error, and its causes and hints.
fn only(text: &str) -> (String, Vec<String>, Vec<String>) {
    let outcome = parse(text);
    assert_eq!(outcome.errors.len(), 1, "{text}\n{:#?}", outcome.errors);
    let d = &outcome.errors[0];
    let causes = d.causes.iter().map(|c| format!("{}: {}", outcome.map.text(c.span), c.text)).collect();
    (errors(text).remove(0), causes, d.hints.clone())
}

#[test]
fn missing_operands() {
    assert_eq!(
        only("def f x = let y = 1 in x + in y").0,
        "1:28 unexpected-token expected an expression after `+`, found `in`"
    );
    assert_eq!(
        only("def f x = x +\n\ndef g = 2").0,
        "1:13 unexpected-token expected an expression after `+`, found the next declaration (`def`)"
    );
}

#[test]
fn unclosed_brackets_point_at_the_opening_one() {
    let (message, causes, _) = only("def f = (1 + 2\n\ndef g = 3");
    assert_eq!(message, "1:14 unclosed-delimiter expected `)` after `2`, found the next declaration (`def`)");
    assert_eq!(causes, ["(: this `(` is not closed"]);
    let (message, causes, _) = only("def f = [1, 2)\ndef g = 3");
    assert_eq!(message, "1:14 unclosed-delimiter expected `]` after `2`, found `)`");
    assert_eq!(causes, ["[: this `[` is not closed"]);
    assert_eq!(only("def f (x: t = 1").0, "1:13 unclosed-delimiter expected `)` after `t`, found `=`");
    assert_eq!(only("def f = 1)\ndef g = 2").0, "1:10 unclosed-delimiter this `)` closes nothing");
}

#[test]
fn typical_slips_get_a_hint() {
    let hint = |text: &str, part: &str| {
        let (message, _, hints) = only(text);
        assert!(hints.iter().any(|h| h.contains(part)), "{text}\n{message}\n{hints:?}");
    };
    hint("def f x = if x = 1 then 2 else 3", "`==`");
    hint("def f x = (x = 1)", "`==`");
    hint("def f x = x = 1", "`==`");
    hint("def f =\n  let x = 1\n  x + 1", "every `let` has an `in`");
    hint("def f = let x = 1\ndef g = 2", "every `let` has an `in`");
    hint("def f x = if x then 1", "`else`");
    hint("def f x = if x 1 else 2", "if c then a else b");
    hint("def f x = match x case 1 = 2", "`->`");
    hint("def f x = match x case 1 => 2", "`->`");
    hint("def f x = match x with | 1 -> 2", "case");
    hint("def f = \\x. x", "->");
    hint("def f = loop x = 1 do x", "for i < n");
    hint("def f = let x =-1 in x", "write `= -`");
    hint("def f = !!x", "write `! !`");
    hint("def f = 0..10", "..<");
    hint("def f = 'ab'", "one character");
    hint("def f = map _ xs", "???");
    hint("def f = g if a then b else c", "parentheses");
    hint("def f = {a: 1}", "{name = value");
    hint("type t = {a = b}", "{name: type");
    hint("def f x 't = x", "before the other parameters");
    hint("def (x, y) = z", "one by one");
    hint("def f = x;", "`;`");
    hint("val x : t", "`def`");
    hint("x = 1", "`def`");
    hint("import a", "import \"");
    hint("type t 'a = 'a", "without its quote");
}

#[test]
fn reserved_names_and_prefix_operators() {
    assert_eq!(only("def let = 1").0, "1:5 reserved-name `let` is a keyword and cannot be used as a name");
    assert_eq!(only("def f in = 1").0, "1:7 reserved-name `in` is a keyword and cannot be used as a parameter");
    assert_eq!(codes("def f = (=)"), ["1:10 reserved-name"]);
    assert_eq!(codes("def f x = x ! 1"), ["1:13 bad-operator"]);
    assert_eq!(codes("def x ! y = 1"), ["1:7 bad-operator"]);
}

#[test]
fn independent_errors_are_all_reported() {
    let text = "def a = 1 +\ndef b = (2\ntype t = [n\nmodule m = {\n  def c = ]\n  def d = 3\n  type u = +\n}\nentry e x = x x )\ndef f = 4";
    assert_eq!(
        codes(text),
        [
            "1:11 unexpected-token",
            "2:10 unclosed-delimiter",
            "3:11 unclosed-delimiter",
            "5:11 unexpected-token",
            "7:12 unexpected-token",
            "9:17 unclosed-delimiter",
        ]
    );
}

#[test]
fn brackets_confine_errors() {
    let text = "def f = (1 + ) * [2, +] - g (let x = in x)";
    // `(1 + )` is a section.
    assert_eq!(codes(text), ["1:22 unexpected-token", "1:38 unexpected-token"]);
    assert_eq!(
        codes("def f = [1, , 2] ++ xs[, 3] ++ {a = }"),
        ["1:13 unexpected-token", "1:24 unexpected-token", "1:37 unexpected-token"]
    );
}

#[test]
fn one_mistake_gives_one_message() {
    for text in [
        "def f x = x +* + 2 : t) (]",
        "def f = ((1 + 2)\ndef g = 1",
        "def f = (((1)\n",
        "module m = {\n  def f = (1\n}\ndef g = 2",
        "module m : = {\n  def f = 1\n  def g = 2\n}\ndef h = 3",
        "module type t = {\n  val x\n  val y : a\n}\ndef h = 3",
        "module type t = {\n  def x = 1\n}\ndef h = 3",
        "module m = {\n  def f = 1\n",
        "def f (x: [n) (y: t) = 1\ndef g = 2",
        "def f = match x case ) -> 1\ndef g = 2",
        "def f = a # b\ndef g = 2",
        "def f = @ @\ndef g = 2",
        "def f x = g (h x ~ y) z\ndef g = 2",
        "def f = x.0.\ndef g = 2",
        "def f =\ndef g = 2",
        "def\ndef g = 2",
        "#[a]\n",
        "local",
        "def f = \"abc",
    ] {
        let found = errors(text);
        let same_run = found.iter().all(|e| e.contains("unknown-character"));
        assert!(found.len() == 1 || (same_run && !found.is_empty()), "{text}\n{found:#?}");
    }
}

#[test]
fn a_declaration_with_a_broken_body_still_declares_its_name() {
    let outcome = parse("def f x = x +\ndef g = (1 2 ]\ndef h = 3");
    assert_eq!(dump::file(&outcome.ast, &outcome.file), "(def f x (error))\n(def g (error))\n(def h 3)\n");
}

#[test]
fn errors_inside_brackets_keep_the_rest() {
    let outcome = parse("def f = a + (b + ]) * [1, +]");
    assert_eq!(outcome.errors.len(), 1);
    let outcome = parse("def f = a + (b + +) * [1]");
    assert_eq!(dump::file(&outcome.ast, &outcome.file), "(def f (+ a (* (error) (array 1))))\n");
}

/// Whatever is done to a program, parsing ends, and either the tree is whole or something is said.
#[test]
fn mutilated_programs_never_panic() {
    let program = include_str!("../sample.fut");
    let pieces: Vec<&str> = "( ) [ ] { } let in = -> if then else match case def type module #[ # ` ' \" . .. ... ..< * - ! : :> \\ , 0x 1e m.+ ??? with \n -- | @ å val"
        .split(' ')
        .collect();
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    for _ in 0..3000 {
        let mut text = program.to_string();
        for _ in 0..1 + random(4) {
            let lo = text.floor_char_boundary(random(text.len()));
            let hi = text.ceil_char_boundary((lo + random(8)).min(text.len()));
            text.replace_range(lo..hi, pieces[random(pieces.len())]);
        }
        let outcome = parse(&text);
        let tree = dump::file(&outcome.ast, &outcome.file);
        assert!(!tree.contains("(error)") || !outcome.errors.is_empty(), "{text}");
        assert!(outcome.errors.len() <= 16, "{text}\n{:#?}", outcome.errors);
    }
}
