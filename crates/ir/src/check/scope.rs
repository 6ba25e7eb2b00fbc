//! Functions, bodies, statements and lambdas: what is in scope where, and what is consumed when.

use super::alias::{Set, Stores, disjoint};
use super::{CheckError, Checked, Rule, Stage};
use crate::effects;
use crate::entry::EntryType;
use crate::exp::{Exp, Lambda};
use crate::name::Name;
use crate::op::BinOp;
use crate::par::Level;
use crate::plan::Plan;
use crate::prog::{Body, Fun, Operand, Param, Stm};
use crate::types::Type;
use crate::visit::{Subst, Visit};
use kenaz_base::{Prim, Symbol, with_stack};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

pub(super) struct Checker<'a> {
    pub funs: &'a [Fun],
    /// The functions checked so far, which those after them may call.
    pub index: FxHashMap<Symbol, usize>,
    pub stores: Stores,
    pub stage: Stage,
    /// The levels around the current place, the innermost last.
    pub levels: Vec<Level>,
    /// For each function checked so far the levels that have none around them there.
    pub outermost: FxHashMap<Symbol, Vec<Level>>,
    /// The names that were defined as products, with their factors.
    pub products: FxHashMap<Name, (Operand, Operand)>,
    /// All names bound so far.
    bound: FxHashSet<Name>,
    /// The names in scope.
    types: FxHashMap<Name, Type>,
    /// The names in scope in the order in which they were bound.
    scope: Vec<Name>,
    fun: Symbol,
    /// The types of entry points checked so far.
    pub entry_types: FxHashMap<Symbol, Arc<EntryType>>,
}

impl<'a> Checker<'a> {
    /// For what may call the functions in `index`.
    pub(super) fn after(funs: &'a [Fun], index: FxHashMap<Symbol, usize>, stage: Stage) -> Checker<'a> {
        Checker {
            funs,
            index,
            stores: Stores::default(),
            stage,
            levels: Vec::new(),
            outermost: FxHashMap::default(),
            products: FxHashMap::default(),
            bound: FxHashSet::default(),
            types: FxHashMap::default(),
            scope: Vec::new(),
            fun: Symbol::intern(""),
            entry_types: FxHashMap::default(),
        }
    }

    pub(super) fn fail<T>(&self, rule: Rule, message: impl Into<String>) -> Checked<T> {
        Err(Box::new(CheckError { rule, fun: self.fun, stm: None, bound: Vec::new(), message: message.into() }))
    }

    pub(super) fn ensure(&self, holds: bool, rule: Rule, message: impl FnOnce() -> String) -> Checked {
        if holds { Ok(()) } else { self.fail(rule, message()) }
    }

    /// The function that is being checked.
    pub(super) fn current(&self) -> Symbol {
        self.fun
    }

    // Names

    pub(super) fn type_of(&self, name: Name) -> Checked<&Type> {
        match self.types.get(&name) {
            Some(ty) => Ok(ty),
            None => self.fail(Rule::BoundBeforeUse, format!("`{name}` is not in scope")),
        }
    }

    pub(super) fn operand(&self, x: Operand) -> Checked<Type> {
        match x {
            Operand::Var(name) => self.type_of(name).cloned(),
            Operand::Const(c) => Ok(Type::Prim(c.prim())),
        }
    }

    /// Whether an operand has a type.
    pub(super) fn expect(&self, rule: Rule, x: Operand, ty: &Type) -> Checked {
        let found = self.operand(x)?;
        self.ensure(found == *ty, rule, || format!("`{x}` is of type `{found}`, not `{ty}`"))
    }

    pub(super) fn expect_i64s(&self, rule: Rule, xs: &[Operand]) -> Checked {
        xs.iter().try_for_each(|x| self.expect(rule, *x, &Type::I64))
    }

    fn declare(&mut self, name: Name, ty: Type) -> Checked {
        let is_new = self.bound.insert(name);
        self.ensure(is_new, Rule::BoundOnce, || format!("`{name}` is bound twice"))?;
        self.types.insert(name, ty);
        self.scope.push(name);
        Ok(())
    }

    /// Runs `f` and forgets the names it bound.
    pub(super) fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        let outer = self.scope.len();
        let result = f(self)?;
        for name in self.scope.drain(outer..) {
            self.types.remove(&name);
        }
        Ok(result)
    }

    /// Binds a variable of a scalar type.
    pub(super) fn bind_scalar(&mut self, name: Name, prim: Prim) -> Checked {
        self.declare(name, Type::Prim(prim))
    }

    /// Binds names that may be the sizes of each other.
    pub(super) fn bind_together<'p>(&mut self, params: impl Iterator<Item = &'p Param> + Clone) -> Checked {
        for param in params.clone() {
            self.declare(param.name, param.ty.clone())?;
        }
        params.into_iter().try_for_each(|param| {
            self.well_formed(&param.ty)?;
            self.place(param)
        })
    }

    /// In the memory stage arrays have a place, and nothing else has.
    fn place(&self, param: &Param) -> Checked {
        let is_memory = matches!(self.stage, Stage::Memory(_));
        let Some(place) = &param.place else {
            return self.ensure(!is_memory || !param.ty.is_array(), Rule::Placed, || {
                format!("the array `{}` has no place", param.name)
            });
        };
        self.ensure(is_memory, Rule::Stage, || {
            format!("`{}` has a place, which does not belong to this stage", param.name)
        })?;
        self.ensure(param.ty.is_array(), Rule::Placed, || format!("`{param}` has a place but is no array"))?;
        let block = self.type_of(place.block)?;
        self.ensure(matches!(block, Type::Mem(_)), Rule::Place, || {
            format!("`{}`, in which `{}` is, is of type `{block}`, not a block", place.block, param.name)
        })?;
        let (rank, dims) = (place.layout.rank(), param.ty.rank());
        self.ensure(rank == dims, Rule::Place, || {
            format!("the layout of `{}` has {rank} dimensions, the array {dims}", param.name)
        })?;
        let is_empty = place.layout.dims.iter().any(|dim| dim.0.is_empty());
        self.ensure(!is_empty, Rule::Place, || format!("a dimension of the layout of `{}` is empty", param.name))?;
        place.layout.names().try_for_each(|name| self.expect(Rule::Place, name.into(), &Type::I64))
    }

    /// Binds names that may be the sizes of those after them, and gives each its memory.
    fn bind_params(&mut self, params: &[Param]) -> Checked {
        for param in params {
            self.well_formed(&param.ty)?;
            self.place(param)?;
            self.declare(param.name, param.ty.clone())?;
            self.make_param(param);
        }
        Ok(())
    }

    /// The memory of a parameter, which may be consumed if the parameter is unique.
    pub(super) fn make_param(&mut self, param: &Param) {
        if param.ty.has_memory() {
            let set = self.stores.make(param.name, !param.is_consumable());
            self.stores.bind(param.name, set);
        }
    }

    pub(super) fn well_formed(&self, ty: &Type) -> Checked {
        let rule = Rule::WellFormedType;
        match ty {
            Type::Prim(_) | Type::Cert => Ok(()),
            Type::Mem(_) => self.ensure(matches!(self.stage, Stage::Memory(_)), Rule::Stage, || {
                "a block does not belong to this stage".to_string()
            }),
            Type::Array(dims, _) => {
                self.ensure(!dims.is_empty(), rule, || format!("the array type `{ty}` has no dimension"))?;
                self.expect_i64s(rule, dims)
            }
            Type::Acc { token, shape, elems } => {
                self.ensure(self.stage == Stage::Array, Rule::Stage, || {
                    "an accumulator does not belong to this stage".to_string()
                })?;
                self.expect(rule, (*token).into(), &Type::Cert)?;
                self.expect_i64s(rule, shape)?;
                for elem in elems {
                    self.ensure(elem.prim().is_some(), rule, || format!("`{elem}` cannot be accumulated"))?;
                    self.well_formed(elem)?;
                }
                Ok(())
            }
        }
    }

    // Functions

    /// Checks a function; gives the memory of its results.
    pub(super) fn fun(&mut self, fun: &Fun) -> Checked<Vec<Set>> {
        self.fun = fun.name;
        self.levels.clear();
        let known = self.index.contains_key(&fun.name);
        self.ensure(!known, Rule::FunctionOnce, || format!("there is another function `{}`", fun.name))?;
        self.entry(fun)?;
        self.scoped(|c| {
            c.bind_params(&fun.params)?;
            c.scoped(|c| c.bind_together(fun.results.iter()))?;
            let sets = c.body(&fun.body)?;
            c.results(Rule::Results, &fun.body.results, &fun.results)?;
            let unique = c.stores.unique(&sets);
            for (i, (result, set)) in fun.results.iter().zip(&sets).enumerate() {
                c.ensure(unique[i] || !result.unique || set.is_empty(), Rule::UniqueResult, || {
                    let value = fun.body.results[i];
                    match c.stores.foreign(set) {
                        Some(name) => format!("the unique result `{value}` may alias `{name}`"),
                        None => format!("the unique result `{value}` may alias another result"),
                    }
                })?;
            }
            Ok(sets)
        })
    }

    // Bodies

    /// Checks a body whose names go out of scope at the end of [`Checker::scoped`]; gives the memory of its results.
    pub(super) fn body(&mut self, body: &Body) -> Checked<Vec<Set>> {
        with_stack(|| {
            for stm in &body.stms {
                self.stm(stm).map_err(|mut error| {
                    error.within(stm);
                    error
                })?;
            }
            let mut sets = Vec::with_capacity(body.results.len());
            for result in &body.results {
                sets.push(match result {
                    Operand::Const(_) => Rc::from([]),
                    Operand::Var(name) => {
                        self.usable(*name)?;
                        self.stores.of(*name)
                    }
                });
            }
            Ok(sets)
        })
    }

    /// Whether values have the types of parameters, with the values in the place of parameters that are sizes.
    pub(super) fn results(&self, rule: Rule, values: &[Operand], params: &[Param]) -> Checked {
        self.ensure(values.len() == params.len(), rule, || {
            format!("{} values where {} are needed", values.len(), params.len())
        })?;
        let subst: Subst = params.iter().map(|p| p.name).zip(values.iter().copied()).collect();
        values.iter().zip(params).try_for_each(|(x, param)| self.expect(rule, *x, &subst.ty(&param.ty)))
    }

    fn stm(&mut self, stm: &Stm) -> Checked {
        for cert in &stm.certs {
            let ty = self.type_of(*cert)?;
            self.ensure(*ty == Type::Cert, Rule::Certificate, || format!("`{cert}` is of type `{ty}`, not `cert`"))?;
        }
        let sets = self.exp(&stm.exp, &stm.pat)?;
        self.bind_together(stm.pat.iter())?;
        if let (Exp::Bin(BinOp::Mul, x, y), [param]) = (&stm.exp, &stm.pat[..]) {
            self.products.insert(param.name, (*x, *y));
        }
        for (param, set) in stm.pat.iter().zip(sets) {
            if param.ty.has_memory() {
                let set = set.unwrap_or_else(|| self.stores.make(param.name, false));
                self.stores.bind(param.name, set);
            }
        }
        Ok(())
    }

    /// Whether a name is in scope and not consumed.
    fn usable(&self, name: Name) -> Checked {
        self.type_of(name)?;
        match self.stores.consumer(name) {
            None => Ok(()),
            Some(by) => {
                self.fail(Rule::UsedAfterConsumed, format!("`{name}` or what it may alias was consumed by `{by}`"))
            }
        }
    }

    /// Checks the names that an expression uses outside its bodies, and consumes what it consumes.
    pub(super) fn effects(&mut self, exp: &Exp, pat: &[Param]) -> Checked {
        let mut used = direct_uses(exp);
        used.iter().try_for_each(|name| self.usable(*name))?;
        let consumed = self.consumed(exp);
        for name in &consumed {
            if let Some(at) = used.iter().position(|other| other == name) {
                used.swap_remove(at);
            }
        }
        for (i, name) in consumed.iter().enumerate() {
            let set = self.stores.of(*name);
            let others = used.iter().chain(&consumed[i + 1..]);
            for other in others {
                self.ensure(disjoint(&set, &self.stores.of(*other)), Rule::ConsumedAndUsed, || {
                    format!("`{name}` is consumed where `{other}` is used, which it may alias")
                })?;
            }
        }
        for name in consumed {
            let by = pat.first().map_or(name, |p| p.name);
            self.stores.consume(name, by).or_else(|(rule, message)| self.fail(rule, message))?;
        }
        Ok(())
    }

    /// The arrays and accumulators that an expression consumes, other than in its bodies.
    fn consumed(&self, exp: &Exp) -> Vec<Name> {
        let takes = |f: Symbol, i: usize| {
            let param = self.callee(f).and_then(|fun| fun.params.get(i));
            param.is_some_and(Param::is_consumable)
        };
        let mut all = effects::consumed(exp, takes);
        all.retain(|name| !self.stores.of(*name).is_empty());
        all
    }

    pub(super) fn callee(&self, name: Symbol) -> Option<&'a Fun> {
        self.index.get(&name).map(|i| &self.funs[*i])
    }

    // Lambdas

    /// Checks a lambda that may run any number of times; gives the memory of its results.
    pub(super) fn lambda(&mut self, lambda: &Lambda) -> Checked<Vec<Set>> {
        self.stores.enter_frame();
        let sets = self.lambda_once(lambda)?;
        for (i, result) in lambda.body.results.iter().enumerate() {
            if let Type::Acc { .. } = lambda.ret[i] {
                let is_shared = sets.iter().enumerate().any(|(j, other)| i != j && !disjoint(&sets[i], other));
                self.ensure(!is_shared && self.stores.foreign(&sets[i]).is_none(), Rule::LambdaResults, || {
                    format!("the accumulator `{result}` is not the lambda's own, or is yielded twice")
                })?;
            }
        }
        self.stores.leave_frame();
        Ok(sets)
    }

    /// Checks a lambda that runs once.
    pub(super) fn lambda_once(&mut self, lambda: &Lambda) -> Checked<Vec<Set>> {
        self.scoped(|c| {
            c.bind_params(&lambda.params)?;
            lambda.ret.iter().try_for_each(|ty| c.well_formed(ty))?;
            let sets = c.body(&lambda.body)?;
            let (results, ret) = (&lambda.body.results, &lambda.ret);
            c.ensure(results.len() == ret.len(), Rule::LambdaResults, || {
                format!("the body yields {} values, the lambda states {} types", results.len(), ret.len())
            })?;
            results.iter().zip(ret).try_for_each(|(x, ty)| c.expect(Rule::LambdaResults, *x, ty))?;
            Ok(sets)
        })
    }
}

/// The names that an expression uses outside its bodies and lambdas, as often as it does.
fn direct_uses(exp: &Exp) -> Vec<Name> {
    struct Direct(Vec<Name>);
    impl Visit for Direct {
        fn name(&mut self, name: &Name) {
            self.0.push(*name);
        }

        fn body(&mut self, _: &Body) {}

        fn lambda(&mut self, _: &Lambda) {}

        // Some of its names are bound in the body.
        fn plan(&mut self, _: &Plan) {}

        // The parameters of a loop: their types may mention each other.
        fn param(&mut self, _: &Param) {}
    }
    let mut direct = Direct(Vec::new());
    direct.exp(exp);
    if let Exp::Loop { form: crate::exp::LoopForm::While(cond), .. } = exp {
        // The condition is a parameter of the loop itself, not something that the loop uses.
        direct.0.retain(|name| name != cond);
    }
    direct.0
}
