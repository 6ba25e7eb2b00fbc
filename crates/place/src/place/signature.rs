//! How functions take and yield arrays in the memory stage.
//!
//! An array is preceded by its block and its offset in it, from where on it is row-major. Entry points have arrays at
//! offset 0 of their blocks.

use kenaz_base::Symbol;
use kenaz_ir::{Fresh, Fun, Layout, Name, Operand, Param, Place, Poly, Prog, Space, Type};
use rustc_hash::FxHashMap;

/// The functions of a program as they were before.
#[derive(Debug, Default)]
pub struct Interfaces(FxHashMap<Symbol, Interface>);

#[derive(Debug)]
pub struct Interface {
    pub is_entry: bool,
    /// For each parameter whether it is an array.
    pub params: Vec<bool>,
}

impl Interfaces {
    pub fn of(prog: &Prog) -> Interfaces {
        let interface = |fun: &Fun| Interface {
            is_entry: fun.entry.is_some(),
            params: fun.params.iter().map(|p| p.ty.is_array()).collect(),
        };
        Interfaces(prog.funs.iter().map(|fun| (fun.name, interface(fun))).collect())
    }

    pub fn get(&self, fun: Symbol) -> Option<&Interface> {
        self.0.get(&fun)
    }
}

/// New parameters for the block and the offset of an array, and its place. Without an offset it is at 0.
pub fn carried(name: Name, dims: &[Operand], has_offset: bool, fresh: &mut Fresh) -> (Vec<Param>, Option<Place>) {
    let block = fresh.named(&format!("{}_mem", name.base));
    let mut params = vec![Param::new(block, Type::Mem(Space::Host))];
    let mut offset = Poly::default();
    if has_offset {
        let name = fresh.named(&format!("{}_at", name.base));
        params.push(Param::new(name, Type::I64));
        offset = Poly::name(name);
    }
    let layout = Layout::row_major_at(offset, dims);
    (params, layout.map(|layout| Place { block, layout }))
}
