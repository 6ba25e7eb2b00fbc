-- expect: unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token, unexpected-token
-- Anonymous functions of other languages.
def arrow (xs: []i32) = map (x -> x + 1) xs

def two (xs: []i32) = reduce (x y -> x + y) 0 xs

def pair (xs: [](i32, i32)) = map ((x, y) -> x + y) xs

def python (xs: []i32) = map (lambda x: x + 1) xs

def python_two (xs: []i32) = reduce (lambda x, y: x + y) 0 xs

def fat (xs: []i32) = map (\x => x + 1) xs

def dotted (xs: []i32) = map (\x. x + 1) xs

def commas (xs: []i32) = reduce (\x, y -> x + y) 0 xs
