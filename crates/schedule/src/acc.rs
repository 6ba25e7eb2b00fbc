//! Accumulators as the arrays that they stand for.
//!
//! `with_acc` becomes the statements of its body, in which each accumulator stands for its arrays; what yields an
//! accumulator yields the arrays. An update tests its indices and updates the arrays in place:
//!
//! ```text
//! let acc_2 = update_acc acc_1 (i) (v)
//!   ⇒ let c = … 0 <= i and i < n …
//!     let a_2: [n]f32 = if c then {
//!       let x = index a_1[i]
//!       let y = add x v
//!       let a_3 = update a_1[i] = y
//!       in a_3
//!     } else { in a_1 }
//! ```
//!
//! An operator that goes element by element needs no test and no array for the new row:
//! `par (j < m) acc (a_1) rank 2 (0f32) ⊕ { let w = index v[j] in i, j, w }`.

use crate::serial::row_slices;
use crate::walk::{At, Walk};
use kenaz_ir::visit::{copy_lambda, instantiate};
use kenaz_ir::{AccInput, BinOp, CmpOp, Exp, Form, Lambda, Name, Operand, Par, Param, Plan, Type};

/// How the accumulators with a token combine values, with the neutral elements; without that the last value stays.
pub(crate) type Token = Option<(Lambda, Vec<Operand>)>;

/// Values that are to be combined with what is at a place in arrays of the same outer shape.
pub(crate) struct Update<'u> {
    pub dests: &'u [Name],
    pub index: &'u [Operand],
    pub values: &'u [Operand],
    pub op: Option<(&'u Lambda, &'u [Operand])>,
}

impl Walk<'_> {
    pub(crate) fn with_acc(&mut self, at: &At, pat: Vec<Param>, inputs: Vec<AccInput>, body: Lambda) {
        self.refuse_level(at, "accumulators are updated here");
        let (tokens, accs) = body.params.split_at(inputs.len());
        let count = inputs.len();
        for ((input, token), acc) in inputs.into_iter().zip(tokens).zip(accs) {
            self.tokens.insert(token.name, input.op);
            self.b.declare(acc.name, acc.ty.clone());
            self.accs.insert(acc.name, input.dests);
        }
        let results = self.splice(body.body);
        let arrays = self.expand(&results[..count]);
        for (param, x) in pat.into_iter().zip(arrays.into_iter().chain(results[count..].iter().copied())) {
            self.alias(&at.plain(), param, x);
        }
    }

    pub(crate) fn update_acc(&mut self, at: &At, pat: Vec<Param>, acc: Name, index: &[Operand], values: &[Operand]) {
        let Some(param) = pat.first() else { return };
        let Type::Acc { token, .. } = &param.ty else { panic!("`{param}` is not an accumulator") };
        let dests = self.accs.get(&acc).cloned().unwrap_or_default();
        let op = self.tokens.get(token).cloned().flatten();
        // The operator is inlined at each update.
        let op = op.map(|(op, neutral)| (copy_lambda(&op, &mut self.b.fresh), neutral));
        let with = op.as_ref().map(|(op, neutral)| (op, &neutral[..]));
        let updated = self.update_places(at, &Update { dests: &dests, index, values, op: with });
        self.accs.insert(param.name, updated);
        self.b.declare(param.name, param.ty.clone());
    }

    /// The arrays after an update.
    pub(crate) fn update_places(&mut self, at: &At, update: &Update) -> Vec<Name> {
        self.b.loc = at.loc();
        let types: Vec<Type> = update.dests.iter().map(|d| self.b.type_of(*d)).collect();
        let pat: Vec<Param> =
            update.dests.iter().zip(&types).map(|(dest, ty)| self.b.param(dest.base.as_str(), ty.clone())).collect();
        let names = pat.iter().map(|p| p.name).collect();
        if let Some(par) = self.elementwise(update) {
            self.add(at, pat, Exp::Par(par));
            return names;
        }
        let inside = self.in_bounds(&types[0].dims()[..update.index.len()], update.index);
        self.b.begin();
        let new = match update.op {
            None => update.values.to_vec(),
            Some((op, _)) => {
                let mut args: Vec<Operand> =
                    update.dests.iter().map(|dest| self.b.index(*dest, update.index.to_vec())).collect();
                args.extend(update.values);
                let body = instantiate(&op.params, &op.body, &args, &mut self.b.fresh);
                let combined = self.splice(body);
                self.b.loc = at.loc();
                // A combined value may still lie in the array that is updated, so it is copied.
                combined.iter().zip(&op.ret).map(|(x, ty)| self.own(*x, ty, &mut Vec::new())).collect()
            }
        };
        let mut updated = Vec::new();
        for ((dest, ty), x) in update.dests.iter().zip(&types).zip(new) {
            let slices = row_slices(ty, update.index);
            let exp = Exp::Update(*dest, slices, x);
            updated.push(self.b.let_exp(dest.base.as_str(), exp, ty.clone()).into());
        }
        let yes = self.b.end(updated);
        self.b.begin();
        let no = self.b.end(update.dests.iter().map(|d| (*d).into()).collect());
        self.add(at, pat, Exp::If(inside, yes, no));
        names
    }

    /// The update by an operator over arrays that goes element by element.
    fn elementwise(&mut self, update: &Update) -> Option<Par> {
        let (op, neutral) = update.op?;
        let values = update.values.iter().map(|x| x.name()).collect::<Option<Vec<Name>>>()?;
        let vector = self.vector(op, neutral)?;
        let op = copy_lambda(&vector.op, &mut self.b.fresh);
        let op = self.lambda(op);
        let space: Vec<(Name, Operand)> = vector.shape.iter().map(|n| (self.b.name("j", Type::I64), *n)).collect();
        let inner: Vec<Operand> = space.iter().map(|(j, _)| (*j).into()).collect();
        self.b.begin();
        let mut results = [update.index, &inner].concat();
        for value in values {
            results.push(self.b.index(value, inner.clone()));
        }
        let body = self.b.end(results);
        let rank = update.index.len() + inner.len();
        let form = Form::Acc { dests: update.dests.to_vec(), rank, op, neutral: vector.neutral };
        Some(Par { level: None, space, plan: Plan::default(), ops: Vec::new(), body, post: None, forms: vec![form] })
    }

    /// Whether indices are in the bounds of these dimensions.
    fn in_bounds(&mut self, dims: &[Operand], index: &[Operand]) -> Operand {
        let mut inside = Operand::bool(true);
        for (n, i) in dims.iter().zip(index) {
            let low = self.b.cmp(CmpOp::Le, Operand::i64(0), *i);
            let high = self.b.cmp(CmpOp::Lt, *i, *n);
            let both = self.b.bin(BinOp::And, low, high);
            inside = if inside == Operand::bool(true) { both } else { self.b.bin(BinOp::And, inside, both) };
        }
        inside
    }
}
