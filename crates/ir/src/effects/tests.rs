//! The table at the head of the module is what the functions say, and every operator has an example.

use super::*;
use crate::name::Name;
use crate::print::operator;
use crate::value::Scalar;
use std::collections::{BTreeMap, BTreeSet};

/// The row of the table that an expression belongs to. A new operator gets a row, and an example in operators.ir.
fn rows_of(exp: &Exp) -> Vec<&'static str> {
    vec![match exp {
        Exp::Un(..) => "un",
        Exp::Bin(..) => "bin",
        Exp::Cmp(..) => "cmp",
        Exp::Math(..) => "math",
        Exp::Loop { form: LoopForm::For(..), .. } => "loop for",
        Exp::Loop { form: LoopForm::While(_), .. } => "loop while",
        Exp::Soac(Soac::Screma { .. }) => "screma",
        Exp::Par(par) => {
            return par
                .forms
                .iter()
                .map(|form| match form {
                    Form::Own => "par own",
                    Form::Tile(_) => "par tile",
                    Form::Write { .. } => "par write",
                    Form::Acc { .. } => "par acc",
                })
                .collect();
        }
        // The row of every other operator has the word of its text form.
        _ => operator(exp),
    }]
}

/// The cells of the table after the name, by the name.
fn table() -> BTreeMap<String, Vec<String>> {
    let rows = include_str!("../effects.rs").lines().filter_map(|line| line.strip_prefix("//! | `"));
    let cells = |row: &str| row.split('|').map(|cell| cell.trim().to_string()).collect::<Vec<String>>();
    rows.map(|row| row.split_once('`').expect("the name ends")).map(|(name, row)| (name.into(), cells(row))).collect()
}

/// All statements of the examples, and some that operators.ir does not have.
fn examples() -> Vec<Stm> {
    let more = "fun f (n_1: i64) (c_2: bool) (xs_7: [n_1][n_1]i64) : = {
       let d_3: cert = assert c_2 \"no\"
       let x_4: i64 = div n_1 n_1
       let y_5: f64 = sqrt f64 (1.0f64)
       let z_6: i64 = popc i64 (n_1)
       let r_9: [n_1]i64 = index xs_7[0]
       let m_8: [n_1]i64 = map n_1 () \\() -> { in 1 }
       in
     }";
    let mut all = Vec::new();
    for text in [include_str!("../../tests/operators.ir"), more] {
        for fun in &crate::parse::prog(text).expect("the examples can be read").funs {
            any(&fun.body, |stm| {
                all.push(stm.clone());
                false
            });
        }
    }
    all
}

#[test]
fn every_operator_has_a_row_and_an_example() {
    let rows: BTreeSet<String> = table().into_keys().collect();
    let seen: BTreeSet<String> = examples().iter().flat_map(|stm| rows_of(&stm.exp)).map(ToString::to_string).collect();
    assert_eq!(rows, seen);
}

#[test]
fn the_table_is_what_the_functions_say() {
    let table = table();
    // A cost that a cell lists among others must occur in one example at least.
    let mut unseen: BTreeSet<(String, String)> = BTreeSet::new();
    for (name, cells) in &table {
        for cost in cells[4].split([',', ';', ':']).flat_map(|part| part.split(" or ")).map(str::trim) {
            if cost != "one element" {
                unseen.insert((name.clone(), cost.to_string()));
            }
        }
    }
    for stm in examples() {
        let effects = of(&stm);
        for name in rows_of(&stm.exp) {
            let [_, arrays, consumes, fails, cost, also, _] = &table[name][..] else { panic!("a row of {name}") };
            let place = format!("{name}: {stm}");
            // A `par` with forms of two kinds has the effects of both.
            let is_mixed = rows_of(&stm.exp).len() > 1;
            let word = match memory(&stm.exp) {
                Memory::New => "new",
                Memory::Of(_, How::Same) => "the same",
                Memory::Of(_, How::View) => "a view",
                Memory::Over(over) if over.iter().any(Option::is_some) => "over its",
                Memory::Over(_) => "new",
                Memory::Branches(_) => "of one body",
                Memory::Loop(..) => "initial or next",
                Memory::Call(..) => "as the function says",
                Memory::Acc(..) => "over its destinations, then of its body",
                Memory::Any(..) => "anything",
            };
            let yields = stm.pat.iter().any(|p| p.ty.has_memory()) || !matches!(memory(&stm.exp), Memory::New);
            assert!(is_mixed || !yields || arrays.starts_with(word), "{word}, not {arrays} in {place}");
            // Unique parameters are in the table even if an example has none.
            let all = consumed(&stm.exp, |_, _| true);
            assert_eq!(effects.consumes, !all.is_empty() || name == "call", "{place}");
            if effects.consumes && !is_mixed {
                assert!(!consumes.is_empty(), "{place}");
            } else if !is_mixed {
                assert!(consumes.is_empty() || consumes == "unique parameters", "{place}");
            }
            match effects.fails {
                Fails::Never => assert!(matches!(&fails[..], "" | "sizes") || fails.contains(':'), "{place}"),
                Fails::Partial => assert!(fails.contains("partial"), "{place}"),
                Fails::Stops => assert_eq!(fails, "stops", "{place}"),
            }
            assert!(sizes(&stm.exp).is_empty() || fails == "sizes", "{place}");
            let word = format!("{:?}", effects.cost).to_lowercase();
            assert!(cost.contains(&word), "{word}, not {cost} in {place}");
            unseen.remove(&(name.to_string(), word));
            let flags = [
                (effects.allocates, "allocates"),
                (effects.distinct, "distinct"),
                (effects.prints, "prints"),
                (effects.frees, "frees"),
                (effects.opaque, "opaque"),
                (!effects.ends, "may not end"),
            ];
            for (is, word) in flags {
                // Only arrays are allocated, and not all examples have some.
                let may_lack = word == "allocates" && (!stm.pat.iter().any(|p| p.ty.is_array()) || is_mixed);
                assert!(is == also.contains(word) || may_lack && !is, "{word}: {place}");
            }
        }
    }
    assert_eq!(unseen, BTreeSet::new(), "costs without an example");
}

#[test]
fn what_follows_from_the_table() {
    let of_row = |name: &str| {
        let examples = examples();
        of(examples.iter().find(|stm| rows_of(&stm.exp).contains(&name)).expect("an example"))
    };
    let rows = |holds: fn(Effects) -> bool| -> Vec<String> {
        table().into_keys().filter(|name| !holds(of_row(name))).collect()
    };
    assert_eq!(rows(Effects::may_drop), ["assert", "call", "free", "trace"]);
    let consuming = ["call", "flat_update", "free", "hist", "loop for", "opaque", "par acc", "par write", "scatter"];
    let mut fixed: Vec<String> = consuming.map(String::from).to_vec();
    fixed.extend(["slot", "trace", "update", "update_acc", "with_acc"].map(String::from));
    assert_eq!(rows(Effects::may_move), fixed);
    fixed.extend(["alloc", "alloc_each", "scratch", "share"].map(String::from));
    fixed.sort();
    assert_eq!(rows(Effects::may_repeat), fixed);
}

#[test]
fn division_is_total_by_constants_of_any_width_but_zero() {
    let total = |op, y: Scalar| is_total(op, None, Operand::Const(y));
    for op in [BinOp::Div, BinOp::Mod, BinOp::Quot, BinOp::Rem] {
        assert!(!is_total(op, Some(Prim::I64), Operand::Var(name())));
        assert!(!is_total(op, None, Operand::Var(name())));
        assert!(is_total(op, Some(Prim::F32), Operand::Var(name())));
        assert!(total(op, Scalar::I64(-1)) && total(op, Scalar::I8(3)) && total(op, Scalar::U64(u64::MAX)));
        assert!(!total(op, Scalar::I32(0)) && !total(op, Scalar::U8(0)));
        assert!(total(op, Scalar::F64(0.0)));
    }
    assert!(!total(BinOp::Pow, Scalar::I8(-1)) && total(BinOp::Pow, Scalar::I8(0)));
    assert!(total(BinOp::Pow, Scalar::U64(u64::MAX)) && is_total(BinOp::Pow, Some(Prim::U8), Operand::Var(name())));
    assert!(!is_total(BinOp::Pow, Some(Prim::I8), Operand::Var(name())));
}

fn name() -> Name {
    crate::name::Fresh::default().named("x")
}
