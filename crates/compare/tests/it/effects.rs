//! What `ir::effects` says of aliases and consumption is what happens: an array whose result is changed in place keeps
//! its elements if the table says that they are apart, also when both are in memory; otherwise the checker refuses the
//! program. What is said to be total is.

use kenaz_driver::Pipeline;
use kenaz_driver::compare::{Answer, Input, Stages, Wrong};
use kenaz_interp::constant;
use kenaz_ir::effects::{self, Fails, Memory};
use kenaz_ir::{BinOp, Exp, Name, Operand, Ownership, Param, Prog, Scalar, Stage, Stm, Type, target};

/// Functions that examples call, and the arrays that they use.
const BEFORE: &str = "fun id (x_100: [6]i64) : ([6]i64) = { in x_100 }
fun new (x_101: [6]i64) : (*[6]i64) = { let y_102: [6]i64 = copy x_101 in y_102 }
fun take (x_103: *[6]i64) : (*[6]i64) = { let y_104: [6]i64 = update x_103[1] = 8 in y_104 }
fun both (x_105: *[6]i64) (y_106: [6]i64) : ([6]i64) = { let z_107: [6]i64 = update x_105[1] = 8 in y_106 }
";
const ARRAYS: &str = "  let a_1: [6]i64 = iota 6 : i64
  let b_2: [2][3]i64 = replicate [2, 3] k_0
  let c_3: [6]i64 = iota 6 from k_0 by 2 : i64
  let d_4: bool = lt k_0 3
";
const TYPES: [&str; 3] = ["[6]i64", "[2][3]i64", "[6]i64"];

/// Statements whose first array is `r_9`.
const EXAMPLES: &[&str] = &[
    "let r_9: [6]i64 = a_1",
    "let r_9: [6]i64 = trace \"t\" a_1",
    "let r_9: [6]i64 = opaque a_1",
    "let r_9: [3]i64 = index b_2[1]",
    "let r_9: [3]i64 = slice a_1[0 :+ 3 * 2]",
    "let r_9: [3][2]i64 = rearrange (1, 0) b_2",
    "let r_9: [2][3]i64 = reshape [2, 3] a_1",
    "let r_9: [6]i64 = resize [6] a_1",
    "let r_9: [2][3]i64 = flat a_1 0 [(2, 3), (3, 1)]",
    "let r_9: [6]i64 = update a_1[2] = k_0",
    "let r_9: [6]i64 = update a_1[0 :+ 6 * 1] = c_3",
    "let r_9: [6]i64 = flat_update a_1 0 [1] = c_3",
    "let r_9: [2][6]i64 = array [a_1, c_3] : [6]i64",
    "let r_9: [6]i64 = iota 6 : i64",
    "let r_9: [2][6]i64 = replicate [2] a_1",
    "let r_9: [12]i64 = concat 12 (a_1, c_3)",
    "let r_9: [6]i64 = copy a_1",
    "let r_9: [6]i64 = if d_4 then { in a_1 } else { in c_3 }",
    "let r_9: [6]i64 = if d_4 then { let x_10: [6]i64 = copy a_1 in x_10 } else { in c_3 }",
    "let r_9: [6]i64 = match k_0 case 0 { in a_1 } else { in c_3 }",
    "let r_9: [6]i64 = loop (x_10: [6]i64 = a_1) for i_11: i64 < k_0 { in x_10 }",
    "let r_9: [6]i64 = loop (x_10: [6]i64 = a_1) for i_11: i64 < k_0 { in c_3 }",
    "let r_9: [6]i64 = loop (x_10: *[6]i64 = a_1) for i_11: i64 < k_0 {
       let y_12: [6]i64 = update x_10[i_11] = 7 in y_12 }",
    "let r_9: [6]i64, p_10: bool = loop (x_11: [6]i64 = a_1, p_12: bool = d_4) while p_12 { in c_3, false }",
    "let r_9: [6]i64 = call id (a_1)",
    "let r_9: [6]i64 = call new (a_1)",
    "let r_9: [6]i64 = call take (a_1)",
    "let r_9: [6]i64 = call both (a_1, c_3)",
    "let r_9: [6]i64 = map 6 (a_1) \\(x_10: i64) -> { let y_11: i64 = add x_10 k_0 in y_11 }",
    "let r_9: [2][3]i64 = map 2 (b_2) \\(x_10: [3]i64) -> { in x_10 }",
    "let r_9: [2][6]i64 = map 2 (b_2) \\(x_10: [3]i64): [6]i64 -> { in a_1 }",
    "let r_9: [6]i64 = scan 6 (a_1) (0) \\(x_10: i64, y_11: i64) -> { let z_12: i64 = add x_10 y_11 in z_12 }",
    "let r_9: [3]i64 = screma 2 (b_2) map \\(x_10: [3]i64) -> { in x_10 } reduce (e_20) \\(x_11: [3]i64, y_12: [3]i64) -> {
       let z_13: [3]i64 = map 3 (x_11, y_12) \\(x_14: i64, y_15: i64) -> { let w_16: i64 = add x_14 y_15 in w_16 }
       in z_13 }",
    "let m_10: i64, r_9: [m_10]i64 = filter 6 (a_1) \\(x_11: i64) -> { let y_12: bool = le x_11 k_0 in y_12 }",
    "let r_9: [6]i64 = scatter 6 (c_3) \\(x_10: i64): i64, i64 -> { in x_10, k_0 } into (a_1 rank 1)",
    "let r_9: [6]i64 = hist 6 (c_3) \\(x_10: i64): i64, i64 -> { in x_10, k_0 } into (a_1) rank 1 (0) \\(x_11: i64, y_12: i64) -> {
       let z_13: i64 = add x_11 y_12 in z_13 }",
    "let r_9: [6]i64 = with_acc ([6] (a_1) (0) \\(x_10: i64, y_11: i64) -> { let z_12: i64 = add x_10 y_11 in z_12 })
       \\(t_13: cert, a_14: acc t_13 [6](i64)) -> { let b_15: acc t_13 [6](i64) = update_acc a_14 (k_0) (5) in b_15 }",
    "let q_8: [6]i64, r_9: [6]i64 = with_acc ([6] (a_1) (0) \\(x_10: i64, y_11: i64) -> { in y_11 })
       \\(t_13: cert, a_14: acc t_13 [6](i64)): acc t_13 [6](i64), [6]i64 -> {
       let b_15: acc t_13 [6](i64) = update_acc a_14 (k_0) (5) in b_15, c_3 }",
];

fn prog(example: &str, kept: usize) -> Prog {
    let at = example.find("r_9: [").expect("an array r_9") + 5;
    let end = example[at..].find(['i']).expect("its element type") + at + 3;
    let ty = example[at..end].replace("m_10", "0");
    let at = vec!["0"; ty.matches('[').count()].join(", ");
    let name = ["a_1", "b_2", "c_3"][kept];
    // The size of a filtered array is not known, so an element is looked at instead.
    let (ty, update) = if ty == "[0]i64" {
        let update = "let s_20: [m_10]i64 = loop (x_23: *[m_10]i64 = r_9) for i_24: i64 < m_10 {
    let y_25: [m_10]i64 = update x_23[i_24] = 77 in y_25 }
  let u_26: i64 = reduce m_10 (s_20) (0) \\(x_27: i64, y_28: i64) -> { let z_29: i64 = add x_27 y_28 in z_29 }";
        ("i64".to_string(), update.to_string())
    } else {
        (ty.clone(), format!("let u_26: {ty} = update r_9[{at}] = 77"))
    };
    let neutral = if example.contains("e_20") { "  let e_20: [3]i64 = replicate [3] 0\n" } else { "" };
    let text = format!(
        "{BEFORE}entry main (k_0: i64) : ({}) ({ty}) = {{
{ARRAYS}{neutral}  {example}
  {update}
  in {name}, u_26
}}",
        TYPES[kept]
    );
    kenaz_ir::parse::prog(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Whether the result `r` may share memory with an array, and whether the array is consumed, as the table says.
fn says(stm: &Stm, array: Name) -> (bool, bool) {
    let at = stm.pat.iter().position(|p| p.name.id == 9).expect("r_9 is bound");
    let is = |x: &Operand| *x == Operand::Var(array);
    let takes = |f: kenaz_base::Symbol, i: usize| matches!((f.as_str(), i), ("take" | "both", 0));
    let shares = match effects::memory(&stm.exp) {
        Memory::New | Memory::Over(_) => false,
        Memory::Of(x, _) => is(&x),
        Memory::Branches(bodies) => bodies.iter().any(|body| is(&body.results[at])),
        Memory::Loop(params, body) => !params[at].0.unique && (is(&params[at].1) || is(&body.results[at])),
        Memory::Call(f, args) => !matches!(f.as_str(), "new" | "take") && args.iter().any(is),
        Memory::Acc(inputs, body) => at >= inputs.len() && is(&body.body.results[at]),
        Memory::Any(..) => true,
    };
    (shares, effects::consumed(&stm.exp, takes).contains(&array))
}

#[test]
fn results_are_apart_where_the_table_says_so() {
    let pipeline = Pipeline::to(&target::C, Stage::Memory(Ownership::Settled));
    let (mut accepted, mut refused) = (0, 0);
    for example in EXAMPLES {
        for kept in 0..TYPES.len() {
            let prog = prog(example, kept);
            let stms = &prog.funs.last().expect("main").body.stms;
            let stm = stms.iter().find(|stm| stm.pat.iter().any(|p| p.name.id == 9)).expect("the example");
            let array = stms[kept].pat[0].name;
            let (shares, consumed) = says(stm, array);
            match Stages::new(&prog, &pipeline) {
                Ok(stages) => {
                    assert!(!shares && !consumed, "{array} is not said to be apart, but may be used: {prog}");
                    accepted += 1;
                    for k in [0, 2, 4] {
                        let arguments = vec![kenaz_runtime::Value::scalar(Scalar::I64(k))];
                        let input = Input { function: "main".into(), arguments };
                        let agreement = stages.run(&input).unwrap_or_else(|wrong| {
                            panic!("{} {:?}: {}\n{prog}", wrong.passes, wrong.wrong, wrong.message)
                        });
                        assert!(matches!(agreement.answer, Answer::Values(..)), "{:?}\n{prog}", agreement.answer);
                    }
                }
                Err(wrong) => {
                    assert_eq!((wrong.wrong, wrong.passes), (Wrong::Check, 0), "{}\n{prog}", wrong.message);
                    assert!(shares || consumed, "{}\n{prog}", wrong.message);
                    refused += 1;
                }
            }
        }
    }
    assert!(accepted > 50 && refused > 20, "{accepted} accepted, {refused} refused");
}

#[test]
fn total_operations_have_a_value_for_all_operands() {
    let values = |prim| {
        let all = [0, 1, 2, 7, u64::MAX, 1 << 63, 1 << 31, 1 << 15, 1 << 7, 0x3f80_0000, 0x7fc0_0000, 0x1234_5678_9abc];
        all.map(|bits| Scalar::from_bits(prim, bits))
    };
    for op in BinOp::ALL {
        for prim in kenaz_base::Prim::ALL.into_iter().filter(|p| op.allows(*p)) {
            for y in values(prim) {
                let pat = [Param::new(kenaz_ir::Fresh::default().named("x"), Type::Prim(prim))];
                let fails = |x: Scalar| {
                    let exp = Exp::Bin(*op, Operand::Const(x), Operand::Const(y));
                    assert!(matches!(effects::of_exp(&exp, &pat).fails, Fails::Never | Fails::Partial));
                    (effects::of_exp(&exp, &pat).fails == Fails::Partial, constant(&exp).is_none())
                };
                for x in values(prim) {
                    let (said, found) = fails(x);
                    assert_eq!(said, found, "{} {x} {y}", op.text());
                }
            }
        }
    }
}
