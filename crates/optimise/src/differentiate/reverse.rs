//! Reverse mode: from the derivatives of the results by some number, those of everything before them.
//!
//! A body is swept twice. The first sweep adds its statements as they are, but for loops, which also keep what their
//! parameters were in each iteration, and values that take long to compute ([`kept`]). The second goes from the last
//! statement to the first, and adds to the *adjoint* of each operand what the adjoint of the results makes of it. What
//! was never added to has no adjoint, and code that nobody's adjoint needs is never made.
//!
//! | operator | its second sweep |
//! |---|---|
//! | scalars | a product with the partial derivative ([`partial`]) |
//! | views | the inverse view, or an addition to a slice |
//! | branches | the same branch over both sweeps of its bodies ([`control`]) |
//! | loops | a loop from the last iteration to the first, over both sweeps of the body ([`loops`]) |
//! | `map` | a map of both sweeps; arrays from outside by accumulators, scalars by sums ([`maps`]) |
//! | `reduce`, `scan` | by operator ([`folds`]) |
//! | `scatter`, `hist`, `filter` | gathering ([`writes`]) |
//! | accumulators | gathering as well ([`accs`]) |
//! | calls | a call of a function that does both sweeps ([`control`]) |

mod accs;
mod adjoint;
mod control;
mod folds;
mod kept;
mod loops;
mod maps;
mod sizes;
mod split;
mod stripmine;
mod strips;
mod writes;

use super::arrays::{named, reversed, slice_at, sum_of, zero};
use super::partial::{self, Way};
use super::{Cx, Derived, activity};
use adjoint::Adj;
use kenaz_base::{Prim, with_stack};
use kenaz_ir::{Attrs, BinOp, Body, DimSlice, Exp, Lambda, Name, Operand, Soac, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Adds the statements of the body and those of its second sweep; gives the adjoints of the parameters.
pub(super) fn back(cx: &mut Cx, body: &Body, params: &[Option<Name>], seeds: &[Operand]) -> Derived<Vec<Operand>> {
    let mut active: FxHashSet<Name> = params.iter().flatten().copied().collect();
    activity::spread(&cx.b, body, &mut active);
    let mut reverse = Reverse::new(cx, active);
    reverse.both_sweeps(body, seeds.iter().map(|x| Some(*x)).collect())?;
    let loc = reverse.cx.b.loc;
    reverse.at(loc, &[]);
    let mut out = Vec::new();
    for p in params {
        out.push(match p {
            Some(p) => reverse.adjoint_or_zero(*p),
            None => Operand::i64(0),
        });
    }
    Ok(out)
}

pub(super) struct Reverse<'a> {
    cx: &'a mut Cx,
    active: FxHashSet<Name>,
    adjoints: FxHashMap<Name, Adj>,
    /// For accumulators by their tokens: the adjoints of their arrays. They are not made in the first sweep.
    gathered: FxHashMap<Name, accs::Gathered>,
    /// Values computed in maps that the first sweep has kept: arrays of them.
    known: FxHashMap<Name, Name>,
    /// Those that are parameters by now.
    bound: FxHashSet<Name>,
    /// How many maps and loops there are around.
    depth: usize,
}

/// A statement that was added in the first sweep, with what the second needs besides.
enum Step {
    Plain(Stm),
    Loop(Stm, loops::Kept),
    Filter(Stm, Name),
}

impl Reverse<'_> {
    fn new(cx: &mut Cx, active: FxHashSet<Name>) -> Reverse<'_> {
        Reverse {
            cx,
            active,
            adjoints: FxHashMap::default(),
            gathered: FxHashMap::default(),
            known: FxHashMap::default(),
            bound: FxHashSet::default(),
            depth: 0,
        }
    }

    /// Says where the statements to come are from.
    fn at(&mut self, loc: kenaz_ir::LocId, certs: &[Name]) {
        (self.cx.b.loc, self.cx.b.certs, self.cx.b.attrs) = (loc, certs.to_vec(), Attrs::default());
    }

    fn is_active(&self, x: Operand) -> bool {
        x.name().is_some_and(|name| self.active.contains(&name))
    }

    /// Both sweeps of a body whose results have these adjoints.
    fn both_sweeps(&mut self, body: &Body, seeds: Vec<Option<Operand>>) -> Derived {
        let steps = self.first_sweep(&body.stms)?;
        for (x, seed) in body.results.iter().zip(seeds) {
            if let Some(seed) = seed {
                self.add(*x, seed);
            }
        }
        self.second_sweep(steps)
    }

    /// Statements that compute again what has been computed already, only to have their adjoints: `seeds` are those of
    /// some of their results.
    fn replay(&mut self, stms: Vec<Stm>, seeds: Vec<(Name, Operand)>) -> Derived {
        let (loc, certs) = (self.cx.b.loc, self.cx.b.certs.clone());
        let body = Body { stms, results: Vec::new() };
        activity::spread(&self.cx.b, &body, &mut self.active);
        let steps = self.first_sweep(&body.stms)?;
        self.at(loc, &certs);
        for (x, seed) in seeds {
            self.add(x.into(), seed);
        }
        self.second_sweep(steps)
    }

    /// Adds statements, and gives what the second sweep has to know about them.
    fn first_sweep(&mut self, stms: &[Stm]) -> Derived<Vec<Step>> {
        let (loc, certs) = (self.cx.b.loc, self.cx.b.certs.clone());
        let steps = self.first_sweep_at(stms);
        self.at(loc, &certs);
        steps
    }

    fn first_sweep_at(&mut self, stms: &[Stm]) -> Derived<Vec<Step>> {
        with_stack(|| {
            let mut steps = Vec::new();
            for stm in stms {
                if let Some(step) = self.known_step(stm) {
                    steps.extend(step);
                    continue;
                }
                if !self.is_concerned(stm) {
                    self.cx.b.push(stm.clone());
                    continue;
                }
                for stm in self.split(stm)? {
                    if !self.is_concerned(&stm) {
                        self.cx.b.push(stm);
                        continue;
                    }
                    self.at(stm.loc, &stm.certs);
                    match &stm.exp {
                        Exp::Loop { .. } => steps.push(self.keep(&stm)?),
                        Exp::Soac(Soac::Filter { .. }) => steps.push(self.filter_with_places(&stm)),
                        _ => {
                            if let Some(stm) = self.without_gathered(&stm) {
                                self.add_map(&stm);
                            }
                            steps.push(Step::Plain(stm));
                        }
                    }
                }
            }
            Ok(steps)
        })
    }

    /// Whether a statement computes something active, or adds to an accumulator that is.
    fn is_concerned(&self, stm: &Stm) -> bool {
        stm.pat.iter().any(|p| match &p.ty {
            Type::Acc { token, .. } => self.active.contains(token) || self.gathered.contains_key(token),
            _ => self.active.contains(&p.name),
        })
    }

    fn second_sweep(&mut self, steps: Vec<Step>) -> Derived {
        let (loc, certs) = (self.cx.b.loc, self.cx.b.certs.clone());
        let done = self.second_sweep_at(steps);
        self.at(loc, &certs);
        done
    }

    fn second_sweep_at(&mut self, steps: Vec<Step>) -> Derived {
        with_stack(|| {
            for step in steps.into_iter().rev() {
                match step {
                    Step::Plain(stm) => {
                        self.at(stm.loc, &stm.certs);
                        self.stm(&stm)?;
                    }
                    Step::Loop(stm, kept) => {
                        self.at(stm.loc, &stm.certs);
                        self.loop_back(&stm, kept)?;
                    }
                    Step::Filter(stm, places) => {
                        self.at(stm.loc, &stm.certs);
                        self.filter_back(&stm, places)?;
                    }
                }
            }
            Ok(())
        })
    }

    /// The second sweep of a statement.
    fn stm(&mut self, stm: &Stm) -> Derived {
        match &stm.exp {
            Exp::If(..) | Exp::Match(..) => return self.branches_back(stm),
            Exp::Call(f, args) => return self.call_back(stm, *f, args),
            Exp::Soac(soac) => return self.soac(stm, soac),
            Exp::Loop { .. } => return Err("a loop of which nothing is known"),
            Exp::Mem(_) | Exp::Par(_) => return Err("an operator of a later stage"),
            Exp::Jvp(..) | Exp::Vjp(..) => return Err("a derivative that cannot be expanded itself"),
            _ => {}
        }
        let Some(bar) = self.take(stm.pat[0].name) else { return Ok(()) };
        let p: Operand = stm.pat[0].name.into();
        match &stm.exp {
            exp @ (Exp::Un(..) | Exp::Bin(..) | Exp::Conv(..) | Exp::Math(..)) => {
                for (k, x) in partial::operands(exp).into_iter().enumerate() {
                    if self.is_active(x) && partial::depends(&self.cx.b, exp, k) {
                        let part = partial::push(&mut self.cx.b, exp, p, k, bar, Way::Back);
                        self.add(x, part);
                    }
                }
            }
            Exp::Operand(x) | Exp::Opaque(x) | Exp::Trace(_, x) => self.add(*x, bar),
            Exp::Index(a, index) => {
                let ty = self.cx.b.type_of(*a);
                self.add_at(*a, &slice_at(&ty, index), bar);
            }
            Exp::Slice(a, dims) => self.add_at(*a, dims, bar),
            Exp::Update(a, dims, v) => {
                let bar = named(&mut self.cx.b, bar);
                if self.is_active(*v) {
                    let part = match all_fixed(dims) {
                        Some(index) => self.cx.b.index(bar, index),
                        None => self.cx.b.slice(bar, dims.clone()).into(),
                    };
                    self.add(*v, part);
                }
                if self.is_active((*a).into()) {
                    let ty = self.cx.b.type_of(*v);
                    let nothing = zero(&mut self.cx.b, &ty);
                    let rest = self.cx.b.update(bar, dims.clone(), nothing);
                    self.add((*a).into(), rest.into());
                }
            }
            Exp::Array(elems, _) => {
                let bar = named(&mut self.cx.b, bar);
                for (i, x) in elems.iter().enumerate() {
                    if self.is_active(*x) {
                        let part = self.cx.b.index(bar, vec![Operand::i64(i as i64)]);
                        self.add(*x, part);
                    }
                }
            }
            Exp::Iota { len, start, stride, prim } => self.iota_back(*len, *start, *stride, *prim, bar),
            Exp::Replicate(dims, x) => {
                let mut part = bar;
                for _ in dims {
                    let array = named(&mut self.cx.b, part);
                    part = sum_of(&mut self.cx.b, array);
                }
                self.add(*x, part);
            }
            Exp::Concat(_, arrays) => {
                let bar = named(&mut self.cx.b, bar);
                let mut start = Operand::i64(0);
                for a in arrays {
                    let ty = self.cx.b.type_of(*a);
                    let len = ty.dims()[0];
                    if self.is_active((*a).into()) {
                        let mut dims = slice_at(&ty, &[]);
                        dims[0] = DimSlice::Range { start, len, stride: Operand::i64(1) };
                        let part = self.cx.b.slice(bar, dims);
                        self.add((*a).into(), part.into());
                    }
                    start = self.cx.b.bin(BinOp::Add, start, len);
                }
            }
            Exp::Rearrange(perm, a) => {
                let bar = named(&mut self.cx.b, bar);
                let mut inverse = vec![0; perm.len()];
                for (to, from) in perm.iter().enumerate() {
                    inverse[*from] = to;
                }
                let part = self.cx.b.let_infer("turned", Exp::Rearrange(inverse, bar));
                self.add((*a).into(), part.into());
            }
            Exp::Reshape(_, a) => {
                let bar = named(&mut self.cx.b, bar);
                let dims = self.cx.b.type_of(*a).dims().to_vec();
                let part = self.cx.b.let_infer("shaped", Exp::Reshape(dims, bar));
                self.add((*a).into(), part.into());
            }
            Exp::Resize(_, a) => {
                let bar = named(&mut self.cx.b, bar);
                let dims = self.cx.b.type_of(*a).dims().to_vec();
                let part = self.cx.b.let_infer("sized", Exp::Resize(dims, bar));
                self.add((*a).into(), part.into());
            }
            Exp::Copy(a) => self.add((*a).into(), bar),
            Exp::FlatIndex(a, offset, dims) => {
                let bar = named(&mut self.cx.b, bar);
                self.add_flat(*a, *offset, dims, bar)?;
            }
            Exp::FlatUpdate(a, offset, strides, v) => {
                let bar = named(&mut self.cx.b, bar);
                let ty = self.cx.b.type_of(*v);
                if self.is_active((*v).into()) {
                    let dims = ty.dims().iter().copied().zip(strides.iter().copied()).collect();
                    let part = self.cx.b.let_infer("part", Exp::FlatIndex(bar, *offset, dims));
                    self.add((*v).into(), part.into());
                }
                if self.is_active((*a).into()) {
                    let nothing = zero(&mut self.cx.b, &ty);
                    let nothing = named(&mut self.cx.b, nothing);
                    let rest = self.cx.b.let_infer("rest", Exp::FlatUpdate(bar, *offset, strides.clone(), nothing));
                    self.add((*a).into(), rest.into());
                }
            }
            Exp::Cmp(..) | Exp::Assert(..) | Exp::Scratch(..) | Exp::Tunable(_) => {}
            Exp::If(..) | Exp::Match(..) | Exp::Loop { .. } | Exp::Call(..) | Exp::Soac(_) => {}
            Exp::Mem(_) | Exp::Par(_) | Exp::Jvp(..) | Exp::Vjp(..) => {}
        }
        Ok(())
    }

    fn iota_back(&mut self, len: Operand, start: Operand, stride: Operand, prim: Prim, bar: Operand) {
        let bar = named(&mut self.cx.b, bar);
        if self.is_active(start) {
            let part = sum_of(&mut self.cx.b, bar);
            self.add(start, part);
        }
        if self.is_active(stride) {
            let (zero, one) = (super::arrays::number(prim, 0), super::arrays::number(prim, 1));
            let steps = self.cx.b.let_infer("steps", Exp::Iota { len, start: zero, stride: one, prim });
            let ty = Type::Prim(prim);
            let times = self.cx.b.lambda_over(&[ty.clone(), ty], |b, xs| vec![b.bin(BinOp::Mul, xs[0], xs[1])]);
            let parts = self.cx.b.map(len, vec![steps, bar], times);
            let part = sum_of(&mut self.cx.b, parts[0]);
            self.add(stride, part);
        }
    }

    fn soac(&mut self, stm: &Stm, soac: &Soac) -> Derived {
        match soac {
            Soac::Screma { width, arrays, map, scans, reduces, post } => match (&scans[..], &reduces[..], post) {
                ([], [], None) => self.map_back(stm, *width, arrays, map),
                ([scan], [], None) => self.scan_back(stm, *width, arrays, scan),
                ([], [reduce], None) => self.reduce_back(stm, *width, arrays, reduce),
                _ => Err("an operator that was not split"),
            },
            Soac::Filter { .. } => Err("a filter of which nothing is known"),
            Soac::Scatter { width, arrays, dests, .. } => self.scatter_back(stm, *width, arrays, dests),
            Soac::Hist { width, arrays, ops, .. } => self.hist_back(stm, *width, arrays, ops),
            Soac::WithAcc { inputs, body } => self.with_acc_back(stm, inputs, body),
            Soac::UpdateAcc { acc, index, values } => self.update_acc_back(*acc, index, values),
        }
    }

    /// A copy of a lambda with new names.
    fn copy(&mut self, lambda: &Lambda) -> Lambda {
        self.cx.copy(lambda, &mut self.active)
    }

    /// The rows of an array from the last to the first.
    fn reversed(&mut self, array: Name) -> Name {
        reversed(&mut self.cx.b, array)
    }
}

/// The indices of a slice that is one element.
fn all_fixed(dims: &[DimSlice]) -> Option<Vec<Operand>> {
    let fixed = |dim: &DimSlice| match dim {
        DimSlice::Fix(i) => Some(*i),
        DimSlice::Range { .. } => None,
    };
    dims.iter().map(fixed).collect()
}
