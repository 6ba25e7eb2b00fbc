//! Attributes in a program that say how it is compiled, and nothing about what it means.
//!
//! They are wishes, so that no program is refused for one; where the compiler can obey it, it must. Which operators
//! have which depends on the text of the line alone, so that a program that is made smaller keeps those of the lines
//! that stay.

use crate::program::Program;
use kenaz_base::Rng;

const OPERATORS: &[&str] = &["map", "reduce", "scan", "filter", "scatter", "hist", "tabulate", "flatten", "replicate"];

const ATTRIBUTES: &[&str] = &[
    "core",
    "simd",
    "simd(4)",
    "grid",
    "block",
    "lane",
    "pinned",
    "source",
    "materialize",
    "dest",
    "window",
    "global",
    "shared",
    "private",
    "tile(2,4)",
    "strip(4)",
    "vector(4)",
];

impl Program {
    /// The same program with wishes at some operators.
    #[must_use]
    pub fn with_strategies(mut self) -> Program {
        self.rewrite(decorated);
        self.has_strategies = true;
        self
    }
}

fn decorated(text: &str) -> String {
    text.split_inclusive('\n').map(line).collect()
}

/// A line with attributes behind some of the parentheses that open before an operator.
fn line(text: &str) -> String {
    // FNV-1a.
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let mut rng = Rng::new(hash);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('(') {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        rest = after;
        let word = after.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        let is_operator = OPERATORS.iter().any(|operator| word.starts_with(operator));
        if is_operator && after[word.len()..].starts_with(' ') {
            // One or two, of which some cannot both be obeyed.
            for _ in 0..[0, 0, 1, 1, 2][rng.below(5)] {
                out.push_str(&format!("#[try({})] ", ATTRIBUTES[rng.below(ATTRIBUTES.len())]));
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use crate::{Size, generate};

    #[test]
    fn attributes_are_added_and_nothing_else() {
        // Programs have some wishes of their own.
        let without = |text: &str| {
            let mut text = text.to_string();
            while let Some(at) = text.find("#[try(") {
                let end = at + text[at..].find("] ").unwrap() + 2;
                text.replace_range(at..end, "");
            }
            text
        };
        let wishes = |text: &str| text.matches("#[try(").count();
        let mut count = 0;
        for seed in 0..40 {
            let plain = generate(seed, Size::Large);
            let with = plain.clone().with_strategies();
            count += wishes(&with.source) - wishes(&plain.source);
            assert_eq!(without(&with.source), without(&plain.source));
            assert_eq!(wishes(&with.in_batch(3)), wishes(&with.source));
        }
        assert!(count > 100, "{count}");
    }
}
