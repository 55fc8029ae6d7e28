import { holdsSecret } from '@culprit/contract/events/secret-keys';

const REPLACEMENT = '[secret]';
/** The further fields that the log never shows, compared without case, `_` and `-`. */
const OWN_SECRETS = /(?:plaintext|datakey|databaseurl|smtpurl)$/;
const DEPTH_MAX = 4;
const MEMBERS_MAX = 100;
/** The password of `scheme://user:password@host`, as it appears in texts of drivers. */
const URL_PASSWORD = /(:\/\/[^\s:@/]{0,100}:)[^\s@/]{1,500}@/g;

/** Copies the fields of a log entry with secrets replaced, and bounded in depth and number. */
export function redactFields(fields: object): Record<string, unknown> {
  return redactObject(fields, DEPTH_MAX);
}

function redactObject(value: object, depth: number): Record<string, unknown> {
  // `fromEntries` defines members, so that a key `__proto__` stays a key.
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MEMBERS_MAX)
      .map(([name, member]) => [
        name,
        isSecretMember(name, member) ? redactedUnlessEmpty(member) : redactValue(member, depth - 1),
      ]),
  );
}

function redactedUnlessEmpty(value: unknown): unknown {
  return value === null || value === undefined || value === '' ? value : REPLACEMENT;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') {
    return value.includes('://') ? value.replace(URL_PASSWORD, `$1${REPLACEMENT}@`) : value;
  }
  if (typeof value === 'bigint') {
    return String(value);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (value instanceof Error) {
    const { name, message, stack } = value;
    return redactObject({ ...value, type: name, message, stack }, 2);
  }
  // Dates, secrets and the like say themselves how they are written.
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return redactValue(value.toJSON(), depth);
  }
  if (depth <= 0) {
    return Array.isArray(value) ? '[array]' : '[object]';
  }
  return Array.isArray(value)
    ? value.slice(0, MEMBERS_MAX).map((member) => redactValue(member, depth - 1))
    : redactObject(value, depth);
}

function isSecretMember(name: string, member: unknown): boolean {
  return holdsSecret(name, member) || OWN_SECRETS.test(name.toLowerCase().replaceAll(/[_-]/g, ''));
}
