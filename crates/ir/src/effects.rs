//! What each operator does besides computing its results: the one account of aliasing and purity.
//!
//! | operator | its arrays | consumes | fails | cost | also |
//! |---|---|---|---|---|---|
//! | `operand` | the same | | | free | |
//! | `un` | | | | instruction | |
//! | `bin` | | | integers divided or raised to a power: partial | instruction, division or function | |
//! | `cmp` | | | | instruction | |
//! | `conv` | | | | instruction | |
//! | `math` | | | | instruction, division or function | |
//! | `assert` | | | stops | instruction | |
//! | `index` | a view | | partial | free; one element: instruction | |
//! | `slice` | a view | | partial | free | |
//! | `update` | over its array | its array | partial | value | |
//! | `array` | new | | | elements | allocates |
//! | `iota` | new | | sizes | elements | allocates |
//! | `replicate` | new | | sizes | elements | allocates |
//! | `scratch` | new | | sizes | free | allocates, distinct |
//! | `concat` | new | | | elements | allocates |
//! | `rearrange` | a view | | | free | |
//! | `reshape` | a view | | partial | free | |
//! | `resize` | a view | | partial | free | |
//! | `copy` | new | | | elements | allocates |
//! | `flat` | a view | | partial | free | |
//! | `flat_update` | over its array | its array | partial | value | |
//! | `if` | of one body | | | body | |
//! | `match` | of one body | | | body | |
//! | `loop for` | initial or next | unique parameters | | loop | |
//! | `loop while` | initial or next | unique parameters | | loop | may not end |
//! | `call` | as the function says | as the function says | stops | call | worst case: prints, allocates, may not end |
//! | `screma` | new | unique parameters | sizes | loop | allocates |
//! | `filter` | new | unique parameters | sizes | loop | allocates |
//! | `scatter` | over its destinations | its destinations | sizes | loop | |
//! | `hist` | over its destinations | its destinations | sizes | loop | |
//! | `with_acc` | over its destinations, then of its body | its destinations | | body | |
//! | `update_acc` | over its accumulator | its accumulator | | value | |
//! | `par own` | new | | sizes | loop | allocates |
//! | `par tile` | new | | sizes | loop | allocates |
//! | `par write` | over its destination | its destination | sizes | loop | |
//! | `par acc` | over its destinations | its destinations | sizes | loop | |
//! | `alloc` | | | sizes | function | allocates, distinct |
//! | `free` | | | | function | frees |
//! | `share` | | | | instruction | distinct |
//! | `alloc_each` | | | sizes | function | allocates, distinct |
//! | `slot` | | | | instruction | distinct, opaque |
//! | `jvp` | anything | | | loop | allocates |
//! | `vjp` | anything | | | loop | allocates |
//! | `trace` | the same | | | value | prints |
//! | `opaque` | the same | | | free | opaque |
//!
//! A row leaves out the bodies and functions inside the operator: [`any`] looks at these too.
//!
//! - *Its arrays* say where results lie that are arrays or accumulators, see [`memory`]. Scalars lie nowhere.
//! - What is *consumed* must not be used afterwards, see [`consumed`].
//! - *Fails*: a *partial* operation has no meaning for some operands; a certificate, or the place where it stands,
//!   vouches that they do not occur. One with *sizes* has no meaning when one of [`sizes`] is negative. A check *stops*
//!   the program, and must go on doing so even if nobody needs its certificate.
//! - *Cost*: see [`Cost`].
//! - *Distinct*: evaluating it twice makes two things that must not become one. *Opaque*: no pass may look
//!   through it or move it.
//!
//! From these follows what a pass may do with a statement whose operands are not consumed anywhere (see
//! [`sharing`](crate::sharing)): [`Effects::may_drop`], [`Effects::may_repeat`], [`Effects::may_move`],
//! [`Effects::may_speculate`].

mod memory;

pub use memory::{How, Memory, consumed, memory, over, rows, viewed};

use crate::exp::{Exp, LoopForm, Soac};
use crate::mem::{MemExp, Slots};
use crate::op::{BinOp, MathFn};
use crate::par::{Form, Par};
use crate::prog::{Body, Operand, Param, Stm};
use crate::types::Type;
use crate::visit::{Visit, walk};
use kenaz_base::{Prim, with_stack};

/// What a statement does besides computing its results, apart from what the bodies in it do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effects {
    /// Whether it consumes an operand.
    pub consumes: bool,
    pub fails: Fails,
    /// Whether it ends for sure.
    pub ends: bool,
    /// Whether it writes to the log of the program, which has an order.
    pub prints: bool,
    /// Whether it gives up a block.
    pub frees: bool,
    /// Whether no pass may look through it or move it.
    pub opaque: bool,
    /// Whether evaluating it twice makes two things that must not become one.
    pub distinct: bool,
    /// Whether it makes an array, or a block.
    pub allocates: bool,
    pub cost: Cost,
}

/// Whether an operation can go wrong. Negative sizes are left out, see [`sizes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fails {
    Never,
    /// It has no meaning for some operands. A certificate, or its place, vouches that they do not occur.
    Partial,
    /// It may stop the program with a message.
    Stops,
}

/// How long an operation takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cost {
    /// Nothing is executed.
    Free,
    /// A few cheap instructions.
    Instruction,
    /// One slow instruction: a division, a root.
    Division,
    /// A function of a library, or a short loop.
    Function,
    /// An instruction for each element of an operand that is written or printed; often that is one.
    Value,
    /// What the bodies in it cost, at most once each.
    Body,
    /// An instruction for each element of the result.
    Elements,
    /// What the bodies in it cost, many times.
    Loop,
    /// The cost of the function that is called, which is not known here.
    Call,
}

impl Cost {
    /// Whether it is more than a few operations on scalars, besides bodies that run at most once.
    pub fn is_heavy(self) -> bool {
        match self {
            Cost::Free | Cost::Instruction | Cost::Division | Cost::Function | Cost::Value | Cost::Body => false,
            Cost::Elements | Cost::Loop | Cost::Call => true,
        }
    }

    /// Whether it takes the same time for operands of any size, and calls nothing.
    pub fn is_constant(self) -> bool {
        match self {
            Cost::Free | Cost::Instruction | Cost::Division | Cost::Function => true,
            Cost::Value | Cost::Body | Cost::Elements | Cost::Loop | Cost::Call => false,
        }
    }
}

impl Effects {
    const NONE: Effects = Effects {
        consumes: false,
        fails: Fails::Never,
        ends: true,
        prints: false,
        frees: false,
        opaque: false,
        distinct: false,
        allocates: false,
        cost: Cost::Free,
    };

    /// Whether nobody can tell that it is gone if its results are not used. A loop that does not end may go.
    pub fn may_drop(self) -> bool {
        self.fails != Fails::Stops && !self.prints && !self.frees
    }

    /// Whether evaluating it again, where it has been evaluated, gives the same and nobody can tell.
    pub fn may_repeat(self) -> bool {
        self.may_move() && !self.distinct
    }

    /// Whether it may be evaluated at another time, as often as before.
    pub fn may_move(self) -> bool {
        !self.consumes && !self.prints && !self.frees && !self.opaque
    }

    /// Whether it may be evaluated where it was not going to be.
    pub fn may_speculate(self) -> bool {
        self.may_move() && self.fails == Fails::Never && self.ends
    }

    /// Whether it is there for those who watch the program run: it prints, or hides its operand.
    pub fn is_watched(self) -> bool {
        self.prints || self.opaque
    }
}

/// The effects of a statement, apart from what is in its bodies.
pub fn of(stm: &Stm) -> Effects {
    of_exp(&stm.exp, &stm.pat)
}

/// Whether a statement computes scalars in a few instructions, perhaps by a branch, so that it may rather be repeated
/// than stand between two loops that could be one.
pub fn is_cheap_scalar(stm: &Stm) -> bool {
    /// As many statements as branches may have together.
    const FEW: usize = 8;
    fn cost_of(stm: &Stm) -> Option<usize> {
        let is_scalar = stm.pat.iter().all(|param| matches!(param.ty, Type::Prim(_) | Type::Cert));
        let is_single =
            || matches!(of(stm).cost, Cost::Free | Cost::Instruction | Cost::Division | Cost::Value).then_some(1);
        match &stm.exp {
            _ if !is_scalar => None,
            Exp::If(_, yes, no) => {
                let stms = yes.stms.iter().chain(&no.stms);
                stms.map(|stm| with_stack(|| cost_of(stm))).try_fold(1, |sum, cost| Some(sum + cost?))
            }
            _ => is_single(),
        }
    }
    cost_of(stm).is_some_and(|cost| cost <= FEW)
}

/// The effects of an expression that is bound to this pattern.
pub fn of_exp(exp: &Exp, pat: &[Param]) -> Effects {
    let prim = pat.first().and_then(|p| p.ty.prim());
    let yields_arrays = pat.iter().any(|p| p.ty.is_array());
    let costs = |cost: Cost| Effects { cost, ..Effects::NONE };
    let view = Effects { fails: Fails::Partial, ..Effects::NONE };
    let new = |cost: Cost| Effects { cost, allocates: true, ..Effects::NONE };
    match exp {
        Exp::Operand(_) | Exp::Rearrange(..) => Effects::NONE,
        Exp::Un(..) | Exp::Cmp(..) | Exp::Conv(..) => costs(Cost::Instruction),
        Exp::Bin(op, _, y) => {
            let fails = if is_total(*op, prim, *y) { Fails::Never } else { Fails::Partial };
            Effects { fails, ..costs(cost_of_bin(*op, prim)) }
        }
        Exp::Math(f, prim, _) => costs(cost_of_math(*f, *prim)),
        Exp::Assert(cond, _) => {
            let fails = if *cond == Operand::bool(true) { Fails::Never } else { Fails::Stops };
            Effects { fails, ..costs(Cost::Instruction) }
        }
        Exp::Index(..) => Effects { cost: if yields_arrays { Cost::Free } else { Cost::Instruction }, ..view },
        Exp::Slice(..) | Exp::Reshape(..) | Exp::Resize(..) | Exp::FlatIndex(..) => view,
        Exp::Update(..) | Exp::FlatUpdate(..) => {
            Effects { consumes: true, fails: Fails::Partial, ..costs(Cost::Value) }
        }
        Exp::Array(..) | Exp::Iota { .. } | Exp::Replicate(..) | Exp::Concat(..) | Exp::Copy(_) => new(Cost::Elements),
        Exp::Scratch(dims, _) if dims.is_empty() => Effects::NONE,
        Exp::Scratch(..) => Effects { distinct: true, ..new(Cost::Free) },
        Exp::If(..) | Exp::Match(..) => costs(Cost::Body),
        Exp::Loop { params, form, body: _ } => {
            let ends = match form {
                LoopForm::For(..) => true,
                LoopForm::While(_) => false,
            };
            let consumes = params.iter().any(|(p, _)| p.is_consumable());
            Effects { consumes, ends, ..costs(Cost::Loop) }
        }
        Exp::Call(..) => Effects { consumes: true, fails: Fails::Stops, ends: false, prints: true, ..new(Cost::Call) },
        Exp::Soac(soac) => of_soac(soac, pat),
        Exp::Par(par) => of_par(par, pat),
        Exp::Mem(mem) => match mem {
            MemExp::Alloc(..) | MemExp::AllocEach(_) => Effects { distinct: true, ..new(Cost::Function) },
            MemExp::Free(_) => Effects { frees: true, ..costs(Cost::Function) },
            MemExp::Share(_) => Effects { distinct: true, ..costs(Cost::Instruction) },
            // Whose part it is depends on where it stands.
            MemExp::Slot(_) => Effects { distinct: true, opaque: true, ..costs(Cost::Instruction) },
        },
        Exp::Jvp(..) | Exp::Vjp(..) => Effects { allocates: yields_arrays, ..costs(Cost::Loop) },
        Exp::Trace(..) => Effects { prints: true, ..costs(Cost::Value) },
        Exp::Opaque(_) => Effects { opaque: true, ..Effects::NONE },
        Exp::Tunable(_) => costs(Cost::Instruction),
    }
}

fn of_soac(soac: &Soac, pat: &[Param]) -> Effects {
    let operator = Effects { cost: Cost::Loop, ..Effects::NONE };
    let allocates = pat.iter().any(|p| p.ty.is_array());
    match soac {
        Soac::Screma { map: f, .. } | Soac::Filter { pred: f, .. } => {
            Effects { consumes: f.params.iter().any(Param::is_consumable), allocates, ..operator }
        }
        Soac::Scatter { .. } | Soac::Hist { .. } => Effects { consumes: true, ..operator },
        Soac::WithAcc { .. } => Effects { consumes: true, cost: Cost::Body, ..Effects::NONE },
        Soac::UpdateAcc { .. } => Effects { consumes: true, cost: Cost::Value, ..Effects::NONE },
    }
}

fn of_par(par: &Par, pat: &[Param]) -> Effects {
    let (mut consumes, mut allocates) = (false, pat.iter().take(par.reduced()).any(|p| p.ty.is_array()));
    for form in &par.forms {
        match form {
            Form::Own | Form::Tile(_) => allocates = true,
            Form::Write { .. } | Form::Acc { .. } => consumes = true,
        }
    }
    Effects { consumes, allocates, cost: Cost::Loop, ..Effects::NONE }
}

/// How long a binary operation takes on operands of this type, which may not be known.
pub fn cost_of_bin(op: BinOp, prim: Option<Prim>) -> Cost {
    match op {
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Min
        | BinOp::Max
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::Shr => Cost::Instruction,
        BinOp::Div | BinOp::Quot | BinOp::Rem => Cost::Division,
        BinOp::Mod if prim.is_some_and(Prim::is_float) => Cost::Function,
        BinOp::Mod => Cost::Division,
        BinOp::Pow => Cost::Function,
    }
}

/// How long a function of mathematics takes on operands of this type.
pub fn cost_of_math(f: MathFn, prim: Prim) -> Cost {
    match f {
        MathFn::Sqrt | MathFn::Rsqrt => Cost::Division,
        f if f.is_instruction(prim) => Cost::Instruction,
        _ => Cost::Function,
    }
}

/// Whether a binary operation has a meaning for every first operand, given the second. A type that is not known may be
/// one of integers. Dividing the smallest number by -1 is no exception: it wraps around.
pub fn is_total(op: BinOp, prim: Option<Prim>, y: Operand) -> bool {
    let prim = match y {
        Operand::Const(c) => Some(c.prim()),
        Operand::Var(_) => prim,
    };
    if prim.is_some_and(|p| !p.is_integer()) {
        return true;
    }
    match op {
        BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem => matches!(y, Operand::Const(c) if c.bits() != 0),
        BinOp::Pow => {
            // The bits of a signed number are extended by its sign.
            prim.is_some_and(|p| !p.is_signed()) || matches!(y, Operand::Const(c) if c.bits().cast_signed() >= 0)
        }
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Min
        | BinOp::Max
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::Shr => true,
    }
}

/// The sizes that must not be negative, and for which no array among the operands vouches.
pub fn sizes(exp: &Exp) -> Vec<Operand> {
    match exp {
        Exp::Iota { len, .. } => vec![*len],
        Exp::Replicate(dims, _) | Exp::Scratch(dims, _) => dims.clone(),
        Exp::Soac(
            Soac::Screma { width, arrays, .. }
            | Soac::Filter { width, arrays, .. }
            | Soac::Scatter { width, arrays, .. }
            | Soac::Hist { width, arrays, .. },
        ) if arrays.is_empty() => vec![*width],
        Exp::Par(par) => par.space.iter().map(|(_, n)| *n).collect(),
        Exp::Mem(MemExp::Alloc(_, bytes) | MemExp::AllocEach(Slots { bytes, .. })) => vec![*bytes],
        Exp::Operand(_)
        | Exp::Un(..)
        | Exp::Bin(..)
        | Exp::Cmp(..)
        | Exp::Conv(..)
        | Exp::Math(..)
        | Exp::Assert(..)
        | Exp::Index(..)
        | Exp::Slice(..)
        | Exp::Update(..)
        | Exp::Array(..)
        | Exp::Concat(..)
        | Exp::Rearrange(..)
        | Exp::Reshape(..)
        | Exp::Resize(..)
        | Exp::Copy(_)
        | Exp::FlatIndex(..)
        | Exp::FlatUpdate(..)
        | Exp::If(..)
        | Exp::Match(..)
        | Exp::Loop { .. }
        | Exp::Call(..)
        | Exp::Soac(_)
        | Exp::Mem(_)
        | Exp::Jvp(..)
        | Exp::Vjp(..)
        | Exp::Trace(..)
        | Exp::Opaque(_)
        | Exp::Tunable(_) => Vec::new(),
    }
}

/// Whether an expression computes one scalar from scalars.
pub fn is_arithmetic(exp: &Exp) -> bool {
    matches!(exp, Exp::Un(..) | Exp::Bin(..) | Exp::Cmp(..) | Exp::Conv(..) | Exp::Math(..))
}

/// Whether an expression is an operand as it is, or computes one scalar from scalars without a function of mathematics.
pub fn is_simple(exp: &Exp) -> bool {
    matches!(exp, Exp::Operand(_) | Exp::Un(..) | Exp::Bin(..) | Exp::Cmp(..) | Exp::Conv(..))
}

/// Whether an array that an expression yields is one that is there already, seen in another way, and nothing else
/// happens.
pub fn is_view(exp: &Exp) -> bool {
    matches!(memory(exp), Memory::Of(..)) && !matches!(exp, Exp::Trace(..))
}

/// Whether something holds for a statement of a body, or for one in the bodies inside it.
pub fn any(body: &Body, holds: impl FnMut(&Stm) -> bool) -> bool {
    let mut any = Any { holds, found: false };
    any.body(body);
    any.found
}

/// Whether something holds for a statement in the bodies inside an expression.
pub fn any_inside(exp: &Exp, holds: impl FnMut(&Stm) -> bool) -> bool {
    let mut any = Any { holds, found: false };
    any.exp(exp);
    any.found
}

struct Any<F> {
    holds: F,
    found: bool,
}

impl<F: FnMut(&Stm) -> bool> Visit for Any<F> {
    fn stm(&mut self, stm: &Stm) {
        self.found = self.found || (self.holds)(stm);
        if !self.found {
            walk::stm(self, stm);
        }
    }
}

#[cfg(test)]
mod tests;
