/**
 * Keys whose values are secrets: the one table of client libraries, browser relay, service, command line and MCP
 * (docs/contract/clients.md 10.1). Runs in every browser of the library: no lookbehind, nothing imported.
 */

/** Stands in place of every redacted value (docs/contract/ingestion.md 8.5). */
export const REDACTED = '[REDACTED]';

const KEY_CHARS_MAX = 128;

/**
 * Looked for in a key written as `_its_words_`. First what may begin anywhere, because it is in no other word:
 * `PGPASSWORD`, `csrftoken`, `rapidapi-key`. Then whole words. What follows names a property of the secret in neither
 * case: `token_count`, `password_changed_at`, `signature_help`. Then keys whose last word decides, and whole keys.
 */
const SECRET =
  /(?:(?:pass_?(?:word|phrase|code)|passwd|pwd|passwort|kennwort|senha|contrasena)(?:confirm[a-z]*|hash|again|repeat)?|secret|token(?!_id_)|credential|cookie|authorization|(?:api|access|private|encryption|signing|account|shared|master|subscription|functions?|session|admin|client|server|service|application|app|license|webhook|ssh)_?key|credit_?card|card_?number|cc_number|social_?security|sess(?:ion)?id|(?:verification|security|recovery|backup|one_time|mfa|2fa)_?code|code_verifier|(?:seed|recovery)_phrase|client_assertion|saml_?response|_(?:signature|sig|jwt|pin|t?otp|cv[vc]2?|csc|ssn|pw|hmac|bearer|[cx]srf))s?\d*_(?!(?:.*_)?(?:count|used|usage|limit|max|size|length|type|kind|name|at|expir[a-z]+|ttl|age|ur[il]|endpoint|path|file|method|mode|scheme|algo?[a-z]*|status|state|error|exception|reason|valid[a-z]*|required|enabled|present|missing|policy|strength|attempts|provider|issuer|audience|scopes?|field|hint|help|label|user[a-z]*|version|domain|consent|format|budget|cost)_)|_(?:auth(?:_(?:key|data|value|info|header))?|pass)_$|^_(?:connect_)?sid_$/;

/** A value that is no secret under any key: no value at all, a switch, or how `fetch` treats credentials. */
const HARMLESS = /^(?:|true|false|null|undefined|none|include|omit|same-origin)$/;

/** Whether the values of a key are secrets, judged by its words. */
export function isSecretKey(key: string): boolean {
  return judge(key).isSecret;
}

/** The same of a key with a value: `password: false` is none, nor are the numbers of `tokens: 512`. */
export function holdsSecret(key: string, value: unknown): boolean {
  const { isSecret, isCount } = judge(key);
  if (!isSecret) return false;
  const text = Object(value) === value ? REDACTED : String(value);
  return !HARMLESS.test(text) && !(isCount && /^-?[\d.]{1,9}$/.test(text));
}

interface Judgement {
  isSecret: boolean;
  /** A number behind it counts or names secrets. */
  isCount: boolean;
}

/** Applications send the same keys with every event. */
const judged = new Map<string, Judgement>();
const JUDGED_MAX = 1_000;

function judge(key: string): Judgement {
  const known = judged.get(key);
  if (known) return known;
  const short = key.slice(0, KEY_CHARS_MAX);
  const words = wordsOf(short.replace(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4'));
  const judgement = { isSecret: SECRET.test(words), isCount: /(?:s|pass)_$/.test(words) };
  if (judged.size >= JUDGED_MAX) judged.clear();
  if (key.length < KEY_CHARS_MAX) judged.set(key, judgement);
  return judgement;
}

/** `X-Api-Key` and `x.api.key` are `_x_api_key_`. Letters beyond ASCII separate. */
function wordsOf(key: string): string {
  return `_${key}_`.replace(/[^a-zA-Z\d]+/g, '_').toLowerCase();
}
