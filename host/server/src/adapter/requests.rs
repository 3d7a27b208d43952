//! Requests that a plugin answers: their parameters in the contract's terms,
//! its replies in MCP's.

use std::sync::Arc;

use palisade_runtime::contract::{CompletionArgument, CompletionReference, ErrorKind, TaskSupport};
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CompletionInfo, ContentBlock, GetPromptRequestParams, GetPromptResponse, JsonObject,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference, Resource,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use crate::adapter::asking::{Conversed, Echo};
use crate::adapter::client_roots::{Admitted, admit, unasked};
use crate::adapter::handler::Handler;
use crate::adapter::{convert, downgrade, refusal, tasks};
use crate::fit;
use crate::kept::{self, Kept, Owner};
use crate::outcome::Checked;
use crate::service::{CallRequest, Refusal};

/// `tools/call`.
pub(super) async fn call_tool(
    handler: &Handler,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let service = handler.service();
    let name = request.name.into_owned();
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
        Conversed::Done(mut checked) => {
            cut_to_limit(handler.kept(), &handler.owner(context), &mut checked);
            let mut result = convert::tool_result(checked);
            downgrade::content(&mut result.content, context.protocol_version().as_ref());
            result.into()
        }
        Conversed::Ask(questions) => questions.into(),
        Conversed::Failed(problem) => {
            CallToolResult::error(vec![ContentBlock::text(problem)]).into()
        }
    })
}

/// Cuts a result that is too large, and keeps what is cut off.
pub(super) fn cut_to_limit(kept: &Kept, owner: &Owner, checked: &mut Checked) {
    if let Some(over) = checked.over
        && let Some((uri, contents)) = fit::fit(checked, over, Kept::address)
    {
        kept.keep(owner, uri, contents);
    }
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
    Ok(listed.into_iter().map(convert::resource).collect())
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
        let contents = contents.iter().cloned().map(convert::contents).collect();
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
            let contents = contents.into_iter().map(convert::contents).collect();
            ReadResourceResult::new(contents).into()
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
            let mut result = convert::prompt_result(prompt);
            let version = context.protocol_version();
            for message in &mut result.messages {
                let content = std::slice::from_mut(&mut message.content);
                downgrade::content(content, version.as_ref());
            }
            result.into()
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
