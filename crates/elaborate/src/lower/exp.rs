//! Expressions that are neither control flow nor operations on arrays.

use super::flat::{self, LeafKind, SumLayout, Val};
use super::{Lower, Result, text};
use crate::core::{CoerceKind, Dim, Exp, Kind, Ty};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_ir::exp::BAD_ARGUMENTS;
use kenaz_ir::{Attr, CheckKind, Exp as IrExp, Message, Operand, Scalar, Type, UnOp};

impl Lower<'_> {
    pub fn exp(&mut self, exp: &Exp) -> Result<Val> {
        let before = self.b.loc;
        self.b.loc = exp.loc;
        let result = with_stack(|| self.exp_(exp));
        self.b.loc = before;
        result
    }

    /// The only leaf of an expression.
    pub fn operand(&mut self, exp: &Exp) -> Result<Operand> {
        let val = self.exp(exp)?;
        val.leaves.first().copied().ok_or_else(|| self.bug("a scalar without a value"))
    }

    fn exp_(&mut self, exp: &Exp) -> Result<Val> {
        match &exp.kind {
            Kind::Var(name) => match self.env.get(name) {
                Some(val) => Ok(val.clone()),
                None => Err(self.bug(format!("the variable `{name}` is not known"))),
            },
            Kind::Lit(s) => Ok(Val::scalar(s.prim(), Operand::Const(*s))),
            Kind::Global(id) => match self.constants.get(id) {
                Some(val) => Ok(val.clone()),
                None => self.call(*id, Vec::new()),
            },
            Kind::Lam(_) => Err(self.bug("a function that is not the argument of an intrinsic")),
            Kind::App(f, args) => {
                let Kind::Global(id) = f.kind else { return Err(self.bug("an unknown function is called")) };
                let args = args.iter().map(|a| self.exp(a)).collect::<Result<Vec<_>>>()?;
                self.call(id, args)
            }
            Kind::Block(bindings, result) => {
                for (name, value) in bindings {
                    let val = self.exp(value)?;
                    self.env.insert(*name, val);
                }
                self.exp(result)
            }
            Kind::Record(fields) => {
                let mut tys = Vec::new();
                let mut leaves = Vec::new();
                for (name, e) in fields {
                    let val = self.exp(e)?;
                    tys.push((*name, val.ty));
                    leaves.extend(val.leaves);
                }
                Ok(Val { ty: Ty::Record(tys), leaves })
            }
            Kind::Project(e, field) => Ok(self.exp(e)?.field(*field)),
            Kind::UpdateField(e, path, v) => {
                let record = self.exp(e)?;
                let value = self.exp(v)?;
                Ok(update_field(&record, path, value))
            }
            Kind::Array(elems) => self.array_literal(elems, &exp.ty),
            Kind::Index(e, dims) => {
                let array = self.exp(e)?;
                self.index(&array, dims)
            }
            Kind::Update(e, dims, v) => self.update(e, dims, v),
            Kind::If(c, t, f) => self.if_(c, t, f),
            Kind::Match(e, cases) => self.match_(e, cases),
            Kind::Loop(l) => self.loop_(l),
            Kind::Constr(name, args) => {
                let args = args.iter().map(|a| self.exp(a)).collect::<Result<Vec<_>>>()?;
                self.construct(*name, args, &exp.ty)
            }
            Kind::Intrinsic(id, args) => self.intrinsic(*id, args, &exp.ty),
            Kind::Not(e) => {
                let x = self.operand(e)?;
                Ok(Val { ty: e.ty.clone(), leaves: vec![self.b.un(UnOp::Not, x)] })
            }
            Kind::Neg(e) => {
                let x = self.operand(e)?;
                Ok(Val { ty: e.ty.clone(), leaves: vec![self.b.un(UnOp::Neg, x)] })
            }
            Kind::Range { first, second, kind, last } => self.range(first, second.as_deref(), *kind, last, &exp.ty),
            Kind::Coerce(e, kind) => {
                let val = self.exp(e)?;
                self.coerce(val, &exp.ty, *kind)
            }
            Kind::Assert(c, e, condition) => {
                let c = self.operand(c)?;
                let certs = self.check(c, vec![text(&format!("Assertion is false: {condition}"))]);
                let before = self.b.certs.len();
                self.b.certs.extend(&certs);
                let val = self.exp(e);
                let val = val.map(|v| self.keep(v, &certs));
                self.b.certs.truncate(before);
                val
            }
            Kind::Hole => {
                let message = Message { kind: CheckKind::Hole, parts: vec![text("Reached hole.")] };
                let certs = vec![self.b.assert(Operand::bool(false), message)];
                let before = self.b.certs.len();
                self.b.certs.extend(&certs);
                let val = self.blank(&exp.ty);
                let val = self.keep(val, &certs);
                self.b.certs.truncate(before);
                Ok(val)
            }
            Kind::Attr(attr, e) if attr.is_binding() => {
                let before = self.b.met;
                let val = self.attributed(*attr, e)?;
                let at = kenaz_ir::builder::Builder::respect(*attr);
                let place = if self.b.met[at] > before[at] { None } else { Some(exp.loc) };
                let asked = self.asked.entry((*attr, self.b.locs.get(exp.loc).place)).or_insert(place);
                *asked = asked.and(place);
                Ok(val)
            }
            Kind::Attr(attr, e) => self.attributed(*attr, e),
            Kind::SizeOf(e, path) => {
                let val = self.exp(e)?;
                let leaf = flat::leaf_at(&val.ty, path).and_then(|i| val.leaves.get(i).copied());
                let dims = leaf.map(|l| self.b.type_of(l).dims().to_vec()).unwrap_or_default();
                match dims.get(path.dim) {
                    Some(dim) => Ok(Val::scalar(Prim::I64, *dim)),
                    None => Err(self.bug("a size that is not there")),
                }
            }
        }
    }

    /// Makes a value depend on certificates, even where it is a constant or was computed before.
    fn keep(&mut self, val: Val, certs: &[kenaz_ir::Name]) -> Val {
        if certs.is_empty() {
            return val;
        }
        let leaves = val
            .leaves
            .iter()
            .map(|leaf| {
                let ty = self.b.type_of(*leaf);
                Operand::Var(self.b.let_exp("c", IrExp::Operand(*leaf), ty))
            })
            .collect();
        Val { ty: val.ty, leaves }
    }

    fn attributed(&mut self, attr: Attr, e: &Exp) -> Result<Val> {
        match attr {
            Attr::Unsafe => {
                let before = std::mem::replace(&mut self.unchecked, true);
                let val = self.exp(e);
                self.unchecked = before;
                val
            }
            Attr::Trace(tag) => {
                let val = self.exp(e)?;
                let tag = tag.unwrap_or_else(|| Symbol::intern(""));
                Ok(self.each(val, |leaf| IrExp::Trace(tag, leaf)))
            }
            Attr::Opaque => {
                let val = self.exp(e)?;
                Ok(self.each(val, IrExp::Opaque))
            }
            // Where its type tells the shape of a value that does not matter, nothing of it is evaluated.
            Attr::Blank | Attr::Scratch => {
                let known = |d: &Dim| self.dim(*d).is_some();
                match flat::leaves(&e.ty)
                    .iter()
                    .all(|leaf| matches!(leaf.kind, LeafKind::Prim(_)) && leaf.dims.iter().all(known))
                {
                    true => Ok(self.blank(&e.ty)),
                    false => self.exp(e),
                }
            }
            _ if self.b.attrs.0.contains(&attr) => self.exp(e),
            // All others go with the statements that the expression becomes.
            _ => {
                let mut attrs = self.b.attrs.clone();
                attrs.0.push(attr);
                let before = std::mem::replace(&mut self.b.attrs, attrs);
                let val = self.exp(e);
                self.b.attrs = before;
                val
            }
        }
    }

    fn each(&mut self, val: Val, f: impl Fn(Operand) -> IrExp) -> Val {
        let leaves = val
            .leaves
            .iter()
            .map(|leaf| {
                let ty = self.b.type_of(*leaf);
                Operand::Var(self.b.let_exp("t", f(*leaf), ty))
            })
            .collect();
        Val { ty: val.ty, leaves }
    }

    /// The dimension that a hint stands for; nothing is known about some of them.
    pub fn dim(&self, dim: Dim) -> Option<Operand> {
        match dim {
            Dim::Any => None,
            Dim::Const(n) => Some(Operand::i64(n)),
            Dim::Var(name) => self.env.get(&name).and_then(|v| v.leaves.first().copied()),
        }
    }

    /// A value of this type, whatever it is.
    pub fn blank(&mut self, ty: &Ty) -> Val {
        let leaves = flat::leaves(ty).into_iter().map(|leaf| self.blank_leaf(&leaf)).collect();
        Val { ty: ty.clone(), leaves }
    }

    fn blank_leaf(&mut self, leaf: &flat::Leaf) -> Operand {
        let zero = Operand::Const(Scalar::zero(leaf.prim()));
        if leaf.dims.is_empty() {
            return zero;
        }
        let dims: Vec<Operand> = leaf.dims.iter().map(|d| self.dim(*d).unwrap_or(Operand::i64(0))).collect();
        Operand::Var(self.b.replicate(dims, zero))
    }

    fn construct(&mut self, name: Symbol, args: Vec<Val>, ty: &Ty) -> Result<Val> {
        let Ty::Sum(constrs) = ty else { return Err(self.bug("a constructor that is not of a sum type")) };
        let layout = SumLayout::of(constrs);
        let Some(tag) = constrs.iter().position(|(n, _)| *n == name) else {
            return Err(self.bug("a constructor that its type does not have"));
        };
        let mut leaves: Vec<Option<Operand>> = vec![None; layout.leaves.len()];
        leaves[0] = Some(Operand::Const(Scalar::U8(u8::try_from(tag).unwrap_or(0))));
        let given = args.iter().flat_map(|v| v.leaves.iter().copied());
        for (slot, leaf) in layout.slots_of[tag].iter().zip(given) {
            leaves[*slot] = Some(leaf);
        }
        let leaves = leaves
            .into_iter()
            .zip(&layout.leaves)
            .map(|(leaf, shape)| match leaf {
                Some(leaf) => leaf,
                // Nobody looks at the fields of other constructors.
                None if shape.dims.is_empty() => {
                    let prim = shape.prim();
                    Operand::Var(self.b.let_exp("blank", IrExp::Scratch(Vec::new(), prim), Type::Prim(prim)))
                }
                None => self.blank_leaf(shape),
            })
            .collect();
        Ok(Val { ty: ty.clone(), leaves })
    }

    /// Checks that the dimensions of a value are those of a type.
    fn coerce(&mut self, val: Val, ty: &Ty, kind: CoerceKind) -> Result<Val> {
        let mut leaves = Vec::new();
        for (leaf, shape) in val.leaves.iter().zip(flat::leaves(ty)) {
            let have = self.b.type_of(*leaf);
            let wanted: Vec<Operand> =
                shape.dims.iter().zip(have.dims()).map(|(d, h)| self.dim(*d).unwrap_or(*h)).collect();
            leaves.push(if wanted == have.dims() { *leaf } else { self.coerce_leaf(*leaf, &have, wanted, kind) });
        }
        Ok(Val { ty: val.ty, leaves })
    }

    fn coerce_leaf(&mut self, leaf: Operand, have: &Type, wanted: Vec<Operand>, kind: CoerceKind) -> Operand {
        let (Operand::Var(array), Type::Array(_, prim)) = (leaf, have) else { return leaf };
        let mut equal = Operand::bool(true);
        for (a, b) in have.dims().to_vec().into_iter().zip(&wanted) {
            if a != *b {
                let same = self.b.cmp(kenaz_ir::CmpOp::Eq, a, *b);
                equal = self.and(equal, same);
            }
        }
        let (kind, start) = match kind {
            CoerceKind::Coercion => (CheckKind::Program, text("Value of shape ")),
            CoerceKind::Entry(number, name) => {
                let which = format!("argument {number} (`{name}`)");
                (CheckKind::Arguments, text(&format!("{BAD_ARGUMENTS}: {which} of shape ")))
            }
        };
        let mut parts = vec![start];
        parts.extend(super::shape_parts(have.dims()));
        parts.push(text(" cannot match shape of type \""));
        parts.extend(super::shape_parts(&wanted));
        parts.push(text(&format!("{}\".", prim.name())));
        // Even unsafe code may not invent sizes that are used to allocate memory.
        let cert = self.b.assert(equal, Message { kind, parts });
        let ty = Type::Array(wanted.clone(), *prim);
        let name = self.b.with_certs(&[cert], |b| b.let_exp("a", IrExp::Resize(wanted, array), ty));
        Operand::Var(name)
    }
}

fn update_field(record: &Val, path: &[Symbol], value: Val) -> Val {
    let Some((first, rest)) = path.split_first() else { return value };
    let Ty::Record(fields) = &record.ty else { return value };
    let Some(at) = fields.iter().position(|(name, _)| name == first) else { return record.clone() };
    let field = update_field(&record.field(*first), rest, value);
    let start = fields[..at].iter().map(|(_, ty)| flat::count(ty)).sum::<usize>();
    let end = start + flat::count(&fields[at].1);
    let mut tys = fields.clone();
    tys[at].1 = field.ty;
    let leaves = [&record.leaves[..start], &field.leaves, &record.leaves[end..]].concat();
    Val { ty: Ty::Record(tys), leaves }
}
