//! `palisade export`: a plugin as a bundle that a client installs with one click.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use palisade_clients::{Bundle, Field, FieldKind, secret_variable};
use palisade_policy::{
    Access, Ask, Effective, Grant, GrantText, Manifest, RootKind, Wants, compare, units,
};
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::args::ExportArgs;
use crate::failure::Failure;
use crate::installed::{Home, Installed, failure};
use crate::output::{self, printable};

/// Writes the bundle: the plugin as it was agreed to, and what is granted it here
/// without what is this person's alone.
pub(crate) fn run(args: &ExportArgs) -> Result<ExitCode, Failure> {
    let home = Home::find()?;
    let installed = home.get(&args.name)?;
    let bundle = bundle(&home, &installed, &args.command)?;
    let bytes = bundle
        .to_bytes()
        .map_err(|error| Failure::because(&args.name, &error))?;
    let file = match &args.output {
        Some(file) => file.clone(),
        None => PathBuf::from(format!("{}.mcpb", args.name)),
    };
    write(&file, &bytes).map_err(|error| {
        Failure::because(format!("{} can't be written", file.display()), &error)
    })?;
    output::line(printable(&format!(
        "{} is written, {}; who installs it needs {} on their PATH",
        file.display(),
        units::format_size(bytes.len() as u64),
        args.command
    )))?;
    for field in &bundle.fields {
        output::line(printable(&format!(
            "  asks for  {}: {}",
            field.name, field.description
        )))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// In one moment: whoever opens it has all of it.
fn write(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut temporary = NamedTempFile::new_in(folder)?;
    temporary.write_all(bytes)?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    temporary.as_file().set_permissions(mode)?;
    temporary.as_file().sync_all()?;
    temporary.persist(file)?;
    Ok(())
}

fn bundle(home: &Home, installed: &Installed, command: &str) -> Result<Bundle, Failure> {
    let manifest = installed.manifest()?;
    let text = match &installed.grant {
        None => Ok(GrantText::new(&installed.name)),
        Some(text) => GrantText::parse(text),
    };
    let granted = text.and_then(|text| text.grant().map(|grant| (text, grant)));
    let (text, grant) = granted.map_err(|error| {
        let file = installed.grant_file.display();
        Failure::new(format!("the grant file {file}, {error}"))
    })?;
    let fields = fields(manifest.as_ref(), &grant)
        .map_err(|error| Failure::new(format!("{}: {error}", installed.name)))?;
    let secrets: BTreeSet<_> = (fields.iter())
        .filter(|field| field.kind == FieldKind::Secret)
        .map(|field| field.name.clone())
        .collect();
    let about = manifest.as_ref().map(|manifest| &manifest.plugin);
    let described = about.and_then(|about| about.description.clone());
    let entry = &installed.entry;
    Ok(Bundle {
        name: installed.name.clone(),
        version: entry.version.clone(),
        description: described.unwrap_or_else(|| "A plugin, run by Palisade".to_owned()),
        long_description: long_description(&grant, &entry.digest.hex()),
        author: match &entry.signer {
            Some(signer) => signer.clone(),
            None => "unknown: it is not signed".to_owned(),
        },
        command: command.to_owned(),
        component: home
            .store
            .blob(entry.digest)
            .map_err(|error| failure(&error))?,
        request: installed.offer.request.clone(),
        grant: text.portable(&secrets, secret_variable),
        fields,
        tools: (installed.offer.tools.iter())
            .map(|(name, tool)| (name.clone(), description(tool)))
            .collect(),
        prompts: !installed.offer.prompts.is_empty(),
    })
}

fn description(tool: &Value) -> Option<String> {
    let text = tool.get("description").and_then(Value::as_str)?;
    Some(printable(text))
}

/// What whoever installs it fills in: what is granted here that is this person's
/// own, and what the plugin does not start without.
fn fields(manifest: Option<&Manifest>, grant: &Grant) -> Result<Vec<Field>, String> {
    let decision = compare(manifest, grant).map_err(|error| error.to_string())?;
    let effective = decision.effective;
    let mut fields = folders(manifest, &effective);
    let required = manifest.into_iter().flat_map(|manifest| &manifest.env);
    let required = required.filter(|(_, request)| request.required);
    let variables: BTreeSet<_> = (effective.env.keys())
        .chain(required.map(|(name, _)| name))
        .collect();
    for name in variables {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if !name.bytes().all(plain) {
            return Err(format!(
                "the variable {name:?} can't be asked for by a client"
            ));
        }
        fields.push(Field {
            kind: FieldKind::Variable,
            name: name.clone(),
            description: "The plugin reads this value.".to_owned(),
        });
    }
    let mut secrets: BTreeSet<_> = (effective.secrets.into_iter())
        .map(|secret| secret.name)
        .collect();
    let asked = manifest.map_or(&[][..], |manifest| &manifest.secrets);
    let required = asked.iter().filter(|secret| secret.required);
    secrets.extend(required.map(|secret| secret.name.clone()));
    for name in secrets {
        let request = asked.iter().find(|secret| secret.name == name);
        let words = request.map(|secret| words(Wants::Secret(secret.clone())));
        fields.push(Field {
            kind: FieldKind::Secret,
            name,
            description: match words {
                Some(words) => format!("The plugin asks to {words}."),
                None => "The plugin has the use of it.".to_owned(),
            },
        });
    }
    Ok(fields)
}

fn folders(manifest: Option<&Manifest>, effective: &Effective) -> Vec<Field> {
    let does = |write| match write {
        true => "The plugin may read, write and delete what is in it, and nothing else.",
        false => "The plugin may read what is in it, and nothing else.",
    };
    let mut fields: Vec<_> = (effective.roots.iter())
        .map(|root| {
            let write = root.access == Access::ReadWrite;
            let (kind, description) = match root.kind {
                RootKind::Directory => (FieldKind::Directory { write }, does(write)),
                RootKind::File => (
                    FieldKind::File { write },
                    match write {
                        true => "The plugin may read and write this file.",
                        false => "The plugin may read this file.",
                    },
                ),
            };
            Field {
                kind,
                name: root.name.clone(),
                description: description.to_owned(),
            }
        })
        .collect();
    let asked = manifest.map_or(&[][..], |manifest| &manifest.roots);
    for root in asked.iter().filter(|root| root.required) {
        let known = |field: &Field| root.is_any() || field.name == root.name;
        if !fields.iter().any(known) {
            let write = root.access == Access::ReadWrite;
            fields.push(Field {
                kind: FieldKind::Directory { write },
                name: match root.is_any() {
                    true => "folder".to_owned(),
                    false => root.name.clone(),
                },
                description: does(write).to_owned(),
            });
        }
    }
    fields
}

/// What a dialog can't ask is told: it holds once the bundle is installed.
fn long_description(grant: &Grant, digest: &str) -> String {
    let intro = "Runs in Palisade's sandbox, which has to be installed. The plugin gets what is \
                 filled in here, what is listed, and nothing else.";
    let mut lines = vec![intro.to_owned(), String::new()];
    for rule in &grant.network {
        let words = words(Wants::Network(rule.clone()));
        lines.push(format!("- It may {words}, if it asks to."));
    }
    if grant.network.is_empty() {
        lines.push("- It has no network.".to_owned());
    }
    lines.push(format!("- Its component is sha256:{digest}."));
    printable(&lines.join("\n"))
}

fn words(wants: Wants) -> String {
    let ask = Ask {
        wants,
        required: true,
    };
    ask.words()
}
