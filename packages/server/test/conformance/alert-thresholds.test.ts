import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeThresholds } from '../../src/pipeline/incidents/thresholds/judge-thresholds.ts';
import { parseId } from '../../src/platform/ids.ts';
import { type AlertClient, alertClient } from '../support/alert-client.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { runSize } from '../support/run-size.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { EX } from './incidents-fixtures.ts';

const STORM = runSize('CULPRIT_TEST_STORM', { standard: 200, long: 10_000 });
const STORM_BATCH = 100;

/** docs/contract/notifications.md 1.22: rules that wait for a number of events or users. */
describe('a rule with a threshold', () => {
  let culprit: TestCulprit;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    [culprit, receiver] = await Promise.all([shareCulprit(), startReceiver()]);
  });
  afterAll(async () => {
    await culprit.stop();
    await receiver.stop();
  });

  interface Watched {
    client: IncidentClient;
    alerts: AlertClient;
    rule(body: Record<string, unknown>): Promise<string>;
    /** Looks as the schedule does, without the wait between two looks, and gives the number of messages of a rule. */
    sent(alertId: string): Promise<number>;
    send(count: number): Promise<void>;
    /** As if its events had occurred some minutes earlier, and been looked at so many or another number before. */
    age(minutes: number, looksMinutes?: number): Promise<void>;
  }

  async function watch(): Promise<Watched> {
    const client = await connect(culprit);
    const alerts = alertClient(culprit, client.project);
    const projectId = parseId(['proj'], client.project.projectId) ?? '';
    return {
      client,
      alerts,
      async rule(body) {
        const made = await alerts.create({
          channel: 'webhook',
          config: { target_url: receiver.url },
          condition_type: 'occurrence_threshold',
          ...body,
        });
        return made.alert_id;
      },
      async sent(alertId) {
        await client.processed();
        await culprit.database.script(
          `update projects set thresholds_checked_at = culprit_now() - interval '1 min' where project_id = '${projectId}'`,
        );
        while (await judgeThresholds(culprit.database));
        // The service may have taken the look; it is over once its hold of the project is.
        await culprit.database.script(`select from projects where project_id = '${projectId}' for update`);
        return (await alerts.evaluated(alertId)).length;
      },
      async send(count) {
        await client.send(...Array.from({ length: count }, () => EX()));
        await client.processed();
      },
      async age(minutes, looksMinutes = minutes) {
        await culprit.database.script(`
          update incident_minutes set minute = minute - ${minutes}
            where incident_id in (select incident_id from incidents where project_id = '${projectId}');
          update alert_crossings set held_at = held_at - interval '${looksMinutes} min' where project_id = '${projectId}'`);
      },
    };
  }

  it('fires once for each crossing, and again after the count fell below half', async () => {
    const { client, rule, send, sent, age } = await watch();
    const ten = await rule({ threshold_count: 10, window_minutes: 5 });
    const hundred = await rule({ threshold_count: 100, window_minutes: 1440 });
    await send(9);
    expect(await sent(ten)).toBe(0);
    await send(1);
    expect(await sent(ten)).toBe(1);
    await send(20);
    expect(await sent(ten)).toBe(1);
    // Half of it keeps the crossing, less ends it.
    await age(7, 1);
    await send(5);
    expect(await sent(ten)).toBe(1);
    await send(5);
    expect(await sent(ten)).toBe(1);
    await age(7, 1);
    await send(4);
    expect(await sent(ten)).toBe(1);
    await send(6);
    expect(await sent(ten)).toBe(2);
    expect(await sent(hundred)).toBe(0);
    const told = await client.ledger('incident.threshold_reached');
    expect(told.map(({ data }) => data)).toEqual([
      { alert_id: ten, severity: 'high', occurrences: 10, window_minutes: 5 },
      { alert_id: ten, severity: 'high', occurrences: 10, window_minutes: 5 },
    ]);
    const { body } = await managementClient(culprit, client.project.memberToken).get(
      `/v1/alerts/${hundred}/verdicts`,
    );
    const below = {
      verdict: 'below_threshold',
      detail: 'The rule needs 100 events within 1440 min, which it had not.',
    };
    expect(body).toMatchObject({ verdicts: [below, below, below] });
  });

  it(`fires once in a storm of ${STORM} events, and once more in the next`, {
    timeout: 600_000,
  }, async () => {
    const { rule, send, sent, age } = await watch();
    const id = await rule({ threshold_count: 100, window_minutes: 5 });
    for (const messages of [1, 2]) {
      // Looks happen in the middle of it.
      for (let count = 0; count < STORM; count += STORM_BATCH) {
        await send(STORM_BATCH);
        expect(await sent(id)).toBe(messages);
      }
      await age(7, 1);
      await send(49);
      expect(await sent(id)).toBe(messages);
    }
  });

  it('fires for a second burst of an incident that was quiet for a window, without a look in between', async () => {
    const { rule, send, sent, age } = await watch();
    const id = await rule({ threshold_count: 5, window_minutes: 5 });
    await send(5);
    expect(await sent(id)).toBe(1);
    await age(30);
    await send(5);
    expect(await sent(id)).toBe(2);
  });

  it('counts minutes that were made hours', async () => {
    const { client, rule, send, sent } = await watch();
    const { incident_id } = await send(3).then(() => client.only(3));
    const id = await rule({ threshold_count: 8, window_minutes: 360 });
    const hour = Math.floor(Date.now() / 3_600_000);
    const row = (ago: number, count: number) =>
      `('${parseId(['inc'], incident_id)}', ${hour - ago}, ${count}, 0)`;
    const insert = 'insert into incident_hours (incident_id, hour, occurrences, suppressed) values';
    await culprit.database.script(`${insert} ${row(8, 1000)}`);
    await send(1);
    expect(await sent(id)).toBe(0);
    await culprit.database.script(`${insert} ${row(4, 4)}`);
    await send(1);
    expect(await sent(id)).toBe(1);
  });

  it('counts users once until the status of the incident changes', async () => {
    const { client, rule, sent } = await watch();
    const id = await rule({ threshold_users: 2 });
    const event = (user: string) => EX({ context: { user: { id: user } } });
    await client.send(event('a'), event('a'));
    expect(await sent(id)).toBe(0);
    await client.send(event('b'));
    expect(await sent(id)).toBe(1);
    await client.send(event('c'));
    expect(await sent(id)).toBe(1);
    const { incident_id } = await client.only(4);
    await client.resolve(incident_id);
    await client.send(event('d'));
    expect(await sent(id)).toBe(2);
  });

  it('leaves out what its places and severity leave out, and what is snoozed or resolved', async () => {
    const { client, rule, send, sent } = await watch();
    const threshold = { threshold_count: 3, window_minutes: 60 };
    const rules = [
      await rule({ ...threshold, services: ['elsewhere'] }),
      await rule({ ...threshold, environments: ['!production'] }),
      await rule({ ...threshold, severity_min: 'critical' }),
      await rule({ ...threshold, is_enabled: false }),
    ];
    await send(3);
    const { incident_id } = await client.only(3);
    const until = new Date(Date.now() + 86_400_000).toISOString();
    await client.post(`/v1/incidents/${incident_id}/snooze`, { until });
    const all = await rule(threshold);
    for (const id of [...rules, all]) expect(await sent(id)).toBe(0);
    await client.post(`/v1/incidents/${incident_id}/wake`);
    expect(await sent(all)).toBe(1);
    for (const id of rules) expect(await sent(id)).toBe(0);
    expect(await client.ledger('incident.threshold_reached')).toHaveLength(1);
  });

  it('is judged anew after its threshold was changed, and forgotten with its rule', async () => {
    const { client, alerts, rule, send, sent } = await watch();
    const id = await rule({ threshold_count: 3, window_minutes: 60 });
    await send(4);
    expect(await sent(id)).toBe(1);
    await alerts.update(id, { name: 'Renamed' });
    expect(await sent(id)).toBe(1);
    await alerts.update(id, { threshold_count: 4 });
    expect(await sent(id)).toBe(2);
    await alerts.update(id, { threshold_users: 50 });
    await alerts.delete(id);
    const left = await culprit.database.query(
      { name: 'test-crossings', text: 'select 1 from alert_crossings where project_id = $1' },
      [parseId(['proj'], client.project.projectId)],
    );
    expect(left).toEqual([]);
  });

  it('shows in a preview what has reached it now, and in a message how much that was', async () => {
    const own = await startReceiver();
    const { client, rule, send, sent } = await watch();
    await send(6);
    const preview = async (threshold_count: number) =>
      await managementClient(culprit, client.project.memberToken).post('/v1/alerts/preview', {
        project_id: client.project.projectId,
        channel: 'webhook',
        config: { target_url: own.url },
        condition_type: 'occurrence_threshold',
        threshold_count,
        window_minutes: 60,
        days: 7,
      });
    expect(await preview(6)).toMatchObject({
      status: 200,
      body: { messages: 1, matches: [{ kind: 'occurrence_threshold', outcome: 'sent' }] },
    });
    expect(await preview(7)).toMatchObject({ body: { messages: 0, matches: [] } });
    const id = await rule({ threshold_count: 6, window_minutes: 60, config: { target_url: own.url } });
    expect(await sent(id)).toBe(1);
    const [request] = await own.received(1);
    expect(JSON.parse(String(request?.body))).toMatchObject({
      condition_type: 'occurrence_threshold',
      lifecycle_event: 'occurrence_threshold',
      threshold: { occurrences: 6, window_minutes: 60 },
    });
    await own.stop();
  });

  it.each([
    [{}, '/threshold_count'],
    [{ threshold_count: 5 }, '/window_minutes'],
    [{ window_minutes: 5 }, '/threshold_count'],
    [{ threshold_count: 5, window_minutes: 121 }, '/window_minutes'],
    [{ threshold_count: 1, window_minutes: 5 }, '/threshold_count'],
    [{ threshold_users: 5, window_minutes: 5 }, '/threshold_users'],
    [{ condition_type: 'new_incident', threshold_users: 5 }, '/threshold_users'],
  ])('is refused with the fields %o', async (fields, pointer) => {
    const client = await connect(culprit);
    const answer = await managementClient(culprit, client.project.memberToken).post('/v1/alerts', {
      project_id: client.project.projectId,
      channel: 'webhook',
      config: { target_url: receiver.url },
      condition_type: 'occurrence_threshold',
      ...fields,
    });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
    expect(answer.headers.get('x-service-problem')).toContain(pointer);
  });
});
