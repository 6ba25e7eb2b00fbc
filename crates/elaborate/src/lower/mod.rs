//! From the first-order core to the IR: tuples, records, sums and arrays of them become plain values and arrays, sizes
//! and checks become explicit.
//!
//! A value of the core is a list of operands, its *leaves*: one scalar or array for each primitive component, see
//! [`flat`]. A function takes the sizes of its arrays in front of them, unless they are known from its other
//! parameters, and returns sizes that are not in front of the arrays that have them. A constant is computed at the
//! start of each entry point that needs it and handed to the functions that use it.
//!
//! Assumes a program of [`defunctionalise`](crate::defunctionalise). Cost: linear in the size of the program.

mod arrays;
mod control;
mod exp;
pub mod flat;
mod intrinsics;
mod soacs;

use crate::core::{CoerceKind, CoreProg, DefId, Dim, Exp, Kind, Ty};
use crate::translate::Failed;
use crate::translate::outside::parts;
use flat::Val;
use kenaz_base::{Attr, Code, Diagnostic, Span, Symbol};
use kenaz_ir::builder::Builder;
use kenaz_ir::visit::Subst;
use kenaz_ir::{
    Attrs, EntryKind, EntryType, Exp as IrExp, Fun, LocId, Message, MessagePart, Name, Operand, Param, Prog, Type,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

pub type Result<T> = std::result::Result<T, Failed>;

pub struct Lower<'a> {
    source: &'a CoreProg,
    b: Builder,
    env: FxHashMap<Name, Val>,
    sigs: FxHashMap<DefId, Sig>,
    /// The constants of the function being lowered.
    constants: FxHashMap<DefId, Val>,
    funs: Vec<Fun>,
    /// Inside `#[unsafe]`.
    unchecked: bool,
    /// The definition being lowered.
    current: Option<DefId>,
    place: Span,
    /// The types of entry points that nothing is known about but their parts.
    opaques: FxHashMap<Symbol, Arc<EntryType>>,
    /// The attributes about who runs an operator, by their places; with a position as long as no operator was met.
    asked: BTreeMap<(Attr, Symbol), Option<LocId>>,
}

/// How a function of the IR is called.
#[derive(Clone)]
struct Sig {
    name: Symbol,
    params: Vec<(Param, Source)>,
    results: Vec<Param>,
    /// The types of the core's results: what the last of the IR's results are the leaves of.
    ret: Ty,
    constants: Vec<DefId>,
}

/// What a parameter of the IR is made from: the leaves of all arguments together are numbered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Leaf(usize),
    Dim(usize, usize),
}

pub fn lower(source: &CoreProg, place: Span) -> Result<Prog> {
    let b = Builder::with(source.fresh.clone(), source.locs.clone());
    let mut lower = Lower {
        source,
        b,
        env: FxHashMap::default(),
        sigs: FxHashMap::default(),
        constants: FxHashMap::default(),
        funs: Vec::new(),
        unchecked: false,
        current: None,
        place,
        opaques: FxHashMap::default(),
        asked: BTreeMap::new(),
    };
    let needs = constants_needed(source);
    for (id, _) in source.defs.iter() {
        lower.def(id, needs.get(&id).cloned().unwrap_or_default())?;
    }
    let mut prog = Prog { funs: lower.funs, locs: lower.b.locs, fresh: lower.b.fresh };
    prog.locs.unmet = lower.asked.into_iter().filter_map(|((attr, _), place)| Some((attr, place?))).collect();
    kenaz_ir::unique::infer(&mut prog);
    Ok(prog)
}

/// The constants that each definition needs, directly or through what it calls, each behind those it needs itself.
fn constants_needed(source: &CoreProg) -> FxHashMap<DefId, Vec<DefId>> {
    let mut needs: FxHashMap<DefId, Vec<DefId>> = FxHashMap::default();
    for (id, def) in source.defs.iter() {
        let mut own: Vec<DefId> = Vec::new();
        crate::free::for_each_global(&def.body, &mut |g, _| {
            own.extend(needs.get(&g).into_iter().flatten().copied());
            if !matches!(source.defs[g].body.kind, Kind::Lam(_)) {
                own.push(g);
            }
        });
        own.sort_unstable();
        own.dedup();
        needs.insert(id, own);
    }
    needs
}

impl Lower<'_> {
    fn limitation(&self, message: impl Into<String>) -> Failed {
        Box::new(Diagnostic::error(Code::Limitation, self.place(), message.into()).label("not supported yet"))
    }

    fn bug(&self, message: impl Into<String>) -> Failed {
        Box::new(
            Diagnostic::error(Code::Bug, self.place(), format!("elaborate: {}", message.into()))
                .hint("this is a fault of the compiler; please report it with the program"),
        )
    }

    /// Where the user wrote what is being lowered: at the current position, or else where the current definition is
    /// used, which is one of the prelude then.
    fn place(&self) -> Span {
        if let Some(span) = self.b.locs.span(self.b.loc) {
            return span;
        }
        let Some(current) = self.current else { return self.place };
        let mut users: Vec<DefId> = vec![current];
        for (id, def) in self.source.defs.iter() {
            let mut found = None;
            let mut uses = false;
            crate::free::for_each_global(&def.body, &mut |g, loc| {
                if users.contains(&g) {
                    uses = true;
                    found = found.or(self.b.locs.span(loc));
                }
            });
            if let Some(span) = found {
                return span;
            }
            if uses {
                users.push(id);
            }
        }
        self.place
    }

    fn def(&mut self, id: DefId, constants: Vec<DefId>) -> Result<()> {
        self.current = Some(id);
        let def = &self.source.defs[id];
        let (params, body): (Vec<(Name, Ty)>, &Exp) = match &def.body.kind {
            Kind::Lam(lam) => (lam.params.clone(), &lam.body),
            _ => (Vec::new(), &def.body),
        };
        self.env.clear();
        self.constants.clear();
        self.b.loc = def.loc;
        self.b.begin();
        let mut ir_params: Vec<(Param, Source)> = Vec::new();
        let mut leaf = 0;
        if def.entry.is_none() {
            for c in &constants {
                let ty = self.sigs[c].ret.erased();
                let name = self.source.defs[*c].name;
                let val = self.param(&ty, None, name.as_str(), &mut ir_params, &mut leaf);
                self.constants.insert(*c, val);
            }
        }
        let mut written = FxHashMap::default();
        if def.entry.is_some() {
            written_types(body, &mut written);
        }
        for (name, ty) in &params {
            let val = self.param(ty, written.get(name).copied(), name.base.as_str(), &mut ir_params, &mut leaf);
            self.env.insert(*name, val);
        }
        if def.entry.is_some() {
            for c in &constants {
                let val = self.call(*c, Vec::new())?;
                self.constants.insert(*c, val);
            }
        }
        let known: Vec<Name> = ir_params.iter().map(|(p, _)| p.name).collect();
        let value = self.exp(body)?;
        let (results, operands) = self.results(&value, &|n| known.contains(&n));
        let body = self.b.end(operands);
        // Names of functions are unique, and entry points keep theirs.
        let name = match def.entry {
            Some(_) => Symbol::intern(&format!("entry_{}", def.name)),
            None => Symbol::intern(&format!("{}_{}", plain(def.name.as_str()), self.funs.len())),
        };
        let sig = Sig { name, params: ir_params, results: results.clone(), ret: value.ty.clone(), constants };
        let entry = def.entry.clone().map(|mut entry| {
            for (described, (_, ty)) in entry.params.iter_mut().zip(&params) {
                self.settle(&mut described.ty, ty);
            }
            match (&value.ty, &mut entry.results[..]) {
                (ty, [only]) => self.settle(&mut only.ty, ty),
                (Ty::Record(fields), results) => {
                    fields.iter().zip(results).for_each(|((_, ty), described)| self.settle(&mut described.ty, ty));
                }
                _ => {}
            }
            entry
        });
        self.funs.push(Fun {
            name,
            entry,
            params: sig.params.iter().map(|(p, _)| p.clone()).collect(),
            results,
            body,
            attrs: Attrs(def.attrs.clone()),
            loc: def.loc,
        });
        self.sigs.insert(id, sig);
        Ok(())
    }

    /// A type whose parts were not known before functions became values. It keeps its name, unless that is in use for
    /// something made of other parts.
    fn settle(&mut self, described: &mut Arc<EntryType>, ty: &Ty) {
        let EntryKind::Opaque(_) = described.kind else { return };
        let mut found = EntryType { name: described.name, kind: EntryKind::Opaque(parts(ty)) };
        while let Some(known) = self.opaques.get(&found.name) {
            if **known == found {
                *described = known.clone();
                return;
            }
            found.name = Symbol::intern(&format!("{} '", found.name));
        }
        *described = Arc::new(found);
        self.opaques.insert(described.name, described.clone());
    }

    /// Parameters for a value of this type; the type as it is written says what its sizes are called.
    fn param(
        &mut self,
        ty: &Ty,
        written: Option<&Ty>,
        base: &str,
        out: &mut Vec<(Param, Source)>,
        leaf: &mut usize,
    ) -> Val {
        let mut leaves = Vec::new();
        let names = flat::leaves(written.unwrap_or(ty));
        let mut sizes: FxHashMap<usize, Operand> = FxHashMap::default();
        for (k, (shape, groups)) in flat::leaves(ty).into_iter().zip(flat::dim_groups(ty)).enumerate() {
            let mut dims = Vec::new();
            for (i, (hint, group)) in shape.dims.iter().zip(groups).enumerate() {
                let known = match hint {
                    Dim::Var(n) => self.env.get(n).and_then(|v| v.leaves.first().copied()),
                    Dim::Any | Dim::Const(_) => None,
                };
                dims.push(known.or(sizes.get(&group).copied()).unwrap_or_else(|| {
                    let name = match names.get(k).and_then(|shape| shape.dims.get(i)) {
                        Some(Dim::Var(n)) => n.base.as_str(),
                        Some(Dim::Any | Dim::Const(_)) | None => "d",
                    };
                    let param = self.b.param(name, Type::I64);
                    let size = Operand::Var(param.name);
                    out.push((param, Source::Dim(*leaf, i)));
                    sizes.insert(group, size);
                    size
                }));
            }
            let param = self.b.param(base, shape.ty(dims));
            leaves.push(Operand::Var(param.name));
            out.push((param, Source::Leaf(*leaf)));
            *leaf += 1;
        }
        Val { ty: ty.clone(), leaves }
    }

    /// The results of a function or body: sizes that are not `known` to whoever uses them come first.
    fn results(&mut self, value: &Val, known: &dyn Fn(Name) -> bool) -> (Vec<Param>, Vec<Operand>) {
        let mut sizes: Vec<(Operand, Name)> = Vec::new();
        let mut params = Vec::new();
        let mut types = Vec::new();
        for leaf in &value.leaves {
            let mut ty = self.b.type_of(*leaf);
            if let Type::Array(dims, _) = &mut ty {
                for dim in dims {
                    if let Operand::Var(n) = *dim
                        && !known(n)
                    {
                        let outside = match sizes.iter().find(|(d, _)| d == dim) {
                            Some((_, name)) => *name,
                            None => {
                                let name = self.b.name("k", Type::I64);
                                sizes.push((*dim, name));
                                name
                            }
                        };
                        *dim = Operand::Var(outside);
                    }
                }
            }
            types.push(ty);
        }
        params.extend(sizes.iter().map(|(_, name)| Param::new(*name, Type::I64)));
        for ty in types {
            params.push(self.b.param("r", ty));
        }
        let mut operands: Vec<Operand> = sizes.iter().map(|(d, _)| *d).collect();
        operands.extend(value.leaves.iter().copied());
        (params, operands)
    }

    fn call(&mut self, id: DefId, args: Vec<Val>) -> Result<Val> {
        let Some(sig) = self.sigs.get(&id).cloned() else { return Err(self.bug("a function before its definition")) };
        let mut leaves: Vec<Operand> = Vec::new();
        for c in &sig.constants {
            match self.constants.get(c) {
                Some(val) => leaves.extend(val.leaves.iter().copied()),
                None => return Err(self.bug("a constant that is not known")),
            }
        }
        leaves.extend(args.iter().flat_map(|v| v.leaves.iter().copied()));
        let mut subst = Subst::new();
        let mut operands = Vec::new();
        for (param, source) in &sig.params {
            let operand = match source {
                Source::Dim(leaf, dim) => {
                    let Some(leaf) = leaves.get(*leaf) else { return Err(self.bug("a call with too few arguments")) };
                    self.b.type_of(*leaf).dims()[*dim]
                }
                Source::Leaf(leaf) => {
                    let Some(leaf) = leaves.get(*leaf) else { return Err(self.bug("a call with too few arguments")) };
                    let wanted = subst.ty(&param.ty);
                    self.fit(*leaf, wanted.dims(), "argument")
                }
            };
            subst.insert(param.name, operand);
            operands.push(operand);
        }
        let mut pat = Vec::new();
        for result in &sig.results {
            let ty = subst.ty(&result.ty);
            let param = self.b.param("r", ty);
            subst.insert(result.name, param.name);
            pat.push(param);
        }
        let count = flat::leaves(&sig.ret).len();
        let names: Vec<Operand> = pat[pat.len() - count..].iter().map(|p| Operand::Var(p.name)).collect();
        self.b.let_pat(pat, IrExp::Call(sig.name, operands));
        Ok(Val { ty: sig.ret.erased(), leaves: names })
    }

    /// An array with these dimensions, to which its own are equal; checked where that is not evident.
    fn fit(&mut self, leaf: Operand, dims: &[Operand], what: &str) -> Operand {
        let have = self.b.type_of(leaf);
        let Operand::Var(array) = leaf else { return leaf };
        if have.dims() == dims || dims.len() != have.rank() {
            return leaf;
        }
        let mut equal = Operand::bool(true);
        for (a, b) in have.dims().to_vec().into_iter().zip(dims) {
            if a != *b {
                let same = self.b.cmp(kenaz_ir::CmpOp::Eq, a, *b);
                equal = self.and(equal, same);
            }
        }
        let mut parts = vec![text(&format!("Size of {what} does not match: shape "))];
        parts.extend(shape_parts(have.dims()));
        parts.push(text(" where "));
        parts.extend(shape_parts(dims));
        parts.push(text(" is needed."));
        let cert = self.b.assert(equal, Message::new(parts));
        let ty = match have {
            Type::Array(_, p) => Type::Array(dims.to_vec(), p),
            other => other,
        };
        let dims = dims.to_vec();
        let name = self.b.with_certs(&[cert], |b| b.let_exp("a", IrExp::Resize(dims, array), ty));
        Operand::Var(name)
    }

    fn and(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Const(kenaz_ir::Scalar::Bool(true)), x) | (x, Operand::Const(kenaz_ir::Scalar::Bool(true))) => x,
            _ => self.b.bin(kenaz_ir::BinOp::And, a, b),
        }
    }

    /// A check, unless checks are switched off; the certificates to go by.
    fn check(&mut self, cond: Operand, parts: Vec<MessagePart>) -> Vec<Name> {
        if self.unchecked || cond == Operand::bool(true) {
            return Vec::new();
        }
        vec![self.b.assert(cond, Message::new(parts))]
    }
}

/// The types of an entry point's parameters with their sizes, from where it checks those.
fn written_types<'e>(exp: &'e Exp, out: &mut FxHashMap<Name, &'e Ty>) {
    match &exp.kind {
        Kind::Block(bindings, result) => {
            bindings.iter().for_each(|(_, value)| written_types(value, out));
            written_types(result, out);
        }
        Kind::App(_, args) => args.iter().for_each(|arg| written_types(arg, out)),
        Kind::Coerce(value, CoerceKind::Entry(..)) => {
            if let Kind::Var(param) = value.kind {
                out.insert(param, &exp.ty);
            }
        }
        // Nothing else stands around the call that an entry point consists of.
        _ => {}
    }
}

/// A part of a message.
fn text(s: &str) -> MessagePart {
    MessagePart::Text(s.to_string())
}

/// `[n][m]`
fn shape_parts(dims: &[Operand]) -> Vec<MessagePart> {
    dims.iter().flat_map(|d| [text("["), MessagePart::Value(*d), text("]")]).collect()
}

/// A name that can stand in front of a number in the text form.
fn plain(name: &str) -> String {
    let plain: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { plain } else { format!("op{plain}") }
}
