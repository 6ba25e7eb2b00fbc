//! How the outside sees the parameters and results of an entry point.
//!
//! An [`kenaz_ir::Entry`] describes all parameters of its function, in their order, but for sizes: parameters of type
//! `i64` that are dimensions of others and come before them. Elaboration gives every dimension of an argument a size of
//! its own, so that there a parameter is either a dimension or described. In IR written by hand a described parameter may
//! be the dimension of another; it has the name of its description then.

use kenaz_base::Symbol;
use kenaz_ir::{EntryParam, Operand, Param, Type};

/// The parameters of a function that the user of an entry point gives, or the results that he sees: all but those that are
/// only sizes of others. `described` is what the entry point says about them.
pub fn visible<'p>(params: &'p [Param], described: &[EntryParam]) -> Vec<&'p Param> {
    let hidden = hidden(params, described);
    params.iter().zip(hidden).filter(|(_, hidden)| !hidden).map(|(param, _)| param).collect()
}

/// Which parameters or results the outside does not see.
pub fn hidden(params: &[Param], described: &[EntryParam]) -> Vec<bool> {
    let owners = owners(described);
    let is_size =
        |param: &Param| param.ty == Type::I64 && params.iter().any(|p| p.ty.dims().contains(&Operand::Var(param.name)));
    let mut left = params.len().saturating_sub(owners.len());
    let mut described_sizes = params.iter().filter(|p| is_size(p)).count().saturating_sub(left);
    let mut parts = owners.iter().peekable();
    params
        .iter()
        .map(|param| {
            let named = parts.peek().is_some_and(|(_, name)| *name == param.name.base);
            let hidden = is_size(param) && left > 0 && !(named && described_sizes > 0);
            if hidden {
                left -= 1;
            } else {
                described_sizes -= usize::from(described_sizes > 0 && is_size(param));
                parts.next();
            }
            hidden
        })
        .collect()
}

/// For each part of the described parameters: the number, from 1, and the name of the parameter.
pub fn owners(described: &[EntryParam]) -> Vec<(usize, Symbol)> {
    let parts = |(i, p): (usize, &EntryParam)| std::iter::repeat_n((i + 1, p.name), p.parts as usize);
    described.iter().enumerate().flat_map(parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bases of the names that the outside sees.
    fn seen(text: &str) -> Vec<String> {
        let prog = kenaz_ir::parse::prog(text).unwrap();
        let fun = &prog.funs[0];
        let shown = visible(&fun.params, &fun.entry.as_ref().unwrap().params);
        shown.iter().map(|p| p.name.base.to_string()).collect()
    }

    #[test]
    fn sizes_are_hidden() {
        assert_eq!(seen("entry f (n_1: i64) (d_2: i64) (a_3: [d_2]i32) : = { in }"), ["n", "a"]);
        assert_eq!(seen("entry f (d_1: i64) (e_2: i64) (a_3: [d_1][e_2]i32) (d_4: i64) : = { in }"), ["a", "d"]);
        // Two arrays that are one argument have a size in common.
        let text =
            "entry f (d_1: i64) (a_2: [d_1]i32) (b_3: [d_1]i8) : takes (a: \"[](i32, i8)\" of 2) yields = { in }";
        assert_eq!(seen(text), ["a", "b"]);
    }

    #[test]
    fn described_sizes_are_seen() {
        let described = |takes: &str| {
            seen(&format!("entry f (n_1: i64) (d_2: i64) (a_3: [n_1][d_2]i32) : takes {takes} yields = {{ in }}"))
        };
        assert_eq!(described("(n: \"i64\" of 1) (a: \"[][]i32\" of 1)"), ["n", "a"]);
        assert_eq!(described("(d: \"i64\" of 1) (a: \"[][]i32\" of 1)"), ["d", "a"]);
        assert_eq!(described("(a: \"[][]i32\" of 1)"), ["a"]);
        assert_eq!(described("(n: \"i64\" of 1) (d: \"i64\" of 1) (a: \"[][]i32\" of 1)"), ["n", "d", "a"]);
        // Without a name that helps, the sizes that are not described come first.
        assert_eq!(described("(x: \"i64\" of 1) (a: \"[][]i32\" of 1)"), ["d", "a"]);
    }
}
