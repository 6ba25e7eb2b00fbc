//! Host code, which is C99 everywhere: executables, servers, libraries and modules, each as one file.
//!
//! The file begins with the parts of rts/ that the program needs and ends with `main`, a server, the C API or what
//! loads a module. What stands between them, the functions of the program and the tables that describe its entry
//! points, is made here:
//!
//! | module | |
//! |---|---|
//! | `fun`, `stm`, `copy` | functions, and what they ask of the run-time system |
//! | `entry`, `types` | wrappers of entry points, and tables of them and their types |
//! | `library`, `manifest` | the C API, its header, and a description of it for programs |

pub(crate) mod copy;
mod entry;
mod fun;
mod library;
mod manifest;
mod md5;
mod stm;
pub(crate) mod types;

use crate::dialect::text::Lines;
use crate::parts::{self, Needs, Part};
use fun::Functions;
use kenaz_base::Symbol;
use kenaz_imp::visit::for_each_stm;
use kenaz_imp::{Prog, Region, Stm};
use kenaz_ir::{EntryType, Level, Target};
use library::Api;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

/// Flags that stand before those of the user. Generated C looks neither at `errno` after a mathematical function nor
/// at which exceptions of floating-point arithmetic were raised; without saying so gcc makes no vectors of square roots
/// and of what is computed under a condition. A product and a sum may be rounded once instead of twice, as C compilers
/// do unless they are asked to keep to the standard, which we ask for.
pub const FLAGS: &[&str] = &["-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast"];

/// A program as C.
#[derive(Clone, Debug)]
pub struct CFile {
    pub text: String,
    /// What users of a library include.
    pub header: Option<String>,
    /// What a library has, for programs that make bindings to other languages: JSON.
    pub manifest: Option<String>,
    /// Where in the text the program itself is, without the run-time system.
    pub program: Range<usize>,
}

/// The choices about the generated text that do not follow from the program.
#[derive(Clone, Debug)]
pub struct Options {
    /// The file that the program is from, for people.
    pub source: String,
    pub target: &'static Target,
}

/// An executable that reads the arguments of an entry point from its standard input.
pub fn executable(prog: &Prog, options: &Options) -> CFile {
    let program = Program::new(prog, options.target);
    program.file(options, &[Part::Binary, Part::Text, Part::Program, Part::Main], None)
}

/// A server that obeys the commands on its standard input.
pub fn server(prog: &Prog, options: &Options) -> CFile {
    let mut program = Program::new(prog, options.target);
    let mut types: Vec<&Arc<EntryType>> = program.types.iter().filter(|ty| !types::is_scalar(ty)).collect();
    types.sort_by_key(|ty| ty.name.as_str());
    program.lines.open("static const struct kz_type *const kz_types[] = {");
    for ty in types {
        program.lines.line(format!("{},", types::reference(ty)));
    }
    program.lines.line("NULL,");
    program.lines.close("};");
    program.file(options, &[Part::Binary, Part::Text, Part::Program, Part::Server], None)
}

/// A library with the documented C API.
pub fn library(prog: &Prog, options: &Options) -> CFile {
    let mut program = Program::new(prog, options.target);
    let api = Api::new(prog, &program.types);
    program.needs.add(Part::Api);
    program.lines.line("");
    api.define(&mut program.lines, &program.needs);
    let manifest = manifest::manifest(prog, &program.types, options.target);
    let file = program.file(options, &[], Some(api.header(options.target)));
    CFile { manifest: Some(manifest), ..file }
}

/// A shared library that the compiler itself loads and calls, by way of the one symbol of rts/module.h.
pub fn module(prog: &Prog, options: &Options) -> CFile {
    let program = Program::new(prog, options.target);
    program.file(options, &[Part::Module], None)
}

/// The program's own part.
struct Program {
    lines: Lines,
    types: Vec<Arc<EntryType>>,
    needs: Needs,
    /// The most dimensions of any array that the run-time system sees.
    rank: usize,
}

impl Program {
    fn new(prog: &Prog, target: &Target) -> Program {
        let mut functions = Functions::new(target.runs(Level::Core));
        let regions = regions(prog);
        let reached = reached(prog, &regions);
        for fun in prog.funs.iter().filter(|fun| reached.contains(&fun.name)) {
            functions.add(fun, regions.get(&fun.name).map_or(&[], Vec::as_slice), &prog.locs);
        }
        let types = types::types(prog);
        let mut lines = Lines::default();
        for part in parts::PARAGRAPHS.iter().filter(|part| functions.needs.has(**part)) {
            lines.text.push_str(&part.paragraph());
        }
        lines.text.push_str(&functions.tables.text());
        lines.text.push_str(&functions.text);
        types::tables(&mut lines, &types, &functions.needs);
        lines.line("");
        entry::tables(&mut lines, prog, &functions);
        let parts = types.iter().flat_map(|ty| ty.parts());
        let rank = parts.map(|part| part.rank).max().unwrap_or(0).max(functions.rank).max(1);
        Program { lines, types, needs: functions.needs, rank }
    }

    /// The program, after the parts that it needs and before those of `after`.
    fn file(self, options: &Options, after: &[Part], header: Option<String>) -> CFile {
        let mut text = format!("// {} as C, by kenaz {}.\n\n", options.source, env!("CARGO_PKG_VERSION"));
        if header.is_some() {
            text.push_str(&format!("// It is fastest with -O3 -march=native {}.\n\n", FLAGS.join(" ")));
            text.push_str("#define KZ_API\n");
        }
        text.push_str(&format!("#define KZ_MAX_RANK {}\n\n", self.rank));
        for part in parts::needed(&self.needs, after, options.target) {
            text.push_str(&part.section(options.target));
        }
        let start = text.len();
        text.push_str(&self.lines.text);
        let program = start..text.len();
        text.push('\n');
        for part in after {
            text.push_str(&part.section(options.target));
        }
        CFile { text, header, manifest: None, program }
    }
}

/// The regions of each function.
fn regions(prog: &Prog) -> FxHashMap<Symbol, Vec<&Region>> {
    let mut regions: FxHashMap<Symbol, Vec<&Region>> = FxHashMap::default();
    for region in &prog.regions {
        regions.entry(region.fun).or_default().push(region);
    }
    regions
}

/// The functions that entry points come to.
fn reached(prog: &Prog, regions: &FxHashMap<Symbol, Vec<&Region>>) -> FxHashSet<Symbol> {
    let mut reached: FxHashSet<Symbol> = FxHashSet::default();
    // Callees stand before their callers.
    for fun in prog.funs.iter().rev() {
        if fun.entry.is_some() || reached.contains(&fun.name) {
            reached.insert(fun.name);
            let regions = regions.get(&fun.name).into_iter().flatten().map(|region| &region.body);
            for body in regions.chain([&fun.body]) {
                for_each_stm(body, &mut |stm| {
                    if let Stm::Call { fun, .. } = stm {
                        reached.insert(*fun);
                    }
                });
            }
        }
    }
    reached
}
