// Proves 31.
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { TABLES } from '../../src/roles/tables.ts';
import { purgeStepsOf } from '../../src/upkeep/purge/purge.queries.ts';
import { PURGE_WAIT_SECONDS } from '../../src/workspace/projects/projects.jobs.ts';
import { EX, named } from '../conformance/incidents-fixtures.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { clientOf } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { sendEvents } from '../support/send-events.ts';

/** Deletion of projects while events come in, are worked on, and people change things in them. */

const ROUNDS = 6;
const SENDERS = 3;

describe('a project that is deleted in the middle of everything', { timeout: 60_000 }, () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ retryScale: 0.02 });
  });
  afterAll(() => culprit.stop());

  it('takes nothing from the answer on, and leaves nothing that came before it', async () => {
    const { project: witness, client } = await witnessProject();
    const projects: TestProject[] = [];
    const statuses: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const project = await culprit.createProject({ name: `round ${round}` });
      projects.push(project);
      statuses.push(...(await deleteUnderLoad(project)));
    }
    // The load was one.
    expect(statuses.filter((status) => status === 202).length).toBeGreaterThan(5 * ROUNDS);
    // What workers had under way ends before the storage is emptied, as it does in two minutes.
    await culprit.stopWorker();
    await moveClock(culprit.database, (PURGE_WAIT_SECONDS + 1) * 1000);
    await culprit.startWorker();
    const ids = projects.map(({ projectId }) => parseId(['proj'], projectId) ?? '');
    await eventually(async () => {
      expect(await countRows(culprit, 'projects where project_id = any ($1::uuid[])', [ids])).toBe(0);
    });
    expect(await leftOver(ids)).toEqual([]);
    const objects = await readdir(culprit.objectDirectory, { recursive: true });
    expect(objects.filter((path) => ids.some((id) => path.includes(id)))).toEqual([]);
    expect(await client.only(1)).toMatchObject({ project_id: witness.projectId });
  });

  async function witnessProject() {
    const project = await culprit.createProject({ name: 'witness' });
    const client = clientOf(culprit, project);
    await client.send(EX());
    await client.only();
    return { project, client };
  }

  /** Statuses of everything that was sent. */
  async function deleteUnderLoad(project: TestProject): Promise<number[]> {
    const owner = managementClient(culprit, project.memberToken);
    const path = `/v1/projects/${project.projectId}`;
    const statuses: number[] = [];
    let deleted: 'not yet' | 'asked' | 'answered' = 'not yet';

    async function send(sender: number): Promise<void> {
      for (let i = 0; ; i += 1) {
        const whenSent = deleted;
        const events = [named(`Sender${sender}N${i}`), named('Shared')];
        const { status, body } = await sendEvents(culprit.url, project.projectToken, events);
        statuses.push(status);
        if (whenSent !== 'answered') {
          expect([202, 401]).toContain(status);
          continue;
        }
        expect([status, body]).toEqual([401, { error: 'invalid_project_token' }]);
        return;
      }
    }

    /** People's changes: each is either done before the deletion or finds nothing any more. */
    async function change(): Promise<void> {
      while (deleted !== 'answered') {
        const list = await owner.get(`/v1/incidents?project_id=${project.projectId}`);
        const [, id] = /"incident_id":"(inc_[^"]+)"/.exec(JSON.stringify(list.body)) ?? [];
        const answers = [
          list,
          await owner.post(`${path}/tokens`, { label: 'x' }),
          ...(id === undefined
            ? []
            : [
                await owner.post(`/v1/incidents/${id}/resolve`),
                await owner.get(`/v1/incidents/${id}/bundle`),
              ]),
        ];
        for (const { status } of answers) expect([200, 201, 404, 409]).toContain(status);
      }
    }

    async function remove(): Promise<void> {
      await eventually(() => expect(statuses.length).toBeGreaterThan(10));
      deleted = 'asked';
      expect((await owner.delete(path)).status).toBe(200);
      deleted = 'answered';
    }

    await Promise.all([...Array.from({ length: SENDERS }, (_, n) => send(n)), change(), remove()]);
    return statuses;
  }

  /** Tables with rows of these projects, or of incidents that are not there. */
  async function leftOver(projectIds: string[]): Promise<string[]> {
    const found: string[] = [];
    for (const table of TABLES) {
      const way = purgeStepsOf(table);
      if (!way.some((step) => typeof step === 'string')) continue;
      const rows = way.includes('by_incident')
        ? await countRows(
            culprit,
            `${table.name} where incident_id not in (select incident_id from incidents)`,
          )
        : await countRows(culprit, `${table.name} where project_id = any ($1::uuid[])`, [projectIds]);
      if (rows > 0) found.push(table.name);
    }
    for (const { name: table, purge } of TABLES) {
      if (purge !== 'with_the_project') continue;
      const key = table === 'jobs' ? 'fairness_key' : 'project_id';
      const rows = await countRows(culprit, `${table} where ${key} = any ($1::uuid[])`, [projectIds]);
      if (rows > 0) found.push(table);
    }
    const parts = 'batch_parts where batch_id not in (select batch_id from batches)';
    if ((await countRows(culprit, parts)) > 0) found.push('batch_parts');
    return found;
  }
});
