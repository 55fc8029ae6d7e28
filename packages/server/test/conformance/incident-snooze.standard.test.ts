import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { deleteIncidents } from '../../src/upkeep/retention/old-incidents.queries.ts';
import { alertClient } from '../support/alert-client.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { runSize } from '../support/run-size.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { webhookClient } from '../support/webhook-client.ts';
import { ago, DAY, DEP, EX, HOUR, named, SUP } from './incidents-fixtures.ts';

const SIGNALS = runSize('CULPRIT_TEST_SIGNALS', { standard: 40, long: 500 });

const ahead = (durationMs: number) => new Date(Date.now() + durationMs).toISOString();

/** Incidents that are silent for a while (docs/contract/team-workflow.md 3). */
describe.concurrent('a snoozed incident', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function asleep(body: object = {}): Promise<{ client: IncidentClient; id: string }> {
    const client = await connect(culprit);
    await client.send(EX());
    const { incident_id: id } = await client.only();
    const answer = await client.post(`/v1/incidents/${id}/snooze`, { until: ahead(DAY), ...body });
    expect(answer.status).toBe(200);
    return { client, id };
  }

  async function change(id: string, set: string): Promise<void> {
    await culprit.database.script(
      `update incidents set ${set} where incident_id = '${parseId(['inc'], id) ?? ''}'`,
    );
  }

  it('shows its conditions, counts on, and counts what it kept silent', async () => {
    const until = ahead(DAY);
    const { client, id } = await asleep({ until, for_occurrences: 5, for_users: 2, reason: 'known' });
    await client.send(EX(), EX());
    const { triage, status } = await client.only(3);
    expect(status).toBe('open');
    expect(triage.snooze).toEqual({
      until,
      until_count: 6,
      until_users: 2,
      until_release: false,
      wakes_on_escalation: true,
      reason: 'known',
      set_at: expect.any(String),
      set_by: { user_id: client.project.userId, name: expect.any(String) },
      kept_silent: 2,
    });
    expect(await client.ledger('incident.snoozed')).toMatchObject([
      { incidentId: id, data: { user_id: client.project.userId, until, reason: 'known' } },
    ]);
    expect(await client.list({ project_id: client.project.projectId, status: 'active' })).toHaveLength(1);
  });

  it.each([
    ['occurrences', { for_occurrences: 1 }, [() => EX()]],
    ['users', { for_users: 1 }, [() => EX({ context: { user_id: 'u1' } })]],
    [
      'release',
      { until_next_release: true },
      [() => DEP({ payload: { deployed_at: ahead(0) } }), () => EX()],
    ],
    ['escalation', {}, [() => EX({ context: { severity: 'critical' } })]],
  ] as const)('wakes because of %s, once, in the transaction that counts', async (because, body, events) => {
    const { client, id } = await asleep(body);
    for (const event of events) await client.send(event());
    await eventually(async () => {
      if ((await client.ledger('incident.woke')).length === 0) throw new Error('it is still asleep');
    });
    await client.send(EX());
    await client.only(3);
    expect((await client.read(id)).triage.snooze).toBeNull();
    expect(await client.ledger('incident.woke')).toMatchObject([
      { incidentId: id, data: { because, kept_silent: 1 } },
    ]);
  });

  it(`wakes once when ${SIGNALS} signals come at once, with the very next`, {
    timeout: 300_000,
  }, async () => {
    const { client } = await asleep({ for_occurrences: 1 });
    await Promise.all(Array.from({ length: SIGNALS }, () => client.send(EX())));
    await client.only(SIGNALS + 1);
    expect(await client.ledger('incident.woke')).toMatchObject([{ data: { because: 'occurrences' } }]);
  });

  it('wakes once when one signal has several causes, and names the first of them', async () => {
    const { client, id } = await asleep({ for_occurrences: 1, for_users: 1, until_next_release: true });
    await client.send(DEP({ payload: { deployed_at: ahead(0) } }));
    await client.send(EX({ context: { user_id: 'u1' } }));
    await client.only(2);
    expect((await client.read(id)).triage.snooze).toBeNull();
    expect(await client.ledger('incident.woke')).toMatchObject([{ data: { because: 'occurrences' } }]);
  });

  it('wakes with twenty occurrences within an hour where few occurred before, and not with nineteen', async () => {
    const { client } = await asleep();
    await client.send(...Array.from({ length: 18 }, () => EX()));
    await client.only(19);
    expect(await client.ledger('incident.woke')).toEqual([]);
    await client.send(EX());
    await client.only(20);
    expect(await client.ledger('incident.woke')).toMatchObject([{ data: { because: 'escalation' } }]);
    const [incident] = await client.list({ project_id: client.project.projectId });
    expect(incident?.triage.priority).toEqual({
      level: 'high',
      reasons: ['escalated', 'new'],
      is_manual: false,
    });
  });

  it.each([
    [2, 20],
    [3, 30],
  ])(
    'with %i an hour in the seven days before, wakes with %i in an hour and not with one less',
    async (usual, wakesAt) => {
      const client = await connect(culprit);
      await client.send(EX());
      const { incident_id: id } = await client.only();
      await culprit.database.script(
        `insert into incident_hours (incident_id, hour, occurrences, suppressed)
        select '${parseId(['inc'], id) ?? ''}', extract(epoch from culprit_now())::bigint / 3600 - n, ${usual}, 0
        from generate_series(1, 167) n`,
      );
      await client.post(`/v1/incidents/${id}/snooze`, { until: ahead(DAY) });
      await client.send(...Array.from({ length: wakesAt - 2 }, () => EX()));
      await client.only(wakesAt - 1);
      expect(await client.ledger('incident.woke')).toEqual([]);
      await client.send(EX());
      await client.only(wakesAt);
      expect(await client.ledger('incident.woke')).toMatchObject([
        { data: { because: 'escalation', kept_silent: wakesAt - 1 } },
      ]);
    },
  );

  it('wakes because of occurrences that a client reports without sending them', async () => {
    const { client, id } = await asleep({ for_occurrences: 97, wakes_on_escalation: false });
    await client.send(SUP());
    await eventually(async () =>
      expect(await client.ledger('incident.woke')).toMatchObject([
        { incidentId: id, data: { because: 'occurrences', kept_silent: 97 } },
      ]),
    );
  });

  it('sleeps through an escalation where that was asked for', async () => {
    const { client, id } = await asleep({ wakes_on_escalation: false });
    await client.send(...Array.from({ length: 30 }, () => EX()));
    await client.only(31);
    expect((await client.read(id)).triage.snooze?.wakes_on_escalation).toBe(false);
    expect(await client.ledger('incident.woke')).toEqual([]);
  });

  it('wakes when its time ended, and by hand', async () => {
    const { client, id } = await asleep();
    await change(id, `snoozed_until = culprit_now() - interval '1 second'`);
    await eventually(async () => {
      if ((await client.ledger('incident.woke')).length === 0) throw new Error('it is still asleep');
    });
    await client.post(`/v1/incidents/${id}/snooze`, { until: ahead(HOUR) });
    for (let time = 1; time <= 2; time += 1)
      expect((await client.post(`/v1/incidents/${id}/wake`)).body).toMatchObject({
        incident: { triage: { snooze: null } },
      });
    expect((await client.ledger('incident.woke')).map(({ data }) => data)).toMatchObject([
      { because: 'time', kept_silent: 0 },
      { because: 'person', user_id: client.project.userId },
    ]);
  });

  it('sends no alert of a spike while it sleeps, and one after it wakes; webhooks and the feed go on', async () => {
    const client = await connect(culprit, { plan: 'team' });
    const alerts = alertClient(culprit, client.project);
    const feedFrom = (body?: unknown) => {
      const cursor = isJsonObject(body) ? { after: String(body.next_cursor) } : {};
      return `/v1/lifecycle?${new URLSearchParams({ project_id: client.project.projectId, ...cursor })}`;
    };
    const begin = await client.get(feedFrom());
    const webhooks = webhookClient(culprit, client.project);
    const { webhook } = await webhooks.create('https://hooks.example.test/in', {
      events: ['incident.snoozed', 'incident.spike_detected', 'incident.woke'],
    });
    await alerts.create({
      condition_type: 'error_spike',
      channel: 'webhook',
      config: { target_url: 'https://hook.example.test/x' },
    });
    await client.send(EX(), named('other'));
    const [one, other] = await client.counted(1, 1);
    const ids = [one?.incident_id ?? '', other?.incident_id ?? ''];
    await client.post('/v1/incidents/snooze', {
      incident_ids: ids.slice(0, 1),
      until: ahead(DAY),
      wakes_on_escalation: false,
    });
    await client.post('/v1/incidents/snooze', { incident_ids: ids.slice(1), until: ahead(DAY) });
    // So many that an hour of them is no escalation: the spike is what wakes it.
    await change(ids[1] ?? '', 'wake_at_hourly = 1000');
    const of = (incident: typeof one) => (incident?.title.includes('theme') ? EX() : named('other'));
    await client.send(...Array.from({ length: 100 }, () => of(one)));
    await client.send(...Array.from({ length: 100 }, () => of(other)));
    await client.counted(101, 101);
    expect(await client.ledger('incident.spike_detected')).toHaveLength(2);
    expect(await client.ledger('incident.woke')).toMatchObject([
      { incidentId: ids[1], data: { because: 'escalation' } },
    ]);
    const deliveries = await alerts.evaluated();
    expect(deliveries.map(({ notification_key: key }) => key)).toEqual([
      expect.stringContaining(other?.fingerprint ?? 'none'),
    ]);
    const told = [
      'incident.snoozed',
      'incident.snoozed',
      'incident.spike_detected',
      'incident.spike_detected',
    ];
    await eventually(async () => {
      const sent = (await webhooks.deliveries(webhook.webhook_id)).map((each) => each.event_type);
      expect(sent.toSorted()).toEqual([...told, 'incident.woke']);
    });
    const fed = JSON.stringify((await client.get(feedFrom(begin.body))).body);
    for (const kind of ['incident.snoozed', 'incident.spike_detected', 'incident.woke'])
      expect(fed).toContain(kind);
  });

  it('sends the alert of a spike that comes after its time, before the end of that is noticed', async () => {
    const { client, id } = await asleep({ wakes_on_escalation: false });
    const alerts = alertClient(culprit, client.project);
    await alerts.create({
      condition_type: 'error_spike',
      channel: 'webhook',
      config: { target_url: 'https://hook.example.test/x' },
    });
    await change(id, `snoozed_until = culprit_now() - interval '1 second'`);
    await client.send(...Array.from({ length: 100 }, () => EX()));
    await client.only(101);
    expect(await alerts.evaluated()).toHaveLength(1);
  });

  it('cannot begin on a resolved one, and ends when it is resolved', async () => {
    const { client, id } = await asleep();
    await client.resolve(id);
    expect((await client.read(id)).triage.snooze).toBeNull();
    expect(await client.ledger('incident.woke')).toEqual([]);
    const again = await client.post(`/v1/incidents/${id}/snooze`, { until: ahead(DAY) });
    expectProblem(again, 409, 'incident_resolved');
    await client.send(EX());
    expect((await client.only(2)).status).toBe('regressed');
  });

  it('refuses ends that are past, near or years ahead', async () => {
    const { client, id } = await asleep();
    for (const until of [undefined, 'tomorrow', ahead(30_000), ahead(-DAY), ahead(366 * DAY)]) {
      const answer = await client.post(`/v1/incidents/${id}/snooze`, { until });
      expectProblem(answer, 400, 'invalid_payload');
    }
    for (const change of [{ for_occurrences: 0 }, { for_users: 1.5 }, { reason: '' }, { more: 1 }]) {
      const answer = await client.post(`/v1/incidents/${id}/snooze`, { until: ahead(DAY), ...change });
      expectProblem(answer, 400, 'invalid_payload');
    }
  });

  it('previews what it would have hidden from the stored hours', async () => {
    const { client, id } = await asleep();
    await client.send(EX({ timestamp: ago(5 * HOUR) }), EX({ timestamp: ago(5 * HOUR) }), EX());
    await client.only(4);
    const preview = async (body: object) =>
      (await client.post(`/v1/incidents/${id}/snooze-preview`, { until: ahead(90 * DAY), ...body })).body;
    expect(await preview({})).toEqual({ hidden: 4, would_have_woken: [] });
    expect(await preview({ for_occurrences: 2 })).toMatchObject({
      hidden: 2,
      would_have_woken: [{ because: 'occurrences' }, { because: 'occurrences' }],
    });
    expect((await client.read(id)).triage.snooze).not.toBeNull();
  });

  it('is remembered by its key when retention removes it', async () => {
    const { client, id } = await asleep({ for_occurrences: 5 });
    const [project, incident] = [parseId(['proj'], client.project.projectId), parseId(['inc'], id)];
    await client.settled();
    await culprit.database.transaction((transaction) =>
      deleteIncidents(transaction, project ?? '', [incident ?? '']),
    );
    await client.send(EX());
    const born = await client.only();
    expect(born.incident_id).not.toBe(id);
    expect(born.triage.snooze).toMatchObject({ until_count: 5, kept_silent: 1 });
    expect((await client.ledger('incident.snoozed')).at(-1)).toMatchObject({
      incidentId: born.incident_id,
      data: { reason: 'snoozed_before' },
    });
    await client.send(EX(), EX(), EX(), EX());
    expect((await client.only(5)).triage.snooze).toBeNull();
  });
});
