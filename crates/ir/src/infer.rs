//! The types of the results of an expression that is well typed: for the builder, and for the checker once it has
//! checked the parts.

use crate::exp::{DimSlice, Exp, Lambda, Soac};
use crate::mem::MemExp;
use crate::name::Name;
use crate::prog::Operand;
use crate::types::Type;
use crate::visit::Subst;
use kenaz_base::Prim;

/// The type of an operand.
pub fn operand(x: Operand, type_of: &impl Fn(Name) -> Option<Type>) -> Option<Type> {
    match x {
        Operand::Var(name) => type_of(name),
        Operand::Const(c) => Some(Type::Prim(c.prim())),
    }
}

/// The types of the results, or none when they are said by the pattern alone (branches, calls, `filter`, and loops
/// some of whose results are the sizes of others) or when the expression is not well typed.
pub fn exp(exp: &Exp, type_of: &impl Fn(Name) -> Option<Type>) -> Option<Vec<Type>> {
    let of = |x: &Operand| operand(*x, type_of);
    let one = |ty: Type| Some(vec![ty]);
    match exp {
        Exp::Operand(x) | Exp::Un(_, x) | Exp::Bin(_, x, _) | Exp::Trace(_, x) | Exp::Opaque(x) => one(of(x)?),
        Exp::Cmp(..) => one(Type::BOOL),
        Exp::Tunable(_) => one(Type::I64),
        Exp::Conv(p, _) => one(Type::Prim(*p)),
        Exp::Math(f, p, _) => one(Type::Prim(f.signature(*p)?.1)),
        Exp::Assert(..) => one(Type::Cert),
        Exp::Index(a, indices) => one(type_of(*a)?.row(indices.len())),
        Exp::Slice(a, dims) => one(slice(dims, type_of(*a)?.prim()?)),
        Exp::Update(a, ..) | Exp::Copy(a) | Exp::FlatUpdate(a, ..) => one(type_of(*a)?),
        Exp::Array(elems, ty) => one(ty.array_of(Operand::i64(i64::try_from(elems.len()).ok()?))),
        Exp::Iota { len, prim, .. } => one(Type::Array(vec![*len], *prim)),
        Exp::Replicate(dims, x) => one(of(x)?.with_outer(dims)),
        Exp::Scratch(dims, p) => one(Type::Prim(*p).with_outer(dims)),
        Exp::Concat(size, arrays) => one(type_of(*arrays.first()?)?.row(1).array_of(*size)),
        Exp::Rearrange(perm, a) => {
            let ty = type_of(*a)?;
            let dims = perm.iter().map(|i| ty.dims().get(*i).copied()).collect::<Option<Vec<Operand>>>()?;
            one(Type::Prim(ty.prim()?).with_outer(&dims))
        }
        Exp::Reshape(dims, a) | Exp::Resize(dims, a) => one(Type::Prim(type_of(*a)?.prim()?).with_outer(dims)),
        Exp::FlatIndex(a, _, dims) => {
            let dims: Vec<Operand> = dims.iter().map(|(n, _)| *n).collect();
            one(Type::Prim(type_of(*a)?.prim()?).with_outer(&dims))
        }
        Exp::Loop { params, .. } => {
            let names: Vec<Name> = params.iter().map(|(p, _)| p.name).collect();
            let types: Vec<Type> = params.iter().map(|(p, _)| p.ty.clone()).collect();
            types.iter().all(|ty| !mentions(ty, &names)).then_some(types)
        }
        Exp::Mem(MemExp::Alloc(space, _)) => one(Type::Mem(*space)),
        Exp::Mem(MemExp::AllocEach(slots)) => one(Type::Mem(slots.space)),
        Exp::Mem(MemExp::Share(block) | MemExp::Slot(block)) => one(type_of(*block)?),
        Exp::Mem(MemExp::Free(_)) => Some(Vec::new()),
        Exp::If(..) | Exp::Match(..) | Exp::Call(..) | Exp::Par(_) => None,
        Exp::Soac(op) => soac(op, type_of),
        Exp::Jvp(f, at, _) => {
            let ret = instantiated(f, at);
            Some([&ret[..], &ret[..]].concat())
        }
        Exp::Vjp(f, at, _) => {
            let derivatives = at.iter().map(of).collect::<Option<Vec<Type>>>()?;
            Some([instantiated(f, at), derivatives].concat())
        }
    }
}

fn soac(soac: &Soac, type_of: &impl Fn(Name) -> Option<Type>) -> Option<Vec<Type>> {
    match soac {
        Soac::Screma { width, map, scans, reduces, post, .. } => {
            let scanned: usize = scans.iter().map(|s| s.neutral.len()).sum();
            let reduced: usize = reduces.iter().map(|r| r.neutral.len()).sum();
            if let Some(post) = post {
                let reduced = map.ret.get(scanned..scanned + reduced)?.iter().cloned();
                return Some(reduced.chain(post.ret.iter().map(|ty| ty.array_of(*width))).collect());
            }
            let is_reduced = |i: usize| (scanned..scanned + reduced).contains(&i);
            let result = |(i, ty): (usize, &Type)| if is_reduced(i) { ty.clone() } else { ty.array_of(*width) };
            Some(map.ret.iter().enumerate().map(result).collect())
        }
        Soac::Filter { .. } => None,
        Soac::Scatter { dests, .. } => dests.iter().map(|d| type_of(d.array)).collect(),
        Soac::Hist { ops, .. } => ops.iter().flat_map(|op| &op.dests).map(|d| type_of(*d)).collect(),
        Soac::WithAcc { inputs, body } => {
            let arrays = inputs.iter().flat_map(|input| &input.dests).map(|d| type_of(*d));
            let others = body.ret.iter().skip(inputs.len()).map(|ty| Some(ty.clone()));
            arrays.chain(others).collect()
        }
        Soac::UpdateAcc { acc, .. } => Some(vec![type_of(*acc)?]),
    }
}

/// The type of a slice of an array with elements of type `prim`.
pub fn slice(dims: &[DimSlice], prim: Prim) -> Type {
    let lens: Vec<Operand> = dims
        .iter()
        .filter_map(|dim| match dim {
            DimSlice::Fix(_) => None,
            DimSlice::Range { len, .. } => Some(*len),
        })
        .collect();
    Type::Prim(prim).with_outer(&lens)
}

/// The types of a lambda's results for these arguments.
fn instantiated(lambda: &Lambda, args: &[Operand]) -> Vec<Type> {
    let subst: Subst = lambda.params.iter().map(|p| p.name).zip(args.iter().copied()).collect();
    lambda.ret.iter().map(|ty| subst.ty(ty)).collect()
}

/// Whether a type mentions one of the names.
pub fn mentions(ty: &Type, names: &[Name]) -> bool {
    let is_one = |x: &Operand| x.name().is_some_and(|name| names.contains(&name));
    match ty {
        Type::Prim(_) | Type::Cert | Type::Mem(_) => false,
        Type::Array(dims, _) => dims.iter().any(is_one),
        Type::Acc { token, shape, elems } => {
            names.contains(token) || shape.iter().any(is_one) || elems.iter().any(|ty| mentions(ty, names))
        }
    }
}
