//! Whether the programs of tests/run execute everything that there is: every operation of the IR at every type, every
//! intrinsic, and every kind of check, once when it holds and once when it does not. docs/coverage.md is made from what
//! was executed, and `BLESS=1 cargo test --test it coverage` rewrites it.

use kenaz_base::{Prim, RealFileSystem};
use kenaz_driver::{Compiler, entry_points, function};
use kenaz_elaborate::translate::Translate;
use kenaz_interp::{Environment, compile};
use kenaz_ir::{BinOp, CmpOp, MathFn, Prog, UnOp, target};
use kenaz_runtime::{Tolerance, Value};
use kenaz_sema::intrinsics;
use kenaz_testing::{CompileError, Compiled, EntryPoint, Executor, Options, Program, RunError, find_programs, run};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::{fs, io};

const TABLE: &str = "docs/coverage.md";

/// What programs in the language cannot execute: rows, columns, and why. The tests of the interpreter do, with programs
/// in IR text.
const EXCEPTIONS: &[(&[&str], &[&str], &str)] = &[
    (&["sgn"], ALL_BUT_F64, "the prelude compares with zero; only derivatives need it"),
    (&["abs"], UNSIGNED, "the prelude leaves them as they are"),
    (
        &[
            "cbrt", "exp", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
            "cosh", "tanh", "asinh", "acosh", "atanh", "atan2", "hypot", "gamma", "lgamma", "erf", "erfc", "ldexp",
            "copysign",
        ],
        &["f16"],
        "the prelude computes them as `f32`",
    ),
    (&["nextafter"], &["f16", "f32", "f64"], "the prelude counts the representation up or down"),
    (&["ne"], &["f16", "f32", "f64", "bool"], "`!=` is the opposite of `eq`; there are no divisors of these types"),
    (&["xor"], &["bool"], "the prelude compares"),
    (&["iota"], UNSIGNED, "ranges are of signed numbers"),
    (
        &["i8 to", "i16 to", "i32 to", "i64 to", "u8 to", "u16 to", "u32 to", "u64 to", "f16 to", "f32 to", "f64 to"],
        &["bool"],
        "the prelude compares with zero",
    ),
    (&["match"], &["executed"], "only optimisations make them"),
    (&["Size of"], &["failed"], "sizes that are equal by typing"),
];

const UNSIGNED: &[&str] = &["u8", "u16", "u32", "u64"];
const ALL_BUT_F64: &[&str] = &["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32"];

/// The kinds of expressions that have no type in their label.
const EXPRESSIONS: &[&str] = &[
    "operand",
    "index",
    "slice",
    "update",
    "array",
    "replicate",
    "scratch",
    "concat",
    "rearrange",
    "reshape",
    "resize",
    "copy",
    "flat index",
    "flat update",
    "if",
    "match",
    "loop for",
    "loop while",
    "call",
    "trace",
    "opaque",
    "screma map",
    "screma scan",
    "screma reduce",
    "filter",
    "scatter",
    "hist",
    "with_acc",
    "update_acc",
];

/// The kinds of checks: how the text begins.
const CHECKS: &[&str] = &[
    "Assertion is false: ",
    "Cannot unflatten array of shape ",
    "Entry point arguments have invalid sizes: ",
    "Flat slice from ",
    "Index [",
    "Range ",
    "Reached hole.",
    "Size of ",
    "Value of shape ",
    "division by zero",
    "negative exponent",
];

/// What has been executed so far.
#[derive(Default)]
struct Executed {
    /// The labels of expressions.
    labels: BTreeSet<String>,
    intrinsics: BTreeSet<String>,
    /// The texts of checks that held, and those of errors.
    passed: BTreeSet<String>,
    failed: BTreeSet<String>,
}

/// The interpreter, taking notes.
#[derive(Default)]
struct Counting(Arc<Mutex<Executed>>);

struct Counted {
    compiled: kenaz_interp::Compiled,
    entry_points: Vec<EntryPoint>,
    prog: Prog,
    intrinsics: BTreeSet<String>,
    executed: Arc<Mutex<Executed>>,
}

impl Executor for Counting {
    fn name(&self) -> &'static str {
        "interpreter"
    }

    fn is_interpreter(&self) -> bool {
        true
    }

    fn compile(&self, path: &Path) -> Result<Compiled, CompileError> {
        let compiler = Compiler::new(&RealFileSystem, &target::C);
        let checked = compiler.check(path);
        let mut intrinsics = BTreeSet::new();
        if !checked.diagnostics.has_errors() {
            let mut translate = Translate::new(&checked);
            translate.entry_points().map_err(|diagnostic| CompileError::Failed(diagnostic.message))?;
            intrinsics = intrinsics_in(&translate.prog.text());
        }
        let elaborated = compiler.elaborate_checked(path, checked).map_err(kenaz_driver::CompileError::from)?;
        let prog = elaborated.prog;
        let compiled = compile(&prog, kenaz_interp::Options { count: true, ..Default::default() });
        let entry_points = entry_points(&prog);
        let program = Counted { compiled, entry_points, prog, intrinsics, executed: self.0.clone() };
        Ok(Compiled { program: Box::new(program), warnings: String::new() })
    }
}

/// The intrinsics that the text of a program in the core applies: `(scan …)`. Names of the program have a number behind
/// them.
fn intrinsics_in(core: &str) -> BTreeSet<String> {
    let names = core.split('(').skip(1).map(|rest| rest.split([' ', ')', '\n']).next().unwrap_or_default());
    names.filter(|name| intrinsics::lookup(name).is_some()).map(str::to_string).collect()
}

impl Program for Counted {
    fn entry_points(&self) -> &[EntryPoint] {
        &self.entry_points
    }

    fn fingerprint(&self) -> String {
        self.prog.to_string()
    }

    fn run(&self, entry: &str, arguments: Vec<Value>) -> Result<Vec<Value>, RunError> {
        let mut environment = Environment { trace: Box::new(io::sink()), ..Environment::default() };
        let result = self.compiled.run_entry(&function(entry), arguments, &mut environment);
        let labels = environment.counts.into_iter().filter(|(_, count)| *count > 0).map(|(label, _)| label);
        let mut executed = self.executed.lock().unwrap();
        executed.intrinsics.extend(self.intrinsics.iter().cloned());
        match result {
            Ok(values) => {
                for label in labels {
                    if let Some(text) = label.strip_prefix("assert ") {
                        executed.passed.insert(text.to_string());
                    }
                    executed.labels.insert(label);
                }
                Ok(values)
            }
            Err(error) => {
                executed.labels.extend(labels);
                executed.failed.insert(error.message.clone());
                Err(error.into())
            }
        }
    }
}

/// A part of the page: for each row and each of the columns whether it was executed, or nothing where there is no such
/// thing.
struct Section {
    title: &'static str,
    columns: Vec<String>,
    rows: Vec<(String, Vec<Option<bool>>)>,
}

fn sections(executed: &Executed) -> Vec<Section> {
    let has = |label: String| executed.labels.contains(&label);
    let types: Vec<String> = Prim::ALL.iter().map(|p| p.name().to_string()).collect();
    let by_type = |name: &str, cell: &dyn Fn(Prim) -> Option<String>| {
        (name.to_string(), Prim::ALL.iter().map(|p| cell(*p).map(has)).collect::<Vec<_>>())
    };
    let mut operators = Vec::new();
    for op in UnOp::ALL {
        let label = |p: Prim| op.allows(p).then(|| format!("un {} {}", op.text(), p.name()));
        operators.push(by_type(op.text(), &label));
    }
    for op in BinOp::ALL {
        let label = |p: Prim| op.allows(p).then(|| format!("bin {} {}", op.text(), p.name()));
        operators.push(by_type(op.text(), &label));
    }
    for op in CmpOp::ALL {
        operators.push(by_type(op.text(), &|p| Some(format!("cmp {} {}", op.text(), p.name()))));
    }
    // Sizes of blocks are computed in later stages.
    for f in MathFn::ALL.iter().filter(|f| **f != MathFn::SizeMul) {
        let label = |p: Prim| f.signature(p).map(|_| format!("math {} {}", f.text(), p.name()));
        operators.push(by_type(f.text(), &label));
    }
    operators.push(by_type("iota", &|p| p.is_integer().then(|| format!("iota {}", p.name()))));
    let conversion = |from: Prim| {
        let label = |to: Prim| (to != from).then(|| format!("conv {} {}", from.name(), to.name()));
        by_type(&format!("{} to", from.name()), &label)
    };
    let begins = |texts: &BTreeSet<String>, kind: &str| texts.iter().any(|text| text.starts_with(kind));
    let check = |kind: &&str| {
        // A hole is a check that never holds.
        let passed = (*kind != "Reached hole.").then(|| begins(&executed.passed, kind));
        (kind.trim_end_matches([' ', ':', '[']).to_string(), vec![passed, Some(begins(&executed.failed, kind))])
    };
    let intrinsic = |name: &str| (name.to_string(), vec![Some(executed.intrinsics.contains(name))]);
    vec![
        Section { title: "Operations on scalars", columns: types.clone(), rows: operators },
        Section { title: "Conversions", columns: types, rows: Prim::ALL.iter().map(|p| conversion(*p)).collect() },
        Section {
            title: "Other expressions",
            columns: vec!["executed".to_string()],
            rows: EXPRESSIONS.iter().map(|e| (e.to_string(), vec![Some(has(e.to_string()))])).collect(),
        },
        Section {
            title: "Checks",
            columns: vec!["held".to_string(), "failed".to_string()],
            rows: CHECKS.iter().map(check).collect(),
        },
        Section {
            title: "Intrinsics",
            columns: vec!["executed".to_string()],
            rows: intrinsics::all().iter().map(|def| intrinsic(&def.name)).collect(),
        },
    ]
}

#[test]
fn everything_is_executed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let counting = Counting::default();
    let options = Options {
        executor: &counting,
        reference: None,
        cache: None,
        tolerance: Tolerance::STRICT,
        exclude: Vec::new(),
        threads: None,
        progress: false,
    };
    run(&find_programs(&root.join("tests/run")).unwrap(), &options);
    let executed = counting.0.lock().unwrap();
    let sections = sections(&executed);
    let missing: BTreeSet<String> = sections.iter().flat_map(Section::missing).collect();
    let excepted: BTreeSet<String> = EXCEPTIONS
        .iter()
        .flat_map(|(rows, columns, _)| {
            rows.iter().flat_map(|row| columns.iter().map(move |col| format!("{row} {col}")))
        })
        .collect();
    let unexpected: Vec<_> = missing.difference(&excepted).collect();
    assert!(unexpected.is_empty(), "no program of tests/run executes {unexpected:?}");
    let stale: Vec<_> = excepted.difference(&missing).collect();
    assert!(stale.is_empty(), "no exceptions any more: {stale:?}");
    let page = page(&sections);
    if std::env::var_os("BLESS").is_some() {
        fs::write(root.join(TABLE), &page).unwrap();
    }
    let found = fs::read_to_string(root.join(TABLE)).unwrap_or_default();
    assert!(found == page, "{TABLE} is not what was executed; run this test with BLESS=1");
}

impl Section {
    /// What was not executed, as row and column.
    fn missing(&self) -> Vec<String> {
        let cells = self.rows.iter().flat_map(|(row, cells)| cells.iter().zip(&self.columns).map(move |c| (row, c)));
        cells.filter(|(_, (cell, _))| **cell == Some(false)).map(|(row, (_, col))| format!("{row} {col}")).collect()
    }
}

/// The text of docs/coverage.md.
fn page(sections: &[Section]) -> String {
    let mut out = String::from(HEADER);
    for Section { title, columns, rows } in sections {
        let _ = write!(out, "\n## {title}\n\n");
        if let [_] = &columns[..] {
            let left = rows.iter().filter(|(_, cells)| cells[0] == Some(false)).map(|(row, _)| format!("`{row}`"));
            let left: Vec<String> = left.collect();
            let but = if left.is_empty() { String::new() } else { format!(" but {}", left.join(" and ")) };
            let _ = writeln!(out, "All {}{but}.", rows.len());
            continue;
        }
        let _ = writeln!(out, "| | {} |\n|---{}|", columns.join(" | "), "|---".repeat(columns.len()));
        for (row, cells) in rows {
            let cells = cells.iter().map(|cell| match cell {
                Some(true) => "yes",
                Some(false) => "no",
                None => "",
            });
            let _ = writeln!(out, "| {row} | {} |", cells.collect::<Vec<_>>().join(" | "));
        }
    }
    out.push_str("\n## What is not executed, and why\n\n| what | at | reason |\n|---|---|---|\n");
    for (rows, columns, reason) in EXCEPTIONS {
        let _ = writeln!(out, "| {} | {} | {reason} |", rows.join(", "), columns.join(", "));
    }
    out
}

const HEADER: &str = "\
# What the programs of tests/run execute

Every operation of the IR at every type, every intrinsic, and every kind of check: whether one of the programs executes it
in the interpreter. An intrinsic counts when the elaboration of a program that is run uses it. An empty cell means that
there is no such thing. `BLESS=1 cargo test --test it coverage` rewrites this page.
";
