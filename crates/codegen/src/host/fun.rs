//! Functions. One that may fail yields an error code and its results through pointers; one that cannot fail and has a
//! scalar as its only result yields that.

use crate::dialect::exp;
use crate::dialect::names::{Scopes, encode, unique};
use crate::dialect::tables::Tables;
use crate::dialect::text::Lines;
use crate::dialect::writer::{Place, Tunables, Writer};
use crate::gpu::Kernels;
use crate::multicore::{RegionFn, write_run};
use crate::parts::Needs;
use crate::uses::{Copies, ParamUse, Summary, Uses};
use kenaz_base::{Prim, Symbol};
use kenaz_imp::{Fun, Param, Prog, Region, Stm, Ty};
use kenaz_ir::{Level, LocId, Locs, Name, Space, Target};
use rustc_hash::{FxHashMap, FxHashSet};

/// The functions of a program as text.
#[derive(Debug)]
pub(super) struct Functions {
    copies: Copies,
    pub text: String,
    pub kernels: Kernels,
    pub summaries: FxHashMap<Symbol, Summary>,
    /// The most dimensions of an array that is copied or traced.
    pub rank: usize,
    pub needs: Needs,
    pub tables: Tables,
    pub tunables: Tunables,
    idents: Idents,
}

/// What the functions of a program are called.
#[derive(Debug, Default)]
pub(super) struct Idents(FxHashSet<String>);

impl Idents {
    /// A function that comes after those that were asked for before.
    pub(super) fn of_fun(&mut self, fun: &Fun) -> String {
        let name = fun.name.as_str();
        let name = if fun.entry.is_some() { name.strip_prefix("entry_").unwrap_or(name) } else { name };
        let (ident, _) = unique(&format!("fun_{}", encode(name)), 1, |ident| self.0.contains(ident));
        self.0.insert(ident.clone());
        ident
    }
}

/// What all that is made of a region is called after, from what its function is called and which of its regions it is.
pub(super) fn region_stem(ident: &str, number: usize) -> String {
    format!("{}_{number}", ident.strip_prefix("fun_").unwrap_or(ident))
}

impl Functions {
    /// Those of a program for a target: on several threads they share large copies.
    pub(super) fn new(prog: &Prog, target: &Target) -> Functions {
        let copies = match target.host_space {
            Space::Device => Copies::Far,
            _ if target.runs(Level::Core) => Copies::Shared,
            _ => Copies::Plain,
        };
        Functions {
            copies,
            text: String::new(),
            kernels: Kernels::new(prog.indices.clone()),
            summaries: FxHashMap::default(),
            rank: 0,
            needs: Needs::default(),
            tables: Tables::default(),
            tunables: Tunables::default(),
            idents: Idents::default(),
        }
    }

    /// A function, after its regions.
    pub(super) fn add(&mut self, fun: &Fun, regions: &[&Region], locs: &Locs) {
        let ident = self.idents.of_fun(fun);
        let mut written = FxHashMap::default();
        for (region, number) in regions.iter().zip(1..) {
            let stem = region_stem(&ident, number);
            let region_fn = self.add_region(region, stem, &written, locs);
            written.insert(region.name, region_fn);
        }
        let summary = self.write(&Code::of_fun(fun), ident, &written, locs);
        self.summaries.insert(fun.name, summary);
    }

    /// The body of a region, and what calls it.
    fn add_region(
        &mut self,
        region: &Region,
        stem: String,
        regions: &FxHashMap<Symbol, RegionFn>,
        locs: &Locs,
    ) -> RegionFn {
        // One folder for each level that has regions.
        if region.level != Level::Core {
            return self.kernels.add(region, stem, locs, &self.needs, &self.tunables);
        }
        let summary = self.write(&Code::of_region(region), format!("loop_{stem}"), regions, locs);
        let of = RegionFn { stem, summary, kernel: None, is_of_rows: false, is_narrow: false };
        let mut lines = Lines::default();
        write_run(&mut lines, region, &of, &self.needs);
        self.text.push_str(&lines.text);
        of
    }

    fn write(&mut self, code: &Code<'_>, ident: String, regions: &FxHashMap<Symbol, RegionFn>, locs: &Locs) -> Summary {
        // In a chunk of a loop, the threads are busy with the others.
        let is_chunk = code.is_region;
        let copies = if is_chunk { Copies::Plain } else { self.copies };
        let place = match copies {
            Copies::Far => Place::Host,
            Copies::Plain | Copies::Shared => Place::Cpu { shares_copies: copies == Copies::Shared },
        };
        let uses = Uses::of(code.body, code.results, &self.summaries, regions, copies);
        let summary = summary(code, ident, &uses);
        let mut writer = Writer {
            lines: Lines::default(),
            scopes: Scopes::new(),
            uses: &uses,
            summaries: &self.summaries,
            regions,
            is_chunk,
            place,
            locs,
            needs: &self.needs,
            tables: &self.tables,
            tunables: &self.tunables,
            pointers: FxHashMap::default(),
            private: FxHashSet::default(),
            shared: FxHashSet::default(),
            block: None,
            held: None,
            direct: FxHashSet::default(),
            late: FxHashMap::default(),
            narrow: FxHashSet::default(),
            in_vectors: false,
            rank: self.rank,
        };
        write(&mut writer, code, &summary);
        let Writer { lines, rank, .. } = writer;
        self.text.push_str(&lines.text);
        self.rank = rank;
        summary
    }
}

/// A piece of code that becomes one C function: a function, or the body of a region.
struct Code<'a> {
    /// As people call it.
    title: String,
    params: Vec<Param>,
    results: &'a [Param],
    body: &'a [Stm],
    loc: LocId,
    is_region: bool,
}

impl<'a> Code<'a> {
    fn of_fun(fun: &'a Fun) -> Code<'a> {
        let Fun { name, params, results, body, loc, .. } = fun;
        Code { title: name.to_string(), params: params.clone(), results, body, loc: *loc, is_region: false }
    }

    fn of_region(region: &'a Region) -> Code<'a> {
        let ids = region.ids.iter().map(|name| Param { name: *name, ty: Ty::Scalar(Prim::I64) });
        let params = region.params.iter().cloned().chain(ids).collect();
        let title = format!("a loop of {}", region.fun);
        Code { title, params, results: &[], body: &region.body, loc: region.loc, is_region: true }
    }
}

fn summary(code: &Code<'_>, ident: String, uses: &Uses) -> Summary {
    let param = |param: &Param| match param.ty {
        _ if !uses.is_live(param.name) => ParamUse::Unused,
        Ty::Scalar(prim) => ParamUse::Scalar(prim),
        Ty::Block(_) => ParamUse::Block {
            prim: uses.prim(param.name),
            is_const: uses.blocks.get(&param.name).is_none_or(|used| !used.changed),
        },
    };
    let returns = match code.results {
        [Param { ty: Ty::Scalar(prim), .. }] if !uses.fails => Some(*prim),
        _ => None,
    };
    Summary {
        ident,
        fails: uses.fails,
        needs_context: uses.needs_context,
        returns,
        params: code.params.iter().map(param).collect(),
    }
}

fn write(w: &mut Writer<'_>, code: &Code<'_>, summary: &Summary) {
    let mut params = Vec::new();
    if summary.needs_context {
        params.push("struct futhark_context *ctx".to_string());
    }
    // The pointers through which results leave, unless there is one that is returned.
    let mut outs: Vec<(Name, String, Ty)> = Vec::new();
    for result in code.results.iter().filter(|_| summary.returns.is_none()) {
        let is_set_once = w.uses.sets.get(&result.name).is_some_and(|sets| sets.count == 1);
        let is_accessed = w.uses.blocks.get(&result.name).is_some_and(|used| !used.prims.is_empty());
        let is_direct = is_set_once && !is_accessed && is_set_in(code.body, result.name);
        let base = result.name.base.as_str();
        let ident = w.scopes.fresh(&format!("{}_out", base.strip_suffix("_mem").unwrap_or(base)));
        if is_direct {
            w.direct.insert(result.name);
            w.scopes.rename(result.name, ident.clone());
        } else {
            outs.push((result.name, ident.clone(), result.ty));
        }
        params.push(match result.ty {
            Ty::Scalar(prim) => format!("{} *{ident}", w.ty(prim)),
            Ty::Block(_) => format!("void **{ident}"),
        });
    }
    for (param, used) in code.params.iter().zip(&summary.params) {
        match *used {
            ParamUse::Unused => {}
            ParamUse::Scalar(prim) => params.push(format!("{} {}", w.ty(prim), w.scopes.declare(param.name))),
            ParamUse::Block { prim, is_const } => {
                let ident = w.scopes.declare(param.name);
                params.push(pointer(w, prim, is_const, &ident));
                w.pointers.insert(param.name, prim);
            }
        }
    }
    let result = match summary.returns {
        Some(prim) => w.ty(prim),
        None if summary.fails => "int",
        None => "void",
    };
    let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
    w.lines.line(comment(code, w.locs));
    w.lines.open(format!("static {result} {}({params}) {{", summary.ident));
    if w.uses.calls_failing {
        w.lines.line("int err;");
    }
    match (summary.returns, code.results.first()) {
        (Some(prim), Some(result)) => returned(w, code.body, result.name, prim),
        _ => {
            for (name, _, ty) in &outs {
                let left = w.declare(*name, *ty);
                w.lines.line(format!("{left};"));
            }
            w.stms(code.body);
            for (name, ident, _) in &outs {
                let value = w.scopes.get(*name).to_string();
                w.lines.line(format!("*{ident} = {value};"));
            }
            if summary.fails {
                w.lines.line("return 0;");
            }
        }
    }
    w.lines.close("}");
    w.lines.line("");
}

/// The body of a function that returns its only result.
fn returned(w: &mut Writer<'_>, stms: &[Stm], result: Name, prim: Prim) {
    if let Some((Stm::Set { name, value }, body)) = stms.split_last()
        && *name == result
        && w.uses.sets.get(&result).is_some_and(|sets| sets.count == 1)
    {
        w.stms(body);
        let value = exp::plain(w, value);
        w.lines.line(format!("return {value};"));
        return;
    }
    // Declared like any other variable.
    let mut body = vec![Stm::Declare { name: result, ty: Ty::Scalar(prim) }];
    body.extend(stms.iter().cloned());
    w.stms(&body);
    let value = w.scopes.get(result).to_string();
    w.lines.line(format!("return {value};"));
}

/// A parameter that is a block. What is only read does not change under our hands: whoever is allowed to write to a
/// block is the only one to have it.
fn pointer(w: &Writer<'_>, prim: Option<Prim>, is_const: bool, ident: &str) -> String {
    match (prim, is_const) {
        (Some(prim), true) => format!("const {} *restrict {ident}", w.element(prim)),
        (Some(prim), false) => format!("{} *{ident}", w.element(prim)),
        (None, true) => format!("const void *{ident}"),
        (None, false) => format!("void *{ident}"),
    }
}

/// Whether one of the statements, not one inside of them, sets a variable.
fn is_set_in(stms: &[Stm], variable: Name) -> bool {
    stms.iter().any(|stm| match stm {
        Stm::Set { name, .. } | Stm::SetBlock { name, .. } => *name == variable,
        Stm::Call { results, .. } => results.contains(&variable),
        _ => false,
    })
}

/// The name in the program and where it stands there.
fn comment(code: &Code<'_>, locs: &Locs) -> String {
    let place: String = locs.chain(code.loc).first().map(|place| format!(", {place}")).unwrap_or_default();
    format!("// {}{place}", code.title).replace(['\n', '\\'], " ")
}
