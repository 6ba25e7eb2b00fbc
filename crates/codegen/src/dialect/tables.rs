//! Tables of constants: data of the program, each of them written once.

use super::exp::{constant, element_type};
use crate::parts::Needs;
use kenaz_base::Prim;
use kenaz_ir::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::sync::Arc;

/// A line of a table is as long as this, or a bit longer.
const WIDTH: usize = 100;

/// The tables that functions mention.
#[derive(Debug, Default)]
pub(crate) struct Tables(RefCell<Known>);

#[derive(Debug, Default)]
struct Known {
    numbers: FxHashMap<Key, usize>,
    texts: Vec<String>,
    /// The tables that were asked for since somebody wanted to know.
    asked: FxHashSet<usize>,
}

/// Elements by their bits: there are two zeros.
type Key = (Prim, Vec<u64>);

impl Tables {
    /// The name of a table with these elements, in front of all functions or kernels.
    pub(crate) fn name(&self, needs: &Needs, in_kernel: bool, prim: Prim, values: &Arc<[Scalar]>) -> String {
        let mut known = self.0.borrow_mut();
        let key = (prim, values.iter().map(|value| value.bits()).collect());
        if let Some(&number) = known.numbers.get(&key) {
            known.asked.insert(number);
            return name_of(number);
        }
        let number = known.texts.len();
        let name = name_of(number);
        let kind = if in_kernel { "KZ_CONSTANT" } else { "static const" };
        let mut table = format!("{kind} {} {name}[{}] = {{", element_type(needs, prim), values.len());
        let mut line = WIDTH;
        for value in values.iter() {
            if line >= WIDTH {
                table.push_str("\n   ");
                line = 0;
            }
            let text = constant(needs, *value).text;
            line += text.len() + 2;
            table.push(' ');
            table.push_str(&text);
            table.push(',');
        }
        table.push_str("\n};\n\n");
        known.texts.push(table);
        known.numbers.insert(key, number);
        known.asked.insert(number);
        name
    }

    /// The definitions of all tables.
    pub(crate) fn text(&self) -> String {
        self.0.borrow().texts.concat()
    }

    /// The definition of each table, by its number.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.0.borrow().texts.clone()
    }

    /// The numbers of the tables that were asked for since the last time this was.
    pub(crate) fn asked(&self) -> FxHashSet<usize> {
        std::mem::take(&mut self.0.borrow_mut().asked)
    }
}

fn name_of(number: usize) -> String {
    format!("kz_table_{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_tables_are_written_once() {
        let (tables, needs) = (Tables::default(), Needs::default());
        let zeros = |x: f64| -> Arc<[Scalar]> { [Scalar::F64(x), Scalar::F64(0.5)].into() };
        assert_eq!(tables.name(&needs, false, Prim::F64, &zeros(0.0)), "kz_table_0");
        assert_eq!(tables.name(&needs, false, Prim::F64, &zeros(-0.0)), "kz_table_1");
        assert_eq!(tables.name(&needs, false, Prim::F64, &zeros(0.0)), "kz_table_0");
        let text = "static const double kz_table_0[2] = {\n    0.0, 0.5,\n};\n\n\
                    static const double kz_table_1[2] = {\n    -0.0, 0.5,\n};\n\n";
        assert_eq!(tables.text(), text);
        assert_eq!(tables.asked(), FxHashSet::from_iter([0, 1]));
        tables.name(&needs, false, Prim::F64, &zeros(-0.0));
        assert_eq!(tables.asked(), FxHashSet::from_iter([1]));
    }
}
