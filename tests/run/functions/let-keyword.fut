-- Top-level definitions with the deprecated let.
-- ==
-- input { 4 } output { 12 }

let three = 3i32
let times (x: i32): i32 = x * three
let main (x: i32): i32 = times x
