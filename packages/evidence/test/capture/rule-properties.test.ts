import { randomUUID } from 'node:crypto';
import type { CaptureMatcher } from '@culprit/contract/capture/capture';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matcherScore } from '../../src/capture/capture-rule.ts';
import { type ActiveRule, compileRules } from '../../src/capture/evaluate-rules.ts';
import { compileMatcher } from '../../src/capture/match-rule.ts';
import { samplingNumbers } from '../../src/capture/sampling.ts';
import { readWebAddress } from '../../src/capture/web-address.ts';
import { checkEvent } from '../../src/events/envelope/check-event.ts';
import type { JsonObject } from '../../src/events/envelope/json.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';
import { eventArbitrary } from '../events/event-arbitrary.ts';
import { fixture } from '../events/event-fixtures.ts';
import { factsOf } from './facts-of.ts';

const PROJECT = 'proj_0190a5b0-0000-7000-8000-000000000001';

function isAccepted(event: JsonObject): boolean {
  return checkEvent(event).ok;
}

describe('the facts of any event', () => {
  it('are those of the normalized event, which people see', () => {
    fc.assert(
      fc.property(eventArbitrary(), (event) => {
        fc.pre(isAccepted(event));
        const facts = factsOf(event);
        const { payload, service, device, eventType } = normalizeEvent(event, {
          eventId: 'evt_1',
          receivedAtMs: 0,
        });
        expect([facts.event.serviceName, facts.event.environment]).toEqual([
          service.name,
          service.environment,
        ]);
        expect(facts.errorName).toBe(payload.kind === 'exception' ? payload.name : null);
        const hasMessage = payload.kind === 'exception' || payload.kind === 'log';
        expect(facts.message).toBe(hasMessage ? payload.message : null);
        if (payload.kind === 'exception' && payload.browserEvent !== null) {
          const { kind, opaque } = payload.browserEvent;
          expect(facts.browserEvent).toEqual({ kind, opaque });
        }
        const address = (text: string | null | undefined) =>
          text === null || text === undefined ? null : readWebAddress(text);
        if (eventType === 'frontend_exception' && payload.kind === 'exception') {
          const { target, fileName } = payload.browserEvent ?? {};
          expect(facts.resourceAddress).toEqual(address(target?.sourceUrl) ?? address(fileName));
        } else {
          expect(facts.resourceAddress).toBeNull();
        }
        if (
          payload.kind === 'request' ||
          (payload.kind === 'exception' && eventType === 'backend_exception')
        ) {
          const { request, response } = payload;
          expect(facts.requestAddress).toEqual(address(request?.path) ?? address(request?.url));
          expect(facts.status).toBe(response?.statusCode ?? null);
        }
        if (device !== null) {
          // Of a request that was answered the header tells, too.
          if (device.userAgent !== null) expect(facts.client?.kind).not.toBe('unknown');
          expect(facts.client).not.toBeNull();
        }
      }),
      { numRuns: 400 },
    );
  });
});

const text = fc.constantFrom('api-server', 'web', 'TypeError', 'total', '', '/cart', 'production', '.*', 'x');
const filled = text.filter((each) => each !== '');
const urlMatcher = fc.record(
  { host: filled, host_suffix: filled, path_equals: filled, path_prefix: filled },
  { requiredKeys: [] },
);
const matcherArbitrary: fc.Arbitrary<CaptureMatcher> = fc.record(
  {
    event_types: fc
      .subarray(['backend_exception', 'log_event', 'frontend_exception'] as const, { minLength: 1 })
      .map((types) => [...types]),
    services: fc.array(filled, { minLength: 1, maxLength: 2 }),
    environments: fc.array(filled, { minLength: 1, maxLength: 2 }),
    error_name: filled,
    message_contains: filled,
    request_url: urlMatcher,
    status_codes: fc.array(fc.constantFrom(404, 500), { minLength: 1 }),
    first_party: fc.boolean(),
  },
  { requiredKeys: [] },
);
const ruleArbitrary: fc.Arbitrary<ActiveRule> = fc.record({
  ruleId: fc.uuid(),
  action: fc.constant('drop' as const),
  matcher: matcherArbitrary,
  sampleRate: fc.constant(null),
  sampleEventClass: fc.constant(null),
  expiresAtMs: fc.option(fc.integer({ min: 0, max: 10 })),
  updatedAtMs: fc.integer({ min: 0, max: 3 }),
});
const EVENTS = (['A', 'W', 'LOG', 'FE', 'REQ', 'CRUMB'] as const).map((name) => fixture(name));

describe('any set of rules', () => {
  it('decides by the narrowest, latest rule of those that match', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(ruleArbitrary, { selector: (each) => each.ruleId, maxLength: 8 }),
        fc.constantFrom(...EVENTS),
        fc.integer({ min: 0, max: 10 }),
        (rules, event, nowMs) => {
          const matching = rules.filter(
            (rule) =>
              (rule.expiresAtMs === null || rule.expiresAtMs > nowMs) &&
              compileMatcher(rule.matcher)(factsOf(event)),
          );
          const decided = compileRules(PROJECT, rules).decide(factsOf(event), nowMs);
          if (decided === null) {
            expect(matching).toEqual([]);
            return;
          }
          const winner = matching.find((rule) => rule.ruleId === decided.ruleId);
          if (winner === undefined) throw new Error('a rule decided that does not match');
          for (const other of matching) {
            if (other === winner) continue;
            const [score, otherScore] = [matcherScore(winner.matcher), matcherScore(other.matcher)];
            expect(score).toBeGreaterThanOrEqual(otherScore);
            if (score !== otherScore) continue;
            expect(winner.updatedAtMs).toBeGreaterThanOrEqual(other.updatedAtMs);
            if (winner.updatedAtMs === other.updatedAtMs) expect(winner.ruleId < other.ruleId).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('matches less with each further key', () => {
    fc.assert(
      fc.property(matcherArbitrary, matcherArbitrary, fc.constantFrom(...EVENTS), (a, b, event) => {
        const isBoth = compileMatcher({ ...a, ...b })(factsOf(event));
        if (isBoth) expect(compileMatcher(b)(factsOf(event))).toBe(true);
      }),
    );
  });
});

describe('the sampling number', () => {
  it('lies from 0 to 1 and spreads evenly over ids', () => {
    const number = samplingNumbers('proj_x', '7d0f4f0e-6b1c-4c55-9a53-0b6f3c1f2a11');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (eventId) => {
        expect(number(eventId)).toBeGreaterThanOrEqual(0);
        expect(number(eventId)).toBeLessThan(1);
        expect(number(eventId)).toBe(number(eventId));
      }),
    );
    const numbers = Array.from({ length: 20_000 }, () => number(randomUUID()));
    for (let tenth = 0; tenth < 10; tenth += 1) {
      const share = numbers.filter((each) => Math.floor(each * 10) === tenth).length / numbers.length;
      expect(share).toBeGreaterThan(0.09);
      expect(share).toBeLessThan(0.11);
    }
  });
});

describe('any address', () => {
  it('is read without fault, its path behind a slash and its host in lower case', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl({ withQueryParameters: true })),
        (address) => {
          const read = readWebAddress(address);
          if (read === null) {
            expect(address.trim().replace(/^blob:/i, '')).toBe('');
            return;
          }
          expect(read.path.startsWith('/')).toBe(true);
          expect(read.path).not.toMatch(/[?#]/);
          expect(read.host).toBe(read.host?.toLowerCase() ?? null);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('of the web reads as the URL standard reads it', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (address) => {
        const url = new URL(address);
        expect(readWebAddress(address)).toMatchObject({ host: url.hostname, isAbsolute: true });
      }),
    );
  });
});
