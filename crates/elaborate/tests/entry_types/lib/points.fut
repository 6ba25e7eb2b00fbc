-- Types that another file mentions by two names.
type lib_point = {x: i32, y: i32}
type lib_wrap = {p: lib_point}
module inner = { type q = {f: lib_point} }
