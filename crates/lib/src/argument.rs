//! What can be passed to entry points.

use crate::value::{part_name, put};
use crate::{Array, Element, Error, Scalar, TypeError, Value};
use half::f16;
use kenaz_embed::{self as embed, Arg, Memory};
use kenaz_ir::{EntryKind, EntryParam, EntryType, Part};

/// Something that can be passed as an argument.
pub trait Argument<'a> {
    /// Passes it, if it is of the type that is wanted.
    #[doc(hidden)]
    fn put(self, slot: &mut Slot<'_, 'a>) -> Result<(), Mismatch>;
}

/// The arguments of a call, in the order of the parameters: a tuple of up to twelve, or a `Vec` or slice of [`Value`]s.
pub trait Arguments<'a> {
    /// How many there are.
    #[doc(hidden)]
    fn count(&self) -> usize;

    /// Passes each where it belongs.
    #[doc(hidden)]
    fn put_all(self, slots: &mut Slots<'_, 'a>) -> Result<(), Error>;
}

/// Where the argument for a parameter goes.
pub struct Slot<'s, 'a> {
    context: &'s embed::Context,
    ty: &'s EntryType,
    args: Vec<Arg<'a>>,
}

/// What is not of the type that is wanted; [`TypeError`] says of which parameter.
#[derive(Debug)]
pub struct Mismatch {
    found: String,
}

impl Mismatch {
    /// What was found instead, as a noun: "`[]f64`", "a record without the field `x`".
    pub fn new(found: impl Into<String>) -> Mismatch {
        Mismatch { found: found.into() }
    }

    /// The same, in this field.
    pub(crate) fn inside(self, field: &str) -> Mismatch {
        Mismatch { found: format!("{} in `{field}`", self.found) }
    }

    pub(crate) fn at(self, entry: &str, place: String, expected: &EntryType) -> TypeError {
        TypeError { entry: entry.to_string(), place, expected: expected.name.to_string(), found: self.found }
    }
}

impl<'s, 'a> Slot<'s, 'a> {
    pub(crate) fn push(&mut self, arg: Arg<'a>) {
        self.args.push(arg);
    }

    /// A zero, or an array without elements.
    pub(crate) fn push_nothing(&mut self, part: Part) -> Result<(), Mismatch> {
        let zeros = vec![0; part.rank];
        self.push(match part.rank {
            0 => Arg::Scalar(Scalar::from_bits(part.prim, 0)),
            _ => Arg::Given(empty(self.context, part, &zeros).ok_or_else(|| Mismatch::new("an array without room"))?),
        });
        Ok(())
    }

    /// For a value inside of one: nothing is in it yet.
    pub(crate) fn inner(&self) -> Slot<'s, 'a> {
        Slot { context: self.context, ty: self.ty, args: Vec::new() }
    }

    pub(crate) fn into_args(self) -> Vec<Arg<'a>> {
        self.args
    }

    /// The part that is wanted, if the type is a scalar or an array of scalars.
    fn wants(&self, part: Part) -> Result<(), Mismatch> {
        match self.ty.kind {
            EntryKind::Plain(wanted) if wanted == part => Ok(()),
            _ => Err(Mismatch::new(part_name(part))),
        }
    }

    pub(crate) fn scalar<T: Element>(&mut self, value: T) -> Result<(), Mismatch> {
        self.wants(Part::scalar(T::PRIM))?;
        self.push(Arg::Scalar(value.into_scalar()));
        Ok(())
    }

    pub(crate) fn elements<T: Element>(&mut self, elements: &'a [T], shape: &[usize]) -> Result<(), Mismatch> {
        self.wants(Part { prim: T::PRIM, rank: shape.len() })?;
        let memory = Memory::new(elements, shape)
            .ok_or_else(|| Mismatch::new(format!("{} elements in the shape {shape:?}", elements.len())))?;
        self.push(Arg::Memory(memory));
        Ok(())
    }

    /// Elements that are not needed afterwards.
    #[cfg(feature = "ndarray")]
    pub(crate) fn copied<T: Element>(&mut self, elements: &[T], shape: &[usize]) -> Result<(), Mismatch> {
        self.wants(Part { prim: T::PRIM, rank: shape.len() })?;
        match self.context.array(elements, shape) {
            Ok(Some(array)) => self.push(Arg::Given(array)),
            Ok(None) => return Err(Mismatch::new(format!("{} elements in the shape {shape:?}", elements.len()))),
            Err(error) => return Err(Mismatch::new(format!("an array that cannot be copied: {error}"))),
        }
        Ok(())
    }
}

fn empty(context: &embed::Context, part: Part, shape: &[usize]) -> Option<embed::Array> {
    macro_rules! of {
        ($($prim:ident $ty:ty),*) => {
            match part.prim {
                $(kenaz_base::Prim::$prim => context.array::<$ty>(&[], shape),)*
            }
        };
    }
    let made =
        of!(I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 f16, F32 f32, F64 f64, Bool bool);
    made.ok().flatten()
}

/// All places of a call, and who is told about what does not suit.
pub struct Slots<'s, 'a> {
    context: &'s embed::Context,
    entry: &'s embed::EntryPoint,
    next: usize,
    args: Vec<Arg<'a>>,
}

impl<'s, 'a> Slots<'s, 'a> {
    pub(crate) fn new(context: &'s embed::Context, entry: &'s embed::EntryPoint) -> Slots<'s, 'a> {
        Slots { context, entry, next: 0, args: Vec::with_capacity(entry.takes.len()) }
    }

    pub(crate) fn into_args(self) -> Vec<Arg<'a>> {
        self.args
    }

    /// Passes the argument for the next parameter.
    fn put(&mut self, argument: impl Argument<'a>) -> Result<(), Error> {
        let param = &self.entry.entry.params[self.next];
        let mut slot = Slot { context: self.context, ty: &param.ty, args: std::mem::take(&mut self.args) };
        argument
            .put(&mut slot)
            .map_err(|mismatch| mismatch.at(&self.entry.name, place(param, self.next), &param.ty))?;
        self.args = slot.args;
        self.next += 1;
        Ok(())
    }
}

fn place(param: &EntryParam, number: usize) -> String {
    match param.name.as_str() {
        "_" => format!("parameter {}", number + 1),
        name => format!("the parameter `{name}`"),
    }
}

macro_rules! scalars {
    ($($ty:ty),*) => {
        $(impl<'a> Argument<'a> for $ty {
            fn put(self, slot: &mut Slot<'_, 'a>) -> Result<(), Mismatch> {
                slot.scalar(self)
            }
        })*
    };
}

scalars!(i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64, bool);

impl<'a, T: Element> Argument<'a> for &'a [T] {
    fn put(self, slot: &mut Slot<'_, 'a>) -> Result<(), Mismatch> {
        slot.elements(self, &[self.len()])
    }
}

impl<'a, T: Element> Argument<'a> for &'a Vec<T> {
    fn put(self, slot: &mut Slot<'_, 'a>) -> Result<(), Mismatch> {
        slot.elements(self, &[self.len()])
    }
}

impl<'a, T: Element, const N: usize> Argument<'a> for &'a [T; N] {
    fn put(self, slot: &mut Slot<'_, 'a>) -> Result<(), Mismatch> {
        slot.elements(self, &[N])
    }
}

/// A slice as an array of several dimensions, row by row.
///
/// ```
/// # use kenaz::{Backend, Program, View};
/// # let program = Program::from_text("entry main (m: [][]i32) = flatten (transpose m)", Backend::C)?;
/// # let context = program.start()?;
/// let turned: Vec<i32> = context.call("main", (View::new(&[1, 2, 3, 4, 5, 6], [2, 3]),))?;
/// assert_eq!(turned, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), kenaz::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T, const RANK: usize> {
    elements: &'a [T],
    shape: [usize; RANK],
}

impl<'a, T: Element, const RANK: usize> View<'a, T, RANK> {
    /// The elements in this shape. That there are as many as it says is checked when the view is passed.
    pub fn new(elements: &'a [T], shape: [usize; RANK]) -> View<'a, T, RANK> {
        View { elements, shape }
    }
}

impl<'a, T: Element, const RANK: usize> Argument<'a> for View<'a, T, RANK> {
    fn put(self, slot: &mut Slot<'_, 'a>) -> Result<(), Mismatch> {
        slot.elements(self.elements, &self.shape)
    }
}

impl<'a> Argument<'a> for &'a Array {
    fn put(self, slot: &mut Slot<'_, 'a>) -> Result<(), Mismatch> {
        slot.wants(Part { prim: self.prim(), rank: self.shape().len() })?;
        slot.push(Arg::Array(&self.inner));
        Ok(())
    }
}

impl<'a> Argument<'a> for Array {
    fn put(self, slot: &mut Slot<'_, 'a>) -> Result<(), Mismatch> {
        slot.wants(Part { prim: self.prim(), rank: self.shape().len() })?;
        slot.push(Arg::Given(self.inner));
        Ok(())
    }
}

impl<'a> Argument<'a> for Value {
    fn put(self, slot: &mut Slot<'_, 'a>) -> Result<(), Mismatch> {
        let ty = slot.ty;
        put(self, ty, slot)
    }
}

impl<'a> Argument<'a> for &'a Value {
    fn put(self, slot: &mut Slot<'_, 'a>) -> Result<(), Mismatch> {
        let ty = slot.ty;
        put(self, ty, slot)
    }
}

macro_rules! tuples {
    ($($count:literal: $($name:ident)*;)*) => {
        $(impl<'a, $($name: Argument<'a>),*> Arguments<'a> for ($($name,)*) {
            fn count(&self) -> usize {
                $count
            }

            #[expect(non_snake_case, reason = "the names of types are also those of their values")]
            fn put_all(self, slots: &mut Slots<'_, 'a>) -> Result<(), Error> {
                let ($($name,)*) = self;
                $(slots.put($name)?;)*
                Ok(())
            }
        })*
    };
}

tuples! {
    1: A;
    2: A B;
    3: A B C;
    4: A B C D;
    5: A B C D E;
    6: A B C D E F;
    7: A B C D E F G;
    8: A B C D E F G H;
    9: A B C D E F G H I;
    10: A B C D E F G H I J;
    11: A B C D E F G H I J K;
    12: A B C D E F G H I J K L;
}

impl<'a> Arguments<'a> for () {
    fn count(&self) -> usize {
        0
    }

    fn put_all(self, _: &mut Slots<'_, 'a>) -> Result<(), Error> {
        Ok(())
    }
}

impl<'a> Arguments<'a> for Vec<Value> {
    fn count(&self) -> usize {
        self.len()
    }

    fn put_all(self, slots: &mut Slots<'_, 'a>) -> Result<(), Error> {
        self.into_iter().try_for_each(|value| slots.put(value))
    }
}

impl<'a> Arguments<'a> for &'a [Value] {
    fn count(&self) -> usize {
        self.len()
    }

    fn put_all(self, slots: &mut Slots<'_, 'a>) -> Result<(), Error> {
        self.iter().try_for_each(|value| slots.put(value))
    }
}
