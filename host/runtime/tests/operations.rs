//! Every operation, run in a guest that exports every interface
//! (`tests/guests/all-interfaces`, built by `cargo xtask build`).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use palisade_policy::Effective;
use palisade_runtime::contract::{
    ClientCapabilities, CompletionArgument, CompletionReference, ContentBlock, Context, ErrorKind,
    InputAsk, ListKind, PromptOutcome, ReadOutcome, ResourceBody, ToolOutcome,
};
use palisade_runtime::{
    Asked, CallError, CallEvent, Complete, Engine, EngineOptions, EventSink, GetPrompt, Limit,
    ListResources, LoadOptions, Operation, Placement, Plugin, Pool, ReadResource, Sandbox, Source,
    ToolCall,
};
use tokio_util::sync::CancellationToken;

/// A loaded guest and what it may use.
struct Stage {
    plugin: Plugin,
    sandbox: Arc<Sandbox>,
    pool: Pool,
}

impl Stage {
    async fn new(guest: &str, sandbox: Sandbox) -> Self {
        let guests = std::env::var_os("PALISADE_GUESTS").map_or_else(
            || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/guests"),
            PathBuf::from,
        );
        let file = guests.join(format!("{guest}.wasm"));
        let bytes = std::fs::read(&file)
            .unwrap_or_else(|error| panic!("{}: {error}: cargo xtask build", file.display()));
        let engine = Engine::new(&EngineOptions::default()).unwrap();
        let source = Source {
            digest: palisade_runtime::digest(&*bytes).unwrap(),
            read: &|| Ok(bytes.clone()),
        };
        let plugin = Plugin::load(&engine, source, LoadOptions::default());
        Self {
            plugin: plugin.unwrap(),
            sandbox: Arc::new(sandbox),
            pool: Pool::new(),
        }
    }

    async fn all_interfaces() -> Self {
        Self::new("all-interfaces", nothing_granted()).await
    }

    async fn run<O: Operation>(&self, operation: O) -> Result<O::Outcome, CallError> {
        self.heard(operation, Arc::new(())).await
    }

    async fn heard<O: Operation>(
        &self,
        operation: O,
        sink: Arc<dyn EventSink>,
    ) -> Result<O::Outcome, CallError> {
        self.plugin
            .run(
                &self.sandbox,
                &self.pool,
                Placement::Here,
                Asked {
                    operation,
                    sink,
                    cancel: CancellationToken::new(),
                    finish: |outcome| outcome,
                },
            )
            .await
    }

    async fn said(&self, tool: &str) -> String {
        match self.run(call(tool)).await {
            Ok(ToolOutcome::Complete(result)) => text(&result.content[0]),
            other => panic!("{tool} ended with {other:?}"),
        }
    }
}

fn nothing_granted() -> Sandbox {
    Sandbox::open("plugin", &Effective::default()).unwrap()
}

fn context(meta: Option<&str>) -> Context {
    Context {
        meta: meta.map(str::to_owned),
        trace: None,
        client: None,
        capabilities: ClientCapabilities::empty(),
        wants_progress: false,
        answers: Vec::new(),
        state: None,
    }
}

fn call(tool: &str) -> ToolCall {
    ToolCall {
        name: tool.to_owned(),
        arguments: "{}".to_owned(),
        context: context(None),
    }
}

fn list(which: Option<&str>) -> ListResources {
    ListResources {
        context: context(which),
    }
}

fn read(uri: &str) -> ReadResource {
    ReadResource {
        uri: uri.to_owned(),
        context: context(None),
    }
}

fn prompt(name: &str) -> GetPrompt {
    GetPrompt {
        name: name.to_owned(),
        arguments: vec![
            ("who".to_owned(), "world".to_owned()),
            ("how".to_owned(), "warmly".to_owned()),
        ],
        context: context(None),
    }
}

fn complete(value: &str) -> Complete {
    Complete {
        reference: CompletionReference::Prompt("greeting".to_owned()),
        argument: CompletionArgument {
            name: "who".to_owned(),
            value: value.to_owned(),
            filled: Vec::new(),
        },
        context: context(None),
    }
}

fn text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        other => panic!("{other:?} is no text"),
    }
}

#[track_caller]
fn is_too_much<T: std::fmt::Debug>(what: &str, outcome: Result<T, CallError>) {
    let over = matches!(outcome, Err(CallError::Limit(Limit::Output(_))));
    assert!(over, "{what}: {:?}", outcome.err());
}

#[tokio::test]
async fn what_it_offers_is_known_once_it_is_loaded() {
    let stage = Stage::all_interfaces().await;
    let metadata = stage.plugin.metadata();
    let offers = metadata.offers;
    assert!(offers.tools && offers.resources && offers.prompts);
    assert!(offers.completion && offers.lifecycle);
    assert!(metadata.tools.iter().any(|tool| tool.name == "told"));
    assert_eq!(metadata.templates[0].uri_template, "test://{name}");
    let prompt = &metadata.prompts[0];
    assert_eq!(prompt.name, "greeting");
    let required: Vec<_> = prompt.arguments.iter().map(|a| a.required).collect();
    assert_eq!(required, [true, false]);
}

#[tokio::test]
async fn each_is_answered() {
    let stage = Stage::all_interfaces().await;
    let listed = stage.run(list(None)).await.unwrap();
    assert_eq!(listed[0].uri, "test://one");

    let ReadOutcome::Complete(contents) = stage.run(read("test://bytes")).await.unwrap() else {
        panic!("it asked a question");
    };
    assert_eq!(contents[0].body, ResourceBody::Blob(vec![0, 255]));

    let PromptOutcome::Complete(filled) = stage.run(prompt("greeting")).await.unwrap() else {
        panic!("it asked a question");
    };
    assert_eq!(text(&filled.messages[0].content), "who=world how=warmly");

    let completed = stage.run(complete("wo")).await.unwrap();
    assert_eq!(completed.values, ["greeting who wo"]);
}

#[tokio::test]
async fn each_may_ask_first() {
    let stage = Stage::all_interfaces().await;
    let ToolOutcome::InputRequired(asked) = stage.run(call("ask")).await.unwrap() else {
        panic!("the tool did not ask");
    };
    let ReadOutcome::InputRequired(same) = stage.run(read("test://asks")).await.unwrap() else {
        panic!("the resource did not ask");
    };
    assert_eq!(asked, same);
    assert_eq!(asked.requests[0].key, "name");
    assert!(matches!(asked.requests[0].ask, InputAsk::ElicitForm(_)));
}

#[tokio::test]
async fn an_error_keeps_its_kind() {
    let stage = Stage::all_interfaces().await;
    let errors = [
        stage.run(call("other")).await.err(),
        stage.run(read("test://other")).await.err(),
        stage.run(prompt("other")).await.err(),
    ];
    for error in errors {
        let not_found = matches!(
            error,
            Some(CallError::Plugin { kind: ErrorKind::NotFound, ref message, .. })
                if message.contains("other")
        );
        assert!(not_found, "{error:?}");
    }
}

#[tokio::test]
async fn everything_it_hands_over_counts() {
    let stage = Stage::all_interfaces().await;
    is_too_much("a question", stage.run(call("ask-at-length")).await);
    is_too_much("a list", stage.run(list(Some(r#"{"list":"large"}"#))).await);
    is_too_much("contents", stage.run(read("test://large")).await);
    is_too_much("a message", stage.run(prompt("large")).await);
    is_too_much(
        "a prompt's question",
        stage.run(prompt("asks-at-length")).await,
    );
    is_too_much("a value", stage.run(complete("large")).await);
}

#[tokio::test]
async fn an_answer_no_client_could_use_is_refused() {
    let stage = Stage::all_interfaces().await;
    for (which, says) in [
        ("no-uri", "\"thing\" without a URI"),
        ("two-alike", "\"test://one\""),
        ("long-uri", "9216 bytes"),
        ("many", "10001 resources"),
    ] {
        let which = format!(r#"{{"list":"{which}"}}"#);
        let error = stage.run(list(Some(&which))).await.unwrap_err();
        assert!(
            matches!(error, CallError::BadAnswer(_)),
            "{which}: {error:?}"
        );
        assert!(error.to_string().contains(says), "{which}: {error}");
    }
    for tool in ["ask-nothing", "ask-twice"] {
        let error = stage.run(call(tool)).await.unwrap_err();
        assert!(
            matches!(error, CallError::BadAnswer(_)),
            "{tool}: {error:?}"
        );
    }
}

#[tokio::test]
async fn what_is_not_exported_is_not_offered() {
    let stage = Stage::new("sleeps", nothing_granted()).await;
    let offers = stage.plugin.metadata().offers;
    assert!(offers.tools && !offers.resources && !offers.lifecycle);
    let errors = [
        stage.run(list(None)).await.map(drop),
        stage.run(read("test://one")).await.map(drop),
        stage.run(prompt("greeting")).await.map(drop),
        stage.run(complete("wo")).await.map(drop),
    ];
    let what: Vec<_> = errors
        .into_iter()
        .map(|outcome| match outcome {
            Err(CallError::NotOffered(what)) => what,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(what, ["resources", "resources", "prompts", "completion"]);
}

/// Whether an instance was made ahead of its call or for it.
#[tokio::test]
async fn an_instance_is_told_its_configuration_once() {
    let config = r#"{"server":"example.com"}"#;
    let sandbox = nothing_granted().with_config(config.to_owned());
    let stage = Stage::new("all-interfaces", sandbox).await;
    let expected = format!("1 {config}");
    assert_eq!(stage.said("told").await, expected);
    stage.plugin.prepare(&stage.sandbox).await;
    assert_eq!(stage.said("told").await, expected);
    assert_eq!(stage.said("told").await, expected);
}

#[tokio::test]
async fn without_a_configuration_it_is_told_an_empty_one() {
    let stage = Stage::all_interfaces().await;
    assert_eq!(stage.said("told").await, "1 {}");
}

/// Keeps what a guest says.
#[derive(Default)]
struct Heard(Mutex<Vec<CallEvent>>);

impl EventSink for Heard {
    fn event(&self, event: CallEvent) {
        self.0.lock().unwrap().push(event);
    }
}

#[tokio::test]
async fn a_guest_can_not_flood_anybody_with_changes() {
    let stage = Stage::all_interfaces().await;
    let heard = Arc::new(Heard::default());
    let sink = Arc::clone(&heard);
    stage.heard(call("announce"), sink).await.unwrap();
    let heard = heard.0.lock().unwrap();
    let updated = |event: &&CallEvent| matches!(event, CallEvent::ResourceUpdated(_));
    assert_eq!(heard.iter().filter(updated).count(), 1_000);
    let changed: Vec<_> = heard.iter().filter(|event| !updated(event)).collect();
    assert_eq!(
        changed,
        [
            &CallEvent::Changed(ListKind::Resources),
            &CallEvent::Changed(ListKind::Prompts),
            &CallEvent::Changed(ListKind::Resources),
        ]
    );
    // What came after the first change is told when all of it has happened.
    assert_eq!(heard.last(), Some(&CallEvent::Changed(ListKind::Resources)));
}
