import type { JsonObject } from '../../events/envelope/json.ts';
import { objectOrEmpty } from '../../events/envelope/read-json.ts';
import type { SentrySource } from './sentry-source.ts';
import { filled, firstOf, namedValue, textOf } from './written-values.ts';

const WORD_CHARS_MAX = 200;
const AGENT_CHARS_MAX = 1_024;

/** On whose device an error of a page or an app happened (docs/contract/foreign-protocols.md 5.1). */
export function deviceOf(event: JsonObject, source: SentrySource): JsonObject | null {
  const contexts = objectOrEmpty(event.contexts);
  const [device, os, app, culture] = [contexts.device, contexts.os, contexts.app, contexts.culture].map(
    objectOrEmpty,
  );
  const word = (value: JsonObject[string] | undefined) => textOf(value, WORD_CHARS_MAX);
  const mapped = filled({
    user_agent:
      textOf(firstOf(namedValue(objectOrEmpty(event.request).headers, 'user-agent')), AGENT_CHARS_MAX) ??
      (event.platform === 'javascript' ? textOf(source.userAgent ?? undefined, AGENT_CHARS_MAX) : null),
    model: word(device?.model),
    manufacturer: word(device?.manufacturer) ?? word(device?.brand),
    os_name: word(os?.name),
    os_version: word(os?.version),
    app_version: word(app?.app_version),
    build_number: word(app?.app_build),
    locale: word(culture?.locale),
    timezone: word(culture?.timezone) ?? word(device?.timezone),
  });
  return Object.keys(mapped).length === 0 ? null : mapped;
}

/** Name and version of a browser, where the event names it itself. */
export function browserOf(event: JsonObject): JsonObject | null {
  const browser = objectOrEmpty(objectOrEmpty(event.contexts).browser);
  const mapped = filled({
    name: textOf(browser.name, WORD_CHARS_MAX),
    version: textOf(browser.version, WORD_CHARS_MAX),
  });
  return Object.keys(mapped).length === 0 ? null : mapped;
}
