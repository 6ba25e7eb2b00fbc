//! Prints the core or the IR of programs, or what went wrong: `core [--defun|--ir] [--quiet] FILE…`.

use kenaz_base::{RealFileSystem, Span, render};
use kenaz_elaborate::core::check::{check, check_first_order};
use kenaz_elaborate::{defunctionalise::defunctionalise, lower::lower, translate::Translate};
use std::path::Path;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| args.iter().any(|a| a == flag);
    let (defun, ir, quiet) = (has("--defun"), has("--ir"), has("--quiet"));
    for path in args.iter().filter(|a| !a.starts_with("--")) {
        let checked = kenaz_sema::check_file(Path::new(path), &RealFileSystem);
        if checked.diagnostics.has_errors() {
            continue;
        }
        let place = Span::new(checked.main, 0, 0);
        let mut translate = Translate::new(&checked);
        let result = translate.entry_points().and_then(|()| {
            if let Err(error) = check(&translate.prog) {
                println!("{path}: translate: {}", error.to_string().lines().next().unwrap_or(""));
            }
            if !defun && !ir {
                return Ok(translate.prog.text());
            }
            let first_order = defunctionalise(&translate.prog, place)?;
            if let Err(error) = check_first_order(&first_order) {
                println!("{path}: defunctionalise: {}", error.to_string().lines().next().unwrap_or(""));
            }
            if !ir {
                return Ok(first_order.text());
            }
            let prog = lower(&first_order, place)?;
            if let Err(error) = kenaz_ir::check::array(&prog) {
                println!("{path}: check: {}", error.to_string().lines().next().unwrap_or(""));
            }
            Ok(prog.to_string())
        });
        match result {
            Ok(text) if !quiet => println!("{text}"),
            Ok(_) => {}
            Err(d) => print!("{path}: {}", render::concise(&checked.sources, std::slice::from_ref(&d))),
        }
    }
}
