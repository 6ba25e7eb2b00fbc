//! What core programs promise.
//!
//! [`check`] looks at names and types, [`check_first_order`] also at whether functions are values. The rules are the
//! variants of [`Rule`]; the tests have a program that breaks each. An error is a fault of the compiler, never of its
//! user. Types are equal when they are so without their hints for sizes.

mod intrinsic;
#[cfg(test)]
mod tests;

use super::{CoreProg, Def, DefId, Exp, IndexDim, Kind, Lam, Loop, LoopForm, Pat, Path, Step, Ty};
use kenaz_base::{Id, Prim, Symbol, with_stack};
use kenaz_ir::Name;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// Whether a program keeps all rules but those for first-order programs.
pub fn check(prog: &CoreProg) -> Result<(), CoreError> {
    program(prog, false)
}

/// Whether a program keeps all rules and has no function values: what defunctionalisation promises.
pub fn check_first_order(prog: &CoreProg) -> Result<(), CoreError> {
    program(prog, true)
}

macro_rules! rules {
    ($($(#[$doc:meta])* $variant:ident $id:literal;)*) => {
        /// A rule of the core. It prints as its id.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Rule { $($(#[$doc])* $variant),* }

        impl Rule {
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),*];

            pub fn id(self) -> &'static str {
                match self { $(Rule::$variant => $id),* }
            }
        }
    };
}

rules! {
    // Names
    /// A name is bound once in the whole program.
    BoundOnce "bound-once";
    /// A name is used only in its scope: what follows its binding in a block, the body of its function or loop, the
    /// body of its case. It has the type it was bound with.
    BoundBeforeUse "bound-before-use";
    /// A definition is mentioned only behind it, with its type.
    Global "global";
    /// A function lists the variables of its body that are not its own, in order of their numbers.
    FreeVariables "free-variables";

    // Types
    /// A literal has its own type.
    Literal "literal";
    /// A function has at least one parameter. Its type is that from its parameters to its body.
    Lambda "lambda";
    /// What is applied is a function of at least as many arguments, of which there is one; they have the types of its
    /// parameters, and the result has the type of what is left.
    Application "application";
    /// A block has the type of its result.
    Block "block";
    /// A record has the fields of its type, in their order.
    Record "record";
    /// What is projected or updated is a field that is there; the path to it is not empty.
    Field "field";
    /// The elements of an array have the type of its elements.
    Array "array";
    /// An index has at least one dimension and not more than its array, all integers; the result has the dimensions
    /// that are left. The value of an update has the type of what it replaces, and the result that of the array.
    Index "index";
    /// The condition is a `bool`, and the branches have the type of the whole.
    If "if";
    /// There is a case, and all have the type of the whole. A pattern has the type of what is matched.
    Match "match";
    /// The initial value and the body have the type of the loop; the bound is an integer, what is iterated over an
    /// array, the condition a `bool`.
    Loop "loop";
    /// A constructor is one of its type, with the payload that it has there.
    Constructor "constructor";
    /// An intrinsic has all its arguments, and these have the types of its signature.
    Intrinsic "intrinsic";
    /// `!` is of integers and `bool`, `-` of numbers; the result has the type of the operand.
    Prefix "prefix";
    /// The parts of a range have one integer type, which is that of the elements of the result.
    Range "range";
    /// A coercion changes only sizes.
    Coerce "coerce";
    /// What is asserted is a `bool`; the result has the type of the expression.
    Assert "assert";
    /// An attribute does not change the type.
    Attribute "attribute";
    /// The path leads to a dimension of an array in the value; it is an `i64`.
    SizeOf "size-of";

    // First-order programs
    /// No type has a function in it, but those of definitions and of the functions given to intrinsics, whose
    /// parameters and results have none.
    FunctionType "function-type";
    /// A function stands only as an argument of an intrinsic or as the body of a definition.
    FunctionPlace "function-place";
    /// A definition that is a function is only applied, and to all its arguments; nothing else is applied.
    Saturated "saturated";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// A rule that a program breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoreError {
    pub rule: Rule,
    pub def: Symbol,
    pub message: String,
    /// The innermost expression at fault, as text.
    pub exp: String,
}

impl fmt::Display for CoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] in definition `{}`: {}", self.rule, self.def, self.message)?;
        const SHOWN: usize = 12;
        for line in self.exp.lines().take(SHOWN) {
            write!(f, "\n  {line}")?;
        }
        if self.exp.lines().nth(SHOWN).is_some() { f.write_str("\n  …") } else { Ok(()) }
    }
}

impl std::error::Error for CoreError {}

type Fault = Box<(Rule, String, Option<String>)>;
type Checked<T = ()> = Result<T, Fault>;

fn fail<T>(rule: Rule, message: impl Into<String>) -> Checked<T> {
    Err(Box::new((rule, message.into(), None)))
}

fn ensure(condition: bool, rule: Rule, message: impl FnOnce() -> String) -> Checked {
    if condition { Ok(()) } else { fail(rule, message()) }
}

fn program(prog: &CoreProg, first_order: bool) -> Result<(), CoreError> {
    let mut checker = Checker { prog, first_order, at: 0, scope: FxHashMap::default(), bound: FxHashSet::default() };
    for (id, def) in prog.defs.iter() {
        checker.at = id.index();
        checker.scope.clear();
        checker.def(def).map_err(|fault| {
            let (rule, message, exp) = *fault;
            CoreError { rule, def: def.name, message, exp: exp.unwrap_or_default() }
        })?;
    }
    Ok(())
}

struct Checker<'a> {
    prog: &'a CoreProg,
    first_order: bool,
    /// The number of definitions that may be mentioned.
    at: usize,
    scope: FxHashMap<Name, Ty>,
    bound: FxHashSet<Name>,
}

impl Checker<'_> {
    fn def(&mut self, def: &Def) -> Checked {
        match &def.body.kind {
            Kind::Lam(lam) => self.blame(&def.body, |this| this.lambda(lam, &def.body.ty)),
            _ => self.exp(&def.body),
        }
    }

    /// Adds the text of the expression to a fault, unless there is one of a smaller expression.
    fn blame(&mut self, exp: &Exp, f: impl FnOnce(&mut Self) -> Checked) -> Checked {
        let result = f(self);
        result.map_err(|mut fault| {
            fault.2.get_or_insert_with(|| self.prog.exp_text(exp));
            fault
        })
    }

    fn bind(&mut self, name: Name, ty: &Ty) -> Checked {
        self.value_type(ty)?;
        ensure(self.bound.insert(name), Rule::BoundOnce, || format!("`{name}` is bound again"))?;
        self.scope.insert(name, ty.clone());
        Ok(())
    }

    /// A type that a value may have.
    fn value_type(&self, ty: &Ty) -> Checked {
        ensure(!self.first_order || !ty.is_function(), Rule::FunctionType, || format!("the type `{ty}` has functions"))
    }

    fn lambda(&mut self, lam: &Lam, ty: &Ty) -> Checked {
        ensure(!lam.params.is_empty(), Rule::Lambda, || "a function without parameters".to_owned())?;
        let mut rest = ty;
        for (name, param) in &lam.params {
            self.bind(*name, param)?;
            let Ty::Arrow(arg, ret) = rest else {
                return fail(Rule::Lambda, format!("a function of too many parameters for its type `{ty}`"));
            };
            equal(Rule::Lambda, "the parameter", param, arg)?;
            rest = ret;
        }
        equal(Rule::Lambda, "the body", &lam.body.ty, rest)?;
        if !self.first_order {
            let free = crate::free::free_vars(&lam.body, lam.params.iter().map(|(n, _)| *n));
            ensure(free == lam.free, Rule::FreeVariables, || {
                format!("the free variables are {free:?}, and not {:?}", lam.free)
            })?;
        }
        self.exp(&lam.body)
    }

    fn all(&mut self, exps: &[Exp]) -> Checked {
        exps.iter().try_for_each(|e| self.exp(e))
    }

    fn exp(&mut self, exp: &Exp) -> Checked {
        with_stack(|| self.blame(exp, |this| this.exp_(exp)))
    }

    fn exp_(&mut self, exp: &Exp) -> Checked {
        let ty = &exp.ty;
        match &exp.kind {
            // The type of what stands for a function is looked at where it stands.
            Kind::Lam(_) | Kind::Global(_) => {}
            _ => self.value_type(ty)?,
        }
        match &exp.kind {
            Kind::Var(name) => match self.scope.get(name) {
                Some(bound) => equal(Rule::BoundBeforeUse, "the variable", ty, bound),
                None => fail(Rule::BoundBeforeUse, format!("`{name}` is not in scope")),
            },
            Kind::Lit(scalar) => equal(Rule::Literal, "the literal", ty, &Ty::Prim(scalar.prim())),
            Kind::Global(id) => {
                self.global(*id, ty)?;
                let is_function = matches!(self.prog.defs[*id].body.kind, Kind::Lam(_));
                ensure(!self.first_order || !is_function, Rule::Saturated, || {
                    format!("the function `{}` is not applied", self.prog.defs[*id].name)
                })?;
                self.value_type(ty)
            }
            Kind::Lam(lam) => {
                ensure(!self.first_order, Rule::FunctionPlace, || "a function as a value".to_owned())?;
                self.lambda(lam, ty)
            }
            Kind::App(f, args) => self.apply(f, args, ty),
            Kind::Block(bindings, result) => {
                for (name, value) in bindings {
                    self.exp(value)?;
                    self.bind(*name, &value.ty)?;
                }
                self.exp(result)?;
                equal(Rule::Block, "the result", &result.ty, ty)
            }
            Kind::Record(fields) => {
                let Ty::Record(types) = ty else { return fail(Rule::Record, format!("a record of type `{ty}`")) };
                ensure(fields.iter().map(|f| f.0).eq(types.iter().map(|t| t.0)), Rule::Record, || {
                    format!("the fields are not those of `{ty}`")
                })?;
                for ((name, value), (_, t)) in fields.iter().zip(types) {
                    self.exp(value)?;
                    equal(Rule::Record, name.as_str(), &value.ty, t)?;
                }
                Ok(())
            }
            Kind::Project(e, name) => {
                self.exp(e)?;
                equal(Rule::Field, "the field", ty, field(&e.ty, *name)?)
            }
            Kind::Array(es) => {
                self.all(es)?;
                let Ty::Array(_, elem) = ty else { return fail(Rule::Array, format!("an array of type `{ty}`")) };
                es.iter().try_for_each(|e| equal(Rule::Array, "an element", &e.ty, elem))
            }
            Kind::Index(e, dims) => {
                self.exp(e)?;
                let result = self.indexed(&e.ty, dims)?;
                equal(Rule::Index, "the result", ty, &result)
            }
            Kind::Update(e, dims, value) => {
                self.exp(e)?;
                self.exp(value)?;
                let part = self.indexed(&e.ty, dims)?;
                equal(Rule::Index, "the value", &value.ty, &part)?;
                equal(Rule::Index, "the result", ty, &e.ty)
            }
            Kind::UpdateField(e, path, value) => {
                self.exp(e)?;
                self.exp(value)?;
                ensure(!path.is_empty(), Rule::Field, || "an update of no field".to_owned())?;
                equal(Rule::Field, "the result", ty, &updated(&e.ty, path, &value.ty)?)
            }
            Kind::If(c, yes, no) => {
                self.exp(c)?;
                self.exp(yes)?;
                self.exp(no)?;
                equal(Rule::If, "the condition", &c.ty, &Ty::BOOL)?;
                equal(Rule::If, "the first branch", &yes.ty, ty)?;
                equal(Rule::If, "the second branch", &no.ty, ty)
            }
            Kind::Match(e, cases) => {
                self.exp(e)?;
                ensure(!cases.is_empty(), Rule::Match, || "a match without cases".to_owned())?;
                for (pat, body) in cases {
                    self.pat(pat, &e.ty)?;
                    self.exp(body)?;
                    equal(Rule::Match, "a case", &body.ty, ty)?;
                }
                Ok(())
            }
            Kind::Loop(l) => self.loop_(l, ty),
            Kind::Constr(name, args) => {
                self.all(args)?;
                let payload = payload(Rule::Constructor, ty, *name)?;
                ensure(args.len() == payload.len(), Rule::Constructor, || {
                    format!("{} values for `#{name}` of `{ty}`", args.len())
                })?;
                args.iter().zip(payload).try_for_each(|(e, t)| equal(Rule::Constructor, "the payload", &e.ty, t))
            }
            Kind::Intrinsic(id, args) => {
                for arg in args {
                    match &arg.kind {
                        Kind::Lam(lam) => self.blame(arg, |this| this.lambda(lam, &arg.ty))?,
                        _ => self.exp(arg)?,
                    }
                }
                intrinsic::check(*id, args, ty)
            }
            Kind::Not(e) => {
                self.exp(e)?;
                let known = matches!(e.ty, Ty::Prim(p) if p.is_integer() || p == Prim::Bool);
                ensure(known, Rule::Prefix, || format!("`!` of a value of type `{}`", e.ty))?;
                equal(Rule::Prefix, "the result", ty, &e.ty)
            }
            Kind::Neg(e) => {
                self.exp(e)?;
                let known = matches!(e.ty, Ty::Prim(p) if p.is_numeric());
                ensure(known, Rule::Prefix, || format!("`-` of a value of type `{}`", e.ty))?;
                equal(Rule::Prefix, "the result", ty, &e.ty)
            }
            Kind::Range { first, second, kind: _, last } => {
                let Ty::Array(_, elem) = ty else { return fail(Rule::Range, format!("a range of type `{ty}`")) };
                ensure(is_integer(elem), Rule::Range, || format!("a range of type `{ty}`"))?;
                for part in [Some(first), second.as_ref(), Some(last)].into_iter().flatten() {
                    self.exp(part)?;
                    equal(Rule::Range, "a part", &part.ty, elem)?;
                }
                Ok(())
            }
            Kind::Coerce(e, _) => {
                self.exp(e)?;
                equal(Rule::Coerce, "the value", &e.ty, ty)
            }
            Kind::Assert(c, e, _) => {
                self.exp(c)?;
                self.exp(e)?;
                equal(Rule::Assert, "the condition", &c.ty, &Ty::BOOL)?;
                equal(Rule::Assert, "the value", &e.ty, ty)
            }
            Kind::Hole => Ok(()),
            Kind::Attr(_, e) => {
                self.exp(e)?;
                equal(Rule::Attribute, "the value", &e.ty, ty)
            }
            Kind::SizeOf(e, path) => {
                self.exp(e)?;
                size_path(&e.ty, path)?;
                equal(Rule::SizeOf, "the size", ty, &Ty::I64)
            }
        }
    }

    fn global(&self, id: DefId, ty: &Ty) -> Checked {
        ensure(id.index() < self.at, Rule::Global, || format!("{id:?} is not defined before"))?;
        equal(Rule::Global, "the definition", ty, &self.prog.defs[id].body.ty)
    }

    fn apply(&mut self, f: &Exp, args: &[Exp], ty: &Ty) -> Checked {
        match &f.kind {
            Kind::Global(id) => {
                self.global(*id, &f.ty)?;
                if self.first_order {
                    let arity = match &self.prog.defs[*id].body.kind {
                        Kind::Lam(lam) => lam.params.len(),
                        _ => 0,
                    };
                    ensure(arity == args.len(), Rule::Saturated, || {
                        format!("`{}` has {arity} parameters, not {}", self.prog.defs[*id].name, args.len())
                    })?;
                }
            }
            _ => {
                ensure(!self.first_order, Rule::Saturated, || "what is applied is no definition".to_owned())?;
                self.exp(f)?;
            }
        }
        self.all(args)?;
        ensure(!args.is_empty(), Rule::Application, || "an application to nothing".to_owned())?;
        let mut rest = &f.ty;
        for arg in args {
            let Ty::Arrow(param, ret) = rest else {
                return fail(Rule::Application, format!("too many arguments for a function of type `{}`", f.ty));
            };
            equal(Rule::Application, "the argument", &arg.ty, param)?;
            rest = ret;
        }
        equal(Rule::Application, "the result", ty, rest)
    }

    /// The type of a part of an array.
    fn indexed(&mut self, ty: &Ty, dims: &[IndexDim]) -> Checked<Ty> {
        ensure(!dims.is_empty(), Rule::Index, || "an index without dimensions".to_owned())?;
        let mut sizes = Vec::new();
        let mut rest = ty;
        for dim in dims {
            let Ty::Array(size, elem) = rest else {
                return fail(Rule::Index, format!("too many indices for a value of type `{ty}`"));
            };
            rest = elem;
            let parts: Vec<&Exp> = match dim {
                IndexDim::Fix(i) => vec![i],
                IndexDim::Slice { start, end, step } => {
                    sizes.push(*size);
                    [start, end, step].into_iter().flatten().collect()
                }
            };
            for part in parts {
                self.exp(part)?;
                ensure(is_integer(&part.ty), Rule::Index, || format!("an index of type `{}`", part.ty))?;
            }
        }
        Ok(sizes.into_iter().rev().fold(rest.clone(), |elem, size| Ty::array(size, elem)))
    }

    fn pat(&mut self, pat: &Pat, ty: &Ty) -> Checked {
        match pat {
            Pat::Wild => Ok(()),
            Pat::Name(name, t) => {
                equal(Rule::Match, "the name", t, ty)?;
                self.bind(*name, t)
            }
            Pat::Lit(scalar) => equal(Rule::Match, "the literal", &Ty::Prim(scalar.prim()), ty),
            Pat::Record(fields) => fields.iter().try_for_each(|(name, p)| match ty.field(*name) {
                Some(t) => self.pat(p, t),
                None => fail(Rule::Match, format!("`{ty}` has no field `{name}`")),
            }),
            Pat::Constr(name, pats, t) => {
                equal(Rule::Match, "the constructor", t, ty)?;
                let payload = payload(Rule::Match, ty, *name)?;
                ensure(pats.len() == payload.len(), Rule::Match, || {
                    format!("{} patterns for `#{name}` of `{ty}`", pats.len())
                })?;
                pats.iter().zip(payload).try_for_each(|(p, t)| self.pat(p, t))
            }
        }
    }

    fn loop_(&mut self, l: &Loop, ty: &Ty) -> Checked {
        self.exp(&l.init)?;
        equal(Rule::Loop, "the initial value", &l.init.ty, ty)?;
        match &l.form {
            LoopForm::For(i, n) => {
                self.exp(n)?;
                ensure(is_integer(&n.ty), Rule::Loop, || format!("a bound of type `{}`", n.ty))?;
                self.bind(*i, &n.ty)?;
                self.bind(l.param, ty)?;
            }
            LoopForm::ForIn(x, xs) => {
                self.exp(xs)?;
                let Ty::Array(_, elem) = &xs.ty else {
                    return fail(Rule::Loop, format!("a loop over a value of type `{}`", xs.ty));
                };
                self.bind(*x, elem)?;
                self.bind(l.param, ty)?;
            }
            LoopForm::While(c) => {
                self.bind(l.param, ty)?;
                self.exp(c)?;
                equal(Rule::Loop, "the condition", &c.ty, &Ty::BOOL)?;
            }
        }
        self.exp(&l.body)?;
        equal(Rule::Loop, "the body", &l.body.ty, ty)
    }
}

fn is_integer(ty: &Ty) -> bool {
    matches!(ty, Ty::Prim(p) if p.is_integer())
}

fn equal(rule: Rule, what: &str, ty: &Ty, expected: &Ty) -> Checked {
    ensure(same(ty, expected), rule, || format!("{what} has type `{ty}`, not `{expected}`"))
}

/// Whether two types are equal but for hints.
fn same(a: &Ty, b: &Ty) -> bool {
    match (a, b) {
        (Ty::Prim(a), Ty::Prim(b)) => a == b,
        (Ty::Array(_, a), Ty::Array(_, b)) | (Ty::Acc(a), Ty::Acc(b)) => same(a, b),
        (Ty::Record(a), Ty::Record(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((m, a), (n, b))| m == n && same(a, b))
        }
        (Ty::Sum(a), Ty::Sum(b)) => {
            let all = |a: &[Ty], b: &[Ty]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b));
            a.len() == b.len() && a.iter().zip(b).all(|((m, a), (n, b))| m == n && all(a, b))
        }
        (Ty::Arrow(a, c), Ty::Arrow(b, d)) => same(a, b) && same(c, d),
        (Ty::Prim(_) | Ty::Array(..) | Ty::Acc(_) | Ty::Record(_) | Ty::Sum(_) | Ty::Arrow(..), _) => false,
    }
}

fn field(ty: &Ty, name: Symbol) -> Checked<&Ty> {
    match ty.field(name) {
        Some(ty) => Ok(ty),
        None => fail(Rule::Field, format!("`{ty}` has no field `{name}`")),
    }
}

/// The type of a record with another value for a field; it may be of another type.
fn updated(ty: &Ty, path: &[Symbol], value: &Ty) -> Checked<Ty> {
    let Some((first, rest)) = path.split_first() else { return Ok(value.clone()) };
    let inner = updated(field(ty, *first)?, rest, value)?;
    let Ty::Record(fields) = ty else { return fail(Rule::Field, format!("`{ty}` is no record")) };
    Ok(Ty::Record(fields.iter().map(|(n, t)| (*n, if n == first { inner.clone() } else { t.clone() })).collect()))
}

fn payload(rule: Rule, ty: &Ty, name: Symbol) -> Checked<&[Ty]> {
    let found = match ty {
        Ty::Sum(constrs) => constrs.iter().find(|(n, _)| *n == name),
        _ => None,
    };
    match found {
        Some((_, payload)) => Ok(payload),
        None => fail(rule, format!("`{ty}` has no constructor `#{name}`")),
    }
}

/// The dimensions of the arrays on the way are outside of the one that is meant.
fn size_path(ty: &Ty, path: &Path) -> Checked {
    let mut ty = ty;
    let mut outside = 0;
    for step in &path.steps {
        while let Ty::Array(_, elem) = ty {
            ty = elem;
            outside += 1;
        }
        ty = match step {
            Step::Field(name) => match ty.field(*name) {
                Some(part) => part,
                None => return fail(Rule::SizeOf, format!("`{ty}` has no field `{name}`")),
            },
            Step::Payload(name, i) => match payload(Rule::SizeOf, ty, *name)?.get(*i) {
                Some(part) => part,
                None => return fail(Rule::SizeOf, format!("`#{name}` of `{ty}` has no payload {i}")),
            },
        };
    }
    while let (Ty::Array(_, elem), true) = (ty, outside < path.dim) {
        ty = elem;
        outside += 1;
    }
    ensure(outside == path.dim && matches!(ty, Ty::Array(..)), Rule::SizeOf, || {
        format!("there is no dimension {} at the end of the path", path.dim)
    })
}
