import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { deleteMarkedObjects } from '../../src/upkeep/retention/delete-expired-objects.ts';
import { changed, DAY, HOUR, REQ } from '../conformance/incidents-fixtures.ts';
import { countRows } from '../support/count-rows.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connectImprovements } from '../support/improvement-client.ts';
import { ageTo, QUICK_LOOKS } from '../support/retention.ts';

/** What goes with an improvement past its window (docs/contract/incidents.md 6.3, 8). */

describe('an improvement past its window', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ plans: HOSTED, ...QUICK_LOOKS });
  });
  afterAll(() => culprit.stop());

  it('takes its bundle along, and one whose maker died before the commit', async () => {
    const client = await connectImprovements(culprit, { plan: 'solo', preset: 'investigative' });
    const projectId = parseId(['proj'], client.project.projectId) ?? '';
    const payload = { method: 'GET', path: '/api/search', response_status: 200, duration_ms: 2500 };
    await client.send(...Array.from({ length: 20 }, () => changed(REQ(), { payload })));
    const { improvement_id } = await client.onlyImprovement();
    const folder = join(culprit.objectDirectory, 'bundles', projectId, improvement_id);
    await writeFile(join(folder, 'nobody-names-me'), 'x');
    expect(await readdir(folder)).toHaveLength(2);

    await ageTo(culprit, 31 * DAY);
    expect(await client.improvements()).toEqual([]);
    // Whoever found the improvement before may still read its bundle.
    expect(await readdir(folder)).toHaveLength(2);

    await ageTo(culprit, 31 * DAY + 2 * HOUR);
    expect(existsSync(folder)).toBe(false);
    expect(await countRows(culprit, 'object_tombstones where project_id = $1', [projectId])).toBe(0);
  });

  it('lets a stop come between the folders of some bundles and the next', async () => {
    const client = await connectImprovements(culprit);
    const projectId = parseId(['proj'], client.project.projectId) ?? '';
    const folders = Array.from({ length: 40 }, (_, n) => `bundles/${projectId}/folder-${n}`);
    for (const folder of folders) {
      await mkdir(join(culprit.objectDirectory, folder), { recursive: true });
      await writeFile(join(culprit.objectDirectory, folder, '1'), 'x');
      await culprit.database.query(
        {
          name: 'test-mark',
          text: `insert into object_tombstones (object_key, project_id, created_at)
            values ($1, $2, culprit_now() - interval '1 h')`,
        },
        [`${folder}/`, projectId],
      );
    }
    const objects = await openObjectStore(culprit.objectStore);
    const left = () => folders.filter((folder) => existsSync(join(culprit.objectDirectory, folder))).length;
    const leftBehind: number[] = [];
    for await (const _step of deleteMarkedObjects(projectId, { database: culprit.database, objects })) {
      leftBehind.push(left());
    }
    expect(leftBehind).toEqual([24, 8, 0, 0]);
  });
});
