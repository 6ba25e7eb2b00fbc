//! Signals that ask the command to end: Ctrl-C, `kill`, and a terminal that is closed.

use std::fs;

/// The exit code of a command that was stopped, as shells have it for Ctrl-C.
pub const EXIT_CODE: i32 = 130;

/// Whether whoever started this process wants it to outlive its terminal, as `nohup` does. As all signals or none are
/// caught, none is then.
pub fn hangups_are_ignored() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores_hangups(&status))
}

fn ignores_hangups(status: &str) -> bool {
    // The last bit is that of the first signal, SIGHUP.
    let ignored = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    ignored.is_some_and(|ignored| ignored & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_ignores_hangups() {
        let of =
            |ignored: &str| ignores_hangups(&format!("Name:\tkenaz\nSigIgn:\t{ignored}\nSigCgt:\t0000000000000001\n"));
        assert!(of("0000000000000001") && of("0000000000001003"));
        assert!(!of("0000000000000000") && !of("0000000000001002") && !of("?"));
    }
}
