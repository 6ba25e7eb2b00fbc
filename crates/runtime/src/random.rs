//! Random values, the same for the same seed everywhere.

use crate::{Data, Element, Value, ValueType, with_elements};
use half::f16;
use kenaz_base::{Prim, Rng};
use kenaz_ir::Scalar;

/// The least and the greatest value to generate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Bounds {
    Int { least: i128, greatest: i128 },
    Float { least: f64, greatest: f64 },
}

impl Bounds {
    /// All integers; floats from 0 to 1.
    fn usual(prim: Prim) -> Bounds {
        match prim {
            Prim::F16 | Prim::F32 | Prim::F64 => Bounds::Float { least: 0.0, greatest: 1.0 },
            Prim::Bool => Bounds::Int { least: 0, greatest: 1 },
            Prim::I8 | Prim::I16 | Prim::I32 | Prim::I64 | Prim::U8 | Prim::U16 | Prim::U32 | Prim::U64 => {
                let bits = 8 * crate::types::byte_width(prim);
                let least = if prim.is_signed() { -(1i128 << (bits - 1)) } else { 0 };
                Bounds::Int { least, greatest: least + (1i128 << bits) - 1 }
            }
        }
    }

    /// Bounds for values of a type, or nothing if they are not of that type or in the wrong order.
    pub fn new(least: Scalar, greatest: Scalar) -> Option<Bounds> {
        let int = |x: Scalar| match x {
            _ if x.prim().is_signed() => Some(i128::from(x.bits() as i64)),
            _ if x.prim().is_unsigned() => Some(i128::from(x.bits())),
            _ => None,
        };
        let float = |x: Scalar| match x {
            Scalar::F16(x) => Some(f64::from(x)),
            Scalar::F32(x) => Some(f64::from(x)),
            Scalar::F64(x) => Some(x),
            _ => None,
        };
        if least.prim() != greatest.prim() {
            return None;
        }
        match (int(least), int(greatest), float(least), float(greatest)) {
            (Some(least), Some(greatest), ..) if least <= greatest => Some(Bounds::Int { least, greatest }),
            (_, _, Some(least), Some(greatest)) if least <= greatest && least.is_finite() && greatest.is_finite() => {
                Some(Bounds::Float { least, greatest })
            }
            _ => None,
        }
    }
}

/// Generates values one after the other.
#[derive(Clone, Debug)]
pub struct Generator {
    rng: Rng,
    bounds: [Bounds; Prim::ALL.len()],
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator { rng: Rng::new(seed), bounds: Prim::ALL.map(Bounds::usual) }
    }

    /// From now on the random numbers are those of this seed.
    pub fn reseed(&mut self, seed: u64) {
        self.rng = Rng::new(seed);
    }

    /// From now on values of this type are within these bounds, which must be of that type.
    pub fn set_bounds(&mut self, prim: Prim, bounds: Bounds) {
        self.bounds[prim as usize] = bounds;
    }

    /// A value of this type, or nothing if there is not enough memory for it.
    pub fn value(&mut self, ty: &ValueType) -> Option<Value> {
        let count = crate::element_count(&ty.shape, ty.prim)?;
        let mut data = Data::empty(ty.prim);
        with_elements!(&mut data, xs => self.fill(xs, count))?;
        Some(Value::new(ty.shape.clone(), data))
    }

    fn fill<T: Element>(&mut self, xs: &mut Vec<T>, count: usize) -> Option<()> {
        xs.try_reserve_exact(count).ok()?;
        let bounds = self.bounds[T::PRIM as usize];
        while xs.len() < count {
            xs.push(T::from_scalar(self.scalar(T::PRIM, bounds))?);
        }
        Some(())
    }

    fn scalar(&mut self, prim: Prim, bounds: Bounds) -> Scalar {
        match bounds {
            Bounds::Int { least, greatest } => {
                let span = (greatest - least) as u128 + 1;
                // The product's upper half: as even as 64 random bits can be.
                let offset = (u128::from(self.rng.next()) * span) >> 64;
                Scalar::from_bits(prim, (least + offset as i128) as u64)
            }
            Bounds::Float { least, greatest } => {
                let t = self.rng.unit();
                // Written so that neither the difference of the bounds nor rounding leads out of them.
                let x = (least * (1.0 - t) + greatest * t).clamp(least, greatest);
                match prim {
                    Prim::F16 => Scalar::F16(f16::from_f64(x)),
                    Prim::F32 => Scalar::F32(x as f32),
                    _ => Scalar::F64(x),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generate(generator: &mut Generator, ty: &str) -> Value {
        generator.value(&ty.parse().unwrap()).unwrap()
    }

    #[test]
    fn seeds_decide() {
        let of = |seed| generate(&mut Generator::new(seed), "[10]u64");
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        let mut generator = Generator::new(1);
        assert_ne!(generate(&mut generator, "[10]u64"), generate(&mut generator, "[10]u64"));
    }

    #[test]
    fn usual_ranges() {
        let mut generator = Generator::new(7);
        for prim in Prim::ALL {
            let value = generate(&mut generator, &format!("[3][100]{}", prim.name()));
            assert_eq!(value.shape(), [3, 100]);
        }
        let bytes = generate(&mut generator, "[10000]i8");
        let bytes = bytes.elements::<i8>().unwrap();
        assert!((-128..=127).all(|byte| bytes.contains(&byte)));
        let floats = generate(&mut generator, "[1000]f32");
        assert!(floats.elements::<f32>().unwrap().iter().all(|x| (0.0..=1.0).contains(x)));
        assert_eq!(generate(&mut generator, "[0][3]f32").shape(), [0, 3]);
    }

    #[test]
    fn bounds_are_kept_and_reached() {
        let mut generator = Generator::new(3);
        generator.set_bounds(Prim::I32, Bounds::new(Scalar::I32(-1), Scalar::I32(1)).unwrap());
        let value = generate(&mut generator, "[100]i32");
        let xs = value.elements::<i32>().unwrap();
        assert!((-1..=1).all(|x| xs.contains(&x)) && xs.iter().all(|x| (-1..=1).contains(x)));
        generator.set_bounds(Prim::F64, Bounds::new(Scalar::F64(-f64::MAX), Scalar::F64(f64::MAX)).unwrap());
        let value = generate(&mut generator, "[100]f64");
        assert!(value.elements::<f64>().unwrap().iter().all(|x| x.is_finite()));
        generator.set_bounds(Prim::U64, Bounds::new(Scalar::U64(u64::MAX), Scalar::U64(u64::MAX)).unwrap());
        assert_eq!(generate(&mut generator, "u64"), Value::from(u64::MAX));
    }

    #[test]
    fn wrong_bounds() {
        assert_eq!(Bounds::new(Scalar::I32(2), Scalar::I32(1)), None);
        assert_eq!(Bounds::new(Scalar::F32(0.0), Scalar::F32(f32::NAN)), None);
        assert_eq!(Bounds::new(Scalar::F32(0.0), Scalar::F32(f32::INFINITY)), None);
        assert_eq!(Bounds::new(Scalar::I32(0), Scalar::I64(1)), None);
        assert_eq!(Bounds::new(Scalar::Bool(false), Scalar::Bool(true)), None);
    }
}
