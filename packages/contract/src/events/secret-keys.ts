/**
 * Keys whose values are secrets: the one table of client libraries, browser relay, service, command line and MCP
 * (docs/contract/clients.md 10.1). Runs in every browser of the library: no lookbehind, nothing imported.
 */

/** The text that replaces every redacted value (docs/contract/ingestion.md 8.5). */
export const REDACTED = '[REDACTED]';

const KEY_CHARS_MAX = 128;

/**
 * Looked for in a key written as `_its_words_`. First what may begin anywhere, because it is in no other word:
 * `PGPASSWORD`, `csrftoken`, `rapidapi-key`. Then whole words. What follows names a property of the secret in neither
 * case: `token_count`, `password_changed_at`, `signature_help`. Then keys whose last word decides, and whole keys.
 */
const SECRET =
  /(?:pass_?(?:word|wort|phrase|code)(?:confirm[a-z]*|hash|again|repeat)?|passwd|pwd|senha|secret|token(?!_id_)|credential|cookie|authorization|(?:api|access|private|account|app|encryption|functions?|master|shared|signing|subscription)_?key|credit_?card|c(?:ard|c)_?number|social_?security|sess(?:ion)?id|(?:2fa|backup|mfa|one_time|recovery|security|verification)_?code|code_verifier|(?:recovery|seed)_phrase|saml_?response|_(?:signature|sig|jwt|pin|t?otp|c(?:v[cv]|sc)2?|ssn|pw|hmac|bearer|[cx]srf))s?\d*_(?!(?:.*_)?(?:algo?|at_|consent|count|domain|enabled|endpoint|err|exception|exp|field|file|format|help|hint|issuer|kind|label|len|limit|max|method|mode|name|path|policy|provider|reason|required|scheme|size|stat|ttl|type|ur[il]_|us(?:age|ed|er)|valid|version))|_(?:auth(?:_(?:key|data|value|info|header))?|pass)_$|^_(?:connect_)?sid_$/;

/** A value that is no secret under any key: no value at all, a switch, or how `fetch` treats credentials. */
const HARMLESS = /^(?:|true|false|null|undefined|include|omit|same-origin)$/;

/** Returns true if the values of a key are secrets, judged by its words. */
export function isSecretKey(key: string): boolean {
  return SECRET.test(wordsOf(key));
}

/** The same of a key with a value: `password: false` is none, nor are the numbers of `tokens: 512`. */
export function holdsSecret(key: string, value: unknown): boolean {
  const words = wordsOf(key);
  const text = Object(value) === value ? REDACTED : String(value);
  return (
    SECRET.test(words) &&
    !HARMLESS.test(text) &&
    !(/[^s]s_$|^_pass_$/.test(words) && /^-?[\d.,e]{1,9}$/.test(text))
  );
}

/** `X-Api-Key`, `xApiKey` and `x.api.key` are `_x_api_key_`. Letters beyond ASCII separate. */
function wordsOf(key: string): string {
  return `_${key.slice(0, KEY_CHARS_MAX)}_`
    .replace(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4')
    .replace(/[^a-zA-Z\d]+/g, '_')
    .toLowerCase();
}
