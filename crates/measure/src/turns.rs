//! Programs that take turns.

/// A turn takes as many more runs as fit in so many microseconds, up to a number of them, because short runs vary.
const TURN: f64 = 10_000.0;
const MOST_RUNS: usize = 50;

/// The microseconds of the runs of a turn, so many at least. A first run fetches what others have driven out of the
/// caches, and does not count.
pub fn turn<E>(mut run: impl FnMut() -> Result<f64, E>, runs: usize) -> Result<Vec<f64>, E> {
    run()?;
    let (mut times, mut sum) = (Vec::new(), 0.0);
    while times.len() < runs || (sum < TURN && times.len() < MOST_RUNS) {
        let time = run()?;
        sum += time;
        times.push(time);
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_warm_up_and_repeat_what_is_short() {
        let turn_of = |first: f64, runs| {
            let mut time = first;
            turn(
                || {
                    time += 5000.0;
                    Ok::<f64, ()>(time)
                },
                runs,
            )
        };
        assert_eq!(turn_of(100_000.0, 1), Ok(vec![110_000.0]));
        assert_eq!(turn_of(100_000.0, 2), Ok(vec![110_000.0, 115_000.0]));
        // 10 microseconds warm up; then come 5010 and 10,010.
        assert_eq!(turn_of(-4990.0, 1), Ok(vec![5010.0, 10_010.0]));
        assert_eq!(turn(|| Ok::<f64, ()>(1.0), 1).unwrap().len(), MOST_RUNS);
        assert_eq!(turn(|| Err("no"), 1), Err("no"));
    }
}
