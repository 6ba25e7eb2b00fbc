//! Reading the binary format: `b`, version, rank, type, dimensions, elements, all little endian.

use super::source::Source;
use super::{Fault, Problem};
use crate::{Data, Element, Value, ValueType, element_count, with_elements};
use kenaz_base::Prim;

pub(super) const VERSION: u8 = 2;

/// Reads a value; the source stands before its `b`.
pub(super) fn read(source: &mut Source<'_>) -> Result<Value, Fault> {
    let [_, version] = source.exactly()?;
    if version != VERSION {
        return Err(Problem::Version(version).at(source.offset() - 1));
    }
    let [rank] = source.exactly()?;
    let name: [u8; 4] = source.exactly()?;
    let prim = Prim::ALL
        .into_iter()
        .find(|prim| type_name(*prim) == name)
        .ok_or_else(|| Problem::BinaryType(name.escape_ascii().to_string()).at(source.offset() - name.len() as u64))?;
    let dims_at = source.offset();
    let mut dims = Vec::with_capacity(usize::from(rank));
    for _ in 0..rank {
        dims.push(u64::from_le_bytes(source.exactly()?));
    }
    let Count { shape, elements: count } = check_shape(&dims, prim, dims_at)?;
    let mut data = Data::empty(prim);
    with_elements!(&mut data, xs => elements(source, &shape, count, Order::Little, xs))?;
    Ok(Value::new(shape, data))
}

/// A shape, and how many elements it has.
pub(super) struct Count {
    pub(super) shape: Vec<usize>,
    pub(super) elements: usize,
}

/// Makes sure that a machine could hold an array with these dimensions, which stand at this place.
pub(super) fn check_shape(dims: &[u64], prim: Prim, at: u64) -> Result<Count, Fault> {
    let shape: Option<Vec<usize>> = dims.iter().map(|&dim| usize::try_from(dim).ok()).collect();
    if let Some(shape) = shape
        && let Some(elements) = element_count(&shape, prim)
    {
        return Ok(Count { shape, elements });
    }
    // Sizes have a sign.
    let dims: Vec<i64> = dims.iter().copied().map(u64::cast_signed).collect();
    let problem = if dims.iter().any(|dim| *dim < 0) { Problem::Negative } else { Problem::TooLarge };
    Err(problem(dims.iter().map(|dim| format!("[{dim}]")).collect()).at(at))
}

/// The order of the bytes of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Little,
    Big,
}

/// The four bytes that stand for a type.
pub(super) fn type_name(prim: Prim) -> [u8; 4] {
    let mut name = [b' '; 4];
    let text = prim.name().as_bytes();
    name[4 - text.len()..].copy_from_slice(text);
    name
}

/// How many bytes are reserved on the word of a header alone.
const TRUSTED: usize = 1 << 24;

/// Reads so many elements; the shape is for messages.
pub(super) fn elements<T: Element>(
    source: &mut Source<'_>,
    shape: &[usize],
    count: usize,
    order: Order,
    to: &mut Vec<T>,
) -> Result<(), Fault> {
    let ty = || ValueType { shape: shape.to_vec(), prim: T::PRIM };
    while to.len() < count {
        let left = count - to.len();
        let chunk = source.chunk(T::BYTES)?;
        let n = (chunk.len() / T::BYTES).min(left);
        if n == 0 {
            let found = (to.len() * T::BYTES + chunk.len()) as u64;
            return Err(Problem::TruncatedElements { ty: ty(), found, wanted: (count * T::BYTES) as u64 }.into());
        }
        if to.capacity() - to.len() < n {
            // Doubled each time, so that the elements are seldom moved, but never beyond what is wanted.
            let more = (TRUSTED / T::BYTES).max(to.len()).max(n).min(left);
            to.try_reserve_exact(more).map_err(|_| Problem::Memory(ty()))?;
        }
        let bytes = &chunk[..n * T::BYTES];
        let before = to.len();
        let each = bytes.chunks_exact(T::BYTES);
        match order {
            Order::Little => to.extend(each.map_while(T::from_bytes)),
            Order::Big => to.extend(each.map_while(from_big_endian::<T>)),
        }
        if to.len() - before < n {
            let bad = (to.len() - before) * T::BYTES;
            let byte = bytes[bad];
            return Err(Problem::BinaryBool(byte).at(source.offset() + bad as u64));
        }
        source.skip(n * T::BYTES);
    }
    Ok(())
}

fn from_big_endian<T: Element>(bytes: &[u8]) -> Option<T> {
    let mut reversed = [0; size_of::<u64>()];
    let reversed = reversed.get_mut(..bytes.len())?;
    reversed.copy_from_slice(bytes);
    reversed.reverse();
    T::from_bytes(reversed)
}

#[cfg(test)]
mod tests {
    use crate::{Reader, Value, write_binary};
    use half::f16;

    fn error(bytes: &[u8]) -> String {
        Reader::new(bytes).rest().unwrap_err().to_string()
    }

    /// What the peer writes for `futhark dataset -b`.
    #[test]
    fn known_bytes() {
        let check = |value: Value, bytes: &[u8]| {
            let mut out = Vec::new();
            write_binary(&mut out, &value).unwrap();
            assert_eq!(out, bytes);
            assert_eq!(Reader::new(bytes).rest().unwrap(), [value]);
        };
        check(Value::from(10i32), b"b\x02\x00 i32\x0a\0\0\0");
        check(Value::from(vec![true, false]), b"b\x02\x01bool\x02\0\0\0\0\0\0\0\x01\0");
        check(Value::from(f16::from_f32(1.5)), b"b\x02\x00 f16\0\x3e");
        check(Value::from(vec![-1i8]), b"b\x02\x01  i8\x01\0\0\0\0\0\0\0\xff");
    }

    #[test]
    fn damaged_headers() {
        assert_eq!(error(b"b\x03\x00 i32\x0a\0\0\0"), "byte 1: the binary data has version 3, only version 2 is known");
        assert_eq!(error(b"b\x02\x00 int\x0a\0\0\0"), "byte 3: ` int` is not a type in binary data");
        assert_eq!(error(b"b\x02\x00 i"), "byte 3: the data ends in the middle of a value");
        assert_eq!(error(b"b"), "byte 0: the data ends in the middle of a value");
        assert_eq!(error(b"b\x02\x01 i32\0\0"), "byte 7: the data ends in the middle of a value");
    }

    #[test]
    fn damaged_elements() {
        assert_eq!(
            error(b"b\x02\x01 i32\x02\0\0\0\0\0\0\0\x01\0\0\0\x02\0"),
            "byte 19: the binary data ends after 6 of 8 bytes of a value of type `[2]i32`"
        );
        assert_eq!(
            error(b"b\x02\x01bool\x03\0\0\0\0\0\0\0\x01\0\x07"),
            "byte 17: the byte 0x07 is not a boolean, which is 0 or 1"
        );
    }

    #[test]
    fn huge_dimensions_are_refused_before_anything_is_allocated() {
        let mut bytes = b"b\x02\x02  i8".to_vec();
        bytes.extend((1u64 << 60).to_le_bytes());
        bytes.extend(0u64.to_le_bytes());
        assert_eq!(
            error(&bytes),
            "byte 7: the dimensions [1152921504606846976][0] are larger than any machine can hold"
        );
        // As large as a machine could hold: found to be a lie without believing it.
        let mut bytes = b"b\x02\x01  i8".to_vec();
        bytes.extend((1u64 << 46).to_le_bytes());
        bytes.extend([1, 2, 3]);
        assert!(error(&bytes).contains("ends after 3 of 70368744177664 bytes"), "{}", error(&bytes));
    }

    #[test]
    fn negative_dimensions_are_shown_as_such() {
        let mut bytes = b"b\x02\x02 i32".to_vec();
        bytes.extend(3i64.to_le_bytes());
        bytes.extend((-2i64).to_le_bytes());
        assert_eq!(error(&bytes), "byte 7: the dimensions [3][-2] are not right: one of them is negative");
    }

    #[test]
    fn arrays_larger_than_any_buffer() {
        let value =
            Value::new(vec![3, 100_001], crate::Data::I64((0..300_003).map(|i| i * 0x0123_4567_89ab).collect()));
        let mut bytes = Vec::new();
        write_binary(&mut bytes, &value).unwrap();
        write_binary(&mut bytes, &value).unwrap();
        assert!(Reader::new(&bytes[..]).rest().unwrap() == [value.clone(), value]);
    }
}
