//! The types of second-order operators.

use super::alias::Set;
use super::exp::Memory;
use super::scope::Checker;
use super::{Checked, Rule};
use crate::exp::{AccInput, Exp, HistOp, Lambda, Reduce, Scan, ScatterDest, Soac};
use crate::name::Name;
use crate::prog::{Operand, Param};
use crate::types::Type;
use kenaz_base::Prim;

impl Checker<'_> {
    /// Checks an operator, which is all of `exp`, and the types of the pattern it is bound to.
    pub(super) fn soac(&mut self, exp: &Exp, soac: &Soac, pat: &[Param]) -> Checked<Memory> {
        match soac {
            Soac::Screma { width, arrays, map, scans, reduces, post } => {
                self.inputs(*width, arrays, map, true)?;
                let mut rest = &map.ret[..];
                let operators = scans.iter().map(|Scan { op, neutral }| (op, neutral));
                let operators =
                    operators.chain(reduces.iter().map(|Reduce { op, neutral, commutative: _ }| (op, neutral)));
                for (op, neutral) in operators {
                    let Some((elems, others)) = rest.split_at_checked(neutral.len()) else {
                        let message = "the function yields fewer values than are scanned and reduced";
                        return self.fail(Rule::Screma, message);
                    };
                    for ty in elems {
                        self.ensure(ty.prim().is_some(), Rule::Screma, || format!("`{ty}` cannot be combined"))?;
                    }
                    self.operator(op, neutral, elems)?;
                    rest = others;
                }
                self.ensure(!rest.contains(&Type::Cert), Rule::Screma, || "certificates cannot be collected".into())?;
                self.lambda(map)?;
                if let Some(post) = post {
                    let scanned: usize = scans.iter().map(|s| s.neutral.len()).sum();
                    self.post(post, map.ret[..scanned].iter().chain(rest))?;
                }
                self.inferred(exp, pat)?;
                Ok(vec![None; pat.len()])
            }
            Soac::Filter { width, arrays, pred } => {
                self.inputs(*width, arrays, pred, false)?;
                let Some((Type::Prim(Prim::Bool), values)) = pred.ret.split_first() else {
                    return self.fail(Rule::Filter, "the function yields no `bool`");
                };
                for ty in values {
                    self.ensure(ty.prim().is_some(), Rule::Filter, || format!("`{ty}` cannot be collected"))?;
                }
                self.lambda(pred)?;
                let mut types = vec![Type::I64];
                if let Some(count) = pat.first() {
                    if values.is_empty() {
                        for array in arrays {
                            types.push(self.type_of(*array)?.row(1).array_of(count.name.into()));
                        }
                    }
                    types.extend(values.iter().map(|ty| ty.array_of(count.name.into())));
                }
                self.pattern(pat, &types)?;
                Ok(vec![None; pat.len()])
            }
            Soac::Scatter { width, arrays, map, dests } => {
                self.inputs(*width, arrays, map, false)?;
                let mut values = Vec::new();
                for ScatterDest { array, rank } in dests {
                    let (dims, prim) = self.array(Rule::Scatter, *array)?;
                    values.push(self.row(Rule::Scatter, &dims, prim, *rank)?);
                }
                let ranks = dests.iter().map(|d| d.rank).sum();
                self.yields(Rule::Scatter, map, ranks, &values)?;
                self.lambda(map)?;
                self.inferred(exp, pat)?;
                Ok(vec![None; pat.len()])
            }
            Soac::Hist { width, arrays, map, ops } => {
                self.inputs(*width, arrays, map, false)?;
                let mut values = Vec::new();
                for HistOp { dests, rank, op, neutral } in ops {
                    let mut shape = None;
                    let mut elems = Vec::new();
                    for dest in dests {
                        let (dims, prim) = self.array(Rule::Hist, *dest)?;
                        elems.push(self.row(Rule::Hist, &dims, prim, *rank)?);
                        let first = shape.get_or_insert_with(|| dims[..*rank].to_vec());
                        self.ensure(*first == dims[..*rank], Rule::Hist, || {
                            format!("`{dest}` has not the outer dimensions of the first destination")
                        })?;
                    }
                    self.operator(op, neutral, &elems)?;
                    values.extend(elems);
                }
                let ranks = ops.iter().map(|op| op.rank).sum();
                self.yields(Rule::Hist, map, ranks, &values)?;
                self.lambda(map)?;
                self.inferred(exp, pat)?;
                Ok(vec![None; pat.len()])
            }
            Soac::WithAcc { inputs, body } => self.with_acc(exp, inputs, body, pat),
            Soac::UpdateAcc { acc, index, values } => {
                let rule = Rule::UpdateAcc;
                let Type::Acc { shape, elems, .. } = self.type_of(*acc)? else {
                    return self.fail(rule, format!("`{acc}` is not an accumulator"));
                };
                let fits = shape.len() == index.len() && elems.len() == values.len();
                self.ensure(fits, rule, || {
                    let (indices, values) = (index.len(), values.len());
                    format!(
                        "{indices} indices and {values} values where {} and {} are needed",
                        shape.len(),
                        elems.len()
                    )
                })?;
                self.expect_i64s(rule, index)?;
                values.iter().zip(elems).try_for_each(|(x, ty)| self.expect(rule, *x, ty))?;
                self.inferred(exp, pat)?;
                Ok(vec![None])
            }
        }
    }

    /// Checks that arrays have the width as outer size, and that the function takes their rows.
    fn inputs(&self, width: Operand, arrays: &[Name], function: &Lambda, may_accumulate: bool) -> Checked {
        self.expect(Rule::Width, width, &Type::I64)?;
        self.ensure(arrays.len() == function.params.len(), Rule::LambdaParams, || {
            format!("the function has {} parameters for {} arrays", function.params.len(), arrays.len())
        })?;
        for (array, param) in arrays.iter().zip(&function.params) {
            let ty = self.type_of(*array)?;
            let fits = match ty {
                Type::Array(dims, _) => dims.first() == Some(&width),
                Type::Acc { .. } => may_accumulate,
                Type::Prim(_) | Type::Cert | Type::Mem(_) => false,
            };
            self.ensure(fits, Rule::Width, || {
                format!("`{array}` is of type `{ty}`, not an array of outer size `{width}`")
            })?;
            let row = ty.row(1);
            self.ensure(param.ty == row, Rule::LambdaParams, || {
                format!("the parameter `{param}` takes rows of `{array}`, of type `{row}`")
            })?;
        }
        Ok(())
    }

    /// Checks the function that makes the collected values of a screma from these.
    fn post<'t>(&mut self, post: &'t Lambda, values: impl Iterator<Item = &'t Type> + Clone) -> Checked {
        let rule = Rule::Screma;
        for ty in values.clone().chain(&post.ret) {
            self.ensure(ty.prim().is_some(), rule, || format!("`{ty}` does not go through a last function"))?;
        }
        self.ensure(post.params.iter().map(|p| &p.ty).eq(values), rule, || {
            "the last function does not take what is scanned and the rest".to_string()
        })?;
        let unique = post.params.iter().find(|p| p.unique);
        self.ensure(unique.is_none(), rule, || "a parameter of the last function is unique".to_string())?;
        self.lambda(post).map(|_| ())
    }

    /// Checks a function that combines two values of each type into one.
    fn operator(&mut self, op: &Lambda, neutral: &[Operand], elems: &[Type]) -> Checked {
        self.combining(Rule::Operator, op, neutral, elems)
    }

    /// The same under another rule.
    pub(super) fn combining(&mut self, rule: Rule, op: &Lambda, neutral: &[Operand], elems: &[Type]) -> Checked {
        self.ensure(neutral.len() == elems.len(), rule, || {
            format!("{} neutral elements for {} values", neutral.len(), elems.len())
        })?;
        neutral.iter().zip(elems).try_for_each(|(x, ty)| self.expect(rule, *x, ty))?;
        self.ensure(op.params.iter().map(|p| &p.ty).eq(elems.iter().chain(elems)), rule, || {
            "the operator does not take two values of each type".to_string()
        })?;
        self.ensure(op.ret == elems, rule, || "the operator does not yield a value of each type".to_string())?;
        let unique = op.params.iter().find(|p| p.unique);
        self.ensure(unique.is_none(), rule, || "a parameter of the operator is unique".to_string())?;
        self.lambda(op).map(|_| ())
    }

    /// The type of what is left of an array when `rank` dimensions are indexed.
    pub(super) fn row(&self, rule: Rule, dims: &[Operand], prim: Prim, rank: usize) -> Checked<Type> {
        self.ensure((1..=dims.len()).contains(&rank), rule, || {
            format!("{rank} indices for a destination of {} dimensions", dims.len())
        })?;
        Ok(Type::Prim(prim).with_outer(&dims[rank..]))
    }

    /// Checks that a function yields this number of indices and then values of these types.
    fn yields(&self, rule: Rule, function: &Lambda, indices: usize, values: &[Type]) -> Checked {
        let wanted = std::iter::repeat_n(&Type::I64, indices).chain(values);
        self.ensure(function.ret.iter().eq(wanted), rule, || {
            format!("the function does not yield {indices} indices and then the values for the destinations")
        })
    }

    fn with_acc(&mut self, exp: &Exp, inputs: &[AccInput], body: &Lambda, pat: &[Param]) -> Checked<Memory> {
        let rule = Rule::WithAcc;
        let (tokens, accs) = body.params.split_at(inputs.len().min(body.params.len()));
        self.ensure(tokens.len() == inputs.len() && accs.len() == inputs.len(), rule, || {
            format!("the function has {} parameters for {} accumulators", body.params.len(), inputs.len())
        })?;
        for (i, AccInput { shape, dests, op }) in inputs.iter().enumerate() {
            self.expect_i64s(rule, shape)?;
            self.ensure(!shape.is_empty() && !dests.is_empty(), rule, || "an accumulator of nothing".to_string())?;
            let mut elems = Vec::new();
            for dest in dests {
                let (dims, prim) = self.array(rule, *dest)?;
                self.ensure(dims.starts_with(shape), rule, || {
                    format!("the shape of the accumulator is not that of `{dest}`")
                })?;
                elems.push(Type::Prim(prim).with_outer(&dims[shape.len()..]));
            }
            if let Some((op, neutral)) = op {
                self.operator(op, neutral, &elems)?;
            }
            self.ensure(tokens[i].ty == Type::Cert, rule, || format!("`{}` is not a `cert`", tokens[i]))?;
            let acc = Type::Acc { token: tokens[i].name, shape: shape.clone(), elems };
            self.ensure(accs[i].ty == acc, rule, || format!("`{}` is not of type `{acc}`", accs[i]))?;
            self.ensure(body.ret.get(i) == Some(&acc), rule, || {
                format!("the function does not yield the accumulator `{}` in its place", accs[i].name)
            })?;
        }
        let sets = self.lambda_once(body)?;
        self.inferred(exp, pat)?;
        let arrays: usize = inputs.iter().map(|input| input.dests.len()).sum();
        let others = sets.into_iter().skip(inputs.len()).map(Some);
        Ok(std::iter::repeat_n(None::<Set>, arrays).chain(others).collect())
    }
}
