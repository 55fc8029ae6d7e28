import { redactDatabaseTexts } from '@culprit/contract/events/database-texts';
import type { SecretTest } from '@culprit/contract/events/secret-form';
import { REDACTED } from '@culprit/contract/events/secret-keys';
import { redactPairs, redactServerForms } from '@culprit/contract/events/secret-texts';
import { redactTokens } from '@culprit/contract/events/secret-tokens';
import { partsOf } from './quoted-source.ts';
import { holdsSecret, holdsSecretInCode, holdsSecretInQuoted } from './secret-members.ts';

/** Shorter text cannot hold any of the patterns. */
const SHORTEST_SECRET = 5;

/**
 * Replaces what looks like a secret by `[REDACTED]` (docs/contract/incidents.md 3.7): Bearer and Basic credentials,
 * JWTs, PEM private keys, project and member tokens, tokens of known makers, card-like numbers, the user-info of URLs,
 * what the text calls a secret (`password=…`), and values in messages of databases. Linear in the text, and applying it twice changes nothing more. Text
 * without any trigger comes back as the same string.
 */
export function redactText(text: string): string {
  return partsOf(text)
    .map((part) => redact(part.text, part.isSource ? holdsSecretInQuoted : holdsSecret))
    .join('\n');
}

/** The same for lines of source code, in which a name without quotation marks refers to a value. */
export function redactSource(text: string): string {
  return redact(text, holdsSecretInCode);
}

function redact(text: string, isSecret: SecretTest): string {
  if (text.length < SHORTEST_SECRET) return text;
  let result = text;
  // Each trigger is a rare character or word that the engine finds much faster than a pattern would be.
  if (result.includes('-----')) result = redactPrivateKeys(result);
  if (result.includes('@') && result.includes('://')) result = redactUrlUserInfo(result);
  const mayHoldCredential = MAY_HOLD_CREDENTIAL.test(result);
  if (mayHoldCredential) result = result.replace(SERVICE_TOKEN, REDACTED);
  if (result.includes('J') && result.includes('eyJ')) result = redactJsonWebTokens(result);
  result = redactTokens(result);
  if (mayHoldCredential) result = result.replace(CREDENTIAL, credentialReplacement);
  if (mayHoldCardNumber(result)) result = redactCardNumbers(result);
  // Values that the text itself calls a secret (docs/contract/clients.md 10.1).
  return redactDatabaseTexts(redactServerForms(redactPairs(result, isSecret), isSecret));
}

/**
 * The text as it must be read where numbers are neutral, such as fingerprint material: a card-like number is one in
 * ten of all long numbers, so its mark must read as a number or equal errors would part.
 */
export function readMarksAsNumbers(text: string): string {
  return text.includes(REDACTED) ? text.replaceAll(REDACTED, '0000000000000') : text;
}

const SERVICE_TOKEN = /svc_(?:proj|mem)_[\w-]+/g;

const PEM_BEGIN = '-----BEGIN ';
const PEM_END = '-----END ';
const PEM_DASHES = '-----';
const PEM_LABEL_CHARS_MAX = 64;

/** From the opening line to the closing one; a key whose end was cut off goes with the rest of the text. */
function redactPrivateKeys(text: string): string {
  let result = '';
  let copied = 0;
  let begin = text.indexOf(PEM_BEGIN);
  while (begin !== -1) {
    const labelEnd = pemLabelEnd(text, begin + PEM_BEGIN.length);
    const label = labelEnd === -1 ? '' : text.slice(begin + PEM_BEGIN.length, labelEnd);
    let next = begin + PEM_BEGIN.length;
    if (label.includes('PRIVATE KEY')) {
      const end = text.indexOf(PEM_END, labelEnd);
      const endLabelEnd = end === -1 ? -1 : pemLabelEnd(text, end + PEM_END.length);
      next = end === -1 ? text.length : endLabelEnd === -1 ? end : endLabelEnd + PEM_DASHES.length;
      result += text.slice(copied, begin) + REDACTED;
      copied = next;
    }
    begin = text.indexOf(PEM_BEGIN, next);
  }
  return result + text.slice(copied);
}

function pemLabelEnd(text: string, from: number): number {
  const at = text.slice(from, from + PEM_LABEL_CHARS_MAX).indexOf(PEM_DASHES);
  return at === -1 ? -1 : from + at;
}

/** User-info longer than this is not looked for. */
const USER_INFO_CHARS_MAX = 1_024;

function redactUrlUserInfo(text: string): string {
  let result = '';
  let copied = 0;
  let slashes = text.indexOf('://');
  while (slashes !== -1) {
    const start = slashes + 3;
    const at = slashes > 0 && isSchemeChar(text.charCodeAt(slashes - 1)) ? userInfoEnd(text, start) : -1;
    if (at > start && !isUserOfGit(text, slashes, at)) {
      result += text.slice(copied, start) + REDACTED;
      copied = at;
    }
    slashes = text.indexOf('://', start);
  }
  return result + text.slice(copied);
}

/** `ssh://git@host`: everyone is this user. */
function isUserOfGit(text: string, slashes: number, end: number): boolean {
  return end === slashes + 6 && text.startsWith('ssh://git@', slashes - 3);
}

/** Place of the last `@` before the host's end, or -1. */
function userInfoEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + USER_INFO_CHARS_MAX);
  let last = -1;
  for (let i = start; i < limit; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === AT) last = i;
    else if (endsAuthority(unit)) break;
  }
  return last;
}

const AT = 64;

/** White space, controls, quotes, angle brackets, and what begins a path, a query or a fragment. */
function endsAuthority(unit: number): boolean {
  return (
    unit <= 32 ||
    unit === 47 ||
    unit === 63 ||
    unit === 35 ||
    unit === 92 ||
    unit === 34 ||
    unit === 39 ||
    unit === 60 ||
    unit === 62
  );
}

function isSchemeChar(unit: number): boolean {
  return isAlphanumeric(unit) || unit === 43 || unit === 45 || unit === 46;
}

function isAlphanumeric(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122);
}

/**
 * Redacts Base64url segments joined by dots, the first one an encoded `{"`. Each run of letters is scanned only one
 * time.
 */
function redactJsonWebTokens(text: string): string {
  let result = '';
  let copied = 0;
  let start = text.indexOf('eyJ');
  while (start !== -1) {
    let end = segmentEnd(text, start);
    const headerChars = end - start;
    for (let dots = 0; dots < 4 && text.charCodeAt(end) === DOT; dots += 1) {
      const next = segmentEnd(text, end + 1);
      if (next === end + 1) break;
      end = next;
    }
    if (headerChars >= 7 && end - start > headerChars) {
      result += text.slice(copied, start) + REDACTED;
      copied = end;
    }
    start = text.indexOf('eyJ', end);
  }
  return result + text.slice(copied);
}

const DOT = 46;

function segmentEnd(text: string, from: number): number {
  let i = from;
  for (; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (!isAlphanumeric(unit) && unit !== 45 && unit !== 95) break;
  }
  return i;
}

const MAY_HOLD_CREDENTIAL = /bearer|basic|ntlm|negotiate|ssws|svc_/i;
const CREDENTIAL = /\b(bearer|basic|ntlm|negotiate|ssws)([ \t]{1,8}|%20|\+)([\w.~+/=-]+)/gi;

function credentialReplacement(whole: string, scheme: string, gap: string, credential: string): string {
  const isSecret = scheme.length === 5 ? isBasicCredential(credential) : isBearerCredential(credential);
  return isSecret ? `${scheme}${gap}${REDACTED}` : whole;
}

/** "Bearer token", "bearer undefined" and `Bearer realm=` are words of an error, not credentials. */
function isBearerCredential(credential: string): boolean {
  return credential.length >= 4 && !isPlainWord(credential) && !PARAMETER.test(credential);
}

/** The member of an answer that follows its `token_type=Bearer`. Libraries hide it. */
const PARAMETER = /^(?:scope|expires(?:_in|_at)?)=[\w:.-]{1,64}$/;

/** Base64 of `user:password`; anything else only when it is long enough and no word ("Visual Basic 6.0"). */
function isBasicCredential(credential: string): boolean {
  if (credential.length > 4_096) return true;
  if (Buffer.from(credential, 'base64').includes(58)) return true;
  return credential.length >= 8 && !isPlainWord(credential);
}

function isPlainWord(text: string): boolean {
  return text.length <= 24 && PLAIN_WORD.test(text);
}

const PLAIN_WORD = /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_./](?:[A-Z]?[a-z]+|[A-Z]+))*[.=]?$/;

const CARD_DIGITS_MIN = 13;

/**
 * Returns true if 13 digits are in a row, single spaces and dashes aside. Such a run covers every 13th character,
 * so only those are checked.
 */
function mayHoldCardNumber(text: string): boolean {
  for (let i = CARD_DIGITS_MIN - 1; i < text.length; i += CARD_DIGITS_MIN) {
    if (!isCardChar(text.charCodeAt(i))) continue;
    let start = i;
    while (start > 0 && isCardChar(text.charCodeAt(start - 1))) start -= 1;
    let digits = 0;
    let end = start;
    for (; end < text.length && isCardChar(text.charCodeAt(end)); end += 1) {
      if (text.charCodeAt(end) >= 48) digits += 1;
    }
    if (digits >= CARD_DIGITS_MIN) return true;
    i = end;
  }
  return false;
}

function isCardChar(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || unit === 32 || unit === 45;
}

/** A whole number, or one in the groups cards are printed in; no part of a word, a version or a decimal. */
const CARD_NUMBER =
  /(?<![A-Za-z0-9]|\d[.-])(?:\d{13,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{5})(?![A-Za-z0-9]|[.-]\d)/g;

function redactCardNumbers(text: string): string {
  return text.replace(CARD_NUMBER, (number) => {
    const digits = number.replace(/[ -]/g, '');
    return passesLuhn(digits) && !NO_CARD.test(digits) ? REDACTED : number;
  });
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Times begin with 1, or with 2 in 14 digits; cards do neither, and begin with 2 to 6. */
const NO_CARD = /^(?:[01789]|2.{13}$)/;
