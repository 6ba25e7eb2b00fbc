//! Types of values.

use crate::mem::Space;
use crate::{Name, Operand};
use kenaz_base::Prim;

/// The type of a variable.
///
/// There is no unit type: an array of empty records is an array of booleans, of which only the size matters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Prim(Prim),
    /// `[n][m]f32`: at least one dimension, sizes of type `i64`, outermost first.
    Array(Vec<Operand>, Prim),
    /// A block of memory.
    Mem(Space),
    /// Vouches for a check that was passed.
    Cert,
    /// An accumulator of the operator that bound `token`: the shape of its index space and the types of its elements.
    Acc {
        token: Name,
        shape: Vec<Operand>,
        elems: Vec<Type>,
    },
}

impl Type {
    pub const I64: Type = Type::Prim(Prim::I64);
    pub const BOOL: Type = Type::Prim(Prim::Bool);

    /// The type of an array of `n` values of this type.
    #[must_use]
    pub fn array_of(&self, n: Operand) -> Type {
        match self {
            Type::Prim(p) => Type::Array(vec![n], *p),
            Type::Array(dims, p) => Type::Array([&[n], &dims[..]].concat(), *p),
            Type::Cert | Type::Mem(_) | Type::Acc { .. } => self.clone(),
        }
    }

    /// The type of an array with these outer dimensions.
    #[must_use]
    pub fn with_outer(&self, outer: &[Operand]) -> Type {
        outer.iter().rev().fold(self.clone(), |t, n| t.array_of(*n))
    }

    /// The type of what remains when the `n` outermost dimensions are indexed.
    #[must_use]
    pub fn row(&self, n: usize) -> Type {
        match self {
            Type::Array(dims, p) if dims.len() > n => Type::Array(dims[n..].to_vec(), *p),
            Type::Array(_, p) => Type::Prim(*p),
            Type::Prim(_) | Type::Cert | Type::Mem(_) | Type::Acc { .. } => self.clone(),
        }
    }

    pub fn dims(&self) -> &[Operand] {
        match self {
            Type::Array(dims, _) => dims,
            Type::Prim(_) | Type::Cert | Type::Mem(_) | Type::Acc { .. } => &[],
        }
    }

    pub fn rank(&self) -> usize {
        self.dims().len()
    }

    /// The primitive type of a scalar or of an array's elements.
    pub fn prim(&self) -> Option<Prim> {
        match self {
            Type::Prim(p) | Type::Array(_, p) => Some(*p),
            Type::Cert | Type::Mem(_) | Type::Acc { .. } => None,
        }
    }

    pub fn is_array(&self) -> bool {
        matches!(self, Type::Array(..))
    }

    /// Whether values of the type lie in memory that others may share.
    pub fn has_memory(&self) -> bool {
        match self {
            Type::Prim(_) | Type::Cert | Type::Mem(_) => false,
            Type::Array(..) | Type::Acc { .. } => true,
        }
    }
}
