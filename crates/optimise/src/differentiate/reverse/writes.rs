//! Writes to places that are computed: scatters, histograms and filters.
//!
//! What was written to a place has the adjoint of that place. A histogram depends on its operator:
//!
//! | operator | |
//! |---|---|
//! | `+` | every value gets the adjoint of its place |
//! | `*` of floats | the product of the other values of its place |
//! | `min`, `max` | the first value that the result is |
//! | `map2 op` | a map of histograms of columns |
//! | general | a loop over the values, which keeps what they meet |

use super::super::arrays::{in_range, index_or_zero, named, number, select, slice_at, zero};
use super::super::{Declare, Derived};
use super::folds::{deep_built_in, vectorised};
use super::{Reverse, Step};
use kenaz_base::Prim;
use kenaz_ir::visit::instantiate;
use kenaz_ir::{
    BinOp, Body, Builder, CmpOp, Exp, HistOp, Lambda, LoopForm, Name, Operand, Param, Reduce, ScatterDest, Soac, Stm,
    Type,
};

impl Reverse<'_> {
    /// For each of some places, what is there in an array, or zero outside of it.
    fn gather(&mut self, width: Operand, places: &[Name], from: Name) -> Name {
        let types = vec![Type::I64; places.len()];
        let map = self.cx.b.lambda_over(&types, |b, index| vec![index_or_zero(b, from, index)]);
        self.cx.b.map(width, places.to_vec(), map)[0]
    }

    /// An array with zeros at some places.
    fn cleared(&mut self, width: Operand, places: &[Name], array: Name) -> Name {
        let row = self.cx.b.type_of(array).row(places.len());
        let types = vec![Type::I64; places.len()];
        let map = self.cx.b.lambda_over(&types, |b, index| {
            let mut out = index.to_vec();
            out.push(zero(b, &row));
            out
        });
        let dests = vec![ScatterDest { array, rank: places.len() }];
        let soac = Soac::Scatter { width, arrays: places.to_vec(), map, dests };
        self.cx.b.let_infer("cleared", Exp::Soac(soac))
    }

    pub(super) fn scatter_back(
        &mut self,
        stm: &Stm,
        width: Operand,
        arrays: &[Name],
        dests: &[ScatterDest],
    ) -> Derived {
        let indices: usize = dests.iter().map(|d| d.rank).sum();
        let mut places = &arrays[..indices];
        for ((p, dest), value) in stm.pat.iter().zip(dests).zip(&arrays[indices..]) {
            let (own, others) = places.split_at(dest.rank);
            places = others;
            let Some(bar) = self.take(p.name) else { continue };
            let bar = named(&mut self.cx.b, bar);
            if self.is_active((*value).into()) {
                let part = self.gather(width, own, bar);
                self.add((*value).into(), part.into());
            }
            if self.is_active(dest.array.into()) {
                let rest = self.cleared(width, own, bar);
                self.add(dest.array.into(), rest.into());
            }
        }
        Ok(())
    }

    pub(super) fn filter_with_places(&mut self, stm: &Stm) -> Step {
        let Exp::Soac(Soac::Filter { width, arrays, pred }) = &stm.exp else { return Step::Plain(stm.clone()) };
        let places = self.cx.b.iota(*width);
        let place = self.cx.b.param("place", Type::I64);
        let mut pred = pred.clone();
        if pred.ret.len() > 1 {
            pred.ret.push(Type::I64);
            pred.body.results.push(place.name.into());
        }
        pred.params.push(place);
        let mut pat = stm.pat.clone();
        let kept = self.cx.b.param("places", Type::Array(vec![pat[0].name.into()], Prim::I64));
        let name = kept.name;
        pat.push(kept);
        let arrays = arrays.iter().copied().chain([places]).collect();
        let soac = Soac::Filter { width: *width, arrays, pred };
        self.cx.b.push(Stm { pat, exp: Exp::Soac(soac), ..stm.clone() });
        Step::Filter(stm.clone(), name)
    }

    pub(super) fn filter_back(&mut self, stm: &Stm, places: Name) -> Derived {
        let Exp::Soac(Soac::Filter { width, arrays, pred }) = &stm.exp else { return Ok(()) };
        let count: Operand = stm.pat[0].name.into();
        let mut parts = Vec::new();
        for p in &stm.pat[1..] {
            let Some(Operand::Var(bar)) = self.take(p.name) else {
                parts.push(None);
                continue;
            };
            let row = p.ty.row(1);
            let whole = zero(&mut self.cx.b, &row.array_of(*width));
            let array = named(&mut self.cx.b, whole);
            let map = self.cx.b.identity(&[Type::I64, row]);
            let dests = vec![ScatterDest { array, rank: 1 }];
            let soac = Soac::Scatter { width: count, arrays: vec![places, bar], map, dests };
            parts.push(Some(self.cx.b.let_infer("spread", Exp::Soac(soac))));
        }
        if pred.ret.len() == 1 {
            for (array, part) in arrays.iter().zip(parts) {
                if let Some(part) = part {
                    self.add((*array).into(), part.into());
                }
            }
            return Ok(());
        }
        // The values are those of a map.
        let mut map = self.copy(pred);
        map.body.results.remove(0);
        map.ret.remove(0);
        self.cx.b.begin();
        let names = self.cx.b.map(*width, arrays.clone(), map);
        let stms = self.cx.b.end(Vec::new()).stms;
        let seeds = names.into_iter().zip(parts).filter_map(|(name, part)| Some((name, part?.into()))).collect();
        self.replay(stms, seeds)
    }

    pub(super) fn hist_back(&mut self, stm: &Stm, width: Operand, arrays: &[Name], ops: &[HistOp]) -> Derived {
        let indices: usize = ops.iter().map(|op| op.rank).sum();
        let (mut places, mut values) = arrays.split_at(indices);
        let mut pats = &stm.pat[..];
        for op in ops {
            let (own_places, others) = places.split_at(op.rank);
            places = others;
            let (own, others) = values.split_at(op.dests.len());
            values = others;
            let (pat, others) = pats.split_at(op.dests.len());
            pats = others;
            let bars: Vec<Option<Operand>> = pat.iter().map(|p| self.take(p.name)).collect();
            if bars.iter().any(Option::is_some) {
                let results: Vec<Name> = pat.iter().map(|p| p.name).collect();
                self.hist_op_back(&Hist { width, places: own_places, values: own, op, results: &results }, &bars)?;
            }
        }
        Ok(())
    }

    fn hist_op_back(&mut self, hist: &Hist<'_>, bars: &[Option<Operand>]) -> Derived {
        let Hist { width, places, values, op, results } = *hist;
        if deep_built_in(&op.op).is_some_and(|ops| ops.iter().all(|op| *op == BinOp::Add)) {
            for ((value, dest), bar) in values.iter().zip(&op.dests).zip(bars) {
                let Some(Operand::Var(bar)) = bar else { continue };
                self.add((*dest).into(), (*bar).into());
                if self.is_active((*value).into()) {
                    let part = self.gather(width, places, *bar);
                    self.add((*value).into(), part.into());
                }
            }
            return Ok(());
        }
        if let Some(ops) = op.op.built_in() {
            let is_easy = |(op, prim): &(BinOp, Prim)| {
                matches!(op, BinOp::Min | BinOp::Max) || *op == BinOp::Mul && prim.is_float()
            };
            if ops.iter().all(|one| is_easy(one) || one.0 == BinOp::Add) {
                for (i, (kind, prim)) in ops.into_iter().enumerate() {
                    let Some(Operand::Var(bar)) = bars[i] else { continue };
                    let (value, dest) = (values[i], op.dests[i]);
                    match kind {
                        BinOp::Mul => {
                            let result = results[i];
                            self.hist_product_back(width, places, Product { value, dest, result, prim, bar });
                        }
                        BinOp::Add => {
                            self.add(dest.into(), bar.into());
                            let part = self.gather(width, places, bar);
                            self.add(value.into(), part.into());
                        }
                        _ => self.hist_extreme_back(width, places, (value, dest, results[i]), bar),
                    }
                }
                return Ok(());
            }
        }
        if let Some(inner) = vectorised(&op.op)
            && op.rank == 1
        {
            return self.hist_columns_back(hist, inner, bars);
        }
        self.hist_as_loop(hist, bars)
    }

    /// A product in each place: the product of all others. Where nothing is zero, that is a quotient of the result.
    fn hist_product_back(&mut self, width: Operand, places: &[Name], of: Product) {
        let Product { value, dest, result, prim, bar } = of;
        let is_dest_active = self.is_active(dest.into());
        let b = &mut self.cx.b;
        let types = [b.type_of(dest), b.type_of(value)];
        let dims = types[0].dims().to_vec();
        let mut has_zero = has_zero(b, value);
        if is_dest_active {
            let other = self::has_zero(b, dest);
            has_zero = b.bin(BinOp::Or, has_zero, other);
        }
        let yes = b.body(|b| products_with_zeros(b, width, places, &of));
        let no = b.body(|b| {
            let times = |b: &mut Builder, xs: &[Operand]| vec![b.bin(BinOp::Mul, xs[0], xs[1])];
            let by = |b: &mut Builder, xs: &[Operand]| vec![b.bin(BinOp::Div, xs[0], xs[1])];
            let scaled = deep_map(b, &dims, vec![bar, result], &mut |b, xs| times(b, xs))[0];
            let to_dest = deep_map(b, &dims, vec![scaled, dest], &mut |b, xs| by(b, xs))[0];
            let types: Vec<Type> = places.iter().map(|_| Type::I64).chain([Type::Prim(prim)]).collect();
            let map = b.lambda_over(&types, |b, xs| {
                let scaled = index_or_zero(b, scaled, &xs[..places.len()]);
                by(b, &[scaled, xs[places.len()]])
            });
            let arrays = places.iter().copied().chain([value]).collect();
            vec![to_dest.into(), b.map(width, arrays, map)[0].into()]
        });
        let parts = b.if_(has_zero, yes, no, types.to_vec());
        self.add(dest.into(), parts[0].into());
        self.add(value.into(), parts[1].into());
    }

    /// The least or greatest value in each place: the first one that it is, counting what was there before. So a
    /// histogram of the numbers of values that the result is; where one of these ends up, it has the adjoint of the
    /// place.
    fn hist_extreme_back(
        &mut self,
        width: Operand,
        places: &[Name],
        (value, dest, result): (Name, Name, Name),
        bar: Name,
    ) {
        let b = &mut self.cx.b;
        let ty = b.type_of(value).row(1);
        let dims = b.type_of(dest).dims().to_vec();
        let nothing = number(ty.prim().unwrap_or(Prim::F64), 0);
        let (before, nobody) = (Operand::i64(-1), Operand::i64(i64::MAX));
        let numbers = b.iota(width);
        let start = deep_map(b, &dims, vec![dest, result], &mut |b, xs| {
            let is_old = b.cmp(CmpOp::Eq, xs[0], xs[1]);
            vec![select(b, is_old, before, nobody)]
        });
        let rank = places.len();
        let mut types = vec![Type::I64; rank];
        types.extend([ty.clone(), Type::I64]);
        let map = b.lambda_over(&types, |b, xs| {
            let index = &xs[..rank];
            let is_inside = in_range(b, index, &dims);
            let yes = b.body(|b| {
                let best = b.index(result, index.to_vec());
                let is_best = b.cmp(CmpOp::Eq, best, xs[rank]);
                vec![select(b, is_best, index[0], before)]
            });
            let no = b.body(|_| vec![before]);
            let place = b.if_(is_inside, yes, no, vec![Type::I64])[0];
            [&[place.into()], &index[1..], &[xs[rank + 1]]].concat()
        });
        let least = b.lambda_over(&[Type::I64, Type::I64], |b, xs| vec![b.bin(BinOp::Min, xs[0], xs[1])]);
        let op = HistOp { dests: start, rank, op: least, neutral: vec![nobody] };
        let arrays: Vec<Name> = places.iter().copied().chain([value, numbers]).collect();
        let winners = b.let_infer("winners", Exp::Soac(Soac::Hist { width, arrays, map, ops: vec![op] }));
        let to_dest = deep_map(b, &dims, vec![bar, winners], &mut |b, xs| {
            let is_old = b.cmp(CmpOp::Eq, xs[1], before);
            vec![select(b, is_old, xs[0], nothing)]
        });
        let count = dims.iter().skip(1).fold(dims[0], |all, n| b.bin(BinOp::Mul, all, *n));
        let flat: Vec<Name> = match dims.len() {
            1 => vec![winners, bar],
            _ => [winners, bar].map(|a| b.let_infer("flat", Exp::Reshape(vec![count], a))).to_vec(),
        };
        let whole = zero(b, &ty.array_of(width));
        let array = named(b, whole);
        let map = b.identity(&[Type::I64, ty]);
        let dests = vec![ScatterDest { array, rank: 1 }];
        let to_value = b.let_infer("spread", Exp::Soac(Soac::Scatter { width: count, arrays: flat, map, dests }));
        self.add(dest.into(), to_dest[0].into());
        self.add(value.into(), to_value.into());
    }

    /// A map over the columns of values and destinations.
    fn hist_columns_back(&mut self, hist: &Hist<'_>, inner: &Lambda, bars: &[Option<Operand>]) -> Derived {
        let Hist { width, places, values, op, .. } = *hist;
        let k = values.len();
        self.cx.b.begin();
        let mut turned: Vec<Name> = values.iter().chain(&op.dests).map(|a| self.turned(*a)).collect();
        turned.extend(op.neutral.iter().filter_map(|x| x.name()));
        let columns = self.cx.b.type_of(turned[0]).dims()[0];
        let params = self.columns(&turned);
        self.cx.b.begin();
        let mut arrays = places.to_vec();
        arrays.extend(params[..k].iter().map(|p| p.name));
        let types: Vec<Type> = arrays.iter().map(|a| self.cx.b.type_of(*a).row(1)).collect();
        let map = self.cx.b.identity(&types);
        let dests = params[k..2 * k].iter().map(|p| p.name).collect();
        let neutral = params[2 * k..].iter().map(|p| p.name.into()).collect();
        let inner = self.copy(inner);
        let ops = vec![HistOp { dests, rank: op.rank, op: inner, neutral }];
        let names = self.cx.b.let_infer_all("column", Exp::Soac(Soac::Hist { width, arrays, map, ops }));
        let body = self.cx.b.end(names.into_iter().map(Operand::Var).collect());
        let ret = body.results.iter().map(|x| self.cx.b.type_of(*x)).collect();
        let names = self.cx.b.map(columns, turned, Lambda { params, body, ret });
        let names: Vec<Name> = names.into_iter().map(|name| self.turned(name)).collect();
        let stms = self.cx.b.end(Vec::new()).stms;
        let seeds = names.into_iter().zip(bars).filter_map(|(name, bar)| Some((name, (*bar)?))).collect();
        self.replay(stms, seeds)
    }

    /// One value after the other, on what the operator makes of each destination and the neutral element: so also where
    /// no value comes the derivative is that of the operator.
    fn hist_as_loop(&mut self, hist: &Hist<'_>, bars: &[Option<Operand>]) -> Derived {
        let Hist { width, places, values, op, .. } = *hist;
        self.cx.b.begin();
        let shape = self.cx.b.type_of(op.dests[0]).dims()[..op.rank].to_vec();
        let dests = deep_map(&mut self.cx.b, &shape, op.dests.clone(), &mut |b, xs| {
            let args: Vec<Operand> = xs.iter().chain(&op.neutral).copied().collect();
            let body = instantiate(&op.op.params, &op.op.body, &args, &mut b.fresh);
            Declare(b).declare_body(&body);
            b.splice(body)
        });
        let i = self.cx.b.name("i", Type::I64);
        let types: Vec<Type> = op.dests.iter().map(|d| self.cx.b.type_of(*d)).collect();
        let params: Vec<Param> = types.iter().map(|ty| self.cx.b.param("dest", ty.clone())).collect();
        self.cx.b.begin();
        let index: Vec<Operand> = places.iter().map(|a| self.cx.b.index(*a, vec![i.into()])).collect();
        let is_inside = in_range(&mut self.cx.b, &index, types[0].dims());
        // A value for no place stays away from the first one, so that the loop does nothing but update.
        let index: Vec<Operand> =
            index.into_iter().map(|i| select(&mut self.cx.b, is_inside, i, Operand::i64(0))).collect();
        let old: Vec<Operand> = params.iter().map(|p| self.cx.b.index(p.name, index.clone())).collect();
        let rows: Vec<Type> = old.iter().map(|x| self.cx.b.type_of(*x)).collect();
        self.cx.b.begin();
        let mut args = old.clone();
        args.extend(values.iter().map(|a| self.cx.b.index(*a, vec![i.into()])));
        let next = self.apply(&op.op, &args);
        let yes = self.cx.b.end(next);
        let no = Body { stms: Vec::new(), results: old };
        let next = self.cx.b.if_(is_inside, yes, no, rows);
        let mut after = Vec::new();
        for (p, x) in params.iter().zip(next) {
            after.push(self.cx.b.update(p.name, slice_at(&p.ty, &index), x).into());
        }
        let body = self.cx.b.end(after);
        // There is no first place in an empty array.
        let mut count = width;
        for n in &types[0].dims()[..op.rank] {
            let is_empty = self.cx.b.cmp(CmpOp::Eq, *n, Operand::i64(0));
            count = select(&mut self.cx.b, is_empty, Operand::i64(0), count);
        }
        let width = count;
        let params = params.into_iter().zip(dests.into_iter().map(Operand::Var)).collect();
        let exp = Exp::Loop { params, form: LoopForm::For(i, Prim::I64, width), body };
        let names = self.cx.b.let_types("hist", exp, types);
        let stms = self.cx.b.end(Vec::new()).stms;
        let seeds = names.into_iter().zip(bars).filter_map(|(name, bar)| Some((name, (*bar)?))).collect();
        self.replay(stms, seeds)
    }
}

/// One operator of a histogram, with what it is applied to.
#[derive(Clone, Copy)]
struct Hist<'a> {
    width: Operand,
    places: &'a [Name],
    values: &'a [Name],
    op: &'a HistOp,
    results: &'a [Name],
}

/// Products in places.
#[derive(Clone, Copy)]
struct Product {
    value: Name,
    dest: Name,
    result: Name,
    prim: Prim,
    bar: Name,
}

/// Whether an element of an array is zero.
fn has_zero(b: &mut Builder, array: Name) -> Operand {
    let ty = b.type_of(array);
    let nothing = number(ty.prim().unwrap_or(Prim::F64), 0);
    let is_outermost = ty.rank() == 1;
    let map = b.lambda_over(&[ty.row(1)], |b, xs| match xs[0] {
        Operand::Var(row) if !is_outermost => vec![has_zero(b, row)],
        x => vec![b.cmp(CmpOp::Eq, x, nothing)],
    });
    let op = b.lambda_over(&[Type::BOOL, Type::BOOL], |b, xs| vec![b.bin(BinOp::Or, xs[0], xs[1])]);
    let reduces = vec![Reduce { op, neutral: vec![Operand::bool(false)], commutative: true }];
    let soac = Soac::Screma { width: ty.dims()[0], arrays: vec![array], map, scans: Vec::new(), reduces, post: None };
    b.let_infer("zero", Exp::Soac(soac)).into()
}

/// The products of all others in each place, which may be zero: for destinations and values.
fn products_with_zeros(b: &mut Builder, width: Operand, places: &[Name], of: &Product) -> Vec<Operand> {
    let Product { value, dest, prim, bar, .. } = *of;
    let (nothing, one) = (number(prim, 0), number(prim, 1));
    let dims = b.type_of(dest).dims().to_vec();
    let ty = Type::Prim(prim);
    // How many zeros, and the product of the rest: of the destination, then with all values.
    let parts = |b: &mut Builder, x: Operand| {
        let is_zero = b.cmp(CmpOp::Eq, x, nothing);
        [select(b, is_zero, Operand::i64(1), Operand::i64(0)), select(b, is_zero, one, x)]
    };
    let start = deep_map(b, &dims, vec![dest], &mut |b, xs| parts(b, xs[0]).to_vec());
    let rank = places.len();
    let mut types = vec![Type::I64; rank];
    types.push(ty.clone());
    let map = b.lambda_over(&types, |b, xs| {
        let [count, factor] = parts(b, xs[rank]);
        let twice: Vec<Operand> = xs[..rank].iter().chain(&xs[..rank]).copied().collect();
        twice.into_iter().chain([count, factor]).collect()
    });
    let counting = super::super::arrays::plus_lambda(b, &Type::I64);
    let multiplying = b.lambda_over(&[ty.clone(), ty], |b, xs| vec![b.bin(BinOp::Mul, xs[0], xs[1])]);
    let ops = vec![
        HistOp { dests: vec![start[0]], rank, op: counting, neutral: vec![Operand::i64(0)] },
        HistOp { dests: vec![start[1]], rank, op: multiplying, neutral: vec![one] },
    ];
    let arrays: Vec<Name> = places.iter().copied().chain([value]).collect();
    let found = b.let_infer_all("found", Exp::Soac(Soac::Hist { width, arrays: arrays.clone(), map, ops }));
    let (zeros, products) = (found[0], found[1]);
    let share = |b: &mut Builder, x: Operand, bar: Operand, zeros: Operand, product: Operand| {
        let is_zero = b.cmp(CmpOp::Eq, x, nothing);
        let scaled = b.bin(BinOp::Mul, bar, product);
        let other = select(b, is_zero, one, x);
        let quotient = b.bin(BinOp::Div, scaled, other);
        let none = b.cmp(CmpOp::Eq, zeros, Operand::i64(0));
        let single = b.cmp(CmpOp::Eq, zeros, Operand::i64(1));
        let without = select(b, none, quotient, nothing);
        let alone = select(b, single, scaled, nothing);
        select(b, is_zero, alone, without)
    };
    let to_dest =
        deep_map(b, &dims, vec![dest, bar, zeros, products], &mut |b, xs| vec![share(b, xs[0], xs[1], xs[2], xs[3])]);
    let map = b.lambda_over(&types, |b, xs| {
        let index = &xs[..rank];
        let [bar, zeros, products] = [bar, zeros, products].map(|a| index_or_zero(b, a, index));
        vec![share(b, xs[rank], bar, zeros, products)]
    });
    let to_value = b.map(width, arrays, map);
    vec![to_dest[0].into(), to_value[0].into()]
}

/// A function of scalars on all elements of arrays of this shape.
fn deep_map(
    b: &mut Builder,
    dims: &[Operand],
    arrays: Vec<Name>,
    f: &mut dyn FnMut(&mut Builder, &[Operand]) -> Vec<Operand>,
) -> Vec<Name> {
    let rows: Vec<Type> = arrays.iter().map(|a| b.type_of(*a).row(1)).collect();
    let map = b.lambda_over(&rows, |b, xs| match dims {
        [_, inner @ ..] if !inner.is_empty() => {
            let names = xs.iter().filter_map(|x| x.name()).collect();
            deep_map(b, inner, names, f).into_iter().map(Operand::Var).collect()
        }
        _ => f(b, xs),
    });
    b.map(dims[0], arrays, map)
}
