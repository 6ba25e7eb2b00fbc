//! The walk forwards: a place for every array.

use super::plan::{Dest, Into, Plan, may_fail, may_hang};
use super::signature::{Interfaces, carried};
use super::step::{Step, after, flat, polys, ranges};
use crate::moves::is_cheap;
use kenaz_base::{Prim, with_stack};
use kenaz_ir::effects;
use kenaz_ir::facts::{Answer, Facts};
use kenaz_ir::visit::free_in_stm;
use kenaz_ir::{
    Attrs, BinOp, Body, DecisionKind, Exp, Fresh, Fun, Layout, Level, LocId, Log, MathFn, MemExp, Name, Operand, Param,
    PassCx, Place, Placement, Poly, Scalar, Slots, Space, Stm, Target, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct Placer<'a> {
    pub plan: Plan,
    pub interfaces: &'a mut Interfaces,
    pub fresh: &'a mut Fresh,
    pub log: &'a mut Log,
    pub(super) target: &'static Target,
    /// Who runs what is being done.
    pub running: Option<Level>,
    pub facts: Facts,
    pub types: FxHashMap<Name, Type>,
    /// Where arrays are, also those that are still to be bound but whose place was needed early.
    pub places: FxHashMap<Name, Place>,
    /// At which depth of bodies a name is bound, once it is.
    levels: FxHashMap<Name, usize>,
    frames: Vec<Frame>,
    /// Whether the function is an entry point.
    is_entry: bool,
    /// The position of the current statement.
    pub loc: LocId,
    /// The arrays for which a destination was found.
    pub arrived: FxHashMap<Name, Name>,
    /// For copies at the places of parts, the wholes.
    moved_for: FxHashMap<Name, Name>,
    /// Why there was none at the place where an array is made.
    pub refusals: FxHashMap<Name, &'static str>,
    /// What a branch that is being done yields, if that exists already in some case.
    pub existing: FxHashSet<Name>,
}

/// A body of which some statements are done and some are not.
#[derive(Default)]
struct Frame {
    /// Who runs it.
    running: Option<Level>,
    pending: Vec<Option<Stm>>,
    /// Whether the statement that is being done may run for ever.
    current_may_hang: bool,
    /// Which statement binds a name.
    defs: FxHashMap<Name, usize>,
    out: Vec<Stm>,
    /// Sizes and offsets that were computed here.
    computed: FxHashMap<Poly, Operand>,
    /// Products of sizes that were computed here.
    bytes: FxHashMap<Poly, Operand>,
}

/// What was built in destinations.
pub(super) struct Built {
    /// With what they are part of.
    arrived: FxHashMap<Name, Name>,
    moved_for: FxHashMap<Name, Name>,
    versions: FxHashMap<Name, Name>,
}

impl Built {
    /// What to build elsewhere when statements that bind these names are wrong.
    pub(super) fn culprits(&self, bound: &[Name]) -> Vec<Name> {
        let wholes: Vec<Name> = bound.iter().filter_map(|name| self.moved_for.get(name)).copied().collect();
        let parts = bound.iter().chain(&wholes).filter(|name| self.arrived.contains_key(name));
        let parts: Vec<Name> = parts.copied().collect();
        if !parts.is_empty() {
            return parts;
        }
        // What they overwrite may be another part of the same whole.
        let others = self.arrived.iter().filter(|(_, whole)| wholes.contains(whole)).map(|(part, _)| *part);
        let others: Vec<Name> = others.collect();
        if !others.is_empty() {
            return others;
        }
        // They may be later versions of what was built there.
        let first = |name: &Name| std::iter::successors(Some(*name), |name| self.versions.get(name).copied());
        bound.iter().filter_map(|name| first(name).find(|name| self.arrived.contains_key(name))).collect()
    }
}

/// The statements of a body whose results are still to be said.
pub(super) struct Open {
    pub stms: Vec<Stm>,
    pub results: Vec<Operand>,
}

impl<'a> Placer<'a> {
    pub(super) fn new(
        plan: Plan,
        interfaces: &'a mut Interfaces,
        fresh: &'a mut Fresh,
        cx: &'a mut PassCx,
    ) -> Placer<'a> {
        Placer {
            plan,
            interfaces,
            fresh,
            log: &mut cx.log,
            target: cx.target,
            running: None,
            facts: Facts::new(),
            types: FxHashMap::default(),
            places: FxHashMap::default(),
            levels: FxHashMap::default(),
            frames: Vec::new(),
            is_entry: false,
            loc: kenaz_ir::Locs::NOWHERE(),
            arrived: FxHashMap::default(),
            moved_for: FxHashMap::default(),
            refusals: FxHashMap::default(),
            existing: FxHashSet::default(),
        }
    }

    pub(super) fn fun(mut self, fun: &mut Fun) -> Built {
        self.loc = fun.loc;
        self.facts.enter_fun(fun);
        let is_entry = fun.entry.is_some();
        self.is_entry = is_entry;
        let mut params = Vec::new();
        for mut param in std::mem::take(&mut fun.params) {
            if param.ty.is_array() {
                let (more, place) = carried(param.name, param.ty.dims(), !is_entry, self.space(), self.fresh);
                params.extend(more);
                param.place = place.map(Box::new);
            }
            params.push(param);
        }
        for param in &params {
            self.bind(param, 0);
        }
        fun.params = params;

        let old = std::mem::take(&mut fun.results);
        let mut offsets = Vec::new();
        let mut open = self.open(std::mem::take(&mut fun.body));
        self.reopen(&mut open, |p, yielded| {
            let mut rows = Vec::new();
            for (x, result) in yielded.into_iter().zip(&old) {
                rows.push(match x {
                    Operand::Var(name) if result.ty.is_array() => {
                        let (name, offset) = p.as_rows(name, is_entry, "the result of a function is row-major");
                        (name.into(), Some((p.places[&name].block, offset)))
                    }
                    x => (x, None),
                });
            }
            let is_needed = |at: &Option<(Name, Operand)>| at.is_some_and(|(_, offset)| offset != Operand::i64(0));
            offsets = p.interfaces.settle(fun.name, rows.iter().map(|(_, at)| is_needed(at)).collect());
            let mut all = Vec::new();
            for ((x, at), has_offset) in rows.into_iter().zip(&offsets) {
                if let Some((block, offset)) = at {
                    all.push(block.into());
                    all.extend(has_offset.then_some(offset));
                }
                all.push(x);
            }
            all
        });
        fun.body = Body { stms: open.stms, results: open.results };
        for (mut result, has_offset) in old.into_iter().zip(offsets) {
            if result.ty.is_array() {
                let (more, place) = carried(result.name, result.ty.dims(), has_offset, self.space(), self.fresh);
                fun.results.extend(more);
                result.place = place.map(Box::new);
            }
            fun.results.push(result);
        }
        Built { arrived: self.arrived, moved_for: self.moved_for, versions: self.plan.versions }
    }

    // Bodies

    /// Goes through the statements of a body; what its results become is left to the caller.
    pub(super) fn open(&mut self, body: Body) -> Open {
        with_stack(|| {
            let mut frame = Frame { running: self.running, ..Frame::default() };
            for (i, stm) in body.stms.iter().enumerate() {
                for param in &stm.pat {
                    frame.defs.insert(param.name, i);
                    self.types.insert(param.name, param.ty.clone());
                }
            }
            frame.pending = body.stms.into_iter().map(Some).collect();
            self.frames.push(frame);
            let level = self.level();
            for i in 0..self.frames[level].pending.len() {
                if let Some(stm) = self.frames[level].pending[i].take() {
                    self.frames[level].current_may_hang = may_hang(&stm);
                    let outer = std::mem::replace(&mut self.loc, stm.loc);
                    self.wished(stm);
                    self.loc = outer;
                }
            }
            let frame = self.frames.pop().unwrap_or_default();
            Open { stms: frame.out, results: body.results }
        })
    }

    /// Adds statements behind those of a body, and says its results.
    pub(super) fn reopen(&mut self, open: &mut Open, f: impl FnOnce(&mut Self, Vec<Operand>) -> Vec<Operand>) {
        let out = std::mem::take(&mut open.stms);
        self.frames.push(Frame { running: self.running, out, ..Frame::default() });
        open.results = f(self, std::mem::take(&mut open.results));
        open.stms = self.frames.pop().unwrap_or_default().out;
    }

    /// A body that yields scalars only.
    pub(super) fn plain(&mut self, body: &mut Body) {
        let open = self.open(std::mem::take(body));
        *body = Body { stms: open.stms, results: open.results };
    }

    /// What is done from here on runs at a level, if the target has it. Gives who runs what is around.
    pub(super) fn run_at(&mut self, level: Option<Level>) -> Option<Level> {
        let inside = level.filter(|level| self.target.runs(*level)).or(self.running);
        std::mem::replace(&mut self.running, inside)
    }

    /// Whether iterations at a level run at the same time.
    pub(super) fn runs(&self, level: Level) -> bool {
        self.target.runs(level)
    }

    /// Where the blocks of what is being done are.
    pub(super) fn space(&self) -> Space {
        self.target.space(self.running)
    }

    pub(super) fn level(&self) -> usize {
        self.frames.len().saturating_sub(1)
    }

    /// Puts a statement at the end of what is done of a body.
    fn emit_at(&mut self, level: usize, stm: Stm) {
        for param in &stm.pat {
            self.bind(param, level);
        }
        self.facts.stm(&stm);
        self.frames[level].out.push(stm);
    }

    pub(super) fn emit(&mut self, stm: Stm) {
        self.emit_at(self.level(), stm);
    }

    pub(super) fn bind(&mut self, param: &Param, level: usize) {
        self.types.insert(param.name, param.ty.clone());
        self.levels.insert(param.name, level);
        if let Some(place) = &param.place {
            self.places.insert(param.name, (**place).clone());
        }
    }

    /// Binds a name for the bodies that are about to be opened.
    pub(super) fn bind_inside(&mut self, param: &Param) {
        self.bind(param, self.frames.len());
    }

    // What is in scope

    /// Whether names are in scope at a level, or can be: cheap scalars that are computed later are computed now.
    pub(super) fn available(&mut self, names: impl IntoIterator<Item = Name>, level: usize) -> bool {
        let mut needed = Vec::new();
        let mut seen = FxHashMap::default();
        for name in names {
            if !self.needed(name, level, &mut needed, &mut seen) {
                return false;
            }
        }
        for (level, i) in needed {
            if let Some(stm) = self.frames[level].pending[i].take() {
                self.emit_at(level, stm);
            }
        }
        true
    }

    /// Collects the statements to be done early, in their order.
    fn needed(
        &self,
        name: Name,
        level: usize,
        out: &mut Vec<(usize, usize)>,
        seen: &mut FxHashMap<Name, bool>,
    ) -> bool {
        if let Some(bound) = self.levels.get(&name) {
            return *bound <= level;
        }
        if let Some(known) = seen.get(&name) {
            return *known;
        }
        let is_pending = |l: &usize| {
            let frame = &self.frames[*l];
            frame.defs.get(&name).is_some_and(|i| frame.pending[*i].is_some())
        };
        let found = (0..=level.min(self.level())).rev().find(is_pending);
        let fits = found.is_some_and(|l| {
            let i = self.frames[l].defs[&name];
            let Some(stm) = &self.frames[l].pending[i] else { return false };
            let fits =
                is_cheap(stm) && with_stack(|| free_in_stm(stm).into_iter().all(|n| self.needed(n, l, out, seen)));
            if fits {
                out.push((l, i));
            }
            fits
        });
        seen.insert(name, fits);
        fits
    }

    fn place_is_available(&mut self, place: &Place, level: usize) -> bool {
        let names: Vec<Name> = place.layout.names().collect();
        self.levels.get(&place.block).is_some_and(|bound| *bound <= level) && self.available(names, level)
    }

    /// Whether a place can be spoken of outside the bodies at deeper levels.
    pub(super) fn is_known_outside(&self, place: &Place, level: usize) -> bool {
        self.is_bound_at(place.block, level) && place.layout.names().all(|name| self.is_bound_at(name, level))
    }

    pub(super) fn is_bound_at(&self, name: Name, level: usize) -> bool {
        self.levels.get(&name).is_some_and(|bound| *bound <= level)
    }

    // Places

    pub(super) fn place_of(&self, name: Name) -> Place {
        match self.places.get(&name) {
            Some(place) => place.clone(),
            None => panic!("the array `{name}` has no place"),
        }
    }

    /// Whether an array is yielded by the function as it is, so that it is row-major; and whether at the beginning of
    /// its block.
    pub(super) fn must_be_rows(&self, name: Name) -> Option<bool> {
        matches!(self.plan.dests.get(&name), Some(Dest::Own)).then_some(self.is_entry)
    }

    pub(super) fn same(&self, a: &Place, b: &Place) -> bool {
        a.block == b.block && a.layout.same(&b.layout, &self.facts)
    }

    /// The place of an array that is made here: its destination, or a new block.
    pub(super) fn made(&mut self, name: Name, ty: &Type) -> Place {
        if let Some(place) = self.places.get(&name) {
            return place.clone();
        }
        let level = self.level();
        match self.destination(name, level) {
            Some(place) => place,
            None => self.new_block(name, ty, level),
        }
    }

    /// The place that the plan has for an array, if it can be had at this level.
    pub(super) fn destination(&mut self, name: Name, level: usize) -> Option<Place> {
        let Some(Dest::Into(into)) = self.plan.dests.get(&name) else { return None };
        let Into { whole: target, step, certs, needs_proof } = into.clone();
        if !self.available(step.names(), level) {
            self.refuse(name, "where it belongs is not known when it is made");
            return None;
        }
        // The slot must be there: no check that it is may come later.
        if !certs.iter().all(|cert| self.is_bound_at(*cert, level) || self.check_early(*cert, level)) {
            self.refuse(name, "a check that its slot exists comes later");
            return None;
        }
        let whole = with_stack(|| self.target(target, level))?;
        let Some(place) = step.apply(&whole, &self.facts) else {
            self.refuse(name, "its slot is no layout");
            return None;
        };
        let is_within = |p: &Self| place.layout.within(&whole.layout, &p.facts) == Answer::Proved;
        let is_safe = match &step {
            // A check that the sizes are equal may have been left out because an earlier one says so.
            Step::Resize(dims) | Step::Reshape(dims) => !certs.is_empty() || self.same_size(dims, &whole.layout),
            _ => !needs_proof || !certs.is_empty() || is_within(self),
        };
        if !is_safe {
            self.refuse(name, "a check that its slot exists comes later");
            return None;
        }
        // The stride that a branch yields with its array may be 0 for all that is known.
        let strides = place.layout.dims.iter().flat_map(|dim| &dim.0).map(|pair| &pair.stride);
        let is_open = strides.flat_map(|stride| stride.names()).any(|name| !self.facts.nonneg(name).is_proved());
        if is_open && !place.layout.injective(&self.facts).is_proved() {
            self.refuse(name, "two elements of its slot may be at one address");
            return None;
        }
        if !self.place_is_available(&place, level) {
            self.refuse(name, "the block it belongs to does not exist when it is made");
            return None;
        }
        if !self.log.fire("into-destination") {
            return None;
        }
        self.arrived.insert(name, target);
        Some(place)
    }

    /// Checks early what is checked later, together with the checks before it, if nothing else in between may fail. The
    /// statement that is being done may: which of two checks fails first is open, but it must come to an end.
    fn check_early(&mut self, cert: Name, level: usize) -> bool {
        let is_pending = |l: &usize| {
            let frame = &self.frames[*l];
            frame.defs.get(&cert).is_some_and(|i| frame.pending[*i].is_some())
        };
        let Some(level) = (0..=level.min(self.level())).rev().find(is_pending) else { return false };
        let frame = &self.frames[level];
        let end = frame.defs[&cert];
        let fails = |i: &usize| frame.pending[*i].as_ref().is_some_and(may_fail);
        let checks: Vec<usize> = (0..=end).filter(fails).collect();
        let is_check = |i: &usize| frame.pending[*i].as_ref().is_some_and(|stm| matches!(stm.exp, Exp::Assert(..)));
        let ends = !self.frames[level..].iter().any(|frame| frame.current_may_hang);
        if !ends || !checks.contains(&end) || !checks.iter().all(is_check) {
            return false;
        }
        for i in checks {
            let Some(names) = self.frames[level].pending[i].as_ref().map(free_in_stm) else { return false };
            if !self.available(names, level) {
                return false;
            }
            if let Some(check) = self.frames[level].pending[i].take() {
                self.emit_at(level, check);
            }
        }
        true
    }

    /// Whether an array of these dimensions has as many elements as a layout.
    fn same_size(&self, dims: &[Operand], layout: &Layout) -> bool {
        let product = |sizes: Vec<Poly>| sizes.iter().try_fold(Poly::constant(1), |n, size| n.times(size));
        let (Some(ours), Some(theirs)) = (polys(dims).and_then(product), layout.sizes().and_then(product)) else {
            return false;
        };
        self.facts.poly_eq(&ours, &theirs) == Answer::Proved
    }

    /// The place of an array that others are made into, which may still be to come.
    fn target(&mut self, name: Name, level: usize) -> Option<Place> {
        if let Some(place) = self.places.get(&name) {
            return Some(place.clone());
        }
        let level = (0..=level).rev().find(|l| {
            let frame = &self.frames[*l];
            frame.defs.get(&name).is_some_and(|i| frame.pending[*i].is_some())
        })?;
        let place = match self.destination(name, level) {
            Some(place) => place,
            None => {
                // What is not made by itself has a block of its own only if the plan says so.
                let is_own = matches!(self.plan.dests.get(&name), Some(Dest::Own));
                let i = self.frames[level].defs[&name];
                let makes = self.frames[level].pending[i].as_ref().is_some_and(|stm| super::plan::is_made(stm, name));
                let ty = self.types.get(&name)?.clone();
                if !makes && (!is_own || self.exists(name)) {
                    return None;
                }
                if !self.available(ty.dims().iter().filter_map(|x| x.name()), level) {
                    return None;
                }
                self.new_block(name, &ty, level)
            }
        };
        self.places.insert(name, place.clone());
        Some(place)
    }

    /// Whether an array that is still to be bound is another version of one that is there, or in some branch one that
    /// is there: a block for it would only cost a copy.
    fn exists(&self, name: Name) -> bool {
        let versions = std::iter::successors(Some(name), |name| self.plan.versions.get(name).copied());
        let Some(first) = versions.take_while(|name| !self.levels.contains_key(name)).last() else { return false };
        if let Some(before) = self.plan.versions.get(&first) {
            return self.is_rows(*before, self.is_entry);
        }
        let pending = self.frames.iter().find_map(|frame| frame.pending[*frame.defs.get(&first)?].as_ref());
        self.existing.contains(&first) || pending.is_some_and(|stm| self.yields_existing(stm, first))
    }

    /// Whether a branch yields under this name an array that is there already.
    pub(super) fn yields_existing(&self, stm: &Stm, name: Name) -> bool {
        let Some(at) = stm.pat.iter().position(|p| p.name == name) else { return false };
        let effects::Memory::Branches(bodies) = effects::memory(&stm.exp) else { return false };
        bodies.iter().any(|body| {
            let mut result = body.results[at].name();
            for stm in body.stms.iter().rev() {
                if result.is_some_and(|x| stm.pat.iter().any(|p| p.name == x)) {
                    result = match &stm.exp {
                        Exp::Operand(_) | Exp::Resize(..) => effects::viewed(&stm.exp),
                        _ => None,
                    };
                }
            }
            result.is_some_and(|x| self.levels.contains_key(&x) && self.is_rows(x, self.is_entry))
        })
    }

    fn refuse(&mut self, name: Name, reason: &'static str) {
        self.refusals.insert(name, reason);
        self.log.decide(DecisionKind::NotInPlace, self.loc, format!("`{}`: {reason}", name.base));
    }

    /// A row-major array in a block of its own.
    pub(super) fn new_block(&mut self, name: Name, ty: &Type, level: usize) -> Place {
        let reason = self.why_own(name);
        self.new_block_because(name, ty, level, reason)
    }

    fn new_block_because(&mut self, name: Name, ty: &Type, level: usize, reason: &'static str) -> Place {
        let prim = ty.prim().unwrap_or(Prim::Bool);
        let layout = self.row_major(ty.dims(), level);
        let bytes = self.bytes(ty.dims(), prim, level);
        let block = self.fresh.named(&format!("{}_mem", name.base));
        self.log.placed(block, self.loc, Placement { kind: DecisionKind::Allocation, array: name, reason });
        let space = self.target.space(self.frames[level].running);
        let param = Param::new(block, Type::Mem(space));
        self.emit_at(level, self.simple(param, Exp::Mem(MemExp::Alloc(space, bytes))));
        Place { block, layout }
    }

    /// The place of an array in a new block that has a slot for each of the workers who share so many iterations.
    pub(super) fn new_slots(&mut self, name: Name, ty: &Type, level: usize, workers: Level, most: Operand) -> Place {
        let layout = self.row_major(ty.dims(), level);
        let bytes = self.bytes(ty.dims(), ty.prim().unwrap_or(Prim::Bool), level);
        let block = self.fresh.named(&format!("{}_mem", name.base));
        let reason = "each worker has one for what is read behind its iterations";
        self.log.placed(block, self.loc, Placement { kind: DecisionKind::Allocation, array: name, reason });
        let space = self.target.space(Some(workers));
        let slots = Slots { level: workers, order: self.target.worker_order, space, bytes, most: Some(most) };
        let param = Param::new(block, Type::Mem(space));
        self.emit_at(level, self.simple(param, Exp::Mem(MemExp::AllocEach(slots))));
        Place { block, layout }
    }

    /// How many bytes an array has. The dimensions may still turn out to be negative or too large.
    fn bytes(&mut self, dims: &[Operand], prim: Prim, level: usize) -> Operand {
        let size = |dim: &Operand| match dim {
            Operand::Const(c) => c.as_i64(),
            Operand::Var(_) => None,
        };
        let known = dims.iter().filter_map(size).fold(prim.bytes() as i64, |n, dim| n.saturating_mul(dim.max(0)));
        let mut bytes = Operand::i64(known);
        let mut so_far = Poly::constant(known.into());
        for dim in dims.iter().filter(|dim| size(dim).is_none()) {
            let next = Poly::operand(*dim).and_then(|dim| so_far.times(&dim));
            let known = next
                .as_ref()
                .and_then(|next| self.frames[..=level].iter().find_map(|frame| frame.bytes.get(next)).copied());
            bytes = match known {
                Some(known) => known,
                None => {
                    let name = self.fresh.named("bytes");
                    let product = Exp::Math(MathFn::SizeMul, Prim::I64, vec![bytes, *dim]);
                    self.emit_at(level, self.simple(Param::new(name, Type::I64), product));
                    name.into()
                }
            };
            if let Some(next) = next {
                self.frames[level].bytes.insert(next.clone(), bytes);
                so_far = next;
            }
        }
        bytes
    }

    pub(super) fn row_major(&mut self, dims: &[Operand], level: usize) -> Layout {
        if let Some(layout) = Layout::row_major(dims) {
            return layout;
        }
        // Strides that are too large as polynomials get names.
        let mut stride = Operand::i64(1);
        let mut out = Vec::new();
        for dim in dims.iter().rev() {
            let poly = |x: Operand| Poly::operand(x).unwrap_or_default();
            out.push(kenaz_ir::layout::Dim::new(poly(*dim), poly(stride)));
            stride = self.bin(BinOp::Mul, stride, *dim, level);
        }
        out.reverse();
        Layout { offset: Poly::default(), dims: out }
    }

    pub(super) fn simple(&self, param: Param, exp: Exp) -> Stm {
        Stm { pat: vec![param], certs: Vec::new(), attrs: Attrs::default(), exp, loc: self.loc }
    }

    /// A copy of an array at another place.
    pub(super) fn copy_to(&mut self, name: Name, place: Place, reason: &'static str) -> Name {
        let ty = self.types[&name].clone();
        let copy = self.fresh.like(name);
        self.log.placed(copy, self.loc, Placement { kind: DecisionKind::Copy, array: name, reason });
        let mut param = Param::new(copy, ty);
        param.place = Some(Box::new(place));
        self.emit(self.simple(param, Exp::Copy(name)));
        copy
    }

    pub(super) fn copy_to_new(&mut self, name: Name, reason: &'static str) -> Name {
        let ty = self.types[&name].clone();
        let place = self.new_block_because(name, &ty, self.level(), reason);
        self.copy_to(name, place, reason)
    }

    /// Where the block of an array is.
    pub(super) fn space_of(&self, name: Name) -> Space {
        match self.types.get(&self.place_of(name).block) {
            Some(Type::Mem(space)) => *space,
            _ => self.space(),
        }
    }

    /// The array, or a copy of it, in the memory where blocks of what is being done are.
    pub(super) fn in_own_space(&mut self, name: Name) -> Name {
        match self.space_of(name) == self.space() {
            true => name,
            false => self.copy_to_new(name, "what a block carries along is in its own memory"),
        }
    }

    /// Whether an array is row-major, and at the beginning of its block if it must be.
    pub(super) fn is_rows(&self, name: Name, at_zero: bool) -> bool {
        let layout = self.place_of(name).layout;
        layout.is_row_major(&self.facts) && (!at_zero || layout.offset.is_zero())
    }

    /// The array, or a copy of it, row-major from an offset on; with no offset where there must be none.
    pub(super) fn as_rows(&mut self, name: Name, at_zero: bool, reason: &'static str) -> (Name, Operand) {
        if self.is_rows(name, at_zero) {
            let offset = self.compute(&self.place_of(name).layout.offset, self.level());
            return (name, offset);
        }
        (self.copy_to_new(name, reason), Operand::i64(0))
    }

    // Arithmetic

    pub(super) fn bin(&mut self, op: BinOp, x: Operand, y: Operand, level: usize) -> Operand {
        let name = self.fresh.named("at");
        self.emit_at(level, self.simple(Param::new(name, Type::I64), Exp::Bin(op, x, y)));
        name.into()
    }

    /// A polynomial as an operand, computed at this level if it is not there yet.
    pub(super) fn compute(&mut self, poly: &Poly, level: usize) -> Operand {
        if let Some(operand) = poly.as_operand() {
            return operand;
        }
        if let Some(known) = self.frames[..=level].iter().find_map(|frame| frame.computed.get(poly)) {
            return *known;
        }
        let mut sum: Option<Operand> = None;
        for (product, n) in poly.terms() {
            let n = Operand::Const(Scalar::I64(n as i64));
            let mut term = None;
            for name in product {
                term = Some(match term {
                    None => Operand::Var(*name),
                    Some(term) => self.bin(BinOp::Mul, term, (*name).into(), level),
                });
            }
            let term = match term {
                None => n,
                Some(term) if n == Operand::i64(1) => term,
                Some(term) => self.bin(BinOp::Mul, term, n, level),
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => self.bin(BinOp::Add, sum, term, level),
            });
        }
        let sum = sum.unwrap_or(Operand::i64(0));
        self.frames[level].computed.insert(poly.clone(), sum);
        sum
    }

    // Statements

    pub(super) fn stm(&mut self, mut stm: Stm) {
        match &mut stm.exp {
            Exp::If(..) | Exp::Match(..) => self.branches(stm),
            Exp::Loop { .. } => self.loop_(stm),
            Exp::Par(_) => self.par(stm),
            Exp::Call(..) => self.call(stm),
            Exp::Update(a, dims, value) => {
                let name = stm.pat[0].name;
                let place = self.updated(name, a);
                if let Operand::Var(v) = *value
                    && self.types[&v].is_array()
                    && let Some(slot) = Step::Slice(dims.clone()).apply(&place, &self.facts)
                {
                    *value = self.replacing(name, v, slot, &place).into();
                }
                self.bound(stm, place);
            }
            Exp::FlatUpdate(a, offset, strides, value) => {
                let name = stm.pat[0].name;
                let place = self.updated(name, a);
                let sizes = self.types[value].dims().to_vec();
                let dims = sizes.into_iter().zip(strides.iter().copied()).collect();
                if let Some(slot) = Step::Flat(*offset, dims).apply(&place, &self.facts) {
                    *value = self.replacing(name, *value, slot, &place);
                }
                self.bound(stm, place);
            }
            Exp::Array(elems, ty) => {
                let is_nested = ty.is_array();
                let (name, ty) = (stm.pat[0].name, stm.pat[0].ty.clone());
                let place = self.made(name, &ty);
                for (i, elem) in elems.iter_mut().enumerate().filter(|_| is_nested) {
                    let step = Step::At(vec![Operand::i64(i as i64)]);
                    if let (Operand::Var(v), Some(slot)) = (*elem, step.apply(&place, &self.facts)) {
                        *elem = self.moved_into(name, v, slot).into();
                    }
                }
                self.bound(stm, place);
            }
            Exp::Concat(_, parts) => {
                let (name, ty) = (stm.pat[0].name, stm.pat[0].ty.clone());
                let place = self.made(name, &ty);
                let mut start = Some(Poly::default());
                for part in parts {
                    let len = self.types[part].dims()[0];
                    // Beyond the largest number no array ends.
                    let Some(first) = start else { break };
                    start = after(&first, len);
                    if let Some(slot) = (Step::Rows { start: first, len }).apply(&place, &self.facts) {
                        *part = self.moved_into(name, *part, slot);
                    }
                }
                self.bound(stm, place);
            }
            Exp::Copy(a) => {
                let (a, name, ty) = (*a, stm.pat[0].name, stm.pat[0].ty.clone());
                let mut place = self.made(name, &ty);
                let source = self.place_of(a);
                // A copy at the same place does nothing. What is changed later is not the same array all the same, nor
                // is a copy of a slice which it will replace.
                if self.same(&source, &place) {
                    let is_made_for_it = self.arrived.get(&a) == Some(&name) || !self.arrived.contains_key(&name);
                    if !self.plan.changed.contains(&name) && is_made_for_it {
                        stm.exp = Exp::Operand(a.into());
                    }
                    // Nobody has to prove that again.
                    place = source;
                } else {
                    let reason = "the program asks for it, and both are needed";
                    self.log.placed(name, self.loc, Placement { kind: DecisionKind::Copy, array: a, reason });
                }
                self.bound(stm, place);
            }
            Exp::Iota { .. } | Exp::Replicate(..) | Exp::Scratch(..) => {
                let (name, ty) = (stm.pat[0].name, stm.pat[0].ty.clone());
                let place = self.made(name, &ty);
                self.bound(stm, place);
            }
            Exp::Operand(_)
            | Exp::Tunable(_)
            | Exp::Opaque(_)
            | Exp::Trace(..)
            | Exp::Index(..)
            | Exp::Slice(..)
            | Exp::Rearrange(..)
            | Exp::Reshape(..)
            | Exp::Resize(..)
            | Exp::FlatIndex(..) => {
                if stm.pat[0].ty.is_array() {
                    self.view(stm);
                } else {
                    self.emit(stm);
                }
            }
            Exp::Un(..)
            | Exp::Bin(..)
            | Exp::Cmp(..)
            | Exp::Conv(..)
            | Exp::Math(..)
            | Exp::Assert(..)
            | Exp::Mem(_) => self.emit(stm),
            Exp::Soac(_) | Exp::Jvp(..) | Exp::Vjp(..) => panic!("an operator of the array stage"),
        }
    }

    /// Emits a statement that binds one array.
    fn bound(&mut self, mut stm: Stm, place: Place) {
        stm.pat[0].place = Some(Box::new(place));
        self.emit(stm);
    }

    /// The place of an array that is updated. If the result was wanted elsewhere, the array is copied there first.
    pub(super) fn updated(&mut self, result: Name, array: &mut Name) -> Place {
        let place = self.place_of(*array);
        match self.places.get(&result).cloned() {
            Some(wanted) if !self.same(&wanted, &place) => {
                *array = self.copy_to(*array, wanted.clone(), "what is updated is wanted elsewhere");
                wanted
            }
            _ => place,
        }
    }

    /// The array if it is at a place, otherwise a copy of it there.
    pub(super) fn moved(&mut self, name: Name, place: Place) -> Name {
        if self.same(&self.place_of(name), &place) {
            return name;
        }
        let reason = self.plan.reason(name);
        self.copy_to(name, place, reason)
    }

    /// The same for a part of a whole.
    pub(super) fn moved_into(&mut self, whole: Name, part: Name, place: Place) -> Name {
        let moved = self.moved(part, place);
        if moved != part {
            self.moved_for.insert(moved, whole);
        }
        moved
    }

    /// The new value of a slice. If it is not known that the slice exists, only the update itself may write there.
    fn replacing(&mut self, result: Name, value: Name, slot: Place, whole: &Place) -> Name {
        let exists = slot.layout.within(&whole.layout, &self.facts).is_proved()
            && slot.layout.injective(&self.facts).is_proved();
        if exists || self.same(&self.place_of(value), &slot) {
            return self.moved(value, slot);
        }
        let reason = self.plan.reason(value);
        self.log.placed(result, self.loc, Placement { kind: DecisionKind::Copy, array: value, reason });
        value
    }

    fn view(&mut self, mut stm: Stm) {
        let Some(source) = effects::viewed(&stm.exp) else { panic!("a view of nothing") };
        let place = self.place_of(source);
        let place = match self.viewed(&stm.exp, &place) {
            Some(place) => place,
            None => {
                // The copy goes where the array would have gone, had it been made for this.
                let level = self.level();
                let view = stm.pat[0].name;
                let is_for_view = matches!(self.plan.dests.get(&source), Some(Dest::Into(into)) if into.whole == view);
                let wanted = if is_for_view { self.destination(source, level) } else { None };
                let copied = match wanted {
                    Some(place) => place,
                    None => {
                        let ty = self.types[&source].clone();
                        self.new_block(source, &ty, level)
                    }
                };
                let copy = self.copy_to(source, copied, "the view of it is no layout");
                let place = self.place_of(copy);
                let subst: kenaz_ir::visit::Subst = [(source, copy)].into_iter().collect();
                subst.apply_to_exp(&mut stm.exp);
                match self.viewed(&stm.exp, &place) {
                    Some(place) => place,
                    None => panic!("a view of a row-major array is no layout"),
                }
            }
        };
        self.bound(stm, place);
    }

    fn viewed(&mut self, exp: &Exp, place: &Place) -> Option<Place> {
        let layout = &place.layout;
        let layout = match exp {
            Exp::Index(_, indices) => {
                let layout = layout.index(&polys(indices)?);
                match layout {
                    Some(layout) => layout,
                    None => self.index_nested(&place.layout, indices)?,
                }
            }
            Exp::Slice(_, dims) => layout.slice(&ranges(dims)?)?,
            Exp::Rearrange(perm, _) => layout.permute(perm),
            Exp::Reshape(dims, _) => layout.reshape(&polys(dims)?, &self.facts)?,
            Exp::Resize(dims, _) => layout.resize(&polys(dims)?)?,
            Exp::FlatIndex(_, offset, dims) => flat(layout, *offset, dims)?,
            _ => layout.clone(),
        };
        Some(Place { block: place.block, layout })
    }

    /// Rows at indices along nested dimensions, which are split into digits.
    fn index_nested(&mut self, layout: &Layout, indices: &[Operand]) -> Option<Layout> {
        let level = self.level();
        let mut offset = layout.offset.clone();
        for (dim, index) in layout.dims.iter().zip(indices) {
            let mut rest = *index;
            for (i, pair) in dim.0.iter().enumerate().rev() {
                let mut digit = rest;
                if i > 0 {
                    let size = self.compute(&pair.size, level);
                    digit = self.bin(BinOp::Rem, rest, size, level);
                    rest = self.bin(BinOp::Quot, rest, size, level);
                }
                offset = offset.plus(&Poly::operand(digit)?.times(&pair.stride)?, 1)?;
            }
        }
        Some(Layout { offset, dims: layout.dims[indices.len()..].to_vec() })
    }
}
