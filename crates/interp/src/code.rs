//! The instructions that a program is compiled to.
//!
//! The language has no recursion, so every variable has one register or slot for the whole run: scalars and
//! certificates live in registers of 64 bits, arrays in slots. Constants have registers of their own. Second-order
//! operators are loops of instructions; the arrays they produce grow in *builders*, which nothing else can see. Jumps
//! are relative to the instruction after the jump.

use crate::array::Cell;
use crate::error::Kind;
use crate::scalar::{Fn1, Fn2, Fn3};
use crate::vector::VectorCode;
use kenaz_base::{Prim, Symbol};
use kenaz_ir::{Entry, LocId, Locs, Param};
use rustc_hash::FxHashMap;

/// The number of a register.
pub(crate) type Reg = u32;
/// The number of a slot for an array.
pub(crate) type Slot = u32;
/// The number of a builder.
pub(crate) type Builder = u32;

/// Where a value lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    Reg(Reg),
    Slot(Slot),
    /// Accumulators are found by their token.
    Nowhere,
}

/// Sixteen bytes each. `d` is where the result goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Inst {
    Move {
        d: Reg,
        a: Reg,
    },

    // The operations that programs use most; the others are in tables of functions. Registers extend their values, so
    // one comparison serves integers of all widths.
    AddI64 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    SubI64 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    MulI64 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    AddI32 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    SubI32 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    MulI32 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    AddF32 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    SubF32 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    MulF32 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    DivF32 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    AddF64 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    SubF64 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    MulF64 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    DivF64 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    And {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Or {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Xor {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// Of a boolean.
    Not {
        d: Reg,
        a: Reg,
    },
    EqInt {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    NeInt {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    LtSigned {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    LeSigned {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    LtUnsigned {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    LeUnsigned {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    LtF32 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    LeF32 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    LtF64 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    LeF64 {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    One {
        f: u16,
        d: Reg,
        a: Reg,
    },
    Two {
        f: u16,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Three {
        id: u32,
    },

    Jump {
        to: i32,
    },
    /// To an earlier place.
    Back {
        to: i32,
    },
    Unless {
        a: Reg,
        to: i32,
    },
    /// Jumps if the registers are equal.
    Equal {
        a: Reg,
        b: Reg,
        to: i32,
    },
    /// Jumps unless `a < b`, as signed numbers.
    UnlessLess {
        a: Reg,
        b: Reg,
        to: i32,
    },
    UnlessLessUnsigned {
        a: Reg,
        b: Reg,
        to: i32,
    },
    /// Counts `i` up and jumps if it is below `n` then.
    Next {
        i: Reg,
        n: Reg,
        to: i32,
    },
    NextUnsigned {
        i: Reg,
        n: Reg,
        to: i32,
    },
    /// Runs what it can of the loop that follows, by steps.
    Vector {
        id: u32,
        i: Reg,
        n: Reg,
    },
    Call {
        to: u32,
    },
    Return,
    Assert {
        a: Reg,
        message: u32,
    },
    Limitation,
    Count {
        label: u32,
    },

    /// An element of a one-dimensional array.
    Load {
        cell: Cell,
        d: Reg,
        a: Slot,
        i: Reg,
    },
    /// An element of an array with `n` dimensions, whose indices are in the registers that the pool has from `at` on.
    LoadMany {
        cell: Cell,
        n: u8,
        d: Reg,
        a: Slot,
        at: u32,
    },
    /// A row of an array, by the outermost index.
    Row {
        d: Slot,
        a: Slot,
        i: Reg,
    },
    /// Writes an element of an array.
    Store {
        cell: Cell,
        a: Slot,
        i: Reg,
        x: Reg,
    },
    StoreMany {
        cell: Cell,
        n: u8,
        a: Slot,
        at: u32,
        x: Reg,
    },
    /// Writes an element of a one-dimensional array, unless the index is out of bounds.
    Scatter {
        cell: Cell,
        a: Slot,
        i: Reg,
        x: Reg,
    },
    /// Writes an element into a builder.
    Put {
        cell: Cell,
        out: Builder,
        i: Reg,
        x: Reg,
    },
    /// Writes an array into a builder, as row `i`.
    PutRow {
        cell: Cell,
        out: Builder,
        i: Reg,
        a: Slot,
    },
    /// An alias.
    Alias {
        d: Slot,
        a: Slot,
    },
    /// Moves an array, leaving nothing behind.
    Take {
        d: Slot,
        a: Slot,
    },
    /// Gives up an array.
    Kill {
        a: Slot,
    },
    Array {
        id: u32,
    },
}

/// Operations that take longer, so that one more indirection does not matter.
#[derive(Clone, Debug)]
pub(crate) enum ArrayOp {
    Rows {
        d: Slot,
        a: Slot,
        indices: Vec<Reg>,
    },
    Slice {
        d: Slot,
        a: Slot,
        dims: Vec<DimCode>,
    },
    /// In place: `a` holds the array and its result.
    Update {
        a: Slot,
        dims: Vec<DimCode>,
        value: Place,
        cell: Cell,
    },
    Literal {
        d: Slot,
        elements: Vec<Place>,
        row: Vec<Reg>,
        cell: Cell,
    },
    Iota {
        d: Slot,
        len: Reg,
        start: Reg,
        stride: Reg,
        prim: Prim,
    },
    Replicate {
        d: Slot,
        dims: Vec<Reg>,
        value: Place,
        cell: Cell,
    },
    Scratch {
        d: Slot,
        dims: Vec<Reg>,
        cell: Cell,
    },
    Concat {
        d: Slot,
        arrays: Vec<Slot>,
        cell: Cell,
    },
    Rearrange {
        d: Slot,
        a: Slot,
        perm: Vec<usize>,
    },
    Reshape {
        d: Slot,
        a: Slot,
        dims: Vec<Reg>,
        cell: Cell,
    },
    Copy {
        d: Slot,
        a: Slot,
        cell: Cell,
    },
    Flat {
        d: Slot,
        a: Slot,
        offset: Reg,
        dims: Vec<(Reg, Reg)>,
    },
    FlatUpdate {
        a: Slot,
        offset: Reg,
        strides: Vec<Reg>,
        value: Slot,
        cell: Cell,
    },

    /// Starts a builder for an array of this shape.
    Build {
        out: Builder,
        shape: Vec<Reg>,
        cell: Cell,
    },
    /// Turns a builder into an array of this shape, which may be smaller.
    Built {
        d: Slot,
        out: Builder,
        shape: Vec<Reg>,
        cell: Cell,
    },
    /// Writes a value at indices for the outer dimensions, unless they are out of bounds.
    ScatterMany {
        a: Slot,
        indices: Vec<Reg>,
        value: Place,
        cell: Cell,
    },
    /// Whether the indices are in bounds.
    InBounds {
        d: Reg,
        a: Slot,
        indices: Vec<Reg>,
    },
    /// A copy of what is at the indices.
    CopyRow {
        d: Slot,
        a: Slot,
        indices: Vec<Reg>,
        cell: Cell,
    },

    /// Starts an accumulator. The operator, if any, is a routine that starts so many instructions further.
    AccBegin {
        token: Reg,
        shape: Vec<Reg>,
        dests: Vec<(Slot, Cell)>,
        op: Option<AccRoutine>,
    },
    /// Ends the newest accumulators.
    AccEnd {
        dests: Vec<Vec<Slot>>,
    },
    AccUpdate {
        token: Reg,
        indices: Vec<Reg>,
        values: Vec<Place>,
    },
    /// At the end of an operator's routine: writes these values to the place that is being updated.
    AccStore {
        values: Vec<Place>,
    },

    Trace {
        tag: String,
        value: Place,
        prim: Prim,
    },
}

/// Where the operator of an accumulator takes its operands.
#[derive(Clone, Debug)]
pub(crate) struct AccRoutine {
    pub skip: u32,
    pub indices: Vec<Place>,
    pub old: Vec<Place>,
    pub new: Vec<Place>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum DimCode {
    Fix(Reg),
    Range { start: Reg, len: Reg, stride: Reg },
}

#[derive(Clone, Debug)]
pub(crate) enum TextPart {
    Text(String),
    Value(Reg, Prim),
}

#[derive(Clone, Debug)]
pub(crate) struct MessageCode {
    pub parts: Vec<TextPart>,
    /// What it means that this check fails.
    pub kind: Kind,
}

/// A call of a function with three parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreeCode {
    pub f: Fn3,
    pub d: Reg,
    pub args: [Reg; 3],
}

/// A function: where it starts, where it takes its arguments and leaves its results.
#[derive(Clone, Debug)]
pub(crate) struct Routine {
    pub start: u32,
    pub params: Vec<Place>,
    pub results: Vec<Place>,
    pub signature: Signature,
}

/// What is known of a function from outside.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub name: Symbol,
    pub entry: Option<Entry>,
    pub params: Vec<Param>,
    pub results: Vec<Param>,
}

/// A program, ready to run.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub(crate) code: Vec<Inst>,
    /// The source position of each instruction.
    pub(crate) places: Vec<LocId>,
    pub(crate) ones: Vec<Fn1>,
    pub(crate) twos: Vec<Fn2>,
    pub(crate) threes: Vec<ThreeCode>,
    pub(crate) pool: Vec<Reg>,
    pub(crate) ops: Vec<ArrayOp>,
    pub(crate) vectors: Vec<VectorCode>,
    pub(crate) messages: Vec<MessageCode>,
    pub(crate) labels: Vec<String>,
    /// The registers at the start: constants, and zeros.
    pub(crate) registers: Vec<u64>,
    pub(crate) slots: u32,
    pub(crate) builders: u32,
    pub(crate) routines: Vec<Routine>,
    pub(crate) by_name: FxHashMap<Symbol, usize>,
    pub(crate) locs: Locs,
}
