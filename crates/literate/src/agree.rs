//! How a page differs from what was written before.
//!
//! Pictures agree if they look the same: programs that compute with floats may give other last digits on another
//! machine, so that some pixels differ.

use crate::colours::Pixels;
use crate::render::Page;
use crate::{media, video};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// How far the pixels of two pictures may be from each other in the mean, of 255.
const FARTHEST: f64 = 1.0;

/// The differences between a page and the files of an earlier one, for people; empty if there are none.
pub fn differences(page: &Page, markdown: &Path, pictures: &Path) -> String {
    let mut out = String::new();
    match fs::read_to_string(markdown) {
        Ok(before) if before == page.markdown => {}
        Ok(before) => out.push_str(&diff(&markdown.display().to_string(), &before, &page.markdown)),
        Err(error) => {
            let _ = writeln!(out, "{}: {error}", markdown.display());
        }
    }
    for (name, contents) in &page.files {
        let path = pictures.join(name);
        // Writing to a string cannot fail.
        let _ = match fs::read(&path) {
            Ok(before) => match agree(name, &before, contents) {
                Ok(()) => Ok(()),
                Err(why) => writeln!(out, "{}: {why}", path.display()),
            },
            Err(error) => writeln!(out, "{}: {error}", path.display()),
        };
    }
    out
}

fn agree(name: &str, before: &[u8], now: &[u8]) -> Result<(), String> {
    if before == now {
        return Ok(());
    }
    let is_drawing = name.ends_with(".svg");
    if let (true, Ok(before), Ok(now)) = (is_drawing, std::str::from_utf8(before), std::str::from_utf8(now)) {
        return if same_drawing(before, now) { Ok(()) } else { Err("the drawing is another one".to_string()) };
    }
    let frames = |file: &[u8]| match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("png") => media::pixels(file).map(|picture| vec![picture]).ok(),
        Some("gif") => video::decode(file).ok(),
        _ => None,
    };
    let (Some(before), Some(now)) = (frames(before), frames(now)) else {
        return Err("the file is another one".to_string());
    };
    let size = |frames: &[Pixels]| (frames.len(), frames.first().map(|frame| (frame.width, frame.height)));
    if size(&before) != size(&now) {
        return Err("the picture has another size".to_string());
    }
    let (mut far, mut count) = (0.0, 0.0);
    for (before, now) in before.iter().zip(&now) {
        for (a, b) in before.colours.as_flattened().iter().zip(now.colours.as_flattened()) {
            far += f64::from(a.abs_diff(*b));
            count += 1.0;
        }
    }
    let mean = far / f64::max(count, 1.0);
    if mean <= FARTHEST {
        Ok(())
    } else {
        Err(format!("the picture is another one: its pixels differ by {mean:.1} of 255 in the mean"))
    }
}

/// Whether two drawings differ in nothing but places, by no more than a pixel.
fn same_drawing(before: &str, now: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-');
        let mut parts: Vec<String> = Vec::new();
        for c in text.chars() {
            match parts.last_mut() {
                Some(part) if part.chars().all(is_number) == is_number(c) => part.push(c),
                _ => parts.push(c.to_string()),
            }
        }
        parts
    };
    let (before, now) = (parts(before), parts(now));
    let agree = |(a, b): (&String, &String)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1.0,
        _ => a == b,
    };
    before.len() == now.len() && before.iter().zip(&now).all(agree)
}

/// What stands in one text and not in the other, with some lines around it.
fn diff(name: &str, before: &str, now: &str) -> String {
    const CONTEXT: usize = 2;
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), now.lines().collect());
    let first = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - first;
    let last = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (old.len() - last, new.len() - last);
    let from = first.saturating_sub(CONTEXT);
    let until = (old_end + CONTEXT).min(old.len());
    let count = |end: usize, before: usize| end + (until - old_end) - before;
    let mut out = format!("--- {name}\n+++ {name}\n");
    let _ = writeln!(out, "@@ -{},{} +{},{} @@", from + 1, count(old_end, from), from + 1, count(new_end, from));
    let mut lines = |mark: char, lines: &[&str]| {
        for line in lines {
            let _ = writeln!(out, "{}", format!("{mark}{line}").trim_end());
        }
    };
    lines(' ', &old[from..first]);
    lines('-', &old[first..old_end]);
    lines('+', &new[first..new_end]);
    lines(' ', &old[old_end..until]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::TemporaryFolder;

    #[test]
    fn diffs_show_where() {
        let (a, b) = ("1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\nx\ny\n5\n6\n7\n");
        assert_eq!(diff("a.md", a, b), "--- a.md\n+++ a.md\n@@ -2,5 +2,6 @@\n 2\n 3\n-4\n+x\n+y\n 5\n 6\n");
        assert_eq!(diff("a", "1\n", "1\n1\n"), "--- a\n+++ a\n@@ -1,1 +1,2 @@\n 1\n+1\n");
        assert_eq!(diff("a", "", "1\n"), "--- a\n+++ a\n@@ -1,0 +1,1 @@\n+1\n");
    }

    #[test]
    fn pictures_that_look_the_same_agree() {
        let picture = |grey: u8, one: u8| {
            let mut colours = vec![[grey; 3]; 100];
            colours[7] = [one; 3];
            media::png_of(&Pixels { width: 10, height: 10, colours }).unwrap()
        };
        assert_eq!(agree("a.png", &picture(9, 0), &picture(9, 90)), Ok(()));
        let error = agree("a.png", &picture(9, 0), &picture(12, 0)).unwrap_err();
        assert_eq!(error, "the picture is another one: its pixels differ by 3.0 of 255 in the mean");
        assert_eq!(agree("a.svg", b"<a x=\"10.0,2\"/>", b"<a x=\"10.9,2\"/>"), Ok(()));
        for other in ["<a x=\"12.0,2\"/>", "<a x=\"10.0,2,3\"/>", "<b x=\"10.0,2\"/>"] {
            let error = agree("a.svg", b"<a x=\"10.0,2\"/>", other.as_bytes()).unwrap_err();
            assert_eq!(error, "the drawing is another one");
        }
        assert_eq!(agree("a.wav", b"1", b"2").unwrap_err(), "the file is another one");
        assert_eq!(agree("a.png", b"1", &picture(1, 1)).unwrap_err(), "the file is another one");
    }

    #[test]
    fn missing_files_are_differences() {
        let folder = TemporaryFolder::new().unwrap();
        let page = Page {
            markdown: "text\n".to_string(),
            files: vec![("a.svg".to_string(), b"x".to_vec())],
            failures: Vec::new(),
        };
        let (markdown, pictures) = (folder.path.join("a.md"), folder.path.join("a-img"));
        assert_eq!(differences(&page, &markdown, &pictures).lines().count(), 2);
        fs::write(&markdown, "text\n").unwrap();
        fs::create_dir(&pictures).unwrap();
        fs::write(pictures.join("a.svg"), "x").unwrap();
        assert_eq!(differences(&page, &markdown, &pictures), "");
    }
}
