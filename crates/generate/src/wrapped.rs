//! Functions that are in modules: plain ones, sealed ones, and modules that take others.

use crate::gen_state::Gen;
use crate::types::{Prim, Ty};

/// What is around a function.
pub(crate) enum Wrapping {
    Nothing,
    /// A module, perhaps inside another.
    Plain {
        nested: bool,
    },
    /// A module with a parameter, which the function uses; two of them are made of it.
    Parametric,
}

impl Gen {
    /// Chooses what is around a function, and brings into scope what its body may use for that.
    pub(crate) fn wrapping(&mut self) -> Wrapping {
        match self.choices.weighted(&[6, 1, 2]) {
            0 => Wrapping::Nothing,
            1 => Wrapping::Plain { nested: self.choices.chance(2) },
            _ => {
                self.bind("P.shift", &Ty::i64());
                self.bind("P.scale", &Ty::Prim(Prim::I32));
                self.bind("P.pair", &Ty::Tuple(vec![Ty::i64(), Ty::Prim(Prim::Bool)]));
                Wrapping::Parametric
            }
        }
    }

    /// The name that a function has outside, and its text with what is around it.
    pub(crate) fn wrapped(&mut self, wrapping: &Wrapping, name: String, text: String) -> (String, String) {
        let indented: String = text.lines().map(|line| format!("  {line}\n")).collect();
        match wrapping {
            Wrapping::Nothing => (name, text),
            Wrapping::Plain { nested: false } => {
                let module = self.fresh("m");
                (format!("{module}.{name}"), format!("module {module} = {{\n{indented}}}\n"))
            }
            Wrapping::Plain { nested: true } => {
                let (module, inner) = (self.fresh("m"), self.fresh("m"));
                let text = format!("module {module} = {{\n  module {inner} = {{\n{indented}  }}\n  open {inner}\n}}\n");
                let prefix = if self.choices.chance(2) { format!("{module}.{inner}") } else { module };
                (format!("{prefix}.{name}"), text)
            }
            Wrapping::Parametric => {
                let (maker, one, two) = (self.fresh("mk"), self.fresh("m"), self.fresh("m"));
                let header =
                    format!("module {maker} (P: {{ val shift : i64 val scale : i32 val pair : (i64, bool) }}) = {{\n");
                let mut text = format!("{header}{indented}}}\n\n");
                for module in [&one, &two] {
                    let (shift, scale) = (self.literal(Prim::I64), self.literal(Prim::I32));
                    let pair = format!("({}, {})", self.literal(Prim::I64), self.literal(Prim::Bool));
                    let fields = format!("def shift = {shift} def scale = {scale} def pair = {pair}");
                    text.push_str(&format!("module {module} = {maker} {{ {fields} }}\n"));
                }
                let module = self.choices.pick(&[one, two]);
                (format!("{module}.{name}"), text)
            }
        }
    }
}
