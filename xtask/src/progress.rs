//! How far cargo and test runners are, read from the lines that they print.

/// What is known of a command that is running.
pub(crate) trait Progress: Send {
    /// Takes note of a line, with its end. Whether people should see it.
    fn line(&mut self, line: &str) -> bool;

    /// How far it is, in a few words.
    fn state(&self) -> String;
}

/// Cargo compiles crates.
#[derive(Default)]
pub(crate) struct Build {
    crates: usize,
    last: String,
}

impl Progress for Build {
    fn line(&mut self, line: &str) -> bool {
        let line = line.trim();
        let Some(what) = line.strip_prefix("Compiling ").or(line.strip_prefix("Checking ")) else { return true };
        self.crates += 1;
        self.last = what.split(' ').next().unwrap_or_default().to_string();
        false
    }

    fn state(&self) -> String {
        format!("{} crates begun, at last {}", self.crates, self.last)
    }
}

/// A test runner runs tests: nextest, or the one of cargo.
#[derive(Default)]
pub(crate) struct Tests {
    /// How many there are, as far as is known.
    total: usize,
    pub passed: usize,
    pub failed: usize,
    last: String,
    /// The seconds that tests took, with their names; only nextest says so.
    times: Vec<(f64, String)>,
    /// Whether a line said how the tests ended.
    pub ended: bool,
}

impl Progress for Tests {
    fn line(&mut self, line: &str) -> bool {
        let line = line.trim();
        if let Some(count) = after(line, "Starting ").or(after(line, "running ")) {
            self.total += count;
            return true;
        }
        if line.starts_with("Summary [") || line.starts_with("test result: ") {
            self.ended = true;
            return true;
        }
        if let Some(test) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... ")) {
            let is_ok = test.1 == "ok" || test.1.starts_with("ignored");
            self.done(is_ok, test.0.trim_end());
            return !is_ok;
        }
        let Some((status, seconds, name)) = nextest(line) else { return true };
        // Repeated at the end for those that failed, and said in between of those that take long.
        if status == "SLOW" || self.ended {
            return true;
        }
        let is_ok = status == "PASS" || status == "LEAK";
        self.done(is_ok, name);
        self.times.push((seconds, name.to_string()));
        !is_ok
    }

    fn state(&self) -> String {
        let done = self.passed + self.failed;
        format!("{done} of {} tests done, {} failed, at last {}", self.total, self.failed, self.last)
    }
}

impl Tests {
    fn done(&mut self, is_ok: bool, name: &str) {
        *if is_ok { &mut self.passed } else { &mut self.failed } += 1;
        self.last = name.to_string();
    }

    /// The tests that took longest, in seconds.
    pub(crate) fn slowest(&self, count: usize) -> Vec<(f64, &str)> {
        let mut times: Vec<(f64, &str)> = self.times.iter().map(|(time, name)| (*time, name.as_str())).collect();
        times.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        times.truncate(count);
        times
    }
}

/// The number after a word.
fn after(line: &str, word: &str) -> Option<usize> {
    line.strip_prefix(word)?.split(' ').next()?.parse().ok()
}

/// From `PASS [   0.512s] ( 12/1500) kenaz::files ir/hoist/…`.
fn nextest(line: &str) -> Option<(&str, f64, &str)> {
    let (status, rest) = line.split_once(" [")?;
    if !status.chars().all(|c| c.is_ascii_uppercase()) {
        return None;
    }
    let (seconds, name) = rest.split_once("s]")?;
    let seconds = seconds.trim_start_matches(['>', ' ']).trim().parse().ok()?;
    let name = name.trim();
    let name = if name.starts_with('(') { name.split_once(')')?.1.trim() } else { name };
    Some((status.trim(), seconds, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_nextest_are_counted() {
        let mut tests = Tests::default();
        let lines = [
            ("    Starting 3 tests across 1 binary\n", true),
            ("        PASS [   0.005s] (1/3) kenaz::files ir/a b\n", false),
            ("        SLOW [> 60.000s] (─────────) kenaz::it c\n", true),
            ("        FAIL [   1.250s] (2/3) kenaz::it c\n", true),
            ("     SIGSEGV [   0.100s] (3/3) kenaz::it d\n", true),
            ("     Summary [   1.300s] 3 tests run: 1 passed, 2 failed, 0 skipped\n", true),
            ("        FAIL [   1.250s] (2/3) kenaz::it c\n", true),
        ];
        for (line, is_seen) in lines {
            assert_eq!(tests.line(line), is_seen, "{line}");
        }
        assert_eq!((tests.passed, tests.failed, tests.ended), (1, 2, true));
        assert_eq!(tests.state(), "3 of 3 tests done, 2 failed, at last kenaz::it d");
        assert_eq!(tests.slowest(2), [(1.25, "kenaz::it c"), (0.1, "kenaz::it d")]);
    }

    #[test]
    fn lines_of_cargo_test_are_counted() {
        let mut tests = Tests::default();
        for line in ["running 2 tests", "test a::b ... ok", "test c ... FAILED", "running 1 test", "test d ... ok"] {
            tests.line(line);
        }
        assert!(!tests.ended);
        assert!(tests.line("test result: FAILED. 1 passed; 1 failed; 0 ignored"));
        assert!(tests.ended);
        assert_eq!((tests.total, tests.passed, tests.failed), (3, 2, 1));
    }

    #[test]
    fn crates_are_counted() {
        let mut build = Build::default();
        assert!(!build.line("   Compiling kenaz-ir v0.1.0 (crates/ir)\n") && build.line("warning: unused\n"));
        assert_eq!(build.state(), "1 crates begun, at last kenaz-ir");
    }
}
