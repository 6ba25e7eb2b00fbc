-- expect: self-aliasing-argument
entry main (xs: *[]i64) : []i64 = scatter xs xs xs
