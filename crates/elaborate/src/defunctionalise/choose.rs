//! Where static values meet and part: branches, matches, and what must look into values whose constructor is known.

use super::statics::{Sv, choice, join_sv, project_sv, residual_type};
use super::{Defun, Env, Residual, Result};
use crate::core::{CoerceKind, Dim, Exp, Kind, Pat, Path, Step, Ty};
use kenaz_base::Symbol;
use kenaz_ir::{LocId, Name};

/// The variables that a residual pattern binds: the name in the source, the new one, the static value.
type Bound = Vec<(Name, Name, Sv)>;
type Alternative = (Pat, Bound);

impl Defun<'_> {
    /// `match`: the cases that the static value allows. A case that is met by several static values is translated for
    /// each of them.
    pub(super) fn match_(&mut self, exp: &Exp, value: &Exp, cases: &[(Pat, Exp)], env: &mut Env) -> Result<Residual> {
        let loc = self.loc(exp.loc, env);
        let (value, sv) = self.exp(value, env)?;
        let mut pats = Vec::new();
        let mut branches = Vec::new();
        'cases: for (pat, body) in cases {
            for (pat, names) in self.alternatives(pat, &sv, env) {
                for (name, new, sv) in names {
                    env.vars.insert(name, (new, sv));
                }
                branches.push(self.inner(body, env)?);
                let certain = is_irrefutable(&pat);
                pats.push(pat);
                if certain {
                    break 'cases;
                }
            }
        }
        let (branches, sv) = self.join(branches)?;
        let ty = self.joined_type(&sv, &exp.ty, env);
        let cases = pats.into_iter().zip(branches).collect();
        Ok((Exp::new(Kind::Match(Box::new(value), cases), ty, loc), sv))
    }

    /// The residual patterns that together match what a pattern matches, among the values with this static value. They
    /// exclude each other.
    fn alternatives(&mut self, pat: &Pat, sv: &Sv, env: &Env) -> Vec<Alternative> {
        match (pat, sv) {
            (Pat::Wild, _) => vec![(Pat::Wild, Vec::new())],
            (Pat::Lit(lit), _) => vec![(Pat::Lit(*lit), Vec::new())],
            (Pat::Name(name, ty), _) => {
                let new = self.out.fresh.like(*name);
                let ty = if let Sv::Dyn(_) = sv { Self::ty(ty, env) } else { residual_type(sv) };
                vec![(Pat::Name(new, ty), vec![(*name, new, sv.clone())])]
            }
            (Pat::Record(fields), _) => {
                let parts: Vec<(&Pat, Sv)> = fields.iter().map(|(n, p)| (p, project_sv(sv, *n))).collect();
                let label = |pats: Vec<Pat>| Pat::Record(fields.iter().map(|(n, _)| *n).zip(pats).collect());
                self.product(&parts, env).into_iter().map(|(pats, names)| (label(pats), names)).collect()
            }
            (Pat::Constr(name, ..), Sv::Con(known, _)) if name != known => Vec::new(),
            (Pat::Constr(_, pats, _), Sv::Con(_, payload)) => {
                let parts: Vec<(&Pat, Sv)> = pats.iter().zip(payload.iter().cloned()).collect();
                let label = |pats: Vec<Pat>| {
                    Pat::Record(pats.into_iter().enumerate().map(|(i, p)| (Symbol::field(i), p)).collect())
                };
                self.product(&parts, env).into_iter().map(|(pats, names)| (label(pats), names)).collect()
            }
            (Pat::Constr(..), Sv::Or(choices)) => {
                let ty = residual_type(sv);
                let mut out = Vec::new();
                for (i, sv) in choices.iter().enumerate() {
                    for (inner, names) in self.alternatives(pat, sv, env) {
                        out.push((Pat::Constr(choice(i), vec![inner], ty.clone()), names));
                    }
                }
                out
            }
            (Pat::Constr(name, pats, ty), Sv::Dyn(_) | Sv::Lam(_) | Sv::Rcd(_) | Sv::Same(_)) => {
                let payload: &[Ty] = match sv {
                    Sv::Dyn(Ty::Sum(constrs)) => constrs.iter().find(|(n, _)| n == name).map_or(&[], |(_, ts)| ts),
                    _ => &[],
                };
                let parts: Vec<(&Pat, Sv)> = pats.iter().zip(payload.iter().cloned().map(Sv::Dyn)).collect();
                let label = |pats: Vec<Pat>| Pat::Constr(*name, pats, ty.erased());
                self.product(&parts, env).into_iter().map(|(pats, names)| (label(pats), names)).collect()
            }
        }
    }

    /// The alternatives of several patterns at once.
    fn product(&mut self, parts: &[(&Pat, Sv)], env: &Env) -> Vec<(Vec<Pat>, Bound)> {
        let mut out = vec![(Vec::new(), Vec::new())];
        for (pat, sv) in parts {
            let mut longer = Vec::new();
            for (pats, names) in out {
                // New names for every combination, because every name is bound once.
                for (last, more) in self.alternatives(pat, sv, env) {
                    let (mut pats, mut names): (Vec<Pat>, Vec<_>) = (pats.clone(), Vec::clone(&names));
                    pats.push(last);
                    names.extend(more);
                    longer.push((pats, names));
                }
            }
            out = longer;
        }
        out
    }

    /// The branches of a conditional, with one static value for all.
    pub(super) fn join(&mut self, branches: Vec<Residual>) -> Result<(Vec<Exp>, Sv)> {
        let Some((_, first)) = branches.first() else {
            return Err(self.limitation("a conditional without branches"));
        };
        let joined = branches.iter().skip(1).fold(first.clone(), |joined, (_, sv)| join_sv(&joined, sv));
        let mut exps = Vec::new();
        for (e, sv) in branches {
            exps.push(if sv == joined { e } else { self.block_around(e, |this, e| this.inject(e, &sv, &joined))? });
        }
        Ok((exps, joined))
    }

    pub(super) fn joined_type(&self, sv: &Sv, ty: &Ty, env: &Env) -> Ty {
        if let Sv::Dyn(_) = sv { Self::ty(ty, env) } else { residual_type(sv) }
    }

    /// The expression again with bindings that `f` makes behind its own.
    fn block_around(&mut self, e: Exp, f: impl FnOnce(&mut Self, Exp) -> Result<Exp>) -> Result<Exp> {
        self.block(|this| {
            let e = match e.kind {
                Kind::Block(bindings, result) => {
                    bindings.into_iter().for_each(|(name, value)| this.push(name, value));
                    *result
                }
                _ => e,
            };
            f(this, e)
        })
    }

    /// The residual value of static value `from` as one of the more general `to`.
    fn inject(&mut self, e: Exp, from: &Sv, to: &Sv) -> Result<Exp> {
        if from == to {
            return Ok(e);
        }
        let loc = e.loc;
        let ty = residual_type(to);
        match (from, to) {
            (Sv::Rcd(xs), Sv::Rcd(ys)) => {
                let parts = xs.iter().zip(ys).map(|((name, x), (_, y))| (*name, x, y)).collect();
                self.inject_fields(e, parts, ty)
            }
            (Sv::Con(_, xs), Sv::Con(_, ys)) => {
                let parts = xs.iter().zip(ys).enumerate().map(|(i, (x, y))| (Symbol::field(i), x, y)).collect();
                self.inject_fields(e, parts, ty)
            }
            (Sv::Or(xs), Sv::Or(_)) => {
                let sum = residual_type(from);
                let mut cases = Vec::new();
                for (i, x) in xs.iter().enumerate() {
                    let name = self.out.fresh.named("f");
                    let payload = residual_type(x);
                    let pat = Pat::Constr(choice(i), vec![Pat::Name(name, payload.clone())], sum.clone());
                    let body = self.block(|this| this.inject(Exp::var(name, payload, loc), x, to))?;
                    cases.push((pat, body));
                }
                Ok(Exp::new(Kind::Match(Box::new(e), cases), ty, loc))
            }
            (_, Sv::Or(choices)) => {
                let at = choices.iter().position(|c| join_sv(c, from) == *c);
                let Some(at) = at else { return Err(self.limitation("branches that do not fit")) };
                let e = self.inject(e, from, &choices[at])?;
                Ok(Exp::new(Kind::Constr(choice(at), vec![e]), ty, loc))
            }
            _ => Err(self.limitation("branches that do not fit")),
        }
    }

    fn inject_fields(&mut self, e: Exp, parts: Vec<(Symbol, &Sv, &Sv)>, ty: Ty) -> Result<Exp> {
        let loc = e.loc;
        let e = self.bind("r", e);
        let mut fields = Vec::new();
        for (name, from, to) in parts {
            let ty = e.ty.field(name).cloned().unwrap_or_else(|| residual_type(from));
            let part = Exp::new(Kind::Project(Box::new(e.clone()), name), ty, loc);
            fields.push((name, self.inject(part, from, to)?));
        }
        Ok(Exp::new(Kind::Record(fields), ty, loc))
    }

    /// `e :> ty`, where the value has functions in it: its other parts are checked, functions are taken as they are.
    pub(super) fn coerce(&mut self, e: Exp, sv: &Sv, ty: &Ty, kind: CoerceKind) -> Exp {
        let loc = e.loc;
        let parts: Vec<(Symbol, &Sv, Ty)> = match (sv, ty) {
            (Sv::Dyn(_), _) if ty.dims().iter().all(|d| *d == Dim::Any) => return e,
            (Sv::Dyn(_), _) => return Exp::new(Kind::Coerce(Box::new(e), kind), ty.clone(), loc),
            (Sv::Rcd(fields), _) => {
                fields.iter().map(|(name, sv)| (*name, sv, ty.field(*name).cloned().unwrap_or_else(Ty::unit))).collect()
            }
            (Sv::Con(name, payload), Ty::Sum(constrs)) => {
                let types = constrs.iter().find(|(n, _)| n == name).map_or(&[][..], |(_, ts)| ts);
                payload.iter().zip(types).enumerate().map(|(i, (sv, t))| (Symbol::field(i), sv, t.clone())).collect()
            }
            // The sizes of one of several values are not checked, like those of functions.
            (Sv::Lam(_) | Sv::Or(_) | Sv::Con(..) | Sv::Same(_), _) => return e,
        };
        let e = self.bind("r", e);
        let mut fields = Vec::new();
        for (name, sv, ty) in parts {
            let part = Exp::new(Kind::Project(Box::new(e.clone()), name), residual_type(sv), loc);
            fields.push((name, self.coerce(part, sv, &ty, kind)));
        }
        Exp::new(Kind::Record(fields), residual_type(sv), loc)
    }

    /// The size of an array in a value.
    pub(super) fn size_of(&mut self, e: Exp, sv: &Sv, steps: &[Step], dim: usize, loc: LocId) -> Result<Exp> {
        match (sv, steps) {
            (Sv::Rcd(_), [Step::Field(name), rest @ ..]) => {
                let part = project_sv(sv, *name);
                let e = Exp::new(Kind::Project(Box::new(e), *name), residual_type(&part), loc);
                self.size_of(e, &part, rest, dim, loc)
            }
            (Sv::Con(known, payload), [Step::Payload(name, i), rest @ ..]) => match payload.get(*i) {
                Some(part) if known == name => {
                    let e = Exp::new(Kind::Project(Box::new(e), Symbol::field(*i)), residual_type(part), loc);
                    self.size_of(e, part, rest, dim, loc)
                }
                // The array is not there, and nothing else has its size: any will do.
                _ => Ok(Exp::i64(0, loc)),
            },
            (Sv::Or(choices), _) => {
                let sum = residual_type(sv);
                let mut cases = Vec::new();
                for (i, sv) in choices.iter().enumerate() {
                    let name = self.out.fresh.named("v");
                    let payload = residual_type(sv);
                    let pat = Pat::Constr(choice(i), vec![Pat::Name(name, payload.clone())], sum.clone());
                    cases.push((pat, self.size_of(Exp::var(name, payload, loc), sv, steps, dim, loc)?));
                }
                Ok(Exp::new(Kind::Match(Box::new(e), cases), Ty::I64, loc))
            }
            _ => Ok(Exp::new(Kind::SizeOf(Box::new(e), Path { steps: steps.to_vec(), dim }), Ty::I64, loc)),
        }
    }
}

fn is_irrefutable(pat: &Pat) -> bool {
    match pat {
        Pat::Wild | Pat::Name(..) => true,
        Pat::Lit(_) | Pat::Constr(..) => false,
        Pat::Record(fields) => fields.iter().all(|(_, p)| is_irrefutable(p)),
    }
}
