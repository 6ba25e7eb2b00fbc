//! `cargo xtask vsix`: the extension for VS Code as one file.
//!
//! The libraries that the extension uses are fetched by `npm` into a copy of it; a `.vsix` is an archive of that with
//! two lists. Needs `npm`.

use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = "editors/vscode";
const COPY: &str = "target/vsix";

/// Makes `out`, or `target/kenaz.vsix`.
pub(crate) fn vsix(out: Option<&str>) -> Result<()> {
    let out = out.unwrap_or("target/kenaz.vsix");
    let copy = Path::new(COPY);
    if copy.exists() {
        fs::remove_dir_all(copy)?;
    }
    for file in files(Path::new(SOURCE))? {
        let target = copy.join(file.strip_prefix(SOURCE)?);
        fs::create_dir_all(target.parent().context("a file without a folder")?)?;
        fs::copy(&file, target)?;
    }
    let npm = ["install", "--omit=dev", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
    let status = Command::new("npm").args(npm).current_dir(copy).status().context("`npm` cannot be started")?;
    if !status.success() {
        bail!("`npm install` failed");
    }
    let package: String = fs::read_to_string(copy.join("package.json"))?;
    let mut archive = Archive::default();
    archive.add("extension.vsixmanifest", manifest(&package)?.as_bytes())?;
    archive.add("[Content_Types].xml", CONTENT_TYPES.as_bytes())?;
    for file in files(copy)? {
        let name = format!("extension/{}", file.strip_prefix(copy)?.display());
        archive.add(&name, &fs::read(&file)?)?;
    }
    fs::write(out, archive.finish()?)?;
    println!("{out}: install it with `code --install-extension {out}`");
    Ok(())
}

/// All files below a folder, sorted; without what is not part of the extension.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if entry.file_type()?.is_dir() {
                if name != ".bin" && !(name == "node_modules" && folder == Path::new(SOURCE)) {
                    left.push(entry.path());
                }
            } else if !name.starts_with('.') && !name.ends_with(".map") && !name.ends_with(".d.ts") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What a field of the package says, if that is a text. The file is ours: no more of JSON occurs in these fields.
fn field<'a>(package: &'a str, name: &str) -> Result<&'a str> {
    let rest = package.split_once(&format!("\"{name}\": \"")).with_context(|| format!("no `{name}`"))?.1;
    Ok(rest.split('"').next().unwrap_or(""))
}

fn manifest(package: &str) -> Result<String> {
    let (name, version) = (field(package, "name")?, field(package, "version")?);
    let (publisher, title) = (field(package, "publisher")?, field(package, "displayName")?);
    let (description, engine) = (field(package, "description")?, field(package, "vscode")?);
    Ok(format!(
        r#"<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011" xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
  <Metadata>
    <Identity Language="en-US" Id="{name}" Version="{version}" Publisher="{publisher}" />
    <DisplayName>{title}</DisplayName>
    <Description xml:space="preserve">{description}</Description>
    <Categories>Programming Languages,Formatters</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="{engine}" />
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace" />
    </Properties>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code" />
  </Installation>
  <Dependencies />
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true" />
  </Assets>
</PackageManifest>
"#
    ))
}

const CONTENT_TYPES: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json" />
  <Default Extension=".js" ContentType="application/javascript" />
  <Default Extension=".cjs" ContentType="application/javascript" />
  <Default Extension=".mjs" ContentType="application/javascript" />
  <Default Extension=".md" ContentType="text/markdown" />
  <Default Extension=".txt" ContentType="text/plain" />
  <Default Extension=".vsixmanifest" ContentType="text/xml" />
</Types>
"#;

/// A zip archive of files that are not compressed, with the same bytes whenever it is made.
#[derive(Default)]
struct Archive {
    bytes: Vec<u8>,
    index: Vec<u8>,
    count: u16,
}

/// 1 January 1980, the first day that the format knows.
const DATE: u16 = 0x21;

impl Archive {
    fn add(&mut self, name: &str, contents: &[u8]) -> Result<()> {
        let offset = u32::try_from(self.bytes.len())?;
        let length = u32::try_from(contents.len())?;
        let mut fields = Vec::new();
        // The version that is needed, flags (names are UTF-8), no compression, time, date.
        for word in [20, 0x800, 0, 0, DATE] {
            fields.extend(u16::to_le_bytes(word));
        }
        for number in [crc(contents), length, length] {
            fields.extend(number.to_le_bytes());
        }
        fields.extend(u16::try_from(name.len())?.to_le_bytes());
        fields.extend(0u16.to_le_bytes());
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&fields);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(contents);
        self.index.extend(b"PK\x01\x02");
        self.index.extend(20u16.to_le_bytes());
        self.index.extend(&fields);
        // No comment, on the first disk, no attributes.
        self.index.extend([0; 10]);
        self.index.extend(offset.to_le_bytes());
        self.index.extend(name.as_bytes());
        self.count += 1;
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<u8>> {
        let (start, length) = (u32::try_from(self.bytes.len())?, u32::try_from(self.index.len())?);
        self.bytes.append(&mut self.index);
        self.bytes.extend(b"PK\x05\x06");
        self.bytes.extend([0; 4]);
        self.bytes.extend(self.count.to_le_bytes());
        self.bytes.extend(self.count.to_le_bytes());
        self.bytes.extend(length.to_le_bytes());
        self.bytes.extend(start.to_le_bytes());
        self.bytes.extend([0; 2]);
        Ok(self.bytes)
    }
}

/// The checksum of the format.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums() {
        // The value that every description of it gives.
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn the_package_has_what_the_manifest_needs() {
        let package =
            fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(SOURCE).join("package.json"));
        let manifest = manifest(&package.expect("the package")).expect("a manifest");
        assert!(manifest.contains("Id=\"kenaz\" Version=\"0.1.0\" Publisher=\"kenaz\""), "{manifest}");
        assert!(manifest.contains("Value=\"^1.82.0\""), "{manifest}");
    }
}
