//! The interpreter by heap: checks fail as they do by value. What programs compute by heap, and what is said about
//! wrong uses of memory, is in tests/ir/interp.

use crate::common::heap::{args, results, with};
use kenaz_interp::Kind;
use kenaz_interp::heap::Options;

#[test]
fn checks_fail_as_by_value() {
    let text = "fun f (x_1: i64) : (i64) = {
  let c_2: bool = lt x_1 3
  let c_3: cert = assert c_2 \"{x_1} is too large.\" at a.fut:1:2-3
  let y_4: i64 = <c_3> add x_1 1
  in y_4
}
entry main (x_5: i64) : (i64) = {
  let m_6: mem = alloc host 8
  let y_7: i64 = call f (x_5) at a.fut:9:1-5
  let () = free m_6
  in y_7
}";
    assert_eq!(results(text, "2i64"), "3i64");
    let error = with(text, "5i64", Options::default()).unwrap_err();
    assert_eq!((error.kind, &error.message[..]), (Kind::Assertion, "5 is too large."));
    let trace: Vec<&str> = error.trace.iter().map(|place| place.as_str()).collect();
    assert_eq!(trace, ["a.fut:1:2-3", "a.fut:9:1-5"]);
    let compiled = kenaz_interp::compile(&kenaz_ir::parse::prog(text).unwrap(), kenaz_interp::Options::default());
    // By value it is not run, as memory has no values; but its function is.
    assert_eq!(compiled.run("f", args("5i64")).unwrap_err().message, error.message);
    assert_eq!(with(text, "", Options::default()).unwrap_err().kind, Kind::Arguments);
}
