//! The formats of data files: how each is recognised, and what it can hold.

use super::{csv, picture};
use crate::{EntryType, ParamType};
use std::fmt;
use std::path::Path;

/// A format of data files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Values one after the other, as the language writes them.
    Text,
    /// Futhark's binary format: values one after the other.
    Binary,
    /// An array of NumPy.
    Npy,
    /// A table.
    Csv,
    /// A picture.
    Png,
}

/// A row of the table of formats.
struct Row {
    name: &'static str,
    extensions: &'static [&'static str],
    /// The bytes with which data in this format begins and data in no other does; none if there are no such bytes.
    magic: &'static [u8],
    /// Whether values can stand one after the other in one file.
    is_sequence: bool,
}

impl Format {
    pub const ALL: [Format; 5] = [Format::Text, Format::Binary, Format::Npy, Format::Csv, Format::Png];

    const fn row(self) -> Row {
        match self {
            Format::Text => Row { name: "text", extensions: &["txt"], magic: b"", is_sequence: true },
            Format::Binary => Row { name: "binary", extensions: &["bin"], magic: b"b\x02", is_sequence: true },
            Format::Npy => Row { name: "npy", extensions: &["npy"], magic: b"\x93NUMPY", is_sequence: false },
            Format::Csv => Row { name: "csv", extensions: &["csv"], magic: b"", is_sequence: false },
            Format::Png => Row { name: "png", extensions: &["png"], magic: b"\x89PNG\r\n\x1a\n", is_sequence: false },
        }
    }

    /// As users write it.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The format of files with such a name, which may be compressed: `a.csv.gz`.
    pub fn of_path(path: &Path) -> Option<Format> {
        let mut name = Path::new(path.file_name()?);
        if name.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz")) {
            name = Path::new(name.file_stem()?);
        }
        let extension = name.extension()?.to_str()?.to_ascii_lowercase();
        Format::ALL.into_iter().find(|format| format.row().extensions.contains(&extension.as_str()))
    }

    /// The bytes by which data in this format is recognised, or none.
    pub(super) fn magic(self) -> &'static [u8] {
        self.row().magic
    }

    /// The bytes by which data in this format is recognised, for messages.
    pub(super) fn begin(self) -> String {
        format!("`{}`", self.magic().escape_ascii())
    }

    /// Whether a file can hold any number of values. In the other formats it holds one.
    pub fn is_sequence(self) -> bool {
        self.row().is_sequence
    }

    /// Why no value of this type can be in a file of this format, if that is so.
    pub fn refuses(self, ty: &EntryType) -> Option<String> {
        let single = |accepts: fn(ParamType) -> bool, holds: &str| {
            let fits = ty.transparent && matches!(ty.parts[..], [part] if accepts(part));
            (!fits).then(|| format!("`{}` does not fit into {self} data, which is {holds}", ty.name))
        };
        match self {
            Format::Text | Format::Binary => None,
            Format::Npy => single(|_| true, "an array of numbers or booleans"),
            Format::Csv if ty.columns().is_some() => None,
            Format::Csv => single(csv::holds, csv::HOLDS),
            Format::Png => single(picture::holds, picture::HOLDS),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        for (name, expected) in [
            ("a.npy", Some(Format::Npy)),
            ("folder.png/a.b.CSV", Some(Format::Csv)),
            ("a.csv.gz", Some(Format::Csv)),
            ("a.npy.csv", Some(Format::Csv)),
            ("a.txt", Some(Format::Text)),
            ("a.bin", Some(Format::Binary)),
            ("npy", None),
            (".npy", None),
            ("a.gz", None),
            ("a.", None),
            ("a.npz", None),
            ("..", None),
            ("", None),
        ] {
            assert_eq!(Format::of_path(Path::new(name)), expected, "{name}");
        }
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name()), Some(format));
        }
        assert_eq!(Format::from_name("npz"), None);
    }

    #[test]
    fn what_fits() {
        let plain = |ty: &str| EntryType::plain(ty.parse().unwrap());
        let accepted = |ty: &EntryType| -> Vec<&str> {
            Format::ALL.into_iter().filter(|format| format.refuses(ty).is_none()).map(Format::name).collect()
        };
        assert_eq!(accepted(&plain("i32")), ["text", "binary", "npy"]);
        assert_eq!(accepted(&plain("[]f64")), ["text", "binary", "npy", "csv"]);
        assert_eq!(accepted(&plain("[][]u32")), ["text", "binary", "npy", "csv", "png"]);
        assert_eq!(accepted(&plain("[][]i64")), ["text", "binary", "npy", "csv"]);
        assert_eq!(accepted(&plain("[][][]u8")), ["text", "binary", "npy", "png"]);
        let part = |prim: &str| format!("[]{prim}").parse().unwrap();
        let records = EntryType {
            name: "[]{x: f32, y: i8}".to_string(),
            parts: vec![part("f32"), part("i8")],
            names: vec!["x".to_string(), "y".to_string()],
            transparent: false,
        };
        assert_eq!(accepted(&records), ["text", "binary", "csv"]);
        assert_eq!(
            Format::Png.refuses(&records).unwrap(),
            "`[]{x: f32, y: i8}` does not fit into png data, which is a picture: `[][]u32`, `[][]i32`, `[][]u8`, \
             `[][]u16`, `[][]f32`, `[][]f64`, `[][]bool`, `[][][3]u8` or `[][][3]u16`"
        );
    }
}
