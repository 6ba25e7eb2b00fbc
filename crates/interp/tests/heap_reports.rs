//! What the interpreter by heap has to say about programs that use memory as they should not.

mod common;

use common::heap::{broken, results, with};
use kenaz_interp::Rule;
use kenaz_interp::heap::{Options, RaceCheck};

/// The rule that a program without parameters and results breaks.
fn rule(body: &str) -> Rule {
    report(body).0
}

fn report(body: &str) -> (Rule, String) {
    broken(&format!("entry main : = {{\n{body}\nin\n}}"), "", Options::default())
}

#[test]
fn unwritten_memory() {
    let (found, message) = report(
        "let m_1: mem = alloc host 16
         let a_2: [2]i64 @ m_1 -> 0 + {(2 : 1)} = scratch [2] i64
         let b_3: [2]i64 @ m_1 -> 0 + {(2 : 1)} = update a_2[0] = 5
         let x_4: i64 = index b_3[0]
         let y_5: i64 = index b_3[1]
         let () = free m_1",
    );
    assert_eq!(found, Rule::Unwritten);
    assert_eq!(message, "unwritten: the element at 1 in the block `m_1` is read but was never written.");
}

#[test]
fn unwritten_memory_may_move_but_not_be_used() {
    let text = |index: &str| {
        format!(
            "entry main : (i64) = {{
  let m_1: mem = alloc host 32
  let a_2: [2]i64 @ m_1 -> 0 + {{(2 : 1)}} = scratch [2] i64
  let b_3: [2]i64 @ m_1 -> 0 + {{(2 : 1)}} = update a_2[0] = 5
  let c_4: [2]i64 @ m_1 -> 2 + {{(2 : 1)}} = copy b_3
  let x_5: i64 = index c_4[{index}]
  let () = free m_1
  in x_5
}}"
        )
    };
    assert_eq!(results(&text("0"), ""), "5i64");
    assert_eq!(broken(&text("1"), "", Options::default()).0, Rule::Unwritten);
    // Nor be returned.
    let returned = "entry main : (m_1: mem) ([1]i8 @ m_1 -> 0 + {(1 : 1)}) = {
  let m_2: mem = alloc host 1
  let a_3: [1]i8 @ m_2 -> 0 + {(1 : 1)} = scratch [1] i8
  in m_2, a_3
}";
    assert_eq!(broken(returned, "", Options::default()).0, Rule::Unwritten);
    // What a block had in it before is not what a new array has.
    let reused = "let m_1: mem = alloc host 1
                  let a_2: [1]i8 @ m_1 -> 0 + {(1 : 1)} = array [1i8] : i8
                  let b_3: [1]i8 @ m_1 -> 0 + {(1 : 1)} = scratch [1] i8
                  let x_4: i8 = index b_3[0]
                  let () = free m_1";
    assert_eq!(rule(reused), Rule::Unwritten);
}

#[test]
fn blocks_that_are_gone() {
    let read = "let m_1: mem = alloc host 8
                let a_2: [1]i64 @ m_1 -> 0 + {(1 : 1)} = array [1] : i64
                let () = free m_1
                let x_3: i64 = index a_2[0]";
    assert_eq!(
        report(read),
        (Rule::UseAfterFree, "use-after-free: the block `m_1` is used after it was freed.".into())
    );
    let write = "let m_1: mem = alloc host 8
                 let () = free m_1
                 let a_2: [1]i64 @ m_1 -> 0 + {(1 : 1)} = array [1] : i64";
    assert_eq!(rule(write), Rule::UseAfterFree);
    let copy = "let m_1: mem = alloc host 8
                let a_2: [1]i64 @ m_1 -> 0 + {(1 : 1)} = iota 1 : i64
                let () = free m_1
                let m_3: mem = alloc host 8
                let b_4: [1]i64 @ m_3 -> 0 + {(1 : 1)} = copy a_2
                let () = free m_3";
    assert_eq!(rule(copy), Rule::UseAfterFree);
    let share = "let m_1: mem = alloc host 8
                 let () = free m_1
                 let m_2: mem = share m_1";
    assert_eq!(rule(share), Rule::UseAfterFree);
    let twice = "let m_1: mem = alloc host 8
                 let () = free m_1
                 let () = free m_1";
    assert_eq!(rule(twice), Rule::DoubleFree);
    // As long as somebody has a reference, it is there.
    let shared = "entry main : (i64) = {
  let m_1: mem = alloc host 8
  let a_2: [1]i64 @ m_1 -> 0 + {(1 : 1)} = array [3] : i64
  let m_3: mem = share m_1
  let () = free m_1
  let x_4: i64 = index a_2[0]
  let () = free m_3
  in x_4
}";
    assert_eq!(results(shared, ""), "3i64");
}

#[test]
fn blocks_that_are_left() {
    assert_eq!(
        report("let m_1: mem = alloc host 8"),
        (Rule::Leak, "leak: the block `m_1` has 1 references at the end instead of 0.".into())
    );
    let result = "entry main : (m_1: mem) ([1]i8 @ m_1 -> 0 + {(1 : 1)}) = {
  let m_2: mem = alloc host 1
  let a_3: [1]i8 @ m_2 -> 0 + {(1 : 1)} = array [1i8] : i8
  let m_4: mem = share m_2
  in m_2, a_3
}";
    assert_eq!(broken(result, "", Options::default()).0, Rule::Leak);
    assert_eq!(with(result, "", Options { leaks: false, ..Options::default() }).unwrap(), "[1i8]");
}

#[test]
fn arguments_belong_to_the_caller() {
    let program = |unique: &str, body: &str, result: &str| {
        format!(
            "entry main (m_1: mem) (a_2: {unique}[2]i8 @ m_1 -> 0 + {{(2 : 1)}}) : (m_3: mem) ([2]i8 @ m_3 -> 0 + {{(2 : 1)}}) = {{
{body}
in {result}
}}"
        )
    };
    let input = "[1i8, 2i8]";
    let freed = program("", "let m_4: mem = share m_1 let () = free m_1 let () = free m_1", "m_4, a_2");
    assert_eq!(broken(&freed, input, Options::default()).0, Rule::UseAfterFree);
    let given = program("", "", "m_1, a_2");
    assert_eq!(broken(&given, input, Options::default()).0, Rule::DoubleFree);
    assert_eq!(results(&program("", "let m_4: mem = share m_1", "m_4, a_2"), input), "[1i8, 2i8]");
    let change = "let m_4: mem = share m_1 let b_5: [2]i8 @ m_1 -> 0 + {(2 : 1)} = update a_2[0] = 9i8";
    assert_eq!(broken(&program("", change, "m_4, b_5"), input, Options::default()).0, Rule::Argument);
    assert_eq!(results(&program("*", change, "m_4, b_5"), input), "[9i8, 2i8]");
}

#[test]
fn arrays_outside_their_blocks() {
    let outside = "let m_1: mem = alloc host 15
                   let a_2: [2]i64 @ m_1 -> 0 + {(2 : 1)} = iota 2 : i64
                   let () = free m_1";
    let (found, message) = report(outside);
    assert_eq!(found, Rule::OutOfBlock);
    assert_eq!(message, "out-of-block: 2 elements of 8 bytes at 0 in the block `m_1` of 15 bytes.");
    let before = "let m_1: mem = alloc host 16
                  let a_2: [2]i64 @ m_1 -> 0 + {(2 : -1)} = array [1, 2] : i64
                  let () = free m_1";
    assert_eq!(rule(before), Rule::OutOfBlock);
    assert_eq!(rule("let m_1: mem = alloc host -1"), Rule::Size);
}

#[test]
fn arrays_that_are_not_where_they_should_be() {
    let start = "let m_1: mem = alloc host 16
                 let a_2: [2][2]i32 @ m_1 -> 0 + {(2 : 2) (2 : 1)} = replicate [2, 2] 1i32";
    let view = |view: &str| rule(&format!("{start}\nlet {view}\nlet () = free m_1"));
    assert_eq!(view("r_3: [2]i32 @ m_1 -> 0 + {(2 : 1)} = index a_2[1]"), Rule::Place);
    assert_eq!(view("t_3: [2][2]i32 @ m_1 -> 0 + {(2 : 2) (2 : 1)} = rearrange (1, 0) a_2"), Rule::Place);
    assert_eq!(view("s_3: [2]i32 @ m_1 -> 0 + {(2 : 1)} = slice a_2[0 :+ 2 * 1, 0]"), Rule::Place);
    assert_eq!(view("f_3: [4]i32 @ m_1 -> 0 + {(4 : 2)} = reshape [4] a_2"), Rule::Place);
    assert_eq!(view("x_3: [2][2]i32 @ m_1 -> 1 + {(2 : 2) (2 : 1)} = a_2"), Rule::Place);
    assert_eq!(view("u_3: [2][2]i32 @ m_1 -> 0 + {(2 : 1) (2 : 2)} = update a_2[0, 0] = 1i32"), Rule::Place);
    // The layout has another shape than the array.
    assert_eq!(view("c_3: [2]i32 @ m_1 -> 0 + {(3 : 1)} = array [1i32, 2i32] : i32"), Rule::Place);
    // A block that was not bound.
    let branch = "let m_1: mem = alloc host 8
                  let a_2: [1]i64 @ m_1 -> 0 + {(1 : 1)} = iota 1 : i64
                  let x_3: i64 = if false then { let m_4: mem = alloc host 8 let () = free m_4 in 0 } else { in 1 }
                  let b_5: [1]i64 @ m_4 -> 0 + {(1 : 1)} = copy a_2
                  let () = free m_1";
    assert_eq!(rule(branch), Rule::Place);
}

#[test]
fn copies_onto_themselves() {
    let copy = |to: &str| {
        format!(
            "let m_1: mem = alloc host 8
             let a_2: [4]i8 @ m_1 -> 0 + {{(4 : 1)}} = iota 4 : i8
             let b_3: [4]i8 @ m_1 -> {to} = copy a_2
             let () = free m_1"
        )
    };
    assert_eq!(rule(&copy("1 + {(4 : 1)}")), Rule::Overlap);
    assert_eq!(rule(&copy("3 + {(4 : -1)}")), Rule::Overlap);
    for to in ["0 + {(4 : 1)}", "4 + {(4 : 1)}"] {
        assert_eq!(results(&format!("entry main : = {{\n{}\nin\n}}", copy(to)), ""), "");
    }
}

/// A `par` with a level in which each iteration does something with a block of four numbers.
fn each(level: &str, body: &str) -> String {
    format!(
        "entry main : (i64) = {{
  let m_1: mem = alloc host 64
  let a_2: [4]i64 @ m_1 -> 0 + {{(4 : 1)}} = iota 4 : i64
  let m_3: mem = alloc host 32
  let r_4: [4]i64 @ m_3 -> 0 + {{(4 : 1)}} = par {level} (i_5 < 4) own {{
    {body}
  }}
  let x_50: i64 = index r_4[3]
  let () = free m_3
  let () = free m_1
  in x_50
}}"
    )
}

#[test]
fn races() {
    // Two iterations write the same place.
    let both = "let b_6: [1]i64 @ m_1 -> 4 + {(1 : 1)} = array [i_5] : i64
                let x_7: i64 = index b_6[0]
                in x_7";
    let (found, message) = broken(&each("core", both), "", Options::default());
    assert_eq!(found, Rule::Race);
    assert_eq!(message, "race: iteration 0 writes byte 32 of the block `m_1`, iteration 1 writes it.");
    // One reads what another has written.
    let neighbour = "let n_6: i64 = max i_5 1
                     let k_7: i64 = sub n_6 1
                     let x_8: i64 = index a_2[k_7]
                     let d_9: [4]i64 @ m_1 -> 0 + {(4 : 1)} = update a_2[i_5] = x_8
                     in i_5";
    assert_eq!(broken(&each("core", neighbour), "", Options::default()).0, Rule::Race);
    // All read, then one writes.
    let late = "let x_6: i64 = index a_2[0]
                let c_7: bool = eq i_5 3
                let y_8: i64 = if c_7 then {
                  let d_9: [4]i64 @ m_1 -> 0 + {(4 : 1)} = update a_2[0] = 1
                  in 1
                } else {
                  in x_6
                }
                in y_8";
    let (found, message) = broken(&each("simd 4", late), "", Options::default());
    assert_eq!(found, Rule::Race);
    assert_eq!(message, "race: iteration 0 reads byte 0 of the block `m_1`, iteration 3 writes it.");
    // The slot of the neighbour in the result.
    let slot = "let n_6: i64 = max i_5 1
                let k_7: i64 = sub n_6 1
                let s_8: [1]i64 @ m_3 -> k_7 + {(1 : 1)} = array [i_5] : i64
                in i_5";
    assert_eq!(broken(&each("grid", slot), "", Options::default()).0, Rule::Race);
    // Without a level that is all right, unless one asks.
    assert_eq!(results(&each("", both), ""), "3i64");
    let always = Options { races: RaceCheck::Always, ..Options::default() };
    assert_eq!(broken(&each("", both), "", always).0, Rule::Race);
    let never = Options { races: RaceCheck::Never, ..Options::default() };
    assert_eq!(with(&each("core", both), "", never).unwrap(), "3i64");
}

#[test]
fn no_races() {
    // Each in a block of its own, in its own slot, or reading only; one `par` after the other.
    let own = "let m_6: mem = alloc host 8
               let b_7: [1]i64 @ m_6 -> 0 + {(1 : 1)} = array [i_5] : i64
               let x_8: i64 = index b_7[0]
               let c_9: [1]i64 @ m_1 -> i_5 + 4 + {(1 : 1)} = array [x_8] : i64
               let s_10: i64 = par simd (j_11 < 4) reduce (0) \\(x_12: i64, y_13: i64) -> {
                 let z_14: i64 = add x_12 y_13
                 in z_14
               } {
                 let y_15: i64 = index a_2[j_11]
                 in y_15
               }
               let () = free m_6
               let z_16: i64 = index c_9[0]
               let z_17: i64 = add z_16 s_10
               in z_17";
    for workers in 1..6 {
        assert_eq!(with(&each("core", own), "", Options { workers, ..Options::default() }).unwrap(), "9i64");
    }
    let twice = "entry main : (i64) = {
  let m_1: mem = alloc host 16
  let a_2: [2]i64 @ m_1 -> 0 + {(2 : 1)} = par core (i_3 < 2) own {
    in i_3
  }
  let b_4: [2]i64 @ m_1 -> 0 + {(2 : 1)} = par core (i_5 < 2) write a_2 rank 1 {
    in 0, 7
  }
  let s_6: i64 = par core (i_7 < 2) reduce (0) \\(x_8: i64, y_9: i64) -> {
    let z_10: i64 = add x_8 y_9
    in z_10
  } {
    let v_11: i64 = index b_4[i_7]
    in v_11
  }
  let () = free m_1
  in s_6
}";
    assert_eq!(results(twice, ""), "8i64");
}

#[test]
fn workers_show_that_order_matters() {
    // The last iteration to write stays: in order it is the last one.
    let in_scratch = "entry main : (i64) = {
  let m_1: mem = alloc host 8
  let a_2: [1]i64 @ m_1 -> 0 + {(1 : 1)} = array [9] : i64
  let m_3: mem = alloc host 32
  let r_4: [4]i64 @ m_3 -> 0 + {(4 : 1)} = par core (i_5 < 4) own {
    let b_6: [1]i64 @ m_1 -> 0 + {(1 : 1)} = array [i_5] : i64
    in i_5
  }
  let x_7: i64 = index a_2[0]
  let () = free m_1
  let () = free m_3
  in x_7
}";
    let run =
        |workers| with(in_scratch, "", Options { workers, races: RaceCheck::Never, ..Options::default() }).unwrap();
    assert_eq!(run(1), "3i64");
    assert_eq!(run(2), "1i64");
}
