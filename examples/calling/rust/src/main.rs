//! The dot product of two vectors, computed by a program in Futhark.

mod dotprod {
    include!(concat!(env!("OUT_DIR"), "/dotprod.rs"));
}

fn main() -> Result<(), dotprod::Error> {
    let context = dotprod::Context::new()?;
    println!("{:.6}", context.main(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0])?);
    Ok(())
}
