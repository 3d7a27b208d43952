//! A message is a line, however its bytes arrive.

use palisade_tests::{Palisade, Session, Wiring, plugin, rpc};
use serde_json::{Value, json};

/// Most that the host may ever have resident while it deals with input that no
/// client has reason to send.
const BOUND: u64 = 100 << 20;

fn opened() -> Session {
    let mut session = Palisade::run(plugin("hello")).start();
    session.initialize("2025-11-25");
    session
}

fn greet(id: u64, name: &str) -> Value {
    rpc::request(id, "tools/call", rpc::tool("greet", json!({"name": name})))
}

#[track_caller]
fn is_greeted(session: &mut Session, id: u64, name: &str) {
    let response = session.answer(id);
    assert_eq!(
        rpc::tool_text(rpc::result(&response)),
        format!("Hello, {name}!")
    );
}

#[track_caller]
fn is_alive(session: &mut Session) {
    assert_eq!(rpc::result(&session.ask("ping", Value::Null)), &json!({}));
}

/// A session of which every answer must have been looked at.
#[track_caller]
fn ends_well(mut session: Session) {
    assert_eq!(session.take_others(), [] as [Value; 0]);
    let finished = session.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(finished.stdout, "");
}

#[test]
fn it_may_be_cut_anywhere() {
    let mut session = opened();
    // Characters of one to four bytes, so that some cuts are inside of one.
    let name = "Aé中𝄞";
    let length = format!("{}\n", greet(1000, name)).len();
    for cut in 1..length {
        let id = 1000 + u64::try_from(cut).unwrap();
        let line = format!("{}\n", greet(id, name));
        let (one, other) = line.as_bytes().split_at(cut);
        session.send_bytes(one);
        session.until_read();
        session.send_bytes(other);
        is_greeted(&mut session, id, name);
    }
    ends_well(session);
}

#[test]
fn it_may_come_byte_by_byte() {
    let mut session = opened();
    for byte in format!("{}\n", greet(1000, "Ada")).into_bytes() {
        session.send_bytes(&[byte]);
        session.until_read();
    }
    is_greeted(&mut session, 1000, "Ada");
    ends_well(session);
}

#[test]
fn many_may_come_at_once() {
    let mut session = opened();
    let ids = 1000..1500_u64;
    let all: String = ids
        .clone()
        .map(|id| format!("{}\n", rpc::request(id, "ping", Value::Null)))
        .collect();
    session.send_bytes(all.as_bytes());
    for id in ids {
        rpc::result(&session.answer(id));
    }
    ends_well(session);
}

#[test]
fn many_may_come_at_once_over_sockets_before_anything_is_read() {
    let mut session = Palisade::run(plugin("hello")).start_on(Wiring::Sockets);
    let all: String = (1000..1500_u64)
        .map(|id| format!("{}\n", rpc::request(id, "ping", Value::Null)))
        .collect();
    session.send_bytes(all.as_bytes());
    for id in 1000..1500_u64 {
        rpc::result(&session.answer(id));
    }
    ends_well(session);
}

/// The end of one and the start of the next in the same piece.
#[test]
fn pieces_need_not_end_where_messages_do() {
    let mut session = opened();
    let ids = 1000..1020_u64;
    let all: String = ids
        .clone()
        .map(|id| format!("{}\n", greet(id, "Ada")))
        .collect();
    for piece in all.as_bytes().chunks(97) {
        session.send_bytes(piece);
        session.until_read();
    }
    for id in ids {
        is_greeted(&mut session, id, "Ada");
    }
    ends_well(session);
}

#[test]
fn carriage_returns_blank_lines_and_spaces_around_it_do_not_matter() {
    let mut session = opened();
    let forms: [fn(&Value) -> String; 6] = [
        |message| format!("{message}\r\n"),
        |message| format!("\n\n{message}\n\n"),
        |message| format!("\r\n \t \r\n{message}\n"),
        |message| format!("   {message}   \n"),
        |message| format!("\t{message}\t\r\n"),
        |message| format!("{}\r\n", message.to_string().replace(":", " :\t")),
    ];
    for (id, form) in (1000..).zip(forms) {
        session.send_bytes(form(&greet(id, "Ada")).as_bytes());
        is_greeted(&mut session, id, "Ada");
    }
    ends_well(session);
}

#[test]
fn a_byte_order_mark_costs_at_most_the_first_message() {
    let mut session = Palisade::run(plugin("hello")).start();
    session.send_bytes("\u{feff}".as_bytes());
    session.send(&rpc::request(1000, "ping", Value::Null));
    let first = session.receive().unwrap();
    if first.get("error").is_some() {
        assert_eq!(rpc::error_code(&first), -32700, "{first}");
    }
    session.initialize("2025-11-25");
    is_alive(&mut session);
    ends_well(session);
}

#[test]
fn a_message_without_a_line_end_counts_at_the_end_of_the_input() {
    let mut session = opened();
    session.send_bytes(greet(1000, "Ada").to_string().as_bytes());
    session.end_input();
    is_greeted(&mut session, 1000, "Ada");
    ends_well(session);
}

#[test]
fn the_input_may_end_in_the_middle_of_a_message() {
    let line = greet(1000, "Ada").to_string();
    for length in [1, line.len() / 2, line.len() - 1] {
        let mut session = opened();
        session.send_bytes(&line.as_bytes()[..length]);
        let finished = session.finish();
        assert_eq!(finished.code, Some(0), "{finished:?}");
        for answer in finished.json_lines() {
            assert_eq!(rpc::error_code(&answer), -32700, "{answer}");
        }
    }
}

#[test]
fn a_large_message_is_a_message() {
    let mut session = opened();
    let mut ping = rpc::request(1000, "ping", json!({}));
    ping["params"]["_meta"]["example.org/padding"] = json!("x".repeat(12 << 20));
    session.send(&ping);
    rpc::result(&session.answer(1000));
    let peak = session.process.peak_memory();
    assert!(peak < BOUND, "{} MiB", peak >> 20);
    ends_well(session);
}

/// What is little on the wire may become much once it is parsed. It may be
/// answered or refused, but not at any price.
#[test]
fn a_message_of_very_many_values_does_not_cost_a_hundred_times_its_length() {
    for value in ["[],", "{},", "0,", r#""","#, r#"{"a":0},"#] {
        let mut session = opened();
        let values = value.repeat((15 << 20) / value.len());
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1000,"method":"ping","params":{{"_meta":{{"x":[{values}0]}}}}}}"#
        );
        session.send_bytes(line.as_bytes());
        session.send_bytes(b"\n");
        let reaction = session.receive().unwrap();
        if reaction.get("error").is_some() {
            assert_eq!(rpc::error_code(&reaction), -32600, "{reaction}");
        }
        is_alive(&mut session);
        let peak = session.process.peak_memory();
        assert!(peak < 256 << 20, "{} MiB for many {value}", peak >> 20);
        ends_well(session);
    }
}

#[test]
fn a_line_of_200_megabytes_is_refused_and_forgotten() {
    for start in [
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":""#,
        "",
        "[",
    ] {
        let mut session = opened();
        session.send_bytes(start.as_bytes());
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..200 {
            session.send_bytes(&piece);
        }
        session.send_bytes(b"\n");
        let refused = session.receive().unwrap();
        let code = rpc::error_code(&refused);
        assert!([-32600, -32700].contains(&code), "{refused}");
        assert!(refused["id"].is_null(), "nobody read its id: {refused}");
        is_alive(&mut session);
        let peak = session.process.peak_memory();
        assert!(peak < BOUND, "{} MiB", peak >> 20);
        ends_well(session);
    }
}

#[test]
fn a_line_that_never_ends_is_forgotten_too() {
    let mut session = opened();
    let piece = vec![b' '; 1 << 20];
    for _ in 0..200 {
        session.send_bytes(&piece);
    }
    let peak = session.process.peak_memory();
    assert!(peak < BOUND, "{} MiB", peak >> 20);
    let finished = session.finish();
    assert_eq!(finished.code, Some(0), "{finished:?}");
    for answer in finished.json_lines() {
        rpc::error_code(&answer);
    }
}
