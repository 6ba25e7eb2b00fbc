//! The parallel stage: `par`, the one operator over an iteration space.

use crate::exp::Lambda;
use crate::name::Name;
use crate::plan::Plan;
use crate::prog::{Body, Operand, Param};
use std::fmt;

/// `par LEVEL (i < n, …) plan […] scan (neutral, …) \… reduce (neutral, …) \… forms {body} post (x, …) {body}`
///
/// The body runs once for each point of the space, whose indices are of type `i64`. It yields, in this order, the
/// operands of the operators and then, unless there is a `post`, what the forms need. When there are scans, the body of
/// `post` runs for each point after it; it sees the names of the first body and, as its parameters, what the scans have
/// made of the point; what it yields is what the forms need. Results: those of the reductions, then those of the forms.
///
/// Operators are over scalars; a reduction with a vector shape is over arrays of that shape, element by element. A
/// space with scans has one dimension, and scans go along it.
#[derive(Clone, Debug, PartialEq)]
pub struct Par {
    /// Who runs the iterations; one thread, one after the other, when there is none.
    pub level: Option<Level>,
    /// The outermost dimension first.
    pub space: Vec<(Name, Operand)>,
    /// How it becomes loops, in the memory stage; it means nothing.
    pub plan: Plan,
    /// Scans before reductions.
    pub ops: Vec<ParOp>,
    pub body: Body,
    pub post: Option<Post>,
    pub forms: Vec<Form>,
}

/// What runs after the scans, see [`Par`].
#[derive(Clone, Debug, PartialEq)]
pub struct Post {
    pub params: Vec<Param>,
    pub body: Body,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ParOp {
    pub kind: OpKind,
    pub lambda: Lambda,
    pub neutral: Vec<Operand>,
    /// Empty for an operator over the values themselves.
    pub shape: Vec<Operand>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    Scan,
    Reduce { commutative: bool },
}

/// What becomes of the values that the iterations yield.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// `own`: one value per point. The result is an array of the space's dimensions, then the value's.
    Own,
    /// `tile [t, …]`: an array with these outer dimensions, as many as the space has. The dimensions of the result are
    /// those of the space times those of the tile, then the rest of the value's.
    Tile(Vec<Operand>),
    /// `write d rank r`: `r` indices and a value, which is written to the destination unless an index is out of range.
    /// The destination is consumed.
    Write { dest: Name, rank: usize },
    /// `acc (d, …) rank r (neutral, …) \…`: `r` indices and a value for each destination, which are combined with what
    /// is there, rows element by element, unless an index is out of range. The destinations, all of the same shape, are
    /// consumed. Yields all of them.
    Acc { dests: Vec<Name>, rank: usize, op: Lambda, neutral: Vec<Operand> },
}

/// Who runs the iterations of a `par`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The cores of the CPU.
    Core,
    /// The lanes of a vector unit, or an access of this width on a GPU; a width of 0 leaves it to the compiler.
    Simd(u32),
    /// All threads of a device.
    Grid,
    /// The thread blocks of a device.
    Block,
    /// The threads of one block.
    Lane,
}

impl Par {
    /// How many values the body yields for the operators.
    pub fn operands(&self) -> usize {
        self.ops.iter().map(|op| op.neutral.len()).sum()
    }

    pub fn scans(&self) -> impl Iterator<Item = &ParOp> {
        self.ops.iter().filter(|op| op.kind == OpKind::Scan)
    }

    pub fn reduces(&self) -> impl Iterator<Item = &ParOp> {
        self.ops.iter().filter(|op| op.kind != OpKind::Scan)
    }

    /// How many results there are of reductions, which come first.
    pub fn reduced(&self) -> usize {
        self.reduces().map(|op| op.neutral.len()).sum()
    }

    /// Whether the iterations may run in any order.
    pub fn any_order(&self) -> bool {
        self.ops.is_empty() && self.forms.iter().all(|form| matches!(form, Form::Own))
    }

    /// The body that yields what the forms need, and where in its results that begins.
    pub fn yields(&self) -> (&Body, usize) {
        match &self.post {
            Some(post) => (&post.body, 0),
            None => (&self.body, self.operands()),
        }
    }
}

impl Form {
    /// How many values an iteration yields for it.
    pub fn operands(&self) -> usize {
        match self {
            Form::Own | Form::Tile(_) => 1,
            Form::Write { rank, .. } => rank + 1,
            Form::Acc { dests, rank, .. } => rank + dests.len(),
        }
    }

    /// The arrays that it changes.
    pub fn dests(&self) -> &[Name] {
        match self {
            Form::Own | Form::Tile(_) => &[],
            Form::Write { dest, .. } => std::slice::from_ref(dest),
            Form::Acc { dests, .. } => dests,
        }
    }

    /// How many results it has.
    pub fn results(&self) -> usize {
        match self {
            Form::Own | Form::Tile(_) | Form::Write { .. } => 1,
            Form::Acc { dests, .. } => dests.len(),
        }
    }
}

impl Level {
    /// Whether a level may stand in another one, or in host code.
    pub fn may_stand_in(self, around: Option<Level>) -> bool {
        match self {
            Level::Core => matches!(around, None | Some(Level::Core)),
            Level::Grid | Level::Block => around.is_none(),
            Level::Simd(_) => matches!(around, None | Some(Level::Core | Level::Grid | Level::Lane)),
            Level::Lane => matches!(around, Some(Level::Block)),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Level::Core => f.write_str("core"),
            Level::Simd(0) => f.write_str("simd"),
            Level::Simd(width) => write!(f, "simd {width}"),
            Level::Grid => f.write_str("grid"),
            Level::Block => f.write_str("block"),
            Level::Lane => f.write_str("lane"),
        }
    }
}
