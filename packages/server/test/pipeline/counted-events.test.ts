import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { createGroupingKeyMaker } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import { countedParts, type OpenParts, WHOLE } from '@culprit/evidence/events/normalize/open-parts';
import { type Acceptance, judgeEvent } from '@culprit/evidence/incidents/judge-event';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyJson, eventArbitrary } from '../../../evidence/test/events/event-arbitrary.ts';
import { fixture } from '../../../evidence/test/events/event-fixtures.ts';
import { observeEvent } from '../../src/pipeline/improvements/observe-event.ts';
import { countedEvent } from '../../src/pipeline/incidents/processing/counted-event.ts';

/** What the worker keeps of an event. */
function counted(raw: JsonObject, decided: Decided, open: OpenParts) {
  const keyOf = createGroupingKeyMaker({ entriesMax: 0 });
  const { event, ...judged } = judgeEvent(
    raw,
    { ...decided, receivedAtMs: 1_790_000_000_000, derivedId: () => 'evt_1' },
    (each: NormalizedEvent) => keyOf(each),
    open,
  );
  const { hashes } = judged;
  return {
    ...judged,
    event: countedEvent(event),
    observations: observeEvent(event, decided, hashes.trace ?? hashes.session),
  };
}

type Decided = Pick<Acceptance, 'eventClass' | 'isDemoted' | 'isOriginBound'>;

const decisions: fc.Arbitrary<Decided> = fc.record({
  eventClass: fc.constantFrom('incident_signal' as const, 'context_signal' as const),
  isDemoted: fc.boolean(),
  isOriginBound: fc.boolean(),
});

/** Contexts with what counting looks at and other things beside it, or with these alone. */
const others = fc.dictionary(fc.string(), anyJson(), { maxKeys: 2 });
const known = fc.record(
  {
    severity: fc.constantFrom('critical', 'high', 'none', 7),
    user: fc.oneof(fc.record({ id: anyJson(), name: fc.string() }), anyJson()),
    capture_loss: fc.oneof(fc.dictionary(fc.constantFrom('duplicate', 'odd'), fc.integer()), anyJson()),
    environment: fc.oneof(fc.record({ os: fc.string(), container_id: fc.string() }), anyJson()),
    git: fc.oneof(fc.record({ sha: fc.string() }), anyJson()),
    dependencies: anyJson(),
    causes: anyJson(),
    request: fc.record({ method: fc.string(), path: fc.string(), body: anyJson() }, { requiredKeys: [] }),
    flags: anyJson(),
  },
  { requiredKeys: [] },
);

const contexts = fc.oneof(others, known);

/** Bodies and maps, filled and empty, whatever a table says of them. */
const opens = fc.record(
  { headers: anyJson(), query: anyJson(), body: fc.oneof(anyJson(), fc.constant(Number.POSITIVE_INFINITY)) },
  { requiredKeys: [] },
);

function exchangeOf(event: JsonObject, request: JsonObject, response: JsonObject): JsonObject {
  const payload = event.payload as JsonObject;
  switch (event.event_type) {
    case 'backend_exception':
      return {
        request: { ...(payload.request as JsonObject | null | undefined), ...request },
        response: { ...(payload.response as JsonObject | null | undefined), ...response },
      };
    case 'request_event':
      return {
        query: request.query ?? null,
        body: request.body ?? null,
        response_body: response.body ?? null,
      };
    default:
      return {};
  }
}

describe('an event', () => {
  it('is counted by an outline of its open parts as by all of them', () => {
    let outlined = 0;
    fc.assert(
      fc.property(
        eventArbitrary(),
        contexts,
        opens,
        opens,
        decisions,
        (event, context, request, response, decided) => {
          const payload = event.payload as JsonObject;
          const exchange = exchangeOf(event, request, response);
          const raw: JsonObject = { ...event, context, payload: { ...payload, ...exchange } };
          const parts = countedParts(raw.event_type);
          if (parts !== WHOLE) outlined += 1;
          expect(counted(raw, decided, parts)).toEqual(counted(raw, decided, WHOLE));
        },
      ),
      { numRuns: 1000 },
    );
    expect(outlined).toBeGreaterThan(300);
  });

  it('is counted by each key that matters, however much stands beside it', () => {
    const filler = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`key_${index}`, 'x'.repeat(1000)]),
    );
    const raw: JsonObject = {
      ...fixture('A'),
      context: {
        ...filler,
        user: { name: 'x', ...filler },
        severity: 'critical',
        capture_loss: { duplicate: 3 },
      },
    };
    const { severity, event } = counted(
      raw,
      { eventClass: 'incident_signal', isDemoted: false, isOriginBound: false },
      countedParts(raw.event_type),
    );
    expect(severity).toBe('critical');
    expect(event.losses).toEqual([['duplicate', 3]]);
  });
});
