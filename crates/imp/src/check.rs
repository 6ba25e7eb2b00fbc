//! What holds of every program, so that code generation need not look: names are declared once and before they are
//! used, everything has its type, blocks are not scalars, what is bound by `let` is not assigned, and a variable has a
//! value before it is read, so that in particular the results have one on all paths.

use crate::{Arg, Exp, Fun, MessagePart, Param, Prog, Side, Stm, Traced, Ty};
use kenaz_base::{Prim, Symbol, with_stack};
use kenaz_ir::Name;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// A program that is not right, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckError {
    pub fun: Symbol,
    pub rule: Rule,
    pub message: String,
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in {}: [{}] {}", self.fun, self.rule.id(), self.message)
    }
}

impl std::error::Error for CheckError {}

/// What can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A name is declared once in a function.
    DeclaredOnce,
    /// A name is declared before it is used, in the same block of statements or around it.
    DeclaredBefore,
    /// Only variables are assigned.
    Assignable,
    /// A variable has a value before it is read.
    Assigned,
    /// A scalar is of the type that is expected.
    Type,
    /// A block is where a block is expected, and a scalar where a scalar is.
    Kind,
    /// A block on the stack stays there.
    OnStack,
    /// A call has the arguments and results of a function before it.
    Call,
    /// The sides of a copy have a stride for each size.
    Rank,
    /// The chunks of a parallel loop change nothing that is around them but the elements of blocks, and there is no parallel
    /// loop in one.
    Parallel,
    /// The cases of a switch are different and of the type of what it is on.
    Cases,
}

impl Rule {
    pub fn id(self) -> &'static str {
        match self {
            Rule::DeclaredOnce => "declared-once",
            Rule::DeclaredBefore => "declared-before",
            Rule::Assignable => "assignable",
            Rule::Assigned => "assigned",
            Rule::Type => "type",
            Rule::Kind => "kind",
            Rule::OnStack => "on-stack",
            Rule::Call => "call",
            Rule::Rank => "rank",
            Rule::Parallel => "parallel",
            Rule::Cases => "cases",
        }
    }
}

/// Whether a program is right.
pub fn check(prog: &Prog) -> Result<(), CheckError> {
    let mut known: FxHashMap<Symbol, &Fun> = FxHashMap::default();
    for fun in &prog.funs {
        let checked = Checker::new(&known).fun(fun);
        checked.map_err(|(rule, message)| CheckError { fun: fun.name, rule, message })?;
        known.insert(fun.name, fun);
    }
    Ok(())
}

type Checked = Result<(), (Rule, String)>;

fn error<T>(rule: Rule, message: impl Into<String>) -> Result<T, (Rule, String)> {
    Err((rule, message.into()))
}

/// What a name is.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A scalar that keeps its value.
    Fixed(Prim),
    Variable(Ty),
    /// A block that keeps its place.
    Block,
    OnStack(Prim),
}

struct Checker<'a> {
    known: &'a FxHashMap<Symbol, &'a Fun>,
    /// What is in scope.
    names: FxHashMap<Name, Kind>,
    /// What was declared so far, also where it is out of scope now.
    declared: FxHashSet<Name>,
    /// In the order in which they came into scope.
    scope: Vec<Name>,
    /// Variables that have a value, and the order in which they got it.
    assigned: FxHashSet<Name>,
    log: Vec<Name>,
}

impl<'a> Checker<'a> {
    fn new(known: &'a FxHashMap<Symbol, &'a Fun>) -> Checker<'a> {
        Checker {
            known,
            names: FxHashMap::default(),
            declared: FxHashSet::default(),
            scope: Vec::new(),
            assigned: FxHashSet::default(),
            log: Vec::new(),
        }
    }

    fn fun(&mut self, fun: &Fun) -> Checked {
        for Param { name, ty } in &fun.params {
            self.declare(*name, as_fixed(*ty))?;
        }
        for Param { name, ty } in &fun.results {
            self.declare(*name, Kind::Variable(*ty))?;
        }
        self.stms(&fun.body)?;
        for Param { name, .. } in &fun.results {
            if !self.assigned.contains(name) {
                return error(Rule::Assigned, format!("the result {name} has no value on some path"));
            }
        }
        Ok(())
    }

    // Scopes

    fn declare(&mut self, name: Name, kind: Kind) -> Checked {
        if !self.declared.insert(name) {
            return error(Rule::DeclaredOnce, format!("{name} is declared twice"));
        }
        self.names.insert(name, kind);
        self.scope.push(name);
        Ok(())
    }

    fn stms(&mut self, stms: &[Stm]) -> Checked {
        with_stack(|| {
            let before = self.scope.len();
            stms.iter().try_for_each(|stm| self.stm(stm))?;
            for name in self.scope.drain(before..) {
                self.names.remove(&name);
            }
            Ok(())
        })
    }

    fn assign(&mut self, name: Name) {
        if self.assigned.insert(name) {
            self.log.push(name);
        }
    }

    /// What a block of statements assigns; it is forgotten.
    fn branch(&mut self, stms: &[Stm]) -> Result<Vec<Name>, (Rule, String)> {
        let before = self.log.len();
        self.stms(stms)?;
        let assigned = self.log.split_off(before);
        for name in &assigned {
            self.assigned.remove(name);
        }
        Ok(assigned)
    }

    /// One of several blocks of statements is run: what all of them assign is assigned.
    fn branches<'s>(&mut self, bodies: impl IntoIterator<Item = &'s Vec<Stm>>) -> Checked {
        let mut counts: FxHashMap<Name, usize> = FxHashMap::default();
        let mut order = Vec::new();
        let mut total = 0;
        for body in bodies {
            total += 1;
            for name in self.branch(body)? {
                let count = counts.entry(name).or_default();
                *count += 1;
                if *count == 1 {
                    order.push(name);
                }
            }
        }
        for name in order {
            if counts.get(&name) == Some(&total) {
                self.assign(name);
            }
        }
        Ok(())
    }

    // Names

    fn kind(&self, name: Name) -> Result<Kind, (Rule, String)> {
        match self.names.get(&name) {
            Some(kind) => Ok(*kind),
            None => error(Rule::DeclaredBefore, format!("{name} is not in scope")),
        }
    }

    /// A block that is used as it is.
    fn block(&self, name: Name) -> Result<Kind, (Rule, String)> {
        let kind = self.kind(name)?;
        match kind {
            Kind::Block | Kind::OnStack(_) => Ok(kind),
            Kind::Variable(Ty::Block) => self.has_value(name).map(|()| kind),
            Kind::Fixed(_) | Kind::Variable(Ty::Scalar(_)) => error(Rule::Kind, format!("{name} is no block")),
        }
    }

    /// A block whose elements are used.
    fn elements(&self, name: Name, prim: Prim) -> Checked {
        match self.block(name)? {
            Kind::OnStack(own) if own != prim => {
                error(Rule::Type, format!("{name} has elements of type {}, not {}", own.name(), prim.name()))
            }
            _ => Ok(()),
        }
    }

    /// A block that is passed on or given up.
    fn movable(&self, name: Name) -> Checked {
        match self.block(name)? {
            Kind::OnStack(_) => error(Rule::OnStack, format!("{name} is on the stack")),
            _ => Ok(()),
        }
    }

    fn has_value(&self, name: Name) -> Checked {
        if self.assigned.contains(&name) {
            Ok(())
        } else {
            error(Rule::Assigned, format!("{name} is read before it has a value"))
        }
    }

    // Statements

    fn stm(&mut self, stm: &Stm) -> Checked {
        match stm {
            Stm::Let { name, prim, value } => {
                self.exp(value, *prim)?;
                self.declare(*name, Kind::Fixed(*prim))
            }
            Stm::Declare { name, ty } => self.declare(*name, Kind::Variable(*ty)),
            Stm::Set { name, value } => match self.kind(*name)? {
                Kind::Variable(Ty::Scalar(prim)) => {
                    self.exp(value, prim)?;
                    self.assign(*name);
                    Ok(())
                }
                Kind::Fixed(_) => error(Rule::Assignable, format!("{name} is no variable")),
                Kind::Variable(Ty::Block) | Kind::Block | Kind::OnStack(_) => {
                    error(Rule::Kind, format!("{name} is a block"))
                }
            },
            Stm::SetBlock { name, from } => {
                self.movable(*from)?;
                match self.kind(*name)? {
                    Kind::Variable(Ty::Block) => {
                        self.assign(*name);
                        Ok(())
                    }
                    Kind::Block | Kind::OnStack(_) => error(Rule::Assignable, format!("{name} is no variable")),
                    Kind::Fixed(_) | Kind::Variable(Ty::Scalar(_)) => error(Rule::Kind, format!("{name} is no block")),
                }
            }
            Stm::Alloc { name, bytes, .. } => {
                self.exp(bytes, Prim::I64)?;
                self.declare(*name, Kind::Block)
            }
            Stm::Local { name, prim, len } => {
                if *len == 0 {
                    return error(Rule::OnStack, format!("{name} has no elements"));
                }
                self.declare(*name, Kind::OnStack(*prim))
            }
            Stm::Free { name } => self.movable(*name),
            Stm::Share { name, from } => {
                self.movable(*from)?;
                self.declare(*name, Kind::Block)
            }
            Stm::Store { block, prim, index, value } => {
                self.elements(*block, *prim)?;
                self.exp(index, Prim::I64)?;
                self.exp(value, *prim)
            }
            Stm::Race { block, prim, index, value } => {
                self.elements(*block, *prim)?;
                self.exp(index, Prim::I64)?;
                self.exp(value, *prim)
            }
            Stm::Streams { name, bytes } => {
                self.exp(bytes, Prim::I64)?;
                self.declare(*name, Kind::Fixed(Prim::Bool))
            }
            Stm::Stream { block, prim, index, from, .. } => {
                self.elements(*block, *prim)?;
                self.elements(*from, *prim)?;
                self.exp(index, Prim::I64)
            }
            Stm::Chunks { name, iterations, work, .. } => {
                self.exp(iterations, Prim::I64)?;
                self.exp(work, Prim::I64)?;
                self.declare(*name, Kind::Fixed(Prim::I64))
            }
            Stm::Parallel { chunk, start, len, iterations, chunks, body, loc: _ } => {
                self.exp(iterations, Prim::I64)?;
                self.exp(chunks, Prim::I64)?;
                self.parallel([*chunk, *start, *len], body)
            }
            Stm::Copy { prim, sizes, to, from } => {
                self.indices(sizes)?;
                for side in [to, from] {
                    self.side(side, *prim, sizes.len())?;
                }
                Ok(())
            }
            Stm::For { var, prim, bound, body, .. } => {
                if !prim.is_integer() {
                    return error(Rule::Type, format!("{var} is no integer"));
                }
                self.exp(bound, *prim)?;
                self.declare(*var, Kind::Fixed(*prim))?;
                let before = self.scope.len() - 1;
                self.branch(body)?;
                for name in self.scope.drain(before..) {
                    self.names.remove(&name);
                }
                Ok(())
            }
            Stm::While { cond, body } => {
                self.exp(cond, Prim::Bool)?;
                self.branch(body).map(drop)
            }
            Stm::If { cond, yes, no } => {
                self.exp(cond, Prim::Bool)?;
                self.branches([yes, no])
            }
            Stm::Switch { on, cases, default } => {
                let prim = on.prim();
                self.exp(on, prim)?;
                let mut seen = FxHashSet::default();
                for (value, _) in cases {
                    if value.prim() != prim || !seen.insert(*value) {
                        return error(Rule::Cases, format!("the case {value} is of another type or not the first"));
                    }
                }
                self.branches(cases.iter().map(|(_, body)| body).chain([default]))
            }
            Stm::Call { fun, args, results } => self.call(*fun, args, results),
            Stm::Assert { cond, message, .. } => {
                self.exp(cond, Prim::Bool)?;
                message.iter().try_for_each(|part| match part {
                    MessagePart::Text(_) => Ok(()),
                    MessagePart::Value(x) => self.exp(x, x.prim()),
                })
            }
            Stm::Trace { value: Traced::Scalar(x), .. } => self.exp(x, x.prim()),
            Stm::Trace { value: Traced::Array { block, prim, offset, sizes }, .. } => {
                self.elements(*block, *prim)?;
                self.exp(offset, Prim::I64)?;
                self.indices(sizes)
            }
        }
    }

    /// The body of a parallel loop: what is around it stays as it is.
    fn parallel(&mut self, indices: [Name; 3], body: &[Stm]) -> Checked {
        let before = self.scope.len();
        for name in indices {
            self.declare(name, Kind::Fixed(Prim::I64))?;
        }
        let outside: FxHashSet<Name> = self.names.keys().copied().collect();
        let mut changed = None;
        crate::visit::for_each_stm(body, &mut |stm| match stm {
            Stm::Set { name, .. } | Stm::SetBlock { name, .. } | Stm::Free { name } => {
                changed = changed.or(outside.contains(name).then_some(*name));
            }
            Stm::Call { results, .. } => {
                changed = changed.or_else(|| results.iter().copied().find(|name| outside.contains(name)));
            }
            Stm::Parallel { chunk, .. } => changed = changed.or(Some(*chunk)),
            _ => {}
        });
        if let Some(name) = changed {
            return error(
                Rule::Parallel,
                format!("{name} is changed by all chunks of a parallel loop, or is one in it"),
            );
        }
        self.branch(body)?;
        for name in self.scope.drain(before..) {
            self.names.remove(&name);
        }
        Ok(())
    }

    fn call(&mut self, fun: Symbol, args: &[Arg], results: &[Name]) -> Checked {
        let Some(callee) = self.known.get(&fun) else {
            return error(Rule::Call, format!("there is no function {fun} before this one"));
        };
        if callee.params.len() != args.len() || callee.results.len() != results.len() {
            return error(Rule::Call, format!("{fun} has other parameters or results"));
        }
        for (param, arg) in callee.params.iter().zip(args) {
            match (param.ty, arg) {
                (Ty::Scalar(prim), Arg::Scalar(x)) => self.exp(x, prim)?,
                (Ty::Block, Arg::Block(name)) => self.movable(*name)?,
                _ => return error(Rule::Kind, format!("{} of {fun} is a {}", param.name, param.ty)),
            }
        }
        for (result, name) in callee.results.iter().zip(results) {
            match self.kind(*name)? {
                Kind::Variable(ty) if ty == result.ty => self.assign(*name),
                Kind::Variable(_) => return error(Rule::Type, format!("{name} is no {}", result.ty)),
                _ => return error(Rule::Assignable, format!("{name} is no variable")),
            }
        }
        Ok(())
    }

    fn side(&self, side: &Side, prim: Prim, rank: usize) -> Checked {
        if side.strides.len() != rank {
            return error(Rule::Rank, format!("{} strides for {rank} sizes", side.strides.len()));
        }
        self.elements(side.block, prim)?;
        self.exp(&side.offset, Prim::I64)?;
        self.indices(&side.strides)
    }

    // Expressions

    fn indices(&self, exps: &[Exp]) -> Checked {
        exps.iter().try_for_each(|x| self.exp(x, Prim::I64))
    }

    fn exp(&self, x: &Exp, prim: Prim) -> Checked {
        if x.prim() != prim {
            return error(Rule::Type, format!("{x} is of type {}, not {}", x.prim().name(), prim.name()));
        }
        let defined = |is_defined: bool| {
            if is_defined { Ok(()) } else { error(Rule::Type, format!("there is no such operation: {x}")) }
        };
        match x {
            Exp::Const(_) => Ok(()),
            Exp::Var(name, prim) => match self.kind(*name)? {
                Kind::Fixed(own) | Kind::Variable(Ty::Scalar(own)) if own != *prim => {
                    error(Rule::Type, format!("{name} is of type {}, not {}", own.name(), prim.name()))
                }
                Kind::Fixed(_) => Ok(()),
                Kind::Variable(Ty::Scalar(_)) => self.has_value(*name),
                Kind::Variable(Ty::Block) | Kind::Block | Kind::OnStack(_) => {
                    error(Rule::Kind, format!("{name} is no scalar"))
                }
            },
            Exp::Un(op, prim, x) => {
                defined(op.allows(*prim))?;
                self.exp(x, *prim)
            }
            Exp::Bin(op, prim, x, y) => {
                defined(op.allows(*prim))?;
                self.exp(x, *prim)?;
                self.exp(y, *prim)
            }
            Exp::Cmp(_, prim, x, y) => {
                self.exp(x, *prim)?;
                self.exp(y, *prim)
            }
            Exp::Conv(from, _, x) => self.exp(x, *from),
            Exp::Math(f, prim, args) => {
                let Some((params, _)) = f.signature(*prim) else { return defined(false) };
                defined(params.len() == args.len())?;
                params.iter().zip(args).try_for_each(|(prim, x)| self.exp(x, *prim))
            }
            Exp::Load { block, prim, index } => {
                self.elements(*block, *prim)?;
                self.exp(index, Prim::I64)
            }
            Exp::Select(prim, cond, x, y) => {
                self.exp(cond, Prim::Bool)?;
                self.exp(x, *prim)?;
                self.exp(y, *prim)
            }
            Exp::Add(x, y) | Exp::Sub(x, y) | Exp::Mul(x, y) | Exp::Quot(x, y) | Exp::Rem(x, y) => {
                self.exp(x, Prim::I64)?;
                self.exp(y, Prim::I64)
            }
        }
    }
}

fn as_fixed(ty: Ty) -> Kind {
    match ty {
        Ty::Scalar(prim) => Kind::Fixed(prim),
        Ty::Block => Kind::Block,
    }
}
