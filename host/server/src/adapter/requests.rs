//! Requests that a plugin answers: their parameters in the contract's terms,
//! its replies in MCP's.

use std::sync::Arc;

use palisade_runtime::contract::{
    CompletionArgument, CompletionReference, ErrorKind, ListKind, TaskSupport,
};
use palisade_runtime::{aside, is_large};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CompletionInfo, ContentBlock, GetPromptRequestParams, GetPromptResponse, JsonObject,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Reference, Resource,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use crate::adapter::asking::{Conversed, Echo};
use crate::adapter::client_roots::{Admitted, admit, unasked};
use crate::adapter::handler::Handler;
use crate::adapter::large::aside_if;
use crate::adapter::shared::Lists;
use crate::adapter::{convert, downgrade, refusal, tasks};
use crate::fit;
use crate::kept::{self, Kept};
use crate::outcome::Checked;
use crate::pages;
use crate::service::{CallRequest, Refusal};

/// The lists, of which those of a kind are what plugins say that they are now.
pub(super) async fn lists(
    handler: &Handler,
    kind: ListKind,
    context: &RequestContext<RoleServer>,
) -> Result<Arc<Lists>, ErrorData> {
    refresh(handler, kind, context).await?;
    Ok(handler.shared().lists())
}

/// Has plugins say again what they have, where they said that it has changed.
async fn refresh(
    handler: &Handler,
    kind: ListKind,
    context: &RequestContext<RoleServer>,
) -> Result<(), ErrorData> {
    let service = handler.service();
    if service.is_stale(kind) {
        let view = unasked(handler, context).await?;
        Box::pin(service.refresh(kind, &view)).await;
    }
    Ok(())
}

/// The page of a list that a request is for, and where the next one begins.
pub(super) fn page<T>(
    all: &[T],
    request: Option<PaginatedRequestParams>,
    key: impl Fn(&T) -> &str,
) -> Result<(&[T], Option<String>), ErrorData> {
    let cursor = request.and_then(|request| request.cursor);
    let (range, next) = pages::page(all, cursor.as_deref(), key)
        .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
    Ok((&all[range], next))
}

/// `tools/call`.
pub(super) async fn call_tool(
    handler: &Handler,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let service = handler.service();
    let name = request.name.into_owned();
    // Before it is asked what it has to do with directories: it may be a new one.
    refresh(handler, ListKind::Tools, context).await?;
    let arguments = Arc::new(Value::Object(request.arguments.unwrap_or_default()));
    let mut echo = Echo {
        responses: request.input_responses,
        state: request.request_state,
        round: None,
    };
    let call = || json!(["tools/call", service.tool_digest(&name), name, arguments]);
    let directories = service.tool_has_directories(&name);
    let binding = || handler.binding(&call());
    let view = match admit(handler, context, directories, binding, &mut echo).await? {
        Admitted::Go(view) => view,
        Admitted::Ask(questions) => return Ok(questions.into()),
    };
    let support = tasks::wanted(handler, &name, context)?;
    if support != TaskSupport::Forbidden {
        let must = support == TaskSupport::Required;
        let binding = handler.binding(&call());
        let call = (&*name, &arguments, &view);
        let begun = tasks::call_tool(handler, call, binding, &mut echo, must, context).await?;
        if let Some(response) = begun {
            return Ok(response);
        }
    }
    let conversed = handler
        .converse(context, view, call, echo, refusal::error, |given, run| {
            let request = CallRequest {
                name: name.clone(),
                arguments: Arc::clone(&arguments),
                context: given,
            };
            service.call(request, run)
        })
        .await?;
    Ok(match conversed {
        Conversed::Done(checked) => {
            let version = context.protocol_version();
            let shown = shown(checked, move |mut result| {
                downgrade::content(&mut result.content, version.as_ref());
                result
            });
            let (result, rest) = shown.await;
            if let Some((uri, contents)) = rest {
                handler.kept().keep(&handler.owner(context), uri, contents);
            }
            result.into()
        }
        Conversed::Ask(questions) => questions.into(),
        Conversed::Failed(problem) => {
            CallToolResult::error(vec![ContentBlock::text(problem)]).into()
        }
    })
}

/// A result as it is sent, cut to its limit and given to `then`; and what was cut
/// off of it, with the address it is to be kept under.
pub(super) async fn shown<T: Send + 'static>(
    mut checked: Checked,
    then: impl FnOnce(CallToolResult) -> T + Send + 'static,
) -> (T, Option<fit::CutOff>) {
    aside_if(checked.large, move || {
        let rest = (checked.over).and_then(|over| fit::fit(&mut checked, over, Kept::address));
        (then(convert::tool_result(checked)), rest)
    })
    .await
}

/// `resources/list`, all of it.
pub(super) async fn list_resources(
    handler: &Handler,
    context: &RequestContext<RoleServer>,
) -> Result<Vec<Resource>, ErrorData> {
    let service = handler.service();
    let view = unasked(handler, context).await?;
    let listed = handler
        .run(context, view, |given, run| service.resources(given, run))
        .await
        .map_err(refusal::error)?;
    Ok(aside_if(is_large(&listed), || {
        listed.into_iter().map(convert::resource).collect()
    })
    .await)
}

/// `resources/read`.
pub(super) async fn read_resource(
    handler: &Handler,
    request: ReadResourceRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<ReadResourceResponse, ErrorData> {
    let service = handler.service();
    let uri = request.uri;
    if uri.starts_with(kept::SCHEME) {
        let contents = handler.kept().read(&handler.owner(context), &uri);
        let contents = contents.ok_or_else(|| {
            let message = "this result is not kept, or not any more; call the tool again";
            let data = Some(json!({ "uri": uri }));
            refusal::of_resource(Refusal {
                data,
                ..Refusal::new(ErrorKind::NotFound, message)
            })
        })?;
        let convert = move || contents.iter().cloned().map(convert::contents).collect();
        // It is kept because it was large.
        let contents = aside(convert).await;
        return Ok(ReadResourceResult::new(contents).into());
    }
    let mut echo = Echo {
        responses: request.input_responses,
        state: request.request_state,
        round: None,
    };
    let call = || json!(["resources/read", service.resource_digest(&uri), uri]);
    let directories = service.resource_has_directories(&uri);
    let binding = || handler.binding(&call());
    let view = match admit(handler, context, directories, binding, &mut echo).await? {
        Admitted::Go(view) => view,
        Admitted::Ask(questions) => return Ok(questions.into()),
    };
    let conversed = handler
        .converse(
            context,
            view,
            call,
            echo,
            refusal::of_resource,
            |given, run| service.read(&uri, given, run),
        )
        .await?;
    Ok(match conversed {
        Conversed::Done(contents) => {
            let large = is_large(&contents);
            let convert = || contents.into_iter().map(convert::contents).collect();
            ReadResourceResult::new(aside_if(large, convert).await).into()
        }
        Conversed::Ask(questions) => questions.into(),
        Conversed::Failed(problem) => return Err(ErrorData::invalid_request(problem, None)),
    })
}

/// `prompts/get`.
pub(super) async fn get_prompt(
    handler: &Handler,
    request: GetPromptRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let service = handler.service();
    let name = request.name;
    refresh(handler, ListKind::Prompts, context).await?;
    let arguments = texts(request.arguments.unwrap_or_default())?;
    let mut echo = Echo {
        responses: request.input_responses,
        state: request.request_state,
        round: None,
    };
    let call = || json!(["prompts/get", service.prompt_digest(&name), name, arguments]);
    let directories = service.prompt_has_directories(&name);
    let binding = || handler.binding(&call());
    let view = match admit(handler, context, directories, binding, &mut echo).await? {
        Admitted::Go(view) => view,
        Admitted::Ask(questions) => return Ok(questions.into()),
    };
    let conversed = handler
        .converse(context, view, call, echo, refusal::error, |given, run| {
            service.prompt(&name, arguments.clone(), given, run)
        })
        .await?;
    Ok(match conversed {
        Conversed::Done(prompt) => {
            let large = is_large(&prompt.messages);
            let version = context.protocol_version();
            let convert = move || {
                let mut result = convert::prompt_result(prompt);
                for message in &mut result.messages {
                    let content = std::slice::from_mut(&mut message.content);
                    downgrade::content(content, version.as_ref());
                }
                result
            };
            aside_if(large, convert).await.into()
        }
        Conversed::Ask(questions) => questions.into(),
        Conversed::Failed(problem) => return Err(ErrorData::invalid_request(problem, None)),
    })
}

/// MCP: a prompt's arguments are texts.
fn texts(arguments: JsonObject) -> Result<Vec<(String, String)>, ErrorData> {
    arguments
        .into_iter()
        .map(|(name, value)| match value {
            Value::String(text) => Ok((name, text)),
            _ => Err(ErrorData::invalid_params(
                format!("the argument {name:?} must be a string"),
                None,
            )),
        })
        .collect()
}

/// `completion/complete`.
pub(super) async fn complete(
    handler: &Handler,
    request: CompleteRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CompleteResult, ErrorData> {
    let service = handler.service();
    let reference = match request.r#ref {
        Reference::Prompt(prompt) => CompletionReference::Prompt(prompt.name),
        Reference::Resource(template) => CompletionReference::Template(template.uri),
        _ => {
            let why = "only prompts and resource templates have arguments to complete";
            return Err(ErrorData::invalid_params(why, None));
        }
    };
    let filled = request.context.and_then(|context| context.arguments);
    let mut filled: Vec<_> = filled.unwrap_or_default().into_iter().collect();
    filled.sort();
    let argument = CompletionArgument {
        name: request.argument.name,
        value: request.argument.value,
        filled,
    };
    let view = unasked(handler, context).await?;
    let proposed = handler
        .run(context, view, |given, run| {
            service.complete(reference, argument, given, run)
        })
        .await
        .map_err(refusal::error)?;
    let mut info = CompletionInfo::default();
    info.values = proposed.values;
    info.total = proposed.total;
    info.has_more = Some(proposed.has_more);
    Ok(CompleteResult::new(info))
}
