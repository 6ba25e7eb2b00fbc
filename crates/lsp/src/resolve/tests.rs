//! What this finds is what the checker finds.

use super::{DefId, Names};
use crate::analysis::{Analysis, Instead};
use crate::documents::Documents;
use kenaz_base::Span;
use kenaz_sema::names::Origin;
use kenaz_sema::types::VarId;
use std::path::{Path, PathBuf};

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("tests/run"), root.join("examples"), root.join("bench/programs")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of the repository").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "fut") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Where a variable is written, behind module types and applications of parametric modules.
fn definition(analysis: &Analysis, mut variable: VarId) -> Span {
    let names = &analysis.checked.names;
    while let Some(Origin::Ascribed(origin) | Origin::Instance(origin, _)) = names.vars[variable].origin {
        variable = origin;
    }
    names.vars[variable].span
}

fn class_at(names: &Names, span: Span) -> Option<DefId> {
    let found = names.defs.iter().find(|(_, def)| def.span == span);
    found.map(|(id, _)| names.class(id))
}

#[test]
fn names_mean_what_the_checker_says() {
    let mut compared = 0;
    for path in programs().iter().step_by(3) {
        let analysis = Analysis::new(&Documents::default(), path, Instead::default());
        let names = &analysis.names;
        for (expr, resolved) in analysis.checked.info.resolved.iter() {
            let span = definition(&analysis, resolved.var);
            let Some((file, lo)) = analysis.mentioned(expr) else { continue };
            if analysis.is_builtin(file) || span.hi == span.lo {
                continue;
            }
            let found = names.at(file, lo).map(|occurrence| names.class(occurrence.def));
            let place = analysis.checked.sources.position(Span::new(file, lo, lo + 1));
            let known = analysis.checked.sources.position(span);
            assert!(found.is_some(), "{place}: nothing is known of a name that is defined at {known}");
            assert_eq!(found, class_at(names, span), "{place}: the checker says that it is defined at {known}");
            compared += 1;
        }
    }
    assert!(compared > 5_000, "{compared} names were compared");
}
