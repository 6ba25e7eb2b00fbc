//! Reductions, scans and histograms that start with something that is not neutral.
//!
//! `reduce (+) 10 xs` is ten more than the sum. Code that runs in chunks or lanes starts each of them with the neutral
//! element, so that must be one, or the ten would be there once for each.

use super::engine::{Cx, Step, Work};
use kenaz_ir::{BinOp, Body, Exp, Lambda, LocId, Locs, Operand, Param, Scalar, Soac, Stm, Type};

/// `reduce op x xs` → `op x (reduce op neutral xs)`, and the same for each element of a scan. A histogram never shows
/// its neutral element.
pub(super) fn neutral_element(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Soac(soac) = &stm.exp else { return None };
    let mut soac = soac.clone();
    match &mut soac {
        Soac::Hist { ops, .. } => {
            let changed: usize = ops.iter_mut().map(|op| replaced(&op.op, &mut op.neutral).len()).sum();
            (changed > 0).then(|| Step::Become(Exp::Soac(soac), vec![]))
        }
        Soac::Screma { map, scans, reduces, post: post @ None, .. } => {
            let scanned = taken(scans.iter_mut().map(|scan| (&scan.op, &mut scan.neutral)));
            let reduced = taken(reduces.iter_mut().map(|reduce| (&reduce.op, &mut reduce.neutral)));
            if scanned.is_empty() && reduced.is_empty() {
                return None;
            }
            let scans: usize = scans.iter().map(|scan| scan.neutral.len()).sum();
            let reduces: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
            let mut pat = stm.pat.clone();
            if !scanned.is_empty() {
                *post = Some(after_scans(cx, map, scans, reduces, &scanned)?);
                // The results of reductions come first then.
                pat.rotate_left(scans);
                pat[reduces..].rotate_right(scans);
            }
            let first = if post.is_some() { 0 } else { scans };
            let mut rest = Vec::new();
            for (i, bin, x) in reduced {
                let whole = pat[first + i].clone();
                pat[first + i].name = cx.fresh.like(whole.name);
                let exp = Exp::Bin(bin, Operand::Var(pat[first + i].name), x);
                rest.push(Work::Stm(plain(whole, exp, stm.loc), true));
            }
            let whole = Stm { pat, certs: Vec::new(), attrs: stm.attrs.clone(), exp: Exp::Soac(soac), loc: stm.loc };
            rest.insert(0, Work::Stm(whole, true));
            Some(Step::Splice(rest))
        }
        _ => None,
    }
}

/// What is applied to each element after scans, and hands on all others; nothing if there are arrays among them.
fn after_scans(
    cx: &mut Cx<'_>,
    map: &Lambda,
    scans: usize,
    reduces: usize,
    parts: &[(usize, BinOp, Operand)],
) -> Option<Lambda> {
    let ret: Vec<Type> = map.ret[..scans].iter().chain(&map.ret[scans + reduces..]).cloned().collect();
    if !ret.iter().all(|ty| matches!(ty, Type::Prim(_))) {
        return None;
    }
    let params: Vec<Param> = ret.iter().map(|ty| Param::new(cx.fresh.named("x"), ty.clone())).collect();
    let mut results: Vec<Operand> = params.iter().map(|param| Operand::Var(param.name)).collect();
    let mut stms = Vec::new();
    for (i, bin, x) in parts {
        let result = Param::new(cx.fresh.named("y"), ret[*i].clone());
        let exp = Exp::Bin(*bin, results[*i], *x);
        results[*i] = Operand::Var(result.name);
        stms.push(plain(result, exp, Locs::NOWHERE()));
    }
    Some(Lambda { params, body: Body { stms, results }, ret })
}

fn plain(param: Param, exp: Exp, loc: LocId) -> Stm {
    Stm { pat: vec![param], certs: Vec::new(), attrs: Default::default(), exp, loc }
}

/// Puts neutral elements where there are none; gives the places among all of them, the operators and what was there.
fn taken<'a>(operators: impl Iterator<Item = (&'a Lambda, &'a mut Vec<Operand>)>) -> Vec<(usize, BinOp, Operand)> {
    let (mut all, mut first) = (Vec::new(), 0);
    for (op, neutral) in operators {
        all.extend(replaced(op, neutral).into_iter().map(|(i, bin, x)| (first + i, bin, x)));
        first += neutral.len();
    }
    all
}

fn replaced(op: &Lambda, neutral: &mut [Operand]) -> Vec<(usize, BinOp, Operand)> {
    let mut old = Vec::new();
    for (i, (bin, prim)) in op.built_in().into_iter().flatten().enumerate() {
        if let Some(right) = Scalar::neutral(bin, prim)
            && !is_neutral(neutral[i], right)
        {
            old.push((i, bin, std::mem::replace(&mut neutral[i], Operand::Const(right))));
        }
    }
    old
}

/// Minus zero is as good as zero.
fn is_neutral(x: Operand, right: Scalar) -> bool {
    match (x, right) {
        (Operand::Const(Scalar::F16(x)), Scalar::F16(right)) => x == right,
        (Operand::Const(Scalar::F32(x)), Scalar::F32(right)) => x == right,
        (Operand::Const(Scalar::F64(x)), Scalar::F64(right)) => x == right,
        (Operand::Const(x), right) => x == right,
        (Operand::Var(_), _) => false,
    }
}
