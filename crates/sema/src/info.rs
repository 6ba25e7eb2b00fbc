//! What the checker learnt about each node of the syntax tree: the typed program, as side tables.

use crate::types::{AppId, FunctorId, Scheme, Size, Ty, TyArg, TypeAbbr, TypeId, VarId};
use kenaz_base::{Arena, SideTable, Span};
use kenaz_syntax::ast::{DecId, ExprId, PatId, TypeExpId};
use rustc_hash::FxHashMap;

#[derive(Default)]
pub struct Info {
    /// The type of every expression; no `*` outside arrows, no existential sizes at the top.
    pub expr_ty: SideTable<ExprId, Ty>,
    /// What a name means: for `Var`, `OpSection`, `BinOp`, `LeftSection`, `RightSection` (the operator) and `LetWith`
    /// (the array that is updated).
    pub resolved: SideTable<ExprId, Resolved>,
    /// The sizes without a name that come into being when the expression is evaluated.
    pub unknown_sizes: FxHashMap<ExprId, Vec<VarId>>,
    /// The type of every pattern, without `*`.
    pub pat_ty: SideTable<PatId, Ty>,
    /// The variable that a `Name` pattern binds.
    pub pat_var: SideTable<PatId, VarId>,
    /// The variable that the short form of a field binds in a record pattern, by position.
    pub field_var: FxHashMap<(PatId, usize), VarId>,
    /// The variable that the short form of a field mentions in a record expression, by position.
    pub field_ref: FxHashMap<(ExprId, usize), VarId>,
    /// The instance of such a variable, and its type there.
    pub field_instance: FxHashMap<(ExprId, usize), (Vec<TyArg>, Ty)>,
    /// The variables that a loop without initial value starts from, in the order of the names in its pattern.
    pub loop_init: FxHashMap<ExprId, Vec<VarId>>,
    /// The counter of `for i < n`, the array bound by `let a[i] = …`, and the function of a local definition.
    pub bound_var: SideTable<ExprId, VarId>,
    /// The size variables that a `let [n] p` binds.
    pub bound_sizes: FxHashMap<ExprId, Vec<VarId>>,
    /// The sizes that a loop may change, as they are called inside it.
    pub loop_sizes: FxHashMap<ExprId, Vec<VarId>>,
    /// A type as written, `*` included, with `[]` filled in.
    pub type_exp: SideTable<TypeExpId, Ty>,
    /// Where the type is defined that a type as written is the name of, or an application of.
    pub type_names: FxHashMap<TypeExpId, Span>,
    /// The value that a definition binds.
    pub val_var: SideTable<DecId, VarId>,
    /// An expression that gave rise to a compound size.
    pub size_exprs: FxHashMap<Size, ExprId>,
    /// The compound size that an argument is in the type of what it is applied to.
    pub argument_sizes: FxHashMap<ExprId, Size>,
    /// Whether there may be sizes that cannot be computed from what they consist of ([`Size::is_typeless`]).
    pub has_typeless_sizes: bool,
    pub functors: Functors,
}

/// The module system as the next step needs it: where the values and types of parametric modules come from.
#[derive(Default)]
pub struct Functors {
    pub apps: Arena<AppId, App>,
    /// The parametric module whose parameter brings a value or type.
    pub param_values: FxHashMap<VarId, FunctorId>,
    pub param_types: FxHashMap<TypeId, FunctorId>,
    /// The definition of a value, and the parametric modules it stands in, outermost first.
    pub definitions: FxHashMap<VarId, (DecId, Vec<FunctorId>)>,
    pub count: usize,
}

/// A parametric module applied to a module.
#[derive(Default)]
pub struct App {
    pub functor: Option<FunctorId>,
    /// What the values of the parameter are.
    pub values: FxHashMap<VarId, VarId>,
    /// What the abstract types of the parameter are.
    pub types: FxHashMap<TypeId, TypeAbbr>,
    /// The parametric modules that the application stands in, outermost first.
    pub inside: Vec<FunctorId>,
}

/// A variable where it is used.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub var: VarId,
    /// How many of the last components of the path are record fields.
    pub fields: usize,
    /// What the parameters of the variable's scheme stand for here.
    pub instance: Vec<TyArg>,
    /// The type of the variable here, before any field is taken.
    pub ty: Ty,
}

/// A definition, where the checker is done with it.
pub struct Definition {
    pub dec: DecId,
    pub var: VarId,
    pub scheme: Scheme,
}
