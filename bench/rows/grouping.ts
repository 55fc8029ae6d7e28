import { readFileSync } from 'node:fs';
import { cpuUsage } from 'node:process';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { fingerprintEvent } from '@culprit/evidence/events/fingerprint/fingerprint';
import { slotsOf } from '@culprit/evidence/events/fingerprint/slots/slots';
import { messageTemplate } from '@culprit/evidence/events/fingerprint/template/message-template';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { readCaseFiles } from '../../packages/evidence/test/corpus/case-file.ts';
import type { Measured, Target } from '../report/measured.ts';
import { type BenchContext, type RowGroup, repeated } from './row-group.ts';

/** The events of the contract's grouping examples: one for each circumstance of each language. */
const EXAMPLES = new URL(
  '../../packages/evidence/test/events/fingerprint/golden-vectors.json',
  import.meta.url,
);
const CALLS = 100_000;
const CALLS_AT_CAPS = 2000;
const WARM_UP_SHARE = 0.2;

/** Processor time of grouping one event that was not met before (docs/contract/grouping.md 1). */
export const grouping: RowGroup = {
  rows: ['grouping'],
  async measure(context) {
    const events = exampleEvents();
    const placed = events.filter(({ payload }) => payload.kind === 'exception');
    const texts = events.flatMap(({ payload }) => ('message' in payload ? [payload.message] : []));
    return [
      await timed(context, 'template of a message', texts, (text) => messageTemplate(text, ''), 10),
      await timed(context, 'fingerprint of an exception', placed, (event) => fingerprintEvent(event), 25),
      // The state after a new release, whose lines are in no cache.
      await timed(
        context,
        'fingerprint of an exception with new lines',
        placed.flatMap(withOtherLines),
        (event) => fingerprintEvent(event),
        25,
      ),
      await timed(
        context,
        'fingerprint of an event of the corpus, half of which no reader of a language knows',
        corpusEvents(),
        (event) => fingerprintEvent(event),
        25,
      ),
      await timed(
        context,
        'an event at the caps',
        corpusPayloads().map(atCaps),
        (raw) => fingerprintEvent(normalizeEvent(raw, READ)),
        250_000,
        CALLS_AT_CAPS,
      ),
      // Only of a message whose key no incident has.
      await timed(
        context,
        'slots of a new message',
        events,
        (event) => slotsOf(event, [], { isBrowser: false, mappedJson: null, release: '1.4.2' }),
        null,
      ),
    ];
  },
};

function exampleEvents(): NormalizedEvent[] {
  const read: unknown = JSON.parse(readFileSync(EXAMPLES, 'utf8'));
  const pairs = isJsonObject(read) && Array.isArray(read.pairs) ? read.pairs.filter(isJsonObject) : [];
  return pairs
    .flatMap(({ a, b }): JsonObject[] => [a, b].filter(isJsonObject))
    .map((event) => normalizeEvent(event, READ));
}

const READ = { eventId: 'evt_1', receivedAtMs: 0 } as const;

function corpusPayloads(): JsonObject[] {
  return readCaseFiles().flatMap(({ causes }) =>
    causes.flatMap(({ events }) =>
      events.map(({ eventType, payload }) => ({
        event_type: eventType,
        service: { name: 'shop', environment: 'production' },
        payload,
      })),
    ),
  );
}

function corpusEvents(): NormalizedEvent[] {
  return corpusPayloads().map((event) => normalizeEvent(event, READ));
}

/** Returns the event with its stack and its message repeated up to the caps of the event intake. */
function atCaps(event: JsonObject): JsonObject {
  const payload = isJsonObject(event.payload) ? event.payload : {};
  const filled = (text: unknown, charsMax: number) =>
    typeof text === 'string' && text !== ''
      ? `${text}\n`.repeat(Math.ceil(charsMax / (text.length + 1))).slice(0, charsMax)
      : null;
  const { stacktrace, message } = payload;
  return {
    ...event,
    payload: { ...payload, stacktrace: filled(stacktrace, 65_536), message: filled(message, 8192) },
  };
}

const EDITIONS = 1000;

/** The same exception from many releases, in each of which every line is another one. */
function withOtherLines(event: NormalizedEvent, index: number): NormalizedEvent[] {
  const { payload } = event;
  if (payload.kind !== 'exception' || payload.stack === null) return [];
  const { stack } = payload;
  return Array.from({ length: EDITIONS }, (_, edition) => {
    const other = stack.replace(
      LINE_NUMBER,
      (_all, before: string) => `${before}${edition * 97 + index + 1}`,
    );
    return { ...event, payload: { ...payload, stack: other } };
  });
}

const LINE_NUMBER = /(:|line )\d{1,6}\b/g;

async function timed<Item>(
  context: BenchContext,
  figure: string,
  items: readonly Item[],
  work: (item: Item) => unknown,
  atMostUs: number | null,
  calls = CALLS,
): Promise<Measured> {
  const rounds = Math.ceil(context.scaled(calls) / items.length);
  const values = await repeated(context, `grouping, ${figure}`, async () => {
    turn(Math.ceil(rounds * WARM_UP_SHARE), items, work);
    const before = cpuUsage();
    turn(rounds, items, work);
    const { user, system } = cpuUsage(before);
    return (user + system) / (rounds * items.length);
  });
  const target: Target = atMostUs === null ? { kind: 'none' } : { kind: 'at_most', value: atMostUs };
  const details = { items: items.length, calls: rounds * items.length };
  return { row: 'grouping', figure, unit: 'µs', values, floorValues: null, target, details };
}

function turn<Item>(rounds: number, items: readonly Item[], work: (item: Item) => unknown): void {
  for (let round = 0; round < rounds; round += 1) for (const item of items) work(item);
}
