use kenaz_base::source::first_file;
use std::time::Instant;
fn main() {
    let mut bytes = 0; let mut time = 0.0; let (mut ok, mut rejected, mut bad) = (0, 0, 0);
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let write = args.first().is_some_and(|a| a == "-w");
    if write { args.remove(0); }
    let show = args.len() == 1 && !write;
    for path in args {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let start = Instant::now();
        let out = kenaz_format::format(first_file(), &text);
        time += start.elapsed().as_secs_f64(); bytes += text.len();
        match out {
            Err(kenaz_format::Refusal::Rejected(_)) => rejected += 1,
            Err(kenaz_format::Refusal::Fault(f)) => { println!("{path}: {f}"); bad += 1 }
            Ok(out) => {
                ok += 1;
                if show { print!("{out}"); }
                match kenaz_format::format(first_file(), &out) {
                    Ok(again) if again == out => {}
                    Ok(again) => {
                        bad += 1;
                        let (n, (a, b)) = out.lines().zip(again.lines()).enumerate().find(|(_, (a, b))| a != b).unwrap_or((0, ("", "")));
                        println!("{path}: not idempotent at line {}\n  {a}\n  {b}", n + 1);
                    }
                    Err(e) => { bad += 1; println!("{path}: again {e:?}") }
                }
                if write { std::fs::write(&path, out).unwrap(); }
            }
        }
    }
    eprintln!("{ok} ok, {rejected} rejected, {bad} bad, {:.1} MB/s", bytes as f64 / time / 1e6);
}
