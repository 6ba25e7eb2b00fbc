//! Arguments of entry points, as text.

use crate::gen_state::Gen;
use crate::types::{Dim, Prim, Ty};
use std::collections::BTreeMap;

impl Gen {
    /// Arguments for parameters; sizes that parameters share are the same in all arguments.
    pub(crate) fn input(&mut self, dims: &[String], explicit: bool, params: &[(String, Ty)]) -> String {
        let start = self.choices.open();
        let sizes: BTreeMap<String, usize> =
            dims.iter().map(|dim| (dim.clone(), self.choices.weighted(&[3, 2, 2, 3, 2, 2, 1, 1, 1]))).collect();
        let mut arguments: Vec<String> = Vec::new();
        if explicit {
            arguments.extend(dims.iter().map(|dim| format!("{}i64", sizes[dim])));
        }
        for (_, ty) in params {
            arguments.push(self.argument(ty, &sizes));
        }
        self.choices.close(start, "input");
        arguments.join(" ")
    }

    fn argument(&mut self, ty: &Ty, sizes: &BTreeMap<String, usize>) -> String {
        let (mut shape, mut elem) = (Vec::new(), ty);
        while let Ty::Array(dim, of) = elem {
            shape.push(match dim {
                Dim::Const(size) => *size,
                Dim::Name(name) => sizes[name],
            });
            elem = of;
        }
        let Ty::Prim(prim) = elem else { unreachable!("parameters of entry points are plain") };
        if shape.contains(&0) {
            let shape: Vec<String> = shape.iter().map(|size| format!("[{size}]")).collect();
            return format!("empty({}{})", shape.concat(), prim.name());
        }
        self.filled(&shape, *prim)
    }

    fn filled(&mut self, shape: &[usize], prim: Prim) -> String {
        let Some((size, shape)) = shape.split_first() else { return self.number(prim) };
        let elems: Vec<String> = (0..*size).map(|_| self.filled(shape, prim)).collect();
        format!("[{}]", elems.join(", "))
    }

    /// Small numbers mostly; those of a floating-point type are always small.
    fn number(&mut self, prim: Prim) -> String {
        if prim == Prim::Bool {
            return self.choices.pick(&["false", "true"]).to_string();
        }
        let most = match prim {
            _ if prim.is_float() || !self.choices.chance(10) => 8,
            Prim::I32 | Prim::I64 | Prim::U32 => 100_000,
            _ => 100,
        };
        let number = self.choices.below(most);
        let sign = if (prim.is_signed() || prim.is_float()) && self.choices.chance(3) { "-" } else { "" };
        let point = if prim.is_float() { ".0" } else { "" };
        format!("{sign}{number}{point}{}", prim.name())
    }
}
