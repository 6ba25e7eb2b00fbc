//! Arrays at run time: a shared buffer of bytes, and where the elements lie in it.

use crate::error::{Kind, Stop};
use kenaz_base::Prim;
use smallvec::SmallVec;
use std::rc::Rc;

/// A view of a buffer. Elements are little-endian; offsets and strides count elements. The type of the elements is
/// known to the instructions that use the array.
#[derive(Clone, Debug, Default)]
pub(crate) struct Array {
    /// Nothing for slots that hold no array, and for arrays without elements.
    pub buffer: Option<Rc<Vec<u8>>>,
    pub offset: i64,
    pub dims: Dims,
}

pub(crate) type Dims = SmallVec<[Dim; 3]>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dim {
    pub size: i64,
    pub stride: i64,
}

/// How an element of a buffer becomes the contents of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Cell {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    Word,
}

impl Cell {
    pub(crate) fn of(prim: Prim) -> Cell {
        match prim {
            Prim::I8 => Cell::I8,
            Prim::U8 | Prim::Bool => Cell::U8,
            Prim::I16 => Cell::I16,
            Prim::U16 | Prim::F16 => Cell::U16,
            Prim::I32 => Cell::I32,
            Prim::U32 | Prim::F32 => Cell::U32,
            Prim::I64 | Prim::U64 | Prim::F64 => Cell::Word,
        }
    }

    /// The number of bytes.
    #[inline]
    pub(crate) fn width(self) -> usize {
        match self {
            Cell::I8 | Cell::U8 => 1,
            Cell::I16 | Cell::U16 => 2,
            Cell::I32 | Cell::U32 => 4,
            Cell::Word => 8,
        }
    }

    /// The element with this index, if there is one.
    #[inline]
    pub(crate) fn load(self, bytes: &[u8], index: i64) -> Option<u64> {
        #[inline]
        fn part<const N: usize>(bytes: &[u8], index: i64) -> Option<[u8; N]> {
            let at = (index as usize).wrapping_mul(N);
            bytes.get(at..at.wrapping_add(N))?.try_into().ok()
        }
        Some(match self {
            Cell::I32 => i64::from(i32::from_le_bytes(part(bytes, index)?)) as u64,
            Cell::U32 => u64::from(u32::from_le_bytes(part(bytes, index)?)),
            Cell::Word => u64::from_le_bytes(part(bytes, index)?),
            Cell::U8 => u64::from(u8::from_le_bytes(part(bytes, index)?)),
            Cell::I8 => i64::from(i8::from_le_bytes(part(bytes, index)?)) as u64,
            Cell::I16 => i64::from(i16::from_le_bytes(part(bytes, index)?)) as u64,
            Cell::U16 => u64::from(u16::from_le_bytes(part(bytes, index)?)),
        })
    }

    /// Writes the element with this index; false if there is none.
    #[inline]
    pub(crate) fn store(self, bytes: &mut [u8], index: i64, x: u64) -> bool {
        #[inline]
        fn put<const N: usize>(bytes: &mut [u8], index: i64, x: [u8; N]) -> bool {
            let at = (index as usize).wrapping_mul(N);
            match bytes.get_mut(at..at.wrapping_add(N)) {
                Some(place) => {
                    place.copy_from_slice(&x);
                    true
                }
                None => false,
            }
        }
        match self {
            Cell::I32 | Cell::U32 => put(bytes, index, (x as u32).to_le_bytes()),
            Cell::Word => put(bytes, index, x.to_le_bytes()),
            Cell::I8 | Cell::U8 => put(bytes, index, (x as u8).to_le_bytes()),
            Cell::I16 | Cell::U16 => put(bytes, index, (x as u16).to_le_bytes()),
        }
    }
}

/// The number of elements of an array of this shape; negative sizes, which a check should have prevented, count as
/// zero.
pub(crate) fn count(shape: &[i64]) -> Result<usize, Stop> {
    // A zero anywhere makes the product zero, whatever the other sizes are.
    if shape.iter().any(|&n| n <= 0) {
        return Ok(0);
    }
    shape.iter().try_fold(1usize, |product, &n| product.checked_mul(n as usize)).ok_or_else(|| too_large(shape))
}

/// The number of elements of an array that exists, so that [`count`] has approved of it.
fn elements(dims: &[Dim]) -> usize {
    if dims.iter().any(|d| d.size <= 0) { 0 } else { dims.iter().map(|d| d.size as usize).product() }
}

#[cold]
fn too_large(shape: &[i64]) -> Stop {
    let dims: String = shape.iter().map(|n| format!("[{n}]")).collect();
    Stop::new(Kind::OutOfMemory, format!("out of memory: an array of shape {dims} is too large."))
}

/// A buffer of so many zero bytes.
pub(crate) fn allocate(elements: usize, width: usize) -> Result<Vec<u8>, Stop> {
    let fail = || no_memory(elements, width);
    let bytes = elements.checked_mul(width).filter(|&n| n <= isize::MAX as usize).ok_or_else(fail)?;
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(bytes).map_err(|_| fail())?;
    buffer.resize(bytes, 0);
    Ok(buffer)
}

#[cold]
pub(crate) fn no_memory(elements: usize, width: usize) -> Stop {
    // In the words of compiled programs.
    let bytes = elements.checked_mul(width).and_then(|bytes| i64::try_from(bytes).ok());
    let bytes = bytes.map_or_else(|| format!("{} bytes or more", i64::MAX), |bytes| format!("{bytes} bytes"));
    Stop::new(Kind::OutOfMemory, format!("out of memory: cannot allocate {bytes}."))
}

pub(crate) fn row_major(shape: &[i64]) -> Dims {
    let mut dims: Dims = shape.iter().map(|&n| Dim { size: n.max(0), stride: 1 }).collect();
    let mut stride = 1i64;
    for dim in dims.iter_mut().rev() {
        dim.stride = stride;
        stride = stride.saturating_mul(dim.size.max(1));
    }
    dims
}

impl Array {
    /// A new array in row-major order.
    pub(crate) fn new(buffer: Vec<u8>, shape: &[i64]) -> Array {
        Array { buffer: Some(Rc::new(buffer)), offset: 0, dims: row_major(shape) }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.as_ref().map_or(&[], |b| b.as_slice())
    }

    pub(crate) fn shape(&self) -> SmallVec<[i64; 4]> {
        self.dims.iter().map(|d| d.size).collect()
    }

    /// The number of elements; an array that exists has one that fits.
    pub(crate) fn len(&self) -> usize {
        elements(&self.dims)
    }

    /// Whether the elements lie in row-major order without gaps.
    pub(crate) fn is_contiguous(&self) -> bool {
        contiguous(&self.dims)
    }

    /// The elements as one piece of the buffer, if they are.
    pub(crate) fn piece(&self, width: usize) -> Option<&[u8]> {
        let n = self.len();
        if n == 0 {
            return Some(&[]);
        }
        let at = self.offset as usize * width;
        if self.is_contiguous() { self.bytes().get(at..at + n * width) } else { None }
    }

    /// A copy in row-major order.
    pub(crate) fn copied(&self, width: usize) -> Result<Array, Stop> {
        let n = self.len();
        let mut buffer = Vec::new();
        if let Some(piece) = self.piece(width) {
            buffer.try_reserve_exact(n * width).map_err(|_| too_large(&self.shape()))?;
            buffer.extend_from_slice(piece);
        } else {
            buffer = allocate(n, width)?;
            self.copy_to(width, &mut buffer, 0)?;
        }
        Ok(Array::new(buffer, &self.shape()))
    }

    /// Writes the elements in row-major order from this element of the buffer on.
    pub(crate) fn copy_to(&self, width: usize, to: &mut [u8], offset: i64) -> Result<(), Stop> {
        copy(width, self.bytes(), self.offset, &self.dims, to, offset, &row_major(&self.shape()))
    }

    /// The buffer for writing; the array is copied first if somebody else can see it, or if an element may be part of
    /// it in several places.
    pub(crate) fn unique(&mut self, width: usize) -> Result<&mut Vec<u8>, Stop> {
        if self.buffer.as_mut().is_none_or(|b| Rc::get_mut(b).is_none()) || !self.is_contiguous() {
            *self = self.copied(width)?;
        }
        Ok(self.buffer.as_mut().and_then(Rc::get_mut).expect("a new buffer has one owner"))
    }

    /// The place of an element or row, or nothing if an index is out of bounds.
    pub(crate) fn locate(&self, indices: impl Iterator<Item = i64>) -> Option<i64> {
        let mut at = self.offset;
        for (i, dim) in indices.zip(&self.dims) {
            if i < 0 || i >= dim.size {
                return None;
            }
            at += i * dim.stride;
        }
        Some(at)
    }
}

pub(crate) fn contiguous(dims: &[Dim]) -> bool {
    let mut stride = 1;
    for dim in dims.iter().rev() {
        if dim.size != 1 && dim.stride != stride {
            return dims.iter().any(|d| d.size == 0);
        }
        // Only beside a dimension of size 0 can this be too large, and then it does not matter.
        stride = stride.saturating_mul(dim.size);
    }
    true
}

/// Copies elements from one place to another of the same shape.
pub(crate) fn copy(
    width: usize,
    from: &[u8],
    from_at: i64,
    from_dims: &[Dim],
    to: &mut [u8],
    to_at: i64,
    to_dims: &[Dim],
) -> Result<(), Stop> {
    if from_dims.iter().any(|d| d.size <= 0) {
        return Ok(());
    }
    let same_shape = from_dims.len() == to_dims.len() && from_dims.iter().zip(to_dims).all(|(f, t)| f.size == t.size);
    if !same_shape {
        return Err(Stop::fault("a copy between arrays of different shapes"));
    }
    copy_dims(width, from, from_at, from_dims, to, to_at, to_dims).ok_or_else(|| Stop::fault("a copy out of bounds"))
}

fn copy_dims(
    width: usize,
    from: &[u8],
    from_at: i64,
    from_dims: &[Dim],
    to: &mut [u8],
    to_at: i64,
    to_dims: &[Dim],
) -> Option<()> {
    let bytes = |at: i64, n: usize| {
        let start = usize::try_from(at).ok()?.checked_mul(width)?;
        Some(start..start.checked_add(n.checked_mul(width)?)?)
    };
    if contiguous(from_dims) && contiguous(to_dims) {
        let n = elements(from_dims);
        to.get_mut(bytes(to_at, n)?)?.copy_from_slice(from.get(bytes(from_at, n)?)?);
        return Some(());
    }
    let ([f, from_rest @ ..], [t, to_rest @ ..]) = (from_dims, to_dims) else { return None };
    if from_rest.is_empty() {
        return copy_strided(width, from, from_at, f.stride, to, to_at, t.stride, f.size);
    }
    for i in 0..f.size {
        copy_dims(width, from, from_at + i * f.stride, from_rest, to, to_at + i * t.stride, to_rest)?;
    }
    Some(())
}

#[expect(clippy::too_many_arguments, reason = "two places and a number of elements")]
fn copy_strided(
    width: usize,
    from: &[u8],
    from_at: i64,
    from_stride: i64,
    to: &mut [u8],
    to_at: i64,
    to_stride: i64,
    n: i64,
) -> Option<()> {
    fn run<const N: usize>(from: &[u8], mut f: i64, fs: i64, to: &mut [u8], mut t: i64, ts: i64, n: i64) -> Option<()> {
        for _ in 0..n {
            let (src, dst) = (usize::try_from(f).ok()? * N, usize::try_from(t).ok()? * N);
            let x: [u8; N] = from.get(src..src + N)?.try_into().ok()?;
            to.get_mut(dst..dst + N)?.copy_from_slice(&x);
            f += fs;
            t += ts;
        }
        Some(())
    }
    match width {
        1 => run::<1>(from, from_at, from_stride, to, to_at, to_stride, n),
        2 => run::<2>(from, from_at, from_stride, to, to_at, to_stride, n),
        4 => run::<4>(from, from_at, from_stride, to, to_at, to_stride, n),
        _ => run::<8>(from, from_at, from_stride, to, to_at, to_stride, n),
    }
}

/// The dimensions of another shape over the same elements, if no copy is needed.
pub(crate) fn reshaped(dims: &[Dim], shape: &[i64]) -> Option<Dims> {
    if contiguous(dims) {
        return Some(row_major(shape));
    }
    // One dimension of any stride splits into several.
    if let [dim] = dims {
        let mut new = row_major(shape);
        new.iter_mut().for_each(|d| d.stride *= dim.stride);
        return Some(new);
    }
    None
}

/// An array of `shape` with one element everywhere.
pub(crate) fn filled(cell: Cell, x: u64, shape: &[i64]) -> Result<Array, Stop> {
    let (n, width) = (count(shape)?, cell.width());
    let mut buffer = allocate(n, width)?;
    if x != 0 && n != 0 {
        cell.store(&mut buffer, 0, x);
        repeat(&mut buffer, width);
    }
    Ok(Array::new(buffer, shape))
}

/// Fills a buffer with repetitions of its first bytes.
pub(crate) fn repeat(buffer: &mut [u8], first: usize) {
    let mut done = first;
    while done != 0 && done < buffer.len() {
        let n = done.min(buffer.len() - done);
        buffer.copy_within(0..n, done);
        done += n;
    }
}
