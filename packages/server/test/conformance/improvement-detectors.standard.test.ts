import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connectImprovements, type ImprovementClient } from '../support/improvement-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import {
  ago,
  changed,
  DAY,
  EX,
  FRONTEND,
  HOUR,
  LOG,
  MINUTE,
  REQ,
  SECOND,
  type SentEvent,
} from './incidents-fixtures.ts';

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});
afterAll(() => culprit.stop());

const connect = (): Promise<ImprovementClient> => connectImprovements(culprit);

function times(count: number, make: (n: number) => SentEvent): SentEvent[] {
  return Array.from({ length: count }, (_, n) => make(n));
}

function request(method: string, path: string, status: number, change: Partial<SentEvent> = {}): SentEvent {
  const payload = { method, path, response_status: status, duration_ms: 20 };
  return changed(changed(REQ(), { payload }), change);
}

describe('the detectors of improvements', () => {
  it('slow_query: statements that differ in their values are one', async () => {
    const client = await connect();
    await client.send(
      ...times(20, (n) =>
        LOG('info', 'query done', {
          event_id: `${client.project.projectId}-${n}`,
          payload: { attributes: { duration_ms: 1000 + n, sql: `select * from t where id = ${n}` } },
        }),
      ),
    );
    const improvement = await client.onlyImprovement();
    expect(improvement).toMatchObject({
      kind: 'slow_request',
      severity: 'medium',
      title: 'Slow query: select * from t where id = <*>',
      evidence: { detector: 'slow_query', statement: 'select * from t where id = <*>', limit_ms: 1000 },
    });
    const document = await client.document(improvement.improvement_id);
    expect(document.signal.signal_type).toBe('slow_query');
    expect(document.summary.recommended_action).toContain('select * from t where id = <*>');
    // The slowest one leads.
    expect(document.signal.signal_id).toBe(`${client.project.projectId}-19`);
    expect(document.reproduction).toMatchObject({ possible: false, reason: 'insufficient_context' });
  });

  it('warning_hotspot: warnings count when they come over half an hour', async () => {
    const [short, long] = await Promise.all([connect(), connect()]);
    const warnings = (spanMs: number) =>
      times(50, (n) => LOG('warning', `pool ${n} is full`, { timestamp: ago(n === 0 ? spanMs : 0) }));
    await Promise.all([short.send(...warnings(29 * MINUTE)), long.send(...warnings(31 * MINUTE))]);
    expect(await long.onlyImprovement()).toMatchObject({
      kind: 'warning_hotspot',
      severity: 'low',
      evidence: { detector: 'warning_hotspot', observed: 50, message: 'pool <*> is full' },
    });
    await short.judged();
    expect(await short.improvements()).toEqual([]);
  });

  it('deprecation: announcements of a week count, older ones do not', async () => {
    const client = await connect();
    const announcement = (agoMs: number) => LOG('info', 'foo is deprecated', { timestamp: ago(agoMs) });
    await client.send(...times(9, (n) => announcement(n * 18 * HOUR)), announcement(7 * DAY + HOUR));
    await client.judged();
    expect(await client.improvements()).toEqual([]);
    await client.send(announcement(6.9 * DAY));
    const improvement = await client.onlyImprovement();
    expect(improvement).toMatchObject({
      kind: 'warning_hotspot',
      evidence: { detector: 'deprecation', observed: 10, window_seconds: 604_800 },
    });
    expect((await client.document(improvement.improvement_id)).signal.signal_type).toBe('deprecation');
  });

  it('deprecation: a document made of an exception shows no error', async () => {
    const client = await connect();
    const breadcrumbs = [{ breadcrumb_type: 'console_log', data: { message: 'bar is deprecated' } }];
    await client.send(...times(10, () => FRONTEND({ payload: { breadcrumbs } })));
    const { improvement_id } = await client.onlyImprovement();
    const document = await client.document(improvement_id);
    expect(document.context.error).toBeNull();
    expect(document.context).not.toHaveProperty('error_chain');
    expect(document.summary).toMatchObject({ error_type: null, first_application_frame: null });
  });

  it('request_failure: refusals of a route with one status, and no probing of scanners', async () => {
    const client = await connect();
    await client.send(
      ...times(50, (n) => request('GET', `/api/items/${n}`, 404)),
      ...times(60, () => request('GET', '/wp-login.php', 404)),
    );
    const improvement = await client.onlyImprovement();
    expect(improvement).toMatchObject({
      kind: 'request_failure_pattern',
      severity: 'medium',
      evidence: { detector: 'request_failure', method: 'GET', route: '/api/items/{param}', status: 404 },
    });
    const document = await client.document(improvement.improvement_id);
    expect(document).toMatchObject({
      bundle_type: 'improvement',
      bundle_id: `bun_${improvement.improvement_id}`,
      signal: { signal_type: 'request_failure', fingerprint: improvement.fingerprint, occurrence_count: 50 },
      summary: { title: improvement.title, description: improvement.summary },
      reproduction: { possible: true },
      links: {
        incident: null,
        self: expect.stringContaining(`/improvements/${improvement.improvement_id}/bundle`),
      },
    });
    expect(document.summary.recommended_action).toContain('GET /api/items/{param}');
  });

  it('retry_loop: three callers who try five times within a minute, over several batches', async () => {
    const client = await connect();
    const attempt = (trace: string, agoMs: number) =>
      request('POST', '/api/pay', 503, { timestamp: ago(agoMs), correlation: { trace_id: trace } });
    const traces = ['a', 'b', 'c'].map((each) => each.repeat(32));
    for (const half of [0, 1]) {
      await client.send(
        ...traces.flatMap((trace) =>
          times(half === 0 ? 3 : 2, (n) => attempt(trace, (half * 3 + n) * 10 * SECOND)),
        ),
      );
      await client.judged();
    }
    // Too slow for a group, and one more of a caller who has one.
    await client.send(
      ...times(6, (n) => attempt('d'.repeat(32), n * 20 * SECOND)),
      attempt('a'.repeat(32), 0),
    );
    const [improvement, ...others] = (await judgedOf(client)).filter(
      ({ evidence }) => evidence.detector === 'retry_loop',
    );
    expect(others).toEqual([]);
    expect(improvement).toMatchObject({
      kind: 'request_failure_pattern',
      severity: 'medium',
      occurrence_count: 3,
      evidence: { detector: 'retry_loop', observed: 3, threshold: 3, method: 'POST', route: '/api/pay' },
    });
    expect((await client.document(improvement?.improvement_id ?? '')).signal.signal_type).toBe('retry_loop');
  });

  it('slow_request: a route of which few requests are slow is none', async () => {
    const client = await connect();
    const mixed = request('GET', '/api/mixed', 200);
    const fast = times(181, () => mixed);
    const slow = times(20, () => changed(mixed, { payload: { duration_ms: 2100 } }));
    await client.send(...fast, ...slow);
    await client.judged();
    expect(await client.improvements()).toEqual([]);
    await client.send(...slow.slice(0, 1));
    expect(await client.onlyImprovement()).toMatchObject({
      evidence: { observed: 21, requests: 202, percent: 10.4 },
    });
  });

  it('recurring_incident: five days with occurrences, and the incident is what it is about', async () => {
    const client = await connect();
    await client.send(...times(4, (n) => EX({ timestamp: ago(n * DAY) })));
    const { incident_id } = await client.only(4);
    await client.judged();
    expect(await client.improvements()).toEqual([]);
    await client.send(EX({ timestamp: ago(4 * DAY) }));
    expect(await client.onlyImprovement()).toMatchObject({
      kind: 'recurring_incident',
      related_incident_ids: [incident_id],
      evidence: { detector: 'recurring_incident', observed: 5, threshold: 5, window_seconds: 2_592_000 },
      bundle_failure_reason: 'covered_by_incident_bundle',
    });
    expect(await client.improvements({ except_kind: 'recurring_incident' })).toEqual([]);
    expect(await client.improvements({ except_kind: 'slow_request' })).toHaveLength(1);
  });

  it('recurring_incident: three regressions, read from the ledger', async () => {
    const client = await connect();
    await client.send(EX());
    const { incident_id } = await client.only();
    for (const occurrences of [2, 3, 4]) {
      await client.judged();
      expect(await client.improvements()).toEqual([]);
      await client.resolve(incident_id);
      await client.send(EX());
      await client.only(occurrences);
    }
    expect(await client.onlyImprovement()).toMatchObject({
      kind: 'recurring_incident',
      evidence: { observed: 3, threshold: 3, regressions: 3 },
    });
  });

  it('one service or environment says nothing about another', async () => {
    const client = await connect();
    const slow = (service: object) =>
      times(10, () => request('GET', '/api/search', 200, { service: { name: 'checkout-api', ...service } }));
    const events = [...slow({ environment: 'production' }), ...slow({ environment: 'staging' })];
    await client.send(...events.map((each) => changed(each, { payload: { duration_ms: 5000 } })));
    await client.judged();
    expect(await client.improvements()).toEqual([]);
  });
});

async function judgedOf(client: ImprovementClient) {
  await client.judged();
  return await client.improvements();
}
