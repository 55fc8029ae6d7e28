import { createClient } from '@culprit/contract/endpoints/client';
import { listSourceMaps } from '@culprit/contract/releases/source-maps';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { largeBuild } from '../../../../bench/rows/large-map.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectOk } from '../support/expect-ok.ts';
import { connect } from '../support/incident-client.ts';
import { uploadMaps } from '../support/map-client.ts';

/** docs/contract/source-maps.md 2.3 and 13: a map of 100 MB beside the events of another project. */

const MAP_BYTES = 100_000_000;

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit();
}, 120_000);
afterAll(() => culprit.stop());

it('is read while events of others become incidents, also where its reader is stopped in between', async () => {
  const owner = await connect(culprit);
  const other = await connect(culprit);
  const { code, map } = largeBuild(MAP_BYTES);
  const upload = uploadMaps(culprit, owner.project, [{ path: 'assets/main.js', code, map }], 'large@1');
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  upload.then(end, end);
  const attempts = async () => {
    const [row] = await culprit.database.query<{ attempts: number }>({
      name: 'test-map-attempts',
      text: 'select coalesce(max(attempts), 0)::integer as attempts from map_upload_files',
    });
    return row?.attempts ?? 0;
  };
  await eventually(async () => expect(await attempts()).toBe(1), 120_000);
  // The first attempt ends with the process that makes it.
  await culprit.stopWorker();
  await culprit.startWorker();
  let sent = 0;
  while (!isDone) {
    await other.send(EX());
    sent += 1;
    await other.counted(sent);
  }
  const { files } = await upload;
  expect(files[0]?.verdict).toMatch(/^(?:ready|refused)$/);
  if (files[0]?.verdict === 'refused') expect(files[0].problem).toBe('too_heavy');
  expect(sent).toBeGreaterThan(0);

  const again = await uploadMaps(
    culprit,
    owner.project,
    [{ path: 'assets/next.js', code: Buffer.concat([code, Buffer.from('\n')]), map }],
    'large@2',
  );
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
  expect(record?.stored_bytes).toBeLessThanOrEqual(map.length * 0.35);
}, 600_000);
