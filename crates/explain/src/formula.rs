//! Numbers in terms of what a function gets: as text, and to be computed from values.

use kenaz_imp::symbolic::{Atom, Legend, Sizes};
use kenaz_ir::poly::Poly;
use serde::{Serialize, Serializer};
use std::fmt;

/// A formula, which is its text to all who do not compute it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    text: String,
    sum: Sum,
}

/// Products with their factors.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
struct Sum(Vec<(i128, Vec<Factor>)>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Factor {
    Word(String),
    Of(Operation, Box<(Sum, Sum)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Max,
    Min,
    Quot,
    Rem,
    Less,
}

impl Formula {
    pub(crate) fn new(x: &Poly, sizes: &mut Sizes, legend: &mut Legend) -> Formula {
        Formula { text: sizes.text(x, legend), sum: Sum::of(x, sizes) }
    }

    /// The number, if all words in the formula have values.
    pub fn value(&self, of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        self.sum.value(of)
    }
}

impl Sum {
    fn of(x: &Poly, sizes: &mut Sizes) -> Sum {
        let mut products = Vec::new();
        for (product, n) in x.terms() {
            let factors = product.iter().map(|name| match sizes.atom(*name).cloned() {
                None => Factor::Word(sizes.called(*name)),
                Some(atom) => {
                    let (operation, (x, y)) = match &atom {
                        Atom::Max(x, y) => (Operation::Max, (x, y)),
                        Atom::Min(x, y) => (Operation::Min, (x, y)),
                        Atom::Quot(x, y) => (Operation::Quot, (x, y)),
                        Atom::Rem(x, y) => (Operation::Rem, (x, y)),
                        Atom::Less(x, y) => (Operation::Less, (x, y)),
                    };
                    Factor::Of(operation, Box::new((Sum::of(x, sizes), Sum::of(y, sizes))))
                }
            });
            products.push((n, factors.collect()));
        }
        Sum(products)
    }

    fn value(&self, of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let product = |(n, factors): &(i128, Vec<Factor>)| {
            factors.iter().try_fold(*n as f64, |product, factor| Some(product * factor.value(of)?))
        };
        self.0.iter().try_fold(0.0, |sum, term| Some(sum + product(term)?))
    }
}

impl Factor {
    fn value(&self, of: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
        let (operation, operands) = match self {
            Factor::Word(word) => return of(word),
            Factor::Of(operation, operands) => (operation, operands),
        };
        let (x, y) = (operands.0.value(of)?, operands.1.value(of)?);
        let value = match operation {
            Operation::Max => x.max(y),
            Operation::Min => x.min(y),
            Operation::Quot => (x / y).floor(),
            Operation::Rem => x - y * (x / y).floor(),
            Operation::Less => f64::from(u8::from(x < y)),
        };
        value.is_finite().then_some(value)
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Formula {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl PartialEq<&str> for Formula {
    fn eq(&self, other: &&str) -> bool {
        self.text == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_ir::Fresh;

    #[test]
    fn values_follow_the_text() {
        let mut sizes = Sizes::new(Fresh::default());
        let (n, m) = (sizes.fresh("n"), sizes.fresh("m"));
        let (n, m) = (Poly::name(n), Poly::name(m));
        let least = sizes.min(n.clone(), m.clone());
        let parts = sizes.quot(n.clone(), m.clone());
        let sum = least.times_constant(8).and_then(|x| x.plus(&parts, 2)).and_then(|x| x.plus(&n.times(&m)?, 1));
        let formula = Formula::new(&sum.expect("it is small"), &mut sizes, &mut Legend::default());
        let of = |word: &str| [("n", 7.0), ("m", 3.0)].into_iter().find(|(name, _)| *name == word).map(|(_, x)| x);
        // 8 * 3, twice 7 / 3 rounded down, and 21.
        assert_eq!(formula.value(&of), Some(49.0), "{formula}");
        assert_eq!(formula.value(&|_| None), None);
        assert_eq!(formula.value(&|word| (word == "n").then_some(1.0)), None);
        assert_eq!(formula.value(&|_| Some(0.0)), None, "nothing is divided by zero");
    }
}
