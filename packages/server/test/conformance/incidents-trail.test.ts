import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, EX, LOG, REQ, SECOND } from './incidents-fixtures.ts';

/** What an event carries of the time before it failed (docs/contract/ingestion.md 2.1.3, docs/contract/incidents.md 3.4). */
describe.concurrent('a bundle', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const trail = () => ({
    logs: [
      {
        level: 'warn',
        message: 'charging again',
        ts: ago(2 * SECOND),
        logger: 'pay',
        attributes: { try: 2 },
      },
      { level: 'error', message: 'gave up', ts: ago(SECOND), attributes: { password: 'hunter2' } },
    ],
    breadcrumbs: [
      {
        breadcrumb_type: 'network_request',
        ts: ago(1500),
        data: {
          method: 'post',
          url: 'https://pay.example/charge?card=4111',
          status_code: 503,
          duration_ms: 120,
        },
      },
    ],
  });
  const LINES = [
    ['warning', 'charging again', { try: 2, logger: 'pay' }],
    [
      'warning',
      'POST https://pay.example/charge: 503 after 120 ms',
      {
        breadcrumb_type: 'network_request',
        method: 'post',
        url: 'https://pay.example/charge',
        status_code: 503,
        duration_ms: 120,
      },
    ],
    ['error', 'gave up', { password: '[REDACTED]' }],
  ];

  it.each([
    [
      'an exception',
      () =>
        EX({
          payload: {
            ...trail(),
            request: { method: 'POST', path: '/pay' },
            response: { status_code: 500, duration_ms: 41.5 },
          },
        }),
    ],
    ['a failed request', () => REQ({ payload: { ...trail(), duration_ms: 41.5 } })],
  ])('shows the log lines, breadcrumbs and duration that %s carries', async (_, event) => {
    const client = await connect(culprit);
    await client.send(event());
    const { context } = await client.bundle((await client.only()).incident_id);
    expect(context.logs?.items.map(({ level, message, attributes }) => [level, message, attributes])).toEqual(
      LINES,
    );
    expect(context.dependencies?.items).toEqual([
      { name: 'pay.example', status: 'failed', notes: 'last 503 after 120 ms' },
    ]);
    expect(context.response).toMatchObject({ status_code: 500, duration_ms: 41.5 });
    expect(context.custom?.extra ?? {}).toEqual({});
  });

  it('shows a large trail beside a large context', async () => {
    const client = await connect(culprit);
    const logs = Array.from({ length: 30 }, (_, n) => ({
      message: `line ${n}`,
      ts: ago(1000 - n),
      attributes: { text: 'x'.repeat(3000) },
    }));
    const note = 'y'.repeat(8000);
    await client.send(EX({ payload: { logs }, context: { note } }));
    const { context } = await client.bundle((await client.only()).incident_id);
    expect(context.logs?.items).toHaveLength(30);
    expect(context.custom?.context).toEqual({ note });
  });

  it('shows a line once that came inside the exception and on its own', async () => {
    const client = await connect(culprit);
    const [at, correlation] = [ago(SECOND), { request_id: 'r-77' }];
    await client.send(
      LOG('warning', 'charging again', { timestamp: at, correlation }),
      EX({ correlation, payload: { logs: [{ level: 'warning', message: 'charging again', ts: at }] } }),
    );
    await client.refreshed();
    const { context } = await client.bundle((await client.only()).incident_id);
    expect(context.logs?.items.map(({ message }) => message)).toEqual(['charging again']);
  });

  it('shows the causes of a browser exception, by which it is grouped', async () => {
    const client = await connect(culprit);
    const payload = {
      error_class: 'TypeError',
      message: 'checkout failed',
      stacktrace: 'TypeError: checkout failed\n    at pay (https://shop.example/app/pay.js:4:2)',
    };
    const cause = (name: string) => ({ name, message: 'stopped', stack: `${name}: stopped` });
    const thrown = (causes?: object[]) => ({
      ...EX(),
      event_type: 'frontend_exception',
      payload: { ...payload, ...(causes === undefined ? {} : { causes }) },
    });
    await client.send(
      thrown(),
      thrown([cause('AbortError')]),
      thrown([cause('AbortError')]),
      thrown([cause('DataCloneError'), cause('RangeError')]),
    );
    const incidents = await client.counted(1, 1, 2);
    const aborted = incidents.find((each) => each.occurrence_count === 2);
    const { context } = await client.bundle(aborted?.incident_id ?? '');
    expect(context.error_chain?.items.map(({ type, message }) => [type, message])).toEqual([
      ['TypeError', 'checkout failed'],
      ['AbortError', 'stopped'],
    ]);
  });

  it('of an event with these fields in another form shows them as unnamed', async () => {
    const client = await connect(culprit);
    const payload = { logs: 'see the disk', breadcrumbs: 3, debug_ids: ['x'] };
    await client.send(EX({ payload }));
    const { context } = await client.bundle((await client.only()).incident_id);
    expect(context.logs).toBeNull();
    expect(context.custom?.extra).toEqual(payload);
  });
});
