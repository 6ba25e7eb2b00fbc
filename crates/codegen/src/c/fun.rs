//! Functions. One that may fail yields an error code and its results through pointers; one that cannot fail and has a
//! scalar as its only result yields that.

use super::exp::c_type;
use super::names::{Scopes, encode, unique};
use super::parallel::{self, Loop};
use super::stm::Writer;
use super::text::Lines;
use super::uses::{ParamUse, Summary, Uses};
use kenaz_base::{Prim, Symbol};
use kenaz_imp::{Fun, Param, Stm, Ty};
use kenaz_ir::{Locs, Name};
use rustc_hash::{FxHashMap, FxHashSet};

/// The functions of a program as text.
#[derive(Debug, Default)]
pub struct Functions {
    has_threads: bool,
    pub text: String,
    pub summaries: FxHashMap<Symbol, Summary>,
    /// The most dimensions of an array that is copied or traced.
    pub rank: usize,
    /// Something prints values while the program runs.
    pub prints: bool,
    idents: FxHashSet<String>,
}

impl Functions {
    /// Those of a program for one thread or for several, which share large copies.
    pub fn new(has_threads: bool) -> Functions {
        Functions { has_threads, ..Functions::default() }
    }

    pub fn add(&mut self, fun: &Fun, locs: &Locs) {
        let name = fun.name.as_str();
        let name = if fun.entry.is_some() { name.strip_prefix("entry_").unwrap_or(name) } else { name };
        let ident = unique(&format!("fun_{}", encode(name)), |ident| self.idents.contains(ident));
        self.idents.insert(ident.clone());
        let mut loops = FxHashMap::default();
        for ((chunk, body), number) in parallel::bodies(fun).into_iter().zip(1..) {
            loops.insert(chunk, self.add_loop(&body, format!("{}_{number}", &ident["fun_".len()..]), locs));
        }
        let summary = self.write(fun, ident, &loops, locs);
        self.summaries.insert(fun.name, summary);
    }

    /// The body of a parallel loop, and what calls it.
    fn add_loop(&mut self, body: &Fun, stem: String, locs: &Locs) -> Loop {
        let summary = self.write(body, format!("loop_{stem}"), &FxHashMap::default(), locs);
        let free = body.params[..body.params.len() - 3].to_vec();
        let of = Loop { stem, free, summary };
        let mut lines = Lines::default();
        parallel::write_run(&mut lines, &of);
        self.text.push_str(&lines.text);
        of
    }

    fn write(&mut self, fun: &Fun, ident: String, loops: &FxHashMap<Name, Loop>, locs: &Locs) -> Summary {
        // In a chunk of a loop, the threads are busy with the others.
        let is_chunk = ident.starts_with("loop_");
        let shares_copies = self.has_threads && !is_chunk;
        let uses = Uses::of(fun, &self.summaries, loops, shares_copies);
        let summary = summary(fun, ident, &uses);
        let mut writer = Writer {
            lines: Lines::default(),
            scopes: Scopes::new(),
            uses: &uses,
            summaries: &self.summaries,
            loops,
            is_chunk,
            shares_copies,
            locs,
            pointers: FxHashMap::default(),
            direct: FxHashSet::default(),
            late: FxHashMap::default(),
            rank: self.rank,
        };
        write(&mut writer, fun, &summary);
        self.text.push_str(&writer.lines.text);
        self.rank = writer.rank;
        self.prints |= uses.prints;
        summary
    }
}

fn summary(fun: &Fun, ident: String, uses: &Uses) -> Summary {
    let param = |param: &Param| match param.ty {
        _ if !uses.is_live(param.name) => ParamUse::Unused,
        Ty::Scalar(prim) => ParamUse::Scalar(prim),
        Ty::Block => ParamUse::Block {
            prim: uses.prim(param.name),
            is_const: uses.blocks.get(&param.name).is_none_or(|used| !used.changed),
        },
    };
    let returns = match &fun.results[..] {
        [Param { ty: Ty::Scalar(prim), .. }] if !uses.fails => Some(*prim),
        _ => None,
    };
    Summary {
        ident,
        fails: uses.fails,
        needs_context: uses.needs_context,
        returns,
        params: fun.params.iter().map(param).collect(),
    }
}

fn write(w: &mut Writer<'_>, fun: &Fun, summary: &Summary) {
    let mut params = Vec::new();
    if summary.needs_context {
        params.push("struct futhark_context *ctx".to_string());
    }
    // The pointers through which results leave, unless there is one that is returned.
    let mut outs: Vec<(Name, String, Ty)> = Vec::new();
    for result in fun.results.iter().filter(|_| summary.returns.is_none()) {
        let is_set_once = w.uses.sets.get(&result.name).is_some_and(|sets| sets.count == 1);
        let is_accessed = w.uses.blocks.get(&result.name).is_some_and(|used| !used.prims.is_empty());
        let is_direct = is_set_once && !is_accessed && is_set_in(&fun.body, result.name);
        let base = result.name.base.as_str();
        let ident = w.scopes.fresh(&format!("{}_out", base.strip_suffix("_mem").unwrap_or(base)));
        if is_direct {
            w.direct.insert(result.name);
            w.scopes.rename(result.name, ident.clone());
        } else {
            outs.push((result.name, ident.clone(), result.ty));
        }
        params.push(match result.ty {
            Ty::Scalar(prim) => format!("{} *{ident}", c_type(prim)),
            Ty::Block => format!("void **{ident}"),
        });
    }
    for (param, used) in fun.params.iter().zip(&summary.params) {
        match *used {
            ParamUse::Unused => {}
            ParamUse::Scalar(prim) => params.push(format!("{} {}", c_type(prim), w.scopes.declare(param.name))),
            ParamUse::Block { prim, is_const } => {
                let ident = w.scopes.declare(param.name);
                params.push(pointer(prim, is_const, &ident));
                w.pointers.insert(param.name, prim);
            }
        }
    }
    let result = match summary.returns {
        Some(prim) => c_type(prim),
        None if summary.fails => "int",
        None => "void",
    };
    let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
    w.lines.line(comment(fun, w.locs));
    w.lines.open(format!("static {result} {}({params}) {{", summary.ident));
    if w.uses.calls_failing {
        w.lines.line("int err;");
    }
    match (summary.returns, fun.results.first()) {
        (Some(prim), Some(result)) => returned(w, fun, result.name, prim),
        _ => {
            for (name, _, ty) in &outs {
                let left = w.declare(*name, *ty);
                w.lines.line(format!("{left};"));
            }
            w.stms(&fun.body);
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
fn returned(w: &mut Writer<'_>, fun: &Fun, result: Name, prim: Prim) {
    if let Some((Stm::Set { name, value }, body)) = fun.body.split_last()
        && *name == result
        && w.uses.sets.get(&result).is_some_and(|sets| sets.count == 1)
    {
        w.stms(body);
        let value = super::exp::plain(w, value);
        w.lines.line(format!("return {value};"));
        return;
    }
    // Declared like any other variable.
    let mut body = vec![Stm::Declare { name: result, ty: Ty::Scalar(prim) }];
    body.extend(fun.body.iter().cloned());
    w.stms(&body);
    let value = w.scopes.get(result).to_string();
    w.lines.line(format!("return {value};"));
}

/// A parameter that is a block. What is only read does not change under our hands: whoever is allowed to write to a
/// block is the only one to have it.
fn pointer(prim: Option<Prim>, is_const: bool, ident: &str) -> String {
    match (prim, is_const) {
        (Some(prim), true) => format!("const {} *restrict {ident}", c_type(prim)),
        (Some(prim), false) => format!("{} *{ident}", c_type(prim)),
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
fn comment(fun: &Fun, locs: &Locs) -> String {
    let place: String = locs.chain(fun.loc).first().map(|place| format!(", {place}")).unwrap_or_default();
    format!("// {}{place}", fun.name).replace(['\n', '\\'], " ")
}
