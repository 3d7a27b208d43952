//! Which secrets a plugin has the use of.

use super::Comparison;
use crate::error::Need;
use crate::rows::{NOT_ASKED, NOT_GRANTED, RowKind};
use crate::secrets::{EffectiveSecret, SecretGrant, SecretRequest, SecretUse};

/// Why a plugin that asks to be shown a secret is not.
const NOT_EXPOSED: &str = "needs expose = true in the grant";

impl Comparison {
    /// A secret holds where it is asked for and granted: towards the narrower of
    /// the two destinations, and shown only where a person says just that.
    pub(super) fn secrets(
        &mut self,
        asked: Option<&[SecretRequest]>,
        granted: &[SecretGrant],
    ) -> Vec<EffectiveSecret> {
        let mut effective: Vec<EffectiveSecret> = Vec::new();
        let mut useful = vec![false; granted.len()];
        for request in asked.unwrap_or_default() {
            let mut met = Vec::new();
            for (grant, useful) in granted.iter().zip(&mut useful) {
                if let Some(use_as) = meet(request, grant) {
                    *useful = true;
                    met.push(EffectiveSecret {
                        name: grant.name.clone(),
                        use_as,
                        source: grant.source.clone(),
                        required: request.required,
                    });
                }
            }
            self.asked_secret(request, granted, &met);
            for secret in met {
                if !effective.contains(&secret) {
                    effective.push(secret);
                }
            }
        }
        for (grant, _) in granted.iter().zip(useful).filter(|(_, useful)| !useful) {
            let holds = match (asked, &grant.use_as) {
                (None, Some(use_as)) => Some(EffectiveSecret {
                    name: grant.name.clone(),
                    use_as: use_as.clone(),
                    source: grant.source.clone(),
                    required: true,
                }),
                _ => None,
            };
            let text = match &grant.use_as {
                Some(use_as) => use_as.to_string(),
                None => "as it asks for it".to_owned(),
            };
            self.secret_row(
                &grant.name,
                [
                    None,
                    Some(text),
                    holds.as_ref().map(|secret| secret.use_as.to_string()),
                ],
                holds.is_none().then_some(NOT_ASKED),
            );
            effective.extend(holds);
        }
        effective
    }

    /// The row of what is asked for, and the need where it is required and not
    /// granted.
    fn asked_secret(
        &mut self,
        request: &SecretRequest,
        granted: &[SecretGrant],
        met: &[EffectiveSecret],
    ) {
        let optional = if request.required { "" } else { ", optional" };
        let asked = format!("{}{optional}", request.use_as);
        let mut texts: Vec<_> = met.iter().map(|secret| secret.use_as.to_string()).collect();
        texts.dedup();
        let text = (!texts.is_empty()).then(|| texts.join(", "));
        let mut named = granted.iter().filter(|grant| grant.name == request.name);
        let why = match (met.is_empty(), named.next()) {
            (true, Some(grant)) => Some(differs(&request.use_as, grant.use_as.as_ref())),
            (true, None) => Some(NOT_GRANTED.to_owned()),
            (false, _) => {
                let narrower = met.iter().all(|secret| secret.use_as != request.use_as);
                narrower.then(|| "grant is narrower".to_owned())
            }
        };
        let texts = [Some(asked), text.clone(), text];
        self.secret_row(&request.name, texts, why.as_deref());
        if request.required && met.is_empty() {
            let name = &request.name;
            let (what, flag, granted_by) = match &request.use_as {
                SecretUse::Inject(injection) => (
                    format!("the secret {name} for {}", injection.to),
                    format!("--secret {name}"),
                    None,
                ),
                SecretUse::Expose => (
                    format!("to be shown the secret {name}"),
                    format!("--grant FILE, with expose = true for {name}"),
                    Some(format!("--expose-secret {name}")),
                ),
            };
            let need = Need {
                what,
                flag,
                granted_by,
            };
            if !self.needs.contains(&need) {
                self.needs.push(need);
            }
        }
    }

    fn secret_row(&mut self, name: &str, texts: [Option<String>; 3], why: Option<&str>) {
        self.row(RowKind::Secret, format!("secret {name}"), texts, why);
        if let Some(row) = self.rows.last_mut() {
            row.secret = Some(name.to_owned());
        }
    }
}

/// Why a grant of the same secret is of no use.
fn differs(asked: &SecretUse, granted: Option<&SecretUse>) -> String {
    match (asked, granted) {
        (SecretUse::Expose, _) => NOT_EXPOSED.to_owned(),
        (SecretUse::Inject(_), Some(SecretUse::Expose)) => {
            "granted to be shown, not to be added to requests".to_owned()
        }
        (SecretUse::Inject(asked), Some(SecretUse::Inject(granted))) => {
            match asked.carrier == granted.carrier {
                true => format!("granted for {} instead", granted.to),
                false => format!("granted as `{}` instead", granted.carrier),
            }
        }
        // As it asks for it: that always holds.
        (SecretUse::Inject(_), None) => NOT_GRANTED.to_owned(),
    }
}

/// What of a request a grant allows.
fn meet(request: &SecretRequest, grant: &SecretGrant) -> Option<SecretUse> {
    if request.name != grant.name {
        return None;
    }
    match (&request.use_as, &grant.use_as) {
        (SecretUse::Inject(asked), None) => Some(SecretUse::Inject(asked.clone())),
        (SecretUse::Inject(asked), Some(SecretUse::Inject(granted))) => {
            asked.meet(granted).map(SecretUse::Inject)
        }
        (SecretUse::Expose, Some(SecretUse::Expose)) => Some(SecretUse::Expose),
        _ => None,
    }
}
