//! A user of `cargo-futhark`: every entry point of arrays.fut, on several back ends in one program.

mod arrays {
    #![allow(warnings)]
    include!(concat!(env!("OUT_DIR"), "/futhark/futhark_lib.rs"));
}

use arrays::{Array_F64_1D, Array_I32_2D, Context, backends::Backend};

fn use_all<B: Backend>() {
    let ctx = Context::<B>::default();
    let xs = Array_F64_1D::new(&ctx, &[1.0, 2.0, 6.0], 3);
    let average = ctx.entry_average(&xs).unwrap();
    assert!(ctx.sync());
    assert_eq!(average, 3.0);
    let (doubled, mut values) = (ctx.entry_double(&xs).unwrap(), Vec::new());
    doubled.values(&mut values);
    assert_eq!((doubled.shape(), values), (&[3][..], vec![2.0, 4.0, 12.0]));
    let table = Array_I32_2D::new(&ctx, &[1, 2, 3, 4, 5, 6], 2, 3);
    let (turned, mut values) = (ctx.entry_turned(&table).unwrap(), Vec::new());
    turned.values(&mut values);
    assert_eq!((turned.shape(), values), (&[3, 2][..], vec![1, 4, 2, 5, 3, 6]));
    assert_eq!(ctx.entry_swap(0.5, 7).unwrap(), (7, 0.5));
    assert!(ctx.entry_at(&xs, 3).is_err() || !ctx.sync());
}

fn main() {
    use_all::<arrays::backends::C>();
    use_all::<arrays::backends::MultiCore>();
    #[cfg(feature = "opencl")]
    use_all::<arrays::backends::OpenCL>();
}
