//! The walk through a function.

use super::book;
use super::same::{Key, Same};
use kenaz_base::{Symbol, with_stack};
use kenaz_ir::effects;
use kenaz_ir::facts::Facts;
use kenaz_ir::sharing::Sharing;
use kenaz_ir::visit::{VisitMut, has_bodies, walk_mut};
use kenaz_ir::{
    Attrs, BinOp, Body, Exp, Form, Fresh, Fun, Lambda, LocId, Log, LoopForm, Name, Operand, Par, Param, Prog, Scalar,
    Soac, Stm, Type, infer,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a name was computed, for expressions that rules look through.
#[derive(Clone, Debug)]
pub struct Def {
    pub exp: Exp,
    pub certs: Vec<Name>,
    pub attrs: Attrs,
    /// How many loops and lambdas are around it.
    pub loops: usize,
}

/// An item of the list of work.
#[expect(clippy::large_enum_variant, reason = "nearly all work is a statement")]
pub enum Work {
    /// A statement, and whether the bodies in it are done already: nothing that they use may have got another meaning
    /// since.
    Stm(Stm, bool),
    /// From here on these names stand for these operands.
    Bind(Vec<Param>, Vec<Operand>),
}

/// The replacement of a statement by a rule. The statement's certificates go onto all statements in it.
#[expect(clippy::large_enum_variant, reason = "a step is made, handed on and gone")]
pub enum Step {
    /// The pattern stands for these operands.
    Bind(Vec<Operand>),
    /// The same pattern with another expression, which also relies on these certificates.
    Become(Exp, Vec<Name>),
    /// These statements, and then the pattern stands for these operands.
    Replace(Vec<Stm>, Vec<Operand>),
    /// Any work, in this order.
    Splice(Vec<Work>),
}

/// What is known at a statement.
pub struct Cx<'a> {
    pub fresh: &'a mut Fresh,
    pub sharing: Sharing,
    pub facts: Facts,
    pub types: FxHashMap<Name, Type>,
    pub defs: FxHashMap<Name, Def>,
    /// How many loops and lambdas are around the statement.
    pub loops: usize,
    /// The certificates of checks that always pass: nobody has to rely on them.
    passed: FxHashSet<Name>,
    /// The functions that trace.
    pub traces: &'a FxHashSet<Symbol>,
    subst: FxHashMap<Name, Operand>,
}

impl Cx<'_> {
    pub fn type_of(&self, x: Operand) -> Option<Type> {
        infer::operand(x, &|name| self.types.get(&name).cloned())
    }

    pub fn def(&self, name: Name) -> Option<&Def> {
        self.defs.get(&name)
    }

    pub fn def_of(&self, x: Operand) -> Option<&Def> {
        self.defs.get(&x.name()?)
    }

    /// What is to be used for an operand by now.
    pub fn resolve(&self, mut x: Operand) -> Operand {
        while let Operand::Var(name) = x
            && let Some(to) = self.subst.get(&name)
        {
            x = *to;
        }
        x
    }

    fn bind(&mut self, param: &Param, to: Operand) {
        let to = self.resolve(to);
        if let Operand::Var(other) = to
            && param.ty.rank() > 0
        {
            self.sharing.join(other, param.name);
        }
        if to != Operand::Var(param.name) {
            self.subst.insert(param.name, to);
        }
    }
}

/// Statements under construction that take the place of another.
pub(super) struct Steps<'a, 'b> {
    pub cx: &'a mut Cx<'b>,
    loc: LocId,
    pub stms: Vec<Stm>,
}

impl<'a, 'b> Steps<'a, 'b> {
    pub(super) fn new(cx: &'a mut Cx<'b>, like: &Stm) -> Steps<'a, 'b> {
        Steps { cx, loc: like.loc, stms: Vec::new() }
    }

    /// `let base = exp`, for an expression with one result whose type follows from it.
    pub(super) fn add(&mut self, base: &str, exp: Exp) -> Name {
        let types = infer::exp(&exp, &|name| self.cx.types.get(&name).cloned());
        let ty = types.and_then(|types| types.into_iter().next());
        let ty = ty.unwrap_or_else(|| panic!("the type of `{exp}` does not follow from it"));
        let name = self.cx.fresh.named(base);
        // The next steps may ask for the type before the statement is reached.
        self.cx.types.insert(name, ty.clone());
        let pat = vec![Param::new(name, ty)];
        self.stms.push(Stm { pat, certs: Vec::new(), attrs: Attrs::default(), exp, loc: self.loc });
        name
    }

    /// For the arithmetic of indices, without what adds zero or multiplies by one.
    pub(super) fn sum(&mut self, x: Operand, y: Operand) -> Operand {
        match (x, y) {
            (Operand::Const(Scalar::I64(a)), Operand::Const(Scalar::I64(b))) => Operand::i64(a.wrapping_add(b)),
            (Operand::Const(Scalar::I64(0)), z) | (z, Operand::Const(Scalar::I64(0))) => z,
            _ => self.add("add", Exp::Bin(BinOp::Add, x, y)).into(),
        }
    }

    pub(super) fn product(&mut self, x: Operand, y: Operand) -> Operand {
        match (x, y) {
            (Operand::Const(Scalar::I64(a)), Operand::Const(Scalar::I64(b))) => Operand::i64(a.wrapping_mul(b)),
            (Operand::Const(Scalar::I64(0)), _) | (_, Operand::Const(Scalar::I64(0))) => Operand::i64(0),
            (Operand::Const(Scalar::I64(1)), z) | (z, Operand::Const(Scalar::I64(1))) => z,
            _ => self.add("mul", Exp::Bin(BinOp::Mul, x, y)).into(),
        }
    }

    /// The statements so far, and then the pattern with another expression; all rely on the certificates too.
    pub(super) fn become_(self, stm: &Stm, exp: Exp, certs: Vec<Name>) -> Step {
        if self.stms.is_empty() {
            return Step::Become(exp, certs);
        }
        let last = Stm { pat: stm.pat.clone(), certs: Vec::new(), attrs: stm.attrs.clone(), exp, loc: stm.loc };
        let all = self.stms.into_iter().chain([last]).map(|mut stm| {
            stm.certs.extend_from_slice(&certs);
            Work::Stm(stm, false)
        });
        Step::Splice(all.collect())
    }

    /// The statements so far, and then the pattern stands for these operands.
    pub(super) fn bind(self, operands: Vec<Operand>) -> Step {
        Step::Replace(self.stms, operands)
    }
}

/// Applies the rules to a function, from top to bottom, once. Gives whether it is worth doing so again.
/// `traces` are the functions that trace.
pub(super) fn walk(
    fun: &mut Fun,
    prog: &mut Prog,
    log: &mut Log,
    sharing: Sharing,
    traces: &FxHashSet<Symbol>,
) -> bool {
    let cx = Cx {
        fresh: &mut prog.fresh,
        sharing,
        facts: Facts::new(),
        types: FxHashMap::default(),
        defs: FxHashMap::default(),
        loops: 0,
        passed: FxHashSet::default(),
        traces,
        subst: FxHashMap::default(),
    };
    let mut engine = Engine { cx, log, same: Same::default(), replaced: Same::default(), again: false };
    engine.cx.facts.enter_fun(fun);
    engine.declare(&fun.params);
    // A result that must be unique has to keep memory of its own.
    for (result, x) in fun.results.iter().zip(&fun.body.results) {
        if let (true, Operand::Var(name)) = (result.unique, x) {
            engine.cx.sharing.own(*name);
        }
    }
    engine.body(&mut fun.body);
    engine.again
}

struct Engine<'a> {
    cx: Cx<'a>,
    log: &'a mut Log,
    same: Same,
    /// Elements of arrays that statements have taken the place of. Those statements may ask for other elements several
    /// times, and what these are made of for others again: each is made only once.
    replaced: Same,
    again: bool,
}

impl Engine<'_> {
    fn declare<'p>(&mut self, params: impl IntoIterator<Item = &'p Param>) {
        for param in params {
            self.cx.types.insert(param.name, param.ty.clone());
        }
    }

    fn body(&mut self, body: &mut Body) {
        with_stack(|| {
            let (scope, replaced) = (self.same.enter(), self.replaced.enter());
            let stms = std::mem::take(&mut body.stms);
            let mut work: Vec<Work> = stms.into_iter().rev().map(|stm| Work::Stm(stm, false)).collect();
            let mut out = Vec::with_capacity(work.len());
            while let Some(next) = work.pop() {
                match next {
                    Work::Stm(stm, done) => self.stm(stm, done, &mut work, &mut out),
                    Work::Bind(params, operands) => {
                        for (param, x) in params.iter().zip(operands) {
                            self.cx.bind(param, x);
                        }
                    }
                }
            }
            body.stms = out;
            for x in &mut body.results {
                *x = self.cx.resolve(*x);
            }
            self.same.leave(scope);
            self.replaced.leave(replaced);
        });
    }

    fn stm(&mut self, mut stm: Stm, mut done: bool, work: &mut Vec<Work>, out: &mut Vec<Stm>) {
        Known(&self.cx).stm(&mut stm);
        stm.certs.retain(|cert| !(self.cx.passed.contains(cert) && self.log.fire("assert-true")));
        dedup(&mut stm.certs);
        let element = if matches!(stm.exp, Exp::Index(..)) { Key::of(&self.cx, &stm) } else { None };
        if let Some(key) = &element
            && let Some(earlier) = self.replaced.find(&self.cx, &stm, key)
            && self.log.fire("same-expression")
        {
            return self.bind_all(&stm.pat, earlier);
        }
        // The bodies are walked at most once here; what a rule puts in the place of the statement comes again.
        loop {
            if let Some((rule, step)) = book::apply(&mut self.cx, &stm, done)
                && self.log.fire(rule)
            {
                self.again |= book::concerns_earlier(rule);
                if let (Some(key), Step::Replace(..)) = (element, &step) {
                    self.replaced.remember(&stm, key);
                }
                return self.replace(stm, step, done, work);
            }
            if done || !has_bodies(&stm.exp) {
                break;
            }
            self.bodies(&mut stm.exp);
            done = true;
        }
        // When nobody relies on it any more, it is dead.
        if let Exp::Assert(Operand::Const(Scalar::Bool(true)), _) = stm.exp {
            self.cx.passed.extend(stm.pat.iter().map(|p| p.name));
        }
        let key = Key::of(&self.cx, &stm);
        if let Some(key) = &key
            && let Some(earlier) = self.same.find(&self.cx, &stm, key)
            && self.log.fire("same-expression")
        {
            return self.bind_all(&stm.pat, earlier);
        }
        self.declare(&stm.pat);
        self.share(&stm);
        self.cx.facts.stm(&stm);
        if let [param] = &stm.pat[..]
            && book::is_looked_through(&stm.exp)
            // Rules must not look through an array that is to be materialised: it is read where it then lies.
            && !(param.ty.is_array() && crate::fuse::is_materialised(&stm))
        {
            let (exp, certs, attrs) = (stm.exp.clone(), stm.certs.clone(), stm.attrs.clone());
            let def = Def { exp, certs, attrs, loops: self.cx.loops };
            self.cx.defs.insert(param.name, def);
        }
        if let Some(key) = key {
            self.same.remember(&stm, key);
        }
        out.push(stm);
    }

    fn bind_all(&mut self, pat: &[Param], names: Vec<Name>) {
        for (param, name) in pat.iter().zip(names) {
            self.cx.bind(param, name.into());
        }
    }

    /// A statement that a rule made may bring a view that nobody knew of.
    fn share(&mut self, stm: &Stm) {
        if let [param] = &stm.pat[..]
            && param.ty.is_array()
            && let Some(array) = effects::viewed(&stm.exp)
        {
            self.cx.sharing.join(array, param.name);
        }
    }

    fn replace(&mut self, stm: Stm, step: Step, done: bool, work: &mut Vec<Work>) {
        let Stm { pat, certs, attrs, exp: _, loc } = stm;
        match step {
            Step::Bind(operands) => work.push(Work::Bind(pat, operands)),
            Step::Become(exp, more) => {
                let mut all = certs;
                all.extend(more);
                work.push(Work::Stm(Stm { pat, certs: all, attrs, exp, loc }, done));
            }
            Step::Replace(stms, operands) => {
                work.push(Work::Bind(pat, operands));
                for mut stm in stms.into_iter().rev() {
                    stm.certs.extend_from_slice(&certs);
                    work.push(Work::Stm(stm, false));
                }
            }
            Step::Splice(items) => {
                for mut item in items.into_iter().rev() {
                    if let Work::Stm(stm, _) = &mut item {
                        stm.certs.extend_from_slice(&certs);
                    }
                    work.push(item);
                }
            }
        }
    }

    /// Walks the bodies inside an expression, each with what is known in it.
    fn bodies(&mut self, exp: &mut Exp) {
        match exp {
            Exp::If(cond, yes, no) => {
                self.branch(*cond, true, yes);
                self.branch(*cond, false, no);
            }
            Exp::Match(_, cases, default) => {
                for (_, body) in cases {
                    self.scoped(|e| e.body(body));
                }
                self.scoped(|e| e.body(default));
            }
            Exp::Loop { params, form, body } => self.repeated(|e| {
                let params: Vec<Param> = params.iter().map(|(p, _)| p.clone()).collect();
                e.declare(&params);
                if let LoopForm::For(i, prim, _) = form {
                    e.cx.types.insert(*i, Type::Prim(*prim));
                }
                e.cx.facts.enter_loop(&params, form);
                e.body(body);
            }),
            Exp::Soac(soac) => self.soac(soac),
            Exp::Par(par) => self.par(par),
            Exp::Jvp(lambda, ..) | Exp::Vjp(lambda, ..) => self.lambda(lambda, None),
            _ => {}
        }
    }

    fn soac(&mut self, soac: &mut Soac) {
        match soac {
            Soac::Screma { width, map, scans, reduces, post, .. } => {
                self.lambda(map, Some(*width));
                for scan in scans {
                    self.lambda(&mut scan.op, Some(*width));
                }
                for reduce in reduces {
                    self.lambda(&mut reduce.op, Some(*width));
                }
                if let Some(post) = post {
                    self.lambda(post, Some(*width));
                }
            }
            Soac::Filter { width, pred, .. } => self.lambda(pred, Some(*width)),
            Soac::Scatter { width, map, .. } => self.lambda(map, Some(*width)),
            Soac::Hist { width, map, ops, .. } => {
                self.lambda(map, Some(*width));
                for op in ops {
                    self.lambda(&mut op.op, Some(*width));
                }
            }
            Soac::WithAcc { inputs, body } => {
                for (op, _) in inputs.iter_mut().filter_map(|input| input.op.as_mut()) {
                    self.lambda(op, None);
                }
                self.lambda(body, None);
            }
            Soac::UpdateAcc { .. } => {}
        }
    }

    fn par(&mut self, par: &mut Par) {
        let Par { level: _, plan: _, space, ops, body, post, forms } = par;
        self.repeated(|e| {
            e.cx.types.extend(space.iter().map(|(i, _)| (*i, Type::I64)));
            e.cx.facts.enter_space(space);
            for op in ops {
                e.lambda(&mut op.lambda, None);
            }
            for form in forms {
                if let Form::Acc { op, .. } = form {
                    e.lambda(op, None);
                }
            }
            e.body(body);
            if let Some(post) = post {
                e.declare(&post.params);
                e.cx.facts.bind(&post.params);
                e.body(&mut post.body);
            }
        });
    }

    fn lambda(&mut self, lambda: &mut Lambda, width: Option<Operand>) {
        self.repeated(|e| {
            e.declare(&lambda.params);
            match width {
                Some(width) => e.cx.facts.enter_lambda(width, &lambda.params),
                None => e.cx.facts.bind(&lambda.params),
            }
            e.body(&mut lambda.body);
        });
    }

    fn branch(&mut self, cond: Operand, holds: bool, body: &mut Body) {
        self.scoped(|e| {
            e.cx.facts.assume(cond, holds);
            // In the branch, the condition is known.
            let known = cond.name().filter(|_| !body.stms.is_empty() || body.results.contains(&cond));
            if let Some(name) = known {
                e.cx.subst.insert(name, Operand::bool(holds));
            }
            e.body(body);
            if let Some(name) = known {
                e.cx.subst.remove(&name);
            }
        });
    }

    /// Calls `f` for a body that may run more than once.
    fn repeated(&mut self, f: impl FnOnce(&mut Self)) {
        self.cx.loops += 1;
        self.scoped(f);
        self.cx.loops -= 1;
    }

    fn scoped(&mut self, f: impl FnOnce(&mut Self)) {
        let mark = self.cx.facts.mark();
        f(self);
        self.cx.facts.reset(mark);
    }
}

fn dedup(certs: &mut Vec<Name>) {
    let mut at = 0;
    while at < certs.len() {
        if certs[..at].contains(&certs[at]) {
            certs.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Puts what has become known into a statement, but not into the bodies in it: they are walked later.
struct Known<'a, 'b>(&'a Cx<'b>);

impl VisitMut for Known<'_, '_> {
    fn operand(&mut self, x: &mut Operand) {
        *x = self.0.resolve(*x);
    }

    fn name(&mut self, name: &mut Name) {
        if let Operand::Var(to) = self.0.resolve(Operand::Var(*name)) {
            *name = to;
        }
    }

    fn body(&mut self, _: &mut Body) {}

    fn stm(&mut self, stm: &mut Stm) {
        walk_mut::stm(self, stm);
    }
}
