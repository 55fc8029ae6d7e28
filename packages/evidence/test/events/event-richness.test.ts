import { describe, expect, it } from 'vitest';
import type { NormalizedEvent } from '../../src/events/normalize/event.ts';
import { eventRichness } from '../../src/events/normalize/event-richness.ts';
import { backendException, frontendException, httpRequest, logEvent, requestEvent } from './build-event.ts';

const EMPTY_RESPONSE = { statusCode: null, durationMs: null, headers: {}, body: null };
const NOBODY = { requestId: null, traceId: null, sessionId: null, userIdHash: null };

function withCorrelation(fields: Partial<NormalizedEvent['correlation']>): NormalizedEvent {
  return { ...backendException(), correlation: { ...NOBODY, ...fields } };
}

describe('how much evidence an event brings (docs/contract/incidents.md 3.3)', () => {
  it.each<[string, NormalizedEvent, number]>([
    ['a bare exception', backendException(), 0],
    ['empty request and response', backendException({ request: httpRequest(), response: EMPTY_RESPONSE }), 0],
    ['a request', backendException({ request: httpRequest({ path: '/' }) }), 1],
    [
      'a request of which only a header is known',
      backendException({ request: httpRequest({ headers: { a: 1 } }) }),
      1,
    ],
    ['a response', backendException({ response: { ...EMPTY_RESPONSE, statusCode: 500 } }), 1],
    [
      'a response of which only the body is known',
      backendException({ response: { ...EMPTY_RESPONSE, body: 'x' } }),
      1,
    ],
    ['a runtime', backendException({ runtime: { version: '1' } }), 1],
    [
      'probe data',
      backendException({ probeData: [{ label: 'a', data: {}, timestampMs: 0, activationId: null }] }),
      1,
    ],
    [
      'breadcrumbs',
      frontendException({ breadcrumbs: [{ breadcrumbType: 'x', route: null, data: {}, timestampMs: 0 }] }),
      1,
    ],
    ['a user', withCorrelation({ userIdHash: 'u' }), 1],
    ['a user in the context', { ...backendException(), context: { user: { plan: 'x' } } }, 1],
    ['an empty user in the context', { ...backendException(), context: { user: {} } }, 0],
    ['one correlation id', withCorrelation({ traceId: 't' }), 1],
    ['three correlation ids', withCorrelation({ traceId: 't', requestId: 'r', sessionId: 's' }), 1],
    ['a request event', requestEvent('GET', '/', 200), 2],
    ['a log line', logEvent('m'), 0],
  ])('%s', (_, event, richness) => {
    expect(eventRichness(event)).toBe(richness);
  });

  it('is seven at most', () => {
    const event = frontendException({
      request: httpRequest({ path: '/' }),
      response: { ...EMPTY_RESPONSE, statusCode: 500 },
      runtime: { version: '1' },
      breadcrumbs: [{ breadcrumbType: 'x', route: null, data: {}, timestampMs: 0 }],
      probeData: [{ label: 'a', data: {}, timestampMs: 0, activationId: null }],
    });
    expect(eventRichness({ ...event, correlation: { ...NOBODY, userIdHash: 'u', traceId: 't' } })).toBe(7);
  });
});
