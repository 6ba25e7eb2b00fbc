//! Types and sizes as the checker sees them.
//!
//! A type is immutable and shared. Names of values that occur in sizes, size parameters, unknown sizes and size
//! variables are all [`VarId`]s; what each one is stands in the [`Names`](crate::names::Names) table.

use crate::limits::{self, Extent};
use kenaz_base::{Prim, Symbol, define_ids, with_stack};
use kenaz_syntax::ast::{ExprId, Liftedness};
use std::sync::Arc;

define_ids! {
    /// Anything that can occur in a size: a variable, a size parameter, an unknown size, a size variable.
    VarId "v";
    /// A type that is not a synonym: an abstract type or a type parameter.
    TypeId "T";
    /// A type variable of inference.
    MetaId "?";
    /// A parametric module, or the type of one.
    FunctorId "F";
    /// An application of a parametric module.
    AppId "A";
}

/// A type. Cheap to clone, and never larger than [`limits`](crate::limits) allow: what would be is [`TyKind::Error`].
#[derive(Clone)]
pub struct Ty(Arc<Node>);

struct Node {
    kind: TyKind,
    extent: Extent,
    /// Whether there may be variables of inference in it; sizes count when they are names at all.
    inference: bool,
}

impl PartialEq for Ty {
    fn eq(&self, other: &Ty) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || with_stack(|| self.kind() == other.kind())
    }
}

impl Eq for Ty {}

impl std::hash::Hash for Ty {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        with_stack(|| self.kind().hash(state));
    }
}

impl std::fmt::Debug for Ty {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind().fmt(f)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TyKind {
    /// What is left after an error was reported; equal to everything.
    Error,
    Prim(Prim),
    /// `[n]t`
    Array(Size, Ty),
    /// Fields in the order of [`sort_fields`]. A tuple is a record with fields `0`, `1`, ….
    Record(Vec<(Symbol, Ty)>),
    /// Constructors sorted by name.
    Sum(Vec<(Symbol, Vec<Ty>)>),
    Arrow(Arrow),
    /// An abstract type or type parameter with its arguments.
    Con(TypeId, Vec<TyArg>),
    Meta(MetaId),
    /// `*t`: a value without aliases. Only in the result of an arrow, as a whole or around components of records and
    /// sums; a type of an expression never contains it outside arrows.
    Unique(Ty),
    /// `?[n].t`. Only as the result of an arrow, as the body of a synonym, or as the instance of a lifted variable; an
    /// expression's type is opened, its sizes replaced by unknown ones.
    Exists(Vec<VarId>, Ty),
}

/// `(param: arg) -> ret`
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Arrow {
    /// In scope in the sizes of `ret`.
    pub param: Option<VarId>,
    /// Whether the argument is consumed: there is a `*` somewhere in the parameter's type.
    pub consumes: bool,
    pub arg: Ty,
    pub ret: Ty,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TyArg {
    Size(Size),
    Type(Ty),
}

/// The size of a dimension: a term over the names of the program. Two sizes are equal when they are the same term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Size {
    /// What is left after an error; equal to everything.
    Error,
    Const(i64),
    Var(VarId),
    Term(Arc<SizeTerm>),
}

/// An operation in a size. Its arguments need not be integers.
#[derive(Clone, Debug)]
pub struct SizeTerm {
    pub head: SizeHead,
    pub args: Vec<Size>,
    extent: Extent,
}

impl SizeTerm {
    /// How many parts it has.
    pub fn parts(&self) -> u32 {
        self.extent.parts
    }
}

impl PartialEq for SizeTerm {
    fn eq(&self, other: &SizeTerm) -> bool {
        std::ptr::eq(self, other)
            || (self.extent == other.extent && self.head == other.head && with_stack(|| self.args == other.args))
    }
}

impl Eq for SizeTerm {}

impl std::hash::Hash for SizeTerm {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.head.hash(state);
        with_stack(|| self.args.hash(state));
    }
}

/// Sums of sizes are as deep as a chain of `++` is long.
impl Drop for SizeTerm {
    fn drop(&mut self) {
        let mut args = std::mem::take(&mut self.args);
        while let Some(arg) = args.pop() {
            if let Size::Term(term) = arg
                && let Some(mut term) = Arc::into_inner(term)
            {
                args.append(&mut term.args);
            }
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SizeHead {
    /// The first argument applied to the others. For an operator the first argument is its name.
    Apply,
    Neg,
    Not,
    Field(Symbol),
    /// `a[i, …]`; a dimension that is sliced is an argument `Slice`.
    Index,
    Slice,
    /// A part of a slice or range that was left out.
    Absent,
    If,
    Tuple,
    Record(Vec<Symbol>),
    Array,
    Constr(Symbol),
    /// Any literal but an integer, by its text.
    Literal(Symbol),
    /// `(x +)`
    LeftSection,
    /// `(+ x)`
    RightSection,
    ProjectSection(Vec<Symbol>),
    IndexSection,
    And,
    Or,
    Range(Symbol),
    UpdateField(Vec<Symbol>),
    /// An expression that is like no other: it binds or consumes something. The arguments are what it mentions.
    Opaque(ExprId),
}

/// A type together with what it is polymorphic in.
#[derive(Clone, Debug)]
pub struct Scheme {
    pub params: Vec<SchemeParam>,
    pub ty: Ty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemeParam {
    Size(VarId),
    Type(TypeId, Liftedness),
}

/// `type t [n] 'a = body`; an abstract type is an abbreviation for itself.
#[derive(Clone, Debug)]
pub struct TypeAbbr {
    pub params: Vec<SchemeParam>,
    pub liftedness: Liftedness,
    pub body: Ty,
}

impl Ty {
    pub fn new(kind: TyKind) -> Ty {
        let extent = Extent::of_ty(&kind);
        let nested = matches!(kind, TyKind::Sum(_)) && extent.levels > limits::MAX_SUM_LEVELS;
        if nested || extent.is_too_large() {
            limits::exceed();
            return Ty::error();
        }
        let inference = has_inference(&kind);
        Ty(Arc::new(Node { kind, extent, inference }))
    }

    pub fn kind(&self) -> &TyKind {
        &self.0.kind
    }

    pub(crate) fn extent(&self) -> Extent {
        self.0.extent
    }

    pub(crate) fn has_inference(&self) -> bool {
        self.0.inference
    }

    pub fn error() -> Ty {
        Ty(Arc::new(Node { kind: TyKind::Error, extent: Extent::ATOM, inference: false }))
    }

    pub fn prim(prim: Prim) -> Ty {
        Ty::new(TyKind::Prim(prim))
    }

    pub fn meta(id: MetaId) -> Ty {
        Ty::new(TyKind::Meta(id))
    }

    pub fn array(size: Size, elem: Ty) -> Ty {
        Ty::new(TyKind::Array(size, elem))
    }

    pub fn tuple(elems: Vec<Ty>) -> Ty {
        Ty::new(TyKind::Record(elems.into_iter().enumerate().map(|(i, t)| (Symbol::field(i), t)).collect()))
    }

    pub fn unit() -> Ty {
        Ty::tuple(Vec::new())
    }

    /// A record with fields in any order.
    pub fn record(mut fields: Vec<(Symbol, Ty)>) -> Ty {
        sort_fields(&mut fields);
        Ty::new(TyKind::Record(fields))
    }

    /// A sum with constructors in any order.
    pub fn sum(mut constrs: Vec<(Symbol, Vec<Ty>)>) -> Ty {
        constrs.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
        Ty::new(TyKind::Sum(constrs))
    }

    pub fn arrow(param: Option<VarId>, consumes: bool, arg: Ty, ret: Ty) -> Ty {
        Ty::new(TyKind::Arrow(Arrow { param, consumes, arg, ret }))
    }

    pub fn unique(ty: Ty) -> Ty {
        match ty.kind() {
            TyKind::Unique(_) | TyKind::Prim(_) | TyKind::Error => ty,
            TyKind::Exists(dims, body) => Ty::new(TyKind::Exists(dims.clone(), Ty::unique(body.clone()))),
            _ => Ty::new(TyKind::Unique(ty)),
        }
    }

    /// `?[dims].ty`, with the quantifier moved to where it belongs: behind the arrows of a function type.
    pub fn exists(dims: Vec<VarId>, ty: Ty) -> Ty {
        if dims.is_empty() {
            return ty;
        }
        match ty.kind() {
            TyKind::Exists(inner, body) => {
                let mut all = dims;
                all.extend(inner.iter().copied());
                Ty::new(TyKind::Exists(all, body.clone()))
            }
            _ => Ty::new(TyKind::Exists(dims, ty)),
        }
    }

    pub fn is_error(&self) -> bool {
        matches!(self.kind(), TyKind::Error)
    }

    pub fn as_prim(&self) -> Option<Prim> {
        match self.kind() {
            TyKind::Prim(p) => Some(*p),
            _ => None,
        }
    }

    pub fn is_bool(&self) -> bool {
        self.as_prim() == Some(Prim::Bool)
    }

    /// The type with every `*` outside arrows removed.
    pub fn without_unique(&self) -> Ty {
        match self.kind() {
            TyKind::Unique(t) => t.without_unique(),
            TyKind::Record(fields) if self.mentions_unique() => {
                Ty::new(TyKind::Record(fields.iter().map(|(n, t)| (*n, t.without_unique())).collect()))
            }
            TyKind::Sum(constrs) if self.mentions_unique() => Ty::new(TyKind::Sum(
                constrs.iter().map(|(n, ts)| (*n, ts.iter().map(Ty::without_unique).collect())).collect(),
            )),
            TyKind::Exists(dims, t) => Ty::new(TyKind::Exists(dims.clone(), t.without_unique())),
            _ => self.clone(),
        }
    }

    /// Whether there is a `*` outside arrows.
    pub fn mentions_unique(&self) -> bool {
        match self.kind() {
            TyKind::Unique(_) => true,
            TyKind::Record(fields) => fields.iter().any(|(_, t)| t.mentions_unique()),
            TyKind::Sum(constrs) => constrs.iter().any(|(_, ts)| ts.iter().any(Ty::mentions_unique)),
            TyKind::Exists(_, t) => t.mentions_unique(),
            TyKind::Error
            | TyKind::Prim(_)
            | TyKind::Array(..)
            | TyKind::Arrow(_)
            | TyKind::Con(..)
            | TyKind::Meta(_) => false,
        }
    }

    /// If this is a tuple type, its elements.
    pub fn as_tuple(&self) -> Option<Vec<&Ty>> {
        match self.kind() {
            TyKind::Record(fields) if is_tuple(fields) => Some(fields.iter().map(|(_, t)| t).collect()),
            _ => None,
        }
    }
}

fn has_inference(kind: &TyKind) -> bool {
    match kind {
        TyKind::Error | TyKind::Prim(_) => false,
        TyKind::Array(Size::Const(_), elem) => elem.has_inference(),
        TyKind::Record(fields) => fields.iter().any(|(_, ty)| ty.has_inference()),
        TyKind::Con(_, args) => !args.is_empty(),
        TyKind::Array(..)
        | TyKind::Sum(_)
        | TyKind::Arrow(_)
        | TyKind::Meta(_)
        | TyKind::Unique(_)
        | TyKind::Exists(..) => true,
    }
}

/// Whether the fields are `0`, `1`, … in order, with none or at least two of them.
pub fn is_tuple<T>(fields: &[(Symbol, T)]) -> bool {
    fields.len() != 1 && fields.iter().enumerate().all(|(i, (name, _))| name.as_str().parse() == Ok(i))
}

/// Numeric fields by value, then named ones alphabetically.
pub fn sort_fields<T>(fields: &mut [(Symbol, T)]) {
    fields.sort_by(|(a, _), (b, _)| {
        let (a, b) = (a.as_str(), b.as_str());
        match (a.parse::<u64>(), b.parse::<u64>()) {
            (Ok(x), Ok(y)) => x.cmp(&y),
            (Ok(_), Err(_)) => std::cmp::Ordering::Less,
            (Err(_), Ok(_)) => std::cmp::Ordering::Greater,
            (Err(_), Err(_)) => a.cmp(b),
        }
    });
}

impl Size {
    /// A term, or [`Size::Error`] if it would be too large.
    pub fn term(head: SizeHead, args: Vec<Size>) -> Size {
        let mut extent = Extent::of_parts(args.iter().map(Size::extent));
        extent.typeless |= match head {
            SizeHead::Constr(_)
            | SizeHead::LeftSection
            | SizeHead::RightSection
            | SizeHead::ProjectSection(_)
            | SizeHead::IndexSection => true,
            SizeHead::Array => args.is_empty(),
            _ => false,
        };
        if extent.parts > limits::MAX_SIZE_PARTS {
            limits::exceed();
            return Size::Error;
        }
        Size::Term(Arc::new(SizeTerm { head, args, extent }))
    }

    /// How large it is. A size is no level of a type: chains of sums may be of any length.
    pub(crate) fn extent(&self) -> Extent {
        match self {
            Size::Error | Size::Const(_) | Size::Var(_) => Extent::ATOM,
            Size::Term(term) => Extent { levels: 0, ..term.extent },
        }
    }

    /// Whether a part of it does not tell its type: a constructor, `[]` or a section.
    pub fn is_typeless(&self) -> bool {
        self.extent().typeless
    }

    /// Calls `f` on every name in the size.
    pub fn for_each_var(&self, f: &mut dyn FnMut(VarId)) {
        match self {
            Size::Error | Size::Const(_) => {}
            Size::Var(v) => f(*v),
            Size::Term(term) => with_stack(|| term.args.iter().for_each(|arg| arg.for_each_var(f))),
        }
    }

    /// Replaces names for which `f` has something.
    pub fn map_vars(&self, f: &mut dyn FnMut(VarId) -> Option<Size>) -> Size {
        self.mapped(f).unwrap_or_else(|| self.clone())
    }

    /// The same, or nothing if no name is replaced: a term is as large as a chain of sums is long, and comparing it
    /// with what it was at each of its levels would take quadratic time.
    fn mapped(&self, f: &mut dyn FnMut(VarId) -> Option<Size>) -> Option<Size> {
        match self {
            Size::Error | Size::Const(_) => None,
            Size::Var(v) => f(*v).filter(|new| new != self),
            Size::Term(term) => with_stack(|| {
                let mut args: Option<Vec<Size>> = None;
                for (i, arg) in term.args.iter().enumerate() {
                    if let Some(new) = arg.mapped(f) {
                        args.get_or_insert_with(|| term.args.clone())[i] = new;
                    }
                }
                Some(Size::term(term.head.clone(), args?))
            }),
        }
    }
}

impl From<VarId> for Size {
    fn from(v: VarId) -> Size {
        Size::Var(v)
    }
}
