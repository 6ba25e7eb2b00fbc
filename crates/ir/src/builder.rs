//! Making bodies, statement by statement.
//!
//! One [`Builder`] serves a whole program: it hands out names, knows the type of each, and keeps a stack of the bodies
//! under construction. Every new statement gets the current position, certificates and attributes.
//!
//! ```
//! # use kenaz_ir::*; use kenaz_ir::builder::Builder;
//! let mut b = Builder::new();
//! let n = b.param("n", Type::I64);
//! let xs = b.param("xs", Type::Array(vec![n.name.into()], kenaz_base::Prim::I64));
//! let double = b.lambda_over(&[Type::I64], |b, x| vec![b.bin(BinOp::Mul, x[0], Operand::i64(2))]);
//! b.begin();
//! let ys = b.map(n.name.into(), vec![xs.name], double);
//! let body = b.end(vec![ys[0].into()]);
//! assert_eq!(body.stms.len(), 1);
//! ```

use crate::exp::{DimSlice, Exp, Lambda, Message, Soac};
use crate::infer;
use crate::name::{Fresh, Name};
use crate::op::{BinOp, CmpOp, MathFn, UnOp};
use crate::prog::{Attrs, Body, LocId, Locs, Operand, Param, Stm};
use crate::types::Type;
use kenaz_base::{Prim, Symbol};
use rustc_hash::FxHashMap;

#[derive(Debug)]
pub struct Builder {
    pub fresh: Fresh,
    pub locs: Locs,
    /// The position of the statements to come.
    pub loc: LocId,
    /// The certificates of the statements to come.
    pub certs: Vec<Name>,
    /// The attributes of the statements to come.
    pub attrs: Attrs,
    /// How many statements so far have attributes about who runs them, about their loops, and about their arrays.
    pub met: [usize; 3],
    types: FxHashMap<Name, Type>,
    bodies: Vec<Vec<Stm>>,
}

impl Default for Builder {
    fn default() -> Builder {
        Builder::with(Fresh::default(), Locs::default())
    }
}

impl Builder {
    pub fn new() -> Builder {
        Builder::default()
    }

    /// A builder that continues a program.
    pub fn with(fresh: Fresh, locs: Locs) -> Builder {
        let attrs = Attrs::default();
        let types = FxHashMap::default();
        Builder { fresh, locs, loc: Locs::NOWHERE(), certs: Vec::new(), attrs, met: [0; 3], types, bodies: Vec::new() }
    }

    // Names and types

    /// A new name of this type.
    pub fn name(&mut self, base: &str, ty: Type) -> Name {
        let name = self.fresh.named(base);
        self.types.insert(name, ty);
        name
    }

    /// A new parameter, which is not unique.
    pub fn param(&mut self, base: &str, ty: Type) -> Param {
        Param::new(self.name(base, ty.clone()), ty)
    }

    /// Makes the type of a name known that was made elsewhere.
    pub fn declare(&mut self, name: Name, ty: Type) {
        self.types.insert(name, ty);
    }

    /// The type of a name. One that was never declared is a fault of the caller.
    pub fn type_of_name(&self, name: Name) -> &Type {
        self.types.get(&name).unwrap_or_else(|| panic!("the builder does not know the type of {name}"))
    }

    pub fn type_of(&self, x: impl Into<Operand>) -> Type {
        match x.into() {
            Operand::Var(name) => self.type_of_name(name).clone(),
            Operand::Const(c) => Type::Prim(c.prim()),
        }
    }

    // Bodies

    /// Begins a body inside the current one.
    pub fn begin(&mut self) {
        self.bodies.push(Vec::new());
    }

    /// Ends the body begun last.
    pub fn end(&mut self, results: Vec<Operand>) -> Body {
        let stms = self.bodies.pop().expect("a body that was begun");
        Body { stms, results }
    }

    /// How many bodies have been begun and not ended.
    pub fn depth(&self) -> usize {
        self.bodies.len()
    }

    /// The body with the statements that `f` makes, and its results.
    pub fn body(&mut self, f: impl FnOnce(&mut Builder) -> Vec<Operand>) -> Body {
        self.begin();
        let results = f(self);
        self.end(results)
    }

    /// A lambda with these parameters; its types are those of the body's results.
    pub fn lambda(&mut self, params: Vec<Param>, f: impl FnOnce(&mut Builder) -> Vec<Operand>) -> Lambda {
        for param in &params {
            self.declare(param.name, param.ty.clone());
        }
        let body = self.body(f);
        let ret = body.results.iter().map(|x| self.type_of(*x)).collect();
        Lambda { params, body, ret }
    }

    /// A lambda with new parameters of these types.
    pub fn lambda_over(&mut self, types: &[Type], f: impl FnOnce(&mut Builder, &[Operand]) -> Vec<Operand>) -> Lambda {
        let params: Vec<Param> = types.iter().map(|ty| self.param("x", ty.clone())).collect();
        let args: Vec<Operand> = params.iter().map(|p| p.name.into()).collect();
        self.lambda(params, |b| f(b, &args))
    }

    /// The lambda that yields its parameters.
    pub fn identity(&mut self, types: &[Type]) -> Lambda {
        self.lambda_over(types, |_, xs| xs.to_vec())
    }

    // Statements

    /// Adds a statement that was made elsewhere.
    pub fn push(&mut self, stm: Stm) {
        for param in &stm.pat {
            self.declare(param.name, param.ty.clone());
        }
        self.bodies.last_mut().expect("a body that was begun").push(stm);
    }

    /// Adds the statements of a body, such as an inlined one, and gives its results.
    pub fn splice(&mut self, body: Body) -> Vec<Operand> {
        for stm in body.stms {
            self.push(stm);
        }
        body.results
    }

    /// `let pat = exp` with the current position, certificates and attributes.
    pub fn let_pat(&mut self, pat: Vec<Param>, exp: Exp) {
        let (certs, mut attrs) = (self.certs.clone(), self.attrs.clone());
        let (runs, makes) = (exp.may_run_in_parallel(), pat.iter().any(|param| param.ty.is_array()));
        for attr in attrs.0.iter().filter(|attr| attr.is_binding()) {
            let is_met = if attr.pins() || attr.is_cut() { runs } else { makes || matches!(exp, Exp::Call(..)) };
            self.met[Builder::respect(*attr)] += usize::from(is_met);
        }
        if !runs {
            attrs.0.retain(|attr| !attr.is_about_operators());
        }
        self.push(Stm { pat, certs, attrs, exp, loc: self.loc });
    }

    /// Which of [`Builder::met`] a binding attribute is about.
    pub fn respect(attr: kenaz_base::Attr) -> usize {
        if attr.pins() { 0 } else { 1 + usize::from(!attr.is_cut()) }
    }

    /// `let base: ty = exp` with a new name.
    pub fn let_exp(&mut self, base: &str, exp: Exp, ty: Type) -> Name {
        let param = self.param(base, ty);
        let name = param.name;
        self.let_pat(vec![param], exp);
        name
    }

    /// `let base = exp` for an expression with one result whose type follows from the expression.
    pub fn let_infer(&mut self, base: &str, exp: Exp) -> Name {
        let names = self.let_infer_all(base, exp);
        assert_eq!(names.len(), 1, "an expression with one result");
        names[0]
    }

    /// `let base, … = exp` for an expression whose types follow from it; see [`infer::exp`].
    pub fn let_infer_all(&mut self, base: &str, exp: Exp) -> Vec<Name> {
        let types = infer::exp(&exp, &|name| self.types.get(&name).cloned());
        let types = types.unwrap_or_else(|| panic!("the types of `{exp}` do not follow from it"));
        self.let_types(base, exp, types)
    }

    /// `let base: ty, … = exp` with new names, for types that do not depend on each other.
    pub fn let_types(&mut self, base: &str, exp: Exp, types: Vec<Type>) -> Vec<Name> {
        let pat: Vec<Param> = types.into_iter().map(|ty| self.param(base, ty)).collect();
        let names = pat.iter().map(|p| p.name).collect();
        self.let_pat(pat, exp);
        names
    }

    /// Runs `f` with other certificates in addition to the current ones.
    pub fn with_certs<R>(&mut self, certs: &[Name], f: impl FnOnce(&mut Builder) -> R) -> R {
        let kept = self.certs.len();
        self.certs.extend_from_slice(certs);
        let result = f(self);
        self.certs.truncate(kept);
        result
    }

    /// Runs `f` at another position.
    pub fn at<R>(&mut self, loc: LocId, f: impl FnOnce(&mut Builder) -> R) -> R {
        let before = std::mem::replace(&mut self.loc, loc);
        let result = f(self);
        self.loc = before;
        result
    }

    /// Runs `f` with other attributes in the place of the current ones.
    pub fn with_attrs<R>(&mut self, attrs: Attrs, f: impl FnOnce(&mut Builder) -> R) -> R {
        let before = std::mem::replace(&mut self.attrs, attrs);
        let result = f(self);
        self.attrs = before;
        result
    }

    // Scalars

    pub fn un(&mut self, op: UnOp, x: impl Into<Operand>) -> Operand {
        self.let_infer(op.text(), Exp::Un(op, x.into())).into()
    }

    pub fn bin(&mut self, op: BinOp, x: impl Into<Operand>, y: impl Into<Operand>) -> Operand {
        self.let_infer(op.text(), Exp::Bin(op, x.into(), y.into())).into()
    }

    pub fn cmp(&mut self, op: CmpOp, x: impl Into<Operand>, y: impl Into<Operand>) -> Operand {
        self.let_infer(op.text(), Exp::Cmp(op, x.into(), y.into())).into()
    }

    pub fn conv(&mut self, to: Prim, x: impl Into<Operand>) -> Operand {
        self.let_infer("conv", Exp::Conv(to, x.into())).into()
    }

    pub fn math(&mut self, f: MathFn, prim: Prim, args: Vec<Operand>) -> Operand {
        self.let_infer(f.text(), Exp::Math(f, prim, args)).into()
    }

    /// A check; the result is its certificate.
    pub fn assert(&mut self, cond: impl Into<Operand>, message: Message) -> Name {
        self.let_exp("c", Exp::Assert(cond.into(), message), Type::Cert)
    }

    // Arrays

    pub fn index(&mut self, array: Name, indices: Vec<Operand>) -> Operand {
        self.let_infer("x", Exp::Index(array, indices)).into()
    }

    pub fn slice(&mut self, array: Name, dims: Vec<DimSlice>) -> Name {
        self.let_infer("slice", Exp::Slice(array, dims))
    }

    pub fn update(&mut self, array: Name, dims: Vec<DimSlice>, value: impl Into<Operand>) -> Name {
        self.let_infer("updated", Exp::Update(array, dims, value.into()))
    }

    pub fn array(&mut self, elems: Vec<Operand>, ty: Type) -> Name {
        self.let_infer("array", Exp::Array(elems, ty))
    }

    /// The numbers from 0 to below `len`.
    pub fn iota(&mut self, len: impl Into<Operand>) -> Name {
        let (start, stride) = (Operand::i64(0), Operand::i64(1));
        self.let_infer("iota", Exp::Iota { len: len.into(), start, stride, prim: Prim::I64 })
    }

    pub fn replicate(&mut self, dims: Vec<Operand>, x: impl Into<Operand>) -> Name {
        self.let_infer("replicated", Exp::Replicate(dims, x.into()))
    }

    pub fn copy(&mut self, array: Name) -> Name {
        self.let_infer("copy", Exp::Copy(array))
    }

    // Control

    /// `if` whose results have these types, none of which is the size of another; for such sizes use
    /// [`Builder::let_pat`].
    pub fn if_(&mut self, cond: impl Into<Operand>, yes: Body, no: Body, types: Vec<Type>) -> Vec<Name> {
        self.let_types("chosen", Exp::If(cond.into(), yes, no), types)
    }

    /// A call whose results have these types, none of which is the size of another; for such sizes use
    /// [`Builder::let_pat`].
    pub fn call(&mut self, fun: Symbol, args: Vec<Operand>, types: Vec<Type>) -> Vec<Name> {
        self.let_types("result", Exp::Call(fun, args), types)
    }

    // Second-order operators

    pub fn map(&mut self, width: Operand, arrays: Vec<Name>, map: Lambda) -> Vec<Name> {
        let soac = Soac::Screma { width, arrays, map, scans: Vec::new(), reduces: Vec::new(), post: None };
        self.let_infer_all("mapped", Exp::Soac(soac))
    }

    /// The number of rows for which the function yields true, and the arrays of these rows or of its other results.
    pub fn filter(&mut self, width: Operand, arrays: Vec<Name>, pred: Lambda) -> (Name, Vec<Name>) {
        let count = self.param("count", Type::I64);
        let size = count.name;
        let mut pat = vec![count];
        let rows = arrays.iter().map(|array| self.type_of_name(*array).row(1));
        let kept = if pred.ret.len() > 1 { pred.ret[1..].to_vec() } else { rows.collect() };
        for ty in kept {
            pat.push(self.param("kept", ty.array_of(size.into())));
        }
        let kept = pat[1..].iter().map(|p| p.name).collect();
        self.let_pat(pat, Exp::Soac(Soac::Filter { width, arrays, pred }));
        (size, kept)
    }
}
