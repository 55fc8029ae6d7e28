import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import type { EventClass } from '@culprit/evidence/events/normalize/event';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { describe, expect, it } from 'vitest';
import { observeEvent } from '../../src/pipeline/improvements/observe-event.ts';
import { changed, EX, FRONTEND, LOG, REQ, type SentEvent } from '../conformance/incidents-fixtures.ts';

/** What an event says, as `detector matches key`. */
function said(
  sent: SentEvent,
  options: { eventClass?: EventClass; isDemoted?: boolean; correlation?: bigint | null } = {},
): string[] {
  const { eventClass = 'context_signal', isDemoted = false, correlation = null } = options;
  const raw: unknown = JSON.parse(JSON.stringify(sent));
  if (!isJsonObject(raw)) throw new Error('no event');
  const event = normalizeEvent(raw, { eventId: 'evt_1', receivedAtMs: Date.now() });
  return observeEvent(event, { eventClass, isDemoted }, correlation).map(
    ({ detector, matches, key }) => `${detector} ${matches} ${key}`,
  );
}

function request(method: string, path: string, status: number, durationMs = 5): SentEvent {
  return changed(REQ(), { payload: { method, path, response_status: status, duration_ms: durationMs } });
}

function trail(...messages: string[]): SentEvent {
  const breadcrumbs = messages.map((message) => ({ breadcrumb_type: 'console_log', data: { message } }));
  return FRONTEND({ payload: { breadcrumbs } });
}

describe('what detectors see in an event', () => {
  it('is how slow a request is, at each sensitivity, by method and route', () => {
    const at = (durationMs: number) => said(request('get', '/api/orders/17', 200, durationMs));
    expect(at(2000)).toEqual(['slow_request 3 GET /api/orders/{param}']);
    expect(at(1999)).toEqual(['slow_request 2 GET /api/orders/{param}']);
    expect(at(1499)).toEqual(['slow_request 1 GET /api/orders/{param}']);
    expect(at(999)).toEqual(['slow_request 0 GET /api/orders/{param}']);
  });

  it('is a refused request that is context, unless scanners ask for such paths', () => {
    const refusals = (sent: SentEvent, options = {}) =>
      said(sent, options).filter((each) => each.startsWith('request_failure'));
    expect(refusals(request('POST', '/api/orders', 422))).toEqual(['request_failure 3 POST /api/orders 422']);
    expect(refusals(request('POST', '/api/orders', 422), { eventClass: 'incident_signal' })).toEqual([]);
    expect(
      refusals(request('POST', '/api/orders', 422), { eventClass: 'incident_signal', isDemoted: true }),
    ).toHaveLength(1);
    expect(refusals(request('GET', '/api/orders', 500))).toEqual([]);
    for (const path of ['/wp-login.php', '/.env', '/static/.git/config', '/phpMyAdmin/index.php', '/admin']) {
      expect(refusals(request('GET', path, 404)), path).toEqual([]);
      expect(refusals(request('POST', path, 404)), path).toHaveLength(1);
      expect(refusals(request('GET', path, 403)), path).toHaveLength(1);
    }
    expect(refusals(request('GET', '/.well-known/openid-configuration', 404))).toHaveLength(1);
    expect(refusals(request('GET', '/api/admins', 404))).toHaveLength(1);
  });

  it('is a failed request of a correlation id, also one without an answer', () => {
    const attempts = (status: number, correlation: bigint | null) =>
      said(request('GET', '/api/feed', status), { eventClass: 'incident_signal', correlation }).filter(
        (each) => each.startsWith('retry_loop'),
      );
    expect(attempts(503, 7n)).toEqual(['retry_loop 3 GET /api/feed']);
    expect(attempts(0, 7n)).toHaveLength(1);
    expect(attempts(404, 7n)).toHaveLength(1);
    expect(attempts(399, 7n)).toEqual([]);
    expect(attempts(503, null)).toEqual([]);
  });

  it('is a slow statement by its template, whatever it is written like', () => {
    const attributes = { duration_ms: 1200, sql: "select *\n  from orders\n  where id = 17 and name = 'x'" };
    const expected = 'slow_query 3 select * from orders where id = <*> and name = <*>';
    expect(said(LOG('info', 'done', { payload: { attributes } }))).toEqual([expected]);
    const named = (payload: object) => said(LOG('info', 'done', { payload: { attributes: payload } }));
    expect(named({ elapsed_ms: 500, query: 'select 1' })).toEqual(['slow_query 2 select <*>']);
    expect(named({ elapsed_ms: 250, statement: 'select 1' })).toEqual(['slow_query 1 select <*>']);
    expect(named({ duration_ms: 1000, 'db.statement': 'select 1' })).toEqual(['slow_query 3 select <*>']);
    expect(named({ duration_ms: 1000, db: { statement: 'select 1' } })).toEqual(['slow_query 3 select <*>']);
    expect(named({ duration_ms: 249, sql: 'select 1' })).toEqual([]);
    expect(named({ duration_ms: '1000', sql: 'select 1' })).toEqual([]);
    expect(named({ duration_ms: 1000, sql: '  ' })).toEqual([]);
  });

  it('is a warning, or an error that a rule demoted', () => {
    expect(said(LOG('warning', 'pool 3 is full'))).toEqual(['warning_hotspot 3 pool <*> is full']);
    expect(said(LOG('error', 'pool 3 is full'), { eventClass: 'incident_signal' })).toEqual([]);
    expect(said(LOG('error', 'pool 3 is full'), { isDemoted: true })).toHaveLength(1);
    expect(said(LOG('info', 'pool 3 is full'))).toEqual([]);
  });

  it('is a deprecation in a log of any level or on the console of a page, in any case', () => {
    for (const text of ['foo() is DEPRECATED', 'bar Will Be Removed In 3.0', 'this is obsolete']) {
      expect(said(LOG('info', text)).map((each) => each.split(' ')[0])).toEqual(['deprecation']);
      expect(said(trail('other', text)).map((each) => each.split(' ')[0])).toEqual(['deprecation']);
    }
    expect(said(trail('x is deprecated', 'x is deprecated', 'y is deprecated'))).toEqual([
      'deprecation 3 x is deprecated',
      'deprecation 3 y is deprecated',
    ]);
    const click = { breadcrumb_type: 'click', data: { message: 'deprecated' } };
    expect(said(FRONTEND({ payload: { breadcrumbs: [click] } }))).toEqual([]);
    const standalone = changed(EX(), {
      event_type: 'frontend_breadcrumb',
      payload: { breadcrumb_type: 'console', data: { message: 'x is deprecated' } },
    });
    expect(said(standalone)).toEqual(['deprecation 3 x is deprecated']);
  });

  it('is nothing in an exception, whatever its message', () => {
    expect(said(EX({ payload: { message: 'foo is deprecated' } }))).toEqual([]);
  });
});
