//! A user of the module that is generated of every.fut for a device, if there is one.

mod every {
    include!(concat!(env!("OUT_DIR"), "/device.rs"));
}

use every::{Context, Error, Options, Shape, View};

fn main() -> Result<(), Error> {
    let context = match Context::with_options(&Options::default()) {
        Ok(context) => context,
        Err(error) => {
            println!("{error}");
            return Ok(());
        }
    };
    assert_eq!(context.dot(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0])?, 32.0);
    let turned = context.turned(View::new(&[1, 2, 3, 4, 5, 6], [2, 3]))?;
    assert_eq!((turned.shape(), turned.to_vec()?), ([3, 2], vec![1, 4, 2, 5, 3, 6]));
    assert_eq!(context.turned(&turned)?.to_vec()?, [1, 2, 3, 4, 5, 6]);
    let xs = context.array(&[1, 2], [2])?;
    assert_eq!((context.bumped(&xs)?.to_vec()?, xs.to_vec()?), (vec![2, 2], vec![1, 2]));
    assert_eq!(context.bumped(xs)?.to_vec()?, [2, 2]);
    assert_eq!(context.total(&context.points(&[1.0, 2.0])?)?, 8.0);
    assert!(matches!(context.grown(&Shape::Circle(2.0), 1.0)?, Shape::Circle(r) if r == 3.0));
    let many = context.many(&[1.0, 2.0])?;
    assert_eq!((context.count(&many)?, context.count(&context.emptied(&many)?)?), (3, 3));
    assert!(matches!(context.at(&[1, 2], 2), Err(Error::Failed(_))));
    println!("used");
    Ok(())
}
