//! Mutants for verdicts: one small change, after which the program is still well-formed most of the time.

mod decs;
mod exprs;
mod types;
mod wraps;

use crate::Mutant;
use crate::tokens::{Edit, Tokens};
use kenaz_base::Rng;

pub type Change = fn(&Tokens, &mut Rng) -> Option<Edit>;

/// The kinds of changes, each equally likely where it is possible.
pub const CHANGES: [(&str, Change); 47] = [
    // Types
    ("size-changed", types::size_changed),
    ("size-forgotten", types::size_forgotten),
    ("dimension-added", types::dimension_added),
    ("dimension-removed", types::dimension_removed),
    ("star-added", types::star_added),
    ("star-removed", types::star_removed),
    ("type-replaced", types::type_replaced),
    ("annotation-removed", types::annotation_removed),
    ("result-type-removed", types::result_type_removed),
    ("liftedness-changed", types::liftedness_changed),
    ("coercion-to-ascription", types::coercion_to_ascription),
    ("ascription-to-coercion", types::ascription_to_coercion),
    // Definitions
    ("size-parameter-removed", decs::size_parameter_removed),
    ("type-parameter-removed", decs::type_parameter_removed),
    ("parameter-removed", decs::parameter_removed),
    ("definition-renamed", decs::definition_renamed),
    ("definition-dropped", decs::definition_dropped),
    ("definitions-swapped", decs::definitions_swapped),
    ("entry-toggled", decs::entry_toggled),
    ("module-type-removed", decs::ascription_removed),
    // Expressions
    ("operator-swapped", exprs::operator_swapped),
    ("operands-swapped", exprs::operands_swapped),
    ("name-dropped", exprs::name_dropped),
    ("name-replaced", exprs::name_replaced),
    ("name-replaced", exprs::name_replaced),
    ("argument-dropped", exprs::argument_dropped),
    ("argument-swapped", exprs::argument_swapped),
    ("argument-duplicated", exprs::argument_duplicated),
    ("copy-removed", exprs::copy_removed),
    ("used-after-consumption", exprs::used_after_consumption),
    ("consumed", exprs::consumed),
    ("suffix-changed", exprs::suffix_changed),
    ("number-changed", exprs::number_changed),
    ("field-renamed", exprs::field_renamed),
    ("constructor-replaced", exprs::constructor_replaced),
    ("case-dropped", exprs::case_dropped),
    ("component-dropped", exprs::component_dropped),
    ("parentheses-removed", exprs::parentheses_removed),
    ("index-changed", exprs::index_changed),
    ("binding-dropped", exprs::binding_dropped),
    ("range-changed", exprs::range_changed),
    // The same in another form
    ("wrapped", wraps::wrapped),
    ("wrapped", wraps::wrapped),
    ("eta-expanded", wraps::eta_expanded),
    ("piped", wraps::piped),
    ("name-from-prelude", wraps::name_from_prelude),
    ("local-added", decs::local_added),
];

/// A mutant of a program, if one of a few tries finds a place for its change.
pub fn mutate(text: &str, rng: &mut Rng) -> Option<Mutant> {
    mutate_by(text, &CHANGES, rng)
}

/// By one of some changes.
pub fn mutate_by(text: &str, changes: &[(&'static str, Change)], rng: &mut Rng) -> Option<Mutant> {
    let tokens = Tokens::new(text);
    for _ in 0..40 {
        let (kind, change) = *rng.pick(changes)?;
        if let Some(edit) = change(&tokens, rng)
            && text[edit.range.clone()] != edit.with
        {
            let line = tokens.line(edit.range.start);
            return Some(Mutant { text: edit.apply(text).into_bytes(), kinds: vec![kind], line });
        }
    }
    None
}

#[cfg(test)]
#[track_caller]
fn check(change: Change, text: &str, expected: &[&str]) {
    let tokens = Tokens::new(text);
    let mut found: Vec<String> =
        (0..300).filter_map(|seed| Some(change(&tokens, &mut Rng::new(seed))?.apply(text))).collect();
    found.sort();
    found.dedup();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_change_panics() {
        for text in ["", "x", "(", "[", ")", "case", "def", "let x[", "'", "f (", "module", "{x", "#a", "def f [n"] {
            let tokens = Tokens::new(text);
            for (_, change) in CHANGES {
                for seed in 0..20 {
                    change(&tokens, &mut Rng::new(seed));
                }
            }
        }
    }
}
