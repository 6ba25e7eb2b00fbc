//! Checked meaning of syntax trees: names, modules, types, sizes, uniqueness, exhaustiveness.
//!
//! [`check_file`] is the way in. The typed program is the syntax tree with the side tables of [`info::Info`] and the
//! names of [`names::Names`]. A reader should start with [`types`], then [`expr`] for the rules of expressions,
//! [`function`] for what functions are polymorphic in, and [`modules`].
//!
//! Every definition goes through the same steps: inference (`expr`, `apply`, `control`, `pat`, `function`), the
//! settling of what inference left open (`finish`), and the checks that need final types (`definition`).
//!
//! # How a definition is checked
//!
//! A definition goes through three steps. *Inference* types expressions bottom-up and solves types and sizes by
//! unification (`unify`); names, types and sizes have levels, so that nothing is inferred to depend on what is not in
//! scope. Sizes are terms, equal when they are the same term; an operation whose size cannot be expressed makes an
//! *unknown* size, recorded with its cause in `info`. *Settling* (`finish`) picks default numeric types, makes the
//! definition polymorphic in what is still open, reports what is ambiguous, and writes final types into the side
//! tables. The *checks of final types* (`definition`) are exhaustiveness, causality of sizes, consumption, and lints.
//!
//! A module is an environment of names with identities; a module type has abstract types of its own. Sealing a module
//! and applying a parametric one copy values and types, and each copy remembers its origin (`names::Origin`), from
//! which `elaborate::resolve` finds the definition again.

mod apply;
mod attributes;
mod causality;
mod checker;
mod consume;
mod control;
mod decs;
mod definition;
mod display;
mod entry;
mod exhaustive;
mod expr;
mod finish;
mod function;
pub mod info;
pub mod intrinsics;
pub mod limits;
mod lint;
mod load;
mod lookup;
mod matching;
mod mod_types;
mod modules;
pub mod names;
mod pat;
mod prelude;
mod remedy;
mod report;
pub mod scope;
mod sizes;
mod type_exp;
pub mod types;
mod unify;
mod unused;
mod visit;
pub mod walk;

use checker::Checker;
use info::Info;
use kenaz_base::{Attr, Code, Diagnostics, FileId, FileSystem, SourceMap, Symbol, in_pass};
use kenaz_syntax::ast::{Ast, DecKind, ExprId, ExprKind, File, ValKeyword};
use names::Names;
use scope::Module;
use std::path::Path;

/// A program and everything that is known about it.
pub struct Checked {
    pub sources: SourceMap,
    pub ast: Ast,
    /// The files in the order in which they were checked: each behind those it imports, the prelude first.
    pub files: Vec<File>,
    /// The file that was asked for.
    pub main: FileId,
    pub names: Names,
    pub info: Info,
    /// The contents of the main file.
    pub module: Module,
    pub diagnostics: Diagnostics,
}

/// Whether a message comes from the parser.
fn is_syntax(code: Code) -> bool {
    matches!(
        code,
        Code::UnknownCharacter
            | Code::BadLiteral
            | Code::UnterminatedString
            | Code::UnexpectedToken
            | Code::UnclosedDelimiter
            | Code::ReservedName
            | Code::BadOperator
            | Code::NestingTooDeep
            | Code::MisplacedDoc
    )
}

/// What the command line says about how a program is to be read.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// Definitions at the top of the main file that are entry points although the program does not say so.
    pub entry_points: Vec<Symbol>,
    /// `#[unsafe]` means nothing.
    pub safe: bool,
}

impl Reading {
    /// Changes a program as if it had been written that way.
    fn apply(&self, loaded: &mut load::Loaded) {
        let main = loaded.files.iter().find(|file| file.file == loaded.main);
        for dec in main.map_or(&[][..], |file| &file.decs) {
            if let DecKind::Val(bind) = &mut loaded.ast.decs[*dec].kind
                && self.entry_points.contains(&bind.name.name)
            {
                bind.keyword = ValKeyword::Entry;
            }
        }
        if self.safe {
            let ids: Vec<ExprId> = loaded.ast.exprs.ids().collect();
            for id in ids {
                if let ExprKind::Attr(attr, e) = &loaded.ast.exprs[id].kind
                    && attr.meaning == Ok(Attr::Unsafe)
                    && !loaded.sources.file(attr.span.file).builtin
                {
                    loaded.ast.exprs[id].kind = ExprKind::Paren(*e);
                }
            }
        }
    }
}

/// Checks the program in a file, with everything it imports.
pub fn check_file(path: &Path, fs: &dyn FileSystem) -> Checked {
    check_file_as(path, fs, &Reading::default())
}

/// The same, read as the command line says.
pub fn check_file_as(path: &Path, fs: &dyn FileSystem, reading: &Reading) -> Checked {
    let mut loaded = in_pass("read and parse", || load::load(path, fs));
    reading.apply(&mut loaded);
    let mut diagnostics = std::mem::take(&mut loaded.diagnostics);
    attributes::check(&loaded.ast, &loaded.sources, &mut diagnostics);
    let load::Loaded { sources, ast, files, main, imports, .. } = loaded;
    let mut checker = Checker::new(&ast, &sources, imports, diagnostics);
    // What could not be parsed would only be misunderstood.
    let module = if checker.diagnostics.iter().any(|d| is_syntax(d.code)) {
        Module::Error
    } else {
        in_pass("check", || checker.check_program(&files, main))
    };
    if !checker.diagnostics.has_errors() {
        checker.warn_unused_module_params();
    }
    let Checker { names, info, diagnostics, .. } = checker;
    Checked { sources, ast, files, main, names, info, module, diagnostics }
}
