//! The machine on which something is measured, and how fast it copies memory.

use kenaz_base::TemporaryFolder;
use kenaz_runtime::Value;
use kenaz_testing::{CompileError, Executor, RunError};
use std::fs;
use std::time::{Duration, SystemTime};

/// The processor, as far as the system tells.
pub fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| text.lines().find_map(|line| field_of(line, name)).unwrap_or("unknown");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (family, model) = (field("cpu family"), field("model"));
    format!("{}, family {family}, model {model}; {cores} cores; {}", field("model name"), std::env::consts::ARCH)
}

pub fn memory() -> String {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes: Option<f64> =
        text.lines().find_map(|line| field_of(line, "MemTotal")?.strip_suffix(" kB")?.parse().ok());
    kilobytes.map_or("unknown".to_string(), |kilobytes| format!("{:.0} GiB", kilobytes / f64::from(1 << 20)))
}

/// The day and the time, in the zone of Greenwich.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs());
    date(seconds)
}

fn date(seconds: u64) -> String {
    // Years begin in March here, so that the day that not all years have is their last one.
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let (hours, minutes) = (seconds % 86_400 / 3600, seconds % 3600 / 60);
    format!("{}-{month:02}-{day:02} {hours:02}:{minutes:02} UTC", era * 400 + year + next)
}

/// The value of `name : value`.
fn field_of<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (key, value) = line.split_once(':')?;
    (key.trim() == name).then(|| value.trim())
}

/// How many bytes a copy reads and writes in a second, together: a program that copies an array, which is larger than
/// the caches, is compiled and run as all others are.
pub fn copy_rate(executor: &dyn Executor) -> Result<f64, String> {
    // A result that is no alias of the argument must be copied.
    const PROGRAM: &str = "entry main [n] (xs: [n]u64): *[n]u64 = copy xs\n";
    const ELEMENTS: usize = 1 << 24;
    const RUNS: usize = 10;
    let folder = TemporaryFolder::new().map_err(|(path, error)| format!("{}: {error}", path.display()))?;
    let path = folder.path.join("copy.fut");
    fs::write(&path, PROGRAM).map_err(|error| format!("{}: {error}", path.display()))?;
    let compiled = executor.compile(&path).map_err(|error| match error {
        CompileError::Rejected(message) | CompileError::Failed(message) => message,
    })?;
    let run = || -> Result<Vec<Duration>, RunError> {
        let mut session = compiled.program.session("main", &[Value::from(vec![1u64; ELEMENTS])])?;
        session.run()?;
        (0..RUNS).map(|_| session.run()).collect()
    };
    let times = run().map_err(|(RunError::Failed(message) | RunError::Broken(message))| message)?;
    let fastest = times.into_iter().min().unwrap_or_default().as_secs_f64().max(1e-6);
    Ok((2 * ELEMENTS * size_of::<u64>()) as f64 / fastest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_testing::executors::Interpreter;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        assert_eq!(field_of("model name\t: A 3000", "model name"), Some("A 3000"));
        assert_eq!(field_of("model name\t: A 3000", "model"), None);
        assert_eq!(field_of("MemTotal:   16 kB", "MemTotal"), Some("16 kB"));
    }

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        // As `date -u -d @N` says.
        assert_eq!(date(951_782_400), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_798_761_599), "2026-12-31 23:59 UTC");
    }

    #[test]
    fn copies_are_measured() {
        assert!(copy_rate(&Interpreter::default()).unwrap() > 0.0);
    }
}
