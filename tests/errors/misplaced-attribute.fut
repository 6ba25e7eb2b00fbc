-- expect: misplaced-attribute, misplaced-attribute
#[grid]
def twice [n] (xs: [n]f32) = map (* 2) xs

entry main [n] (#[shared] xs: [n]f32) = twice xs
