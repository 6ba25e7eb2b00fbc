//! The types of generated programs.

use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ty {
    Prim(Prim),
    Tuple(Vec<Ty>),
    Record(Vec<(&'static str, Ty)>),
    /// The sum type with this number in the program, with the sizes that it is applied to.
    Sum(usize, Vec<Dim>),
    Array(Dim, Box<Ty>),
}

/// A size of an array. Unknown sizes get a name as soon as they arise, so there are no others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Dim {
    Const(usize),
    Name(String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Prim {
    I32,
    I64,
    I8,
    I16,
    U8,
    U32,
    F32,
    F64,
    Bool,
}

impl Prim {
    pub(crate) const ALL: [Prim; 9] =
        [Prim::I32, Prim::I64, Prim::I8, Prim::I16, Prim::U8, Prim::U32, Prim::F32, Prim::F64, Prim::Bool];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Prim::I32 => "i32",
            Prim::I64 => "i64",
            Prim::I8 => "i8",
            Prim::I16 => "i16",
            Prim::U8 => "u8",
            Prim::U32 => "u32",
            Prim::F32 => "f32",
            Prim::F64 => "f64",
            Prim::Bool => "bool",
        }
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Prim::F32 | Prim::F64)
    }

    pub(crate) fn is_int(self) -> bool {
        !self.is_float() && self != Prim::Bool
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64)
    }
}

impl Ty {
    pub(crate) fn array(dim: Dim, elem: Ty) -> Ty {
        Ty::Array(dim, Box::new(elem))
    }

    pub(crate) fn i64() -> Ty {
        Ty::Prim(Prim::I64)
    }

    pub(crate) fn rank(&self) -> usize {
        match self {
            Ty::Array(_, elem) => 1 + elem.rank(),
            _ => 0,
        }
    }

    /// The names of sizes in this type, in order.
    pub(crate) fn names(&self, names: &mut Vec<String>) {
        match self {
            Ty::Prim(_) => {}
            Ty::Sum(_, dims) => dims.iter().for_each(|dim| dim.names(names)),
            Ty::Tuple(parts) => parts.iter().for_each(|part| part.names(names)),
            Ty::Record(fields) => fields.iter().for_each(|(_, field)| field.names(names)),
            Ty::Array(dim, elem) => {
                dim.names(names);
                elem.names(names);
            }
        }
    }

    /// The type with other sizes.
    pub(crate) fn resized(&self, dim: &dyn Fn(&Dim) -> Dim) -> Ty {
        match self {
            Ty::Prim(_) => self.clone(),
            Ty::Sum(number, dims) => Ty::Sum(*number, dims.iter().map(dim).collect()),
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| part.resized(dim)).collect()),
            Ty::Record(fields) => Ty::Record(fields.iter().map(|(name, ty)| (*name, ty.resized(dim))).collect()),
            Ty::Array(size, elem) => Ty::array(dim(size), elem.resized(dim)),
        }
    }

    /// How it is written where only some sizes are in scope; the others are left open.
    pub(crate) fn shown(&self, in_scope: &dyn Fn(&str) -> bool) -> String {
        match self {
            Ty::Array(Dim::Name(name), elem) if !in_scope(name) => format!("[]{}", elem.shown(in_scope)),
            Ty::Array(dim, elem) => format!("[{dim}]{}", elem.shown(in_scope)),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| part.shown(in_scope)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(fields) => {
                let field = |(name, ty): &(&str, Ty)| format!("{name}: {}", ty.shown(in_scope));
                format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
            Ty::Prim(prim) => prim.name().to_string(),
            Ty::Sum(number, dims) if dims.is_empty() => format!("sum{number}"),
            Ty::Sum(number, dims) => {
                let dim = |dim: &Dim| match dim {
                    Dim::Name(name) if !in_scope(name) => " []".to_string(),
                    dim => format!(" [{dim}]"),
                };
                format!("(sum{number}{})", dims.iter().map(dim).collect::<String>())
            }
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown(&|_| true))
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Const(size) => write!(f, "{size}"),
            Dim::Name(name) => f.write_str(name),
        }
    }
}

impl Dim {
    fn names(&self, names: &mut Vec<String>) {
        if let Dim::Name(name) = self
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    }

    /// As an expression of type i64. As an argument that is a size it is written without a type, since to Futhark the
    /// sizes `2i64` and `2` differ.
    pub(crate) fn value(&self) -> String {
        match self {
            Dim::Const(size) => format!("{size}i64"),
            Dim::Name(name) => name.clone(),
        }
    }
}
