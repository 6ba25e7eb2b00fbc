//! Entry points as the outside sees them: their types, and how a call from outside becomes one of the flattened
//! function.
//!
//! A value of the language that crosses the border consists of *parts*: scalars and arrays of scalars. An
//! [`EntryType`] says which parts those are and which of them belong to which field; [`Signature`] says which parameter
//! or result of the function is which part. All other parameters and results are sizes.

use crate::prog::{Fun, Operand, Param, Prog};
use crate::types::Type;
use kenaz_base::{Prim, Symbol, with_stack};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::sync::Arc;

/// An entry point: the types of the language, of which [`Fun`]'s parameters and results are the flattened form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub params: Vec<EntryParam>,
    pub results: Vec<EntryParam>,
    pub doc: Option<String>,
}

/// A parameter or result as the outside sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryParam {
    /// `_` for a parameter whose pattern is no name.
    pub name: Symbol,
    /// A parameter is consumed; a result aliases nothing.
    pub unique: bool,
    pub ty: Arc<EntryType>,
}

/// A type as other languages see it. Within a program, types of the same name are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryType {
    /// Without sizes and `*`: `f32`, `[][]f32`, `point`, `(i32, []point)`, `m.t`.
    pub name: Symbol,
    pub kind: EntryKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A scalar or an array of scalars, which have the name of their part.
    Plain(Part),
    /// A record or, with fields `0`, `1`, …, a tuple. Its parts are those of its fields, one field after the other.
    Record(Vec<EntryField>),
    Sum(EntrySum),
    /// An array of anything but scalars.
    Array(EntryArray),
    /// A type of which only the parts are known, such as an abstract type that is a function inside.
    Opaque(Vec<Part>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryField {
    pub name: Symbol,
    pub ty: Arc<EntryType>,
}

/// The first part is the number of the variant, a `u8`. Variants have the others in common, as far as they can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntrySum {
    pub parts: Vec<Part>,
    pub variants: Vec<EntryVariant>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryVariant {
    pub name: Symbol,
    /// Each type with those of the sum's parts in which its parts are.
    pub payload: Vec<(Arc<EntryType>, Vec<usize>)>,
}

/// The parts are those of an element with `rank` dimensions more, or an array of `bool` where an element has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryArray {
    pub rank: usize,
    /// Not an array itself.
    pub elem: Arc<EntryType>,
    /// Where the elements are records with fields: each field of all elements, as an array. The parts of field `i` are
    /// where those of the element's field `i` are; there are none if that has none.
    pub fields: Vec<EntryField>,
}

/// A scalar, or an array of scalars whose sizes are not part of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    pub prim: Prim,
    pub rank: usize,
}

impl Part {
    pub fn scalar(prim: Prim) -> Part {
        Part { prim, rank: 0 }
    }

    /// The part that such a parameter or result is.
    pub fn of(ty: &Type) -> Option<Part> {
        match ty {
            Type::Prim(prim) => Some(Part::scalar(*prim)),
            Type::Array(dims, prim) => Some(Part { prim: *prim, rank: dims.len() }),
            Type::Cert | Type::Mem(_) | Type::Acc { .. } => None,
        }
    }

    /// The part of a type of this name: `[][]f32`.
    pub fn named(name: &str) -> Option<Part> {
        let prim = name.trim_start_matches("[]");
        Some(Part { prim: Prim::from_name(prim)?, rank: (name.len() - prim.len()) / 2 })
    }

    /// An array of such parts.
    #[must_use]
    pub fn in_array(self, rank: usize) -> Part {
        Part { rank: self.rank + rank, ..self }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.rank).try_for_each(|_| f.write_str("[]"))?;
        f.write_str(self.prim.name())
    }
}

impl EntryType {
    pub fn plain(part: Part) -> Arc<EntryType> {
        Arc::new(EntryType { name: Symbol::intern(&part.to_string()), kind: EntryKind::Plain(part) })
    }

    /// The scalars and arrays of scalars of which a value consists.
    pub fn parts(&self) -> Vec<Part> {
        with_stack(|| match &self.kind {
            EntryKind::Plain(part) => vec![*part],
            EntryKind::Record(fields) => fields.iter().flat_map(|field| field.ty.parts()).collect(),
            EntryKind::Sum(EntrySum { parts, .. }) | EntryKind::Opaque(parts) => parts.clone(),
            EntryKind::Array(array) => {
                let mut parts = array.elem.parts();
                if parts.is_empty() {
                    parts.push(Part::scalar(Prim::Bool));
                }
                parts.into_iter().map(|part| part.in_array(array.rank)).collect()
            }
        })
    }

    /// For records and arrays of records: which of the parts belong to which field.
    pub fn field_parts(&self) -> Vec<std::ops::Range<usize>> {
        let fields = match &self.kind {
            EntryKind::Record(fields) => fields,
            EntryKind::Array(array) => match &array.elem.kind {
                EntryKind::Record(fields) => fields,
                _ => return Vec::new(),
            },
            EntryKind::Plain(_) | EntryKind::Sum(_) | EntryKind::Opaque(_) => return Vec::new(),
        };
        let mut start = 0;
        let range = |field: &EntryField| {
            let from = start;
            start += field.ty.parts().len();
            from..start
        };
        fields.iter().map(range).collect()
    }

    /// For each part the field that it is or belongs to, as `pos.x` or, in a tuple, `0`; nothing if there are no
    /// fields.
    pub fn part_names(&self) -> Vec<String> {
        with_stack(|| {
            let nameless = |ty: &EntryType| vec![String::new(); ty.parts().len()];
            let fields = match &self.kind {
                EntryKind::Record(fields) => fields,
                EntryKind::Array(array) => match &array.elem.kind {
                    EntryKind::Record(fields) if !array.elem.parts().is_empty() => fields,
                    _ => return nameless(self),
                },
                EntryKind::Plain(_) | EntryKind::Sum(_) | EntryKind::Opaque(_) => return nameless(self),
            };
            let path = |field: &EntryField, inner: &str| match inner {
                "" => field.name.to_string(),
                inner => format!("{}.{inner}", field.name),
            };
            let names = |field: &EntryField| -> Vec<String> {
                field.ty.part_names().iter().map(|inner| path(field, inner)).collect()
            };
            fields.iter().flat_map(names).collect()
        })
    }

    /// The types that this one is made of.
    pub fn mentions(&self) -> Vec<&Arc<EntryType>> {
        match &self.kind {
            EntryKind::Plain(_) | EntryKind::Opaque(_) => Vec::new(),
            EntryKind::Record(fields) => fields.iter().map(|field| &field.ty).collect(),
            EntryKind::Sum(sum) => sum.variants.iter().flat_map(|v| &v.payload).map(|(ty, _)| ty).collect(),
            EntryKind::Array(array) => std::iter::once(&array.elem).chain(array.fields.iter().map(|f| &f.ty)).collect(),
        }
    }
}

/// Whether the fields are those of a tuple: `0`, `1`, …, at least two.
pub fn is_tuple(fields: &[EntryField]) -> bool {
    fields.len() > 1 && fields.iter().enumerate().all(|(i, field)| field.name == Symbol::field(i))
}

/// All types that the entry points of a program mention, each once and after those it is made of.
pub fn types(prog: &Prog) -> Vec<Arc<EntryType>> {
    fn add(ty: &Arc<EntryType>, known: &mut FxHashSet<Symbol>, out: &mut Vec<Arc<EntryType>>) {
        if known.insert(ty.name) {
            with_stack(|| ty.mentions().into_iter().for_each(|inner| add(inner, known, out)));
            out.push(ty.clone());
        }
    }
    let (mut known, mut out) = (FxHashSet::default(), Vec::new());
    for entry in prog.funs.iter().filter_map(|fun| fun.entry.as_ref()) {
        for param in entry.params.iter().chain(&entry.results) {
            add(&param.ty, &mut known, &mut out);
        }
    }
    out
}

/// How the parameters and results of an entry point's function come from, and become, parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The parts of all parameters of the entry point.
    pub takes: Vec<Piece>,
    /// For each parameter of the function, what it is given.
    pub params: Vec<Slot>,
    /// What must hold of the shapes of the arguments, in the order of their parts and dimensions.
    pub checks: Vec<DimCheck>,
    /// The parts of all results of the entry point.
    pub yields: Vec<Piece>,
    /// For each result of the function, what it becomes.
    pub results: Vec<Slot>,
}

/// A part of a parameter or result of an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    pub part: Part,
    /// The parameter or result of the entry point it belongs to.
    pub owner: usize,
    /// The parameter or result of the function that it is.
    pub slot: usize,
}

/// A parameter or result of the function of an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    /// This part, counted over all parameters or results of the entry point.
    Part(usize),
    /// A size that the outside does not see: these dimensions of these parts, of which there is at least one.
    Size { from: Vec<(usize, usize)> },
}

/// A dimension of an argument must have the size that it is said to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DimCheck {
    pub part: usize,
    pub dim: usize,
    pub is: DimSource,
}

/// What the size of a dimension must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DimSource {
    Const(i64),
    /// The value of a part, which is a scalar.
    Part(usize),
    /// The size of a dimension of a part that comes before.
    Dim {
        part: usize,
        dim: usize,
    },
}

/// How a function is called from outside; `Err` says what in its description is not so. Other functions than entry
/// points are called as they are: each parameter and result is a part.
pub fn signature(fun: &Fun) -> Result<Signature, Mismatch> {
    Signature::of(fun.entry.as_ref(), &fun.params, &fun.results)
}

impl Signature {
    /// The signature of a function with these parameters and results.
    pub fn of(entry: Option<&Entry>, params: &[Param], results: &[Param]) -> Result<Signature, Mismatch> {
        let (takes, yields) = match entry {
            Some(entry) => (pieces(&entry.params), pieces(&entry.results)),
            None => (as_they_are("parameter", params)?, as_they_are("result", results)?),
        };
        let (takes, param_slots) = assign("parameter", takes, params)?;
        let (yields, results) = assign("result", yields, results)?;
        let checks = checks(&takes, &param_slots, params);
        Ok(Signature { takes, params: param_slots, checks, yields, results })
    }
}

/// Why a description does not fit its function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// A different number of parameters or results is neither a part nor a size.
    Count { what: &'static str, parts: usize, of: usize },
    /// A parameter or result is of another type than the part.
    Type { what: &'static str, slot: Param, part: Option<Part> },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Count { what, parts, of } => {
                write!(f, "{parts} of {of} {what}s are accounted for; only sizes may be left out")
            }
            Mismatch::Type { what, slot, part: Some(part) } => {
                write!(f, "the {what} `{}` is of type `{}`, not `{part}`", slot.name, slot.ty)
            }
            Mismatch::Type { what, slot, part: None } => {
                write!(f, "the {what} `{}` is of type `{}`, which cannot leave the program", slot.name, slot.ty)
            }
        }
    }
}

/// The parts of described parameters, each with its owner and the owner's name.
fn pieces(described: &[EntryParam]) -> Vec<(Part, usize, Symbol)> {
    let parts = |(owner, param): (usize, &EntryParam)| {
        param.ty.parts().into_iter().map(|part| (part, owner, param.name)).collect::<Vec<_>>()
    };
    described.iter().enumerate().flat_map(parts).collect()
}

fn as_they_are(what: &'static str, params: &[Param]) -> Result<Vec<(Part, usize, Symbol)>, Mismatch> {
    let part = |(i, param): (usize, &Param)| match Part::of(&param.ty) {
        Some(part) => Ok((part, i, param.name.base)),
        None => Err(Mismatch::Type { what, slot: param.clone(), part: None }),
    };
    params.iter().enumerate().map(part).collect()
}

/// Which parameter or result is which part. Elaboration gives every dimension of an argument a size of its own, so that
/// there a parameter is either a size or a part. In IR written by hand a part may be the size of another; it has the
/// name of its description then. Without a name that helps, the sizes that are no parts come first.
fn assign(
    what: &'static str,
    parts: Vec<(Part, usize, Symbol)>,
    params: &[Param],
) -> Result<(Vec<Piece>, Vec<Slot>), Mismatch> {
    let is_size =
        |param: &Param| param.ty == Type::I64 && params.iter().any(|p| p.ty.dims().contains(&Operand::Var(param.name)));
    let count = Mismatch::Count { what, parts: parts.len(), of: params.len() };
    let Some(mut sizes_left) = params.len().checked_sub(parts.len()) else { return Err(count) };
    let mut part_sizes = params.iter().filter(|p| is_size(p)).count().saturating_sub(sizes_left);
    let mut pieces = Vec::with_capacity(parts.len());
    let mut slots = Vec::with_capacity(params.len());
    let mut parts = parts.into_iter().peekable();
    for (slot, param) in params.iter().enumerate() {
        let named = parts.peek().is_some_and(|(_, _, name)| *name == param.name.base);
        if is_size(param) && sizes_left > 0 && !(named && part_sizes > 0) {
            sizes_left -= 1;
            slots.push(Slot::Size { from: Vec::new() });
            continue;
        }
        part_sizes -= usize::from(part_sizes > 0 && is_size(param));
        let Some((part, owner, _)) = parts.next() else { return Err(count) };
        if Part::of(&param.ty) != Some(part) {
            return Err(Mismatch::Type { what, slot: param.clone(), part: Some(part) });
        }
        slots.push(Slot::Part(pieces.len()));
        pieces.push(Piece { part, owner, slot });
    }
    for (slot, param) in slots.iter_mut().zip(params) {
        if let Slot::Size { from } = slot {
            for (i, piece) in pieces.iter().enumerate() {
                let dims = params[piece.slot].ty.dims().iter().enumerate();
                from.extend(dims.filter(|(_, dim)| **dim == Operand::Var(param.name)).map(|(d, _)| (i, d)));
            }
        }
    }
    Ok((pieces, slots))
}

fn checks(takes: &[Piece], slots: &[Slot], params: &[Param]) -> Vec<DimCheck> {
    let slot_of: FxHashMap<_, _> = params.iter().map(|p| p.name).zip(slots).collect();
    let mut out = Vec::new();
    for (part, piece) in takes.iter().enumerate() {
        for (dim, operand) in params[piece.slot].ty.dims().iter().enumerate() {
            let is = match operand {
                Operand::Const(scalar) => scalar.as_i64().map(DimSource::Const),
                Operand::Var(name) => match slot_of.get(name) {
                    Some(Slot::Part(scalar)) => Some(DimSource::Part(*scalar)),
                    Some(Slot::Size { from }) => from
                        .first()
                        .filter(|first| **first != (part, dim))
                        .map(|(part, dim)| DimSource::Dim { part: *part, dim: *dim }),
                    None => None,
                },
            };
            out.extend(is.map(|is| DimCheck { part, dim, is }));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature_of(text: &str) -> Result<Signature, Mismatch> {
        signature(&crate::parse::prog(text).unwrap().funs[0])
    }

    /// What each parameter is: the number of a part, or the dimensions where a size is found.
    fn params(text: &str) -> String {
        let slot = |slot: Slot| match slot {
            Slot::Part(part) => part.to_string(),
            Slot::Size { from } => from.iter().map(|(p, d)| format!("{p}.{d}")).collect::<Vec<_>>().join("="),
        };
        signature_of(text).unwrap().params.into_iter().map(slot).collect::<Vec<_>>().join(" ")
    }

    fn checks(text: &str) -> Vec<(usize, usize, DimSource)> {
        signature_of(text).unwrap().checks.into_iter().map(|c| (c.part, c.dim, c.is)).collect()
    }

    #[test]
    fn sizes_come_from_arrays() {
        assert_eq!(params("entry f (n_1: i64) (d_2: i64) (a_3: [d_2]i32) : = { in }"), "0 1.0 1");
        assert_eq!(params("entry f (d_1: i64) (e_2: i64) (a_3: [d_1][e_2]i32) (d_4: i64) : = { in }"), "0.0 0.1 0 1");
        assert_eq!(params("fun f (d_1: i64) (a_3: [d_1]i32) : = { in }"), "0 1");
        // Two arrays that are one argument have a size in common.
        let text = "type \"(i32, i8)\" = (\"i32\", \"i8\")
            type \"[](i32, i8)\" = array 1 \"(i32, i8)\" {`0`: \"[]i32\", `1`: \"[]i8\"}
            entry f (d_1: i64) (a_2: [d_1]i32) (b_3: [d_1]i8) : takes (a: \"[](i32, i8)\" of 2) yields = { in }";
        assert_eq!(params(text), "0.0=1.0 0 1");
        assert_eq!(checks(text), [(1, 0, DimSource::Dim { part: 0, dim: 0 })]);
        let signature = signature_of(text).unwrap();
        assert!(signature.takes.iter().map(|piece| (piece.owner, piece.slot)).eq([(0, 1), (0, 2)]));
    }

    #[test]
    fn described_sizes_are_parts() {
        let described = |takes: &str| {
            params(&format!("entry f (n_1: i64) (d_2: i64) (a_3: [n_1][d_2]i32) : takes {takes} yields = {{ in }}"))
        };
        assert_eq!(described("(n: \"i64\" of 1) (a: \"[][]i32\" of 1)"), "0 1.1 1");
        assert_eq!(described("(d: \"i64\" of 1) (a: \"[][]i32\" of 1)"), "1.0 0 1");
        assert_eq!(described("(a: \"[][]i32\" of 1)"), "0.0 0.1 0");
        assert_eq!(described("(n: \"i64\" of 1) (d: \"i64\" of 1) (a: \"[][]i32\" of 1)"), "0 1 2");
        // Without a name that helps, the sizes that are not described come first.
        assert_eq!(described("(x: \"i64\" of 1) (a: \"[][]i32\" of 1)"), "1.0 0 1");
    }

    #[test]
    fn shapes_are_checked() {
        let text = "entry f (n_1: i64) (a_2: [n_1][3]i32) (b_3: [n_1]i32) :
            takes (n: \"i64\" of 1) (a: \"[][]i32\" of 1) (b: \"[]i32\") yields = { in }";
        let n = DimSource::Part(0);
        assert_eq!(checks(text), [(1, 0, n), (1, 1, DimSource::Const(3)), (2, 0, n)]);
        let text = "entry f (n_1: i64) (a_2: [n_1]i32) (b_3: [2][n_1]i32) : = { in }";
        assert_eq!(checks(text), [(1, 0, DimSource::Const(2)), (1, 1, DimSource::Dim { part: 0, dim: 0 })]);
    }

    #[test]
    fn results_have_sizes_too() {
        let text = "entry f (n_1: i64) : (k_2: i64) ([k_2]i32) ([n_1][k_2]i32) (i64) = { in }";
        let signature = signature_of(text).unwrap();
        let size = Slot::Size { from: vec![(0, 0), (1, 1)] };
        assert_eq!(signature.results, [size, Slot::Part(0), Slot::Part(1), Slot::Part(2)]);
        assert!(signature.yields.iter().map(|piece| (piece.owner, piece.slot)).eq([(0, 1), (1, 2), (2, 3)]));
    }

    #[test]
    fn parts_of_fields() {
        let text = "type \"p\" = {x: \"f32\", y: \"[]f32\"}
            type \"u\" = {}
            type \"r\" = {a: \"u\", b: \"p\", c: \"i8\"}
            type \"[]u\" = array 2 \"u\"
            type \"[]p\" = array 2 \"p\" {x: \"[][]f32\", y: \"[][][]f32\"}
            type \"[]r\" = array 2 \"r\" {a: \"[]u\", b: \"[]p\", c: \"[][]i8\"}
            entry f : takes (r: \"r\" of 3) (rs: \"[]r\" of 3) (us: \"[]u\" of 1) yields = { in }";
        let prog = crate::parse::prog(text).unwrap();
        let entry = prog.funs[0].entry.as_ref().unwrap();
        let shown = |ty: &EntryType| ty.parts().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let of = |i: usize| (shown(&entry.params[i].ty), entry.params[i].ty.field_parts());
        assert_eq!(of(0), ("f32 []f32 i8".to_string(), vec![0..0, 0..2, 2..3]));
        assert_eq!(of(1), ("[][]f32 [][][]f32 [][]i8".to_string(), vec![0..0, 0..2, 2..3]));
        assert_eq!(of(2), ("[][]bool".to_string(), vec![]));
        let names: Vec<&str> = types(&prog).iter().map(|ty| ty.name.as_str()).collect();
        assert_eq!(
            names.join(" "),
            "u f32 []f32 p i8 r []u [][]f32 [][][]f32 []p [][]i8 []r",
            "each after those it is made of"
        );
    }
}
