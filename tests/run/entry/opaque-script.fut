-- Opaque values that go from one entry point to another through a script.
-- ==
-- entry: total
-- script input { make 3i64 } output { 3i64 }
-- script input { make 0i64 } output { 0i64 }

type state = {count: i64, items: [4]i64, tag: (bool, i32)}
entry make (n: i64): state = {count = n, items = iota 4, tag = (true, 1)}
entry total (s: state): i64 = s.count * i64.i32 s.tag.1 + s.items[0]
