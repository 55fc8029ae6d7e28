import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveSilent, SILENT_PER_STEP } from '../../src/pipeline/incidents/triage/resolve-silent.ts';
import { parseId } from '../../src/platform/ids.ts';
import { alertClient } from '../support/alert-client.ts';
import { countRows } from '../support/count-rows.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import type { Answer } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX, named } from './incidents-fixtures.ts';

/** Incidents that resolve themselves (docs/contract/team-workflow.md 3.5). */
describe('an incident without a signal', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  /** Ages rows by days. */
  async function age(incidentId: string, days: number, columns: readonly string[]): Promise<void> {
    const set = columns.map((column) => `${column} = ${column} - interval '${days} days'`).join(', ');
    await culprit.database.script(
      `update incidents set ${set} where incident_id = '${parseId(['inc'], incidentId) ?? ''}'`,
    );
  }
  const SIGNALS = ['first_seen_at', 'last_seen_at', 'newest_received_at'];
  const CLOCKS = [...SIGNALS, 'status_changed_at'];

  /** Looks for silent incidents as the schedule does, without the wait between two looks. */
  async function look(): Promise<void> {
    await culprit.database.script(`update projects set silence_checked_at = '-infinity'`);
    while (await resolveSilent(culprit.database));
  }

  async function set(client: IncidentClient, days: unknown): Promise<Answer> {
    const { projectId, memberToken } = client.project;
    const body = { resolves_after_days: days };
    return await managementClient(culprit, memberToken).patch(`/v1/projects/${projectId}`, body);
  }

  async function withSetting(days: number | null): Promise<IncidentClient> {
    const client = await connect(culprit);
    expect(await set(client, days)).toMatchObject({
      status: 200,
      body: { project: { resolves_after_days: days } },
    });
    return client;
  }

  it('is resolved after the days of its project, says so, and a later signal regresses it', async () => {
    const client = await withSetting(14);
    await client.send(named('Old'), named('Young'), named('Reopened'), named('Asleep'));
    const byTitle = new Map((await client.counted(1, 1, 1, 1)).map((each) => [each.title, each.incident_id]));
    const idOf = (name: string) =>
      [...byTitle].find(([title]) => title.includes(name))?.[1] ?? expect.fail(`no ${name}`);
    await age(idOf('Old'), 15, CLOCKS);
    await age(idOf('Young'), 13, CLOCKS);
    await age(idOf('Reopened'), 15, SIGNALS);
    await age(idOf('Asleep'), 15, CLOCKS);
    const until = new Date(Date.now() + 86_400_000).toISOString();
    await client.post(`/v1/incidents/${idOf('Asleep')}/snooze`, { until });
    await look();
    await look();
    const active = await client.list({ project_id: client.project.projectId, status: 'active' });
    expect(active.map(({ incident_id: id }) => id).sort()).toEqual(
      ['Young', 'Reopened', 'Asleep'].map(idOf).sort(),
    );
    expect(await client.ledger('incident.resolved')).toMatchObject([
      { incidentId: idOf('Old'), data: { because: 'silence' } },
    ]);
    const { body } = await client.get(`/v1/incidents/${idOf('Old')}/history`);
    expect(body).toMatchObject({
      history: expect.arrayContaining([
        expect.objectContaining({
          kind: 'incident.resolved',
          actor: null,
          data: expect.objectContaining({ because: 'silence' }),
        }),
      ]),
    });
    const alerts = alertClient(culprit, client.project);
    await alerts.create({
      condition_type: 'incident_regressed',
      channel: 'webhook',
      config: { target_url: 'https://hook.example.test/x' },
    });
    await client.send(named('Old'));
    await client.counted(1, 1, 1, 2);
    expect(await client.ledger('incident.regressed')).toMatchObject([{ incidentId: idOf('Old') }]);
    expect(await alerts.evaluated()).toHaveLength(1);
  });

  it('stays without the setting, and while its check or its job still fails', async () => {
    const off = await withSetting(3);
    await off.send(EX());
    const { incident_id: kept } = await off.only();
    await age(kept, 80, CLOCKS);
    await set(off, null);
    const watched = await withSetting(3);
    await watched.send(EX());
    const { incident_id: failing } = await watched.only();
    await age(failing, 80, CLOCKS);
    const projectId = parseId(['proj'], watched.project.projectId) ?? '';
    await culprit.database.script(`insert into availability_checks (check_id, project_id, name, url, method,
        expected_status_min, expected_status_max, timeout_ms, interval_seconds, failure_threshold,
        recovery_threshold, environment, is_enabled, status, incident_id, grid_at, next_check_at)
      values (gen_random_uuid(), '${projectId}', 'Home', 'https://example.test/', 'GET', 200, 299, 1000, 60, 1, 1,
        'production', false, 'failing', '${parseId(['inc'], failing) ?? ''}', 'infinity', 'infinity')`);
    await look();
    for (const client of [off, watched]) expect(await client.ledger('incident.resolved')).toEqual([]);
    await culprit.database.script(`delete from availability_checks where project_id = '${projectId}'`);
    await look();
    expect(await off.ledger('incident.resolved')).toEqual([]);
    expect(await watched.ledger('incident.resolved')).toMatchObject([{ incidentId: failing }]);
  });

  it('is looked for every 12 minutes, some at a time', async () => {
    const client = await withSetting(1);
    const projectId = parseId(['proj'], client.project.projectId) ?? '';
    await client.send(EX());
    const { incident_id: id } = await client.only();
    while (await resolveSilent(culprit.database));
    await age(id, 2, CLOCKS);
    expect(await resolveSilent(culprit.database)).toBe(false);
    expect(await client.ledger('incident.resolved')).toEqual([]);
    const due = `projects where project_id = '${projectId}' and silence_checked_at > culprit_now() - interval '12 minutes'`;
    expect(await countRows(culprit, due)).toBe(1);
    expect((60 / 12) * SILENT_PER_STEP).toBeLessThanOrEqual(1000);
  });

  it.each([0, 91, 1.5, '7'])('cannot be asked to wait %j days', async (days) => {
    const client = await connect(culprit);
    expectProblem(await set(client, days), 400, 'invalid_payload');
  });
});
