//! What happens: everyday work in the granted folder, then three ways out of it.
//! Each step is checked by what is on disk, not by what the plugin says.

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::folders::{Folders, SECRET};
use crate::session::Session;
use crate::stage::Stage;

/// The tools that the story needs.
const NEEDED: [&str; 4] = ["read_text_file", "write_file", "edit_file", "search_files"];

/// Who talks to whom, and what was granted.
///
/// # Errors
/// Where it can't be printed.
pub(crate) fn opening(stage: &mut Stage, session: &Session, folders: &Folders) -> Result<()> {
    let (revision, server) = session.parties();
    stage.fact("started", &session.command)?;
    stage.fact(
        "granted",
        &format!(
            "{}, to read and write, seen by the plugin as /notes; nothing else",
            folders.notes().display()
        ),
    )?;
    stage.fact(
        "talking",
        &format!(
            "MCP {revision} over stdio to {server}, ready after {} ms",
            session.ready_after.as_millis()
        ),
    )?;
    Ok(())
}

/// Lists tools, reads, writes, edits and searches.
///
/// # Errors
/// The first step that did not really happen.
pub(crate) async fn everyday_work(
    stage: &mut Stage,
    session: &Session,
    folders: &Folders,
) -> Result<()> {
    stage.act("Everyday work")?;

    stage.you("What can you do?")?;
    let tools = session.tools().await?;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    stage.plugin(&columns(&names))?;
    for needed in NEEDED {
        ensure!(names.contains(&needed), "the plugin has no tool {needed}");
    }
    stage.proof(&format!("{} tools", tools.len()))?;

    let before = folders.on_disk("shopping.md")?;
    stage.you("Read /notes/shopping.md")?;
    let answer = done(
        session,
        "read_text_file",
        json!({ "path": "/notes/shopping.md" }),
    )
    .await?;
    stage.plugin(&answer)?;
    ensure!(
        answer.trim_end() == before.trim_end(),
        "read_text_file did not answer what is in the file"
    );
    stage.proof("the file, word for word")?;

    let plan = "# Today\n- buy flour\n- bake\n";
    stage.you("Write /notes/today.md: buy flour, bake")?;
    let arguments = json!({ "path": "/notes/today.md", "content": plan });
    stage.plugin(&done(session, "write_file", arguments).await?)?;
    ensure!(
        folders.on_disk("today.md")? == plan,
        "write_file did not write what it was given"
    );
    stage.proof("on disk")?;

    let edit = |dry_run| {
        json!({
            "path": "/notes/shopping.md",
            "edits": [{ "oldText": "- milk", "newText": "- oat milk\n- maple syrup" }],
            "dryRun": dry_run,
        })
    };
    stage.you("What would change if milk became oat milk and maple syrup?")?;
    let diff = done(session, "edit_file", edit(true)).await?;
    stage.diff(&diff)?;
    ensure!(
        diff.contains("-- milk") && diff.contains("+- oat milk"),
        "edit_file showed no diff of the change"
    );
    ensure!(
        folders.on_disk("shopping.md")? == before,
        "a dry run changed the file"
    );
    stage.proof("only shown: the file is as it was")?;

    stage.you("Do it")?;
    let answer = done(session, "edit_file", edit(false)).await?;
    let changes: Vec<&str> = answer.lines().filter(|line| is_change(line)).collect();
    stage.diff(&changes.join("\n"))?;
    let after = before.replace("- milk", "- oat milk\n- maple syrup");
    ensure!(
        folders.on_disk("shopping.md")? == after,
        "edit_file did not make the change"
    );
    stage.proof("on disk, and nothing else in the file changed")?;

    stage.you("Which notes are there, in all folders?")?;
    let arguments = json!({ "path": "/notes", "pattern": "**/*.md" });
    let answer = done(session, "search_files", arguments).await?;
    stage.plugin(&answer)?;
    for note in ["shopping.md", "today.md", "recipes/pancakes.md"] {
        ensure!(answer.contains(note), "search_files did not find {note}");
    }
    stage.proof("all three")?;
    Ok(())
}

/// Tries `..`, an absolute path and a link.
///
/// # Errors
/// Where one of them is not refused.
pub(crate) async fn three_ways_out(
    stage: &mut Stage,
    session: &Session,
    folders: &Folders,
) -> Result<()> {
    stage.act("Three ways out")?;
    let passwords = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let outside: Vec<&str> = passwords
        .lines()
        .chain([SECRET])
        .filter(|line| line.len() > 8)
        .collect();
    for (how, path) in [
        ("upwards", "/notes/../private/diary.txt"),
        ("by an absolute path", "/etc/passwd"),
        (
            "through a link that lies in the folder and points out of it",
            "/notes/shortcut.txt",
        ),
    ] {
        stage.you(&format!("Read {path} ({how})"))?;
        let result = session
            .call("read_text_file", json!({ "path": path }))
            .await?;
        // The whole answer counts, not only what a client would show of it.
        let whole = serde_json::to_string(&result).context("the answer is not JSON")?;
        ensure!(
            !outside.iter().any(|line| whole.contains(line)),
            "the plugin read {path}, which lies outside the folder it was granted"
        );
        ensure!(
            result.is_error == Some(true),
            "reading {path} was not refused, though nothing of it was shown"
        );
        stage.plugin(&text(&result))?;
        stage.proof("refused")?;
    }
    folders.outside_is_untouched()?;
    stage.proof("and nothing outside the folder has changed")?;
    Ok(())
}

/// Whether a line of a diff takes something out or puts something in.
fn is_change(line: &str) -> bool {
    line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
}

/// Calls a tool that must succeed and returns its text.
async fn done(session: &Session, tool: &str, arguments: Value) -> Result<String> {
    let result = session.call(tool, arguments).await?;
    let text = text(&result);
    if result.is_error == Some(true) {
        bail!("{tool} answered with an error: {text}");
    }
    Ok(text)
}

fn text(result: &CallToolResult) -> String {
    let texts: Vec<&str> = result
        .content
        .iter()
        .filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
        .collect();
    texts.join("\n")
}

/// Names in lines that fit a terminal.
fn columns(names: &[&str]) -> String {
    let mut lines = vec![String::new()];
    for name in names {
        let full = lines
            .last()
            .is_some_and(|line| line.len() + name.len() > 64);
        if full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push_str(", ");
            }
            line.push_str(name);
        }
    }
    lines.join(",\n")
}
