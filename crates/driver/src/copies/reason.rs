//! What users can do about a copy or an allocation.

use super::find::{Binder, Known, What};
use super::stays::Stays;
use Advice::{Do, Inline};

/// What a pass says when it has nothing special to say of an array.
pub(super) const PLAIN: &str = "it is needed as a whole, and not as part of another array";

/// What a pass says of an array that becomes part of another one later.
pub(super) const ELSEWHERE: &str = "it was made elsewhere";

/// What to change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Advice {
    Do(&'static str),
    /// To inline the function, which then does this.
    Inline(&'static str),
}

/// For each reason that `place` and `double-buffer` give, what to change. A reason that is not here has no advice.
const ADVICE: &[(&str, Advice)] = &[
    (
        "the arguments of a function are row-major",
        Do(
            "`copy` the array once, outside the loop, and give that to the function; or inline the function with `#[inline]`",
        ),
    ),
    (
        "the result of a function is row-major",
        Do("return the array as it is made, and transpose or slice it where it is used"),
    ),
    ("it is a result of the function", Inline("builds its result where it is needed")),
    ("a function makes its results in blocks of their own", Inline("builds its result where it is needed")),
    (
        "the first value of a loop's parameter is row-major",
        Do(
            "`copy` the first value once, outside the outer loop, or let the inner loop begin with the array as it was made",
        ),
    ),
    (
        "the next value of a loop's parameter is row-major",
        Do("let the loop keep the order in which the array was made, and transpose or slice it once, after the loop"),
    ),
    ("the branches have different layouts", Do("let all branches yield the array in the same order of dimensions")),
    (ELSEWHERE, Do(MAKE_THERE)),
    ("it exists already, or could not be made where it is needed", Do(MAKE_THERE)),
    (
        "it is used later, and one of the two is changed",
        Do(
            "use the array for the last time before it becomes part of another one, or before one of the two is updated",
        ),
    ),
    (
        "both become results of the function",
        Do("return only one of the two, and take the other from it where it is used"),
    ),
    (
        "it is used after the update",
        Do("read the new values from the updated array afterwards, instead of from the array that was put into it"),
    ),
    ("the slice is no layout", Do(SLICE)),
    (
        "the slice is used while its new value is made",
        Do(
            "compute each new value from the old one at the same place only, or make a whole new array with `map`: a loop \
         then takes turns between two blocks",
        ),
    ),
    (
        "the array is made after what goes into it",
        Do("make the array that is updated before the new value of its slice"),
    ),
    (
        "where it belongs is not known when it is made",
        Do("compute the index or the sizes of what comes before it first, so that the place is known when it is made"),
    ),
    (
        "a check that its slot exists comes later",
        Do(
            "check the bounds first: slice the array that is updated, or give its sizes with `:>`, before the new value is \
         made",
        ),
    ),
    ("its slot is no layout", Do(SLICE)),
    (
        "two elements of its slot may be at one address",
        Do("make the array that is updated with `copy` before the loop"),
    ),
    (
        "the block it belongs to does not exist when it is made",
        Do("make the array that it becomes part of first, or in front of the branch or loop"),
    ),
    (
        "it cannot be proved that nothing else would be overwritten",
        Do("give the sizes and offsets names that both sides share, so that it shows that the slices do not overlap"),
    ),
    ("it is to be materialised", Do("`#[materialize]` asks for it: leave the attribute out")),
    ("what is updated is wanted elsewhere", Do("update a new array instead of one that exists already")),
    (
        "the view of it is no layout",
        Do("reshape the array before it is transposed or sliced, or `copy` it once, outside the loop"),
    ),
    (
        "it is needed behind the body that makes it",
        Do("make it outside the operator, or compute scalars instead of arrays"),
    ),
    (
        "a loop makes it in turns in two blocks",
        Do(
            "update the array in place with `with`, so that the inner loop needs one block only, or let the result be what \
         the loop yields",
        ),
    ),
    (
        "a loop overwrites it, and it is needed later",
        Do("use the first value of the loop for the last time before the loop, or make it in the same iteration"),
    ),
    (
        "the program asks for it, and both are needed",
        Do(
            "a copy is left out where its array is not used any more: use the array for the last time before the copy, or leave `copy` out where neither of the two is updated",
        ),
    ),
    ("a loop reads one block while it fills the other", Do(TURNS)),
];

const MAKE_THERE: &str = "make the array where it becomes part of the other one, or read it by its index instead of \
                         putting it into a new array";

const SLICE: &str = "update whole rows, or a slice of an array that was not reshaped or nested before";

const TURNS: &str = "update the array in place with `with`, so that the inner loop needs no second block, or make one loop of \
                     the two";

/// What to change, if the compiler has an idea; it has to know which names are the user's.
pub(super) fn advice(what: What, reason: Option<&str>, is_users: impl Fn(Known) -> bool) -> Option<Advice> {
    let known = || ADVICE.iter().find(|(text, _)| Some(*text) == reason).map(|(_, advice)| *advice);
    let stays = match what {
        What::Copy | What::CopyToNew(_) => return known(),
        What::Allocation(stays) => stays,
    };
    Some(match stays {
        Stays::SizeVaries(Some(known @ Known { by: Binder::Loop(_), .. })) if !is_users(known) => Do(
            "if the size is always the same, say so for the parameter and the body of the loop, as in `loop (xs: [n]i32) = … \
             do (… :> [n]i32)`; otherwise compute with the largest size, and leave out what is too much",
        ),
        Stays::SizeVaries(_) => Do("memory is allocated once, before the loop, when the size is the same in all \
                                    iterations: compute with the largest size, and leave out what is too much"),
        Stays::SizeIsLate => Do("compute the size before the loop; or, if it is that of a `filter` or the like, work \
                                 with the whole array and a flag for each element"),
        Stays::SizeMayFail => {
            Do("compute the size with `let` before the loop: then it is known, and fails, before the first iteration")
        }
        Stays::Argument(_) => Inline("does not keep the array, so that its memory is allocated once"),
        Stays::Branch => Do("make the array in front of the branch, so that its memory can be allocated once"),
        Stays::Joined => Do(
            "let all branches make the array anew, in one block for all of them, or decide inside the operator, element \
             by element",
        ),
        Stays::Yielded { elsewhere: true } => Do(
            "hand on a new array, such as a `map` of the one that the loop has: then the loop takes turns between two \
             blocks",
        ),
        Stays::Yielded { elsewhere: false } => {
            Do("let the loop yield an array that all iterations make in the same way, or update it in place")
        }
        Stays::Called if reason == Some(PLAIN) => Inline("takes memory once for all iterations"),
        Stays::ToLoop => return known().or(Some(Do(TURNS))),
        Stays::Called | Stays::Apart => return known(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// So that nobody changes the words of a reason without its advice.
    #[test]
    fn passes_give_these_reasons() {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../place/src");
        let mut text = String::new();
        for folder in [place.clone(), place.join("place")] {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_some_and(|extension| extension == "rs") {
                    text.push_str(&std::fs::read_to_string(path).unwrap());
                }
            }
        }
        for reason in ADVICE.iter().map(|(reason, _)| *reason).chain([PLAIN]) {
            assert!(text.contains(&format!("\"{reason}\"")), "no pass gives the reason `{reason}`");
        }
    }

    #[test]
    fn reasons_are_distinct() {
        for (i, (reason, advice)) in ADVICE.iter().enumerate() {
            assert!(ADVICE[..i].iter().all(|(other, _)| other != reason), "{reason}");
            let (Do(text) | Inline(text)) = advice;
            assert!(!text.ends_with('.'), "{text}");
        }
    }
}
