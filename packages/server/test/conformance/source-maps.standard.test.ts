import { createHash, randomUUID } from 'node:crypto';
import { createClient } from '@culprit/contract/endpoints/client';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { MAP_PART_BYTES } from '@culprit/contract/releases/map-limits';
import * as uploads from '@culprit/contract/releases/map-uploads';
import * as maps from '@culprit/contract/releases/source-maps';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { type BuiltShop, buildShop } from '../support/built-shop.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectOk } from '../support/expect-ok.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/source-maps.md. */

let culprit: TestCulprit;
let shop: BuiltShop;
beforeAll(async () => {
  culprit = await shareCulprit();
  shop = await buildShop('first');
});
afterAll(() => culprit.stop());

const ADDRESS = 'https://shop.example/assets/index.js';

/** A failure in the browser at a place of the bundle. */
function failure(
  at: { line: number; column: number },
  more: {
    debugId?: string | null;
    release?: string;
    message?: string;
    caller?: { line: number; column: number };
  } = {},
): object {
  const {
    debugId = null,
    release,
    message = "Cannot read properties of null (reading 'amount')",
    caller,
  } = more;
  const lines = [`TypeError: ${message}`, `    at e (${ADDRESS}?v=1:${at.line}:${at.column})`];
  if (caller !== undefined) lines.push(`    at t (${ADDRESS}?v=1:${caller.line}:${caller.column})`);
  return {
    event_type: 'frontend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop-web', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    ...(release === undefined ? {} : { context: { release } }),
    payload: {
      name: 'TypeError',
      message,
      stack: lines.join('\n'),
      ...(debugId === null ? {} : { debug_ids: { [ADDRESS]: debugId } }),
    },
  };
}

async function stackOf(client: IncidentClient, incidentId: string) {
  const { context } = await client.bundle(incidentId);
  return { frames: context.stack?.frames ?? [], symbolication: context.symbolication, error: context.error };
}

describe('a source map that was uploaded', () => {
  it('is kept while events need it', async () => {
    const client = await connect(culprit);
    const upload = await uploadMaps(culprit, client.project, [shop]);
    const path = `/v1/projects/${client.project.projectId}/source-maps/${upload.files[0]?.source_map_id}`;
    const record = async () => {
      const { body } = await managementClient(culprit, client.project.memberToken).get(path);
      const read = isJsonObject(body) ? body.source_map : null;
      return isJsonObject(read) ? Date.parse(String(read.last_needed_at)) : Number.NaN;
    };
    await culprit.database.query(
      {
        name: 'test-forget-maps',
        text: `update source_maps set last_needed_at = last_needed_at - interval '40 days' where project_id = $1`,
      },
      [parseId(['proj'], client.project.projectId)],
    );
    expect(await record()).toBeLessThan(Date.now() - 86_400_000);
    await client.send(failure(shop.place('price.amount'), { debugId: shop.debugId }));
    await client.only();
    expect(await record()).toBeGreaterThan(Date.now() - 3_600_000);
  });

  it('maps the frames of an event with its debug id: file, line, function and source line', async () => {
    const client = await connect(culprit);
    const upload = await uploadMaps(culprit, client.project, [shop]);
    expect(upload.files).toMatchObject([{ verdict: 'ready', problem: null, debug_id: shop.debugId }]);
    expect(upload.files[0]?.probe).toMatchObject({ file: 'src/cart.ts', text: expect.any(String) });
    await client.send(
      failure(shop.place('price.amount'), { debugId: shop.debugId, caller: shop.place('total(),') }),
    );
    const incident = await client.only();
    const { frames, symbolication, error } = await stackOf(client, incident.incident_id);
    expect(frames[0]).toMatchObject({
      function: 'Cart.total.<anonymous>',
      file: 'src/cart.ts',
      line: 5,
      in_app: true,
      context_line: expect.stringContaining('item.price!.amount'),
      map: { state: 'mapped', reason: null },
      generated: { function: '<min>', file: '/assets/index.js', line: 1 },
    });
    expect(symbolication).toMatchObject({ state: 'mapped', unmapped: 0, problems: [] });
    expect(error?.stack).toContain('    at Cart.total.<anonymous> (src/cart.ts:5:56)');
    expect(error?.top_frames).toEqual(['src/cart.ts:5', 'src/cart.ts:9']);
    const [row] = await client.logs(incident.incident_id);
    const { body } = await client.get(`/v1/incidents/${incident.incident_id}/events/${row?.event_id}`);
    expect(body).toMatchObject({
      event: { stack: { frames: [{ file: 'src/cart.ts' }, {}] }, symbolication: { state: 'mapped' } },
    });
  });
});

const announced = (content: string | Buffer) => {
  const bytes = Buffer.from(content);
  return { sha256: createHash('sha256').update(bytes).digest('hex'), size_bytes: bytes.length };
};
const apiOf = ({ project }: IncidentClient) =>
  createClient({ baseUrl: culprit.url, token: project.memberToken });
const paramsOf = ({ project }: IncidentClient) => ({ id: project.projectId });
type Announced = BodyOf<typeof uploads.beginMapUpload>;
const bodyOf = (built: BuiltShop, change: Partial<Announced['files'][number]> = {}): Announced => ({
  files: [
    {
      path: built.path,
      debug_id: built.debugId,
      generated: announced(built.code),
      map: announced(built.map),
      ...change,
    },
  ],
});

/** The same build by a bundler that knows no debug ids. */
const withoutId = (built: BuiltShop) => ({
  path: built.path,
  code: built.code.replace(/^\/\/# debugId=.*$/m, ''),
  map: built.map.replace(/,?"debugId":"[^"]*"/, ''),
});

describe('an upload', () => {
  it('goes on where it was broken off, and knows what the project has', async () => {
    const client = await connect(culprit);
    const api = apiOf(client);
    const large = Buffer.concat([Buffer.from(shop.code), Buffer.alloc(MAP_PART_BYTES, ' ')]);
    const body = bodyOf(shop, { generated: announced(large) });
    const begun = await api.call(uploads.beginMapUpload, { params: paramsOf(client), body });
    expect(begun).toMatchObject({ status: 201, body: { part_bytes: MAP_PART_BYTES } });
    const { upload, missing } = expectOk(begun);
    expect(missing).toHaveLength(2);
    const params = { ...paramsOf(client), uploadId: upload.upload_id };
    const put = (content: Buffer, part: number, sha256: string) =>
      api.call(uploads.putMapPart, {
        params: { ...params, sha256, part: String(part) },
        body: new Uint8Array(content),
      });
    const { sha256 } = announced(large);
    expect(await put(large.subarray(0, MAP_PART_BYTES), 0, sha256)).toMatchObject({ status: 204 });
    expect(await put(Buffer.from('short'), 1, sha256)).toMatchObject({
      status: 400,
      error: 'invalid_payload',
    });
    expect(await put(large.subarray(0, 5), 2, sha256)).toMatchObject({
      status: 404,
      error: 'part_not_found',
    });
    expect(await put(large.subarray(0, 5), 0, announced('x').sha256)).toMatchObject({
      error: 'part_not_found',
    });
    expect(await api.call(uploads.finishMapUpload, { params })).toMatchObject({
      status: 409,
      error: 'parts_missing',
    });

    const again = expectOk(await api.call(uploads.beginMapUpload, { params: paramsOf(client), body }));
    expect(again.upload.upload_id).toBe(upload.upload_id);
    expect(expectOk(await api.call(uploads.getMapUpload, { params })).missing).toEqual(
      expect.arrayContaining([
        { sha256, parts: [1] },
        { sha256: announced(shop.map).sha256, parts: [0] },
      ]),
    );
    expect(await put(large.subarray(MAP_PART_BYTES), 1, sha256)).toMatchObject({ status: 204 });
    expect(await put(Buffer.from(shop.map), 0, announced(shop.map).sha256)).toMatchObject({ status: 204 });
    expect(await api.call(uploads.finishMapUpload, { params })).toMatchObject({ status: 202 });
    expect(await api.call(uploads.finishMapUpload, { params })).toMatchObject({ status: 202 });
    expect(await put(large.subarray(MAP_PART_BYTES), 1, sha256)).toMatchObject({ error: 'upload_closed' });
    const done = expectOk(await api.call(uploads.getMapUpload, { params, query: { wait_seconds: 25 } }));
    expect(done).toMatchObject({ missing: [], upload: { state: 'done', counts: { ready: 1, refused: 0 } } });

    const same = expectOk(
      await api.call(uploads.beginMapUpload, {
        params: paramsOf(client),
        body: { ...body, release: 'shop@2' },
      }),
    );
    expect(same).toMatchObject({ missing: [], upload: { files: [{ verdict: 'unchanged' }] } });
    const finished = { params: { ...params, uploadId: same.upload.upload_id } };
    expect(expectOk(await api.call(uploads.finishMapUpload, finished)).upload.state).toBe('done');
    const kept = expectOk(await api.call(maps.listSourceMaps, { params: paramsOf(client) }));
    expect(kept).toMatchObject({ usage: { source_maps: 1 }, source_maps: [{ releases: ['shop@2'] }] });
    const [record] = kept.source_maps;
    const one = expectOk(
      await api.call(maps.getSourceMap, {
        params: { ...paramsOf(client), sourceMapId: record?.source_map_id ?? '' },
      }),
    );
    expect(one.sources).toContainEqual({ file: 'src/cart.ts', is_own: true, has_content: true });
  });

  it.each<[string, string]>([
    ['leaves the folder', 'assets/../../etc/passwd'],
    ['is absolute', '/assets/a.js'],
    ['has a drive', 'C:/assets/a.js'],
    ['has a backslash', 'assets\\a.js'],
    ['has a control character', 'assets/a\u0001.js'],
    ['has a NUL', 'assets/a\0.js'],
    ['has a control character of the second set', 'assets/a\u0085.js'],
    ['has an empty part', 'assets//a.js'],
    ['ends with an empty part', 'assets/a.js/'],
    ['is the folder above', '..'],
    ['is a dot', './a.js'],
    ['is too long', 'a'.repeat(1001)],
  ])('is refused where a path %s', async (_what, path) => {
    const client = await connect(culprit);
    const answer = await client.post(
      `/v1/projects/${client.project.projectId}/source-maps/uploads`,
      bodyOf(shop, { path }),
    );
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_payload' } });
    expect(answer.headers.get('x-service-problem')).toContain('/files/0/path');
  });

  it('has a verdict on each file: one that is refused keeps no other back', async () => {
    const client = await connect(culprit);
    const other = await buildShop('other', 'console.log(globalThis.shop, "of another build");');
    const upload = await uploadMaps(
      culprit,
      client.project,
      [
        shop,
        { ...shop, path: 'assets/page.js', debugId: randomUUID(), map: '<html>404</html>' },
        { ...shop, path: 'assets/stale.js', map: other.map, code: shop.code, debugId: null },
        {
          ...shop,
          path: 'assets/empty.js',
          debugId: randomUUID(),
          code: 'a();',
          map: '{"version":3,"sources":[],"mappings":""}',
        },
      ],
      'shop@1',
    );
    expect(upload.counts).toEqual({ ready: 1, unchanged: 0, replaced: 0, refused: 2, skipped: 1 });
    expect(upload.files.map(({ problem }) => problem)).toEqual([
      null,
      'not_json',
      'debug_ids_differ',
      'map_empty',
    ]);
    expect(upload.files[1]?.words).toContain('assets/page.js');
  });

  it('may be made with a token for builds, which reads no incident', async () => {
    const client = await connect(culprit);
    const { body } = await client.post('/v1/member/tokens', { label: 'CI', access: 'build' });
    const token = JSON.parse(JSON.stringify(body)).token.plaintext;
    const build = { projectId: client.project.projectId, memberToken: token };
    expect((await uploadMaps(culprit, build, [shop])).counts.ready).toBe(1);
    const refused = await fetch(`${culprit.url}/v1/incidents`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(refused.status).toBe(403);
  });
});

describe('two builds', () => {
  it('of one application give one incident for one failure, and two for two', async () => {
    const client = await connect(culprit);
    const second = await buildShop(
      'second',
      'export const padding = () => [1, 2, 3].map((n) => n * 7);console.log(padding());',
    );
    expect(second.code).not.toBe(shop.code);
    await uploadMaps(culprit, client.project, [shop, { ...second, path: 'assets/index-2.js' }]);
    for (const built of [shop, second]) {
      await client.send(
        failure(built.place('price.amount'), { debugId: built.debugId, caller: built.place('total(),') }),
      );
    }
    const incident = await client.only(2);
    expect(incident.matched_fields).toContain('mapped_frames');
    // As minified code they are one place: same file, same names, same message.
    await client.send(failure(shop.place('RangeError('), { debugId: shop.debugId }));
    await client.counted(1, 2);
  });
});

describe('a map that comes after the events', () => {
  it('is used by itself: no new incident, a bundle with the frames, and nothing is missing any more', async () => {
    const client = await connect(culprit);
    const api = apiOf(client);
    // The project has a map of something else.
    await uploadMaps(culprit, client.project, [await buildShop('unrelated')]);
    await client.send(
      failure(shop.place('price.amount'), { debugId: shop.debugId, caller: shop.place('total(),') }),
    );
    const incident = await client.only();
    const before = await stackOf(client, incident.incident_id);
    expect(before.symbolication).toMatchObject({
      state: 'unmapped',
      problems: [{ reason: 'no_map_for_debug_id', words: expect.stringContaining(shop.debugId), frames: 2 }],
    });
    const missing = expectOk(await api.call(maps.listMissingMaps, { params: paramsOf(client) })).missing;
    expect(missing).toMatchObject([
      { debug_id: shop.debugId, events: 1, incidents: 1, reason: 'no_map_for_debug_id' },
    ]);

    await uploadMaps(culprit, client.project, [shop]);
    await eventually(async () => {
      expect((await stackOf(client, incident.incident_id)).symbolication).toMatchObject({ state: 'mapped' });
    });
    expect(expectOk(await api.call(maps.listMissingMaps, { params: paramsOf(client) })).missing).toEqual([]);
    // The bundle is made anew before the feed has it.
    await eventually(async () => {
      const remapped = await client.ledger('incident.remapped');
      expect(remapped.map(({ data }) => data)).toMatchObject([{ mapped: 2 }]);
    });
    expect(await client.ledger('incident.opened')).toHaveLength(1);
    expect((await client.read(incident.incident_id)).symbolication).toBe('mapped');
    // What is hidden under the same minified names opens its own.
    await client.send(
      failure(shop.place('price.amount'), { debugId: shop.debugId, caller: shop.place('total(),') }),
    );
    await client.only(2);
    await client.send(failure(shop.place('RangeError('), { debugId: shop.debugId }));
    await client.counted(1, 2);
  });

  it('is used in a project that had none before', async () => {
    const client = await connect(culprit);
    await client.send(failure(shop.place('price.amount'), { release: 'shop@1' }));
    const incident = await client.only();
    expect((await stackOf(client, incident.incident_id)).symbolication).toBeUndefined();
    await uploadMaps(culprit, client.project, [withoutId(shop)], 'shop@1');
    await eventually(async () => {
      expect((await stackOf(client, incident.incident_id)).frames[0]).toMatchObject({
        file: 'src/cart.ts',
        line: 5,
      });
    });
    await client.only(1);
  });

  it('joins the incident of before when its key is that of another build', async () => {
    const client = await connect(culprit);
    const second = await buildShop(
      'second',
      'export const padding = () => [1, 2, 3].map((n) => n * 7);console.log(padding());',
    );
    await uploadMaps(culprit, client.project, [await buildShop('unrelated')]);
    const of = (built: BuiltShop, message: string) =>
      failure(built.place('price.amount'), { debugId: built.debugId, message });
    await client.send(of(shop, 'reading price of first'));
    await client.processed();
    await uploadMaps(culprit, client.project, [shop, { ...second, path: 'assets/index-2.js' }]);
    await client.send(of(second, 'reading price of first'));
    const only = await client.only(2);
    expect(only.matched_fields).not.toContain('mapped_frames');
    const { body } = await client.get(`/v1/incidents/${only.incident_id}/grouping`);
    expect(body).toMatchObject({ grouping: { keys: [{ origin: 'own' }, { origin: 'mapped' }] } });
  });
});

describe('a frame that is not mapped', () => {
  const explain = async (client: IncidentClient, body: BodyOf<typeof maps.explainFrame>) =>
    expectOk(await apiOf(client).call(maps.explainFrame, { params: paramsOf(client), body }));

  it('says why, in the words of one table, and what to do', async () => {
    const client = await connect(culprit);
    await uploadMaps(culprit, client.project, [shop]);
    const bare = withoutId(shop);
    await uploadMaps(
      culprit,
      client.project,
      [
        { ...bare, path: 'a/index.js', code: `${bare.code}//a` },
        { ...bare, path: 'b/index.js', code: `${bare.code}//b` },
        { ...bare, path: 'deep/only.js', code: `${bare.code}//c` },
      ],
      'shop@3',
    );
    const at = shop.place('price.amount');
    const debug_id = shop.debugId;
    const reasons: [BodyOf<typeof maps.explainFrame>, string | null][] = [
      [{ file: ADDRESS, debug_id, ...at }, null],
      [{ file: ADDRESS, ...at }, 'no_debug_id_no_release'],
      [{ file: ADDRESS, debug_id: randomUUID(), release: 'shop@3', ...at }, 'no_map_for_debug_id'],
      [{ file: ADDRESS, release: 'shop@9', ...at }, 'release_without_maps'],
      [{ file: 'https://x/other.js', release: 'shop@3', ...at }, 'no_map_for_file'],
      [{ file: 'https://x/index.js', release: 'shop@3', ...at }, 'ambiguous_file'],
      [{ file: 'https://cdn.example/app/b/index.js?v=2#x', release: 'shop@3', ...at }, null],
      [{ file: 'app:///deep/only.js', release: 'shop@3', ...at }, null],
      [{ file: '/srv/shop/dist/deep/only.js', release: 'shop@3', ...at }, null],
      [{ file: 'only.js', release: 'shop@3', ...at }, null],
      [{ file: ADDRESS, debug_id, line: at.line, column: null }, 'no_position'],
      [{ file: ADDRESS, debug_id, line: 0, column: 0 }, 'no_position'],
      [{ file: ADDRESS, debug_id, line: 9999, column: 1 }, 'position_outside_file'],
      [{ file: ADDRESS, debug_id, line: 1, column: 99_999 }, 'position_outside_file'],
      [{ file: ADDRESS, debug_id, line: at.line, column: at.column + 2 }, 'file_differs'],
      [{ file: '/srv/app/src/main.ts', release: 'shop@3', ...at }, 'already_original'],
      [{ file: 'http://localhost:5173/src/main.tsx', release: 'shop@3', ...at }, 'development_build'],
      [{ file: 'webpack-internal:///./src/main.js', release: 'shop@3', ...at }, 'development_build'],
      [{ file: 'node:internal/process', release: 'shop@3', ...at }, null],
    ];
    for (const [body, reason] of reasons) {
      const answer = await explain(client, body);
      expect([body.file, answer.reason]).toEqual([body.file, reason]);
      expect(answer.words === null).toBe(reason === null);
      expect(answer.hint === null).toBe(reason === null);
    }
    expect(await explain(client, { file: ADDRESS, debug_id, ...at })).toMatchObject({
      state: 'mapped',
      mapped: { file: 'src/cart.ts', line: 5, function: 'Cart.total.<anonymous>', is_own: true },
      looked_for: { by: 'debug_id', key: debug_id },
    });
    expect((await explain(client, { file: ADDRESS, ...at })).candidates).toContainEqual(
      expect.objectContaining({ path: 'assets/index.js', debug_id }),
    );
  });

  it('whose file was refused or removed says so', async () => {
    const client = await connect(culprit);
    const refusedId = randomUUID();
    await uploadMaps(culprit, client.project, [{ ...shop, debugId: refusedId, map: '[]', code: 'x()' }]);
    expect(await explain(client, { file: ADDRESS, debug_id: refusedId, line: 1, column: 1 })).toMatchObject({
      reason: 'map_refused',
      words: expect.stringContaining('is not JSON'),
    });
    const upload = await uploadMaps(culprit, client.project, [shop]);
    const at = shop.place('price.amount');
    await client.send(failure(at, { debugId: shop.debugId }));
    const incident = await client.only();
    expect((await stackOf(client, incident.incident_id)).frames[0]?.file).toBe('src/cart.ts');
    const sourceMapId = upload.files[0]?.source_map_id ?? '';
    const gone = await apiOf(client).call(maps.deleteSourceMap, {
      params: { ...paramsOf(client), sourceMapId },
    });
    expect(expectOk(gone).source_map).toMatchObject({ state: 'removed', removed_reason: 'deleted' });
    expect(await explain(client, { file: ADDRESS, debug_id: shop.debugId, ...at })).toMatchObject({
      reason: 'map_removed',
      words: expect.stringMatching(/removed on \d{4}-\d\d-\d\d: a member deleted it/),
    });
    const again = await uploadMaps(culprit, client.project, [shop]);
    expect(again.counts.ready).toBe(1);
    expect((await explain(client, { file: ADDRESS, debug_id: shop.debugId, ...at })).reason).toBeNull();
  });

  it('keeps every frame of its file from being mapped where one shows that another version ran', async () => {
    const client = await connect(culprit);
    await uploadMaps(culprit, client.project, [shop]);
    const at = shop.place('price.amount');
    await client.send(
      failure({ ...at, column: at.column + 2 }, { debugId: shop.debugId, caller: shop.place('total(),') }),
    );
    const incident = await client.only();
    const { frames, symbolication } = await stackOf(client, incident.incident_id);
    expect(frames.map(({ map }) => map?.reason)).toEqual(['file_differs', 'file_differs']);
    expect(symbolication).toMatchObject({
      state: 'unmapped',
      problems: [{ reason: 'file_differs', frames: 2 }],
    });
  });
});

describe('source lines', () => {
  it('are seven at most, hide keys in the code, and are left out where the project says so', async () => {
    const client = await connect(culprit);
    await uploadMaps(culprit, client.project, [shop]);
    const send = () => client.send(failure(shop.place('total(),'), { debugId: shop.debugId }));
    await send();
    const incident = await client.only();
    const [frame] = (await stackOf(client, incident.incident_id)).frames;
    expect(frame?.context_line).toBe('  const total = cart.total();');
    expect([frame?.pre_context?.length, frame?.post_context?.length]).toEqual([3, 3]);
    expect(JSON.stringify(frame)).not.toContain('sk_live_51H8');
    const path = `${culprit.url}/v1/projects/${client.project.projectId}`;
    const headers = {
      authorization: `Bearer ${client.project.memberToken}`,
      'content-type': 'application/json',
    };
    const changed = await fetch(path, { method: 'PATCH', headers, body: '{"shows_source":false}' });
    expect(await changed.json()).toMatchObject({ project: { shows_source: false } });
    await send();
    await client.only(2);
    await client.refreshed();
    const [bare] = (await stackOf(client, incident.incident_id)).frames;
    expect(bare).toMatchObject({ file: 'src/cart.ts', line: 9 });
    expect(bare).not.toHaveProperty('context_line');
  });
});

describe('a rule over the fingerprint of an incident that source maps named', () => {
  const rule = async (client: IncidentClient, action: object) => {
    const { fingerprint, fingerprint_version: version } = await client.only();
    const body = {
      name: 'not this one',
      ...action,
      matcher: { fingerprint: { version, value: fingerprint } },
    };
    const preview = await client.post(`/v1/projects/${client.project.projectId}/capture-preview`, {
      rule: body,
      hours: 1,
    });
    const made = await client.post(`/v1/projects/${client.project.projectId}/capture-rules`, body);
    expect(made.status).toBe(201);
    return {
      preview: preview.body,
      id: String(Reflect.get(Object(Reflect.get(Object(made.body), 'rule')), 'id')),
    };
  };
  const fates = async (client: IncidentClient) =>
    (await client.get(`/v1/projects/${client.project.projectId}/event-fates`)).body;
  const rules = async (client: IncidentClient) =>
    (await client.get(`/v1/projects/${client.project.projectId}/capture-rules`)).body;

  it.each([
    [{ action: 'drop' }, 'dropped'],
    [{ action: 'sample', sample_rate: 0, sample_event_class: 'preserve' }, 'sampled_out'],
    [{ action: 'demote' }, 'demoted'],
  ] as const)('%j: events are accepted and end as %s, in no incident', async (action, fate) => {
    const client = await connect(culprit);
    await uploadMaps(culprit, client.project, [shop]);
    const failing = (place = 'price.amount') =>
      failure(shop.place(place), { debugId: shop.debugId, caller: shop.place('total(),') });
    await client.send(failing());
    const { incident_id: id, matched_fields: fields } = await client.only();
    expect(fields).toContain('mapped_frames');
    const { preview, id: ruleId } = await rule(client, action);
    expect(preview).toMatchObject({ before: { incident: 1 }, after: { incident: 0, [fate]: 1 } });
    // Intake compares the keys of events as they were sent, and this one has another there.
    await client.send(failing(), failing());
    await client.send(failure(shop.place('RangeError('), { debugId: shop.debugId }));
    await client.counted(1, 1);
    expect((await client.read(id)).occurrence_count).toBe(1);
    const others = { dropped: 0, sampled_out: 0, demoted: 0, duplicate: 0, waiting: 0 };
    expect(await fates(client)).toMatchObject({
      totals: { ...others, submitted: 4, processed: 2, [fate]: 2 },
    });
    if (fate !== 'demoted') {
      expect(await fates(client)).toMatchObject({ by_rule: [{ rule_id: ruleId, events: 2 }] });
    }
    await eventually(async () => {
      expect(await rules(client)).toMatchObject({ capture_rules: [{ id: ruleId, hit_count: 2 }] });
    });
    const configuration = await fetch(`${culprit.url}/v1/sdk/config`, {
      headers: { authorization: `Bearer ${client.project.projectToken}` },
    });
    expect(await configuration.json()).toMatchObject({ capture_rules: [] });
  });
});

describe('a server that maps its own stacks', () => {
  const failing = (name: string, column: number) => ({
    event_type: 'backend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop-api', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    context: { release: 'shop@1' },
    payload: {
      name: 'TypeError',
      message: 'no price',
      stack: [
        'TypeError: no price',
        `    at ${name} (/srv/app/src/cart.ts:14:${column})`,
        `    at openCart (/srv/app/src/main.ts:20:${column})`,
        `    at ${name}e (webpack://shop/src/server.js:3:1)`,
      ].join('\n'),
    },
  });

  it('has frames that are the original ones, and names of its minifier are in no key', async () => {
    const client = await connect(culprit);
    await uploadMaps(culprit, client.project, [shop]);
    await client.send(failing('f', 14));
    await client.only();
    await client.send(failing('Gt', 15));
    const incident = await client.only(2);
    const { frames, symbolication } = await stackOf(client, incident.incident_id);
    expect(frames.map(({ map }) => map)).toEqual(
      Array(3).fill({ state: 'none', reason: 'already_original', source_map_id: null }),
    );
    expect(symbolication).toMatchObject({ state: 'not_needed', mapped: 0, unmapped: 0, problems: [] });
    expect(await client.list({ project_id: client.project.projectId, symbolication: 'unmapped' })).toEqual(
      [],
    );
    const missing = await apiOf(client).call(maps.listMissingMaps, { params: paramsOf(client) });
    expect(expectOk(missing).missing).toEqual([]);
  });
});
