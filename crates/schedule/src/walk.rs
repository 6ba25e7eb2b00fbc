//! The walk through the program, statement by statement, and what the operators have in common.

use crate::acc::Token;
use crate::level;
use kenaz_base::{Code, Symbol, with_stack};
use kenaz_ir::effects::{self, Memory};
use kenaz_ir::visit::{Subst, free_in_body, has_bodies, instantiate, relocate};
use kenaz_ir::{
    Attr, Attrs, Body, Builder, DecisionKind, Exp, Fresh, Fun, Lambda, Level, LocId, Locs, Log, LoopForm, Name,
    Operand, Param, PassCx, Refusal, Scalar, Soac, Space, Stm, Target, Type,
};
use rustc_hash::FxHashMap;

pub(crate) struct Walk<'a> {
    pub b: Builder,
    log: &'a mut Log,
    pub target: &'static Target,
    /// How many `par`s are around what is being scheduled.
    pub inside: usize,
    /// The arrays that an accumulator stands for.
    pub accs: FxHashMap<Name, Vec<Name>>,
    /// How the accumulators with a token combine values.
    pub tokens: FxHashMap<Name, Token>,
    /// The arrays that have the same scalar everywhere.
    filled: FxHashMap<Name, Operand>,
    /// The arrays that a statement made in memory of their own, and how many bodies are around it.
    made: FxHashMap<Name, usize>,
    /// The functions with accumulators among their parameters, which are inlined.
    templates: FxHashMap<Symbol, Fun>,
    /// The sizes that a call that was inlined has yielded: what stands for them in the statements behind it.
    sizes: Subst,
    /// Those that are inlined in what runs at a level of the target, since nothing can be called there.
    inside_templates: FxHashMap<Symbol, Fun>,
}

/// The properties of an operator that the statements in its place inherit.
#[derive(Clone)]
pub(crate) struct At {
    loc: LocId,
    certs: Vec<Name>,
    attrs: Attrs,
}

impl At {
    pub(crate) fn loc(&self) -> LocId {
        self.loc
    }

    /// Whether an attribute says that nothing of it runs in parallel.
    pub(crate) fn is_in_sequence(&self) -> bool {
        self.attrs.has(Attr::Sequential)
    }

    /// Whether it stays one operator.
    pub(crate) fn is_pinned(&self) -> bool {
        self.attrs.is_pin()
    }

    /// For statements inside the operator, or beside it.
    pub(crate) fn plain(&self) -> At {
        At { loc: self.loc, certs: Vec::new(), attrs: Attrs::default() }
    }
}

/// A function and what it is mapped over.
pub(crate) struct Mapped {
    pub width: Operand,
    pub arrays: Vec<Name>,
    pub map: Lambda,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(b: Builder, cx: &'a mut PassCx) -> Walk<'a> {
        Walk {
            b,
            log: &mut cx.log,
            target: cx.target,
            inside: 0,
            accs: FxHashMap::default(),
            tokens: FxHashMap::default(),
            filled: FxHashMap::default(),
            made: FxHashMap::default(),
            templates: FxHashMap::default(),
            sizes: Subst::new(),
            inside_templates: FxHashMap::default(),
        }
    }

    /// The names and positions of the program so far.
    pub(crate) fn finish(self) -> (Fresh, Locs) {
        (self.b.fresh, self.b.locs)
    }

    /// The function in the parallel stage; none if its accumulators must be known, so that each call is inlined.
    pub(crate) fn fun(&mut self, mut fun: Fun) -> Option<Fun> {
        if fun.params.iter().any(|p| is_acc(&p.ty)) {
            self.templates.insert(fun.name, fun);
            return None;
        }
        if !self.target.calls {
            self.inside_templates.insert(fun.name, fun.clone());
        }
        self.declare(&fun.params);
        fun.body = self.body(fun.body);
        Some(fun)
    }

    pub(crate) fn declare<'p>(&mut self, params: impl IntoIterator<Item = &'p Param>) {
        for param in params {
            self.b.declare(param.name, param.ty.clone());
        }
    }

    // Bodies

    pub(crate) fn body(&mut self, body: Body) -> Body {
        with_stack(|| {
            self.b.begin();
            let results = self.splice(body);
            let results = self.expand(&results);
            self.b.end(results)
        })
    }

    /// Adds the statements of a body to the one under construction; gives its results, accumulators as they are.
    pub(crate) fn splice(&mut self, body: Body) -> Vec<Operand> {
        with_stack(|| {
            let Body { stms, mut results } = body;
            let mut stms = stms.into_iter();
            while let Some(stm) = stms.next() {
                self.stm(stm);
                if !self.sizes.is_empty() {
                    let sizes = std::mem::take(&mut self.sizes);
                    let mut rest = Body { stms: stms.collect(), results };
                    sizes.apply_to_body(&mut rest);
                    (stms, results) = (rest.stms.into_iter(), rest.results);
                }
            }
            results
        })
    }

    /// A lambda without accumulators, of a `par`.
    pub(crate) fn lambda(&mut self, mut lambda: Lambda) -> Lambda {
        self.declare(&lambda.params);
        self.inside += 1;
        lambda.body = self.body(lambda.body);
        self.inside -= 1;
        lambda
    }

    /// `let pat = exp` in the place of an operator.
    pub(crate) fn add(&mut self, at: &At, pat: Vec<Param>, exp: Exp) {
        let makes = |i: usize| match effects::memory(&exp) {
            Memory::New | Memory::Over(_) => true,
            Memory::Loop(params, _) => params.get(i).is_some_and(|(p, _)| p.unique),
            // Views, and what may be one or comes from elsewhere.
            Memory::Of(..) | Memory::Branches(_) | Memory::Call(..) | Memory::Acc(..) | Memory::Any(..) => false,
        };
        let depth = self.b.depth();
        for (i, param) in pat.iter().enumerate().filter(|(_, p)| p.ty.is_array()) {
            if makes(i) {
                self.made.insert(param.name, depth);
            }
        }
        self.b.push(Stm { pat, certs: at.certs.clone(), attrs: at.attrs.clone(), exp, loc: at.loc });
    }

    /// An operand that lies in memory of its own, which was made in the body under construction: itself or a copy.
    pub(crate) fn own(&mut self, x: Operand, ty: &Type, taken: &mut Vec<Name>) -> Operand {
        let Operand::Var(name) = x else { return x };
        if !ty.is_array() {
            return x;
        }
        if self.made.get(&name) == Some(&self.b.depth()) && !taken.contains(&name) {
            taken.push(name);
            return x;
        }
        self.b.copy(name).into()
    }

    /// The scalar that is everywhere in an array.
    pub(crate) fn filled(&self, x: Operand) -> Option<Operand> {
        self.filled.get(&x.name()?).copied()
    }

    // Accumulators

    /// Operands with the arrays of accumulators in their place.
    pub(crate) fn expand(&self, xs: &[Operand]) -> Vec<Operand> {
        let mut out = Vec::with_capacity(xs.len());
        for x in xs {
            match x.name().and_then(|name| self.accs.get(&name)) {
                Some(arrays) => out.extend(arrays.iter().map(|a| Operand::Var(*a))),
                None => out.push(*x),
            }
        }
        out
    }

    /// New names for the arrays of an accumulator, which from now on stands for them.
    pub(crate) fn arrays_of(&mut self, param: &Param) -> Vec<Param> {
        let Type::Acc { shape, elems, .. } = &param.ty else { return Vec::new() };
        let base = param.name.base.as_str();
        let arrays: Vec<Param> = elems.iter().map(|ty| self.b.param(base, ty.with_outer(shape))).collect();
        self.accs.insert(param.name, arrays.iter().map(|p| p.name).collect());
        arrays
    }

    /// A pattern with the arrays of accumulators in their place.
    pub(crate) fn bind(&mut self, pat: Vec<Param>) -> Vec<Param> {
        let mut out = Vec::with_capacity(pat.len());
        for param in pat {
            if is_acc(&param.ty) {
                out.extend(self.arrays_of(&param));
            } else {
                out.push(param);
            }
        }
        out
    }

    /// From now on a name stands for an operand.
    pub(crate) fn alias(&mut self, at: &At, param: Param, x: Operand) {
        if is_acc(&param.ty) {
            let arrays = x.name().and_then(|name| self.accs.get(&name).cloned());
            self.accs.extend(arrays.map(|arrays| (param.name, arrays)));
        } else {
            self.add(at, vec![param], Exp::Operand(x));
        }
    }

    // Statements

    fn stm(&mut self, stm: Stm) {
        let Stm { pat, mut certs, attrs, exp, loc } = stm;
        certs.retain(|cert| !self.tokens.contains_key(cert));
        let at = At { loc, certs, attrs };
        self.b.loc = loc;
        match exp {
            Exp::Operand(x) if pat.iter().any(|p| is_acc(&p.ty)) => {
                pat.into_iter().for_each(|param| self.alias(&at, param, x));
            }
            Exp::Opaque(x) | Exp::Trace(_, x) if pat.iter().any(|p| is_acc(&p.ty)) => {
                pat.into_iter().for_each(|param| self.alias(&at, param, x));
            }
            Exp::If(cond, yes, no) => {
                let (yes, no) = (self.body(yes), self.body(no));
                let pat = self.bind(pat);
                self.add(&at, pat, Exp::If(cond, yes, no));
            }
            Exp::Match(x, cases, default) => {
                let cases = cases.into_iter().map(|(value, body)| (value, self.body(body))).collect();
                let default = self.body(default);
                let pat = self.bind(pat);
                self.add(&at, pat, Exp::Match(x, cases, default));
            }
            Exp::Loop { params, form, body } => {
                let params = self.loop_params(params);
                self.declare(params.iter().map(|(p, _)| p));
                if let LoopForm::For(i, prim, _) = &form {
                    self.b.declare(*i, Type::Prim(*prim));
                }
                let body = self.body(body);
                let pat = self.bind(pat);
                self.add(&at, pat, Exp::Loop { params, form, body });
            }
            Exp::Call(f, args) => self.call(&at, pat, f, args),
            Exp::Soac(soac) => self.soac(&at, pat, soac),
            Exp::Replicate(dims, x) => {
                let scalar = if self.b.type_of(x).is_array() { self.filled(x) } else { Some(x) };
                self.filled.extend(pat.iter().zip(scalar).map(|(p, x)| (p.name, x)));
                self.add(&at, pat, Exp::Replicate(dims, x));
            }
            // What nobody looks at is zero from here on.
            Exp::Scratch(dims, prim) if dims.is_empty() => {
                self.add(&at, pat, Exp::Operand(Operand::Const(Scalar::zero(prim))));
            }
            Exp::Jvp(..) | Exp::Vjp(..) => {
                self.log.decide(DecisionKind::DerivativeStays, loc, "it was not expanded before");
                self.add(&at, pat, exp);
            }
            // Operators are in bodies, which of all others only a `par` has; and that is done already.
            exp => {
                debug_assert!(matches!(exp, Exp::Par(_)) || !has_bodies(&exp), "a body is left as it was");
                self.add(&at, pat, exp);
            }
        }
    }

    fn loop_params(&mut self, params: Vec<(Param, Operand)>) -> Vec<(Param, Operand)> {
        let mut out = Vec::with_capacity(params.len());
        for (param, init) in params {
            if is_acc(&param.ty) {
                let inits = self.expand(&[init]);
                let arrays = self.arrays_of(&param);
                out.extend(arrays.into_iter().map(|p| Param { unique: true, ..p }).zip(inits));
            } else {
                out.push((param, init));
            }
        }
        out
    }

    fn call(&mut self, at: &At, pat: Vec<Param>, f: Symbol, args: Vec<Operand>) {
        let inside = if self.inside > 0 { self.inside_templates.get(&f) } else { None };
        let Some(fun) = self.templates.get(&f).or(inside) else { return self.add(at, pat, Exp::Call(f, args)) };
        let mut body = instantiate(&fun.params, &fun.body, &args, &mut self.b.fresh);
        relocate(&mut body, &mut self.b.locs, at.loc);
        let results = self.splice(body);
        let is_size = |(param, _): &(&Param, &Operand)| param.ty == Type::I64;
        let sizes: Subst = pat.iter().zip(&results).filter(is_size).map(|(param, x)| (param.name, *x)).collect();
        for (param, x) in pat.into_iter().zip(results) {
            let ty = sizes.ty(&param.ty);
            self.alias(at, Param { ty, ..param }, x);
        }
        self.sizes = sizes;
    }

    fn soac(&mut self, at: &At, pat: Vec<Param>, soac: Soac) {
        match soac {
            Soac::Screma { width, arrays, map, scans, reduces, post } => {
                self.screma(at, pat, Mapped { width, arrays, map }, scans, reduces, post);
            }
            Soac::Filter { width, arrays, pred } => self.filter(at, pat, Mapped { width, arrays, map: pred }),
            Soac::Scatter { width, arrays, map, dests } => {
                self.scatter(at, pat, Mapped { width, arrays, map }, &dests);
            }
            Soac::Hist { width, arrays, map, ops } => self.hist(at, pat, Mapped { width, arrays, map }, ops),
            Soac::WithAcc { inputs, body } => self.with_acc(at, pat, inputs, body),
            Soac::UpdateAcc { acc, index, values } => self.update_acc(at, pat, acc, &index, &values),
        }
    }

    // What operators have in common

    /// The level that an attribute asks for. A wish is for targets that have the level.
    pub(crate) fn level(&self, at: &At) -> Option<Level> {
        let attr = at.attrs.find(Attr::is_level)?;
        let has = |level: Level| match level {
            Level::Simd(_) => self.target.host_space == Space::Host,
            level => self.target.runs(level),
        };
        level::forced(&at.attrs).filter(|level| !attr.is_wish() || has(*level))
    }

    /// Says that an operator becomes a loop.
    pub(crate) fn as_loop(&mut self, at: &At, reason: &str) {
        self.log.decide(DecisionKind::AsLoop, at.loc, reason);
        self.refuse_level(at, reason);
    }

    /// Says that an operator does not run at the level that an attribute asks for.
    pub(crate) fn refuse_level(&mut self, at: &At, reason: &str) {
        if let Some(attr) = at.attrs.find(Attr::is_level) {
            let message = format!("this operator cannot run at `{}`", attr.wanted());
            let hint = format!("leave the attribute out, or write `#[try({})]`", attr.wanted());
            let refusal = Refusal::new(Code::LevelRefused, attr, at.loc, message);
            self.log.refuse(refusal.label(format!("{reason}, which is a loop")).hint(hint));
        }
    }

    pub(crate) fn index_name(&mut self) -> Name {
        self.b.name("i", Type::I64)
    }

    /// Sets the parameters of a function that its body uses to the rows of the arrays.
    pub(crate) fn rows(&mut self, mapped: &Mapped, i: Name) {
        let used = free_in_body(&mapped.map.body);
        for (param, array) in mapped.map.params.iter().zip(&mapped.arrays) {
            if used.contains(&param.name) && !is_acc(&param.ty) {
                self.row(param, *array, i);
            }
        }
    }

    /// Sets a parameter of a function to a row of an array; gives the row. One that the function consumes is copied:
    /// what it is a row of belongs to all iterations.
    pub(crate) fn row(&mut self, param: &Param, array: Name, i: Name) -> Name {
        let at = At { loc: self.b.loc, certs: Vec::new(), attrs: Attrs::default() };
        let pat = vec![Param { unique: false, ..param.clone() }];
        let row = Exp::Index(array, vec![i.into()]);
        if param.unique && param.ty.is_array() {
            let row = self.b.let_exp(param.name.base.as_str(), row, param.ty.clone());
            self.add(&at, pat, Exp::Copy(row));
            return row;
        }
        self.add(&at, pat, row);
        param.name
    }
}

pub(crate) fn is_acc(ty: &Type) -> bool {
    matches!(ty, Type::Acc { .. })
}

/// Whether an operator takes scalars only.
pub(crate) fn is_scalar(op: &Lambda) -> bool {
    op.params.iter().all(|p| matches!(p.ty, Type::Prim(_)))
}
