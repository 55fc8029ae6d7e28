import type { Step } from '../client.ts';
import { type Cleaner, isJsonObject, textOf } from '../redaction/clean.ts';
import { jsonOf } from '../sending/serialize.ts';
import type { WireEvent } from '../wire.ts';
import { samplingNumber } from './fnv1a.ts';

type Pattern = string | RegExp;

/** Regular expressions of the host see no more of a text. */
const MATCHED_CHARS_MAX = 2048;

/** Step 5 of docs/contract/clients.md 7.1, on exceptions: `ignoreErrors`, and the file of the innermost frame. */
export function createIgnoreStep(options: {
  ignoreErrors?: readonly Pattern[] | undefined;
  allowUrls?: readonly Pattern[] | undefined;
  denyUrls?: readonly Pattern[] | undefined;
}): Step {
  const { ignoreErrors = [], allowUrls = [], denyUrls = [] } = options;
  return (event) => {
    const { name, message, stack } = event.payload;
    if (!event.event_type.endsWith('exception')) return event;
    if (isFoundBy(ignoreErrors, `${name}: ${message}`)) return 'filtered';
    const file = innermostFile(textOf(stack));
    return file && (isFoundBy(denyUrls, file) || (allowUrls.length > 0 && !isFoundBy(allowUrls, file)))
      ? 'filtered'
      : event;
  };
}

/** Returns true if a text contains one of the strings or matches one of the expressions. */
export function isFoundBy(patterns: readonly Pattern[], text: string): boolean {
  const cut = text.slice(0, MATCHED_CHARS_MAX);
  return patterns.some((pattern) =>
    typeof pattern === 'string' ? !!pattern && text.includes(pattern) : cut.search(pattern) >= 0,
  );
}

/** The file of the first line of a stack that names one, without line and column. */
export function innermostFile(stack: string): string | null {
  const frame = /^(?:[ \t]*at (?:.* \()?|(?:[^@\s]| )*@)(\S{1,1000}?):\d+:\d+\)?$/m;
  return frame.exec(stack.slice(0, 4 * MATCHED_CHARS_MAX))?.[1] ?? null;
}

/**
 * Step 6: the host's own function. Null drops; a throw, and a result that is no event of the type, keeps the original.
 * Payload and context are cleaned again after the host's changes; the envelope stays unchanged.
 */
export function createBeforeSendStep(
  beforeSend: (event: WireEvent) => unknown,
  startCleaner: () => Cleaner,
): Step {
  return (event) => {
    const original: WireEvent = JSON.parse(jsonOf(event));
    try {
      const result = beforeSend(event);
      if (result === null) return 'filtered';
      const { event_type, payload, context } = Object(result);
      if (event_type === original.event_type && isJsonObject(payload)) {
        const cleaner = startCleaner();
        return {
          ...original,
          payload: cleaner.payload(payload),
          context: cleaner.membersOf(isJsonObject(context) ? context : {}),
        };
      }
    } catch {
      // The original is kept, as documented.
    }
    return original;
  };
}

/** Step 8: a share of the traces, context events only. */
export function createSamplingStep(rate: number): Step {
  return (event, rank) =>
    rank > 0 ||
    event.event_type === 'probe_event' ||
    samplingNumber(event.correlation.trace_id ?? event.event_id) < rate
      ? event
      : 'sampled';
}
