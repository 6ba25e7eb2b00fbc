//! Sizes as values.

use super::{Binding, Result, Translate};
use crate::core::{Exp, Kind, Ty};
use kenaz_base::{Span, with_stack};
use kenaz_sema::names::VarKind;
use kenaz_sema::types::{Size, SizeHead, SizeTerm, VarId};
use kenaz_syntax::ast::ExprId;

impl Translate<'_> {
    /// The value of a size.
    pub fn size_exp(&mut self, size: &Size, span: Span) -> Result<Exp> {
        let loc = self.loc(span);
        match size {
            Size::Error => Ok(Exp::i64(0, loc)),
            Size::Const(n) => Ok(Exp::i64(*n, loc)),
            Size::Var(v) => self.size_var(*v, span),
            Size::Term(term) => with_stack(|| self.size_term(size, term, span)),
        }
    }

    fn size_var(&mut self, v: VarId, span: Span) -> Result<Exp> {
        let loc = self.loc(span);
        if let Some(Binding::Value(name, ty)) = self.scope.vars.get(&v) {
            return Ok(Exp::var(*name, ty.clone(), loc));
        }
        match &self.checked.names.vars[v].kind {
            VarKind::Flexible(_, Some(solution)) => {
                let solution = solution.clone();
                self.size_exp(&solution, span)
            }
            VarKind::Global => self.global(v, &[], span),
            _ => Err(self.bug(span, format!("the size `{}` is not known here", self.checked.names.show_var(v)))),
        }
    }

    fn size_term(&mut self, size: &Size, term: &SizeTerm, span: Span) -> Result<Exp> {
        let loc = self.loc(span);
        match (&term.head, &term.args[..]) {
            (SizeHead::Apply, [Size::Var(f), a, b])
                if let VarKind::Intrinsic(id) = self.checked.names.vars[*f].kind =>
            {
                let (a, b) = (self.size_exp(a, span)?, self.size_exp(b, span)?);
                let ty = a.ty.clone();
                Ok(Exp::new(Kind::Intrinsic(id, vec![a, b]), ty, loc))
            }
            (SizeHead::Neg, [a]) => {
                let a = self.size_exp(a, span)?;
                let ty = a.ty.clone();
                Ok(Exp::new(Kind::Neg(Box::new(a)), ty, loc))
            }
            (SizeHead::Field(name), [a]) => {
                let a = self.size_exp(a, span)?;
                match a.ty.field(*name).cloned() {
                    Some(ty) => Ok(Exp::new(Kind::Project(Box::new(a), *name), ty, loc)),
                    None => Err(self.bug(span, "a size that is a field of something that has none")),
                }
            }
            _ => match self.checked.info.size_exprs.get(size).copied() {
                Some(expr) => self.expr(expr),
                None => self.size_by_shape(size, term, span),
            },
        }
    }

    /// A size that no expression of the program stands for as it is: after the arguments of a function were put in.
    fn size_by_shape(&mut self, size: &Size, term: &SizeTerm, span: Span) -> Result<Exp> {
        let loc = self.loc(span);
        if let (SizeHead::Apply, [Size::Var(f), a]) = (&term.head, &term.args[..])
            && self.checked.names.vars[*f].name.as_str() == "length"
        {
            let a = self.size_exp(a, span)?;
            let path = crate::core::Path { steps: Vec::new(), dim: 0 };
            return Ok(Exp::new(Kind::SizeOf(Box::new(a), path), Ty::I64, loc));
        }
        if let (SizeHead::Apply, [f, args @ ..]) = (&term.head, &term.args[..])
            && !args.is_empty()
        {
            let args = args.iter().map(|a| self.size_exp(a, span)).collect::<Result<Vec<_>>>()?;
            let f = match f {
                Size::Var(v) => self.variable(*v, &[], None, span)?,
                _ => self.size_exp(f, span)?,
            };
            let ty = f.ty.after(args.len());
            return Ok(self.apply(f, args, ty, loc));
        }
        Err(self.bug(span, format!("the size `{}` cannot be computed", self.checked.names.show_size(size))))
    }

    /// Makes the unknown sizes that an expression brings into being known.
    pub fn bind_unknown_sizes(&mut self, expr: ExprId, value: Exp) -> Exp {
        let Some(unknown) = self.checked.info.unknown_sizes.get(&expr) else { return value };
        let Some(ty) = self.checked.info.expr_ty.get(expr).cloned() else { return value };
        let value = self.bind("t", value);
        for v in unknown.clone() {
            self.bind_size_of(v, &ty, &value);
        }
        value
    }

    /// Makes a size known that is the size of an array in a value of this type.
    pub fn bind_size_of(&mut self, v: VarId, ty: &kenaz_sema::types::Ty, value: &Exp) {
        if let Some(path) = self.find_size(ty, v) {
            let size = Exp::new(Kind::SizeOf(Box::new(value.clone()), path), Ty::I64, value.loc);
            let name = self.fresh_symbol(self.checked.names.vars[v].name);
            self.push(name, size);
            self.scope.vars.insert(v, Binding::Value(name, Ty::I64));
        }
    }
}
