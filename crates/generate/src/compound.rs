//! Types with arrays inside: records and tuples of arrays, and sums whose payloads are arrays.

use crate::gen_state::{Gen, SumType};
use crate::types::{Dim, Prim, Ty};

/// The names of constructors, which differ between the types of a program, so that one belongs to one type.
const CONSTRUCTORS: [&[&str]; 3] = [&["none", "some", "many"], &["off", "on"], &["leaf", "node", "root"]];

impl SumType {
    /// The constructors of the type applied to sizes.
    pub(crate) fn applied(&self, dims: &[Dim]) -> Vec<(&'static str, Vec<Ty>)> {
        let size = |dim: &Dim| match dim {
            Dim::Name(name) => match self.params.iter().position(|param| param == name) {
                Some(at) => dims[at].clone(),
                None => dim.clone(),
            },
            Dim::Const(_) => dim.clone(),
        };
        let payload = |tys: &[Ty]| tys.iter().map(|ty| ty.resized(&size)).collect();
        self.constructors.iter().map(|(name, tys)| (*name, payload(tys))).collect()
    }

    /// What stands after the name of the type.
    pub(crate) fn shown(&self) -> String {
        let constructor = |(name, payload): &(&str, Vec<Ty>)| {
            let payload: Vec<String> = payload
                .iter()
                .map(|ty| match ty {
                    Ty::Array(..) => format!(" ({ty})"),
                    _ => format!(" {ty}"),
                })
                .collect();
            format!("#{name}{}", payload.concat())
        };
        let params: String = self.params.iter().map(|param| format!(" [{param}]")).collect();
        format!("{params} = {}", self.constructors.iter().map(constructor).collect::<Vec<_>>().join(" | "))
    }
}

impl Gen {
    /// Adds a sum type to the program.
    pub(crate) fn sum_type(&mut self) {
        let names = CONSTRUCTORS[self.sums.len()];
        let size = self.choices.chance(3).then(|| "d".to_string());
        let mut constructors = Vec::new();
        for name in names {
            let mut payload = Vec::new();
            // A size parameter must be the size of something.
            if let Some(size) = &size
                && constructors.len() == 1
            {
                payload.push(Ty::array(Dim::Name(size.clone()), Ty::Prim(self.prim())));
            }
            while constructors.len() > payload.len() && self.choices.more(3) {
                payload.push(self.payload(size.as_ref()));
            }
            constructors.push((*name, payload));
        }
        self.sums.push(SumType { params: size.into_iter().collect(), constructors });
    }

    fn payload(&mut self, size: Option<&String>) -> Ty {
        let sized = usize::from(size.is_some());
        let inner = usize::from(self.sums.iter().any(|sum| sum.params.is_empty()));
        match self.choices.weighted(&[12, 4, 4 * sized, 2, 3 * inner]) {
            0 => Ty::Prim(self.prim()),
            1 => Ty::array(Dim::Const(self.choices.pick(&[2, 1, 3])), Ty::Prim(self.prim())),
            2 => Ty::array(Dim::Name(size.cloned().unwrap_or_default()), Ty::Prim(self.prim())),
            3 => Ty::Tuple(vec![Ty::Prim(self.prim()), Ty::array(Dim::Const(2), Ty::Prim(self.prim()))]),
            _ => {
                let plain: Vec<usize> = (0..self.sums.len()).filter(|&i| self.sums[i].params.is_empty()).collect();
                Ty::Sum(self.choices.pick(&plain), Vec::new())
            }
        }
    }

    /// One of the sum types of the program, which must have some.
    pub(crate) fn some_sum(&mut self) -> Ty {
        let number = self.choices.below(self.sums.len());
        let dims = (0..self.sums[number].params.len()).map(|_| self.dim()).collect();
        Ty::Sum(number, dims)
    }

    /// A record, tuple or sum with arrays in it.
    pub(crate) fn compound(&mut self) -> Ty {
        let sums = if self.sums.is_empty() { 0 } else { 3 };
        match self.choices.weighted(&[4, 3, sums, 1]) {
            0 => Ty::Record(vec![("a", self.part()), ("b", self.part())]),
            1 => Ty::Tuple(vec![self.part(), self.part()]),
            2 => self.some_sum(),
            _ => Ty::Record(vec![("c", self.part()), ("d", Ty::Tuple(vec![self.part(), self.part()]))]),
        }
    }

    fn part(&mut self) -> Ty {
        let elem = Ty::Prim(self.prim());
        let rank = self.choices.weighted(&[3, 6, 1]);
        (0..rank).fold(elem, |ty, _| Ty::array(self.dim(), ty))
    }

    /// A record of which one field was replaced.
    pub(crate) fn with_field(&mut self, ty: &Ty, depth: usize) -> String {
        let Ty::Record(fields) = ty else { unreachable!("only of records") };
        let (name, field) = self.choices.pick(fields);
        let record = self.value(ty, depth - 1);
        format!("({record} with {name} = {})", self.value(&field, depth - 1))
    }

    /// A match on a sum beside something else, with patterns inside patterns. Cases come in any order.
    pub(crate) fn nested_cases(&mut self, ty: &Ty, depth: usize) -> String {
        let first = self.some_sum();
        let second = match self.choices.below(3) {
            0 => self.some_sum(),
            1 => Ty::Prim(Prim::Bool),
            _ => Ty::Tuple(vec![Ty::Prim(self.int()), Ty::Prim(Prim::Bool)]),
        };
        let matched = Ty::Tuple(vec![first, second]);
        let mut text = format!("(match {}", self.value(&matched, depth - 1));
        let mut cases = 0;
        while cases == 0 || (cases < 4 && self.choices.more(3)) {
            let scope = self.scope();
            let pattern = self.pattern(&matched, 3);
            text.push_str(&format!(" case {pattern} -> {}", self.value(ty, depth - 1)));
            self.leave(scope);
            cases += 1;
        }
        text.push_str(&format!(" case _ -> {})", self.value(ty, depth - 1)));
        text
    }

    /// A pattern for values of a type, whose variables come into scope.
    fn pattern(&mut self, ty: &Ty, depth: usize) -> String {
        let literal = match ty {
            Ty::Prim(prim) if !prim.is_float() => 3,
            _ => 0,
        };
        let inside = match ty {
            Ty::Tuple(_) | Ty::Sum(..) if depth > 0 => 9,
            _ => 0,
        };
        match self.choices.weighted(&[2, 3, literal, inside]) {
            0 => "_".to_string(),
            1 => {
                let name = self.fresh("p");
                self.bind(&name, ty);
                name
            }
            2 => match ty {
                Ty::Prim(Prim::Bool) => self.choices.pick(&["false", "true"]).to_string(),
                Ty::Prim(prim) => format!("{}{}", self.choices.below(3), prim.name()),
                _ => unreachable!("only of numbers"),
            },
            _ => match ty {
                Ty::Tuple(parts) => {
                    let parts: Vec<String> = parts.iter().map(|part| self.pattern(part, depth - 1)).collect();
                    format!("({})", parts.join(", "))
                }
                Ty::Sum(number, dims) => {
                    let constructors = self.sums[*number].applied(dims);
                    let (name, payload) = self.choices.pick(&constructors);
                    let parts: Vec<String> =
                        payload.iter().map(|part| format!(" {}", self.pattern(part, depth - 1))).collect();
                    format!("(#{name}{})", parts.concat())
                }
                _ => unreachable!("only of tuples and sums"),
            },
        }
    }
}
