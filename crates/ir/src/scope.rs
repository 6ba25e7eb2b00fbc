//! What names stand for at a place in a function of the memory stage.
//!
//! A name may be another name for a scalar or a block; an array is known by its place; and what an `i64` means is a
//! polynomial in terms of names that are not sums or products themselves. Names are unique, so that nothing has to be
//! forgotten when control leaves a body: whoever walks through a function binds names as they come.
//!
//! Polynomials are equal modulo 2^64, which is what matters for addresses. [`crate::facts`] knows more, at a price.

use crate::exp::{Exp, LoopForm};
use crate::layout::{Dim, Layout, Pair};
use crate::mem::{MemExp, Place};
use crate::name::Name;
use crate::op::BinOp;
use crate::poly::Poly;
use crate::prog::{Operand, Param, Stm};
use crate::types::Type;
use crate::value::Scalar;
use kenaz_base::Prim;
use rustc_hash::FxHashMap;

#[derive(Clone, Debug, Default)]
pub struct Scope {
    scalars: FxHashMap<Name, Atom>,
    blocks: FxHashMap<Name, Name>,
    arrays: FxHashMap<Name, Array>,
    /// What names of type `i64` mean modulo 2^64, in terms of names that have no meaning here.
    meanings: FxHashMap<Name, Poly>,
}

/// What a scalar is: a variable, or a constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Atom {
    Const(Scalar),
    Var(Name, Prim),
}

/// An array, all names in it resolved.
#[derive(Clone, Debug)]
pub struct Array {
    pub prim: Prim,
    pub sizes: Vec<Poly>,
    pub place: Place,
}

impl Atom {
    /// An `i64` as a polynomial.
    pub fn as_poly(self) -> Option<Poly> {
        match self {
            Atom::Const(c) => c.as_i64().map(|n| Poly::constant(n.into())),
            Atom::Var(name, Prim::I64) => Some(Poly::name(name)),
            Atom::Var(..) => None,
        }
    }
}

impl Scope {
    // Looking up

    /// What a scalar is, if it is bound.
    pub fn scalar(&self, x: Operand) -> Option<Atom> {
        match x {
            Operand::Const(c) => Some(Atom::Const(c)),
            Operand::Var(name) => self.scalars.get(&name).copied(),
        }
    }

    /// Whether an operand is a constant or a scalar that is bound.
    pub fn is_bound(&self, x: Operand) -> bool {
        self.scalar(x).is_some()
    }

    /// An `i64` that is bound.
    pub fn size(&self, x: Operand) -> Option<Poly> {
        Some(match self.scalar(x)? {
            Atom::Const(c) => Poly::constant(c.as_i64().unwrap_or(0).into()),
            Atom::Var(name, _) => Poly::name(name),
        })
    }

    /// What a block is called that a name stands for, if it stands for one.
    pub fn known_block(&self, name: Name) -> Option<Name> {
        self.blocks.get(&name).copied()
    }

    pub fn block(&self, name: Name) -> Name {
        self.known_block(name).unwrap_or(name)
    }

    pub fn array(&self, name: Name) -> Option<&Array> {
        self.arrays.get(&name)
    }

    /// A place with the names that stand for others replaced.
    pub fn place(&self, place: &Place) -> Place {
        let layout = place.layout.map(&mut |poly| Some(self.resolved(poly)));
        let mut layout = layout.unwrap_or_else(|| place.layout.clone());
        layout.dims.iter_mut().for_each(|dim| self.merge(dim));
        Place { block: self.block(place.block), layout }
    }

    /// A polynomial with the names that stand for others replaced.
    pub fn resolved(&self, poly: &Poly) -> Poly {
        let new = |name: Name| match self.scalars.get(&name)? {
            Atom::Const(c) => c.as_i64().map(|n| Poly::constant(n.into())),
            Atom::Var(other, _) if *other != name => Some(Poly::name(*other)),
            Atom::Var(..) => None,
        };
        // Names are replaced by names or constants, so that the polynomial does not grow.
        poly.replace(new).unwrap_or_else(|| poly.clone())
    }

    /// A polynomial in terms of names that are not known to be sums or products.
    pub fn normal(&self, poly: &Poly) -> Poly {
        poly.replace(|name| self.meanings.get(&name).cloned()).unwrap_or_else(|| poly.clone()).wrapped()
    }

    /// Whether two polynomials are equal modulo 2^64.
    pub fn equal(&self, a: &Poly, b: &Poly) -> bool {
        a == b || self.normal(a) == self.normal(b)
    }

    /// Whether arrays of the same shape are at the same place.
    pub fn same_place(&self, a: &Array, b: &Array) -> bool {
        let same_dim = |((a, b), n): ((&Dim, &Dim), &Poly)| {
            n.as_constant() == Some(1)
                || a.0.len() == b.0.len()
                    && a.0.iter().zip(&b.0).all(|(a, b)| self.equal(&a.stride, &b.stride))
                    && a.0.iter().zip(&b.0).skip(1).all(|(a, b)| self.equal(&a.size, &b.size))
        };
        let (x, y) = (&a.place.layout, &b.place.layout);
        a.place.block == b.place.block
            && x.dims.len() == y.dims.len()
            && self.equal(&x.offset, &y.offset)
            && x.dims.iter().zip(&y.dims).zip(&a.sizes).all(same_dim)
    }

    /// Makes a nest of pairs as small as it can be: `(n : m)(m : 1)` is `(n*m : 1)`, and a size of 1 has no digit.
    fn merge(&self, dim: &mut Dim) {
        if dim.0.len() < 2 {
            return;
        }
        let mut merged: Vec<Pair> = Vec::with_capacity(dim.0.len());
        for pair in dim.0.drain(..).rev() {
            if pair.size.as_constant() == Some(1) && !merged.is_empty() {
                continue;
            }
            let Some(inner) = merged.last_mut() else {
                merged.push(pair);
                continue;
            };
            let size = inner.size.times(&pair.size);
            let follows = inner.size.times(&inner.stride).is_some_and(|next| self.equal(&next, &pair.stride));
            match size {
                Some(size) if follows => inner.size = size,
                _ if inner.size.as_constant() == Some(1) => *inner = pair,
                _ => merged.push(pair),
            }
        }
        merged.reverse();
        dim.0 = merged;
    }

    // Binding

    /// A scalar that is what its name says.
    pub fn variable(&mut self, name: Name, prim: Prim) {
        self.scalars.insert(name, Atom::Var(name, prim));
    }

    /// A scalar that is another name for something.
    pub fn alias(&mut self, name: Name, atom: Atom) {
        self.scalars.insert(name, atom);
    }

    pub fn bind_block(&mut self, name: Name, block: Name) {
        self.blocks.insert(name, block);
    }

    pub fn bind_array(&mut self, name: Name, array: Array) {
        self.arrays.insert(name, array);
    }

    /// What a name means, in terms of names that may have a meaning themselves.
    pub fn define(&mut self, name: Name, value: &Poly) {
        self.meanings.insert(name, self.normal(value));
    }

    /// Remembers what a sum, difference or product of `i64`s means; gives it in terms of the operands.
    pub fn define_sum(&mut self, name: Name, op: BinOp, x: Atom, y: Atom) -> Option<Poly> {
        let (x, y) = (x.as_poly()?, y.as_poly()?);
        let definition = Poly::combine(op, &x, &y)?;
        if let Some(meaning) = Poly::combine(op, &self.normal(&x), &self.normal(&y)) {
            self.meanings.insert(name, meaning.wrapped());
        }
        Some(definition)
    }

    /// The arrays of a pattern, whose blocks and operands are bound already. One of which something is not bound is
    /// left out; there is none in a program that the checker accepts.
    pub fn bind_arrays<'p>(&mut self, params: impl IntoIterator<Item = &'p Param>) {
        for param in params {
            let (Type::Array(dims, prim), Some(place)) = (&param.ty, &param.place) else { continue };
            let sizes: Option<Vec<Poly>> = dims.iter().map(|n| self.size(*n)).collect();
            let Some(sizes) = sizes else { continue };
            let array = Array { prim: *prim, sizes, place: self.place(place) };
            self.arrays.insert(param.name, array);
        }
    }

    /// Parameters, which are what their names say.
    pub fn bind_params<'p>(&mut self, params: impl IntoIterator<Item = &'p Param> + Clone) {
        for param in params.clone() {
            match param.ty {
                Type::Prim(prim) => self.variable(param.name, prim),
                Type::Mem(_) => self.bind_block(param.name, param.name),
                Type::Array(..) | Type::Cert | Type::Acc { .. } => {}
            }
        }
        self.bind_arrays(params);
    }

    /// What a statement binds, after what is inside it. A name stands only for names that are in scope wherever it is,
    /// so that plans may be in terms of what it stands for.
    pub fn stm(&mut self, stm: &Stm) {
        match (&stm.exp, &stm.pat[..]) {
            (Exp::Operand(x) | Exp::Opaque(x) | Exp::Trace(_, x), [param]) => match param.ty {
                Type::Prim(prim) => {
                    let atom = self.scalar(*x).unwrap_or(Atom::Var(param.name, prim));
                    self.alias(param.name, atom);
                }
                Type::Mem(_) => drop(x.name().map(|block| self.bind_block(param.name, self.block(block)))),
                Type::Array(..) | Type::Cert | Type::Acc { .. } => {}
            },
            (Exp::Conv(to, x), [param]) if self.scalar(*x).is_some_and(|atom| atom.prim() == *to) => {
                let atom = self.scalar(*x).unwrap_or(Atom::Var(param.name, *to));
                self.alias(param.name, atom);
            }
            (Exp::Bin(op, x, y), [param]) => {
                if let (Some(x), Some(y)) = (self.scalar(*x), self.scalar(*y)) {
                    self.define_sum(param.name, *op, x, y);
                }
                self.bind_params(&stm.pat);
            }
            (Exp::Mem(MemExp::Free(_)), _) => {}
            (_, pat) => self.bind_params(pat),
        }
        self.bind_arrays(&stm.pat);
    }

    /// The parameters and the index of a loop, in its body.
    pub fn enter_loop(&mut self, params: &[(Param, Operand)], form: &LoopForm) {
        if let LoopForm::For(i, prim, _) = form {
            self.variable(*i, *prim);
        }
        let params: Vec<&Param> = params.iter().map(|(param, _)| param).collect();
        self.bind_params(params);
    }
}

impl Atom {
    pub fn prim(self) -> Prim {
        match self {
            Atom::Const(c) => c.prim(),
            Atom::Var(_, prim) => prim,
        }
    }
}

impl Array {
    /// Where its element at an index is, if that is linear in the index.
    pub fn linear(&self, index: &[Poly]) -> Option<Poly> {
        linear(&self.place.layout, index)
    }
}

/// Where the element at an index is, if that is linear in the index.
pub fn linear(layout: &Layout, index: &[Poly]) -> Option<Poly> {
    let mut sum = layout.offset.clone();
    for (dim, i) in layout.dims.iter().zip(index) {
        sum = sum.plus(&dim.stride()?.times(i)?, 1)?;
    }
    Some(sum)
}
