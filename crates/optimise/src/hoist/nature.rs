//! What kind of thing a statement is: whether it can go wrong, is more than a little work, must stay where it is.

use kenaz_base::Symbol;
use kenaz_ir::effects::{self, Cost, Fails};
use kenaz_ir::visit::{Visit, walk};
use kenaz_ir::{Attr, Exp, Operand, Stm, Type};
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
        let mut nature = match &stm.exp {
            Exp::Call(f, _) => match natures.get(f) {
                Some(nature) => Nature { heavy: true, ..*nature },
                None => Nature { pinned: true, ..Nature::default() },
            },
            exp => {
                let effects = effects::of_exp(exp, &stm.pat);
                let heavy = effects.cost.is_heavy();
                Nature {
                    // An operator that consumes stays because what it consumes is not fixed; one around it may move if
                    // that is made inside.
                    pinned: !(effects.may_repeat() || effects.consumes && heavy),
                    partial: effects.fails != Fails::Never || !effects.ends,
                    checks: effects.fails == Fails::Stops,
                    heavy,
                }
            }
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

/// Whether only scalars occur.
pub fn is_scalar(stm: &Stm) -> bool {
    stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)))
        && (effects::is_arithmetic(&stm.exp) || matches!(stm.exp, Exp::Operand(_)))
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
pub fn only_writes(stm: &Stm) -> bool {
    effects::of(stm).cost == Cost::Elements
}

/// What is remembered about names.
pub fn is_definition(exp: &Exp) -> bool {
    effects::is_simple(exp) || matches!(exp, Exp::Iota { .. })
}

/// Whether a definition, of a name of this type, can be computed again anywhere.
pub fn can_repeat(exp: &Exp, ty: Option<&Type>) -> bool {
    match exp {
        Exp::Bin(op, _, y) => effects::is_total(*op, ty.and_then(Type::prim), *y),
        exp => effects::is_simple(exp),
    }
}
