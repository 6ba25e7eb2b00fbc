//! What expressions are, in terms of parameters of a function and of what runs around them.

use super::cond::Cond;
use super::size::{Legend, Sizes, single};
use crate::Exp;
use kenaz_base::{Prim, with_stack};
use kenaz_ir::poly::Poly;
use kenaz_ir::{BinOp, CmpOp, MathFn, Name, Scalar, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known at a place of the program.
#[derive(Clone, Default)]
pub struct Values {
    pub numbers: FxHashMap<Name, Poly>,
    pub conds: FxHashMap<Name, Cond>,
    /// Numbers that depend on data, or that change.
    pub unknown: FxHashSet<Name>,
    /// In a kernel: what runs around the place, from the outermost on, each with how often it does.
    pub around: Vec<(Name, Poly)>,
    /// All that was ever in `around`.
    pub varying: FxHashSet<Name>,
    /// Those that are no longer in `around`, by those that are there instead.
    pub instead: Vec<Instead>,
}

/// What to write instead of a name.
#[derive(Clone)]
pub struct Instead {
    pub name: Name,
    pub by: Poly,
    /// Only where this is then no longer there.
    pub without: Option<Name>,
}

impl Values {
    /// A number of an integer type.
    pub fn number(&mut self, sizes: &mut Sizes, exp: &Exp) -> Poly {
        let found = with_stack(|| self.try_number(sizes, exp));
        let found = found.map(|x| self.by_those_around(x));
        found.unwrap_or_else(|| {
            let name = sizes.fresh("unknown");
            self.unknown.insert(name);
            Poly::name(name)
        })
    }

    fn by_those_around(&self, x: Poly) -> Poly {
        self.instead.iter().fold(x, |x, Instead { name, by, without }| {
            let replaced = x.replace(|other| (other == *name).then(|| by.clone()));
            replaced.filter(|x| without.is_none_or(|gone| !x.names().any(|name| name == gone))).unwrap_or(x)
        })
    }

    fn try_number(&mut self, sizes: &mut Sizes, exp: &Exp) -> Option<Poly> {
        if !exp.prim().is_integer() {
            return None;
        }
        match exp {
            Exp::Const(c) => Some(Poly::constant(c.as_i64()?.into())),
            Exp::Var(name, _) => Some(self.numbers.get(name).cloned().unwrap_or_else(|| Poly::name(*name))),
            Exp::Un(UnOp::Neg, _, x) => self.number(sizes, x).times_constant(-1),
            Exp::Conv(from, _, x) if from.is_integer() => Some(self.number(sizes, x)),
            Exp::Bin(op, _, x, y) => {
                let (x, y) = (self.number(sizes, x), self.number(sizes, y));
                match op {
                    BinOp::Min => Some(sizes.min(x, y)),
                    BinOp::Max => Some(sizes.max(x, y)),
                    BinOp::Quot | BinOp::Div => Some(self.quot(sizes, x, y)),
                    BinOp::Rem | BinOp::Mod => Some(self.rem(sizes, x, y)),
                    op => Poly::combine(*op, &x, &y),
                }
            }
            Exp::Math(MathFn::SizeMul, _, args) => {
                let mut product = Poly::constant(1);
                for arg in args {
                    product = product.times(&self.number(sizes, arg))?;
                }
                Some(product)
            }
            Exp::Add(x, y) => self.number(sizes, x).plus(&self.number(sizes, y), 1),
            Exp::Sub(x, y) => self.number(sizes, x).plus(&self.number(sizes, y), -1),
            Exp::Mul(x, y) => self.number(sizes, x).times(&self.number(sizes, y)),
            Exp::Quot(x, y) => {
                let (x, y) = (self.number(sizes, x), self.number(sizes, y));
                Some(self.quot(sizes, x, y))
            }
            Exp::Rem(x, y) => {
                let (x, y) = (self.number(sizes, x), self.number(sizes, y));
                Some(self.rem(sizes, x, y))
            }
            Exp::Select(_, cond, yes, no) => match (&**cond, &**yes, &**no) {
                (Exp::Cmp(CmpOp::Lt, _, x, y), Exp::Const(yes), Exp::Const(no))
                    if yes.as_i64() == Some(1) && no.as_i64() == Some(0) =>
                {
                    let (x, y) = (self.number(sizes, x), self.number(sizes, y));
                    Some(sizes.less(x, y))
                }
                _ => None,
            },
            Exp::Un(..) | Exp::Conv(..) | Exp::Math(..) | Exp::Load { .. } | Exp::Cmp(..) => None,
        }
    }

    fn quot(&mut self, sizes: &mut Sizes, x: Poly, y: Poly) -> Poly {
        self.split(sizes, &x, &y).map_or_else(|| sizes.quot(x, y), |(quotient, _)| quotient)
    }

    fn rem(&mut self, sizes: &mut Sizes, x: Poly, y: Poly) -> Poly {
        self.split(sizes, &x, &y).map_or_else(|| sizes.rem(x, y), |(_, rest)| rest)
    }

    /// Quotient and remainder, where all values below a multiple of the divisor occur: these run through all values,
    /// too, each for itself.
    fn split(&mut self, sizes: &mut Sizes, x: &Poly, y: &Poly) -> Option<(Poly, Poly)> {
        let x = self.by_those_around(x.clone());
        if let Some((quotient, rest)) = x.split_by(y)
            && self.range(&rest).is_some_and(|range| range == y)
        {
            return Some((quotient, rest));
        }
        let count = self.range(&x)?.divided_by(y).filter(|_| !self.varies(sizes, y))?;
        let name = single(&x)?;
        self.around.retain(|(other, _)| *other != name);
        let quotient = Poly::name(self.runs(sizes, count));
        let rest = Poly::name(self.runs(sizes, y.clone()));
        let by = quotient.times(y)?.plus(&rest, 1)?;
        self.instead.push(Instead { name, by, without: None });
        Some((quotient, rest))
    }

    /// How many values a number has, if it is one of those around.
    pub fn range(&self, x: &Poly) -> Option<&Poly> {
        let name = single(x)?;
        self.around.iter().find(|(other, _)| *other == name).map(|(_, range)| range)
    }

    /// Whether a number depends on what is around.
    pub fn varies(&self, sizes: &Sizes, x: &Poly) -> bool {
        sizes.leaves(x).iter().any(|name| self.varying.contains(name))
    }

    pub fn is_unknown(&self, sizes: &Sizes, x: &Poly) -> bool {
        sizes.leaves(x).iter().any(|name| self.unknown.contains(name))
    }

    /// Notes that something runs from 0 to below a number from here on.
    pub fn runs(&mut self, sizes: &mut Sizes, range: Poly) -> Name {
        let name = sizes.fresh("around");
        self.is_around(sizes, name, range);
        name
    }

    pub fn is_around(&mut self, sizes: &mut Sizes, name: Name, range: Poly) {
        sizes.at_least(name, 0);
        self.around.push((name, range));
        self.varying.insert(name);
    }

    // Conditions

    pub fn cond(&mut self, sizes: &mut Sizes, exp: &Exp) -> Cond {
        with_stack(|| match exp {
            Exp::Const(Scalar::Bool(holds)) => Cond::constant(*holds),
            Exp::Var(name, Prim::Bool) => {
                self.conds.get(name).cloned().unwrap_or_else(|| Cond::opaque(sizes.called(*name)))
            }
            Exp::Un(UnOp::Not, Prim::Bool, x) => self.cond(sizes, x).negated(),
            Exp::Bin(BinOp::And, Prim::Bool, x, y) => Cond::all([self.cond(sizes, x), self.cond(sizes, y)]),
            Exp::Bin(BinOp::Or, Prim::Bool, x, y) => Cond::any([self.cond(sizes, x), self.cond(sizes, y)]),
            Exp::Cmp(op @ (CmpOp::Eq | CmpOp::Ne), Prim::Bool, x, y) if let Exp::Const(Scalar::Bool(c)) = **y => {
                let x = self.cond(sizes, x);
                if c == (*op == CmpOp::Eq) { x } else { x.negated() }
            }
            Exp::Cmp(op, _, x, y) => {
                let (x, y) = (self.text(sizes, x), self.text(sizes, y));
                let (yes, no) = match op {
                    CmpOp::Eq => (format!("{x} = {y}"), format!("{x} != {y}")),
                    CmpOp::Ne => (format!("{x} != {y}"), format!("{x} = {y}")),
                    CmpOp::Lt => (format!("{x} < {y}"), format!("{y} <= {x}")),
                    CmpOp::Le => (format!("{x} <= {y}"), format!("{y} < {x}")),
                    CmpOp::Gt => (format!("{y} < {x}"), format!("{x} <= {y}")),
                    CmpOp::Ge => (format!("{y} <= {x}"), format!("{x} < {y}")),
                };
                Cond::Is(yes, no)
            }
            _ => Cond::opaque("a condition on data".to_string()),
        })
    }

    /// What a check tells about sizes: that one is not negative, or is another one.
    pub fn holds(&mut self, sizes: &mut Sizes, cond: &Exp) {
        let Exp::Cmp(op, Prim::I64, x, y) = cond else { return };
        match (op, &**x, &**y) {
            (CmpOp::Ge, x, Exp::Const(Scalar::I64(n))) => {
                let x = self.number(sizes, x);
                let mut terms = x.terms();
                if let (Some(([name], factor)), None) = (terms.next(), terms.next())
                    && factor > 0
                {
                    sizes.at_least(*name, i128::from(*n).div_euclid(factor));
                }
            }
            (CmpOp::Eq, Exp::Var(x, _), Exp::Var(y, _)) if x.base == y.base => {
                let (first, second) = if x < y { (*x, *y) } else { (*y, *x) };
                let value = self.numbers.get(&first).cloned().unwrap_or_else(|| Poly::name(first));
                self.numbers.entry(second).or_insert(value);
            }
            _ => {}
        }
    }

    /// An operand of a condition.
    pub fn text(&mut self, sizes: &mut Sizes, exp: &Exp) -> String {
        match exp {
            Exp::Var(name, prim) if !prim.is_integer() => sizes.called(*name),
            Exp::Const(c) if !c.prim().is_integer() => c.to_string(),
            exp => {
                let x = self.number(sizes, exp);
                if self.is_unknown(sizes, &x) { "a value".to_string() } else { sizes.text(&x, &mut Legend::off()) }
            }
        }
    }
}
