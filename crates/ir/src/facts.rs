//! What holds at a statement, and answers to questions about sizes and indices.
//!
//! A [`Facts`] is carried along a walk through a program: [`Facts::enter_fun`], then [`Facts::stm`] after each
//! statement, [`Facts::assume`] in branches, [`Facts::enter_loop`] and [`Facts::enter_rows`] in bodies, with
//! [`Facts::mark`] before and [`Facts::reset`] after. Answers hold whenever control is there, so in code that is
//! never reached anything may be proved.
//!
//! # Note \[Wraparound\]
//! Integers wrap around, so `lt x (add x 1)` does not hold for all `x`. Equality is decided on polynomials modulo
//! 2^64, where every `add`, `sub` and `mul` may be replaced by what it means. Order is decided on polynomials over the
//! integers, where it may be replaced only if it cannot wrap around: when the ranges of its operands say so, or when
//! it is the sum of two values that are not negative and is not negative itself, such as a size.
//!
//! # Note \[Layouts do not wrap\]
//! Offsets, sizes and strides of layouts are about arrays that exist, and no memory has 2^48 elements. So polynomials
//! in them are over the integers, and a name in them that is the size of an array is taken to be what it was computed
//! as where that follows: the product of sizes that one array has, such as that of a flattened matrix, and the sum of
//! sizes of several arrays, such as that of a `concat`; so is the product of all dimensions of an array; and so is any
//! sum, difference or product that is a number of 64 bits if sizes, and what is less than one, are below 2^48. Others
//! may have wrapped around: the product of two numbers that are large enough is 0, and then there may well be an array
//! of that size. (An array without elements may have large sizes beside the one that is 0; that these do not wrap
//! around either is taken for granted.) Questions about polynomials ([`Facts::poly_le`] and its like) rest on this;
//! questions about operands, which decide checks, do not.

mod disjunctions;
mod prove;

use self::disjunctions::Revisited;
use crate::exp::{Exp, LoopForm, Soac};
use crate::name::Name;
use crate::op::{BinOp, CmpOp, UnOp};
use crate::poly::Poly;
use crate::prog::{Body, Fun, Operand, Param, Stm};
use crate::types::Type;
use crate::value::Scalar;
use kenaz_base::Prim;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::VecDeque;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It holds whenever control gets here.
    Proved,
    /// It never holds when control gets here.
    Refuted,
    Unknown,
}

impl Answer {
    pub fn is_proved(self) -> bool {
        self == Answer::Proved
    }

    fn not(self) -> Answer {
        match self {
            Answer::Proved => Answer::Refuted,
            Answer::Refuted => Answer::Proved,
            Answer::Unknown => Answer::Unknown,
        }
    }

    /// Whether both hold.
    #[must_use]
    pub fn and(self, other: Answer) -> Answer {
        match (self, other) {
            (Answer::Proved, Answer::Proved) => Answer::Proved,
            (Answer::Refuted, _) | (_, Answer::Refuted) => Answer::Refuted,
            _ => Answer::Unknown,
        }
    }
}

/// The meaning that names have in a proof, see Note \[Layouts do not wrap\].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Names {
    OfValues,
    OfLayouts,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    lo: i64,
    hi: i64,
}

const ANY: Range = Range { lo: i64::MIN, hi: i64::MAX };

/// How a boolean was computed, as far as it matters.
#[derive(Clone, Copy, Debug)]
enum Cond {
    Same(Operand),
    Not(Operand),
    And(Operand, Operand),
    Or(Operand, Operand),
    /// Of two `i64`s.
    Cmp(CmpOp, Operand, Operand),
}

#[derive(Debug)]
enum Undo {
    Range(Name, Option<Range>),
    Exact(Name),
    Size(Name),
    /// The last place of those that mention a name.
    Mention(Name),
}

/// See [`Facts::mark`].
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    nonneg: usize,
    ors: usize,
    shapes: usize,
    undo: usize,
    revisited: Revisited,
}

#[derive(Debug, Default)]
pub struct Facts {
    /// The names of type `i64`, numbered in the order in which they were bound.
    ints: FxHashMap<Name, u32>,
    /// The names that are sizes of arrays.
    sizes: FxHashSet<Name>,
    /// The sizes of arrays of several dimensions.
    shapes: Vec<Vec<Operand>>,
    /// What names mean modulo 2^64, in terms of names that have no meaning here.
    modular: FxHashMap<Name, Poly>,
    /// What names mean over the integers.
    exact: FxHashMap<Name, Poly>,
    /// What names mean over the integers unless that wraps around.
    pending: FxHashMap<Name, (BinOp, Operand, Operand)>,
    /// For each name those above that were computed from it.
    users: FxHashMap<Name, Vec<Name>>,
    conds: FxHashMap<Name, Cond>,
    /// The names that are the lesser or the greater of two numbers.
    extremes: FxHashMap<Name, (BinOp, Operand, Operand)>,
    /// The arrays of the numbers from 0 to below a size.
    iotas: FxHashMap<Name, Operand>,
    ranges: FxHashMap<Name, Range>,
    /// Polynomials over the integers that are not negative.
    nonneg: Vec<Poly>,
    /// For each name the polynomials above in which it occurs, perhaps as a part of what another name means; a place
    /// there may since have been given to another.
    mentions: FxHashMap<Name, Vec<usize>>,
    /// Disjunctions that hold.
    ors: Vec<(Operand, Operand)>,
    /// What was learnt, in order.
    undo: Vec<Undo>,
    /// The answers of [`Facts::proves_nonneg`] since something was last learnt or forgotten: disjunctions share sides,
    /// and a check asks what its comparison asked.
    answers: RefCell<FxHashMap<Poly, bool>>,
    revisited: Revisited,
}

impl Facts {
    pub fn new() -> Facts {
        Facts::default()
    }

    // Scopes

    /// A mark of what is known now: [`Facts::reset`] forgets everything that is learnt after it.
    pub fn mark(&self) -> Mark {
        Mark {
            nonneg: self.nonneg.len(),
            ors: self.ors.len(),
            shapes: self.shapes.len(),
            undo: self.undo.len(),
            revisited: self.revisited,
        }
    }

    /// Forgets what was learnt since the mark. Definitions stay: outside their scope nobody asks for them.
    pub fn reset(&mut self, mark: Mark) {
        self.nonneg.truncate(mark.nonneg);
        self.ors.truncate(mark.ors);
        self.shapes.truncate(mark.shapes);
        for undo in self.undo.drain(mark.undo..).rev() {
            match undo {
                Undo::Range(name, Some(range)) => drop(self.ranges.insert(name, range)),
                Undo::Range(name, None) => drop(self.ranges.remove(&name)),
                Undo::Exact(name) => drop(self.exact.remove(&name)),
                Undo::Size(name) => drop(self.sizes.remove(&name)),
                Undo::Mention(name) => drop(self.mentions.get_mut(&name).and_then(Vec::pop)),
            }
        }
        self.revisited = mark.revisited;
        self.answers.get_mut().clear();
    }

    /// The parameters of a function: sizes of arrays are not negative. Those of an entry point are in memory, which has
    /// room for so many elements. (One dimension of several may be larger, beside one that is 0.)
    pub fn enter_fun(&mut self, fun: &Fun) {
        const MOST: i64 = 1 << 47;
        self.bind(&fun.params);
        for param in fun.params.iter().filter(|_| fun.entry.is_some()) {
            if let [Operand::Var(size)] = *param.ty.dims() {
                self.narrow(size, Range { lo: 0, hi: MOST });
            }
        }
    }

    /// Names that are bound without being computed here.
    pub fn bind<'a>(&mut self, params: impl IntoIterator<Item = &'a Param> + Clone) {
        for param in params.clone() {
            if param.ty == Type::I64 {
                self.bind_int(param.name);
            }
        }
        for param in params {
            for n in param.ty.dims() {
                if let Some(name) = n.name()
                    && self.sizes.insert(name)
                {
                    self.undo.push(Undo::Size(name));
                }
                self.learn_nonneg(self.exact(*n));
            }
            if param.ty.rank() > 1 && !self.shapes.iter().any(|shape| shape == param.ty.dims()) {
                self.shapes.push(param.ty.dims().to_vec());
            }
        }
    }

    fn bind_int(&mut self, name: Name) {
        let next = self.ints.len() as u32;
        self.ints.entry(name).or_insert(next);
    }

    /// Which of two names was bound first; one that was not bound yet is the later.
    pub(crate) fn bound_before(&self, a: Name, b: Name) -> bool {
        match (self.ints.get(&a), self.ints.get(&b)) {
            (Some(a), Some(b)) => a < b,
            (a, _) => a.is_some(),
        }
    }

    /// The body of a `par`: the indices are those of a point of its space.
    pub fn enter_space(&mut self, space: &[(Name, Operand)]) {
        for (index, _) in space {
            self.bind_int(*index);
        }
        for (index, n) in space {
            self.learn_nonneg(Some(Poly::name(*index)));
            self.learn_cmp(CmpOp::Lt, Operand::Var(*index), *n);
        }
        self.revisit_ors();
    }

    /// The body of a loop.
    pub fn enter_loop<'a>(&mut self, params: impl IntoIterator<Item = &'a Param> + Clone, form: &LoopForm) {
        self.bind(params);
        match form {
            LoopForm::For(i, Prim::I64, n) => {
                self.bind_int(*i);
                self.learn_nonneg(Some(Poly::name(*i)));
                self.learn_cmp(CmpOp::Lt, Operand::Var(*i), *n);
                self.revisit_ors();
            }
            LoopForm::For(..) => {}
            LoopForm::While(cond) => self.assume(Operand::Var(*cond), true),
        }
    }

    /// The body of a lambda that is applied once for each of `width` rows: there is at least one.
    pub fn enter_lambda(&mut self, width: Operand, params: &[Param]) {
        self.bind(params);
        self.learn_cmp(CmpOp::Lt, Operand::i64(0), width);
        self.revisit_ors();
    }

    /// The same for rows of these arrays: the elements of `iota n` are the numbers below `n`.
    pub fn enter_rows(&mut self, width: Operand, arrays: &[Name], params: &[Param]) {
        self.enter_lambda(width, params);
        for (param, array) in params.iter().zip(arrays) {
            if let Some(len) = self.iotas.get(array).copied() {
                self.learn_nonneg(Some(Poly::name(param.name)));
                self.learn_cmp(CmpOp::Lt, param.name.into(), len);
            }
        }
        self.revisit_ors();
    }

    // Learning

    /// Learns the facts that hold after a statement.
    pub fn stm(&mut self, stm: &Stm) {
        self.bind(&stm.pat);
        match &stm.exp {
            Exp::Assert(cond, _) => self.assume(*cond, true),
            Exp::Iota { len, start, stride, prim: Prim::I64 }
                if *start == Operand::i64(0) && *stride == Operand::i64(1) =>
            {
                self.iotas.extend(stm.pat.iter().map(|p| (p.name, *len)));
            }
            // The upper bound of what is kept.
            Exp::Soac(Soac::Filter { width, .. }) => {
                if let Some(count) = stm.pat.first() {
                    self.learn_nonneg(Some(Poly::name(count.name)));
                    self.learn_cmp(CmpOp::Le, count.name.into(), *width);
                }
            }
            _ => {}
        }
        let [param] = &stm.pat[..] else { return };
        let name = param.name;
        match param.ty {
            Type::Prim(Prim::I64) => self.define(name, &stm.exp),
            Type::Prim(Prim::Bool) => {
                if let Some(cond) = self.cond_of(&stm.exp) {
                    self.conds.insert(name, cond);
                }
            }
            Type::Prim(_) | Type::Array(..) | Type::Cert | Type::Mem(_) | Type::Acc { .. } => {}
        }
    }

    /// In a branch in which a condition is true, or false.
    pub fn assume(&mut self, cond: Operand, holds: bool) {
        self.learn_cond(cond, holds);
        self.revisit_ors();
    }

    fn learn_cond(&mut self, cond: Operand, holds: bool) {
        let mut todo = vec![(cond, holds)];
        while let Some((cond, holds)) = todo.pop() {
            let Operand::Var(name) = cond else { continue };
            match (self.conds.get(&name).copied(), holds) {
                (None, _) => {}
                (Some(Cond::Same(x)), _) => todo.push((x, holds)),
                (Some(Cond::Not(x)), _) => todo.push((x, !holds)),
                (Some(Cond::And(x, y)), true) | (Some(Cond::Or(x, y)), false) => todo.extend([(x, holds), (y, holds)]),
                (Some(Cond::Or(x, y)), true) => self.ors.push((x, y)),
                (Some(Cond::And(..)), false) => {}
                (Some(Cond::Cmp(op, x, y)), true) => self.learn_cmp(op, x, y),
                (Some(Cond::Cmp(op, x, y)), false) => self.learn_cmp(negated(op), x, y),
            }
        }
    }

    fn define(&mut self, name: Name, exp: &Exp) {
        if let Exp::Bin(op @ (BinOp::Min | BinOp::Max), x, y) = *exp {
            self.extremes.insert(name, (op, x, y));
        }
        match *exp {
            Exp::Operand(x) => {
                if let Some(poly) = self.modular(x) {
                    self.modular.insert(name, poly);
                }
                self.set_exact(name, self.exact(x));
            }
            Exp::Bin(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), x, y) => {
                let both = self.modular(x).zip(self.modular(y));
                if let Some(poly) = both.and_then(|(x, y)| Poly::combine(op, &x, &y)) {
                    self.modular.insert(name, poly.wrapped());
                }
                self.pending.insert(name, (op, x, y));
                self.answers.get_mut().clear();
                for operand in [x, y].into_iter().filter_map(Operand::name) {
                    self.users.entry(operand).or_default().push(name);
                }
                self.settle(name);
            }
            Exp::Bin(BinOp::Min, x, y) => {
                for z in [x, y] {
                    self.learn_cmp(CmpOp::Le, name.into(), z);
                }
                let lo = self.range_of(x).lo.min(self.range_of(y).lo);
                self.narrow(name, Range { lo, hi: i64::MAX });
            }
            Exp::Bin(BinOp::Max, x, y) => {
                for z in [x, y] {
                    self.learn_cmp(CmpOp::Le, z, name.into());
                }
                let hi = self.range_of(x).hi.max(self.range_of(y).hi);
                self.narrow(name, Range { lo: i64::MIN, hi });
            }
            Exp::Bin(BinOp::Mod, _, Operand::Const(Scalar::I64(n))) if n > 0 => {
                self.narrow(name, Range { lo: 0, hi: n - 1 });
            }
            Exp::Bin(BinOp::Mod, _, n) if self.proves_lt(Operand::i64(0), n) => {
                self.learn_nonneg(Some(Poly::name(name)));
                self.learn_cmp(CmpOp::Lt, name.into(), n);
            }
            Exp::If(cond, ref yes, ref no) => self.choose(name, cond, yes, no),
            Exp::Bin(BinOp::Div, x, Operand::Const(Scalar::I64(n))) if n > 0 && self.range_of(x).lo >= 0 => {
                self.narrow(name, Range { lo: 0, hi: self.range_of(x).hi });
                self.learn_cmp(CmpOp::Le, name.into(), x);
            }
            _ => {}
        }
    }

    /// The result of a branch is an index, or below something, if it is in both bodies. Only of short ones, as a
    /// remainder without a division has.
    fn choose(&mut self, name: Name, cond: Operand, yes: &Body, no: &Body) {
        const SHORT: usize = 2;
        let bodies = [(yes, true), (no, false)];
        if bodies.iter().any(|(body, _)| body.stms.len() > SHORT || body.results.len() != 1) {
            return;
        }
        let mut bounds: Vec<Operand> = Vec::new();
        for stm in yes.stms.iter().chain(&no.stms) {
            match stm.exp {
                Exp::Bin(BinOp::Add | BinOp::Sub, x, y) => bounds.extend([x, y]),
                _ => return,
            }
        }
        if let Some(Cond::Cmp(_, x, y)) = cond.name().and_then(|name| self.conds.get(&name)) {
            bounds.extend([x, y]);
        }
        bounds.retain(|x| x.name().is_some());
        bounds.dedup();
        let mut is_index = true;
        let mut is_below = vec![true; bounds.len()];
        for (body, holds) in bodies {
            let before = self.mark();
            self.assume(cond, holds);
            body.stms.iter().for_each(|stm| self.stm(stm));
            let result = body.results[0];
            is_index = is_index && self.proves_le(Operand::i64(0), result);
            for (bound, is_below) in bounds.iter().zip(&mut is_below) {
                *is_below = *is_below && self.proves_lt(result, *bound);
            }
            self.reset(before);
        }
        if is_index {
            self.learn_nonneg(Some(Poly::name(name)));
        }
        for (bound, is_below) in bounds.into_iter().zip(is_below) {
            if is_below {
                self.learn_cmp(CmpOp::Lt, name.into(), bound);
            }
        }
    }

    fn cond_of(&self, exp: &Exp) -> Option<Cond> {
        match *exp {
            Exp::Operand(x) => Some(Cond::Same(x)),
            Exp::Un(UnOp::Not, x) => Some(Cond::Not(x)),
            Exp::Bin(BinOp::And, x, y) => Some(Cond::And(x, y)),
            Exp::Bin(BinOp::Or, x, y) => Some(Cond::Or(x, y)),
            Exp::Cmp(op, x, y) => (self.is_int(x) && self.is_int(y)).then_some(Cond::Cmp(op, x, y)),
            _ => None,
        }
    }

    fn is_int(&self, x: Operand) -> bool {
        match x {
            Operand::Var(name) => self.ints.contains_key(&name),
            Operand::Const(c) => c.as_i64().is_some(),
        }
    }

    fn learn_cmp(&mut self, op: CmpOp, x: Operand, y: Operand) {
        let (Some(x), Some(y)) = (self.exact(x), self.exact(y)) else { return };
        // y - x and x - y
        let (up, down) = (y.plus(&x, -1), x.plus(&y, -1));
        match op {
            CmpOp::Le => self.learn_nonneg(up),
            CmpOp::Ge => self.learn_nonneg(down),
            CmpOp::Lt => self.learn_nonneg(less_one(up)),
            CmpOp::Gt => self.learn_nonneg(less_one(down)),
            CmpOp::Eq => {
                self.learn_nonneg(up);
                self.learn_nonneg(down);
            }
            CmpOp::Ne if self.proves_nonneg(&up) => self.learn_nonneg(less_one(up)),
            CmpOp::Ne if self.proves_nonneg(&down) => self.learn_nonneg(less_one(down)),
            CmpOp::Ne => {}
        }
    }

    /// The polynomial is not negative; so each name in it that stands alone is bounded by the rest.
    fn learn_nonneg(&mut self, poly: Option<Poly>) {
        let Some((at, is_new)) = poly.and_then(|poly| self.keep(poly)) else { return };
        // Bounds of one name bound others; a circle of facts could go on doing so for long.
        const MOST: usize = 32;
        let mut todo = VecDeque::from([at]);
        for left in (0..MOST).rev() {
            let Some(at) = todo.pop_front() else { break };
            for name in self.bound_by(at) {
                // A name may be in very many facts; those that would not be looked at are not listed.
                let places = self.mentions.get(&name).into_iter().flatten();
                let others = places.filter(|other| **other != at && **other < self.nonneg.len());
                todo.extend(others.take(left.saturating_sub(todo.len())));
            }
        }
        // That a sum is not less than what is in it tells that it has not wrapped around; then it follows from that.
        if is_new
            && at + 1 == self.nonneg.len()
            && let Some(meant) = self.nonneg[at].replace(|name| self.exact.get(&name).cloned())
            && self.interval(&meant).is_some_and(|(lo, _)| lo >= 0)
        {
            self.nonneg.pop();
        }
    }

    /// Keeps that a polynomial is not negative, unless that follows from the ranges of its names. Gives its place, and
    /// whether it is new.
    fn keep(&mut self, poly: Poly) -> Option<(usize, bool)> {
        if self.interval(&poly).is_some_and(|(lo, _)| lo >= 0) || poly.as_constant().is_some() {
            return None;
        }
        if let Some(at) = self.place_of(&poly) {
            return Some((at, false));
        }
        let at = self.nonneg.len();
        for name in poly.names() {
            self.mention(name, at);
        }
        self.nonneg.push(poly);
        self.answers.get_mut().clear();
        Some((at, true))
    }

    /// Where a fact is if it is known already: arrays of one size would bring it again and again.
    fn place_of(&self, fact: &Poly) -> Option<usize> {
        let places = fact.names().map(|name| self.mentions.get(&name).map_or(&[][..], |places| places));
        let fewest = places.min_by_key(|places| places.len())?;
        fewest.iter().rev().copied().find(|at| self.nonneg.get(*at) == Some(fact))
    }

    fn mention(&mut self, name: Name, at: usize) {
        let places = self.mentions.entry(name).or_default();
        if places.last() != Some(&at) {
            places.push(at);
            self.undo.push(Undo::Mention(name));
        }
    }

    /// Bounds each name that stands alone in a polynomial that is not negative; gives those with new bounds.
    fn bound_by(&mut self, at: usize) -> Vec<Name> {
        let clamped = |x: i128| i64::try_from(x).unwrap_or(if x < 0 { i64::MIN } else { i64::MAX });
        let poly = &self.nonneg[at];
        let mut bounds: SmallVec<[(Name, Range); 4]> = SmallVec::new();
        if let Some((_, most)) = self.interval(poly) {
            for (product, n) in poly.terms() {
                // n * name + rest >= 0, and the names in the rest are others or in products.
                let range = match (product, n) {
                    ([name], 1) => self.range_of((*name).into()).hi,
                    ([name], -1) => self.range_of((*name).into()).lo,
                    _ => continue,
                };
                let rest = most - n * i128::from(range);
                let bound =
                    if n == 1 { Range { lo: clamped(-rest), ..ANY } } else { Range { hi: clamped(rest), ..ANY } };
                bounds.push((product[0], bound));
            }
        }
        bounds.retain(|(name, range)| self.narrow(*name, *range));
        bounds.into_iter().map(|(name, _)| name).collect()
    }

    /// Whether that says something new.
    fn narrow(&mut self, name: Name, range: Range) -> bool {
        let before = self.ranges.get(&name).copied();
        let old = before.unwrap_or(ANY);
        let new = Range { lo: old.lo.max(range.lo), hi: old.hi.min(range.hi) };
        if new == old {
            return false;
        }
        self.undo.push(Undo::Range(name, before));
        self.ranges.insert(name, new);
        self.answers.get_mut().clear();
        self.settle(name);
        self.settle_users(name);
        true
    }

    /// New bounds of a name may say that what was computed from it before has not wrapped around.
    fn settle_users(&mut self, name: Name) {
        // The latest ones: there may be many, and this is done for each new bound.
        const MOST: usize = 16;
        let Some(users) = self.users.get(&name) else { return };
        let users = users[users.len().saturating_sub(MOST)..].to_vec();
        kenaz_base::with_stack(|| users.into_iter().for_each(|user| self.settle(user)));
    }

    /// Gives a name its meaning over the integers if it cannot have wrapped around.
    fn settle(&mut self, name: Name) {
        if !self.exact.contains_key(&name) {
            self.set_exact(name, self.not_wrapped(name));
        }
    }

    /// The meaning of a sum, difference or product, if it cannot have wrapped around. See Note \[Wraparound\].
    fn not_wrapped(&self, name: Name) -> Option<Poly> {
        let (op, x, y) = self.pending.get(&name).copied()?;
        let (x, y) = (self.exact(x)?, self.exact(y)?);
        let poly = Poly::combine(op, &x, &y)?;
        let (lo, hi) = self.interval(&poly)?;
        let is_i64 = |n: i128| i64::try_from(n).is_ok();
        // Whatever they were computed as, both are numbers of 64 bits.
        let nonneg = |poly: &Poly| self.interval(poly).is_some_and(|(lo, _)| lo >= 0);
        let is_sum = op == BinOp::Add && nonneg(&x) && nonneg(&y);
        let is_nonneg = self.ranges.get(&name).is_some_and(|range| range.lo >= 0);
        let fits = is_i64(lo) && (is_i64(hi) || self.is_below_a_fact(&poly));
        (fits || is_sum && is_nonneg).then_some(poly)
    }

    /// Whether a fact bounds a polynomial by what an `i64` can be: it is at most the sum of it and what is not
    /// negative. So `i + k` is less than `n` where `i < n - k`.
    fn is_below_a_fact(&self, poly: &Poly) -> bool {
        // The latest facts are those about where we are.
        const MOST: usize = 8;
        let names = poly.terms().filter_map(|(product, _)| product.last());
        let mut places = names.flat_map(|name| self.mentions.get(name).into_iter().flatten().rev().take(MOST));
        places.any(|at| {
            let fact = self.nonneg.get(*at).filter(|fact| fact.cancels_in(poly));
            let sum = fact.and_then(|fact| poly.plus(fact, 1));
            sum.and_then(|sum| self.interval(&sum)).is_some_and(|(_, hi)| i64::try_from(hi).is_ok())
        })
    }

    fn set_exact(&mut self, name: Name, poly: Option<Poly>) {
        let Some(poly) = poly else { return };
        let interval = self.interval(&poly);
        for at in self.mentions.get(&name).cloned().unwrap_or_default() {
            for part in poly.names() {
                self.mention(part, at);
            }
        }
        self.undo.push(Undo::Exact(name));
        self.exact.insert(name, poly);
        self.answers.get_mut().clear();
        if let Some((lo, hi)) = interval {
            let (lo, hi) = (i64::try_from(lo).unwrap_or(i64::MIN), i64::try_from(hi).unwrap_or(i64::MAX));
            self.narrow(name, Range { lo, hi });
        }
    }

    // Meanings

    fn modular(&self, x: Operand) -> Option<Poly> {
        match x {
            Operand::Const(c) => c.as_i64().map(|n| Poly::constant(n.into())),
            Operand::Var(name) => Some(self.modular.get(&name).cloned().unwrap_or_else(|| Poly::name(name))),
        }
    }

    fn exact(&self, x: Operand) -> Option<Poly> {
        match x {
            Operand::Const(c) => c.as_i64().map(|n| Poly::constant(n.into())),
            Operand::Var(name) => Some(self.exact.get(&name).cloned().unwrap_or_else(|| Poly::name(name))),
        }
    }

    /// The meaning of a size that is a product or a sum of sizes. See Note \[Layouts do not wrap\].
    fn made_of_sizes(&self, name: Name) -> Option<Poly> {
        let is_size = self.sizes.contains(&name);
        match self.pending.get(&name).copied()? {
            (BinOp::Mul, x, y) if is_size || self.counts_elements(name) => self.product_of_sizes(&[x, y], 0),
            (BinOp::Add, x, y) if is_size => {
                let mut summands = Vec::new();
                self.summands(x, 0, &mut summands);
                self.summands(y, 0, &mut summands);
                // Two that are not negative have a negative sum if it wraps around.
                let few = summands.len() == 2;
                let meaning = |x: Operand| match self.range_of(x).lo >= 0 {
                    true if few => self.exact(x),
                    _ => self.product_of_sizes(&[x], 0),
                };
                summands.iter().try_fold(Poly::default(), |sum, x| sum.plus(&meaning(*x)?, 1))
            }
            _ => None,
        }
    }

    /// The meaning of a sum, difference or product of sizes, indices and small numbers, see Note \[Layouts do not
    /// wrap\].
    fn made_of_small(&self, name: Name, depth: usize) -> Option<Poly> {
        const DEEPEST: usize = 4;
        let (op, x, y) = self.pending.get(&name).copied()?;
        let meaning = |x: Operand| match x {
            Operand::Var(name) if !self.exact.contains_key(&name) && depth < DEEPEST => {
                self.made_of_small(name, depth + 1).or_else(|| self.exact(x))
            }
            _ => self.exact(x),
        };
        let poly = Poly::combine(op, &meaning(x)?, &meaning(y)?)?;
        let (lo, hi) = self.interval_by(&poly, |name| self.small(name))?;
        (i64::try_from(lo).is_ok() && i64::try_from(hi).is_ok()).then_some(poly)
    }

    /// The range of a name in a layout.
    fn small(&self, name: Name) -> Range {
        /// No memory has as many elements.
        const MOST: i64 = 1 << 48;
        /// The latest facts about a name are those about where we are.
        const LATEST: usize = 4;
        let Range { lo, hi } = self.range_of(name.into());
        if hi <= MOST {
            return Range { lo, hi };
        }
        // A fact that says that it is at most a size.
        let is_below = |at: &usize| {
            let Some(fact) = self.nonneg.get(*at) else { return false };
            let is_term = |(product, n): (&[Name], i128)| match *product {
                [] => n <= 0,
                [other] if other == name => n == -1,
                [other] => n == 1 && self.sizes.contains(&other),
                _ => false,
            };
            fact.names().count() == 2 && fact.names().any(|other| other == name) && fact.terms().all(is_term)
        };
        if self.sizes.contains(&name) {
            return Range { lo: lo.max(0), hi: MOST };
        }
        let mut latest = self.mentions.get(&name).into_iter().flatten().rev().take(LATEST);
        if latest.any(is_below) { Range { lo, hi: MOST } } else { Range { lo, hi } }
    }

    /// Whether a name is the product of all dimensions of an array that exists. If one of these is 0, so is the
    /// product.
    fn counts_elements(&self, name: Name) -> bool {
        const MOST: usize = 8;
        let (mut factors, mut known, mut todo) = (Vec::new(), 1_i64, vec![name]);
        while let Some(name) = todo.pop() {
            let Some((BinOp::Mul, x, y)) = self.pending.get(&name).filter(|_| todo.len() + factors.len() < MOST) else {
                factors.push(name);
                continue;
            };
            for operand in [x, y] {
                match operand {
                    Operand::Var(name) => todo.push(*name),
                    Operand::Const(n) => match n.as_i64().and_then(|n| known.checked_mul(n)) {
                        Some(n) if n > 0 => known = n,
                        _ => return false,
                    },
                }
            }
        }
        factors.sort_unstable();
        self.shapes.iter().any(|shape| {
            let mut names: Vec<Name> = shape.iter().filter_map(|n| n.name()).collect();
            names.sort_unstable();
            let constants = shape.iter().filter(|n| n.name().is_none());
            let product = constants
                .map(|n| self.exact(*n)?.as_constant())
                .try_fold(1i128, |product, n| Some(product.saturating_mul(n.filter(|n| *n > 0)?)));
            names == factors && product.is_some_and(|product| i128::from(known) <= product)
        })
    }

    /// Collects the summands of a sum. A sum that is known not to be negative counts as one summand.
    fn summands(&self, x: Operand, depth: usize, all: &mut Vec<Operand>) {
        const DEEPEST: usize = 8;
        let sum = x.name().and_then(|name| self.pending.get(&name).copied());
        match sum {
            Some((BinOp::Add, left, right)) if depth < DEEPEST && self.range_of(x).lo < 0 => {
                self.summands(left, depth + 1, all);
                self.summands(right, depth + 1, all);
            }
            _ => all.push(x),
        }
    }

    /// The product of these, if it is one of sizes that an array has, and of a small number.
    fn product_of_sizes(&self, factors: &[Operand], depth: usize) -> Option<Poly> {
        const DEEPEST: usize = 4;
        // Of this and less than 2^48 elements.
        const SMALL: i128 = 1 << 14;
        let names: Vec<Name> = factors.iter().filter_map(|x| x.name()).collect();
        let constants = factors.iter().filter(|x| x.name().is_none());
        let number = constants.map(|x| self.exact(*x)?.as_constant()).try_fold(1i128, |product, n| {
            Some(product * n.filter(|n| (0..SMALL).contains(n))?).filter(|product| *product < SMALL)
        })?;
        let count = |name: &Name, names: &mut dyn Iterator<Item = Name>| names.filter(|other| other == name).count();
        let are_in = |shape: &Vec<Operand>| {
            let sizes = || shape.iter().filter_map(|size| size.name());
            names.iter().all(|name| count(name, &mut names.iter().copied()) <= count(name, &mut sizes()))
        };
        let are_sizes = match &names[..] {
            [] => true,
            [name] => self.sizes.contains(name),
            _ => self.shapes.iter().any(are_in),
        };
        if are_sizes {
            let meanings = names.iter().map(|name| self.exact((*name).into()));
            return meanings.into_iter().try_fold(Poly::constant(number), |product, x| product.times(&x?));
        }
        // A factor may be a product itself.
        let finer = |at: usize| {
            let (BinOp::Mul, x, y) = self.pending.get(&factors[at].name()?).copied()? else { return None };
            self.product_of_sizes(&[&factors[..at], &[x, y], &factors[at + 1..]].concat(), depth + 1)
        };
        (0..factors.len()).filter(|_| depth < DEEPEST).find_map(finer)
    }

    /// With all meanings that have become known.
    fn unfolded<'a>(&self, poly: &'a Poly, names: Names) -> Cow<'a, Poly> {
        let mut poly = Cow::Borrowed(poly);
        let of_layouts = |name| match names {
            Names::OfLayouts => self.made_of_sizes(name).or_else(|| self.made_of_small(name, 0)),
            Names::OfValues => None,
        };
        for _ in 0..8 {
            let meaning = |name: Name| self.exact.get(&name).cloned().or_else(|| self.not_wrapped(name));
            match poly.replace(|name| meaning(name).or_else(|| of_layouts(name))) {
                Some(next) => poly = Cow::Owned(next),
                None => break,
            }
        }
        poly
    }

    fn range_of(&self, x: Operand) -> Range {
        match x {
            Operand::Const(c) => c.as_i64().map_or(ANY, |n| Range { lo: n, hi: n }),
            Operand::Var(name) => self.ranges.get(&name).copied().unwrap_or(ANY),
        }
    }

    /// Between which values a polynomial lies.
    fn interval(&self, poly: &Poly) -> Option<(i128, i128)> {
        self.interval_by(poly, |name| self.range_of(name.into()))
    }

    /// The same by other ranges of names.
    fn interval_by(&self, poly: &Poly, range_of: impl Fn(Name) -> Range) -> Option<(i128, i128)> {
        let (mut lo, mut hi) = (0i128, 0i128);
        for (product, n) in poly.terms() {
            let (mut a, mut b) = (n, n);
            for name in product {
                let range = range_of(*name);
                let mut ends = [a, a, b, b];
                for (end, factor) in ends.iter_mut().zip([range.lo, range.hi, range.lo, range.hi]) {
                    *end = end.checked_mul(factor.into())?;
                }
                (a, b) = (*ends.iter().min()?, *ends.iter().max()?);
            }
            (lo, hi) = (lo.checked_add(a)?, hi.checked_add(b)?);
        }
        Some((lo, hi))
    }

    // Questions

    pub fn prove_le(&self, a: impl Into<Operand>, b: impl Into<Operand>) -> Answer {
        let (Some(a), Some(b)) = (self.exact(a.into()), self.exact(b.into())) else { return Answer::Unknown };
        if self.proves_nonneg(&b.plus(&a, -1)) {
            Answer::Proved
        } else if self.proves_nonneg(&less_one(a.plus(&b, -1))) {
            Answer::Refuted
        } else {
            Answer::Unknown
        }
    }

    pub fn prove_lt(&self, a: impl Into<Operand>, b: impl Into<Operand>) -> Answer {
        self.prove_le(b, a).not()
    }

    /// Only whether it is proved, which is half the work.
    pub fn proves_le(&self, a: impl Into<Operand>, b: impl Into<Operand>) -> bool {
        let (Some(a), Some(b)) = (self.exact(a.into()), self.exact(b.into())) else { return false };
        self.proves_nonneg(&b.plus(&a, -1))
    }

    /// Only whether it is proved, which is half the work.
    pub fn proves_lt(&self, a: impl Into<Operand>, b: impl Into<Operand>) -> bool {
        let (Some(a), Some(b)) = (self.exact(a.into()), self.exact(b.into())) else { return false };
        self.proves_nonneg(&less_one(b.plus(&a, -1)))
    }

    /// Whether `low * n <= x < high * n` is proved, in integers that do not wrap around.
    pub fn lies_between(&self, x: Operand, low: i128, high: i128, n: Operand) -> bool {
        let (Some(x), Some(n)) = (self.exact(x), self.exact(n)) else { return false };
        let above = n.times_constant(high).and_then(|bound| bound.plus(&x, -1));
        self.proves_nonneg(&x.plus(&n, -low)) && self.proves_nonneg(&less_one(above))
    }

    pub fn nonneg(&self, a: impl Into<Operand>) -> Answer {
        self.prove_le(Operand::i64(0), a)
    }

    pub fn prove_eq(&self, a: impl Into<Operand>, b: impl Into<Operand>) -> Answer {
        let (a, b) = (a.into(), b.into());
        let difference = self.modular(a).zip(self.modular(b)).and_then(|(a, b)| a.plus(&b, -1));
        match difference.and_then(|poly| poly.wrapped().as_constant()) {
            Some(0) => return Answer::Proved,
            Some(_) => return Answer::Refuted,
            None => {}
        }
        // One that is less is at most the other, too.
        match (self.proves_le(a, b), self.proves_le(b, a)) {
            (true, true) => Answer::Proved,
            (true, false) if self.proves_lt(a, b) => Answer::Refuted,
            (false, true) if self.proves_lt(b, a) => Answer::Refuted,
            _ => Answer::Unknown,
        }
    }

    /// Whether a boolean is true.
    pub fn decide(&self, cond: Operand) -> Answer {
        let name = match cond {
            Operand::Const(Scalar::Bool(true)) => return Answer::Proved,
            Operand::Const(Scalar::Bool(false)) => return Answer::Refuted,
            Operand::Const(_) => return Answer::Unknown,
            Operand::Var(name) => name,
        };
        let Some(cond) = self.conds.get(&name).copied() else { return Answer::Unknown };
        kenaz_base::with_stack(|| match cond {
            Cond::Same(x) => self.decide(x),
            Cond::Not(x) => self.decide(x).not(),
            Cond::And(x, y) => match self.decide(x) {
                Answer::Refuted => Answer::Refuted,
                answer => answer.and(self.decide(y)),
            },
            Cond::Or(x, y) => match self.decide(x) {
                Answer::Proved => Answer::Proved,
                answer => answer.not().and(self.decide(y).not()).not(),
            },
            Cond::Cmp(op, x, y) => match op {
                CmpOp::Eq => self.prove_eq(x, y),
                CmpOp::Ne => self.prove_eq(x, y).not(),
                CmpOp::Lt => self.prove_lt(x, y),
                CmpOp::Le => self.prove_le(x, y),
                CmpOp::Gt => self.prove_lt(y, x),
                CmpOp::Ge => self.prove_le(y, x),
            },
        })
    }

    fn proves_nonneg(&self, poly: &Option<Poly>) -> bool {
        const STEPS: u32 = 80;
        let Some(poly) = poly else { return false };
        if let Some(answer) = self.answers.borrow().get(poly) {
            return *answer;
        }
        let answer = self.proves(poly, Names::OfValues, 4, STEPS);
        self.answers.borrow_mut().insert(poly.clone(), answer);
        answer
    }
}

fn negated(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
        CmpOp::Lt => CmpOp::Ge,
        CmpOp::Le => CmpOp::Gt,
        CmpOp::Gt => CmpOp::Le,
        CmpOp::Ge => CmpOp::Lt,
    }
}

fn less_one(poly: Option<Poly>) -> Option<Poly> {
    poly?.plus(&Poly::constant(1), -1)
}
