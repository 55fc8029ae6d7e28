import { createHash } from 'node:crypto';
import type { JsonObject } from '../../events/envelope/json.ts';
import { getOwn } from '../../events/envelope/own-property.ts';
import { TEXT_CHARS_MAX } from '../../events/envelope/safe-text.ts';
import type { StackLanguage } from '../../events/fingerprint/stack/forms/frame-form.ts';
import type { ParsedException } from '../../events/fingerprint/stack/parsed-stack.ts';
import { readAnyStack } from '../../events/fingerprint/stack/read-stack.ts';
import { anyText, textOf } from './attribute-values.ts';

/** The facts of an exception in attributes (docs/contract/foreign-protocols.md 8.4). */
export interface ExceptionFacts {
  name: string;
  message: string;
  stack: string | null;
  isEscaped: boolean;
  /** The text that distinguishes it from other exceptions of its span, however it was recorded. */
  identity: string;
}

const EXCEPTION = /^exception\.(?:type|message|stacktrace|escaped)$/;
const MESSAGE_CHARS_IN_IDENTITY = 200;

/** Returns true if an attribute has a separate place in an exception. */
export function isOfException(name: string): boolean {
  return EXCEPTION.test(name);
}

export function holdsException(attributes: JsonObject): boolean {
  return textOf(attributes, ['exception.type', 'exception.stacktrace'], 1) !== null;
}

export function exceptionFacts(attributes: JsonObject, language: StackLanguage | null): ExceptionFacts {
  const sentType = textOf(attributes, ['exception.type'], TEXT_CHARS_MAX.name)?.trim() ?? '';
  const message = anyText(getOwn(attributes, 'exception.message'), TEXT_CHARS_MAX.message);
  const stack = textOf(attributes, ['exception.stacktrace'], TEXT_CHARS_MAX.stack);
  const [outermost] = readAnyStack(stack, language)?.chain ?? [];
  const escaped = getOwn(attributes, 'exception.escaped');
  return {
    name: nameOf(sentType, outermost?.type ?? ''),
    // Without a type, the text above a trace is no message of an exception.
    message: message === '' && outermost?.type ? outermost.message : message,
    stack,
    isEscaped: escaped === true || (typeof escaped === 'string' && escaped.toLowerCase() === 'true'),
    identity: identityOf(outermost, sentType, message),
  };
}

/** The text that JavaScript records as the type of an error that has a code. */
const CODE = /^[A-Z0-9_]{1,64}$/;

/**
 * The class of an exception. A logger of .NET or Python writes it without its namespace, where a span has it in full;
 * the trace has it in full in both.
 */
function nameOf(sent: string, inTrace: string): string {
  if (inTrace === '') return sent;
  if (sent === '' || CODE.test(sent)) return inTrace;
  const before = inTrace.charAt(inTrace.length - sent.length - 1);
  return inTrace.endsWith(sent) && /[.:\\$+]/.test(before) ? inTrace : sent;
}

/** The code that records an exception, which is above the exception itself in traces of Go. */
const RECORDER = /opentelemetry/i;

/** The trace is the same however an exception was recorded; its raw type is not. */
function identityOf(outermost: ParsedException | undefined, sentType: string, message: string): string {
  const frame = outermost?.frames.find(({ file }) => !RECORDER.test(file ?? '')) ?? outermost?.frames[0];
  if (outermost === undefined || frame === undefined) {
    return `${sentType}\n${message.slice(0, MESSAGE_CHARS_IN_IDENTITY)}`;
  }
  const { module, function: called, file, line, column } = frame;
  return [outermost.type || sentType, module, called, file, line, column].join('\n');
}

/** 32 hexadecimal digits over some texts. */
export function digestOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);
}
