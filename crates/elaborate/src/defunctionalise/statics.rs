//! Static values: what is known of a value before the program runs.

use crate::core::{DefId, Exp, Kind, Lam, Ty};
use kenaz_base::Symbol;
use kenaz_ir::{LocId, Name};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is known statically about a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sv {
    /// Nothing but its type, which has no function in it; sizes are left out.
    Dyn(Ty),
    /// This function.
    Lam(Arc<Closure>),
    Rcd(Vec<(Symbol, Sv)>),
    /// This constructor of a sum with functions in it. What is left is the record of the payload.
    Con(Symbol, Vec<Sv>),
    /// One of these, by the constructor of the residual sum.
    Or(Vec<Sv>),
    /// What a function captured, or got as an argument, earlier: the same variable, kept once. So the record of
    /// `f >-> f` is not twice that of `f`.
    Same(usize),
}

/// A function with the static values of what it captured and of the arguments it has got already.
#[derive(Clone, Debug)]
pub(super) struct Closure {
    pub fun: Fun,
    pub env: Vec<(Name, Sv)>,
    pub args: Vec<Sv>,
    /// The type of its record.
    record: Ty,
}

impl Closure {
    /// A record without content is empty: that of a function which captured nothing but such functions, one in the
    /// other, would be large all the same.
    pub(super) fn new(fun: Fun, env: Vec<(Name, Sv)>, args: Vec<Sv>) -> Closure {
        let captured = env.iter().map(|(name, sv)| (field_of(*name), residual_type(sv)));
        let given = args.iter().enumerate().map(|(i, sv)| (argument(i), residual_type(sv)));
        let record = Ty::Record(captured.chain(given).collect());
        let record = if has_content(&record) { record } else { Ty::unit() };
        Closure { fun, env, args, record }
    }

    /// Its record, with what is in `fields` and nothing in the other fields.
    pub(super) fn record(&self, fields: Vec<(Symbol, Exp)>, loc: LocId) -> Exp {
        let Ty::Record(types) = &self.record else { return nothing(&self.record, loc) };
        let mut given: FxHashMap<Symbol, Exp> = fields.into_iter().collect();
        let field = |(name, ty): &(Symbol, Ty)| (*name, given.remove(name).unwrap_or_else(|| nothing(ty, loc)));
        let fields = types.iter().map(field).collect();
        Exp::new(Kind::Record(fields), self.record.clone(), loc)
    }
}

#[derive(Clone, Debug)]
pub(super) enum Fun {
    Lam(Arc<Lam>),
    Global(DefId, Arc<Lam>),
}

impl Fun {
    pub(super) fn lam(&self) -> &Arc<Lam> {
        match self {
            Fun::Lam(lam) | Fun::Global(_, lam) => lam,
        }
    }
}

impl PartialEq for Closure {
    fn eq(&self, other: &Closure) -> bool {
        self.fun.lam().id == other.fun.lam().id && self.env == other.env && self.args == other.args
    }
}

impl Eq for Closure {}

impl std::hash::Hash for Closure {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.fun.lam().id.hash(state);
        self.env.hash(state);
        self.args.hash(state);
    }
}

/// The type of the residual expression of such a value.
pub(super) fn residual_type(sv: &Sv) -> Ty {
    match sv {
        Sv::Dyn(ty) => ty.clone(),
        Sv::Same(_) => Ty::unit(),
        Sv::Rcd(fields) => Ty::Record(fields.iter().map(|(n, sv)| (*n, residual_type(sv))).collect()),
        Sv::Con(_, payload) => {
            Ty::Record(payload.iter().enumerate().map(|(i, sv)| (Symbol::field(i), residual_type(sv))).collect())
        }
        Sv::Lam(closure) => closure.record.clone(),
        Sv::Or(choices) => {
            Ty::Sum(choices.iter().enumerate().map(|(i, sv)| (choice(i), vec![residual_type(sv)])).collect())
        }
    }
}

/// A record of dynamic values is a dynamic value.
pub(super) fn simplify(sv: Sv) -> Sv {
    match &sv {
        Sv::Rcd(fields) if fields.iter().all(|(_, sv)| matches!(sv, Sv::Dyn(_))) => Sv::Dyn(residual_type(&sv)),
        _ => sv,
    }
}

pub(super) fn project_sv(sv: &Sv, field: Symbol) -> Sv {
    match sv {
        Sv::Rcd(fields) => {
            fields.iter().find(|(n, _)| *n == field).map_or_else(|| Sv::Dyn(Ty::unit()), |(_, sv)| sv.clone())
        }
        Sv::Dyn(ty) => Sv::Dyn(ty.field(field).cloned().unwrap_or_else(Ty::unit)),
        // Nothing of these is a record: where records meet, their fields do (see `join_sv`).
        Sv::Lam(_) | Sv::Con(..) | Sv::Or(_) | Sv::Same(_) => Sv::Dyn(Ty::unit()),
    }
}

pub(super) fn update_sv(sv: &Sv, path: &[Symbol], value: Sv) -> Sv {
    let Some((first, rest)) = path.split_first() else { return value };
    let fields: Vec<(Symbol, Sv)> = match sv {
        Sv::Rcd(fields) => fields.clone(),
        Sv::Dyn(Ty::Record(fields)) => fields.iter().map(|(n, t)| (*n, Sv::Dyn(t.clone()))).collect(),
        Sv::Dyn(_) | Sv::Lam(_) | Sv::Con(..) | Sv::Or(_) | Sv::Same(_) => Vec::new(),
    };
    let fields = fields
        .into_iter()
        .map(|(n, sv)| if n == *first { (n, update_sv(&sv, rest, value.clone())) } else { (n, sv) })
        .collect();
    simplify(Sv::Rcd(fields))
}

/// What is known of a value that is one of the two. A choice is made as far inside as possible (§7): in the fields and
/// payloads in which the values differ.
pub(super) fn join_sv(a: &Sv, b: &Sv) -> Sv {
    if a == b {
        return a.clone();
    }
    match (a, b) {
        (Sv::Rcd(xs), Sv::Rcd(ys)) => {
            Sv::Rcd(xs.iter().zip(ys).map(|((name, x), (_, y))| (*name, join_sv(x, y))).collect())
        }
        (Sv::Con(m, xs), Sv::Con(n, ys)) if m == n => {
            Sv::Con(*m, xs.iter().zip(ys).map(|(x, y)| join_sv(x, y)).collect())
        }
        _ => {
            let mut choices: Vec<Sv> = Vec::new();
            for sv in [a, b] {
                let more = if let Sv::Or(choices) = sv { choices } else { std::slice::from_ref(sv) };
                for sv in more {
                    if !choices.contains(sv) {
                        choices.push(sv.clone());
                    }
                }
            }
            Sv::Or(choices)
        }
    }
}

/// Whether values of a type consist of anything.
pub(super) fn has_content(ty: &Ty) -> bool {
    match ty {
        Ty::Record(fields) => fields.iter().any(|(_, t)| has_content(t)),
        Ty::Prim(_) | Ty::Array(..) | Ty::Sum(_) | Ty::Arrow(..) | Ty::Acc(_) => true,
    }
}

pub(super) fn has_accumulator(ty: &Ty) -> bool {
    match ty {
        Ty::Acc(_) => true,
        Ty::Record(fields) => fields.iter().any(|(_, t)| has_accumulator(t)),
        Ty::Sum(constrs) => constrs.iter().any(|(_, ts)| ts.iter().any(has_accumulator)),
        Ty::Prim(_) | Ty::Array(..) | Ty::Arrow(..) => false,
    }
}

/// The value of a type that has no content.
pub(super) fn nothing(ty: &Ty, loc: LocId) -> Exp {
    let fields = match ty {
        Ty::Record(fields) => fields.iter().map(|(n, t)| (*n, nothing(t, loc))).collect(),
        _ => Vec::new(),
    };
    Exp::new(Kind::Record(fields), ty.clone(), loc)
}

/// The field of a closure in which a captured variable is.
pub(super) fn field_of(name: Name) -> Symbol {
    Symbol::intern(&name.to_string())
}

/// The field of a closure in which an argument is.
pub(super) fn argument(index: usize) -> Symbol {
    Symbol::intern(&format!("arg{index}"))
}

/// The constructor for one of several static values.
pub(super) fn choice(index: usize) -> Symbol {
    Symbol::intern(&format!("f{index}"))
}
