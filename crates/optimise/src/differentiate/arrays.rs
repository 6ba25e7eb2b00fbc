//! Small pieces of code that derivatives are made of: zeros, sums, choices and checks of indices.

use kenaz_base::Prim;
use kenaz_ir::{BinOp, Body, Builder, CmpOp, DimSlice, Exp, Lambda, Name, Operand, Reduce, Scalar, Soac, Type};

/// A float of this type.
pub(super) fn float(prim: Prim, x: f64) -> Operand {
    let x = Operand::Const(Scalar::F64(x));
    kenaz_interp::constant(&Exp::Conv(prim, x)).map_or(x, Operand::Const)
}

/// A small number of this type.
pub(super) fn number(prim: Prim, x: u8) -> Operand {
    if prim.is_float() { float(prim, f64::from(x)) } else { Operand::Const(Scalar::from_bits(prim, u64::from(x))) }
}

pub(crate) fn is_zero(x: Operand) -> bool {
    matches!(x, Operand::Const(c) if c == Scalar::zero(c.prim()))
}

/// The derivative of something that does not depend on anything.
pub(crate) fn zero(b: &mut Builder, ty: &Type) -> Operand {
    match ty {
        Type::Array(dims, prim) => b.replicate(dims.clone(), Operand::Const(Scalar::zero(*prim))).into(),
        Type::Prim(prim) => Operand::Const(Scalar::zero(*prim)),
        Type::Cert | Type::Mem(_) | Type::Acc { .. } => Operand::bool(false),
    }
}

/// The operator by which derivatives of this type are added.
pub(crate) fn adding(prim: Prim) -> BinOp {
    if prim == Prim::Bool { BinOp::Or } else { BinOp::Add }
}

/// The sum of two values of this type, element by element.
pub(crate) fn plus(b: &mut Builder, ty: &Type, x: Operand, y: Operand) -> Operand {
    if is_zero(x) {
        return y;
    }
    if is_zero(y) {
        return x;
    }
    match (ty, x, y) {
        (Type::Array(dims, _), Operand::Var(x), Operand::Var(y)) => {
            let row = ty.row(1);
            let add = b.lambda_over(&[row.clone(), row.clone()], |b, xs| vec![plus(b, &row, xs[0], xs[1])]);
            b.map(dims[0], vec![x, y], add)[0].into()
        }
        (Type::Prim(prim), x, y) => b.bin(adding(*prim), x, y),
        _ => x,
    }
}

/// The lambda that adds two values of this type.
pub(crate) fn plus_lambda(b: &mut Builder, ty: &Type) -> Lambda {
    b.lambda_over(&[ty.clone(), ty.clone()], |b, xs| vec![plus(b, ty, xs[0], xs[1])])
}

/// The reduction that sums values of this type.
pub(crate) fn sum(b: &mut Builder, ty: &Type) -> Reduce {
    let neutral = vec![zero(b, ty)];
    Reduce { op: plus_lambda(b, ty), neutral, commutative: true }
}

/// The sum of the rows of an array.
pub(super) fn sum_of(b: &mut Builder, array: Name) -> Operand {
    let ty = b.type_of(array);
    let row = ty.row(1);
    match (&row, ty.dims()) {
        // The sum of each column, rather than a sum of rows.
        (Type::Array(..), dims) => {
            let mut perm: Vec<usize> = (1..dims.len()).collect();
            perm.push(0);
            let turned = b.let_infer("turned", Exp::Rearrange(perm, array));
            sum_innermost(b, turned)
        }
        (_, dims) => {
            let (width, map) = (dims[0], b.identity(std::slice::from_ref(&row)));
            let reduces = vec![sum(b, &row)];
            let soac = Soac::Screma { width, arrays: vec![array], map, scans: Vec::new(), reduces, post: None };
            b.let_infer("sum", Exp::Soac(soac)).into()
        }
    }
}

/// An array without its innermost dimension, along which elements are added.
fn sum_innermost(b: &mut Builder, array: Name) -> Operand {
    let ty = b.type_of(array);
    if ty.rank() == 1 {
        return sum_of(b, array);
    }
    let inner = b.lambda_over(&[ty.row(1)], |b, xs| match xs[0] {
        Operand::Var(row) => vec![sum_innermost(b, row)],
        Operand::Const(_) => vec![xs[0]],
    });
    b.map(ty.dims()[0], vec![array], inner)[0].into()
}

/// One of two scalars.
pub(super) fn select(b: &mut Builder, cond: Operand, yes: Operand, no: Operand) -> Operand {
    if yes == no {
        return yes;
    }
    let ty = b.type_of(yes);
    let body = |x: Operand| Body { stms: Vec::new(), results: vec![x] };
    b.if_(cond, body(yes), body(no), vec![ty])[0].into()
}

/// Whether indices are inside an array.
pub(super) fn in_range(b: &mut Builder, index: &[Operand], dims: &[Operand]) -> Operand {
    let mut all = None;
    for (i, n) in index.iter().zip(dims) {
        let low = b.cmp(CmpOp::Le, Operand::i64(0), *i);
        let high = b.cmp(CmpOp::Lt, *i, *n);
        let both = b.bin(BinOp::And, low, high);
        all = Some(all.map_or(both, |all| b.bin(BinOp::And, all, both)));
    }
    all.unwrap_or(Operand::bool(true))
}

/// What is at a place of an array, or zero where there is no such place.
pub(super) fn index_or_zero(b: &mut Builder, array: Name, index: &[Operand]) -> Operand {
    let ty = b.type_of(array);
    let row = ty.row(index.len());
    let is_inside = in_range(b, index, ty.dims());
    let yes = b.body(|b| vec![b.index(array, index.to_vec())]);
    let no = b.body(|b| vec![zero(b, &row)]);
    b.if_(is_inside, yes, no, vec![row])[0].into()
}

/// All of a dimension.
pub(super) fn whole(n: Operand) -> DimSlice {
    DimSlice::Range { start: Operand::i64(0), len: n, stride: Operand::i64(1) }
}

/// The slice of an array of this type at outer indices.
pub(super) fn slice_at(ty: &Type, index: &[Operand]) -> Vec<DimSlice> {
    let fixed = index.iter().map(|i| DimSlice::Fix(*i));
    fixed.chain(ty.dims()[index.len()..].iter().map(|n| whole(*n))).collect()
}

/// The rows of an array from the last to the first.
pub(super) fn reversed(b: &mut Builder, array: Name) -> Name {
    let ty = b.type_of(array);
    let n = ty.dims()[0];
    let last = b.bin(BinOp::Sub, n, Operand::i64(1));
    let outer = DimSlice::Range { start: last, len: n, stride: Operand::i64(-1) };
    let dims = std::iter::once(outer).chain(ty.dims()[1..].iter().map(|n| whole(*n))).collect();
    b.slice(array, dims)
}

/// A name for an operand, which an array has anyway.
pub(super) fn named(b: &mut Builder, x: Operand) -> Name {
    match x {
        Operand::Var(name) => name,
        Operand::Const(_) => b.let_infer("x", Exp::Operand(x)),
    }
}
