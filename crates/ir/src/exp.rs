//! What statements compute. The doc comment of each variant is its typing rule.

use crate::mem::MemExp;
use crate::op::{BinOp, CmpOp, MathFn, UnOp};
use crate::par::Par;
use crate::prog::{Body, Operand, Param};
use crate::types::Type;
use crate::{Name, value::Scalar};
use kenaz_base::{Prim, Symbol};

#[derive(Clone, Debug, PartialEq)]
pub enum Exp {
    // Scalars
    /// `x`: of the type of `x`. An array is not copied: the result is an alias.
    Operand(Operand),
    /// `op x`: of the type of `x`, which [`UnOp`] allows.
    Un(UnOp, Operand),
    /// `op x y`: both operands of the same type, which is that of the result. Division by zero is undefined unless a
    /// certificate vouches that it does not happen.
    Bin(BinOp, Operand, Operand),
    /// `op x y`: both operands of the same type; the result is a `bool`.
    Cmp(CmpOp, Operand, Operand),
    /// `conv t x`: of the primitive type `t`. Integers modulo its range, to an unsigned type by way of the unsigned
    /// type of the same width; floats towards zero modulo 2^64, with 0 for infinities and NaN.
    Conv(Prim, Operand),
    /// `fn x …`: a function of floats or integers, see [`MathFn`].
    Math(MathFn, Prim, Vec<Operand>),

    // Checks
    /// `assert c "…"`: stops the program with the message unless the `bool` is true; yields a certificate.
    Assert(Operand, Message),

    // Arrays
    /// `index a[i, …]`: scalar indices for the outermost dimensions, in bounds or vouched for; an element, or an alias
    /// of a row.
    Index(Name, Vec<Operand>),
    /// `slice a[s, …]`: one for each dimension; an alias with the dimensions that are not fixed.
    Slice(Name, Vec<DimSlice>),
    /// `update a[s, …] = v`: `a`, which is consumed, with the slice replaced by `v`, which has the slice's shape.
    Update(Name, Vec<DimSlice>, Operand),
    /// `array [x, …] : t`: elements of type `t`, all of the same shape; a new array of them.
    Array(Vec<Operand>, Type),
    /// `iota n : p`: the numbers from 0 to below `n` as values of the integer type `p`, each multiplied by the stride
    /// and added to the start.
    Iota {
        len: Operand,
        start: Operand,
        stride: Operand,
        prim: Prim,
    },
    /// `replicate [n, …] x`: a new array of these outer dimensions with `x` everywhere.
    Replicate(Vec<Operand>, Operand),
    /// `scratch [n, …] p`: a new array whose elements are not defined yet. Without dimensions, a scalar that nobody
    /// looks at: any value may take its place.
    Scratch(Vec<Operand>, Prim),
    /// `concat n (x, y, …)`: at least one array of the same row type; a new array of the sum of the outer sizes, which
    /// is the first operand.
    Concat(Operand, Vec<Name>),
    /// `rearrange (1, 0) a`: an alias with the dimensions permuted; the dimension at place `i` is the old one at
    /// `perm[i]`.
    Rearrange(Vec<usize>, Name),
    /// `reshape [n, …] a`: an alias with other dimensions of the same product.
    Reshape(Vec<Operand>, Name),
    /// `resize <c> [n, …] a`: an alias with dimensions that are equal to the old ones, as a certificate vouches.
    Resize(Vec<Operand>, Name),
    /// `copy a`: a new array with the same elements.
    Copy(Name),
    /// `flat a o [(n, s), …]`: an alias of a one-dimensional array: the element at `(i, …)` is at `o + i*s + …`.
    FlatIndex(Name, Operand, Vec<(Operand, Operand)>),
    /// `flat_update a o [s, …] = v`: `a`, which is consumed, with `v` written to such places.
    FlatUpdate(Name, Operand, Vec<Operand>, Name),

    // Control
    /// `if c then {…} else {…}`: both bodies yield values of the pattern's types.
    If(Operand, Body, Body),
    /// `match x case 0 {…} … else {…}`: the body of the first case that is equal to the integer operand.
    Match(Operand, Vec<(Scalar, Body)>, Body),
    /// `loop (p = x, …) for i < n {…}`: a parameter may be the size of others; one marked unique consumes its initial
    /// value. The body yields the next values of all parameters, which are also the results.
    Loop {
        params: Vec<(Param, Operand)>,
        form: LoopForm,
        body: Body,
    },
    /// `call f (x, …)`: arguments of the parameters' types, sizes included; the results of the function.
    Call(Symbol, Vec<Operand>),

    // Second-order operators
    Soac(Soac),

    // Later stages
    Par(Par),
    Mem(MemExp),
    /// `tunable name class default`: an `i64` that changes how a program runs, and not what it yields.
    Tunable(Tunable),

    // Derivatives, until they are expanded
    /// `jvp \… (x, …) (dx, …)`: the values of the function at the point, then its derivatives in the direction.
    Jvp(Lambda, Vec<Operand>, Vec<Operand>),
    /// `vjp \… (x, …) (dy, …)`: the values of the function at the point, then the derivatives to its parameters.
    Vjp(Lambda, Vec<Operand>, Vec<Operand>),

    // Debugging
    /// `trace "tag" x`: an alias of `x`; prints it.
    Trace(Symbol, Operand),
    /// `opaque x`: an alias of `x` about which nothing is known.
    Opaque(Operand),
}

impl Exp {
    /// See [`effects::is_view`](crate::effects::is_view).
    pub fn is_view(&self) -> bool {
        crate::effects::is_view(self)
    }

    /// Whether it can mean something which part of an expression runs in parallel: because it, or what is in it, could.
    pub fn may_run_in_parallel(&self) -> bool {
        matches!(self, Exp::Soac(_) | Exp::Par(_) | Exp::Loop { .. } | Exp::If(..) | Exp::Match(..) | Exp::Call(..))
    }
}

/// A number that is set when the program runs. The same name is the same number everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tunable {
    pub name: Symbol,
    pub class: TunableClass,
    pub default: i64,
}

impl Tunable {
    /// The bytes of on-chip memory that a block may have.
    pub fn shared_memory() -> Tunable {
        Tunable { name: Symbol::intern("shared_memory"), class: TunableClass::Shared, default: 40 * 1024 }
    }
}

/// What a tunable is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TunableClass {
    /// A size from which on another version of a nest is better.
    Threshold,
    /// The bytes of on-chip memory that a block may have. Unless somebody sets it, the device says how many, and the
    /// default is for those that do not.
    Shared,
}

impl TunableClass {
    pub const ALL: [TunableClass; 2] = [TunableClass::Threshold, TunableClass::Shared];

    pub fn name(self) -> &'static str {
        match self {
            TunableClass::Threshold => "threshold",
            TunableClass::Shared => "shared_memory",
        }
    }
}

/// The text of a run-time error, with values in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub kind: CheckKind,
    pub parts: Vec<MessagePart>,
}

impl Message {
    /// The message of a check of the program.
    pub fn new(parts: Vec<MessagePart>) -> Message {
        Message { kind: CheckKind::Program, parts }
    }
}

/// The meaning of a failed check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckKind {
    /// The program did something wrong.
    Program,
    /// A part of the program that is not written yet was reached.
    Hole,
    /// The sizes of an entry point's arguments do not agree with each other: the message begins with [`BAD_ARGUMENTS`].
    Arguments,
}

impl CheckKind {
    /// The words that the text form has in front of the message, for each kind but the first.
    pub const WORDS: &[(CheckKind, &str)] = &[(CheckKind::Hole, "hole"), (CheckKind::Arguments, "arguments")];
}

/// How the message of a check of arguments begins; all that is left of its kind in generated C.
pub const BAD_ARGUMENTS: &str = "Entry point arguments have invalid sizes";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessagePart {
    Text(String),
    Value(Operand),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DimSlice {
    Fix(Operand),
    /// `start`, how many, and the distance from one to the next, all `i64`.
    Range {
        start: Operand,
        len: Operand,
        stride: Operand,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum LoopForm {
    /// `for i < n`: from 0; `i` has the integer type of `n`.
    For(Name, Prim, Operand),
    /// `while c`: as long as the parameter, a `bool`, is true.
    While(Name),
}

/// A function that stands for itself: no free type, but free variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Lambda {
    pub params: Vec<Param>,
    pub body: Body,
    /// The types of the results, in terms of the parameters and free variables.
    pub ret: Vec<Type>,
}

impl Lambda {
    /// Whether it is an operator that the hardware has, for each of its results, so that the order of its operands does
    /// not matter.
    pub fn is_built_in(&self) -> bool {
        self.built_in().is_some()
    }

    /// These operators with the types of their operands.
    pub fn built_in(&self) -> Option<Vec<(BinOp, Prim)>> {
        let n = self.body.results.len();
        if self.params.len() != 2 * n || self.body.stms.len() != n {
            return None;
        }
        let operator = |(result, (a, b)): (&Operand, (&Param, &Param))| {
            self.body.stms.iter().find_map(|stm| {
                let ([param], Exp::Bin(bin, x, y)) = (&stm.pat[..], &stm.exp) else { return None };
                let Type::Prim(prim) = param.ty else { return None };
                let (x, y, a, b) = (*x, *y, Operand::Var(a.name), Operand::Var(b.name));
                let is_applied = ((x, y) == (a, b) || (x, y) == (b, a)) && *result == Operand::Var(param.name);
                (is_applied && bin.commutes()).then_some((*bin, prim))
            })
        };
        self.body.results.iter().zip(self.params.iter().zip(&self.params[n..])).map(operator).collect()
    }
}

/// Operators with functions, over arrays of the same outer size.
#[derive(Clone, Debug, PartialEq)]
pub enum Soac {
    /// `screma n (a, …) map \… scan (neutral, …) \… reduce (neutral, …) \…`, or `map n (a, …) \…` without scans and
    /// reductions, or `scan n (a, …) (neutral, …) \…` and the like for one of the arrays as they are: the function is
    /// mapped over the arrays. Its first results go through the scans, the next ones through the reductions, the rest
    /// are collected. Results: arrays of the scans, scalars or arrays of the reductions, arrays of the rest.
    ///
    /// `… post \…` at the end: a second function takes for each element what the scans have made of it and then the
    /// rest, and its results are collected instead. Results: those of the reductions, then arrays of what it yields.
    Screma {
        width: Operand,
        arrays: Vec<Name>,
        map: Lambda,
        scans: Vec<Scan>,
        reduces: Vec<Reduce>,
        post: Option<Lambda>,
    },
    /// `filter n (a, …) \…`: the rows for which the function yields true, or, where it yields other values after that,
    /// these values. Results: how many, then the arrays.
    Filter { width: Operand, arrays: Vec<Name>, pred: Lambda },
    /// `scatter n (a, …) \… into (d rank r, …)`: the function yields for each destination as many indices as it has
    /// dimensions in `rank`, all destinations together, then one value for each. Values at indices out of range are
    /// left out. The destinations are consumed.
    Scatter { width: Operand, arrays: Vec<Name>, map: Lambda, dests: Vec<ScatterDest> },
    /// `hist n (a, …) \… into (d, …) rank r (neutral, …) \… …`: the function yields for each operator its indices, all
    /// operators together, then its values. Values at indices out of range are left out. The destinations are consumed.
    Hist { width: Operand, arrays: Vec<Name>, map: Lambda, ops: Vec<HistOp> },
    /// `with_acc ([n, …] (d, …) (neutral, …) \…) … \(token, …, acc, …) -> …`: the function gets a token, which is a
    /// `cert`, and an accumulator for each input and yields the accumulators first. Results: the arrays of the inputs,
    /// which are consumed, then the function's other results.
    WithAcc { inputs: Vec<AccInput>, body: Lambda },
    /// `update_acc acc (i, …) (v, …)`: the accumulator, which is consumed, after an update.
    UpdateAcc { acc: Name, index: Vec<Operand>, values: Vec<Operand> },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    pub op: Lambda,
    pub neutral: Vec<Operand>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Reduce {
    pub op: Lambda,
    pub neutral: Vec<Operand>,
    pub commutative: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ScatterDest {
    pub array: Name,
    /// The number of outer dimensions that are indexed.
    pub rank: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct HistOp {
    /// Arrays of the same outer shape.
    pub dests: Vec<Name>,
    /// The number of outer dimensions that are indexed.
    pub rank: usize,
    pub op: Lambda,
    pub neutral: Vec<Operand>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AccInput {
    pub shape: Vec<Operand>,
    pub dests: Vec<Name>,
    /// How values at the same place combine; without it the last one stays.
    pub op: Option<(Lambda, Vec<Operand>)>,
}
