//! A user of the modules that are generated of every.fut: for one core and for all, in one program.

macro_rules! uses {
    ($module:ident, $file:literal) => {
        mod $module {
            #![deny(warnings)]

            mod every {
                include!(concat!(env!("OUT_DIR"), $file));
            }

            use every::*;

            pub fn all() -> Result<(), Error> {
                let context = Context::with_options(&Options { threads: Some(2), ..Options::default() })?;
                scalars(&context)?;
                arrays(&context)?;
                records(&context)?;
                sums(&context)?;
                errors(&context)?;
                // A context can go to another thread.
                std::thread::spawn(move || context.answer()).join().unwrap().map(|x| assert_eq!(x, 42))
            }

            fn scalars(context: &Context) -> Result<(), Error> {
                assert_eq!(context.scalars(1, 2, 3, 4, u64::MAX - 1)?, (-1, -2, 4, 5, u64::MAX));
                // 5 and 2.5 as numbers of half precision.
                assert_eq!(context.half(F16(0x4500))?, F16(0x4100));
                assert_eq!((context.new_2(7, 2)?, context.answer()?), (5, 42));
                Ok(())
            }

            fn arrays(context: &Context) -> Result<(), Error> {
                assert_eq!(context.dot(&[1.0, 2.0, 3.0], &vec![4.0, 5.0, 6.0])?, 32.0);
                assert_eq!(context.dot(&[0.0; 0], &[])?, 0.0);
                let turned = context.turned(View::new(&[1, 2, 3, 4, 5, 6], [2, 3]))?;
                assert_eq!((turned.shape(), turned.to_vec()?), ([3, 2], vec![1, 4, 2, 5, 3, 6]));
                assert_eq!(context.turned(&turned)?[..], [1, 2, 3, 4, 5, 6]);
                // What is consumed is a copy, or what nobody has any more.
                let (xs, mine) = (context.array(&[1, 2], [2])?, [1, 2]);
                assert_eq!((&context.bumped(&mine)?[..], mine), (&[2, 2][..], [1, 2]));
                assert_eq!((&context.bumped(&xs)?[..], &xs[..]), (&[2, 2][..], &[1, 2][..]));
                let (same, flag) = context.both(&xs, true)?;
                assert_eq!((same.as_ptr(), flag), (xs.as_ptr(), false));
                assert_eq!((&context.bumped(same)?[..], &xs[..]), (&[2, 2][..], &[1, 2][..]));
                let at = xs.as_ptr();
                let bumped = context.bumped(xs)?;
                assert_eq!((bumped.as_ptr(), &bumped[..]), (at, &[2, 2][..]));
                let other = Context::new()?;
                assert_eq!(other.bumped(&bumped)?[..], [3, 2]);
                Ok(())
            }

            fn records(context: &Context) -> Result<(), Error> {
                assert_eq!(context.scaled(&Point { x: 1.0, y: 2.0 }, 3.0)?, Point { x: 3.0, y: 6.0 });
                assert_eq!(context.swapped(&(7, true))?, (true, 7));
                let points = context.points(&[1.0, 2.0])?;
                assert_eq!((&points.x[..], &points.y[..]), (&[1.0, 2.0][..], &[2.0, 3.0][..]));
                assert_eq!(context.total(&points)?, 8.0);
                let name = context.array(b"ab", [2])?;
                let named = Named { name, at: Point { x: 1.0, y: 2.0 }, flag: false };
                let renamed = context.renamed(&named, 1)?;
                assert_eq!((&renamed.name[..], renamed.at.y, renamed.flag), (&b"bc"[..], 2.0, true));
                Ok(())
            }

            fn sums(context: &Context) -> Result<(), Error> {
                assert!(matches!(context.grown(&Shape::Circle(2.0), 1.0)?, Shape::Circle(r) if r == 3.0));
                assert!(matches!(context.grown(&Shape::Nothing, 1.0)?, Shape::Nothing));
                let sides = context.array(&[1.0, 2.0], [2])?;
                let Shape::Polygon(sides, closed) = context.grown(&Shape::Polygon(sides, true), 1.0)? else { panic!() };
                assert_eq!((&sides[..], closed), (&[2.0, 3.0][..], false));
                let many = context.many(&[1.0, 2.0])?;
                assert_eq!((context.count(&many)?, context.count(&context.emptied(&many)?)?), (3, 3));
                let start = context.start(4)?;
                let next = context.next(&context.next(&start)?)?;
                assert_eq!((context.get(&start)?, context.get(&next)?), (0, 8));
                Ok(())
            }

            fn errors(context: &Context) -> Result<(), Error> {
                let Err(Error::Failed(said)) = context.at(&[1, 2], 2) else { panic!() };
                assert!(said.contains("Index [2] out of bounds for array of shape [2]."), "{said}");
                let Err(Error::Failed(said)) = context.dot(&[1.0], &[1.0, 2.0]) else { panic!() };
                assert!(said.starts_with("Error: "), "{said}");
                let wrong = context.turned(View::new(&[1, 2, 3], [2, 2])).map(drop);
                assert_eq!(wrong, Err(Error::Shape { elements: 3, shape: vec![2, 2] }));
                assert_eq!(wrong.unwrap_err().to_string(), "3 elements do not fill an array of shape [2, 2]");
                let ragged = PointArray1 { x: context.array(&[1.0], [1])?, y: context.array(&[1.0, 2.0], [2])? };
                assert!(matches!(context.total(&ragged), Err(Error::Failed(_))));
                assert_eq!(context.at(&[1, 2], 1)?, 2);
                Ok(())
            }
        }
    };
}

uses!(one_core, "/one_core.rs");
uses!(all_cores, "/every.rs");

fn main() {
    one_core::all().unwrap();
    all_cores::all().unwrap();
}
