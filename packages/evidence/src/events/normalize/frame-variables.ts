import { REDACTED } from '@culprit/contract/events/secret-keys';
import { isJsonObject, type JsonObject } from '../envelope/json.ts';
import { getOwn, setOwn } from '../envelope/own-property.ts';
import { safeText } from '../envelope/safe-text.ts';
import { holdsSecret } from '../redact/secret-members.ts';

const VARIABLES_MAX = 20;
const NAME_CHARS_MAX = 128;
const VALUE_CHARS_MAX = 512;

/**
 * The `vars` of a frame (docs/contract/ingestion.md 2.1.5): names, and what they held as text, redacted by both. Null
 * without any.
 */
export function frameVariables(frame: JsonObject): JsonObject | null {
  const sent = getOwn(frame, 'vars');
  if (!isJsonObject(sent)) return null;
  const variables: JsonObject = {};
  let count = 0;
  for (const name in sent) {
    if (count === VARIABLES_MAX) break;
    count += 1;
    const value = sent[name] ?? null;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const shown = holdsSecret(name, value) ? REDACTED : safeText(text, VALUE_CHARS_MAX);
    setOwn(variables, safeText(name, NAME_CHARS_MAX), shown);
  }
  return count === 0 ? null : variables;
}
