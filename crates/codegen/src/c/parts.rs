//! The text of rts/, which is part of the compiler, and which parts of it a program needs.

use kenaz_ir::{Level, Target};

/// A file of rts/, in the order in which they stand in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Base,
    Integer,
    Bits,
    Real,
    Convert,
    Half,
    Threads,
    Context,
    Memory,
    Stream,
    Copy,
    Values,
    Api,
    Print,
    Binary,
    Opaque,
    Parallel,
    Copies,
    Text,
    Program,
    Main,
    Server,
    Module,
}

impl Part {
    #[cfg(test)]
    const ALL: &[Part] = &[
        Part::Base,
        Part::Integer,
        Part::Bits,
        Part::Real,
        Part::Convert,
        Part::Half,
        Part::Threads,
        Part::Context,
        Part::Memory,
        Part::Stream,
        Part::Copy,
        Part::Values,
        Part::Api,
        Part::Print,
        Part::Binary,
        Part::Opaque,
        Part::Parallel,
        Part::Copies,
        Part::Text,
        Part::Program,
        Part::Main,
        Part::Server,
        Part::Module,
    ];

    pub fn text(self) -> &'static str {
        macro_rules! rts {
            ($file:literal) => {
                include_str!(concat!("../../../../rts/", $file))
            };
        }
        match self {
            Part::Base => rts!("base.h"),
            Part::Integer => rts!("integer.h"),
            Part::Bits => rts!("bits.h"),
            Part::Real => rts!("real.h"),
            Part::Convert => rts!("convert.h"),
            Part::Half => rts!("half.h"),
            Part::Threads => rts!("threads.h"),
            Part::Context => rts!("context.h"),
            Part::Memory => rts!("memory.h"),
            Part::Stream => rts!("stream.h"),
            Part::Copy => rts!("copy.h"),
            Part::Values => rts!("values.h"),
            Part::Api => rts!("api.h"),
            Part::Print => rts!("print.h"),
            Part::Binary => rts!("binary.h"),
            Part::Opaque => rts!("opaque.h"),
            Part::Parallel => rts!("parallel.h"),
            Part::Copies => rts!("copies.h"),
            Part::Text => rts!("text.h"),
            Part::Program => rts!("program.h"),
            Part::Main => rts!("main.h"),
            Part::Server => rts!("server.h"),
            Part::Module => rts!("module.h"),
        }
    }
}

impl Part {
    /// As it stands in a program, under its name alone: what else the first lines say is for those who put parts together.
    pub fn section(self, target: &Target) -> String {
        let text = self.text();
        let title = text.split_once(':').map_or("", |(title, _)| title);
        let lines = text.lines().skip_while(|line| line.starts_with("//") || line.is_empty());
        let body: String = for_target(lines, target).map(|line| format!("{line}\n")).collect();
        format!("{title}\n{body}\n")
    }
}

/// The lines that are left of `#ifdef KZ_MULTICORE … #else … #endif`, which have no other conditions inside.
fn for_target<'a>(lines: impl Iterator<Item = &'a str>, target: &Target) -> impl Iterator<Item = &'a str> {
    // Whether we are in one, and whether its lines stay.
    let mut inside = None;
    lines.filter(move |line| match (*line, inside) {
        ("#ifdef KZ_MULTICORE", _) => {
            inside = Some(target.runs(Level::Core));
            false
        }
        ("#else", Some(stays)) => {
            inside = Some(!stays);
            false
        }
        ("#endif", Some(_)) => {
            inside = None;
            false
        }
        (_, stays) => stays.unwrap_or(true),
    })
}

/// What a compiler is told about loops.
pub const HINTS: &str = r#"// The iterations of the loop that follows do not depend on each other; they are the lanes of vectors; all of them should be
// written out.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define KZ_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define KZ_LANES
#define KZ_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define KZ_INDEPENDENT _Pragma("GCC ivdep")
// GCC unrolls short loops before it looks for vectors, and then it does not find all of them.
#define KZ_LANES _Pragma("GCC unroll 1")
#define KZ_UNROLL _Pragma("GCC unroll 8")
#else
#define KZ_INDEPENDENT
#define KZ_LANES
#define KZ_UNROLL
#endif

"#;

/// What a compiler is told about loops that are not worth vectors.
pub const FEW: &str = r#"// The loop around this has few iterations, and no vectors are to be made of them.
#if defined(__GNUC__)
#define KZ_ONE_BY_ONE __asm__ volatile("");
#else
#define KZ_ONE_BY_ONE
#endif

"#;

/// The parts that come before a program, given those that it needs in any case and those behind it.
pub fn needed(before: &[Part], after: &[Part], program: &str, target: &Target) -> Vec<Part> {
    let mut parts = vec![Part::Base, Part::Context, Part::Memory, Part::Values];
    if target.runs(Level::Core) {
        parts.push(Part::Threads);
    }
    parts.extend(before);
    // Other parts cope without numbers of half precision.
    if ["kz_f16", "_f16(", "KZ_F16"].iter().any(|word| program.contains(word)) {
        parts.extend([Part::Half, Part::Real, Part::Convert]);
    }
    for part in OPTIONAL {
        let is_used = |text: &str| calls(text).any(|name| part.provides(name));
        if is_used(program) || parts.iter().chain(after).any(|other| is_used(other.text())) {
            parts.push(*part);
        }
    }
    parts.sort();
    parts.dedup();
    parts
}

/// The parts that are there only if something of them is used, each behind those that use it.
const OPTIONAL: &[Part] =
    &[Part::Copies, Part::Parallel, Part::Copy, Part::Stream, Part::Convert, Part::Real, Part::Bits, Part::Integer];

impl Part {
    /// Whether an optional part defines a function.
    fn provides(self, function: &str) -> bool {
        if function.starts_with("kz_") {
            return match self {
                Part::Stream => function.starts_with("kz_stream"),
                Part::Copy => matches!(function, "kz_copy" | "kz_copy_plan"),
                Part::Parallel => matches!(function, "kz_chunks" | "kz_parallel"),
                Part::Copies => matches!(function, "kz_copy_on_threads" | "kz_memcpy_on_threads"),
                _ => false,
            };
        }
        let Some((operation, prim)) = function.rsplit_once('_') else { return false };
        // Those from and to f16 are in `half.h`.
        let is_conversion = operation.ends_with("_to");
        let is_half = operation.starts_with("f16") || prim == "f16";
        let is_bits = matches!(operation, "popc" | "clz" | "ctz" | "mul_hi");
        let is_real = matches!(prim, "f32" | "f64");
        let is_integer = matches!(prim, "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "bool");
        match self {
            Part::Convert => is_conversion && !is_half && (is_real || is_integer),
            Part::Bits => is_bits && is_integer,
            Part::Real => is_real && !is_conversion,
            Part::Integer => is_integer && !is_conversion && !is_bits,
            _ => false,
        }
    }
}

/// The names in front of parentheses.
fn calls(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('(').map(|(end, _)| {
        let before = &text[..end];
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        before.rfind(|c| !is_name(c)).map_or(before, |start| &before[start + 1..])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_ir::target::{C, MULTICORE};

    #[test]
    fn only_what_is_used() {
        let all = |program: &str| needed(&[], &[], program, &C);
        assert_eq!(all(""), [Part::Base, Part::Context, Part::Memory, Part::Values]);
        let threaded = |program: &str| needed(&[Part::Print], &[Part::Main], program, &MULTICORE);
        let least = [Part::Base, Part::Threads, Part::Context, Part::Memory, Part::Values, Part::Print];
        assert_eq!(threaded(""), least);
        assert_eq!(threaded("kz_parallel(ctx, run_f_1, NULL, n, chunks);"), [&least[..], &[Part::Parallel]].concat());
        assert!(all("x = add_i32(y, 1);").contains(&Part::Integer));
        assert!(all("x = min_f64(y, 1) + sqrt_f64(2);").contains(&Part::Real));
        assert!(all("x = f64_to_i32(y);").contains(&Part::Convert));
        assert!(!all("x = f64_to_i32(y);").contains(&Part::Integer));
        assert!(all("x = mul_hi_u8(y, z);").contains(&Part::Bits));
        assert!([Part::Stream, Part::Copy].iter().all(|part| all("kz_copy(4, 2, a, b, c, d, e);").contains(part)));
        let copies = threaded("kz_memcpy_on_threads(ctx, a, b, n);");
        assert!([Part::Stream, Part::Copy, Part::Parallel, Part::Copies].iter().all(|part| copies.contains(part)));
        assert!(!all("kz_stream(a, b, n);").contains(&Part::Copy));
        assert!([Part::Half, Part::Real, Part::Convert].iter().all(|part| all("kz_f16 x;").contains(part)));
    }

    #[test]
    fn what_is_for_several_cores_is_nowhere_else() {
        for part in Part::ALL {
            let [one, many] = [&C, &MULTICORE].map(|target| part.section(target));
            assert!(!one.contains("KZ_MULTICORE") && !many.contains("KZ_MULTICORE"), "{part:?}");
            let words = ["omp_", "omp.h", "pragma omp", "num_threads", "is_parallel", "KZ_MOST_THREADS"];
            let is_for_many = [Part::Threads, Part::Parallel, Part::Copies].contains(part);
            assert!(is_for_many || !words.iter().any(|word| one.contains(word)), "{part:?}");
            let conditions = |text: &str| (text.matches("\n#if").count(), text.matches("\n#endif").count());
            assert_eq!(conditions(&one).0, conditions(&one).1, "{part:?}");
            assert_eq!(conditions(&many).0, conditions(&many).1, "{part:?}");
        }
        let context = Part::Context.section(&MULTICORE);
        assert!(context.contains("FUTHARK_BACKEND_multicore") && !context.contains("FUTHARK_BACKEND_c\n"));
    }
}
