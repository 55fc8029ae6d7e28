import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseSeed } from '../../../server/test/support/seeded-random.ts';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import {
  CONTEXT_OFFERS,
  isFailedRequestTrail,
  type Offer,
  offerBits,
  offeredBesidesPrimary,
  offeredByContext,
  offeredByPrimary,
  shownOffers,
} from '../../src/bundles/evidence/offers.ts';
import type { NormalizedEvent } from '../../src/events/normalize/event.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';
import { eventArbitrary } from '../events/event-arbitrary.ts';
import {
  breadcrumb,
  breadcrumbEvent,
  evidenceOf,
  exception,
  frontendException,
  log,
  MOMENT_MS,
  probe,
  request,
  requestEvent,
} from './build-evidence.ts';

const SEED = chooseSeed();
/** Causes that only stand in the text of a stack are not looked for while events are processed. */
const TOLD_BY_STACKS = offerBits('error_chain');
/** No document but that of a scheduled job waits for it. */
const OF_JOBS = offerBits('job_exception');

function offers(event: NormalizedEvent, isPrimary = true): (offer: Offer) => boolean {
  const all = offeredByPrimary(event);
  const bits = isPrimary ? all : offeredBesidesPrimary(all);
  return (offer) => (bits & offerBits(offer)) !== 0;
}

describe('what an event offers to its bundle', () => {
  it(`holds whatever the document of that event alone shows (seed ${SEED})`, () => {
    fc.assert(
      fc.property(eventArbitrary(), (raw) => {
        const event = normalizeEvent(raw, { eventId: 'evt_1', receivedAtMs: MOMENT_MS });
        const shown = shownOffers(assembleBundle(evidenceOf(event)));
        expect(shown & ~offeredByPrimary(event) & ~TOLD_BY_STACKS & ~OF_JOBS).toBe(0);
      }),
      { seed: SEED, numRuns: 120 },
    );
  });

  it('is nothing for an event that says nothing beyond its error', () => {
    expect(offeredByPrimary(exception())).toBe(0);
  });

  it('holds its own words only where it leads the document', () => {
    const event = exception({}, { context: { order: 7 } });
    expect([offers(event, true)('custom'), offers(event, false)('custom')]).toEqual([true, false]);
  });

  it.each([
    ['GET', '/cart', 'replayable_request'],
    ['get', 'https://shop.example/cart?page=2', 'replayable_request'],
    ['FOO', '/cart', 'unreplayable_request'],
    ['GET', 'cart', 'unreplayable_request'],
    ['GET', null, 'unreplayable_request'],
  ] as const)('tells whether %s %s can be sent again', (method, path, offer) => {
    const isOffered = offers(exception({ request: request({ method, path }) }));
    expect(isOffered(offer)).toBe(true);
    expect(isOffered('replayable_request') && isOffered('unreplayable_request')).toBe(false);
  });

  it.each([
    [500, true],
    [404, true],
    [0, true],
    [200, false],
    [null, false],
  ])('tells of a request that ended with %s in the trail of a browser', (status, isFailed) => {
    const crumb = breadcrumb('network_request', { method: 'GET', url: '/cart', status });
    expect(offers(frontendException({ breadcrumbs: [crumb] }))('replayable_request')).toBe(isFailed);
    expect(isFailedRequestTrail(breadcrumbEvent(crumb))).toBe(isFailed);
  });

  it('is for context what the blocks take from events of its type', () => {
    const crumb = breadcrumbEvent(breadcrumb('click', { selector: '#pay' }));
    const context = [
      log('x', { level: 'info' }),
      requestEvent(),
      probe('cart', {}),
      crumb,
      frontendException(),
    ];
    const shown = shownOffers(
      assembleBundle(
        evidenceOf(exception(), {
          correlated: context.map((event) => ({ event, relation: 'trace' as const })),
        }),
      ),
    );
    const offered = context.reduce((bits, event) => bits | offeredByContext(event.eventType), 0);
    expect(offered).toBe(CONTEXT_OFFERS & ~OF_JOBS);
    expect(shown & CONTEXT_OFFERS).toBe(CONTEXT_OFFERS);
  });

  it('is the exception of its run for the failure of a scheduled job alone, until one is shown', () => {
    expect(offeredByContext('backend_exception')).toBe(OF_JOBS);
    const failure = log('x', {}, { context: { heartbeat: { heartbeat_id: 'h', failure: 'error' } } });
    const thrown = { event: exception(), relation: 'trace' as const };
    const shownOf = (kind: 'availability' | 'log', correlated: (typeof thrown)[]) => {
      const evidence = evidenceOf(failure, { correlated });
      const incident = { ...evidence.incident, fingerprintKind: kind };
      return shownOffers(assembleBundle({ ...evidence, incident })) & OF_JOBS;
    };
    expect(shownOf('availability', [])).toBe(0);
    expect(shownOf('availability', [thrown])).toBe(OF_JOBS);
    expect(shownOf('log', [])).toBe(OF_JOBS);
  });
});
