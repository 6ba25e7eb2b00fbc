//! Branches, loops, `par` and calls: the blocks that come out of them.

use super::frames::{Open, Placer};
use super::plan::ViewOf;
use super::signature::carried;
use super::step::polys;
use super::watch::enter_loop;
use kenaz_ir::layout::{Dim, DimRange, Pair};
use kenaz_ir::{
    Body, DecisionKind, Exp, Form, Fresh, Layout, Level, LoopForm, MemExp, Name, Operand, Par, Param, Place, Placement,
    Poly, Space, Stm, Type,
};
use rustc_hash::FxHashMap;

impl Placer<'_> {
    // Branches

    pub(super) fn branches(&mut self, mut stm: Stm) {
        let level = self.level();
        let existing = stm.pat.iter().filter(|p| p.ty.is_array() && self.yields_existing(&stm, p.name));
        let existing: Vec<Name> = existing.map(|p| p.name).collect();
        self.existing.extend(existing);
        // Where the plan knows of a place for a result, all branches yield it there.
        for param in &stm.pat {
            if !param.ty.is_array() || self.places.contains_key(&param.name) {
                continue;
            }
            let place = self.destination(param.name, level).or_else(|| self.fresh_block(param, level));
            self.places.extend(place.map(|place| (param.name, place)));
        }
        let mut open: Vec<Open> = Vec::new();
        match &mut stm.exp {
            Exp::If(cond, yes, no) => {
                for (body, holds) in [(yes, true), (no, false)] {
                    let mark = self.facts.mark();
                    self.facts.assume(*cond, holds);
                    open.push(self.open(std::mem::take(body)));
                    self.facts.reset(mark);
                }
            }
            Exp::Match(_, cases, default) => {
                for body in cases.iter_mut().map(|(_, body)| body).chain([default]) {
                    let mark = self.facts.mark();
                    open.push(self.open(std::mem::take(body)));
                    self.facts.reset(mark);
                }
            }
            _ => panic!("not a branch"),
        }

        let yielded: Vec<Vec<Operand>> = open.iter_mut().map(|open| std::mem::take(&mut open.results)).collect();
        let mut pat = Vec::new();
        for (i, mut param) in std::mem::take(&mut stm.pat).into_iter().enumerate() {
            if !param.ty.is_array() {
                for (open, results) in open.iter_mut().zip(&yielded) {
                    open.results.push(results[i]);
                }
                pat.push(param);
                continue;
            }
            let values: Vec<Name> = yielded.iter().filter_map(|results| results[i].name()).collect();
            let place = match self.places.get(&param.name).cloned() {
                Some(place) => {
                    for (open, value) in open.iter_mut().zip(&values) {
                        self.append(open, |p| vec![p.moved_into(param.name, *value, place.clone()).into()]);
                    }
                    place
                }
                None => self.joined(&param, &values, &mut open, &mut pat, level),
            };
            param.place = Some(Box::new(place));
            pat.push(param);
        }
        stm.pat = pat;
        let mut bodies = open.into_iter().map(|open| Body { stms: open.stms, results: open.results });
        match &mut stm.exp {
            Exp::If(_, yes, no) => {
                *yes = bodies.next().unwrap_or_default();
                *no = bodies.next().unwrap_or_default();
            }
            Exp::Match(_, cases, default) => {
                cases.iter_mut().for_each(|(_, body)| *body = bodies.next().unwrap_or_default());
                *default = bodies.next().unwrap_or_default();
            }
            _ => {}
        }
        self.emit(stm);
    }

    /// A block for what all branches make.
    fn fresh_block(&mut self, param: &Param, level: usize) -> Option<Place> {
        let is_known = self.plan.fresh.contains(&param.name)
            && self.available(param.ty.dims().iter().filter_map(|n| n.name()), level);
        is_known.then(|| self.new_block(param.name, &param.ty, level))
    }

    /// More results of a body.
    fn append(&mut self, open: &mut Open, f: impl FnOnce(&mut Self) -> Vec<Operand>) {
        self.reopen(open, |p, mut results| {
            let mark = p.facts.mark();
            results.extend(f(p));
            p.facts.reset(mark);
            results
        });
    }

    /// The place of a result whose branches have theirs: what they do not agree on is yielded, too.
    fn joined(
        &mut self,
        param: &Param,
        values: &[Name],
        open: &mut [Open],
        pat: &mut Vec<Param>,
        level: usize,
    ) -> Place {
        let places: Vec<Place> = values.iter().map(|value| self.place_of(*value)).collect();
        let first = &places[0];
        if self.is_known_outside(first, level) && places.iter().all(|place| self.same(first, place)) {
            for (open, value) in open.iter_mut().zip(values) {
                open.results.push((*value).into());
            }
            return first.clone();
        }
        let mut values = values.to_vec();
        // What the function yields must be row-major in the end. Where not all branches need a copy for that, those
        // copy that do.
        if let Some(at_zero) = self.must_be_rows(param.name)
            && values.iter().any(|value| self.is_rows(*value, at_zero))
        {
            for (open, value) in open.iter_mut().zip(&mut values) {
                self.reopen(open, |p, results| {
                    *value = p.as_rows(*value, at_zero, "the result of a function is row-major").0;
                    results
                });
            }
        }
        let places: Vec<Place> = values.iter().map(|value| self.place_of(*value)).collect();
        let rows = self.all_rows(&values);
        // Layouts with dimensions of several parts have to agree.
        let is_plain = |place: &Place| place.layout.dims.iter().all(|dim| dim.0.len() == 1);
        if !rows && !places.iter().all(is_plain) {
            for (open, value) in open.iter_mut().zip(&mut values) {
                self.reopen(open, |p, results| {
                    *value = p.as_rows(*value, true, "the branches have different layouts").0;
                    results
                });
            }
        }
        if values.iter().any(|value| self.space_of(*value) != self.space_of(values[0])) {
            for (open, value) in open.iter_mut().zip(&mut values) {
                self.reopen(open, |p, results| {
                    *value = p.in_own_space(*value);
                    results
                });
            }
        }
        let space = self.space_of(values[0]);
        let places: Vec<Place> = values.iter().map(|value| self.place_of(*value)).collect();
        let rows = rows || self.all_rows(&values);

        let block = self.fresh.named(&format!("{}_mem", param.name.base));
        pat.push(Param::new(block, Type::Mem(space)));
        for (open, place) in open.iter_mut().zip(&places) {
            open.results.push(place.block.into());
        }
        let offsets: Vec<Poly> = places.iter().map(|place| place.layout.offset.clone()).collect();
        let offset = self.common(offsets, "at", open, pat, level);
        let dims: Vec<Poly> = polys(param.ty.dims()).unwrap_or_default();
        let layout = match rows {
            true => {
                let mut layout = self.row_major(param.ty.dims(), level);
                layout.offset = offset;
                layout
            }
            false => {
                let mut out = Vec::new();
                for (k, size) in dims.into_iter().enumerate() {
                    let stride = |place: &Place| place.layout.dims[k].0[0].stride.clone();
                    let strides: Vec<Poly> = places.iter().map(stride).collect();
                    out.push(Dim(vec![Pair { size, stride: self.common(strides, "stride", open, pat, level) }]));
                }
                Layout { offset, dims: out }
            }
        };
        for (open, value) in open.iter_mut().zip(&values) {
            open.results.push((*value).into());
        }
        Place { block, layout }
    }

    fn all_rows(&self, values: &[Name]) -> bool {
        values.iter().all(|value| self.place_of(*value).layout.is_row_major(&self.facts))
    }

    /// A number that branches agree on, or yield.
    fn common(&mut self, each: Vec<Poly>, base: &str, open: &mut [Open], pat: &mut Vec<Param>, level: usize) -> Poly {
        let is_known = each[0].names().all(|name| self.is_bound_at(name, level));
        if is_known && each.iter().all(|other| *other == each[0]) {
            return each[0].clone();
        }
        let name = self.fresh.named(base);
        pat.push(Param::new(name, Type::I64));
        for (open, poly) in open.iter_mut().zip(each) {
            self.append(open, |p| {
                let level = p.level();
                vec![p.compute(&poly, level)]
            });
        }
        Poly::name(name)
    }

    // Loops

    pub(super) fn loop_(&mut self, mut stm: Stm) {
        let Exp::Loop { params, form, body } = &mut stm.exp else { panic!("not a loop") };
        let mark = self.facts.mark();
        let old = std::mem::take(params);
        let old_pat = std::mem::take(&mut stm.pat);
        let (mut new, mut pat) = (Vec::new(), Vec::new());
        let mut shapes: FxHashMap<Name, Shape> = FxHashMap::default();
        for ((mut param, init), mut result) in old.iter().cloned().zip(old_pat) {
            let Operand::Var(array) = init else {
                new.push((param, init));
                pat.push(result);
                continue;
            };
            if !param.ty.is_array() {
                new.push((param, init));
                pat.push(result);
                continue;
            }
            if self.plan.in_place.contains(&param.name) {
                let mut array = array;
                let place = self.updated(result.name, &mut array);
                param.place = Some(Box::new(place.clone()));
                result.place = Some(Box::new(place));
                new.push((param, array.into()));
                pat.push(result);
                continue;
            }
            let array = self.in_own_space(array);
            let (array, shape) = self.first_value(array, &param);
            let brought = self.brought(array, shape);
            let (more, place) = carried_as(&param, shape, self.space(), self.fresh);
            new.extend(more.into_iter().zip(brought));
            param.place = place.map(Box::new);
            let (more, place) = carried_as(&result, shape, self.space(), self.fresh);
            pat.extend(more);
            shapes.insert(param.name, shape);
            // A destination of the result is reached by a copy behind the loop.
            result.place = place.map(Box::new);
            new.push((param, array.into()));
            pat.push(result);
        }
        for (param, _) in &new {
            self.bind_inside(param);
        }
        if let LoopForm::For(i, prim, _) = form {
            self.bind_inside(&Param::new(*i, Type::Prim(*prim)));
        }
        enter_loop(&mut self.facts, &new, form);
        let mut open = self.open(std::mem::take(body));
        self.reopen(&mut open, |p, results| {
            let mut all = Vec::new();
            for (x, (param, _)) in results.into_iter().zip(&old) {
                let Operand::Var(value) = x else {
                    all.push(x);
                    continue;
                };
                if !param.ty.is_array() {
                    all.push(x);
                } else if p.plan.in_place.contains(&param.name) {
                    let place = p.place_of(param.name);
                    all.push(p.moved(value, place).into());
                } else {
                    let value = p.in_own_space(value);
                    let shape = shapes.get(&param.name).copied().unwrap_or(Shape::Rows);
                    let value = match shape {
                        Shape::Strided if p.is_plain(value) => value,
                        _ => {
                            p.as_rows(value, shape == Shape::Rows, "the next value of a loop's parameter is row-major")
                                .0
                        }
                    };
                    all.extend(p.brought(value, shape));
                    all.push(value.into());
                }
            }
            all
        });
        self.facts.reset(mark);
        *body = Body { stms: open.stms, results: open.results };
        *params = new;
        // A result that was wanted elsewhere is copied there.
        let mut moves = Vec::new();
        for result in &mut pat {
            if let (Some(place), Some(wanted)) = (&result.place, self.places.get(&result.name).cloned())
                && !self.same(place, &wanted)
            {
                let made = self.fresh.like(result.name);
                moves.push((std::mem::replace(&mut result.name, made), result.ty.clone(), made, wanted));
            }
        }
        stm.pat = pat;
        self.emit(stm);
        for (name, ty, made, wanted) in moves {
            let reason = "a loop makes it in turns in two blocks";
            self.log.placed(name, self.loc, Placement { kind: DecisionKind::Copy, array: name, reason });
            let mut param = Param::new(name, ty);
            param.place = Some(Box::new(wanted));
            self.emit(self.simple(param, Exp::Copy(made)));
        }
    }

    /// The first value of a loop's parameter, or a copy of it, and what is known of where it and all others lie.
    fn first_value(&mut self, array: Name, param: &Param) -> (Name, Shape) {
        let place = self.place_of(array);
        let is_row_major = place.layout.is_row_major(&self.facts);
        let view = self.plan.view_loops.get(&param.name).copied();
        // What is updated in place should be known to have no element twice.
        if view == Some(ViewOf::Elements) && !param.unique && self.is_plain(array) {
            return (array, Shape::Strided);
        }
        if is_row_major && (view.is_some() || !place.layout.offset.is_zero()) {
            return (array, Shape::RowsFrom);
        }
        (self.as_rows(array, true, "the first value of a loop's parameter is row-major").0, Shape::Rows)
    }

    fn is_plain(&self, array: Name) -> bool {
        self.place_of(array).layout.dims.iter().all(|dim| dim.0.len() == 1)
    }

    /// The block of an array, and the numbers of its layout that are not the same for all values of a parameter.
    fn brought(&mut self, array: Name, shape: Shape) -> Vec<Operand> {
        let place = self.place_of(array);
        let level = self.level();
        let mut all = vec![place.block.into()];
        if shape != Shape::Rows {
            all.push(self.compute(&place.layout.offset, level));
        }
        if shape == Shape::Strided {
            all.extend(place.layout.dims.iter().map(|dim| self.compute(&dim.0[0].stride, level)));
        }
        all
    }

    // Par

    pub(super) fn par(&mut self, mut stm: Stm) {
        let Exp::Par(par) = &mut stm.exp else { panic!("not a par") };
        let outside = self.level();
        let reduced = par.reduced();
        let mut at = reduced;
        for param in &mut stm.pat[..reduced] {
            if param.ty.is_array() {
                param.place = Some(Box::new(self.made(param.name, &param.ty)));
            }
        }
        for form in &mut par.forms {
            match form {
                Form::Own | Form::Tile(_) => {
                    let param = &mut stm.pat[at];
                    param.place = Some(Box::new(self.made(param.name, &param.ty)));
                }
                Form::Write { dest, .. } => {
                    let param = &mut stm.pat[at];
                    param.place = Some(Box::new(self.updated(param.name, dest)));
                }
                Form::Acc { dests, .. } => {
                    for (k, dest) in dests.iter_mut().enumerate() {
                        let param = &mut stm.pat[at + k];
                        param.place = Some(Box::new(self.updated(param.name, dest)));
                    }
                }
            }
            at += form.results();
        }
        for param in &stm.pat {
            if let Some(place) = &param.place {
                self.places.insert(param.name, (**place).clone());
            }
        }
        let around = self.run_at(par.level);
        for op in &mut par.ops {
            self.lambda(&mut op.lambda);
        }
        for form in &mut par.forms {
            if let Form::Acc { op, .. } = form {
                self.lambda(op);
            }
        }
        // What operators and writes read behind the body lies in blocks that outlive it.
        let mut behind =
            Behind { level: par.level.filter(|level| self.runs(*level)), most: par.space[0].1, slots: Vec::new() };
        for x in read_behind(par).filter_map(|x| x.name()) {
            let Some((name, ty)) = maker(par, x) else { continue };
            let is_known = ty.dims().iter().filter_map(|n| n.name()).all(|n| self.is_bound_at(n, outside));
            if is_known && !self.places.contains_key(&name) {
                let place = self.block_behind(name, &ty, outside, &mut behind);
                self.places.insert(name, place);
            }
        }
        let mark = self.facts.mark();
        self.facts.bind(stm.pat.iter().filter(|param| param.ty.is_array()));
        self.facts.enter_space(&par.space);
        for (i, _) in &par.space {
            self.bind_inside(&Param::new(*i, Type::I64));
        }
        let mut open = self.open(std::mem::take(&mut par.body));
        let results: Vec<Param> = stm.pat[reduced..].to_vec();
        match par.post.take() {
            None => {
                let operands = par.operands();
                self.reopen(&mut open, |p, yielded| {
                    let reduced = yielded[..operands].iter();
                    let mut all: Vec<Operand> = reduced.map(|x| p.outliving(*x, outside, &mut behind)).collect();
                    all.extend(p.slots(par, &results, &yielded[operands..], outside, &mut behind));
                    all
                });
            }
            Some(mut post) => {
                // The second body stands inside the first, as far as names are concerned.
                self.reopen(&mut open, |p, yielded| {
                    for param in &post.params {
                        p.bind_inside(param);
                    }
                    let mut inner = p.open(std::mem::take(&mut post.body));
                    p.reopen(&mut inner, |p, yielded| p.slots(par, &results, &yielded, outside, &mut behind));
                    post.body = Body { stms: inner.stms, results: inner.results };
                    yielded
                });
                par.post = Some(post);
            }
        }
        self.facts.reset(mark);
        self.running = around;
        let stms = behind.slots.into_iter().chain(open.stms).collect();
        par.body = Body { stms, results: open.results };
        self.emit(stm);
    }

    /// A block for what is read behind a body. Iterations that run at the same time have a slot each, see Note
    /// \[Slots\] in [`kenaz_ir::mem`].
    fn block_behind(&mut self, name: Name, ty: &Type, outside: usize, behind: &mut Behind) -> Place {
        let Some(level) = behind.level else { return self.new_block(name, ty, outside) };
        let mut place = self.new_slots(name, ty, outside, level, behind.most);
        let of = std::mem::replace(&mut place.block, self.fresh.named(&format!("{}_mem", name.base)));
        let param = Param::new(place.block, Type::Mem(self.space()));
        self.bind_inside(&param);
        behind.slots.push(self.simple(param, Exp::Mem(MemExp::Slot(of))));
        place
    }

    /// Lambdas of operators take and yield scalars, but may make arrays in between.
    fn lambda(&mut self, lambda: &mut kenaz_ir::Lambda) {
        for param in &lambda.params {
            self.bind_inside(param);
        }
        self.plain(&mut lambda.body);
    }

    /// What a body yields for the forms, arrays in their slots.
    fn slots(
        &mut self,
        par: &Par,
        results: &[Param],
        yielded: &[Operand],
        outside: usize,
        behind: &mut Behind,
    ) -> Vec<Operand> {
        let mut all = Vec::new();
        let mut yielded = yielded.iter().copied();
        let mut results = results.iter();
        let index: Vec<Operand> = par.space.iter().map(|(i, _)| (*i).into()).collect();
        for form in &par.forms {
            let values: Vec<Operand> = yielded.by_ref().take(form.operands()).collect();
            let made: Vec<&Param> = results.by_ref().take(form.results()).collect();
            let slot = |p: &Self| -> Option<Place> {
                let whole = p.place_of(made.first()?.name);
                let layout = match form {
                    Form::Own => whole.layout.index(&polys(&index)?)?,
                    Form::Tile(tile) => tile_of(&whole.layout, &index, tile)?,
                    Form::Write { .. } | Form::Acc { .. } => return None,
                };
                Some(Place { block: whole.block, layout })
            };
            match values[..] {
                [Operand::Var(value)] if self.types[&value].is_array() => match (slot(self), made.first()) {
                    (Some(slot), Some(whole)) => all.push(self.moved_into(whole.name, value, slot).into()),
                    _ => all.push(value.into()),
                },
                _ => all.extend(values.into_iter().map(|x| self.outliving(x, outside, behind))),
            }
        }
        all
    }

    /// What is read behind the body in which we are: an array in a block of that body is copied to one that is still
    /// there.
    fn outliving(&mut self, x: Operand, outside: usize, behind: &mut Behind) -> Operand {
        let Operand::Var(name) = x else { return x };
        if !self.types[&name].is_array() {
            return x;
        }
        let block = self.place_of(name).block;
        if self.is_bound_at(block, outside) || behind.slots.iter().any(|slot| slot.pat[0].name == block) {
            return x;
        }
        let ty = self.types[&name].clone();
        let place = self.block_behind(name, &ty, outside, behind);
        self.copy_to(name, place, "it is needed behind the body that makes it").into()
    }

    // Calls

    pub(super) fn call(&mut self, mut stm: Stm) {
        let Exp::Call(f, args) = &mut stm.exp else { panic!("not a call") };
        let Some(interface) = self.interfaces.get(*f) else { panic!("a call of an unknown function") };
        let has_offset = !interface.is_entry;
        let mut all = Vec::new();
        let params = interface.params.clone();
        for (arg, is_array) in std::mem::take(args).into_iter().zip(params) {
            match arg {
                Operand::Var(array) if is_array => {
                    let (array, offset) = self.as_rows(array, !has_offset, "the arguments of a function are row-major");
                    all.push(self.place_of(array).block.into());
                    if has_offset {
                        all.push(offset);
                    }
                    all.push(array.into());
                }
                arg => all.push(arg),
            }
        }
        *args = all;
        let mut pat = Vec::new();
        let mut moves = Vec::new();
        let offsets = self.interfaces.offsets(*f, stm.pat.len());
        for (mut param, has_offset) in std::mem::take(&mut stm.pat).into_iter().zip(offsets) {
            if param.ty.is_array() {
                let (blocks, place) = carried(param.name, param.ty.dims(), has_offset, self.space(), self.fresh);
                pat.extend(blocks);
                if let Some(wanted) = self.places.get(&param.name).cloned() {
                    let made = self.fresh.like(param.name);
                    moves.push((std::mem::replace(&mut param.name, made), param.ty.clone(), made, wanted));
                }
                param.place = place.map(Box::new);
            }
            pat.push(param);
        }
        stm.pat = pat;
        self.emit(stm);
        for (name, ty, made, wanted) in moves {
            let reason = "a function makes its results in blocks of their own";
            self.log.placed(name, self.loc, Placement { kind: DecisionKind::Copy, array: name, reason });
            let mut param = Param::new(name, ty);
            param.place = Some(Box::new(wanted));
            self.emit(self.simple(param, Exp::Copy(made)));
        }
    }
}

/// The blocks of what is read behind the body of a `par`.
struct Behind {
    /// Who runs the iterations at the same time, if anybody does.
    level: Option<Level>,
    /// How many iterations they share.
    most: Operand,
    /// For the beginning of the body.
    slots: Vec<Stm>,
}

/// What a body of a `par` makes that a name stands for, with its type.
fn maker(par: &Par, mut name: Name) -> Option<(Name, Type)> {
    let bodies = [Some(&par.body), par.post.as_ref().map(|post| &post.body)];
    for stm in bodies.iter().flatten().flat_map(|body| &body.stms).rev() {
        let Some(param) = stm.pat.iter().find(|p| p.name == name && p.ty.is_array()) else { continue };
        match &stm.exp {
            Exp::Operand(Operand::Var(a)) | Exp::Opaque(Operand::Var(a)) | Exp::Trace(_, Operand::Var(a)) => name = *a,
            _ => return super::plan::is_made(stm, name).then(|| (name, param.ty.clone())),
        }
    }
    None
}

/// How the values of a loop's parameter lie in their blocks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Row-major from the beginning.
    Rows,
    /// Row-major from some offset on.
    RowsFrom,
    /// With any offset and strides.
    Strided,
}

/// New parameters for the block of an array and for what differs in its layout, and its place.
fn carried_as(param: &Param, shape: Shape, space: Space, fresh: &mut Fresh) -> (Vec<Param>, Option<Place>) {
    let dims = param.ty.dims();
    let (mut params, place) = carried(param.name, dims, shape != Shape::Rows, space, fresh);
    if shape != Shape::Strided {
        return (params, place);
    }
    let mut strides = Vec::new();
    for size in dims {
        let name = fresh.named("stride");
        params.push(Param::new(name, Type::I64));
        strides.push(Poly::operand(*size).map(|size| Dim::new(size, Poly::name(name))));
    }
    let place = place.and_then(|mut place| {
        place.layout.dims = strides.into_iter().collect::<Option<_>>()?;
        Some(place)
    });
    (params, place)
}

/// What the operators and writes of a `par` read behind its body.
fn read_behind(par: &Par) -> impl Iterator<Item = Operand> {
    let (body, first) = par.yields();
    let mut at = first;
    let mut read: Vec<Operand> = par.body.results[..par.operands()].to_vec();
    for form in &par.forms {
        let values = &body.results[at..at + form.operands()];
        if let Form::Write { .. } | Form::Acc { .. } = form {
            read.extend(values);
        }
        at += form.operands();
    }
    read.into_iter()
}

/// The tile at an index.
fn tile_of(layout: &Layout, index: &[Operand], tile: &[Operand]) -> Option<Layout> {
    let mut ranges = Vec::new();
    for (k, dim) in layout.dims.iter().enumerate() {
        let one = Poly::constant(1);
        ranges.push(match (index.get(k), tile.get(k)) {
            (Some(i), Some(t)) => {
                let len = Poly::operand(*t)?;
                DimRange::Range { start: Poly::operand(*i)?.times(&len)?, len, stride: one }
            }
            _ => DimRange::Range { start: Poly::default(), len: dim.size()?, stride: one },
        });
    }
    layout.slice(&ranges)
}
