//! The types of entry points: the names they have in C, and the tables that describe them.

use super::md5::md5;
use crate::dialect::exp::c_type;
use crate::dialect::text::{Lines, quoted};
use crate::parts::{Needs, Part as RtsPart};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_imp::Prog;
use kenaz_ir::{EntryField, EntryKind, EntryType, Part};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// All types that the entry points of a program mention, each once and after those it is made of.
pub(crate) fn types(prog: &Prog) -> Vec<Arc<EntryType>> {
    fn add(ty: &Arc<EntryType>, known: &mut FxHashSet<Symbol>, out: &mut Vec<Arc<EntryType>>) {
        if known.insert(ty.name) {
            with_stack(|| ty.mentions().into_iter().for_each(|inner| add(inner, known, out)));
            out.push(ty.clone());
        }
    }
    let (mut known, mut out) = (FxHashSet::default(), Vec::new());
    for point in prog.funs.iter().filter_map(|fun| fun.entry.as_ref()) {
        for param in point.entry.params.iter().chain(&point.entry.results) {
            add(&param.ty, &mut known, &mut out);
        }
    }
    out
}

/// What a type is called in names of C: `f32_1d`, `opaque_point`, or as C itself calls a scalar.
pub(crate) fn c_name(ty: &EntryType) -> String {
    match ty.kind {
        EntryKind::Plain(Part { prim, rank: 0 }) => external(prim).to_string(),
        EntryKind::Plain(Part { prim, rank }) => format!("{}_{rank}d", prim.name()),
        EntryKind::Record(_) | EntryKind::Sum(_) | EntryKind::Array(_) | EntryKind::Opaque(_) => {
            format!("opaque_{}", opaque_name(ty.name.as_str()))
        }
    }
}

/// A primitive type as the outside sees it: it does not know numbers of half precision.
pub(crate) fn external(prim: Prim) -> &'static str {
    match prim {
        Prim::F16 => "uint16_t",
        other => c_type(&Needs::default(), other),
    }
}

pub(crate) fn is_scalar(ty: &EntryType) -> bool {
    matches!(ty.kind, EntryKind::Plain(Part { rank: 0, .. }))
}

/// The name of a type as part of an identifier, or its hash.
fn opaque_name(name: &str) -> String {
    if name == "()" {
        return "unit".to_string();
    }
    // Names of tuples in tuples grow with their depth, and so does whatever mentions them.
    const LONGEST: usize = 1000;
    let readable = if name.len() > LONGEST { None } else { readable(name) };
    readable.unwrap_or_else(|| md5(name))
}

fn readable(name: &str) -> Option<String> {
    let element = name.trim_start_matches("[]");
    let rank = (name.len() - element.len()) / 2;
    if rank > 0 {
        return Some(format!("arr{rank}d_{}", with_stack(|| readable(element))?));
    }
    if let Some(inner) = name.strip_prefix('(').and_then(|name| name.strip_suffix(')')) {
        let fields = split(inner)?;
        let names: Option<Vec<String>> = fields.iter().map(|field| with_stack(|| readable(field))).collect();
        return Some(format!("tup{}_{}", fields.len(), names?.join("_")));
    }
    let (module, ty) = name.split_once('.').map_or((None, name), |(module, ty)| (Some(module), ty));
    let is_identifier = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let valid = is_identifier(ty) && module.is_none_or(is_identifier);
    valid.then(|| name.replace('.', "_"))
}

/// The fields of a tuple, with nothing around them.
fn split(text: &str) -> Option<Vec<&str>> {
    let (mut depth, mut start, mut fields) = (0i32, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            ',' if depth == 0 => {
                fields.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    if !text.is_empty() {
        fields.push(text[start..].trim());
    }
    (depth == 0).then_some(fields)
}

/// Where a type's description is, as an expression.
pub(crate) fn reference(ty: &EntryType) -> String {
    match ty.kind {
        EntryKind::Plain(Part { prim, rank: 0 }) => format!("&kz_type_{}", prim.name()),
        _ => format!("&type_{}", c_name(ty)),
    }
}

/// The constant of the run-time system for a primitive type.
pub(crate) fn tag_of(needs: &Needs, prim: Prim) -> String {
    needs.add(RtsPart::Values);
    // Where values of half precision come in or go out, they are read and printed.
    if prim == Prim::F16 {
        needs.add(RtsPart::Half);
    }
    format!("KZ_{}", prim.name().to_ascii_uppercase())
}

/// The tables of types.
pub(crate) fn tables(lines: &mut Lines, types: &[Arc<EntryType>], needs: &Needs) {
    needs.add(RtsPart::Values);
    for ty in types.iter().filter(|ty| !is_scalar(ty)) {
        let name = c_name(ty);
        let parts = ty.parts();
        let listed: Vec<String> =
            parts.iter().map(|part| format!("{{{}, {}}}", tag_of(needs, part.prim), part.rank)).collect();
        if !parts.is_empty() {
            lines.line(format!("static const struct kz_part parts_{name}[] = {{{}}};", listed.join(", ")));
        }
        let none: &[EntryField] = &[];
        let (kind, fields, element, rank) = match &ty.kind {
            EntryKind::Plain(_) => ("KZ_ARRAY", none, None, 0),
            EntryKind::Record(fields) => ("KZ_RECORD", &fields[..], None, 0),
            EntryKind::Sum(_) => ("KZ_SUM", none, None, 0),
            EntryKind::Opaque(_) => ("KZ_OPAQUE", none, None, 0),
            EntryKind::Array(array) => {
                let kind = if array.fields.is_empty() { "KZ_OPAQUE_ARRAY" } else { "KZ_RECORD_ARRAY" };
                (kind, &array.fields[..], Some(&array.elem), array.rank)
            }
        };
        if !fields.is_empty() {
            lines.open(format!("static const struct kz_field fields_{name}[] = {{"));
            for (field, range) in fields.iter().zip(ty.field_parts()) {
                lines.line(format!("{{{}, {}, {}}},", quoted(field.name.as_str()), reference(&field.ty), range.start));
            }
            lines.close("};");
        }
        let pointer = |exists: bool, what: &str| if exists { format!("{what}_{name}") } else { "NULL".to_string() };
        lines.line(format!(
            "KZ_UNUSED static const struct kz_type type_{name} = {{{}, {kind}, {}, {}, {}, {}, {}, {rank}}};",
            quoted(ty.name.as_str()),
            parts.len(),
            pointer(!parts.is_empty(), "parts"),
            fields.len(),
            pointer(!fields.is_empty(), "fields"),
            element.map_or("NULL".to_string(), |element| reference(element)),
        ));
    }
}

/// The name of a field or entry point in the name of a function: itself where that is possible, otherwise with `z`
/// to escape what is not.
pub(crate) fn in_function(name: Symbol) -> String {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.as_str().chars().all(is_valid) {
        return name.to_string();
    }
    let escaped = |c: char| match c {
        'z' => "zz".to_string(),
        '\'' => "zq".to_string(),
        _ if is_valid(c) => c.to_string(),
        _ => format!("z{:x}U", u32::from(c)),
    };
    name.as_str().chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types() {
        let cases = [
            ("point", "point"),
            ("m.t", "m_t"),
            ("()", "unit"),
            ("[]()", "arr1d_tup0_"),
            ("(i32, (i32, i32), ())", "tup3_i32_tup2_i32_i32_tup0_"),
            ("([]i32, [][]k.r)", "tup2_arr1d_i32_arr2d_k_r"),
            ("k.inner.z", "1a8036851ce8c55f37afada979a7bfa6"),
            ("(k.r, k.inner.z)", "9647966421c05b1ce4df21f8cbbfd301"),
            ("p'", "e2ecb3ae64e76e07814ced68d05588a3"),
            ("{}", "99914b932bd37a50b983c5e7c90ae93b"),
            ("[]a:i32 | b:", "3f74e6121e80cb514dd4bdd0b4e566e3"),
        ];
        for (name, wanted) in cases {
            assert_eq!(opaque_name(name), wanted, "{name}");
        }
    }
}
