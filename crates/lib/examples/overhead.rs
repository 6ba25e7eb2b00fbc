//! How long a call takes that has next to nothing to do: `cargo run --release -p kenaz-lib --example overhead`.

use kenaz::{Array, Backend, Error, Program};
use std::time::{Duration, Instant};

const PROGRAM: &str = "
entry scalar (x: i64): i64 = x + 1
entry sum (xs: []f64): f64 = f64.sum xs
entry made (n: i64): []f64 = replicate n 1
entry added (xs: []f64) (x: f64): []f64 = map (+ x) xs";

fn main() -> Result<(), Error> {
    for backend in [Backend::C, Backend::Multicore] {
        let context = Program::from_text(PROGRAM, backend)?.start()?;
        let (scalar, sum, added) = (context.function("scalar")?, context.function("sum")?, context.function("added")?);
        let xs = [1.0; 10];
        println!("{backend:?}, arrays of {} elements:", xs.len());
        time("i64 to i64", || scalar.call::<_, i64>((1i64,)).map(drop))?;
        time("array to f64", || sum.call::<_, f64>((&xs,)).map(drop))?;
        time("array to array", || added.call::<_, Array>((&xs, 1.0)).map(drop))?;
        time("the same by name", || context.call::<_, Array>("added", (&xs, 1.0)).map(drop))?;
        let kept = context.array(&xs, &[xs.len()])?;
        time("array of the context to array", || added.call::<_, Array>((&kept, 1.0)).map(drop))?;
        // What the caller has stays where it is, and so does what a program gives, however large they are.
        let large = vec![1.0; 1 << 27];
        assert_eq!(sum.call::<_, f64>((&large,))?, 134_217_728.0);
        drop(large);
        let made: Array = context.call("made", (1i64 << 27,))?;
        assert_eq!(made.as_slice::<f64>().map(|all| all[1 << 26]), Some(1.0));
        let peak = peak().map_or("unknown here".to_string(), |bytes| format!("{:.2} GiB", bytes / (1 << 30) as f64));
        println!("peak memory after an array of 1 GiB went in and another came out: {peak}");
    }
    Ok(())
}

/// The most memory that this process has had, where the system says so.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<f64>().ok()? * 1024.0)
}

/// Prints the least mean time of a call, of many short rounds: in some of them nothing else wants the processor.
fn time(name: &str, call: impl Fn() -> Result<(), Error>) -> Result<(), Error> {
    let (begin, mut best) = (Instant::now(), Duration::MAX);
    while begin.elapsed() < Duration::from_millis(500) {
        let (start, mut count) = (Instant::now(), 0);
        while count == 0 || start.elapsed() < Duration::from_micros(200) {
            (0..10).try_for_each(|_| call())?;
            count += 10;
        }
        best = best.min(start.elapsed() / count);
    }
    println!("{:10.1} ns  {name}", best.as_secs_f64() * 1e9);
    Ok(())
}
