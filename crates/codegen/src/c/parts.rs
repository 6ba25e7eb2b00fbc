//! The text of rts/, which is part of the compiler, and which parts of it a program needs.

/// A file of rts/, in the order in which they stand in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Base,
    Integer,
    Bits,
    Real,
    Convert,
    Half,
    Context,
    Memory,
    Copy,
    Values,
    Api,
    Print,
    Binary,
    Opaque,
    Text,
    Program,
    Main,
    Server,
    Module,
}

impl Part {
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
            Part::Context => rts!("context.h"),
            Part::Memory => rts!("memory.h"),
            Part::Copy => rts!("copy.h"),
            Part::Values => rts!("values.h"),
            Part::Api => rts!("api.h"),
            Part::Print => rts!("print.h"),
            Part::Binary => rts!("binary.h"),
            Part::Text => rts!("text.h"),
            Part::Opaque => rts!("opaque.h"),
            Part::Program => rts!("program.h"),
            Part::Main => rts!("main.h"),
            Part::Server => rts!("server.h"),
            Part::Module => rts!("module.h"),
        }
    }
}

impl Part {
    /// As it stands in a program, under its name alone: what else the first lines say is for those who put parts together.
    pub fn section(self) -> String {
        let text = self.text();
        let title = text.split_once(':').map_or("", |(title, _)| title);
        let lines = text.lines().skip_while(|line| line.starts_with("//") || line.is_empty());
        let body: String = lines.map(|line| format!("{line}\n")).collect();
        format!("{title}\n{body}\n")
    }
}

/// What a compiler is told about loops.
pub const HINTS: &str = r#"// The iterations of the loop that follows do not depend on each other; it is worth unrolling.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"
#define KZ_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define KZ_UNROLL _Pragma("clang loop unroll_count(8)")
#elif defined(__GNUC__)
#define KZ_INDEPENDENT _Pragma("GCC ivdep")
#define KZ_UNROLL _Pragma("GCC unroll 8")
#else
#define KZ_INDEPENDENT
#define KZ_UNROLL
#endif

"#;

/// The parts that come before a program, given those that it needs in any case and those behind it.
pub fn needed(before: &[Part], after: &[Part], program: &str) -> Vec<Part> {
    let mut parts = vec![Part::Base, Part::Context, Part::Memory, Part::Values];
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

/// The parts that are there only if something of them is used.
const OPTIONAL: &[Part] = &[Part::Copy, Part::Convert, Part::Real, Part::Bits, Part::Integer];

impl Part {
    /// Whether an optional part defines a function.
    fn provides(self, function: &str) -> bool {
        if function.starts_with("kz_") {
            return self == Part::Copy && function == "kz_copy";
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

    #[test]
    fn only_what_is_used() {
        let all = |program: &str| needed(&[], &[], program);
        assert_eq!(all(""), [Part::Base, Part::Context, Part::Memory, Part::Values]);
        assert!(all("x = add_i32(y, 1);").contains(&Part::Integer));
        assert!(all("x = min_f64(y, 1) + sqrt_f64(2);").contains(&Part::Real));
        assert!(all("x = f64_to_i32(y);").contains(&Part::Convert));
        assert!(!all("x = f64_to_i32(y);").contains(&Part::Integer));
        assert!(all("x = mul_hi_u8(y, z);").contains(&Part::Bits));
        assert!(all("kz_copy(4, 2, a, b, c, d, e);").contains(&Part::Copy));
        assert!([Part::Half, Part::Real, Part::Convert].iter().all(|part| all("kz_f16 x;").contains(part)));
    }
}
