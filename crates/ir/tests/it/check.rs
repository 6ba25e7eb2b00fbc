//! The checkers of all stages on deep, long and damaged programs, and what they say. The programs that break a rule,
//! and those that break none, are in tests/ir/check.

use kenaz_ir::facts::Facts;
use kenaz_ir::metrics::Metrics;
use kenaz_ir::{Ownership, Stage, check, parse};

/// The cases of a file: what stands after `====`, and the program.
fn cases(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n==== ").skip(1).map(|case| case.split_once('\n').expect("a program"))
}

const ACCEPTED: [(&str, Stage); 3] = [
    (include_str!("../../../../tests/ir/check/accepted-array.ir"), Stage::Array),
    (include_str!("../../../../tests/ir/check/accepted-parallel.ir"), Stage::Parallel),
    (include_str!("../../../../tests/ir/check/accepted-memory.ir"), Stage::Memory(Ownership::Settled)),
];

/// What the text form cannot say.
#[test]
fn names_of_entry_types() {
    use kenaz_base::Prim;
    use kenaz_ir::{EntryKind, EntryType, Part};
    let broken = |name: &str, kind: EntryKind| {
        let mut prog = parse::prog(
            "type \"t\" = {x: \"f32\"}
            entry f (x_1: f32) : (f32) takes (x: \"t\") yields (\"f32\") = { in x_1 }",
        )
        .unwrap();
        check::array(&prog).unwrap();
        let entry = prog.funs[0].entry.as_mut().unwrap();
        entry.results[0].ty = std::sync::Arc::new(EntryType { name: kenaz_base::Symbol::intern(name), kind });
        let error = check::array(&prog).unwrap_err();
        (error.rule, error.message)
    };
    let f32 = Part::scalar(Prim::F32);
    assert_eq!(
        broken("t", EntryKind::Opaque(vec![f32])),
        (check::Rule::EntryTypeOnce, "there are two types `t`".to_string())
    );
    assert_eq!(
        broken("real", EntryKind::Plain(f32)),
        (check::Rule::EntryType, "the type `f32` is called `real`".to_string())
    );
    assert_eq!(
        broken("[]f32", EntryKind::Plain(f32)),
        (check::Rule::EntryType, "the type `f32` is called `[]f32`".to_string())
    );
    assert_eq!(
        broken("f32", EntryKind::Opaque(vec![f32])),
        (check::Rule::EntryType, "`f32` is not what its name says".to_string())
    );
}

#[test]
fn an_error_names_rule_function_and_statement() {
    let text = "fun f (n_1: i64) : = { let () = loop () for i_2: i64 < n_1 { let x_3: i64 = add n_1 1i8 in } in }";
    let error = check::array(&parse::prog(text).unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "[scalar] in function `f`: `1i8` is of type `i8`, not `i64`\n  let x_3: i64 = add n_1 1i8"
    );
}

#[test]
fn unique_results_are_found() {
    let text = "
fun id (a_1: [3]i64) : ([3]i64) = { in a_1 }
fun give (a_2: *[3]i64) : ([3]i64) = { in a_2 }
fun two : ([3]i64) ([3]i64) (i64) = { let a_3: [3]i64 = iota 3 : i64 let b_4: [3]i64 = copy a_3 in a_3, b_4, 1 }
fun same : ([3]i64) ([3]i64) = { let a_5: [3]i64 = iota 3 : i64 in a_5, a_5 }
fun through (a_6: [3]i64) : ([3]i64) ([3]i64) = {
  let b_7: [3]i64 = call id (a_6)
  let c_8: [3]i64, d_9: [3]i64, i_10: i64 = call two ()
  in b_7, c_8
}
fun id (a_11: [3]i64) : ([3]i64) = { let b_12: [3]i64 = copy a_11 in b_12 }";
    let mut prog = parse::prog(text).unwrap();
    check::infer_unique_results(&mut prog);
    let unique: Vec<Vec<bool>> = prog.funs.iter().map(|f| f.results.iter().map(|r| r.unique).collect()).collect();
    assert_eq!(
        unique,
        [
            vec![false],
            vec![true],
            vec![true, true, false],
            vec![false, false],
            vec![false, true],
            // Not well formed: there is another function of this name.
            vec![false],
        ]
    );
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
    for (_, stage) in ACCEPTED {
        check::stage(&prog, stage).unwrap();
    }
}

/// A loop around a loop around …, each with the block of the one around it.
#[test]
fn nested_loops_with_blocks_are_checked() {
    let depth = 300;
    let open = |k: usize| {
        let (r, p, i, outer) = (3 * k + 11, 3 * k + 10, 3 * k + 12, 3 * k + 7);
        format!("let r_{r}: mem = loop (p_{p}: mem = p_{outer}) for i_{i}: i64 < n_1 {{ ")
    };
    let text = format!(
        "fun f (n_1: i64) : = {{ let p_10: mem = alloc host 8 {} in p_{} }} {} let () = free r_14 in }}",
        (1..=depth).map(open).collect::<String>(),
        3 * depth + 10,
        (2..=depth).rev().map(|k| format!("in r_{} }} ", 3 * k + 11)).collect::<String>(),
    );
    check::memory(&parse::prog(&text).unwrap(), Ownership::Settled).unwrap();
}

/// Programs with two words exchanged are accepted or rejected, but the checker and what works on any program do not
/// panic.
#[test]
fn damaged_programs_do_not_panic() {
    let (mut accepted, mut rejected) = (0, 0);
    let all = ACCEPTED.iter().flat_map(|(file, stage)| cases(file).map(|case| (case, *stage)));
    for (seed, ((title, text), stage)) in all.enumerate() {
        let mut g = crate::common::Gen::new(seed as u64);
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let words: Vec<&str> = text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).collect();
        for _ in 0..400 {
            let (from, to) = (words[g.below(words.len())], words[g.below(words.len())]);
            let places: Vec<usize> = text.match_indices(from).map(|(at, _)| at).collect();
            let at = places[g.below(places.len())];
            let damaged = format!("{}{to}{}", &text[..at], &text[at + from.len()..]);
            let Ok(mut prog) = parse::prog(&damaged) else { continue };
            match check::stage(&prog, stage) {
                Ok(()) => accepted += 1,
                Err(_) => rejected += 1,
            }
            check::infer_unique_results(&mut prog);
            let mut facts = Facts::new();
            for fun in &prog.funs {
                facts.enter_fun(fun);
                fun.body.stms.iter().for_each(|stm| facts.stm(stm));
            }
            assert!(!Metrics::of(&prog).to_string().is_empty() || prog.funs.is_empty(), "{title}");
        }
    }
    for seed in 0..500 {
        let prog = crate::common::Gen::new(seed).prog();
        for (_, stage) in ACCEPTED {
            rejected += usize::from(check::stage(&prog, stage).is_err());
        }
    }
    assert!(accepted > 50 && rejected > 500, "{accepted} accepted, {rejected} rejected");
}
