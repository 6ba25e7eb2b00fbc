//! Loops that run many iterations at a time give what one iteration after the other gives. `crate::common::run`
//! compares them.

use crate::common::{results, run};
use kenaz_base::Prim;
use kenaz_interp::Kind;
use kenaz_ir::{BinOp, CmpOp, UnOp};
use kenaz_runtime::Value;

/// `count` statements that make an array `a_0` of `n_1` values of a type, some of them odd.
fn input(prim: Prim) -> String {
    let ty = prim.name();
    format!(
        "let i_2: [n_1]i64 = iota n_1 : i64
         let a_0: [n_1]{ty} = map n_1 (i_2) \\(i_3: i64) -> {{
            let x_4: i64 = mul i_3 2654435761
            let y_5: i64 = shr x_4 7
            let z_6: i64 = sub y_5 100000
            let w_7: {ty} = conv {ty} z_6
            in w_7
         }}"
    )
}

#[test]
fn all_operations() {
    for prim in Prim::ALL {
        let ty = prim.name();
        let (mut stms, mut names, mut types) = (String::new(), Vec::new(), Vec::new());
        let mut add = |ty: &str, exp: String| {
            let name = format!("r_{}", 100 + names.len());
            stms += &format!("let {name}: {ty} = {exp}\n");
            names.push(name);
            types.push(format!("[n_1]{ty}"));
        };
        for op in BinOp::ALL {
            let ok = match op {
                BinOp::Shl | BinOp::Shr => prim.is_integer(),
                BinOp::And | BinOp::Or | BinOp::Xor => !prim.is_float(),
                BinOp::Min | BinOp::Max => true,
                _ => prim.is_numeric(),
            };
            if ok {
                add(ty, format!("{} x_10 y_11", op.text()));
            }
        }
        for op in CmpOp::ALL {
            add("bool", format!("{} x_10 y_11", op.text()));
        }
        for op in UnOp::ALL {
            if prim.is_numeric() && (*op != UnOp::Not || prim.is_integer()) {
                add(ty, format!("{} x_10", op.text()));
            }
        }
        for to in Prim::ALL {
            add(to.name(), format!("conv {} x_10", to.name()));
        }
        add("bool", "not c_12".to_string());
        let pat: Vec<String> =
            (names.iter().zip(&types)).map(|(n, t)| format!("{}: {t}", n.replace("r_", "s_9"))).collect();
        let outs: Vec<String> = names.iter().map(|n| n.replace("r_", "s_9")).collect();
        let ret: String = types.iter().map(|t| format!("({t})")).collect();
        let text = format!(
            "fun main (n_1: i64) : {ret} = {{
                {}
                let b_8: [n_1]{ty} = slice a_0[{} :+ n_1 * -1]
                let {} = map n_1 (a_0, b_8) \\(x_10: {ty}, y_11: {ty}) -> {{
                    let c_12: bool = eq x_10 y_11
                    {stms}
                    in {}
                }}
                in {}
            }}",
            input(prim),
            299,
            pat.join(", "),
            names.join(", "),
            outs.join(", "),
        );
        assert!(run(&text, vec![Value::from(300i64)]).is_ok());
    }
}

#[test]
fn reductions_and_scans() {
    for prim in Prim::ALL {
        let ty = prim.name();
        for op in BinOp::ALL {
            let ok = match op {
                BinOp::Add | BinOp::Mul | BinOp::Sub => prim.is_numeric(),
                BinOp::Min | BinOp::Max => true,
                BinOp::And | BinOp::Or | BinOp::Xor => !prim.is_float(),
                _ => false,
            };
            if !ok {
                continue;
            }
            let text = format!(
                "fun main (n_1: i64) : ([n_1]{ty}) ({ty}) ({ty}) ([n_1]{ty}) = {{
                    {}
                    let e_13: {ty} = index a_0[1]
                    let s_8: [n_1]{ty}, r_9: {ty}, q_14: {ty}, m_10: [n_1]{ty} = screma n_1 (a_0) map \\(x_11: {ty}) -> {{ in x_11, x_11, x_11, x_11 }}
                        scan (e_13) \\(x_21: {ty}, y_22: {ty}) -> {{ let z_23: {ty} = {op} x_21 y_22 in z_23 }}
                        reduce (e_13) \\(x_31: {ty}, y_32: {ty}) -> {{ let z_33: {ty} = {op} x_31 y_32 in z_33 }}
                        reduce (e_13) \\(x_41: {ty}, y_42: {ty}) -> {{ let z_43: {ty} = {op} y_42 x_41 in z_43 }}
                    in s_8, r_9, q_14, m_10
                }}",
                input(prim),
                op = op.text(),
            );
            for n in [2i64, 12, 127, 128, 129, 300] {
                assert!(run(&text, vec![Value::from(n)]).is_ok());
            }
        }
    }
    // Operators that forget an operand, or use it twice.
    for op in
        ["{ in y_2 }", "{ in x_1 }", "{ let z_3: i32 = add x_1 x_1 in z_3 }", "{ let z_3: i32 = add y_2 y_2 in z_3 }"]
    {
        let text = format!(
            "fun main (n_10: i64) : (i32) ([n_10]i32) = {{
                let a_11: [n_10]i32 = iota n_10 : i32
                let r_12: i32 = reduce n_10 (a_11) (7i32) \\(x_1: i32, y_2: i32) -> {op}
                let s_13: [n_10]i32 = scan n_10 (a_11) (7i32) \\(x_51: i32, y_52: i32) -> {}
                in r_12, s_13
            }}",
            op.replace("_1", "_51").replace("_2", "_52").replace("_3", "_53"),
        );
        assert!(run(&text, vec![Value::from(200i64)]).is_ok());
    }
}

#[test]
fn loops_with_a_counter() {
    let text = "fun main (n_0: i32) (m_1: i64) : (i32) (i32) (u64) = {
        let a_2: [m_1]i32 = iota m_1 from 5i32 by 3i32 : i32
        let s_3: i32 = loop (x_4: i32 = 1i32) for i_5: i32 < n_0 {
            let j_6: i64 = conv i64 i_5
            let e_7: i32 = index a_2[j_6]
            let f_8: i32 = mul e_7 i_5
            let y_9: i32 = add x_4 f_8
            in y_9
        }
        let l_10: i32 = loop (x_11: i32 = 1i32) for i_12: i32 < n_0 { in i_12 }
        let u_13: u64 = loop (x_14: u64 = 1u64) for i_15: u64 < 1000u64 { let z_16: u64 = add x_14 i_15 in z_16 }
        in s_3, l_10, u_13
    }";
    let sum = (0..300).fold(1i32, |s, i| s.wrapping_add((5 + 3 * i) * i));
    assert_eq!(results(text, vec![Value::from(300i32), Value::from(400i64)]), format!("{sum}i32 299i32 499501u64"));
}

#[test]
fn a_failed_check_is_that_of_the_first_iteration() {
    let text = "fun main (n_0: i64) (k_1: [n_0]i64) (d_2: [n_0]i64) : ([n_0]i64) (i64) = {
        let r_3: [n_0]i64, s_4: i64 = screma n_0 (k_1, d_2) map \\(k_5: i64, d_6: i64) -> {
            let a_7: bool = le 0 k_5
            let b_8: bool = lt k_5 n_0
            let c_9: bool = and a_7 b_8
            let e_10: cert = assert c_9 \"index {k_5}\"
            let x_11: i64 = <e_10> index d_2[k_5]
            let f_12: bool = ne d_6 0
            let g_13: cert = assert f_12 \"division of {x_11}\"
            let h_14: i64 = <g_13> div x_11 d_6
            in h_14, h_14
        } reduce (0) \\(x_15: i64, y_16: i64) -> { let z_17: i64 = add x_15 y_16 in z_17 }
        in s_4, r_3
    }";
    let text = text
        .replace("let r_3: [n_0]i64, s_4: i64", "let s_4: i64, r_3: [n_0]i64")
        .replace("in s_4, r_3", "in r_3, s_4");
    let good: Vec<i64> = (0..500).map(|i| (i * 37) % 500).collect();
    let divisors: Vec<i64> = (1..=500).collect();
    let args = |k: &[i64], d: &[i64]| vec![Value::from(500i64), Value::from(k.to_vec()), Value::from(d.to_vec())];
    assert!(run(&text, args(&good, &divisors)).is_ok());
    let mut bad = good.clone();
    bad[300] = 500;
    bad[290] = -7;
    let error = run(&text, args(&bad, &divisors)).unwrap_err();
    assert_eq!((error.kind, &error.message[..]), (Kind::Assertion, "index -7"));
    // The second check of an iteration comes before the first check of the next one.
    let mut zero = divisors.clone();
    zero[280] = 0;
    let error = run(&text, args(&bad, &zero)).unwrap_err();
    assert_eq!(error.message, format!("division of {}", zero[good[280] as usize]));
}
