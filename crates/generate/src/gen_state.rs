//! What the generator knows while it writes a program: what is in scope, and how much it may still write.

use crate::choices::Choices;
use crate::functions::Function;
use crate::types::{Dim, Prim, Ty};
use std::collections::BTreeMap;

pub(crate) struct Gen {
    pub choices: Choices,
    pub vars: Vec<Var>,
    pub dims: Vec<DimVar>,
    pub functions: Vec<Function>,
    /// Definitions that expressions make use of, by name.
    pub library: BTreeMap<String, String>,
    pub sums: Vec<SumType>,
    /// Variables that an entry point is to yield, so that what they are made by is not dead.
    pub kept: Vec<(String, Ty)>,
    /// How many expressions may still be written; without fuel only the simplest ones are.
    pub fuel: usize,
    /// How many loops, of any kind, are around what is being written.
    pub level: usize,
    /// The most loops around anything in the function that is being written.
    pub deepest: usize,
    next_name: usize,
}

/// Something that expressions may mention: a variable or a part of one.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub text: String,
    pub ty: Ty,
    /// The variable is an index of arrays of this size.
    pub index_of: Option<Dim>,
    /// The variable will be consumed. Only its elements may be used, and they must be scalars.
    pub unique: bool,
}

/// A size in scope and the most it can be.
#[derive(Clone, Debug)]
pub(crate) struct DimVar {
    pub name: String,
    pub most: usize,
}

/// Constructors with the types of their payloads, in which sizes are the parameters of the type.
#[derive(Clone, Debug)]
pub(crate) struct SumType {
    pub params: Vec<String>,
    pub constructors: Vec<(&'static str, Vec<Ty>)>,
}

/// A position to return to at the end of a scope.
#[derive(Clone, Copy)]
pub(crate) struct Scope {
    vars: usize,
    dims: usize,
}

/// The most loops around each other, together with those of called functions. Arrays are short, so this bounds the
/// work.
pub(crate) const MOST_LEVELS: usize = 4;

/// The most elements in a dimension.
pub(crate) const MOST_ELEMENTS: usize = 16;

impl Gen {
    pub(crate) fn new(choices: Choices, fuel: usize) -> Gen {
        Gen {
            choices,
            vars: Vec::new(),
            dims: Vec::new(),
            functions: Vec::new(),
            library: BTreeMap::new(),
            sums: Vec::new(),
            kept: Vec::new(),
            fuel,
            level: 0,
            deepest: 0,
            next_name: 0,
        }
    }

    /// A name that is used nowhere else, nor by the language.
    pub(crate) fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}_{}", self.next_name)
    }

    pub(crate) fn scope(&self) -> Scope {
        Scope { vars: self.vars.len(), dims: self.dims.len() }
    }

    pub(crate) fn leave(&mut self, scope: Scope) {
        self.vars.truncate(scope.vars);
        self.dims.truncate(scope.dims);
    }

    /// Writes something that is evaluated many times.
    pub(crate) fn repeated<T>(&mut self, write: impl FnOnce(&mut Gen) -> T) -> T {
        let scope = self.scope();
        self.level += 1;
        self.deepest = self.deepest.max(self.level);
        let written = write(self);
        self.level -= 1;
        self.leave(scope);
        written
    }

    /// Whether a loop may begin here.
    pub(crate) fn may_repeat(&self) -> bool {
        self.level < MOST_LEVELS - 1 && self.fuel > 0
    }

    /// Brings a variable and its parts into scope.
    pub(crate) fn bind(&mut self, text: &str, ty: &Ty) {
        match ty {
            Ty::Tuple(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    self.bind(&format!("{text}.{i}"), part);
                }
            }
            Ty::Record(fields) => {
                for (name, field) in fields {
                    self.bind(&format!("{text}.{name}"), field);
                }
            }
            Ty::Prim(_) | Ty::Sum(..) | Ty::Array(..) => {}
        }
        self.vars.push(Var { text: text.to_string(), ty: ty.clone(), index_of: None, unique: false });
    }

    pub(crate) fn bind_index(&mut self, text: &str, dim: &Dim) {
        self.vars.push(Var { text: text.to_string(), ty: Ty::i64(), index_of: Some(dim.clone()), unique: false });
    }

    pub(crate) fn bind_unique(&mut self, text: &str, ty: &Ty) {
        self.vars.push(Var { text: text.to_string(), ty: ty.clone(), index_of: None, unique: true });
    }

    pub(crate) fn bind_dim(&mut self, name: &str, most: usize) {
        self.dims.push(DimVar { name: name.to_string(), most });
    }

    /// One of the variables that satisfy a condition, the latest being the simplest.
    pub(crate) fn var(&mut self, wanted: impl Fn(&Var) -> bool) -> Option<Var> {
        let found: Vec<usize> = (0..self.vars.len()).rev().filter(|&i| wanted(&self.vars[i])).collect();
        (!found.is_empty()).then(|| self.choices.below(found.len())).map(|i| self.vars[found[i]].clone())
    }

    pub(crate) fn has_var(&self, wanted: impl Fn(&Var) -> bool) -> bool {
        self.vars.iter().any(wanted)
    }

    pub(crate) fn most(&self, dim: &Dim) -> usize {
        match dim {
            Dim::Const(size) => *size,
            Dim::Name(name) => {
                self.dims.iter().rev().find(|var| var.name == *name).map_or(MOST_ELEMENTS, |var| var.most)
            }
        }
    }

    /// A size: a small constant or one in scope.
    pub(crate) fn dim(&mut self) -> Dim {
        let known = if self.dims.is_empty() { 0 } else { 5 };
        match self.choices.weighted(&[2, known]) {
            0 => Dim::Const(self.choices.pick(&[2, 1, 3, 4])),
            _ => {
                let i = self.choices.below(self.dims.len());
                Dim::Name(self.dims[self.dims.len() - 1 - i].name.clone())
            }
        }
    }

    pub(crate) fn prim(&mut self) -> Prim {
        let i = self.choices.weighted(&[8, 5, 1, 1, 2, 2, 2, 1, 2]);
        Prim::ALL[i]
    }

    pub(crate) fn int(&mut self) -> Prim {
        let i = self.choices.weighted(&[8, 5, 1, 1, 1, 2]);
        Prim::ALL[i]
    }

    /// A type without arrays, except in sums.
    pub(crate) fn plain(&mut self) -> Ty {
        let sums = if self.sums.is_empty() { 0 } else { 2 };
        match self.choices.weighted(&[16, 3, 2, sums]) {
            0 => Ty::Prim(self.prim()),
            1 => {
                let mut parts = vec![Ty::Prim(self.prim()), Ty::Prim(self.prim())];
                if self.choices.chance(3) {
                    parts.push(Ty::Prim(self.prim()));
                }
                Ty::Tuple(parts)
            }
            2 => Ty::Record(vec![("a", Ty::Prim(self.prim())), ("b", Ty::Prim(self.prim()))]),
            _ => self.some_sum(),
        }
    }

    /// Any type.
    pub(crate) fn any(&mut self) -> Ty {
        if self.choices.chance(6) {
            let elem = self.compound();
            let rank = self.choices.weighted(&[6, 3, 1]);
            return (0..rank).fold(elem, |ty, _| Ty::array(self.dim(), ty));
        }
        let elem = self.plain();
        let rank = self.choices.weighted(&[6, 9, 4, 1]);
        (0..rank).fold(elem, |ty, _| Ty::array(self.dim(), ty))
    }
}
