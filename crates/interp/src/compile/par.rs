//! `par`, whatever its level, as a nest of loops of instructions.

use super::control::Counter;
use super::soac::Output;
use super::{Code, Compiler, Context, Live};
use crate::array::Cell;
use crate::code::{ArrayOp, DimCode, Inst, Place, Reg, Slot};
use kenaz_ir::visit::{bound_in_body, free_in_body, free_in_lambda};
use kenaz_ir::{Form, Lambda, LocId, OpKind, Operand, Par, ParOp};

/// Where a result of a form is made.
enum Made {
    Builder(Output),
    /// In the place of the result, with the dimensions of what is combined.
    Here(Slot, Cell, Vec<Reg>),
    /// There too, with the dimensions behind those of the space.
    Tiled(Slot, Cell, Vec<Reg>),
}

impl Compiler {
    pub(super) fn par(&mut self, par: &Par, cx: &mut Context) -> Code {
        let loc = cx.loc;
        let reduced = par.reduced();
        let live = self.outside_par(par, cx);
        let index: Vec<Reg> = par.space.iter().map(|(i, _)| self.scalar((*i).into())).collect();
        // Which point it is, in the order of the loops.
        let point = if let [i] = index[..] { i } else { self.reg() };

        // Before the loops: neutral elements, builders, destinations.
        let mut code = Code::default();
        let accumulators: Vec<Vec<Place>> = par.ops.iter().map(|op| self.accumulators(op, &mut code, loc)).collect();
        let mut made = Vec::new();
        let mut consumed = Vec::new();
        let mut results = cx.pat[reduced..].iter();
        for form in &par.forms {
            for (k, param) in results.by_ref().take(form.results()).enumerate() {
                let Place::Slot(d) = self.place(param.name) else { panic!("a form yields no scalar") };
                let cell = Cell::of(param.ty.prim().expect("an array has a primitive type"));
                match form {
                    Form::Own => made.push(Made::Builder(self.output(&param.ty, &mut code, loc))),
                    Form::Tile(_) => {
                        let dims = self.scalars(param.ty.dims());
                        let rest = dims[par.space.len()..].to_vec();
                        code.push(self.op(ArrayOp::Scratch { d, dims, cell }), loc);
                        made.push(Made::Tiled(d, cell, rest));
                    }
                    Form::Write { dest, .. } => {
                        consumed.push((Place::Slot(d), Operand::Var(*dest)));
                        made.push(Made::Here(d, cell, Vec::new()));
                    }
                    Form::Acc { dests, rank, .. } => {
                        consumed.push((Place::Slot(d), Operand::Var(dests[k])));
                        let rest = self.scalars(&param.ty.dims()[*rank..]);
                        made.push(Made::Here(d, cell, rest));
                    }
                }
            }
        }
        code.append(self.moves(&consumed, &live, &mut cx.taken, loc));

        // Behind the body: the operators, and what becomes of its results.
        let (yielding, first) = par.yields();
        let end = self.forms(par, &yielding.results[first..], &made, &index, point, &live, loc);
        let mut round = Code::default();
        let mut needed = live.clone();
        let mut operands = &par.body.results[..];
        for (op, accumulators) in par.ops.iter().zip(&accumulators) {
            let (xs, rest) = operands.split_at(op.neutral.len());
            round.append(self.combine_point(op, accumulators, xs, &live, loc));
            operands = rest;
        }
        match &par.post {
            None => round.append(end),
            Some(post) => {
                let scans = par.scans().flat_map(|op| &op.lambda.params[..op.neutral.len()]);
                let scans: Vec<(Place, Operand)> =
                    post.params.iter().map(|p| self.place(p.name)).zip(scans.map(|p| p.name.into())).collect();
                round.append(self.moves(&scans, &live, &mut Live::default(), loc));
                let (last, more) = self.before_end(&post.body, end, &live, loc);
                round.append(last);
                needed.extend(more);
            }
        }
        let results = self.slots(par.body.results.iter().filter_map(|x| x.name()));
        let mut dead: Vec<Slot> = results.difference(&live).copied().collect();
        dead.sort_unstable();
        round.kill(dead, loc);
        needed.extend(results);
        let (mut round, _) = self.body_before(&par.body, round, needed);

        // The loops, from the innermost one.
        let mut kept: Vec<Place> = accumulators.iter().flatten().copied().collect();
        if index.len() != 1 {
            let one = self.constant(1);
            let zero = self.constant(0);
            code.push(Inst::Move { d: point, a: zero }, loc);
            round.push(Inst::AddI64 { d: point, a: point, b: one }, loc);
            kept.push(Place::Reg(point));
        }
        for (i, (_, n)) in index.iter().zip(&par.space).rev() {
            let counter = Counter { i: *i, n: self.scalar(*n), unsigned: false };
            let mut outer = Code::default();
            self.counted(counter, &kept, round, &mut outer, loc);
            round = outer;
        }
        code.append(round);

        // After the loops: the results.
        let folded = par.ops.iter().zip(accumulators).filter(|(op, _)| op.kind != OpKind::Scan);
        let folded: Vec<Place> = folded.flat_map(|(_, places)| places).collect();
        let bound: Vec<Place> = cx.pat.iter().map(|p| self.place(p.name)).collect();
        self.hand_over(bound.iter().copied().zip(folded), &mut code, loc);
        for (made, d) in made.into_iter().zip(&bound[reduced..]) {
            if let Made::Builder(output) = made {
                self.built(output, *d, &mut code, loc);
            }
        }
        code
    }

    /// The names that are live up to the end of all iterations.
    fn outside_par(&self, par: &Par, cx: &Context) -> Live {
        let mut names = free_in_body(&par.body);
        names.extend(par.post.iter().flat_map(|post| free_in_body(&post.body)));
        names.extend(par.ops.iter().flat_map(|op| free_in_lambda(&op.lambda)));
        for form in &par.forms {
            if let Form::Acc { op, .. } = form {
                names.extend(free_in_lambda(op));
            }
        }
        for name in bound_in_body(&par.body) {
            names.remove(&name);
        }
        let mut live = self.slots(names);
        live.extend(cx.live.iter().copied());
        live
    }

    /// The places of what an operator has combined so far, set to its neutral elements.
    fn accumulators(&mut self, op: &ParOp, code: &mut Code, loc: LocId) -> Vec<Place> {
        let params = self.places(&op.lambda.params[..op.neutral.len()]);
        if op.shape.is_empty() {
            let initial: Vec<(Place, Operand)> = params.iter().copied().zip(op.neutral.iter().copied()).collect();
            code.append(self.moves(&initial, &Live::default(), &mut Live::default(), loc));
            return params;
        }
        let mut places = Vec::new();
        for x in &op.neutral {
            let d = self.slot();
            let (dims, value, cell) = (self.scalars(&op.shape), self.operand(*x), Cell::of(self.prim(*x)));
            code.push(self.op(ArrayOp::Replicate { d, dims, value, cell }), loc);
            places.push(Place::Slot(d));
        }
        places
    }

    /// Combines what a point yields with what there is so far.
    fn combine_point(&mut self, op: &ParOp, so_far: &[Place], xs: &[Operand], live: &Live, loc: LocId) -> Code {
        if op.shape.is_empty() {
            let params = self.places(&op.lambda.params);
            let new = &params[op.neutral.len()..];
            let inputs: Vec<(Place, Operand)> = new.iter().copied().zip(xs.iter().copied()).collect();
            let mut code = self.moves(&inputs, live, &mut Live::default(), loc);
            code.append(self.operator(&op.lambda, so_far, live, loc));
            return code;
        }
        let arrays: Vec<(Slot, Cell)> = so_far
            .iter()
            .zip(&op.neutral)
            .map(|(place, x)| match place {
                Place::Slot(a) => (*a, Cell::of(self.prim(*x))),
                Place::Reg(_) | Place::Nowhere => panic!("an operator with a shape is over arrays"),
            })
            .collect();
        let shape = self.scalars(&op.shape);
        self.combine_rows(&op.lambda, &arrays, &[], &shape, xs, live, loc)
    }

    /// Combines rows of this shape with those at an index of arrays, element by element.
    #[expect(clippy::too_many_arguments, reason = "all that there is at a point")]
    fn combine_rows(
        &mut self,
        op: &Lambda,
        arrays: &[(Slot, Cell)],
        at: &[Reg],
        shape: &[Reg],
        rows: &[Operand],
        live: &Live,
        loc: LocId,
    ) -> Code {
        let params = self.places(&op.params);
        let (old, new) = params.split_at(arrays.len());
        let inner: Vec<Reg> = shape.iter().map(|_| self.reg()).collect();
        let index = [at, &inner].concat();
        let rows: Vec<Place> = rows.iter().map(|x| self.operand(*x)).collect();
        let mut round = Code::default();
        for (k, (a, cell)) in arrays.iter().enumerate() {
            let (Place::Reg(x), Place::Reg(y), Place::Slot(b)) = (old[k], new[k], rows[k]) else {
                panic!("an operator that goes element by element combines elements of arrays")
            };
            round.push(self.load(*cell, x, *a, &index), loc);
            round.push(self.load(*cell, y, b, &inner), loc);
        }
        let combined: Vec<Place> = op.ret.iter().map(|ty| self.temp(ty)).collect();
        round.append(self.operator(op, &combined, live, loc));
        for ((a, cell), x) in arrays.iter().zip(combined) {
            let Place::Reg(x) = x else { panic!("an operator over elements yields elements") };
            round.push(self.store(*cell, *a, &index, x), loc);
        }
        for (j, n) in inner.iter().zip(shape).rev() {
            let counter = Counter { i: *j, n: *n, unsigned: false };
            let mut outer = Code::default();
            self.counted(counter, &[], round, &mut outer, loc);
            round = outer;
        }
        round
    }

    /// What becomes of the values that a point yields.
    #[expect(clippy::too_many_arguments, reason = "all that there is at a point")]
    fn forms(
        &mut self,
        par: &Par,
        mut values: &[Operand],
        made: &[Made],
        index: &[Reg],
        point: Reg,
        live: &Live,
        loc: LocId,
    ) -> Code {
        let mut code = Code::default();
        let mut made = made.iter();
        for form in &par.forms {
            let (mine, rest) = values.split_at(form.operands());
            values = rest;
            let places: Vec<&Made> = made.by_ref().take(form.results()).collect();
            match (form, &places[..]) {
                (Form::Own, [Made::Builder(output)]) => {
                    let value = self.operand(mine[0]);
                    code.push(self.put(output, point, value), loc);
                }
                (Form::Tile(sizes), [Made::Tiled(a, cell, rest)]) => {
                    let value = self.operand(mine[0]);
                    let mut dims = Vec::new();
                    let one = self.constant(1);
                    for (i, size) in index.iter().zip(sizes) {
                        let (start, len) = (self.reg(), self.scalar(*size));
                        code.push(Inst::MulI64 { d: start, a: *i, b: len }, loc);
                        dims.push(DimCode::Range { start, len, stride: one });
                    }
                    let start = self.constant(0);
                    dims.extend(rest.iter().map(|len| DimCode::Range { start, len: *len, stride: one }));
                    code.push(self.op(ArrayOp::Update { a: *a, dims, value, cell: *cell }), loc);
                }
                (Form::Write { rank, .. }, [Made::Here(a, cell, _)]) => {
                    let (indices, value) = (self.scalars(&mine[..*rank]), self.operand(mine[*rank]));
                    code.push(self.write(*a, *cell, indices, value), loc);
                }
                (Form::Acc { rank, op, .. }, places) => {
                    let dests: Vec<(Slot, Cell)> = places
                        .iter()
                        .map(|place| match place {
                            Made::Here(a, cell, _) => (*a, *cell),
                            Made::Builder(_) | Made::Tiled(..) => {
                                panic!("an array that is accumulated into is not built")
                            }
                        })
                        .collect();
                    let indices = self.scalars(&mine[..*rank]);
                    let values = &mine[*rank..];
                    let update = match places {
                        [Made::Here(_, _, rest), ..] if !rest.is_empty() => {
                            self.combine_rows(op, &dests, &indices, rest, values, live, loc)
                        }
                        _ => self.combine(op, &dests, &indices, values, live, loc),
                    };
                    let inside = self.reg();
                    code.push(self.op(ArrayOp::InBounds { d: inside, a: dests[0].0, indices }), loc);
                    code.push(Inst::Unless { a: inside, to: update.len() }, loc);
                    code.append(update);
                }
                (Form::Own | Form::Tile(_) | Form::Write { .. }, _) => panic!("a form has one result"),
            }
        }
        code
    }
}
