//! Whether a value may be written into a slice before the update that puts it there.

use super::step::{Step, flat, polys, ranges};
use kenaz_ir::facts::{Answer, Facts};
use kenaz_ir::layout::disjoint;
use kenaz_ir::sharing::Sharing;
use kenaz_ir::visit::{Visit, free_in_stm, walk};
use kenaz_ir::{Exp, Form, Fun, Layout, LoopForm, Name, Operand, Par, Param, Place, Stm, Type};
use kenaz_syntax::ast::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where arrays lie in those they are views of, as if those were row-major.
#[derive(Default)]
pub struct Relative {
    types: FxHashMap<Name, Type>,
    /// The array, and the layout in it.
    in_root: FxHashMap<Name, (Name, Layout)>,
    facts: Facts,
}

impl Relative {
    pub fn is_array(&self, name: Name) -> bool {
        self.types.get(&name).is_some_and(Type::is_array)
    }

    pub fn dims(&self, name: Name) -> Option<Vec<Operand>> {
        self.types.get(&name).filter(|ty| ty.is_array()).map(|ty| ty.dims().to_vec())
    }

    /// The outer size of an array.
    pub fn outer(&self, name: Name) -> Option<Operand> {
        self.types.get(&name)?.dims().first().copied()
    }

    /// Whether an index is the last one along a dimension.
    pub fn is_last(&self, index: Operand, size: Operand, facts: &Facts) -> bool {
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
            Exp::Par(par) => enter_par(&mut self.facts, par),
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

pub fn enter_loop(facts: &mut Facts, params: &[(Param, Operand)], form: &LoopForm) {
    let params: Vec<&Param> = params.iter().map(|(p, _)| p).collect();
    facts.enter_loop(params.iter().copied(), form);
}

pub fn enter_par(facts: &mut Facts, par: &Par) {
    for (i, n) in &par.space {
        let none: [&Param; 0] = [];
        facts.enter_loop(none, &LoopForm::For(*i, Prim::I64, *n));
    }
}

/// What a watch asks.
struct Cx<'a> {
    relative: &'a Relative,
    sharing: &'a Sharing,
    facts: &'a Facts,
}

/// A value that is to be made in the slice of an array which an update replaces by it. Seen from the update backwards, no
/// statement may touch the slice before all that the value consists of is made.
pub struct Watch {
    pub value: Name,
    /// The value and its parts, as far as they are still to be made.
    pub made: FxHashSet<Name>,
    /// What may share memory with the array.
    class: Name,
    array: Name,
    root: Name,
    slot: Layout,
}

impl Watch {
    pub fn new(
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
        Some(Watch { value, made: FxHashSet::from_iter([value]), class, array, root: *root, slot })
    }

    /// Goes past a statement.
    pub fn look(
        &mut self,
        stm: &Stm,
        relative: &Relative,
        sharing: &Sharing,
        facts: &Facts,
    ) -> Result<(), &'static str> {
        for param in &stm.pat {
            self.made.remove(&param.name);
            if param.name == self.array {
                // The array before this update of it; other slices may be replaced before the value is made.
                match &stm.exp {
                    Exp::Update(a, dims, _) => {
                        let touched = self.region(*a, relative).and_then(|l| l.slice(&ranges(dims)?));
                        self.disjoint(touched, facts)?;
                        self.array = *a;
                        return Ok(());
                    }
                    _ => return Err("the array is made after what goes into it"),
                }
            }
        }
        if let Exp::Par(par) = &stm.exp
            && let Some(at) = stm.pat.iter().position(|p| p.name == self.value)
        {
            let cx = Cx { relative, sharing, facts };
            return self.aligned(par, at, &self.slot, &cx);
        }
        self.apart(stm, &Cx { relative, sharing, facts })
    }

    /// Whether a statement touches nothing of the slice.
    fn apart(&self, stm: &Stm, cx: &Cx<'_>) -> Result<(), &'static str> {
        let Cx { relative, sharing, facts } = cx;
        let is_made_here = |name: &Name| stm.pat.iter().any(|p| p.name == *name);
        for name in free_in_stm(stm) {
            if is_made_here(&name) || !relative.is_array(name) || sharing.class(name) != self.class {
                continue;
            }
            let touched = match &stm.exp {
                Exp::Index(a, indices) if *a == name => {
                    self.region(name, relative).and_then(|layout| layout.index(&polys(indices)?))
                }
                // A view alone touches nothing; what uses it does.
                exp if super::frames::source(exp) == Some(name) && stm.pat[0].ty.is_array() => continue,
                _ => self.region(name, relative),
            };
            self.disjoint(touched, facts)?;
        }
        Ok(())
    }

    /// Whether the `par` that makes the value, or a part of it that goes to `slot`, reads no element of the slice but the
    /// one that the same iteration writes at its end.
    fn aligned(&self, par: &Par, at: usize, slot: &Layout, cx: &Cx<'_>) -> Result<(), &'static str> {
        const REASON: &str = "the slice is used while its new value is made";
        let index: Vec<Operand> = par.space.iter().map(|(i, _)| (*i).into()).collect();
        let slot = polys(&index).and_then(|index| slot.index(&index)).ok_or(REASON)?;
        let form = at.checked_sub(par.reduced()).ok_or(REASON)?;
        let simple = par.post.is_none() && par.ops.is_empty() && par.forms.iter().all(|form| *form == Form::Own);
        let made = par.body.results.get(form).filter(|_| simple).ok_or(REASON)?;
        for stm in &par.body.stms {
            match &stm.exp {
                Exp::Index(a, indices) if slot.rank() == 0 && !stm.pat[0].ty.is_array() => {
                    let read = self.region(*a, cx.relative).and_then(|layout| layout.index(&polys(indices)?));
                    if !read.is_some_and(|read| read.same(&slot, cx.facts)) {
                        self.apart(stm, cx)?;
                    }
                }
                Exp::Par(inner) if slot.rank() > 0 => match stm.pat.iter().position(|p| Operand::Var(p.name) == *made) {
                    Some(at) => self.aligned(inner, at, &slot, cx)?,
                    None => self.apart(stm, cx)?,
                },
                _ => self.apart(stm, cx)?,
            }
        }
        Ok(())
    }

    fn region(&self, name: Name, relative: &Relative) -> Option<Layout> {
        relative.in_root.get(&name).filter(|(root, _)| *root == self.root).map(|(_, layout)| layout.clone())
    }

    fn disjoint(&self, touched: Option<Layout>, facts: &Facts) -> Result<(), &'static str> {
        match touched {
            Some(touched) if disjoint(&touched, &self.slot, facts) == Answer::Proved => Ok(()),
            _ => Err("the slice is used while its new value is made"),
        }
    }
}
