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
use rustc_hash::FxHashMap;

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
    let mut idents: Vec<String> = Vec::new();
    for (fun, point) in points(prog) {
        let ident = unique(&encode(name(fun)), |ident| idents.iter().any(|known| known == ident));
        wrapper(lines, fun, point, &summaries[&fun.name], &ident, needs);
        let inputs = params(lines, &format!("inputs_{ident}"), &point.entry.params);
        let outputs = params(lines, &format!("outputs_{ident}"), &point.entry.results);
        lines.line("");
        let counts = format!("{}, {}", point.entry.params.len(), point.entry.results.len());
        rows.push(format!("{{{}, entry_{ident}, {counts}, {inputs}, {outputs}, 0, NULL}},", quoted(name(fun))));
        idents.push(ident);
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

/// The member of `union kz_scalar` for a type.
fn member(prim: Prim) -> &'static str {
    if prim == Prim::Bool { "b" } else { prim.name() }
}

fn block_of(param: &Param) -> Option<Name> {
    param.place.as_ref().map(|place| place.block)
}

/// Where values of the function are in the slots.
struct Places {
    scalars: FxHashMap<Name, String>,
    blocks: FxHashMap<Name, String>,
}

impl Places {
    fn size(&self, dim: &Operand, needs: &Needs) -> String {
        match dim {
            Operand::Const(c) => constant(needs, *c).text,
            Operand::Var(name) => self.scalars[name].clone(),
        }
    }
}

fn wrapper(lines: &mut Lines, fun: &Fun, point: &EntryFun, summary: &Summary, ident: &str, needs: &Needs) {
    let (params, results) = (of_values(&point.params), of_values(&point.results));
    let signature = Signature::of(Some(&point.entry), &params, &results)
        .unwrap_or_else(|mismatch| panic!("the entry point `{}` is not what it says: {mismatch}", fun.name));
    let mut places = Places { scalars: FxHashMap::default(), blocks: FxHashMap::default() };
    for (param, slot) in params.iter().zip(&signature.params) {
        match (slot, &param.ty) {
            (Slot::Part(part), Type::Prim(prim)) => {
                places.scalars.insert(param.name, format!("in[{part}].scalar.{}", member(*prim)));
            }
            (Slot::Part(part), _) => {
                places.blocks.extend(block_of(param).map(|block| (block, format!("in[{part}].block"))));
            }
            (Slot::Size { from }, _) => {
                places.scalars.extend(from.first().map(|(part, dim)| (param.name, format!("in[{part}].shape[{dim}]"))));
            }
        }
    }
    let takes_block: Vec<Name> = places.blocks.keys().copied().collect();
    for (result, slot) in results.iter().zip(&signature.results) {
        match (slot, &result.ty) {
            (Slot::Part(part), Type::Prim(prim)) => {
                places.scalars.insert(result.name, format!("out[{part}].scalar.{}", member(*prim)));
            }
            (Slot::Part(part), _) => {
                if let Some(block) = block_of(result) {
                    places.blocks.entry(block).or_insert_with(|| format!("out[{part}].block"));
                }
            }
            (Slot::Size { from }, _) => {
                places
                    .scalars
                    .extend(from.first().map(|(part, dim)| (result.name, format!("out[{part}].shape[{dim}]"))));
            }
        }
    }
    lines.open(format!(
        "static int entry_{ident}(struct futhark_context *ctx, struct kz_slot *out, const struct kz_slot *in) {{"
    ));
    let start = lines.text.len();
    checks(lines, &signature, &point.entry.params, needs);
    call(lines, fun, summary, &places);
    shapes(lines, &signature, &results, &places, &takes_block, needs);
    lines.line("return 0;");
    // What the text does not mention is marked, so that nobody is warned about it.
    let body = lines.text.split_off(start);
    for (parameter, used) in [("ctx", "ctx"), ("out", "out["), ("in", "in[")] {
        if !body.contains(used) {
            lines.line(format!("(void){parameter};"));
        }
    }
    lines.text.push_str(&body);
    lines.close("}");
}

/// The sizes of arguments that must be equal are.
fn checks(lines: &mut Lines, signature: &Signature, params: &[EntryParam], needs: &Needs) {
    let expected = |is: DimSource| match is {
        DimSource::Const(n) => constant(needs, kenaz_ir::Scalar::I64(n)).text,
        DimSource::Part(part) => format!("in[{part}].scalar.i64"),
        DimSource::Dim { part, dim } => format!("in[{part}].shape[{dim}]"),
    };
    for (part, piece) in signature.takes.iter().enumerate() {
        let checks: Vec<&DimCheck> = signature.checks.iter().filter(|check| check.part == part).collect();
        if checks.is_empty() {
            continue;
        }
        let wrong: Vec<String> =
            checks.iter().map(|check| format!("in[{part}].shape[{}] != {}", check.dim, expected(check.is))).collect();
        let dims = 0..piece.part.rank;
        let found = dims.clone().map(|dim| format!("in[{part}].shape[{dim}]"));
        let wanted = dims.map(|dim| match checks.iter().find(|check| check.dim == dim) {
            Some(DimCheck { is: DimSource::Const(n), .. }) => format!("INT64_C({n})"),
            Some(check) => expected(check.is),
            None => format!("in[{part}].shape[{dim}]"),
        });
        let values: Vec<String> = wanted.chain(found).collect();
        let shape = "[%\" PRId64 \"]".repeat(piece.part.rank);
        let name = escaped(params[piece.owner].name.as_str()).replace('%', "%%");
        let message =
            format!("\"Argument {} (`{name}`) should have shape {shape}, but has {shape}.\"", piece.owner + 1);
        lines.open(format!("if (KZ_UNLIKELY({})) {{", wrong.join(" || ")));
        lines.line(format!("return {}(ctx, FUTHARK_PROGRAM_ERROR, NULL,", needs.name(Part::Context, "kz_fail")));
        lines.line(format!("               {message}, {});", values.join(", ")));
        lines.close("}");
    }
}

fn call(lines: &mut Lines, fun: &Fun, summary: &Summary, places: &Places) {
    let missing = || panic!("`{}` has a parameter or result that is no part of it", fun.name);
    let mut args = Vec::new();
    if summary.needs_context {
        args.push("ctx".to_string());
    }
    for result in fun.results.iter().filter(|_| summary.returns.is_none()) {
        let place = match result.ty {
            Ty::Scalar(_) => places.scalars.get(&result.name),
            Ty::Block(_) => places.blocks.get(&result.name),
        };
        args.push(format!("&{}", place.unwrap_or_else(missing)));
    }
    for (param, used) in fun.params.iter().zip(&summary.params) {
        let place = match used {
            ParamUse::Unused => continue,
            ParamUse::Scalar(_) => places.scalars.get(&param.name),
            ParamUse::Block { .. } => places.blocks.get(&param.name),
        };
        args.push(place.unwrap_or_else(missing).clone());
    }
    let call = format!("{}({})", summary.ident, args.join(", "));
    match (summary.returns, fun.results.first()) {
        (Some(_), Some(result)) => {
            lines.line(format!("{} = {call};", places.scalars.get(&result.name).unwrap_or_else(missing)));
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
    needs: &Needs,
) {
    let mut owned: Vec<Name> = borrowed.to_vec();
    for (part, piece) in signature.yields.iter().enumerate() {
        let result = &results[piece.slot];
        let Some(block) = block_of(result) else { continue };
        if owned.contains(&block) {
            lines.line(format!(
                "out[{part}].block = {}({});",
                needs.name(Part::Memory, "kz_share"),
                places.blocks[&block]
            ));
        } else {
            owned.push(block);
        }
        for (dim, size) in result.ty.dims().iter().enumerate() {
            let (to, from) = (format!("out[{part}].shape[{dim}]"), places.size(size, needs));
            if to != from {
                lines.line(format!("{to} = {from};"));
            }
        }
    }
}
