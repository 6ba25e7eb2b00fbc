//! The types of intrinsics.

use super::{Checked, Rule, ensure, fail, same};
use crate::core::{Exp, Ty};
use kenaz_base::Prim;
use kenaz_sema::intrinsics::{self, Class, Intrinsic, IntrinsicId, PolyOp};

/// A type in the signature of a polymorphic intrinsic, without sizes.
enum T {
    I64,
    Bool,
    /// The type parameters, in the order in which the signature names them.
    A,
    B,
    Array(&'static T),
    Pair(&'static T, &'static T),
    Fun(&'static [T], &'static T),
    /// The accumulator of an array of `A`.
    Acc,
}

/// What type parameters turned out to be.
#[derive(Default)]
struct Found<'a> {
    a: Option<&'a Ty>,
    b: Option<&'a Ty>,
}

pub(super) fn check(id: IntrinsicId, args: &[Exp], ty: &Ty) -> Checked {
    let def = intrinsics::def(id);
    let arity = |n: usize| {
        ensure(args.len() == n, Rule::Intrinsic, || format!("`{}` has {n} arguments, not {}", def.name, args.len()))
    };
    let wrong = |what: &Ty| fail(Rule::Intrinsic, format!("`{}` has no value of type `{what}` there", def.name));
    match &def.intrinsic {
        Intrinsic::Type { .. } => fail(Rule::Intrinsic, format!("`{}` is a type", def.name)),
        Intrinsic::Overloaded(op) => {
            arity(2)?;
            let operand = &args[0].ty;
            let in_class = match operand {
                Ty::Prim(p) => op.class().contains(*p),
                _ => op.class() == Class::Equality && !operand.is_function(),
            };
            if !in_class {
                return wrong(operand);
            }
            if !same(operand, &args[1].ty) {
                return wrong(&args[1].ty);
            }
            let result = if op.yields_bool() { &Ty::BOOL } else { operand };
            if same(ty, result) { Ok(()) } else { wrong(ty) }
        }
        Intrinsic::Prim { params, result, .. } => {
            arity(params.len())?;
            for (arg, param) in args.iter().zip(params) {
                if arg.ty != Ty::Prim(*param) {
                    return wrong(&arg.ty);
                }
            }
            if *ty == Ty::Prim(*result) { Ok(()) } else { wrong(ty) }
        }
        Intrinsic::Poly { op, .. } => {
            let (params, result) = signature(*op);
            arity(params.len())?;
            let mut found = Found::default();
            for (arg, param) in args.iter().zip(params) {
                if !matches(&arg.ty, param, &mut found) {
                    return wrong(&arg.ty);
                }
            }
            if matches(ty, result, &mut found) { Ok(()) } else { wrong(ty) }
        }
    }
}

fn signature(op: PolyOp) -> (&'static [T], &'static T) {
    use T::{A, Acc, Array, B, Bool, Fun, I64, Pair};
    const AS: T = Array(&A);
    const AAS: T = Array(&AS);
    const COMBINE: T = Fun(&[A, A], &A);
    const WRITE: T = Fun(&[Acc, B], &Acc);
    match op {
        PolyOp::Map => (&[Fun(&[A], &B), AS], &Array(&B)),
        PolyOp::Zip => (&[AS, Array(&B)], &Array(&Pair(&A, &B))),
        PolyOp::Reduce | PolyOp::ReduceComm => (&[COMBINE, A, AS], &A),
        PolyOp::Scan => (&[COMBINE, A, AS], &AS),
        PolyOp::Filter => (&[Fun(&[A], &Bool), AS], &AS),
        PolyOp::Scatter => (&[AS, Array(&I64), AS], &AS),
        PolyOp::ReduceByIndex => (&[AS, COMBINE, A, Array(&I64), AS], &AS),
        PolyOp::Replicate => (&[I64, A], &AS),
        PolyOp::Concat => (&[AS, AS], &AS),
        PolyOp::Flatten => (&[AAS], &AS),
        PolyOp::Unflatten => (&[I64, I64, AS], &AAS),
        PolyOp::Transpose => (&[AAS], &AAS),
        PolyOp::Copy | PolyOp::Manifest => (&[A], &A),
        PolyOp::Jvp2 => (&[Fun(&[A], &B), A, A], &Pair(&B, &B)),
        PolyOp::Vjp2 => (&[Fun(&[A], &B), A, B], &Pair(&B, &A)),
        PolyOp::ScatterStream => (&[AS, WRITE, Array(&B)], &AS),
        PolyOp::HistStream => (&[AS, COMBINE, A, WRITE, Array(&B)], &AS),
        PolyOp::AccWrite => (&[Acc, I64, A], &Acc),
        PolyOp::FlatIndex2d => (&[AS, I64, I64, I64, I64, I64], &AAS),
        PolyOp::FlatIndex3d => (&[AS, I64, I64, I64, I64, I64, I64, I64], &Array(&AAS)),
        PolyOp::FlatIndex4d => (&[AS, I64, I64, I64, I64, I64, I64, I64, I64, I64], &Array(&Array(&AAS))),
        PolyOp::FlatUpdate2d => (&[AS, I64, I64, I64, AAS], &AS),
        PolyOp::FlatUpdate3d => (&[AS, I64, I64, I64, I64, Array(&AAS)], &AS),
        PolyOp::FlatUpdate4d => (&[AS, I64, I64, I64, I64, I64, Array(&Array(&AAS))], &AS),
    }
}

fn matches<'a>(ty: &'a Ty, expected: &T, found: &mut Found<'a>) -> bool {
    match (expected, ty) {
        (T::I64, _) => *ty == Ty::Prim(Prim::I64),
        (T::Bool, _) => *ty == Ty::Prim(Prim::Bool),
        (T::A, _) => same(found.a.get_or_insert(ty), ty),
        (T::B, _) => same(found.b.get_or_insert(ty), ty),
        (T::Array(elem), Ty::Array(_, t)) => matches(t, elem, found),
        (T::Pair(x, y), Ty::Record(fields)) => match &fields[..] {
            [(_, a), (_, b)] => matches(a, x, found) && matches(b, y, found),
            _ => false,
        },
        (T::Fun(params, result), _) => {
            let mut rest = ty;
            for param in *params {
                let Ty::Arrow(arg, ret) = rest else { return false };
                if !matches(arg, param, found) {
                    return false;
                }
                rest = ret;
            }
            matches(rest, result, found)
        }
        // The type that an accumulator is of is that of the whole array.
        (T::Acc, Ty::Acc(array)) => matches!(&**array, Ty::Array(_, t) if same(found.a.get_or_insert(t), t)),
        (T::Array(_) | T::Pair(..) | T::Acc, _) => false,
    }
}
