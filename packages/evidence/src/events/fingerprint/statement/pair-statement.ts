import type { Pair } from './read-pairs.ts';

/** Names are compared in small letters and without punctuation, as `Pair.path` has them. */
function names(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

/** Names of the text that a program wrote, the most telling first: templates before what was made of them. */
const MESSAGE_NAMES =
  'messagetemplate mt message msg m event shortmessage rawmessage logmessage renderedmessage textpayload log text title summary statement body'.split(
    ' ',
  );
/** Names of the text that says why, beside the message. */
const REASON_NAMES =
  'error err exception cause reason detail details desc description errormessage errormsg errmsg errordescription exceptionmessage errortext errorreason rootcause failure fault faultstring stderr statustext'.split(
    ' ',
  );
const TYPE_NAMES =
  'type name class kind errortype exceptiontype errorclass exceptionclass exceptionname errorname code errorcode'.split(
    ' ',
  );
const REASONS = names(REASON_NAMES.join(' '));
/** Objects around the record or its error. */
const WRAPPERS = names(
  'errors err error fields record log data payload jsonpayload response body result attributes value status',
);

/** Reasons that take part beside the message. */
const REASONS_MAX = 2;

/** True for a name whose text is what a program says, and no value. */
export function isStatementName(name: string): boolean {
  const plain = name.replace(/[^A-Za-z]/g, '').toLowerCase();
  return REASONS.has(plain) || MESSAGE_NAMES.includes(plain);
}

/**
 * Returns the statement of a record of named texts: its message, and the reasons next to it. Null when no name marks a
 * text.
 */
export function pairStatement(pairs: readonly Pair[]): string | null {
  const message = messageOf(pairs);
  const reasons = reasonsOf(pairs).filter((reason) => message === null || !message.includes(reason));
  const said = [...(message === null ? [] : [message]), ...reasons.slice(0, REASONS_MAX)];
  if (said.length === 0) return null;
  return said.reduce((text, part) => (/[.:!?]$/.test(text) ? `${text} ${part}` : `${text}: ${part}`));
}

function messageOf(pairs: readonly Pair[]): string | null {
  for (const depth of [1, 2, 3]) {
    for (const name of MESSAGE_NAMES) {
      const found = pairs.find(
        ({ path, value }) => path.length === depth && path.at(-1) === name && isText(value) && isRecord(path),
      );
      if (found !== undefined) return found.value;
    }
  }
  return null;
}

/** Returns true if the names around a message are those of a record, and of no error inside it. */
function isRecord(path: readonly string[]): boolean {
  return path.slice(0, -1).every((name) => WRAPPERS.has(name) && !isErrorName(name));
}

function isErrorName(name: string): boolean {
  return REASONS.has(name) || name === 'errors';
}

function reasonsOf(pairs: readonly Pair[]): string[] {
  const reasons: string[] = [];
  for (const name of REASON_NAMES) {
    const own = pairs.find(
      ({ path, value }) => path.length <= 3 && path.at(-1) === name && isText(value) && isRecord(path),
    );
    if (own !== undefined) reasons.push(own.value);
  }
  const nested = nestedReason(pairs);
  if (nested !== null) reasons.push(nested);
  return [...new Set(reasons)];
}

/** The error object inside a record: its type and its message. */
function nestedReason(pairs: readonly Pair[]): string | null {
  const inside = pairs.filter(({ path }) => path.length > 1 && path.slice(0, -1).some(isErrorName));
  if (inside.length === 0) return null;
  const textOf = (list: readonly string[]): string | undefined => {
    for (const name of list) {
      const found = inside.find(({ path, value }) => path.at(-1) === name && isText(value));
      if (found !== undefined) return found.value;
    }
    return undefined;
  };
  const said = [textOf(TYPE_NAMES), textOf([...MESSAGE_NAMES, ...REASON_NAMES])];
  const parts = said.filter((part) => part !== undefined);
  return parts.length === 0 ? null : parts.join(': ');
}

/** A number, a flag or an empty text says nothing. */
function isText(value: string): boolean {
  return /\p{L}{2}/u.test(value) && !/^(?:true|false|null|nil|none|undefined)$/i.test(value);
}
