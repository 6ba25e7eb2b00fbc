//! How long the programs of bench/interp take. `cargo bench -p kenaz-interp [NAME]`
//!
//! A line says how long the run took, and how long parsing the IR and compiling it to instructions did.

use kenaz_interp::{Options, compile};
use kenaz_runtime::Value;
use std::time::{Duration, Instant};

fn main() {
    let only = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let programs: [(&str, Vec<Value>); 5] = [
        ("loop", vec![Value::from(2000i64), Value::from(1000i64)]),
        ("matmul", vec![Value::from(256i64)]),
        ("mandelbrot", vec![Value::from(400i64), Value::from(100i32)]),
        ("sort", vec![Value::from(10_000i64)]),
        ("update", vec![Value::from(1_000_000i64)]),
    ];
    for (name, args) in programs {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let path = format!("{}/../../bench/interp/{name}.ir", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        let start = Instant::now();
        let prog = kenaz_ir::parse::prog(&text).unwrap_or_else(|e| panic!("{path}:{e}"));
        let compiled = compile(&prog, Options::default());
        let prepared = start.elapsed();
        let mut best = Duration::MAX;
        let mut results = Vec::new();
        for _ in 0..5 {
            let start = Instant::now();
            results = compiled.run("main", args.clone()).unwrap_or_else(|e| panic!("{name}: {e}"));
            best = best.min(start.elapsed());
        }
        let result = results.last().map(ToString::to_string).unwrap_or_default();
        let result: String = result.chars().take(40).collect();
        println!("{name:12} {:9.2} ms  (+{:.2} ms)  {result}", ms(best), ms(prepared));
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
