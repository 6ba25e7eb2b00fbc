//! Programs that are long, or whose operators are left to later passes.

#[test]
fn derivatives_are_operators() {
    let source = "def slope f (x: f64) = jvp f x 1\nentry main (xs: []f64) = (map (slope (\\x -> x * x)) xs, vjp f64.sum xs 1)\n";
    let prog = crate::common::lowered(source).to_string();
    assert!(prog.contains("jvp \\(x") && prog.contains("vjp \\(x"), "{prog}");
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
