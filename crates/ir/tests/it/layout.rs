//! Layouts: operations agree with the same operations on explicit lists of addresses, answers agree with what is true
//! of all instances that were tried, and what has to be proved is.

use kenaz_base::Rng;
use kenaz_ir::facts::{Answer, Facts};
use kenaz_ir::layout::{Dim, DimRange, Layout, Pair, disjoint};
use kenaz_ir::{Name, Poly, parse};
use std::collections::{BTreeMap, BTreeSet};

use Answer::{Proved, Refuted, Unknown};

struct Gen(Rng);

impl Gen {
    fn below(&mut self, n: usize) -> usize {
        self.0.below(n)
    }

    fn between(&mut self, lo: i128, hi: i128) -> i128 {
        lo + self.below((hi - lo + 1) as usize) as i128
    }

    fn some<T>(&mut self, max: usize, mut f: impl FnMut(&mut Gen) -> T) -> Vec<T> {
        (0..self.below(max + 1)).map(|_| f(self)).collect()
    }

    /// Of constants.
    fn layout(&mut self) -> Layout {
        let pair = |g: &mut Gen| Pair { size: int(g.between(0, 4)), stride: int(g.between(-4, 9)) };
        let dims = self.some(3, |g| {
            let nested = if g.below(3) == 0 { 1 + g.below(2) } else { 0 };
            Dim((0..=nested).map(|_| pair(g)).collect())
        });
        let mut layout = Layout { offset: int(self.between(-3, 20)), dims };
        if self.below(2) == 0 {
            self.make_row_major(&mut layout);
        }
        layout
    }

    /// With strides that fit together, perhaps with gaps.
    fn make_row_major(&mut self, layout: &mut Layout) {
        let mut stride = if self.below(4) == 0 { -1 } else { 1 };
        for pair in layout.dims.iter_mut().rev().flat_map(|dim| dim.0.iter_mut().rev()) {
            pair.stride = int(stride);
            stride *= value(&pair.size) + i128::from(self.below(5) == 0);
        }
    }

    fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut perm: Vec<usize> = (0..n).collect();
        (1..n).for_each(|i| perm.swap(i, self.below(i + 1)));
        perm
    }
}

fn int(n: i128) -> Poly {
    Poly::constant(n)
}

fn value(poly: &Poly) -> i128 {
    poly.as_constant().expect("a constant")
}

/// An array of addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Explicit {
    sizes: Vec<i128>,
    at: Vec<i128>,
}

impl Explicit {
    fn new(sizes: Vec<i128>, mut at: impl FnMut(&[i128]) -> i128) -> Explicit {
        let mut all = vec![vec![]];
        for size in &sizes {
            all = all.iter().flat_map(|index| (0..*size).map(move |i| [&index[..], &[i]].concat())).collect();
        }
        Explicit { at: all.iter().map(|index| at(index)).collect(), sizes }
    }

    fn of(layout: &Layout) -> Explicit {
        let sizes: Vec<i128> = layout.sizes().expect("small").iter().map(value).collect();
        Explicit::new(sizes, |index| {
            let mut address = value(&layout.offset);
            for (dim, i) in layout.dims.iter().zip(index) {
                let mut i = *i;
                for pair in dim.0.iter().rev() {
                    address += i % value(&pair.size) * value(&pair.stride);
                    i /= value(&pair.size);
                }
            }
            address
        })
    }

    fn get(&self, index: &[i128]) -> i128 {
        let flat = self.sizes.iter().zip(index).fold(0, |flat, (size, i)| flat * size + i);
        self.at[flat as usize]
    }

    fn set(&self) -> BTreeSet<i128> {
        self.at.iter().copied().collect()
    }

    fn injective(&self) -> bool {
        self.set().len() == self.at.len()
    }
}

#[test]
fn views_are_what_they_are_on_addresses() {
    let mut g = Gen(Rng::new(1));
    let mut made = BTreeMap::<&str, u32>::new();
    let mut check = |what: &'static str, layout: &Layout, got: Option<Layout>, expected: Explicit| {
        if let Some(got) = got {
            *made.entry(what).or_default() += 1;
            assert_eq!(Explicit::of(&got), expected, "{what} of {layout} is {got}");
        }
    };
    for _ in 0..6000 {
        let layout = g.layout();
        let whole = Explicit::of(&layout);
        let simple = layout.dims.iter().all(|dim| dim.stride().is_some());
        let rank = layout.rank();

        let perm = g.permutation(rank);
        let permuted = layout.permute(&perm);
        assert_eq!(permuted.unpermute(&perm), layout);
        let sizes = perm.iter().map(|i| whole.sizes[*i]).collect();
        let expected = Explicit::new(sizes, |index| {
            let mut old = vec![0; rank];
            perm.iter().zip(index).for_each(|(at, i)| old[*at] = *i);
            whole.get(&old)
        });
        check("permute", &layout, Some(permuted), expected);

        let outer = g.some(2, |g| g.between(0, 3));
        let sizes = [&outer[..], &whole.sizes].concat();
        let expected = Explicit::new(sizes, |index| whole.get(&index[outer.len()..]));
        let outer: Vec<Poly> = outer.into_iter().map(int).collect();
        check("broadcast", &layout, Some(layout.broadcast(&outer)), expected);

        if !whole.at.is_empty() {
            let fixed: Vec<i128> = whole.sizes[..g.below(rank + 1)].iter().map(|n| g.between(0, n - 1)).collect();
            let indices: Vec<Poly> = fixed.iter().copied().map(int).collect();
            let rest = whole.sizes[fixed.len()..].to_vec();
            let got = layout.index(&indices);
            assert!(got.is_some(), "constants can always be taken apart: {layout} {fixed:?}");
            check("index", &layout, got, Explicit::new(rest, |index| whole.get(&[&fixed[..], index].concat())));
            if fixed.len() == rank {
                assert_eq!(layout.address(&indices).map(|poly| value(&poly)), Some(whole.get(&fixed)));
            }

            let ranges: Vec<(bool, i128, i128, i128)> = whole.sizes.iter().map(|n| range(&mut g, *n)).collect();
            let slice = |(fix, start, len, stride): &(bool, i128, i128, i128)| match fix {
                true => DimRange::Fix(int(*start)),
                false => DimRange::Range { start: int(*start), len: int(*len), stride: int(*stride) },
            };
            let slices: Vec<DimRange> = ranges.iter().map(slice).collect();
            let got = layout.slice(&slices);
            assert!(got.is_some() || !simple, "{layout} {slices:?}");
            let sizes = ranges.iter().filter(|range| !range.0).map(|range| range.2).collect();
            let expected = Explicit::new(sizes, |index| {
                let mut index = index.iter();
                let at = |(fix, start, _, stride): &(bool, i128, i128, i128)| match fix {
                    true => *start,
                    false => start + stride * index.next().expect("one for each range"),
                };
                whole.get(&ranges.iter().map(at).collect::<Vec<_>>())
            });
            check(if simple { "slice" } else { "slice of a nest" }, &layout, got, expected);
        }

        let sizes = other_sizes(&mut g, whole.at.len() as i128);
        let polys: Vec<Poly> = sizes.iter().copied().map(int).collect();
        let got = layout.reshape(&polys, &Facts::new());
        let nests = got.iter().flat_map(|layout| &layout.dims).any(|dim| dim.0.len() > 1);
        let expected = Explicit { sizes, at: whole.at.clone() };
        check(if nests { "reshape to a nest" } else { "reshape" }, &layout, got, expected);
        let flat = layout.reshape(&[int(whole.at.len() as i128)], &Facts::new());
        assert!(flat.is_some() || whole.at.is_empty(), "anything can be flattened: {layout}");
        let row_major = whole.at.windows(2).all(|pair| pair[1] == pair[0] + 1);
        assert!(!layout.is_row_major(&Facts::new()) || row_major, "{layout}");
        assert!(layout.is_row_major(&Facts::new()) || !row_major || whole.at.is_empty(), "{layout}");
        let all = whole.set();
        let interval = all.last().zip(all.first()).is_none_or(|(b, a)| b - a + 1 == whole.at.len() as i128);
        assert!(!layout.is_contiguous(&Facts::new()) || interval && whole.injective(), "{layout}");

        if let [dim] = &layout.dims[..]
            && dim.stride().is_some()
        {
            let (offset, dims) = (g.between(0, 3), g.some(2, |g| (g.between(0, 3), g.between(-2, 3))));
            let at = |i: i128| value(&layout.offset) + i * value(&dim.0[0].stride);
            let expected = Explicit::new(dims.iter().map(|dim| dim.0).collect(), |index| {
                at(offset + dims.iter().zip(index).map(|((_, stride), i)| i * stride).sum::<i128>())
            });
            let polys: Vec<(Poly, Poly)> = dims.into_iter().map(|(size, stride)| (int(size), int(stride))).collect();
            check("flat", &layout, layout.flat(&int(offset), &polys), expected);
        }
    }
    for what in ["permute", "broadcast", "index", "slice", "slice of a nest", "reshape", "reshape to a nest", "flat"] {
        assert!(made.get(what).is_some_and(|count| *count > 200), "{what}: {made:?}");
    }
}

/// Whether to fix it, and start, length and stride of a range in a dimension.
fn range(g: &mut Gen, size: i128) -> (bool, i128, i128, i128) {
    let start = g.between(0, size - 1);
    match g.below(5) {
        0 => (true, start, 1, 1),
        1 => (false, 0, size, 1),
        2 => (false, size - 1, size, -1),
        _ => {
            let stride = [1, 1, 2, 3, 4, -1, -2][g.below(7)];
            let most = if stride > 0 { (size - 1 - start) / stride } else { start / -stride } + 1;
            (false, start, g.between(0, most), stride)
        }
    }
}

/// Sizes with this product.
fn other_sizes(g: &mut Gen, mut count: i128) -> Vec<i128> {
    if count == 0 {
        return vec![g.between(0, 3), 0];
    }
    let mut sizes = Vec::new();
    while sizes.len() < 4 && (count > 1 || g.below(3) == 0) {
        let size = g.between(1, count);
        if count % size == 0 {
            sizes.push(size);
            count /= size;
        }
    }
    if count > 1 || sizes.is_empty() {
        sizes.push(count);
    }
    sizes
}

#[test]
fn the_same_map_is_recognised() {
    let mut g = Gen(Rng::new(2));
    let mut same = 0;
    for _ in 0..20_000 {
        let (a, mut b) = (g.layout(), g.layout());
        if g.below(2) == 0 {
            b = a.clone();
            for pair in b.dims.iter_mut().flat_map(|dim| &mut dim.0) {
                let stride = value(&pair.stride) + i128::from(g.below(4) == 0);
                pair.stride = int(stride);
            }
        }
        if a.same(&b, &Facts::new()) {
            same += usize::from(a != b);
            assert_eq!(Explicit::of(&a), Explicit::of(&b), "{a} and {b}");
        }
    }
    assert!(same > 100, "{same}");
}

// Symbolic layouts

const NAMES: &str = "n_1 m_2 k_3 i_4 j_5 o_6 q_7";

/// Whether the values of the names above could be what the facts below are about.
fn possible(values: &[i128; 7]) -> bool {
    let [n, m, k, i, j, o, q] = *values;
    n >= 0 && m >= 0 && k >= 2 && 0 <= i && i < j && j < n && 0 <= o && o < m && q == m + 2
}

fn symbols() -> Facts {
    facts(
        "fun f (n_1: i64) (m_2: i64) (k_3: i64) (i_4: i64) (j_5: i64) (o_6: i64) (a_10: [n_1][m_2][k_3]i8) : = {
           let q_7: i64 = add m_2 2
           let b_11: [q_7]i8 = scratch [q_7] i8
           let c_20: bool = le 2 k_3
           let c_21: cert = assert c_20 \"\"
           let c_22: bool = le 0 i_4
           let c_23: cert = assert c_22 \"\"
           let c_24: bool = lt i_4 j_5
           let c_25: cert = assert c_24 \"\"
           let c_26: bool = lt j_5 n_1
           let c_27: cert = assert c_26 \"\"
           let c_28: bool = le 0 o_6
           let c_29: cert = assert c_28 \"\"
           let c_30: bool = lt o_6 m_2
           let c_31: cert = assert c_30 \"\"
           let s_8: i64 = mul n_1 m_2
           let d_12: [s_8]i8 = scratch [s_8] i8
           in
         }",
    )
}

fn facts(text: &str) -> Facts {
    let prog = parse::prog(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut facts = Facts::new();
    facts.enter_fun(&prog.funs[0]);
    prog.funs[0].body.stms.iter().for_each(|stm| facts.stm(stm));
    facts
}

fn name(text: &str) -> Name {
    let (base, id) = text.rsplit_once('_').expect("a name");
    Name { base: kenaz_base::Symbol::intern(base), id: id.parse().expect("a number") }
}

fn layout(text: &str) -> Layout {
    let prog = format!("fun f (x_1000: [1]i8 @ b_1001 -> {text}) : = {{ in }}");
    let prog = parse::prog(&prog).unwrap_or_else(|e| panic!("{e}\n{text}"));
    prog.funs[0].params[0].place.clone().expect("a place").layout
}

fn poly(text: &str) -> Poly {
    layout(&format!("{text} + {{}}")).offset
}

fn instance(layout: &Layout, values: &[i128; 7]) -> Layout {
    let names: Vec<Name> = NAMES.split(' ').map(name).collect();
    let value = |at: Name| names.iter().position(|name| *name == at).map(|i| int(values[i]));
    let concrete = |poly: &Poly| poly.replace(value).or_else(|| Some(poly.clone()));
    layout.map(&mut |poly| concrete(poly)).expect("constants")
}

fn random_poly(g: &mut Gen, kinds: &[&str]) -> Poly {
    poly(kinds[g.below(kinds.len())])
}

const SIZES: [&str; 14] =
    ["1", "2", "3", "n_1", "m_2", "k_3", "q_7", "n_1 + -1*j_5", "i_4", "m_2 + -1*o_6", "o_6", "n_1*m_2", "0", "j_5"];
const STRIDES: [&str; 15] =
    ["1", "1", "1", "2", "m_2", "m_2", "k_3", "q_7", "m_2*k_3", "n_1*m_2", "-1", "-1*m_2", "0", "n_1", "2*m_2"];
const OFFSETS: [&str; 18] = [
    "0",
    "0",
    "1",
    "o_6",
    "i_4",
    "j_5",
    "i_4*m_2",
    "j_5*m_2",
    "m_2",
    "k_3",
    "n_1*m_2",
    "i_4*q_7",
    "i_4*q_7 + 1",
    "i_4*q_7 + 1 + m_2",
    "i_4*m_2 + o_6",
    "m_2 + -1",
    "o_6*k_3",
    "2*n_1*m_2",
];

fn random_symbolic(g: &mut Gen, [sizes, strides, offsets]: [&[&str]; 3]) -> Layout {
    let pair = |g: &mut Gen| Pair { size: random_poly(g, sizes), stride: random_poly(g, strides) };
    let dims = g.some(3, |g| {
        let nested = usize::from(g.below(5) == 0);
        Dim((0..=nested).map(|_| pair(g)).collect())
    });
    Layout { offset: random_poly(g, offsets), dims }
}

// The same where any size may be 0, and where a stride or an offset may be negative. There are no indices.

const LOOSE_SIZES: [&str; 9] = ["1", "2", "n_1", "n_1", "m_2", "k_3", "q_7", "n_1*m_2", "0"];
const LOOSE_STRIDES: [&str; 14] =
    ["1", "1", "2", "m_2", "k_3", "q_7", "m_2*k_3", "-1", "-1*m_2", "-2", "0", "n_1", "-1*m_2*k_3", "o_6"];
const LOOSE_OFFSETS: [&str; 12] =
    ["0", "0", "1", "-1", "m_2", "k_3 + -1", "n_1*m_2", "n_1*m_2 + -1*m_2", "2*m_2", "-1*n_1", "q_7", "o_6"];

fn loose_symbols() -> Facts {
    facts(
        "fun f (n_1: i64) (m_2: i64) (k_3: i64) (o_6: i64) (a_10: [n_1][m_2][k_3]i8) : = {
           let q_7: i64 = add m_2 2
           let b_11: [q_7]i8 = scratch [q_7] i8
           in
         }",
    )
}

fn loose_values() -> Vec<[i128; 7]> {
    let mut all = Vec::new();
    for n in 0..4 {
        for m in 0..4 {
            for k in 0..4 {
                all.extend((-2..3).map(|o| [n, m, k, 0, 0, o, m + 2]));
            }
        }
    }
    all
}

fn possible_values() -> Vec<[i128; 7]> {
    let mut all = Vec::new();
    for n in 0..5 {
        for m in 0..5 {
            for k in [2, 3, 5] {
                for (i, j) in (0..n).flat_map(|j| (0..j).map(move |i| (i, j))) {
                    all.extend((0..m).map(|o| [n, m, k, i, j, o, m + 2]));
                }
            }
        }
    }
    assert!(all.iter().all(possible));
    all
}

/// No answer may be wrong for any values that the facts allow.
#[track_caller]
fn is_right(answer: Answer, truths: impl Iterator<Item = bool>, what: impl Fn() -> String) {
    for truth in truths {
        let wrong = if truth { Refuted } else { Proved };
        assert_ne!(answer, wrong, "{}", what());
    }
}

#[test]
fn answers_are_right_for_all_instances() {
    let facts = symbols();
    let values = possible_values();
    let pool: [&[&str]; 3] = [&SIZES, &STRIDES, &OFFSETS];
    let mut g = Gen(Rng::new(3));
    let mut answers = BTreeMap::<(&str, bool), u32>::new();
    for _ in 0..900 {
        let (a, b) = (random_symbolic(&mut g, pool), random_symbolic(&mut g, pool));
        let some: Vec<&[i128; 7]> = (0..25).map(|_| &values[g.below(values.len())]).collect();
        let sets: Vec<(Explicit, Explicit)> = some
            .iter()
            .map(|values| (Explicit::of(&instance(&a, values)), Explicit::of(&instance(&b, values))))
            .collect();
        let mut count = |what, answer| {
            if answer != Unknown {
                *answers.entry((what, answer == Proved)).or_default() += 1;
            }
        };

        let answer = disjoint(&a, &b, &facts);
        count("disjoint", answer);
        let truths = sets.iter().map(|(a, b)| a.set().is_disjoint(&b.set()));
        is_right(answer, truths, || format!("disjoint {a} and {b}"));
        assert_eq!(disjoint(&b, &a, &facts) == Unknown, answer == Unknown, "{a} and {b}");

        let answer = a.within(&b, &facts);
        count("within", answer);
        let truths = sets.iter().map(|(a, b)| a.set().is_subset(&b.set()));
        is_right(answer, truths, || format!("{a} within {b}"));

        let answer = a.injective(&facts);
        count("injective", answer);
        is_right(answer, sets.iter().map(|(a, _)| a.injective()), || format!("injective {a}"));

        // Over `i`, of which nothing else is known: `j` and what follows from both are not in the layout.
        if !a.names().chain(b.names()).any(|x| x == name("j_5")) {
            let bound = ["n_1", "m_2", "3"][g.below(3)];
            let answer = over_i(&a, bound);
            count("over", answer);
            let truths = some.iter().map(|values| {
                let [n, m, ..] = **values;
                let bound = match bound {
                    "n_1" => n,
                    "m_2" => m,
                    _ => 3,
                };
                let all = (0..bound).map(|i| {
                    let mut values = **values;
                    values[3] = i;
                    Explicit::of(&instance(&a, &values)).at
                });
                let all: Vec<i128> = all.flatten().collect();
                all.iter().collect::<BTreeSet<_>>().len() == all.len()
            });
            is_right(answer, truths, || format!("injective {a} over i_4 < {bound}"));
        }

        let same = a.same(&b, &facts);
        assert!(!same || sets.iter().all(|(a, b)| a == b), "{a} is not {b}");
    }
    for what in ["disjoint", "within", "injective", "over"] {
        for proved in [true, false] {
            let count = answers.get(&(what, proved)).copied().unwrap_or_default();
            assert!(count > 20, "{what} {proved}: {answers:?}");
        }
    }
}

#[test]
fn answers_are_right_where_sizes_may_be_zero() {
    let facts = loose_symbols();
    let values = loose_values();
    let pool: [&[&str]; 3] = [&LOOSE_SIZES, &LOOSE_STRIDES, &LOOSE_OFFSETS];
    let mut g = Gen(Rng::new(11));
    let mut proved = BTreeMap::<&str, u32>::new();
    for _ in 0..600 {
        let (a, b) = (random_symbolic(&mut g, pool), random_symbolic(&mut g, pool));
        let some: Vec<&[i128; 7]> = (0..25).map(|_| &values[g.below(values.len())]).collect();
        let explicit = |layout: &Layout| -> Vec<Explicit> {
            some.iter().map(|values| Explicit::of(&instance(layout, values))).collect()
        };
        let sets: Vec<(Explicit, Explicit)> = explicit(&a).into_iter().zip(explicit(&b)).collect();
        let mut check = |what, answer, holds: &dyn Fn(&Explicit, &Explicit) -> bool| {
            *proved.entry(what).or_default() += u32::from(answer == Proved);
            is_right(answer, sets.iter().map(|(a, b)| holds(a, b)), || format!("{what}: {a} and {b}"));
        };
        check("disjoint", disjoint(&a, &b, &facts), &|a, b| a.set().is_disjoint(&b.set()));
        check("within", a.within(&b, &facts), &|a, b| a.set().is_subset(&b.set()));
        check("injective", a.injective(&facts), &|a, _| a.injective());
        let same = if a.same(&b, &facts) { Proved } else { Unknown };
        check("same", same, &|a, b| a == b || a.at.is_empty() && b.at.is_empty());
        // What a slice takes, and what a layout is when it is turned, is part of it.
        let turned = a.permute(&g.permutation(a.rank()));
        check("turned", turned.within(&a, &facts), &|_, _| true);
        if let [dim, ..] = &a.dims[..]
            && let Some(size) = dim.size()
            && let Some(last) = size.plus(&int(1), -1)
        {
            let mut ranges = vec![DimRange::Range { start: last, len: size, stride: int(-1) }];
            ranges.extend(a.dims[1..].iter().filter_map(Dim::size).map(|len| DimRange::Range {
                start: int(0),
                len,
                stride: int(1),
            }));
            if let Some(reversed) = a.slice(&ranges) {
                check("reversed", reversed.within(&a, &facts), &|_, _| true);
            }
        }
    }
    for what in ["disjoint", "within", "injective", "turned", "reversed"] {
        let count = proved.get(what).copied().unwrap_or_default();
        assert!(count > 20, "{what}: {proved:?}");
    }
}

/// The question at the beginning of the iterations, where nothing is known of the index yet.
fn over_i(layout: &Layout, bound: &str) -> Answer {
    let facts = facts(
        "fun f (n_1: i64) (m_2: i64) (k_3: i64) (o_6: i64) (a_10: [n_1][m_2][k_3]i8) : = {
           let q_7: i64 = add m_2 2
           let b_11: [q_7]i8 = scratch [q_7] i8
           let c_20: bool = le 2 k_3
           let c_21: cert = assert c_20 \"\"
           let c_28: bool = le 0 o_6
           let c_29: cert = assert c_28 \"\"
           let c_30: bool = lt o_6 m_2
           let c_31: cert = assert c_30 \"\"
           in
         }",
    );
    layout.injective_over(&[(name("i_4"), poly(bound))], &facts)
}

#[test]
fn reshapes_of_symbolic_layouts() {
    let facts = symbols();
    let values = possible_values();
    let sizes = |text: &str| text.split(' ').filter(|size| !size.is_empty()).map(poly).collect::<Vec<_>>();
    for (from, to, expected) in [
        // Contiguous: anything.
        ("0 + {(n_1 : m_2) (m_2 : 1)}", "n_1*m_2", "0 + {(n_1*m_2 : 1)}"),
        ("0 + {(n_1 : m_2) (m_2 : 1)}", "m_2 n_1", "0 + {(m_2 : n_1) (n_1 : 1)}"),
        ("0 + {(n_1 : m_2) (m_2 : 1)}", "s_8", "0 + {(s_8 : 1)}"),
        ("i_4 + {(n_1*m_2 : 1)}", "n_1 m_2", "i_4 + {(n_1 : m_2) (m_2 : 1)}"),
        ("i_4 + {(s_8 : 2)}", "m_2 1 n_1", "i_4 + {(m_2 : 2*n_1) (1 : 2*n_1) (n_1 : 2)}"),
        // A transpose.
        ("0 + {(m_2 : 1) (n_1 : m_2)}", "n_1*m_2", "0 + {((m_2 : 1)(n_1 : m_2))}"),
        ("0 + {((m_2 : 1)(n_1 : m_2))}", "m_2 n_1", "0 + {(m_2 : 1) (n_1 : m_2)}"),
        ("0 + {(m_2 : 1) (n_1 : m_2)}", "m_2 1 n_1", "0 + {(m_2 : 1) (1 : 1) (n_1 : m_2)}"),
        ("0 + {(k_3 : 1) (n_1 : k_3*m_2) (m_2 : k_3)}", "k_3 s_8", "0 + {(k_3 : 1) (s_8 : k_3)}"),
        ("0 + {(k_3 : 1) (s_8 : k_3)}", "k_3 n_1 m_2", "0 + {(k_3 : 1) (n_1 : k_3*m_2) (m_2 : k_3)}"),
        ("0 + {(s_8 : 1) (k_3 : s_8)}", "n_1 m_2*k_3", "0 + {(n_1 : m_2) ((m_2 : 1)(k_3 : n_1*m_2))}"),
        // Rows with gaps: columns may be split, rows merged with what is around them only as nests.
        ("0 + {(n_1 : q_7) (m_2 : 1)}", "n_1*m_2", "0 + {((n_1 : q_7)(m_2 : 1))}"),
        ("0 + {(n_1 : 3*q_7) (3*m_2 : 1)}", "n_1 m_2 3", "0 + {(n_1 : 3*q_7) (m_2 : 3) (3 : 1)}"),
        ("0 + {(2*n_1 : q_7) (m_2 : 1)}", "2 n_1 m_2", "0 + {(2 : n_1*q_7) (n_1 : q_7) (m_2 : 1)}"),
        // Reversed and repeated.
        ("n_1*m_2 + -1 + {(n_1 : -1*m_2) (m_2 : -1)}", "s_8", "n_1*m_2 + -1 + {(s_8 : -1)}"),
        ("0 + {(n_1 : 0) (m_2 : 0)}", "s_8", "0 + {(s_8 : 0)}"),
        ("0 + {(n_1 : 0) (m_2 : 1)}", "s_8", "0 + {((n_1 : 0)(m_2 : 1))}"),
    ] {
        let (from, to, expected) = (layout(from), sizes(to), layout(expected));
        let got = from.reshape(&to, &facts);
        let shown = got.as_ref().map(Layout::to_string);
        assert!(got.is_some_and(|got| got.same(&expected, &facts)), "{from} to {to:?}: {shown:?}");
    }
    for (from, to) in [("0 + {(m_2 : 1) (n_1 : m_2)}", "n_1 m_2"), ("0 + {(4 : q_7) (3 : 1)}", "6 2")] {
        assert_eq!(layout(from).reshape(&sizes(to), &facts), None, "{from}");
    }
    // The elements are the same in all instances.
    let mut g = Gen(Rng::new(5));
    let mut made = 0;
    for _ in 0..600 {
        let from = random_symbolic(&mut g, [&SIZES, &STRIDES, &OFFSETS]);
        let Some(old) = from.sizes() else { continue };
        let perm = g.permutation(old.len());
        let mut to: Vec<Poly> = perm.into_iter().map(|i| old[i].clone()).collect();
        if to.len() > 1 && g.below(2) == 0 {
            let merged = to[0].times(&to[1]).expect("small");
            to.splice(..2, [merged]);
        }
        let Some(got) = from.reshape(&to, &facts) else { continue };
        made += 1;
        for _ in 0..10 {
            let values = &values[g.below(values.len())];
            let (a, b) = (Explicit::of(&instance(&from, values)), Explicit::of(&instance(&got, values)));
            assert_eq!(a.at, b.at, "{from} to {got}");
        }
    }
    assert!(made > 300, "{made}");
}

// What has to be proved

#[test]
fn apart() {
    let facts = symbols();
    for (a, b) in [
        // Rows, columns and elements of a row-major matrix.
        ("i_4*m_2 + {(m_2 : 1)}", "j_5*m_2 + {(m_2 : 1)}"),
        ("i_4 + {(m_2 : n_1)}", "j_5 + {(m_2 : n_1)}"),
        ("i_4*m_2 + o_6 + {}", "j_5*m_2 + o_6 + {}"),
        // Rows in the middle and the innermost columns of three dimensions.
        ("i_4*m_2 + {(k_3 : n_1*m_2) (m_2 : 1)}", "j_5*m_2 + {(k_3 : n_1*m_2) (m_2 : 1)}"),
        ("i_4 + {(k_3 : n_1*m_2) (m_2 : n_1)}", "j_5 + {(k_3 : n_1*m_2) (m_2 : n_1)}"),
        // Parts of a concatenation.
        ("o_6 + {(n_1 : 1)}", "o_6 + n_1 + {(m_2 : 1)}"),
        ("o_6 + {(n_1 : 1)}", "o_6 + n_1 + m_2 + {(k_3 : 1)}"),
        ("o_6 + n_1 + {(m_2 : 1)}", "o_6 + n_1 + m_2 + {(k_3 : 1)}"),
        ("0 + {(n_1 : m_2) (m_2 : 1)}", "n_1*m_2 + {(k_3 : m_2) (m_2 : 1)}"),
        ("0 + {(s_8 : 1)}", "n_1*m_2 + {(k_3 : 1)}"),
        // Parts of a concatenation of columns.
        ("0 + {(n_1 : m_2 + k_3) (m_2 : 1)}", "m_2 + {(n_1 : m_2 + k_3) (k_3 : 1)}"),
        ("0 + {(m_2 + k_3 : 1) (n_1 : m_2 + k_3)}", "n_1*m_2 + n_1*k_3 + {(2 : 1)}"),
        // Slices of one dimension.
        ("0 + {(n_1 : m_2) (o_6 : 1)}", "o_6 + {(n_1 : m_2) (m_2 + -1*o_6 : 1)}"),
        ("0 + {(i_4 : m_2) (m_2 : 1)}", "i_4*m_2 + {(n_1 + -1*i_4 : m_2) (m_2 : 1)}"),
        ("0 + {(k_3 : n_1*m_2) (i_4 : m_2) (m_2 : 1)}", "i_4*m_2 + {(k_3 : n_1*m_2) (n_1 + -1*i_4 : m_2) (m_2 : 1)}"),
        // Halves, interleaved, reversed.
        ("0 + {(n_1 : 1)}", "n_1 + {(n_1 : 1)}"),
        ("0 + {(n_1 : 2)}", "1 + {(m_2 : 2)}"),
        ("2*o_6 + {(n_1 : 4)}", "2*i_4 + 1 + {(m_2 : 6)}"),
        ("n_1 + -1 + {(n_1 : -1)}", "n_1 + {(m_2 : 1)}"),
        ("n_1*m_2 + -1 + {(n_1 : -1*m_2) (m_2 : -1)}", "n_1*m_2 + {(k_3 : 1)}"),
        ("i_4*m_2 + m_2 + -1 + {(m_2 : -1)}", "j_5*m_2 + {(m_2 : 1)}"),
        // Rows of a matrix with gaps, the gaps themselves.
        ("i_4*q_7 + {(m_2 : 1)}", "j_5*q_7 + {(m_2 : 1)}"),
        ("0 + {(n_1 : q_7) (m_2 : 1)}", "m_2 + {(n_1 : q_7) (2 : 1)}"),
        ("0 + {(n_1 : q_7) (m_2 : 1)}", "i_4*q_7 + m_2 + {(2 : 1)}"),
        // The parts of a row of the program of the design.
        ("i_4*q_7 + {(1 : 1)}", "i_4*q_7 + 1 + {(m_2 : 1)}"),
        ("i_4*q_7 + {(1 : 1)}", "i_4*q_7 + 1 + m_2 + {(1 : 1)}"),
        ("i_4*q_7 + 1 + {(m_2 : 1)}", "i_4*q_7 + 1 + m_2 + {(1 : 1)}"),
        ("i_4*q_7 + 1 + m_2 + {(1 : 1)}", "j_5*q_7 + {(1 : 1)}"),
        // Tiles.
        ("i_4*k_3 + {(k_3 : 1)}", "j_5*k_3 + {(k_3 : 1)}"),
        ("i_4*k_3 + {(m_2 : n_1*k_3) (k_3 : 1)}", "j_5*k_3 + {(m_2 : n_1*k_3) (k_3 : 1)}"),
        // Nothing is apart from everything.
        ("0 + {(0 : 1)}", "0 + {(n_1 : 1)}"),
        ("0 + {(n_1 : 1)}", "0 + {(m_2 : 1) (i_4 + -1*i_4 : 1)}"),
    ] {
        assert_eq!(disjoint(&layout(a), &layout(b), &facts), Proved, "{a} and {b}");
        assert_eq!(disjoint(&layout(b), &layout(a), &facts), Proved, "{b} and {a}");
    }
    for (a, b) in [
        ("0 + {(n_1 : 1)}", "0 + {(m_2 : 1)}"),
        ("i_4*m_2 + {(m_2 : 1)}", "0 + {(n_1 : m_2) (m_2 : 1)}"),
        ("i_4*m_2 + o_6 + {}", "i_4*m_2 + {(m_2 : 1)}"),
        ("o_6 + {}", "0 + {(m_2 : 1)}"),
    ] {
        assert_eq!(disjoint(&layout(a), &layout(b), &facts), Refuted, "{a} and {b}");
    }
    for (a, b) in [
        ("i_4*m_2 + {(m_2 : 1)}", "k_3*m_2 + {(m_2 : 1)}"),
        ("i_4 + {}", "o_6 + {}"),
        ("0 + {(n_1 : 2)}", "1 + {(m_2 : 3)}"),
    ] {
        assert_eq!(disjoint(&layout(a), &layout(b), &facts), Unknown, "{a} and {b}");
    }
}

#[test]
fn no_address_twice() {
    let facts = symbols();
    for (text, expected) in [
        ("0 + {(n_1 : m_2) (m_2 : 1)}", Proved),
        ("7 + {(m_2 : 1) (n_1 : m_2)}", Proved),
        ("0 + {(n_1 : -1*m_2) (m_2 : -1)}", Proved),
        ("0 + {(k_3 : n_1*m_2) (n_1 : m_2) (m_2 : 1)}", Proved),
        ("0 + {(n_1 : 1) (k_3 : n_1*m_2) (m_2 : n_1)}", Proved),
        ("0 + {(n_1 : q_7) (m_2 : 1)}", Proved),
        ("0 + {((m_2 : 1)(n_1 : m_2))}", Proved),
        ("0 + {(n_1 : 2*m_2) (m_2 : 2)}", Proved),
        ("0 + {(n_1 : m_2) (o_6 : 1)}", Proved),
        ("0 + {(n_1 : 0) (0 : 1)}", Proved),
        ("0 + {(1 : 0) (n_1 : 1)}", Proved),
        ("0 + {(n_1 : k_3*m_2*k_3) (k_3 : m_2*k_3) (m_2 : k_3) (k_3 : 1)}", Proved),
        ("0 + {(k_3 : 0)}", Refuted),
        ("0 + {(k_3 : 0) (m_2 : 1)}", Refuted),
        ("0 + {(k_3 : m_2) (n_1 : m_2)}", Refuted),
        ("0 + {(m_2 : 0)}", Unknown),
        ("0 + {(m_2 : 1) (n_1 : 1)}", Unknown),
        ("0 + {(n_1 : m_2) (q_7 : 1)}", Unknown),
    ] {
        assert_eq!(layout(text).injective(&facts), expected, "{text}");
    }
}

#[test]
fn no_address_twice_in_iterations() {
    // `x_9` is bound after the indices.
    let facts = || {
        let mut facts = facts(
            "fun f (n_1: i64) (m_2: i64) (k_3: i64) (a_10: [n_1][m_2][k_3]i8) : = {
               let q_7: i64 = add m_2 2
               let b_11: [q_7]i8 = scratch [q_7] i8
               in
             }",
        );
        let space = ["n_1", "m_2"].map(|n| poly(n).as_operand().expect("a name"));
        facts.enter_space(&[(name("i_4"), space[0]), (name("j_5"), space[1])]);
        let text = "fun f (y_8: i64) : = {
            let x_9: i64 = min y_8 m_2
            let z_12: [x_9]i8 = scratch [x_9] i8
            in
          }";
        let inner = parse::prog(text).expect("a program");
        facts.enter_fun(&inner.funs[0]);
        inner.funs[0].body.stms.iter().for_each(|stm| facts.stm(stm));
        facts
    };
    for (text, index, expected) in [
        ("i_4*m_2 + {(m_2 : 1)}", "i_4", Proved),
        ("i_4 + {(m_2 : n_1)}", "i_4", Proved),
        ("i_4*m_2 + j_5 + {}", "i_4 j_5", Proved),
        ("j_5*n_1 + i_4 + {}", "i_4 j_5", Proved),
        ("n_1 + -1 + -1*i_4 + {}", "i_4", Proved),
        ("i_4*k_3 + {(k_3 : 1)}", "i_4", Proved),
        ("i_4*k_3*m_2*k_3 + j_5*k_3 + {(k_3 : m_2*k_3) (k_3 : 1)}", "i_4 j_5", Proved),
        ("2*i_4 + 1 + {}", "i_4", Proved),
        // The rows of the program of the design, and its parts.
        ("i_4*q_7 + {(q_7 : 1)}", "i_4", Proved),
        ("i_4*q_7 + {(1 : 1)}", "i_4", Proved),
        ("i_4*q_7 + 1 + {(m_2 : 1)}", "i_4", Proved),
        ("i_4*q_7 + 1 + m_2 + {(1 : 1)}", "i_4", Proved),
        // A triangle, and rows of varying length.
        ("i_4*n_1 + {(i_4 : 1)}", "i_4", Proved),
        ("i_4*m_2 + {(x_9 : 1)}", "i_4", Proved),
        ("i_4*m_2*m_2 + j_5*m_2 + {(x_9 : 1)}", "i_4 j_5", Proved),
        // What varies in a way that is not known.
        ("i_4*m_2 + x_9 + {}", "i_4", Unknown),
        ("x_9 + {}", "i_4", Unknown),
        ("y_8*m_2 + {(m_2 : 1)}", "i_4", Unknown),
        ("j_5 + {}", "i_4", Unknown),
        ("i_4*m_2 + {(q_7 : 1)}", "i_4", Unknown),
        ("i_4 + j_5 + {}", "i_4 j_5", Unknown),
    ] {
        let facts = facts();
        let bound = |i: &str| (name(i), poly(if i == "i_4" { "n_1" } else { "m_2" }));
        let index: Vec<_> = index.split(' ').map(bound).collect();
        assert_eq!(layout(text).injective_over(&index, &facts), expected, "{text}");
    }
    let three = [(name("i_4"), poly("3"))];
    assert_eq!(layout("m_2 + {}").injective_over(&three, &symbols()), Refuted);
    assert_eq!(
        layout("2*m_2 + i_4 + {(2 : 1)}").injective_over(&three, &Facts::new()),
        Unknown,
        "of m nothing is known"
    );
    assert_eq!(layout("i_4 + {(2 : 1)}").injective_over(&three, &Facts::new()), Refuted);
    assert_eq!(layout("2*i_4 + {(2 : 1)}").injective_over(&three, &Facts::new()), Proved);
}

#[test]
fn inside() {
    let facts = symbols();
    for (a, b, expected) in [
        ("i_4*m_2 + {(m_2 : 1)}", "0 + {(n_1 : m_2) (m_2 : 1)}", Proved),
        ("i_4*m_2 + {(m_2 : 1)}", "0 + {(s_8 : 1)}", Proved),
        ("i_4 + {(m_2 : n_1)}", "0 + {(m_2 : n_1) (n_1 : 1)}", Proved),
        ("i_4*m_2 + o_6 + {}", "i_4*m_2 + {(m_2 : 1)}", Proved),
        ("i_4*m_2 + o_6 + {}", "0 + {(n_1 : m_2) (m_2 : 1)}", Proved),
        ("m_2 + -1 + {(m_2 : -1)}", "0 + {(m_2 : 1)}", Proved),
        ("i_4*q_7 + {(m_2 : 1)}", "0 + {(n_1 : q_7) (m_2 : 1)}", Proved),
        ("0 + {(m_2 : 1) (n_1 : m_2)}", "0 + {(n_1 : m_2) (m_2 : 1)}", Proved),
        ("0 + {(n_1 : 2)}", "0 + {(2*n_1 : 1)}", Proved),
        ("0 + {(n_1 : 4)}", "0 + {(2*n_1 : 2)}", Proved),
        ("i_4*k_3 + {(k_3 : 1)}", "0 + {(n_1*k_3 : 1)}", Proved),
        ("o_6 + {(n_1 : m_2) (m_2 : 1)}", "o_6 + {(s_8 : 1)}", Proved),
        ("o_6 + {(s_8 : 1)}", "o_6 + {(n_1 : m_2) (m_2 : 1)}", Proved),
        ("0 + {(n_1 : k_3) (m_2 : 1)}", "0 + {(s_8 : 1)}", Unknown),
        // The parts of a row of the program of the design.
        ("i_4*q_7 + {(1 : 1)}", "i_4*q_7 + {(q_7 : 1)}", Proved),
        ("i_4*q_7 + 1 + {(m_2 : 1)}", "i_4*q_7 + {(q_7 : 1)}", Proved),
        ("i_4*q_7 + 1 + m_2 + {(1 : 1)}", "i_4*q_7 + {(q_7 : 1)}", Proved),
        ("i_4*q_7 + 1 + m_2 + {(1 : 1)}", "0 + {(n_1 : q_7) (q_7 : 1)}", Proved),
        ("0 + {(q_7 : 1)}", "0 + {(m_2 : 1)}", Refuted),
        ("n_1*m_2 + {}", "0 + {(s_8 : 1)}", Refuted),
        ("o_6 + {}", "o_6 + 1 + {(k_3 : 1)}", Refuted),
        ("0 + {(n_1 : 1)}", "0 + {(m_2 : 1)}", Unknown),
        ("1 + {(n_1 : 2)}", "0 + {(n_1 : 2)}", Refuted),
        ("0 + {(n_1 : 2)}", "0 + {(n_1 : 3)}", Unknown),
    ] {
        assert_eq!(layout(a).within(&layout(b), &facts), expected, "{a} within {b}");
    }
}

#[test]
fn sizes_that_are_products() {
    // A product that is only an index may have wrapped around.
    let facts = facts(
        "fun f (n_1: i64) (m_2: i64) (k_8: i64) (a_3: [n_1][m_2][k_8]i8) : = {
           let s_4: i64 = mul n_1 m_2
           let t_5: i64 = mul n_1 m_2
           let b_6: [s_4]i8 = scratch [s_4] i8
           in
         }",
    );
    assert_eq!(facts.poly_eq(&poly("s_4"), &poly("n_1*m_2")), Proved);
    assert_eq!(facts.poly_eq(&poly("s_4"), &poly("t_5")), Proved, "both are computed alike");
    assert_eq!(facts.poly_nonneg(&poly("s_4")), Proved);
    assert_eq!(facts.poly_nonneg(&poly("t_5")), Unknown);
    assert_eq!(facts.poly_le(&poly("n_1*m_2"), &poly("s_4 + n_1")), Proved);
    assert_eq!(facts.poly_lt(&poly("s_4 + n_1"), &poly("n_1*m_2")), Refuted);
    assert_eq!(facts.normal(&poly("2*s_4 + 1")), poly("2*n_1*m_2 + 1"));
    assert_eq!(facts.normal(&poly("t_5")), poly("t_5"));
}

/// Of an array of such a size alone it does not follow that its size has not wrapped around.
#[test]
fn sizes_that_may_have_wrapped_around() {
    let positive = "let c_20: bool = le 1 a_1
                    let c_21: cert = assert c_20 \"\"
                    let c_22: bool = le 1 b_2
                    let c_23: cert = assert c_22 \"\"
                    let c_24: bool = le 1 c_3
                    let c_25: cert = assert c_24 \"\"";
    let facts = |arrays: &str, size: &str| {
        facts(&format!(
            "fun f (a_1: i64) (b_2: i64) (c_3: i64) {arrays} : = {{
               {positive}
               {size}
               let b_6: [s_4]i8 = scratch [s_4] i8
               in
             }}"
        ))
    };
    let product = "let s_4: i64 = mul a_1 b_2";
    let sum = "let t_5: i64 = add a_1 b_2 let s_4: i64 = add t_5 c_3";
    let is_positive = |arrays: &str, size: &str| facts(arrays, size).poly_lt(&int(0), &poly("s_4"));
    assert_eq!(is_positive("", product), Unknown);
    assert_eq!(is_positive("(x_7: [a_1]i8) (y_8: [b_2]i8)", product), Unknown, "together they may be large");
    assert_eq!(is_positive("(x_7: [a_1][b_2]i8)", product), Proved);
    assert_eq!(is_positive("(x_7: [b_2][c_3][a_1]i8)", product), Proved);
    assert_eq!(is_positive("(x_7: [a_1]i8)", "let s_4: i64 = mul a_1 4"), Proved);
    assert_eq!(is_positive("(x_7: [a_1]i8)", "let s_4: i64 = mul a_1 4611686018427387904"), Unknown);
    assert_eq!(is_positive("", sum), Unknown);
    assert_eq!(is_positive("(x_7: [a_1]i8) (y_8: [b_2]i8) (z_9: [c_3]i8)", sum), Proved);
    assert_eq!(is_positive("", "let s_4: i64 = add a_1 b_2"), Proved, "it would be negative");
    let product_of_three = "let t_5: i64 = mul a_1 b_2 let s_4: i64 = mul c_3 t_5";
    assert_eq!(is_positive("(x_7: [b_2][c_3][a_1]i8)", product_of_three), Proved);
    assert_eq!(is_positive("(x_7: [b_2][a_1]i8) (y_8: [c_3]i8)", product_of_three), Unknown);
}

/// What is known of a size in a branch is not known behind it.
#[test]
fn sizes_in_branches() {
    let text = "fun f (a_1: i64) (b_2: i64) : = {
                  let s_4: i64 = mul a_1 b_2
                  let x_5: [a_1][b_2]i8 = scratch [a_1, b_2] i8
                  let y_6: [s_4]i8 = scratch [s_4] i8
                  in
                }";
    let prog = parse::prog(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let [size, matrix, vector] = &prog.funs[0].body.stms[..] else { panic!("three statements") };
    let mut facts = Facts::new();
    facts.enter_fun(&prog.funs[0]);
    facts.stm(size);
    for branch in [[matrix, vector], [vector, vector], [matrix, matrix]] {
        let mark = facts.mark();
        branch.iter().for_each(|stm| facts.stm(stm));
        let is_known = branch[0] == matrix;
        assert_eq!(facts.normal(&poly("s_4")) == poly("a_1*b_2"), is_known);
        facts.reset(mark);
        assert_eq!(facts.normal(&poly("s_4")), poly("s_4"));
    }
}
