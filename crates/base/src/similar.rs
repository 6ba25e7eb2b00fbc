//! Names that look like another: "did you mean".

/// The candidates that `name` may be a misspelling of, the most similar first; at most three.
pub fn similar<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let tolerance = (name.chars().count() / 3).clamp(1, 4);
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| Some((distance(name, candidate, tolerance)?, candidate)))
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(3).map(|(_, candidate)| candidate).collect()
}

/// How many characters must be inserted, removed, replaced or swapped with their neighbour to get from one name to the
/// other, unless that is more than `limit`. A difference in case alone counts as one.
fn distance(from: &str, to: &str, limit: usize) -> Option<usize> {
    if from.to_lowercase() == to.to_lowercase() {
        return Some(usize::from(from != to));
    }
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    if from.len().abs_diff(to.len()) > limit {
        return None;
    }
    // `rows[i][j]` is the distance of the first i characters to the first j; only the last three rows are kept.
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let replaced = last[j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(before_last[j - 2] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    Some(last[to.len()]).filter(|&d| d <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_are_found() {
        let names = ["map", "map2", "reduce", "replicate", "zip", "unzip", "size-mismatch", "xs"];
        let of = |name| similar(name, names);
        assert_eq!(of("mpa"), ["map"]);
        assert_eq!(of("map3"), ["map", "map2"]);
        assert_eq!(of("redcue"), ["reduce"]);
        assert_eq!(of("size-missmatch"), ["size-mismatch"]);
        assert_eq!(of("XS"), ["xs"]);
        assert!(of("foldl").is_empty());
        assert!(of("zip").is_empty(), "not a misspelling of itself, and `unzip` is too far");
    }

    #[test]
    fn distances() {
        assert_eq!(distance("abc", "abc", 3), Some(0));
        assert_eq!(distance("abc", "acb", 3), Some(1));
        assert_eq!(distance("", "ab", 3), Some(2));
        assert_eq!(distance("kitten", "sitting", 3), Some(3));
        assert_eq!(distance("kitten", "sitting", 2), None);
    }
}
