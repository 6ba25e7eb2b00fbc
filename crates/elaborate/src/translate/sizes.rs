//! Sizes as values.

use super::types::for_each_size;
use super::{Binding, KnownSize, Result, Translate};
use crate::core::{Exp, Kind, Path, Ty};
use kenaz_base::{Span, with_stack};
use kenaz_sema::names::VarKind;
use kenaz_sema::types::{self as sema, Size, SizeHead, SizeTerm, VarId};
use kenaz_syntax::ast::ExprId;
use rustc_hash::FxHashMap;

/// A term with more parts gets a name where it is first needed: in `xs ++ ys ++ …` the size of every part is a sum that
/// contains that of the part before it.
const LARGE: u32 = 16;

impl Translate<'_> {
    /// The value of a size.
    pub fn size_exp(&mut self, size: &Size, span: Span) -> Result<Exp> {
        self.size_as(size, Some(&Ty::I64), span)
    }

    /// The value of a size or of a part of one, which may be of any type. A constant is of the type that is wanted.
    pub fn size_as(&mut self, size: &Size, wanted: Option<&Ty>, span: Span) -> Result<Exp> {
        let loc = self.loc(span);
        match size {
            Size::Error => Ok(Exp::i64(0, loc)),
            Size::Const(n) => Ok(super::terms::number(*n, wanted, loc)),
            Size::Var(v) => self.size_var(*v, wanted, span),
            Size::Term(term) => {
                if let Some(known) = self.known_size(size) {
                    return Ok(Exp::var(known.name, known.ty.clone(), loc));
                }
                let value = with_stack(|| self.compound(size, term, wanted, span))?;
                if term.parts() > LARGE && value.ty == Ty::I64 {
                    return Ok(self.bind_size(size.clone(), value));
                }
                Ok(value)
            }
        }
    }

    /// The value of an argument. One that the type of the result mentions gets a name, so that sizes with it in them
    /// need not be computed again, for which terms often say too little.
    pub fn argument(&mut self, arg: ExprId) -> Result<Exp> {
        let value = self.expr(arg)?;
        Ok(match self.checked.info.argument_sizes.get(&arg) {
            Some(size) if value.ty.prim().is_some() => {
                let size = self.checked.names.size(size);
                self.bind_size(size, value)
            }
            _ => value,
        })
    }

    /// Binds the value of a compound size in the current block.
    fn bind_size(&mut self, size: Size, value: Exp) -> Exp {
        let value = self.bind("size", value);
        if let (Kind::Var(name), Some(block), Size::Term(_)) = (&value.kind, self.blocks.last_mut(), &size) {
            let known = KnownSize { name: *name, ty: value.ty.clone(), ctx: self.scope.ctx.clone() };
            block.sizes.insert(size, known);
        }
        value
    }

    /// Forgets the values of sizes that mention one of these names.
    pub fn forget_sizes(&mut self, names: &[VarId]) {
        for block in &mut self.blocks {
            block.sizes.retain(|size, _| {
                let mut mentioned = false;
                size.for_each_var(&mut |v| mentioned |= names.contains(&v));
                !mentioned
            });
        }
    }

    fn compound(&mut self, size: &Size, term: &SizeTerm, wanted: Option<&Ty>, span: Span) -> Result<Exp> {
        if !self.scope.sizes.is_empty()
            && let Some(name) = self.scope.sizes.get(&self.checked.names.size(size)).copied()
        {
            let loc = self.loc(span);
            return Ok(Exp::var(name, Ty::I64, loc));
        }
        if let Some(size) = self.size_of_constant(size, span)? {
            return Ok(size);
        }
        // What is made of sizes alone needs no types. For the rest there is an expression of the program, unless the
        // arguments of a function were put in.
        let known = match &term.head {
            SizeHead::Neg | SizeHead::Field(_) => None,
            SizeHead::Apply if matches!(&term.args[..], [Size::Var(f), _, _] if self.is_intrinsic(*f)) => None,
            _ => self.checked.info.size_exprs.get(size).copied(),
        };
        match known {
            Some(expr) => self.expr(expr),
            None => self.term(term, wanted, span),
        }
    }

    fn size_var(&mut self, v: VarId, wanted: Option<&Ty>, span: Span) -> Result<Exp> {
        let loc = self.loc(span);
        if let Some(Binding::Value(name, ty)) = self.scope.vars.get(&v) {
            return Ok(Exp::var(*name, ty.clone(), loc));
        }
        if let Some(Binding::Local(_)) = self.scope.vars.get(&v) {
            return self.call(v, Vec::new(), wanted, span);
        }
        match &self.checked.names.vars[v].kind {
            VarKind::Flexible(_, Some(solution)) => {
                let solution = solution.clone();
                self.size_as(&solution, wanted, span)
            }
            VarKind::Global | VarKind::Intrinsic(_) => self.call(v, Vec::new(), wanted, span),
            _ => match self.size_of_constant(&Size::Var(v), span)? {
                Some(size) => Ok(size),
                None => Err(self.bug(span, format!("the size `{}` is not known here", self.checked.names.show_var(v)))),
            },
        }
    }

    fn is_intrinsic(&self, v: VarId) -> bool {
        matches!(self.checked.names.vars[v].kind, VarKind::Intrinsic(_))
    }

    /// A size that came into being in the definition of a constant is read off the constant.
    fn size_of_constant(&mut self, size: &Size, span: Span) -> Result<Option<Exp>> {
        let mut made_elsewhere = false;
        size.for_each_var(&mut |v| {
            let unknown = matches!(self.checked.names.vars[v].kind, VarKind::Unknown(_));
            made_elsewhere |= unknown && !self.scope.vars.contains_key(&v);
        });
        if !made_elsewhere {
            return Ok(None);
        }
        if self.constant_sizes.is_none() {
            let found = self.find_constant_sizes();
            self.constant_sizes = Some(found);
        }
        let constants = self.constant_sizes.as_ref().and_then(|table| table.get(size).cloned()).unwrap_or_default();
        let ctx = self.scope.ctx.clone();
        for (constant, path) in constants {
            // A constant of a parametric module is meant as a member of an application of it.
            let (def, known) = self.modules.value(self.checked, constant, &ctx);
            let around = self.checked.info.functors.definitions.get(&def).map_or(0, |(_, around)| around.len());
            if known.len() == around && !self.in_progress.contains(&def) {
                let value = self.global(constant, &[], span)?;
                let loc = value.loc;
                return Ok(Some(Exp::new(Kind::SizeOf(Box::new(value), path), Ty::I64, loc)));
            }
        }
        Ok(None)
    }

    /// The sizes in the types of constants that came into being in their definitions, and where they are.
    fn find_constant_sizes(&mut self) -> FxHashMap<Size, Vec<(VarId, Path)>> {
        let mut found = FxHashMap::default();
        let constants: Vec<(VarId, sema::Ty)> = self
            .checked
            .names
            .vars
            .iter()
            .filter(|(_, info)| matches!(info.kind, VarKind::Global))
            .filter_map(|(v, info)| info.scheme.as_ref().filter(|s| s.params.is_empty()).map(|s| (v, s.ty.clone())))
            .collect();
        for (v, ty) in constants {
            let mut sizes = Vec::new();
            for_each_size(&ty, &mut |size| sizes.push(size.clone()));
            for size in sizes {
                let size = self.checked.names.size(&size);
                let Some(path) = self.find_size(&ty, &size) else { continue };
                let all: &mut Vec<(VarId, Path)> = found.entry(size).or_default();
                all.push((v, path));
            }
        }
        found
    }

    /// Makes the unknown sizes that an expression brings into being known.
    pub fn bind_unknown_sizes(&mut self, expr: ExprId, value: Exp) -> Exp {
        let value = self.bind_typeless_sizes(expr, value);
        let Some(unknown) = self.checked.info.unknown_sizes.get(&expr) else { return value };
        let Some(ty) = self.checked.info.expr_ty.get(expr).cloned() else { return value };
        let value = self.bind("t", value);
        for v in unknown.clone() {
            self.bind_size_of(v, &ty, &value);
            if !self.scope.vars.contains_key(&v) {
                self.bind_sizes_with(v, &ty, &value);
            }
        }
        value
    }

    /// Makes the sizes in the type of an expression known that cannot be computed from what they consist of.
    fn bind_typeless_sizes(&mut self, expr: ExprId, mut value: Exp) -> Exp {
        if !self.checked.info.has_typeless_sizes {
            return value;
        }
        let Some(ty) = self.checked.info.expr_ty.get(expr).cloned() else { return value };
        let mut sizes = Vec::new();
        for_each_size(&ty, &mut |size| {
            let size = self.checked.names.size(size);
            if size.is_typeless() && !sizes.contains(&size) && self.known_size(&size).is_none() {
                sizes.push(size);
            }
        });
        for size in sizes {
            if let Some(path) = self.find_size(&ty, &size) {
                value = self.bind("t", value);
                let loc = value.loc;
                self.bind_size(size, Exp::new(Kind::SizeOf(Box::new(value.clone()), path), Ty::I64, loc));
            }
        }
        value
    }

    /// The value of a compound size, if it is bound in a block around this place.
    fn known_size(&self, size: &Size) -> Option<&KnownSize> {
        self.blocks.iter().rev().filter_map(|block| block.sizes.get(size)).find(|known| known.ctx == self.scope.ctx)
    }

    /// Makes the compound sizes known that mention something of which no more is known.
    fn bind_sizes_with(&mut self, v: VarId, ty: &sema::Ty, value: &Exp) {
        let mut sizes = Vec::new();
        for_each_size(ty, &mut |size| {
            let size = self.checked.names.size(size);
            let mut mentioned = false;
            size.for_each_var(&mut |w| mentioned |= w == v);
            if mentioned && !sizes.contains(&size) {
                sizes.push(size);
            }
        });
        for size in sizes {
            if let Some(path) = self.find_size(ty, &size) {
                let name = self.fresh("n");
                self.push(name, Exp::new(Kind::SizeOf(Box::new(value.clone()), path), Ty::I64, value.loc));
                self.scope.sizes.insert(size, name);
            }
        }
    }

    /// Makes a size known that is the size of an array in a value of this type.
    pub fn bind_size_of(&mut self, v: VarId, ty: &sema::Ty, value: &Exp) {
        if let Some(path) = self.find_size(ty, &Size::Var(v)) {
            let size = Exp::new(Kind::SizeOf(Box::new(value.clone()), path), Ty::I64, value.loc);
            let name = self.fresh_symbol(self.checked.names.vars[v].name);
            self.push(name, size);
            self.scope.vars.insert(v, Binding::Value(name, Ty::I64));
        }
    }
}
