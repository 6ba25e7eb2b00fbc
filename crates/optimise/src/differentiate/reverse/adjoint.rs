//! Adjoints: where they are, and how something is added to them.

use super::super::arrays::{plus, zero};
use super::super::{Derived, arrays};
use super::{Reverse, all_fixed};
use kenaz_ir::{AccInput, BinOp, Body, DimSlice, Exp, Lambda, Name, Operand, Param, Soac, Type};

/// The adjoint of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Adj {
    Value(Operand),
    /// Of an array of scalars: zero but for one element.
    One(One),
    /// Of an array from outside of operators that run in parallel: an accumulator, with a place for each element.
    Acc(Name),
}

/// The only element of an array that has an adjoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct One {
    pub place: Operand,
    /// Whether there is such a place.
    pub is_inside: Operand,
    pub value: Operand,
}

impl Reverse<'_> {
    /// The adjoint of a variable whose statement is next, after which nobody adds to it.
    pub(super) fn take(&mut self, name: Name) -> Option<Operand> {
        match self.adjoints.remove(&name)? {
            Adj::Value(x) => Some(x),
            Adj::One(one) => Some(self.spread_out(name, one)),
            Adj::Acc(_) => None,
        }
    }

    /// All elements of an adjoint of which one is known, and all others are zero.
    pub(super) fn spread_out(&mut self, name: Name, One { place, is_inside, value }: One) -> Operand {
        let ty = self.cx.b.type_of(name);
        let nothing = zero(&mut self.cx.b, &ty);
        let no = arrays::named(&mut self.cx.b, nothing);
        let yes = self.cx.b.body(|b| {
            let nothing = zero(b, &ty);
            let nothing = arrays::named(b, nothing);
            vec![b.update(nothing, vec![DimSlice::Fix(place)], value).into()]
        });
        let no = Body { stms: Vec::new(), results: vec![no.into()] };
        self.cx.b.if_(is_inside, yes, no, vec![ty])[0].into()
    }

    pub(super) fn adjoint_or_zero(&mut self, name: Name) -> Operand {
        match self.adjoints.get(&name) {
            Some(Adj::Value(x)) => *x,
            Some(Adj::One(one)) => {
                let one = *one;
                self.spread_out(name, one)
            }
            Some(Adj::Acc(acc)) => (*acc).into(),
            None => {
                let ty = self.cx.b.type_of(name);
                zero(&mut self.cx.b, &ty)
            }
        }
    }

    /// Adds to the adjoint of a variable.
    pub(super) fn add(&mut self, x: Operand, part: Operand) {
        let Operand::Var(name) = x else { return };
        if !self.active.contains(&name) || arrays::is_zero(part) {
            return;
        }
        let ty = self.cx.b.type_of(name);
        match self.adjoints.get(&name).copied() {
            None => {
                self.adjoints.insert(name, Adj::Value(part));
            }
            Some(Adj::Value(_) | Adj::One(_)) => {
                let old = self.adjoint_or_zero(name);
                let sum = plus(&mut self.cx.b, &ty, old, part);
                self.adjoints.insert(name, Adj::Value(sum));
            }
            Some(Adj::Acc(acc)) => {
                let dims = arrays::slice_at(&ty, &[]);
                let acc = self.accumulate(acc, &dims, Vec::new(), part);
                self.adjoints.insert(name, Adj::Acc(acc));
            }
        }
    }

    /// Adds to a slice of the adjoint of an array.
    pub(super) fn add_at(&mut self, array: Name, dims: &[DimSlice], part: Operand) {
        if !self.active.contains(&array) || arrays::is_zero(part) {
            return;
        }
        let ty = self.cx.b.type_of(array);
        match self.adjoints.get(&array).copied() {
            None => {
                let nothing = zero(&mut self.cx.b, &ty);
                let nothing = arrays::named(&mut self.cx.b, nothing);
                let sum = self.cx.b.update(nothing, dims.to_vec(), part);
                self.adjoints.insert(array, Adj::Value(sum.into()));
            }
            Some(Adj::Value(_) | Adj::One(_)) => {
                let old = self.adjoint_or_zero(array);
                let old = arrays::named(&mut self.cx.b, old);
                let before = match all_fixed(dims) {
                    Some(index) => self.cx.b.index(old, index),
                    None => self.cx.b.slice(old, dims.to_vec()).into(),
                };
                let slice_ty = self.cx.b.type_of(before);
                let sum = plus(&mut self.cx.b, &slice_ty, before, part);
                let sum = self.cx.b.update(old, dims.to_vec(), sum);
                self.adjoints.insert(array, Adj::Value(sum.into()));
            }
            Some(Adj::Acc(acc)) => {
                let acc = self.accumulate(acc, dims, Vec::new(), part);
                self.adjoints.insert(array, Adj::Acc(acc));
            }
        }
    }

    /// Adds a value to a slice of an accumulator, from the outermost dimension to the innermost.
    fn accumulate(&mut self, acc: Name, dims: &[DimSlice], mut index: Vec<Operand>, part: Operand) -> Name {
        let Some((dim, rest)) = dims.split_first() else {
            let soac = Soac::UpdateAcc { acc, index, values: vec![part] };
            return self.cx.b.let_infer("acc", Exp::Soac(soac));
        };
        match dim {
            DimSlice::Fix(i) => {
                index.push(*i);
                self.accumulate(acc, rest, index, part)
            }
            DimSlice::Range { start, len, stride } => {
                let prim = kenaz_base::Prim::I64;
                let places = Exp::Iota { len: *len, start: *start, stride: *stride, prim };
                let places = self.cx.b.let_infer("places", places);
                let part = arrays::named(&mut self.cx.b, part);
                let acc_ty = self.cx.b.type_of(acc);
                let types = [acc_ty.clone(), Type::I64, self.cx.b.type_of(part).row(1)];
                let params: Vec<Param> = types.iter().map(|ty| self.cx.b.param("x", ty.clone())).collect();
                self.cx.b.begin();
                index.push(params[1].name.into());
                let after = self.accumulate(params[0].name, rest, index, params[2].name.into());
                let body = self.cx.b.end(vec![after.into()]);
                let map = Lambda { params, body, ret: vec![acc_ty] };
                self.cx.b.map(*len, vec![acc, places, part], map)[0]
            }
        }
    }

    /// Runs `f` with accumulators for the adjoints of arrays; gives what it yields besides.
    pub(super) fn with_accs(
        &mut self,
        arrays: &[Name],
        f: impl FnOnce(&mut Self) -> Derived<Vec<Operand>>,
    ) -> Derived<Vec<Name>> {
        let (mut inputs, mut tokens, mut accs) = (Vec::new(), Vec::new(), Vec::new());
        for array in arrays {
            let ty = self.cx.b.type_of(*array);
            let before = self.adjoint_or_zero(*array);
            let dest = arrays::named(&mut self.cx.b, before);
            let elem = ty.row(ty.rank());
            let op = arrays::plus_lambda(&mut self.cx.b, &elem);
            let neutral = vec![zero(&mut self.cx.b, &elem)];
            inputs.push(AccInput { shape: ty.dims().to_vec(), dests: vec![dest], op: Some((op, neutral)) });
            let token = self.cx.b.param("token", Type::Cert);
            let acc_ty = Type::Acc { token: token.name, shape: ty.dims().to_vec(), elems: vec![elem] };
            let acc = self.cx.b.param("acc", acc_ty);
            self.adjoints.insert(*array, Adj::Acc(acc.name));
            tokens.push(token);
            accs.push(acc);
        }
        self.cx.b.begin();
        let others = f(self);
        let after = arrays.iter().map(|a| match self.adjoints.get(a) {
            Some(Adj::Acc(acc)) => Operand::Var(*acc),
            _ => Operand::bool(false),
        });
        let mut results: Vec<Operand> = after.collect();
        results.extend(others.as_ref().ok().into_iter().flatten());
        let body = self.cx.b.end(results);
        others?;
        let ret = body.results.iter().map(|x| self.cx.b.type_of(*x)).collect();
        let params = tokens.into_iter().chain(accs).collect();
        let soac = Soac::WithAcc { inputs, body: Lambda { params, body, ret } };
        let names = self.cx.b.let_infer_all("adj", Exp::Soac(soac));
        for (array, name) in arrays.iter().zip(&names) {
            self.adjoints.insert(*array, Adj::Value((*name).into()));
        }
        Ok(names[arrays.len()..].to_vec())
    }

    /// Adds the elements of an array to places of another, at which several may meet.
    pub(super) fn add_flat(
        &mut self,
        array: Name,
        offset: Operand,
        dims: &[(Operand, Operand)],
        part: Name,
    ) -> Derived {
        if !self.active.contains(&array) {
            return Ok(());
        }
        if let Some(Adj::Acc(acc)) = self.adjoints.get(&array).copied() {
            let acc = self.accumulate_flat(acc, offset, dims, part.into());
            self.adjoints.insert(array, Adj::Acc(acc));
            return Ok(());
        }
        self.with_accs(&[array], |r| r.add_flat(array, offset, dims, part).map(|()| Vec::new())).map(|_| ())
    }

    fn accumulate_flat(&mut self, acc: Name, place: Operand, dims: &[(Operand, Operand)], part: Operand) -> Name {
        let Some(((n, stride), rest)) = dims.split_first() else {
            let soac = Soac::UpdateAcc { acc, index: vec![place], values: vec![part] };
            return self.cx.b.let_infer("acc", Exp::Soac(soac));
        };
        let start = Operand::i64(0);
        let steps = Exp::Iota { len: *n, start, stride: *stride, prim: kenaz_base::Prim::I64 };
        let steps = self.cx.b.let_infer("steps", steps);
        let part = arrays::named(&mut self.cx.b, part);
        let acc_ty = self.cx.b.type_of(acc);
        let types = [acc_ty.clone(), Type::I64, self.cx.b.type_of(part).row(1)];
        let params: Vec<Param> = types.iter().map(|ty| self.cx.b.param("x", ty.clone())).collect();
        self.cx.b.begin();
        let place = self.cx.b.bin(BinOp::Add, place, params[1].name);
        let after = self.accumulate_flat(params[0].name, place, rest, params[2].name.into());
        let body = self.cx.b.end(vec![after.into()]);
        let map = Lambda { params, body, ret: vec![acc_ty] };
        self.cx.b.map(*n, vec![acc, steps, part], map)[0]
    }
}
