//! Expressions: every construct, and how they bind.

use crate::common::{check_exprs, check_rejected};

#[test]
fn operators_bind_by_their_longest_builtin_prefix() {
    check_exprs(
        r"
        a |> f `g` b |> h => (`g` (|> a f) (|> b h))
        a `f` b `g` c => (`g` (`f` a b) c)
        a |> f <| b || c => (|> a (<| f (|| b c)))
        a <| b |> c => (|> (<| a b) c)
        f <| g <| h => (<| f (<| g h))
        a |> f |> g => (|> (|> a f) g)
        a || b && c || d => (|| (|| a (&& b c)) d)
        a && b == c & d => (&& a (== b (& c d)))
        a < b == c => (== (< a b) c)
        a & b ^ c | d => (| (^ (& a b) c) d)
        a & b << c + d => (& a (<< b (+ c d)))
        a + b - c => (- (+ a b) c)
        a + b * c // d %% e => (+ a (%% (// (* b c) d) e))
        a * b ** c ** d => (* a (** (** b c) d))
        a +^ b *^ c => (+^ a (*^ b c))
        a >>= b + c => (>>= a (+ b c))
        a <|> b <|> c => (<|> a (<|> b c))
        a ||> b &&> c => (||> a (&&> b c))
        a !! b + c => (!! a (+ b c))
        ",
    );
}

/// The table above splits at its first arrow, so operators with an arrow in them stand here.
#[test]
fn operators_that_look_like_arrows() {
    assert_eq!(crate::common::expr("a ->> b * c + d"), "(+ (->> a (* b c)) d)");
    assert_eq!(crate::common::expr("a |-> b"), "(|-> a b)");
    assert_eq!(crate::common::expr("a <- b"), "(<- a b)");
    assert_eq!(crate::common::expr("a => b == c"), "(== (=> a b) c)");
}

#[test]
fn prefix_operators_bind_tighter_than_infix_and_looser_than_application() {
    check_exprs(
        r"
        -x ** y => (** (neg x) y)
        -f x y => (neg (app f x y))
        a - -b => (- a (neg b))
        - - x => (neg (neg x))
        ! !x => (! (! x))
        !a.b[0] => (! (index a.b [0]))
        f -x => (- f x)
        a -1 => (- a 1)
        -if a then b else c + d => (neg (if a b (+ c d)))
        -x with a = 1 => (with (neg x) a 1)
        a * !b => (* a (! b))
        ",
    );
}

#[test]
fn ascriptions_ranges_and_updates_are_looser_than_operators() {
    check_exprs(
        r"
        a + b : t => (: (+ a b) t)
        a : t :> u : v => (: (:> (: a t) u) v)
        0..<n : [n]i64 => (: (..< 0 n) (arr [n] i64))
        a+1..b+2...c+3 => (... (+ a 1) (+ b 2) (+ c 3))
        a..<b |> f => (..< a (|> b f))
        f <| a..>b => (..> (<| f a) b)
        1..2..<3..<4 => (..< 1 2 (..< 3 4))
        x with [i] = 1 + 2 => (with x [i] (+ 1 2))
        x with a.0.b = 1 with [i, j:k] = 2 => (with (with x a.0.b 1) [i (: j k _)] 2)
        f x + y with a = 1 => (with (+ (app f x) y) a 1)
        x with a = 1 : t => (: (with x a 1) t)
        a..<b with c = 1 => (..< a (with b c 1))
        x with c = 1..<2 => (..< (with x c 1) 2)
        ",
    );
}

#[test]
fn bodies_extend_to_the_right() {
    check_exprs(
        r"
        1 + if a then b else c : t => (+ 1 (if a b (: c t)))
        if a then b else if c then d else e => (if a b (if c d e))
        1 + let x = 2 in x + 3 => (+ 1 (let x 2 (+ x 3)))
        1 + loop x = 0 for i < n do x + i => (+ 1 (loop x 0 (for i n) (+ x i)))
        a |> \x -> x |> f => (|> a (\ x (|> x f)))
        f a \x -> x b => (app f a (\ x (app x b)))
        #c a \x -> x => (#c a (\ x x))
        1 + #[a] x + 2 => (+ 1 (#[a] (+ x 2)))
        #[a] x : t => (#[a] (: x t))
        x with a = if b then c else d with e = f => (with x a (if b c (with d e f)))
        match a case b -> c + d : t => (: (match a (case b (+ c d))) t)
        1 + match a case b -> c => (+ 1 (match a (case b c)))
        match a case b -> match c case d -> e case f -> g => (match a (case b (match c (case d e) (case f g))))
        match a case b -> 0..<n case c -> if d then e else f : t => (match a (case b (..< 0 n)) (case c (if d e (: f t))))
        ",
    );
}

#[test]
fn atoms_with_fields_and_indices() {
    check_exprs(
        r#"
        a.b.c => a.b.c
        a .b => a.b
        a.b.0.c => (. (. a.b 0) c)
        t.0.1.2 => (. (. (. t 0) 1) 2)
        (a).b => (. (paren a) b)
        a[i] => (index a [i])
        a [i] => (app a (array i))
        a[i][j].f => (. (index (index a [i]) [j]) f)
        m.a[i].0[j] => (index (. (index m.a [i]) 0) [j])
        (f x)[i] => (index (paren (app f x)) [i])
        [1, 2][0] => (index (array 1 2) [0])
        {a = 1} [0] => (app (record (= a 1)) (array 0))
        "ab" [0] => (app "ab" (array 0))
        f a[0] b.c (d).e => (app f (index a [0]) b.c (. (paren d) e))
        f(1)(2).a => (app f (paren 1) (. (paren 2) a))
        (.[]) => (sec [])
        a[:] => (index a [(: _ _ _)])
        a[i:j:k, ::-1, l:, :m, n,] => (index a [(: i j k) (: _ _ (neg 1)) (: l _ _) (: _ m _) n])
        a[0..<n:3] => (index a [(: (..< 0 n) 3 _)])
        m.(a + b) => (open m (+ a b))
        m.n.(a : t).b[0] => (index (. (open m.n (: a t)) b) [0])
        f m.(a) => (app f (open m a))
        #a #b c.d => (#a (#b) c.d)
        #a[0] => (index (#a) [0])
        f #a 1 => (app f (#a) 1)
        ??? + f ??? => (+ ??? (app f ???))
        unsafe a => (app unsafe a)
        assert (a) b.c + d => (+ (assert (paren a) b.c) d)
        "#,
    );
}

#[test]
fn brackets() {
    check_exprs(
        r"
        () => (tuple)
        (a) => (paren a)
        (a, b : t, (c),) => (tuple a (: b t) (paren c))
        [] => (array)
        [a, b : t,] => (array a (: b t))
        {} => (record)
        {a, b = 1 : t, 0 = c,} => (record a (= b (: 1 t)) (= 0 c))
        ",
    );
}

#[test]
fn sections() {
    check_exprs(
        r"
        (+) => (sec +)
        (-) => (sec -)
        (* ) => (sec *)
        (&&) => (sec &&)
        (m.n.+^) => (sec m.n.+^)
        (`f`) => (sec `f`)
        (`m.f` x) => (rsec `m.f` x)
        (x `f`) => (lsec x `f`)
        (+ 1 * 2) => (rsec + (* 1 2))
        (* 1 + 2) => (rsec * (+ 1 2))
        (a * b +) => (lsec (* a b) +)
        (a + b +) => (lsec (+ a b) +)
        (a + b |>) => (lsec (+ a b) |>)
        (+ a with b = 1) => (rsec + (with a b 1))
        (+ let x = 1 in x) => (rsec + (let x 1 x))
        (-x) => (paren (neg x))
        (- x + 1) => (paren (+ (neg x) 1))
        (- x +) => (lsec (neg x) +)
        (!x) => (paren (! x))
        (!= x) => (rsec != x)
        (.a.0.b) => (sec .a .0 .b)
        (.0.1) => (sec .0 .1)
        (.[i, j:]) => (sec [i (: j _ _)])
        (m.+ 1) => (rsec m.+ 1)
        a m.+ b m.* c => (m.+ a (m.* b c))
        ",
    );
    check_rejected(
        r"
        (a + b *)
        (a <| b <|)
        (if a then b else c +)
        (+ a : t)
        (a : t +)
        (=)
        (->)
        (!)
        (..<)
        (.a.[0])
        a.+ b
        m.(+)
        m.()
        ",
    );
}

#[test]
fn let_bindings() {
    check_exprs(
        r"
        let x = 1 in x => (let x 1 x)
        let x: t = 1 : u in x => (let (: x t) (: 1 u) x)
        let x = 1 let y = 2 in x => (let x 1 (let y 2 x))
        let x = let y = 1 in y in x => (let x (let y 1 y) x)
        let [n] [m] (x: [n][m]t) = y in x => (let [n] [m] (paren (: x (arr [n] (arr [m] t)))) y x)
        let f x (y: t) : u = x in f => (letfun f x (paren (: y t)) : u x f)
        let f [n] 't '~u '^v (x: t) = x in f => (letfun f [n] 't '~u '^v (paren (: x t)) x f)
        let f () = 1 in f => (letfun f (tuple) 1 f)
        let a[i, j:] = 1 in a => (letwith a [i (: j _ _)] 1 a)
        let (+) = f in 1 + 2 => (let + f (+ 1 2))
        let #c x = y in x => (let (#c x) y x)
        let _ = 1 in 2 => (let _ 1 2)
        ",
    );
    check_rejected(
        r"
        let a [i] = 1 in a
        let f 't = 1 in f
        let x, y = 1 in x
        let a.b = 1 in a
        let x + y = 1 in x
        let x = 1
        let x = 1 if a then b else c
        let x y : t, z = 1 in x
        f let x = 1 in x
        f if a then b else c
        f #[a] x
        ",
    );
}

#[test]
fn loops_and_lambdas() {
    check_exprs(
        r"
        loop x for i < n do x => (loop x _ (for i n) x)
        loop (x, y) = (1, 2) for (i, j) in zs do x => (loop (tuple x y) (tuple 1 2) (forin (tuple i j) zs) x)
        loop x: t = 1 while x < 2 do x + 1 => (loop (: x t) 1 (while (< x 2)) (+ x 1))
        \x (y, z) {a} _ : t -> x => (\ x (tuple y z) (record a) _ : t x)
        \x: (a -> b) -> x => (\ x : (paren (-> a b)) x)
        ",
    );
    check_rejected(
        r"
        loop x = 1 do x
        loop (x = 1) for i < n do x
        loop x = 1 for _ < n do x
        loop [n] x = 1 for i < n do x
        \ -> x
        \x: a -> b -> x
        \'t x -> x
        ",
    );
}

#[test]
fn attributes() {
    check_exprs(
        r"
        #[a] #[b(c, 12, d(),)] x => (#[a] (#[b(c 12 d())] x))
        #[12] x => (#[12] x)
        ",
    );
    check_rejected("#[] x\n #[a, b] x\n #[1i32] x\n # [a] x");
}

#[test]
fn not_expressions() {
    check_rejected(
        r"
        a ! b
        f !x
        !!x
        a = b
        a -> b
        a .. b
        a..b..c
        a ~ b
        a ; b
        a[::]
        a[i:j:k:l]
        a[,i]
        (a,)
        {a.b}
        {0}
        {a: 1}
        x with a[0] = 1
        x : t with a = 1
        a.let
        _
        assert a
        assert a \x -> x
        match a
        `f` x
        a `+` b
        if a then b
        ",
    );
}
