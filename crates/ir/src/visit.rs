//! Traversals: what an expression uses, what it binds, the bodies in it; free variables, substitution, copies.
//!
//! [`Visit`] reads and [`VisitMut`] changes; both call one method for each kind of part, and each method goes on into
//! the parts of its part unless it is overridden. This is the only place that knows where the parts of the IR are.

use crate::exp::{AccInput, DimSlice, Exp, HistOp, Lambda, LoopForm, Message, MessagePart, Soac};
use crate::mem::{MemExp, Place};
use crate::name::{Fresh, Name};
use crate::par::{Form, Par, ParOp};
use crate::plan::{Piece, Plan};
use crate::poly::Poly;
use crate::prog::{Body, Fun, LocId, Locs, Operand, Param, Stm};
use crate::types::Type;
use kenaz_base::with_stack;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Defines a trait with a method for each kind of part, and functions that go into the parts.
macro_rules! traversal {
    ($(#[$meta:meta])* $visit:ident, $walk:ident, $place:ident, $plan:ident, ($($m:tt)?)) => {
        $(#[$meta])*
        pub trait $visit {
            /// A name where it is used.
            fn name(&mut self, _name: &$($m)? Name) {}

            /// A name where it is bound.
            fn binder(&mut self, _name: &$($m)? Name) {}

            fn operand(&mut self, operand: &$($m)? Operand) {
                $walk::operand(self, operand);
            }

            fn ty(&mut self, ty: &$($m)? Type) {
                $walk::ty(self, ty);
            }

            fn param(&mut self, param: &$($m)? Param) {
                $walk::param(self, param);
            }

            fn place(&mut self, place: &$($m)? Place) {
                $place(self, place);
            }

            /// Its names are bound outside, or in the body of its `par`.
            fn plan(&mut self, plan: &$($m)? Plan) {
                $plan(self, plan);
            }

            fn exp(&mut self, exp: &$($m)? Exp) {
                $walk::exp(self, exp);
            }

            fn stm(&mut self, stm: &$($m)? Stm) {
                $walk::stm(self, stm);
            }

            fn body(&mut self, body: &$($m)? Body) {
                $walk::body(self, body);
            }

            fn lambda(&mut self, lambda: &$($m)? Lambda) {
                $walk::lambda(self, lambda);
            }

            fn fun(&mut self, fun: &$($m)? Fun) {
                $walk::fun(self, fun);
            }
        }

        pub mod $walk {
            //! Into the parts of one part, in the order in which they are evaluated.
            use super::*;

            pub fn operand<V: $visit + ?Sized>(v: &mut V, operand: &$($m)? Operand) {
                match operand {
                    Operand::Var(name) => v.name(name),
                    Operand::Const(_) => {}
                }
            }

            pub fn ty<V: $visit + ?Sized>(v: &mut V, ty: &$($m)? Type) {
                match ty {
                    Type::Prim(_) | Type::Cert | Type::Mem(_) => {}
                    Type::Array(dims, _) => operands(v, dims),
                    Type::Acc { token, shape, elems } => {
                        v.name(token);
                        operands(v, shape);
                        for elem in elems {
                            v.ty(elem);
                        }
                    }
                }
            }

            pub fn param<V: $visit + ?Sized>(v: &mut V, param: &$($m)? Param) {
                v.ty(&$($m)? param.ty);
                if let Some(place) = &$($m)? param.place {
                    v.place(place);
                }
                v.binder(&$($m)? param.name);
            }

            pub fn fun<V: $visit + ?Sized>(v: &mut V, fun: &$($m)? Fun) {
                for param in &$($m)? fun.params {
                    v.param(param);
                }
                for result in &$($m)? fun.results {
                    v.param(result);
                }
                v.body(&$($m)? fun.body);
            }

            pub fn body<V: $visit + ?Sized>(v: &mut V, body: &$($m)? Body) {
                with_stack(|| {
                    for stm in &$($m)? body.stms {
                        v.stm(stm);
                    }
                    operands(v, &$($m)? body.results);
                });
            }

            pub fn stm<V: $visit + ?Sized>(v: &mut V, stm: &$($m)? Stm) {
                names(v, &$($m)? stm.certs);
                v.exp(&$($m)? stm.exp);
                for param in &$($m)? stm.pat {
                    v.param(param);
                }
            }

            pub fn lambda<V: $visit + ?Sized>(v: &mut V, lambda: &$($m)? Lambda) {
                for param in &$($m)? lambda.params {
                    v.param(param);
                }
                v.body(&$($m)? lambda.body);
                for ty in &$($m)? lambda.ret {
                    v.ty(ty);
                }
            }

            pub fn exp<V: $visit + ?Sized>(v: &mut V, exp: &$($m)? Exp) {
                match exp {
                    Exp::Operand(x) | Exp::Un(_, x) | Exp::Conv(_, x) | Exp::Trace(_, x) | Exp::Opaque(x) => v.operand(x),
                    Exp::Tunable(_) => {}
                    Exp::Bin(_, x, y) | Exp::Cmp(_, x, y) => {
                        v.operand(x);
                        v.operand(y);
                    }
                    Exp::Math(_, _, args) | Exp::Call(_, args) | Exp::Scratch(args, _) => operands(v, args),
                    Exp::Assert(cond, text) => {
                        v.operand(cond);
                        message(v, text);
                    }
                    Exp::Index(a, indices) => {
                        v.name(a);
                        operands(v, indices);
                    }
                    Exp::Slice(a, dims) => {
                        v.name(a);
                        slices(v, dims);
                    }
                    Exp::Update(a, dims, value) => {
                        v.name(a);
                        slices(v, dims);
                        v.operand(value);
                    }
                    Exp::Array(elems, ty) => {
                        operands(v, elems);
                        v.ty(ty);
                    }
                    Exp::Iota { len, start, stride, prim: _ } => {
                        v.operand(len);
                        v.operand(start);
                        v.operand(stride);
                    }
                    Exp::Replicate(dims, x) => {
                        operands(v, dims);
                        v.operand(x);
                    }
                    Exp::Concat(size, arrays) => {
                        v.operand(size);
                        names(v, arrays);
                    }
                    Exp::Rearrange(_, a) | Exp::Copy(a) => v.name(a),
                    Exp::Reshape(dims, a) | Exp::Resize(dims, a) => {
                        operands(v, dims);
                        v.name(a);
                    }
                    Exp::FlatIndex(a, offset, dims) => {
                        v.name(a);
                        v.operand(offset);
                        for (n, stride) in dims {
                            v.operand(n);
                            v.operand(stride);
                        }
                    }
                    Exp::FlatUpdate(a, offset, strides, value) => {
                        v.name(a);
                        v.operand(offset);
                        operands(v, strides);
                        v.name(value);
                    }
                    Exp::If(cond, yes, no) => {
                        v.operand(cond);
                        v.body(yes);
                        v.body(no);
                    }
                    Exp::Match(x, cases, default) => {
                        v.operand(x);
                        for (_, body) in cases {
                            v.body(body);
                        }
                        v.body(default);
                    }
                    Exp::Loop { params, form, body } => {
                        for (_, init) in &$($m)? *params {
                            v.operand(init);
                        }
                        for (param, _) in params {
                            v.param(param);
                        }
                        match form {
                            LoopForm::For(i, _, n) => {
                                v.operand(n);
                                v.binder(i);
                            }
                            LoopForm::While(cond) => v.name(cond),
                        }
                        v.body(body);
                    }
                    Exp::Soac(op) => soac(v, op),
                    Exp::Par(op) => par(v, op),
                    Exp::Mem(MemExp::Alloc(_, bytes)) => v.operand(bytes),
                    Exp::Mem(MemExp::AllocEach(slots)) => {
                        v.operand(&$($m)? slots.bytes);
                        if let Some(most) = &$($m)? slots.most {
                            v.operand(most);
                        }
                    }
                    Exp::Mem(MemExp::Free(block) | MemExp::Share(block) | MemExp::Slot(block)) => v.name(block),
                    Exp::Jvp(lambda, at, direction) | Exp::Vjp(lambda, at, direction) => {
                        operands(v, at);
                        operands(v, direction);
                        v.lambda(lambda);
                    }
                }
            }

            fn soac<V: $visit + ?Sized>(v: &mut V, soac: &$($m)? Soac) {
                match soac {
                    Soac::Screma { width, arrays, map, scans, reduces, post } => {
                        v.operand(width);
                        names(v, arrays);
                        v.lambda(map);
                        for scan in scans {
                            operands(v, &$($m)? scan.neutral);
                            v.lambda(&$($m)? scan.op);
                        }
                        for reduce in reduces {
                            operands(v, &$($m)? reduce.neutral);
                            v.lambda(&$($m)? reduce.op);
                        }
                        if let Some(post) = post {
                            v.lambda(post);
                        }
                    }
                    Soac::Filter { width, arrays, pred } => {
                        v.operand(width);
                        names(v, arrays);
                        v.lambda(pred);
                    }
                    Soac::Scatter { width, arrays, map, dests } => {
                        v.operand(width);
                        names(v, arrays);
                        v.lambda(map);
                        for dest in dests {
                            v.name(&$($m)? dest.array);
                        }
                    }
                    Soac::Hist { width, arrays, map, ops } => {
                        v.operand(width);
                        names(v, arrays);
                        v.lambda(map);
                        for HistOp { dests, rank: _, op, neutral } in ops {
                            names(v, dests);
                            operands(v, neutral);
                            v.lambda(op);
                        }
                    }
                    Soac::WithAcc { inputs, body } => {
                        for AccInput { shape, dests, op } in inputs {
                            operands(v, shape);
                            names(v, dests);
                            if let Some((op, neutral)) = op {
                                operands(v, neutral);
                                v.lambda(op);
                            }
                        }
                        v.lambda(body);
                    }
                    Soac::UpdateAcc { acc, index, values } => {
                        v.name(acc);
                        operands(v, index);
                        operands(v, values);
                    }
                }
            }

            fn par<V: $visit + ?Sized>(v: &mut V, par: &$($m)? Par) {
                let Par { level: _, space, plan, ops, body, post, forms } = par;
                for (_, n) in &$($m)? *space {
                    v.operand(n);
                }
                v.plan(plan);
                for ParOp { kind: _, lambda, neutral, shape } in ops {
                    operands(v, neutral);
                    operands(v, shape);
                    v.lambda(lambda);
                }
                for form in forms {
                    match form {
                        Form::Own => {}
                        Form::Tile(dims) => operands(v, dims),
                        Form::Write { dest, rank: _ } => v.name(dest),
                        Form::Acc { dests, rank: _, op, neutral } => {
                            names(v, dests);
                            operands(v, neutral);
                            v.lambda(op);
                        }
                    }
                }
                for (i, _) in space {
                    v.binder(i);
                }
                v.body(body);
                if let Some(post) = post {
                    for param in &$($m)? post.params {
                        v.param(param);
                    }
                    v.body(&$($m)? post.body);
                }
            }

            fn operands<V: $visit + ?Sized>(v: &mut V, operands: &$($m)? [Operand]) {
                for operand in operands {
                    v.operand(operand);
                }
            }

            fn names<V: $visit + ?Sized>(v: &mut V, names: &$($m)? [Name]) {
                for name in names {
                    v.name(name);
                }
            }

            fn slices<V: $visit + ?Sized>(v: &mut V, dims: &$($m)? [DimSlice]) {
                for dim in dims {
                    match dim {
                        DimSlice::Fix(i) => v.operand(i),
                        DimSlice::Range { start, len, stride } => {
                            v.operand(start);
                            v.operand(len);
                            v.operand(stride);
                        }
                    }
                }
            }

            fn message<V: $visit + ?Sized>(v: &mut V, message: &$($m)? Message) {
                for part in &$($m)? message.parts {
                    match part {
                        MessagePart::Text(_) => {}
                        MessagePart::Value(x) => v.operand(x),
                    }
                }
            }
        }
    };
}

traversal! {
    /// Reads all parts of a program.
    Visit, walk, read_place, read_plan, ()
}

traversal! {
    /// Changes parts of a program.
    VisitMut, walk_mut, change_place, change_plan, (mut)
}

fn read_place<V: Visit + ?Sized>(v: &mut V, place: &Place) {
    v.name(&place.block);
    for name in place.layout.names() {
        v.name(&name);
    }
}

fn read_plan<V: Visit + ?Sized>(v: &mut V, plan: &Plan) {
    for name in plan.names() {
        v.name(&name);
    }
}

fn change_place<V: VisitMut + ?Sized>(v: &mut V, place: &mut Place) {
    v.name(&mut place.block);
    let changed = changed_names(v, place.layout.names());
    if !changed.is_empty() {
        let layout = place.layout.map(&mut |poly| Some(with_names(poly, &changed)));
        place.layout = layout.unwrap_or_else(|| place.layout.clone());
    }
}

fn change_plan<V: VisitMut + ?Sized>(v: &mut V, plan: &mut Plan) {
    let change = |v: &mut V, poly: &mut Poly| {
        let changed = changed_names(v, poly.names());
        *poly = with_names(poly, &changed);
    };
    for piece in plan.pieces_mut() {
        match piece {
            Piece::Chunks(chunks) => change(v, &mut chunks.work),
            Piece::Tile(tile) => tile.of_columns.iter_mut().chain(&mut tile.of_rows).for_each(|name| v.name(name)),
            Piece::Strips(strips) => strips.kept.iter_mut().for_each(|name| v.name(name)),
            Piece::Cuts(names) => names.iter_mut().for_each(|name| v.name(name)),
            Piece::Split(split) => split.sizes.iter_mut().for_each(|poly| change(v, poly)),
            Piece::Order(_) | Piece::Squares(_) | Piece::Guard | Piece::Lanes(_) | Piece::Stream(_) => {}
        }
    }
}

/// The names of polynomials are changed as operands, since a constant may take their place.
fn changed_names<V: VisitMut + ?Sized>(v: &mut V, names: impl Iterator<Item = Name>) -> FxHashMap<Name, Operand> {
    let mut changed: FxHashMap<Name, Operand> = FxHashMap::default();
    for name in names.collect::<BTreeSet<Name>>() {
        let mut operand = Operand::Var(name);
        v.operand(&mut operand);
        if operand != Operand::Var(name) {
            changed.insert(name, operand);
        }
    }
    changed
}

/// A polynomial does not grow when names are replaced by operands.
fn with_names(poly: &Poly, changed: &FxHashMap<Name, Operand>) -> Poly {
    let new = |name| changed.get(&name).and_then(|operand| Poly::operand(*operand));
    poly.replace(new).unwrap_or_else(|| poly.clone())
}

/// Calls `f` on each name that an expression uses, also in types and in the bodies inside it, where it may be bound.
pub fn for_each_use(exp: &Exp, f: impl FnMut(Name)) {
    Uses { used: f, bound: |_| {} }.exp(exp);
}

/// Calls `f` on the bodies directly inside an expression, those of lambdas included.
pub fn for_each_body(exp: &Exp, f: impl FnMut(&Body)) {
    struct Bodies<F>(F);
    impl<F: FnMut(&Body)> Visit for Bodies<F> {
        fn body(&mut self, body: &Body) {
            self.0(body);
        }
    }
    Bodies(f).exp(exp);
}

/// Whether there are bodies inside an expression, those of lambdas included.
pub fn has_bodies(exp: &Exp) -> bool {
    let mut found = false;
    for_each_body(exp, |_| found = true);
    found
}

/// Calls `f` on the bodies directly inside an expression, those of lambdas included.
pub fn for_each_body_mut(exp: &mut Exp, f: impl FnMut(&mut Body)) {
    struct Bodies<F>(F);
    impl<F: FnMut(&mut Body)> VisitMut for Bodies<F> {
        fn body(&mut self, body: &mut Body) {
            self.0(body);
        }
    }
    Bodies(f).exp(exp);
}

/// Calls `f` on the lambdas directly inside an expression.
pub fn for_each_lambda(exp: &Exp, f: impl FnMut(&Lambda)) {
    struct Lambdas<F>(F);
    impl<F: FnMut(&Lambda)> Visit for Lambdas<F> {
        fn lambda(&mut self, lambda: &Lambda) {
            self.0(lambda);
        }

        fn body(&mut self, _: &Body) {}
    }
    Lambdas(f).exp(exp);
}

struct Uses<U, B> {
    used: U,
    bound: B,
}

impl<U: FnMut(Name), B: FnMut(Name)> Visit for Uses<U, B> {
    fn name(&mut self, name: &Name) {
        (self.used)(*name);
    }

    fn binder(&mut self, name: &Name) {
        (self.bound)(*name);
    }
}

/// The names used in something but not bound there. Since a name is bound once in a program and its scope is the rest
/// of what it is bound in, these are the names used less those bound.
fn free(visit: impl FnOnce(&mut dyn Visit)) -> BTreeSet<Name> {
    let (mut used, mut bound) = (BTreeSet::new(), BTreeSet::new());
    visit(&mut Uses { used: |name| used.extend([name]), bound: |name| bound.extend([name]) });
    used.retain(|name| !bound.contains(name));
    used
}

pub fn free_in_exp(exp: &Exp) -> BTreeSet<Name> {
    free(|v| v.exp(exp))
}

/// The free names of a statement, with its certificates and the sizes in its pattern that it does not bind itself.
pub fn free_in_stm(stm: &Stm) -> BTreeSet<Name> {
    free(|v| v.stm(stm))
}

pub fn free_in_body(body: &Body) -> BTreeSet<Name> {
    free(|v| v.body(body))
}

pub fn free_in_lambda(lambda: &Lambda) -> BTreeSet<Name> {
    free(|v| v.lambda(lambda))
}

pub fn free_in_type(ty: &Type) -> BTreeSet<Name> {
    free(|v| v.ty(ty))
}

/// The names bound by the statements of a body and by everything inside it, in order.
pub fn bound_in_body(body: &Body) -> Vec<Name> {
    let mut bound = Vec::new();
    Uses { used: |_| {}, bound: |name| bound.push(name) }.body(body);
    bound
}

/// The names bound inside an expression, in order.
pub fn bound_in_exp(exp: &Exp) -> Vec<Name> {
    let mut bound = Vec::new();
    Uses { used: |_| {}, bound: |name| bound.push(name) }.exp(exp);
    bound
}

/// A substitution of operands for names. Only uses of a name are replaced, not the place where it is bound.
///
/// A name that stands for an array, an accumulator or a certificate must be replaced by a name.
#[derive(Clone, Debug, Default)]
pub struct Subst {
    map: FxHashMap<Name, Operand>,
}

impl Subst {
    pub fn new() -> Subst {
        Subst::default()
    }

    pub fn insert(&mut self, from: Name, to: impl Into<Operand>) {
        self.map.insert(from, to.into());
    }

    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    pub fn get(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Var(name) => self.map.get(&name).copied().unwrap_or(operand),
            Operand::Const(_) => operand,
        }
    }

    #[must_use]
    pub fn ty(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        if !self.is_empty() {
            Replace(self).ty(&mut ty);
        }
        ty
    }

    pub fn apply_to_body(&self, body: &mut Body) {
        Replace(self).body(body);
    }

    pub fn apply_to_exp(&self, exp: &mut Exp) {
        Replace(self).exp(exp);
    }

    pub fn apply_to_stm(&self, stm: &mut Stm) {
        Replace(self).stm(stm);
    }

    pub fn apply_to_lambda(&self, lambda: &mut Lambda) {
        Replace(self).lambda(lambda);
    }
}

impl<O: Into<Operand>> FromIterator<(Name, O)> for Subst {
    fn from_iter<T: IntoIterator<Item = (Name, O)>>(iter: T) -> Subst {
        Subst { map: iter.into_iter().map(|(from, to)| (from, to.into())).collect() }
    }
}

struct Replace<'a>(&'a Subst);

impl VisitMut for Replace<'_> {
    fn operand(&mut self, operand: &mut Operand) {
        *operand = self.0.get(*operand);
    }

    fn name(&mut self, name: &mut Name) {
        match self.0.map.get(name) {
            // Only a program that is not well typed has a constant for an array: it is left for the checker to find.
            None | Some(Operand::Const(_)) => {}
            Some(Operand::Var(to)) => *name = *to,
        }
    }
}

/// Gives new names to what is bound, and renames its uses.
#[derive(Default)]
struct Rename {
    map: FxHashMap<Name, Name>,
}

impl Rename {
    fn bind(&mut self, names: impl IntoIterator<Item = Name>, fresh: &mut Fresh) {
        for name in names {
            self.map.insert(name, fresh.like(name));
        }
    }
}

impl VisitMut for Rename {
    fn name(&mut self, name: &mut Name) {
        if let Some(to) = self.map.get(name) {
            *name = *to;
        }
    }

    fn binder(&mut self, name: &mut Name) {
        self.name(name);
    }
}

/// A copy of the body in which everything bound has a new name, so that both can stand in one program.
pub fn copy_body(body: &Body, fresh: &mut Fresh) -> Body {
    let mut copy = body.clone();
    let mut rename = Rename::default();
    rename.bind(bound_in_body(body), fresh);
    rename.body(&mut copy);
    copy
}

/// A copy of the lambda in which everything bound, the parameters included, has a new name.
pub fn copy_lambda(lambda: &Lambda, fresh: &mut Fresh) -> Lambda {
    let mut copy = lambda.clone();
    let mut rename = Rename::default();
    rename.bind(lambda.params.iter().map(|p| p.name), fresh);
    rename.bind(bound_in_body(&lambda.body), fresh);
    rename.lambda(&mut copy);
    copy
}

/// The body of a function or lambda with arguments in the place of its parameters, and everything bound in it renamed.
pub fn instantiate(params: &[Param], body: &Body, args: &[Operand], fresh: &mut Fresh) -> Body {
    assert_eq!(params.len(), args.len(), "as many arguments as parameters");
    let mut copy = copy_body(body, fresh);
    let subst: Subst = params.iter().map(|p| p.name).zip(args.iter().copied()).collect();
    subst.apply_to_body(&mut copy);
    copy
}

/// Makes the statements of a body, now that it is inlined at `call`, say so in their positions.
pub fn relocate(body: &mut Body, locs: &mut Locs, call: LocId) {
    struct Relocate<'a> {
        locs: &'a mut Locs,
        call: LocId,
    }
    impl VisitMut for Relocate<'_> {
        fn stm(&mut self, stm: &mut Stm) {
            stm.loc = self.locs.inlined(stm.loc, self.call);
            walk_mut::stm(self, stm);
        }
    }
    Relocate { locs, call }.body(body);
}
