//! Variables of kernels that fit into 32 bits.
//!
//! Processors of devices compute with 32 bits, and most of what a kernel does besides its work is to find out which
//! element it is the turn of. A kernel is therefore compiled for two cases. In the narrow one, which its launch takes
//! when it may, all numbers of type `i64` that are handed to it, and that of its iterations, are smaller than
//! [`MOST`]. Then `kz_int`, the type of the variables that are found here, has 32 bits. Indices of elements are
//! computed with 64 bits from them, and so is everything that the program itself computes.
//!
//! That is for kernels without loops of their own. In loops the compilers of devices have pointers that move, and
//! otherwise keep more in registers: sums of columns took twice as long, and tiles a quarter more.

use kenaz_base::{Prim, with_stack};
use kenaz_imp::visit::for_each_stm;
use kenaz_imp::{Exp, Index, Region, Stm, Ty};
use kenaz_ir::{BinOp, Level, MathFn, Name};
use rustc_hash::{FxHashMap, FxHashSet};

/// What numbers are smaller than in the narrow case: `KZ_MOST_NARROW` in rts/device.h. There is room for some
/// additions.
const MOST: u64 = 1 << 28;

/// The variables of a region that fit into 32 bits in the narrow case; none if there is no such case.
pub(super) fn narrow(region: &Region, indices: &FxHashMap<Name, Index>) -> FxHashSet<Name> {
    let mut loops = 0;
    for_each_stm(&region.body, &mut |stm| loops += usize::from(matches!(stm, Stm::For { .. } | Stm::While { .. })));
    // The one is over the iterations of a thread.
    if region.level != Level::Grid || loops > 1 {
        return FxHashSet::default();
    }
    let mut most = Most { of: FxHashMap::default(), indices };
    most.of.extend(region.ids.iter().map(|name| (*name, MOST)));
    let scalars = region.params.iter().filter(|param| matches!(param.ty, Ty::Scalar(Prim::I64)));
    most.of.extend(scalars.map(|param| (param.name, MOST)));
    most.stms(&region.body);
    most.of.into_iter().filter(|(_, most)| *most <= i32::MAX.cast_unsigned().into()).map(|(name, _)| name).collect()
}

/// The largest absolute values of variables.
struct Most<'i> {
    of: FxHashMap<Name, u64>,
    indices: &'i FxHashMap<Name, Index>,
}

impl Most<'_> {
    /// Notes what is known of a variable; another one of that name may be larger.
    fn note(&mut self, name: Name, most: Option<u64>) {
        let most = most.unwrap_or(u64::MAX);
        self.of.entry(name).and_modify(|known| *known = most.max(*known)).or_insert(most);
    }

    fn stms(&mut self, stms: &[Stm]) {
        with_stack(|| stms.iter().for_each(|stm| self.stm(stm)));
    }

    fn stm(&mut self, stm: &Stm) {
        match stm {
            Stm::Let { name, prim: Prim::I64, value } => {
                let most = self.index(*name).or_else(|| self.exp(value));
                self.note(*name, most);
            }
            Stm::Declare { name, ty: Ty::Scalar(Prim::I64) } => {
                let most = self.index(*name);
                self.note(*name, most);
            }
            Stm::For { var, prim: Prim::I64, bound, .. } => {
                let most = self.exp(bound);
                self.note(*var, most);
            }
            Stm::Lanes { lane, .. } => self.note(*lane, Some(MOST)),
            // The others declare nothing that is narrow, or nothing at all.
            _ => {}
        }
        stm.for_each_body(|body| self.stms(body));
    }

    /// A variable of which iterations are known.
    fn index(&self, name: Name) -> Option<u64> {
        let Index { bound, is_of_launch } = self.indices.get(&name)?;
        // After the last one it is larger by as much as there are threads.
        let of_launch = is_of_launch.then_some(2 * MOST + 2);
        [self.exp(bound), of_launch].into_iter().flatten().min()
    }

    fn exp(&self, exp: &Exp) -> Option<u64> {
        match exp {
            Exp::Const(c) => c.as_i64().map(i64::unsigned_abs),
            Exp::Var(name, Prim::I64) => self.of.get(name).copied(),
            Exp::Var(_, prim) => smaller(*prim),
            Exp::Add(x, y) | Exp::Sub(x, y) | Exp::Bin(BinOp::Add | BinOp::Sub, Prim::I64, x, y) => {
                self.exp(x)?.checked_add(self.exp(y)?)
            }
            Exp::Mul(x, y) | Exp::Bin(BinOp::Mul, Prim::I64, x, y) => self.exp(x)?.checked_mul(self.exp(y)?),
            Exp::Math(MathFn::SizeMul, Prim::I64, xs) => {
                xs.iter().try_fold(1, |product: u64, x| product.checked_mul(self.exp(x)?))
            }
            Exp::Quot(x, _) | Exp::Bin(BinOp::Quot | BinOp::Div, Prim::I64, x, _) => self.exp(x),
            Exp::Rem(x, y) => [self.exp(x), self.exp(y)].into_iter().flatten().min(),
            Exp::Bin(BinOp::Min | BinOp::Max, Prim::I64, x, y) | Exp::Select(Prim::I64, _, x, y) => {
                Some(self.exp(x)?.max(self.exp(y)?))
            }
            Exp::Conv(from, Prim::I64, _) => smaller(*from),
            _ => None,
        }
    }
}

/// The largest absolute value of a type that has less than 64 bits.
fn smaller(prim: Prim) -> Option<u64> {
    match prim {
        Prim::I8 | Prim::I16 | Prim::I32 => Some(i32::MIN.unsigned_abs().into()),
        Prim::U8 | Prim::U16 => Some(u16::MAX.into()),
        Prim::Bool => Some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::Symbol;
    use kenaz_imp::{Hint, Param};
    use kenaz_ir::{Fresh, Locs};

    /// The names of the narrow variables of a region with these statements, whose thread is the first name and which
    /// has the second one as a number.
    fn found(
        fresh: &mut Fresh,
        body: impl FnOnce(&mut Fresh, Name, Name) -> (Vec<Stm>, Vec<(Name, Index)>),
    ) -> Vec<String> {
        let [thread, threads, n] = ["thread", "threads", "n"].map(|base| fresh.name(Symbol::intern(base)));
        let (body, indices) = body(fresh, thread, n);
        let params = vec![Param { name: n, ty: Ty::Scalar(Prim::I64) }];
        let (name, ids) = (Symbol::intern("f_1"), vec![thread, threads]);
        let (fun, loc) = (Symbol::intern("f"), Locs::NOWHERE());
        let region = Region { name, fun, level: Level::Grid, ids, params, body, loc };
        let mut names: Vec<String> =
            narrow(&region, &indices.into_iter().collect()).iter().map(|name| name.base.to_string()).collect();
        names.sort();
        names
    }

    fn number(fresh: &mut Fresh, base: &str, value: Exp) -> (Name, Stm) {
        let name = fresh.name(Symbol::intern(base));
        (name, Stm::Let { name, prim: Prim::I64, value })
    }

    #[test]
    fn sums_and_remainders_are_narrow_and_products_are_not() {
        let names = found(&mut Fresh::default(), |fresh, thread, n| {
            let (sum, first) = number(fresh, "sum", Exp::add(Exp::var(thread), Exp::var(n)));
            let (product, second) = number(fresh, "product", Exp::mul(Exp::var(sum), Exp::var(n)));
            let (_, third) = number(fresh, "rest", Exp::rem(Exp::var(product), Exp::var(n)));
            let (_, fourth) = number(fresh, "more", Exp::add(Exp::var(product), Exp::i64(1)));
            (vec![first, second, third, fourth], Vec::new())
        });
        assert_eq!(names, ["n", "rest", "sum", "thread", "threads"]);
    }

    #[test]
    fn a_few_sums_of_numbers_are_too_large() {
        let names = found(&mut Fresh::default(), |fresh, _, n| {
            let times = |factor: i64| Exp::mul(Exp::var(n), Exp::i64(factor));
            let (_, seven) = number(fresh, "seven", times(7));
            let (_, eight) = number(fresh, "eight", times(8));
            (vec![seven, eight], Vec::new())
        });
        assert_eq!(names, ["n", "seven", "thread", "threads"]);
    }

    #[test]
    fn indices_are_as_narrow_as_their_bounds_or_launches() {
        let names = found(&mut Fresh::default(), |fresh, thread, n| {
            let product = || Exp::mul(Exp::var(thread), Exp::var(n));
            let (within, first) = number(fresh, "within", product());
            let (launched, second) = number(fresh, "launched", product());
            let (unknown, third) = number(fresh, "unknown", product());
            let index = |bound: Exp, is_of_launch: bool| Index { bound, is_of_launch };
            let indices = vec![
                (within, index(Exp::var(n), false)),
                (launched, index(product(), true)),
                (unknown, index(product(), false)),
            ];
            (vec![first, second, third], indices)
        });
        assert_eq!(names, ["launched", "n", "thread", "threads", "within"]);
    }

    #[test]
    fn a_name_of_two_variables_is_as_wide_as_the_wider_one() {
        let names = found(&mut Fresh::default(), |fresh, thread, n| {
            let (name, first) = number(fresh, "twice", Exp::var(n));
            let value = Exp::mul(Exp::var(thread), Exp::var(n));
            let second = Stm::Let { name, prim: Prim::I64, value };
            let cond = Exp::cmp(kenaz_ir::CmpOp::Lt, Exp::var(n), Exp::i64(3));
            (vec![Stm::If { cond, yes: vec![first], no: vec![second] }], Vec::new())
        });
        assert_eq!(names, ["n", "thread", "threads"]);
    }

    #[test]
    fn kernels_with_loops_of_their_own_have_64_bits() {
        let in_loops = |count: usize| {
            found(&mut Fresh::default(), |fresh, thread, n| {
                let (_, stm) = number(fresh, "sum", Exp::add(Exp::var(thread), Exp::var(n)));
                let mut body = vec![stm];
                for _ in 0..count {
                    let (var, hint) = (fresh.name(Symbol::intern("i")), Hint::default());
                    body = vec![Stm::For { var, prim: Prim::I64, bound: Exp::var(n), hint, body }];
                }
                (body, Vec::new())
            })
        };
        assert_eq!(in_loops(1), ["i", "n", "sum", "thread", "threads"]);
        assert_eq!(in_loops(2), [""; 0]);
    }
}
