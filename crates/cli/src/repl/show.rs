//! Values of the language as the user would write them.

use kenaz_runtime::Value;
use kenaz_sema::types::{Ty, TyKind, is_tuple};
use std::fmt::Write;

/// A value from the arrays and scalars of which it consists. Sums and abstract types are shown as these.
pub(super) fn value(ty: &Ty, leaves: &[Value]) -> String {
    let mut out = String::new();
    let all: Vec<Leaf<'_>> = leaves.iter().map(|value| Leaf { value, depth: 0, at: 0 }).collect();
    if count(ty) == Some(leaves.len()) && write(&mut out, ty, &all).is_some() {
        return out;
    }
    leaves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// A part of an array: that of the first `depth` indices, which all together are number `at`.
#[derive(Clone, Copy)]
struct Leaf<'v> {
    value: &'v Value,
    depth: usize,
    at: usize,
}

/// How many arrays and scalars a value of this type consists of, if we can tell.
fn count(ty: &Ty) -> Option<usize> {
    match ty.kind() {
        TyKind::Prim(_) => Some(1),
        TyKind::Array(_, elem) => count(elem).filter(|n| *n > 0),
        TyKind::Record(fields) => fields.iter().map(|(_, ty)| count(ty)).sum(),
        TyKind::Unique(ty) | TyKind::Exists(_, ty) => count(ty),
        TyKind::Error | TyKind::Sum(_) | TyKind::Arrow(_) | TyKind::Con(..) | TyKind::Meta(_) => None,
    }
}

fn write<'v>(out: &mut String, ty: &Ty, leaves: &[Leaf<'v>]) -> Option<()> {
    match ty.kind() {
        TyKind::Prim(_) => {
            let leaf = leaves.first()?;
            if leaf.at >= leaf.value.data().len() {
                return None;
            }
            let _ = write!(out, "{}", Value::scalar(leaf.value.data().get(leaf.at)));
        }
        // The data format says of which type an empty array is.
        TyKind::Array(..) if matches!(leaves, [leaf] if leaf.depth == 0) => {
            let _ = write!(out, "{}", leaves.first()?.value);
        }
        TyKind::Array(_, elem) => {
            let n = *leaves.first()?.value.shape().get(leaves.first()?.depth)?;
            out.push('[');
            for i in 0..n {
                out.push_str(if i > 0 { ", " } else { "" });
                let element = |leaf: &Leaf<'v>| Leaf { depth: leaf.depth + 1, at: leaf.at * n + i, ..*leaf };
                let elements: Vec<Leaf<'v>> = leaves.iter().map(element).collect();
                write(out, elem, &elements)?;
            }
            out.push(']');
        }
        TyKind::Record(fields) => {
            let (open, close) = if is_tuple(fields) { ('(', ')') } else { ('{', '}') };
            out.push(open);
            let mut rest = leaves;
            for (i, (name, ty)) in fields.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                if open == '{' {
                    let _ = write!(out, "{name} = ");
                }
                let (own, others) = rest.split_at(count(ty)?);
                write(out, ty, own)?;
                rest = others;
            }
            out.push(close);
        }
        TyKind::Unique(ty) | TyKind::Exists(_, ty) => write(out, ty, leaves)?,
        TyKind::Error | TyKind::Sum(_) | TyKind::Arrow(_) | TyKind::Con(..) | TyKind::Meta(_) => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::Prim;
    use kenaz_base::Symbol;
    use kenaz_sema::types::Size;

    #[test]
    fn structures() {
        let (i32, bool) = (Ty::prim(Prim::I32), Ty::prim(Prim::Bool));
        let array = |ty: &Ty| Ty::array(Size::Const(2), ty.clone());
        let (numbers, flags) = (Value::from(vec![1i32, 2]), Value::from(vec![true, false]));
        assert_eq!(value(&Ty::unit(), &[]), "()");
        assert_eq!(value(&array(&i32), std::slice::from_ref(&numbers)), "[1i32, 2i32]");
        let pair = Ty::tuple(vec![i32.clone(), bool.clone()]);
        assert_eq!(value(&array(&pair), &[numbers.clone(), flags]), "[(1i32, true), (2i32, false)]");
        let record = Ty::record(vec![(Symbol::intern("x"), i32), (Symbol::intern("b"), bool)]);
        assert_eq!(value(&record, &[Value::from(true), Value::from(1i32)]), "{b = true, x = 1i32}");
        // Values that cannot be told apart are shown as they are.
        assert_eq!(value(&Ty::sum(Vec::new()), &[Value::from(0i8), numbers]), "0i8 [1i32, 2i32]");
    }
}
