import type { SecretTest } from './secret-form.ts';
import { holdsSecret, REDACTED } from './secret-keys.ts';
import { redactSentences } from './secret-sentences.ts';

/**
 * Secrets that a text gives a name (docs/contract/clients.md 10.1). Runs in every browser of the library: no
 * lookbehind. Each function is linear in the text, and changes nothing when applied again.
 */

/** The most characters before its separator in which a key is searched. */
const KEY_CHARS_MAX = 96;
/** Not the colons of `https://` and `file.js:10:5`. */
const SEPARATOR = /=(?!=)|:(?=[\s"'\\])|["'`]:/g;
/** The text in front of a separator: the key, whole, with its brackets, quotes and blanks. */
const KEY = /(^|[^\w.$%-])([\w.$%-]+)[[\]]*(["'`\\]*)([ \t]*)$/;
/** A quoted text, also within JSON or cut off; a list or an object; a word, without what ends a sentence. */
const VALUE =
  /([ \t]{0,4})(?:(\\+")(?:[^"\\]|\\+[^"\\])*|(")(?:[^"\\]|\\[\s\S])*|(')(?:[^'\\]|\\[\s\S])*|[[{](?:[^[\]{}]|[[{][^[\]{}]*[\]}])*[\]}]?|(?:[^\s"'`&;<>,)}\]\\]|[,)}\]\\](?!:?[\s,;)}\]"'\\]|:?$))+)/y;
/** The value of a parameter of an address. */
const PARAMETER = /()(?:[^&#\s"'<>)]|\)(?![\s:,]|$))+/y;
/** Prose: `invalid token: expected a string`. */
const WORD = /^[a-z]{1,24}[.!?]?$/i;

/**
 * Replaces the values of secret keys in JSON, forms, addresses, connection strings, environments, headers, and what
 * `inspect` prints.
 */
export function redactPairs(text: string, isSecret: SecretTest = holdsSecret, mark = REDACTED): string {
  let result = '';
  let copied = 0;
  let searched = 0;
  let spare = 4 * text.length;
  SEPARATOR.lastIndex = 0;
  for (let found = SEPARATOR.exec(text); found; found = SEPARATOR.exec(text)) {
    const at = SEPARATOR.lastIndex - 1;
    const low = Math.max(searched, at - KEY_CHARS_MAX);
    searched = at + 1;
    const [, before = '', name = '', quote = '', gap] = KEY.exec(text.slice(low, at)) ?? [];
    const key = name.replace(/%(?:5[bdf]|2[de])/gi, '_');
    if (!key || !isSecret(key, REDACTED)) continue;
    const start = at + (text.charAt(at + 1) === '>' ? 2 : 1);
    const isTight = !gap && /=[^\s>]/.test(text.slice(at, at + 2));
    const pattern = isTight && /[?&]/.test(before) ? PARAMETER : VALUE;
    pattern.lastIndex = start;
    const [whole, blanks = '', ...opening] = pattern.exec(text) ?? [''];
    const open = opening.join('');
    const value = whole.slice(blanks.length + open.length);
    const isWord = !open && !isTight && WORD.test(value);
    if (isWord || !isSecret(key, value, open)) continue;
    // Values with a mark may contain each other. Too many of them are replaced as a whole.
    if (spare > 0 && /\[(?:REDACTED|secret)/.test(value)) {
      spare -= whole.length;
      continue;
    }
    result += text.slice(copied, start) + blanks + (open || quote) + mark + (open ? '' : quote);
    copied = SEPARATOR.lastIndex = searched = start + whole.length;
  }
  return result + text.slice(copied);
}

/** `Cookie: a=b; c=d`, `Authorization: Digest username="u", response="r"`: the whole line. */
const HEADER =
  /((?:cookie|authorization):[ \t]{0,4})(?![ \t]|(?:bearer|basic)\b|(?:\w{2,16} )?\[REDACTED\](?:[\r\n'"\\]|$))(?:(?:digest|hawk|oauth|mac|signature) [\w-]+=[^\r\n]*|[\w-]*(?:\[REDACTED\])?(?:[=;][^\r\n"'\\]*| {1,4}[^\s"'\\]*[^a-z\s"'\\.,})\]][^\r\n"'\\]*))/gi;

/** One look for all forms of `redactServerForms` but those in sentences: most texts have none. */
const SERVER_FORM = /cookie|authorization|%(?:25){0,2}3d|map\[|\{\w{1,64}:|mysql|mariadb|--|<\/|form-data/i;
/** Words behind the name of an option in help and in complaints. */
const OF_USAGE =
  /^(?:[A-Z][A-Z_-]{2,32}|requires?|is|was|must|option|flag|not|needs?|expects?|and|or|missing|cannot|has|argument|value)$/;
/** A parameter of an address within a parameter: `?next=https%3A%2F%2Fshop%2Fin%3Ftoken%3Dabc`. */
const ENCODED_PARAMETER =
  /(%(?:25){0,2}(?:3f|26|23)([\w.-]{1,64})%(?:25){0,2}3d)((?:[\w.~+/-]|%(?!(?:25){0,2}(?:26|23))[0-9a-f]{2}){1,2048})/gi;
/** A member of a map or a structure as Go prints it: `map[password:abc user:x]`, `{User:x Password:abc}`. */
const GO_MEMBER =
  /((?:map\[|\{| (?=[\w-]{1,64}:\[?[^\s:[\]{}"'\\]{1,512}(?:[\]}]| [\w-]{1,64}:)))([A-Za-z_][\w-]{0,63}):\[?)([^\s:[\]{}"'\\]{1,512})(?=[ \]}])/g;

/**
 * Replaces secrets in what is found on servers: header lines, `--password hunter2`, `["--password", "hunter2"]`, `curl -u ann:hunter2`,
 * `<Password>hunter2</Password>`, multipart forms, and what sentences, commands and addresses hold.
 */
export function redactServerForms(text: string, isSecret: SecretTest = holdsSecret): string {
  const hasForm = SERVER_FORM.test(text);
  let result = hasForm ? redactRareForms(text.replace(HEADER, `$1${REDACTED}`), isSecret) : text;
  result = redactSentences(result, isSecret);
  if (!hasForm) return result;
  if (result.includes('--')) {
    result = result.replace(
      /((?:^|[^\w-])--([a-z][\w-]{0,63})(?:[ \t]+|["'],[ \t]{0,4})["']?)(?![-<{[])([^\s"']+)/gi,
      (whole, start: string, key: string, value: string) =>
        isSecret(key, value) && !value.includes(REDACTED) && !OF_USAGE.test(value) && !isHelp(start, value)
          ? start + REDACTED
          : whole,
    );
  }
  if (result.includes('</')) {
    result = result.replace(
      /(<(?:[\w.-]{1,64}:)?([\w.-]{1,64})(?:\s[^<>]{0,256})?>)([^<]{1,4096})(?=<\/)/g,
      (whole, start: string, key: string, value: string) =>
        isSecret(key, value.trim()) && value !== REDACTED ? start + REDACTED : whole,
    );
  }
  if (result.includes('form-data')) {
    result = result.replace(
      /(form-data; name="([^"\r\n]{1,64})"[^\r\n]{0,256}(?:\r?\n[^\r\n]{1,256}){0,4}\r?\n\r?\n)([^\r\n]+)/g,
      (whole, start: string, key: string, value: string) =>
        isSecret(key, value) && value !== REDACTED ? start + REDACTED : whole,
    );
  }
  return result;
}

/** Returns true for a word in a column of a usage text: `--password    password of the user`. */
function isHelp(start: string, value: string): boolean {
  return /[ \t]{2}$/.test(start) && /^[a-z]+$/i.test(value);
}

/** Replaces secrets in addresses within addresses, in what Go prints, and in `mysql -phunter2`. */
function redactRareForms(text: string, isSecret: SecretTest): string {
  const replaced = (whole: string, start: string, key: string, value: string) =>
    isSecret(key, value) && !value.includes(REDACTED) ? start + REDACTED : whole;
  return text
    .replace(ENCODED_PARAMETER, replaced)
    .replace(GO_MEMBER, replaced)
    .replace(
      /(\b(?:mysql|mariadb)\w{0,12} (?:[^\s|;]{1,64} ){0,8}-p["']?)(?!\[REDACTED])[^\s"']{2,256}/g,
      `$1${REDACTED}`,
    );
}
