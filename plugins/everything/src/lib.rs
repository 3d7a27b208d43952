//! A bit of everything MCP has, for the conformance suite. The names, texts and
//! schemas are those that the suite asks for.

use std::time::Duration;

use palisade_sdk::prelude::*;
use serde_json::Value;

mod asking;
mod content;
mod prompts;
mod rounds;
mod schema;
mod tasks;
#[cfg(test)]
mod tests;
mod waiting;

/// The plugin; there is nothing in it.
#[derive(Default)]
struct Everything;

// Thin on purpose: this is the list, the files beside it are the insides.
#[plugin]
impl Everything {
    /// Returns a simple text. The suite calls the first tool there is.
    #[tool(read_only)]
    fn test_simple_text(&self) -> &'static str {
        "This is a simple text response for testing."
    }

    /// Returns an image.
    #[tool(read_only)]
    fn test_image_content(&self) -> Content {
        content::image()
    }

    /// Returns sound.
    #[tool(read_only)]
    fn test_audio_content(&self) -> Content {
        content::sound()
    }

    /// Returns a resource with its contents.
    #[tool(read_only)]
    fn test_embedded_resource(&self) -> Content {
        content::embedded()
    }

    /// Returns a text, an image and a resource.
    #[tool(read_only)]
    fn test_multiple_content_types(&self) -> Vec<Content> {
        content::mixed()
    }

    /// Fails, and says so to the model.
    #[tool(read_only)]
    fn test_error_handling(&self) -> Result<()> {
        bail!("This tool intentionally returns an error for testing");
    }

    /// Reports its progress three times.
    #[tool(read_only)]
    fn test_tool_with_progress(&self, ctx: &Context) -> &'static str {
        waiting::progress(ctx)
    }

    /// Takes arguments that only JSON Schema 2020-12 describes.
    #[tool(read_only, schema = schema::CONTACT)]
    fn json_schema_2020_12_tool(&self, args: Args<Value>) -> String {
        format!("JSON Schema 2020-12 tool called with: {}", args.0)
    }

    /// Returns a value that an HTTP client repeats in a header.
    #[tool(read_only)]
    fn test_custom_header(
        &self,
        /// What to return.
        #[arg(extend("x-mcp-header" = "Value"))]
        value: String,
    ) -> String {
        value
    }

    /// Writes three messages to the client's log.
    #[tool(read_only)]
    fn test_tool_with_logging(&self, ctx: &Context) -> &'static str {
        waiting::logging(ctx)
    }

    /// Has the client's model answer a prompt.
    #[tool(read_only)]
    fn test_sampling(
        &self,
        /// What to ask the model.
        prompt: String,
        ctx: &Context,
    ) -> Result<String> {
        asking::sampling(prompt, ctx)
    }

    /// Asks the person for a name and an address.
    #[tool(read_only)]
    fn test_elicitation(
        &self,
        /// What to tell the person.
        message: String,
        ctx: &Context,
    ) -> Result<String> {
        asking::elicitation(message, ctx)
    }

    /// Asks with a form whose fields have defaults.
    #[tool(read_only)]
    fn test_elicitation_sep1034_defaults(&self, ctx: &Context) -> Result<String> {
        asking::defaults(ctx)
    }

    /// Asks with a form that has choices of every kind.
    #[tool(read_only)]
    fn test_elicitation_sep1330_enums(&self, ctx: &Context) -> Result<String> {
        asking::enums(ctx)
    }

    /// Answers late, so that a client may have to reconnect for it.
    #[tool(read_only)]
    fn test_reconnection(&self, ctx: &Context) -> Result<&'static str> {
        waiting::wait(Duration::from_millis(300), ctx)?;
        Ok("Reconnection test completed successfully.")
    }

    /// Needs a client that has a model.
    #[tool(read_only)]
    fn test_missing_capability(&self, ctx: &Context) -> Result<&'static str> {
        asking::missing_capability(ctx)
    }

    /// Asks for a name while the client listens to its stream.
    #[tool(read_only)]
    fn test_streaming_elicitation(&self, ctx: &Context) -> Result<String> {
        asking::greeting(ctx)
    }

    /// Writes one message to the client's log.
    #[tool(read_only)]
    fn test_logging_tool(&self, ctx: &Context) -> &'static str {
        ctx.info("This is a log message from the logging tool");
        "One message was logged."
    }

    /// Says that the list of tools has changed.
    #[tool(read_only)]
    fn test_trigger_tool_change(&self, ctx: &Context) -> &'static str {
        ctx.changed(List::Tools);
        "The list of tools is said to have changed."
    }

    /// Says that the list of prompts has changed.
    #[tool(read_only)]
    fn test_trigger_prompt_change(&self, ctx: &Context) -> &'static str {
        ctx.changed(List::Prompts);
        "The list of prompts is said to have changed."
    }

    /// Says that the watched resource has changed.
    #[tool(read_only)]
    fn test_trigger_resource_update(&self, ctx: &Context) -> &'static str {
        ctx.resource_updated("test://watched-resource");
        "The watched resource is said to have changed."
    }

    /// Asks the person for a name.
    #[tool(read_only)]
    fn test_input_required_result_elicitation(&self, ctx: &Context) -> Result<String> {
        asking::greeting(ctx)
    }

    /// Asks the client's model for a capital.
    #[tool(read_only)]
    fn test_input_required_result_sampling(&self, ctx: &Context) -> Result<String> {
        asking::capital(ctx)
    }

    /// Asks for the client's roots.
    #[tool(read_only)]
    fn test_input_required_result_list_roots(&self, ctx: &Context) -> Result<String> {
        asking::roots(ctx)
    }

    /// Keeps a state while it asks for a confirmation.
    #[tool(read_only)]
    fn test_input_required_result_request_state(&self, ctx: &Context) -> Result<&'static str> {
        rounds::state(ctx)
    }

    /// Asks three things at once.
    #[tool(read_only)]
    fn test_input_required_result_multiple_inputs(&self, ctx: &Context) -> Result<String> {
        rounds::multiple(ctx)
    }

    /// Asks two things, one after the other.
    #[tool(read_only)]
    fn test_input_required_result_multi_round(&self, ctx: &Context) -> Result<String> {
        rounds::multi_round(ctx)
    }

    /// Keeps a state that nobody may change.
    #[tool(read_only)]
    fn test_input_required_result_tampered_state(&self, ctx: &Context) -> Result<&'static str> {
        rounds::state(ctx)
    }

    /// Asks only what the client can answer.
    #[tool(read_only)]
    fn test_input_required_result_capabilities(&self, ctx: &Context) -> Result<String> {
        rounds::capabilities(ctx)
    }

    /// Greets somebody, at once.
    #[tool(read_only)]
    fn greet(
        &self,
        /// Whom to greet.
        name: String,
    ) -> String {
        format!("Hello, {name}!")
    }

    /// Computes nothing, for as long as is wanted.
    #[tool(read_only, task = "optional")]
    fn slow_compute(
        &self,
        /// How many seconds it takes.
        #[arg(extend("minimum" = 0, "maximum" = 3600))]
        seconds: f64,
        /// What to call the result.
        label: Option<String>,
        ctx: &Context,
    ) -> Result<String> {
        tasks::slow(seconds, label, ctx)
    }

    /// Fails after a second.
    #[tool(read_only, task = "required")]
    fn failing_job(&self, ctx: &Context) -> Result<String> {
        tasks::failing(ctx)
    }

    /// Ends with an error of the protocol.
    #[tool(read_only, task = "optional")]
    fn protocol_error_job(&self, ctx: &Context) -> Result<String> {
        tasks::protocol_error(ctx)
    }

    /// Asks before it pretends to delete a file.
    #[tool(read_only, task = "optional")]
    fn confirm_delete(
        &self,
        /// The file's name.
        filename: String,
        ctx: &Context,
    ) -> Result<String> {
        tasks::confirm_delete(&filename, ctx)
    }

    /// Asks two things, which may be answered one at a time.
    #[tool(read_only, task = "optional")]
    fn multi_input(&self, ctx: &Context) -> Result<String> {
        tasks::multi_input(ctx)
    }

    /// Asks for a name, and then runs as a task.
    #[tool(read_only, task = "required")]
    fn test_tool_with_task(&self, ctx: &Context) -> Result<String> {
        tasks::with_name(ctx)
    }

    /// A text that never changes.
    #[resource(
        uri = "test://static-text",
        title = "Static text",
        mime_type = "text/plain"
    )]
    fn static_text(&self) -> &'static str {
        "This is the content of the static text resource."
    }

    /// An image that never changes.
    #[resource(
        uri = "test://static-binary",
        title = "Static image",
        mime_type = "image/png"
    )]
    fn static_binary(&self) -> Vec<u8> {
        content::PIXEL.to_vec()
    }

    /// A text that can be watched.
    #[resource(
        uri = "test://watched-resource",
        name = "watched-resource",
        title = "Watched text",
        mime_type = "text/plain"
    )]
    fn watched(&self) -> &'static str {
        "Watched resource content"
    }

    /// Data of whatever is asked for.
    #[resource(
        template = "test://template/{id}/data",
        title = "Data by id",
        mime_type = "application/json"
    )]
    fn template(&self, id: String) -> String {
        serde_json::json!({
            "id": id,
            "templateTest": true,
            "data": format!("Data for ID: {id}"),
        })
        .to_string()
    }

    /// A prompt without arguments.
    #[prompt]
    fn test_simple_prompt(&self) -> &'static str {
        "This is a simple prompt for testing."
    }

    /// A prompt that repeats its two arguments.
    #[prompt]
    fn test_prompt_with_arguments(
        &self,
        /// The first text.
        arg1: String,
        /// The second text.
        arg2: String,
    ) -> String {
        format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
    }

    /// A prompt that contains a resource.
    #[prompt]
    fn test_prompt_with_embedded_resource(
        &self,
        /// The address of the resource.
        #[arg(name = "resourceUri")]
        resource_uri: String,
    ) -> Vec<Message> {
        prompts::embedded(resource_uri)
    }

    /// A prompt that contains an image.
    #[prompt]
    fn test_prompt_with_image(&self) -> Vec<Message> {
        prompts::image()
    }

    /// A prompt that asks for its context.
    #[prompt]
    fn test_input_required_result_prompt(&self, ctx: &Context) -> Result<Vec<Message>> {
        prompts::with_context(ctx)
    }

    #[complete(prompt = "test_prompt_with_arguments", argument = "arg1")]
    #[complete(prompt = "test_prompt_with_arguments", argument = "arg2")]
    fn words(&self, value: String) -> Completion {
        Completion::starting_with(&value, ["paris", "park", "party", "test", "text"])
    }

    #[complete(template = "test://template/{id}/data", argument = "id")]
    fn ids(&self, value: String) -> Completion {
        Completion::starting_with(&value, ["1", "12", "123"])
    }
}
