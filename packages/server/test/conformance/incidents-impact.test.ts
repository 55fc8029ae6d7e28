import { identifierHash } from '@culprit/evidence/events/redact/identifier-hash';
import { addToSketch, applyChanges, estimateDistinct } from '@culprit/evidence/incidents/distinct-counter';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX, EXR, LOG, SUP } from './incidents-fixtures.ts';

/** Affected users and requests as a bundle tells them (docs/contract/incidents.md 3.6, 5.11). */
describe.concurrent('the impact of an incident', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  /** The impact once everything that was sent is in the bundle. */
  async function impact(client: IncidentClient) {
    await client.refreshed();
    const [incident] = await client.list();
    const bundle = await client.bundle(incident?.incident_id ?? '');
    expect(bundle.signal.occurrence_count).toBe(incident?.occurrence_count);
    return bundle.impact;
  }

  it('has no users when no event named one', async () => {
    const client = await connect(culprit);
    await client.send(EX(), EX());
    expect((await impact(client)).affected_users_estimate).toBeNull();
  });

  it('counts each user once, over requests and over ways to name them', async () => {
    const client = await connect(culprit);
    const users = [
      EX({ context: { user_id: 'u-1' } }),
      EX({ context: { user: { id: 'u-2' } } }),
      EX({ context: { user: { id: 'u-1' } } }),
      EX({ context: { user_id: 'u-3' } }),
      EX(),
    ];
    await client.send(...users);
    expect((await impact(client)).affected_users_estimate).toBe(3);
    await client.send(...users, EX({ context: { user_id: 'u-4' } }));
    expect((await impact(client)).affected_users_estimate).toBe(4);
  });

  it('takes a hash the client made as it is', async () => {
    const client = await connect(culprit);
    const correlation = { user_id_hash: 'a'.repeat(64) };
    await client.send(
      EX({ correlation }),
      EX({ correlation }),
      EX({ correlation, context: { user_id: 'u-9' } }),
    );
    expect((await impact(client)).affected_users_estimate).toBe(1);
  });

  it('is exact up to a thousand users and within two percent, in two digits, beyond', async () => {
    const client = await connect(culprit);
    const users = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) => EX({ context: { user_id: `u-${from + n}` } }));
    for (let from = 0; from < 1000; from += 250) await client.send(...users(from, from + 250));
    await client.only(1000);
    expect((await impact(client)).affected_users_estimate).toBe(1000);
    for (let from = 1000; from < 3000; from += 500) await client.send(...users(from, from + 500));
    await client.only(3000);
    const estimate = (await impact(client)).affected_users_estimate ?? 0;
    expect(Math.abs(estimate - 3000)).toBeLessThanOrEqual(3000 * 0.05);
    expect(estimate % 100).toBe(0);
  });

  it('is the estimate of all users, however few each batch adds', async () => {
    const client = await connect(culprit);
    const SEEN_BY_OLD = 'seen by an old process';
    const names: string[] = [];
    const states: { registers: Buffer; changes: Buffer }[] = [];
    async function sendUsers(count: number): Promise<string> {
      const added = Array.from({ length: count }, (_, n) => `few-${names.length + n}`);
      names.push(...added);
      await client.send(...added.map((user_id_hash) => EX({ correlation: { user_id_hash } })));
      return (await client.only(names.length)).incident_id;
    }
    await sendUsers(500);
    await sendUsers(500);
    for (let batch = 0; batch < 20; batch += 1) {
      const incidentId = await sendUsers(15);
      const [state] = await culprit.database.query<{ registers: Buffer; changes: Buffer }>(
        {
          name: 'test-sketch',
          text: 'select registers, changes from incident_sketches where incident_id = $1',
        },
        [parseId(['inc'], incidentId)],
      );
      if (state === undefined) continue;
      states.push(state);
      // A process of the version before knows the registers alone, and writes them as a whole.
      if (batch === 10) {
        const { registers } = addToSketch(state.registers, [identifierHash(SEEN_BY_OLD)]);
        await culprit.database.query(
          {
            name: 'test-old-write',
            text: 'update incident_sketches set registers = $2 where incident_id = $1',
          },
          [parseId(['inc'], incidentId), Buffer.from(registers)],
        );
      }
    }
    const { registers } = addToSketch(null, [...names, SEEN_BY_OLD].map(identifierHash));
    const last = states.at(-1);
    if (last === undefined) throw new Error('no sketch was stored');
    expect(applyChanges(last.registers, last.changes)).toEqual(registers);
    expect(states.some(({ changes }) => changes.length > 0)).toBe(true);
    expect(new Set(states.map((state) => state.registers.toString('hex'))).size).toBeGreaterThan(1);
    expect((await impact(client)).affected_users_estimate).toBe(
      estimateDistinct({ exactCount: 1000, registers }),
    );
  });

  it('never shows a raw user id', async () => {
    const client = await connect(culprit);
    await client.send(EX({ context: { user_id: 'ana@example.com', user: { id: 'ana@example.com' } } }));
    const { incident_id } = await client.only();
    expect(JSON.stringify(await client.bundle(incident_id))).not.toContain('ana@example.com');
  });

  it('counts distinct requests when every occurrence named its own', async () => {
    const client = await connect(culprit);
    const requests = ['r-1', 'r-2', 'r-1'].map((request_id) => EX({ correlation: { request_id } }));
    await client.send(...requests);
    expect((await impact(client)).affected_requests_estimate).toBe(2);
  });

  it('counts occurrences with a request and suppressed duplicates when some named no request id', async () => {
    const client = await connect(culprit);
    await client.send(EXR({ correlation: { request_id: 'r-1' } }), EXR(), EX());
    expect((await impact(client)).affected_requests_estimate).toBe(2);
    await client.send(SUP());
    await client.only(100);
    expect((await impact(client)).affected_requests_estimate).toBe(99);
  });

  it('has no requests when none took part', async () => {
    const client = await connect(culprit);
    await client.send(LOG('error', 'slow disk'));
    expect(await impact(client)).toEqual({
      affected_users_estimate: null,
      affected_requests_estimate: null,
      customer_visible: false,
      regression_suspected: false,
      business_criticality: 'low',
    });
  });

  it.each([
    ['production', 'high'],
    ['LIVE', 'high'],
    ['staging', 'medium'],
  ])('the business criticality of a high severity in %s is %s', async (environment, criticality) => {
    const client = await connect(culprit);
    await client.send(EXR({ service: { environment } }));
    expect(await impact(client)).toMatchObject({ business_criticality: criticality, customer_visible: true });
  });
});
