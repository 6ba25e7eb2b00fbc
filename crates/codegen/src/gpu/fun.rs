//! Regions for the threads of a device. The body of one becomes a kernel:
//!
//! ```c
//! // a loop of main, a.fut:1:12-30
//! KZ_KERNEL main_1(KZ_GLOBAL int *kz_error, int64_t threads, KZ_GLOBAL const float *KZ_RESTRICT xs, …) {
//!   int64_t thread = kz_thread();
//!   if (thread >= threads) return;
//!   KZ_BEGIN
//!   …
//! }
//! ```
//!
//! Those for the blocks of a device are in [`super::block`]. All kernels are one text, which the host has as a string:
//! rts/kernel.h, the parts of rts/ with the operations on scalars that they need, tables of constants, and then the
//! kernels. Each of these stands under a condition, so that one can be compiled without the others: most programs have
//! more kernels than a run needs.

use super::block::{BlockCode, is_crowded, width_of_rows};
use super::narrow::narrow;
use super::stm::Failures;
use crate::dialect::exp::{c_type, element_type};
use crate::dialect::names::Scopes;
use crate::dialect::tables::Tables;
use crate::dialect::text::{Lines, quoted};
use crate::dialect::writer::{Place, Tunables, Writer};
use crate::multicore::RegionFn;
use crate::parts::{Needs, Part};
use crate::uses::{Copies, ParamUse, Summary, Uses};
use kenaz_base::Prim;
use kenaz_imp::{Index, Param, Region, Ty};
use kenaz_ir::target::Dialect;
use kenaz_ir::{Level, Locs, Name, Target};
use rustc_hash::{FxHashMap, FxHashSet};

/// The kernels of a program as text.
#[derive(Debug, Default)]
pub(crate) struct Kernels {
    names: Vec<String>,
    /// Which of them are compiled for numbers of 32 bits as well.
    are_narrow: Vec<bool>,
    text: String,
    needs: Needs,
    tables: Tables,
    /// The kernels that use a table, by its number.
    users: Vec<Vec<usize>>,
    failures: Failures,
    /// What is known of variables of regions.
    indices: FxHashMap<Name, Index>,
    /// Whether a check of one of them can fail.
    is_checked: bool,
}

impl Kernels {
    pub(crate) fn new(indices: FxHashMap<Name, Index>) -> Kernels {
        Kernels { indices, ..Kernels::default() }
    }

    /// A region as a kernel.
    pub(crate) fn add(
        &mut self,
        region: &Region,
        stem: String,
        locs: &Locs,
        host_needs: &Needs,
        tunables: &Tunables,
    ) -> RegionFn {
        let (funs, regions) = (FxHashMap::default(), FxHashMap::default());
        let uses = Uses::of(&region.body, &[], &funs, &regions, Copies::Plain);
        let used = |param: &Param| match param.ty {
            _ if !uses.is_live(param.name) => ParamUse::Unused,
            Ty::Scalar(prim) => ParamUse::Scalar(prim),
            Ty::Block(_) => ParamUse::Block {
                prim: uses.prim(param.name),
                is_const: uses.blocks.get(&param.name).is_none_or(|used| !used.changed),
            },
        };
        let params: Vec<ParamUse> = region.params.iter().map(used).collect();
        let mut w = Writer {
            lines: Lines::default(),
            scopes: Scopes::of_kernel(),
            uses: &uses,
            summaries: &funs,
            regions: &regions,
            is_chunk: false,
            place: Place::Kernel { failures: &self.failures, host_needs },
            locs,
            needs: &self.needs,
            tables: &self.tables,
            tunables,
            pointers: FxHashMap::default(),
            private: FxHashSet::default(),
            shared: FxHashSet::default(),
            block: (region.level == Level::Block).then(BlockCode::default),
            held: None,
            direct: FxHashSet::default(),
            late: FxHashMap::default(),
            narrow: narrow(region, &self.indices),
            in_vectors: false,
            rank: 0,
        };
        let [thread, threads] = region.ids[..] else { panic!("a kernel has two ids") };
        let threads = w.scopes.declare(threads);
        let mut head = vec!["KZ_GLOBAL int *kz_error".to_string()];
        // Numbers come with 64 bits.
        let mut numbers = vec![(threads.clone(), w.scopes.fresh("threads_wide"))];
        head.push(format!("int64_t {}", numbers[0].1));
        for (param, used) in region.params.iter().zip(&params) {
            let ident = match used {
                ParamUse::Unused => continue,
                _ => w.scopes.declare(param.name),
            };
            head.push(match *used {
                ParamUse::Unused => continue,
                // A `bool` has no size that host and device agree on.
                ParamUse::Scalar(Prim::Bool) => format!("uint8_t {ident}"),
                ParamUse::Scalar(Prim::I64) => {
                    let wide = w.scopes.fresh(&format!("{ident}_wide"));
                    let param = format!("int64_t {wide}");
                    numbers.push((ident, wide));
                    param
                }
                ParamUse::Scalar(prim) => format!("{} {ident}", c_type(&self.needs, prim)),
                ParamUse::Block { prim, is_const } => {
                    w.pointers.insert(param.name, prim);
                    let element = prim.map_or("void", |prim| element_type(&self.needs, prim));
                    match (is_const, prim) {
                        (true, Some(_)) => format!("KZ_GLOBAL const {element} *KZ_RESTRICT {ident}"),
                        (true, None) => format!("KZ_GLOBAL const {element} *{ident}"),
                        (false, _) => format!("KZ_GLOBAL {element} *{ident}"),
                    }
                }
            });
        }
        let place: String = locs.chain(region.loc).first().map(|place| format!(", {place}")).unwrap_or_default();
        w.lines.line(format!("// a loop of {}{place}", region.fun).replace(['\n', '\\'], " "));
        let thread = w.scopes.declare(thread);
        let width = width_of_rows(region).filter(|width| uses.is_live(*width));
        if region.level == Level::Block {
            let kind = if is_crowded(&region.body) { "KZ_CROWDED_KERNEL" } else { "KZ_BLOCK_KERNEL" };
            w.lines.open(format!("{kind} {stem}({} KZ_SHARED_PARAM) {{", head.join(", ")));
            w.lines.line("KZ_SHARED_BEGIN");
            w.declare_numbers(&numbers);
            w.lines.line(format!("int64_t {thread} = kz_group();"));
            if let Some(width) = width {
                let width = w.scopes.get(width).to_string();
                w.lines.line(format!("KZ_ROWS_BEGIN({thread}, {threads}, {width})"));
            }
            w.begin_block(&region.body);
        } else {
            w.lines.open(format!("KZ_KERNEL {stem}({}) {{", head.join(", ")));
            w.declare_numbers(&numbers);
            w.lines.line(format!("kz_int {thread} = kz_thread();"));
            w.lines.line(format!("if ({thread} >= {threads}) return;"));
            w.lines.line("KZ_BEGIN");
        }
        w.stms(&region.body);
        w.lines.close("}");
        w.lines.line("");
        let Writer { lines, narrow, .. } = w;
        let kernel = self.names.len();
        self.names.push(stem.clone());
        self.are_narrow.push(!narrow.is_empty());
        self.text.push_str(&wanted([&stem], &lines.text));
        for table in self.tables.asked() {
            if self.users.len() <= table {
                self.users.resize(table + 1, Vec::new());
            }
            self.users[table].push(kernel);
        }
        self.is_checked |= uses.fails;
        let summary = Summary { ident: stem.clone(), fails: uses.fails, needs_context: true, returns: None, params };
        RegionFn { stem, summary, kernel: Some(kernel), is_of_rows: width.is_some(), is_narrow: !narrow.is_empty() }
    }

    /// The text of all kernels and their names, for the run-time system, and what their failures mean.
    pub(crate) fn write(&self, lines: &mut Lines, target: &Target) {
        let mut text = String::new();
        if self.is_checked {
            text.push_str("#define KZ_CHECKED\n");
        }
        text.push_str(&Part::Kernel.section(target));
        for part in [Part::Integer, Part::Bits, Part::Real, Part::Convert, Part::Half] {
            let half = self.needs.has(Part::Half) && matches!(part, Part::Real | Part::Convert);
            if self.needs.has(part) || half {
                text.push_str(&part.section(target));
            }
        }
        for (table, users) in self.tables.texts().iter().zip(&self.users) {
            text.push_str(&wanted(users.iter().map(|&kernel| &self.names[kernel]), table));
        }
        text.push_str(&self.text);
        lines.open("static const char *const kz_kernel_text[] = {");
        // No compiler has to take strings of more than 4095 characters.
        let mut piece = String::new();
        for line in text.split_inclusive('\n') {
            if piece.len() + line.len() > 2000 && !piece.is_empty() {
                lines.line(format!("{},", quoted(&piece)));
                piece.clear();
            }
            piece.push_str(line);
        }
        lines.line(format!("{},", quoted(&piece)));
        lines.line("NULL,");
        lines.close("};");
        let names: String = self.names.iter().map(|name| format!("\"{name}\", ")).collect();
        lines.line(format!("static const char *const kz_kernel_names[] = {{{names}NULL}};"));
        if target.dialect == Dialect::Cuda {
            let are_narrow: String = self.are_narrow.iter().map(|&is| if is { "1, " } else { "0, " }).collect();
            lines.line(format!("static const char kz_narrow_kernels[] = {{{are_narrow}0}};"));
            lines.line("KZ_FN bool kz_kernel_is_narrow(int kernel) { return kz_narrow_kernels[kernel] != 0; }");
        }
        lines.line("static const char *const *kz_kernel_texts(void) { return kz_kernel_text; }");
        lines.line("static const char *const *kz_kernel_list(void) { return kz_kernel_names; }");
        self.failures.write(lines);
    }
}

impl Writer<'_> {
    /// Declares numbers by what came with 64 bits.
    fn declare_numbers(&mut self, numbers: &[(String, String)]) {
        for (ident, wide) in numbers {
            self.lines.line(format!("kz_int {ident} = {wide};"));
        }
    }
}

/// The text, to be compiled with all kernels or with one of these.
fn wanted<'a>(kernels: impl IntoIterator<Item = &'a String>, text: &str) -> String {
    let one: String = kernels.into_iter().map(|name| format!(" || defined(KZ_ONE_{name})")).collect();
    format!("#if !defined(KZ_ONE){one}\n{text}#endif\n")
}
