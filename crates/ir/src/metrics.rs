//! How often each operator occurs, and how deeply nested: what `kenaz ir --metrics` prints and tests of passes count.

use crate::exp::Exp;
use crate::print::operator;
use crate::prog::{Prog, Stm};
use crate::visit::{Visit, walk};
use std::collections::BTreeMap;
use std::fmt;

/// For each operator, by the word it begins with in the text form, how often it occurs at each depth: how many loops
/// and second-order operators are around it.
///
/// It prints as one line for each operator, in alphabetical order: its count, the depth of its deepest occurrence, and
/// the counts for each depth when there are several: `map 3 depth 1 (0: 1, 1: 2)`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Metrics {
    counts: BTreeMap<&'static str, BTreeMap<usize, usize>>,
}

impl Metrics {
    pub fn of(prog: &Prog) -> Metrics {
        let mut counter = Counter { metrics: Metrics::default(), depth: 0 };
        for fun in &prog.funs {
            counter.fun(fun);
        }
        counter.metrics
    }

    /// How often an operator occurs.
    pub fn count(&self, operator: &str) -> usize {
        self.counts.get(operator).map_or(0, |depths| depths.values().sum())
    }

    /// How often an operator occurs at a depth: the number of loops and second-order operators around it.
    pub fn count_at(&self, operator: &str, depth: usize) -> usize {
        self.counts.get(operator).and_then(|depths| depths.get(&depth)).copied().unwrap_or(0)
    }
}

struct Counter {
    metrics: Metrics,
    depth: usize,
}

impl Visit for Counter {
    fn stm(&mut self, stm: &Stm) {
        *self.metrics.counts.entry(operator(&stm.exp)).or_default().entry(self.depth).or_default() += 1;
        let nests = match stm.exp {
            Exp::Loop { .. } | Exp::Soac(_) | Exp::Par(_) | Exp::Jvp(..) | Exp::Vjp(..) => 1,
            _ => 0,
        };
        self.depth += nests;
        walk::stm(self, stm);
        self.depth -= nests;
    }
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (operator, depths) in &self.counts {
            let deepest = depths.keys().next_back().copied().unwrap_or(0);
            write!(f, "{operator} {} depth {deepest}", self.count(operator))?;
            if depths.len() > 1 {
                let each: Vec<String> = depths.iter().map(|(depth, count)| format!("{depth}: {count}")).collect();
                write!(f, " ({})", each.join(", "))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_counted_by_depth() {
        let text = r"
fun f (n_1: i64) (a_2: [n_1]i64) : = {
  let b_3: [n_1]i64 = map n_1 (a_2) \(x_4: i64) -> {
    let y_5: i64 = if true then { let z_6: i64 = add x_4 1 in z_6 } else { in x_4 }
    let w_7: i64 = reduce n_1 (a_2) (0) \(p_8: i64, q_9: i64) -> { let r_10: i64 = add p_8 q_9 in r_10 }
    in w_7
  }
  let s_11: i64 = add n_1 n_1
  in
}";
        let metrics = Metrics::of(&crate::parse::prog(text).unwrap());
        assert_eq!(
            metrics.to_string(),
            "add 3 depth 2 (0: 1, 1: 1, 2: 1)\nif 1 depth 1\nmap 1 depth 0\nreduce 1 depth 1\n"
        );
        assert_eq!((metrics.count("add"), metrics.count_at("add", 2), metrics.count("scan")), (3, 1, 0));
    }
}
