//! Other programs that make files: `ffmpeg`, `gnuplot` and `convert` of ImageMagick.

use kenaz_base::TemporaryFolder;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Stdio};

fn folder() -> Result<TemporaryFolder, String> {
    TemporaryFolder::new().map_err(|(path, error)| format!("`{}` cannot be made: {error}", path.display()))
}

/// Runs a program on some input; what is said if it is not there, or fails.
fn run(name: &str, command: &mut Command, input: &[u8], missing: &str) -> Result<(), String> {
    let started = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = started.map_err(|error| match error.kind() {
        ErrorKind::NotFound => format!("`{name}` is not installed; {missing}"),
        _ => format!("`{name}` cannot be started: {error}"),
    })?;
    // Its output is small, so that it reads all of its input. Who stops reading says why.
    if let Some(mut stdin) = child.stdin.take() {
        let _ = stdin.write_all(input);
    }
    let output = child.wait_with_output().map_err(|error| format!("`{name}` cannot be waited for: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("`{name}` failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

/// What `ffmpeg` makes of a file, with options for its input and output.
pub(crate) fn ffmpeg(input: &[u8], before: &[&str], after: &[&str], format: &str) -> Result<Vec<u8>, String> {
    let folder = folder()?;
    let file = folder.path.join(format!("out.{format}"));
    let mut command = Command::new("ffmpeg");
    command.args(["-loglevel", "error", "-y"]).args(before).args(["-i", "-"]).args(after).arg(&file);
    run("ffmpeg", &mut command, input, "without it, videos are `format: gif` and sounds `codec: wav`")?;
    fs::read(&file).map_err(|error| format!("`ffmpeg` did not write its file: {error}"))
}

/// A picture in another format, of one in PNG.
pub(crate) fn convert(png: &[u8], format: &str) -> Result<Vec<u8>, String> {
    let folder = folder()?;
    let (from, to) = (folder.path.join("in.png"), folder.path.join(format!("out.{format}")));
    fs::write(&from, png).map_err(|error| format!("`{}` cannot be written: {error}", from.display()))?;
    run("convert", Command::new("convert").arg(&from).arg(&to), b"", "without ImageMagick, pictures are `.png` files")?;
    fs::read(&to).map_err(|error| format!("`convert` did not write its file: {error}"))
}

/// The picture that `gnuplot` draws for a script; columns of numbers are in files, whose names are variables.
pub(crate) fn gnuplot(data: &[(String, Vec<Vec<f64>>)], script: &str) -> Result<Vec<u8>, String> {
    let folder = folder()?;
    let file = folder.path.join("plot.png");
    let quoted = |path: &Path| format!("'{}'", path.display());
    let mut text = format!("set terminal png enhanced\nset output {}\n", quoted(&file));
    for (name, columns) in data {
        let path = folder.path.join(format!("{name}.data"));
        let rows = columns.first().map_or(0, Vec::len);
        let row = |i: usize| columns.iter().map(|column| column[i].to_string()).collect::<Vec<_>>().join(" ");
        let rows: Vec<String> = (0..rows).map(row).collect();
        fs::write(&path, rows.join("\n") + "\n")
            .map_err(|error| format!("`{}` cannot be written: {error}", path.display()))?;
        text.push_str(&format!("{name}={}\n", quoted(&path)));
    }
    text.push_str(script);
    text.push('\n');
    run("gnuplot", &mut Command::new("gnuplot"), text.as_bytes(), "`:plot2d` needs nothing but Kenaz")?;
    fs::read(&file).map_err(|error| format!("`gnuplot` drew no picture: {error}"))
}
