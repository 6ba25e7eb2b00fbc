//! The cases of tests/cases: programs and how they are laid out.
//!
//! A case is a title behind `====`, a program, and below a line `----` the program laid out; without that it is laid
//! out already.

use super::{check, formatted};
use kenaz_base::Diagnostics;
use kenaz_syntax::ast::{Ast, DecKind, ExprKind};
use kenaz_syntax::parse_file;
use std::collections::BTreeSet;
use std::fmt::{Debug, Write};
use std::fs;
use std::path::{Path, PathBuf};

struct Case {
    place: String,
    before: String,
    after: String,
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for path in files() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let mut line = 1;
        for case in text.split("==== ") {
            let (_, program) = case.split_once('\n').unwrap_or_default();
            // A line of its own, with four dashes and no more.
            let (before, after) = program.split_once("\n----\n").unwrap_or((program, program));
            let end = |text: &str| format!("{}\n", text.trim_end_matches('\n'));
            if !program.is_empty() {
                cases.push(Case { place: format!("{name}:{line}"), before: end(before), after: end(after) });
            }
            line += case.matches('\n').count();
        }
    }
    cases
}

#[test]
fn cases_are_laid_out_as_expected() {
    let mut failures = String::new();
    for Case { place, before, after } in cases() {
        check(&place, &before).unwrap();
        let found = formatted(&before);
        if found != after {
            let _ = write!(failures, "{place}: expected\n{after}but it is\n{found}\n");
        } else if formatted(&after) != after {
            let _ = writeln!(failures, "{place}: what is expected does not stay");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// The kinds of nodes that syntax trees have.
fn kinds_that_exist() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../syntax/src/ast.rs");
    let text = fs::read_to_string(path).unwrap();
    let mut kinds = BTreeSet::new();
    let mut of = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("pub enum ").and_then(|rest| rest.strip_suffix(" {")) {
            of = name.ends_with("Kind").then_some(name);
        } else if line == "}" {
            of = None;
        } else if let Some(kind) = of
            && let Some(variant) = line.strip_prefix("    ").filter(|rest| rest.starts_with(char::is_uppercase))
        {
            let end = variant.find(|c: char| !c.is_alphanumeric()).unwrap_or(variant.len());
            kinds.insert(format!("{kind}::{}", &variant[..end]));
        }
    }
    kinds
}

#[test]
fn every_construct_has_a_case() {
    let mut ast = Ast::default();
    for case in cases() {
        parse_file(&mut ast, super::file(), &case.before, &mut Diagnostics::new());
    }
    let mut kinds = BTreeSet::new();
    let mut add = |of: &str, node: &dyn Debug| {
        let text = format!("{node:?}");
        let end = text.find(|c: char| !c.is_alphanumeric()).unwrap_or(text.len());
        kinds.insert(format!("{of}::{}", &text[..end]));
    };
    for (_, node) in ast.exprs.iter() {
        add("ExprKind", &node.kind);
        match &node.kind {
            ExprKind::Range(range) => add("RangeKind", &range.kind),
            ExprKind::Attr(attr, _) => add("AttrKind", &attr.kind),
            _ => {}
        }
    }
    ast.pats.iter().for_each(|(_, node)| add("PatKind", &node.kind));
    ast.types.iter().for_each(|(_, node)| add("TypeExpKind", &node.kind));
    ast.decs.iter().for_each(|(_, node)| add("DecKind", &node.kind));
    ast.specs.iter().for_each(|(_, node)| add("SpecKind", &node.kind));
    ast.mod_exps.iter().for_each(|(_, node)| add("ModExpKind", &node.kind));
    ast.mod_types.iter().for_each(|(_, node)| add("ModTypeExpKind", &node.kind));
    let type_params = ast.decs.iter().filter_map(|(_, dec)| match &dec.kind {
        DecKind::Val(bind) => Some(&bind.type_params),
        _ => None,
    });
    type_params.flatten().for_each(|param| add("TypeParamKind", &param.kind));
    // Nodes for what could not be read, which is not laid out.
    let missing: Vec<String> =
        kinds_that_exist().difference(&kinds).filter(|kind| !kind.ends_with("::Error")).cloned().collect();
    assert!(kinds.len() > 80);
    assert!(missing.is_empty(), "no case has {missing:?}");
}
