//! Walks over statements and expressions. Those that only look and those that change are made from one text.

use crate::{Arg, Exp, MessagePart, Stm, Traced};
use kenaz_base::with_stack;
use kenaz_ir::Name;

/// Defines the walks with these names, through references with or without `mut`.
macro_rules! walks {
    ($for_each_part:ident, $walk:ident, $for_each_exp:ident, $for_each_body:ident, $body:ty, ($($m:tt)?)) => {
        impl Exp {
            /// Calls `f` on the expressions directly inside this one.
            pub fn $for_each_part(&$($m)? self, mut f: impl FnMut(&$($m)? Exp)) {
                match self {
                    Exp::Const(_) | Exp::Var(..) => {}
                    Exp::Un(_, _, x) | Exp::Conv(_, _, x) | Exp::Load { index: x, .. } => f(x),
                    Exp::Bin(_, _, x, y)
                    | Exp::Cmp(_, _, x, y)
                    | Exp::Add(x, y)
                    | Exp::Sub(x, y)
                    | Exp::Mul(x, y)
                    | Exp::Quot(x, y)
                    | Exp::Rem(x, y) => {
                        f(x);
                        f(y);
                    }
                    Exp::Select(_, c, x, y) => {
                        f(c);
                        f(x);
                        f(y);
                    }
                    Exp::Math(_, _, args) => args.into_iter().for_each(f),
                }
            }

            /// Calls `f` on this expression and all inside it, those inside first.
            pub fn $walk(&$($m)? self, f: &mut impl FnMut(&$($m)? Exp)) {
                self.$for_each_part(|part| part.$walk(f));
                f(self);
            }
        }

        impl Stm {
            /// Calls `f` on the expressions of the statement, in the order of evaluation, but not on those of the
            /// statements inside it.
            pub fn $for_each_exp(&$($m)? self, mut f: impl FnMut(&$($m)? Exp)) {
                match self {
                    Stm::Let { value, .. } | Stm::Set { value, .. } => f(value),
                    Stm::Declare { .. }
                    | Stm::SetBlock { .. }
                    | Stm::Local { .. }
                    | Stm::Table { .. }
                    | Stm::Free { .. }
                    | Stm::Workers { .. }
                    | Stm::Tunable { .. }
                    | Stm::PerLane { .. }
                    | Stm::Take { .. }
                    | Stm::Share { .. } => {}
                    // The results are made by the body.
                    Stm::Combine { values, busy, .. } => {
                        f(busy);
                        for value in values {
                            f(&$($m)? value.result);
                        }
                    }
                    Stm::Publish { turn, at, values, .. } => {
                        f(turn);
                        f(at);
                        values.into_iter().for_each(f);
                    }
                    Stm::Await { turn, at, .. } => {
                        f(turn);
                        f(at);
                    }
                    Stm::Width { shares: x, .. }
                    | Stm::Board { words: x, .. }
                    | Stm::Alloc { bytes: x, .. }
                    | Stm::Streams { bytes: x, .. } => f(x),
                    Stm::Slot { offset: x, .. } | Stm::Shared { offset: x, .. } | Stm::Lanes { count: x, .. } => f(x),
                    Stm::Stream { index, .. } | Stm::Read { index, .. } => f(index),
                    Stm::Store { index, value, .. } | Stm::Race { index, value, .. } | Stm::Write { index, value, .. } => {
                        f(index);
                        f(value);
                    }
                    // The values are made by the body.
                    Stm::Update { cells, lock, .. } => {
                        if let Some(lock) = lock {
                            f(&$($m)? lock.index);
                        }
                        for cell in cells {
                            f(&$($m)? cell.index);
                            f(&$($m)? cell.value);
                        }
                    }
                    Stm::Chunks { iterations: x, work: y, .. } => {
                        f(x);
                        f(y);
                    }
                    Stm::Parallel { iterations, chunks, lanes, .. } => {
                        f(iterations);
                        f(chunks);
                        lanes.into_iter().for_each(f);
                    }
                    Stm::Launch { args, iterations, count, lanes, .. } => {
                        for arg in args {
                            match arg {
                                Arg::Scalar(x) => f(x),
                                Arg::Block(_) => {}
                            }
                        }
                        f(iterations);
                        f(count);
                        if let Some(lanes) = lanes {
                            f(&$($m)? lanes.count);
                            f(&$($m)? lanes.shared);
                        }
                    }
                    Stm::Copy { sizes, to, from, .. } => {
                        sizes.into_iter().for_each(&mut f);
                        for side in [to, from] {
                            f(&$($m)? side.offset);
                            (&$($m)? side.strides).into_iter().for_each(&mut f);
                        }
                    }
                    Stm::For { bound, .. } => f(bound),
                    Stm::While { cond, .. } | Stm::If { cond, .. } => f(cond),
                    Stm::Switch { on, .. } => f(on),
                    Stm::Call { args, .. } => {
                        for arg in args {
                            match arg {
                                Arg::Scalar(x) => f(x),
                                Arg::Block(_) => {}
                            }
                        }
                    }
                    Stm::Assert { cond, message, .. } => {
                        f(cond);
                        for part in message {
                            match part {
                                MessagePart::Text(_) => {}
                                MessagePart::Value(x) => f(x),
                            }
                        }
                    }
                    Stm::Trace { value: Traced::Scalar(x), .. } => f(x),
                    Stm::Trace { value: Traced::Array { offset, sizes, .. }, .. } => {
                        f(offset);
                        sizes.into_iter().for_each(f);
                    }
                }
            }

            /// Calls `f` on the blocks of statements directly inside this one.
            pub fn $for_each_body(&$($m)? self, mut f: impl FnMut(&$($m)? $body)) {
                match self {
                    Stm::For { body, .. } | Stm::While { body, .. } => f(body),
                    Stm::Parallel { body, .. } | Stm::Lanes { body, .. } => f(body),
                    Stm::Update { body, .. } | Stm::Combine { body, .. } => f(body),
                    Stm::If { yes, no, .. } => {
                        f(yes);
                        f(no);
                    }
                    Stm::Switch { cases, default, .. } => {
                        cases.into_iter().for_each(|(_, body)| f(body));
                        f(default);
                    }
                    // All others have none.
                    _ => {}
                }
            }
        }
    };
}

walks!(for_each_part, walk, for_each_exp, for_each_body, [Stm], ());
walks!(for_each_part_mut, walk_mut, for_each_exp_mut, for_each_body_mut, Vec<Stm>, (mut));

impl Stm {
    /// The names that the statement declares for the statements behind it.
    pub fn declares(&self) -> Vec<Name> {
        match self {
            Stm::Let { name, .. }
            | Stm::Declare { name, .. }
            | Stm::Alloc { name, .. }
            | Stm::Local { name, .. }
            | Stm::Table { name, .. }
            | Stm::Chunks { name, .. }
            | Stm::Workers { name }
            | Stm::Width { name, .. }
            | Stm::Tunable { name, .. }
            | Stm::Slot { name, .. }
            | Stm::Shared { name, .. }
            | Stm::Streams { name, .. }
            | Stm::Read { name, .. }
            | Stm::PerLane { name, .. }
            | Stm::Board { name, .. }
            | Stm::Share { name, .. } => vec![*name],
            Stm::Take { number, turn, .. } => vec![*number, *turn],
            Stm::Await { names, .. } => names.iter().map(|(name, _)| *name).collect(),
            Stm::Combine { values, .. } => values.iter().map(|value| value.all).collect(),
            _ => Vec::new(),
        }
    }
}

/// Calls `f` on all statements, those inside others included.
pub fn for_each_stm(stms: &[Stm], f: &mut impl FnMut(&Stm)) {
    with_stack(|| {
        for stm in stms {
            f(stm);
            stm.for_each_body(|body| for_each_stm(body, f));
        }
    });
}
