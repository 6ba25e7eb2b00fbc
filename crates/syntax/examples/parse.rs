//! Parses files and prints their errors, or with `--dump` their syntax trees.

use kenaz_base::{Diagnostics, SourceMap};
use kenaz_syntax::ast::Ast;
use kenaz_syntax::{dump, parse_file};

fn main() {
    let (flags, paths): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let show = flags.iter().any(|flag| flag == "--dump");
    let mut failed = false;
    for path in paths {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                println!("{path}: {error}");
                failed = true;
                continue;
            }
        };
        let (mut ast, mut diagnostics, mut map) = (Ast::default(), Diagnostics::new(), SourceMap::new());
        let id = map.add(&path, text);
        let file = parse_file(&mut ast, id, &map.file(id).text, &mut diagnostics);
        if show {
            print!("{}", dump::file(&ast, &file));
        }
        failed |= diagnostics.has_errors();
        for d in diagnostics.into_sorted() {
            println!("{}: error[{}]: {}", map.position(d.primary.span), d.code, d.message);
            for cause in &d.causes {
                println!("    {}: {}", map.position(cause.span), cause.text);
            }
            for hint in &d.hints {
                println!("    hint: {hint}");
            }
        }
    }
    std::process::exit(i32::from(failed));
}
