//! Rules about views: a view of a view is one view, and an element of a view or of something with a formula is found
//! without it.
//!
//! A view keeps its array alive, so what is read through it can be read from the array at the same place. The element
//! of a new array is different: what the new array was made from may be consumed by then, so it has to be fixed.

use super::array::is_whole;
use super::book::Rule;
use super::engine::{Cx, Def, Step, Steps};
use kenaz_base::Prim;
use kenaz_ir::effects;
use kenaz_ir::visit::instantiate;
use kenaz_ir::{BinOp, DimSlice, Exp, Name, Operand, Scalar, Soac, Stm, Type};

/// About single elements and rows.
pub(super) const INDEX: &[Rule] = &[
    Rule { name: "index-of-view", apply: index_of_view },
    Rule { name: "index-of-formula", apply: index_of_formula },
    Rule { name: "index-of-update", apply: index_of_update },
    Rule { name: "index-of-copy", apply: index_of_copy },
    Rule { name: "index-of-map", apply: index_of_map },
];

pub(super) const RULES: &[Rule] = &[
    Rule { name: "view-of-all", apply: of_all },
    Rule { name: "view-of-view", apply: view_of_view },
    Rule { name: "view-of-formula", apply: view_of_formula },
];

fn index_of_view(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Index(a, indices) = &stm.exp else { return None };
    let Def { exp: view, certs, .. } = cx.def(*a)?.clone();
    let rank = cx.types.get(a)?.rank();
    let mut steps = Steps::new(cx, stm);
    let exp = match &view {
        Exp::Index(b, outer) => Exp::Index(*b, [&outer[..], &indices[..]].concat()),
        Exp::Resize(_, b) if indices.len() == rank => Exp::Index(*b, indices.clone()),
        Exp::Slice(b, slices) if indices.len() == rank => {
            let mut rest = indices.iter();
            let mut out = Vec::with_capacity(slices.len());
            for slice in slices {
                match slice {
                    DimSlice::Fix(i) => out.push(*i),
                    DimSlice::Range { start, len: _, stride } => {
                        let moved = steps.product(*rest.next()?, *stride);
                        out.push(steps.sum(*start, moved));
                    }
                }
            }
            Exp::Index(*b, out)
        }
        // Some dimensions of the slice stay.
        Exp::Slice(b, slices) => {
            let mut rest = indices.iter();
            let out = slices.iter().map(|slice| match slice {
                DimSlice::Fix(_) => *slice,
                DimSlice::Range { start, len: _, stride } => match rest.next() {
                    Some(i) => {
                        let moved = steps.product(*i, *stride);
                        DimSlice::Fix(steps.sum(*start, moved))
                    }
                    None => *slice,
                },
            });
            Exp::Slice(*b, out.collect())
        }
        Exp::Rearrange(perm, b) if indices.len() == rank => {
            let mut out = vec![Operand::i64(0); rank];
            for (i, from) in indices.iter().zip(perm) {
                out[*from] = *i;
            }
            Exp::Index(*b, out)
        }
        // The column of a matrix.
        Exp::Rearrange(perm, b) => {
            let dims = steps.cx.types.get(b)?.dims().to_vec();
            let mut slices: Vec<DimSlice> = dims.iter().map(|n| whole(*n)).collect();
            for (i, from) in indices.iter().zip(perm) {
                slices[*from] = DimSlice::Fix(*i);
            }
            let kept = &perm[indices.len()..];
            if kept.is_sorted() {
                Exp::Slice(*b, slices)
            } else {
                let slice = steps.add("slice", Exp::Slice(*b, slices));
                let place = |p: &usize| kept.iter().filter(|other| *other < p).count();
                Exp::Rearrange(kept.iter().map(place).collect(), slice)
            }
        }
        Exp::Reshape(dims, b) if indices.len() == rank && steps.cx.types.get(b)?.rank() == 1 => {
            let at = linear(&mut steps, dims, indices);
            Exp::Index(*b, vec![at])
        }
        Exp::FlatIndex(b, offset, dims) if indices.len() == rank => {
            let mut at = *offset;
            for (i, (_, stride)) in indices.iter().zip(dims) {
                let moved = steps.product(*i, *stride);
                at = steps.sum(at, moved);
            }
            Exp::Index(*b, vec![at])
        }
        _ => return None,
    };
    Some(steps.become_(stm, exp, certs))
}

fn whole(n: Operand) -> DimSlice {
    DimSlice::Range { start: Operand::i64(0), len: n, stride: Operand::i64(1) }
}

/// The place of an element in an array whose dimensions are laid out one after the other.
fn linear(steps: &mut Steps<'_, '_>, dims: &[Operand], indices: &[Operand]) -> Operand {
    let mut at = Operand::i64(0);
    for (n, i) in dims.iter().zip(indices) {
        let rows = steps.product(at, *n);
        at = steps.sum(rows, *i);
    }
    at
}

/// An element of `iota`, `replicate`, an array of given elements.
fn index_of_formula(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Index(a, indices) = &stm.exp else { return None };
    let param = stm.pat.first()?;
    let Def { exp, certs, .. } = cx.def(*a)?.clone();
    // The row is read instead of the array that was made of it, so it must not change. If the result is an array, it
    // becomes one with the row.
    let may_read = |cx: &Cx<'_>, row: Name| match param.ty.rank() {
        0 => cx.sharing.is_fixed(row),
        _ => cx.sharing.may_merge(row, param.name),
    };
    let mut steps = Steps::new(cx, stm);
    match &exp {
        Exp::Iota { start, stride, prim, .. } => {
            let value = iota_at(&mut steps, *start, *stride, *prim, indices[0]);
            Some(steps.bind(vec![value]))
        }
        Exp::Replicate(dims, x) if indices.len() <= dims.len() => {
            let rest = &dims[indices.len()..];
            if rest.is_empty() {
                steps.cx.is_stable(*x).then(|| Step::Bind(vec![*x]))
            } else {
                steps.cx.is_stable(*x).then(|| Step::Become(Exp::Replicate(rest.to_vec(), *x), certs))
            }
        }
        Exp::Replicate(dims, Operand::Var(x)) => {
            let row = indices[dims.len()..].to_vec();
            may_read(steps.cx, *x).then_some(Step::Become(Exp::Index(*x, row), certs))
        }
        Exp::Array(elems, _) => {
            let i = match indices[0] {
                // There is but one.
                _ if elems.len() == 1 => 0,
                Operand::Const(Scalar::I64(i)) => usize::try_from(i).ok()?,
                _ => return None,
            };
            let x = *elems.get(i)?;
            match (indices.len(), x) {
                (1, _) if steps.cx.is_stable(x) => Some(Step::Bind(vec![x])),
                (1, Operand::Var(row)) => {
                    let same = steps.cx.sharing.may_merge(row, stm.pat.first()?.name);
                    same.then(|| Step::Bind(vec![x]))
                }
                (_, Operand::Var(x)) => {
                    let row = indices[1..].to_vec();
                    may_read(steps.cx, x).then_some(Step::Become(Exp::Index(x, row), certs))
                }
                _ => None,
            }
        }
        // Rows that are all the same, one after the other.
        Exp::Reshape(_, b) if indices.len() == 1 && param.ty.rank() == 0 => {
            let Def { exp: Exp::Replicate(_, Operand::Var(row)), certs: more, .. } = steps.cx.def(*b)?.clone() else {
                return None;
            };
            let [n] = *steps.cx.types.get(&row)?.dims() else { return None };
            if !may_read(steps.cx, row) {
                return None;
            }
            let at = match n {
                Operand::Const(Scalar::I64(1)) => Operand::i64(0),
                _ => steps.add("rem", Exp::Bin(BinOp::Rem, indices[0], n)).into(),
            };
            Some(steps.become_(stm, Exp::Index(row, vec![at]), [certs, more].concat()))
        }
        _ => None,
    }
}

impl Cx<'_> {
    /// Whether a value can be used here in the place of an element of an array that was made from it.
    fn is_stable(&self, x: Operand) -> bool {
        match x {
            Operand::Const(_) => true,
            Operand::Var(name) => self.types.get(&name).is_some_and(|ty| ty.rank() == 0),
        }
    }
}

fn iota_at(steps: &mut Steps<'_, '_>, start: Operand, stride: Operand, prim: Prim, i: Operand) -> Operand {
    let is = |x: Operand, n: u64| x == Operand::Const(Scalar::from_bits(prim, n));
    let mut at = match prim {
        Prim::I64 => i,
        _ => steps.add("conv", Exp::Conv(prim, i)).into(),
    };
    if !is(stride, 1) {
        at = steps.add("mul", Exp::Bin(BinOp::Mul, at, stride)).into();
    }
    if !is(start, 0) {
        at = steps.add("add", Exp::Bin(BinOp::Add, at, start)).into();
    }
    at
}

/// `(a with [i] = v)[i]`
fn index_of_update(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Index(a, indices) = &stm.exp else { return None };
    let Exp::Update(_, slices, value) = cx.def(*a)?.exp.clone() else { return None };
    let is_fixed = |(slice, i): (&DimSlice, &Operand)| *slice == DimSlice::Fix(*i);
    let same = slices.len() == indices.len() && slices.iter().zip(indices).all(is_fixed);
    (same && cx.is_stable(value)).then(|| Step::Bind(vec![value]))
}

fn index_of_copy(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Index(a, indices) = &stm.exp else { return None };
    let Exp::Copy(b) = cx.def(*a)?.exp else { return None };
    let is_scalar = stm.pat.first()?.ty.rank() == 0;
    (is_scalar && cx.sharing.is_fixed(b)).then(|| Step::Become(Exp::Index(b, indices.clone()), vec![]))
}

/// Whether an element of what a map yields can be computed where it is used: a few operations on scalars.
pub(super) fn is_cheap_map(soac: &Soac) -> bool {
    const MOST: usize = 3;
    let Soac::Screma { map, scans, reduces, post: None, .. } = soac else { return false };
    scans.is_empty()
        && reduces.is_empty()
        && map.body.stms.len() <= MOST
        && map.body.stms.iter().all(|stm| effects::is_simple(&stm.exp) && stm.certs.is_empty())
        && map.params.iter().all(|p| p.ty.rank() == 0 && p.ty.prim().is_some())
}

/// An element of a map that computes little. In two loops inside the body of the map, elements are used again and
/// again; there it should read no more than the one element it stands for.
fn index_of_map(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Index(a, indices) = &stm.exp else { return None };
    let Def { exp: Exp::Soac(Soac::Screma { arrays, map, .. }), certs, attrs, loops } = cx.def(*a)?.clone() else {
        return None;
    };
    if arrays.len() > 1 && cx.loops > loops + 1 {
        return None;
    }
    if !attrs.is_free() || indices.len() != 1 || !arrays.iter().all(|a| cx.sharing.is_fixed(*a)) {
        return None;
    }
    let [Operand::Var(_) | Operand::Const(_)] = map.body.results[..] else { return None };
    let mut steps = Steps::new(cx, stm);
    let args: Vec<Operand> = arrays.iter().map(|a| steps.add("x", Exp::Index(*a, indices.clone())).into()).collect();
    let body = instantiate(&map.params, &map.body, &args, steps.cx.fresh);
    for mut stm in body.stms {
        for param in &stm.pat {
            steps.cx.types.insert(param.name, param.ty.clone());
        }
        stm.certs.extend_from_slice(&certs);
        steps.stms.push(stm);
    }
    for stm in &mut steps.stms {
        stm.certs.extend_from_slice(&certs);
    }
    Some(steps.bind(body.results))
}

/// A view that is its array.
fn of_all(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let same = |a: Name, dims: &[Operand]| cx.types.get(&a).is_some_and(|ty| ty.dims() == dims);
    let array = match &stm.exp {
        Exp::Slice(a, slices) => {
            if let Some(indices) = all_fixed(slices) {
                return Some(Step::Become(Exp::Index(*a, indices), vec![]));
            }
            let dims = cx.types.get(a)?.dims();
            let all = slices.iter().zip(dims).all(|(slice, n)| is_whole(slice, *n));
            all.then_some(*a)?
        }
        Exp::Rearrange(perm, a) => perm.is_sorted().then_some(*a)?,
        Exp::Reshape(dims, a) | Exp::Resize(dims, a) => same(*a, dims).then_some(*a)?,
        _ => return None,
    };
    Some(Step::Bind(vec![array.into()]))
}

fn all_fixed(slices: &[DimSlice]) -> Option<Vec<Operand>> {
    slices
        .iter()
        .map(|slice| match slice {
            DimSlice::Fix(i) => Some(*i),
            DimSlice::Range { .. } => None,
        })
        .collect()
}

fn view_of_view(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let inner = match &stm.exp {
        Exp::Slice(a, _) | Exp::Rearrange(_, a) | Exp::Reshape(_, a) | Exp::Resize(_, a) => *a,
        _ => return None,
    };
    let Def { exp: view, certs, .. } = cx.def(inner)?.clone();
    let mut steps = Steps::new(cx, stm);
    let exp = match (&stm.exp, &view) {
        (Exp::Rearrange(outer, _), Exp::Rearrange(perm, b)) => {
            Exp::Rearrange(outer.iter().map(|i| perm[*i]).collect(), *b)
        }
        (Exp::Reshape(dims, _), Exp::Reshape(_, b) | Exp::Resize(_, b)) => Exp::Reshape(dims.clone(), *b),
        (Exp::Resize(dims, _), Exp::Resize(_, b)) => Exp::Resize(dims.clone(), *b),
        (Exp::Slice(_, slices), Exp::Slice(b, under)) => Exp::Slice(*b, compose(&mut steps, slices, under)?),
        (Exp::Slice(_, slices), Exp::Index(b, indices)) => {
            Exp::Slice(*b, indices.iter().map(|i| DimSlice::Fix(*i)).chain(slices.iter().copied()).collect())
        }
        (Exp::Slice(_, slices), Exp::Resize(_, b)) => Exp::Slice(*b, slices.clone()),
        (Exp::Slice(_, slices), Exp::Rearrange(perm, b)) => {
            let mut out = vec![DimSlice::Fix(Operand::i64(0)); slices.len()];
            for (slice, from) in slices.iter().zip(perm) {
                out[*from] = *slice;
            }
            // The dimensions that stay, in the order in which they come out of the array.
            let kept: Vec<usize> =
                perm.iter().zip(slices).filter(|(_, s)| matches!(s, DimSlice::Range { .. })).map(|(p, _)| *p).collect();
            if kept.is_sorted() {
                Exp::Slice(*b, out)
            } else {
                let slice = steps.add("slice", Exp::Slice(*b, out));
                let place = |p: &usize| kept.iter().filter(|other| *other < p).count();
                Exp::Rearrange(kept.iter().map(place).collect(), slice)
            }
        }
        _ => return None,
    };
    Some(steps.become_(stm, exp, certs))
}

/// The slice of a slice.
fn compose(steps: &mut Steps<'_, '_>, slices: &[DimSlice], under: &[DimSlice]) -> Option<Vec<DimSlice>> {
    let mut rest = slices.iter();
    let mut out = Vec::with_capacity(under.len());
    for slice in under {
        let DimSlice::Range { start: base, len: _, stride: step } = slice else {
            out.push(*slice);
            continue;
        };
        out.push(match rest.next()? {
            DimSlice::Fix(i) => {
                let moved = steps.product(*i, *step);
                DimSlice::Fix(steps.sum(*base, moved))
            }
            DimSlice::Range { start, len, stride } => {
                let moved = steps.product(*start, *step);
                let start = steps.sum(*base, moved);
                DimSlice::Range { start, len: *len, stride: steps.product(*stride, *step) }
            }
        });
    }
    Some(out)
}

/// A view of something with a formula is such a thing too. The view would be an alias, and this is a new array: they
/// are the same unless somebody updates one of them.
fn view_of_formula(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let param = stm.pat.first()?;
    let inner = match &stm.exp {
        Exp::Slice(a, _) | Exp::Rearrange(_, a) | Exp::Reshape(_, a) | Exp::Resize(_, a) => *a,
        _ => return None,
    };
    if !cx.sharing.is_fixed(inner) || !cx.sharing.is_fixed(param.name) {
        return None;
    }
    let Def { exp: formula, certs, attrs, loops: _ } = cx.def(inner)?.clone();
    if !attrs.is_free() {
        return None;
    }
    let Type::Array(dims, _) = &param.ty else { return None };
    match &formula {
        Exp::Replicate(_, x) if cx.type_of(*x)?.rank() == 0 => {
            Some(Step::Become(Exp::Replicate(dims.clone(), *x), certs))
        }
        // Some of the rows, each as a whole.
        Exp::Replicate(outer, Operand::Var(row)) if cx.sharing.is_fixed(*row) => {
            let Exp::Slice(_, slices) = &stm.exp else { return None };
            let (outside, inside) = slices.split_at(outer.len());
            let is_range = |slice: &DimSlice| matches!(slice, DimSlice::Range { .. });
            let whole = inside.iter().zip(cx.types.get(row)?.dims()).all(|(slice, n)| is_whole(slice, *n));
            (whole && outside.iter().all(is_range))
                .then(|| Step::Become(Exp::Replicate(dims[..outer.len()].to_vec(), (*row).into()), certs))
        }
        Exp::Iota { start, stride, prim, .. } => match &stm.exp {
            Exp::Resize(..) => {
                Some(Step::Become(Exp::Iota { len: dims[0], start: *start, stride: *stride, prim: *prim }, certs))
            }
            Exp::Slice(_, slices) => {
                let [DimSlice::Range { start: first, len, stride: step }] = slices[..] else { return None };
                let (start, stride, prim) = (*start, *stride, *prim);
                let mut steps = Steps::new(cx, stm);
                let start = iota_at(&mut steps, start, stride, prim, first);
                let scale = match prim {
                    Prim::I64 => step,
                    _ => steps.add("conv", Exp::Conv(prim, step)).into(),
                };
                let stride = match stride {
                    Operand::Const(c) if c == Scalar::from_bits(prim, 1) => scale,
                    _ => steps.add("mul", Exp::Bin(BinOp::Mul, scale, stride)).into(),
                };
                Some(steps.become_(stm, Exp::Iota { len, start, stride, prim }, certs))
            }
            _ => None,
        },
        _ => None,
    }
}
