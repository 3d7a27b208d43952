//! The two ways calls are made: one at a time, and many in flight.

use std::time::{Duration, Instant};

use anyhow::bail;

use crate::calls::Calls;
use crate::link::Link;

/// How many calls are under way at once in [`pipelined`].
pub(crate) const IN_FLIGHT: u64 = 16;

/// Makes `count` calls one after the other with ids from `first_id` on; the time
/// of each, from writing the request to having read the whole answer. Checking
/// it is not timed.
pub(crate) fn sequential(
    link: &mut Link,
    calls: &Calls,
    first_id: u64,
    count: u64,
) -> anyhow::Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(usize::try_from(count)?);
    let mut request = Vec::new();
    for id in first_id..first_id + count {
        request.clear();
        calls.write(id, &mut request);
        let started = Instant::now();
        link.send(&request)?;
        loop {
            let line = link.receive()?;
            let time = started.elapsed();
            match calls.check(line)? {
                Some(answered) if answered == id => {
                    times.push(time);
                    break;
                }
                Some(other) => bail!("call {id} was answered as call {other}"),
                None => {}
            }
        }
    }
    Ok(times)
}

/// Makes `count` calls with [`IN_FLIGHT`] of them under way, in any order of
/// answers; the time from the first request to the last answer.
///
/// One thread waits for both directions at once: it never waits to write while
/// the server waits for it to read, so answers of any size can't lock the two.
pub(crate) fn pipelined(
    link: &mut Link,
    calls: &Calls,
    first_id: u64,
    count: u64,
) -> anyhow::Result<Duration> {
    let mut answered = vec![false; usize::try_from(count)?];
    let (mut sent, mut done) = (0, 0);
    let (mut out, mut written) = (Vec::new(), 0);
    link.set_blocking(false)?;
    let started = Instant::now();
    while done < count {
        while sent < count && sent - done < IN_FLIGHT {
            calls.write(first_id + sent, &mut out);
            sent += 1;
        }
        if written < out.len() {
            written += link.write_some(&out[written..])?;
        }
        if written == out.len() {
            out.clear();
            written = 0;
        }
        if !link.wait(!out.is_empty())? {
            continue;
        }
        link.fill()?;
        while let Some(line) = link.received() {
            let Some(id) = calls.check(line)? else {
                continue;
            };
            let seen = id
                .checked_sub(first_id)
                .filter(|index| *index < sent)
                .and_then(|index| answered.get_mut(usize::try_from(index).ok()?));
            match seen {
                Some(seen) if !*seen => *seen = true,
                Some(_) => bail!("call {id} was answered twice"),
                None => bail!("call {id} was answered, but never made"),
            }
            done += 1;
        }
    }
    let time = started.elapsed();
    link.set_blocking(true)?;
    Ok(time)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a failing test may panic")]

    use std::io::{self, BufRead as _, BufReader, PipeReader, PipeWriter, Write as _};
    use std::thread::{self, JoinHandle};

    use serde_json::{Value, json};

    use super::*;
    use crate::session::Era;

    fn files(size: usize) -> Vec<(String, String)> {
        (0..3)
            .map(|n| (format!("/d/{n}"), format!("{n}\n").repeat(size / 2)))
            .collect()
    }

    /// A server in a thread, over real pipes: reads a request, hands its id and
    /// path to `answer`, writes what that returns, and only then reads on.
    fn serve(
        mut answer: impl FnMut(u64, &str) -> String + Send + 'static,
    ) -> (Link, JoinHandle<io::Result<()>>) {
        let (requests, to): (PipeReader, PipeWriter) = io::pipe().unwrap();
        let (from, mut answers) = io::pipe().unwrap();
        let server = thread::spawn(move || {
            for line in BufReader::new(requests).lines() {
                let request: Value = serde_json::from_str(&line?)?;
                let id = request["id"].as_u64().unwrap();
                let path = request["params"]["arguments"]["path"].as_str().unwrap();
                answers.write_all(answer(id, path).as_bytes())?;
            }
            Ok(())
        });
        (Link::new(to.into(), from.into()), server)
    }

    fn right(files: &[(String, String)], id: u64, path: &str) -> String {
        let (_, content) = files.iter().find(|(name, _)| name == path).unwrap();
        let result = json!({
            "content": [{ "type": "text", "text": content }],
            "structuredContent": { "content": content },
        });
        format!(
            "{}\n",
            json!({ "jsonrpc": "2.0", "id": id, "result": result })
        )
    }

    #[test]
    fn answers_far_larger_than_a_pipe_do_not_lock() {
        let files = files(300_000);
        let calls = Calls::new(&files, Era::Handshake).unwrap();
        let (mut link, server) = serve(move |id, path| right(&files, id, path));
        assert_eq!(sequential(&mut link, &calls, 1, 5).unwrap().len(), 5);
        pipelined(&mut link, &calls, 6, 100).unwrap();
        assert_eq!(sequential(&mut link, &calls, 106, 5).unwrap().len(), 5);
        link.close();
        server.join().unwrap().unwrap();
    }

    #[test]
    fn requests_far_larger_than_a_pipe_do_not_lock() {
        let long = format!("/{}", "d".repeat(300_000));
        let files = vec![(long, "content".repeat(50_000))];
        let calls = Calls::new(&files, Era::Handshake).unwrap();
        let (mut link, server) = serve(move |id, path| right(&files, id, path));
        pipelined(&mut link, &calls, 0, 100).unwrap();
        link.close();
        server.join().unwrap().unwrap();
    }

    #[test]
    fn answers_may_come_in_any_order_with_notifications_between() {
        let files = files(100);
        let calls = Calls::new(&files, Era::Handshake).unwrap();
        let mut held = String::new();
        let (mut link, server) = serve(move |id, path| {
            let note = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n";
            let line = right(&files, id, path);
            // Every other answer waits for the one after it.
            if id % 2 == 0 {
                held = line;
                note.to_owned()
            } else {
                line + &std::mem::take(&mut held)
            }
        });
        pipelined(&mut link, &calls, 10, 100).unwrap();
        link.close();
        server.join().unwrap().unwrap();
    }

    #[test]
    fn swapped_doubled_and_missing_answers_are_found() {
        type Spoil = fn(u64, String) -> String;
        let wrongs: [(&str, Spoil); 4] = [
            ("answered as", |id, line| {
                line.replace(&format!("\"id\":{id}"), "\"id\":9000")
            }),
            ("answered twice", |_, line| line.clone() + &line),
            ("answered wrongly", |_, line| {
                line.replace("1\\n1\\n", "2\\n2\\n")
            }),
            ("not an answer", |_, _| "{\"id\":null}\n".to_owned()),
        ];
        for (told, wrong) in wrongs {
            let files = files(100);
            let calls = Calls::new(&files, Era::Handshake).unwrap();
            let (mut link, _server) = serve(move |id, path| wrong(id, right(&files, id, path)));
            let error = if told == "answered as" {
                sequential(&mut link, &calls, 0, 9).unwrap_err()
            } else {
                pipelined(&mut link, &calls, 0, 9).unwrap_err()
            };
            assert!(error.to_string().contains(told), "{told}: {error:#}");
        }
    }

    #[test]
    fn a_server_that_goes_away_is_an_error() {
        let files = files(100);
        let calls = Calls::new(&files, Era::Handshake).unwrap();
        let (requests, to) = io::pipe().unwrap();
        let (from, answers) = io::pipe().unwrap();
        let mut link = Link::new(to.into(), from.into());
        drop(answers);
        let error = pipelined(&mut link, &calls, 0, 9).unwrap_err();
        assert!(error.to_string().contains("closed its output"), "{error:#}");
        drop(requests);
    }
}
