//! Defunctionalisation, after the paper of that name (§3, §5, §7).
//!
//! ```text
//! let twice g = \x -> g (g x)                    g' {a} y = y + a
//! let f = let a = 5 in twice (\y -> y + a)  ==>  f' {g} x = g' g (g' g x)
//! in f 1 + f 2                                   let f = {g = {a = 5}} in f' f 1 + f' f 2
//! ```
//!
//! Every expression is translated to a residual expression and a static value ([`Sv`]), which says of every function in
//! it which one it is. A function becomes a record of its free variables; an application becomes a call of a function
//! that was made for the static values of the function and its arguments, and is shared by all applications with the
//! same ones. A definition that is applied to some of its arguments is a record of these: sizes are arguments like
//! others, so they are captured, too (§5.2). The functions given to second-order intrinsics stay, with their bodies in
//! place.
//!
//! A conditional marked `#[dispatch]` may yield different functions (§7): its value is a sum with a constructor for
//! each, and an application of it a match.
//!
//! Assumes a core program; leaves one without functions as values: `Lam` only as an argument of an intrinsic, `App`
//! only of a definition to all its arguments. Cost: linear in the sizes of the program and of the instances it needs.

mod choose;
mod statics;

use crate::core::{CoreProg, Def, DefId, Dim, Exp, Free, IndexDim, Kind, Lam, Loop, LoopForm, Pat, Ty, under_check};
use crate::translate::Failed;
use kenaz_base::{Code, Diagnostic, Span, Symbol, with_stack};
use kenaz_ir::{Attr, LocId, Name};
use rustc_hash::{FxHashMap, FxHashSet};
use statics::{
    Closure, Fun, Sv, argument, choice, field_of, has_accumulator, has_content, nothing, project_sv, residual_type,
    simplify, update_sv,
};
use std::sync::Arc;

type Result<T> = std::result::Result<T, Failed>;

/// A residual expression with its static value.
type Residual = (Exp, Sv);

/// What variables of the source became.
#[derive(Clone, Default)]
struct Env {
    vars: FxHashMap<Name, (Name, Sv)>,
    /// The position of the call that the code is being inlined into.
    caller: Option<LocId>,
}

struct Defun<'a> {
    source: &'a CoreProg,
    out: CoreProg,
    /// Functions made for static values.
    made: FxHashMap<(Arc<Closure>, Vec<Sv>), (DefId, Sv)>,
    /// Constants, and definitions applied as they are.
    constants: FxHashMap<DefId, DefId>,
    blocks: Vec<Vec<(Name, Exp)>>,
    /// Functions whose body stands in place as the argument of an intrinsic.
    in_place: FxHashSet<Arc<Closure>>,
    /// How many functions were made for holes.
    holes: u32,
    depth: usize,
    /// What is said about the call that comes next: which part of what it does runs in parallel.
    said: Vec<(Attr, LocId)>,
    /// The positions of the expressions around, innermost last.
    around: Vec<LocId>,
    place: Span,
}

/// The first-order program with the same meaning. `place` is where to report what belongs to no expression of the user.
pub fn defunctionalise(source: &CoreProg, place: Span) -> Result<CoreProg> {
    let out = CoreProg { locs: source.locs.clone(), fresh: source.fresh.clone(), ..CoreProg::default() };
    let mut defun = Defun {
        source,
        out,
        made: FxHashMap::default(),
        constants: FxHashMap::default(),
        blocks: Vec::new(),
        in_place: FxHashSet::default(),
        holes: 0,
        depth: 0,
        said: Vec::new(),
        around: Vec::new(),
        place,
    };
    for (_, def) in source.defs.iter() {
        if def.entry.is_some() {
            defun.entry(def)?;
        }
    }
    Ok(defun.out)
}

impl Defun<'_> {
    fn limitation(&self, message: &str) -> Failed {
        let known = self.around.iter().rev().find_map(|loc| self.out.locs.span(*loc));
        let place = known.unwrap_or(self.place);
        Box::new(Diagnostic::error(Code::Limitation, place, message).label("not supported yet"))
    }

    fn entry(&mut self, def: &Def) -> Result<()> {
        let (params, body): (Vec<(Name, Ty)>, &Exp) = match &def.body.kind {
            Kind::Lam(lam) => (lam.params.clone(), &lam.body),
            _ => (Vec::new(), &def.body),
        };
        let mut env = Env::default();
        let mut new_params = Vec::new();
        for (name, ty) in params {
            let new = self.out.fresh.like(name);
            env.vars.insert(name, (new, Sv::Dyn(ty.erased())));
            new_params.push((new, ty));
        }
        let body = self.block(|this| Ok(this.exp(body, &mut env)?.0))?;
        self.define(def.name, new_params, body, def.loc, def.entry.clone(), def.attrs.clone(), def.builtin);
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of a definition")]
    fn define(
        &mut self,
        name: Symbol,
        params: Vec<(Name, Ty)>,
        body: Exp,
        loc: LocId,
        entry: Option<kenaz_ir::Entry>,
        attrs: Vec<Attr>,
        builtin: bool,
    ) -> DefId {
        let ty = params.iter().rev().fold(body.ty.clone(), |ret, (_, t)| Ty::arrow(t.clone(), ret));
        let body = if params.is_empty() {
            body
        } else {
            let free = Vec::new();
            let id = u32::try_from(self.out.defs.len()).unwrap_or(u32::MAX);
            Exp::new(Kind::Lam(Arc::new(Lam { id, params, body, free })), ty, loc)
        };
        self.out.defs.push(Def { name, body, entry, attrs, loc, builtin })
    }

    fn block(&mut self, f: impl FnOnce(&mut Self) -> Result<Exp>) -> Result<Exp> {
        self.blocks.push(Vec::new());
        let result = f(self);
        let bindings = self.blocks.pop().unwrap_or_default();
        let result = result?;
        if bindings.is_empty() {
            return Ok(result);
        }
        let (ty, loc) = (result.ty.clone(), result.loc);
        Ok(Exp::new(Kind::Block(bindings, Box::new(result)), ty, loc))
    }

    fn bind(&mut self, base: &str, value: Exp) -> Exp {
        if let Kind::Var(_) | Kind::Lit(_) = value.kind {
            return value;
        }
        let name = self.out.fresh.named(base);
        let (ty, loc) = (value.ty.clone(), value.loc);
        self.push(name, value);
        Exp::var(name, ty, loc)
    }

    fn push(&mut self, name: Name, value: Exp) {
        if let Some(block) = self.blocks.last_mut() {
            block.push((name, value));
        }
    }

    fn loc(&mut self, loc: LocId, env: &Env) -> LocId {
        match env.caller {
            Some(caller) => self.out.locs.inlined(loc, caller),
            None => loc,
        }
    }

    /// The type with the names of the source replaced.
    fn ty(ty: &Ty, env: &Env) -> Ty {
        ty.map_dims(&mut |d| match d {
            Dim::Var(name) => env.vars.get(&name).map_or(Dim::Any, |(new, _)| Dim::Var(*new)),
            Dim::Any | Dim::Const(_) => d,
        })
    }

    fn dynamic(&mut self, exp: &Exp, env: &mut Env) -> Result<Exp> {
        Ok(self.exp(exp, env)?.0)
    }

    fn boxed(&mut self, exp: &Exp, env: &mut Env) -> Result<Box<Exp>> {
        self.dynamic(exp, env).map(Box::new)
    }

    fn all(&mut self, exps: &[Exp], env: &mut Env) -> Result<Vec<Exp>> {
        exps.iter().map(|e| self.dynamic(e, env)).collect()
    }

    fn dims(&mut self, dims: &[IndexDim], env: &mut Env) -> Result<Vec<IndexDim>> {
        let part =
            |this: &mut Self, e: &Option<Exp>, env: &mut Env| e.as_ref().map(|e| this.dynamic(e, env)).transpose();
        dims.iter()
            .map(|dim| {
                Ok(match dim {
                    IndexDim::Fix(e) => IndexDim::Fix(self.dynamic(e, env)?),
                    IndexDim::Slice { start, end, step } => IndexDim::Slice {
                        start: part(self, start, env)?,
                        end: part(self, end, env)?,
                        step: part(self, step, env)?,
                    },
                })
            })
            .collect()
    }

    fn exp(&mut self, exp: &Exp, env: &mut Env) -> Result<Residual> {
        let loc = self.loc(exp.loc, env);
        self.around.push(loc);
        let result = with_stack(|| self.exp_(exp, env));
        self.around.pop();
        result
    }

    /// `E ⊢ e ⇝ ⟨e', sv⟩`
    fn exp_(&mut self, exp: &Exp, env: &mut Env) -> Result<Residual> {
        let loc = self.loc(exp.loc, env);
        let dynamic = |kind: Kind, ty: Ty| {
            let sv = Sv::Dyn(ty.erased());
            Ok((Exp::new(kind, ty, loc), sv))
        };
        match &exp.kind {
            // D-VAR
            Kind::Var(name) => match env.vars.get(name) {
                Some((new, sv)) => {
                    let ty = if let Sv::Dyn(_) = sv { Self::ty(&exp.ty, env) } else { residual_type(sv) };
                    Ok((Exp::var(*new, ty, loc), sv.clone()))
                }
                None => Err(self.limitation(&format!("the variable `{name}` is not known to the defunctionaliser"))),
            },
            Kind::Hole if exp.ty.is_function() => Ok(self.hole(&exp.ty, exp.loc, loc)),
            // D-NUM, D-TRUE, D-FALSE
            Kind::Lit(_) | Kind::Hole => dynamic(exp.kind.clone(), Self::ty(&exp.ty, env)),
            Kind::Global(id) => self.global(*id, loc),
            // D-LAM: the record of the free variables
            Kind::Lam(lam) => {
                let mut captured = Vec::new();
                let mut fields = Vec::new();
                let mut sources = Vec::new();
                for Free { name, fields: used } in &lam.free {
                    let Some((new, sv)) = env.vars.get(name) else { continue };
                    // Of a record of functions only what is used: otherwise records of functions that are made from
                    // others grow with the number of their fields each time.
                    if let (Some(used), Sv::Rcd(all)) = (used, sv) {
                        let parts: Vec<(Symbol, Sv)> = all.iter().filter(|(n, _)| used.contains(n)).cloned().collect();
                        let source = Exp::var(*new, residual_type(sv), loc);
                        let part = |(n, sv): &(Symbol, Sv)| {
                            (*n, Exp::new(Kind::Project(Box::new(source.clone()), *n), residual_type(sv), loc))
                        };
                        let record = Kind::Record(parts.iter().map(part).collect());
                        let sv = Sv::Rcd(parts);
                        fields.push((field_of(*name), Exp::new(record, residual_type(&sv), loc)));
                        captured.push((*name, sv));
                        sources.push(*name);
                        continue;
                    }
                    match sources.iter().position(|source| source == new) {
                        Some(earlier) => captured.push((*name, Sv::Same(earlier))),
                        None => {
                            fields.push((field_of(*name), Exp::var(*new, residual_type(sv), loc)));
                            captured.push((*name, sv.clone()));
                        }
                    }
                    sources.push(*new);
                }
                let closure = Arc::new(Closure::new(Fun::Lam(lam.clone()), captured, Vec::new()));
                Ok((closure.record(fields, loc), Sv::Lam(closure)))
            }
            // D-APP
            Kind::App(f, args) => {
                let said = std::mem::take(&mut self.said);
                let args = args.iter().map(|a| self.exp(a, env)).collect::<Result<Vec<_>>>()?;
                let f = self.exp(f, env)?;
                let ty = Self::ty(&exp.ty, env);
                if said.is_empty() {
                    self.apply(f, args, &ty, loc, false)
                } else {
                    self.call_with(said, f, args, &ty, loc)
                }
            }
            // D-LET
            Kind::Block(bindings, result) => {
                for (name, value) in bindings {
                    let (value, sv) = self.exp(value, env)?;
                    let new = match value.kind {
                        Kind::Var(new) => new,
                        _ => {
                            let new = self.out.fresh.like(*name);
                            self.push(new, value);
                            new
                        }
                    };
                    env.vars.insert(*name, (new, sv));
                }
                self.exp(result, env)
            }
            // D-RCD
            Kind::Record(fields) => {
                let mut values = Vec::new();
                let mut svs = Vec::new();
                for (name, e) in fields {
                    let (e, sv) = self.exp(e, env)?;
                    values.push((*name, e));
                    svs.push((*name, sv));
                }
                let ty = Ty::Record(values.iter().map(|(n, e)| (*n, e.ty.clone())).collect());
                Ok((Exp::new(Kind::Record(values), ty, loc), simplify(Sv::Rcd(svs))))
            }
            // D-PROJ
            Kind::Project(e, field) => {
                let (e, sv) = self.exp(e, env)?;
                let part = project_sv(&sv, *field);
                let ty = match &part {
                    Sv::Dyn(_) => Self::ty(&exp.ty, env),
                    _ => residual_type(&part),
                };
                Ok((Exp::new(Kind::Project(Box::new(e), *field), ty, loc), part))
            }
            // D-ARRAY
            Kind::Array(es) => {
                let es = self.all(es, env)?;
                dynamic(Kind::Array(es), Self::ty(&exp.ty, env))
            }
            // D-INDEX
            Kind::Index(e, dims) => {
                let e = self.boxed(e, env)?;
                let dims = self.dims(dims, env)?;
                dynamic(Kind::Index(e, dims), Self::ty(&exp.ty, env))
            }
            // D-UPDATE
            Kind::Update(e, dims, v) => {
                let e = self.boxed(e, env)?;
                let dims = self.dims(dims, env)?;
                let v = self.boxed(v, env)?;
                dynamic(Kind::Update(e, dims, v), Self::ty(&exp.ty, env))
            }
            Kind::UpdateField(e, path, v) => {
                let (e, sv) = self.exp(e, env)?;
                let (v, value) = self.exp(v, env)?;
                let sv = update_sv(&sv, path, value);
                let ty = if let Sv::Dyn(_) = sv { Self::ty(&exp.ty, env) } else { residual_type(&sv) };
                Ok((Exp::new(Kind::UpdateField(Box::new(e), path.clone(), Box::new(v)), ty, loc), sv))
            }
            // D-IF
            Kind::If(c, t, f) => {
                let c = self.boxed(c, env)?;
                let branches = self.branches(&[t, f], env)?;
                let (mut branches, sv) = self.join(branches)?;
                let (Some(f), Some(t)) = (branches.pop(), branches.pop()) else {
                    return Err(self.limitation("a conditional without branches"));
                };
                let ty = self.joined_type(&sv, &exp.ty, env);
                Ok((Exp::new(Kind::If(c, Box::new(t), Box::new(f)), ty, loc), sv))
            }
            Kind::Match(e, cases) => self.match_(exp, e, cases, env),
            // D-LOOP: the parameters of loops are no functions
            Kind::Loop(l) => {
                let init = self.dynamic(&l.init, env)?;
                let param = self.out.fresh.like(l.param);
                let ty = Self::ty(&exp.ty, env);
                let header = match &l.form {
                    LoopForm::For(i, n) => {
                        let n = self.dynamic(n, env)?;
                        let new = self.out.fresh.like(*i);
                        env.vars.insert(*i, (new, Sv::Dyn(n.ty.erased())));
                        Some(LoopForm::For(new, n))
                    }
                    LoopForm::ForIn(x, xs) => {
                        let xs = self.dynamic(xs, env)?;
                        let new = self.out.fresh.like(*x);
                        let elem = xs.ty.elem().map_or_else(Ty::unit, Ty::erased);
                        env.vars.insert(*x, (new, Sv::Dyn(elem)));
                        Some(LoopForm::ForIn(new, xs))
                    }
                    LoopForm::While(_) => None,
                };
                env.vars.insert(l.param, (param, Sv::Dyn(ty.erased())));
                let form = match (header, &l.form) {
                    (Some(form), _) => form,
                    (None, LoopForm::While(c)) => LoopForm::While(self.inner(c, env)?.0),
                    (None, _) => return Err(self.limitation("a loop without a header")),
                };
                let body = self.inner(&l.body, env)?.0;
                dynamic(Kind::Loop(Box::new(Loop { param, init, form, body })), ty)
            }
            Kind::Constr(name, args) => {
                if exp.ty.is_function() {
                    return self.constructor(*name, args, loc, env);
                }
                let args = self.all(args, env)?;
                dynamic(Kind::Constr(*name, args), Self::ty(&exp.ty, env))
            }
            Kind::Intrinsic(id, args) => {
                let args = args.iter().map(|a| self.operand(a, env)).collect::<Result<Vec<_>>>()?;
                dynamic(Kind::Intrinsic(*id, args), Self::ty(&exp.ty, env))
            }
            Kind::Not(e) => {
                let e = self.boxed(e, env)?;
                dynamic(Kind::Not(e), Self::ty(&exp.ty, env))
            }
            Kind::Neg(e) => {
                let e = self.boxed(e, env)?;
                dynamic(Kind::Neg(e), Self::ty(&exp.ty, env))
            }
            Kind::Range { first, second, kind, last } => {
                let first = self.boxed(first, env)?;
                let second = second.as_ref().map(|e| self.boxed(e, env)).transpose()?;
                let last = self.boxed(last, env)?;
                dynamic(Kind::Range { first, second, kind: *kind, last }, Self::ty(&exp.ty, env))
            }
            Kind::Coerce(e, kind) => {
                let (e, sv) = self.exp(e, env)?;
                if let Sv::Dyn(_) = sv {
                    return dynamic(Kind::Coerce(Box::new(e), *kind), Self::ty(&exp.ty, env));
                }
                let e = self.coerce(e, &sv, &Self::ty(&exp.ty, env), *kind);
                Ok((e, sv))
            }
            Kind::Assert(c, e, text) => {
                let mut c = self.boxed(c, env)?;
                let first = self.blocks.last().map_or(0, Vec::len);
                let (e, sv) = self.exp(e, env)?;
                if let Some(block) = self.blocks.last_mut() {
                    c = under_check(block, first, c, text, || self.out.fresh.named("c"));
                }
                let ty = e.ty.clone();
                Ok((Exp::new(Kind::Assert(c, Box::new(e), text.clone()), ty, loc), sv))
            }
            Kind::Attr(attr, e) => {
                // A chain of attributes is as long as the user likes.
                let (mut chain, mut inner) = (vec![(*attr, loc)], &**e);
                while let Kind::Attr(attr, e) = &inner.kind {
                    chain.push((*attr, self.loc(inner.loc, env)));
                    inner = e;
                }
                if matches!(inner.kind, Kind::App(..)) {
                    self.said.extend(chain.iter().filter(|(attr, _)| attr.is_strategy() || attr.is_binding()));
                }
                let (e, sv) = self.exp(inner, env)?;
                let around = |e: Exp, (attr, loc)| {
                    let ty = e.ty.clone();
                    Exp::new(Kind::Attr(attr, Box::new(e)), ty, loc)
                };
                Ok((chain.into_iter().rev().fold(e, around), sv))
            }
            Kind::SizeOf(e, path) => {
                let (e, sv) = self.exp(e, env)?;
                let size = self.size_of(e, &sv, &path.steps, path.dim, loc)?;
                Ok((size, Sv::Dyn(Ty::I64)))
            }
        }
    }

    /// A constructor of a sum with functions in it: it is known, so the record of the payload will do.
    fn constructor(&mut self, name: Symbol, args: &[Exp], loc: LocId, env: &mut Env) -> Result<Residual> {
        let mut fields = Vec::new();
        let mut payload = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let (e, sv) = self.exp(arg, env)?;
            fields.push((Symbol::field(i), e));
            payload.push(sv);
        }
        let ty = Ty::Record(fields.iter().map(|(n, e)| (*n, e.ty.clone())).collect());
        Ok((Exp::new(Kind::Record(fields), ty, loc), Sv::Con(name, payload)))
    }

    /// A hole with functions in it. A function becomes one whose application is a hole; of a sum it does not matter
    /// which constructor is taken.
    fn hole(&mut self, ty: &Ty, source: LocId, loc: LocId) -> Residual {
        let sv = self.hole_sv(ty, source);
        let ty = residual_type(&sv);
        let kind = if let Sv::Lam(_) = sv { Kind::Record(Vec::new()) } else { Kind::Hole };
        (Exp::new(kind, ty, loc), sv)
    }

    fn hole_sv(&mut self, ty: &Ty, loc: LocId) -> Sv {
        match ty {
            Ty::Arrow(..) => {
                let mut params = Vec::new();
                let mut ret = ty;
                while let Ty::Arrow(arg, next) = ret {
                    params.push((self.out.fresh.named("x"), arg.erased()));
                    ret = next;
                }
                let body = Exp::new(Kind::Hole, ret.erased(), loc);
                // The functions of the source count upwards.
                self.holes += 1;
                let lam = Arc::new(Lam { id: u32::MAX - self.holes, params, body, free: Vec::new() });
                Sv::Lam(Arc::new(Closure::new(Fun::Lam(lam), Vec::new(), Vec::new())))
            }
            Ty::Record(fields) => simplify(Sv::Rcd(fields.iter().map(|(n, t)| (*n, self.hole_sv(t, loc))).collect())),
            Ty::Sum(constrs) if ty.is_function() => match constrs.first() {
                Some((name, payload)) => Sv::Con(*name, payload.iter().map(|t| self.hole_sv(t, loc)).collect()),
                None => Sv::Dyn(ty.erased()),
            },
            Ty::Prim(_) | Ty::Array(..) | Ty::Sum(_) | Ty::Acc(_) => Sv::Dyn(ty.erased()),
        }
    }

    /// An expression whose bindings stay with it.
    fn inner(&mut self, exp: &Exp, env: &mut Env) -> Result<Residual> {
        let mut sv = None;
        let residual = self.block(|this| {
            let (e, s) = this.exp(exp, env)?;
            sv = Some(s);
            Ok(e)
        })?;
        let sv = sv.unwrap_or_else(|| Sv::Dyn(residual.ty.erased()));
        Ok((residual, sv))
    }

    fn branches(&mut self, exps: &[&Exp], env: &mut Env) -> Result<Vec<Residual>> {
        exps.iter().map(|e| self.inner(e, env)).collect()
    }

    /// The argument of an intrinsic: a function keeps its body. (D-MAP)
    fn operand(&mut self, exp: &Exp, env: &mut Env) -> Result<Exp> {
        let (e, sv) = self.exp(exp, env)?;
        if !matches!(sv, Sv::Lam(_) | Sv::Or(_)) {
            return Ok(e);
        }
        let f = self.bind("f", e);
        let mut params = Vec::new();
        let mut ty = exp.ty.clone();
        while let Ty::Arrow(arg, ret) = ty {
            params.push((self.out.fresh.named("x"), arg.erased()));
            ty = (*ret).clone();
        }
        let loc = f.loc;
        let args: Vec<Residual> =
            params.iter().map(|(n, t)| (Exp::var(*n, t.clone(), loc), Sv::Dyn(t.clone()))).collect();
        let body = self.block(|this| Ok(this.apply((f, sv), args, &ty.erased(), loc, true)?.0))?;
        let ty = params.iter().rev().fold(body.ty.clone(), |ret, (_, t)| Ty::arrow(t.clone(), ret));
        let lam = Lam { id: 0, params, body, free: Vec::new() };
        Ok(Exp::new(Kind::Lam(Arc::new(lam)), ty, loc))
    }

    fn global(&mut self, id: DefId, loc: LocId) -> Result<Residual> {
        let def = &self.source.defs[id];
        if let Kind::Lam(lam) = &def.body.kind {
            let closure = Closure::new(Fun::Global(id, lam.clone()), Vec::new(), Vec::new());
            return Ok((Exp::new(Kind::Record(Vec::new()), Ty::unit(), loc), Sv::Lam(Arc::new(closure))));
        }
        if def.body.ty.is_function() {
            // A constant with functions in it is computed where it is used.
            return self.exp(&def.body, &mut Env { caller: Some(loc), ..Env::default() });
        }
        let made = match self.constants.get(&id) {
            Some(made) => *made,
            None => {
                let blocks = std::mem::take(&mut self.blocks);
                let body = self.block(|this| Ok(this.exp(&def.body, &mut Env::default())?.0));
                self.blocks = blocks;
                let made = self.define(def.name, Vec::new(), body?, def.loc, None, def.attrs.clone(), def.builtin);
                self.constants.insert(id, made);
                made
            }
        };
        let ty = self.out.defs[made].body.ty.erased();
        Ok((Exp::new(Kind::Global(made), ty.clone(), loc), Sv::Dyn(ty)))
    }

    fn apply(&mut self, f: Residual, args: Vec<Residual>, ty: &Ty, loc: LocId, in_place: bool) -> Result<Residual> {
        if args.is_empty() {
            return Ok(f);
        }
        let (exp, sv) = f;
        match sv {
            Sv::Lam(closure) => {
                let arity = closure.fun.lam().params.len();
                let have = closure.args.len();
                if have + args.len() < arity {
                    return Ok(self.partial(exp, &closure, args, loc));
                }
                let mut args = args;
                let rest = args.split_off(arity - have);
                let result = self.call(exp, &closure, args, ty, rest.is_empty(), loc, in_place)?;
                self.apply(result, rest, ty, loc, in_place)
            }
            Sv::Or(choices) => {
                let args: Vec<Residual> = args.into_iter().map(|(e, sv)| (self.bind("a", e), sv)).collect();
                let sum = residual_type(&Sv::Or(choices.clone()));
                let mut pats = Vec::new();
                let mut branches = Vec::new();
                for (i, choice_sv) in choices.into_iter().enumerate() {
                    let name = self.out.fresh.named("f");
                    let payload = residual_type(&choice_sv);
                    pats.push(Pat::Constr(choice(i), vec![Pat::Name(name, payload.clone())], sum.clone()));
                    let mut sv = None;
                    let function = (Exp::var(name, payload, loc), choice_sv);
                    let args = args.clone();
                    let branch = self.block(|this| {
                        let (e, s) = this.apply(function, args, ty, loc, in_place)?;
                        sv = Some(s);
                        Ok(e)
                    })?;
                    branches.push((branch, sv.unwrap_or_else(|| Sv::Dyn(ty.erased()))));
                }
                let (branches, sv) = self.join(branches)?;
                let ty = if let Sv::Dyn(_) = sv { ty.clone() } else { residual_type(&sv) };
                let cases = pats.into_iter().zip(branches).collect();
                Ok((Exp::new(Kind::Match(Box::new(exp), cases), ty, loc), sv))
            }
            Sv::Dyn(_) | Sv::Rcd(_) | Sv::Con(..) | Sv::Same(_) => {
                Err(self.limitation("something that is no function is applied"))
            }
        }
    }

    /// A function with more of its arguments: a larger record.
    fn partial(&mut self, exp: Exp, closure: &Closure, args: Vec<Residual>, loc: LocId) -> Residual {
        let exp = self.bind("f", exp);
        let mut given = closure.args.clone();
        let mut fields = Vec::new();
        if let Ty::Record(old) = &exp.ty {
            for (name, ty) in old {
                fields.push((*name, Exp::new(Kind::Project(Box::new(exp.clone()), *name), ty.clone(), loc)));
            }
        }
        let mut sources: Vec<(Name, usize)> = Vec::new();
        for (value, sv) in args {
            let at = given.len();
            let source = if let Kind::Var(name) = value.kind { Some(name) } else { None };
            let earlier = sources.iter().find(|(name, _)| Some(*name) == source).map(|(_, earlier)| *earlier);
            match earlier {
                Some(earlier) => given.push(Sv::Same(earlier)),
                None => {
                    // What is not kept is computed all the same: a check in it may fail.
                    let value = if has_content(&value.ty) { value } else { self.bind("a", value) };
                    fields.push((argument(at), value));
                    given.push(sv);
                    sources.extend(source.map(|name| (name, at)));
                }
            }
        }
        let new = Arc::new(Closure::new(closure.fun.clone(), closure.env.clone(), given));
        (new.record(fields, loc), Sv::Lam(new))
    }

    /// A function applied to all its arguments.
    #[expect(clippy::too_many_arguments, reason = "the parts of one call")]
    fn call(
        &mut self,
        exp: Exp,
        closure: &Arc<Closure>,
        args: Vec<Residual>,
        ty: &Ty,
        last: bool,
        loc: LocId,
        in_place: bool,
    ) -> Result<Residual> {
        let lam = closure.fun.lam().clone();
        let builtin = matches!(closure.fun, Fun::Global(id, _) if self.source.defs[id].builtin);
        let noinline = matches!(closure.fun, Fun::Global(id, _)
            if self.source.defs[id].attrs.contains(&Attr::NoInline));
        let small = is_small(&lam.body, builtin);
        // An accumulator cannot be passed to a definition. For the rest see Note [Code does not multiply].
        let takes_accumulator = args.iter().any(|(_, sv)| has_accumulator(&residual_type(sv)));
        if takes_accumulator || (small && !noinline) || (in_place && self.in_place.insert(closure.clone())) {
            return self.inline(exp, closure, args, loc);
        }
        let svs: Vec<Sv> = args.iter().map(|(_, sv)| sv.clone()).collect();
        let key = (closure.clone(), svs);
        let (id, ret) = match self.made.get(&key) {
            Some(made) => made.clone(),
            None => {
                let made = self.lift(closure, &key.1)?;
                self.made.insert(key, made.clone());
                made
            }
        };
        let mut values = Vec::new();
        if has_content(&residual_type(&Sv::Lam(closure.clone()))) {
            values.push(exp);
        }
        values.extend(args.into_iter().map(|(e, _)| e));
        let result = match &ret {
            Sv::Dyn(_) if last => ty.clone(),
            _ => residual_type(&ret),
        };
        let function = Exp::new(Kind::Global(id), self.out.defs[id].body.ty.clone(), loc);
        Ok((Exp::new(Kind::App(Box::new(function), values), result, loc), ret))
    }

    /// A call about which something is said. Where the function's body takes its place, that is said of all of it; the
    /// arguments are not meant.
    fn call_with(
        &mut self,
        said: Vec<(Attr, LocId)>,
        f: Residual,
        args: Vec<Residual>,
        ty: &Ty,
        loc: LocId,
    ) -> Result<Residual> {
        let args = args.into_iter().map(|(e, sv)| (self.bind("a", e), sv)).collect();
        let f = (self.bind("f", f.0), f.1);
        let start = self.blocks.last().map_or(0, Vec::len);
        let result = self.apply(f, args, ty, loc, false)?;
        for (_, value) in self.blocks.last_mut().into_iter().flat_map(|block| &mut block[start..]) {
            for (attr, place) in said.iter().rev() {
                let ty = value.ty.clone();
                let inner = std::mem::replace(value, Exp::new(Kind::Hole, ty.clone(), *place));
                *value = Exp::new(Kind::Attr(*attr, Box::new(inner)), ty, *place);
            }
        }
        Ok(result)
    }

    /// A definition for a function with static values for what it captured and for its arguments.
    fn lift(&mut self, closure: &Arc<Closure>, args: &[Sv]) -> Result<(DefId, Sv)> {
        self.depth += 1;
        if self.depth > 3000 {
            return Err(self.limitation("functions that call each other more than 3000 deep"));
        }
        let lam = closure.fun.lam().clone();
        let blocks = std::mem::take(&mut self.blocks);
        let mut params = Vec::new();
        let mut env = Env::default();
        let captured = residual_type(&Sv::Lam(closure.clone()));
        let env_name = self.out.fresh.named("env");
        let loc = lam.body.loc;
        if has_content(&captured) {
            params.push((env_name, captured.clone()));
        }
        let mut ret = None;
        let body = self.block(|this| {
            this.enter(&Exp::var(env_name, captured, loc), closure, &mut env, loc);
            for ((name, ty), sv) in lam.params.iter().skip(closure.args.len()).zip(args) {
                let new = this.out.fresh.like(*name);
                let ty = if let Sv::Dyn(_) = sv { Self::ty(ty, &env) } else { residual_type(sv) };
                params.push((new, ty));
                env.vars.insert(*name, (new, sv.clone()));
            }
            let (e, sv) = with_stack(|| this.exp(&lam.body, &mut env))?;
            ret = Some(sv);
            Ok(e)
        });
        self.blocks = blocks;
        self.depth -= 1;
        let body = body?;
        let ret = ret.unwrap_or_else(|| Sv::Dyn(body.ty.erased()));
        let (name, attrs, at, builtin) = match closure.fun {
            Fun::Global(id, _) => {
                let def = &self.source.defs[id];
                (def.name, def.attrs.clone(), def.loc, def.builtin)
            }
            Fun::Lam(_) => (Symbol::intern("lambda"), Vec::new(), lam.body.loc, false),
        };
        Ok((self.define(name, params, body, at, None, attrs, builtin), ret))
    }

    /// Binds what a closure captured, and the arguments it has got.
    fn enter(&mut self, exp: &Exp, closure: &Closure, env: &mut Env, loc: LocId) {
        let take = |this: &mut Self, name: Name, field: Symbol, sv: &Sv| {
            let new = this.out.fresh.like(name);
            let ty = residual_type(sv);
            let value = if has_content(&ty) {
                Exp::new(Kind::Project(Box::new(exp.clone()), field), ty, loc)
            } else {
                nothing(&ty, loc)
            };
            this.push(new, value);
            new
        };
        let mut captured = Vec::new();
        for (name, sv) in &closure.env {
            let known = match sv {
                Sv::Same(earlier) => captured.get(*earlier).cloned(),
                _ => None,
            };
            let bound = known.unwrap_or_else(|| (take(self, *name, field_of(*name), sv), sv.clone()));
            captured.push(bound.clone());
            env.vars.insert(*name, bound);
        }
        let mut args = Vec::new();
        for (i, sv) in closure.args.iter().enumerate() {
            let (name, _) = closure.fun.lam().params[i].clone();
            let known = match sv {
                Sv::Same(earlier) => args.get(*earlier).cloned(),
                _ => None,
            };
            let bound = known.unwrap_or_else(|| (take(self, name, argument(i), sv), sv.clone()));
            args.push(bound.clone());
            env.vars.insert(name, bound);
        }
    }

    fn inline(&mut self, exp: Exp, closure: &Arc<Closure>, args: Vec<Residual>, loc: LocId) -> Result<Residual> {
        let lam = closure.fun.lam().clone();
        // A function of the program keeps its place in the chain of calls.
        let caller = match closure.fun {
            Fun::Global(..) => Some(loc),
            Fun::Lam(_) => None,
        };
        let mut env = Env { caller, ..Env::default() };
        let exp = self.bind("f", exp);
        self.enter(&exp, closure, &mut env, loc);
        for ((name, _), (value, sv)) in lam.params.iter().skip(closure.args.len()).zip(args) {
            let value = match value.kind {
                Kind::Var(new) => new,
                _ => {
                    let new = self.out.fresh.like(*name);
                    self.push(new, value);
                    new
                }
            };
            env.vars.insert(*name, (value, sv));
        }
        self.exp(&lam.body, &mut env)
    }
}

/// Whether the body of a function may stand in the place of every call.
///
/// Note [Code does not multiply]. A call of a function whose body calls another one twice becomes two calls when it is
/// replaced by the body; done again for these, the program grows exponentially with the depth of such functions. So
/// the body of a function that stands in place of many calls has at most one call in it that may be replaced, too.
/// Calls of definitions in the prelude's own functions are not counted, because their depth is the prelude's. The body
/// of any function may stand in place once, as the argument of an intrinsic; from the second time on it is called.
fn is_small(exp: &Exp, builtin: bool) -> bool {
    struct Left {
        parts: usize,
        calls: usize,
        builtin: bool,
    }
    fn count(exp: &Exp, left: &mut Left) {
        if left.parts == 0 {
            return;
        }
        left.parts -= 1;
        match &exp.kind {
            Kind::Var(_) | Kind::Lit(_) | Kind::Global(_) | Kind::Hole => {}
            // What is left of it here is a record.
            Kind::Lam(_) => {}
            Kind::App(f, args) => {
                if !(left.builtin && matches!(f.kind, Kind::Global(_))) {
                    call(left);
                }
                count(f, left);
                args.iter().for_each(|a| count(a, left));
            }
            Kind::Block(bindings, result) => {
                bindings.iter().for_each(|(_, e)| count(e, left));
                count(result, left);
            }
            Kind::Record(fields) => fields.iter().for_each(|(_, e)| count(e, left)),
            Kind::Project(e, _)
            | Kind::Not(e)
            | Kind::Neg(e)
            | Kind::Coerce(e, _)
            | Kind::Attr(_, e)
            | Kind::SizeOf(e, _) => count(e, left),
            Kind::Array(es) | Kind::Constr(_, es) => es.iter().for_each(|e| count(e, left)),
            Kind::Intrinsic(_, es) => {
                for e in es {
                    match (&e.kind, &e.ty) {
                        (Kind::Lam(lam), _) => count(&lam.body, left),
                        // A function that is not written here is called.
                        (_, Ty::Arrow(..)) => {
                            call(left);
                            count(e, left);
                        }
                        _ => count(e, left),
                    }
                }
            }
            // Anything else is worth a function of its own.
            Kind::Index(..)
            | Kind::Update(..)
            | Kind::UpdateField(..)
            | Kind::If(..)
            | Kind::Match(..)
            | Kind::Loop(_)
            | Kind::Range { .. }
            | Kind::Assert(..) => left.parts = 0,
        }
    }
    fn call(left: &mut Left) {
        match left.calls {
            0 => left.parts = 0,
            _ => left.calls -= 1,
        }
    }
    let mut left = Left { parts: if builtin { 25 } else { 7 }, calls: 1, builtin };
    count(exp, &mut left);
    left.parts > 0
}
