//! Reductions, scans and histograms that start with something that is not neutral.
//!
//! `reduce (+) 10 xs` is ten more than the sum. Code that runs in chunks or lanes starts each of them with the neutral
//! element, so that must be one, or the ten would be there once for each.

use super::engine::{Cx, Step, Work};
use kenaz_base::Prim;
use kenaz_ir::{BinOp, Body, Exp, Lambda, Name, Operand, Param, Reduce, Scalar, Scan, Soac, Stm, Type};

/// `reduce op x xs` → `op x (reduce op neutral xs)`, and the same for each element of a scan. A histogram never shows
/// its neutral element.
pub(super) fn neutral_element(cx: &mut Cx<'_>, stm: &Stm) -> Option<Step> {
    let Exp::Soac(soac) = &stm.exp else { return None };
    let mut soac = soac.clone();
    let mut parts = Vec::new();
    let width = match &mut soac {
        Soac::Hist { ops, .. } => {
            let changed: usize = ops.iter_mut().map(|op| replaced(&op.op, &mut op.neutral).len()).sum();
            return (changed > 0).then(|| Step::Become(Exp::Soac(soac), vec![]));
        }
        Soac::Screma { width, scans, reduces, post: None, .. } => {
            let mut first = 0;
            for (op, neutral) in operators(scans, reduces) {
                let old = replaced(op, neutral);
                parts.extend(old.into_iter().map(|(i, bin, x)| (first + i, bin, x)));
                first += neutral.len();
            }
            *width
        }
        _ => return None,
    };
    if parts.is_empty() {
        return None;
    }
    let mut pat = stm.pat.clone();
    let mut rest = Vec::new();
    for (i, bin, x) in parts {
        let whole = pat[i].clone();
        pat[i].name = cx.fresh.like(whole.name);
        let exp = match &whole.ty {
            Type::Prim(_) => Exp::Bin(bin, x, Operand::Var(pat[i].name)),
            ty => each(cx, width, pat[i].name, ty.prim()?, bin, x),
        };
        let attrs = Default::default();
        rest.push(Work::Stm(Stm { pat: vec![whole], certs: Vec::new(), attrs, exp, loc: stm.loc }, true));
    }
    let first = Stm { pat, certs: Vec::new(), attrs: stm.attrs.clone(), exp: Exp::Soac(soac), loc: stm.loc };
    rest.insert(0, Work::Stm(first, true));
    Some(Step::Splice(rest))
}

/// The operators of scans and reductions with what they start with.
fn operators<'a>(
    scans: &'a mut [Scan],
    reduces: &'a mut [Reduce],
) -> impl Iterator<Item = (&'a Lambda, &'a mut Vec<Operand>)> {
    let scans = scans.iter_mut().map(|scan| (&scan.op, &mut scan.neutral));
    scans.chain(reduces.iter_mut().map(|reduce| (&reduce.op, &mut reduce.neutral)))
}

/// Puts neutral elements where there are none; gives the places, the operators and what was there.
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

/// `map (op x) array`.
fn each(cx: &mut Cx<'_>, width: Operand, array: Name, prim: Prim, bin: BinOp, x: Operand) -> Exp {
    let ty = Type::Prim(prim);
    let (param, result) = (Param::new(cx.fresh.named("x"), ty.clone()), Param::new(cx.fresh.named("y"), ty.clone()));
    let exp = Exp::Bin(bin, x, Operand::Var(param.name));
    let results = vec![Operand::Var(result.name)];
    let stm =
        Stm { pat: vec![result], certs: Vec::new(), attrs: Default::default(), exp, loc: kenaz_ir::Locs::NOWHERE() };
    let map = Lambda { params: vec![param], body: Body { stms: vec![stm], results }, ret: vec![ty] };
    Exp::Soac(Soac::Screma { width, arrays: vec![array], map, scans: vec![], reduces: vec![], post: None })
}
