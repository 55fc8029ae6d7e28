import { createClient } from '@culprit/contract/endpoints/client';
import { listSourceMaps } from '@culprit/contract/releases/source-maps';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LargeBuild, largeBuild } from '../../../../bench/rows/large-map.ts';
import { parseId } from '../../src/platform/ids.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectOk } from '../support/expect-ok.ts';
import { connect } from '../support/incident-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { startWorkerProcess } from '../support/role-process.ts';

/** docs/contract/source-maps.md 2.3 and 13: a map of 100 MB beside the events of another project. */

const MAP_BYTES = 100_000_000;
/** A lease of a killed process runs out before the next one begins. */
const BEGIN_MS = 120_000;

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit();
}, 120_000);
afterAll(() => culprit.stop());

let build: LargeBuild;
beforeAll(() => {
  build = largeBuild(MAP_BYTES);
});

it.each([
  [1, { verdict: 'ready', problem: null }],
  // It is not read a third time, since it may be what ends processes.
  [2, { verdict: 'refused', problem: 'too_heavy' }],
])(
  'has a verdict where its reader is killed %d times: %j',
  async (kills, verdict) => {
    const owner = await connect(culprit);
    // The readers are processes that can be killed.
    await culprit.stopWorker();
    const upload = uploadMaps(culprit, owner.project, [{ path: 'assets/main.js', ...build }], 'large@1');
    const filesOf = () =>
      culprit.database.query<{ attempts: number; verdict: string | null }>(
        {
          name: 'test-map-attempts',
          text: 'select attempts, verdict from map_upload_files where project_id = $1',
        },
        [parseId(['proj'], owner.project.projectId)],
      );
    for (let kill = 1; kill <= kills; kill += 1) {
      const worker = await startWorkerProcess(culprit, { plans: SELF_HOSTED, hasBackground: true });
      await eventually(
        async () => expect(await filesOf()).toEqual([{ attempts: kill, verdict: null }]),
        BEGIN_MS,
      );
      await worker.kill();
    }
    expect(await filesOf()).toEqual([{ attempts: kills, verdict: null }]);
    await culprit.startWorker();
    expect((await upload).files).toMatchObject([verdict]);
  },
  600_000,
);

it('is read while events of others become incidents', async () => {
  const owner = await connect(culprit);
  const other = await connect(culprit);
  const upload = uploadMaps(
    culprit,
    owner.project,
    [{ path: 'assets/next.js', code: build.code, map: build.map }],
    'large@2',
  );
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  upload.then(end, end);
  let sent = 0;
  while (!isDone) {
    await other.send(EX());
    sent += 1;
    await other.counted(sent);
  }
  expect(sent).toBeGreaterThan(0);
  const again = await upload;
  expect(again.files).toMatchObject([
    { verdict: 'ready', probe: { file: expect.stringMatching(/^src\/part-/) } },
  ]);
  const kept = await createClient({ baseUrl: culprit.url, token: owner.project.memberToken }).call(
    listSourceMaps,
    {
      params: { id: owner.project.projectId },
      query: { release: 'large@2' },
    },
  );
  const [record] = expectOk(kept).source_maps;
  expect(record?.stored_bytes).toBeLessThanOrEqual(build.map.length * 0.35);
}, 600_000);
