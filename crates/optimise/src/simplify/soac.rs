//! Rules about second-order operators.

use super::book::Rule;
use super::control::retain;
use super::engine::{Cx, Step, Steps, Work};
use super::neutral;
use kenaz_base::{Attr, Prim};
use kenaz_ir::visit::{Subst, instantiate};
use kenaz_ir::{BinOp, Body, CmpOp, Exp, Lambda, Name, Operand, Param, Reduce, Scan, Soac, Stm, Type, infer};
use rustc_hash::FxHashSet;

/// Before the lambdas are walked.
pub(super) const BEFORE: &[Rule] = &[
    Rule { name: "input-twice", apply: input_twice },
    Rule { name: "input-of-replicate", apply: input_of_replicate },
    Rule { name: "map-of-nothing", apply: nothing },
    Rule { name: "input-by-number", apply: input_by_number },
];

/// Behind the lambdas.
pub(super) const AFTER: &[Rule] = &[
    Rule { name: "map-identity", apply: identity },
    Rule { name: "map-invariant", apply: invariant },
    Rule { name: "map-invariant-array", apply: invariant_array },
    Rule { name: "map-result-twice", apply: result_twice },
    Rule { name: "reduce-twice", apply: reduce_twice },
    Rule { name: "reduce-invariant", apply: reduce_invariant },
    Rule { name: "filter-all", apply: filter_all },
    Rule { name: "map-of-one", apply: one },
    Rule { name: "neutral-element", apply: neutral::neutral_element },
];

/// The inputs and the function mapped over them; not of a filter, whose results go with its inputs.
fn inputs(soac: &Soac) -> Option<(&[Name], &Lambda)> {
    match soac {
        Soac::Screma { arrays, map, .. } | Soac::Scatter { arrays, map, .. } | Soac::Hist { arrays, map, .. } => {
            Some((arrays, map))
        }
        Soac::Filter { .. } | Soac::WithAcc { .. } | Soac::UpdateAcc { .. } => None,
    }
}

/// The operator without its input at a place; its parameter is `x`.
fn without_input(soac: &Soac, at: usize, x: Operand) -> Option<Soac> {
    let mut soac = soac.clone();
    let (arrays, map) = match &mut soac {
        Soac::Screma { arrays, map, .. } | Soac::Scatter { arrays, map, .. } | Soac::Hist { arrays, map, .. } => {
            (arrays, map)
        }
        Soac::Filter { .. } | Soac::WithAcc { .. } | Soac::UpdateAcc { .. } => return None,
    };
    let subst: Subst = [(map.params[at].name, x)].into_iter().collect();
    arrays.remove(at);
    map.params.remove(at);
    subst.apply_to_lambda(map);
    Some(soac)
}

fn is_plain(param: &Param) -> bool {
    !param.unique && !matches!(param.ty, Type::Acc { .. })
}

/// Two parameters for the same array.
fn input_twice(_: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Soac(soac) = &stm.exp else { return None };
    let (arrays, map) = inputs(soac)?;
    let twice = |j: &usize| arrays[..*j].contains(&arrays[*j]) && is_plain(&map.params[*j]);
    let j = (1..arrays.len()).find(twice)?;
    let i = arrays.iter().position(|a| *a == arrays[j])?;
    if !is_plain(&map.params[i]) {
        return None;
    }
    Some(Step::Become(Exp::Soac(without_input(soac, j, map.params[i].name.into())?), vec![]))
}

/// A parameter that is the same for all rows.
fn input_of_replicate(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Soac(soac) = &stm.exp else { return None };
    let same = |a: &Name| {
        let def = cx.def(*a)?;
        match &def.exp {
            Exp::Replicate(dims, x) if dims.len() == 1 && def.attrs.is_free() => {
                x.name().is_none_or(|x| cx.sharing.is_fixed(x)).then_some(*x)
            }
            _ => None,
        }
    };
    let (arrays, map) = inputs(soac)?;
    // A lone array says nothing about the width, but the width is an operand of its own.
    let (i, x) =
        arrays.iter().enumerate().find_map(|(i, a)| Some((i, same(a)?)).filter(|_| is_plain(&map.params[i])))?;
    Some(Step::Become(Exp::Soac(without_input(soac, i, x)?), vec![]))
}

/// `a[i]` for each number of a row of `a`: the row itself.
fn input_by_number(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Soac(soac) = &stm.exp else { return None };
    let (arrays, map) = inputs(soac)?;
    let counts = |a: &Name| {
        let numbers = |def: &super::engine::Def| match def.exp {
            Exp::Iota { start, stride, prim, .. } => {
                start == Operand::i64(0) && stride == Operand::i64(1) && prim == Prim::I64
            }
            _ => false,
        };
        cx.def(*a).is_some_and(numbers)
    };
    let numbers: Vec<(Operand, Operand)> = arrays
        .iter()
        .zip(&map.params)
        .filter(|(a, _)| counts(a))
        .filter_map(|(a, p)| Some((p.name.into(), cx.types.get(a)?.dims().first().copied()?)))
        .collect();
    if numbers.is_empty() {
        return None;
    }
    let is_row = |inner: &Stm| match &inner.exp {
        Exp::Index(a, indices) if inner.attrs.is_free() => {
            let n = cx.types.get(a).and_then(|ty| ty.dims().first());
            n.zip(indices.first()).is_some_and(|(n, i)| numbers.contains(&(*i, *n)))
        }
        _ => false,
    };
    if !map.body.stms.iter().any(is_row) {
        return None;
    }
    let bound = bound(map);
    let (mut arrays, mut map) = (arrays.to_vec(), map.clone());
    let mut changed = false;
    for inner in &mut map.body.stms {
        let Exp::Index(a, indices) = &inner.exp else { continue };
        if !is_row(inner) || bound.contains(a) {
            continue;
        }
        changed = true;
        let row = match arrays.iter().zip(&map.params).position(|(b, param)| b == a && is_plain(param)) {
            Some(at) => map.params[at].name,
            None => {
                let name = cx.fresh.like(inner.pat[0].name);
                arrays.push(*a);
                map.params.push(Param::new(name, cx.types.get(a)?.row(1)));
                name
            }
        };
        inner.exp = match &indices[1..] {
            [] => {
                // The number is that of a row, which needs no check.
                inner.certs.clear();
                Exp::Operand(row.into())
            }
            rest => Exp::Index(row, rest.to_vec()),
        };
    }
    if !changed {
        return None;
    }
    let mut soac = soac.clone();
    if let Soac::Screma { arrays: a, map: f, .. }
    | Soac::Scatter { arrays: a, map: f, .. }
    | Soac::Hist { arrays: a, map: f, .. } = &mut soac
    {
        (*a, *f) = (arrays, map);
    }
    Some(Step::Become(Exp::Soac(soac), vec![]))
}

/// A width of one: the function itself.
fn one(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let (width, arrays, map, first) = plain_map(stm)?;
    let Exp::Soac(Soac::Screma { scans, reduces, .. }) = &stm.exp else { return None };
    let is_new = |ty: &Type| !matches!(ty, Type::Acc { .. });
    if width != Operand::i64(1) || !scans.is_empty() || !map.params.iter().all(is_plain) || !map.ret.iter().all(is_new)
    {
        return None;
    }
    // The result of a reduction of arrays might be its neutral element, which others use.
    if map.ret[..first].iter().any(Type::is_array) {
        return None;
    }
    let plain =
        |pat: Vec<Param>, exp: Exp| Stm { pat, certs: Vec::new(), attrs: Default::default(), exp, loc: stm.loc };
    let mut work = Vec::new();
    for (array, param) in arrays.iter().zip(&map.params) {
        let exp = Exp::Index(*array, vec![Operand::i64(0)]);
        work.push(Work::Stm(plain(vec![param.clone()], exp), false));
    }
    work.extend(map.body.stms.iter().cloned().map(|inner| Work::Stm(inner, false)));
    let mut at = 0;
    for reduce in reduces {
        let end = at + reduce.neutral.len();
        let values = [&reduce.neutral[..], &map.body.results[at..end]].concat();
        let body = instantiate(&reduce.op.params, &reduce.op.body, &values, cx.fresh);
        work.extend(body.stms.into_iter().map(|inner| Work::Stm(inner, false)));
        work.push(Work::Bind(stm.pat[at..end].to_vec(), body.results));
        at = end;
    }
    for i in first..map.ret.len() {
        let exp = Exp::Array(vec![map.body.results[i]], map.ret[i].clone());
        work.push(Work::Stm(plain(vec![stm.pat[i].clone()], exp), false));
    }
    Some(Step::Splice(work))
}

/// A width of zero.
fn nothing(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Soac(Soac::Screma { width, map, scans, reduces, post: None, .. }) = &stm.exp else { return None };
    let names: Vec<Name> = map.params.iter().map(|p| p.name).collect();
    let accumulates = map.params.iter().any(|p| matches!(p.ty, Type::Acc { .. }));
    if *width != Operand::i64(0) || accumulates || map.ret.iter().any(|ty| infer::mentions(ty, &names)) {
        return None;
    }
    let (scanned, _) = counts(scans, reduces);
    let neutral: Vec<Operand> = reduces.iter().flat_map(|r| r.neutral.iter().copied()).collect();
    let result = |(i, ty): (usize, &Type)| {
        let param = stm.pat[i].clone();
        let exp = match i.checked_sub(scanned).and_then(|i| neutral.get(i)) {
            // A neutral element that is an array stays apart from the result if one of the two is consumed.
            Some(Operand::Var(array)) if ty.rank() > 0 && !cx.sharing.may_merge(*array, param.name) => {
                Exp::Copy(*array)
            }
            Some(x) => return Work::Bind(vec![param], vec![*x]),
            None => Exp::Array(Vec::new(), ty.clone()),
        };
        Work::Stm(Stm { pat: vec![param], certs: Vec::new(), attrs: Default::default(), exp, loc: stm.loc }, true)
    };
    Some(Step::Splice(map.ret.iter().enumerate().map(result).collect()))
}

/// How many results are scanned, and how many reduced.
fn counts(scans: &[Scan], reduces: &[Reduce]) -> (usize, usize) {
    (scans.iter().map(|s| s.neutral.len()).sum(), reduces.iter().map(|r| r.neutral.len()).sum())
}

/// A screma whose operator is not marked by the user, with the place of its first mapped result.
fn plain_map(stm: &Stm) -> Option<(Operand, &[Name], &Lambda, usize)> {
    match &stm.exp {
        Exp::Soac(Soac::Screma { width, arrays, map, scans, reduces, post: None }) if stm.attrs.is_free() => {
            let (scanned, reduced) = counts(scans, reduces);
            Some((*width, arrays, map, scanned + reduced))
        }
        _ => None,
    }
}

/// A screma without some of its mapped results.
fn without(stm: &Stm, gone: &[usize]) -> Work {
    let mut stm = stm.clone();
    stm.certs.clear();
    retain(&mut stm.pat, gone);
    if let Exp::Soac(Soac::Screma { map, .. }) = &mut stm.exp {
        retain(&mut map.body.results, gone);
        retain(&mut map.ret, gone);
    }
    Work::Stm(stm, true)
}

/// A result that is one of the inputs.
fn identity(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let (_, arrays, map, first) = plain_map(stm)?;
    let input = |x: &Operand| {
        let at = map.params.iter().position(|p| Operand::Var(p.name) == *x && is_plain(p))?;
        Some(arrays[at])
    };
    let (i, array) = (first..map.body.results.len()).find_map(|i| Some((i, input(&map.body.results[i])?)))?;
    // The map is what reads the elements of a source, which nothing but a reader computes.
    if cx.def(array).is_some_and(|def| def.attrs.has(Attr::Source)) {
        return None;
    }
    let param = stm.pat[i].clone();
    let same = if cx.sharing.may_merge(array, param.name) {
        Work::Bind(vec![param], vec![array.into()])
    } else {
        let exp = Exp::Copy(array);
        Work::Stm(Stm { pat: vec![param], certs: Vec::new(), attrs: Default::default(), exp, loc: stm.loc }, true)
    };
    Some(Step::Splice(vec![same, without(stm, &[i])]))
}

/// Whether an operand of a lambda's body means the same outside.
fn is_outside(lambda: &Lambda, x: Operand) -> bool {
    let Operand::Var(name) = x else { return true };
    let is_bound = |params: &[Param]| params.iter().any(|p| p.name == name);
    !is_bound(&lambda.params) && !lambda.body.stms.iter().any(|stm| is_bound(&stm.pat))
}

/// A result that is the same for all rows.
fn invariant(_: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let (width, _, map, first) = plain_map(stm)?;
    let results = &map.body.results;
    let is_same = |i: &usize| is_outside(map, results[*i]) && !matches!(map.ret[*i], Type::Acc { .. });
    let i = (first..results.len()).find(is_same)?;
    let exp = Exp::Replicate(vec![width], results[i]);
    let pat = vec![stm.pat[i].clone()];
    let same = Stm { pat, certs: Vec::new(), attrs: Default::default(), exp, loc: stm.loc };
    Some(Step::Splice(vec![Work::Stm(same, true), without(stm, &[i])]))
}

/// The names that a function binds at its top.
fn bound(lambda: &Lambda) -> FxHashSet<Name> {
    let made = lambda.body.stms.iter().flat_map(|stm| &stm.pat);
    lambda.params.iter().chain(made).map(|p| p.name).collect()
}

/// A result that the function makes anew for each row, but always the same.
fn invariant_array(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let (width, _, map, first) = plain_map(stm)?;
    let made = |inner: &Stm| match (&inner.exp, &inner.pat[..]) {
        (Exp::Replicate(..) | Exp::Array(..), [param]) if inner.attrs.is_free() => {
            let i = map.body.results[first..].iter().position(|x| *x == Operand::Var(param.name))?;
            Some(first + i)
        }
        _ => None,
    };
    let mut found = map.body.stms.iter().filter_map(|inner| Some((inner, made(inner)?))).peekable();
    found.peek()?;
    let bound = bound(map);
    let outside = |x: &Operand| !x.name().is_some_and(|name| bound.contains(&name));
    let (inner, i) = found.find(|(inner, _)| {
        let same = match &inner.exp {
            Exp::Replicate(dims, x) => dims.iter().chain([x]).all(outside),
            Exp::Array(elems, ty) => elems.iter().chain(ty.dims()).all(outside),
            _ => false,
        };
        same && !inner.certs.iter().any(|cert| bound.contains(cert))
    })?;
    let plain = |pat, exp, certs| Work::Stm(Stm { pat, certs, attrs: Default::default(), exp, loc: stm.loc }, true);
    let pat = vec![stm.pat[i].clone()];
    let mut work = Vec::new();
    match &inner.exp {
        // The sizes inside need not make sense if there are no rows.
        Exp::Replicate(dims, x) => {
            let dims = [&[width], &dims[..]].concat();
            work.push(plain(pat, Exp::Replicate(dims, *x), inner.certs.clone()));
        }
        exp => {
            let row = Param { name: cx.fresh.like(inner.pat[0].name), ..inner.pat[0].clone() };
            let name = row.name;
            work.push(plain(vec![row], exp.clone(), inner.certs.clone()));
            work.push(plain(pat, Exp::Replicate(vec![width], name.into()), Vec::new()));
        }
    }
    work.push(without(stm, &[i]));
    Some(Step::Splice(work))
}

fn result_twice(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let (_, _, map, first) = plain_map(stm)?;
    let results = &map.body.results;
    let (i, j) = (first..results.len()).find_map(|j| {
        let i = (first..j).find(|i| results[*i] == results[j])?;
        let merge = !matches!(map.ret[i], Type::Acc { .. }) && cx.sharing.may_merge(stm.pat[i].name, stm.pat[j].name);
        merge.then_some((i, j))
    })?;
    // The first of the two is bound by what is left.
    let bind = Work::Bind(vec![stm.pat[j].clone()], vec![stm.pat[i].name.into()]);
    Some(Step::Splice(vec![without(stm, &[j]), bind]))
}

/// Two reductions of the same values by the same operation.
fn reduce_twice(_: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Soac(Soac::Screma { map, scans, reduces, post: None, .. }) = &stm.exp else { return None };
    if !stm.attrs.is_free() {
        return None;
    }
    let (mut at, _) = counts(scans, &[]);
    let mut known: Vec<(usize, &Reduce)> = Vec::new();
    for (r, reduce) in reduces.iter().enumerate() {
        let j = at;
        at += reduce.neutral.len();
        let Some([_]) = reduce.op.built_in().as_deref() else { continue };
        let is_same = |(i, other): &&(usize, &Reduce)| {
            let same = other.neutral == reduce.neutral && other.commutative == reduce.commutative;
            same && map.body.results[*i] == map.body.results[j] && other.op.built_in() == reduce.op.built_in()
        };
        let Some((i, _)) = known.iter().find(is_same) else {
            known.push((j, reduce));
            continue;
        };
        let mut rest = stm.clone();
        rest.certs.clear();
        let gone = rest.pat.remove(j);
        if let Exp::Soac(Soac::Screma { map, reduces, .. }) = &mut rest.exp {
            map.body.results.remove(j);
            map.ret.remove(j);
            reduces.remove(r);
        }
        let bind = Work::Bind(vec![gone], vec![stm.pat[*i].name.into()]);
        return Some(Step::Splice(vec![Work::Stm(rest, true), bind]));
    }
    None
}

/// The operation that a lambda is, if it is one of its two parameters.
fn operation(op: &Lambda) -> Option<BinOp> {
    let ([x, y], [stm], [result]) = (&op.params[..], &op.body.stms[..], &op.body.results[..]) else { return None };
    let Exp::Bin(bin, a, b) = stm.exp else { return None };
    let both = [(x.name.into(), y.name.into()), (y.name.into(), x.name.into())];
    (both.contains(&(a, b)) && *result == Operand::Var(stm.pat[0].name)).then_some(bin)
}

/// A reduction of equal values: a sum is a product, and the largest is that value.
fn reduce_invariant(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Soac(Soac::Screma { width, map, scans, reduces, post: None, .. }) = &stm.exp else { return None };
    if !stm.attrs.is_free() {
        return None;
    }
    let (scanned, _) = counts(scans, reduces);
    let mut at = scanned;
    for (r, reduce) in reduces.iter().enumerate() {
        let i = at;
        at += reduce.neutral.len();
        let ([neutral], x) = (&reduce.neutral[..], map.body.results[i]) else { continue };
        let (Some(op), Type::Prim(prim)) = (operation(&reduce.op), &map.ret[i]) else { continue };
        if !is_outside(map, x) || prim.is_float() {
            continue;
        }
        let (neutral, width, prim) = (*neutral, *width, *prim);
        let mut rest = stm.clone();
        rest.certs.clear();
        rest.pat.remove(i);
        if let Exp::Soac(Soac::Screma { map, reduces, .. }) = &mut rest.exp {
            map.body.results.remove(i);
            map.ret.remove(i);
            reduces.remove(r);
        }
        let mut steps = Steps::new(cx, stm);
        let value = match op {
            BinOp::Add => {
                let times = match prim {
                    Prim::I64 => width,
                    _ => steps.add("conv", Exp::Conv(prim, width)).into(),
                };
                let product = steps.add("mul", Exp::Bin(BinOp::Mul, times, x));
                steps.add("add", Exp::Bin(BinOp::Add, neutral, product.into()))
            }
            BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or => {
                let one = steps.add(op.text(), Exp::Bin(op, neutral, x));
                let none = steps.add("none", Exp::Cmp(CmpOp::Eq, width, Operand::i64(0)));
                let name = steps.cx.fresh.named("reduced");
                let pat = vec![Param::new(name, Type::Prim(prim))];
                let yes = Body { stms: Vec::new(), results: vec![neutral] };
                let no = Body { stms: Vec::new(), results: vec![one.into()] };
                let exp = Exp::If(none.into(), yes, no);
                steps.stms.push(Stm { pat, certs: Vec::new(), attrs: Default::default(), exp, loc: stm.loc });
                name
            }
            _ => continue,
        };
        let mut work: Vec<Work> = steps.stms.into_iter().map(|stm| Work::Stm(stm, false)).collect();
        work.push(Work::Bind(vec![stm.pat[i].clone()], vec![value.into()]));
        work.push(Work::Stm(rest, true));
        return Some(Step::Splice(work));
    }
    None
}

/// A filter that keeps everything.
fn filter_all(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Soac(Soac::Filter { width, arrays, pred }) = &stm.exp else { return None };
    if pred.body.results != [Operand::bool(true)] || !pred.body.stms.is_empty() {
        return None;
    }
    let (count, kept) = stm.pat.split_first()?;
    let mut work = vec![Work::Bind(vec![count.clone()], vec![*width])];
    for (param, array) in kept.iter().zip(arrays) {
        work.push(if cx.sharing.may_merge(param.name, *array) {
            Work::Bind(vec![param.clone()], vec![(*array).into()])
        } else {
            let (pat, exp) = (vec![param.clone()], Exp::Copy(*array));
            Work::Stm(Stm { pat, certs: Vec::new(), attrs: Default::default(), exp, loc: stm.loc }, true)
        });
    }
    Some(Step::Splice(work))
}
