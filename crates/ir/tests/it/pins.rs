//! Passes leave pinned operators alone: programs before and after a pass, and what is wrong with that.

use kenaz_ir::{Prog, check, parse};

fn prog(body: &str) -> Prog {
    let text = format!("fun main (n_1: i64) (a_2: [n_1]i64) : ([n_1]i64) = {{\n{body}\n}}\n");
    parse::prog(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What is said about a pass that makes the second program of the first.
fn said(before: &str, after: &str) -> String {
    let (before, after) = (prog(before), prog(after));
    check::array(&before).unwrap();
    check::array(&after).unwrap();
    check::pins(&before, &after).map_or_else(|error| error.to_string(), |()| "nothing".to_string())
}

/// Two maps one after the other; the first has these attributes.
fn two_maps(attributes: &str) -> String {
    format!(
        "  let b_3: [n_1]i64 = {attributes} map n_1 (a_2) \\(x_4: i64) -> {{ let y_5: i64 = add x_4 1 at 2:2 in y_5 }} at 2:1
  let c_6: [n_1]i64 = map n_1 (b_3) \\(z_7: i64) -> {{ let w_8: i64 = mul z_7 2 at 3:2 in w_8 }} at 3:1
  in c_6"
    )
}

const FUSED: &str = "  let c_6: [n_1]i64 = map n_1 (a_2) \\(x_4: i64) -> {
    let y_5: i64 = add x_4 1 at 2:2
    let w_8: i64 = mul y_5 2 at 3:2
    in w_8
  } at 3:1
  in c_6";

#[test]
fn nothing_is_said_about_what_is_not_pinned() {
    assert_eq!(said(&two_maps(""), FUSED), "nothing");
    assert_eq!(said(&two_maps("#[sequential]"), FUSED), "nothing");
}

#[test]
fn a_pinned_operator_is_not_merged() {
    for attribute in ["#[core]", "#[pinned]", "#[simd(4)]"] {
        let said = said(&two_maps(attribute), FUSED);
        assert!(said.contains("[pin]") && said.contains("is gone, but not what it computes"), "{said}");
    }
    // With another pinned operator: then that one has more inside than before.
    let second = two_maps("").replace("= map n_1 (b_3)", "= #[core] map n_1 (b_3)");
    let both = two_maps("#[core]").replace("= map n_1 (b_3)", "= #[core] map n_1 (b_3)");
    let fused = FUSED.replace("= map", "= #[core] map");
    assert!(said(&both, &fused).contains("is gone"), "{}", said(&both, &fused));
    assert_eq!(said(&second, &second), "nothing");
}

#[test]
fn a_wish_may_be_refused() {
    assert_eq!(said(&two_maps("#[try(core)]"), FUSED), "nothing");
}

#[test]
fn it_keeps_its_attribute_and_no_other_gets_one() {
    assert!(said(&two_maps("#[core]"), &two_maps("")).contains("has lost its attribute"));
    assert!(said(&two_maps("#[core]"), &two_maps("#[grid]")).contains("is gone"));
    assert!(said(&two_maps(""), &two_maps("#[core]")).contains("was not pinned before"));
}

#[test]
fn one_that_nobody_needs_may_go() {
    let dead =
        "  let b_3: [n_1]i64 = #[core] map n_1 (a_2) \\(x_4: i64) -> { let y_5: i64 = add x_4 1 at 2:2 in y_5 } at 2:1
  let c_6: [n_1]i64 = map n_1 (a_2) \\(z_7: i64) -> { let w_8: i64 = mul z_7 2 at 3:2 in w_8 } at 3:1
  in c_6";
    let rest = "  let c_6: [n_1]i64 = map n_1 (a_2) \\(z_7: i64) -> { let w_8: i64 = mul z_7 2 at 3:2 in w_8 } at 3:1
  in c_6";
    assert_eq!(said(dead, rest), "nothing");
}

/// A pinned map in a loop, or in front of it.
fn in_a_loop(inside: bool) -> String {
    let map =
        "let b_3: [n_1]i64 = #[core] map n_1 (a_2) \\(x_4: i64) -> { let y_5: i64 = add x_4 1 at 2:2 in y_5 } at 2:1";
    let (before, inside) = if inside { ("", map) } else { (map, "") };
    format!(
        "  {before}
  let s_9: i64 = loop (t_10: i64 = 0) for i_11: i64 < n_1 {{
    {inside}
    let e_12: i64 = index b_3[i_11] at 4:2
    let u_13: i64 = add t_10 e_12 at 4:3
    in u_13
  }} at 4:1
  let c_14: [n_1]i64 = replicate [n_1] s_9 at 5:1
  in c_14"
    )
}

#[test]
fn it_is_not_moved_out_of_a_loop_nor_into_one() {
    let (inside, outside) = (in_a_loop(true), in_a_loop(false));
    assert!(said(&inside, &outside).contains("was moved out of a loop"), "{}", said(&inside, &outside));
    assert!(said(&outside, &inside).contains("was moved into a loop"), "{}", said(&outside, &inside));
    assert_eq!(said(&inside, &inside), "nothing");
}

#[test]
fn one_of_several_operators_at_a_place_may_be_gone() {
    let map =
        "let b_3: [n_1]i64 = #[core] map n_1 (a_2) \\(x_4: i64) -> { let y_5: i64 = add x_4 1 at 2:2 in y_5 } at 2:1";
    // Both loops are of one expression; the first is the one around the pin.
    let program = |first: &str, inside: &str| {
        format!(
            "  {first}let s_9: i64 = loop (t_10: i64 = 0) for i_11: i64 < 1 {{
    {inside}
    let e_12: i64 = index b_3[0] at 4:2
    in e_12
  }} at 4:1
  let r_15: i64 = loop (q_16: i64 = s_9) for j_17: i64 < n_1 {{ let v_18: i64 = add q_16 1 at 4:3 in v_18 }} at 4:1
  let c_14: [n_1]i64 = replicate [n_1] r_15 at 5:1
  in c_14"
        )
    };
    let dissolved = format!(
        "  {map}
  let s_9: i64 = index b_3[0] at 4:2
  let r_15: i64 = loop (q_16: i64 = s_9) for j_17: i64 < n_1 {{ let v_18: i64 = add q_16 1 at 4:3 in v_18 }} at 4:1
  let c_14: [n_1]i64 = replicate [n_1] r_15 at 5:1
  in c_14"
    );
    assert_eq!(said(&program("", map), &dissolved), "nothing");
    let outside = program(&format!("{map}\n  "), "");
    assert!(said(&program("", map), &outside).contains("was moved out of a loop"));
}

#[test]
fn two_of_them_stay_in_order() {
    let map = |b: u32, x: u32, place: u32| {
        format!(
            "  let b_{b}: [n_1]i64 = #[core] map n_1 (a_2) \\(x_{x}: i64) -> {{ let y_{0}: i64 = add x_{x} {place} at \
             {place}:2 in y_{0} }} at {place}:1\n",
            x + 1
        )
    };
    let rest = "  let c_20: [n_1]i64 = map n_1 (b_3, b_6) \\(p_21: i64, q_22: i64) -> { let r_23: i64 = add p_21 q_22 at 6:2 in r_23 } at 6:1\n  in c_20";
    let (one, two) = (map(3, 4, 2), map(6, 7, 3));
    let (before, after) = (format!("{one}{two}{rest}"), format!("{two}{one}{rest}"));
    assert!(said(&before, &after).contains("comes before one that it came after"), "{}", said(&before, &after));
}

#[test]
fn what_is_computed_where_it_is_read_may_be_inside() {
    let inner = |attribute: &str| {
        format!(
            "let i_9: [3]i64 = iota 3 : i64 at 2:3
    let y_5: i64 = {attribute} reduce 3 (i_9) (0) \\(p_10: i64, q_11: i64) -> {{ let s_12: i64 = add p_10 q_11 in s_12 }} at 2:2"
        )
    };
    let two = |attribute: &str, inside: &str| {
        format!(
            "  let b_3: [n_1]i64 = {attribute} map n_1 (a_2) \\(x_4: i64) -> {{
    {}
    let v_13: i64 = add x_4 y_5 at 2:4
    in v_13
  }} at 2:1
  let c_6: [n_1]i64 = #[core] map n_1 (b_3) \\(z_7: i64) -> {{ let w_8: i64 = mul z_7 2 at 3:2 in w_8 }} at 3:1
  in c_6",
            inner(inside)
        )
    };
    // As long as nobody has removed the first map, what is in it is inside of both.
    let fused = |attribute: &str, inside: &str| {
        two(attribute, inside).replace(
            "map n_1 (b_3) \\(z_7: i64) -> { let w_8: i64 = mul z_7 2",
            &format!(
                "map n_1 (a_2) \\(x_14: i64) -> {{
    {}
    let z_7: i64 = add x_14 y_16 at 2:4
    let w_8: i64 = mul z_7 2",
                inner(inside)
                    .replace("i_9", "i_15")
                    .replace("y_5", "y_16")
                    .replace("p_10", "p_17")
                    .replace("q_11", "q_18")
                    .replace("s_12", "s_19")
            ),
        )
    };
    for (inside, reason) in [("", "has another operator inside"), ("#[core]", "was moved into a loop or operator")] {
        assert_eq!(said(&two("#[source]", inside), &fused("#[source]", inside)), "nothing");
        let refused = said(&two("", inside), &fused("", inside));
        assert!(refused.contains(reason), "{refused}");
    }
}
