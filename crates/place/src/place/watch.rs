//! Whether a value may be written into a slice before the update that puts it there.

use super::plan::Dest;
use super::step::{Step, flat, polys, ranges};
use kenaz_base::with_stack;
use kenaz_ir::effects;
use kenaz_ir::facts::{Answer, Facts};
use kenaz_ir::layout::disjoint;
use kenaz_ir::sharing::Sharing;
use kenaz_ir::visit::{Visit, free_in_stm, walk};
use kenaz_ir::{Exp, Form, Fun, Layout, LoopForm, Name, Operand, Par, Param, Place, Stm, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where arrays lie in those they are views of, as if those were row-major.
#[derive(Default)]
pub(super) struct Relative {
    types: FxHashMap<Name, Type>,
    /// The array, and the layout in it.
    in_root: FxHashMap<Name, (Name, Layout)>,
    facts: Facts,
}

impl Relative {
    pub(super) fn is_array(&self, name: Name) -> bool {
        self.types.get(&name).is_some_and(Type::is_array)
    }

    pub(super) fn dims(&self, name: Name) -> Option<Vec<Operand>> {
        self.types.get(&name).filter(|ty| ty.is_array()).map(|ty| ty.dims().to_vec())
    }

    /// The outer size of an array.
    pub(super) fn outer(&self, name: Name) -> Option<Operand> {
        self.types.get(&name)?.dims().first().copied()
    }

    /// Whether an index is the last one along a dimension.
    pub(super) fn is_last(&self, index: Operand, size: Operand, facts: &Facts) -> bool {
        let (Some(index), Some(size)) = (kenaz_ir::Poly::operand(index), kenaz_ir::Poly::operand(size)) else {
            return false;
        };
        let last = size.plus(&kenaz_ir::Poly::constant(1), -1);
        last.is_some_and(|last| facts.poly_eq(&index, &last) == Answer::Proved)
    }

    fn root(&mut self, param: &Param) {
        self.types.insert(param.name, param.ty.clone());
        if param.ty.is_array()
            && let Some(layout) = Layout::row_major(param.ty.dims())
        {
            self.in_root.insert(param.name, (param.name, layout));
        }
    }

    fn derived(&self, exp: &Exp) -> Option<(Name, Layout)> {
        let of = |a: &Name| self.in_root.get(a);
        let (root, layout) = match exp {
            Exp::Operand(Operand::Var(a)) | Exp::Opaque(Operand::Var(a)) | Exp::Trace(_, Operand::Var(a)) => {
                return of(a).cloned();
            }
            Exp::Update(a, ..) | Exp::FlatUpdate(a, ..) => return of(a).cloned(),
            Exp::Index(a, indices) => {
                let (root, layout) = of(a)?;
                (root, layout.index(&polys(indices)?)?)
            }
            Exp::Slice(a, dims) => {
                let (root, layout) = of(a)?;
                (root, layout.slice(&ranges(dims)?)?)
            }
            Exp::Rearrange(perm, a) => {
                let (root, layout) = of(a)?;
                (root, layout.permute(perm))
            }
            Exp::Reshape(dims, a) => {
                let (root, layout) = of(a)?;
                (root, layout.reshape(&polys(dims)?, &self.facts)?)
            }
            Exp::Resize(dims, a) => {
                let (root, layout) = of(a)?;
                (root, layout.resize(&polys(dims)?)?)
            }
            Exp::FlatIndex(a, offset, dims) => {
                let (root, layout) = of(a)?;
                (root, flat(layout, *offset, dims)?)
            }
            _ => return None,
        };
        Some((*root, layout))
    }
}

impl Visit for Relative {
    fn fun(&mut self, fun: &Fun) {
        self.facts.enter_fun(fun);
        for param in &fun.params {
            self.root(param);
        }
        self.body(&fun.body);
    }

    fn stm(&mut self, stm: &Stm) {
        let mark = self.facts.mark();
        match &stm.exp {
            Exp::Loop { params, form, body: _ } => {
                for (param, _) in params {
                    self.root(param);
                }
                enter_loop(&mut self.facts, params, form);
            }
            Exp::Par(par) => self.facts.enter_space(&par.space),
            _ => {}
        }
        walk::stm(self, stm);
        self.facts.reset(mark);
        self.facts.stm(stm);
        let derived = self.derived(&stm.exp);
        for param in &stm.pat {
            self.root(param);
        }
        if let (Some(param), Some(derived)) = (stm.pat.first(), derived)
            && param.ty.is_array()
        {
            self.in_root.insert(param.name, derived);
        }
    }
}

pub(super) fn enter_loop(facts: &mut Facts, params: &[(Param, Operand)], form: &LoopForm) {
    let params: Vec<&Param> = params.iter().map(|(p, _)| p).collect();
    facts.enter_loop(params.iter().copied(), form);
}

/// What a watch asks.
pub(super) struct Cx<'a> {
    pub relative: &'a Relative,
    pub dests: &'a FxHashMap<Name, Dest>,
    pub sharing: &'a Sharing,
    pub facts: &'a mut Facts,
}

/// A value that is to be made in the slice of an array which an update replaces by it. Seen from the update backwards,
/// no statement may touch the slice before all that the value consists of is made.
pub(super) struct Watch {
    pub value: Name,
    /// The value, or what becomes it at its place.
    maker: Name,
    /// The value and its parts, as far as they are still to be made.
    pub made: FxHashSet<Name>,
    /// What may share memory with the array.
    class: Name,
    /// The array as it is called there.
    pub array: Name,
    root: Name,
    slot: Layout,
}

impl Watch {
    pub(super) fn new(
        value: Name,
        array: Name,
        step: &Step,
        relative: &Relative,
        facts: &Facts,
        class: Name,
    ) -> Option<Watch> {
        let (root, layout) = relative.in_root.get(&array)?;
        let whole = Place { block: *root, layout: layout.clone() };
        let slot = step.apply(&whole, facts)?.layout;
        Some(Watch { value, maker: value, made: FxHashSet::from_iter([value]), class, array, root: *root, slot })
    }

    /// Goes past a statement.
    pub(super) fn look(&mut self, stm: &Stm, cx: &mut Cx<'_>) -> Result<(), &'static str> {
        if let Some((before, slot)) = self.before(stm, self.maker, &self.slot, cx) {
            (self.maker, self.slot) = (before, slot);
        }
        for param in &stm.pat {
            self.made.remove(&param.name);
            if param.name == self.array {
                // The array before this update of it; other slices may be replaced before the value is made.
                match &stm.exp {
                    Exp::Update(a, ..) => {
                        self.apart(stm, cx)?;
                        self.array = *a;
                        return Ok(());
                    }
                    _ => return Err("the array is made after what goes into it"),
                }
            }
        }
        match stm.pat.iter().position(|p| p.name == self.maker) {
            Some(at) => self.makes(stm, at, &self.slot, cx),
            None => self.apart(stm, cx),
        }
    }

    /// What an array is at a place is made from there, if this statement only gives it another name, another shape or
    /// other elements; with the place.
    fn before(&self, stm: &Stm, name: Name, slot: &Layout, cx: &Cx<'_>) -> Option<(Name, Layout)> {
        let at = stm.pat.iter().position(|p| p.name == name)?;
        let before = match &stm.exp {
            Exp::Loop { params, .. } => params[at].1.name(),
            exp => effects::viewed(exp).or_else(|| effects::over(exp, at)),
        }?;
        match cx.dests.get(&before) {
            Some(Dest::Into(into)) if into.whole == name => {
                let whole = Place { block: self.root, layout: slot.clone() };
                Some((before, into.step.apply(&whole, cx.facts)?.layout))
            }
            _ => None,
        }
    }

    /// Whether a statement that makes an array in a slot touches nothing of the slice but what it writes.
    fn makes(&self, stm: &Stm, at: usize, slot: &Layout, cx: &mut Cx<'_>) -> Result<(), &'static str> {
        match &stm.exp {
            Exp::Par(par) => {
                let aligned = self.aligned(par, at, slot, cx);
                // What operators do is not done element by element.
                if par.ops.is_empty() { aligned } else { aligned.or_else(|_| self.apart(stm, cx)) }
            }
            // What is there already is not moved.
            Exp::Copy(a) if self.region(*a, cx.relative).is_some_and(|source| source.same(slot, cx.facts)) => Ok(()),
            _ => self.apart(stm, cx),
        }
    }

    /// Whether a statement touches nothing of the slice.
    fn apart(&self, stm: &Stm, cx: &mut Cx<'_>) -> Result<(), &'static str> {
        match &stm.exp {
            Exp::Index(a, indices) if !stm.pat[0].ty.is_array() => {
                let index = |cx: &Cx<'_>| self.region(*a, cx.relative)?.index(&polys(indices)?);
                self.untouched(*a, index, cx)
            }
            Exp::Update(a, dims, value) => {
                let slice = |cx: &Cx<'_>| self.region(*a, cx.relative)?.slice(&ranges(dims)?);
                self.untouched(*a, slice, cx)?;
                self.unread(value.name(), cx)
            }
            // A view alone touches nothing; what uses it does.
            exp if effects::viewed(exp).is_some() => Ok(()),
            Exp::If(cond, yes, no) => {
                for (body, holds) in [(yes, true), (no, false)] {
                    self.inside(body, cx, |facts| facts.assume(*cond, holds))?;
                }
                Ok(())
            }
            Exp::Match(_, cases, default) => {
                let mut bodies = cases.iter().map(|(_, body)| body).chain([default]);
                bodies.try_for_each(|body| self.inside(body, cx, |_| {}))
            }
            Exp::Loop { params, form, body } => {
                self.unread(params.iter().filter_map(|(_, init)| init.name()), cx)?;
                self.inside(body, cx, |facts| enter_loop(facts, params, form))
            }
            Exp::Par(par) => {
                for form in &par.forms {
                    match form {
                        Form::Own | Form::Tile(_) => {}
                        Form::Write { dest, .. } => self.unread([*dest], cx)?,
                        Form::Acc { dests, .. } => self.unread(dests.iter().copied(), cx)?,
                    }
                }
                let ops = par.ops.iter().map(|op| &op.lambda.body);
                let bodies = ops.chain([&par.body]).chain(par.post.iter().map(|post| &post.body));
                let mut bodies: Vec<&kenaz_ir::Body> = bodies.collect();
                for form in &par.forms {
                    if let Form::Acc { op, .. } = form {
                        bodies.push(&op.body);
                    }
                }
                bodies.into_iter().try_for_each(|body| self.inside(body, cx, |facts| facts.enter_space(&par.space)))
            }
            _ => self.unread(free_in_stm(stm), cx),
        }
    }

    fn inside(
        &self,
        body: &kenaz_ir::Body,
        cx: &mut Cx<'_>,
        enter: impl FnOnce(&mut Facts),
    ) -> Result<(), &'static str> {
        with_stack(|| {
            let mark = cx.facts.mark();
            enter(cx.facts);
            let mut result = Ok(());
            for stm in &body.stms {
                result = result.and_then(|()| self.apart(stm, cx));
                cx.facts.stm(stm);
            }
            result = result.and_then(|()| self.unread(body.results.iter().filter_map(|x| x.name()), cx));
            cx.facts.reset(mark);
            result
        })
    }

    /// Whether none of the names is an array that touches the slice.
    fn unread(&self, names: impl IntoIterator<Item = Name>, cx: &Cx<'_>) -> Result<(), &'static str> {
        names.into_iter().try_for_each(|name| self.untouched(name, |cx| self.region(name, cx.relative), cx))
    }

    /// Whether a part of an array is apart from the slice.
    fn untouched(
        &self,
        array: Name,
        part: impl FnOnce(&Cx<'_>) -> Option<Layout>,
        cx: &Cx<'_>,
    ) -> Result<(), &'static str> {
        if !cx.relative.is_array(array) || cx.sharing.class(array) != self.class {
            return Ok(());
        }
        match part(cx) {
            Some(part) if disjoint(&part, &self.slot, cx.facts) == Answer::Proved => Ok(()),
            _ => Err(TOUCHED),
        }
    }

    /// Whether the `par` that makes the value, or a part of it that goes to `slot`, reads no element of the slice but
    /// the one that the same iteration writes at its end.
    fn aligned(&self, par: &Par, at: usize, slot: &Layout, cx: &mut Cx<'_>) -> Result<(), &'static str> {
        let index: Vec<Operand> = par.space.iter().map(|(i, _)| (*i).into()).collect();
        let slot = polys(&index).and_then(|index| slot.index(&index)).ok_or(TOUCHED)?;
        let form = at.checked_sub(par.reduced()).ok_or(TOUCHED)?;
        let simple = par.post.is_none() && par.ops.is_empty() && par.forms.iter().all(|form| *form == Form::Own);
        let made = par.body.results.get(form).filter(|_| simple).ok_or(TOUCHED)?;
        let (mut maker, mut made_at) = (made.name(), slot.clone());
        for stm in par.body.stms.iter().rev() {
            if let Some((before, place)) = maker.and_then(|name| self.before(stm, name, &made_at, cx)) {
                (maker, made_at) = (Some(before), place);
            }
        }
        let mark = cx.facts.mark();
        cx.facts.enter_space(&par.space);
        let mut result = Ok(());
        for stm in &par.body.stms {
            let at = stm.pat.iter().position(|p| Some(p.name) == maker);
            result = result.and_then(|()| match (&stm.exp, at) {
                (Exp::Index(a, indices), _) if slot.rank() == 0 && !stm.pat[0].ty.is_array() => {
                    let read = self.region(*a, cx.relative).and_then(|layout| layout.index(&polys(indices)?));
                    match read {
                        Some(read) if read.same(&slot, cx.facts) => Ok(()),
                        _ => self.apart(stm, cx),
                    }
                }
                (_, Some(at)) if slot.rank() > 0 => self.makes(stm, at, &made_at, cx),
                _ => self.apart(stm, cx),
            });
            cx.facts.stm(stm);
        }
        let others = par.body.results.iter().filter(|x| *x != made).filter_map(|x| x.name());
        result = result.and_then(|()| self.unread(others, cx));
        cx.facts.reset(mark);
        result
    }

    fn region(&self, name: Name, relative: &Relative) -> Option<Layout> {
        relative.in_root.get(&name).filter(|(root, _)| *root == self.root).map(|(_, layout)| layout.clone())
    }
}

const TOUCHED: &str = "the slice is used while its new value is made";
