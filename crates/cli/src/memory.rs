//! A limit on the memory that the compiler may take.
//!
//! A program can be small and its types, or what is left of it after inlining, too large for any machine. Without a
//! limit such a program takes the machine with it. The limit is for the compiler alone: the memory of a program that
//! `run` calls in this process, its arguments and results included, does not count, and commands that run many programs
//! have none.

use crate::{Outcome, output};
use kenaz_base::{memory, temporary};
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::OsStr;
use std::sync::OnceLock;

/// The environment variable that sets the limit.
pub const VARIABLE: &str = "KENAZ_MEMORY";

/// The limit unless the user sets another one. Programs that people write take less than a hundredth of it.
const DEFAULT: usize = 4 << 30;

/// The limit as the user would write it.
static SHOWN: OnceLock<String> = OnceLock::new();

/// Limits the memory of this process to what `$KENAZ_MEMORY` says, or else to a default; or what is wrong with it.
pub fn limit() -> Result<(), String> {
    let chosen = std::env::var_os(VARIABLE);
    let bytes = chosen.as_deref().map_or(Some(Some(DEFAULT)), parse).ok_or_else(|| {
        let chosen = chosen.unwrap_or_default();
        format!("`${VARIABLE}` is `{}`, and must be a size such as `512M` or `8G`, or `none`", chosen.to_string_lossy())
    })?;
    if let Some(bytes) = bytes {
        SHOWN.get_or_init(|| shown(bytes));
        // Where there can be no thread to watch, there is no limit.
        let _ = memory::limit(bytes, stop);
    }
    Ok(())
}

/// Ends the process, with nothing half written.
fn stop() {
    let shown = SHOWN.get().map_or("", String::as_str);
    let _ = output::to_stderr(&format!(
        "error: the compiler needs more than {shown} of memory for this program; `${VARIABLE}` sets the limit\n"
    ));
    temporary::remove_all();
    std::process::exit(Outcome::Mistake as i32);
}

/// A number of bytes, with a unit or without; nothing inside for `none`.
fn parse(text: &OsStr) -> Option<Option<usize>> {
    let text = text.to_str()?.trim();
    if text == "none" {
        return Some(None);
    }
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text[digits.len()..].trim().to_ascii_uppercase().trim_end_matches('B').trim_end_matches('I') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    let number: usize = digits.parse().ok()?;
    Some(Some(number.checked_mul(1 << unit)?))
}

fn shown(bytes: usize) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let whole = units.iter().find(|(unit, _)| bytes >> unit > 0 && bytes.is_multiple_of(1 << unit));
    whole.map_or_else(|| format!("{bytes} bytes"), |(unit, name)| format!("{} {name}", bytes >> unit))
}

/// The allocator of the system, with a count of what it has given.
pub struct Counting;

#[expect(
    unsafe_code,
    reason = "an allocator cannot be written otherwise; each call goes on to that of the system as it is"
)]
mod allocator {
    use super::{Counting, GlobalAlloc, Layout, System, memory};

    fn counted(bytes: usize, block: *mut u8) -> *mut u8 {
        if block.is_null() {
            memory::exhausted();
        } else {
            memory::take(bytes);
        }
        block
    }

    // SAFETY: all methods are those of `System`, with the same arguments; counting neither allocates nor unwinds.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            counted(layout.size(), unsafe { System.alloc(layout) })
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            counted(layout.size(), unsafe { System.alloc_zeroed(layout) })
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            memory::give(layout.size());
            unsafe { System.dealloc(block, layout) }
        }

        unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            let moved = counted(size, unsafe { System.realloc(block, layout, size) });
            if !moved.is_null() {
                memory::give(layout.size());
            }
            moved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        let of = |text: &str| parse(OsStr::new(text));
        assert_eq!(
            [of("7"), of("3k"), of("512M"), of("8 GiB")].map(Option::flatten),
            [Some(7), Some(3 << 10), Some(512 << 20), Some(8 << 30)]
        );
        assert_eq!(of("none"), Some(None));
        for wrong in ["", "G", "-1", "1.5G", "4 GG", "much", "99999999999T", "1e9"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
        assert_eq!([4 << 30, 512 << 20, (1 << 20) + 1].map(shown), ["4 GiB", "512 MiB", "1048577 bytes"]);
    }
}
