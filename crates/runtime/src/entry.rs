//! Entry points as their callers see them, and the values that servers keep in files for them.

use crate::{ParamType, Value};
use kenaz_ir::Scalar;
use std::collections::BTreeSet;
use std::ops::Range;

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
    /// For each part the field that it is or belongs to, as `pos.x` or, in a tuple, `0`; nothing if there are no
    /// fields.
    pub names: Vec<String>,
    /// Whether it is an array or scalar itself, which can be written and compared.
    pub transparent: bool,
}

impl EntryType {
    /// The type of an array or scalar.
    pub fn plain(ty: ParamType) -> EntryType {
        EntryType { name: ty.to_string(), parts: vec![ty], names: vec![String::new()], transparent: true }
    }

    /// The names of the columns if a value is a table: an array of records, or a record of arrays. Each part is a
    /// column.
    pub fn columns(&self) -> Option<&[String]> {
        let is_column = |(part, name): (&ParamType, &String)| part.rank == 1 && !name.is_empty();
        let distinct = self.names.iter().collect::<BTreeSet<_>>().len() == self.names.len();
        let are_columns = self.parts.len() == self.names.len() && self.parts.iter().zip(&self.names).all(is_column);
        (!self.names.is_empty() && distinct && are_columns).then_some(&self.names)
    }

    /// The parts of a field: of `pos.x`, or of all of `pos`.
    pub fn field(&self, path: &str) -> Option<Range<usize>> {
        let within =
            |name: &&String| name.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        let start = self.names.iter().position(|name| within(&name))?;
        let length = self.names[start..].iter().take_while(within).count();
        (!path.is_empty()).then_some(start..start + length)
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
        let unit = EntryType { name: "()".to_string(), parts: Vec::new(), names: Vec::new(), transparent: false };
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

    #[test]
    fn columns_and_fields() {
        let ty = |parts: &[(&str, &str)]| EntryType {
            name: "t".to_string(),
            parts: parts.iter().map(|(part, _)| part.parse().unwrap()).collect(),
            names: parts.iter().map(|(_, name)| name.to_string()).collect(),
            transparent: false,
        };
        let points = ty(&[("[]f32", "p"), ("[]f32", "pos.x"), ("[]f32", "pos.y")]);
        assert_eq!(points.columns().unwrap(), ["p", "pos.x", "pos.y"]);
        assert_eq!(points.field("p"), Some(0..1));
        assert_eq!(points.field("pos"), Some(1..3));
        assert_eq!(points.field("pos.y"), Some(2..3));
        assert_eq!(points.field("po"), None);
        assert_eq!(points.field(""), None);
        // A record of a scalar, an array of rows, one of sums, what has no fields, and what has no parts.
        assert_eq!(ty(&[("[]f32", "x"), ("f32", "y")]).columns(), None);
        assert_eq!(ty(&[("[][]f32", "x")]).columns(), None);
        assert_eq!(ty(&[("[]u8", "x"), ("[]i32", "x")]).columns(), None);
        assert_eq!(EntryType::plain("[]f32".parse().unwrap()).columns(), None);
        assert_eq!(ty(&[]).columns(), None);
    }
}
