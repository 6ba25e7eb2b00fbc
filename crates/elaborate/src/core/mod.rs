//! The core: a small, typed, monomorphic, higher-order language between the syntax tree and the IR.
//!
//! It is the calculus of the defunctionalisation paper (§2) with records, sums and the operations of the language. What
//! is left of sizes is explicit: a function that is polymorphic in sizes takes them as ordinary arguments, and the
//! sizes in array types are hints, which relate the dimensions of arrays to variables. Types are equal when they are so
//! without the hints.

pub mod check;
mod print;

use kenaz_base::{Arena, Prim, Symbol, define_ids, with_stack};
use kenaz_ir::{Attr, LocId, Name, Scalar};
use kenaz_sema::intrinsics::IntrinsicId;
use kenaz_syntax::ast::RangeKind;
use std::sync::Arc;

define_ids! {
    /// A definition of a [`CoreProg`].
    DefId "def";
}

/// Definitions, each behind those it mentions.
#[derive(Default)]
pub struct CoreProg {
    pub defs: Arena<DefId, Def>,
    pub locs: kenaz_ir::Locs,
    pub fresh: kenaz_ir::Fresh,
}

pub struct Def {
    pub name: Symbol,
    pub body: Exp,
    /// For entry points, what the outside sees.
    pub entry: Option<kenaz_ir::Entry>,
    pub attrs: Vec<Attr>,
    pub loc: LocId,
    /// Part of the prelude.
    pub builtin: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    Prim(Prim),
    Array(Dim, Arc<Ty>),
    /// Fields in canonical order; a tuple has fields `0`, `1`, ….
    Record(Vec<(Symbol, Ty)>),
    /// Constructors in canonical order.
    Sum(Vec<(Symbol, Vec<Ty>)>),
    /// A function of several arguments is one of the first that yields one of the rest.
    Arrow(Arc<Ty>, Arc<Ty>),
    /// An accumulator of arrays with such elements.
    Acc(Arc<Ty>),
}

/// What is known about a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dim {
    Any,
    Const(i64),
    Var(Name),
}

impl Ty {
    pub const BOOL: Ty = Ty::Prim(Prim::Bool);
    pub const I64: Ty = Ty::Prim(Prim::I64);

    pub fn unit() -> Ty {
        Ty::Record(Vec::new())
    }

    pub fn arrow(arg: Ty, ret: Ty) -> Ty {
        Ty::Arrow(Arc::new(arg), Arc::new(ret))
    }

    pub fn array(dim: Dim, elem: Ty) -> Ty {
        Ty::Array(dim, Arc::new(elem))
    }

    /// The type with other dimensions; those of functions are forgotten.
    #[must_use]
    pub fn map_dims(&self, f: &mut dyn FnMut(Dim) -> Dim) -> Ty {
        match self {
            Ty::Prim(p) => Ty::Prim(*p),
            Ty::Array(dim, elem) => {
                let dim = f(*dim);
                Ty::array(dim, elem.map_dims(f))
            }
            Ty::Record(fields) => Ty::Record(fields.iter().map(|(n, t)| (*n, t.map_dims(f))).collect()),
            Ty::Sum(constrs) => {
                Ty::Sum(constrs.iter().map(|(n, ts)| (*n, ts.iter().map(|t| t.map_dims(f)).collect())).collect())
            }
            Ty::Arrow(a, b) => Ty::arrow(a.erased(), b.erased()),
            Ty::Acc(t) => Ty::Acc(Arc::new(t.map_dims(f))),
        }
    }

    /// The type without hints.
    #[must_use]
    pub fn erased(&self) -> Ty {
        match self {
            Ty::Arrow(a, b) => Ty::arrow(a.erased(), b.erased()),
            _ => self.map_dims(&mut |_| Dim::Any),
        }
    }

    /// The dimensions that [`Ty::map_dims`] visits, in its order.
    pub fn dims(&self) -> Vec<Dim> {
        let mut out = Vec::new();
        let _ = self.map_dims(&mut |d| {
            out.push(d);
            d
        });
        out
    }

    pub fn is_function(&self) -> bool {
        match self {
            Ty::Prim(_) => false,
            Ty::Arrow(..) => true,
            Ty::Array(_, t) | Ty::Acc(t) => t.is_function(),
            Ty::Record(fields) => fields.iter().any(|(_, t)| t.is_function()),
            Ty::Sum(constrs) => constrs.iter().any(|(_, ts)| ts.iter().any(Ty::is_function)),
        }
    }

    pub fn prim(&self) -> Option<Prim> {
        match self {
            Ty::Prim(p) => Some(*p),
            _ => None,
        }
    }

    pub fn elem(&self) -> Option<&Ty> {
        match self {
            Ty::Array(_, t) => Some(t),
            _ => None,
        }
    }

    pub fn field(&self, name: Symbol) -> Option<&Ty> {
        match self {
            Ty::Record(fields) => fields.iter().find(|(n, _)| *n == name).map(|(_, t)| t),
            _ => None,
        }
    }

    /// The result after `n` arguments.
    pub fn after(&self, n: usize) -> Ty {
        match (n, self) {
            (0, _) => self.clone(),
            (_, Ty::Arrow(_, ret)) => ret.after(n - 1),
            _ => self.clone(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Exp {
    pub kind: Kind,
    pub ty: Ty,
    pub loc: LocId,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Var(Name),
    Lit(Scalar),
    Global(DefId),
    Lam(Arc<Lam>),
    /// At least one argument.
    App(Box<Exp>, Vec<Exp>),
    /// Bindings in order, then the result.
    Block(Vec<(Name, Exp)>, Box<Exp>),
    Record(Vec<(Symbol, Exp)>),
    Project(Box<Exp>, Symbol),
    /// The elements; the type tells the shape of those that are not there.
    Array(Vec<Exp>),
    Index(Box<Exp>, Vec<IndexDim>),
    Update(Box<Exp>, Vec<IndexDim>, Box<Exp>),
    UpdateField(Box<Exp>, Vec<Symbol>, Box<Exp>),
    If(Box<Exp>, Box<Exp>, Box<Exp>),
    /// The first case that matches; there is one.
    Match(Box<Exp>, Vec<(Pat, Exp)>),
    Loop(Box<Loop>),
    /// The type tells the shape of the payloads that are not there.
    Constr(Symbol, Vec<Exp>),
    /// All arguments are there.
    Intrinsic(IntrinsicId, Vec<Exp>),
    Not(Box<Exp>),
    Neg(Box<Exp>),
    Range {
        first: Box<Exp>,
        second: Option<Box<Exp>>,
        kind: RangeKind,
        last: Box<Exp>,
    },
    /// The value, whose dimensions are checked to be those of the type.
    Coerce(Box<Exp>, CoerceKind),
    Assert(Box<Exp>, Box<Exp>, String),
    Hole,
    Attr(Attr, Box<Exp>),
    /// The size of an array in a value.
    SizeOf(Box<Exp>, Path),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoerceKind {
    /// `e :> t`
    Coercion,
    /// The argument of an entry point with this number, from 1, and name.
    Entry(usize, Symbol),
}

/// A function of several parameters. The identity tells copies of the same function from others.
#[derive(Debug)]
pub struct Lam {
    pub id: u32,
    pub params: Vec<(Name, Ty)>,
    pub body: Exp,
    /// The variables of the body that are not its own, in order of their numbers.
    pub free: Vec<Free>,
}

/// A variable that a function captures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Free {
    pub name: Name,
    /// The fields of it that the function uses, in alphabetical order, if it uses nothing but fields.
    pub fields: Option<Vec<Symbol>>,
}

#[derive(Clone, Debug)]
pub enum IndexDim {
    Fix(Exp),
    Slice { start: Option<Exp>, end: Option<Exp>, step: Option<Exp> },
}

#[derive(Clone, Debug)]
pub struct Loop {
    pub param: Name,
    pub init: Exp,
    pub form: LoopForm,
    pub body: Exp,
}

#[derive(Clone, Debug)]
pub enum LoopForm {
    For(Name, Exp),
    ForIn(Name, Exp),
    While(Exp),
}

#[derive(Clone, Debug)]
pub enum Pat {
    Wild,
    Name(Name, Ty),
    Lit(Scalar),
    Record(Vec<(Symbol, Pat)>),
    Constr(Symbol, Vec<Pat>, Ty),
}

/// Where in a value an array is, and which of its dimensions is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pub steps: Vec<Step>,
    /// The number of dimensions outside of the one that is meant.
    pub dim: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Field(Symbol),
    Payload(Symbol, usize),
}

/// Puts the bindings from one on under a check: those that an expression made which stands under it, and which went
/// before that expression. The condition, under which the rest of the expression stands, is returned; it gets the
/// name if bindings have to mention it.
pub fn under_check(
    bindings: &mut Vec<(Name, Exp)>,
    first: usize,
    condition: Box<Exp>,
    text: &str,
    name: impl FnOnce() -> Name,
) -> Box<Exp> {
    if bindings[first..].iter().all(|(_, value)| value.does_nothing()) {
        return condition;
    }
    let name = name();
    let var = Box::new(Exp::var(name, Ty::BOOL, condition.loc));
    for (_, value) in bindings[first..].iter_mut().filter(|(_, value)| !value.does_nothing()) {
        let (ty, loc) = (value.ty.clone(), value.loc);
        let inner = std::mem::replace(value, Exp::bool(false, loc));
        *value = Exp::new(Kind::Assert(var.clone(), Box::new(inner), text.to_owned()), ty, loc);
    }
    bindings.insert(first, (name, *condition));
    var
}

impl Exp {
    pub fn new(kind: Kind, ty: Ty, loc: LocId) -> Exp {
        Exp { kind, ty, loc }
    }

    pub fn var(name: Name, ty: Ty, loc: LocId) -> Exp {
        Exp::new(Kind::Var(name), ty, loc)
    }

    pub fn i64(n: i64, loc: LocId) -> Exp {
        Exp::new(Kind::Lit(Scalar::I64(n)), Ty::I64, loc)
    }

    pub fn bool(b: bool, loc: LocId) -> Exp {
        Exp::new(Kind::Lit(Scalar::Bool(b)), Ty::BOOL, loc)
    }

    /// Whether it only names something, or is a function that nobody calls here.
    fn does_nothing(&self) -> bool {
        match &self.kind {
            Kind::Var(_) | Kind::Lit(_) | Kind::Global(_) | Kind::Lam(_) => true,
            Kind::Project(e, _) | Kind::SizeOf(e, _) => with_stack(|| e.does_nothing()),
            Kind::Record(fields) => fields.iter().all(|(_, e)| with_stack(|| e.does_nothing())),
            Kind::App(..)
            | Kind::Block(..)
            | Kind::Array(_)
            | Kind::Index(..)
            | Kind::Update(..)
            | Kind::UpdateField(..)
            | Kind::If(..)
            | Kind::Match(..)
            | Kind::Loop(_)
            | Kind::Constr(..)
            | Kind::Intrinsic(..)
            | Kind::Not(_)
            | Kind::Neg(_)
            | Kind::Range { .. }
            | Kind::Coerce(..)
            | Kind::Assert(..)
            | Kind::Hole
            | Kind::Attr(..) => false,
        }
    }
}
