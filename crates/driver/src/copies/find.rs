//! The copies and allocations of the memory stage that are made again and again.

use super::left::Left;
use super::stays::{Handed, Root, Scalars, Stays};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_ir::scope::{Atom, Scope};
use kenaz_ir::visit::for_each_body;
use kenaz_ir::{
    BinOp, Body, Exp, Form, Fun, Lambda, LocId, Log, LoopForm, MemExp, Name, Operand, Par, Param, Prog, Stm, Target,
    Type,
};
use rustc_hash::FxHashMap;

/// A copy or an allocation that is made again and again.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub what: What,
    pub loc: LocId,
    /// The array that is copied or gets the block, if it is a parameter.
    pub name: Option<Known>,
    pub shape: Vec<Size>,
    pub prim: Prim,
    pub reason: Option<&'static str>,
    pub repeated: Repeated,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum What {
    /// To memory that is there.
    Copy,
    /// To a block that is allocated for it.
    CopyToNew(Stays),
    Allocation(Stays),
}

/// A size as the user would write it, if all the names in it are the user's.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Size {
    pub text: String,
    pub names: Vec<Known>,
}

/// A name that may be the user's, or one that we have made up for something that has none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Known {
    pub name: Symbol,
    pub by: Binder,
}

/// What binds a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Binder {
    /// The function whose name is there.
    Fun(LocId),
    Loop(LocId),
    /// An operator, whose iterations have an index.
    Par(LocId),
}

/// The loop that repeats something, and the calls that lead from there to it, the innermost first.
#[derive(Clone, Debug)]
pub(super) struct Repeated {
    pub around: Around,
    pub calls: Vec<Call>,
    /// How many other calls in loops there are that lead to it.
    pub more: usize,
}

/// A loop around something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Around {
    pub loc: LocId,
    pub is_par: bool,
}

/// A call in a loop, or in a function that is called in one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Call {
    pub fun: Symbol,
    pub loc: LocId,
}

pub(super) fn find(prog: &Prog, log: &Log, target: &Target, left: &Left) -> Vec<Finding> {
    let mut calls: FxHashMap<Symbol, Repeated> = FxHashMap::default();
    let mut found = Vec::new();
    // Functions call only those before them, so that all calls of a function are known when it is looked at.
    for fun in prog.funs.iter().rev() {
        let mut walk = Walk {
            log,
            left,
            smallest: target.stack_bytes,
            scope: Scope::default(),
            scalars: Scalars::default(),
            params: FxHashMap::default(),
            handed: Handed::of(fun),
            arrays: FxHashMap::default(),
            by_block: FxHashMap::default(),
            around: Vec::new(),
            in_branch: false,
            called: calls.remove(&fun.name),
            calls: &mut calls,
            found: Vec::new(),
        };
        walk.fun(fun);
        found.push(merged(walk.found));
    }
    found.into_iter().rev().flatten().collect()
}

/// Something that was found, with the names by which a copy and the allocation for it know each other.
struct Made {
    block: Option<Name>,
    /// The array for which the block is, or those that are copied and copied to.
    arrays: Vec<Name>,
    finding: Finding,
}

/// A copy to a block that is allocated for it is one finding.
fn merged(found: Vec<Made>) -> Vec<Finding> {
    let mut out: Vec<Made> = Vec::with_capacity(found.len());
    for made in found {
        let is_for = |new: &&mut Made| {
            new.block.is_some() && new.block == made.block && new.arrays.iter().any(|x| made.arrays.contains(x))
        };
        match (made.finding.what, out.iter_mut().find(is_for)) {
            (What::Copy, Some(Made { finding, .. })) if let What::Allocation(stays) = finding.what => {
                *finding = Finding { what: What::CopyToNew(stays), ..made.finding };
            }
            _ => out.push(made),
        }
    }
    out.into_iter().map(|made| made.finding).collect()
}

struct Walk<'a, 'c> {
    log: &'a Log,
    left: &'a Left,
    /// So many bytes are worth no word, if it is known that there are no more.
    smallest: u64,
    scope: Scope,
    scalars: Scalars<'a>,
    /// The parameters of the function and of its loops, and indices.
    params: FxHashMap<Name, Binder>,
    handed: Handed,
    /// Where arrays are made.
    arrays: FxHashMap<Name, (LocId, &'a Type)>,
    /// The first array in each block.
    by_block: FxHashMap<Name, Name>,
    around: Vec<Around>,
    /// Whether there is a branch inside the innermost loop.
    in_branch: bool,
    /// The loop outside the function, if it is called in one.
    called: Option<Repeated>,
    calls: &'c mut FxHashMap<Symbol, Repeated>,
    found: Vec<Made>,
}

impl<'a> Walk<'a, '_> {
    fn fun(&mut self, fun: &'a Fun) {
        self.scope.bind_params(&fun.params);
        self.params.extend(fun.params.iter().map(|param| (param.name, Binder::Fun(fun.loc))));
        self.arrays.extend(fun.params.iter().map(|param| (param.name, (fun.loc, &param.ty))));
        self.note_arrays(&fun.body);
        self.body(&fun.body);
    }

    /// An array may have its block before it is made.
    fn note_arrays(&mut self, body: &'a Body) {
        with_stack(|| {
            for stm in &body.stms {
                let params: &[(Param, Operand)] = if let Exp::Loop { params, .. } = &stm.exp { params } else { &[] };
                let all = stm.pat.iter().chain(params.iter().map(|(param, _)| param));
                for param in all.filter(|param| param.ty.is_array()) {
                    self.arrays.insert(param.name, (stm.loc, &param.ty));
                    if let Some(place) = &param.place {
                        self.by_block.entry(place.block).or_insert(param.name);
                    }
                }
                bodies(&stm.exp).into_iter().for_each(|inner| self.note_arrays(inner));
            }
        });
    }

    fn body(&mut self, body: &'a Body) {
        with_stack(|| body.stms.iter().for_each(|stm| self.stm(stm)));
    }

    fn stm(&mut self, stm: &'a Stm) {
        match &stm.exp {
            Exp::Loop { params, form, body } => {
                self.scope.enter_loop(params, form);
                let loops = self.around.len() + 1;
                let index = if let LoopForm::For(i, ..) = form { Some(*i) } else { None };
                for name in params.iter().map(|(param, _)| param.name).chain(index) {
                    self.params.insert(name, Binder::Loop(stm.loc));
                    self.scalars.parameter(name, loops);
                }
                self.repeated(Around { loc: stm.loc, is_par: false }, |walk| walk.body(body));
            }
            Exp::Par(par) => {
                self.params.extend(par.space.iter().map(|(i, _)| (*i, Binder::Par(stm.loc))));
                self.repeated(Around { loc: stm.loc, is_par: true }, |walk| walk.par(par));
            }
            Exp::If(..) | Exp::Match(..) => {
                let outside = std::mem::replace(&mut self.in_branch, true);
                bodies(&stm.exp).into_iter().for_each(|body| self.body(body));
                self.in_branch = outside;
            }
            exp => bodies(exp).into_iter().for_each(|body| self.body(body)),
        }
        self.scope.stm(stm);
        self.scalars.bound(stm, self.around.len());
        self.look(stm);
    }

    fn repeated(&mut self, around: Around, inside: impl FnOnce(&mut Self)) {
        let outside = std::mem::replace(&mut self.in_branch, false);
        self.around.push(around);
        inside(self);
        self.around.pop();
        self.in_branch = outside;
    }

    fn par(&mut self, par: &'a Par) {
        for (i, _) in &par.space {
            self.scope.variable(*i, Prim::I64);
            self.scalars.parameter(*i, self.around.len());
        }
        let ops = par.ops.iter().map(|op| &op.lambda);
        let combine = par.forms.iter().filter_map(|form| match form {
            Form::Acc { op, .. } => Some(op),
            Form::Own | Form::Tile(_) | Form::Write { .. } => None,
        });
        ops.chain(combine).for_each(|lambda: &Lambda| {
            self.inner(&lambda.params);
            self.body(&lambda.body);
        });
        self.body(&par.body);
        if let Some(post) = &par.post {
            self.inner(&post.params);
            self.body(&post.body);
        }
    }

    fn inner(&mut self, params: &[Param]) {
        self.scope.bind_params(params);
        params.iter().for_each(|param| self.scalars.parameter(param.name, self.around.len()));
    }

    /// What a statement itself does, which is bound already.
    fn look(&mut self, stm: &'a Stm) {
        match (&stm.exp, &stm.pat[..]) {
            (Exp::Call(fun, _), _) => self.call(*fun, stm.loc),
            (Exp::Mem(MemExp::Alloc(_, bytes)), [block]) => self.allocation(block.name, *bytes, stm.loc),
            (Exp::Mem(MemExp::AllocEach(slots)), [block]) => self.allocation(block.name, slots.bytes, stm.loc),
            (Exp::Copy(from), [to]) => {
                let (from, to) = (*from, to.name);
                if let (Some(a), Some(b)) = (self.scope.array(from), self.scope.array(to))
                    && !self.scope.same_place(a, b)
                {
                    self.copy(from, to, stm.loc);
                }
            }
            (Exp::Update(_, _, Operand::Var(value)), [to]) => self.part(*value, to.name, stm.loc),
            (Exp::FlatUpdate(.., value), [to]) => self.part(*value, to.name, stm.loc),
            (Exp::Concat(_, parts), [to]) => parts.iter().for_each(|part| self.part(*part, to.name, stm.loc)),
            (Exp::Array(elems, _), [to]) => {
                let parts = elems.iter().filter_map(|elem| elem.name());
                parts.for_each(|part| self.part(part, to.name, stm.loc));
            }
            _ => {}
        }
    }

    /// Where something in the function is repeated, if it is.
    fn where_repeated(&self) -> Option<Repeated> {
        match self.around.last() {
            Some(around) => Some(Repeated { around: *around, calls: Vec::new(), more: 0 }),
            None => self.called.clone(),
        }
    }

    fn call(&mut self, fun: Symbol, loc: LocId) {
        let Some(mut repeated) = self.where_repeated() else { return };
        repeated.calls.insert(0, Call { fun, loc });
        match self.calls.get_mut(&fun) {
            Some(first) => first.more += 1 + repeated.more,
            None => drop(self.calls.insert(fun, repeated)),
        }
    }

    /// What becomes part of another array is copied if it is not in its block: see [`kenaz_place::place`].
    fn part(&mut self, part: Name, whole: Name, loc: LocId) {
        if let (Some(a), Some(b)) = (self.scope.array(part), self.scope.array(whole))
            && a.place.block != b.place.block
        {
            self.copy(part, whole, loc);
        }
    }

    fn copy(&mut self, from: Name, to: Name, loc: LocId) {
        let (Some(repeated), Some(array)) = (self.where_repeated(), self.scope.array(from)) else { return };
        let elems = array.sizes.iter().try_fold(1i128, |n, size| n.checked_mul(size.as_constant()?));
        let bytes = elems.and_then(|n| n.checked_mul(array.prim.bytes() as i128));
        if bytes.is_some_and(|bytes| bytes <= i128::from(self.smallest)) {
            return;
        }
        let Some((_, ty)) = self.arrays.get(&from) else { return };
        let block = self.scope.array(to).map(|array| array.place.block);
        let reason = self.log.placement(to).map(|placement| placement.reason);
        let finding = self.finding(What::Copy, loc, from, ty, reason, repeated);
        self.found.push(Made { block, arrays: vec![from, to], finding });
    }

    fn allocation(&mut self, block: Name, bytes: Operand, loc: LocId) {
        let Some(repeated) = self.where_repeated() else { return };
        let is_small = match self.scope.scalar(bytes) {
            Some(Atom::Const(bytes)) => bytes.as_i64().is_some_and(|n| n.cast_unsigned() <= self.smallest),
            _ => false,
        };
        if is_small || !self.left.has(block, !self.around.is_empty()) {
            return;
        }
        let stays = match self.around.len() {
            0 => Stays::Called,
            loops => {
                let branch = || self.in_branch.then_some(Stays::Branch);
                let handed = || self.handed.get(block);
                self.scalars
                    .varies(bytes, loops)
                    .map(|root| self.varies(root))
                    .or_else(handed)
                    .or_else(branch)
                    .unwrap_or(Stays::Apart)
            }
        };
        let placement = self.log.placement(block);
        let reason = placement.map(|placement| placement.reason);
        // A loop that takes turns between blocks names the block of its array.
        let of_block = |name: Name| self.by_block.get(&name).copied().unwrap_or(name);
        let made = placement.map(|placement| of_block(placement.array));
        let made = made.and_then(|array| Some((array, *self.arrays.get(&array)?)));
        let (array, (at, ty)) = made.unwrap_or((block, (loc, &BYTES)));
        let finding = self.finding(What::Allocation(stays), at, array, ty, reason, repeated);
        self.found.push(Made { block: Some(block), arrays: vec![array], finding });
    }

    fn finding(
        &self,
        what: What,
        loc: LocId,
        array: Name,
        ty: &Type,
        reason: Option<&'static str>,
        repeated: Repeated,
    ) -> Finding {
        let name = self.known(array);
        let shape = ty.dims().iter().map(|n| self.size(*n, 2)).collect();
        Finding { what, loc, name, shape, prim: ty.prim().unwrap_or(Prim::U8), reason, repeated }
    }

    fn known(&self, name: Name) -> Option<Known> {
        self.params.get(&name).map(|by| Known { name: name.base, by: *by })
    }

    /// Why a size differs from one iteration to the next.
    fn varies(&self, root: Root) -> Stays {
        match root {
            Root::Parameter(name) => Stays::SizeVaries(self.known(name)),
            Root::Late => Stays::SizeIsLate,
            Root::MayFail => Stays::SizeMayFail,
        }
    }

    /// A size in the words of the user: parameters and short sums of them.
    fn size(&self, x: Operand, depth: usize) -> Size {
        let name = match x {
            Operand::Const(c) => return Size { text: c.as_i64().unwrap_or(0).to_string(), names: Vec::new() },
            Operand::Var(name) => name,
        };
        if let Some(known) = self.known(name) {
            return Size { text: name.base.to_string(), names: vec![known] };
        }
        let op = |op: &BinOp| match op {
            BinOp::Add => Some("+"),
            BinOp::Sub => Some("-"),
            BinOp::Mul => Some("*"),
            _ => None,
        };
        match self.scalars.definition(name) {
            Some(Exp::Operand(x)) if depth > 0 => self.size(*x, depth - 1),
            Some(Exp::Bin(how, x, y)) if depth > 0 => {
                let (Some(op), x, y) = (op(how), self.size(*x, depth - 1), self.size(*y, depth - 1)) else {
                    return Size::default();
                };
                if x.text.is_empty() || y.text.is_empty() || x.text.contains(' ') || y.text.contains(' ') {
                    return Size::default();
                }
                let text = match y.text.strip_prefix('-') {
                    Some(less) if op == "+" => format!("{} - {less}", x.text),
                    _ => format!("{} {op} {}", x.text, y.text),
                };
                Size { text, names: [x.names, y.names].concat() }
            }
            _ => Size::default(),
        }
    }
}

/// The type of a block of which no array is known.
static BYTES: Type = Type::Prim(Prim::U8);

/// The bodies inside an expression, in their order.
fn bodies(exp: &Exp) -> Vec<&Body> {
    match exp {
        Exp::If(_, yes, no) => vec![yes, no],
        Exp::Match(_, cases, default) => cases.iter().map(|(_, body)| body).chain([default]).collect(),
        Exp::Loop { body, .. } => vec![body],
        Exp::Par(par) => {
            let ops = par.ops.iter().map(|op| &op.lambda.body);
            let forms = par.forms.iter().filter_map(|form| match form {
                Form::Acc { op, .. } => Some(&op.body),
                Form::Own | Form::Tile(_) | Form::Write { .. } => None,
            });
            ops.chain(forms).chain([&par.body]).chain(par.post.as_ref().map(|post| &post.body)).collect()
        }
        // No others of the memory stage have any.
        _ => {
            debug_assert!({
                let mut none = true;
                for_each_body(exp, |_| none = false);
                none
            });
            Vec::new()
        }
    }
}
