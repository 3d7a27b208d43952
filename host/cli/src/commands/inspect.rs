//! `palisade inspect`: what a plugin is, asks for and would get.

use std::process::ExitCode;

use palisade_policy::ToolDecision;
use palisade_registry::{Digest, beside_file};
use palisade_runtime::contract::{Prompt, PromptArgument, ResourceTemplate, Tool};
use palisade_runtime::{Import, Sandbox};
use palisade_server::tool_json;
use serde_json::{Value, json};

use crate::args::InspectArgs;
use crate::consent::is_destructive;
use crate::failure::Failure;
use crate::files::read_file;
use crate::installed::Subject;
use crate::load::{MAX_PLUGIN, unreadable};
use crate::output::{self, one_line, printable};
use crate::permissions::{Permissions, table};
use crate::places::Places;
use crate::prepare::{Prepared, prepare, runtime};
use crate::signed::{self, Verdict};

/// Prints everything that can be known without calling a tool.
pub(crate) fn run(args: &InspectArgs) -> Result<ExitCode, Failure> {
    if args.readme || args.licence {
        return show(args);
    }
    // Once there is one, a file that grows too large is only an error.
    let _runtime = runtime()?;
    let prepared = prepare(&args.plugin, &args.grants, args.compile)?;
    let signed = signed_by(args, &prepared)?;
    if args.json {
        let json = as_json(&prepared, &signed)
            .and_then(|json| serde_json::to_string_pretty(&json))
            .map_err(|error| Failure::because("the result can't be written as JSON", &error))?;
        output::line(json)?;
    } else {
        output::line(as_text(
            &prepared,
            &signed,
            output::has_colour(&std::io::stdout()),
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a text that the file carries. Nothing in it is run or believed for that.
fn show(args: &InspectArgs) -> Result<ExitCode, Failure> {
    let file = args.plugin.display();
    let bytes = read_file(&args.plugin, MAX_PLUGIN)
        .map_err(|error| Failure::because(format!("{file} can't be read"), &error))?;
    let carried =
        palisade_package::carried(&bytes).map_err(|error| Failure::because(file, &error))?;
    let (what, text) = match args.readme {
        true => ("README", carried.readme),
        false => ("text of a licence", carried.licence),
    };
    let file = args.plugin.display();
    let text = text.ok_or_else(|| Failure::new(format!("there is no {what} in {file}")))?;
    output::line(printable(text.trim_end()))?;
    Ok(ExitCode::SUCCESS)
}

/// Who has signed it, or why that can't be told.
fn signed_by(args: &InspectArgs, prepared: &Prepared) -> Result<String, Failure> {
    let places = Places::find();
    let trust = signed::trust(places.as_ref())?;
    let file = match Subject::find(&args.plugin, places.as_ref())? {
        Subject::Installed(installed, _) => {
            return Ok(Verdict::of_installed(&trust, &installed.entry).words());
        }
        Subject::File(file) => std::path::absolute(&file).unwrap_or(file),
    };
    let bytes = read_file(&file, MAX_PLUGIN).map_err(|error| unreadable(&file, &error))?;
    if Digest::of(&bytes).hex() != prepared.plugin.digest() {
        return Err(
            Failure::new(format!("{} changes at this moment", file.display())).remedy("try again"),
        );
    }
    let beside = beside_file(&file).map_err(|error| {
        Failure::because(
            "what lies beside it and may say who made it can't be read",
            &error,
        )
    })?;
    let beside: Vec<_> = beside.into_iter().collect();
    let verdict = Verdict::of(&trust, &file.display().to_string(), &bytes, &[], &beside);
    Ok(match verdict {
        Ok(verdict) => verdict.words(),
        // It is looked at, and not run.
        Err(failure) if failure.is_refusal() => format!("⚠ wrongly: {}", failure.sentence()),
        Err(failure) => return Err(failure),
    })
}

fn as_json(prepared: &Prepared, signed: &str) -> serde_json::Result<Value> {
    let metadata = prepared.plugin.metadata();
    let tools = metadata
        .tools
        .iter()
        .map(tool_json)
        .collect::<serde_json::Result<Vec<_>>>()?;
    let missing: Vec<_> = prepared
        .decision
        .needs
        .iter()
        .map(|need| json!({ "what": need.what, "flag": need.flag }))
        .collect();
    let about = prepared.manifest.as_ref().map(|manifest| &manifest.plugin);
    Ok(json!({
        "name": prepared.name,
        "version": about.and_then(|about| about.version.as_ref()),
        "license": about.and_then(|about| about.license.as_ref()),
        "source": about.and_then(|about| about.source.as_ref()),
        "homepage": about.and_then(|about| about.homepage.as_ref()),
        "authors": about.map(|about| &about.authors),
        "kind": metadata.kind,
        "digest": format!("sha256:{}", prepared.plugin.digest()),
        "signed": signed,
        "compiled": prepared.plugin.was_compiled_before(),
        "exports": metadata.exports,
        "imports": metadata.imports,
        "tools": tools,
        "resource_templates": templates(&metadata.templates),
        "prompts": prompts(&metadata.prompts),
        "offers": metadata.offers,
        "permissions": permissions(prepared).json(),
        "permission_hash": prepared.decision.effective.hash(),
        "missing": missing,
        "cannot_start": cannot_start(prepared),
    }))
}

/// As in MCP, without what is only for show.
fn templates(templates: &[ResourceTemplate]) -> Vec<Value> {
    let one = |template: &ResourceTemplate| {
        json!({
            "uriTemplate": template.uri_template,
            "name": template.name,
            "title": template.title,
            "description": template.description,
            "mimeType": template.mime_type,
        })
    };
    templates.iter().map(one).collect()
}

/// As in MCP, without what is only for show.
fn prompts(prompts: &[Prompt]) -> Vec<Value> {
    let argument = |argument: &PromptArgument| {
        json!({
            "name": argument.name,
            "title": argument.title,
            "description": argument.description,
            "required": argument.required,
        })
    };
    let one = |prompt: &Prompt| {
        json!({
            "name": prompt.name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": prompt.arguments.iter().map(argument).collect::<Vec<_>>(),
        })
    };
    prompts.iter().map(one).collect()
}

fn as_text(prepared: &Prepared, signed: &str, colour: bool) -> String {
    let metadata = prepared.plugin.metadata();
    let about = prepared.manifest.as_ref().map(|manifest| &manifest.plugin);
    let mut title = prepared.name.clone();
    if let Some(version) = about.and_then(|about| about.version.as_ref()) {
        title = format!("{title} {version}");
    }
    if let Some(description) = about.and_then(|about| about.description.as_ref()) {
        title = format!("{title} · {}", one_line(description));
    }
    let mut facts = table();
    facts.add_row(["kind", &metadata.kind.to_string()]);
    facts.add_row(["digest", &format!("sha256:{}", prepared.plugin.digest())]);
    facts.add_row(["signed", &one_line(signed)]);
    facts.add_row(["exports", &metadata.exports.join(", ")]);
    facts.add_row(["imports", &packages(&metadata.imports)]);
    // Its own words: nobody has looked whether they are true.
    if let Some(about) = about {
        let authors = about.authors.join(", ");
        let said = [
            ("licence", about.license.as_deref()),
            ("source", about.source.as_deref()),
            ("homepage", about.homepage.as_deref()),
            (
                "authors",
                Some(authors.as_str()).filter(|all| !all.is_empty()),
            ),
        ];
        for (what, text) in said {
            if let Some(text) = text {
                facts.add_row([what, &one_line(text)]);
            }
        }
    }
    let mut lists = Vec::new();
    if metadata.offers.tools {
        let rows = metadata.tools.iter();
        let rows = rows.map(|tool| tool_cells(tool, prepared)).collect();
        lists.push(list("tools", rows));
    }
    if metadata.offers.resources {
        let rows = metadata.templates.iter().map(template_cells).collect();
        lists.push(list("resource templates", rows));
    }
    if metadata.offers.prompts {
        let rows = metadata.prompts.iter().map(prompt_cells).collect();
        lists.push(list("prompts", rows));
    }
    let lists = lists.join("\n\n");

    let rules = permissions(prepared).table(colour);
    let mut text = format!("{title}\n\n{facts}\n\n{lists}\n\n{rules}");
    if let Some(why) = cannot_start(prepared) {
        text = format!("{text}\n\n It can't start: {why}");
    }
    for need in &prepared.decision.needs {
        let flag = prepared.granting.needs(std::slice::from_ref(need));
        text = format!("{text}\n\n It can't start without {}: {flag}", need.what);
    }
    text.lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
}

fn permissions(prepared: &Prepared) -> Permissions<'_> {
    Permissions {
        decision: &prepared.decision,
        secrets: &prepared.secrets,
        store: prepared.store.as_ref(),
    }
}

/// What would keep it from starting with this grant, needs aside.
fn cannot_start(prepared: &Prepared) -> Option<String> {
    let idle = prepared.bad_rule();
    let idle = idle.map(|(problem, remedy)| format!("{problem}; {remedy}"));
    idle.or_else(|| {
        Sandbox::open(&prepared.name, &prepared.decision.effective)
            .err()
            .map(|error| error.to_string())
    })
    .or_else(|| Some(prepared.values().err()?.sentence()))
}

/// A list under its name, with how many there are.
fn list(what: &str, rows: Vec<[String; 3]>) -> String {
    let heading = format!(" {what} ({})", rows.len());
    if rows.is_empty() {
        return heading;
    }
    let mut table = table();
    table.add_rows(rows);
    format!("{heading}\n{table}")
}

/// Longest description in the table, in characters.
const SUMMARY: usize = 72;

/// A tool, whether it may change things, and how its description begins.
fn tool_cells(tool: &Tool, prepared: &Prepared) -> [String; 3] {
    let rules = &prepared.decision.effective.tools;
    let mark = match rules.decide(&tool.name) {
        ToolDecision::Deny => "denied",
        ToolDecision::Ask => "asks you",
        ToolDecision::Allow if is_destructive(tool) => "⚠ changes things",
        ToolDecision::Allow => "",
    };
    let name = match rules.name_of(&tool.name) {
        name if name == tool.name => tool.name.clone(),
        name => format!("{name} (its own name: {})", tool.name),
    };
    [name, mark.to_owned(), summary(tool.description.as_deref())]
}

/// A family of resources, by its address.
fn template_cells(template: &ResourceTemplate) -> [String; 3] {
    [
        one_line(&template.uri_template),
        one_line(&template.name),
        summary(template.description.as_deref()),
    ]
}

/// A prompt and its arguments; those in brackets may be left out.
fn prompt_cells(prompt: &Prompt) -> [String; 3] {
    let argument = |argument: &PromptArgument| {
        let name = one_line(&argument.name);
        if argument.required {
            name
        } else {
            format!("[{name}]")
        }
    };
    let arguments: Vec<_> = prompt.arguments.iter().map(argument).collect();
    [
        prompt.name.clone(),
        arguments.join(" "),
        summary(prompt.description.as_deref()),
    ]
}

/// How a description begins.
fn summary(description: Option<&str>) -> String {
    let says = printable(description.unwrap_or_default());
    let first = says.split(['\n', '.']).next().unwrap_or_default();
    let mut summary: String = first.chars().take(SUMMARY).collect();
    if summary.len() < first.len() {
        summary.push('…');
    }
    summary
}

/// The packages behind a list of imports, each once.
fn packages(imports: &[Import]) -> String {
    let mut names: Vec<_> = imports
        .iter()
        .map(|import| import.split('/').next().unwrap_or(import))
        .collect();
    names.dedup();
    names.join(", ")
}
