import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

  it('is exact up to a thousand users and requests and within two percent, in two digits, beyond', async () => {
    const client = await connect(culprit);
    const events = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) =>
        EX({ context: { user_id: `u-${from + n}` }, correlation: { request_id: `r-${from + n}` } }),
      );
    for (let from = 0; from < 1000; from += 250) await client.send(...events(from, from + 250));
    await client.only(1000);
    expect(await impact(client)).toMatchObject({
      affected_users_estimate: 1000,
      affected_requests_estimate: 1000,
    });
    for (let from = 1000; from < 3000; from += 500) await client.send(...events(from, from + 500));
    await client.only(3000);
    const { affected_users_estimate: users, affected_requests_estimate: requests } = await impact(client);
    for (const estimate of [users ?? 0, requests ?? 0]) {
      expect(Math.abs(estimate - 3000)).toBeLessThanOrEqual(3000 * 0.05);
      expect(estimate % 100).toBe(0);
    }
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
