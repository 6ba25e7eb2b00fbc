//! Everything in the grammar that can contain itself, nested deeply: the compiler answers, and does not overflow its
//! stack.
//!
//! The kinds of nodes are listed by an exhaustive match, so that a new one does not compile without a word about
//! whether it nests; one that does needs an example, see [`NESTS`].

use kenaz_base::{Diagnostics, SourceMap};
use kenaz_syntax::ast::{
    Ast, AttrKind, DecKind, DimIndex, ExprKind, LoopForm, ModExpKind, ModTypeExpKind, PatKind, SpecKind, TypeExpKind,
};
use kenaz_syntax::parse_file;
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

macro_rules! kinds {
    ($($name:ident $ty:ident { $($leaf:ident)* ; $($nests:ident)* })*) => {
        $(fn $name(kind: &$ty) -> &'static str {
            match kind {
                $($ty::$leaf { .. } => "",)*
                $($ty::$nests { .. } => concat!(stringify!($ty), "::", stringify!($nests)),)*
            }
        })*
        /// The kinds of nodes that can contain themselves.
        const KINDS: &[&str] = &[$($(concat!(stringify!($ty), "::", stringify!($nests)),)*)*];
    };
}

kinds! {
    expr ExprKind {
        Error Int Float Bool Char String Hole Var OpSection ProjectSection;
        Paren Tuple Record Array Project Index LocalOpen Apply Constr Not Neg BinOp Ascript Coerce Range If LetPat
        LetFun LetWith Lambda Loop Attr Assert UpdateIndex UpdateField Match LeftSection RightSection IndexSection
    }
    dim DimIndex { ; Fix Slice }
    form LoopForm { ; ForLess ForIn While }
    pat PatKind { Error Name Wild Lit; Paren Tuple Record Constr Ascript Attr }
    ty TypeExpKind { Error Name; Paren Tuple Record Array Sum Arrow Apply Unique Exists }
    dec DecKind { Error Val Type Import; Module ModType Open Local }
    module ModExpKind { Error Name Import; Paren Decs Apply Ascript Lambda }
    module_type ModTypeExpKind { Error Name; Paren Specs With Arrow }
    spec SpecKind { Error Val TypeAbbr Type; Module Include }
    attr AttrKind { Name Number; Compound }
}

/// A program with something in it that can be repeated.
struct Nest {
    /// What is nested.
    kinds: &'static [&'static str],
    before: &'static str,
    open: &'static str,
    middle: &'static str,
    close: &'static str,
    after: &'static str,
}

impl Nest {
    fn program(&self, depth: usize) -> String {
        let Nest { before, open, middle, close, after, .. } = self;
        format!("{before}{}{middle}{}{after}\n", open.repeat(depth), close.repeat(depth))
    }
}

const fn nest(kinds: &'static [&'static str], [before, open, middle, close, after]: [&'static str; 5]) -> Nest {
    Nest { kinds, before, open, middle, close, after }
}

const MAIN: &str = "entry main = ";
const ARRAY: &str = "entry main (xs: *[1]i32) = ";
const FUN: &str = "def f (x: i32): i32 = x\nentry main = ";

const NESTS: &[Nest] = &[
    nest(&["ExprKind::Paren"], [MAIN, "(", "1i32", ")", ""]),
    nest(&["ExprKind::Paren", "ExprKind::BinOp"], [MAIN, "(1i32 + ", "2", ")", ""]),
    nest(&["ExprKind::Tuple"], [MAIN, "(1i32, ", "2i32", ")", ""]),
    nest(&["ExprKind::Record"], [MAIN, "{a = ", "1i32", "}", ""]),
    nest(&["ExprKind::Array"], [MAIN, "[", "1i32", "]", ""]),
    nest(&["ExprKind::Project"], [MAIN, "", "(1i32, 2i32)", ".0", ""]),
    nest(&["ExprKind::Project", "ExprKind::Record"], [MAIN, "{a = ", "1i32", "}.a", ""]),
    nest(&["ExprKind::Index"], [ARRAY, "", "xs", "[0]", ""]),
    nest(&["ExprKind::Index", "DimIndex::Fix"], ["entry main (xs: [1]i64) = ", "xs[", "0", "]", ""]),
    nest(&["ExprKind::Index", "DimIndex::Slice"], ["entry main (xs: []i64) = ", "length xs[0:", "1", "]", ""]),
    nest(&["ExprKind::LocalOpen"], ["module m = {}\nentry main = ", "m.(", "1i32", ")", ""]),
    nest(&["ExprKind::Apply"], [FUN, "f (", "1", ")", ""]),
    nest(&["ExprKind::Apply"], ["def id '^a (x: a) = x\nentry main = ", "id (", "id", ") id", " 1i32"]),
    nest(&["ExprKind::Constr"], [MAIN, "#a (", "1i32", ")", ""]),
    nest(&["ExprKind::Not"], [MAIN, "! ", "true", "", ""]),
    nest(&["ExprKind::Neg"], [MAIN, "- ", "1i32", "", ""]),
    nest(&["ExprKind::BinOp"], [MAIN, "", "1i32", " + 1", ""]),
    nest(&["ExprKind::BinOp"], [MAIN, "", "true", " && true", ""]),
    nest(&["ExprKind::BinOp"], [FUN, "f <| ", "1", "", ""]),
    nest(&["ExprKind::BinOp"], ["entry main (xs: []i32) = ", "", "xs", " ++ xs", ""]),
    nest(&["ExprKind::Ascript"], [MAIN, "", "1", " : i32", ""]),
    nest(&["ExprKind::Coerce"], [ARRAY, "", "xs", " :> [1]i32", ""]),
    nest(&["ExprKind::Range"], ["entry main = length (", "1i64..<", "2", "", ")"]),
    nest(&["ExprKind::If"], [MAIN, "if ", "true", " then true else false", ""]),
    nest(&["ExprKind::If"], ["entry main (x: i32) = ", "if x > 1 then ", "1i32", " else 2", ""]),
    nest(&["ExprKind::If"], ["entry main (x: i32) = ", "if x > 1 then 1i32 else ", "2", "", ""]),
    nest(
        &["ExprKind::If", "ExprKind::LetPat"],
        ["entry main (x: i32) = ", "if x > 1 then x else let x = x + 1 in ", "x", "", ""],
    ),
    nest(&["ExprKind::LetPat"], [MAIN, "let a = ", "1i32", " in a", ""]),
    nest(&["ExprKind::LetPat"], [MAIN, "let a = 1i32 in ", "a", "", ""]),
    nest(&["ExprKind::LetPat"], ["entry main (x: i32) = ", "let x = [x] in ", "0i32", "", ""]),
    nest(&["ExprKind::LetPat"], ["entry main (x: i32) = ", "let x = (x, x) in ", "0i32", "", ""]),
    nest(&["ExprKind::LetFun"], [MAIN, "let f (a: i32) = ", "1i32", " in f 1", ""]),
    nest(&["ExprKind::LetFun"], [FUN, "let f (a: i32) = f a in ", "f 1", "", ""]),
    nest(&["ExprKind::LetWith"], [ARRAY, "let xs[0] = 1 in ", "xs", "", ""]),
    nest(&["ExprKind::Lambda"], ["def g = ", "\\(_: i32) -> ", "1i32", "", "\nentry main = 1i32"]),
    nest(&["ExprKind::Lambda"], [MAIN, "(\\(y: i32) -> y + ", "1i32", ") 2", ""]),
    nest(&["ExprKind::Loop", "LoopForm::ForLess"], [MAIN, "loop a = 1i32 for _i < 1i32 do ", "a", "", ""]),
    nest(&["ExprKind::Loop", "LoopForm::ForLess"], [MAIN, "loop a = ", "1i32", " for _i < 1i32 do a", ""]),
    nest(&["ExprKind::Loop", "LoopForm::ForIn"], [ARRAY, "loop a = 1i32 for _x in xs do ", "a", "", ""]),
    nest(&["ExprKind::Loop", "LoopForm::While"], [MAIN, "loop a = 1i32 while a < 0 do ", "a", "", ""]),
    nest(&["ExprKind::Attr"], [MAIN, "#[unroll] ", "1i32", "", ""]),
    nest(&["ExprKind::Assert"], ["entry main (x: i32) = ", "assert (x > 0) (", "x", ")", ""]),
    nest(&["ExprKind::UpdateIndex"], [ARRAY, "", "xs", " with [0] = 1", ""]),
    nest(&["ExprKind::UpdateIndex"], [ARRAY, "(", "xs", ") with [0] = 1", ""]),
    nest(&["ExprKind::UpdateField"], [MAIN, "", "{a = 1i32, b = 2i32}", " with a = 1", ""]),
    nest(&["ExprKind::Match"], [MAIN, "match (", "1i32", ") case _ -> 1i32", ""]),
    nest(&["ExprKind::Match"], ["entry main (x: i32) = ", "match x case 1 -> 2i32 case _ -> ", "x", "", ""]),
    nest(&[], ["entry main (x: i32): i32 = match x", "", "", " case 2 -> 2", " case _ -> 3"]),
    nest(&["ExprKind::LeftSection"], [MAIN, "(", "1i32", " +)", ""]),
    nest(&["ExprKind::RightSection"], [MAIN, "(+ ", "1i32", ")", ""]),
    nest(&["ExprKind::IndexSection"], [MAIN, "(.[", "0i64", "])", " [1i32]"]),
    nest(&["PatKind::Paren"], ["entry main ", "(", "x: i32", ")", " = x"]),
    nest(&["PatKind::Tuple"], ["def f ", "(_, ", "x", ")", " = x\nentry main = 1i32"]),
    nest(&["PatKind::Record"], ["def f ", "{a = ", "x", "}", " = x\nentry main = 1i32"]),
    nest(&["PatKind::Constr"], ["def f x = match x case ", "#a (", "y", ")", " -> y\nentry main = 1i32"]),
    nest(&["PatKind::Ascript"], ["entry main ", "(", "x", ": i32)", " = x"]),
    nest(&["PatKind::Attr"], ["entry main (", "#[a] ", "x: i32", "", ") = x"]),
    nest(&["TypeExpKind::Paren"], ["entry main (x: ", "(", "i32", ")", ") = x"]),
    nest(&["TypeExpKind::Tuple"], ["entry main (_: ", "(i32, ", "i32", ")", ") = 1i32"]),
    nest(&["TypeExpKind::Record"], ["entry main (_: ", "{a: ", "i32", "}", ") = 1i32"]),
    nest(&["TypeExpKind::Array"], ["entry main (_: ", "[1]", "i32", "", ") = 1i32"]),
    nest(&["TypeExpKind::Sum"], ["entry main (_: ", "#a (", "i32", ")", ") = 1i32"]),
    nest(&["TypeExpKind::Arrow"], ["def f (_: ", "i32 -> ", "i32", "", ") = 1i32\nentry main = 1i32"]),
    nest(&["TypeExpKind::Arrow"], ["def f (_: ", "(", "i32", ") -> i32", ") = 1i32\nentry main = 1i32"]),
    nest(&["TypeExpKind::Apply"], ["type u 'a = {x: a}\nentry main (_: ", "u (", "i32", ")", ") = 1i32"]),
    nest(&["TypeExpKind::Apply"], ["type u 'a = (a, a)\nentry main (_: ", "u (", "i32", ")", ") = 1i32"]),
    nest(&["TypeExpKind::Unique"], ["entry main (_: ", "* ", "[1]i32", "", ") = 1i32"]),
    nest(&["TypeExpKind::Exists"], ["def f (): ", "?[n].([n]i32, ", "?[n].[n]i32", ")", " = ???\nentry main = 1i32"]),
    nest(&["DecKind::Module", "ModExpKind::Decs"], ["", "module m = { ", "def x = 1i32", " }", "\nentry main = 1i32"]),
    nest(&["DecKind::Module"], ["", "module m = m\n", "", "", "\nentry main = 1i32"]),
    nest(&["DecKind::ModType"], ["", "module m = { module type t = {} ", "", " }", "\nentry main = 1i32"]),
    nest(&["DecKind::Open"], ["", "open { ", "def x = 1i32", " }", "\nentry main = x"]),
    nest(&["DecKind::Local"], ["", "local ", "def x = 1i32", "", "\nentry main = x"]),
    nest(&["ModExpKind::Paren"], ["module m = ", "(", "{}", ")", "\nentry main = 1i32"]),
    nest(&["ModExpKind::Apply"], ["module f (p: {}) = {}\nmodule m = ", "f (", "{}", ")", "\nentry main = 1i32"]),
    nest(&["ModExpKind::Apply"], ["module f (p: {}) = {}\nmodule m = ", "", "f", " {}", "\nentry main = 1i32"]),
    nest(&["ModExpKind::Ascript"], ["module m = ", "", "{}", " : {}", "\nentry main = 1i32"]),
    nest(&["ModExpKind::Lambda"], ["module m = ", "\\(p: {}) -> ", "{}", "", "\nentry main = 1i32"]),
    nest(&["ModTypeExpKind::Paren"], ["module type t = ", "(", "{}", ")", "\nentry main = 1i32"]),
    nest(
        &["ModTypeExpKind::Specs", "SpecKind::Module"],
        ["module type t = ", "{ module m : ", "{}", " }", "\nentry main = 1i32"],
    ),
    nest(
        &["ModTypeExpKind::With"],
        ["module type a = {type t}\nmodule type b = ", "", "a", " with t = i32", "\nentry main = 1i32"],
    ),
    nest(&["ModTypeExpKind::Arrow"], ["module type t = ", "(p: {}) -> ", "{}", "", "\nentry main = 1i32"]),
    nest(&["SpecKind::Include"], ["module type t = ", "{ include ", "{}", " }", "\nentry main = 1i32"]),
    nest(&["AttrKind::Compound"], ["#[", "a(", "b", ")", "]\nentry main = 1i32"]),
    nest(&[], ["", "-- | A\n", "", "", "entry main = 1i32"]),
    nest(&[], ["", "-- a\n", "", "", "entry main = 1i32"]),
    nest(&[], ["", "#[a] ", "", "", "entry main = 1i32"]),
    nest(&[], ["entry main (x: i32) = (", "x, ", "x", "", ").0"]),
    nest(&[], ["entry main (x: i32) = [", "x, ", "x", "", "]"]),
    nest(&[], ["entry main = [", "1, ", "2i32", "", "]"]),
    nest(&[], ["def f", " (_: i32)", "", "", " = 1i32\nentry main = 1i32"]),
    nest(&[], ["module f", " (p: {})", "", "", " = {}\nentry main = 1i32"]),
    nest(&[], ["def f", " 'a", "", "", " (x: i32) = x\nentry main = 1i32"]),
    nest(&[], ["def x = m", ".m", "", "", "\nentry main = 1i32"]),
];

/// How often each kind of node occurs in a program.
fn occurrences(text: &str) -> Vec<&'static str> {
    let (mut ast, mut sources, mut diagnostics) = (Ast::default(), SourceMap::new(), Diagnostics::default());
    let file = sources.add("a.fut", text.to_string());
    let parsed = parse_file(&mut ast, file, text, &mut diagnostics);
    assert!(!diagnostics.has_errors() && !parsed.decs.is_empty(), "{text}");
    let mut found = Vec::new();
    fn attributes(kind: &AttrKind, found: &mut Vec<&'static str>) {
        found.push(attr(kind));
        if let AttrKind::Compound(_, args) = kind {
            args.iter().for_each(|arg| attributes(arg, found));
        }
    }
    for (_, node) in ast.exprs.iter() {
        found.push(expr(&node.kind));
        match &node.kind {
            ExprKind::Index(_, slice) => found.extend(slice.dims.iter().map(dim)),
            ExprKind::Loop { form: of, .. } => found.push(form(of)),
            _ => {}
        }
    }
    found.extend(ast.pats.iter().map(|(_, node)| pat(&node.kind)));
    found.extend(ast.types.iter().map(|(_, node)| ty(&node.kind)));
    found.extend(ast.decs.iter().map(|(_, node)| dec(&node.kind)));
    found.extend(ast.mod_exps.iter().map(|(_, node)| module(&node.kind)));
    found.extend(ast.mod_types.iter().map(|(_, node)| module_type(&node.kind)));
    found.extend(ast.specs.iter().map(|(_, node)| spec(&node.kind)));
    for (_, node) in ast.decs.iter() {
        node.attrs.iter().for_each(|attr| attributes(&attr.kind, &mut found));
    }
    found
}

#[test]
fn every_kind_of_node_is_nested() {
    for nest in NESTS {
        let text = nest.program(3);
        let found = occurrences(&text);
        for kind in nest.kinds {
            assert!(found.iter().filter(|name| *name == kind).count() >= 3, "{kind} is not nested in {text}");
        }
    }
    let nested: Vec<&str> = NESTS.iter().flat_map(|nest| nest.kinds).copied().collect();
    let missing: Vec<&&str> = KINDS.iter().filter(|kind| !nested.contains(kind)).collect();
    assert!(missing.is_empty(), "nothing nests {missing:?}");
}

fn folder(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("depth-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The program is right or wrong, and the compiler says so.
fn answers(folder: &Path, number: usize, nest: &Nest, depth: usize, command: &[&str]) {
    let name = format!("{number}.fut");
    fs::write(folder.join(&name), nest.program(depth)).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_kenaz"))
        .current_dir(folder)
        .args(command)
        .arg(&name)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let stderr: String = stderr.chars().take(1000).collect();
    let what = format!("{} {} at depth {depth}: {:?}\n{stderr}", command[0], nest.program(2), output.status);
    assert!(matches!(output.status.code(), Some(0 | 2)), "{what}");
    assert!(output.stdout.len() + output.stderr.len() < 10_000_000 || command[0] == "ir", "{what}");
}

fn all_answer(test: &str, depth: usize, command: &[&str]) {
    let folder = folder(test);
    NESTS.par_iter().enumerate().for_each(|(number, nest)| answers(&folder, number, nest, depth, command));
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_hundred_thousand_levels_are_checked() {
    all_answer("check", 100_000, &["check"]);
}

/// Most of this many levels are allowed, and go through all stages.
#[test]
fn a_hundred_levels_are_compiled() {
    all_answer("compile", 100, &["c", "--library"]);
}
