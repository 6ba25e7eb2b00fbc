-- Operators bind by the longest built-in operator that their name starts with.
def sum a b c = a +^ b *. c
def compare a b = a + 1 <= b || !(a == b)
def pipe xs = xs |> map (* 2) |> reduce (+) 0
def apply f x = f <| x + 1
def element a i = a[i] + f a [i]
