//! The text form: `print → parse → print` is the identity, and what is not the text form is an error with its place.

use crate::common::Gen;
use kenaz_ir::visit::VisitMut;
use kenaz_ir::{Body, Fun, Locs, Scalar, Stm, parse, print};

/// Positions are numbered in the order in which they are met, so that programs can be compared only without them.
fn without_positions(body: &Body) -> Body {
    struct Nowhere;
    impl VisitMut for Nowhere {
        fn stm(&mut self, stm: &mut Stm) {
            stm.loc = Locs::NOWHERE();
            kenaz_ir::visit::walk_mut::stm(self, stm);
        }
    }
    let mut body = body.clone();
    Nowhere.body(&mut body);
    body
}

#[test]
fn random_programs_survive_print_and_parse() {
    for seed in 0..1500 {
        let prog = Gen::new(seed).prog();
        let text = print::prog(&prog);
        let again = parse::prog(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert_eq!(print::prog(&again), text, "seed {seed}");
        for (fun, back) in prog.funs.iter().zip(&again.funs) {
            assert_eq!(without_positions(&fun.body), without_positions(&back.body), "seed {seed}\n{text}");
            assert_eq!((fun.name, &fun.params, &fun.attrs), (back.name, &back.params, &back.attrs), "seed {seed}");
            assert_eq!(fun.results.len(), back.results.len(), "seed {seed}");
            let places = |fun: &Fun| fun.results.iter().map(|param| param.place.clone()).collect::<Vec<_>>();
            assert_eq!(places(fun), places(back), "seed {seed}");
            assert_eq!(fun.entry, back.entry, "seed {seed}");
            assert_eq!(prog.locs.chain(fun.loc), again.locs.chain(back.loc), "seed {seed}");
        }
    }
}

#[test]
fn damaged_texts_do_not_panic() {
    let junk =
        ["", "{", "}", "(", "\"", "`", "\\", "let", "in", "é", "-", "_4294967295", ":+", "9e", "f32.nan:", "at", "<"];
    for seed in 0..300 {
        let mut g = Gen::new(seed);
        let prog = g.prog();
        let text = print::prog(&prog);
        for _ in 0..20 {
            let (mut from, mut to) = (g.below(text.len() + 1), g.below(text.len() + 1));
            (from, to) = (text.floor_char_boundary(from.min(to)), text.floor_char_boundary(from.max(to)));
            to = text.floor_char_boundary(to.min(from + g.below(6)));
            let damaged = format!("{}{}{}", &text[..from], junk[g.below(junk.len())], &text[to.max(from)..]);
            if let Err(error) = parse::prog(&damaged) {
                assert!(error.line <= damaged.lines().count() + 1 && error.column >= 1, "{error}");
            }
        }
    }
}

#[test]
fn constants_are_read_as_they_are_written() {
    let mut g = Gen::new(7);
    for _ in 0..20_000 {
        let x = g.scalar();
        assert_eq!(Scalar::parse(&x.to_string()), Some(x));
    }
    for bits in 0..=u16::MAX {
        let x = Scalar::from_bits(kenaz_base::Prim::F16, u64::from(bits));
        assert_eq!(Scalar::parse(&x.to_string()), Some(x));
    }
    for text in
        ["", "-", "300u8", "-1u8", "1.5", "1bool", "f32.nan:1", "f16.nan:ffff0000", "nan", "9223372036854775808"]
    {
        assert_eq!(Scalar::parse(text), None, "{text}");
    }
}

/// The text is in its printed form already.
fn stays(text: &str) {
    let text = text.trim_start_matches('\n');
    let prog = parse::prog(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(print::prog(&prog), text);
}

#[test]
fn the_example_of_the_design() {
    stays(
        r#"
entry pad (n_1: i64) (m_2: i64) (a_3: [n_1][m_2]f32) : (k_30: i64) (*[n_1][k_30]f32)
  takes (a: "[][]f32" of 1)
  yields (*"[][]f32" of 1)
  doc "Pads \"each\" row."
  at pad.fut:1:1-2:50
= {
  let k_4: i64 = add 2 m_2
  let l_5: i64 = sub m_2 1
  let e_21: bool = eq n_1 0
  let p_22: bool = lt 0 m_2
  let q_23: bool = or e_21 p_22
  let c_6: cert = assert q_23 "Index [0] out of bounds for array of shape [{m_2}]." at pad.fut:2:15-18 < pad.fut:9:3
  let b_7: [n_1][k_4]f32 = map n_1 (a_3) \(r_8: [m_2]f32) -> {
    let x_9: f32 = <c_6> index r_8[0]
    let h_10: [1]f32 = array [x_9] : f32
    let d_11: [m_2]f32 = map m_2 (r_8) \(y_12: f32) -> { let z_13: f32 = mul y_12 2.0f32 in z_13 }
    let w_14: f32 = <c_6> index r_8[l_5]
    let t_15: [1]f32 = array [w_14] : f32
    let o_16: [k_4]f32 = concat k_4 (h_10, d_11, t_15)
    in o_16
  }
  in k_4, b_7
}
"#,
    );
}

#[test]
fn types_of_entry_points_come_first() {
    stays(
        r#"
type "point" = {x: "f32", y: "f32"}
type "[]point" = array 1 "point" {x: "[]f32", y: "[]f32"}
type "m.t" = opaque (i32, [][]f64)
type "(i32, point)" = ("i32", "point")
type "()" = {}
type "shape" = sum (u8, f32, f32) < circle ("f32": 1) < box ("point": 1, 2) < none ("()")

entry f (d_1: i64) (x_2: [d_1]f32) (y_3: [d_1]f32) (e_4: i64) (g_5: i64) (t_6: i32) (u_7: [e_4][g_5]f64) : (i32) (f32) (f32) (u8) (f32) (f32)
  takes (p: *"[]point" of 2) (t: "m.t" of 2)
  yields ("(i32, point)" of 3) ("shape" of 3)
= {
  in 1i32, 2.0f32, 3.0f32, 0u8, 4.0f32, 0.0f32
}
"#,
    );
}

#[test]
fn every_operator_has_a_readable_form() {
    stays(include_str!("../operators.ir"));
}

#[test]
fn a_plain_reduction_gets_its_identity_back() {
    let text = "fun f (n_1: i64) (a_2: [n_1]i32) : (i32) = { let s_3: i32 = reduce n_1 (a_2) (0i32) \
                \\(x_4: i32, y_5: i32) -> { let z_6: i32 = add x_4 y_5 in z_6 } in s_3 }";
    let prog = parse::prog(text).unwrap();
    let kenaz_ir::Exp::Soac(kenaz_ir::Soac::Screma { map, reduces, .. }) = &prog.funs[0].body.stms[0].exp else {
        panic!("not a screma");
    };
    assert_eq!((map.params.len(), reduces.len(), reduces[0].commutative), (1, 1, false));
    assert!(map.params[0].name.id > 6, "a new name");
    assert_eq!(map.ret, reduces[0].op.ret);
}

#[test]
fn errors_have_a_place() {
    for (text, expected) in [
        ("fun", "1:4: expected an identifier, found the end"),
        ("def f", "1:1: expected `fun`, `entry` or `type`, found `def`"),
        ("fun f (x: i32) : = { in }", "1:8: expected a name such as `x_12`, found `x`"),
        ("fun f : = {\n  let x_1: f80 = 1\n  in }", "2:12: expected a primitive type, found `f80`"),
        ("fun f : = {\n  let x_1: i32 = frob x_2\n  in }", "2:18: expected an expression, found `frob`"),
        ("fun f : = {\n  let x_1: i8 = 300i8\n  in }", "2:17: expected a number that fits its type, found `300i8`"),
        ("fun f : = { in x_1", "1:19: expected `}`, found the end"),
        ("fun f : = { é_1 }", "1:13: expected `let` or `in`, found `é_1`"),
        ("fun f : = { let é_1: i8 = \"é }", "1:27: this text has no closing quote"),
        ("fun f : = { let c_1: cert = assert x_2 \"é{x}\" in }", "1:43: expected a name or a constant, found `x`"),
        ("fun f : = { let c_1: cert = assert x_2 \"\\q\" in }", "1:41: there is no such escape in a text"),
        ("fun f : = { let c_1: cert = assert x_2 \"{x_1\" in }", "1:41: this value has no closing brace"),
        ("fun f : = { in } ;", "1:18: the character ';' has no meaning here"),
        ("fun f : = { in x_4294967295 }", "1:1: the numbers of the names are too large"),
        (
            "fun f : = { let x_1: i64 = map 1 () \\() -> { in y_2 } in }",
            "1:44: the types of the results must be written before `->`: one of them is bound elsewhere",
        ),
        ("#[frob]\nfun f : = { in }", "1:3: there is no attribute `frob`"),
        ("fun f : = { let x_1: i8 = #[simd(x)] 1i8 in }", "1:29: expected `#[simd]` or `#[simd(8)]`"),
        ("fun f : at \n", "2:1: expected a source position"),
        ("type \"t\" = i32", "1:12: expected `{`, `(`, `sum`, `array` or `opaque`, found `i32`"),
        ("type \"t\" = {}\ntype \"t\" = {}", "2:6: there is a type `t` already"),
        ("type \"[]i8\" = {}", "1:6: there is a type `[]i8` already"),
        ("type \"t\" = (\"t\")", "1:13: no type `t` was declared before"),
        ("entry f : takes (\"i8\" of 2)", "1:26: a value of type `i8` has 1 parts, not 2"),
        ("entry f : takes (\"t\" of 1)", "1:18: no type `t` was declared before"),
        ("fun f (x_1: [2]i8 @ m_2 -> {(2 : 1)}) : = { in }", "1:28: expected a name or a constant, found `{`"),
        ("fun f (x_1: [2]i8 @ m_2 -> 0 + {(2 : 1i8)}) : = { in }", "1:38: expected an `i64`, found `1i8`"),
        ("fun f (m_1: mem moon) : = { in }", "1:17: expected `)`, found `moon`"),
        (
            "fun f : = { let m_1: mem = alloc moon 8 in }",
            "1:34: expected `host`, `device`, `shared` or `private`, found `moon`",
        ),
        (
            "fun f : = { let t_1: i64 = tunable \"a\" most 3 in }",
            "1:40: expected `threshold` or `shared_memory`, found `most`",
        ),
        ("fun f : = { let t_1: i64 = tunable threshold 3 in }", "1:36: expected a text in quotes, found `threshold`"),
        ("fun f : = { let t_1: i64 = tunable \"a\" threshold x_2 in }", "1:50: expected a number, found `x_2`"),
        ("fun f : = { let t_1: i64 = tunable \"a\" threshold 3.5f32 in }", "1:50: expected a number, found `3.5f32`"),
        ("fun f : = { let () = par wide () own { in } in }", "1:26: expected a level or `(`, found `wide`"),
    ] {
        let error = parse::prog(text).err().map(|e| e.to_string());
        assert_eq!(error.as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn depth_costs_no_stack() {
    let depth = 5_000;
    let text = format!(
        "fun f (x_1: bool) : = {{ {}{} in }}",
        "let () = if x_1 then { in } else { ".repeat(depth),
        "in } ".repeat(depth)
    );
    let prog = parse::prog(&text).unwrap();
    let printed = print::prog(&prog);
    assert_eq!(print::prog(&parse::prog(&printed).unwrap()), printed);
}
