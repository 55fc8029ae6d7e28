interface ExceptionHeader {
  type: string;
  message: string;
}

/** A name without spaces, a code in brackets as Node.js and .NET write it, and the message. */
const HEADER =
  /^((?:\\?[\p{L}_$])[\p{L}\p{M}\p{N}_$.\\@+`-]*(?:::[\p{L}_][\p{L}\p{M}\p{N}_]*)*)(?: \[[A-Z][A-Z0-9_]*\]| \((?:0x)?[0-9A-Fa-f]{1,8}\)(?=:))?(?::(?:\s(.*))?)?$/su;

/** Runtimes write this in front of an error that ended a program. */
const LEAD =
  /^(?:(?:error: |(?:PHP )?(?:Fatal|Parse) error: {1,2}|\[ERROR:flutter\/[^\]\n]{1,160}\] )?(?:Uncaught (?:\(in promise\) )?|Unhandled Exception: |Unhandled exception\. )|⨯ |\[ERROR\] |\(node:\d{1,10}\) (?:\[DEP\d{1,6}\] )?(?:UnhandledPromiseRejectionWarning: )?)(?=\S)/;
const MAY_LEAD = /^(?:U|error: |PHP |Fatal |Parse |\[ERROR|⨯|\(node:)/;

/** `** (KeyError) key :price not found`. */
const OF_ELIXIR = /^\*\* \(([A-Z][\w.]{0,200})\) (.*)$/s;

/** `ActionView::Template::Error (undefined method 'name' for nil):`. */
const OF_RAILS = /^([A-Z]\w{0,100}(?:::[A-Z]\w{0,100}){0,8}) \((.{1,4000})\):$/s;

/**
 * Reads `Type: message`. Text that is not of this form gives an empty type and is the message
 * (contract incidents 5.4.6).
 */
export function readHeader(text: string): ExceptionHeader {
  const trimmed = withoutLead(text.trim());
  const raised = trimmed.startsWith('** (') ? OF_ELIXIR.exec(trimmed) : null;
  if (raised?.[1] !== undefined) return { type: raised[1], message: (raised[2] ?? '').trim() };
  const logged = trimmed.endsWith('):') ? OF_RAILS.exec(trimmed) : null;
  if (logged?.[1] !== undefined) return { type: logged[1], message: (logged[2] ?? '').trim() };
  const match = HEADER.exec(trimmed);
  if (match?.[1] === undefined) return { type: '', message: trimmed };
  const header = { type: withoutLeadingBackslash(match[1]), message: (match[2] ?? '').trim() };
  return header.type.endsWith(OF_REACT_NATIVE) ? thrownInReactNative(header) : header;
}

/** The text without what runtimes write in front of an error that ended a program. */
export function withoutLead(text: string): string {
  return MAY_LEAD.test(text) ? text.replace(LEAD, '') : text;
}

/** The exception of Android with which React Native ends. */
export const OF_REACT_NATIVE = 'JavascriptException';
/** React Native on Android writes this behind the error of JavaScript. */
const BEHIND_THROWN = /, js engine: \w{1,20}(?:, stack:.*)?$/s;

/** The error of JavaScript that React Native puts into the message of its exception of Android. */
export function thrownInReactNative(exception: ExceptionHeader): ExceptionHeader {
  const { type, message } = exception;
  if (!type.endsWith(OF_REACT_NATIVE)) return exception;
  const thrown = message.replace(BEHIND_THROWN, '');
  const inner = readHeader(thrown);
  return inner.type === '' ? { type, message: thrown } : inner;
}

/** PHP writes a fully qualified class with or without its root separator. */
export function withoutLeadingBackslash(type: string): string {
  return type.startsWith('\\') ? type.slice(1) : type;
}
