//! The tests in tests/place: programs, where their arrays are placed, and what they are in C.
//!
//! The file `.mem` next to a program is its memory stage without positions, `.c` its own part of the executable,
//! without the run-time system. Both are what one would have written by hand. `BLESS=1` rewrites them.

use crate::list;
use kenaz_base::RealFileSystem;
use kenaz_driver::{Artefact, Compiler};
use kenaz_ir::visit::for_each_body_mut;
use kenaz_ir::{Body, Locs, Ownership, Prog, Stage, target};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

const FOLDER: &str = "tests/place";

/// A trial for each file.
pub(crate) fn trials(bless: bool) -> Vec<Trial> {
    let programs = list(FOLDER, "fut");
    let mut trials = vec![Trial::test("harness/there are programs", {
        let count = programs.len();
        move || if count > 4 { Ok(()) } else { Err(format!("only {count}").into()) }
    })];
    for path in programs {
        trials.push(Trial::test(path.display().to_string(), move || test(&path, bless)));
    }
    trials.push(Trial::test("harness/names are numbered as they come", || {
        let found = renumbered("let x_12: i64 = add x_mem_7 x_12 \"{d_7}\" i32_to");
        match found.as_str() {
            "let x_1: i64 = add x_mem_2 x_1 \"{d_2}\" i32_to" => Ok(()),
            _ => Err(found.into()),
        }
    }));
    for path in list(FOLDER, "mem").into_iter().chain(list(FOLDER, "c")) {
        trials.push(Trial::test(path.display().to_string(), move || match path.with_extension("fut").exists() {
            true => Ok(()),
            false => Err("there is no such program".into()),
        }));
    }
    trials
}

fn test(path: &Path, bless: bool) -> Result<(), Failed> {
    let compilation = Compiler::new(&RealFileSystem, &target::C).to(path, Stage::Memory(Ownership::Settled))?;
    compilation.check().map_err(|error| format!("{error}\n{}", compilation.prog))?;
    let lowered = compilation.lower();
    kenaz_imp::check(&lowered).map_err(|error| format!("the imperative IR is not right: {error:?}"))?;
    let file = compilation.emit_lowered(&lowered, Artefact::Executable);
    same(&path.with_extension("mem"), &renumbered(&without_positions(compilation.prog).to_string()), bless)?;
    same(&path.with_extension("c"), &file.text[file.program.clone()], bless)
}

/// The program with nothing but what it does.
fn without_positions(mut prog: Prog) -> Prog {
    fn body(body_: &mut Body) {
        for stm in &mut body_.stms {
            stm.loc = Locs::NOWHERE();
            for_each_body_mut(&mut stm.exp, body);
        }
    }
    for fun in &mut prog.funs {
        fun.loc = Locs::NOWHERE();
        body(&mut fun.body);
    }
    prog
}

/// The text with names numbered as they come, so that they do not depend on how many there were in between.
fn renumbered(text: &str) -> String {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = String::with_capacity(text.len());
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for word in text.split_inclusive(|c| !is_part(c)) {
        let name = word.trim_end_matches(|c| !is_part(c));
        match name.rsplit_once('_') {
            Some((base, id)) if !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit()) => {
                let next = numbers.len() + 1;
                let number = *numbers.entry(id).or_insert(next);
                out.push_str(&format!("{base}_{number}{}", &word[name.len()..]));
            }
            _ => out.push_str(word),
        }
    }
    out
}

/// Compares with the file, or rewrites it.
fn same(path: &Path, found: &str, bless: bool) -> Result<(), Failed> {
    if bless {
        return Ok(fs::write(path, found)?);
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    if expected == found { Ok(()) } else { Err(format!("{} is not\n{found}", path.display()).into()) }
}
