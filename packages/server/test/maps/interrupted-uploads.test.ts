import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createClient } from '@culprit/contract/endpoints/client';
import * as maps from '@culprit/contract/releases/source-maps';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { largeBuild } from '../../../../bench/rows/large-map.ts';
import { MAP_TABLES } from '../../src/maps/maps.tables.ts';
import { parseId } from '../../src/platform/ids.ts';
import { CLEANUP_LANE } from '../../src/workspace/projects/projects.jobs.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectOk } from '../support/expect-ok.ts';
import { deleteExpiredRows } from '../support/expired-rows.ts';
import { connect } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/source-maps.md 2.3 and items 2 and 29 of its checklist: uploads that never end, or end with their project. */

/** So large that its project can be deleted while it is read. */
const MAP_BYTES = 8_000_000;

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});
afterAll(() => culprit.stop());

const fileOf = (content: Buffer) => ({
  sha256: createHash('sha256').update(content).digest('hex'),
  size_bytes: content.length,
});

/** An upload of one file, of which the parts of the generated file and of the map came. */
async function begun(content: { code: Buffer; map: Buffer }, sent: readonly Buffer[]) {
  const client = await connect(culprit);
  const api = createClient({ baseUrl: culprit.url, token: client.project.memberToken });
  const params = { id: client.project.projectId };
  const { upload, part_bytes: partBytes } = expectOk(
    await api.call(maps.beginMapUpload, {
      params,
      body: {
        release: 'shop@1',
        files: [{ path: 'a.js', debug_id: null, generated: fileOf(content.code), map: fileOf(content.map) }],
      },
    }),
  );
  const ofUpload = { ...params, uploadId: upload.upload_id };
  const put = async (bytes: Buffer, part: number) =>
    await api.call(maps.putMapPart, {
      params: { ...ofUpload, sha256: fileOf(bytes).sha256, part: String(part) },
      body: new Uint8Array(bytes.subarray(part * partBytes, (part + 1) * partBytes)),
    });
  for (const bytes of sent) {
    for (let part = 0; part * partBytes < bytes.length; part += 1) expectOk(await put(bytes, part));
  }
  return { client, api, ofUpload, put, projectId: parseId(['proj'], params.id) ?? '' };
}

async function rowsOf(table: string, projectId: string): Promise<number> {
  const [row] = await culprit.database.query<{ rows: number }>(
    {
      name: `test-rows-${table}`,
      text: `select count(*)::integer as rows from ${table} where project_id = $1`,
    },
    [projectId],
  );
  return row?.rows ?? 0;
}

/** The keys of the maps and parts of a project that are there. */
function objectsOf(projectId: string): string[] {
  return ['maps', 'map-parts'].flatMap((folder) => {
    const path = join(culprit.objectDirectory, folder, projectId);
    if (!existsSync(path)) return [];
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(culprit.objectDirectory, join(entry.parentPath, entry.name)));
  });
}

describe('an upload', () => {
  it('that stays open for a day is expired: its parts go, and no more are taken', async () => {
    const code = Buffer.from('function f(){}\n');
    const content = { code, map: Buffer.from('{"version":3,"sources":[],"mappings":""}') };
    const { api, ofUpload, put, projectId } = await begun(content, [code]);
    expect(await rowsOf('map_upload_parts', projectId)).toBe(1);
    const stateAfter = async (hours: number) => {
      await culprit.database.query(
        {
          name: 'test-age-upload',
          text: `update map_uploads set created_at = culprit_now() - make_interval(mins => $2) where project_id = $1`,
        },
        [projectId, hours * 60],
      );
      await deleteExpiredRows(culprit.database, MAP_TABLES);
      return expectOk(await api.call(maps.getMapUpload, { params: ofUpload, query: {} })).upload.state;
    };
    expect(await stateAfter(23.9)).toBe('open');
    expect(await stateAfter(24.1)).toBe('expired');
    expect(await rowsOf('map_upload_parts', projectId)).toBe(0);
    const marked = await culprit.database.query<{ object_key: string }>(
      { name: 'test-marked', text: 'select object_key from object_tombstones where project_id = $1' },
      [projectId],
    );
    expect(marked).toEqual([{ object_key: `map-parts/${projectId}/${ofUpload.uploadId}/` }]);
    expect(await put(content.map, 0)).toMatchObject({ ok: false, status: 409, error: 'upload_closed' });
  });

  it('whose project is deleted while its map is read leaves no row and no object', async () => {
    const build = largeBuild(MAP_BYTES);
    const { client, api, ofUpload, projectId } = await begun(build, [build.code, build.map]);
    expectOk(await api.call(maps.finishMapUpload, { params: ofUpload }));
    await eventually(async () => {
      const [file] = await culprit.database.query<{ attempts: number }>(
        { name: 'test-attempts', text: 'select attempts from map_upload_files where project_id = $1' },
        [projectId],
      );
      expect(file?.attempts).toBe(1);
    });
    const deleted = await managementClient(culprit, client.project.memberToken).delete(
      `/v1/projects/${client.project.projectId}`,
    );
    expect(deleted.status).toBe(200);
    // At once, in place of when such a reading has ended.
    await culprit.database.query(
      {
        name: 'test-purge-now',
        text: 'update jobs set run_at = culprit_now() where lane = $2 and fairness_key = $1',
      },
      [projectId, CLEANUP_LANE],
    );
    await eventually(async () => {
      for (const { name } of MAP_TABLES.filter(({ purge }) => purge !== 'no_project')) {
        expect([name, await rowsOf(name, projectId)]).toEqual([name, 0]);
      }
      const jobs = await culprit.database.query(
        { name: 'test-jobs-left', text: 'select lane from jobs where fairness_key = $1' },
        [projectId],
      );
      expect(jobs).toEqual([]);
    });
    const marked = await culprit.database.query<{ object_key: string }>(
      { name: 'test-marked', text: 'select object_key from object_tombstones where project_id = $1' },
      [projectId],
    );
    const isMarked = (key: string) => marked.some(({ object_key }) => key.startsWith(object_key));
    expect(objectsOf(projectId).filter((key) => !isMarked(key))).toEqual([]);
  });
});
