import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX, LOG, named, SUP } from './incidents-fixtures.ts';

/** Reports that name the last event that was sent (docs/contract/incidents.md 5.10, row 2). */
describe.concurrent('a report that names an event', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const sdk = { name: '@culprit/node', version: '1.0.0' };
  const report = (sampleId: string, count: number, payload: object = {}) =>
    SUP({
      sdk,
      payload: { fingerprint: newUuid(), suppressed_count: count, sample_event_id: sampleId, ...payload },
    });
  /** Three events of a kind, as many as a library sends before it counts, and the id of the last one. */
  const sentOf = (kind: string) => {
    const ids = [newUuid(), newUuid(), newUuid()];
    return { events: ids.map((event_id) => named(kind, { event_id, sdk })), lastId: ids[2] ?? '' };
  };
  const countsOf = async (client: IncidentClient): Promise<Record<string, number>> => {
    await client.processed();
    const counts = (await client.list()).map(({ title, occurrence_count: n }) => [title.split(':')[0], n]);
    return Object.fromEntries(counts);
  };

  it.each([
    ['all in one request', true],
    ['in a request of its own', false],
  ])(
    'counts in its incident where 30 equal failures of two kinds happen at once, %s',
    async (_, isAtOnce) => {
      const client = await connect(culprit);
      const [alpha, beta] = [sentOf('Alpha'), sentOf('Beta')];
      const reports = [report(alpha.lastId, 27), report(beta.lastId, 20), report(beta.lastId, 7)];
      if (isAtOnce) await client.send(...reports, ...alpha.events, ...beta.events);
      else {
        await client.send(...alpha.events, ...beta.events);
        await client.counted(3, 3);
        for (const each of reports) await client.send(each);
      }
      expect(await countsOf(client)).toEqual({ AlphaError: 30, BetaError: 30 });
    },
  );

  it('counts long after the event, when nobody knows the key', async () => {
    const client = await connect(culprit);
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    const [event_id, other] = [newUuid(), newUuid()];
    await client.send(
      named('Alpha', { event_id, sdk, timestamp: hourAgo }),
      named('Beta', { event_id: other, sdk }),
    );
    await client.counted(1, 1);
    await client.send(report(event_id, 9));
    expect(await countsOf(client)).toEqual({ AlphaError: 10, BetaError: 1 });
  });

  it('is believed before the key that it names, and teaches the key', async () => {
    const client = await connect(culprit);
    const [alpha, beta] = [sentOf('Alpha'), sentOf('Beta')];
    const fingerprint = newUuid();
    await client.send(...alpha.events, ...beta.events, report(alpha.lastId, 5, { fingerprint }));
    await client.counted(3, 8);
    await client.send(report(beta.lastId, 6, { fingerprint }));
    await client.counted(8, 9);
    // An event that never arrived: the key decides, as it was known last.
    await client.send(report(newUuid(), 1, { fingerprint }));
    expect(await countsOf(client)).toEqual({ AlphaError: 8, BetaError: 10 });
  });

  it('counts nowhere when no incident counted the event', async () => {
    const client = await connect(culprit);
    const event_id = newUuid();
    await client.send(EX({ sdk }), LOG('warning', 'slow disk', { event_id, sdk }), report(event_id, 9));
    await client.processed();
    await client.counted(1);
  });

  it.each([
    ['of another service', { service: { name: 'mailer' } }],
    ['of another environment', { service: { environment: 'staging' } }],
  ])('does not count in the incident of an event %s', async (_, change) => {
    const client = await connect(culprit);
    const event_id = newUuid();
    await client.send(EX({ event_id, sdk, ...change }));
    await client.only();
    await client.send(report(event_id, 9));
    await client.processed();
    await client.counted(1);
  });

  it('counts in no incident of another project', async () => {
    const [client, foreign] = [await connect(culprit), await connect(culprit)];
    const event_id = newUuid();
    // Too long ago for the report to find it by time.
    const timestamp = new Date(Date.now() - 20 * 86_400_000).toISOString();
    await foreign.send(EX({ event_id, sdk, timestamp }));
    await foreign.only();
    await client.send(EX({ sdk, timestamp }), report(event_id, 9));
    await client.processed();
    await client.counted(1);
    await foreign.counted(1);
  });

  it('counts by time in the one incident of the type that it names, when the event is not known', async () => {
    const client = await connect(culprit);
    await client.send(EX({ sdk }), LOG('error', 'disk full', { sdk }));
    await client.counted(1, 1);
    await client.send(report(newUuid(), 9, { event_type: 'log_event' }));
    const incidents = await client.counted(1, 10);
    expect(incidents.find((each) => each.occurrence_count === 10)?.title).toMatch(/disk full/);
  });

  it.each([
    ['of a wrong type', { sample_event_id: { id: 7 }, event_type: 'error' }],
    ['of null', { sample_event_id: null, event_type: null }],
  ])('with fields %s counts as one without them', async (_, payload) => {
    const client = await connect(culprit);
    await client.send(EX({ sdk }), report('', 9, payload));
    await client.only(10);
  });
});
