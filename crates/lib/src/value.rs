//! Values of any type.

use crate::argument::{Mismatch, Slot};
use crate::array::type_name;
use crate::results::Parts;
use crate::{Array, Element, Scalar};
use kenaz_embed::{self as embed, Arg};
use kenaz_ir::{EntryArray, EntryField, EntryKind, EntrySum, EntryType, Part, entry};
use std::borrow::Cow;
use std::sync::Arc;

/// A value of any type of the language.
#[derive(Debug)]
#[non_exhaustive]
pub enum Value {
    Scalar(Scalar),
    Array(Array),
    /// Fields with their names. An array of records is the record of the arrays of each field.
    Record(Vec<(String, Value)>),
    /// An array of tuples is the tuple of the arrays of each component.
    Tuple(Vec<Value>),
    Variant {
        name: String,
        payload: Vec<Value>,
    },
    Opaque(Opaque),
}

/// A value of which only the program knows what it is: of an abstract type, or an array of sums. It can be passed to
/// entry points that take its type.
#[derive(Debug)]
pub struct Opaque {
    ty: Arc<EntryType>,
    parts: Vec<PartValue>,
}

#[derive(Debug)]
enum PartValue {
    Scalar(Scalar),
    Array(Array),
}

impl Opaque {
    /// The name of its type.
    pub fn type_name(&self) -> &'static str {
        self.ty.name.as_str()
    }
}

impl Value {
    pub fn record<'n>(fields: impl IntoIterator<Item = (&'n str, Value)>) -> Value {
        Value::Record(fields.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }

    pub fn tuple(components: impl IntoIterator<Item = Value>) -> Value {
        Value::Tuple(components.into_iter().collect())
    }

    /// A value of a sum: `#circle 2` is `Value::variant("circle", [2f32.into()])`.
    pub fn variant(name: &str, payload: impl IntoIterator<Item = Value>) -> Value {
        Value::Variant { name: name.to_string(), payload: payload.into_iter().collect() }
    }

    /// The field of a record with this name, or the component of a tuple with this number.
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Value::Record(fields) => fields.iter().find(|(own, _)| own == name).map(|(_, value)| value),
            Value::Tuple(components) => components.get(name.parse::<usize>().ok()?),
            Value::Scalar(_) | Value::Array(_) | Value::Variant { .. } | Value::Opaque(_) => None,
        }
    }

    /// The scalar, if it is one of this type.
    pub fn to_scalar<T: Element>(&self) -> Option<T> {
        match self {
            Value::Scalar(scalar) => T::from_scalar(*scalar),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The value of a type whose parts come next.
    pub(crate) fn take(ty: &Arc<EntryType>, parts: &mut Parts) -> Result<Value, Mismatch> {
        Ok(match &ty.kind {
            EntryKind::Plain(_) => match parts.next()? {
                embed::Value::Scalar(scalar) => Value::Scalar(scalar),
                embed::Value::Array(inner) => Value::Array(Array { inner }),
            },
            EntryKind::Sum(sum) => take_variant(sum, parts)?,
            _ => match fields(ty) {
                Some(fields) if entry::is_tuple(fields) => Value::Tuple(
                    fields.iter().map(|field| Value::take(&field.ty, parts)).collect::<Result<_, Mismatch>>()?,
                ),
                Some(fields) => {
                    let field = |field: &EntryField| Ok((field.name.to_string(), Value::take(&field.ty, parts)?));
                    Value::Record(fields.iter().map(field).collect::<Result<_, Mismatch>>()?)
                }
                None => {
                    let own = ty.parts().iter().map(|_| parts.next().map(PartValue::from)).collect::<Result<_, _>>()?;
                    Value::Opaque(Opaque { ty: ty.clone(), parts: own })
                }
            },
        })
    }
}

/// What a value is, whether it is passed on or only lent: the values inside are of the type `V` as well.
pub(crate) enum Node<'a, V> {
    Scalar(Scalar),
    Array(Part, Arg<'a>),
    Record(Vec<(Cow<'a, str>, V)>),
    Tuple(Vec<V>),
    Variant(Cow<'a, str>, Vec<V>),
    Opaque(Arc<EntryType>, Vec<Arg<'a>>),
}

fn part_of(array: &Array) -> Part {
    Part { prim: array.prim(), rank: array.shape().len() }
}

impl From<Value> for Node<'_, Value> {
    fn from(value: Value) -> Self {
        match value {
            Value::Scalar(scalar) => Node::Scalar(scalar),
            Value::Array(array) => Node::Array(part_of(&array), Arg::Given(array.inner)),
            Value::Record(fields) => Node::Record(fields.into_iter().map(|(name, it)| (name.into(), it)).collect()),
            Value::Tuple(components) => Node::Tuple(components),
            Value::Variant { name, payload } => Node::Variant(name.into(), payload),
            Value::Opaque(Opaque { ty, parts }) => {
                let arg = |part| match part {
                    PartValue::Scalar(scalar) => Arg::Scalar(scalar),
                    PartValue::Array(array) => Arg::Given(array.inner),
                };
                Node::Opaque(ty, parts.into_iter().map(arg).collect())
            }
        }
    }
}

impl<'a> From<&'a Value> for Node<'a, &'a Value> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Scalar(scalar) => Node::Scalar(*scalar),
            Value::Array(array) => Node::Array(part_of(array), Arg::Array(&array.inner)),
            Value::Record(fields) => Node::Record(fields.iter().map(|(name, it)| (name.into(), it)).collect()),
            Value::Tuple(components) => Node::Tuple(components.iter().collect()),
            Value::Variant { name, payload } => Node::Variant(name.into(), payload.iter().collect()),
            Value::Opaque(Opaque { ty, parts }) => {
                let arg = |part: &'a PartValue| match part {
                    PartValue::Scalar(scalar) => Arg::Scalar(*scalar),
                    PartValue::Array(array) => Arg::Array(&array.inner),
                };
                Node::Opaque(ty.clone(), parts.iter().map(arg).collect())
            }
        }
    }
}

impl<V> Node<'_, V> {
    /// What it is, where it is not what it should be.
    fn found(&self) -> Mismatch {
        Mismatch::new(match self {
            Node::Scalar(scalar) => part_name(Part::scalar(scalar.prim())),
            Node::Array(part, _) => part_name(*part),
            Node::Record(_) => "a record".to_string(),
            Node::Tuple(components) => format!("a tuple of {}", components.len()),
            Node::Variant(name, _) => format!("`#{name}`"),
            Node::Opaque(ty, _) => format!("`{}`", ty.name),
        })
    }
}

/// Passes a value as one of a type, part by part.
pub(crate) fn put<'a, V: Into<Node<'a, V>>>(value: V, ty: &EntryType, slot: &mut Slot<'_, 'a>) -> Result<(), Mismatch> {
    match (value.into(), &ty.kind) {
        (Node::Scalar(scalar), EntryKind::Plain(part)) if Part::scalar(scalar.prim()) == *part => {
            slot.push(Arg::Scalar(scalar));
        }
        (Node::Array(own, arg), EntryKind::Plain(part)) if own == *part => slot.push(arg),
        (Node::Opaque(own, args), _) if *own == *ty => args.into_iter().for_each(|arg| slot.push(arg)),
        (Node::Variant(name, payload), EntryKind::Sum(sum)) => return put_variant(&name, payload, sum, slot),
        (node, _) => {
            let fields = fields(ty).ok_or_else(|| node.found())?;
            return put_fields(node, fields, slot);
        }
    }
    Ok(())
}

fn put_fields<'a, V: Into<Node<'a, V>>>(
    node: Node<'a, V>,
    fields: &[EntryField],
    slot: &mut Slot<'_, 'a>,
) -> Result<(), Mismatch> {
    match node {
        Node::Tuple(components) if entry::is_tuple(fields) && components.len() == fields.len() => {
            for (field, value) in fields.iter().zip(components) {
                put(value, &field.ty, slot).map_err(|mismatch| mismatch.inside(field.name.as_str()))?;
            }
            Ok(())
        }
        Node::Record(mut values) if !entry::is_tuple(fields) => {
            for field in fields {
                let name = field.name.as_str();
                let Some(at) = values.iter().position(|(own, _)| own == name) else {
                    return Err(Mismatch::new(format!("a record without the field `{name}`")));
                };
                let (_, value) = values.swap_remove(at);
                put(value, &field.ty, slot).map_err(|mismatch| mismatch.inside(name))?;
            }
            match values.first() {
                Some((name, _)) => Err(Mismatch::new(format!("a record with the field `{name}`"))),
                None => Ok(()),
            }
        }
        node => Err(node.found()),
    }
}

/// The parts of a sum: the number of the variant, and where its payload says the parts of that; the others are zeros
/// and empty arrays.
fn put_variant<'a, V: Into<Node<'a, V>>>(
    name: &str,
    payload: Vec<V>,
    sum: &EntrySum,
    slot: &mut Slot<'_, 'a>,
) -> Result<(), Mismatch> {
    let Some(number) = sum.variants.iter().position(|variant| variant.name.as_str() == name) else {
        return Err(Mismatch::new(format!("`#{name}`")));
    };
    let variant = &sum.variants[number];
    if payload.len() != variant.payload.len() {
        let (given, takes) = (payload.len(), variant.payload.len());
        return Err(Mismatch::new(format!("`#{name}` with {given} values instead of {takes}")));
    }
    let mut parts: Vec<Option<Arg<'a>>> = sum.parts.iter().map(|_| None).collect();
    parts[0] = Some(Arg::Scalar(Scalar::U8(u8::try_from(number).unwrap_or(u8::MAX))));
    for (value, (ty, places)) in payload.into_iter().zip(&variant.payload) {
        let mut own = slot.inner();
        put(value, ty, &mut own).map_err(|mismatch| mismatch.inside(&format!("#{name}")))?;
        for (place, arg) in places.iter().zip(own.into_args()) {
            parts[*place] = Some(arg);
        }
    }
    for (arg, part) in parts.into_iter().zip(&sum.parts) {
        match arg {
            Some(arg) => slot.push(arg),
            None => slot.push_nothing(*part)?,
        }
    }
    Ok(())
}

/// The fields of a record, or the arrays of an array of records.
fn fields(ty: &EntryType) -> Option<&[EntryField]> {
    match &ty.kind {
        EntryKind::Record(fields) => Some(fields),
        EntryKind::Array(EntryArray { fields, .. }) if !fields.is_empty() => Some(fields),
        EntryKind::Array(_) | EntryKind::Plain(_) | EntryKind::Sum(_) | EntryKind::Opaque(_) => None,
    }
}

fn take_variant(sum: &EntrySum, parts: &mut Parts) -> Result<Value, Mismatch> {
    let mut own: Vec<Option<embed::Value>> =
        sum.parts.iter().map(|_| parts.next().map(Some)).collect::<Result<_, _>>()?;
    let number = match own.first_mut().and_then(Option::take) {
        Some(embed::Value::Scalar(Scalar::U8(number))) => usize::from(number),
        _ => return Err(Mismatch::new("a sum without the number of its variant")),
    };
    let variant = sum.variants.get(number).ok_or_else(|| Mismatch::new("a variant that there is none of"))?;
    let value = |(ty, places): &(Arc<EntryType>, Vec<usize>)| {
        let mut inner = Parts::new(places.iter().filter_map(|place| own[*place].take()).collect());
        Value::take(ty, &mut inner)
    };
    let payload = variant.payload.iter().map(value).collect::<Result<_, Mismatch>>()?;
    Ok(Value::Variant { name: variant.name.to_string(), payload })
}

impl From<embed::Value> for PartValue {
    fn from(value: embed::Value) -> PartValue {
        match value {
            embed::Value::Scalar(scalar) => PartValue::Scalar(scalar),
            embed::Value::Array(inner) => PartValue::Array(Array { inner }),
        }
    }
}

impl<T: Element> From<T> for Value {
    fn from(scalar: T) -> Value {
        Value::Scalar(scalar.into_scalar())
    }
}

impl From<Array> for Value {
    fn from(array: Array) -> Value {
        Value::Array(array)
    }
}

/// How the type of such a part is told.
pub(crate) fn part_name(part: Part) -> String {
    format!("`{}`", type_name(part.prim, part.rank))
}
