//! What is not supported is reported where the user wrote it.

use crate::common::limitation;

#[test]
fn derivatives() {
    let source = "def f (x: f64) = x * x\n\nentry main (x: f64) = 1 + vjp f x 1\n";
    assert_eq!(limitation(source), "vjp f x 1");
    assert_eq!(limitation("entry main (x: f64) = jvp (\\y -> y * y) x 1\n"), "jvp (\\y -> y * y) x 1");
}

#[test]
fn derivatives_inside_other_functions() {
    let source = "def slope f (x: f64) = jvp f x 1\nentry main (xs: []f64) = map (slope (\\x -> x * x)) xs\n";
    assert_eq!(limitation(source), "jvp f x 1");
}

#[test]
fn long_bodies_are_elaborated() {
    let mut source = String::from("entry main (n: i64) (xs: *[]i64) =\n  let xs_0 = xs with [0] = n\n");
    for i in 1..2000 {
        source.push_str(&format!("  let xs_{i} = xs_{} with [{}] = xs_{}[0] + n\n", i - 1, i % 7, i - 1));
    }
    source.push_str("  in xs_1999\n");
    let prog = crate::common::lowered(&source).to_string();
    assert!(!prog.contains("copy"), "every array is used for the last time where it is updated");
}
