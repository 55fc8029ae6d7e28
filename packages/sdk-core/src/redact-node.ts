import { REDACTED } from '../../contract/src/secret-keys.ts';
import { redactServerForms } from '../../contract/src/secret-texts.ts';
import type { RedactionPattern } from './redact.ts';

/** Keys of providers and forms of texts that are found on servers (docs/contract/clients.md 10.1). */
export const SERVER_PATTERNS: readonly RedactionPattern[] = [
  ['', redactServerForms],
  key('AKIA', /\bAKIA[A-Z0-9]{16}\b/g),
  key('gh', /\bgh[pousr]_[A-Za-z0-9]{20,255}/g),
  key('github_pat_', /\bgithub_pat_[A-Za-z0-9_]{20,255}/g),
  key('glpat-', /\bglpat-[A-Za-z0-9_-]{16,255}/g),
  key('k_live_', /\b[rs]k_live_[A-Za-z0-9]{10,255}/g),
  key('whsec_', /\bwhsec_[A-Za-z0-9+/=]{16,255}/g),
  key('xox', /\bxox[a-z]-[A-Za-z0-9-]{10,255}/g),
  key('hooks.slack.com/', /(?<=\bhooks\.slack\.com\/)[a-z]{1,20}\/[A-Za-z0-9/]{16,255}/g),
  key('npm_', /\bnpm_[A-Za-z0-9]{20,255}/g),
  key('sk-', /\bsk-(?:proj|ant|or|svcacct)-[A-Za-z0-9_-]{16,255}/g),
  key('hf_', /\bhf_[A-Za-z0-9]{30,255}/g),
  key('AIza', /\bAIza[A-Za-z0-9_-]{35}/g),
  key('SG.', /\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}/g),
];

function key(trigger: string, form: RegExp): RedactionPattern {
  return [trigger, (text) => text.replace(form, REDACTED)];
}
