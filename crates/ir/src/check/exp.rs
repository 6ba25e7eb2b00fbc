//! The types of expressions, and where their results may lie.

use super::alias::{Set, StoreId, close_over, disjoint, union, without};
use super::scope::Checker;
use super::{Checked, Rule, Stage};
use crate::effects;
use crate::exp::{DimSlice, Exp, LoopForm, MessagePart};
use crate::infer;
use crate::name::Name;
use crate::prog::{Body, Operand, Param};
use crate::types::Type;
use crate::visit::Subst;
use kenaz_base::Prim;

/// For each result the memory in which it may lie, or none if it is new. What is said about scalars does not matter.
pub(super) type Memory = Vec<Option<Set>>;

impl Checker<'_> {
    /// Checks an expression and the types of the pattern it is bound to.
    pub(super) fn exp(&mut self, exp: &Exp, pat: &[Param]) -> Checked<Memory> {
        let belongs = match exp {
            Exp::Soac(_) | Exp::Jvp(..) | Exp::Vjp(..) => self.stage == Stage::Array,
            Exp::Par(_) => self.stage != Stage::Array,
            Exp::Mem(_) => matches!(self.stage, Stage::Memory(_)),
            // All others belong to all stages.
            _ => true,
        };
        self.ensure(belongs, Rule::Stage, || {
            format!("`{}` does not belong to this stage", crate::print::operator(exp))
        })?;
        match exp {
            Exp::If(cond, yes, no) => {
                self.effects(exp, pat)?;
                self.expect(Rule::Branch, *cond, &Type::BOOL)?;
                self.branches(&[yes, no], pat)
            }
            Exp::Match(x, cases, default) => {
                self.effects(exp, pat)?;
                let ty = self.operand(*x)?;
                let is_integer = matches!(ty, Type::Prim(p) if p.is_integer());
                self.ensure(is_integer, Rule::Branch, || format!("`{x}` is of type `{ty}`, not an integer"))?;
                for (value, _) in cases {
                    self.expect(Rule::Branch, Operand::Const(*value), &ty)?;
                }
                let bodies: Vec<&Body> = cases.iter().map(|(_, body)| body).chain([default]).collect();
                self.branches(&bodies, pat)
            }
            Exp::Loop { params, form, body } => {
                self.effects(exp, pat)?;
                self.loop_(params, form, body, pat)
            }
            Exp::Call(f, args) => {
                self.effects(exp, pat)?;
                let Some(fun) = self.callee(*f) else {
                    return self.fail(Rule::Call, format!("there is no function `{f}` before this one"));
                };
                self.results(Rule::Call, args, &fun.params)?;
                self.nested_call(*f)?;
                let arguments = fun.params.iter().map(|p| p.name).zip(args.iter().copied());
                let results = fun.results.iter().zip(pat).map(|(r, p)| (r.name, p.name.into()));
                let subst: Subst = arguments.chain(results).collect();
                self.pattern(pat, &fun.results.iter().map(|r| subst.ty(&r.ty)).collect::<Vec<Type>>())?;
                // Results that are not unique may alias each other, and the arguments that are not consumed.
                let kept = fun.params.iter().zip(args).filter(|(p, _)| !p.is_consumable());
                let kept = kept.filter_map(|(_, x)| x.name());
                let kept: Vec<Set> = kept.map(|name| self.stores.of(name)).collect();
                let shared = pat.first().map(|p| self.stores.make(p.name, false));
                let shared = union(kept.into_iter().chain(shared));
                Ok(fun.results.iter().map(|r| (!r.unique).then(|| shared.clone())).collect())
            }
            Exp::Par(par) => {
                self.effects(exp, pat)?;
                self.par(par, pat)
            }
            Exp::Mem(mem) => {
                self.effects(exp, pat)?;
                self.mem(mem)?;
                self.inferred(exp, pat)?;
                Ok(vec![None; pat.len()])
            }
            Exp::Soac(soac) => {
                self.effects(exp, pat)?;
                self.soac(exp, soac, pat)
            }
            Exp::Jvp(f, at, direction) | Exp::Vjp(f, at, direction) => {
                self.effects(exp, pat)?;
                let rule = Rule::Derivative;
                self.results(rule, at, &f.params)?;
                let subst: Subst = f.params.iter().map(|p| p.name).zip(at.iter().copied()).collect();
                let types: Vec<Type> = match exp {
                    Exp::Jvp(..) => f.params.iter().map(|p| subst.ty(&p.ty)).collect(),
                    _ => f.ret.iter().map(|ty| subst.ty(ty)).collect(),
                };
                self.ensure(types.len() == direction.len(), rule, || {
                    format!("the direction has {} values, not {}", direction.len(), types.len())
                })?;
                direction.iter().zip(&types).try_for_each(|(x, ty)| self.expect(rule, *x, ty))?;
                let yielded = self.lambda(f)?;
                self.inferred(exp, pat)?;
                // When the derivative is expanded, any result may be an argument, or what the function yields.
                let args = at.iter().chain(direction).filter_map(|x| x.name()).map(|name| self.stores.of(name));
                let all = union(args.chain(yielded).collect::<Vec<Set>>());
                let all = without(&all, &union(f.params.iter().map(|p| self.stores.of(p.name))));
                self.stores.adopt(&all);
                Ok(vec![Some(all); pat.len()])
            }
            Exp::Operand(_)
            | Exp::Un(..)
            | Exp::Bin(..)
            | Exp::Cmp(..)
            | Exp::Conv(..)
            | Exp::Math(..)
            | Exp::Assert(..)
            | Exp::Index(..)
            | Exp::Slice(..)
            | Exp::Update(..)
            | Exp::Array(..)
            | Exp::Iota { .. }
            | Exp::Replicate(..)
            | Exp::Scratch(..)
            | Exp::Concat(..)
            | Exp::Rearrange(..)
            | Exp::Reshape(..)
            | Exp::Resize(..)
            | Exp::Copy(_)
            | Exp::FlatIndex(..)
            | Exp::FlatUpdate(..)
            | Exp::Trace(..)
            | Exp::Tunable(_)
            | Exp::Opaque(_) => {
                self.simple(exp, pat)?;
                Ok(vec![effects::viewed(exp).map(|name| self.stores.of(name))])
            }
        }
    }

    /// Whether a pattern has these types.
    pub(super) fn pattern(&self, pat: &[Param], types: &[Type]) -> Checked {
        self.ensure(pat.len() == types.len(), Rule::Pattern, || {
            format!("the pattern has {} names, the expression {} results", pat.len(), types.len())
        })?;
        pat.iter().zip(types).try_for_each(|(param, ty)| {
            self.ensure(param.ty == *ty, Rule::Pattern, || {
                format!("`{}` is of type `{}`, the result of type `{ty}`", param.name, param.ty)
            })
        })
    }

    /// Checks the pattern of an expression whose types follow from it once its parts are checked.
    pub(super) fn inferred(&self, exp: &Exp, pat: &[Param]) -> Checked {
        match infer::exp(exp, &|name| self.type_of(name).ok().cloned()) {
            Some(types) => self.pattern(pat, &types),
            None => self.fail(Rule::Pattern, "the types of the results do not follow from the expression"),
        }
    }

    fn simple(&mut self, exp: &Exp, pat: &[Param]) -> Checked {
        self.effects(exp, pat)?;
        self.operands(exp)?;
        self.inferred(exp, pat)
    }

    fn scalar(&self, rule: Rule, x: Operand) -> Checked<Prim> {
        match self.operand(x)? {
            Type::Prim(p) => Ok(p),
            ty @ (Type::Array(..) | Type::Cert | Type::Mem(_) | Type::Acc { .. }) => {
                self.fail(rule, format!("`{x}` is of type `{ty}`, not a scalar"))
            }
        }
    }

    /// The dimensions and element type of an array.
    pub(super) fn array(&self, rule: Rule, name: Name) -> Checked<(Vec<Operand>, Prim)> {
        match self.type_of(name)? {
            Type::Array(dims, prim) => Ok((dims.clone(), *prim)),
            ty @ (Type::Prim(_) | Type::Cert | Type::Mem(_) | Type::Acc { .. }) => {
                self.fail(rule, format!("`{name}` is of type `{ty}`, not an array"))
            }
        }
    }

    /// Checks the operands of an expression without bodies.
    fn operands(&self, exp: &Exp) -> Checked {
        match exp {
            Exp::Operand(_) | Exp::Opaque(_) | Exp::Trace(..) | Exp::Tunable(_) => Ok(()),
            Exp::Un(op, x) => {
                let prim = self.scalar(Rule::Scalar, *x)?;
                self.ensure(op.allows(prim), Rule::Scalar, || no_operation(op.text(), prim))
            }
            Exp::Bin(op, x, y) => {
                let prim = self.scalar(Rule::Scalar, *x)?;
                self.ensure(op.allows(prim), Rule::Scalar, || no_operation(op.text(), prim))?;
                self.expect(Rule::Scalar, *y, &Type::Prim(prim))
            }
            Exp::Cmp(_, x, y) => {
                let prim = self.scalar(Rule::Scalar, *x)?;
                self.expect(Rule::Scalar, *y, &Type::Prim(prim))
            }
            Exp::Conv(_, x) => self.scalar(Rule::Scalar, *x).map(|_| ()),
            Exp::Math(f, prim, args) => {
                let Some((params, _)) = f.signature(*prim) else {
                    return self.fail(Rule::Scalar, no_operation(f.text(), *prim));
                };
                self.ensure(params.len() == args.len(), Rule::Scalar, || {
                    format!("`{}` has {} operands, not {}", f.text(), params.len(), args.len())
                })?;
                args.iter().zip(params).try_for_each(|(x, p)| self.expect(Rule::Scalar, *x, &Type::Prim(p)))
            }
            Exp::Assert(cond, message) => {
                self.expect(Rule::Assert, *cond, &Type::BOOL)?;
                message.parts.iter().try_for_each(|part| match part {
                    MessagePart::Text(_) => Ok(()),
                    MessagePart::Value(x) => self.scalar(Rule::Assert, *x).map(|_| ()),
                })
            }
            Exp::Index(a, indices) => {
                let (dims, _) = self.array(Rule::Index, *a)?;
                self.expect_i64s(Rule::Index, indices)?;
                self.ensure((1..=dims.len()).contains(&indices.len()), Rule::Index, || {
                    format!("{} indices for {} dimensions", indices.len(), dims.len())
                })
            }
            Exp::Slice(a, slices) => self.slice(Rule::Slice, *a, slices).map(|_| ()),
            Exp::Update(a, slices, value) => {
                let ty = self.slice(Rule::Update, *a, slices)?;
                self.expect(Rule::Update, *value, &ty)
            }
            Exp::Array(elems, ty) => {
                self.ensure(ty.prim().is_some(), Rule::ArrayLiteral, || format!("there are no arrays of `{ty}`"))?;
                self.well_formed(ty)?;
                elems.iter().try_for_each(|x| self.expect(Rule::ArrayLiteral, *x, ty))
            }
            Exp::Iota { len, start, stride, prim } => {
                self.ensure(prim.is_integer(), Rule::Iota, || no_operation("iota", *prim))?;
                self.expect(Rule::Iota, *len, &Type::I64)?;
                self.expect(Rule::Iota, *start, &Type::Prim(*prim))?;
                self.expect(Rule::Iota, *stride, &Type::Prim(*prim))
            }
            Exp::Replicate(dims, x) => {
                let ty = self.operand(*x)?;
                self.ensure(ty.prim().is_some(), Rule::Replicate, || format!("there are no arrays of `{ty}`"))?;
                self.dims(Rule::Replicate, dims)
            }
            Exp::Scratch(dims, _) if dims.is_empty() => Ok(()),
            Exp::Scratch(dims, _) => self.dims(Rule::Replicate, dims),
            Exp::Concat(size, arrays) => {
                self.expect(Rule::Concat, *size, &Type::I64)?;
                let Some(first) = arrays.first() else { return self.fail(Rule::Concat, "there is no array") };
                let row = self.type_of(*first)?.row(1);
                for array in arrays {
                    self.array(Rule::Concat, *array)?;
                    let other = self.type_of(*array)?.row(1);
                    self.ensure(other == row, Rule::Concat, || {
                        format!("the rows of `{array}` are of type `{other}`, not `{row}`")
                    })?;
                }
                Ok(())
            }
            Exp::Rearrange(perm, a) => {
                let (dims, _) = self.array(Rule::Rearrange, *a)?;
                let mut sorted = perm.clone();
                sorted.sort_unstable();
                self.ensure(sorted.into_iter().eq(0..dims.len()), Rule::Rearrange, || {
                    format!("not a permutation of {} dimensions", dims.len())
                })
            }
            Exp::Reshape(dims, a) => {
                self.array(Rule::Reshape, *a)?;
                self.dims(Rule::Reshape, dims)
            }
            Exp::Resize(dims, a) => {
                let (old, _) = self.array(Rule::Reshape, *a)?;
                self.ensure(old.len() == dims.len(), Rule::Reshape, || {
                    format!("{} dimensions for {}", dims.len(), old.len())
                })?;
                self.dims(Rule::Reshape, dims)
            }
            Exp::Copy(a) => self.array(Rule::Copy, *a).map(|_| ()),
            Exp::FlatIndex(a, offset, dims) => {
                self.flat(*a, *offset)?;
                let all: Vec<Operand> = dims.iter().flat_map(|(n, stride)| [*n, *stride]).collect();
                self.dims(Rule::Flat, &all)
            }
            Exp::FlatUpdate(a, offset, strides, value) => {
                let prim = self.flat(*a, *offset)?;
                self.dims(Rule::Flat, strides)?;
                let (dims, elem) = self.array(Rule::Flat, *value)?;
                self.ensure(dims.len() == strides.len() && elem == prim, Rule::Flat, || {
                    format!("`{value}` has not {} dimensions and elements of type `{}`", strides.len(), prim.name())
                })
            }
            Exp::If(..)
            | Exp::Match(..)
            | Exp::Loop { .. }
            | Exp::Call(..)
            | Exp::Soac(_)
            | Exp::Par(_)
            | Exp::Mem(_)
            | Exp::Jvp(..)
            | Exp::Vjp(..) => unreachable!("an expression with parts of its own"),
        }
    }

    fn dims(&self, rule: Rule, dims: &[Operand]) -> Checked {
        self.ensure(!dims.is_empty(), rule, || "there is no dimension".to_string())?;
        self.expect_i64s(rule, dims)
    }

    fn flat(&self, array: Name, offset: Operand) -> Checked<Prim> {
        let (dims, prim) = self.array(Rule::Flat, array)?;
        self.ensure(dims.len() == 1, Rule::Flat, || format!("`{array}` has {} dimensions", dims.len()))?;
        self.expect(Rule::Flat, offset, &Type::I64)?;
        Ok(prim)
    }

    /// The type of a slice.
    fn slice(&self, rule: Rule, array: Name, slices: &[DimSlice]) -> Checked<Type> {
        let (dims, prim) = self.array(rule, array)?;
        self.ensure(dims.len() == slices.len(), rule, || {
            format!("{} indices and ranges for {} dimensions", slices.len(), dims.len())
        })?;
        for slice in slices {
            match slice {
                DimSlice::Fix(i) => self.expect(rule, *i, &Type::I64)?,
                DimSlice::Range { start, len, stride } => self.expect_i64s(rule, &[*start, *len, *stride])?,
            }
        }
        Ok(infer::slice(slices, prim))
    }

    /// Bodies of which one runs.
    fn branches(&mut self, bodies: &[&Body], pat: &[Param]) -> Checked<Memory> {
        let then = self.stores.now();
        let mut consumed = Vec::new();
        let mut memory: Vec<Set> = Vec::new();
        for body in bodies {
            let sets = self.scoped(|c| {
                let sets = c.body(body)?;
                c.results(Rule::Branch, &body.results, pat)?;
                Ok(sets)
            })?;
            consumed.extend(self.stores.rewind(then));
            memory = match memory.is_empty() {
                true => sets,
                false => memory.into_iter().zip(sets).map(|(a, b)| union([a, b])).collect(),
            };
        }
        // A result may lie in memory that another branch consumed. Whoever has it then is its only owner: nothing else
        // that lies there can be used any more.
        let gone: Vec<StoreId> = consumed.iter().map(|(id, _)| *id).collect();
        let memory = memory
            .into_iter()
            .zip(pat)
            .map(|(set, p)| {
                if set.iter().all(|id| !gone.contains(id)) {
                    return set;
                }
                let kept: Set = set.iter().copied().filter(|id| !gone.contains(id)).collect();
                union([kept, self.stores.make(p.name, false)])
            })
            .collect::<Vec<Set>>();
        self.stores.replay(consumed);
        Ok(memory.into_iter().map(Some).collect())
    }

    fn loop_(&mut self, params: &[(Param, Operand)], form: &LoopForm, body: &Body, pat: &[Param]) -> Checked<Memory> {
        let rule = Rule::Loop;
        let (params, inits): (Vec<Param>, Vec<Operand>) = params.iter().cloned().unzip();
        self.results(rule, &inits, &params)?;
        let set_of = |c: &Self, x: &Operand| union(x.name().map(|name| c.stores.of(name)));
        let start: Vec<Set> = inits.iter().map(|x| set_of(self, x)).collect();
        if let LoopForm::For(_, prim, n) = form {
            self.ensure(prim.is_integer(), rule, || no_operation("for", *prim))?;
            self.expect(rule, *n, &Type::Prim(*prim))?;
        }
        self.stores.enter_frame();
        let (next, own) = self.scoped(|c| {
            c.bind_together(params.iter())?;
            params.iter().for_each(|p| c.make_param(p));
            let own: Vec<Set> = params.iter().map(|p| c.stores.of(p.name)).collect();
            match form {
                LoopForm::For(i, prim, _) => c.bind_scalar(*i, *prim)?,
                LoopForm::While(cond) => {
                    let is_param = params.iter().any(|p| p.name == *cond);
                    c.ensure(is_param, rule, || format!("`{cond}` is not a parameter of the loop"))?;
                    c.expect(rule, (*cond).into(), &Type::BOOL)?;
                }
            }
            let next = c.body(body)?;
            c.results(rule, &body.results, &params)?;
            for (i, param) in params.iter().enumerate().filter(|(_, p)| p.unique) {
                let value = body.results[i];
                if let Some(name) = c.stores.foreign(&next[i]) {
                    let message = format!("the next value `{value}` of `{}` may alias `{name}`", param.name);
                    return c.fail(Rule::UniqueLoop, message);
                }
                let is_shared = next.iter().enumerate().any(|(j, other)| i != j && !disjoint(&next[i], other));
                c.ensure(!is_shared, Rule::UniqueLoop, || {
                    format!("the next value `{value}` of `{}` may alias that of another parameter", param.name)
                })?;
            }
            Ok((next, own))
        })?;
        self.stores.leave_frame();
        let subst: Subst = params.iter().map(|p| p.name).zip(pat.iter().map(|p| p.name)).collect();
        self.pattern(pat, &params.iter().map(|p| subst.ty(&p.ty)).collect::<Vec<Type>>())?;
        let own: Vec<Option<StoreId>> =
            params.iter().zip(own).map(|(p, set)| set.first().copied().filter(|_| !p.unique)).collect();
        let mut memory = Vec::with_capacity(params.len());
        for (i, param) in params.iter().enumerate() {
            let is_new = param.unique || matches!(param.ty, Type::Acc { .. });
            let set = (!is_new).then(|| close_over(&start, &next, &own, i));
            set.iter().for_each(|set| self.stores.adopt(set));
            memory.push(set);
        }
        Ok(memory)
    }
}

fn no_operation(op: &str, prim: Prim) -> String {
    format!("there is no `{op}` of type `{}`", prim.name())
}
