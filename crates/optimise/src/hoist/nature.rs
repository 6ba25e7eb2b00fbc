//! What kind of thing a statement is: whether it can go wrong, is more than a little work, must stay where it is.

use kenaz_base::Symbol;
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{Attr, BinOp, Exp, LoopForm, Operand, Soac, Stm, Type};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Default, Debug)]
pub struct Nature {
    /// Never moved: it prints, updates something, or an attribute says how it is to be run.
    pub pinned: bool,
    /// It must not be evaluated where it was not going to be: it can go wrong or not end.
    pub partial: bool,
    /// It has a check in it.
    pub checks: bool,
    /// More than a few operations on scalars.
    pub heavy: bool,
}

impl std::ops::BitOrAssign for Nature {
    fn bitor_assign(&mut self, other: Nature) {
        self.pinned |= other.pinned;
        self.partial |= other.partial;
        self.checks |= other.checks;
        self.heavy |= other.heavy;
    }
}

impl Nature {
    /// The nature of a statement apart from its bodies. Sizes that may be negative are left to the caller.
    pub fn of(stm: &Stm, natures: &FxHashMap<Symbol, Nature>) -> Nature {
        let nothing = Nature::default();
        let partial = Nature { partial: true, ..nothing };
        let heavy = Nature { heavy: true, ..nothing };
        let pinned = Nature { pinned: true, ..nothing };
        let mut nature = match &stm.exp {
            Exp::Operand(_) | Exp::Un(..) | Exp::Cmp(..) | Exp::Conv(..) | Exp::Math(..) | Exp::Rearrange(..) => {
                nothing
            }
            Exp::Bin(op, _, y) => {
                let is_integer = matches!(stm.pat[0].ty, Type::Prim(p) if p.is_integer());
                Nature { partial: is_integer && !is_total(*op, *y), ..nothing }
            }
            Exp::Assert(..) => Nature { checks: true, ..partial },
            Exp::Index(..) | Exp::Slice(..) | Exp::Reshape(..) | Exp::Resize(..) | Exp::FlatIndex(..) => partial,
            Exp::Array(..) | Exp::Iota { .. } | Exp::Replicate(..) | Exp::Concat(..) | Exp::Copy(_) => heavy,
            Exp::Scratch(..) | Exp::Update(..) | Exp::FlatUpdate(..) | Exp::Trace(..) | Exp::Opaque(_) => pinned,
            Exp::If(..) | Exp::Match(..) => nothing,
            Exp::Loop { form: LoopForm::For(..), .. } => heavy,
            Exp::Loop { form: LoopForm::While(_), .. } => Nature { partial: true, ..heavy },
            Exp::Call(f, _) => match natures.get(f) {
                Some(nature) => Nature { heavy: true, ..*nature },
                None => pinned,
            },
            Exp::Soac(Soac::UpdateAcc { .. } | Soac::WithAcc { .. }) => pinned,
            Exp::Mem(_) => pinned,
            Exp::Soac(_) | Exp::Par(_) | Exp::Jvp(..) | Exp::Vjp(..) => heavy,
        };
        nature.pinned |= stm.attrs.0.iter().any(is_pin);
        nature
    }

    /// The nature of a statement with all that is in it.
    pub fn deep(stm: &Stm, natures: &FxHashMap<Symbol, Nature>) -> Nature {
        struct Deep<'a>(Nature, &'a FxHashMap<Symbol, Nature>);
        impl Visit for Deep<'_> {
            fn stm(&mut self, stm: &Stm) {
                self.0 |= Nature::of(stm, self.1);
                walk::stm(self, stm);
            }
        }
        let mut deep = Deep(Nature::default(), natures);
        deep.stm(stm);
        deep.0
    }
}

/// Whether an attribute says where something is to be run, as all may that are not known to say something else.
fn is_pin(attr: &Attr) -> bool {
    !attr.is_strategy() && !attr.is_about_inlining()
}

/// Whether an operation on integers is defined for every first operand.
fn is_total(op: BinOp, y: Operand) -> bool {
    let constant = match y {
        Operand::Const(c) => c.as_i64(),
        Operand::Var(_) => None,
    };
    match op {
        BinOp::Div | BinOp::Mod | BinOp::Quot | BinOp::Rem => constant.is_some_and(|n| n != 0 && n != -1),
        BinOp::Pow => constant.is_some_and(|n| n >= 0),
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

/// The sizes that must not be negative and that no array among the operands vouches for.
pub fn sizes(exp: &Exp) -> &[Operand] {
    match exp {
        Exp::Iota { len, .. } => std::slice::from_ref(len),
        Exp::Replicate(dims, _) => dims,
        Exp::Soac(
            Soac::Screma { width, arrays, .. }
            | Soac::Filter { width, arrays, .. }
            | Soac::Scatter { width, arrays, .. }
            | Soac::Hist { width, arrays, .. },
        ) if arrays.is_empty() => std::slice::from_ref(width),
        _ => &[],
    }
}

/// Whether only scalars occur.
pub fn is_scalar(stm: &Stm) -> bool {
    stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)))
        && matches!(
            stm.exp,
            Exp::Operand(_) | Exp::Un(..) | Exp::Bin(..) | Exp::Cmp(..) | Exp::Conv(..) | Exp::Math(..)
        )
}

/// Arrays that other passes read as formulas and therefore want to find near their users.
pub fn is_held(stm: &Stm) -> bool {
    match &stm.exp {
        Exp::Iota { .. } => true,
        Exp::Replicate(_, x) => match x {
            Operand::Const(_) => true,
            // The value is a scalar if there are no more dimensions than those added.
            Operand::Var(_) => matches!(&stm.exp, Exp::Replicate(dims, _) if stm.pat[0].ty.rank() == dims.len()),
        },
        _ => false,
    }
}

/// New arrays that cost no more than writing them: nothing is gained if they are then copied into a result.
pub fn only_writes(exp: &Exp) -> bool {
    matches!(exp, Exp::Array(..) | Exp::Replicate(..) | Exp::Concat(..) | Exp::Copy(_))
}

/// What is remembered about names.
pub fn is_definition(exp: &Exp) -> bool {
    matches!(exp, Exp::Operand(_) | Exp::Un(..) | Exp::Bin(..) | Exp::Cmp(..) | Exp::Conv(..) | Exp::Iota { .. })
}

/// Whether a definition can be computed again anywhere: no integer division.
pub fn can_repeat(exp: &Exp) -> bool {
    match exp {
        Exp::Operand(_) | Exp::Un(..) | Exp::Cmp(..) | Exp::Conv(..) => true,
        Exp::Bin(op, _, y) => is_total(*op, *y),
        _ => false,
    }
}
