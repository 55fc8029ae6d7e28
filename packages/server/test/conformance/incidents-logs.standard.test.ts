import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { pageOf, readPages } from '../support/read-pages.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import {
  ago,
  changed,
  DAY,
  EX,
  EX_TITLE,
  FRONTEND,
  HOUR,
  LOG,
  MINUTE,
  REQ,
  SECOND,
} from './incidents-fixtures.ts';

/** Ids and levels of an incident's rows, newest first. */
async function rows(client: IncidentClient, incidentId: string): Promise<[string, string | null][]> {
  return (await client.logs(incidentId)).map(({ event_id, level }) => [event_id, level]);
}

describe.concurrent('the log rows of an incident', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  //
  it('are the same under both addresses', async () => {
    const client = await connect(culprit);
    const times = [ago(MINUTE), ago(0)];
    await client.send(
      EX({ event_id: 'evt_old', timestamp: times[0] ?? '' }),
      EX({ event_id: 'evt_new', timestamp: times[1] ?? '' }),
    );
    const { incident_id: id } = await client.only(2);
    const row = { event_type: 'backend_exception', is_sampled: true, level: 'error', summary: EX_TITLE };
    const newest = { ...row, event_id: 'evt_new', occurred_at: times[1] };
    const oldest = { ...row, event_id: 'evt_old', occurred_at: times[0] };
    for (const path of [`/v1/incidents/${id}/logs?`, `/v1/logs?incident_id=${id}&`]) {
      const first = await client.get(`${path}level=error&limit=1`);
      const cursor = `${times[1]}|evt_new`;
      expect([first.status, first.body]).toEqual([200, { logs: [newest], next_cursor: cursor }]);
      const second = await client.get(`${path}level=error&limit=1&cursor=${encodeURIComponent(cursor)}`);
      expect(second.body).toEqual({ logs: [oldest], next_cursor: null });
    }
    const answer = await client.get('/v1/logs');
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_query' }]);
  });

  it('page to the end in one order, ties broken by id in byte order', async () => {
    const client = await connect(culprit);
    const ids = ['evt_b', 'evt_B', 'evt_a', 'evt_10', 'evt_9', 'evt-x', 'evt__'];
    const timestamp = ago(MINUTE);
    await client.send(...ids.map((event_id) => EX({ event_id, timestamp })), EX({ event_id: 'evt_later' }));
    const { incident_id: id } = await client.only(8);
    const expected = ['evt_later', ...ids.toSorted().reverse()];
    for (const limit of [1, 3, 8]) {
      const seen = await readPages(client, `/v1/incidents/${id}/logs`, 'logs', limit);
      expect(seen.map(({ event_id }) => event_id)).toEqual(expected);
    }
  });

  it('show twenty unless told otherwise', async () => {
    const client = await connect(culprit);
    await client.send(...Array.from({ length: 21 }, () => EX()));
    const { incident_id: id } = await client.only(21);
    const page = pageOf(await client.get(`/v1/incidents/${id}/logs`), 'logs');
    expect(page.items).toHaveLength(20);
    expect(page.nextCursor).toContain('|evt_');
  });

  it.each([
    'limit=0',
    'limit=101',
    'cursor=zzz',
    'cursor=2026-03-24T10:30:00.000Z%7C',
    'cursor=2026-03-24T10:30:00.000Z%7C%2500',
    'level=fatalist',
    'level=ERROR',
    'incident_id=x',
    'foo=1',
  ])('refuse the query %s', async (query) => {
    const client = await connect(culprit);
    await client.send(EX());
    const { incident_id: id } = await client.only();
    const answer = await client.get(`/v1/incidents/${id}/logs?${query}`);
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_query' }]);
  });

  it('of an unknown incident are 404 in the query, too, and 400 when the id is malformed', async () => {
    const client = await connect(culprit);
    const unknown = await client.get('/v1/logs?incident_id=inc_00000000-0000-4000-8000-000000000000');
    expect([unknown.status, unknown.body]).toEqual([404, { error: 'incident_not_found' }]);
    const malformed = await client.get('/v1/logs?incident_id=inc%20x');
    expect([malformed.status, malformed.body]).toEqual([400, { error: 'invalid_query' }]);
  });

  it('show the level of logs, fatal as critical, and filter by it exactly', async () => {
    const client = await connect(culprit);
    await client.send(
      LOG('fatal', 'disk gone', { event_id: 'evt_fatal', timestamp: ago(2 * SECOND) }),
      LOG('critical', 'disk gone', { event_id: 'evt_critical', timestamp: ago(SECOND) }),
      LOG('error', 'disk gone', { event_id: 'evt_error' }),
    );
    const { incident_id: id } = await client.only(3);
    expect(await rows(client, id)).toEqual([
      ['evt_error', 'error'],
      ['evt_critical', 'critical'],
      ['evt_fatal', 'critical'],
    ]);
    for (const [level, found] of [
      ['fatal', 2],
      ['critical', 2],
      ['error', 1],
      ['warning', 0],
    ]) {
      const answer = await client.get(`/v1/incidents/${id}/logs?level=${level}`);
      expect(pageOf(answer, 'logs').items).toHaveLength(Number(found));
    }
  });

  it('show failed requests that were signals as errors', async () => {
    const client = await connect(culprit);
    await client.send(REQ({ event_id: 'evt_req' }));
    expect(await rows(client, (await client.only()).incident_id)).toEqual([['evt_req', 'error']]);
  });

  it('hold the context that shares a trace or request, which counts for nothing', async () => {
    const client = await connect(culprit);
    const byTrace = { correlation: { trace_id: 'trace-1' } };
    const byRequest = { correlation: { request_id: 'req-1' } };
    await client.send(
      EX({ event_id: 'evt_signal', correlation: { trace_id: 'trace-1', request_id: 'req-1' } }),
      LOG('warning', 'slow', { event_id: 'evt_warning', timestamp: ago(SECOND), ...byTrace }),
      LOG('info', 'begin', { event_id: 'evt_info', timestamp: ago(2 * SECOND), ...byRequest }),
      REQ({ event_id: 'evt_ok', timestamp: ago(3 * SECOND), payload: { response_status: 200 }, ...byTrace }),
      LOG('warning', 'unrelated', { event_id: 'evt_other', correlation: { trace_id: 'trace-2' } }),
    );
    const { incident_id: id } = await client.only();
    await client.settled();
    expect(await rows(client, id)).toEqual([
      ['evt_signal', 'error'],
      ['evt_warning', 'warning'],
      ['evt_info', 'info'],
      ['evt_ok', null],
    ]);
    expect(await client.only()).toMatchObject({ occurrence_count: 1 });
    const { body } = await client.get(`/v1/incidents/${id}/logs?level=warning`);
    expect(body).toMatchObject({ logs: [{ event_id: 'evt_warning', is_sampled: false }], next_cursor: null });
  });

  it('hold context that arrives after the incident, once its bundle was refreshed', async () => {
    const client = await connect(culprit);
    await client.send(EX({ correlation: { trace_id: 'trace-1' } }));
    const { incident_id: id } = await client.only();
    await client.bundle(id);
    await client.send(
      LOG('info', 'late line', { event_id: 'evt_late', correlation: { trace_id: 'trace-1' } }),
    );
    await client.settled();
    expect((await rows(client, id)).map(([eventId]) => eventId)).toContain('evt_late');
    expect((await client.bundle(id)).context.logs?.items).toMatchObject([{ message: 'late line' }]);
  });

  it('hold neighbours in time only when no side names a trace or request', async () => {
    const client = await connect(culprit);
    const at = Date.now() - MINUTE;
    const time = (offsetMs: number) => ({ timestamp: new Date(at + offsetMs).toISOString() });
    await client.send(
      LOG('info', 'near', { event_id: 'evt_near', ...time(-30 * SECOND) }),
      LOG('info', 'after', { event_id: 'evt_after', ...time(5 * SECOND) }),
      LOG('info', 'far', { event_id: 'evt_far', ...time(-30_001) }),
      LOG('info', 'late', { event_id: 'evt_late', ...time(5001) }),
      LOG('info', 'traced', { event_id: 'evt_traced', ...time(0), correlation: { trace_id: 'trace-1' } }),
      LOG('info', 'elsewhere', { event_id: 'evt_elsewhere', ...time(0), service: { name: 'mailer' } }),
      EX({ event_id: 'evt_signal', ...time(0) }),
    );
    const { incident_id: id } = await client.only();
    await client.settled();
    expect((await rows(client, id)).map(([eventId]) => eventId)).toEqual([
      'evt_after',
      'evt_signal',
      'evt_near',
    ]);
  });

  it('hold neighbours in time also when the clock of the sender is minutes ahead', async () => {
    const client = await connect(culprit);
    const timestamp = ago(-5 * MINUTE);
    await client.send(LOG('info', 'near', { event_id: 'evt_near', timestamp: ago(-5 * MINUTE + SECOND) }));
    await client.send(EX({ event_id: 'evt_signal', timestamp }));
    const { incident_id: id } = await client.only();
    await client.settled();
    expect((await rows(client, id)).map(([eventId]) => eventId)).toEqual(['evt_signal', 'evt_near']);
  });

  it('hold no more context than the bundle shows: the fifty lines nearest to the failure', async () => {
    const client = await connect(culprit);
    const correlation = { trace_id: 'trace-1' };
    const lines = Array.from({ length: 60 }, (_, n) =>
      LOG('info', `line ${n}`, { event_id: `evt_${n}`, correlation, timestamp: ago((n + 1) * SECOND) }),
    );
    await client.send(...lines, EX({ event_id: 'evt_signal', correlation }));
    const { incident_id: id } = await client.only();
    await client.settled();
    const expected = ['evt_signal', ...lines.slice(0, 50).map(({ event_id }) => event_id)];
    expect((await rows(client, id)).map(([eventId]) => eventId)).toEqual(expected);
  });

  it('show a failed request of the same trace as an error in the other incident, too', async () => {
    const client = await connect(culprit);
    const correlation = { trace_id: 'trace-1' };
    await client.send(
      EX({ event_id: 'evt_ex', correlation }),
      REQ({ event_id: 'evt_req', timestamp: ago(SECOND), correlation }),
    );
    const incidents = await client.counted(1, 1);
    await client.settled();
    const [failed, thrown] = ['request_failure', 'backend_exception'].map(
      (kind) => incidents.find(({ incident_reason }) => incident_reason.kind === kind)?.incident_id ?? '',
    );
    expect(await rows(client, thrown ?? '')).toEqual([
      ['evt_ex', 'error'],
      ['evt_req', 'error'],
    ]);
    // A server's exceptions are nobody's context.
    expect(await rows(client, failed ?? '')).toEqual([['evt_req', 'error']]);
  });

  it('hold the browser side of a session from five minutes before to thirty seconds after', async () => {
    const client = await connect(culprit);
    const at = Date.now() - 10 * MINUTE;
    const crumb = (event_id: string, offsetMs: number) =>
      changed(withoutError(FRONTEND()), {
        event_id,
        event_type: 'frontend_breadcrumb',
        timestamp: new Date(at + offsetMs).toISOString(),
        correlation: { session_id: 'session-1' },
        payload: { breadcrumb_type: 'click', route: '/cart', data: { selector: 'button' } },
      });
    await client.send(
      crumb('evt_too_early', -5 * MINUTE - 1),
      crumb('evt_first', -5 * MINUTE),
      crumb('evt_last', 30 * SECOND),
      crumb('evt_too_late', 30 * SECOND + 1),
      EX({
        event_id: 'evt_signal',
        timestamp: new Date(at).toISOString(),
        correlation: { session_id: 'session-1' },
      }),
    );
    const { incident_id: id } = await client.only();
    await client.settled();
    expect((await rows(client, id)).map(([eventId]) => eventId)).toEqual([
      'evt_last',
      'evt_signal',
      'evt_first',
    ]);
  });

  it('hold nothing of another environment or of a trace more than a day away', async () => {
    const client = await connect(culprit);
    const correlation = { trace_id: 'trace-1' };
    await client.send(
      LOG('info', 'staged', { correlation, service: { environment: 'staging' } }),
      LOG('info', 'old', { correlation, timestamp: ago(DAY + HOUR) }),
      EX({ event_id: 'evt_signal', correlation }),
    );
    const { incident_id: id } = await client.only();
    await client.settled();
    expect(await rows(client, id)).toEqual([['evt_signal', 'error']]);
  });
});

function withoutError<Event extends { payload: object }>(event: Event): Event {
  return { ...event, payload: {} };
}
