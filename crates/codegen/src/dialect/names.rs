//! Identifiers of C for the names of the program: as the program has them wherever that is possible.

use kenaz_ir::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// What C, its library and the text of the run-time system mean by a name. Functions of the library that generated
/// code never calls and that programs like to use as names (`index`, `y1`) are not here: hiding them harms nobody.
const RESERVED: &[&str] = &[
    // Keywords, also those of later versions of C and of C++, for those who include a header.
    "alignas",
    "alignof",
    "and",
    "asm",
    "auto",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "constexpr",
    "continue",
    "default",
    "delete",
    "do",
    "double",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "not",
    "nullptr",
    "operator",
    "or",
    "private",
    "protected",
    "public",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typename",
    "typeof",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "while",
    "xor",
    // Macros, and types of the headers.
    "alloca",
    "assert",
    "complex",
    "errno",
    "fpclassify",
    "imaginary",
    "isfinite",
    "isgreater",
    "isgreaterequal",
    "isinf",
    "isless",
    "islessequal",
    "islessgreater",
    "isnan",
    "isnormal",
    "isunordered",
    "linux",
    "major",
    "makedev",
    "minor",
    "offsetof",
    "signbit",
    "size_t",
    "stderr",
    "stdin",
    "stdout",
    "strdupa",
    "unix",
    "va_arg",
    "va_copy",
    "va_end",
    "va_list",
    "va_start",
    "wchar_t",
    // Functions of the library.
    "abort",
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "atexit",
    "atof",
    "atoi",
    "bsearch",
    "calloc",
    "cbrt",
    "ceil",
    "clock",
    "copysign",
    "cos",
    "cosh",
    "div",
    "erf",
    "erfc",
    "exit",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fclose",
    "fdim",
    "feof",
    "fflush",
    "fgetc",
    "fgets",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "fopen",
    "fprintf",
    "fputc",
    "fputs",
    "fread",
    "free",
    "frexp",
    "fscanf",
    "fseek",
    "fwrite",
    "getc",
    "getenv",
    "hypot",
    "isalnum",
    "isalpha",
    "isdigit",
    "isspace",
    "labs",
    "ldexp",
    "lgamma",
    "llabs",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "main",
    "malloc",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "modf",
    "nan",
    "nextafter",
    "perror",
    "pow",
    "printf",
    "putc",
    "putchar",
    "puts",
    "qsort",
    "rand",
    "realloc",
    "remainder",
    "rint",
    "round",
    "scalbn",
    "scanf",
    "setvbuf",
    "sin",
    "sinh",
    "snprintf",
    "sprintf",
    "sqrt",
    "srand",
    "sscanf",
    "strcat",
    "strchr",
    "strcmp",
    "strcpy",
    "strlen",
    "strncmp",
    "strtod",
    "strtof",
    "strtol",
    "strtoll",
    "system",
    "tan",
    "tanh",
    "tgamma",
    "time",
    "tolower",
    "toupper",
    "trunc",
    "ungetc",
    // Names of generated code.
    "ctx",
    "err",
];

/// What the languages of kernels mean by a name, and C does not.
const OF_KERNELS: &[&str] = &[
    "kernel",
    "global",
    "local",
    "constant",
    "generic",
    "pipe",
    "half",
    "uchar",
    "ushort",
    "uint",
    "ulong",
    "read_only",
    "write_only",
    "read_write",
    "bool2",
    "char2",
    "int2",
    "int4",
    "float2",
    "float3",
    "float4",
    "double2",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "warpSize",
    "uniform",
    "event_t",
    "sampler_t",
    "as_int",
    "get_global_id",
    "barrier",
];

/// The primitive types, by which the functions of the run-time system end.
const PRIMS: &[&str] = &["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bool"];

/// The names that are visible at a point of a function.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    /// What each scope has added, the outermost first.
    scopes: Vec<Vec<String>>,
    visible: FxHashSet<String>,
    /// For identifiers the first number that may make them new: those below it are visible. See [`unique`].
    first: FxHashMap<String, usize>,
    of: FxHashMap<Name, String>,
}

impl Scopes {
    pub(crate) fn new() -> Scopes {
        Scopes { scopes: vec![Vec::new()], ..Scopes::default() }
    }

    /// For a kernel, where more words mean something.
    pub(crate) fn of_kernel() -> Scopes {
        let visible = OF_KERNELS.iter().map(|word| word.to_string()).collect();
        Scopes { visible, ..Scopes::new() }
    }

    pub(crate) fn enter(&mut self) {
        self.scopes.push(Vec::new());
    }

    pub(crate) fn leave(&mut self) {
        for name in self.scopes.pop().unwrap_or_default() {
            self.visible.remove(&name);
            // It is itself, or an identifier with a number.
            if let Some((ident, number)) = name.rsplit_once('_')
                && let Ok(number) = number.parse::<usize>()
                && let Some(first) = self.first.get_mut(ident)
            {
                *first = number.min(*first);
            }
            self.first.remove(&name);
        }
    }

    /// An identifier for a name that is declared here.
    pub(crate) fn declare(&mut self, name: Name) -> String {
        let ident = self.fresh(name.base.as_str());
        self.of.insert(name, ident.clone());
        ident
    }

    /// An identifier that looks like a text.
    pub(crate) fn fresh(&mut self, like: &str) -> String {
        let like = identifier(like);
        let (ident, number) = unique(&like, *self.first.get(&like).unwrap_or(&1), |ident| self.visible.contains(ident));
        self.first.insert(like, number + 1);
        self.visible.insert(ident.clone());
        self.scopes.last_mut().expect("a function has a scope").push(ident.clone());
        ident
    }

    /// From now on a name is written in another way.
    pub(crate) fn rename(&mut self, name: Name, text: String) {
        self.of.insert(name, text);
    }

    pub(crate) fn get(&self, name: Name) -> &str {
        self.of.get(&name).unwrap_or_else(|| panic!("`{name}` is used before it is declared"))
    }
}

/// The identifier itself, which is number 1, or followed by the first number that makes it new, from a given one on;
/// and that number.
pub(crate) fn unique(ident: &str, from: usize, is_taken: impl Fn(&str) -> bool) -> (String, usize) {
    let mut candidates = (from..).map(|n| (if n == 1 { ident.to_string() } else { format!("{ident}_{n}") }, n));
    candidates.find(|(candidate, _)| !is_taken(candidate)).expect("there are enough numbers")
}

/// A text as an identifier that means nothing else in generated code.
pub(crate) fn identifier(text: &str) -> String {
    let mut ident = encode(text);
    // Blocks are named after the arrays in them; here the block is all there is.
    if let Some(array) = ident.strip_suffix("_mem")
        && !array.is_empty()
    {
        ident.truncate(array.len());
    }
    // Names in capital letters are those of macros.
    if ident.len() > 1 && !ident.contains(|c: char| c.is_ascii_lowercase()) {
        ident.make_ascii_lowercase();
    }
    if ident.starts_with(|c: char| c.is_ascii_digit()) || ident.starts_with('_') || ident.is_empty() {
        ident.insert(0, 'v');
    }
    let is_foreign = |prefix: &&str| ident.to_ascii_lowercase().starts_with(*prefix);
    let of_runtime = ident.rsplit_once('_').is_some_and(|(_, end)| PRIMS.contains(&end) || end == "t");
    // The functions of parallel loops.
    let of_loop = ["run_", "loop_"].iter().any(is_foreign) && ident.ends_with(|c: char| c.is_ascii_digit());
    if RESERVED.contains(&ident.as_str()) || of_runtime || of_loop || ["kz_", "futhark_", "fun_"].iter().any(is_foreign)
    {
        ident.push('_');
    }
    ident
}

/// The characters of a text that C allows in identifiers, and words for the others.
pub(crate) fn encode(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        let word = match c {
            _ if c.is_ascii_alphanumeric() || c == '_' => {
                out.push(c);
                continue;
            }
            '\'' => "prime",
            '+' => "plus",
            '-' => "minus",
            '*' => "times",
            '/' => "over",
            '%' => "mod",
            '<' => "lt",
            '>' => "gt",
            '=' => "eq",
            '!' => "not",
            '&' => "and",
            '|' => "or",
            '^' => "xor",
            '.' | '$' | '#' | ' ' => "",
            _ => {
                out.push_str(&format!("u{:x}", u32::from(c)));
                continue;
            }
        };
        if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers() {
        let texts =
            ["x", "x'", "xs_mem", "_mem", "NX", "N", "main", "exp", "add_i32", "1", "_x", "a.b", "+", "kz_free", "λ"];
        let found: Vec<String> = texts.iter().map(|text| identifier(text)).collect();
        let wanted = [
            "x", "x_prime", "xs", "v_mem", "nx", "N", "main_", "exp_", "add_i32_", "v1", "v_x", "a_b", "plus",
            "kz_free_", "u3bb",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn names_are_unique_where_they_are_visible() {
        let mut scopes = Scopes::new();
        assert_eq!(scopes.fresh("x"), "x");
        scopes.enter();
        assert_eq!((scopes.fresh("x"), scopes.fresh("y")), ("x_2".to_string(), "y".to_string()));
        scopes.leave();
        assert_eq!((scopes.fresh("y"), scopes.fresh("y")), ("y".to_string(), "y_2".to_string()));
    }

    /// A number that a scope took is free again after it, whatever it was taken for.
    #[test]
    fn numbers_are_the_first_that_are_free() {
        let mut scopes = Scopes::new();
        let mut fresh = |steps: &[&str]| -> Vec<String> {
            let mut found = Vec::new();
            for step in steps {
                match *step {
                    "(" => scopes.enter(),
                    ")" => scopes.leave(),
                    like => found.push(scopes.fresh(like)),
                }
            }
            found
        };
        assert_eq!(fresh(&["x", "x", "(", "x_4", "x", "x", ")"]), ["x", "x_2", "x_4", "x_3", "x_5"]);
        assert_eq!(fresh(&["x", "(", "x", "x", ")", "x"]), ["x_3", "x_4", "x_5", "x_4"]);
        assert_eq!(fresh(&["x_2", "(", "x_2", "x_2_2", ")", "x_2"]), ["x_2_2", "x_2_3", "x_2_2_2", "x_2_3"]);
    }
}
