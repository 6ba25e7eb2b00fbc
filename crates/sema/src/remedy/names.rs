//! Functions and words of other languages that are names here, and unknown ones.

/// What to write for a call of a function that other languages have.
///
/// In a template, `{0}` is the text of the first argument, `{n0}` the same as an `i64`, and `{t}` the type of the first
/// argument, or of its elements.
pub(super) struct Foreign {
    pub names: &'static [&'static str],
    /// A letter for each argument: `a` an array, `s` a number or boolean, `n` an integer, `f` a function, `_` anything.
    pub args: &'static str,
    pub template: &'static str,
}

const fn call(names: &'static [&'static str], args: &'static str, template: &'static str) -> Foreign {
    Foreign { names, args, template }
}

pub(super) const CALLS: &[Foreign] = &[
    call(&["max", "amax"], "a", "{t}.maximum {0}"),
    call(&["min", "amin"], "a", "{t}.minimum {0}"),
    call(&["maximum", "fmax"], "ss", "{t}.max {0} {1}"),
    call(&["minimum", "fmin"], "ss", "{t}.min {0} {1}"),
    call(&["prod"], "a", "{t}.product {0}"),
    call(&["cumsum"], "a", "scan (+) 0 {0}"),
    call(&["cumprod"], "a", "scan (*) 1 {0}"),
    call(&["zeros", "empty"], "n", "replicate {n0} 0"),
    call(&["zeros", "empty"], "nn", "replicate {n0} (replicate {n1} 0)"),
    call(&["ones"], "n", "replicate {n0} 1"),
    call(&["ones"], "nn", "replicate {n0} (replicate {n1} 1)"),
    call(&["full"], "ns", "replicate {n0} {1}"),
    call(&["fill"], "sn", "replicate {n1} {0}"),
    call(&["arange", "range"], "n", "iota {n0}"),
    call(&["arange", "range"], "nn", "{0}..<{1}"),
    call(&["arange", "range"], "nnn", "{0}..{0} + {2}..<{1}"),
    call(&["linspace"], "ssn", "tabulate {n2} (\\i -> {0} + ({1} - {0}) * f64.i64 i / f64.i64 ({n2} - 1))"),
    call(&["eye", "identity"], "n", "tabulate_2d {n0} {n0} (\\i j -> if i == j then 1 else 0)"),
    call(&["len", "size", "numel"], "a", "length {0}"),
    call(&["append", "concatenate", "cat", "vcat", "hcat"], "aa", "{0} ++ {1}"),
    call(&["append", "push", "snoc"], "as", "{0} ++ [{1}]"),
    call(&["cons"], "sa", "[{0}] ++ {1}"),
    call(&["enumerate"], "a", "zip (indices {0}) {0}"),
    call(&["zipWith"], "faa", "map2 {0} {1} {2}"),
    call(&["zipWith3"], "faaa", "map3 {0} {1} {2} {3}"),
    call(&["fold", "fold_left", "foldl'"], "f_a", "foldl {0} {1} {2}"),
    call(&["fold_right"], "f_a", "foldr {0} {1} {2}"),
    call(&["foldl1", "reduce1", "fold1"], "fa", "foldl {0} (head {1}) (tail {1})"),
    call(&["hd", "first"], "a", "head {0}"),
    call(&["tl", "rest"], "a", "tail {0}"),
    call(&["fst"], "_", "{0}.0"),
    call(&["snd"], "_", "{0}.1"),
    call(&["dot", "inner", "vdot"], "aa", "{t}.sum (map2 (*) {0} {1})"),
    call(&["outer"], "aa", "map (\\x -> map (x *) {1}) {0}"),
    call(&["pow", "power"], "ss", "{0} ** {1}"),
    call(&["mod", "fmod"], "ss", "{0} % {1}"),
    call(&["div"], "ss", "{0} / {1}"),
    call(&["square", "sqr"], "s", "{0} * {0}"),
    call(&["clip", "clamp"], "sss", "{t}.min {2} ({t}.max {1} {0})"),
    call(&["ravel"], "a", "flatten {0}"),
    call(&["flip", "reversed", "rev"], "a", "reverse {0}"),
    call(
        &["argmin"],
        "a",
        "(reduce (\\a b -> if a.0 <= b.0 then a else b) ({t}.highest, -1) (zip {0} (indices {0}))).1",
    ),
    call(
        &["argmax"],
        "a",
        "(reduce (\\a b -> if a.0 >= b.0 then a else b) ({t}.lowest, -1) (zip {0} (indices {0}))).1",
    ),
];

/// The name here of a function of numbers.
pub(super) fn alias(name: &str) -> &str {
    match name {
        "absolute" | "fabs" => "abs",
        "ceiling" => "ceil",
        "ln" => "log",
        "arcsin" => "asin",
        "arccos" => "acos",
        "arctan" => "atan",
        "arctan2" => "atan2",
        "sign" | "signum" => "sgn",
        "prod" => "product",
        name => name,
    }
}

/// Whether a name is that of a library whose functions are named like ours or those in [`CALLS`].
pub(super) fn is_library(name: &str) -> bool {
    matches!(name, "np" | "numpy" | "jnp" | "math" | "Math" | "torch" | "tf" | "xp" | "cp" | "std" | "Base")
}

/// What to say about a word wherever it stands, and what to write for it if that is certain.
pub(super) fn word(name: &str) -> Option<(&'static str, Option<&'static str>)> {
    let text = match name {
        "True" | "TRUE" => return Some(("it is written `true`", Some("true"))),
        "False" | "FALSE" => return Some(("it is written `false`", Some("false"))),
        "otherwise" => return Some(("write `true`", Some("true"))),
        "None" | "nil" | "NULL" | "Nothing" | "nullptr" | "undefined" => {
            "there is no null; a value that may be missing has a sum type such as `#some i32 | #none`"
        }
        "Some" | "Just" => "a constructor starts with `#`: `#some x`",
        "lambda" | "fn" | "fun" | "func" | "function" => "a function is written `\\x -> …`",
        "return" => "the value of a function is its body; there is no `return`",
        "print" | "println" | "printf" | "puts" | "putStrLn" | "display" | "disp" | "echo" => {
            "a program gives its result and prints nothing else; `trace x` shows `x` while the program runs"
        }
        "sort" | "sorted" | "sort_by" | "sortBy" | "argsort" | "qsort" | "sort_by_key" => {
            "sorting is part of the package `github.com/diku-dk/sorts`: `radix_sort`, `merge_sort` and others"
        }
        "where" => "elements are chosen one by one: `map3 (\\c x y -> if c then x else y) cs xs ys`",
        "reshape" => "dimensions are joined by `flatten` and split by `unflatten`",
        "matmul" | "mm" | "dgemm" => {
            "a product of matrices: `map (\\row -> map (\\col -> f64.sum (map2 (*) row col)) (transpose b)) a`"
        }
        "argmin" | "argmax" => "reduce pairs of an element and its index: `zip xs (indices xs)`",
        "mean" | "average" | "avg" => "divide the sum by the number of elements: `f64.sum xs / f64.i64 (length xs)`",
        "end" => "nothing is closed by `end`; the last index of an array `a` is `length a - 1`",
        "begin" => "there are no blocks; expressions are grouped by parentheses",
        "fromIntegral" | "realToFrac" | "convert" | "astype" => {
            "a conversion is named by both types, that of the result first: `f64.i32 x`"
        }
        "grad" | "gradient" => "the derivative of `f` at `x` is `vjp f x 1`",
        "raise" | "throw" | "error" | "panic" => "a program stops with an error if a condition fails: `assert c e`",
        "this" | "self" => "there are no objects; a function takes all it needs as arguments",
        "unique" | "groupby" | "group_by" => "sort the array first; packages have such functions",
        "zeros" | "ones" | "empty" | "full" => "an array of equal elements is made by `replicate n x`",
        "range" | "arange" => "the numbers from 0 up to, but without, `n` are `iota n` or `0..<n`",
        "linspace" => "an array is made from the indices of its elements by `tabulate n f`",
        "len" => "the number of elements of an array `xs` is `length xs`",
        _ => return None,
    };
    Some((text, None))
}

/// What to write for an operator of another language.
pub(super) fn operator(op: &str) -> Option<(String, Option<&'static str>)> {
    if let Some(new) = kenaz_syntax::foreign::operator(op) {
        return Some((format!("it is written `{new}`"), Some(new)));
    }
    if kenaz_syntax::foreign::assigned_operator(op).is_some() {
        return Some(("names cannot be changed; bind a new one: `let x = x + 1 in …`".to_string(), None));
    }
    let text = match op {
        "=>" => "a function is written `\\x -> …`",
        "<-" => "an array is made from another one by `map f xs`, and a name is bound by `let x = e in …`",
        ">>>" => "`>>` fills with zeros if the number has an unsigned type",
        "!!" => "an element of an array is `xs[i]`",
        "<$>" => "a function is applied to all elements of an array by `map f xs`",
        ".." => "a range is written `a..<b` or `a...b`",
        "/*" | "*/" => "a comment starts with `--`",
        _ => return None,
    };
    Some((text.to_string(), None))
}

/// Operators that bind names in other languages: nothing is known of the names in their operands.
pub(crate) fn binds_names(op: &str) -> bool {
    matches!(op, "=>" | "<-" | "/*" | "*/")
}
