import { EventAnswer } from '@culprit/contract/incidents/incident-events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, EX, EXR, LOG, MINUTE, named, SUP } from './incidents-fixtures.ts';

/** One event of an incident with what it says (docs/contract/server-additions.md S7), and the summaries of log rows. */
describe.concurrent('an event of an incident', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const isValid = compileValidator(EventAnswer);
  const isAnswer = (body: unknown): body is EventAnswer => isValid(body);

  async function read(client: IncidentClient, incidentId: string, eventId: string): Promise<EventAnswer> {
    const path = `/v1/incidents/${incidentId}/events/${encodeURIComponent(eventId)}`;
    const { status, body } = await client.get(path);
    if (status !== 200 || !isAnswer(body)) throw new Error(`answered ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async function refusal(client: IncidentClient, incidentId: string, eventId: string): Promise<unknown> {
    const { status, body } = await client.get(
      `/v1/incidents/${incidentId}/events/${encodeURIComponent(eventId)}`,
    );
    return { status, body };
  }

  it('is shown with its payload and context, redacted', async () => {
    const client = await connect(culprit);
    const timestamp = ago(MINUTE);
    await client.send(
      EXR(
        {
          event_id: 'first occurrence: α/1',
          timestamp,
          sdk: { name: '@culprit/node', version: '1.2.3' },
          correlation: { trace_id: 'a'.repeat(32), request_id: 'req-7' },
          context: {
            release: '7',
            secret: 'planted-key',
            note: 'see https://u:p@shop.example/a?token=planted',
          },
        },
        { body: '{"cart":1,"password":"planted-password"}' },
      ),
    );
    const { incident_id: id } = await client.only();
    const answer = await read(client, id, 'first occurrence: α/1');
    expect(answer).toMatchObject({
      event: {
        event_id: 'first occurrence: α/1',
        event_type: 'backend_exception',
        occurred_at: timestamp,
        is_sampled: true,
        service: 'checkout-api',
        environment: 'production',
        sdk: { name: '@culprit/node', version: '1.2.3' },
        correlation: { trace_id: 'a'.repeat(32), request_id: 'req-7', session_id: null },
        level: 'error',
        payload: {
          error_class: 'TypeError',
          stacktrace: expect.stringContaining('theme.js:42:27'),
          request: { method: 'POST', headers: { authorization: '[REDACTED]', host: 'api.shop.example' } },
        },
        context: { release: '7', note: 'see https://shop.example/a' },
      },
      older_event_id: null,
      newer_event_id: null,
    });
    expect(JSON.stringify(answer)).not.toMatch(/planted|hunter2|Bearer/);
  });

  it('leads to its neighbours, whether they are samples or not', async () => {
    const client = await connect(culprit);
    const ids = Array.from({ length: 9 }, (_, n) => `evt-${n}-${newUuid()}`);
    await client.send(...ids.map((event_id, n) => EX({ event_id, timestamp: ago((60 - n) * MINUTE) })));
    const { incident_id: id } = await client.only(9);
    const { logs } = { logs: await client.logs(id) };
    expect(logs.map(({ event_id }) => event_id)).toEqual([...ids].reverse());
    expect(logs.some(({ is_sampled }) => !is_sampled)).toBe(true);
    for (const [n, eventId] of ids.entries()) {
      const answer = await read(client, id, eventId);
      expect(answer.event).toMatchObject({ event_id: eventId, is_sampled: logs[8 - n]?.is_sampled });
      expect([answer.older_event_id, answer.newer_event_id]).toEqual([
        ids[n - 1] ?? null,
        ids[n + 1] ?? null,
      ]);
    }
  });

  it('is found although its id is not known any more, and without an id of its own', async () => {
    const client = await connect(culprit);
    await client.send(...Array.from({ length: 12 }, (_, n) => EX({ timestamp: ago((60 - n) * MINUTE) })));
    const { incident_id: id } = await client.only(12);
    await culprit.database.query(
      { name: 'test-forget-ids', text: 'update events set id_hash = null where project_id = $1' },
      [parseId(['proj'], client.project.projectId)],
    );
    const logs = await client.logs(id);
    expect(logs).toHaveLength(12);
    for (const { event_id: eventId, occurred_at: at } of logs) {
      expect((await read(client, id, eventId)).event).toMatchObject({ event_id: eventId, occurred_at: at });
    }
  });

  it('may be context that the bundle used, or a report of suppressed repeats', async () => {
    const client = await connect(culprit);
    const correlation = { request_id: `req-${newUuid()}` };
    await client.send(
      LOG('info', 'cart loaded', { event_id: 'log-1', correlation, timestamp: ago(1000) }),
      EXR({ event_id: 'ex-1', correlation }),
    );
    const { incident_id: id } = await client.only();
    await client.bundle(id);
    await client.send(SUP({ event_id: 'sup-1' }));
    await client.only(98);
    const logs = await client.logs(id);
    const summaries = new Map(logs.map((row) => [row.event_id, row.summary]));
    expect(Object.fromEntries(summaries)).toEqual({
      'log-1': 'cart loaded',
      'ex-1': "TypeError: Cannot read properties of undefined (reading 'theme')",
      'sup-1': '97 suppressed errors',
    });
    const log = await read(client, id, 'log-1');
    expect(log.event).toMatchObject({
      level: 'info',
      is_sampled: false,
      payload: { message: 'cart loaded' },
    });
    expect(log).toMatchObject({ older_event_id: null, newer_event_id: 'ex-1' });
    const report = await read(client, id, 'sup-1');
    expect(report.event).toMatchObject({ level: null, payload: { suppressed_count: 97 } });
  });

  it('is told from one whose body is gone, and from one of another incident', async () => {
    const client = await connect(culprit);
    await client.send(named('One', { event_id: 'one' }), named('Two', { event_id: 'two' }));
    const found = await client.counted(1, 1);
    const id = found.find(({ title }) => title.startsWith('One'))?.incident_id ?? '';
    await client.settled();
    for (const eventId of ['two', 'nothing', '__proto__', `evt_${newUuid()}`, 'a'.repeat(128)]) {
      expect(await refusal(client, id, eventId)).toEqual({ status: 404, body: { error: 'event_not_found' } });
    }
    for (const eventId of ['a'.repeat(129), 'one\0']) {
      expect(await refusal(client, id, eventId)).toEqual({ status: 404, body: { error: 'not_found' } });
    }
    await culprit.database.query(
      { name: 'test-forget-batches', text: 'delete from batches where project_id = $1' },
      [parseId(['proj'], client.project.projectId)],
    );
    expect(await refusal(client, id, 'one')).toEqual({ status: 410, body: { error: 'event_expired' } });
    expect(await client.logs(id)).toMatchObject([{ event_id: 'one', is_sampled: false, summary: null }]);
  });

  it('is hidden from members of other projects', async () => {
    const [client, foreign] = [await connect(culprit), await connect(culprit)];
    await client.send(EX({ event_id: 'mine' }));
    const { incident_id: id } = await client.only();
    expect(await refusal(foreign, id, 'mine')).toEqual({
      status: 404,
      body: { error: 'incident_not_found' },
    });
  });
});
