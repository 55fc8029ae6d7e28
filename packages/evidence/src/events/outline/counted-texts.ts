import type { JsonObject, JsonValue } from '../envelope/json.ts';
import { firstFilled, objectOrEmpty } from '../envelope/read-json.ts';
import { safeText, TEXT_CHARS_MAX } from '../envelope/safe-text.ts';
import { maskedMessage } from '../fingerprint/masked-numbers.ts';

/** The texts of a payload that repeat its message, with ones for the digits of what the message counts. */
interface CountedTexts {
  masked: JsonObject;
  ownMessage: string;
}

/** Longer messages hardly differ in a number alone, and each is searched for secrets. */
const MASKED_CHARS_MAX = 2048;

/**
 * Masks the numbers of a message that has no secret, and those of the message where the stack repeats it (a line of it,
 * or its end). Digits decide about secrets in numbers of cards, of accounts, and in credentials: each is found in the
 * message alone, because nothing that may belong to one is beside it in the stack. Null where nothing is masked.
 */
export function countedTexts(payload: JsonObject): CountedTexts | null {
  const { message } = payload;
  if (typeof message !== 'string' || message.length > MASKED_CHARS_MAX) return null;
  const masked = maskedMessage(message);
  if (masked === null || /\d/.test(nameOf(payload))) return null;
  const key = stackKeyOf(payload);
  const stack = key === null ? null : payload[key];
  if (key === null || typeof stack !== 'string' || stack.length > TEXT_CHARS_MAX.stack) return null;
  const maskedStack = withMasked(stack, message, masked);
  if (maskedStack === null || safeText(message, TEXT_CHARS_MAX.message) !== message) return null;
  return {
    masked: { message: masked, [key]: maskedStack, ...maskedExceptions(payload, message, masked) },
    ownMessage: message,
  };
}

function nameOf({ name, error_class, error }: JsonObject): string {
  const sent = firstFilled(name, error_class, objectOrEmpty(error).type);
  return typeof sent === 'string' ? sent : '';
}

/** Without a stack the message may be one. */
function stackKeyOf({ stack, stacktrace }: JsonObject): 'stack' | 'stacktrace' | null {
  const isFilled = (value: JsonValue | undefined) => typeof value === 'string' && value.trim() !== '';
  if (firstFilled(stack) !== undefined) return isFilled(stack) ? 'stack' : null;
  return isFilled(stacktrace) ? 'stacktrace' : null;
}

function withMasked(stack: string, message: string, masked: string): string | null {
  const at = stack.indexOf(message);
  if (at === -1) return stack;
  const end = at + message.length;
  const isAlone = BEFORE.test(stack.slice(Math.max(0, at - 2), at)) && BEHIND.test(stack.slice(end, end + 1));
  if (!isAlone || stack.indexOf(message, at + 1) !== -1) return null;
  return stack.slice(0, at) + masked + stack.slice(end);
}

const BEFORE = /^$|\n$|: $/;
const BEHIND = /^$|[\r\n]/;

function maskedExceptions({ exceptions }: JsonObject, message: string, masked: string): JsonObject {
  if (!Array.isArray(exceptions)) return {};
  return {
    exceptions: exceptions.map((each) =>
      objectOrEmpty(each).message === message ? { ...objectOrEmpty(each), message: masked } : each,
    ),
  };
}
