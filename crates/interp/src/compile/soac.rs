//! Second-order operators, as loops of instructions.

use super::control::Counter;
use super::{Code, Compiler, Context, Live, unused};
use crate::array::Cell;
use crate::code::{AccRoutine, ArrayOp, Inst, Place, Reg, Slot};
use kenaz_ir::visit::free_in_lambda;
use kenaz_ir::{AccInput, Body, HistOp, Lambda, LocId, Name, Operand, Param, Reduce, Scan, ScatterDest, Soac, Type};

/// An array that is being built: the builder, its shape and its elements.
pub(super) struct Output {
    out: u32,
    shape: Vec<Reg>,
    cell: Cell,
}

/// A function and what it is mapped over.
#[derive(Clone, Copy)]
struct Mapped<'a> {
    width: Operand,
    arrays: &'a [Name],
    map: &'a Lambda,
}

impl Compiler {
    pub(super) fn soac(&mut self, soac: &Soac, cx: &mut Context) -> Code {
        match soac {
            Soac::Screma { width, arrays, map, scans, reduces, post } => {
                let mapped = Mapped { width: *width, arrays, map };
                self.screma(mapped, scans, reduces, post.as_ref(), cx)
            }
            Soac::Filter { width, arrays, pred } => self.filter(*width, arrays, pred, cx),
            Soac::Scatter { width, arrays, map, dests } => self.scatter(*width, arrays, map, dests, cx),
            Soac::Hist { width, arrays, map, ops } => self.hist(*width, arrays, map, ops, cx),
            Soac::WithAcc { inputs, body } => self.with_acc(inputs, body, cx),
            Soac::UpdateAcc { acc, index, values } => {
                let (token, indices) = (self.token(*acc), self.scalars(index));
                let values = values.iter().map(|x| self.operand(*x)).collect();
                let mut code = Code::default();
                code.push(self.op(ArrayOp::AccUpdate { token, indices, values }), cx.loc);
                code
            }
        }
    }

    /// The names that are live up to the end of all iterations.
    fn outside<'l>(&self, lambdas: impl IntoIterator<Item = &'l Lambda>, arrays: &[Name], cx: &Context) -> Live {
        let mut live = cx.live.clone();
        for lambda in lambdas {
            live.extend(self.slots(free_in_lambda(lambda)));
        }
        live.extend(self.slots(arrays.iter().copied()));
        live
    }

    /// Sets the parameters that are needed to the rows of the arrays.
    fn rows(&mut self, params: &[Param], arrays: &[Name], i: Reg, needed: &Live, loc: LocId) -> Code {
        let mut code = Code::default();
        for (param, array) in params.iter().zip(arrays) {
            match self.place(param.name) {
                Place::Slot(slot) if !needed.contains(&slot) => {}
                Place::Nowhere => {}
                place @ (Place::Slot(_) | Place::Reg(_)) => code.push(self.index(place, *array, &[i]), loc),
            }
        }
        code
    }

    /// Starts the builder of an array of this type.
    pub(super) fn output(&mut self, ty: &Type, code: &mut Code, loc: LocId) -> Output {
        let out = self.out.builders;
        self.out.builders += 1;
        let shape = self.scalars(ty.dims());
        let cell = Cell::of(ty.prim().expect("an array has a primitive type"));
        code.push(self.op(ArrayOp::Build { out, shape: shape.clone(), cell }), loc);
        Output { out, shape, cell }
    }

    pub(super) fn put(&self, output: &Output, i: Reg, value: Place) -> Inst {
        let (cell, out) = (output.cell, output.out);
        match value {
            Place::Reg(x) => Inst::Put { cell, out, i, x },
            Place::Slot(a) => Inst::PutRow { cell, out, i, a },
            Place::Nowhere => panic!("an accumulator is not an element"),
        }
    }

    pub(super) fn built(&mut self, output: Output, d: Place, code: &mut Code, loc: LocId) {
        let Place::Slot(d) = d else { panic!("an array is bound to a scalar") };
        let Output { out, shape, cell } = output;
        code.push(self.op(ArrayOp::Built { d, out, shape, cell }), loc);
    }

    pub(super) fn places(&self, params: &[Param]) -> Vec<Place> {
        params.iter().map(|p| self.place(p.name)).collect()
    }

    fn screma(
        &mut self,
        Mapped { width, arrays, map }: Mapped,
        scans: &[Scan],
        reduces: &[Reduce],
        post: Option<&Lambda>,
        cx: &mut Context,
    ) -> Code {
        let loc = cx.loc;
        let bound = self.places(cx.pat);
        let (n, i) = (self.scalar(width), self.reg());
        let operators: Vec<(&Lambda, &[Operand], bool)> = (scans.iter().map(|s| (&s.op, &s.neutral[..], true)))
            .chain(reduces.iter().map(|r| (&r.op, &r.neutral[..], false)))
            .collect();
        let live = self.outside(operators.iter().map(|op| op.0).chain([map]).chain(post), arrays, cx);
        let scanned: usize = scans.iter().map(|s| s.neutral.len()).sum();
        let reduced: usize = reduces.iter().map(|r| r.neutral.len()).sum();

        // Where in the pattern the results of the reductions are.
        let folded = if post.is_some() { 0..reduced } else { scanned..scanned + reduced };

        // Before the loop: builders for the results of scans and maps, neutral elements.
        let mut code = Code::default();
        let mut outputs: Vec<Option<Output>> = Vec::new();
        for (k, param) in cx.pat.iter().enumerate() {
            let collected = !folded.contains(&k) && param.ty.is_array();
            outputs.push(collected.then(|| self.output(&param.ty, &mut code, loc)));
        }
        let mut initial = Vec::new();
        for (op, neutral, _) in &operators {
            initial.extend(self.places(&op.params).into_iter().zip(neutral.iter().copied()));
        }
        let mut all = live.clone();
        all.extend(self.slots(initial.iter().filter_map(|(_, x)| x.name())));
        code.append(self.moves(&initial, &all, &mut Live::default(), loc));

        // After the map: its results go to the operators, the others are collected.
        let mut end = Code::default();
        if post.is_none() {
            let collected = &map.body.results[(scanned + reduced).min(map.body.results.len())..];
            for (x, output) in collected.iter().zip(&outputs[folded.end..]) {
                if let Some(output) = output {
                    let value = self.operand(*x);
                    end.push(self.put(output, i, value), loc);
                }
            }
        }
        let mut inputs = Vec::new();
        for (op, neutral, _) in &operators {
            inputs.extend(self.places(&op.params[neutral.len()..]));
        }
        if let Some(post) = post {
            inputs.extend(self.places(&post.params[scanned..]));
        }
        let inputs: Vec<(Place, Operand)> = inputs.into_iter().zip(map.body.results.iter().copied()).collect();
        let mut taken = Live::default();
        end.append(self.moves(&inputs, &live, &mut taken, loc));
        let results = self.slots(map.body.results.iter().filter_map(|x| x.name()));
        let mut dead: Vec<Slot> = results.iter().copied().filter(|s| !live.contains(s) && !taken.contains(s)).collect();
        dead.sort_unstable();
        end.kill(dead, loc);
        let mut k = 0;
        for (op, neutral, scan) in &operators {
            let accumulators = self.places(&op.params[..neutral.len()]);
            end.append(self.operator(op, &accumulators, &live, loc));
            for a in accumulators {
                if *scan
                    && post.is_none()
                    && let Some(output) = &outputs[k]
                {
                    end.push(self.put(output, i, a), loc);
                }
                k += 1;
            }
        }
        if let Some(post) = post {
            let scans = scans.iter().flat_map(|scan| &scan.op.params[..scan.neutral.len()]);
            let scans: Vec<Operand> = scans.map(|p| p.name.into()).collect();
            end.append(self.post(post, &scans, &outputs[folded.end..], i, &live, loc));
        }
        let mut needed = live.clone();
        needed.extend(results);
        let (inner, needed) = self.body_before(&map.body, end, needed);
        let mut round = self.rows(&map.params, arrays, i, &needed, loc);
        round.append(inner);
        let mut accumulators = Vec::new();
        for (op, neutral, _) in &operators {
            accumulators.extend(self.places(&op.params[..neutral.len()]));
        }
        self.counted(Counter { i, n, unsigned: false }, &accumulators, round, &mut code, loc);

        // After the loop: the results.
        for (k, output) in outputs.into_iter().enumerate() {
            if let Some(output) = output {
                self.built(output, bound[k], &mut code, loc);
            } else if folded.contains(&k) {
                self.hand_over([(bound[k], accumulators[scanned + k - folded.start])], &mut code, loc);
            }
        }
        // The last element of a scan is still in its accumulator.
        code.kill(
            accumulators[..scanned].iter().filter_map(|a| match a {
                Place::Slot(slot) => Some(*slot),
                Place::Reg(_) | Place::Nowhere => None,
            }),
            loc,
        );
        code
    }

    /// The last function of a screma, whose parameters after those of the scans are set: collects its results.
    fn post(
        &mut self,
        post: &Lambda,
        scans: &[Operand],
        outputs: &[Option<Output>],
        i: Reg,
        live: &Live,
        loc: LocId,
    ) -> Code {
        let params = self.places(&post.params);
        let scanned: Vec<(Place, Operand)> = params.iter().copied().zip(scans.iter().copied()).collect();
        let mut kept = live.clone();
        kept.extend(self.slots(scans.iter().filter_map(|x| x.name())));
        let mut code = self.moves(&scanned, &kept, &mut Live::default(), loc);
        let mut end = Code::default();
        for (x, output) in post.body.results.iter().zip(outputs) {
            if let Some(output) = output {
                let value = self.operand(*x);
                end.push(self.put(output, i, value), loc);
            }
        }
        let (inner, needed) = self.before_end(&post.body, end, live, loc);
        code.kill(unused(&params, &needed), loc);
        code.append(inner);
        code
    }

    /// The body of an operator whose parameters are set.
    pub(super) fn operator(&mut self, op: &Lambda, dests: &[Place], live: &Live, loc: LocId) -> Code {
        let (body, needed) = self.body(&op.body, dests, live, loc);
        let mut code = Code::default();
        code.kill(unused(&self.places(&op.params), &needed), loc);
        code.append(body);
        code
    }

    fn filter(&mut self, width: Operand, arrays: &[Name], pred: &Lambda, cx: &mut Context) -> Code {
        let loc = cx.loc;
        let bound = self.places(cx.pat);
        let (n, i, kept, chosen) = (self.scalar(width), self.reg(), self.reg(), self.reg());
        let (zero, one) = (self.constant(0), self.constant(1));
        let live = self.outside([pred], arrays, cx);
        let mut code = Code::default();
        let mut outputs = Vec::new();
        for param in &cx.pat[1..] {
            // The size in the type is the result: reserve what it can be at most.
            let out = self.out.builders;
            self.out.builders += 1;
            let mut shape = vec![n];
            shape.extend(self.scalars(&param.ty.dims()[1..]));
            let cell = Cell::of(param.ty.prim().expect("an array has a primitive type"));
            code.push(self.op(ArrayOp::Build { out, shape: shape.clone(), cell }), loc);
            shape[0] = kept;
            outputs.push(Output { out, shape, cell });
        }
        code.push(Inst::Move { d: kept, a: zero }, loc);
        let mut keep = Code::default();
        if let Some((flag, values)) = pred.body.results.split_first()
            && !values.is_empty()
        {
            for (output, x) in outputs.iter().zip(values) {
                let value = self.operand(*x);
                keep.push(self.put(output, kept, value), loc);
            }
            keep.push(Inst::AddI64 { d: kept, a: kept, b: one }, loc);
            let mut end = Code::default();
            end.push(Inst::Unless { a: self.scalar(*flag), to: keep.len() }, loc);
            end.append(keep);
            let round = self.mapped(pred, arrays, i, end, &live, loc);
            return self.filtered(round, outputs, [n, i, kept], &bound, code, loc);
        }
        for (output, (param, array)) in outputs.iter().zip(cx.pat[1..].iter().zip(arrays)) {
            let value = self.temp(&param.ty.row(1));
            keep.push(self.index(value, *array, &[i]), loc);
            keep.push(self.put(output, kept, value), loc);
            if let Place::Slot(slot) = value {
                keep.kill([slot], loc);
            }
        }
        keep.push(Inst::AddI64 { d: kept, a: kept, b: one }, loc);
        let (test, needed) = self.body(&pred.body, &[Place::Reg(chosen)], &live, loc);
        let mut round = self.rows(&pred.params, arrays, i, &needed, loc);
        round.append(test);
        round.push(Inst::Unless { a: chosen, to: keep.len() }, loc);
        round.append(keep);
        self.filtered(round, outputs, [n, i, kept], &bound, code, loc)
    }

    /// The loop of a filter, whose registers are its width, its counter and how many rows are kept, and its results.
    fn filtered(
        &mut self,
        round: Code,
        outputs: Vec<Output>,
        [n, i, kept]: [Reg; 3],
        bound: &[Place],
        mut code: Code,
        loc: LocId,
    ) -> Code {
        self.counted(Counter { i, n, unsigned: false }, &[Place::Reg(kept)], round, &mut code, loc);
        self.hand_over([(bound[0], Place::Reg(kept))], &mut code, loc);
        for (output, d) in outputs.into_iter().zip(&bound[1..]) {
            self.built(output, *d, &mut code, loc);
        }
        code
    }

    /// Moves consumed arrays to the places of the results.
    fn consume(&mut self, dests: impl IntoIterator<Item = Name>, live: &Live, code: &mut Code, cx: &mut Context) {
        let moves: Vec<(Place, Operand)> =
            cx.pat.iter().map(|p| self.place(p.name)).zip(dests.into_iter().map(Operand::Var)).collect();
        code.append(self.moves(&moves, live, &mut cx.taken, cx.loc));
    }

    fn scatter(
        &mut self,
        width: Operand,
        arrays: &[Name],
        map: &Lambda,
        dests: &[ScatterDest],
        cx: &mut Context,
    ) -> Code {
        let loc = cx.loc;
        let (n, i) = (self.scalar(width), self.reg());
        let live = self.outside([map], arrays, cx);
        let mut code = Code::default();
        self.consume(dests.iter().map(|d| d.array), &live, &mut code, cx);
        let indices: usize = dests.iter().map(|d| d.rank).sum();
        let (mut at, mut end) = (0, Code::default());
        for (k, dest) in dests.iter().enumerate() {
            let Place::Slot(a) = self.bound(cx, k) else { panic!("a scatter into a scalar") };
            let cell = Cell::of(self.array(dest.array).1);
            let index = self.scalars(&map.body.results[at..at + dest.rank]);
            at += dest.rank;
            let value = self.operand(map.body.results[indices + k]);
            end.push(self.write(a, cell, index, value), loc);
        }
        let round = self.mapped(map, arrays, i, end, &live, loc);
        self.counted(Counter { i, n, unsigned: false }, &[], round, &mut code, loc);
        code
    }

    /// Writes a value to a place unless that is out of bounds.
    pub(super) fn write(&mut self, a: Slot, cell: Cell, indices: Vec<Reg>, value: Place) -> Inst {
        match (value, &indices[..]) {
            (Place::Reg(x), [i]) => Inst::Scatter { cell, a, i: *i, x },
            (Place::Reg(_) | Place::Slot(_) | Place::Nowhere, _) => {
                self.op(ArrayOp::ScatterMany { a, indices, value, cell })
            }
        }
    }

    /// One iteration of a function over arrays, then instructions that need its results.
    fn mapped(&mut self, map: &Lambda, arrays: &[Name], i: Reg, end: Code, live: &Live, loc: LocId) -> Code {
        let (inner, needed) = self.before_end(&map.body, end, live, loc);
        let mut round = self.rows(&map.params, arrays, i, &needed, loc);
        round.append(inner);
        round
    }

    /// The statements of a body, then instructions that need its results and what is live; the results are given up.
    pub(super) fn before_end(&mut self, body: &Body, mut end: Code, live: &Live, loc: LocId) -> (Code, Live) {
        let results = self.slots(body.results.iter().filter_map(|x| x.name()));
        let mut dead: Vec<Slot> = results.difference(live).copied().collect();
        dead.sort_unstable();
        end.kill(dead, loc);
        let mut needed = live.clone();
        needed.extend(results);
        self.body_before(body, end, needed)
    }

    fn hist(&mut self, width: Operand, arrays: &[Name], map: &Lambda, ops: &[HistOp], cx: &mut Context) -> Code {
        let loc = cx.loc;
        let (n, i) = (self.scalar(width), self.reg());
        let live = self.outside(ops.iter().map(|op| &op.op).chain([map]), arrays, cx);
        let mut code = Code::default();
        self.consume(ops.iter().flat_map(|op| op.dests.iter().copied()), &live, &mut code, cx);
        let indices: usize = ops.iter().map(|op| op.rank).sum();
        let (mut at, mut value, mut first) = (0, indices, 0);
        let mut end = Code::default();
        for op in ops {
            let count = op.dests.len();
            let index = self.scalars(&map.body.results[at..at + op.rank]);
            at += op.rank;
            let values = &map.body.results[value..value + count];
            value += count;
            let mut dests: Vec<(Slot, Cell)> = Vec::new();
            for (k, name) in op.dests.iter().enumerate() {
                let Place::Slot(a) = self.bound(cx, first + k) else { panic!("a histogram in a scalar") };
                dests.push((a, Cell::of(self.array(*name).1)));
            }
            first += count;
            let update = self.combine(&op.op, &dests, &index, values, &live, loc);
            let inside = self.reg();
            end.push(self.op(ArrayOp::InBounds { d: inside, a: dests[0].0, indices: index }), loc);
            end.push(Inst::Unless { a: inside, to: update.len() }, loc);
            end.append(update);
        }
        let round = self.mapped(map, arrays, i, end, &live, loc);
        self.counted(Counter { i, n, unsigned: false }, &[], round, &mut code, loc);
        code
    }

    /// Combines what is at the indices with new values.
    pub(super) fn combine(
        &mut self,
        op: &Lambda,
        dests: &[(Slot, Cell)],
        index: &[Reg],
        values: &[Operand],
        live: &Live,
        loc: LocId,
    ) -> Code {
        let params = self.places(&op.params);
        let (old, new) = params.split_at(dests.len());
        let mut code = Code::default();
        // The rows that are there are copied, lest a view of them keeps the update from happening in place.
        for (param, (a, cell)) in old.iter().zip(dests) {
            code.push(
                match *param {
                    Place::Reg(d) => self.load(*cell, d, *a, index),
                    Place::Slot(d) => self.op(ArrayOp::CopyRow { d, a: *a, indices: index.to_vec(), cell: *cell }),
                    Place::Nowhere => panic!("an accumulator in a histogram"),
                },
                loc,
            );
        }
        let moves: Vec<(Place, Operand)> = new.iter().copied().zip(values.iter().copied()).collect();
        // The caller gives up the values that nobody needs.
        let mut all = live.clone();
        all.extend(self.slots(values.iter().filter_map(|x| x.name())));
        code.append(self.moves(&moves, &all, &mut Live::default(), loc));
        let results: Vec<Place> = op.ret.iter().map(|ty| self.temp(ty)).collect();
        // A copy of a new value is not needed here, but the value itself is until the end of the iteration.
        code.append(self.operator(op, &results, &all, loc));
        for (result, (a, cell)) in results.iter().zip(dests) {
            match *result {
                Place::Reg(x) => code.push(self.store(*cell, *a, index, x), loc),
                Place::Slot(slot) => {
                    let inst = ArrayOp::ScatterMany { a: *a, indices: index.to_vec(), value: *result, cell: *cell };
                    code.push(self.op(inst), loc);
                    code.kill([slot], loc);
                }
                Place::Nowhere => panic!("an accumulator in a histogram"),
            }
        }
        code
    }

    fn with_acc(&mut self, inputs: &[AccInput], body: &Lambda, cx: &mut Context) -> Code {
        let loc = cx.loc;
        let operators = inputs.iter().filter_map(|input| input.op.as_ref().map(|(op, _)| op));
        let live = self.outside(operators.chain([body]), &[], cx);
        let mut code = Code::default();
        let mut routines = Code::default();
        let mut arrays: Vec<Vec<Slot>> = Vec::new();
        let mut begins = Vec::new();
        self.consume(inputs.iter().flat_map(|input| input.dests.iter().copied()), &live, &mut code, cx);
        let mut first = 0;
        for (k, input) in inputs.iter().enumerate() {
            let mut dests: Vec<(Slot, Cell)> = Vec::new();
            for name in &input.dests {
                let Place::Slot(a) = self.bound(cx, first) else { panic!("an accumulator in a scalar") };
                dests.push((a, Cell::of(self.array(*name).1)));
                first += 1;
            }
            arrays.push(dests.iter().map(|d| d.0).collect());
            let start = routines.len();
            let op = input.op.as_ref().map(|(op, _)| {
                let params = self.places(&op.params);
                let (indices, rest) = params.split_at(params.len() - 2 * dests.len());
                let (old, new) = rest.split_at(dests.len());
                let values: Vec<Place> = op.ret.iter().map(|ty| self.temp(ty)).collect();
                routines.append(self.operator(op, &values, &live, loc));
                routines.push(self.op(ArrayOp::AccStore { values }), loc);
                routines.push(Inst::Return, loc);
                AccRoutine { skip: start as u32, indices: indices.to_vec(), old: old.to_vec(), new: new.to_vec() }
            });
            let Place::Reg(token) = self.place(body.params[k].name) else { panic!("a token is a certificate") };
            begins.push(ArrayOp::AccBegin { token, shape: self.scalars(&input.shape), dests, op });
        }
        // The instructions to begin, a jump over the routines, the routines.
        let count = begins.len();
        for (k, mut begin) in begins.into_iter().enumerate() {
            if let ArrayOp::AccBegin { op: Some(routine), .. } = &mut begin {
                routine.skip += (count - k) as u32;
            }
            code.push(self.op(begin), loc);
        }
        code.push(Inst::Jump { to: routines.len() }, loc);
        code.append(routines);
        let mut dests = vec![Place::Nowhere; inputs.len()];
        dests.extend(cx.pat[first..].iter().map(|p| self.place(p.name)));
        code.append(self.body(&body.body, &dests, &live, loc).0);
        code.push(self.op(ArrayOp::AccEnd { dests: arrays }), loc);
        code
    }
}
