//! Derivatives agree with differences of values, with each other, and with themselves when they are derived again.
//!
//! A *layer* is a function from vectors to vectors of the same size in which one construct of the language has to be
//! derived. Each is tried alone, and random ones after each other:
//!
//! - forward mode against central differences;
//! - reverse mode against forward mode: `s · (J d) = (Jᵀ s) · d`;
//! - second derivatives, which are symmetric: forward and reverse mode over reverse mode are the same.

use kenaz_base::{MemoryFileSystem, rng::Rng};
use kenaz_driver::{Compiler, Selection, Settings, function};
use kenaz_interp::{Compiled, Environment, Options, compile};
use kenaz_ir::{Stage, target};
use kenaz_runtime::Value;
use std::path::Path;

/// Functions that layers use.
const COMMON: &str = "
#[noinline] def product_of (x: f64) (y: f64) = x * y + f64.sin x
#[noinline] def scaled [n] (k: f64) (xs: [n]f64) : [n]f64 = map (\\x -> x * k + k * k) xs
#[noinline] def cleared [n] (xs: *[n]f64) (k: f64) : *[n]f64 = if n > 0 then xs with [0] = k * xs[0] * xs[n-1] else xs
def product [a][b][c] (x: [a][b]f64) (y: [b][c]f64) = map (\\r -> map (\\s -> f64.sum (map2 (*) r s)) (transpose y)) x
type shape = #round f64 | #square f64 f64
def area (s: shape) = match s case #round r -> 3 * r * r case #square a b -> a * b
";

/// For vectors of any size, with elements between 0.5 and 1.5.
const LAYERS: &[(&str, &str)] = &[
    ("arithmetic", "map (\\x -> x*x - 1/x + (-x) * f64.sin x) xs"),
    ("quotient", "map (\\x -> f64.exp (x/3) / (1+x*x)) xs"),
    ("roots and powers", "map (\\x -> x ** 3 + x ** 1.5 + 2 ** x + f64.sqrt x + f64.log x + f64.cbrt x) xs"),
    ("logarithms", "map (\\x -> f64.log2 x + f64.log10 x + f64.log1p x + f64.rsqrt x) xs"),
    ("angles", "map (\\x -> f64.tan (x/2) + f64.atan x + f64.asin (x/2) + f64.acos (x/2) + f64.atan2 x 2) xs"),
    (
        "hyperbolic",
        "map (\\x -> f64.sinh x + f64.cosh x * f64.tanh x + f64.asinh x + f64.acosh (1+x) + f64.atanh (x/2)) xs",
    ),
    (
        "other functions",
        "map (\\x -> f64.gamma x + f64.lgamma x + f64.erf x * f64.erfc x + f64.hypot x 3 + f64.fma x x x) xs",
    ),
    ("pieces", "map (\\x -> (x % 0.7) + f64.abs (x-1.01) + f64.max x (2.03-x) * f64.min x 1.07) xs"),
    ("copysign", "map (\\x -> f64.copysign x (1.02-x) * f64.ldexp x 3i32) xs"),
    ("branch in a map", "map (\\x -> if x > 1.01 then x*x else 2*x*x*x) xs"),
    ("branch around maps", "if n > 0 && xs[0] > 1.01 then map (*xs[0]) xs else map (\\x -> x*x) (reverse xs)"),
    ("match", "map (\\x -> area (if x > 1.01 then #round x else #square x (x*x))) xs"),
    ("array from outside as it is", "map (\\x -> f64.sum (map (\\y -> x*y*y) xs)) xs"),
    ("array from outside by index", "map (\\i -> xs[i] * xs[n-1-i]) (iota n)"),
    (
        "array from outside in rows",
        "let m = map (\\x -> [x, x*x, 2]) xs in map (\\i -> f64.sum (map2 (*) m[i] m[n-1-i])) (iota n)",
    ),
    ("scalar from outside", "let s = f64.sum xs in map (\\x -> x * s + s * s) xs"),
    (
        "array of a map in a map",
        "map (\\x -> let ys = map (*x) xs in f64.sum (map (\\i -> ys[i] * ys[n-1-i]) (iota n))) xs",
    ),
    ("product of matrices", "let m = map (\\x -> map (\\y -> x + y*y) xs) xs in map f64.sum (product m (product m m))"),
    ("sums", "scan (+) 0 (map (\\x -> x*x) xs)"),
    ("products", "scan (*) 1 xs"),
    ("greatest so far", "scan f64.max (-1000) (map (\\x -> x*x) xs)"),
    ("general scan", "scan (\\a b -> a + b + a*b) 0 xs"),
    ("general scan from outside", "if n > 0 then scan (\\a b -> a + b + a*b*xs[0]) 0 xs else xs"),
    (
        "linear recurrence",
        "let (a, b) = unzip (scan (\\(a1,b1) (a2,b2) -> (a2 + b2*a1, b1*b2)) (0,1) (zip xs (map f64.cos xs))) in map2 (+) a b",
    ),
    ("scan of columns", "map f64.sum (scan (map2 (*)) [1,1] (map (\\x -> [x, x*x]) xs))"),
    (
        "scan of matrices",
        "map (\\m -> m[0,1] + m[1,0]) (scan product [[1,0],[0,1]] (map (\\x -> [[x, 1], [0.5, x*x]]) xs))",
    ),
    ("product of all", "let s = f64.product xs in map (/(1+s)) xs"),
    ("least and greatest", "let (a, b) = (f64.minimum xs, f64.maximum xs) in map (\\x -> x * a + b * b) xs"),
    ("general reduce", "let r = reduce (\\a b -> a + b + a*b) 0 xs in map (*r) xs"),
    (
        "general reduce from outside",
        "if n > 0 then let r = reduce (\\a b -> a + b + a*b*xs[0]) 0 xs in map (*r) xs else xs",
    ),
    (
        "reduce of pairs",
        "let (a, b) = reduce (\\(a1,b1) (a2,b2) -> (a2 + b2*a1, b1*b2)) (0,1) (zip xs xs) in map (\\x -> x*a+b) xs",
    ),
    (
        "reduce of columns",
        "let r = reduce (map2 (*)) [1,1] (map (\\x -> [x, x*x]) xs) in map (\\x -> x*r[0] + r[1]) xs",
    ),
    (
        "reduce of matrices",
        "let r = reduce product [[1,0],[0,1]] (map (\\x -> [[x, 1], [0.5, x*x]]) xs) in map (\\x -> x*r[0,1]+r[1,1]) xs",
    ),
    ("loop", "loop ys = xs for i < 3i32 do map2 (\\y x -> y * x + f64.i32 i) ys xs"),
    ("loop in place", "loop ys = copy xs for i < n do ys with [i] = ys[i] * ys[(i+1) % n]"),
    (
        "loop in place, twice",
        "loop ys = copy xs for i < n do let zs = ys with [i] = ys[i] * xs[0] in zs with [(i+1)%n] = zs[i] + zs[0] * zs[0]",
    ),
    (
        "loop of scalars",
        "map (\\x -> loop a = x for i < 3 do loop b = a for j < 2 do b * f64.cos b + f64.i64 (i+j)) xs",
    ),
    ("loop split", "#[stripmine(2)] loop ys = xs for i < 7i64 do map (\\y -> f64.sin y + 0.5*y) ys"),
    (
        "loop while",
        "let (_, ys) = loop (i, ys) = (0i32, xs) while i < 4 do (i+1, map (\\y -> f64.sin (y + f64.i32 i)) ys) in ys",
    ),
    ("loop while, no iteration", "loop ys = xs while false do map (*2) ys"),
    (
        "loop and branch",
        "loop ys = xs for i < 4i32 do if i % 2 == 0 then map (\\y -> y*y) ys else map (\\y -> y + 1) ys",
    ),
    (
        "loop with two arrays",
        "let (a, b) = loop (a, b) = (xs, map (*2) xs) for i < 3i32 do (b, map2 (*) a b) in map2 (+) a b",
    ),
    ("scatter", "scatter (map (\\x -> x*x) xs) (map (\\i -> 2 * i) (iota n)) (map (*2) xs)"),
    ("histogram of sums", "hist_of (+) 0 xs"),
    ("histogram of products", "hist_of (*) 1 xs"),
    ("histogram of products with zeros", "hist_of (*) 1 (map (\\x -> if x > 1.2 then 0 else x) xs)"),
    ("histogram of maxima", "hist_of f64.max (-1000) xs"),
    ("histogram of minima", "hist_of f64.min 1000 xs"),
    ("histogram in general", "hist_of (\\a b -> a + b + a*b) 0 xs"),
    (
        "histogram of columns",
        "map f64.sum (reduce_by_index (map (\\x -> [x,x*x]) xs) (map2 (*)) [1,1] (map (\\i -> i % 2) (iota n)) (map (\\x -> [x*x,x]) xs))",
    ),
    (
        "products with a zero",
        "let zs = map2 (\\i x -> if i == 0 then 0 * x else x) (iota n) xs in map (* reduce (*) 1 zs) (map2 (+) xs zs)",
    ),
    ("filter", "let ys = filter (> 1.01) xs in map (\\x -> x * f64.sum ys) xs"),
    ("partition", "let (a, b) = partition (> 1.01) xs in map (\\x -> x * f64.sum a * f64.product b) xs"),
    ("transpose and flatten", "take n (flatten (transpose (map (\\x -> [x, x*x]) xs)))"),
    ("rotate and concat", "let ys = rotate 1 xs in map2 (*) (take n (concat ys xs)) (drop n (concat ys xs) :> [n]f64)"),
    ("replicate", "map f64.product (transpose (replicate 3 (map (\\x -> x*x) xs)))"),
    ("array literal", "map (\\x -> let a = [x, x*x, 1] in f64.sum (map2 (*) a (reverse a))) xs"),
    ("every other", "let m = xs[::2] in map (\\x -> x * f64.sum m) xs"),
    ("update of a slice", "if n > 2 then (let ys = copy xs in ys with [1:3] = map (*2) xs[0:2]) else xs"),
    ("calls", "scaled (product_of 2 (f64.sum xs)) (cleared (copy xs) 3)"),
    ("calls in maps", "map (\\x -> product_of x (product_of x 2)) xs"),
    ("derivative of a gradient", "vjp (\\ys -> f64.sum (map (\\y -> y*y*y) ys)) xs 1"),
    ("derivative of a derivative", "jvp (\\ys -> map (* f64.sum ys) ys) xs (map (*2) xs)"),
];

fn program(layers: &[&str]) -> String {
    let mut text = String::from(COMMON);
    text.push_str(
        "def hist_of [n] (op: f64 -> f64 -> f64) (ne: f64) (xs: [n]f64) : [n]f64 =
  reduce_by_index (map (\\x -> x + 0.3) xs) op ne (map (\\i -> (i * 3) % 4 - 1) (iota n)) (map (\\x -> x*x) xs)\n",
    );
    for (i, layer) in layers.iter().enumerate() {
        text.push_str(&format!("def layer{i} [n] (xs: [n]f64) : [n]f64 = {layer}\n"));
    }
    let all: Vec<String> = (0..layers.len()).map(|i| format!("layer{i}")).collect();
    text.push_str(&format!("def f [n] (xs: [n]f64) : [n]f64 = xs |> {}\n", all.join(" |> ")));
    text.push_str(
        "entry value [n] (xs: [n]f64) = f xs
entry forward [n] (xs: [n]f64) (d: [n]f64) = jvp f xs d
entry back [n] (xs: [n]f64) (s: [n]f64) = vjp f xs s
entry both [n] (xs: [n]f64) (s: [n]f64) = (vjp2 f xs s).0
entry forward_back [n] (xs: [n]f64) (s: [n]f64) (d: [n]f64) = jvp (\\x -> vjp f x s) xs d
entry back_back [n] (xs: [n]f64) (s: [n]f64) (d: [n]f64) = vjp (\\x -> vjp f x s) xs d
",
    );
    text
}

struct Prepared(Compiled);

impl Prepared {
    fn new(text: &str, optimise: bool) -> Result<Prepared, String> {
        let files = MemoryFileSystem::new().with("main.fut", text.to_string());
        let mut settings = Settings { check_passes: true, ..Settings::default() };
        settings.selection = Selection { optimise, ..Selection::default() };
        let compiler = Compiler::new(&files, &target::C).with(settings);
        let compilation = compiler.to(Path::new("main.fut"), Stage::Array).map_err(|error| error.to_string())?;
        compilation.check().map_err(|error| error.to_string())?;
        Ok(Prepared(compile(&compilation.prog, Options::default())))
    }

    fn run(&self, entry: &str, args: &[&[f64]]) -> Result<Vec<f64>, String> {
        let args = args.iter().map(|xs| Value::vector(xs.to_vec())).collect();
        let results = self.0.run_entry(&function(entry), args, &mut Environment::default());
        let results = results.map_err(|error| format!("{entry}: {}", error.message))?;
        results[0].elements().map(<[f64]>::to_vec).ok_or_else(|| format!("{entry} yields something else"))
    }
}

fn dot(xs: &[f64], ys: &[f64]) -> f64 {
    xs.iter().zip(ys).map(|(x, y)| x * y).sum()
}

fn agree(what: &str, xs: &[f64], ys: &[f64], tolerance: f64) -> Result<(), String> {
    let size = xs.iter().chain(ys).fold(1e-3f64, |most, x| most.max(x.abs()));
    let close = |(x, y): (&f64, &f64)| (x - y).abs() <= tolerance * size;
    if xs.len() == ys.len() && xs.iter().zip(ys).all(close) {
        Ok(())
    } else {
        Err(format!("{what}: {xs:?} and {ys:?}"))
    }
}

/// Compares all derivatives of a program at a random point.
fn compare(prepared: &Prepared, n: usize, rng: &mut Rng) -> Result<(), String> {
    let mut random = |low: f64, high: f64| -> Vec<f64> { (0..n).map(|_| low + (high - low) * rng.unit()).collect() };
    let (x, d, s) = (random(0.5, 1.5), random(-1.0, 1.0), random(-1.0, 1.0));
    const STEP: f64 = 1e-5;
    let value_at = |by: f64| {
        let moved: Vec<f64> = x.iter().zip(&d).map(|(x, d)| x + by * d).collect();
        prepared.run("value", &[&moved])
    };
    let slope = |step: f64| -> Result<Vec<f64>, String> {
        let (up, down) = (value_at(step)?, value_at(-step)?);
        Ok(up.iter().zip(&down).map(|(a, b)| (a - b) / (2.0 * step)).collect())
    };
    // Of two steps, so that the curvature of the slope does not matter.
    let (wide, narrow) = (slope(2.0 * STEP)?, slope(STEP)?);
    let difference: Vec<f64> = wide.iter().zip(&narrow).map(|(wide, narrow)| (4.0 * narrow - wide) / 3.0).collect();
    let forward = prepared.run("forward", &[&x, &d])?;
    agree("differences and forward mode", &difference, &forward, 1e-6)?;
    let back = prepared.run("back", &[&x, &s])?;
    agree("forward and reverse mode", &[dot(&s, &forward)], &[dot(&back, &d)], 1e-9)?;
    agree("values", &prepared.run("value", &[&x])?, &prepared.run("both", &[&x, &s])?, 1e-12)?;
    let over = prepared.run("forward_back", &[&x, &s, &d])?;
    agree("second derivatives", &over, &prepared.run("back_back", &[&x, &s, &d])?, 1e-9)?;
    // Nothing is invented for adjoints and changes that are zero.
    let nothing = vec![0.0; n];
    agree("zero, forward", &nothing, &prepared.run("forward", &[&x, &nothing])?, 0.0)?;
    agree("zero, reverse", &nothing, &prepared.run("back", &[&x, &nothing])?, 0.0)
}

#[test]
fn every_layer_agrees_with_differences() {
    let mut wrong = Vec::new();
    for (seed, (name, layer)) in (0..).zip(LAYERS) {
        let text = program(&[layer]);
        for optimise in [false, true] {
            let mut rng = Rng::new(seed);
            let found = Prepared::new(&text, optimise).and_then(|prepared| {
                [5, 4, 1, 0].iter().try_for_each(|n| {
                    compare(&prepared, *n, &mut rng).map_err(|problem| format!("{n} elements: {problem}"))
                })
            });
            if let Err(problem) = found {
                wrong.push(format!("{name}{}: {problem}", if optimise { " (optimised)" } else { "" }));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), LAYERS.len(), wrong.join("\n"));
}

#[test]
fn layers_after_each_other_agree_with_differences() {
    for seed in 0..25 {
        let mut rng = Rng::new(seed);
        // Values stay where every layer is defined and flat enough for differences.
        let calm = "map (\\x -> 1 + 0.45 * x / (1 + f64.abs x)) xs";
        let mut layers = Vec::new();
        for _ in 0..3 {
            layers.push(rng.pick(LAYERS).map_or("xs", |(_, layer)| *layer));
            layers.push(calm);
        }
        let text = program(&layers);
        let found = Prepared::new(&text, true).and_then(|prepared| compare(&prepared, 5, &mut rng));
        if let Err(problem) = found {
            panic!("seed {seed}: {problem}\n{text}");
        }
    }
}
