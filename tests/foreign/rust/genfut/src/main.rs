//! A user of the crate that `genfut` makes of clients.fut: every entry point, and what goes wrong.

use clients::{Array_f32_1d, Array_i32_2d, Array_i64_1d, Array_u8_1d, Error, FutharkContext};

fn main() -> Result<(), Error> {
    let mut ctx = FutharkContext::new()?;

    let xs = Array_f32_1d::from_vec(ctx, &[1.0, 2.0, 3.0], &[3])?;
    let ys = Array_f32_1d::from_vec(ctx, &[4.0, 5.0, 6.0], &[3])?;
    assert_eq!(ctx.dot(xs, ys)?, 32.0);

    let a = Array_i32_2d::from_vec(ctx, &[1, 2, 3, 4, 5, 6], &[2, 3])?;
    let b = Array_i32_2d::from_vec(ctx, &[1, 0, -1], &[3, 1])?;
    assert_eq!(ctx.matmul(a, b)?.to_vec()?, (vec![-2, -2], vec![2, 1]));

    assert_eq!(ctx.divide(17, 5)?, (3, 2));
    let zeros = Array_i64_1d::from_vec(ctx, &[0; 4], &[4])?;
    assert_eq!(ctx.fill(zeros, 9)?.to_vec()?, (vec![9; 4], vec![4]));

    let point = ctx.point_of(3.0, 4.0)?;
    let scaled = ctx.scaled(&point, 2.0)?;
    assert_eq!(ctx.norm2(&scaled)?, 100.0);

    let bytes = Array_u8_1d::from_vec(ctx, &[7, 8], &[2])?;
    let error = ctx.at(bytes, 2).unwrap_err().to_string();
    assert!(error.contains("Index [2] out of bounds for array of shape [2]."), "{error}");
    Ok(())
}
