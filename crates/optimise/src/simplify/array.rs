//! Rules about copies of values and about expressions that make arrays.

use super::book::Rule;
use super::engine::{Cx, Step};
use kenaz_ir::{DimSlice, Exp, Name, Operand, Scalar, Stm, Type};

/// About an operand alone.
pub(super) const COPIES: &[Rule] = &[Rule { name: "copy-propagation", apply: propagate }];

pub(super) const RULES: &[Rule] = &[
    Rule { name: "copy-of-fixed", apply: copy_of_fixed },
    Rule { name: "copy-of-fresh", apply: copy_of_fresh },
    Rule { name: "replicate-of-replicate", apply: replicate_twice },
    Rule { name: "replicate-no-times", apply: replicate_none },
    Rule { name: "array-of-equal", apply: array_of_equal },
    Rule { name: "concat-of-concat", apply: concat_twice },
    Rule { name: "concat-of-empty", apply: concat_empty },
    Rule { name: "concat-of-one", apply: concat_one },
    Rule { name: "concat-of-replicates", apply: concat_replicates },
    Rule { name: "update-with-itself", apply: update_with_itself },
    Rule { name: "update-of-all", apply: update_all },
];

/// A name for a name: uses of the first become uses of the second. One that relies on a check stays, and so stays after
/// the check.
fn propagate(_: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Operand(x) = stm.exp else { return None };
    stm.certs.is_empty().then(|| Step::Bind(vec![x]))
}

fn bound(stm: &Stm) -> Option<Name> {
    match &stm.pat[..] {
        [param] => Some(param.name),
        _ => None,
    }
}

/// A copy of an array, if neither is updated anywhere, is that array.
fn copy_of_fixed(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Copy(a) = stm.exp else { return None };
    (cx.sharing.may_merge(a, bound(stm)?) && stm.attrs.is_free()).then(|| Step::Bind(vec![a.into()]))
}

/// Making an array of a formula again costs no more than copying it.
fn copy_of_fresh(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Copy(a) = stm.exp else { return None };
    let def = cx.def(a)?;
    let is_formula = match &def.exp {
        Exp::Iota { .. } => true,
        Exp::Replicate(_, x) => x.name().is_none_or(|x| cx.types.get(&x).is_some_and(|ty| ty.rank() == 0)),
        _ => false,
    };
    is_formula.then(|| Step::Become(def.exp.clone(), def.certs.clone()))
}

fn replicate_twice(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Replicate(dims, Operand::Var(x)) = &stm.exp else { return None };
    let def = cx.def(*x)?;
    let Exp::Replicate(inner, y) = &def.exp else { return None };
    let is_scalar = cx.type_of(*y)?.rank() == 0;
    is_scalar.then(|| Step::Become(Exp::Replicate([&dims[..], &inner[..]].concat(), *y), def.certs.clone()))
}

/// An array of nothing does not need to know of what.
fn replicate_none(_: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let (Exp::Replicate(dims, Operand::Var(_)), [param]) = (&stm.exp, &stm.pat[..]) else { return None };
    let nothing = match param.ty.row(1) {
        // Such a thing can be repeated without being made.
        Type::Prim(prim) => Exp::Replicate(dims.clone(), Operand::Const(Scalar::from_bits(prim, 0))),
        row => Exp::Array(Vec::new(), row),
    };
    (dims[..] == [Operand::i64(0)]).then(|| Step::Become(nothing, vec![]))
}

/// `[x, x, x]`
fn array_of_equal(_: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Array(elems, _) = &stm.exp else { return None };
    let (first, rest) = elems.split_first()?;
    if rest.is_empty() || rest.iter().any(|x| x != first) {
        return None;
    }
    let n = i64::try_from(elems.len()).ok()?;
    Some(Step::Become(Exp::Replicate(vec![Operand::i64(n)], *first), vec![]))
}

fn concat_twice(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Concat(n, arrays) = &stm.exp else { return None };
    let parts = |cx: &Cx<'_>, a: Name| match cx.def(a) {
        Some(def) if def.attrs.is_free() => match &def.exp {
            Exp::Concat(_, parts) if parts.iter().chain([&a]).all(|part| cx.sharing.is_fixed(*part)) => {
                Some((parts.clone(), def.certs.clone()))
            }
            _ => None,
        },
        _ => None,
    };
    if !stm.attrs.is_free() || arrays.iter().all(|a| parts(cx, *a).is_none()) {
        return None;
    }
    let (mut all, mut certs) = (Vec::new(), Vec::new());
    for a in arrays {
        match parts(cx, *a) {
            Some((parts, more)) => {
                all.extend(parts);
                certs.extend(more);
            }
            None => all.push(*a),
        }
    }
    Some(Step::Become(Exp::Concat(*n, all), certs))
}

fn outer(cx: &Cx<'_>, a: Name) -> Option<Operand> {
    cx.types.get(&a)?.dims().first().copied()
}

fn concat_empty(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Concat(n, arrays) = &stm.exp else { return None };
    let is_empty = |a: &Name| outer(cx, *a) == Some(Operand::i64(0));
    let kept: Vec<Name> = arrays.iter().copied().filter(|a| !is_empty(a)).collect();
    if kept.is_empty() || kept.len() == arrays.len() {
        return None;
    }
    Some(Step::Become(Exp::Concat(*n, kept), vec![]))
}

fn concat_one(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Concat(n, arrays) = &stm.exp else { return None };
    let [a] = arrays[..] else { return None };
    // The size of the whole is that of its part, but the type has to say so.
    (outer(cx, a) == Some(*n)).then(|| Step::Become(Exp::Copy(a), vec![]))
}

fn concat_replicates(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Concat(n, arrays) = &stm.exp else { return None };
    if arrays.len() < 2 {
        return None;
    }
    let element = |a: &Name| {
        let def = cx.def(*a)?;
        match &def.exp {
            Exp::Replicate(dims, x) if dims.len() == 1 && cx.type_of(*x)?.rank() == 0 => Some((*x, &def.certs)),
            Exp::Array(elems, Type::Prim(_)) if elems.len() == 1 => Some((elems[0], &def.certs)),
            _ => None,
        }
    };
    let (first, _) = element(&arrays[0])?;
    let mut certs = Vec::new();
    for a in arrays {
        let (x, more) = element(a)?;
        if x != first {
            return None;
        }
        certs.extend_from_slice(more);
    }
    Some(Step::Become(Exp::Replicate(vec![*n], first), certs))
}

/// `a with [i] = a[i]`
fn update_with_itself(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Update(a, dims, Operand::Var(v)) = &stm.exp else { return None };
    let Exp::Index(b, indices) = &cx.def(*v)?.exp else { return None };
    let fixed: Option<Vec<Operand>> = dims
        .iter()
        .map(|dim| match dim {
            DimSlice::Fix(i) => Some(*i),
            DimSlice::Range { .. } => None,
        })
        .collect();
    (a == b && fixed.as_ref() == Some(indices)).then(|| Step::Bind(vec![(*a).into()]))
}

/// Every element is replaced by an array of which nobody needs more than its elements.
fn update_all(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Update(a, slices, Operand::Var(v)) = &stm.exp else { return None };
    let Type::Array(dims, _) = cx.types.get(a)? else { return None };
    let whole = slices.iter().zip(dims).all(|(slice, n)| is_whole(slice, *n));
    // The value becomes the array, so it must not be needed any more, which only a copy is sure not to be.
    whole.then(|| Step::Become(Exp::Copy(*v), vec![]))
}

/// Whether a slice is all of a dimension.
pub(super) fn is_whole(slice: &DimSlice, n: Operand) -> bool {
    matches!(slice, DimSlice::Range { start, len, stride }
        if *start == Operand::i64(0) && *len == n && *stride == Operand::i64(1))
}
