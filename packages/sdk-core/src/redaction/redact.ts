import { holdsSecret, REDACTED } from '../../../contract/src/events/secret-keys.ts';
import { redactPairs } from '../../../contract/src/events/secret-texts.ts';

/** A further redaction: a text without which it need not be tried, and the function that redacts. */
export type RedactionPattern = readonly [
  trigger: string,
  redact: (text: string, isSecret: Redaction['isSecret']) => string,
];

export interface Redaction {
  /** Returns true if the value of a key must not be sent. */
  isSecret(key: string, value: unknown): boolean;
  /** The text without credentials and values of secret keys. Linear, and applying it twice changes nothing more. */
  text(text: string): string;
}

/** @param keys added to the built-in ones */
export function createRedaction(
  keys: readonly string[] = [],
  patterns: readonly RedactionPattern[] = [],
): Redaction {
  const own = keys.map(bareKey);
  const isSecret: Redaction['isSecret'] = (key, value) =>
    holdsSecret(key, value) || (!!own[0] && key.length < 64 && own.includes(bareKey(key)));
  return {
    isSecret,
    text(text) {
      let result = redactPairs(redactSecrets(text), isSecret);
      for (const [trigger, redact] of patterns) {
        if (result.includes(trigger)) result = redact(result, isSecret);
      }
      return result;
    },
  };
}

function bareKey(key: string): string {
  return key.replace(/[_-]/g, '').toLowerCase();
}

/**
 * The values of docs/contract/clients.md 10.1: the same results as the text redaction of the service. Each pattern is
 * behind a trigger, which is found much faster.
 */
function redactSecrets(text: string): string {
  let result = text;
  if (result.includes('-----BEGIN ')) {
    result = result.replace(
      /-----BEGIN .{0,48}PRIVATE KEY.{0,16}?-----[\s\S]*?(?:-----END .{0,64}?-----|$)/g,
      REDACTED,
    );
  }
  if (result.includes('://')) {
    result = result.replace(/([a-z\d+.-]:\/\/)[^\0- /?#\\"'<>]{1,1023}@/gi, `$1${REDACTED}@`);
  }
  result = result.replace(/svc_(?:proj|mem)_[\w-]+/g, REDACTED);
  if (result.includes('eyJ')) {
    result = result.replace(/(eyJ[\w-]*)((?:\.[\w-]+){0,4})/g, (whole, header: string, rest: string) =>
      header.length > 6 && rest ? REDACTED : whole,
    );
  }
  if (/bearer|basic/i.test(result)) {
    result = result.replace(/\b(bearer|basic)([ \t]{1,8}|%20|\+)([\w.~+/=-]+)/gi, redactCredential);
  }
  // A whole number, or one in the groups in which cards are printed; no part of a word, a version or a decimal. The
  // characters that can precede it are matched too: Safari before 16.4 has no lookbehind.
  return result.replace(
    /(^|[^a-z\d.-]|(?:^|\D)[.-])(\d{13,19}|\d{4}([ -])\d{4}\3\d{4}\3\d{1,7}|\d{4}([ -])\d{6}\4\d{5})(?![a-z\d]|[.-]\d)/gi,
    (whole, before: string, number: string) =>
      isCardNumber(number.replace(/\D/g, '')) ? before + REDACTED : whole,
  );
}

/** "Bearer token" and "Visual Basic 6.0" are words, not credentials. */
function redactCredential(whole: string, scheme: string, gap: string, credential: string): string {
  const { length } = credential;
  const isWord =
    length < 25 && /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[-_./](?:[A-Z]?[a-z]+|[A-Z]+))*[.=]?$/.test(credential);
  return (length >= (scheme.length === 5 ? 8 : 4) && !isWord) ||
    // Base64 of something with a `:`, as `user:password` is: it ends in one of these ways within four characters.
    (scheme.length === 5 &&
      /^(?:.{4})*(?:O[g-v]|.[DTjz][o-r]|..[AEIMQUYcgkosw048]6)/.test(credential.replace(/[.~]|=.*/g, '')))
    ? scheme + gap + REDACTED
    : whole;
}

/** Passes the check of Luhn, begins as cards do, and is no time: one number in ten passes the check. */
function isCardNumber(digits: string): boolean {
  let sum = 0;
  [...digits].reverse().forEach((each, i) => {
    const digit = Number(each) * (1 + (i % 2));
    sum += digit > 9 ? digit - 9 : digit;
  });
  return sum % 10 === 0 && !/^(?:[01789]|2.{13}$)/.test(digits);
}
