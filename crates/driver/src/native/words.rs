//! Words in environment variables, as a shell reads them.

/// A text that a shell would not take for words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WordsError {
    #[error("the quotation mark {0} is opened and not closed")]
    Open(char),
    #[error("nothing follows its last backslash")]
    Backslash,
}

/// The words of a text: white space between them, and quotes and backslashes for what is none. Nothing is expanded.
pub(crate) fn split(text: &str) -> Result<Vec<String>, WordsError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(c);
                // Two quotes with nothing between them are a word.
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None, '\\') => word.get_or_insert_default().push(chars.next().ok_or(WordsError::Backslash)?),
            (Some('"'), '\\') => {
                let escaped = chars.next_if(|next| matches!(next, '"' | '\\' | '$' | '`'));
                word.get_or_insert_default().push(escaped.unwrap_or('\\'));
            }
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.map_or(Ok(words), |open| Err(WordsError::Open(open)))
}

/// A text that [`split`] makes these words of.
pub(crate) fn join(words: &[String]) -> String {
    let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '\'' | '"' | '\\');
    let quoted = |word: &String| match word.chars().all(is_plain) && !word.is_empty() {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    words.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        for (text, expected) in [
            ("", &[][..]),
            (" \t gcc  -m64\n", &["gcc", "-m64"]),
            (r#""my gcc" -m64"#, &["my gcc", "-m64"]),
            (r"my\ gcc -D'A=\x'", &["my gcc", r"-DA=\x"]),
            (r#"-DS="\"a\" \b '" ''"#, &[r#"-DS="a" \b '"#, ""]),
            (r#"a'b "c'd"e f"g"#, &[r#"ab "cde fg"#]),
            (r"\'\\", &[r"'\"]),
        ] {
            let words = split(text).unwrap();
            assert_eq!(words, expected, "{text}");
            assert_eq!(split(&join(&words)).unwrap(), words, "{text}");
        }
        assert_eq!(join(&["cc".into(), "-O1".into()]), "cc -O1");
    }

    #[test]
    fn quotes_have_partners() {
        for (text, error) in [
            ("\"gcc", WordsError::Open('"')),
            ("it's", WordsError::Open('\'')),
            (r#""a\""#, WordsError::Open('"')),
            ("gcc \\", WordsError::Backslash),
        ] {
            assert_eq!(split(text), Err(error), "{text}");
        }
    }
}
