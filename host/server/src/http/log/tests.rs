#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use proptest::prelude::*;

use super::*;

const BOUNDS: Bounds = Bounds {
    bytes: 100_000,
    events: 1_000,
    unheard: 4,
};

fn log(bytes: usize) -> (Log, Arc<Budget>) {
    let budget = Budget::new(bytes);
    (Log::resumable(Arc::clone(&budget), BOUNDS), budget)
}

/// The next event that can be had at once, with its message.
fn next(reader: &mut Reader) -> Option<(EventId, String)> {
    let mut cx = Context::from_waker(Waker::noop());
    match reader.poll_next(&mut cx) {
        Poll::Ready(Some(event)) => {
            let data = String::from_utf8(event.data.to_vec()).unwrap();
            let message = data.strip_prefix("data: ").unwrap();
            Some((event.id, message.strip_suffix("\n\n").unwrap().to_owned()))
        }
        _ => None,
    }
}

fn is_at_end(reader: &mut Reader) -> bool {
    let mut cx = Context::from_waker(Waker::noop());
    matches!(reader.poll_next(&mut cx), Poll::Ready(None))
}

#[test]
fn an_answer_ends_its_stream() {
    let (log, _) = log(100_000);
    let stream = log.open(2);
    let mut reader = log.read(stream, None).unwrap();
    log.say(stream, b"note").unwrap();
    log.answer(stream, 200, b"one", b"");
    assert_eq!(next(&mut reader).unwrap().1, "note");
    assert_eq!(next(&mut reader).unwrap().1, "one");
    assert!(!is_at_end(&mut reader));
    log.answer(stream, 200, b"two", b"");
    assert_eq!(next(&mut reader).unwrap().1, "two");
    assert!(is_at_end(&mut reader));
}

#[test]
fn the_newest_reader_is_the_only_one() {
    let (log, _) = log(100_000);
    let mut first = log.read(STANDALONE, None).unwrap();
    let mut second = log.read(STANDALONE, None).unwrap();
    log.say(STANDALONE, b"x").unwrap();
    assert!(is_at_end(&mut first));
    drop(first);
    assert_eq!(next(&mut second).unwrap().1, "x");
}

#[test]
fn what_nobody_can_ask_for_is_not_kept() {
    let (log, budget) = log(100_000);
    let stream = log.open(1);
    drop(log.read(stream, None).unwrap());
    log.say(stream, b"x").unwrap();
    log.answer(stream, 200, b"y", b"");
    assert_eq!(budget.used(), 0);
    assert_eq!(log.read(stream, Some(0)).err(), Some(Lost::Stream));
}

#[test]
fn a_closed_log_keeps_nothing() {
    let (log, budget) = log(100_000);
    let stream = log.open(1);
    let mut reader = log.read(stream, None).unwrap();
    log.say(stream, b"x").unwrap();
    log.say(STANDALONE, b"x").unwrap();
    log.close();
    assert!(is_at_end(&mut reader));
    log.answer(stream, 200, b"late", b"");
    assert_eq!(budget.used(), 0);
}

#[test]
fn old_news_that_nobody_hears_makes_room_for_new() {
    let (log, _) = log(100_000);
    for number in 0..10 {
        log.say(STANDALONE, number.to_string().as_bytes()).unwrap();
    }
    let mut reader = log.read(STANDALONE, None).unwrap();
    let heard: Vec<_> = std::iter::from_fn(|| next(&mut reader)).collect();
    let heard: Vec<_> = heard.iter().map(|(_, message)| message.as_str()).collect();
    assert_eq!(heard, ["6", "7", "8", "9"]);
}

#[test]
fn without_room_what_was_heard_goes_first_and_then_nothing_comes_in() {
    let (log, budget) = log(1_000);
    let big = [b'x'; 300];
    let old = log.open(1);
    let mut reader = log.read(old, None).unwrap();
    log.answer(old, 200, &big, b"");
    assert!(next(&mut reader).is_some());
    drop(reader);

    let stream = log.open(1);
    let mut reader = log.read(stream, None).unwrap();
    for _ in 0..3 {
        log.say(stream, &big).unwrap();
    }
    assert_eq!(log.read(old, Some(0)).err(), Some(Lost::Stream));
    assert_eq!(log.say(stream, &big), Err(NoRoom));

    // What has been heard of a stream that goes on goes next, and is missed.
    let (first, _) = next(&mut reader).unwrap();
    drop(reader);
    log.say(stream, &big).unwrap();
    assert_eq!(log.read(stream, Some(0)).err(), Some(Lost::Events));
    assert!(log.read(stream, Some(first.event)).is_ok());

    let other = log.open(1);
    let mut reader = log.read(other, None).unwrap();
    log.say(other, &[b'x'; 60]).unwrap();
    log.answer(other, 200, &big, b"sorry");
    assert!(next(&mut reader).is_some());
    assert_eq!(
        next(&mut reader).unwrap().1.len(),
        big.len(),
        "there was some room left"
    );
    drop(reader);
    drop(log);
    assert_eq!(budget.used(), 0);
}

#[test]
fn what_a_connection_holds_is_counted() {
    let (log, budget) = log(100_000);
    let stream = log.open(1);
    let mut reader = log.read(stream, None).unwrap();
    log.answer(stream, 200, b"x", b"");
    let mut cx = Context::from_waker(Waker::noop());
    let Poll::Ready(Some(event)) = reader.poll_next(&mut cx) else {
        panic!("there is an event");
    };
    drop(reader);
    drop(log);
    assert_eq!(budget.used(), event.data.len());
    drop(event);
    assert_eq!(budget.used(), 0);
}

#[test]
fn an_answer_without_room_is_replaced() {
    let (log, budget) = log(1_000);
    let _loan = budget.lend(1_000).unwrap();
    assert!(budget.lend(1).is_none());
    let _more = budget.hold(vec![0]);
    let stream = log.open(1);
    let mut reader = log.read(stream, None).unwrap();
    log.answer(stream, 200, b"answer", b"sorry");
    assert_eq!(next(&mut reader).unwrap().1, "sorry");
    assert!(is_at_end(&mut reader));
}

#[test]
fn idle_is_where_nothing_runs_and_nobody_listens() {
    let (log, _) = log(1_000);
    assert!(log.idle(false).is_some());
    let stream = log.open(1);
    assert!(log.idle(false).is_none(), "a call runs");
    log.give_up(stream);
    assert!(log.idle(false).is_some());
    let reader = log.read(STANDALONE, None).unwrap();
    assert!(log.idle(false).is_none(), "somebody listens");
    drop(reader);
    assert!(log.idle(false).is_some());
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Say,
    Read(usize),
    /// The connection breaks; this many of the events that were read last did
    /// not arrive.
    Break(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => Just(Step::Say),
        2 => (1usize..4).prop_map(Step::Read),
        1 => (0usize..4).prop_map(Step::Break),
    ];
    prop::collection::vec(step, 0..60)
}

proptest! {
    /// However often a connection breaks, a client that goes on where it left
    /// off gets everything, in order, once.
    #[test]
    fn nothing_is_lost_or_comes_twice(steps in steps()) {
        let (log, _) = log(1_000_000);
        let stream = log.open(1);
        let mut reader = log.read(stream, None).unwrap();
        let first = reader.prime().event;
        let mut arrived: Vec<(u64, String)> = Vec::new();
        let mut said = 0;
        for step in steps.into_iter().chain([Step::Break(2)]) {
            match step {
                Step::Say => {
                    log.say(stream, said.to_string().as_bytes()).unwrap();
                    said += 1;
                }
                Step::Read(count) => {
                    for _ in 0..count {
                        let Some((id, message)) = next(&mut reader) else { break };
                        arrived.push((id.event, message));
                    }
                }
                Step::Break(lost) => {
                    drop(reader);
                    arrived.truncate(arrived.len().saturating_sub(lost));
                    let last = arrived.last().map_or(first, |(event, _)| *event);
                    reader = log.read(stream, Some(last)).unwrap();
                }
            }
        }
        log.answer(stream, 200, said.to_string().as_bytes(), b"");
        while let Some((id, message)) = next(&mut reader) {
            arrived.push((id.event, message));
        }
        prop_assert!(is_at_end(&mut reader));
        let messages: Vec<_> = arrived.into_iter().map(|(_, message)| message).collect();
        let expected: Vec<_> = (0..=said).map(|number| number.to_string()).collect();
        prop_assert_eq!(messages, expected);
    }
}
