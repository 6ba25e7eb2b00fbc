//! The checkers of all stages: a program for each rule that breaks it, and programs that break none.

mod common;

use kenaz_ir::facts::Facts;
use kenaz_ir::metrics::Metrics;
use kenaz_ir::{Ownership, Stage, check, erase, parse};

/// The cases of a file: what stands after `====`, and the program.
fn cases(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n==== ").skip(1).map(|case| case.split_once('\n').expect("a program"))
}

const REJECTED: [(&str, Stage); 3] = [
    (include_str!("rejected.ir"), Stage::Array),
    (include_str!("rejected_parallel.ir"), Stage::Parallel),
    (include_str!("rejected_memory.ir"), Stage::Memory(Ownership::Settled)),
];

const ACCEPTED: [(&str, Stage); 3] = [
    (include_str!("accepted.ir"), Stage::Array),
    (include_str!("accepted_parallel.ir"), Stage::Parallel),
    (include_str!("accepted_memory.ir"), Stage::Memory(Ownership::Settled)),
];

#[test]
fn every_rule_can_be_broken() {
    let mut broken = Vec::new();
    let mut wrong = Vec::new();
    for (file, stage) in REJECTED {
        for (title, text) in cases(file) {
            let (rule, message) = title.split_once(": ").expect("a rule and its message");
            let prog = parse::prog(text).unwrap_or_else(|e| panic!("{title}: {e}"));
            match check::stage(&prog, stage) {
                Ok(()) => wrong.push(format!("accepted: {title}\n{text}")),
                Err(error) if error.rule.id() == rule && error.message.contains(message) => broken.push(error.rule),
                Err(error) => wrong.push(format!("expected: {title}\nfound: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // Two types of one name cannot be written: see `names_of_entry_types`.
    broken.push(check::Rule::EntryTypeOnce);
    for rule in check::Rule::ALL {
        assert!(broken.contains(rule), "no program breaks `{rule}`");
    }
}

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
fn good_programs_are_accepted() {
    let mut wrong = Vec::new();
    for (file, stage) in ACCEPTED {
        for (title, text) in cases(file) {
            let prog = parse::prog(text).unwrap_or_else(|e| panic!("{title}: {e}"));
            wrong.extend(check::stage(&prog, stage).err().map(|e| format!("{title}: {e}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Blocks need no owner yet, but a block that was freed is gone.
#[test]
fn ownership_may_be_open() {
    for (title, text) in cases(include_str!("rejected_memory.ir")) {
        let prog = parse::prog(text).unwrap_or_else(|e| panic!("{title}: {e}"));
        let open = check::memory(&prog, Ownership::Open);
        match title.split_once(": ").expect("a rule").0 {
            "leak" => assert!(open.is_ok(), "{title}: {open:?}"),
            // What a loop is given counts as given up only when it has an owner.
            "use-after-free" if !text.contains("The loop has it now") => {
                assert_eq!(open.expect_err(title).rule, check::Rule::UseAfterFree, "{title}");
            }
            _ => {}
        }
    }
}

/// Without memory a program of the memory stage is one of the parallel stage, and nothing is left to erase.
#[test]
fn memory_can_be_erased() {
    for (title, text) in cases(include_str!("accepted_memory.ir")) {
        let erased = erase(&parse::prog(text).unwrap());
        check::parallel(&erased).unwrap_or_else(|e| panic!("{title}: {e}"));
        let text = erased.to_string();
        assert!(!text.contains(" mem") && !text.contains('@'), "{title}: {text}");
        assert_eq!(erase(&erased).to_string(), text, "{title}");
    }
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

/// Programs with two words exchanged are accepted or rejected, but the checker and what works on any program do not panic.
#[test]
fn damaged_programs_do_not_panic() {
    let (mut accepted, mut rejected) = (0, 0);
    let all = ACCEPTED.iter().flat_map(|(file, stage)| cases(file).map(|case| (case, *stage)));
    for (seed, ((title, text), stage)) in all.enumerate() {
        let mut g = common::Gen::new(seed as u64);
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
        let prog = common::Gen::new(seed).prog();
        for (_, stage) in ACCEPTED {
            rejected += usize::from(check::stage(&prog, stage).is_err());
        }
    }
    assert!(accepted > 50 && rejected > 500, "{accepted} accepted, {rejected} rejected");
}
