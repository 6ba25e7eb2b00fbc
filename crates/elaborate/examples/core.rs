//! Prints the core of programs, or what went wrong: `core [--defun] FILE…`.

use kenaz_base::{RealFileSystem, Span, render};
use kenaz_elaborate::{defunctionalise::defunctionalise, translate::Translate};
use std::path::Path;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let defun = args.iter().any(|a| a == "--defun");
    let quiet = args.iter().any(|a| a == "--quiet");
    for path in args.iter().filter(|a| !a.starts_with("--")) {
        let checked = kenaz_sema::check_file(Path::new(path), &RealFileSystem);
        if checked.diagnostics.has_errors() {
            continue;
        }
        let mut translate = Translate::new(&checked);
        let result = translate.entry_points().and_then(|()| {
            if defun { defunctionalise(&translate.prog, Span::new(checked.main, 0, 0)).map(Some) } else { Ok(None) }
        });
        match result {
            Ok(fo) if !quiet => println!("{}", fo.as_ref().unwrap_or(&translate.prog).text()),
            Ok(_) => {}
            Err(d) => print!("{path}: {}", render::concise(&checked.sources, std::slice::from_ref(&d))),
        }
    }
}
