import { randomUUID } from 'node:crypto';
import { createClient } from '@culprit/contract/endpoints/client';
import * as maps from '@culprit/contract/releases/source-maps';
import { expect, it } from 'vitest';
import { expectOk } from '../support/expect-ok.ts';
import { connect } from '../support/incident-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { runSize } from '../support/run-size.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/source-maps.md 2.1 and 2.3, item 28: what a project keeps, against a model that counts along. */

const CHANGES = runSize('CULPRIT_TEST_MAP_CHANGES', { standard: 16, long: 1000 });
const SEED = chooseSeed();
/** Files, and the debug ids that they share: a file of an id replaces the other ones. */
const FILES = 18;
const IDS = 6;
const FILES_OF_UPLOAD_MAX = 4;

it(`sums are exact after ${CHANGES} random uploads and removals (seed ${SEED})`, {
  timeout: 60_000 + CHANGES * 1000,
}, async () => {
  const culprit = await shareCulprit();
  const { project } = await connect(culprit);
  const random = seededRandom(SEED);
  const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
  const params = { id: project.projectId };
  const ids = Array.from({ length: IDS }, () => randomUUID());
  const files = Array.from({ length: FILES }, (_, index) => ({
    ...{ path: `${index}.js`, debugId: ids[index % IDS] ?? '', code: `f${index}();` },
    map: JSON.stringify({
      ...{ version: 3, sources: ['a.ts'], mappings: 'AAAA' },
      sourcesContent: [`// ${Array.from({ length: index * 20 }, () => random.integer(0, 9)).join('')}`],
    }),
  }));
  /** What is kept: the file of each debug id. */
  const kept = new Map<string, string>();
  /** Bytes of a file where it was kept first; they do not change. */
  const sizes = new Map<string, number>();

  async function upload(): Promise<void> {
    const first = random.integer(0, FILES - 1);
    const count = random.integer(1, FILES_OF_UPLOAD_MAX);
    const chosen = Array.from({ length: count }, (_, n) => files[(first + n) % FILES]).filter(
      (file) => file !== undefined,
    );
    const { files: told } = await uploadMaps(culprit, project, chosen, random.pick(['a', 'b', null]));
    const expected = chosen.map(({ debugId, path }) =>
      kept.get(debugId) === path ? 'unchanged' : kept.has(debugId) ? 'replaced' : 'ready',
    );
    expect(told.map(({ verdict }) => verdict)).toEqual(expected);
    for (const { debugId, path } of chosen) kept.set(debugId, path);
  }

  for (let change = 0; change < CHANGES; change += 1) {
    const before = expectOk(await api.call(maps.listSourceMaps, { params, query: { limit: 100 } }));
    if (before.source_maps.length > 0 && random.chance(0.4)) {
      const { source_map_id: sourceMapId, path } = random.pick(before.source_maps);
      expectOk(await api.call(maps.deleteSourceMap, { params: { ...params, sourceMapId } }));
      for (const [id, name] of kept) if (name === path) kept.delete(id);
    } else {
      await upload();
    }
    const now = expectOk(await api.call(maps.listSourceMaps, { params, query: { limit: 100 } }));
    expect(now.source_maps.map(({ path }) => path).toSorted()).toEqual([...kept.values()].toSorted());
    for (const { path, stored_bytes: bytes } of now.source_maps) {
      if (!sizes.has(path)) sizes.set(path, bytes);
    }
    expect(now.usage).toMatchObject({
      source_maps: kept.size,
      stored_bytes: [...kept.values()].reduce((sum, path) => sum + (sizes.get(path) ?? Number.NaN), 0),
    });
  }
});
