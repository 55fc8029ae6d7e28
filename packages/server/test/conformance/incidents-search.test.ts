import type { Incident, IncidentSort } from '@culprit/contract/incidents/incidents';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { copyIncidents } from '../support/copy-incidents.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { type Page, readPages } from '../support/read-pages.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, HOUR, LOG, named } from './incidents-fixtures.ts';

// Runs on the oldest PostgreSQL too.

/** Search and orders of the list of incidents (docs/contract/server-additions.md S2). */
describe.concurrent('the list of incidents', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function words(client: IncidentClient, query: Record<string, string>): Promise<string[]> {
    return (await client.list(query)).map(({ title }) => title.replace(/Error:.*/, ''));
  }

  /** The order of a list: descending, and of equal ones by their ids. */
  function by(value: (incident: Page['items'][number]) => number) {
    return (a: Page['items'][number], b: Page['items'][number]) =>
      value(b) - value(a) || (String(a.incident_id) < String(b.incident_id) ? 1 : -1);
  }

  /** Incidents of one project with different times, counts and severities. */
  async function connectVaried(): Promise<IncidentClient> {
    const client = await connect(culprit);
    const high = (word: string, hours: number) => named(word, { timestamp: ago(hours * HOUR) });
    const critical = { context: { severity: 'critical' } };
    await client.send(
      high('Payment', 1),
      high('Payment', 5),
      high('Payment', 6),
      named('Database', { timestamp: ago(2 * HOUR), ...critical }),
      named('Timeout', { timestamp: ago(3 * HOUR), ...critical }),
      high('Cart', 4),
      high('Cart', 7),
      LOG('error', 'disk almost full', { timestamp: ago(8 * HOUR) }),
    );
    await client.counted(3, 1, 1, 2, 1);
    return client;
  }

  it('is found by a part of the title, whatever its case', async () => {
    const client = await connect(culprit);
    await client.send(named('Payment'), named('Cart'), LOG('error', 'Größe ÄNDERN 100% of disk_full'));
    await client.counted(1, 1, 1);
    expect(await words(client, { q: 'PAY' })).toEqual(['Payment']);
    expect(await words(client, { q: 'art failed' })).toEqual(['Cart']);
    expect((await words(client, { q: 'error: ' })).sort()).toEqual(['Cart', 'Payment']);
    expect(await words(client, { q: 'größe ändern' })).toHaveLength(1);
    expect(await words(client, { q: 'k_f' })).toHaveLength(1);
    expect(await words(client, { q: '0%' })).toHaveLength(1);
    expect(await words(client, { q: 'p%t' })).toEqual([]);
    expect(await words(client, { q: 'p_y' })).toEqual([]);
    expect(await words(client, { q: "'; drop" })).toEqual([]);
  });

  it('is found by its id in every form, and by eight or more digits of its fingerprint', async () => {
    const client = await connect(culprit);
    await client.send(named('Payment'), named('Cart'));
    const incident = (await client.counted(1, 1)).find(({ title }) => title.startsWith('Payment'));
    const uuid = parseId(['inc'], incident?.incident_id ?? '') ?? '';
    const fingerprint = incident?.fingerprint ?? '';
    const forms = [`inc_${uuid}`, `bun_${uuid}`, uuid, uuid.toUpperCase()];
    const digits = [8, 9, 63, 64].map((count) => fingerprint.slice(0, count));
    for (const q of [...forms, ...digits, fingerprint.slice(0, 12).toUpperCase()]) {
      expect(await client.list({ q }), q).toEqual([incident]);
    }
    for (const q of [fingerprint.slice(0, 7), fingerprint.slice(1, 20), `${fingerprint}0`, `evt_${uuid}`]) {
      expect(await client.list({ q }), q).toEqual([]);
    }
  });

  it('is searched among what the member sees, together with all filters', async () => {
    const [client, foreign] = [await connect(culprit), await connect(culprit)];
    await client.send(named('Shared'), named('Shared', { service: { environment: 'staging' } }));
    await foreign.send(named('Shared'));
    const [incident] = await foreign.counted(1);
    await client.counted(1, 1);
    expect(await words(client, { q: 'shared' })).toHaveLength(2);
    expect(await words(client, { q: 'shared', environment: 'staging' })).toHaveLength(1);
    expect(await words(client, { q: 'shared', status: 'resolved' })).toEqual([]);
    expect(await client.list({ q: incident?.incident_id ?? '' })).toEqual([]);
    expect(await client.list({ q: incident?.fingerprint ?? '', environment: 'test' })).toEqual([]);
  });

  it('gives the same in every order when so many incidents fit that they are not gathered first', async () => {
    const client = await connectVaried();
    await copyIncidents(
      culprit.database,
      {
        changed: `jsonb_build_object('incident_id', gen_random_uuid(), 'number', 1000000 + n,
          'fingerprint', '\\x' || encode(sha256(n::text::bytea), 'hex'), 'title', 'Zebra ' || n,
          'last_seen_at', i.last_seen_at - interval '10 day' + n * 7919 % 1100 * interval '2 s',
          'first_seen_at', i.first_seen_at - interval '10 day',
          'severity', n % 2, 'occurrence_count', 1 + n % 700, 'affected_users', n % 700)`,
        from: "incidents i, generate_series(1, 2200) n where i.project_id = $1 and i.title like 'Cart%'",
      },
      [parseId(['proj'], client.project.projectId) ?? ''],
    );
    const all = await readPages(client, '/v1/incidents?q=zebra', 'incidents', 100);
    expect(all).toHaveLength(2200);
    // The index has steps of times and counts alone, and each time is that of two.
    const seenAt = (each: Page['items'][number]) => Date.parse(String(each.last_seen_at));
    expect(all.toSorted(by(seenAt))).toEqual(all);
    const bySeverity = await readPages(
      client,
      '/v1/incidents?q=zebra&sort=severity&status=active&severity_min=low',
      'incidents',
      100,
    );
    expect(bySeverity).toHaveLength(2200);
    const rank = (each: Page['items'][number]) => (each.severity === 'medium' ? 1e15 : 0);
    expect(bySeverity.toSorted(by((each) => rank(each) + seenAt(each)))).toEqual(bySeverity);
    const counted = await readPages(client, '/v1/incidents?q=zebra&sort=occurrences', 'incidents', 100);
    expect(counted).toHaveLength(2200);
    expect(counted.toSorted(by((each) => Number(each.occurrence_count)))).toEqual(counted);
    const withUsers = await readPages(client, '/v1/incidents?q=users%3A>%3D650', 'incidents', 100);
    expect(withUsers).toHaveLength(
      Array.from({ length: 2200 }, (_, n) => n + 1).filter((n) => n % 700 >= 650).length,
    );
    expect(await words(client, { q: 'E' })).toHaveLength(100);
    expect((await words(client, { q: 'A' })).slice(0, 3)).toEqual(['Payment', 'Database', 'Timeout']);
    expect((await words(client, { q: 'a', sort: 'severity' })).slice(0, 3)).toEqual([
      'Database',
      'Timeout',
      'Payment',
    ]);
    expect(await words(client, { q: 'zebra 2199' })).toEqual(['Zebra 2199']);
  });

  const ORDERS: Readonly<Record<IncidentSort, string[]>> = {
    last_seen: ['Payment', 'Database', 'Timeout', 'Cart', 'disk almost full'],
    first_seen: ['Database', 'Timeout', 'Payment', 'Cart', 'disk almost full'],
    occurrences: ['Payment', 'Cart', 'Timeout', 'Database', 'disk almost full'],
    severity: ['Database', 'Timeout', 'Payment', 'Cart', 'disk almost full'],
    priority: ['Database', 'Timeout', 'Payment', 'Cart', 'disk almost full'],
  };

  it('has five orders, each paged without repeating or missing one', async () => {
    const client = await connectVaried();
    const byId = (a: Incident, b: Incident) => (a.incident_id < b.incident_id ? 1 : -1);
    const single = (await client.list()).filter((each) => each.occurrence_count === 1).sort(byId);
    const expected = {
      ...ORDERS,
      occurrences: ['Payment', 'Cart', ...single.map(({ title }) => title.replace(/Error:.*/, ''))],
    };
    for (const [sort, order] of Object.entries(expected)) {
      expect(await words(client, { sort }), sort).toEqual(order);
      const whole = await client.list({ sort });
      for (const limit of [1, 2, 4]) {
        expect(await readPages(client, `/v1/incidents?sort=${sort}`, 'incidents', limit), sort).toEqual(
          whole,
        );
        expect(await readPages(client, `/v1/incidents?sort=${sort}&q=a`, 'incidents', limit), sort).toEqual(
          whole.filter(({ title }) => /a/i.test(title)),
        );
      }
    }
  });

  it('refuses the cursor of another order', async () => {
    const client = await connectVaried();
    const cursors = new Map<string, string>();
    for (const sort of Object.keys(ORDERS)) {
      const { body } = await client.get(`/v1/incidents?sort=${sort}&limit=1`);
      const cursor: unknown =
        typeof body === 'object' && body !== null ? Reflect.get(body, 'next_cursor') : null;
      cursors.set(sort, String(cursor));
    }
    for (const sort of cursors.keys()) {
      for (const [other, cursor] of cursors) {
        const answer = await client.get(`/v1/incidents?sort=${sort}&cursor=${encodeURIComponent(cursor)}`);
        expect(answer.status, `${other} in ${sort}`).toBe(other === sort ? 200 : 400);
      }
    }
  });

  it('severity_min is a least severity', async () => {
    const client = await connectVaried();
    expect(await words(client, { severity_min: 'critical' })).toEqual(['Database', 'Timeout']);
    expect(await words(client, { severity_min: 'high' })).toEqual(['Payment', 'Database', 'Timeout', 'Cart']);
    expect(await words(client, { severity_min: 'low' })).toHaveLength(5);
    expect(await words(client, { severity_min: 'high', severity: 'low' })).toEqual([]);
  });

  it('spiking is a spike that was detected within the hour', async () => {
    const client = await connect(culprit);
    await client.send(named('Calm'), named('Burst'));
    const burst = (await client.counted(1, 1)).find(({ title }) => title.startsWith('Burst'));
    const spiked = (minutes: number) =>
      culprit.database.query(
        {
          name: 'test-spike',
          text: `update incidents set spike_detected_at = culprit_now() - make_interval(mins => $2) where incident_id = $1`,
        },
        [parseId(['inc'], burst?.incident_id ?? ''), minutes],
      );
    expect(await words(client, { spiking: 'true' })).toEqual([]);
    await spiked(59);
    expect(await words(client, { spiking: 'true' })).toEqual(['Burst']);
    expect(await words(client, { spiking: 'false' })).toEqual(['Calm']);
    await spiked(61);
    expect(await words(client, { spiking: 'true' })).toEqual([]);
    expect((await words(client, { spiking: 'false' })).sort()).toEqual(['Burst', 'Calm']);
  });

  it.each([
    'q=',
    `q=${'a'.repeat(501)}`,
    'q=%00',
    'q=%ff',
    'sort=',
    'sort=Severity',
    'sort=last_seen&sort=last_seen',
    'severity_min=urgent',
    'spiking=yes',
    'spiking=1',
    'sort=occurrences&cursor=occurrences%7C0%7Cinc_00000000-0000-4000-8000-000000000000',
    'sort=occurrences&cursor=occurrences%7C1e3%7Cinc_00000000-0000-4000-8000-000000000000',
    'sort=severity&cursor=severity%7Curgent%7C2026-03-24T10:30:00.000Z%7Cinc_00000000-0000-4000-8000-000000000000',
    'sort=first_seen&cursor=first_seen%7Cyesterday%7Cinc_00000000-0000-4000-8000-000000000000',
    'sort=first_seen&cursor=first_seen%7C2026-03-24T10:30:00.000Z%7Cinc_zzz',
  ])('refuses the query %s', async (query) => {
    const client = await connect(culprit);
    const answer = await client.get(`/v1/incidents?${query}`);
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_query' }]);
  });
});
