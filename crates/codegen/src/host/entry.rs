//! Entry points: from the slots of arguments to a call of the function, and from its results to slots.

use super::fun::Functions;
use super::types::reference;
use crate::dialect::exp::constant;
use crate::dialect::names::{encode, unique};
use crate::dialect::text::{Lines, escaped, quoted};
use crate::parts::{Needs, Part};
use crate::uses::{ParamUse, Summary};
use kenaz_base::Prim;
use kenaz_imp::{EntryFun, Fun, Prog, Ty};
use kenaz_ir::entry::{DimCheck, DimSource, Slot};
use kenaz_ir::{EntryParam, Name, Operand, Param, Signature, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

/// The name by which the outside calls an entry point.
pub(super) fn name(fun: &Fun) -> &'static str {
    let name = fun.name.as_str();
    name.strip_prefix("entry_").unwrap_or(name)
}

/// The entry points of a program, sorted by name.
pub(super) fn points(prog: &Prog) -> Vec<(&Fun, &EntryFun)> {
    let mut points: Vec<_> = prog.funs.iter().filter_map(|fun| Some((fun, fun.entry.as_ref()?))).collect();
    points.sort_by_key(|(fun, _)| name(fun));
    points
}

/// A wrapper for each entry point, and the table of them.
pub(super) fn tables(lines: &mut Lines, prog: &Prog, functions: &Functions) {
    let Functions { summaries, needs, .. } = functions;
    needs.add(Part::Values);
    let mut rows = Vec::new();
    let count = functions.tunables.len();
    let tuning = if count == 0 { "0, NULL".to_string() } else { format!("{count}, kz_all_params") };
    if count > 0 {
        let all: Vec<String> = (0..count).map(|i| i.to_string()).collect();
        lines.line(format!("static const int kz_all_params[] = {{{}}};", all.join(", ")));
    }
    let mut idents: FxHashSet<String> = FxHashSet::default();
    for (fun, point) in points(prog) {
        let (ident, _) = unique(&encode(name(fun)), 1, |ident| idents.contains(ident));
        wrapper(lines, fun, point, &summaries[&fun.name], &ident, needs);
        let inputs = params(lines, &format!("inputs_{ident}"), &point.entry.params);
        let outputs = params(lines, &format!("outputs_{ident}"), &point.entry.results);
        lines.line("");
        let counts = format!("{}, {}", point.entry.params.len(), point.entry.results.len());
        rows.push(format!("{{{}, entry_{ident}, {counts}, {inputs}, {outputs}, {tuning}}},", quoted(name(fun))));
        idents.insert(ident);
    }
    lines.open("static const struct kz_entry kz_entries[] = {");
    rows.iter().for_each(|row| lines.line(row));
    lines.line("{NULL, NULL, 0, 0, NULL, NULL, 0, NULL},");
    lines.close("};");
}

fn params(lines: &mut Lines, ident: &str, params: &[EntryParam]) -> String {
    if params.is_empty() {
        return "NULL".to_string();
    }
    lines.open(format!("static const struct kz_param_type {ident}[] = {{"));
    for param in params {
        lines.line(format!("{{{}, {}, {}}},", quoted(param.name.as_str()), reference(&param.ty), param.unique));
    }
    lines.close("};");
    ident.to_string()
}

/// Without what exists only in memory.
fn of_values(params: &[Param]) -> Vec<Param> {
    params.iter().filter(|param| !matches!(param.ty, Type::Mem(_))).cloned().collect()
}

/// The parameters of a wrapper that its text mentions, noted where they are written.
#[derive(Default)]
struct Mentions {
    context: Cell<bool>,
    output: Cell<bool>,
    input: Cell<bool>,
}

impl Mentions {
    fn context(&self) -> &'static str {
        self.context.set(true);
        "ctx"
    }

    fn text(&self, at: At) -> String {
        let (is_mentioned, slots) = match at.side {
            Side::In => (&self.input, "in"),
            Side::Out => (&self.output, "out"),
        };
        is_mentioned.set(true);
        let part = at.part;
        match at.member {
            // The member of `union kz_scalar` for the type.
            Member::Scalar(Prim::Bool) => format!("{slots}[{part}].scalar.b"),
            Member::Scalar(prim) => format!("{slots}[{part}].scalar.{}", prim.name()),
            Member::Block => format!("{slots}[{part}].block"),
            Member::Size(dim) => format!("{slots}[{part}].shape[{dim}]"),
        }
    }
}

/// A member of the slot of an argument or of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
struct At {
    side: Side,
    part: usize,
    member: Member,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    In,
    Out,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Member {
    Scalar(Prim),
    Block,
    Size(usize),
}

impl Side {
    fn at(self, part: usize, member: Member) -> At {
        At { side: self, part, member }
    }
}

fn block_of(param: &Param) -> Option<Name> {
    param.place.as_ref().map(|place| place.block)
}

/// Where values of the function are in the slots.
struct Places {
    scalars: FxHashMap<Name, At>,
    blocks: FxHashMap<Name, At>,
}

fn wrapper(lines: &mut Lines, fun: &Fun, point: &EntryFun, summary: &Summary, ident: &str, needs: &Needs) {
    let (params, results) = (of_values(&point.params), of_values(&point.results));
    let signature = Signature::of(Some(&point.entry), &params, &results)
        .unwrap_or_else(|mismatch| panic!("the entry point `{}` is not what it says: {mismatch}", fun.name));
    let mut places = Places { scalars: FxHashMap::default(), blocks: FxHashMap::default() };
    for (param, slot) in params.iter().zip(&signature.params) {
        match (slot, &param.ty) {
            (Slot::Part(part), Type::Prim(prim)) => {
                places.scalars.insert(param.name, Side::In.at(*part, Member::Scalar(*prim)));
            }
            (Slot::Part(part), _) => {
                places.blocks.extend(block_of(param).map(|block| (block, Side::In.at(*part, Member::Block))));
            }
            (Slot::Size { from }, _) => {
                let first = from.first().map(|(part, dim)| Side::In.at(*part, Member::Size(*dim)));
                places.scalars.extend(first.map(|at| (param.name, at)));
            }
        }
    }
    let takes_block: Vec<Name> = places.blocks.keys().copied().collect();
    for (result, slot) in results.iter().zip(&signature.results) {
        match (slot, &result.ty) {
            (Slot::Part(part), Type::Prim(prim)) => {
                places.scalars.insert(result.name, Side::Out.at(*part, Member::Scalar(*prim)));
            }
            (Slot::Part(part), _) => {
                if let Some(block) = block_of(result) {
                    places.blocks.entry(block).or_insert(Side::Out.at(*part, Member::Block));
                }
            }
            (Slot::Size { from }, _) => {
                let first = from.first().map(|(part, dim)| Side::Out.at(*part, Member::Size(*dim)));
                places.scalars.extend(first.map(|at| (result.name, at)));
            }
        }
    }
    lines.open(format!(
        "static int entry_{ident}(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {{"
    ));
    let start = lines.text.len();
    let mentions = Mentions::default();
    checks(lines, &signature, &point.entry.params, &mentions, needs);
    call(lines, fun, summary, &places, &mentions);
    shapes(lines, &signature, &results, &places, &takes_block, &mentions, needs);
    lines.line("return 0;");
    // Unused parameters are marked, so that C compilers do not warn about them.
    let body = lines.text.split_off(start);
    for (parameter, is_mentioned) in [("ctx", &mentions.context), ("out", &mentions.output), ("in", &mentions.input)] {
        if !is_mentioned.get() {
            lines.line(format!("(void){parameter};"));
        }
    }
    lines.text.push_str(&body);
    lines.close("}");
}

/// The sizes of arguments that must be equal are.
fn checks(lines: &mut Lines, signature: &Signature, params: &[EntryParam], mentions: &Mentions, needs: &Needs) {
    let input = |part: usize, member: Member| mentions.text(Side::In.at(part, member));
    let expected = |is: DimSource| match is {
        DimSource::Const(n) => constant(needs, kenaz_ir::Scalar::I64(n)).text,
        DimSource::Part(part) => input(part, Member::Scalar(Prim::I64)),
        DimSource::Dim { part, dim } => input(part, Member::Size(dim)),
    };
    for (part, piece) in signature.takes.iter().enumerate() {
        let checks: Vec<&DimCheck> = signature.checks.iter().filter(|check| check.part == part).collect();
        if checks.is_empty() {
            continue;
        }
        let size = |dim: usize| input(part, Member::Size(dim));
        let wrong: Vec<String> =
            checks.iter().map(|check| format!("{} != {}", size(check.dim), expected(check.is))).collect();
        let dims = 0..piece.part.rank;
        let found = dims.clone().map(size);
        let wanted = dims.map(|dim| match checks.iter().find(|check| check.dim == dim) {
            Some(DimCheck { is: DimSource::Const(n), .. }) => format!("INT64_C({n})"),
            Some(check) => expected(check.is),
            None => size(dim),
        });
        let values: Vec<String> = wanted.chain(found).collect();
        let shape = "[%\" PRId64 \"]".repeat(piece.part.rank);
        let name = escaped(params[piece.owner].name.as_str()).replace('%', "%%");
        let message =
            format!("\"Argument {} (`{name}`) should have shape {shape}, but has {shape}.\"", piece.owner + 1);
        lines.open(format!("if (KZ_UNLIKELY({})) {{", wrong.join(" || ")));
        let (fail, context) = (needs.name(Part::Context, "kz_fail"), mentions.context());
        lines.line(format!("return {fail}({context}, FUTHARK_PROGRAM_ERROR, NULL,"));
        lines.line(format!("               {message}, {});", values.join(", ")));
        lines.close("}");
    }
}

fn call(lines: &mut Lines, fun: &Fun, summary: &Summary, places: &Places, mentions: &Mentions) {
    let text = |at: Option<&At>| match at {
        Some(at) => mentions.text(*at),
        None => panic!("`{}` has a parameter or result that is no part of it", fun.name),
    };
    let mut args = Vec::new();
    if summary.needs_context {
        args.push(mentions.context().to_string());
    }
    for result in fun.results.iter().filter(|_| summary.returns.is_none()) {
        let place = match result.ty {
            Ty::Scalar(_) => places.scalars.get(&result.name),
            Ty::Block(_) => places.blocks.get(&result.name),
        };
        args.push(format!("&{}", text(place)));
    }
    for (param, used) in fun.params.iter().zip(&summary.params) {
        let place = match used {
            ParamUse::Unused => continue,
            ParamUse::Scalar(_) => places.scalars.get(&param.name),
            ParamUse::Block { .. } => places.blocks.get(&param.name),
        };
        args.push(text(place));
    }
    let call = format!("{}({})", summary.ident, args.join(", "));
    match (summary.returns, fun.results.first()) {
        (Some(_), Some(result)) => {
            lines.line(format!("{} = {call};", text(places.scalars.get(&result.name))));
        }
        _ if summary.fails => {
            lines.line(format!("int err = {call};"));
            lines.line("if (err != 0) return err;");
        }
        _ => lines.line(format!("{call};")),
    }
}

/// The blocks and shapes of results that the function has not put into the slots itself.
fn shapes(
    lines: &mut Lines,
    signature: &Signature,
    results: &[Param],
    places: &Places,
    borrowed: &[Name],
    mentions: &Mentions,
    needs: &Needs,
) {
    let mut owned: Vec<Name> = borrowed.to_vec();
    for (part, piece) in signature.yields.iter().enumerate() {
        let result = &results[piece.slot];
        let Some(block) = block_of(result) else { continue };
        if owned.contains(&block) {
            let (to, from) = (Side::Out.at(part, Member::Block), places.blocks[&block]);
            let share = needs.name(Part::Memory, "kz_share");
            lines.line(format!("{} = {share}({});", mentions.text(to), mentions.text(from)));
        } else {
            owned.push(block);
        }
        for (dim, size) in result.ty.dims().iter().enumerate() {
            let to = Side::Out.at(part, Member::Size(dim));
            let from = match size {
                Operand::Const(c) => constant(needs, *c).text,
                Operand::Var(name) if places.scalars[name] == to => continue,
                Operand::Var(name) => mentions.text(places.scalars[name]),
            };
            lines.line(format!("{} = {from};", mentions.text(to)));
        }
    }
}
