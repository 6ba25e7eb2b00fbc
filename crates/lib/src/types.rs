//! The types of parameters and results.

use kenaz_base::Prim;
use kenaz_ir::{EntryKind, EntryType, Part, entry};
use std::fmt;
use std::sync::Arc;

/// A type of the language, without sizes. It prints as programs write it: `[]f32`, `point`, `(i32, []point)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    pub(crate) inner: Arc<EntryType>,
}

/// What a type is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    Scalar(Prim),
    /// An array of scalars.
    Array {
        prim: Prim,
        rank: usize,
    },
    Record(Vec<Field>),
    Tuple(Vec<Type>),
    Sum(Vec<Variant>),
    /// An array of anything else. Where the elements are records, its values are records of arrays.
    ArrayOf {
        element: Type,
        rank: usize,
    },
    /// A type that only the program knows.
    Opaque,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub ty: Type,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variant {
    pub name: String,
    pub payload: Vec<Type>,
}

impl Type {
    pub(crate) fn new(inner: &Arc<EntryType>) -> Type {
        Type { inner: inner.clone() }
    }

    pub fn kind(&self) -> Kind {
        match &self.inner.kind {
            EntryKind::Plain(Part { prim, rank: 0 }) => Kind::Scalar(*prim),
            EntryKind::Plain(Part { prim, rank }) => Kind::Array { prim: *prim, rank: *rank },
            EntryKind::Record(fields) if entry::is_tuple(fields) => {
                Kind::Tuple(fields.iter().map(|field| Type::new(&field.ty)).collect())
            }
            EntryKind::Record(fields) => {
                let field =
                    |field: &kenaz_ir::EntryField| Field { name: field.name.to_string(), ty: Type::new(&field.ty) };
                Kind::Record(fields.iter().map(field).collect())
            }
            EntryKind::Sum(sum) => {
                let variant = |variant: &kenaz_ir::EntryVariant| Variant {
                    name: variant.name.to_string(),
                    payload: variant.payload.iter().map(|(ty, _)| Type::new(ty)).collect(),
                };
                Kind::Sum(sum.variants.iter().map(variant).collect())
            }
            EntryKind::Array(array) => Kind::ArrayOf { element: Type::new(&array.elem), rank: array.rank },
            EntryKind::Opaque(_) => Kind::Opaque,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.name.fmt(f)
    }
}
