//! Where results lie, and what is consumed.

use crate::exp::{AccInput, Exp, Lambda, Soac};
use crate::name::Name;
use crate::par::{Form, Par};
use crate::prog::{Body, Operand, Param};
use kenaz_base::Symbol;

/// Where the results of an expression lie that are arrays or accumulators; what is said about scalars does not matter.
#[derive(Debug)]
pub enum Memory<'a> {
    /// All in new memory.
    New,
    /// The one result in the memory of this operand.
    Of(Operand, How),
    /// For each result the operand that is consumed for it, in whose memory it is made; new memory where there is none.
    /// Since nobody else has that memory any more, such a result is as good as new to those who come after.
    Over(Vec<Option<Name>>),
    /// Each where one of these bodies, which run at most once, yields it.
    Branches(Vec<&'a Body>),
    /// Each where the initial value of its parameter lies, or what the body yields for the next one. That of a unique
    /// parameter lies over its initial value.
    Loop(&'a [(Param, Operand)], &'a Body),
    /// Unique results of the function are new. The others may lie in each other and in the arguments that are not
    /// consumed.
    Call(Symbol, &'a [Operand]),
    /// First a result over each destination, then what the body, which runs once, yields besides the accumulators.
    Acc(&'a [AccInput], &'a Lambda),
    /// Each may lie in any of these operands, or where the function yields something from outside.
    Any(&'a Lambda, [&'a [Operand]; 2]),
}

/// How a result relates to the operand in whose memory it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// It is the same array.
    Same,
    /// It shows elements of it, perhaps in another order.
    View,
}

pub fn memory(exp: &Exp) -> Memory<'_> {
    match exp {
        Exp::Operand(x) | Exp::Trace(_, x) | Exp::Opaque(x) => Memory::Of(*x, How::Same),
        Exp::Index(a, _)
        | Exp::Slice(a, _)
        | Exp::Rearrange(_, a)
        | Exp::Reshape(_, a)
        | Exp::Resize(_, a)
        | Exp::FlatIndex(a, ..) => Memory::Of((*a).into(), How::View),
        Exp::Update(a, ..) | Exp::FlatUpdate(a, ..) => Memory::Over(vec![Some(*a)]),
        Exp::If(_, yes, no) => Memory::Branches(vec![yes, no]),
        Exp::Match(_, cases, default) => {
            Memory::Branches(cases.iter().map(|(_, body)| body).chain([default]).collect())
        }
        Exp::Loop { params, form: _, body } => Memory::Loop(params, body),
        Exp::Call(f, args) => Memory::Call(*f, args),
        Exp::Soac(soac) => match soac {
            Soac::Screma { .. } | Soac::Filter { .. } => Memory::New,
            Soac::Scatter { dests, .. } => Memory::Over(dests.iter().map(|dest| Some(dest.array)).collect()),
            Soac::Hist { ops, .. } => {
                Memory::Over(ops.iter().flat_map(|op| op.dests.iter().copied().map(Some)).collect())
            }
            Soac::WithAcc { inputs, body } => Memory::Acc(inputs, body),
            Soac::UpdateAcc { acc, .. } => Memory::Over(vec![Some(*acc)]),
        },
        Exp::Par(par) => Memory::Over(of_par(par)),
        Exp::Jvp(f, at, direction) | Exp::Vjp(f, at, direction) => Memory::Any(f, [at, direction]),
        Exp::Mem(_)
        | Exp::Un(..)
        | Exp::Bin(..)
        | Exp::Cmp(..)
        | Exp::Conv(..)
        | Exp::Math(..)
        | Exp::Assert(..)
        | Exp::Array(..)
        | Exp::Tunable(_)
        | Exp::Iota { .. }
        | Exp::Replicate(..)
        | Exp::Scratch(..)
        | Exp::Concat(..)
        | Exp::Copy(_) => Memory::New,
    }
}

fn of_par(par: &Par) -> Vec<Option<Name>> {
    let mut over = vec![None; par.reduced()];
    for form in &par.forms {
        match form {
            Form::Own | Form::Tile(_) => over.push(None),
            Form::Write { dest, rank: _ } => over.push(Some(*dest)),
            Form::Acc { dests, .. } => over.extend(dests.iter().copied().map(Some)),
        }
    }
    over
}

/// The array that the result of an expression is, or is a view of.
pub fn viewed(exp: &Exp) -> Option<Name> {
    match memory(exp) {
        Memory::Of(x, How::Same | How::View) => x.name(),
        Memory::New
        | Memory::Over(_)
        | Memory::Branches(_)
        | Memory::Loop(..)
        | Memory::Call(..)
        | Memory::Acc(..)
        | Memory::Any(..) => None,
    }
}

/// The array or accumulator that is consumed for a result of an expression, in whose memory it is made.
pub fn over(exp: &Exp, result: usize) -> Option<Name> {
    match memory(exp) {
        Memory::Over(over) => over.get(result).copied().flatten(),
        Memory::Loop(params, _) => params.get(result).filter(|(p, _)| p.is_consumable()).and_then(|(_, x)| x.name()),
        Memory::Acc(inputs, _) => inputs.iter().flat_map(|input| &input.dests).nth(result).copied(),
        Memory::New | Memory::Of(..) | Memory::Branches(_) | Memory::Call(..) | Memory::Any(..) => None,
    }
}

/// The arrays of an operator and the function whose parameters are their rows, each a view of its array.
pub fn rows(exp: &Exp) -> Option<(&[Name], &Lambda)> {
    let Exp::Soac(soac) = exp else { return None };
    match soac {
        Soac::Screma { arrays, map, .. } | Soac::Scatter { arrays, map, .. } | Soac::Hist { arrays, map, .. } => {
            Some((arrays, map))
        }
        Soac::Filter { arrays, pred, .. } => Some((arrays, pred)),
        Soac::WithAcc { .. } | Soac::UpdateAcc { .. } => None,
    }
}

/// The names that an expression consumes, other than in its bodies. `takes` says whether a function consumes an
/// argument.
pub fn consumed(exp: &Exp, takes: impl Fn(Symbol, usize) -> bool) -> Vec<Name> {
    let (arrays, params) = rows(exp).map_or((&[][..], &[][..]), |(arrays, f)| (arrays, &f.params[..]));
    let mut consumed: Vec<Name> =
        arrays.iter().zip(params).filter(|(_, param)| param.is_consumable()).map(|(array, _)| *array).collect();
    match memory(exp) {
        Memory::Over(over) => consumed.extend(over.into_iter().flatten()),
        Memory::Loop(params, _) => {
            consumed.extend(params.iter().filter(|(p, _)| p.is_consumable()).filter_map(|(_, x)| x.name()));
        }
        Memory::Call(f, args) => {
            consumed.extend(args.iter().enumerate().filter(|(i, _)| takes(f, *i)).filter_map(|(_, x)| x.name()));
        }
        Memory::Acc(inputs, _) => consumed.extend(inputs.iter().flat_map(|input| &input.dests)),
        Memory::New | Memory::Of(..) | Memory::Branches(_) | Memory::Any(..) => {}
    }
    consumed
}
