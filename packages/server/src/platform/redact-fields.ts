const REPLACEMENT = '[secret]';
/** Compared without case, `_` and `-`; a field is secret when its name ends in one of them. */
const SECRET_NAME_ENDINGS = [
  'authorization',
  'cookie',
  'token',
  'password',
  'secret',
  'plaintext',
  'datakey',
  'databaseurl',
  'smtpurl',
  'credentials',
];
const DEPTH_MAX = 4;
const MEMBERS_MAX = 100;
const NAMES_REMEMBERED_MAX = 1_000;
/** The password of `scheme://user:password@host`, as it stands in texts of drivers. */
const URL_PASSWORD = /(:\/\/[^\s:@/]{0,100}:)[^\s@/]{1,500}@/g;

const judgedNames = new Map<string, boolean>();

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
        isSecretName(name) ? redactedUnlessEmpty(member) : redactValue(member, depth - 1),
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

function isSecretName(name: string): boolean {
  const judged = judgedNames.get(name);
  if (judged !== undefined) {
    return judged;
  }
  const plain = name.toLowerCase().replaceAll(/[_-]/g, '');
  const isSecret = SECRET_NAME_ENDINGS.some((ending) => plain.endsWith(ending));
  if (judgedNames.size < NAMES_REMEMBERED_MAX) {
    judgedNames.set(name, isSecret);
  }
  return isSecret;
}
