//! Traversals of types: substitution, filling in the solutions of inference, free names.

use crate::limits;
use crate::names::{MetaState, Names, VarKind};
use crate::types::{Arrow, MetaId, Scheme, SchemeParam, Size, Ty, TyArg, TyKind, TypeAbbr, TypeId, VarId};
use kenaz_base::with_stack;
use rustc_hash::{FxHashMap, FxHashSet};

/// A bottom-up rewrite of types.
pub trait TyMap {
    fn size(&mut self, size: &Size) -> Size {
        size.clone()
    }
    /// What a variable of inference becomes; `None` leaves it.
    fn meta(&mut self, _meta: MetaId) -> Option<Ty> {
        None
    }
    /// What an abstract type or type parameter becomes, given its rewritten arguments; `None` leaves it.
    fn con(&mut self, _id: TypeId, _args: &[TyArg]) -> Option<Ty> {
        None
    }

    fn arrow(&mut self, a: &Arrow) -> Ty {
        let arg = self.ty(&a.arg);
        let ret = self.ty(&a.ret);
        Ty::arrow(a.param, a.consumes, arg, ret)
    }
    fn exists(&mut self, dims: &[VarId], body: &Ty) -> Ty {
        Ty::exists(dims.to_vec(), self.ty(body))
    }

    fn ty(&mut self, ty: &Ty) -> Ty {
        if limits::is_exceeded() {
            return Ty::error();
        }
        with_stack(|| match ty.kind() {
            TyKind::Error | TyKind::Prim(_) => ty.clone(),
            TyKind::Array(size, elem) => Ty::array(self.size(size), self.ty(elem)),
            TyKind::Record(fields) => {
                Ty::new(TyKind::Record(fields.iter().map(|(name, t)| (*name, self.ty(t))).collect()))
            }
            TyKind::Sum(constrs) => Ty::new(TyKind::Sum(
                constrs.iter().map(|(name, ts)| (*name, ts.iter().map(|t| self.ty(t)).collect())).collect(),
            )),
            TyKind::Arrow(a) => self.arrow(a),
            TyKind::Con(id, args) => {
                let args: Vec<TyArg> = args.iter().map(|arg| self.arg(arg)).collect();
                self.con(*id, &args).unwrap_or_else(|| Ty::new(TyKind::Con(*id, args)))
            }
            TyKind::Meta(m) => self.meta(*m).unwrap_or_else(|| ty.clone()),
            TyKind::Unique(t) => Ty::unique(self.ty(t)),
            TyKind::Exists(dims, t) => self.exists(dims, t),
        })
    }

    fn arg(&mut self, arg: &TyArg) -> TyArg {
        match arg {
            TyArg::Size(size) => TyArg::Size(self.size(size)),
            TyArg::Type(ty) => TyArg::Type(self.ty(ty)),
        }
    }
}

/// Replaces names in sizes, and types.
#[derive(Clone, Default, Debug)]
pub struct Subst {
    pub sizes: FxHashMap<VarId, Size>,
    pub types: FxHashMap<TypeId, TypeAbbr>,
}

impl Subst {
    pub fn one_size(var: VarId, size: Size) -> Subst {
        Subst { sizes: FxHashMap::from_iter([(var, size)]), types: FxHashMap::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty() && self.types.is_empty()
    }

    pub fn bind(&mut self, param: &SchemeParam, arg: TyArg) {
        match (param, arg) {
            (SchemeParam::Size(v), TyArg::Size(size)) => {
                self.sizes.insert(*v, size);
            }
            (SchemeParam::Type(id, liftedness), TyArg::Type(body)) => {
                self.types.insert(*id, TypeAbbr { params: Vec::new(), liftedness: *liftedness, body });
            }
            _ => {}
        }
    }

    pub fn apply(&self, ty: &Ty) -> Ty {
        if self.is_empty() { ty.clone() } else { Substituting(self).ty(ty) }
    }

    pub fn apply_size(&self, size: &Size) -> Size {
        size.map_vars(&mut |v| self.sizes.get(&v).cloned())
    }
}

struct Substituting<'a>(&'a Subst);

impl TyMap for Substituting<'_> {
    fn size(&mut self, size: &Size) -> Size {
        self.0.apply_size(size)
    }

    fn con(&mut self, id: TypeId, args: &[TyArg]) -> Option<Ty> {
        self.0.types.get(&id).map(|abbr| abbr.apply(args))
    }

    /// The parameter of an arrow may be replaced by another name.
    fn arrow(&mut self, a: &Arrow) -> Ty {
        let param = a.param.map(|p| match self.0.sizes.get(&p) {
            Some(Size::Var(q)) => *q,
            _ => p,
        });
        let arg = self.ty(&a.arg);
        let ret = self.ty(&a.ret);
        Ty::arrow(param, a.consumes, arg, ret)
    }
}

/// Substitution that keeps existential sizes where they may stand. A type that is put in for an abstract one brings its
/// existential sizes along, new ones for each occurrence: those of a result are bound there, those of a parameter are
/// whatever the caller passes.
struct Implementing<'a> {
    names: &'a mut Names,
    subst: &'a Subst,
    exists: Vec<VarId>,
    in_params: Vec<VarId>,
}

impl TyMap for Implementing<'_> {
    fn size(&mut self, size: &Size) -> Size {
        self.subst.apply_size(size)
    }

    fn con(&mut self, id: TypeId, args: &[TyArg]) -> Option<Ty> {
        let ty = self.subst.types.get(&id)?.apply(args);
        let TyKind::Exists(dims, body) = ty.kind() else { return Some(ty) };
        let mut fresh = Subst::default();
        for d in dims {
            let info = self.names.vars[*d].clone();
            let v = self.names.vars.push(info);
            self.exists.push(v);
            fresh.sizes.insert(*d, Size::Var(v));
        }
        Some(fresh.apply(body))
    }

    fn arrow(&mut self, a: &Arrow) -> Ty {
        let outer = std::mem::take(&mut self.exists);
        let arg = self.ty(&a.arg);
        self.in_params.append(&mut self.exists);
        let ret = self.ty(&a.ret);
        let inner = std::mem::replace(&mut self.exists, outer);
        let param = a.param.map(|p| match self.subst.sizes.get(&p) {
            Some(Size::Var(q)) => *q,
            _ => p,
        });
        Ty::arrow(param, a.consumes, arg, close(inner, ret))
    }

    fn exists(&mut self, dims: &[VarId], body: &Ty) -> Ty {
        let outer = std::mem::take(&mut self.exists);
        let body = self.ty(body);
        let mut all = dims.to_vec();
        all.append(&mut self.exists);
        self.exists = outer;
        close(all, body)
    }
}

impl Names {
    /// The scheme of a value of a module, with the abstract types of the module replaced.
    pub fn apply_to_scheme(&mut self, subst: &Subst, scheme: &Scheme) -> Scheme {
        if subst.is_empty() {
            return scheme.clone();
        }
        let mut map = Implementing { names: self, subst, exists: Vec::new(), in_params: Vec::new() };
        let ty = map.ty(&scheme.ty);
        let (exists, in_params) = (map.exists, map.in_params);
        let mut params = scheme.params.clone();
        for v in in_params {
            self.vars[v].kind = VarKind::SizeParam;
            params.push(SchemeParam::Size(v));
        }
        Scheme { params, ty: close(exists, ty) }
    }

    /// The body of a type of a module, likewise.
    pub fn apply_to_type(&mut self, subst: &Subst, ty: &Ty) -> Ty {
        if subst.is_empty() {
            return ty.clone();
        }
        let mut map = Implementing { names: self, subst, exists: Vec::new(), in_params: Vec::new() };
        let ty = map.ty(ty);
        let (mut exists, mut in_params) = (map.exists, map.in_params);
        exists.append(&mut in_params);
        close(exists, ty)
    }
}

impl TypeAbbr {
    /// The body with the arguments for the parameters.
    pub fn apply(&self, args: &[TyArg]) -> Ty {
        if self.params.is_empty() {
            return self.body.clone();
        }
        let mut subst = Subst::default();
        for (param, arg) in self.params.iter().zip(args) {
            subst.bind(param, arg.clone());
        }
        subst.apply(&self.body)
    }
}

/// Fills in the solutions of inference. The existential sizes that the solution of a lifted variable brings along are
/// bound at the nearest result type around it.
struct Zonk<'a> {
    names: &'a Names,
    exists: Vec<VarId>,
}

impl TyMap for Zonk<'_> {
    fn size(&mut self, size: &Size) -> Size {
        self.names.size(size)
    }

    fn meta(&mut self, meta: MetaId) -> Option<Ty> {
        match &self.names.metas[meta].state {
            MetaState::Open(_) => None,
            MetaState::Solved(solution) => Some(match solution.kind() {
                TyKind::Exists(dims, body) => {
                    for d in dims {
                        if !self.exists.contains(d) {
                            self.exists.push(*d);
                        }
                    }
                    self.ty(body)
                }
                _ => self.ty(solution),
            }),
        }
    }

    fn arrow(&mut self, a: &Arrow) -> Ty {
        let arg = self.ty(&a.arg);
        let outer = std::mem::take(&mut self.exists);
        let ret = self.ty(&a.ret);
        let inner = std::mem::replace(&mut self.exists, outer);
        Ty::arrow(a.param, a.consumes, arg, close(inner, ret))
    }

    fn exists(&mut self, dims: &[VarId], body: &Ty) -> Ty {
        close(dims.to_vec(), self.ty(body))
    }
}

/// `?[dims].ty` where the quantifier moves behind the arrows of a function type whose parameters do not need it.
pub fn close(dims: Vec<VarId>, ty: Ty) -> Ty {
    if dims.is_empty() {
        return ty;
    }
    match ty.kind() {
        TyKind::Arrow(a) => {
            let used = free_vars(&a.arg);
            let (outer, inner): (Vec<VarId>, Vec<VarId>) = dims.into_iter().partition(|d| used.contains(d));
            let arrow = Arrow { ret: close(inner, a.ret.clone()), ..a.clone() };
            Ty::exists(outer, Ty::new(TyKind::Arrow(arrow)))
        }
        _ => {
            let used = free_vars(&ty);
            Ty::exists(dims.into_iter().filter(|d| used.contains(d)).collect(), ty)
        }
    }
}

impl Names {
    /// The type with all solutions filled in.
    pub fn zonk(&self, ty: &Ty) -> Ty {
        if !ty.has_inference() {
            return ty.clone();
        }
        let mut zonk = Zonk { names: self, exists: Vec::new() };
        let ty = zonk.ty(ty);
        close(zonk.exists, ty)
    }
}

/// Calls back on the parts of a type: sizes with the names bound around them, variables of inference, type
/// constructors.
pub trait TyVisit {
    fn size(&mut self, _size: &Size, _bound: &[VarId]) {}
    fn meta(&mut self, _meta: MetaId) {}
    fn con(&mut self, _id: TypeId) {}

    fn walk(&mut self, ty: &Ty, bound: &mut Vec<VarId>) {
        with_stack(|| match ty.kind() {
            TyKind::Error | TyKind::Prim(_) => {}
            TyKind::Array(size, elem) => {
                self.size(size, bound);
                self.walk(elem, bound);
            }
            TyKind::Record(fields) => fields.iter().for_each(|(_, t)| self.walk(t, bound)),
            TyKind::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).for_each(|t| self.walk(t, bound)),
            TyKind::Arrow(a) => {
                self.walk(&a.arg, bound);
                let depth = bound.len();
                bound.extend(a.param);
                self.walk(&a.ret, bound);
                bound.truncate(depth);
            }
            TyKind::Con(id, args) => {
                self.con(*id);
                for arg in args {
                    match arg {
                        TyArg::Size(size) => self.size(size, bound),
                        TyArg::Type(t) => self.walk(t, bound),
                    }
                }
            }
            TyKind::Meta(m) => self.meta(*m),
            TyKind::Unique(t) => self.walk(t, bound),
            TyKind::Exists(dims, t) => {
                let depth = bound.len();
                bound.extend(dims);
                self.walk(t, bound);
                bound.truncate(depth);
            }
        });
    }
}

/// The names that occur free in the sizes of a type.
pub fn free_vars(ty: &Ty) -> FxHashSet<VarId> {
    struct Free(FxHashSet<VarId>);
    impl TyVisit for Free {
        fn size(&mut self, size: &Size, bound: &[VarId]) {
            size.for_each_var(&mut |v| {
                if !bound.contains(&v) {
                    self.0.insert(v);
                }
            });
        }
    }
    let mut free = Free(FxHashSet::default());
    free.walk(ty, &mut Vec::new());
    free.0
}

/// The open variables of a zonked type, in the order of their first occurrence.
pub fn open_metas(ty: &Ty) -> Vec<MetaId> {
    if !ty.has_inference() {
        return Vec::new();
    }
    struct Metas(Vec<MetaId>);
    impl TyVisit for Metas {
        fn meta(&mut self, meta: MetaId) {
            if !self.0.contains(&meta) {
                self.0.push(meta);
            }
        }
    }
    let mut metas = Metas(Vec::new());
    metas.walk(ty, &mut Vec::new());
    metas.0
}

/// The unsolved size variables of a zonked type, in the order of their first occurrence.
pub fn open_sizes(names: &Names, ty: &Ty) -> Vec<VarId> {
    struct Sizes<'a>(&'a Names, Vec<VarId>);
    impl TyVisit for Sizes<'_> {
        fn size(&mut self, size: &Size, _: &[VarId]) {
            size.for_each_var(&mut |v| {
                if matches!(self.0.vars[v].kind, VarKind::Flexible(_, None)) && !self.1.contains(&v) {
                    self.1.push(v);
                }
            });
        }
    }
    let mut sizes = Sizes(names, Vec::new());
    sizes.walk(ty, &mut Vec::new());
    sizes.1
}

/// The names whose value can be read off a value of this type: they are, by themselves, the size of an array that is
/// not behind an arrow.
pub fn witnesses(ty: &Ty) -> FxHashSet<VarId> {
    let var = |size: Size| match size {
        Size::Var(v) => Some(v),
        Size::Error | Size::Const(_) | Size::Term(_) => None,
    };
    visible_sizes(ty).into_iter().filter_map(var).collect()
}

/// The sizes that can be read off a value of this type: those of arrays that are not behind an arrow.
pub fn visible_sizes(ty: &Ty) -> FxHashSet<Size> {
    fn go(ty: &Ty, out: &mut FxHashSet<Size>) {
        with_stack(|| match ty.kind() {
            TyKind::Array(size, elem) => {
                out.insert(size.clone());
                go(elem, out);
            }
            TyKind::Record(fields) => fields.iter().for_each(|(_, t)| go(t, out)),
            TyKind::Sum(constrs) => constrs.iter().flat_map(|(_, ts)| ts).for_each(|t| go(t, out)),
            // A value of an abstract type tells its sizes, but it may contain nothing of its type arguments.
            TyKind::Con(_, args) => {
                for arg in args {
                    if let TyArg::Size(size) = arg {
                        out.insert(size.clone());
                    }
                }
            }
            TyKind::Unique(t) | TyKind::Exists(_, t) => go(t, out),
            TyKind::Error | TyKind::Prim(_) | TyKind::Arrow(_) | TyKind::Meta(_) => {}
        });
    }
    let mut out = FxHashSet::default();
    go(ty, &mut out);
    out
}
