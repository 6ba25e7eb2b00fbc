//! Which versions are used: the least that satisfy everyone.
//!
//! Every requirement that can be reached counts, also those of versions that are not used in the end, so that the
//! answer does not depend on the order in which requirements are read. Of each package the newest version that anybody
//! requires is used. In the end, packages that no used version requires are left out.

use crate::{PackagePath, Require, Version};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The most requirements that are followed.
pub const MOST_REQUIREMENTS: usize = 5_000;

/// A package in a version.
pub type Node = (PackagePath, Version);

/// Why there is no selection.
#[derive(Debug)]
pub enum SelectError<E> {
    /// A package, and what required it, unless that is the program itself.
    Failed {
        error: E,
        by: Option<Node>,
    },
    TooMany,
}

/// The version of each package that is needed. `requires_of` says what a package requires. It is asked about every
/// requirement, so that it can compare the commits that they name. `own` is the package that is being made, which
/// nobody needs to fetch.
pub fn select<E>(
    own: Option<&PackagePath>,
    roots: &[Require],
    mut requires_of: impl FnMut(&Require) -> Result<Vec<Require>, E>,
) -> Result<BTreeMap<PackagePath, Version>, SelectError<E>> {
    let mut known: BTreeMap<Node, Vec<Require>> = BTreeMap::new();
    let mut left: VecDeque<(Require, Option<Node>)> = roots.iter().map(|require| (require.clone(), None)).collect();
    let mut count = roots.len();
    while let Some((require, by)) = left.pop_front() {
        if count > MOST_REQUIREMENTS {
            return Err(SelectError::TooMany);
        }
        if Some(&require.path) == own {
            continue;
        }
        let requires = requires_of(&require).map_err(|error| SelectError::Failed { error, by })?;
        let node = (require.path, require.version);
        if known.contains_key(&node) {
            continue;
        }
        count += requires.len();
        left.extend(requires.iter().map(|require| (require.clone(), Some(node.clone()))));
        known.insert(node, requires);
    }
    // Nodes are in the order of their versions.
    let newest: BTreeMap<&PackagePath, (&Version, &[Require])> =
        known.iter().map(|((path, version), requires)| (path, (version, requires.as_slice()))).collect();
    let mut used = BTreeSet::new();
    let mut left: Vec<&PackagePath> = roots.iter().map(|require| &require.path).collect();
    while let Some(path) = left.pop() {
        if let Some((_, requires)) = newest.get(path)
            && used.insert(path)
        {
            left.extend(requires.iter().map(|require| &require.path));
        }
    }
    Ok(used.into_iter().map(|path| (path.clone(), newest[path].0.clone())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenaz_base::Rng;
    use std::convert::Infallible;

    const PACKAGES: usize = 4;
    const VERSIONS: usize = 3;
    const NODES: usize = PACKAGES * VERSIONS;

    fn require(node: usize) -> Require {
        let path = PackagePath::parse(&format!("ex.org/p{}", node / VERSIONS)).unwrap();
        Require { path, version: Version::new(1, (node % VERSIONS) as u64, 0), commit: None }
    }

    fn node_of(require: &Require) -> usize {
        let number: usize = require.path.as_str()["ex.org/p".len()..].parse().unwrap();
        number * VERSIONS + require.version.minor as usize
    }

    /// Which nodes a node requires, as bits; what the program requires comes last.
    type Graph = [u32; NODES + 1];

    fn random(rng: &mut Rng) -> Graph {
        let mut graph = [0; NODES + 1];
        let one_in = 2 + rng.below(8);
        for (node, requires) in graph.iter_mut().enumerate() {
            for other in (0..NODES).filter(|other| node == NODES || other / VERSIONS != node / VERSIONS) {
                *requires |= u32::from(rng.chance(one_in)) << other;
            }
        }
        graph
    }

    fn bits(set: u32) -> impl Iterator<Item = usize> {
        (0..NODES).filter(move |node| set >> node & 1 == 1)
    }

    fn selected(graph: &Graph, own: Option<&PackagePath>) -> Vec<usize> {
        let requires = |node: usize| bits(graph[node]).map(require).collect::<Vec<_>>();
        let answer = select(own, &requires(NODES), |r| Ok::<_, Infallible>(requires(node_of(r))));
        answer.unwrap().into_iter().map(|(path, version)| node_of(&Require { path, version, commit: None })).collect()
    }

    /// By trying all sets of versions: the least one that has all that its members require has the newest of each
    /// package; and the least set of packages that has what the newest ones require is used.
    fn by_trying(graph: &Graph) -> Vec<usize> {
        let is_closed = |set: u32| graph[NODES] & !set == 0 && bits(set).all(|node| graph[node] & !set == 0);
        let needed = (0..1 << NODES).filter(|&set| is_closed(set)).fold(u32::MAX, |least, set| least & set);
        let newest =
            |package: usize| (0..VERSIONS).rev().map(|v| package * VERSIONS + v).find(|node| needed >> node & 1 == 1);
        let packages = |requires: u32| bits(requires).fold(0u32, |set, node| set | 1 << (node / VERSIONS));
        let is_enough = |set: u32| {
            let wanted = (0..PACKAGES).filter(|package| set >> package & 1 == 1);
            let wanted = wanted.map(|package| newest(package).map_or(u32::MAX, |node| packages(graph[node])));
            wanted.chain([packages(graph[NODES])]).all(|wanted| wanted & !set == 0)
        };
        let used = (0..1 << PACKAGES).filter(|&set| is_enough(set)).fold(u32::MAX, |least, set| least & set);
        (0..PACKAGES).filter(|package| used >> package & 1 == 1).filter_map(newest).collect()
    }

    #[test]
    fn what_is_selected_is_what_trying_everything_finds() {
        let (mut sizes, mut cyclic) = ([0; PACKAGES + 1], 0);
        for i in 0..400 {
            let graph = random(&mut Rng::nth(1, i));
            let expected = by_trying(&graph);
            assert_eq!(selected(&graph, None), expected, "{graph:?}");
            sizes[expected.len()] += 1;
            cyclic +=
                usize::from((0..NODES).any(|a| (0..NODES).any(|b| graph[a] >> b & 1 == 1 && graph[b] >> a & 1 == 1)));
        }
        // The graphs are of all kinds.
        assert!(sizes.iter().all(|&count| count > 0) && cyclic > 0, "{sizes:?} {cyclic}");
    }

    /// What is selected depends on no order, satisfies everyone, and has nothing that nobody asked for.
    #[test]
    fn the_order_of_requirements_makes_no_difference() {
        for i in 0..400 {
            let mut rng = Rng::nth(2, i);
            let graph = random(&mut rng);
            let shuffled = |node: usize, rng: &mut Rng| {
                let mut requires: Vec<Require> = bits(graph[node]).map(require).collect();
                for last in (1..requires.len()).rev() {
                    requires.swap(last, rng.below(last + 1));
                }
                requires
            };
            let roots = shuffled(NODES, &mut rng);
            let answer = select(None, &roots, |r| Ok::<_, Infallible>(shuffled(node_of(r), &mut rng))).unwrap();
            let answer: Vec<usize> =
                answer.into_iter().map(|(path, version)| node_of(&Require { path, version, commit: None })).collect();
            assert_eq!(answer, selected(&graph, None));
            for node in answer.iter().copied().chain([NODES]) {
                for wanted in bits(graph[node]) {
                    assert!(
                        answer.iter().any(|node| node / VERSIONS == wanted / VERSIONS && *node >= wanted),
                        "{graph:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_version_that_is_not_used_still_counts() {
        // 0 at 1.0.0 requires 1 at 1.2.0; 0 at 1.1.0, which package 2 requires, is content with 1 at 1.0.0.
        let mut graph: Graph = [0; NODES + 1];
        graph[0] = 1 << 5;
        graph[1] = 1 << 3;
        graph[6] = 1 << 1;
        graph[NODES] = 1 | 1 << 6;
        assert_eq!(selected(&graph, None), [1, 5, 6]);
        // If 0 at 1.1.0 does not require 1 at all, nobody uses it.
        graph[1] = 0;
        assert_eq!(selected(&graph, None), [1, 6]);
    }

    #[test]
    fn nobody_fetches_the_package_that_is_made() {
        let mut graph: Graph = [0; NODES + 1];
        (graph[NODES], graph[3], graph[0]) = (1 << 3, 1, 1 << 6);
        assert_eq!(selected(&graph, None), [0, 3, 6]);
        assert_eq!(selected(&graph, Some(&require(0).path)), [3]);
    }

    #[test]
    fn failures_name_who_asked() {
        let failing = |r: &Require| if node_of(r) == 3 { Err(()) } else { Ok(vec![require(3)]) };
        let answer = select(None, &[require(0)], failing);
        let Err(SelectError::Failed { by: Some((path, _)), .. }) = answer else { panic!("{answer:?}") };
        assert_eq!(path, require(0).path);
        assert!(matches!(select(None, &[require(3)], failing), Err(SelectError::Failed { by: None, .. })));
    }

    /// A chain without end, as a hostile package could make it.
    #[test]
    fn chains_have_an_end() {
        let next = |r: &Require| {
            let version = Version::new(1, r.version.minor + 1, 0);
            Ok::<_, Infallible>(vec![Require { version, ..r.clone() }])
        };
        assert!(matches!(select(None, &[require(0)], next), Err(SelectError::TooMany)));
    }
}
