//! A client that asked for progress hears from the host where a plugin is
//! silent for long. The guest `sleeps` is.

use palisade_tests::{Palisade, Session, guest, rpc};
use serde_json::{Value, json};

/// Longer than the host lets a call be silent, and less than twice as long.
const SILENT: u64 = 17_000;

fn call(session: &mut Session, tool: &str, token: Option<&str>) -> u64 {
    let mut params = rpc::tool(tool, json!({ "ms": SILENT }));
    if let Some(token) = token {
        params["_meta"]["progressToken"] = json!(token);
    }
    session.request("tools/call", params)
}

/// All at once, since it takes its time.
#[test]
fn a_silent_call_is_heard_of_if_the_client_wants_to_know() {
    let mut session = Palisade::run(guest("sleeps")).start();
    session.initialize("2025-11-25");
    let calls = [
        call(&mut session, "nap_and_tell", Some("tells")),
        call(&mut session, "nap", Some("silent")),
        call(&mut session, "nap_and_tell", None),
        call(&mut session, "nap", None),
    ];
    // In the order in which all of it comes.
    let mut said = Vec::new();
    let mut answered = Vec::new();
    while answered.len() < calls.len() {
        let message = session.receive().unwrap();
        match message["id"].as_u64() {
            Some(id) => {
                assert_eq!(rpc::tool_text(rpc::result(&message)), "slept");
                answered.push(id);
            }
            None => {
                assert_eq!(message["method"], "notifications/progress", "{message}");
                let token = message["params"]["progressToken"].as_str().unwrap();
                let of = ["tells", "silent"].iter().position(|one| *one == token);
                let id = calls[of.expect("a token that was given")];
                assert!(!answered.contains(&id), "after the result: {message}");
                said.push(message["params"].clone());
            }
        }
    }
    rpc::result(&session.ask("ping", Value::Null));
    assert_eq!(session.take_others(), [] as [Value; 0]);

    let of = |token: &str| -> Vec<f64> {
        let own = said.iter().filter(|one| one["progressToken"] == token);
        own.map(|one| one["progress"].as_f64().unwrap()).collect()
    };
    let tells = of("tells");
    assert_eq!((tells[0], tells[tells.len() - 1]), (1.0, 2.0), "{said:?}");
    assert_eq!(tells.len(), 3, "{said:?}");
    assert!(tells.is_sorted_by(|one, next| one < next), "{tells:?}");
    assert_eq!(of("silent").len(), 1, "{said:?}");
    assert_eq!(session.finish().success().stdout, "");
}
