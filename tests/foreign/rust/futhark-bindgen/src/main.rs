//! A user of `futhark-bindgen`: every entry point of clients.fut, and what goes wrong.

mod clients {
    #![allow(warnings)]
    include!(concat!(env!("OUT_DIR"), "/clients.rs"));
}

use clients::{ArrayF32D1, ArrayI32D2, ArrayI64D1, ArrayU8D1, Context, Error, Options, Point};

fn main() -> Result<(), Error> {
    let ctx = Context::new_with_options(Options::new().profile())?;
    assert_eq!(ctx.get_error(), None);

    let xs = ArrayF32D1::new(&ctx, [3], [1.0, 2.0, 3.0])?;
    let ys = ArrayF32D1::new(&ctx, [3], [4.0, 5.0, 6.0])?;
    assert_eq!(ctx.dot(&xs, &ys)?, 32.0);

    let a = ArrayI32D2::new(&ctx, [2, 3], [1, 2, 3, 4, 5, 6])?;
    let b = ArrayI32D2::new(&ctx, [3, 1], [1, 0, -1])?;
    let product = ctx.matmul(&a, &b)?;
    assert_eq!((product.shape(), product.get()?), (&[2, 1], vec![-2, -2]));

    assert_eq!(ctx.divide(17, 5)?, (3, 2));
    let filled = ctx.fill(&ArrayI64D1::new(&ctx, [4], [0; 4])?, 9)?;
    assert_eq!(filled.get()?, [9; 4]);

    let point = ctx.scaled(&Point::new(&ctx, 3.0, 4.0)?, 2.0)?;
    assert_eq!(ctx.point_of(0.5, 1.0)?.get_y()?, 1.0);
    assert_eq!((point.get_x()?, point.get_y()?, ctx.norm2(&point)?), (6.0, 8.0, 100.0));

    let bytes = ArrayU8D1::new(&ctx, [2], [7, 8])?;
    assert_eq!(ctx.at(&bytes, 1)?, 8);
    assert!(matches!(ctx.at(&bytes, 2), Err(Error::Code(2))));
    let error = ctx.get_error().unwrap();
    assert!(error.contains("Index [2] out of bounds for array of shape [2]."), "{error}");
    assert_eq!(ctx.at(&bytes, 0)?, 7);

    assert!(ctx.report().unwrap().starts_with('{'));
    ctx.clear_caches()
}
