import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { createClient } from '@culprit/contract/endpoints/client';
import { MAP_PART_BYTES } from '@culprit/contract/releases/map-limits';
import * as uploads from '@culprit/contract/releases/map-uploads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { largeBuild } from '../../../../bench/rows/large-map.ts';
import { newPartKey } from '../../src/maps/map-keys.ts';
import { MAP_TABLES } from '../../src/maps/maps.tables.ts';
import { parseId } from '../../src/platform/ids.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { deleteMarkedObjects } from '../../src/upkeep/retention/delete-expired-objects.ts';
import { CLEANUP_LANE } from '../../src/workspace/projects/projects.jobs.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { whileLocked } from '../support/database-faults.ts';
import { eventually } from '../support/eventually.ts';
import { exhaust } from '../support/exhaust.ts';
import { expectOk } from '../support/expect-ok.ts';
import { deleteExpiredRows } from '../support/expired-rows.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/source-maps.md 2.3 and 3.2, items 2, 5 and 29 of its checklist: parts, and uploads that never end. */

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
    await api.call(uploads.beginMapUpload, {
      params,
      body: {
        release: 'shop@1',
        files: [{ path: 'a.js', debug_id: null, generated: fileOf(content.code), map: fileOf(content.map) }],
      },
    }),
  );
  const ofUpload = { ...params, uploadId: upload.upload_id };
  const put = async (bytes: Buffer, part: number) =>
    await api.call(uploads.putMapPart, {
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

/** What is there of a project that is not marked for deletion. */
async function keptObjects(projectId: string): Promise<string[]> {
  const marked = await culprit.database.query<{ object_key: string }>(
    { name: 'test-marked', text: 'select object_key from object_tombstones where project_id = $1' },
    [projectId],
  );
  const isMarked = (key: string) => marked.some(({ object_key }) => key.startsWith(object_key));
  return objectsOf(projectId).filter((key) => !isMarked(key));
}

/** Deletes the project, and waits until nothing is left of its maps. */
async function deleteProject(client: IncidentClient, projectId: string): Promise<void> {
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
}

const SMALL = {
  code: Buffer.from('function f(){}\n'),
  map: Buffer.from('{"version":3,"sources":[],"mappings":""}'),
};

describe('a part', () => {
  const bytes = (count: number) => Buffer.alloc(count, ' ');

  it.each<[string, Record<string, string>, () => Buffer, number]>([
    ['has 4 MiB', {}, () => bytes(MAP_PART_BYTES), 204],
    ['has more', {}, () => bytes(MAP_PART_BYTES + 1), 413],
    ['has 4 MiB in gzip', { 'content-encoding': 'gzip' }, () => gzipSync(bytes(MAP_PART_BYTES)), 204],
    ['hides more in gzip', { 'content-encoding': 'gzip' }, () => gzipSync(bytes(MAP_PART_BYTES + 1)), 413],
    ['hides a bomb in gzip', { 'content-encoding': 'gzip' }, () => gzipSync(bytes(20_000_000)), 413],
    ['has less in gzip', { 'content-encoding': 'gzip' }, () => gzipSync(bytes(7)), 400],
    ['is no gzip', { 'content-encoding': 'gzip' }, () => bytes(7), 400],
    ['has 4 MiB in zstd', { 'content-encoding': 'zstd' }, () => zstdCompressSync(bytes(MAP_PART_BYTES)), 204],
    [
      'hides more in zstd',
      { 'content-encoding': 'zstd' },
      () => zstdCompressSync(bytes(MAP_PART_BYTES + 1)),
      413,
    ],
  ])('that %s', async (_what, headers, made, status) => {
    const code = bytes(MAP_PART_BYTES + 10);
    const { client, ofUpload, projectId } = await begun({ ...SMALL, code }, []);
    const path = `/v1/projects/${ofUpload.id}/source-maps/uploads/${ofUpload.uploadId}/files/${fileOf(code).sha256}`;
    const answer = await fetch(`${culprit.url}${path}/parts/0`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${client.project.memberToken}`, ...headers },
      body: new Uint8Array(made()),
    });
    const error = { 204: '', 400: '{"error":"invalid_payload"}', 413: '{"error":"payload_too_large"}' }[
      status
    ];
    expect([answer.status, await answer.text()]).toEqual([status, error]);
    expect(await rowsOf('map_upload_parts', projectId)).toBe(status === 204 ? 1 : 0);
    expect(objectsOf(projectId)).toHaveLength(status === 204 ? 1 : 0);
  });

  it('may come twice: the last one counts, and the upload has the bytes that were announced', async () => {
    const { api, ofUpload, put, projectId } = await begun(SMALL, [SMALL.map]);
    const { sha256 } = fileOf(SMALL.code);
    const wrong = new Uint8Array(SMALL.code.length);
    for (let time = 0; time < 2; time += 1) {
      expectOk(
        await api.call(uploads.putMapPart, { params: { ...ofUpload, sha256, part: '0' }, body: wrong }),
      );
      expectOk(await put(SMALL.code, 0));
    }
    expect(await rowsOf('map_upload_parts', projectId)).toBe(2);
    expectOk(await api.call(uploads.finishMapUpload, { params: ofUpload }));
    const { upload } = expectOk(
      await api.call(uploads.getMapUpload, { params: ofUpload, query: { wait_seconds: 25 } }),
    );
    // Not `bytes_differ`.
    expect(upload.files).toMatchObject([{ verdict: 'skipped', problem: 'map_empty' }]);
    // Those that came before go with the folder.
    expect(await keptObjects(projectId)).toEqual([]);
  });

  it('that is stored while its upload ends leaves no object', async () => {
    const { put, projectId } = await begun(SMALL, []);
    const { answer } = await whileLocked(
      culprit,
      'lock table map_upload_parts in exclusive mode',
      async (holder) => {
        const putting = put(SMALL.code, 0);
        await eventually(() => expect(objectsOf(projectId)).toHaveLength(1));
        await holder.query(`update map_uploads set state = 'expired' where project_id = $1`, [projectId]);
        return { answer: putting };
      },
    );
    expect(await answer).toMatchObject({ status: 409, error: 'upload_closed' });
    expect(objectsOf(projectId)).toEqual([]);
  });
});

describe('an upload', () => {
  it('that stays open for a day is expired: its parts go, and no more are taken', async () => {
    const { api, ofUpload, put, projectId } = await begun(SMALL, [SMALL.code]);
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
      return expectOk(await api.call(uploads.getMapUpload, { params: ofUpload, query: {} })).upload.state;
    };
    expect(await stateAfter(23.9)).toBe('open');
    expect(await stateAfter(24.1)).toBe('expired');
    expect(await rowsOf('map_upload_parts', projectId)).toBe(0);
    const marked = await culprit.database.query<{ object_key: string }>(
      { name: 'test-marked', text: 'select object_key from object_tombstones where project_id = $1' },
      [projectId],
    );
    expect(marked).toEqual([{ object_key: `map-parts/${projectId}/${ofUpload.uploadId}/` }]);
    expect(await put(SMALL.map, 0)).toMatchObject({ ok: false, status: 409, error: 'upload_closed' });
    // A process that ended behind the object of a part has left no row of it.
    const objects = await openObjectStore(culprit.objectStore);
    await objects.put(newPartKey(projectId, ofUpload.uploadId, fileOf(SMALL.map).sha256, 0), SMALL.map);
    expect(objectsOf(projectId)).toHaveLength(2);
    await culprit.database.query(
      {
        name: 'test-age-marks',
        text: `update object_tombstones set created_at = created_at - interval '1 day' where project_id = $1`,
      },
      [projectId],
    );
    await exhaust(deleteMarkedObjects(projectId, { database: culprit.database, objects }));
    expect(objectsOf(projectId)).toEqual([]);
  });

  it('whose project is deleted while its map is read leaves no row and no object', async () => {
    const build = largeBuild(MAP_BYTES);
    const { client, api, ofUpload, projectId } = await begun(build, [build.code, build.map]);
    expectOk(await api.call(uploads.finishMapUpload, { params: ofUpload }));
    await eventually(async () => {
      const [file] = await culprit.database.query<{ attempts: number }>(
        { name: 'test-attempts', text: 'select attempts from map_upload_files where project_id = $1' },
        [projectId],
      );
      expect(file?.attempts).toBe(1);
    });
    await deleteProject(client, projectId);
    expect(await keptObjects(projectId)).toEqual([]);
  });

  it('whose project is deleted while it is open takes no part any more, and leaves no row and no object', async () => {
    const { client, api, ofUpload, put, projectId } = await begun(SMALL, [SMALL.code]);
    expect(await keptObjects(projectId)).toHaveLength(1);
    await deleteProject(client, projectId);
    expect(await put(SMALL.map, 0)).toMatchObject({ status: 404, error: 'project_not_found' });
    expect(await api.call(uploads.finishMapUpload, { params: ofUpload })).toMatchObject({ status: 404 });
    expect(await rowsOf('map_uploads', projectId)).toBe(0);
    expect(await keptObjects(projectId)).toEqual([]);
  });
});
