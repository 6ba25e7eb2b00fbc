//! What can be wanted of a call.

use crate::argument::Mismatch;
use crate::array::type_name;
use crate::value::part_name;
use crate::{Array, Element, TypeError, Value};
use half::f16;
use kenaz_embed as embed;
use kenaz_ir::{EntryKind, EntryParam, EntryType, Part};
use std::sync::Arc;

/// What a result can become.
pub trait FromResult: Sized {
    /// Whether a result of this type can become it.
    #[doc(hidden)]
    fn check(ty: &EntryType) -> Result<(), Mismatch>;

    /// Makes it of the parts of a result that passed the check.
    #[doc(hidden)]
    fn take(ty: &Arc<EntryType>, parts: &mut Parts) -> Result<Self, Mismatch>;
}

/// All results of a call: one, a tuple of them, or a `Vec` of [`Value`]s; `()` for none.
pub trait Results: Sized {
    /// Whether the results of an entry point can become it.
    #[doc(hidden)]
    fn check(entry: &embed::EntryPoint) -> Result<(), TypeError>;

    /// Makes it of results that passed the check.
    #[doc(hidden)]
    fn take(entry: &embed::EntryPoint, parts: &mut Parts) -> Result<Self, TypeError>;
}

/// The parts of results that were not taken yet.
pub struct Parts {
    rest: std::vec::IntoIter<embed::Value>,
}

impl Parts {
    pub(crate) fn new(parts: Vec<embed::Value>) -> Parts {
        Parts { rest: parts.into_iter() }
    }

    pub(crate) fn next(&mut self) -> Result<embed::Value, Mismatch> {
        self.rest.next().ok_or_else(|| Mismatch::new("a result without all of its parts"))
    }

    pub(crate) fn next_array(&mut self) -> Result<Array, Mismatch> {
        match self.next()? {
            embed::Value::Array(inner) => Ok(Array { inner }),
            embed::Value::Scalar(scalar) => Err(Mismatch::new(part_name(Part::scalar(scalar.prim())))),
        }
    }
}

/// Whether a type is a scalar or an array of scalars with a certain part.
pub(crate) fn is_plain(ty: &EntryType, part: Part) -> Result<(), Mismatch> {
    match ty.kind {
        EntryKind::Plain(own) if own == part => Ok(()),
        _ => Err(Mismatch::new(part_name(part))),
    }
}

macro_rules! scalars {
    ($($ty:ty),*) => {
        $(impl FromResult for $ty {
            fn check(ty: &EntryType) -> Result<(), Mismatch> {
                is_plain(ty, Part::scalar(<$ty>::PRIM))
            }

            fn take(_: &Arc<EntryType>, parts: &mut Parts) -> Result<$ty, Mismatch> {
                let wrong = || Mismatch::new(part_name(Part::scalar(<$ty>::PRIM)));
                match parts.next()? {
                    embed::Value::Scalar(scalar) => <$ty>::from_scalar(scalar).ok_or_else(wrong),
                    embed::Value::Array(_) => Err(wrong()),
                }
            }
        })*
    };
}

scalars!(i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, bool);

impl<T: Element> FromResult for Vec<T> {
    fn check(ty: &EntryType) -> Result<(), Mismatch> {
        is_plain(ty, Part { prim: T::PRIM, rank: 1 })
    }

    fn take(_: &Arc<EntryType>, parts: &mut Parts) -> Result<Vec<T>, Mismatch> {
        let copied = parts.next_array()?.to_vec().map_err(|error| Mismatch::new(error.to_string()))?;
        copied.ok_or_else(|| Mismatch::new(format!("`{}`", type_name(T::PRIM, 1))))
    }
}

impl FromResult for Array {
    fn check(ty: &EntryType) -> Result<(), Mismatch> {
        match ty.kind {
            EntryKind::Plain(Part { rank: 1.., .. }) => Ok(()),
            _ => Err(Mismatch::new("an array")),
        }
    }

    fn take(_: &Arc<EntryType>, parts: &mut Parts) -> Result<Array, Mismatch> {
        parts.next_array()
    }
}

impl FromResult for Value {
    fn check(_: &EntryType) -> Result<(), Mismatch> {
        Ok(())
    }

    fn take(ty: &Arc<EntryType>, parts: &mut Parts) -> Result<Value, Mismatch> {
        Value::take(ty, parts)
    }
}

fn error(entry: &embed::EntryPoint, number: usize, param: &EntryParam, mismatch: Mismatch) -> TypeError {
    let place = if entry.entry.results.len() == 1 { "the result".into() } else { format!("result {}", number + 1) };
    mismatch.at(&entry.name, place, &param.ty)
}

/// That as many are wanted as there are.
fn count(entry: &embed::EntryPoint, wanted: usize) -> Result<(), TypeError> {
    let given = entry.entry.results.len();
    if given == wanted {
        return Ok(());
    }
    let expected: Vec<String> = entry.entry.results.iter().map(|result| result.ty.name.to_string()).collect();
    Err(TypeError {
        entry: entry.name.clone(),
        place: "what it gives".to_string(),
        expected: format!("({})", expected.join(", ")),
        found: if wanted == 1 { "one result".to_string() } else { format!("{wanted} results") },
    })
}

fn check_nth<T: FromResult>(entry: &embed::EntryPoint, number: usize) -> Result<(), TypeError> {
    let result = &entry.entry.results[number];
    T::check(&result.ty).map_err(|mismatch| error(entry, number, result, mismatch))
}

fn take_nth<T: FromResult>(entry: &embed::EntryPoint, number: usize, parts: &mut Parts) -> Result<T, TypeError> {
    let result = &entry.entry.results[number];
    T::take(&result.ty, parts).map_err(|mismatch| error(entry, number, result, mismatch))
}

impl<T: FromResult> Results for T {
    fn check(entry: &embed::EntryPoint) -> Result<(), TypeError> {
        count(entry, 1)?;
        check_nth::<T>(entry, 0)
    }

    fn take(entry: &embed::EntryPoint, parts: &mut Parts) -> Result<T, TypeError> {
        take_nth(entry, 0, parts)
    }
}

impl Results for () {
    fn check(entry: &embed::EntryPoint) -> Result<(), TypeError> {
        count(entry, 0)
    }

    fn take(_: &embed::EntryPoint, _: &mut Parts) -> Result<(), TypeError> {
        Ok(())
    }
}

/// As many as there are.
impl Results for Vec<Value> {
    fn check(_: &embed::EntryPoint) -> Result<(), TypeError> {
        Ok(())
    }

    fn take(entry: &embed::EntryPoint, parts: &mut Parts) -> Result<Vec<Value>, TypeError> {
        (0..entry.entry.results.len()).map(|number| take_nth(entry, number, parts)).collect()
    }
}

macro_rules! tuples {
    ($($count:literal: $($name:ident $number:literal)*;)*) => {
        $(impl<$($name: FromResult),*> Results for ($($name,)*) {
            fn check(entry: &embed::EntryPoint) -> Result<(), TypeError> {
                count(entry, $count)?;
                $(check_nth::<$name>(entry, $number)?;)*
                Ok(())
            }

            fn take(entry: &embed::EntryPoint, parts: &mut Parts) -> Result<($($name,)*), TypeError> {
                Ok(($(take_nth::<$name>(entry, $number, parts)?,)*))
            }
        })*
    };
}

tuples! {
    1: A 0;
    2: A 0 B 1;
    3: A 0 B 1 C 2;
    4: A 0 B 1 C 2 D 3;
    5: A 0 B 1 C 2 D 3 E 4;
    6: A 0 B 1 C 2 D 3 E 4 F 5;
    7: A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    8: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    9: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    10: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    11: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    12: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
}
