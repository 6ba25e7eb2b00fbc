-- expect: nothing-to-run, nothing-to-run, nothing-to-run
def half (x: f32) = x / 2

entry scalar (x: f32) = #[core] (x + 1)
entry call (x: f32) = #[grid] half x
entry a_loop (n: i64) = #[core] loop x = 0 for i < n do x + i
