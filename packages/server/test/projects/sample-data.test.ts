import { readdir } from 'node:fs/promises';
import type { SampleData } from '@culprit/contract/workspace/sample-data';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { claimJobs, type Job } from '../../src/platform/jobs/job-queue.ts';
import { removeSample } from '../../src/upkeep/sample-data/remove-sample-data.ts';
import { REMOVE_SAMPLE_DATA, SAMPLE_DATA_LANE } from '../../src/upkeep/sample-data/sample-data.jobs.ts';
import { sampleEvents } from '../../src/upkeep/sample-data/sample-events.ts';
import { EX, MINUTE } from '../conformance/incidents-fixtures.ts';
import { planDeathAt } from '../reliability/fault-plan.ts';
import { faultyDatabase } from '../reliability/faulty-database.ts';
import { alertClient } from '../support/alert-client.ts';
import { billingClient } from '../support/billing-client.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { snapshotDatabase } from '../support/database-snapshot.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { cleaned, QUICK_LOOKS } from '../support/retention.ts';
import { webhookClient } from '../support/webhook-client.ts';

/** Tables with times of the last use, the last cleaning and the next report. */
const CHANGING_BY_THEMSELVES = ['member_tokens', 'projects', 'weekly_report_channels'];

const ONE_OPENED = {
  open_incidents: 1,
  opened_incidents_today: 1,
  opened_incidents_month: 1,
  attention_incidents_today: 1,
};

/** Sample data of projects (docs/contract/server-additions.md S32). */
describe('sample data', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let member: ManagementClient;
  let path = '';
  beforeAll(async () => {
    culprit = await startCulprit({ plans: HOSTED, ...QUICK_LOOKS });
  });
  afterAll(() => culprit.stop());
  beforeEach(async () => {
    client = await connect(culprit, { plan: 'team' });
    member = managementClient(culprit, client.project.memberToken);
    path = `/v1/projects/${client.project.projectId}/sample-data`;
  });

  const stateOf = async (): Promise<SampleData> => {
    const { status, body } = await member.get(path);
    expect(status).toBe(200);
    return (body as { sample_data: SampleData }).sample_data;
  };

  async function add(): Promise<void> {
    const { status } = await member.post(path);
    expect(status).toBe(201);
    await eventually(async () => expect(await stateOf()).toMatchObject({ state: 'present', incidents: 7 }));
    await client.refreshed();
  }

  async function gone(): Promise<void> {
    await eventually(async () => expect(await stateOf()).toMatchObject({ state: 'none', incidents: 0 }));
    await cleaned(culprit);
  }

  it('are added once, as incidents that are marked and have evidence, beside those of the project', async () => {
    expect(await stateOf()).toEqual({ state: 'none', incidents: 0, added_at: null });
    await add();
    expect((await member.post(path)).status).toBe(201);
    await client.refreshed();
    // What a client sends is not of the sample, whatever it says.
    const sent = sampleEvents('', Date.now()).find((event) => event.event_type === 'backend_exception');
    await client.send({ ...sent, timestamp: new Date().toISOString() });
    const incidents = await eventually(async () => {
      const found = await client.list({ project_id: client.project.projectId });
      expect(found).toHaveLength(8);
      return found;
    });
    expect(incidents.filter((each) => each.is_sample).map((each) => each.occurrence_count)).toEqual(
      expect.arrayContaining([24, 14, 9, 8, 6, 5, 4]),
    );
    const [own] = incidents.filter((each) => !each.is_sample);
    const twin = incidents.find((each) => each.is_sample && each.title === own?.title);
    expect(own).toMatchObject({ occurrence_count: 1, service_name: 'sample-shop-api' });
    // Lists have both, figures and comparisons only what the project has.
    const { projectId } = client.project;
    for (const [q, ids] of [
      ['is:sample', incidents.filter((each) => each.is_sample)],
      ['-is:sample', [own]],
    ] as const) {
      const found = await client.list({ project_id: projectId, q });
      expect(found.map((each) => each.incident_id).sort()).toEqual(
        ids.map((each) => each?.incident_id).sort(),
      );
    }
    expect((await client.get(`/v1/projects/${projectId}`)).body).toMatchObject({
      project: { metrics: { ...ONE_OPENED, regressed_incidents: 0 } },
    });
    const { counts } = (await client.get(`/v1/projects/${projectId}/occurrences`)).body as {
      counts: number[];
    };
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(1);
    expect((await client.get(`/v1/incidents/${own?.incident_id}/similar`)).body).toMatchObject({
      similar: [],
    });
    // Otherwise the removal would take what the project has.
    const both = { incident_ids: [own?.incident_id, twin?.incident_id] };
    expectProblem(await client.post('/v1/incidents/merge', both), 409, 'incidents_of_different_services');
    const bundle = await client.bundle(twin?.incident_id ?? '');
    expect(JSON.stringify(bundle)).toContain('ZONES.get(address.country)');
    expect(JSON.stringify(bundle.context.deploy)).toContain('2.4.0');
    const found = await client.list({
      project_id: client.project.projectId,
      q: 'tag.new_checkout:true country',
    });
    expect(found.map((each) => each.incident_id)).toContain(twin?.incident_id);
  });

  it('are removed with everything that belongs to them, and nothing else is', async () => {
    await client.send(EX());
    await client.refreshed();
    await cleaned(culprit);
    const before = await snapshotDatabase(culprit.database);
    await add();
    const incidents = await client.list({ project_id: client.project.projectId });
    const [worst] = incidents.filter((each) => each.is_sample);
    const until = new Date(Date.now() + 86_400_000).toISOString();
    await client.post(`/v1/incidents/${worst?.incident_id}/notes`, { body: 'A note' });
    await client.post(`/v1/incidents/${worst?.incident_id}/snooze`, { until });
    await client.refreshed();
    expect((await member.delete(path)).status).toBe(200);
    await gone();
    const after = await snapshotDatabase(culprit.database);
    const changed = Object.keys(after).filter(
      (table) => after[table] !== before[table] && !CHANGING_BY_THEMSELVES.includes(table),
    );
    // What people did stays in the trail, kinds of context are only added, numbers are never given twice, and objects
    // rest half an hour.
    expect(changed.sort()).toEqual(['audit_log', 'context_kinds', 'incident_numbers', 'incident_tombstones']);
    expect(await client.list({ project_id: client.project.projectId })).toHaveLength(1);

    await moveClock(culprit.database, 40 * MINUTE);
    await culprit.database.script('update projects set retention_due_at = culprit_now()');
    await cleaned(culprit);
    expect(await countRows(culprit, 'incident_tombstones')).toBe(0);
    const stored = await readdir(culprit.objectDirectory, { recursive: true });
    const uuids = incidents.filter((each) => each.is_sample).map((each) => each.incident_id.slice(4));
    expect(stored.filter((name) => uuids.some((uuid) => name.includes(uuid.replaceAll('-', ''))))).toEqual(
      [],
    );
    await moveClock(culprit.database, 0);
  });

  it('come to the same end after removals that died at every step, and can be added again', async () => {
    await add();
    await culprit.stopWorker();
    expect((await member.delete(path)).status).toBe(200);
    let died = 0;
    for (let step = 1; !(await attempt(step)); step += 1) died += 1;
    expect(died).toBeGreaterThan(5);
    expect(await stateOf()).toMatchObject({ state: 'none' });
    expect(await client.list({ project_id: client.project.projectId })).toEqual([]);
    await moveClock(culprit.database, 0);
    await culprit.startWorker();
    await add();
  });

  it('send no alert and no webhook, have no owner by rule, and count in no allowance', async () => {
    const { projectId, memberToken } = client.project;
    const config = { target_url: 'https://receiver.example/alert' };
    await alertClient(culprit, client.project).create({ channel: 'webhook', config });
    const hooks = webhookClient(culprit, client.project);
    await hooks.create('https://receiver.example/hook', { events: ['bundle.created'] });
    const rule = { text: '* none priority=urgent', version: 0 };
    expect((await member.post(`/v1/projects/${projectId}/ownership`, rule)).status).toBe(200);
    const before = await billingClient(culprit, memberToken).read();
    await add();
    const incidents = await client.list({ project_id: projectId });
    expect(await billingClient(culprit, memberToken).read()).toEqual(before);
    expect(incidents.some(({ triage }) => triage.priority.is_manual)).toBe(false);
    expect(await countRows(culprit, 'alert_deliveries')).toBe(0);
    expect(await countRows(culprit, 'webhook_deliveries')).toBe(0);
    const fates = await countRows(culprit, 'event_fates where project_id = $1', [
      parseId(['proj'], projectId),
    ]);
    expect(fates).toBe(0);
    // The same rules speak of what is not of the sample.
    await client.send(EX());
    await eventually(async () => expect(await countRows(culprit, 'alert_deliveries')).toBe(1));
    await eventually(async () => expect(await countRows(culprit, 'webhook_deliveries')).toBe(1));
  });

  /** One life of a worker that dies at a step; true when the removal came to its end. */
  async function attempt(step: number): Promise<boolean> {
    await moveClock(culprit.database, step * MINUTE);
    const job = await claimRemoval();
    if (job === undefined) return true;
    const guard = planDeathAt(step, step % 2 === 0 ? 'dies' : 'dies-late');
    try {
      await removeSample(faultyDatabase(culprit.database, guard), job);
      return true;
    } catch (error) {
      if (!guard.isDead()) throw error;
      return false;
    }
  }

  async function claimRemoval(): Promise<Job | undefined> {
    const lane = { name: SAMPLE_DATA_LANE, kinds: [REMOVE_SAMPLE_DATA.kind] };
    const { jobs } = await claimJobs(culprit.database, lane, '00000000-0000-0000-0000-000000000000', 1);
    return jobs[0];
  }
});
