-- expect: unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-name, unknown-field, unknown-field, unknown-field, unknown-field, unknown-field, unknown-name
-- Functions of NumPy, MATLAB, Haskell and Julia.
def total (xs: []f64) = sum xs

def most (xs: []f64) = max xs

def greater (x: f64) (y: f64) = max x y

def average (xs: []f64) = mean xs

def counted (xs: []f64) = len(xs)

def none (n: i64): []f64 = zeros n

def nothing (n: i64) (m: i64): [][]f64 = np.zeros((n, m))

def all_ones (n: i32): []f64 = ones(n)

def up_to (n: i64) = range(n)

def from_to (n: i64) = map (\i -> i * i) (range 2 n)

def numbers (n: i64) = np.arange(n)

def grid (n: i64): []f64 = linspace 0 1 n

def diagonal (n: i64): [][]f64 = eye n

def smallest (xs: []f64) = argmin xs

def largest (xs: []f64) = f64.argmax xs

def power (x: f64) = f64.pow x 2

def root (x: f64) = math.sqrt(x)

def int_root (x: i32) = sqrt x

def roots (xs: []f64) = sqrt xs

def circle (x: f64) = x * np.pi

def sums (xs: []f64) = cumsum xs

def joined (xs: []f64) = concatenate xs xs

def numbered (xs: []f64) = enumerate xs

def added [n] (xs: [n]i32) (ys: [n]i32) = zipWith (+) xs ys

def folded (xs: []i32) = fold (+) 0 xs

def left (p: (i32, i32)) = fst p

def product [n] (xs: [n]f64) (ys: [n]f64) = dot xs ys

def length_of (xs: []i32) = xs.length

def turned (xs: [][]i32) = xs.T

def mapped (xs: []i32) = xs.map(\x -> x + 1)

def summed (xs: []i32) = xs.sum()

def composed (xs: []i32) = (i32.sum . map (+1)) xs

def returned (x: i32) = return x
