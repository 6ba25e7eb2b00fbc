//! Declarations, modules, patterns and types.

use crate::common::{check_files, check_rejected, file, parse};

#[test]
fn values() {
    check_files(
        "
        def x = 1 => (def x 1)
        def f x (y: t) : u = x => (def f x (paren (: y t)) : u x)
        def f [n][m] 't '~u '^v ' w = 1 => (def f [n] [m] 't '~u '^v 'w 1)
        def f[n] (x: [n]t) = 1 => (def f [n] (paren (: x (arr [n] t))) 1)
        def f: a -> b = g => (def f : (-> a b) g)
        def x + y = 1 => (def + x y 1)
        def (x, y) +^ {a} : t = 1 => (def +^ (tuple x y) (record a) : t 1)
        def x - y = 1 => (def - x y 1)
        def x `f` y = 1 => (def f x y 1)
        def (+) 't (x: t) y = 1 => (def + 't (paren (: x t)) y 1)
        def (*) = 1 => (def * 1)
        def (`f`) x = 1 => (def f x 1)
        entry f x = 1 => (entry f x 1)
        entry (+) x y = 1 => (entry + x y 1)
        let f x = 1 => (toplet f x 1)
        let x * y = 1 => (toplet * x y 1)
        local def x = 1 => (local (def x 1))
        #[a] #[b(1)] def x = 1 => (def #[a] #[b(1)] x 1)
        #[a] local #[b] def x = 1 => (local #[a] (def #[b] x 1))
        ",
    );
    check_rejected(
        "
        def = 1
        def f
        def _ = 1
        def 1 = 2
        def (x) = 1
        def (x, y) = 1
        def f x 't = 1
        def f #[a] x = 1
        def x.y = 1
        def (m.+) x y = 1
        def x m.+ y = 1
        def x ! y = 1
        def (!) x = 1
        def (=) x y = 1
        def + x y = 1
        def #c x + y = 1
        def f x: = 1
        entry x + y = 1
        #[a] def #[b] x = 1
        ",
    );
}

#[test]
fn several_declarations_on_a_line() {
    assert_eq!(
        file("def x = 1 def y = 2 open m local import \"a/b\""),
        "(def x 1)\n(def y 2)\n(open m)\n(local (import \"a/b\"))"
    );
    assert_eq!(file("module m = n import \"a\""), "(module m n)\n(import \"a\")");
}

#[test]
fn patterns() {
    check_files(
        "
        def f _ () (x) (x, y,) = 1 => (def f _ (tuple) (paren x) (tuple x y) 1)
        def f {} {a, b = (c, d), e: t, 0 = z,} = 1 => (def f (record) (record a (= b (tuple c d)) (= e (: e t)) (= 0 z)) 1)
        def f #a (#b x -1 #c {y}) = 1 => (def f (#a) (paren (#b x -1 (#c) (record y))) 1)
        def f 1 2.5 'c' true = 1 => (def f 1 2.5 (char 99) true 1)
        def f (-1i8) (-2.5 : t) = 1 => (def f (paren -1i8) (paren (: -2.5 t)) 1)
        def f (#[a] #[b] x : t) = 1 => (def f (paren (#[a] (#[b] (: x t)))) 1)
        def f ((+)) (-) ((`g`): t) = 1 => (def f (paren +) - (paren (: g t)) 1)
        def x = match y case -1 -> a case #[a] #b c -> d => (def x (match y (case -1 a) (case (#[a] (#b c)) d)))
        ",
    );
    check_rejected(
        "
        def f (x,) = 1
        def f (x: t: u) = 1
        def f (#a x : t) = 1
        def f (m.x) = 1
        def f \"a\" = 1
        match x case a b -> c
        match x case a, b -> c
        match x case #a | #b -> c
        match x case (m.+) -> c
        ",
    );
}

#[test]
fn types() {
    check_files(
        "
        type t = m.n.u => (type t = m.n.u)
        type^ t 'a [n] = u => (type^ t 'a [n] = u)
        type~ t = u => (type~ t = u)
        type t = *[n][]u => (type t = (* (arr [n] (arr [] u))))
        type t = [n + f m.k]u => (type t = (arr [(+ n (app f m.k))] u))
        type t = a -> *b -> [n]c => (type t = (-> a (-> (* b) (arr [n] c))))
        type t = (a -> b) -> c => (type t = (-> (paren (-> a b)) c))
        type t = (x: a) -> (y: [x]b) -> c => (type t = (-> x: a (-> y: (arr [x] b) c)))
        type t = () => (type t = (tuple))
        type t = (a, b,) => (type t = (tuple a b))
        type t = {} => (type t = (record))
        type t = {a: b, 0: c -> d,} => (type t = (record (= a b) (= 0 (-> c d))))
        type t = u [n] a [] (b c) {d: e} => (type t = (app u [n] a [] (paren (app b c)) (record (= d e))))
        type t = u[n][m] => (type t = (app u [n] [m]))
        type t = [n]u a => (type t = (arr [n] (app u a)))
        type t = #a | #b u [n]v w | #c (#d | #e) => (type t = (sum (#a) (#b u (arr [n] (app v w))) (#c (paren (sum (#d) (#e))))))
        type t = *#a | #b => (type t = (* (sum (#a) (#b))))
        type t = ?[n][m].[n][m]a -> b => (type t = (exists [n] [m] (-> (arr [n] (arr [m] a)) b)))
        type t = a -> ?[n].[n]b => (type t = (-> a (exists [n] (arr [n] b))))
        type t = ?[n]. ?[m].u => (type t = (exists [n] (exists [m] u)))
        ",
    );
    check_rejected(
        "
        type t
        type _ = a
        type t (x) = a
        type t = **a
        type t = (x: a)
        type t = (x: a, y: b) -> c
        type t = (a,)
        type t = {a = b}
        type t = | #a
        type t = #a #b
        type t = #a u [n]
        type t = u *a
        type t = [n]?[m].a
        type t = ?n.a
        type t = ?[n, m].a
        type t = 'a
        type t = #[a] b
        ",
    );
}

#[test]
fn modules() {
    check_files(
        r#"
        module m = n.o (p q) {def x = 1} => (module m (app (app n.o (paren (app p q))) (decs (def x 1))))
        module m = n : t : u => (module m (: (: n t) u))
        module m (p: t) (q: {}) : u with v = w = p => (module m (param p t) (param q (specs)) : (with u v = w) p)
        module m = \(p: t): u -> p q : v => (module m (: (\ (param p t) : u (app p q)) v))
        module m = \(p: t) -> \(q: u) -> p => (module m (\ (param p t) (\ (param q u) p)))
        module m = import "a" : t => (module m (: (import "a") t))
        open {type t = u local open m} => (open (decs (type t = u) (local (open m))))
        module type t = m.u => (moduletype t m.u)
        module type t = u with v 'a [n] = w -> x with m.y = z => (moduletype t (with (with u v 'a [n] = (-> w x)) m.y = z))
        module type t = u -> (p: v) -> (w) with x = y => (moduletype t (-> u (-> p: v (with (paren w) x = y))))
        module type t = {val x [n] 'a : b val + : c val (*) 'a : d} => (moduletype t (specs (val x [n] 'a : b) (val + : c) (val * 'a : d)))
        module type t = {type a type^ b 'c type~ d = e type f [n] = g} => (moduletype t (specs (type a) (type^ b 'c) (type~ d = e) (type f [n] = g)))
        module type t = {#[a] include u with v = w module m : {}} => (moduletype t (specs (include #[a] (with u v = w)) (module m : (specs))))
        "#,
    );
    check_rejected(
        r"
        module m
        module m p = n
        module m = \p -> n
        module m = \(p: t) (q: t) -> n
        module m = n with t = u
        module type t (p: u) = v
        module type t = (p: u)
        module type t = {val x = y}
        module type t = {def x = 1}
        module type t = {val ! : a}
        module type t = {module m (p: u) : v}
        open
        import a
        ",
    );
}

#[test]
fn spans_are_byte_offsets() {
    let text = "-- å\ndef f = g a (b + c).d\n";
    let outcome = parse(text);
    let spans: Vec<&str> =
        outcome.ast.exprs.iter().map(|(_, e)| &text[e.span.lo as usize..e.span.hi as usize]).collect();
    assert_eq!(spans, ["g", "a", "b", "c", "b + c", "(b + c)", "(b + c).d", "g a (b + c).d"]);
    let dec = &outcome.ast[outcome.file.decs[0]];
    assert_eq!(&text[dec.span.lo as usize..dec.span.hi as usize], "def f = g a (b + c).d");
}

#[test]
fn comments_are_kept() {
    let outcome = parse("-- a\ndef x = 1 -- b\n-- | c\n-- d\ndef y = 2 --> e\n--");
    let kept: Vec<(&str, bool)> = outcome.file.comments.iter().map(|c| (outcome.map.text(c.span), c.is_doc)).collect();
    assert_eq!(
        kept,
        [("-- a", false), ("-- b", false), ("-- | c", true), ("-- d", true), ("--> e", false), ("--", false)]
    );
}

#[test]
fn documentation() {
    assert_eq!(file("-- | One\n--  two\n--\n--three\ndef x = 1"), r#"(def (doc "One\n two\n\nthree") x 1)"#);
    assert_eq!(file("-- | File\n\n-- | Value\ndef x = 1"), "(doc \"File\")\n(def (doc \"Value\") x 1)");
    assert_eq!(file("-- | File\n\ndef x = 1"), "(doc \"File\")\n(def x 1)");
    assert_eq!(file("-- | A\r\n-- b\r\ndef x = 1"), r#"(def (doc "A\nb") x 1)"#);
    assert_eq!(file("-- |A\n#[a] type t = u"), r#"(type (doc "A") #[a] t = u)"#);
    assert_eq!(
        file("local\n-- | A\ndef x = 1 -- | B\ndef y = 2"),
        "(local (def (doc \"A\") x 1))\n(def (doc \"B\") y 2)"
    );
    assert_eq!(
        file("module type t = {\n  -- | A\n  val x : a\n  -- | B\n  module m : u}"),
        r#"(moduletype t (specs (val (doc "A") x : a) (module (doc "B") m : u)))"#
    );
    assert_eq!(file("--| no\n--  | no\ndef x = 1"), "(def x 1)");
}

#[test]
fn misplaced_documentation() {
    let cases = ["def x = -- | A\n 1", "def x = 1\n-- | A\n", "#[a]\n-- | A\ndef x = 1", "module m = {\n-- | A\n}"];
    for text in cases {
        assert_eq!(crate::common::codes(text).len(), 1, "{text}");
        assert!(crate::common::errors(text)[0].contains("misplaced-doc"), "{text}");
    }
    assert_eq!(crate::common::codes("def x = 1\n-- | A\n\n-- | B\ndef y = 2"), ["2:1 misplaced-doc"]);
}

#[test]
fn empty_files() {
    for text in ["", "\n", "-- only a comment", " \t\r\n"] {
        assert_eq!(file(text), "", "{text:?}");
    }
}
