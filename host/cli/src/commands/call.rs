//! `palisade call`: one call from the shell.

use std::io::Read as _;
use std::process::ExitCode;
use std::sync::Arc;

use palisade_hardening::Wall;
use palisade_policy::ToolDecision;
use palisade_runtime::contract::{
    ClientCapabilities, ContentBlock, Context, Implementation, LogLevel, ResourceBody,
};
use palisade_runtime::{CallEvent, EventSink, Placement};
use palisade_server::{CallRequest, Checked, Reply, Run, View};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::args::CallArgs;
use crate::failure::Failure;
use crate::output::{self, one_line, printable};
use crate::outside::Ways;
use crate::prepare::{Prepared, prepare, runtime};
use crate::{logging, terminal, wall};

/// Calls the tool; the exit code says whether it worked.
pub(crate) fn run(args: &CallArgs) -> Result<ExitCode, Failure> {
    let arguments = arguments(&args.arguments)?;
    wall::check(args.hardening)?;
    // On the thread that is behind the wall later; it starts none.
    let runtime = runtime()?;
    let mut needs = Wall::default();
    let mut prepared = prepare(&args.plugin, &args.grants, args.compile)?;
    prepared.tell_unused();
    prepared.keep(&mut needs);
    settle(&mut prepared, &args.tool)?;
    let (service, seen) = prepared.service(&Ways::new(args.network, 1))?;
    let lists = service.lists();
    if !lists.tools().iter().any(|tool| tool.name == args.tool) {
        let names: Vec<_> = (lists.tools())
            .iter()
            .map(|tool| tool.name.as_str())
            .collect();
        return Err(
            Failure::usage(format!("there is no tool called {:?}", args.tool))
                .remedy(format!("its tools: {}", names.join(", "))),
        );
    }
    wall::build(&needs, args.hardening)?;
    let _log = logging::in_background();
    let request = CallRequest {
        name: args.tool.clone(),
        arguments: Arc::new(Value::Object(arguments)),
        context: context(),
    };
    let run = Run {
        sink: Arc::new(Stderr),
        cancel: CancellationToken::new(),
        placement: Placement::Here,
        view: View::default(),
    };
    let reply = runtime.block_on(service.call(request, run));
    if let Some(agreed) = &seen.agreed {
        agreed.keep();
    }
    match reply {
        Reply::Done(result) => show(result, args.json),
        Reply::Ask(_) => Err(Failure::new(
            "the plugin asked a question, which this command can't pass on; \
             an MCP client can be asked",
        )),
        Reply::Refused(refusal) => Err(Failure::new(printable(&refusal.message))),
    }
}

/// What the grant says of a tool, of which `name` is what clients know it as.
/// Where it says to ask, the person at the terminal is.
fn settle(prepared: &mut Prepared, name: &str) -> Result<(), Failure> {
    let rules = &mut prepared.decision.effective.tools;
    let mut tools = prepared.plugin.metadata().tools.iter();
    let Some(tool) = tools.find(|tool| rules.name_of(&tool.name) == name) else {
        return Ok(());
    };
    let allow = prepared.granting.tool(&tool.name, ToolDecision::Allow);
    match rules.decide(&tool.name) {
        ToolDecision::Allow => Ok(()),
        ToolDecision::Deny => Err(Failure::new(format!("the grant denies the tool {name:?}"))
            .remedy(format!("to allow it: {allow}"))
            .into_refusal()),
        ToolDecision::Ask => match terminal::yes(&format!("run {}?", printable(name)))? {
            Some(true) => {
                rules.insert(tool.name.clone(), ToolDecision::Allow);
                Ok(())
            }
            Some(false) => Err(Failure::new(format!("{name:?} was not run")).into_refusal()),
            None => Err(Failure::new(format!(
                "the grant says to ask before {name:?} runs, and there is no terminal to ask at"
            ))
            .remedy(format!("run it at a terminal, or allow it: {allow}"))
            .into_refusal()),
        },
    }
}

fn arguments(text: &str) -> Result<Map<String, Value>, Failure> {
    let mut input = String::new();
    let text = if text == "-" {
        std::io::stdin()
            .read_to_string(&mut input)
            .map_err(|error| Failure::because("standard input can't be read", &error))?;
        &input
    } else {
        text
    };
    serde_json::from_str(text).map_err(|error| {
        Failure::usage(format!("the arguments are not a JSON object: {error}"))
            .remedy("for example: palisade call plugin.wasm TOOL '{\"name\": \"value\"}'")
    })
}

/// Nobody can be asked anything: this is a shell.
fn context() -> Context {
    Context {
        meta: None,
        trace: None,
        client: Some(Implementation {
            name: "palisade call".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            title: None,
        }),
        capabilities: ClientCapabilities::empty(),
        wants_progress: true,
        answers: Vec::new(),
        state: None,
    }
}

fn show(result: Checked, as_json: bool) -> Result<ExitCode, Failure> {
    let code = if result.is_error {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    };
    if as_json {
        let json = result
            .into_json()
            .and_then(|json| serde_json::to_string_pretty(&json))
            .map_err(|error| Failure::because("the result can't be written as JSON", &error))?;
        output::line(json)?;
        return Ok(code);
    }
    for block in &result.content {
        let text = as_text(block);
        if result.is_error {
            // None of its lines is to look like one of ours.
            output::error_line(&format!("palisade: {}", text.replace('\n', "\n  ")));
        } else {
            output::line(text)?;
        }
    }
    Ok(code)
}

fn as_text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => printable(&text.text),
        ContentBlock::Image(media) | ContentBlock::Audio(media) => format!(
            "[{}, {} bytes; --json prints them]",
            one_line(&media.mime_type),
            media.data.len()
        ),
        ContentBlock::ResourceLink(link) => one_line(&format!("{} <{}>", link.name, link.uri)),
        ContentBlock::Embedded(embedded) => match &embedded.contents.body {
            ResourceBody::Text(text) => printable(text),
            ResourceBody::Blob(blob) => format!(
                "[{}, {} bytes; --json prints them]",
                one_line(&embedded.contents.uri),
                blob.len()
            ),
        },
    }
}

fn level_name(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Debug => "debug",
        LogLevel::Info => "info",
        LogLevel::Notice => "notice",
        LogLevel::Warning => "warning",
        LogLevel::Error => "error",
        LogLevel::Critical => "critical",
        LogLevel::Alert => "alert",
        LogLevel::Emergency => "emergency",
    }
}

/// Shows what the plugin says meanwhile.
struct Stderr;

impl EventSink for Stderr {
    fn event(&self, event: CallEvent) {
        match event {
            CallEvent::Log { level, data, .. } => {
                output::error_line(&one_line(&format!("[{}] {data}", level_name(level))));
            }
            CallEvent::Progress {
                progress,
                total,
                message,
            } => {
                let total = total.map_or_else(String::new, |total| format!(" of {total}"));
                let message = message.unwrap_or_default();
                output::error_line(&one_line(&format!("{progress}{total} {message}")));
            }
            _ => {}
        }
    }
}
