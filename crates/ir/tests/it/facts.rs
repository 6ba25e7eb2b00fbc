//! Answers of `ir::facts`: each kind of question with each answer, and the traps of wraparound.

use kenaz_ir::facts::{Answer, Facts};
use kenaz_ir::{Exp, Name, Operand, Poly, Prog, Soac, parse};

/// The facts at the end of the body of the last function.
fn facts(text: &str) -> (Prog, Facts) {
    let prog = parse::prog(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut facts = Facts::new();
    let fun = prog.funs.last().expect("a function");
    facts.enter_fun(fun);
    fun.body.stms.iter().for_each(|stm| facts.stm(stm));
    (prog, facts)
}

fn name(id: u32) -> Operand {
    Operand::Var(Name { base: kenaz_base::Symbol::intern("x"), id })
}

fn int(n: i64) -> Operand {
    Operand::i64(n)
}

use Answer::{Proved, Refuted, Unknown};

#[test]
fn equalities() {
    let (_, f) = facts(
        "fun f (n_1: i64) (m_2: i64) : = {
           let a_3: i64 = add n_1 m_2
           let b_4: i64 = add m_2 n_1
           let c_5: i64 = sub b_4 m_2
           let d_6: i64 = add n_1 1
           let e_7: i64 = mul a_3 a_3
           let g_8: i64 = mul n_1 n_1
           let h_9: i64 = mul 2 n_1
           let i_10: i64 = mul h_9 m_2
           let j_11: i64 = mul m_2 m_2
           let k_12: i64 = add g_8 i_10
           let l_13: i64 = add k_12 j_11
           let c_14: i64 = n_1
           in
         }",
    );
    assert_eq!(f.prove_eq(name(3), name(4)), Proved);
    assert_eq!(f.prove_eq(name(5), name(1)), Proved, "wraparound cancels");
    assert_eq!(f.prove_eq(name(1), name(6)), Refuted);
    assert_eq!(f.prove_eq(name(1), name(2)), Unknown);
    assert_eq!(f.prove_eq(name(7), name(13)), Proved, "the binomial theorem");
    assert_eq!(f.prove_eq(name(14), name(1)), Proved);
    assert_eq!(f.prove_eq(int(3), int(3)), Proved);
    assert_eq!(f.prove_eq(int(3), int(4)), Refuted);
}

#[test]
fn equality_is_modulo_the_word() {
    let (_, f) = facts(
        "fun f (n_1: i64) : = {
           let a_2: i64 = mul n_1 4294967296
           let b_3: i64 = mul a_2 4294967296
           let c_4: i64 = mul n_1 9223372036854775807
           let d_5: i64 = mul c_4 2
           let e_6: i64 = mul n_1 -2
           in
         }",
    );
    assert_eq!(f.prove_eq(name(3), int(0)), Proved, "n * 2^64 is 0");
    assert_eq!(f.prove_eq(name(5), name(6)), Proved);
}

#[test]
fn order_does_not_trust_sums_that_may_wrap_around() {
    let (_, f) = facts(
        "fun f (n_1: i64) (m_2: i64) (a_3: [m_2]i64) : = {
           let b_4: i64 = add n_1 1
           let c_5: i64 = add m_2 1
           let d_6: i64 = sub m_2 1
           let e_7: i64 = mul m_2 m_2
           in
         }",
    );
    assert_eq!(f.prove_lt(name(1), name(4)), Unknown, "n may be the largest number");
    assert_eq!(f.prove_lt(name(2), name(5)), Unknown, "so may a size");
    assert_eq!(f.prove_lt(name(6), name(2)), Proved, "a size less one is smaller");
    assert_eq!(f.nonneg(name(2)), Proved, "a size is not negative");
    assert_eq!(f.nonneg(name(1)), Unknown);
    assert_eq!(f.nonneg(name(6)), Unknown);
    assert_eq!(f.nonneg(name(7)), Unknown, "a product may wrap around");
    assert_eq!(f.nonneg(int(-1)), Refuted);
    assert_eq!(f.nonneg(int(0)), Proved);
}

#[test]
fn a_sum_that_is_a_size_did_not_wrap_around() {
    let (_, f) = facts(
        "fun f (m_1: i64) (a_2: [m_1]i64) : = {
           let k_3: i64 = add 2 m_1
           let x_4: [k_3]i64 = iota k_3 : i64
           in
         }",
    );
    assert_eq!(f.prove_lt(name(1), name(3)), Proved);
    assert_eq!(f.prove_le(int(2), name(3)), Proved);
    assert_eq!(f.prove_le(name(3), name(1)), Refuted);
    assert_eq!(f.prove_lt(name(3), int(2)), Refuted);
    assert_eq!(f.prove_le(name(3), int(9)), Unknown);
}

fn poly(id: u32) -> Poly {
    Poly::operand(name(id)).expect("a name")
}

/// Questions about layouts, in which what counts elements of an array is what it seems to be.
#[test]
fn products_that_count_elements_did_not_wrap_around() {
    let text = "fun f (n_1: i64) (m_2: i64) (k_3: i64) (a_4: [n_1][m_2][3]i64) (b_5: [k_3]i64) : = {
        let p_6: i64 = mul n_1 m_2
        let q_7: i64 = mul 3 p_6
        let r_8: i64 = mul 4 p_6
        let s_9: i64 = mul p_6 k_3
        let t_10: i64 = mul k_3 60
        let u_11: i64 = mul t_10 m_2
        in
      }";
    let (_, mut f) = facts(text);
    let product = |ids: &[u32]| ids.iter().fold(Poly::constant(1), |n, id| n.times(&poly(*id)).expect("small"));
    assert_eq!(f.normal(&poly(6)), product(&[1, 2]));
    assert_eq!(f.normal(&poly(7)), product(&[1, 2]).times_constant(3).expect("small"));
    assert_eq!(f.normal(&poly(8)), poly(8), "there are not so many elements");
    assert_eq!(f.normal(&poly(9)), poly(9), "no array has these dimensions");
    assert_eq!(f.nonneg(name(6)), Unknown, "operands may be anything all the same");
    // An array of that size alone says nothing.
    assert_eq!(f.normal(&poly(11)), poly(11));
    let mark = f.mark();
    let inner = parse::prog(&text.replace("in\n", "let v_12: [u_11]i64 = iota u_11 : i64\n in\n")).expect("a program");
    inner.funs[0].body.stms.iter().for_each(|stm| f.stm(stm));
    assert_eq!(f.normal(&poly(11)), poly(11));
    f.reset(mark);
}

/// An array in a branch says nothing outside it.
#[test]
fn shapes_are_forgotten() {
    let (_, mut f) = facts("fun f (n_1: i64) (m_2: i64) : = { let p_3: i64 = mul n_1 m_2 in }");
    assert_eq!(f.normal(&poly(3)), poly(3));
    let inner = parse::prog("fun f (n_1: i64) (m_2: i64) (a_4: [n_1][m_2]i64) (b_5: [n_1][m_2][0]i64) : = { in }");
    let params = inner.expect("a program").funs[0].params.clone();
    let mark = f.mark();
    f.bind(&params[3..]);
    assert_eq!(f.normal(&poly(3)), poly(3), "an array without elements may have any other dimensions");
    f.bind(&params);
    assert_ne!(f.normal(&poly(3)), poly(3));
    f.reset(mark);
    assert_eq!(f.normal(&poly(3)), poly(3));
}

#[test]
fn loops_and_products() {
    let text = "fun f (n_1: i64) (m_2: i64) (a_3: [n_1][m_2]i64) : = {
        let () = loop () for i_4: i64 < n_1 {
          let () = loop () for j_5: i64 < m_2 { in }
          in
        }
        in
      }";
    let (prog, mut f) = facts(text);
    let Exp::Loop { form, body, .. } = &prog.funs[0].body.stms[0].exp else { panic!() };
    let outside = f.mark();
    assert_eq!(f.prove_lt(int(0), name(1)), Unknown);
    f.enter_loop([], form);
    assert_eq!(f.prove_lt(name(4), name(1)), Proved);
    assert_eq!(f.nonneg(name(4)), Proved);
    assert_eq!(f.prove_lt(int(0), name(1)), Proved, "the body runs only if there is an iteration");
    assert_eq!(f.prove_le(name(1), name(4)), Refuted);
    let Exp::Loop { form, .. } = &body.stms[0].exp else { panic!() };
    let inside = f.mark();
    f.enter_loop([], form);
    assert_eq!(f.prove_lt(name(5), name(2)), Proved);
    assert_eq!(f.prove_lt(name(5), name(1)), Unknown);
    f.reset(inside);
    assert_eq!(f.prove_lt(name(5), name(2)), Unknown);
    f.reset(outside);
    assert_eq!(f.prove_lt(name(4), name(1)), Unknown, "forgotten");
}

#[test]
fn an_index_into_a_flattened_matrix() {
    // Ranges are small enough that nothing wraps around.
    let (_, f) = facts(
        r#"fun f (n_1: i64) (m_2: i64) (i_3: i64) (j_4: i64) (a_20: [n_1][m_2]i64) : = {
           let c_5: bool = lt i_3 n_1
           let c_6: bool = lt j_4 m_2
           let c_7: bool = le 0 i_3
           let c_8: bool = le 0 j_4
           let c_9: bool = le n_1 1000000
           let c_10: bool = le m_2 1000000
           let c_11: cert = assert c_5 ""
           let c_12: cert = assert c_6 ""
           let c_13: cert = assert c_7 ""
           let c_14: cert = assert c_8 ""
           let c_15: cert = assert c_9 ""
           let c_16: cert = assert c_10 ""
           let s_17: i64 = mul n_1 m_2
           let r_18: i64 = mul i_3 m_2
           let p_19: i64 = add r_18 j_4
           in
         }"#,
    );
    assert_eq!(f.nonneg(name(19)), Proved);
    assert_eq!(f.prove_lt(name(19), name(17)), Proved);
    assert_eq!(f.prove_le(name(17), name(19)), Refuted);
}

#[test]
fn conditions() {
    let (_, mut f) = facts(
        r#"fun f (n_1: i64) (m_2: i64) (a_3: [n_1]i64) (k_20: i32) : = {
           let c_4: bool = lt n_1 m_2
           let d_5: bool = eq n_1 0
           let e_6: bool = not d_5
           let g_7: bool = and c_4 e_6
           let h_8: bool = or c_4 d_5
           let i_9: bool = lt k_20 3i32
           in
         }"#,
    );
    let here = f.mark();
    f.assume(name(7), true);
    assert_eq!((f.prove_lt(name(1), name(2)), f.prove_lt(int(0), name(1))), (Proved, Proved));
    assert_eq!((f.decide(name(5)), f.decide(name(6)), f.decide(name(8))), (Refuted, Proved, Proved));
    f.reset(here);
    assert_eq!(f.prove_lt(name(1), name(2)), Unknown);
    f.assume(name(8), false);
    assert_eq!((f.prove_le(name(2), name(1)), f.decide(name(4))), (Proved, Refuted));
    f.reset(here);
    f.assume(name(7), false);
    assert_eq!((f.decide(name(4)), f.decide(name(5))), (Unknown, Unknown), "either may fail");
    f.assume(name(9), true);
    assert_eq!(f.decide(name(9)), Unknown, "of another type");
}

#[test]
fn the_hoisted_check_of_the_design() {
    let (prog, mut f) = facts(
        r#"fun pad (n_1: i64) (m_2: i64) (a_3: [n_1][m_2]f32) : = {
           let l_5: i64 = sub m_2 1
           let e_21: bool = eq n_1 0
           let p_22: bool = lt 0 m_2
           let q_23: bool = or e_21 p_22
           let c_6: cert = assert q_23 ""
           let b_7: [n_1]f32 = map n_1 (a_3) \(r_8: [m_2]f32) -> { let x_9: f32 = <c_6> index r_8[l_5] in x_9 }
           in
         }"#,
    );
    assert_eq!(f.nonneg(name(5)), Unknown, "there may be no row");
    let Exp::Soac(Soac::Screma { width, map, .. }) = &prog.funs[0].body.stms[5].exp else { panic!() };
    f.enter_lambda(*width, &map.params);
    assert_eq!((f.nonneg(name(5)), f.prove_lt(name(5), name(2))), (Proved, Proved));
}

#[test]
fn bounded_operations() {
    let (_, f) = facts(
        "fun f (n_1: i64) (m_2: i64) (a_3: [n_1][m_2]i64) (x_9: i64) : = {
           let a_4: i64 = min n_1 m_2
           let b_5: i64 = max n_1 m_2
           let c_6: i64 = mod x_9 8
           let d_7: i64 = div n_1 2
           let e_8: i64 = div x_9 2
           in
         }",
    );
    assert_eq!((f.prove_le(name(4), name(1)), f.nonneg(name(4))), (Proved, Proved));
    assert_eq!((f.prove_le(name(2), name(5)), f.prove_lt(name(5), name(2))), (Proved, Refuted));
    assert_eq!(
        (f.prove_lt(name(6), int(8)), f.prove_lt(name(6), int(7)), f.nonneg(name(6))),
        (Proved, Unknown, Proved)
    );
    assert_eq!((f.prove_le(name(7), name(1)), f.nonneg(name(7))), (Proved, Proved));
    assert_eq!((f.prove_le(name(8), name(9)), f.nonneg(name(8))), (Unknown, Unknown));
}

/// Neighbours in a picture whose edges count as what is beyond them.
#[test]
fn a_clamped_index_is_inside() {
    let (_, mut f) = facts(
        "fun f (n_1: i64) (a_2: [n_1]i64) (i_3: i64) (k_4: i64) : = {
           let c_5: bool = le 0 i_3
           let d_6: bool = lt i_3 n_1
           let l_7: i64 = sub n_1 1
           let a_8: i64 = sub i_3 1
           let b_9: i64 = max a_8 0
           let e_10: i64 = add i_3 1
           let g_11: i64 = min e_10 l_7
           let h_12: i64 = max g_11 0
           let j_13: i64 = max i_3 k_4
           let m_14: i64 = min i_3 k_4
           let o_15: i64 = min l_7 k_4
           let p_16: i64 = max o_15 0
           in
         }",
    );
    f.assume(name(5), true);
    f.assume(name(6), true);
    assert_eq!((f.prove_lt(name(9), name(1)), f.prove_lt(name(12), name(1))), (Proved, Proved));
    assert_eq!(f.prove_lt(name(16), name(1)), Proved, "whatever is clamped");
    assert_eq!((f.prove_lt(name(13), name(1)), f.nonneg(name(14))), (Unknown, Unknown), "one of two is not known");
    assert_eq!(f.prove_lt(name(9), name(7)), Unknown, "of one element");
}

#[test]
fn what_was_settled_by_an_assumption_is_unsettled_with_it() {
    let (_, mut f) = facts(
        "fun f (n_1: i64) : = {
           let b_2: i64 = add n_1 1
           let c_3: bool = lt n_1 100
           let d_4: bool = lt n_1 b_2
           in
         }",
    );
    let here = f.mark();
    f.assume(name(3), true);
    assert_eq!(f.decide(name(4)), Proved, "the sum was before the assumption");
    f.reset(here);
    assert_eq!(f.decide(name(4)), Unknown);
}

#[test]
fn bounds_of_an_operand_may_come_after_those_of_what_was_computed_from_it() {
    let text = |dims: &str| {
        format!(
            "fun f (n_1: i64) : = {{
               let k_2: i64 = sub 2 n_1
               let l_3: i64 = add k_2 1
               let x_4: {dims}i64 = replicate [k_2, n_1] 0
               in
             }}"
        )
    };
    for dims in ["[k_2][n_1]", "[n_1][k_2]"] {
        let (_, f) = facts(&text(dims));
        let product = poly(1).times(&poly(2)).unwrap();
        assert_eq!(f.poly_nonneg(&product), Proved, "both are sizes");
        assert_eq!(f.prove_le(name(1), int(2)), Proved);
        assert_eq!(f.prove_le(name(3), int(3)), Proved);
        assert_eq!(f.prove_le(name(1), int(1)), Unknown);
    }
    // Without the array the difference may have wrapped around.
    let (_, f) = facts("fun f (n_1: i64) : = { let k_2: i64 = sub 2 n_1 in }");
    let product = poly(1).times(&poly(2)).unwrap();
    assert_eq!((f.poly_nonneg(&product), f.prove_le(name(1), int(2))), (Unknown, Unknown));
}

/// Random straight-line programs over small and extreme numbers: no answer contradicts what the program computes.
#[test]
fn answers_hold_in_random_runs() {
    let mut state = 1u64;
    let mut next = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut decided = 0;
    for _ in 0..400 {
        let extreme = [i64::MIN, i64::MAX, i64::MAX - 1, i64::MIN + 1, 1 << 62];
        let mut values: Vec<i64> = Vec::new();
        let mut text = String::from("fun f (x_0: i64) (x_1: i64) (x_2: i64) : = {");
        for _ in 0..3 {
            let small = next(7) as i64 - 2;
            values.push(if next(4) == 0 { extreme[next(5) as usize] } else { small });
        }
        let mut count = 1000;
        for _ in 0..10 {
            let pick = |n: u64, values: &[i64]| (n as usize) % values.len();
            let (a, b) = (pick(next(1000), &values), pick(next(1000), &values));
            let (x, y) = (values[a], values[b]);
            let id = values.len();
            match next(8) {
                op @ 0..5 => {
                    let (word, value) = match op {
                        0 => ("add", x.wrapping_add(y)),
                        1 => ("sub", x.wrapping_sub(y)),
                        2 => ("mul", x.wrapping_mul(y)),
                        3 => ("min", x.min(y)),
                        _ => ("max", x.max(y)),
                    };
                    text += &format!(" let x_{id}: i64 = {word} x_{a} x_{b}");
                    values.push(value);
                }
                5 => {
                    let n = next(4) as i64 - 1;
                    text += &format!(" let x_{id}: i64 = add x_{a} {n}");
                    values.push(x.wrapping_add(n));
                }
                6 if x >= 0 => {
                    count += 1;
                    text += &format!(" let x_{count}: [x_{a}]i64 = iota x_{a} : i64");
                }
                _ => {
                    let op = ["lt", "le", "gt", "ge", "eq", "ne"][next(6) as usize];
                    let holds = match op {
                        "lt" => x < y,
                        "le" => x <= y,
                        "gt" => x > y,
                        "ge" => x >= y,
                        "eq" => x == y,
                        _ => x != y,
                    };
                    count += 3;
                    let (c, d, e) = (count, count - 1, count - 2);
                    text += &format!(" let x_{c}: bool = {op} x_{a} x_{b}");
                    if holds {
                        text += &format!(" let x_{d}: cert = assert x_{c} \"\"");
                    } else {
                        text += &format!(" let x_{e}: bool = not x_{c} let x_{d}: cert = assert x_{e} \"\"");
                    }
                }
            }
        }
        text += " in }";
        let (_, f) = facts(&text);
        for (i, x) in values.iter().enumerate() {
            for (j, y) in values.iter().enumerate() {
                let (a, b) = (name(i as u32), name(j as u32));
                let answers = [
                    ("eq", f.prove_eq(a, b), x == y),
                    ("le", f.prove_le(a, b), x <= y),
                    ("lt", f.prove_lt(a, b), x < y),
                    ("nonneg", f.nonneg(a), *x >= 0),
                ];
                for (what, answer, truth) in answers {
                    decided += usize::from(i != j && answer != Unknown);
                    let wrong = if truth { Refuted } else { Proved };
                    assert_ne!(answer, wrong, "{what} x_{i} x_{j}, which are {x} and {y}, in\n{text}");
                }
            }
        }
    }
    assert!(decided > 5_000, "the test means something: {decided}");
}

#[test]
fn a_filter_keeps_at_most_all() {
    let (_, f) = facts(
        "fun f (n_1: i64) (a_2: [n_1]i64) : = {
           let k_3: i64, b_4: [k_3]i64 = filter n_1 (a_2) \\(x_5: i64) -> { let y_6: bool = lt x_5 7 in y_6 }
           in
         }",
    );
    assert_eq!(f.prove_le(name(3), name(1)), Proved);
    assert_eq!(f.nonneg(name(3)), Proved);
    assert_eq!(f.prove_lt(name(3), name(1)), Unknown);
}

#[test]
fn elements_of_iota_are_below_its_size() {
    let (prog, mut f) = facts(
        "fun f (n_1: i64) : = {
           let a_2: [n_1]i64 = iota n_1 : i64
           let b_3: [n_1]i64 = map n_1 (a_2) \\(x_4: i64) -> { in x_4 }
           in
         }",
    );
    let Exp::Soac(Soac::Screma { width, arrays, map, .. }) = &prog.funs[0].body.stms[1].exp else { panic!("a map") };
    f.enter_rows(*width, arrays, &map.params);
    assert_eq!(f.prove_lt(name(4), name(1)), Proved);
    assert_eq!(f.nonneg(name(4)), Proved);
}

/// Many arrays of one size say once what that size is; the prover looks at few facts, each of which should be another.
#[test]
fn facts_that_are_learnt_again() {
    let mut text = String::from(
        "entry f (n_1: i64) (m_2: i64) (x_200: [n_1]bool) (y_201: [m_2]bool) (k_3: i64) (l_4: i64) : = {
           let s_5: i64 = sub n_1 m_2\n",
    );
    for i in 0..100 {
        text += &format!("let a_{}: [s_5]bool = replicate [s_5] true\n", 10 + i);
    }
    text += "let p_6: bool = lt k_3 m_2
             let c_7: cert = assert p_6 \"\"
             let q_8: bool = le l_4 k_3
             let c_9: cert = assert q_8 \"\"
             in
         }";
    let (_, f) = facts(&text);
    assert_eq!(f.prove_lt(name(4), name(2)), Proved);
    assert_eq!(f.prove_le(name(2), name(4)), Refuted);
    assert_eq!(f.prove_lt(name(4), name(1)), Proved, "there is an array of the size of the difference");
}

/// Disjunctions are looked at again when something is learnt about what they compare, in whichever way, and the same
/// holds in the next branch.
#[test]
fn disjunctions_are_decided_later() {
    let (_, mut f) = facts(
        "fun f (n_1: i64) (m_2: i64) (i_3: i64) (k_4: i64) (u_11: i64) : = {
           let e_6: bool = eq n_1 m_2
           let p_7: bool = lt i_3 k_4
           let o_8: bool = or e_6 p_7
           let c_9: cert = assert o_8 \"\"
           let z_10: bool = lt u_11 100
           let y_12: bool = lt m_2 n_1
           in
         }",
    );
    for _ in 0..2 {
        let mark = f.mark();
        f.assume(name(10), true);
        assert_eq!(f.prove_lt(name(3), name(4)), Unknown, "that has nothing to do with it");
        f.assume(name(12), true);
        assert_eq!(f.prove_lt(name(3), name(4)), Proved);
        f.reset(mark);
        assert_eq!(f.prove_lt(name(3), name(4)), Unknown);
    }
}
