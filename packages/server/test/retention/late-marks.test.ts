import { afterAll, beforeAll, expect, it } from 'vitest';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { claimJobs } from '../../src/platform/jobs/job-queue.ts';
import { createLogger } from '../../src/platform/log.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { TABLES } from '../../src/roles/tables.ts';
import { purgeProject } from '../../src/upkeep/purge/purge-project.ts';
import { projectFolder } from '../../src/workspace/projects/project-objects.ts';
import {
  CLEANUP_LANE,
  PURGE_PROJECT,
  PURGE_WAIT_SECONDS,
} from '../../src/workspace/projects/projects.jobs.ts';
import { countRows } from '../support/count-rows.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { runLeaderTasks, workerRuntime } from '../support/worker-runtime.ts';

const FIRST_KEY = '00000000-0000-0000-0000-000000000000';

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit({ hasWorker: false });
});
afterAll(() => culprit.stop());

it('what a worker writes and marks during and after the purge of its project goes, and the mark with it', async () => {
  const project = await culprit.createProject();
  const projectId = parseId(['proj'], project.projectId) ?? '';
  const { database } = culprit;
  const objects = await openObjectStore(culprit.objectStore);
  const folder = projectFolder('bundles', projectId);

  /** A worker that had stood still since before the deletion. */
  async function writeLate(isMarked: boolean): Promise<void> {
    const key = `${folder}/${newUuid()}/${newUuid()}`;
    // Another process, which knows of no folder that the purge removed.
    const own = await openObjectStore(culprit.objectStore);
    await own.put(key, Buffer.from('late'));
    if (!isMarked) return;
    await database.query(
      {
        name: 'test-late-mark',
        text: 'insert into object_tombstones (object_key, project_id) values ($1, $2)',
      },
      [key, projectId],
    );
  }
  async function left(): Promise<{ objects: number; marks: number }> {
    let keys = 0;
    for await (const _key of objects.list(folder)) keys += 1;
    return {
      objects: keys,
      marks: await countRows(culprit, 'object_tombstones where project_id = $1', [projectId]),
    };
  }

  await writeLate(true);
  const owner = managementClient(culprit, project.memberToken);
  expect((await owner.delete(`/v1/projects/${project.projectId}`)).status).toBe(200);
  await moveClock(database, (PURGE_WAIT_SECONDS + 1) * 1000);
  const lane = { name: CLEANUP_LANE, kinds: [PURGE_PROJECT] };
  const [job] = (await claimJobs(database, lane, FIRST_KEY, 1)).jobs;
  if (job === undefined) throw new Error('no purge was queued');
  let isWritten = false;
  await purgeProject(job, {
    database,
    objects: {
      ...objects,
      async deleteFolder(...given) {
        if (!isWritten && (await left()).marks === 0) {
          isWritten = true;
          await writeLate(true);
          await writeLate(false);
        }
        return await objects.deleteFolder(...given);
      },
    },
    tables: TABLES,
    log: createLogger({ level: 'silent', role: 'test' }),
    stopping: new AbortController().signal,
  });
  expect(isWritten).toBe(true);
  expect(await left()).toEqual({ objects: 0, marks: 1 });
  expect(await countRows(culprit, 'projects where project_id = $1', [projectId])).toBe(0);
  await writeLate(true);
  expect(await left()).toEqual({ objects: 1, marks: 2 });

  await runLeaderTasks(await workerRuntime(culprit, SELF_HOSTED));
  expect(await left()).toEqual({ objects: 0, marks: 0 });
});
