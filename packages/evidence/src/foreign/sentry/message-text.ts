import { cleanText } from '../../events/envelope/clean-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../events/envelope/json.ts';
import { getOwn } from '../../events/envelope/own-property.ts';
import { anyText, listOf, textOf } from './written-values.ts';

const MESSAGE_CHARS_MAX = 16_384;
const PARAMETERS_MAX = 100;
const PARAMETER_CHARS_MAX = 2_048;

/** Returns the text of a message event, with its parameters filled in (docs/contract/foreign-protocols.md 5.2). */
export function messageText(event: JsonObject): string {
  return writtenText(event) ?? textOf(event.title, MESSAGE_CHARS_MAX) ?? '(no message)';
}

/** Returns the program's own message; null if it sent none. */
export function saidText(event: JsonObject): string | null {
  return interfaceText(event.logentry) ?? interfaceText(event.message);
}

function writtenText(event: JsonObject): string | null {
  return saidText(event) ?? valueOfSynthetic(event);
}

function interfaceText(value: JsonValue | undefined): string | null {
  if (Array.isArray(value))
    return textOf(value.map((each) => anyText(each, PARAMETER_CHARS_MAX)).join(' '), MESSAGE_CHARS_MAX);
  if (!isJsonObject(value)) return textOf(value, MESSAGE_CHARS_MAX);
  const formatted = textOf(value.formatted, MESSAGE_CHARS_MAX);
  if (formatted !== null) return formatted;
  const message = textOf(value.message, MESSAGE_CHARS_MAX);
  return message === null ? null : withParameters(message, value.params);
}

/** JavaScript 11 sends a message as an exception without a type. */
function valueOfSynthetic(event: JsonObject): string | null {
  const values = isJsonObject(event.exception) ? event.exception.values : event.exception;
  const last = Array.isArray(values) ? values.at(-1) : values;
  return isJsonObject(last) && last.value !== undefined && last.value !== null
    ? textOf(anyText(last.value, MESSAGE_CHARS_MAX), MESSAGE_CHARS_MAX)
    : null;
}

/** `%s`, `%(name)s`, `%-5d`, `{}`, `{0}` and `{name}`; a percent sign is doubled. */
const PLACEHOLDER = /%%|%(?:\((\w{1,64})\))?[-+#0]{0,5}\d{0,4}(?:\.\d{1,4})?[sdrifgoxXeaq]|\{(\w{0,64})\}/g;

function withParameters(message: string, params: JsonValue | undefined): string {
  const isOne = typeof params === 'string' || typeof params === 'number';
  const list = isOne ? [params] : (listOf(params) ?? []).slice(0, PARAMETERS_MAX);
  const named = isJsonObject(params) ? params : {};
  if (list.length === 0 && Object.keys(named).length === 0) return message;
  let next = 0;
  const text = message.replace(PLACEHOLDER, (mark: string, percentName?: string, braceName?: string) => {
    if (mark === '%%') return '%';
    const name = percentName ?? braceName ?? '';
    const value =
      name === '' ? list[next++] : /^\d{1,3}$/.test(name) ? list[Number(name)] : getOwn(named, name);
    return value === undefined ? mark : anyText(value, PARAMETER_CHARS_MAX) || String(value);
  });
  return cleanText(text, MESSAGE_CHARS_MAX);
}
