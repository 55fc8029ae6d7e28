import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { ago, DAY, EX, EX_TITLE, HOUR, MINUTE, named, SECOND } from './incidents-fixtures.ts';

const BEGAN_MS = Date.now();

/**
 * Duplicates, order and clocks (docs/contract/incidents.md 5.9). Some tests move the service's clock, so they run in
 * turn.
 */
describe('the times of events', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  beforeAll(async () => {
    culprit = await startCulprit();
  });
  afterAll(() => culprit.stop());
  beforeEach(async () => {
    client = await connect(culprit);
  });

  //
  it('an event from the future counts from its receipt', async () => {
    await client.send(EX({ timestamp: ago(-2 * HOUR) }));
    const { last_seen_at, first_seen_at } = await client.only();
    expect(Date.parse(last_seen_at)).toBeGreaterThanOrEqual(BEGAN_MS);
    expect(Date.parse(last_seen_at)).toBeLessThanOrEqual(Date.now());
    expect(first_seen_at).toBe(last_seen_at);
  });

  it('a clock that is at most ten minutes ahead is believed', async () => {
    const ahead = ago(-9 * MINUTE);
    await client.send(EX({ timestamp: ahead }));
    expect((await client.only()).last_seen_at).toBe(ahead);
    await client.send(EX({ timestamp: ago(-10 * MINUTE - 5 * SECOND) }));
    expect((await client.only(2)).last_seen_at).toBe(ahead);
  });

  //
  it('a late event widens the times of its incident and leaves its title', async () => {
    const [now, early] = [ago(0), ago(2 * DAY)];
    await client.send(EX({ timestamp: now }));
    await client.only();
    await client.send(EX({ timestamp: early }));
    expect(await client.only(2)).toMatchObject({ first_seen_at: early, last_seen_at: now, title: EX_TITLE });
  });

  it('the title stays that of the first event although later ones say it in other words', async () => {
    const say = (user: number, timestamp: string) =>
      EX({ timestamp, payload: { message: `User ${user} is 404 of 7` } });
    await client.send(say(1001, ago(MINUTE)));
    const { title } = await client.only();
    expect(title).toBe('TypeError: User 1001 is 404 of 7');
    await client.send(say(1002, ago(0)));
    await client.send(say(1003, ago(HOUR)));
    expect((await client.only(3)).title).toBe(title);
  });

  it.each([
    ['finer than a millisecond, with an offset', (at: string) => at.replace('Z', '987+00:00')],
    ['with a blank for the T', (at: string) => at.replace('T', ' ')],
    ['in basic form', (at: string) => at.replace(/[-:]/g, '')],
    ['with a zone in brackets', (at: string) => at.replace('Z', '+00:00[Europe/London][!u-ca=gregory]')],
  ])('a time %s is read to the millisecond', async (_, write) => {
    const happened = ago(HOUR);
    await client.send(EX({ timestamp: write(happened) }));
    expect((await client.only()).first_seen_at).toBe(happened);
  });

  it.each([
    ['of .NET and Go that was never set', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['before year 1, by its offset', '0001-01-01T00:00:00+01:00', '0001-01-01T00:00:00.000Z'],
    ['of 1970', '1970-01-01T00:00:07Z', '1970-01-01T00:00:07.000Z'],
    ['31 days slow', ago(31 * DAY), undefined],
    ['two days fast', ago(-2 * DAY), undefined],
    ['of year 9999', '9999-12-31T23:59:59.9999999-08:00', '9999-12-31T23:59:59.999Z'],
  ])('a clock %s is not believed, and the bundle says so', async (_, timestamp, read = timestamp) => {
    const before = Date.now();
    const ids = { trace_id: 't', request_id: 'r', session_id: 's', user_id_hash: null };
    await client.send(EX({ timestamp, correlation: ids }));
    const { incident_id, first_seen_at, last_seen_at } = await client.only();
    expect(Date.parse(first_seen_at)).toBeGreaterThan(before - 10 * SECOND);
    expect(Date.parse(first_seen_at)).toBeLessThan(Date.now() + 10 * SECOND);
    expect(last_seen_at).toBe(first_seen_at);
    const bundle = await client.bundle(incident_id);
    expect(bundle.captured_at).toBe(first_seen_at);
    expect(bundle.summary.description).toContain(`The sender's clock read ${read} and was not believed`);
    expect(bundle.context.occurrences?.items).toMatchObject([
      { occurred_at: first_seen_at, sender_time: read },
    ]);
  });

  it('each kind of event is placed at its receipt where its clock was never set', async () => {
    const timestamp = '0001-01-01T00:00:00Z';
    const service = { name: 'unset', environment: 'production' };
    const correlation = { trace_id: 'unset', request_id: null, session_id: null, user_id_hash: null };
    const send = (event_type: string, payload: object) => ({
      event_type,
      timestamp,
      service,
      correlation,
      payload,
    });
    const unset = { first_seen: timestamp, last_seen: timestamp };
    await client.send(
      send('backend_exception', { error_class: 'E', message: 'm' }),
      send('frontend_exception', { name: 'F', message: 'm', stack: '' }),
      send('request_event', { method: 'GET', path: '/x', response_status: 500 }),
      send('log_event', { level: 'error', message: 'broken' }),
      send('frontend_breadcrumb', { breadcrumb_type: 'click', data: {} }),
      send('deploy_metadata', { version: '1', deployed_at: timestamp }),
      send('error_suppressed', { suppressed_count: 2, fingerprint: 'f', ...unset }),
      send('error_suppressed', {
        suppressed_count: 2,
        fingerprint: 'g',
        first_seen: timestamp,
        last_seen: ago(0),
      }),
      send('probe_event', { label: 'a', data: {} }),
    );
    const anHourAgo = ago(HOUR);
    await client.processed();
    const incidents = await client.list();
    expect(incidents.length).toBeGreaterThanOrEqual(3);
    for (const { incident_id, first_seen_at } of incidents) {
      expect(first_seen_at > anHourAgo).toBe(true);
      expect((await client.bundle(incident_id)).captured_at).toBe(first_seen_at);
    }
  });

  it('identical events without an id are occurrences each', async () => {
    const event = EX();
    await client.send(event, event, event);
    expect((await client.only(3)).first_seen_at).toBe(event.timestamp);
  });

  it('an event id counts once in one request, and the first of the events with it is the one', async () => {
    await client.send(named('First', { event_id: 'evt_same' }), named('Second', { event_id: 'evt_same' }));
    await client.processed();
    expect((await client.only()).title).toBe('FirstError: First failed');
  });

  it('an event id counts once for each project', async () => {
    const other = await connect(culprit);
    await client.send(EX({ event_id: 'evt_shared' }));
    await other.send(EX({ event_id: 'evt_shared' }));
    await client.only();
    await other.only();
  });

  it('event ids that differ in case are different events', async () => {
    await client.send(EX({ event_id: 'evt_case' }), EX({ event_id: 'EVT_case' }));
    await client.only(2);
  });

  it('a repeated event neither regresses a resolved incident nor moves its times', async () => {
    await client.send(EX({ event_id: 'evt_again', timestamp: ago(HOUR) }));
    const { incident_id } = await client.only();
    const resolved = await client.resolve(incident_id);
    await client.send(EX({ event_id: 'evt_again' }));
    await client.processed();
    expect(await client.read(incident_id)).toEqual(resolved);
    expect(await client.ledger('incident.regressed')).toEqual([]);
  });

  it('an event id is remembered for seven days and may come again after them', async () => {
    try {
      await client.send(EX({ event_id: 'evt_week' }));
      await client.only();
      await moveClock(culprit.database, 7 * DAY - MINUTE);
      await client.send(EX({ event_id: 'evt_week' }));
      await client.processed();
      await client.only(1);
      await moveClock(culprit.database, 7 * DAY + MINUTE);
      await client.send(EX({ event_id: 'evt_week' }));
      await client.only(2);
    } finally {
      await moveClock(culprit.database, 0);
    }
  });

  it('events are taken in on every coming day', async () => {
    try {
      for (const [n, days] of [1, 2, 40].entries()) {
        await moveClock(culprit.database, days * DAY);
        await client.send(EX());
        const { incident_id } = await client.only(n + 1);
        expect(await client.logs(incident_id)).toHaveLength(n + 1);
      }
    } finally {
      await moveClock(culprit.database, 0);
    }
  });
});
