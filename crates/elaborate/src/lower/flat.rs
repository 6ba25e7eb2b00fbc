//! Values of the core as lists of scalars and arrays.

use crate::core::{Dim, Path, Step, Ty};
use kenaz_base::{Prim, Symbol};
use kenaz_ir::{Operand, Type};
use rustc_hash::FxHashMap;

/// A value: its type, and its leaves in the order of [`leaves`].
#[derive(Clone, Debug)]
pub struct Val {
    pub ty: Ty,
    pub leaves: Vec<Operand>,
}

impl Val {
    pub fn scalar(prim: Prim, operand: Operand) -> Val {
        Val { ty: Ty::Prim(prim), leaves: vec![operand] }
    }

    pub fn unit() -> Val {
        Val { ty: Ty::unit(), leaves: Vec::new() }
    }

    /// A field of a record.
    pub fn field(&self, name: Symbol) -> Val {
        let Ty::Record(fields) = &self.ty else { return Val::unit() };
        let mut start = 0;
        for (n, ty) in fields {
            let len = count(ty);
            if *n == name {
                return Val { ty: ty.clone(), leaves: self.leaves[start..start + len].to_vec() };
            }
            start += len;
        }
        Val::unit()
    }

    /// The payload of a constructor; meaningful only if it is this one.
    pub fn payload(&self, name: Symbol) -> Vec<Val> {
        let Ty::Sum(constrs) = &self.ty else { return Vec::new() };
        let layout = SumLayout::of(constrs);
        let Some(index) = constrs.iter().position(|(n, _)| *n == name) else { return Vec::new() };
        let mut slots = layout.slots_of[index].iter();
        constrs[index]
            .1
            .iter()
            .map(|ty| {
                let leaves = (0..count(ty)).filter_map(|_| slots.next()).map(|s| self.leaves[*s]).collect();
                Val { ty: ty.clone(), leaves }
            })
            .collect()
    }
}

/// The shape of a leaf: a scalar, or an array of scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// What is known about its dimensions, outermost first.
    pub dims: Vec<Dim>,
    pub kind: LeafKind,
}

/// For each leaf and each of its dimensions, the array in the type that has it: leaves of one array share its size.
pub fn dim_groups(ty: &Ty) -> Vec<Vec<usize>> {
    fn go(ty: &Ty, next: &mut usize) -> Vec<Vec<usize>> {
        match ty {
            Ty::Prim(_) | Ty::Acc(_) => vec![Vec::new()],
            Ty::Arrow(..) => Vec::new(),
            Ty::Array(_, elem) => {
                let group = *next;
                *next += 1;
                let mut inner = go(elem, next);
                if inner.is_empty() {
                    inner.push(Vec::new());
                }
                for leaf in &mut inner {
                    leaf.insert(0, group);
                }
                inner
            }
            Ty::Record(fields) => fields.iter().flat_map(|(_, t)| go(t, next)).collect(),
            Ty::Sum(constrs) => {
                let layout = SumLayout::of(constrs);
                let mut out = vec![Vec::new(); layout.leaves.len()];
                for ((_, payload), slots) in constrs.iter().zip(&layout.slots_of) {
                    let groups = payload.iter().flat_map(|t| go(t, next)).collect::<Vec<_>>();
                    for (slot, group) in slots.iter().zip(groups) {
                        out[*slot] = group;
                    }
                }
                out
            }
        }
    }
    go(ty, &mut 0)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LeafKind {
    Prim(Prim),
    /// An accumulator; there are none in arrays.
    Acc,
}

impl Leaf {
    pub fn ty(&self, dims: Vec<Operand>) -> Type {
        match self.kind {
            LeafKind::Prim(p) if dims.is_empty() => Type::Prim(p),
            LeafKind::Prim(p) => Type::Array(dims, p),
            LeafKind::Acc => Type::Cert,
        }
    }

    pub fn prim(&self) -> Prim {
        match self.kind {
            LeafKind::Prim(p) => p,
            LeafKind::Acc => Prim::Bool,
        }
    }
}

pub fn count(ty: &Ty) -> usize {
    leaves(ty).len()
}

/// The leaves of a type.
pub fn leaves(ty: &Ty) -> Vec<Leaf> {
    match ty {
        Ty::Prim(p) => vec![Leaf { dims: Vec::new(), kind: LeafKind::Prim(*p) }],
        Ty::Acc(_) => vec![Leaf { dims: Vec::new(), kind: LeafKind::Acc }],
        Ty::Array(dim, elem) => {
            let mut inner = leaves(elem);
            if inner.is_empty() {
                // Nothing but the size is left of an array of nothing.
                inner.push(Leaf { dims: Vec::new(), kind: LeafKind::Prim(Prim::Bool) });
            }
            for leaf in &mut inner {
                leaf.dims.insert(0, *dim);
            }
            inner
        }
        Ty::Record(fields) => fields.iter().flat_map(|(_, t)| leaves(t)).collect(),
        Ty::Sum(constrs) => SumLayout::of(constrs).leaves,
        Ty::Arrow(..) => Vec::new(),
    }
}

/// Where the payloads of a sum are. The first leaf is the tag; scalars of the same type share leaves between
/// constructors, arrays do not, since their sizes may differ.
pub struct SumLayout {
    pub leaves: Vec<Leaf>,
    /// For each constructor, the leaf of each leaf of its payload.
    pub slots_of: Vec<Vec<usize>>,
}

impl SumLayout {
    pub fn of(constrs: &[(Symbol, Vec<Ty>)]) -> SumLayout {
        let mut all = vec![Leaf { dims: Vec::new(), kind: LeafKind::Prim(Prim::U8) }];
        let mut slots_of = Vec::new();
        // The leaves of each type of scalar, in order; a constructor takes the first ones it has not taken yet.
        let mut shared: FxHashMap<LeafKind, Vec<usize>> = FxHashMap::default();
        for (_, payload) in constrs {
            let mut slots = Vec::new();
            let mut taken: FxHashMap<LeafKind, usize> = FxHashMap::default();
            for leaf in payload.iter().flat_map(leaves) {
                let mut push = |leaf| {
                    all.push(leaf);
                    all.len() - 1
                };
                if !leaf.dims.is_empty() {
                    slots.push(push(leaf));
                    continue;
                }
                let of_kind = shared.entry(leaf.kind).or_default();
                let next = taken.entry(leaf.kind).or_default();
                if *next == of_kind.len() {
                    of_kind.push(push(leaf));
                }
                slots.push(of_kind[*next]);
                *next += 1;
            }
            slots_of.push(slots);
        }
        SumLayout { leaves: all, slots_of }
    }
}

/// The leaf in which a size is to be found.
pub fn leaf_at(ty: &Ty, path: &Path) -> Option<usize> {
    fn go(ty: &Ty, steps: &[Step], start: usize) -> Option<usize> {
        match (ty, steps.split_first()) {
            (_, None) => Some(start),
            (Ty::Array(_, elem), _) => go(elem, steps, start),
            (Ty::Record(fields), Some((Step::Field(name), rest))) => {
                let mut start = start;
                for (n, t) in fields {
                    if n == name {
                        return go(t, rest, start);
                    }
                    start += count(t);
                }
                None
            }
            (Ty::Sum(constrs), Some((Step::Payload(name, i), rest))) => {
                let layout = SumLayout::of(constrs);
                let index = constrs.iter().position(|(n, _)| n == name)?;
                let before: usize = constrs[index].1[..*i].iter().map(count).sum();
                let inner = go(constrs[index].1.get(*i)?, rest, 0)?;
                layout.slots_of[index].get(before + inner).map(|slot| start + slot)
            }
            _ => None,
        }
    }
    go(ty, &path.steps, 0)
}
