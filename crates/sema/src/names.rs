//! Everything that has an identity: variables, sizes, types and the variables of inference.

use crate::intrinsics::IntrinsicId;
use crate::types::{AppId, MetaId, Scheme, Size, Ty, TypeAbbr, TypeId, VarId};
use kenaz_base::{Arena, Code, Prim, Span, Symbol};
use kenaz_syntax::ast::{Liftedness, TypeParamKind};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The tables behind the ids of [`types`](crate::types).
#[derive(Default)]
pub struct Names {
    pub vars: Arena<VarId, VarInfo>,
    pub types: Arena<TypeId, TypeInfo>,
    pub metas: Arena<MetaId, MetaInfo>,
    /// Sizes without a name are numbered from this index on when they are shown.
    pub shown_from: usize,
    /// How some names are shown in the message that is being made.
    pub shown: Shown,
    /// The place that is being looked at: what constrains a variable last is where its type is said to be ambiguous.
    pub at: Option<Span>,
}

/// Names that are shown differently, since others in the same message are spelled the same.
#[derive(Default)]
pub struct Shown {
    pub vars: BTreeMap<VarId, String>,
    pub types: BTreeMap<TypeId, String>,
}

/// How deeply a name is nested in binders. A name may be used in the type of something bound outside only if its level
/// is at most the other's.
pub type Level = u32;

#[derive(Clone, Debug)]
pub struct VarInfo {
    pub name: Symbol,
    pub span: Span,
    pub level: Level,
    pub kind: VarKind,
    /// The type, where the name stands for a value.
    pub scheme: Option<Scheme>,
    /// Where a value comes from that was not bound by a pattern or definition.
    pub origin: Option<Origin>,
}

#[derive(Clone, Debug)]
pub enum VarKind {
    /// A value bound by a definition, parameter or pattern.
    Value,
    /// A definition at the level of modules; functions may not return it unless copied.
    Global,
    /// `[n]` where it is bound.
    SizeParam,
    /// A size to be inferred, and what it turned out to be.
    Flexible(SizeCause, Option<Size>),
    /// A size that exists but has no name in the program.
    Unknown(SizeCause),
    /// A name bound inside a type: an existential size or the parameter of an arrow.
    Bound,
    /// A member of the module of intrinsics.
    Intrinsic(IntrinsicId),
}

/// Why there is a size that nobody wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SizeCause {
    /// An instance of the size parameter of a function (its name).
    Instance { param: Symbol, of: Option<String> },
    /// `[]` in a type.
    Anonymous,
    /// `[]` in the type of a size coercion.
    Coercion,
    /// The size of a value whose type was not known yet.
    Inferred,
    /// A size that a loop parameter may change.
    Loop,
    /// The existential size of an applied function's result.
    Result(Option<String>),
    /// The argument of a function that is no valid size (its text), and the function.
    Argument { text: String, of: Option<String>, binding: bool },
    /// Branches that disagree.
    Branches(String, String),
    /// A slice.
    Slice,
    /// A range.
    Range,
    /// A name that went out of scope: the size as it was.
    Scope(String),
    /// A pattern's size.
    Pattern,
}

/// How a value of a module came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The same value seen through a module type.
    Ascribed(VarId),
    /// The value of a parametric module's body, in this application of it.
    Instance(VarId, AppId),
}

/// What is behind an abstract type.
#[derive(Clone, Debug)]
pub enum TypeOrigin {
    /// The type that a module type hides.
    Sealed(Arc<TypeAbbr>),
    /// The type of a parametric module's body, in this application of it.
    Instance(TypeId, AppId),
}

#[derive(Clone, Debug)]
pub struct TypeInfo {
    pub name: Symbol,
    pub span: Span,
    pub level: Level,
    pub liftedness: Liftedness,
    pub params: Vec<TypeParamKind>,
    /// Bound by `'t`, not a module's abstract type.
    pub is_param: bool,
    pub origin: Option<TypeOrigin>,
}

#[derive(Clone, Debug)]
pub struct MetaInfo {
    pub level: Level,
    pub span: Span,
    /// How lifted the solution may be at most, and why.
    pub liftedness: Liftedness,
    pub reason: Option<Usage>,
    /// How long a chain of variables may lead to this one.
    pub rank: u32,
    pub state: MetaState,
}

#[derive(Clone, Debug)]
pub enum MetaState {
    Solved(Ty),
    Open(Constraint),
}

/// What is known about the solution of a type variable, and why.
#[derive(Clone, Debug)]
pub enum Constraint {
    /// Any type.
    Any,
    /// One of these primitive types.
    Overloaded(PrimSet, Usage),
    /// Something that can be compared.
    Equality(Usage),
    /// A record with at least these fields.
    Fields(BTreeMap<Symbol, Ty>, Usage),
    /// A sum with at least these constructors.
    Constructors(BTreeMap<Symbol, Vec<Ty>>, Usage),
}

/// Where a constraint comes from, for messages.
#[derive(Clone, Debug)]
pub struct Usage {
    pub span: Span,
    pub what: String,
    /// How a violation is called when the reason is a function or lifted type.
    pub code: Code,
}

/// A set of primitive types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrimSet(u16);

impl PrimSet {
    pub fn of(f: impl Fn(Prim) -> bool) -> PrimSet {
        PrimSet(Prim::ALL.iter().filter(|p| f(**p)).fold(0, |set, p| set | 1 << *p as u16))
    }

    pub fn numeric() -> PrimSet {
        PrimSet::of(Prim::is_numeric)
    }

    pub fn integer() -> PrimSet {
        PrimSet::of(Prim::is_integer)
    }

    pub fn signed() -> PrimSet {
        PrimSet::of(Prim::is_signed)
    }

    pub fn float() -> PrimSet {
        PrimSet::of(Prim::is_float)
    }

    pub fn contains(self, p: Prim) -> bool {
        self.0 & 1 << p as u16 != 0
    }

    #[must_use]
    pub fn intersect(self, other: PrimSet) -> PrimSet {
        PrimSet(self.0 & other.0)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Prim> {
        Prim::ALL.into_iter().filter(move |p| self.contains(*p))
    }

    /// `a numeric type`
    pub fn describe(self) -> String {
        let classes = [
            (PrimSet::numeric(), "a numeric type"),
            (PrimSet::integer(), "an integer type"),
            (PrimSet::signed(), "a signed integer type"),
            (PrimSet::float(), "a floating-point type"),
            (PrimSet::of(|p| p.is_integer() || p == Prim::Bool), "an integer type or `bool`"),
            (PrimSet::of(|p| p.is_numeric() || p == Prim::Bool), "a numeric type or `bool`"),
        ];
        match classes.into_iter().find(|(set, _)| *set == self) {
            Some((_, name)) => name.to_string(),
            None => self.list(),
        }
    }

    /// `` `i8`, `i16` or `i32` ``
    fn list(self) -> String {
        let names: Vec<String> = self.iter().map(|p| format!("`{}`", p.name())).collect();
        match names.split_last() {
            None => "no type".to_string(),
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        }
    }
}

impl Names {
    pub fn value(&mut self, name: Symbol, span: Span, level: Level) -> VarId {
        self.var(name, span, level, VarKind::Value)
    }

    pub fn var(&mut self, name: Symbol, span: Span, level: Level, kind: VarKind) -> VarId {
        self.vars.push(VarInfo { name, span, level, kind, scheme: None, origin: None })
    }

    /// What a size is after the solutions of inference are filled in, at its head.
    pub fn shallow_size(&self, size: &Size) -> Size {
        let mut size = size;
        while let Size::Var(v) = size {
            match &self.vars[*v].kind {
                VarKind::Flexible(_, Some(solution)) => size = solution,
                _ => break,
            }
        }
        size.clone()
    }

    /// A size with all solutions filled in.
    pub fn size(&self, size: &Size) -> Size {
        size.map_vars(&mut |v| match &self.vars[v].kind {
            VarKind::Flexible(_, Some(solution)) => Some(self.size(solution)),
            _ => None,
        })
    }

    /// What a type is after the solutions of inference are filled in, at its head.
    pub fn shallow(&self, ty: &Ty) -> Ty {
        let mut ty = ty;
        while let crate::types::TyKind::Meta(m) = ty.kind() {
            match &self.metas[*m].state {
                MetaState::Solved(solution) => ty = solution,
                MetaState::Open(_) => break,
            }
        }
        ty.clone()
    }
}
