//! The intermediate representation, one set of types for all stages.
//!
//! A program is a list of first-order, monomorphic functions. A body is a sequence of statements in A-normal form;
//! every name is bound once in the whole program. Every array type carries its sizes. What may occur at which stage is
//! said by the checkers.
//!
//! Start with [`prog`] for statements and bodies, [`exp`] for what they compute, [`types`] and [`value`] for the rest;
//! [`entry`] is how the outside sees a program.
//! The text form is described at [`print`](mod@print) and read by [`parse`]; [`builder`] makes programs, [`visit`]
//! walks through them, [`check`] says what holds of every program, [`facts`] what holds at a statement, and
//! [`metrics`] counts operators. [`mod@pass`], [`sharing`] and [`alias`] are for those who change programs; what they
//! know of each operator, as the checker does, is the table of [`effects`].

pub mod alias;
pub mod builder;
pub mod check;
pub mod decision;
pub mod effects;
pub mod entry;
pub mod erase;
pub mod exp;
pub mod facts;
pub mod infer;
pub mod layout;
pub mod mem;
pub mod metrics;
pub mod name;
pub mod op;
pub mod par;
pub mod parse;
pub mod pass;
pub mod plan;
pub mod poly;
pub mod print;
pub mod prog;
pub mod scope;
pub mod sharing;
pub mod target;
pub mod types;
pub mod unique;
pub mod value;
pub mod visit;

pub use builder::Builder;
pub use check::{CheckError, Ownership, Stage};
pub use decision::{Decision, DecisionKind};
pub use entry::{
    Entry, EntryArray, EntryField, EntryKind, EntryParam, EntrySum, EntryType, EntryVariant, Part, Signature,
};
pub use erase::erase;
pub use exp::{
    AccInput, CheckKind, DimSlice, Exp, HistOp, Lambda, LoopForm, Message, MessagePart, Reduce, Scan, ScatterDest,
    Soac, Tunable, TunableClass,
};
pub use kenaz_base::Attr;
pub use layout::Layout;
pub use mem::{MemExp, Place, Slots, Space};
pub use name::{Fresh, Name};
pub use op::{BinOp, CmpOp, MathFn, UnOp};
pub use par::{Form, Level, OpKind, Par, ParOp, Post};
pub use pass::{Join, Log, Pass, PassCx, Placement, Refusal, Rewrite};
pub use plan::Plan;
pub use poly::Poly;
pub use prog::{Attrs, Body, Fun, Loc, LocId, Locs, Operand, Param, Prog, Stm};
pub use target::{Target, WorkerOrder};
pub use types::Type;
pub use value::Scalar;
