//! Tasks over HTTP, where each has to be found again by its own client alone.

use std::time::{Duration, Instant};

use palisade_tests::{
    Palisade,
    http::{Request, Server},
    plugin, rpc,
};
use serde_json::{Value, json};

use crate::tasks::following;

const ADA: &str = "ada-0123456789abcdef";
const BOB: &str = "bob-0123456789abcdef";

/// A server that two people may use.
fn serve() -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tokens");
    std::fs::write(&file, format!("{ADA}\n{BOB}\n")).unwrap();
    let command = Palisade::run(plugin("everything"))
        .arg("--token-file")
        .arg(&file);
    (folder, command.serve_with(None))
}

fn request(server: &Server, who: &str, method: &str, params: Value) -> Request {
    let name = params["name"].as_str().or(params["taskId"].as_str());
    let name = name.unwrap_or_default().to_owned();
    server
        .post(&rpc::request(1, method, following(params)))
        .header("mcp-protocol-version", rpc::STATELESS)
        .header("mcp-method", method)
        .header("mcp-name", &name)
        .header("authorization", &format!("Bearer {who}"))
}

#[track_caller]
fn begin(server: &Server, who: &str, tool: &str, arguments: Value) -> String {
    let call = request(server, who, "tools/call", rpc::tool(tool, arguments));
    let made = call.send().answer();
    let id = rpc::result(&made)["taskId"].as_str();
    id.unwrap_or_else(|| panic!("no task: {made}")).to_owned()
}

#[test]
fn a_task_belongs_to_who_began_it() {
    let (_folder, server) = serve();
    let id = begin(&server, ADA, "confirm_delete", json!({"filename": "a"}));
    let answers = json!({"confirm": {"action": "accept", "content": {"confirm": true}}});
    for (method, params) in [
        ("tasks/get", json!({"taskId": id})),
        (
            "tasks/update",
            json!({"taskId": id, "inputResponses": answers}),
        ),
        ("tasks/cancel", json!({"taskId": id})),
    ] {
        let foreign = request(&server, BOB, method, params.clone())
            .send()
            .answer();
        assert_eq!(rpc::error_code(&foreign), -32602, "{method}");
        // Nothing tells it from a task that never was.
        let mut never = params;
        never["taskId"] = json!("0".repeat(id.len()));
        let never = request(&server, BOB, method, never).send().answer();
        assert_eq!(foreign, never, "{method}");
    }
    let own = request(&server, ADA, "tasks/get", json!({"taskId": id}));
    let own = own.send().answer();
    let status = rpc::result(&own)["status"].as_str().unwrap();
    assert!(["working", "input_required"].contains(&status), "{own}");
}

#[test]
fn a_task_goes_on_without_its_connection() {
    let (_folder, server) = serve();
    // Each request has a connection of its own, closed with its response.
    let id = begin(&server, ADA, "slow_compute", json!({"seconds": 0.5}));
    let began = Instant::now();
    loop {
        let asked = request(&server, ADA, "tasks/get", json!({"taskId": id}));
        let task = asked.send().answer();
        match rpc::result(&task)["status"].as_str().unwrap() {
            "working" => assert!(began.elapsed() < Duration::from_secs(20), "{task}"),
            status => return assert_eq!(status, "completed", "{task}"),
        }
    }
}

#[test]
fn the_header_names_the_task() {
    let (_folder, server) = serve();
    let id = begin(&server, ADA, "multi_input", json!({}));
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = json!({"taskId": id, "inputResponses": {}});
        let right = request(&server, ADA, method, params);
        for wrong in [
            right.clone().without("mcp-name"),
            right.clone().header("mcp-name", "another"),
        ] {
            let mut refused = wrong.send();
            assert_eq!(refused.status, 400, "{method}");
            assert_eq!(rpc::error_code(&refused.answer()), -32020, "{method}");
        }
        rpc::result(&right.send().answer());
    }
}
