//! The types of `par`, which levels may stand in which, and blocks.

use super::alias::Set;
use super::exp::Memory;
use super::scope::Checker;
use super::{Checked, Rule};
use crate::exp::Lambda;
use crate::mem::{MemExp, Slots, Space};
use crate::par::{Form, Level, OpKind, Par, ParOp, Post};
use crate::prog::{Body, Operand, Param};
use crate::types::Type;
use kenaz_base::Symbol;

impl Checker<'_> {
    /// Checks a `par`, whose direct uses are checked, and the types of the pattern it is bound to.
    pub(super) fn par(&mut self, par: &Par, pat: &[Param]) -> Checked<Memory> {
        self.nesting(par.level)?;
        let bounds: Vec<Operand> = par.space.iter().map(|(_, n)| *n).collect();
        self.ensure(!bounds.is_empty(), Rule::ParSpace, || "there is no dimension".to_string())?;
        self.expect_i64s(Rule::ParSpace, &bounds)?;
        let scans = par.scans().count();
        self.ensure(scans == 0 || bounds.len() == 1, Rule::ParSpace, || {
            format!("a scan over a space of {} dimensions", bounds.len())
        })?;
        let is_scan = |op: &ParOp| op.kind == OpKind::Scan;
        self.ensure(par.ops.iter().take(scans).all(is_scan), Rule::ParOperator, || {
            "a scan comes after a reduction".to_string()
        })?;
        self.ensure(par.post.is_some() == (scans > 0), Rule::ParPost, || match par.post {
            Some(_) => "a `post` without a scan".to_string(),
            None => "a scan without a `post`".to_string(),
        })?;
        self.plan(par, pat)?;
        self.levels.extend(par.level);
        let mut operands = Vec::new();
        for op in &par.ops {
            operands.extend(self.par_op(op)?);
        }
        for form in &par.forms {
            self.form(form)?;
        }
        self.stores.enter_frame();
        let values = self.scoped(|c| {
            for (i, _) in &par.space {
                c.bind_together([Param::new(*i, Type::I64)].iter())?;
            }
            c.body(&par.body)?;
            let mut values = c.yielded(&par.body, &operands, par.post.is_none())?;
            if let Some(post) = &par.post {
                values = c.post_body(post, par)?;
            }
            Ok(values)
        })?;
        self.stores.leave_frame();
        if par.level.is_some() {
            self.levels.pop();
        }
        let mut types: Vec<Type> = operands[operands.len() - par.reduced()..].to_vec();
        let mut values = &values[..];
        for form in &par.forms {
            let Some((mine, rest)) = values.split_at_checked(form.operands()) else {
                return self.fail(Rule::ParBody, "the body yields fewer values than the forms need");
            };
            values = rest;
            types.extend(self.formed(form, mine, &bounds, pat.get(types.len()))?);
        }
        self.ensure(values.is_empty(), Rule::ParBody, || {
            format!("the body yields {} values more than the forms need", values.len())
        })?;
        self.pattern(pat, &types)?;
        Ok(vec![None::<Set>; pat.len()])
    }

    /// Checks an operator; gives the types of its operands.
    fn par_op(&mut self, op: &ParOp) -> Checked<Vec<Type>> {
        let ParOp { kind, lambda, neutral, shape } = op;
        self.ensure(*kind != OpKind::Scan || shape.is_empty(), Rule::ParOperator, || {
            "a scan has a vector shape".to_string()
        })?;
        self.expect_i64s(Rule::ParOperator, shape)?;
        self.scalar_operator(lambda, neutral)?;
        Ok(lambda.ret.iter().map(|ty| ty.with_outer(shape)).collect())
    }

    /// Checks a function that combines two scalars of each type into one.
    fn scalar_operator(&mut self, lambda: &Lambda, neutral: &[Operand]) -> Checked {
        for ty in &lambda.ret {
            self.ensure(matches!(ty, Type::Prim(_)), Rule::ParOperator, || {
                format!("the operator yields `{ty}`, which is not a scalar")
            })?;
        }
        self.combining(Rule::ParOperator, lambda, neutral, &lambda.ret)
    }

    /// Checks the destinations of a form before the body runs.
    fn form(&mut self, form: &Form) -> Checked {
        match form {
            Form::Own => Ok(()),
            Form::Tile(dims) => self.expect_i64s(Rule::ParTile, dims),
            Form::Write { dest, rank } => {
                let (dims, prim) = self.array(Rule::ParBody, *dest)?;
                self.row(Rule::ParBody, &dims, prim, *rank).map(|_| ())
            }
            Form::Acc { dests, rank, op, neutral } => {
                self.ensure(!dests.is_empty(), Rule::ParBody, || "an `acc` into nothing".to_string())?;
                let mut first = None;
                let mut elems = Vec::new();
                for dest in dests {
                    let (dims, prim) = self.array(Rule::ParBody, *dest)?;
                    self.row(Rule::ParBody, &dims, prim, *rank)?;
                    elems.push(Type::Prim(prim));
                    let first = first.get_or_insert_with(|| dims.clone());
                    self.ensure(*first == dims, Rule::ParBody, || {
                        format!("`{dest}` has not the shape of the first destination")
                    })?;
                }
                self.ensure(op.ret == elems, Rule::ParBody, || {
                    "the operator of `acc` does not yield what is in the destinations".to_string()
                })?;
                self.scalar_operator(op, neutral)
            }
        }
    }

    /// Checks the operands of the operators at the end of a body; gives the types of what the forms get, if they get it
    /// from this body.
    fn yielded(&self, body: &Body, operands: &[Type], has_forms: bool) -> Checked<Vec<Type>> {
        let Some((mine, rest)) = body.results.split_at_checked(operands.len()) else {
            let message = format!("the body yields {} values for {} operands", body.results.len(), operands.len());
            return self.fail(Rule::ParBody, message);
        };
        mine.iter().zip(operands).try_for_each(|(x, ty)| self.expect(Rule::ParBody, *x, ty))?;
        self.ensure(has_forms || rest.is_empty(), Rule::ParBody, || {
            format!("the body yields {} values more than the operators need", rest.len())
        })?;
        rest.iter().map(|x| self.operand(*x)).collect()
    }

    fn post_body(&mut self, post: &Post, par: &Par) -> Checked<Vec<Type>> {
        let scanned = par.scans().flat_map(|op| &op.lambda.ret);
        self.ensure(post.params.iter().map(|p| &p.ty).eq(scanned), Rule::ParPost, || {
            "the parameters of `post` are not what the scans make".to_string()
        })?;
        self.bind_together(post.params.iter())?;
        self.body(&post.body)?;
        post.body.results.iter().map(|x| self.operand(*x)).collect()
    }

    /// The types of the results of a form whose values have these types; `stated` is what the pattern says of the
    /// first.
    fn formed(&self, form: &Form, values: &[Type], bounds: &[Operand], stated: Option<&Param>) -> Checked<Vec<Type>> {
        let collectable =
            |ty: &Type| self.ensure(ty.prim().is_some(), Rule::ParBody, || format!("there are no arrays of `{ty}`"));
        let indices = |rank: usize| {
            values[..rank].iter().try_for_each(|ty| {
                self.ensure(*ty == Type::I64, Rule::ParBody, || format!("an index is of type `{ty}`, not `i64`"))
            })
        };
        match form {
            Form::Own => {
                collectable(&values[0])?;
                Ok(vec![values[0].with_outer(bounds)])
            }
            Form::Tile(tile) => {
                collectable(&values[0])?;
                let dims = values[0].dims();
                self.ensure(tile.len() == bounds.len() && dims.starts_with(tile), Rule::ParBody, || {
                    format!("`{}` is no tile of these dimensions", values[0])
                })?;
                let Some(stated) = stated.filter(|p| p.ty.rank() >= bounds.len()) else {
                    return self.fail(Rule::Pattern, "there is no name for the tiles");
                };
                let outer = &stated.ty.dims()[..bounds.len()];
                for ((n, t), size) in bounds.iter().zip(tile).zip(outer) {
                    self.ensure(self.is_product(*size, *n, *t), Rule::ParTile, || {
                        format!("the size `{size}` is not `{n}` times `{t}`")
                    })?;
                }
                Ok(vec![values[0].row(tile.len()).with_outer(outer)])
            }
            Form::Write { dest, rank } => {
                indices(*rank)?;
                let ty = self.type_of(*dest)?;
                self.ensure(values[*rank] == ty.row(*rank), Rule::ParBody, || {
                    format!("a value of type `{}` is written to `{dest}` of type `{ty}`", values[*rank])
                })?;
                Ok(vec![ty.clone()])
            }
            Form::Acc { dests, rank, .. } => {
                indices(*rank)?;
                let mut types = Vec::new();
                for (dest, value) in dests.iter().zip(&values[*rank..]) {
                    let ty = self.type_of(*dest)?;
                    self.ensure(*value == ty.row(*rank), Rule::ParBody, || {
                        format!("a value of type `{value}` is added to `{dest}` of type `{ty}`")
                    })?;
                    types.push(ty.clone());
                }
                Ok(types)
            }
        }
    }

    /// Whether a size is evidently the product of two others.
    fn is_product(&self, size: Operand, n: Operand, t: Operand) -> bool {
        let constant = |x: Operand| match x {
            Operand::Const(c) => c.as_i64(),
            Operand::Var(_) => None,
        };
        match (constant(size), constant(n), constant(t)) {
            (Some(size), Some(n), Some(t)) => n.checked_mul(t) == Some(size),
            (_, Some(1), _) => size == t,
            (_, _, Some(1)) => size == n,
            _ => size.name().and_then(|name| self.products.get(&name)).is_some_and(|p| *p == (n, t) || *p == (t, n)),
        }
    }

    // Levels

    fn nesting(&mut self, level: Option<Level>) -> Checked {
        let Some(level) = level else { return Ok(()) };
        if self.levels.is_empty() {
            let mine = self.outermost.entry(self.current()).or_default();
            if !mine.contains(&level) {
                mine.push(level);
            }
        }
        self.nested(level)
    }

    fn nested(&self, level: Level) -> Checked {
        let around = self.levels.last();
        self.ensure(level.may_stand_in(around.copied()), Rule::Nesting, || match around {
            Some(around) => format!("`{level}` stands in `{around}`"),
            None => format!("`{level}` stands in host code"),
        })
    }

    /// Checks the levels in a function where it is called.
    pub(super) fn nested_call(&mut self, f: Symbol) -> Checked {
        for level in self.outermost.get(&f).cloned().unwrap_or_default() {
            self.nesting(Some(level))?;
        }
        Ok(())
    }

    // Blocks

    pub(super) fn mem(&self, mem: &MemExp) -> Checked {
        match mem {
            MemExp::Alloc(space, bytes) => self.alloc(*space, *bytes),
            MemExp::AllocEach(Slots { level, space, bytes, most, .. }) => {
                self.alloc(*space, *bytes)?;
                let is_reached = *space != Space::Private && space.is_reached_from(Some(*level));
                self.ensure(is_reached, Rule::Alloc, || {
                    format!("the workers of `{level}` can have no slots in `{space}` memory")
                })?;
                most.map_or(Ok(()), |most| self.expect(Rule::Alloc, most, &Type::I64))
            }
            MemExp::Free(block) | MemExp::Share(block) | MemExp::Slot(block) => {
                let ty = self.type_of(*block)?;
                self.ensure(matches!(ty, Type::Mem(_)), Rule::Alloc, || {
                    format!("`{block}` is of type `{ty}`, not a block")
                })
            }
        }
    }

    fn alloc(&self, space: Space, bytes: Operand) -> Checked {
        // The lanes of a vector unit are one thread.
        let around = self.levels.iter().rev().find(|level| !matches!(level, Level::Simd(_))).copied();
        let is_right = match (space, around) {
            // One for all lanes, which they would all call their own.
            (Space::Shared, _) => around == Some(Level::Block),
            // The code there is the host's until `imp` says what it leaves to the device.
            (Space::Device, None) => true,
            _ => space.is_reached_from(around),
        };
        self.ensure(is_right, Rule::Alloc, || match around {
            _ if space == Space::Shared && !self.levels.contains(&Level::Block) => {
                "`shared` memory outside `block`".to_string()
            }
            Some(around) => format!("`{space}` memory is allocated in `{around}`"),
            None => format!("`{space}` memory is allocated in host code"),
        })?;
        self.expect(Rule::Alloc, bytes, &Type::I64)
    }
}
