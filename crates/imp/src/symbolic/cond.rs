//! Conditions in readable form, with their opposites.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cond {
    /// What holds if it does, and what holds if not.
    Is(String, String),
    All(Vec<Cond>),
    Any(Vec<Cond>),
}

impl Cond {
    pub fn constant(holds: bool) -> Cond {
        if holds { Cond::All(Vec::new()) } else { Cond::Any(Vec::new()) }
    }

    /// If nothing is known but a text.
    pub fn opaque(text: String) -> Cond {
        let not = format!("not {text}");
        Cond::Is(text, not)
    }

    pub fn negated(self) -> Cond {
        match self {
            Cond::Is(yes, no) => Cond::Is(no, yes),
            Cond::All(conds) => Cond::any(conds.into_iter().map(Cond::negated)),
            Cond::Any(conds) => Cond::all(conds.into_iter().map(Cond::negated)),
        }
    }

    pub fn all(conds: impl IntoIterator<Item = Cond>) -> Cond {
        let mut out = Vec::new();
        for cond in conds {
            let more = if let Cond::All(more) = cond { more } else { vec![cond] };
            more.into_iter().for_each(|cond| add(&mut out, cond));
        }
        one_or(out, Cond::All)
    }

    pub fn any(conds: impl IntoIterator<Item = Cond>) -> Cond {
        let mut out = Vec::new();
        for cond in conds {
            let more = if let Cond::Any(more) = cond { more } else { vec![cond] };
            more.into_iter().for_each(|cond| add(&mut out, cond));
        }
        one_or(out, Cond::Any)
    }

    /// What must hold, each for itself; nothing if it always holds.
    pub fn lines(&self) -> Vec<String> {
        match self {
            Cond::All(conds) => conds.iter().map(Cond::to_string).collect(),
            cond => vec![cond.to_string()],
        }
    }
}

fn add(conds: &mut Vec<Cond>, cond: Cond) {
    if !conds.contains(&cond) {
        conds.push(cond);
    }
}

fn one_or(mut conds: Vec<Cond>, make: fn(Vec<Cond>) -> Cond) -> Cond {
    if conds.len() == 1 { conds.remove(0) } else { make(conds) }
}

impl fmt::Display for Cond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (conds, word) = match self {
            Cond::Is(text, _) => return f.write_str(text),
            Cond::All(conds) if conds.is_empty() => return f.write_str("always"),
            Cond::Any(conds) if conds.is_empty() => return f.write_str("never"),
            Cond::All(conds) => (conds, " and "),
            Cond::Any(conds) => (conds, " or "),
        };
        for (i, cond) in conds.iter().enumerate() {
            let text = if matches!(cond, Cond::Is(..)) { cond.to_string() } else { format!("({cond})") };
            write!(f, "{}{text}", if i > 0 { word } else { "" })?;
        }
        Ok(())
    }
}
