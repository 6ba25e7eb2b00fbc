//! Literals, and operators that are associative and have a neutral element.

use crate::gen_state::Gen;
use crate::types::{Prim, Ty};

/// An operator for reductions and what it leaves unchanged.
pub(crate) struct Operator {
    pub function: String,
    pub neutral: String,
}

impl Gen {
    pub(crate) fn literal(&mut self, prim: Prim) -> String {
        let name = prim.name();
        if prim == Prim::Bool {
            return self.choices.pick(&["false", "true"]).to_string();
        }
        let number = self.choices.weighted(&[3, 3, 2, 2, 1, 1, 1, 1, 1, 1]);
        if prim.is_float() && self.choices.chance(5) {
            return format!("{number}.5{name}");
        }
        if prim.is_signed() && self.choices.chance(4) {
            format!("(-{number}{name})")
        } else {
            format!("{number}{name}")
        }
    }

    /// An operator on values of a type, if one is known; where the order of the values may change, a commutative one.
    pub(crate) fn operator(&mut self, ty: &Ty, commutative: bool) -> Option<Operator> {
        let operator = |function: &str, neutral: &str| {
            Some(Operator { function: function.to_string(), neutral: neutral.to_string() })
        };
        match ty {
            Ty::Prim(Prim::Bool) => match self.choices.below(3) {
                0 => operator("(||)", "false"),
                1 => operator("(&&)", "true"),
                _ => operator("(!=)", "false"),
            },
            Ty::Prim(prim) if prim.is_int() => {
                let name = prim.name();
                match self.choices.weighted(&[6, 2, 3, 3, 1, 1, 1]) {
                    0 => operator("(+)", &format!("0{name}")),
                    1 => operator("(*)", &format!("1{name}")),
                    2 => operator(&format!("{name}.max"), &format!("{name}.lowest")),
                    3 => operator(&format!("{name}.min"), &format!("{name}.highest")),
                    4 => operator("(^)", &format!("0{name}")),
                    5 => operator("(|)", &format!("0{name}")),
                    _ => operator("(&)", &format!("{name}.not 0{name}")),
                }
                .map(|found| Operator { neutral: format!("({})", found.neutral), ..found })
                .map(|found| if self.choices.chance(12) { self.called_operator(found, name) } else { found })
            }
            // The neutral element would be infinite, and differences of infinities are no numbers.
            Ty::Prim(_) | Ty::Sum(..) => None,
            Ty::Tuple(parts) => {
                if let Some(found) = self.tuple_operator(ty, parts, commutative) {
                    return Some(found);
                }
                let parts: Vec<(String, &Ty)> = parts.iter().enumerate().map(|(i, ty)| (i.to_string(), ty)).collect();
                self.pointwise(ty, &parts, commutative, |fields| {
                    format!("({})", fields.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(", "))
                })
            }
            Ty::Record(fields) => {
                let fields: Vec<(String, &Ty)> = fields.iter().map(|(name, ty)| (name.to_string(), ty)).collect();
                self.pointwise(ty, &fields, commutative, |fields| {
                    let fields = fields.iter().map(|(name, text)| format!("{name} = {text}"));
                    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
                })
            }
            Ty::Array(dim, elem) => {
                let Operator { function, neutral } = self.operator(elem, commutative)?;
                operator(&format!("(map2 {function})"), &format!("(replicate {dim} {neutral})"))
            }
        }
    }

    /// An operator as a function that is called, now and then under a check.
    fn called_operator(&mut self, of: Operator, name: &str) -> Operator {
        let function = self.fresh("op");
        let body = match self.choices.below(2) {
            0 => format!("{} x y", of.function),
            _ => format!("assert (x != 77{name} || y == y) ({} x y)", of.function),
        };
        let text = format!("#[noinline]\ndef {function} (x: {name}) (y: {name}): {name} = {body}\n");
        self.library.insert(function.clone(), text);
        Operator { function, neutral: of.neutral }
    }

    /// Operators that look at the parts of a tuple together.
    fn tuple_operator(&mut self, ty: &Ty, parts: &[Ty], commutative: bool) -> Option<Operator> {
        let [Ty::Prim(first), Ty::Prim(second)] = parts else { return None };
        if !first.is_int() || !second.is_int() || self.choices.chance(3) {
            return None;
        }
        let (a, b) = (first.name(), second.name());
        if a == b && !commutative {
            // Composition of linear functions.
            return Some(Operator {
                function: format!("(\\(f: {ty}) (g: {ty}) -> (f.0 * g.0, f.1 * g.0 + g.1))"),
                neutral: format!("(1{a}, 0{b})"),
            });
        }
        // The largest first part, and of those the least second part.
        Some(Operator {
            function: format!("(\\(l: {ty}) (r: {ty}) -> if l.0 > r.0 || (l.0 == r.0 && l.1 <= r.1) then l else r)"),
            neutral: format!("({a}.lowest, {b}.highest)"),
        })
    }

    fn pointwise(
        &mut self,
        ty: &Ty,
        parts: &[(String, &Ty)],
        commutative: bool,
        whole: impl Fn(&[(&str, String)]) -> String,
    ) -> Option<Operator> {
        let (mut results, mut neutrals) = (Vec::new(), Vec::new());
        for (name, part) in parts {
            let Operator { function, neutral } = self.operator(part, commutative)?;
            results.push((name.as_str(), format!("{function} l.{name} r.{name}")));
            neutrals.push((name.as_str(), neutral));
        }
        Some(Operator {
            function: format!("(\\(l: {ty}) (r: {ty}) -> {})", whole(&results)),
            neutral: whole(&neutrals),
        })
    }

    /// The product of 2×2 matrices.
    pub(crate) fn matrix_product(&mut self) -> Operator {
        let text = "def product (a: (i32, i32, i32, i32)) (b: (i32, i32, i32, i32)): (i32, i32, i32, i32) =\n  \
                    (a.0 * b.0 + a.1 * b.2, a.0 * b.1 + a.1 * b.3, a.2 * b.0 + a.3 * b.2, a.2 * b.1 + a.3 * b.3)\n";
        self.library.insert("product".to_string(), text.to_string());
        Operator { function: "product".to_string(), neutral: "(1i32, 0i32, 0i32, 1i32)".to_string() }
    }
}
