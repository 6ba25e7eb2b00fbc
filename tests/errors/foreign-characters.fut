-- expect: unknown-character, unknown-character
-- Characters without a meaning here.
def sum (xs: []i32) = i32.sum $ map (+1) xs

def answer = 42i32 # the answer
