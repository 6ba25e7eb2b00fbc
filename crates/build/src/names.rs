//! Names of the language as names of Rust.

use std::collections::BTreeSet;

/// Names of one space, each given once.
#[derive(Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
}

/// Those that `r#` makes names, and those that nothing does.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
    "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move",
    "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];
const WORDS: &[&str] = &["self", "super", "crate", "Self", "_"];

impl Names {
    /// Names that are in use already.
    pub(crate) fn with(taken: &[&str]) -> Names {
        Names { taken: taken.iter().map(ToString::to_string).collect() }
    }

    /// Whether a text is a name of Rust.
    pub(crate) fn is_identifier(text: &str) -> bool {
        plain(text) == text && !KEYWORDS.contains(&text) && !WORDS.contains(&text)
    }

    /// A name for a value, function or field, like this one.
    pub(crate) fn value(&mut self, name: &str) -> String {
        let name = self.free(&plain(name));
        if KEYWORDS.contains(&name.as_str()) { format!("r#{name}") } else { name }
    }

    /// A name for a type or variant, like this one: `point` is `Point`, and `m.my_type` is `MMyType`.
    pub(crate) fn ty(&mut self, name: &str) -> String {
        let mut out = String::new();
        for word in name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
            let (first, rest) = word.split_at(1);
            out.push_str(&first.to_ascii_uppercase());
            out.push_str(rest);
        }
        if !out.starts_with(|c: char| c.is_ascii_alphabetic()) {
            out.insert(0, 'T');
        }
        self.free(&out)
    }

    fn free(&mut self, name: &str) -> String {
        let name = if WORDS.contains(&name) { format!("{name}_") } else { name.to_string() };
        let numbered = (2..).map(|n| format!("{name}_{n}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !self.taken.contains(name));
        let free = free.unwrap_or(name);
        self.taken.insert(free.clone());
        free
    }
}

/// The text with what no name has replaced.
fn plain(text: &str) -> String {
    let mut name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_values() {
        let mut names = Names::with(&["new"]);
        let given = ["x", "x'", "x_", "type", "self", "new", "0", "_", "x"].map(|name| names.value(name));
        assert_eq!(given, ["x", "x_", "x__2", "r#type", "self_", "new_2", "_0", "__", "x_2"]);
    }

    #[test]
    fn names_of_types() {
        let mut names = Names::with(&["Array"]);
        let given = ["point", "m.my_type", "Point", "array", "{x: f32}", "[]", "self"].map(|name| names.ty(name));
        assert_eq!(given, ["Point", "MMyType", "Point_2", "Array_2", "XF32", "T", "Self_"]);
    }

    #[test]
    fn identifiers() {
        for (text, is_one) in [("a_1", true), ("1a", false), ("", false), ("type", false), ("a-b", false), ("_", false)]
        {
            assert_eq!(Names::is_identifier(text), is_one, "{text}");
        }
    }
}
