//! Entry points as their callers see them, and the values that servers keep in files for them.

use crate::{ParamType, Value};
use kenaz_ir::Scalar;

/// What a program offers to the outside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryPoint {
    pub name: String,
    pub parameters: Vec<EntryType>,
    pub results: Vec<EntryType>,
}

/// The type of a parameter or result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntryType {
    /// As the program writes it.
    pub name: String,
    /// The arrays and scalars of which a value consists.
    pub parts: Vec<ParamType>,
    /// Whether it is an array or scalar itself, which can be written and compared.
    pub transparent: bool,
}

impl EntryType {
    /// The type of an array or scalar.
    pub fn plain(ty: ParamType) -> EntryType {
        EntryType { name: ty.to_string(), parts: vec![ty], transparent: true }
    }
}

/// The values in the files of a server: those of the arguments or results, and a `bool` for what consists of nothing.
pub fn to_stored(types: &[EntryType], values: Vec<Value>) -> Vec<Value> {
    let mut values = values.into_iter();
    let mut stored = Vec::new();
    for ty in types {
        if ty.parts.is_empty() {
            stored.push(Value::scalar(Scalar::Bool(false)));
        }
        stored.extend(values.by_ref().take(ty.parts.len()));
    }
    stored.extend(values);
    stored
}

/// The inverse of [`to_stored`].
pub fn from_stored(types: &[EntryType], stored: Vec<Value>) -> Vec<Value> {
    let mut stored = stored.into_iter();
    let mut values = Vec::new();
    for ty in types {
        if ty.parts.is_empty() {
            stored.next();
        }
        values.extend(stored.by_ref().take(ty.parts.len()));
    }
    values.extend(stored);
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write_binary;
    use kenaz_base::Prim;

    #[test]
    fn what_consists_of_nothing_is_a_bool_in_files() {
        let unit = EntryType { name: "()".to_string(), parts: Vec::new(), transparent: false };
        let plain = EntryType::plain(ParamType { rank: 0, prim: Prim::I32 });
        let types = [unit.clone(), plain, unit];
        let values = vec![Value::scalar(Scalar::I32(7))];
        let stored = to_stored(&types, values.clone());
        let texts: Vec<String> = stored.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["false", "7i32", "false"]);
        assert_eq!(from_stored(&types, stored.clone()), values);
        // As Futhark writes it.
        let mut bytes = Vec::new();
        write_binary(&mut bytes, &stored[0]).unwrap();
        assert_eq!(bytes, *b"b\x02\x00bool\x00");
        // Surplus values stay, so that a comparison finds them.
        assert_eq!(from_stored(&types, [stored.clone(), stored].concat()).len(), 4);
    }
}
