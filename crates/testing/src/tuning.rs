//! Tuning files: the values of parameters of a program, one `NAME=INT` a line, beside the program they are for.

use kenaz_base::UnfinishedFile;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What parameters are set to.
pub type Tuning = Vec<(String, u64)>;

/// The tuning file of a program: `a.fut.tuning` for `a.fut` and the extension `tuning`.
pub fn tuning_file(program: &Path, extension: &str) -> PathBuf {
    let mut name = program.as_os_str().to_os_string();
    name.push(format!(".{}", extension.trim_start_matches('.')));
    PathBuf::from(name)
}

/// What a tuning file says; nothing if there is none.
pub fn read_tuning(file: &Path) -> Result<Tuning, String> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(format!("`{}` cannot be read: {error}", file.display())),
    };
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let pair = |(at, line): (usize, &str)| {
        let pair = line.split_once('=').and_then(|(name, n)| Some((name.trim().to_string(), n.trim().parse().ok()?)));
        pair.ok_or_else(|| format!("{}:{}: `NAME=INT` is expected", file.display(), at + 1))
    };
    lines.map(pair).collect()
}

/// Writes a tuning file.
pub fn write_tuning(file: &Path, tuning: &[(String, u64)]) -> io::Result<()> {
    let text: String = tuning.iter().map(|(name, n)| format!("{name}={n}\n")).collect();
    let written = UnfinishedFile::beside(file);
    fs::write(written.path(), text)?;
    written.finish(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::TemporaryFolder;

    #[test]
    fn files_are_read_as_they_were_written() {
        let folder = TemporaryFolder::new().unwrap();
        let file = tuning_file(&folder.path.join("a.fut"), ".tuning");
        assert!(file.ends_with("a.fut.tuning"));
        assert_eq!(read_tuning(&file), Ok(Vec::new()));
        let tuning = vec![("main.few_1".to_string(), 0), ("main.threads_2".to_string(), u64::MAX)];
        write_tuning(&file, &tuning).unwrap();
        assert_eq!(read_tuning(&file), Ok(tuning));
        fs::write(&file, "a=1\n\nb\n").unwrap();
        assert!(read_tuning(&file).unwrap_err().contains(":3:"));
        fs::write(&file, "a=-1\n").unwrap();
        assert!(read_tuning(&file).unwrap_err().contains(":1:"));
    }
}
