import { createHash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createClient } from '@culprit/contract/endpoints/client';
import * as mapUploads from '@culprit/contract/releases/map-uploads';
import * as releases from '@culprit/contract/releases/releases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltShop, buildShop } from '../support/built-shop.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectOk } from '../support/expect-ok.ts';
import { connect } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { type ArchiveEntry, zipArchive } from '../support/zip-archive.ts';

/** docs/contract/source-maps.md 9: what `sentry-cli` 3.8 and the client inside Sentry's bundler plugins ask. */

let culprit: TestCulprit;
let shop: BuiltShop;
let refused: Promise<TestProject>;
beforeAll(async () => {
  culprit = await shareCulprit();
  refused = connect(culprit).then(({ project }) => project);
  shop = await buildShop('tools');
});
afterAll(() => culprit.stop());

const ORGANIZATION = '/api/0/organizations/acme';
const slugs = new Map<string, string>();

/** Sends what a tool sends. */
async function ask(
  token: string | null,
  method: string,
  path: string,
  body?: object | FormData,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const isForm = body instanceof FormData;
  const answer = await fetch(`${culprit.url}${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
}

async function slugOf(project: TestProject): Promise<string> {
  const known = slugs.get(project.projectId);
  if (known !== undefined) return known;
  const slug = `shop-${randomUUID().slice(0, 8)}`;
  const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
  const { updateProject } = await import('@culprit/contract/workspace/projects');
  expectOk(await api.call(updateProject, { params: { id: project.projectId }, body: { slug } }));
  slugs.set(project.projectId, slug);
  return slug;
}

/** The bundle of a shop, as `sentry-cli sourcemaps upload` packs it. */
function bundle(
  { code, map, path, debugId }: BuiltShop,
  more: { ids?: boolean; entries?: ArchiveEntry[]; manifest?: object; prefix?: Buffer } = {},
): Buffer {
  const { ids = true, entries = [] } = more;
  const headers = (extra: object) => ({ ...(ids ? { 'debug-id': debugId } : {}), ...extra });
  const manifest = more.manifest ?? {
    org: 'acme',
    files: {
      [`files/_/_/${path}`]: {
        url: `~/${path}`,
        type: 'minified_source',
        headers: headers({ sourcemap: 'index.js.map' }),
      },
      [`files/_/_/${path}.map`]: { url: `~/${path}.map`, type: 'source_map', headers: headers({}) },
    },
  };
  return zipArchive(
    [
      { name: `files/_/_/${path}`, bytes: Buffer.from(code) },
      { name: `files/_/_/${path}.map`, bytes: Buffer.from(map) },
      { name: 'manifest.json', bytes: Buffer.from(JSON.stringify(manifest)), isStored: true },
      ...entries,
    ],
    more.prefix === undefined ? {} : { prefix: more.prefix },
  );
}

const sha1 = (bytes: Buffer) => createHash('sha1').update(bytes).digest('hex');

function chunksOf(archive: Buffer, size: number): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < archive.length; at += size) chunks.push(archive.subarray(at, at + size));
  return chunks;
}

/** The whole conversation of `sentry-cli sourcemaps upload --wait`. */
async function upload(
  project: TestProject,
  archive: Buffer,
  {
    version,
    size = 4_194_304,
    token = project.memberToken,
  }: { version?: string; size?: number; token?: string } = {},
) {
  const chunks = chunksOf(archive, size);
  const body = {
    checksum: sha1(archive),
    chunks: chunks.map(sha1),
    projects: [await slugOf(project)],
    ...(version === undefined ? {} : { version }),
  };
  const assemble = () => ask(token, 'POST', `${ORGANIZATION}/artifactbundle/assemble/`, body);
  const first = await assemble();
  if (first.status !== 200) return { first, last: first };
  expect(first.body).toEqual({ state: 'not_found', missingChunks: [...new Set(body.chunks)] });
  for (let at = 0; at < chunks.length; at += 16) {
    const form = new FormData();
    for (const chunk of chunks.slice(at, at + 16)) {
      form.append('file_gzip', new Blob([new Uint8Array(gzipSync(chunk))]), sha1(chunk));
    }
    expect(await ask(token, 'POST', `${ORGANIZATION}/chunk-upload/`, form)).toEqual({
      status: 200,
      body: {},
    });
  }
  expect((await assemble()).body).toEqual({ state: 'created', missingChunks: [] });
  const last = await eventually(async () => {
    const answer = await assemble();
    expect(answer.body.state).toMatch(/^(?:ok|error)$/);
    return answer;
  });
  return { first, last };
}

function failure(debugId: string | null, release?: string): object {
  const at = shop.place('price.amount');
  const address = 'https://shop.example/assets/index.js';
  const message = "Cannot read properties of null (reading 'amount')";
  return {
    event_type: 'frontend_exception',
    timestamp: new Date().toISOString(),
    service: { name: 'shop-web', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    ...(release === undefined ? {} : { context: { release } }),
    payload: {
      name: 'TypeError',
      message,
      stack: `TypeError: ${message}\n    at e (${address}:${at.line}:${at.column})`,
      ...(debugId === null ? {} : { debug_ids: { [address]: debugId } }),
    },
  };
}

async function uploadsOf(project: TestProject) {
  const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
  const { uploads } = expectOk(
    await api.call(mapUploads.listMapUploads, { params: { id: project.projectId } }),
  );
  return uploads;
}

describe('the archive of a build tool', () => {
  it.each([
    ['debug ids', { ids: true, version: undefined }],
    ['a release', { ids: false, version: 'shop@2.0.0' }],
  ])(
    'maps the frames of events by %s, in chunks of a few bytes, without what stands before a bundle',
    async (_, { ids, version }) => {
      const client = await connect(culprit);
      const archive = bundle(shop, { ids, ...(ids ? {} : { prefix: Buffer.alloc(0) }) });
      const { last } = await upload(client.project, archive, {
        size: 400,
        ...(version === undefined ? {} : { version }),
      });
      expect(last.body).toEqual({ state: 'ok', missingChunks: [] });
      expect(await uploadsOf(client.project)).toMatchObject([
        { via: 'sentry', state: 'done', problem: null, counts: { ready: 1 }, release: version ?? null },
      ]);
      await client.send(failure(ids ? shop.debugId : null, version));
      const { context } = await client.bundle((await client.only()).incident_id);
      expect(context.stack?.frames[0]).toMatchObject({
        file: 'src/cart.ts',
        line: 5,
        function: 'Cart.total.<anonymous>',
        context_line: expect.stringContaining('item.price!.amount'),
      });
      const left = await culprit.database.query<{ chunks: number }>({
        name: 'test-chunks',
        text: 'select count(*) as chunks from map_chunks',
      });
      expect(left).toEqual([{ chunks: 0 }]);
      // The same archive again is answered without being sent.
      const body = {
        checksum: sha1(archive),
        chunks: chunksOf(archive, 400).map(sha1),
        projects: [client.project.projectId],
      };
      const again = await ask(client.project.memberToken, 'POST', `${ORGANIZATION}/artifactbundle/assemble`, {
        ...body,
        ...(version === undefined ? {} : { version }),
      });
      expect(again.body).toEqual({ state: 'ok', missingChunks: [] });
    },
  );

  it('says in words what is wrong with a file, and keeps the others', async () => {
    const { project } = await connect(culprit);
    const other = await buildShop(
      'other',
      'export const filler = "a text that moves every place of the bundle";',
    );
    const archive = bundle(shop, {
      manifest: {
        files: {
          [`files/_/_/${shop.path}`]: {
            url: '~/assets/index.js',
            type: 'minified_source',
            headers: { 'Debug-Id': shop.debugId },
          },
          [`files/_/_/${shop.path}.map`]: {
            url: '~/assets/index.js.map',
            type: 'source_map',
            headers: { 'debug-id': shop.debugId },
          },
          wrong: { url: '~/assets/wrong.js', type: 'minified_source' },
          'wrong.map': { url: '~/assets/wrong.js.map', type: 'source_map' },
          alone: {
            url: 'https://cdn.example/alone.js?v=1',
            type: 'minified_source',
            headers: { 'debug-id': randomUUID() },
          },
          up: { url: '~/../up.js', type: 'minified_source' },
          source: { url: '~/src/cart.ts', type: 'source' },
        },
      },
      entries: [
        { name: 'wrong', bytes: Buffer.from(shop.code.replace(/\/\/# debugId=.*/, '')) },
        {
          name: 'wrong.map',
          bytes: Buffer.from(JSON.stringify({ ...JSON.parse(other.map), debugId: undefined })),
        },
        ...['alone', 'up', 'source'].map((name) => ({ name, bytes: Buffer.from(name) })),
      ],
    });
    const { last } = await upload(project, archive, { version: '3.0.0' });
    expect(last.body).toMatchObject({
      state: 'error',
      detail: expect.stringMatching(
        /^Of the places compared, \d+ of \d+ begin inside a word.*assets\/wrong\.js\.$/,
      ),
    });
    const [listed] = await uploadsOf(project);
    expect(listed?.counts).toEqual({ ready: 1, refused: 1, skipped: 2, unchanged: 0, replaced: 0 });
    const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
    const { upload: shown } = expectOk(
      await api.call(mapUploads.getMapUpload, {
        params: { id: project.projectId, uploadId: listed?.upload_id ?? '' },
      }),
    );
    expect(
      shown.files.filter(({ verdict }) => verdict === 'skipped').map(({ path, words }) => [path, words]),
    ).toEqual([
      ['alone.js', 'The archive has no map of alone.js. Was the build run with source maps?'],
      ['../up.js', expect.stringContaining('must be relative')],
    ]);
  });

  it.each<[string, Buffer | (() => Buffer), RegExp]>([
    ['bytes that are no archive', Buffer.from('<html>'), /is not a zip archive/],
    [
      'an archive without a manifest',
      () => zipArchive([{ name: 'a', bytes: Buffer.from('a') }]),
      /no manifest/,
    ],
    [
      'a manifest that names what is not there',
      () => bundle(shop, { manifest: { files: { gone: { url: '~/a.js', type: 'source' } } } }),
      /gone, which is not in the archive/,
    ],
    [
      'a manifest that is no JSON',
      () => zipArchive([{ name: 'manifest.json', bytes: Buffer.from('{') }]),
      /is not a JSON object/,
    ],
    [
      'an encrypted entry',
      () => bundle(shop, { entries: [{ name: 'x\u0007', bytes: Buffer.from('x'), claims: { flags: 1 } }] }),
      /^x\? is encrypted/,
    ],
    [
      'another method',
      () => bundle(shop, { entries: [{ name: 'x', bytes: Buffer.from('x'), claims: { method: 93 } }] }),
      /method 93/,
    ],
    [
      'entries that share bytes',
      () =>
        bundle(shop, {
          entries: [
            { name: 'x', bytes: Buffer.alloc(90) },
            { name: 'y', bytes: Buffer.alloc(90), sharesBytes: true },
          ],
        }),
      /y overlaps/,
    ],
    [
      'an entry that is too large',
      () =>
        bundle(shop, {
          entries: [{ name: 'x', bytes: Buffer.from('x'), claims: { sizeBytes: 2 ** 27 + 1 } }],
        }),
      /x is too large/,
    ],
    [
      'more than it may unpack to',
      () =>
        bundle(shop, {
          entries: Array.from({ length: 9 }, (_, n) => ({
            name: `x${n}`,
            bytes: Buffer.from('x'),
            claims: { sizeBytes: 2 ** 27 },
          })),
        }),
      /unpacks to \d+ bytes/,
    ],
    [
      '4,001 entries',
      () =>
        zipArchive(
          Array.from({ length: 4001 }, (_, n) => ({
            name: `${n}`,
            bytes: Buffer.alloc(0),
            isStored: true,
          })),
        ),
      /4001 entries/,
    ],
    [
      'a directory that lies',
      () => {
        const archive = bundle(shop);
        return archive.fill(0xff, archive.length - 60, archive.length - 22);
      },
      /broken/,
    ],
  ])('is refused in words: %s', async (_, made, words) => {
    const project = await refused;
    const { last } = await upload(project, typeof made === 'function' ? made() : made);
    expect(last.body).toMatchObject({ state: 'error', detail: expect.stringMatching(words) });
    const [newest] = await uploadsOf(project);
    expect(newest).toMatchObject({ state: 'done', problem: expect.stringMatching(words) });
  });

  it('unpacks to no more than its directory says', async () => {
    const { project } = await connect(culprit);
    const bomb = Buffer.alloc(1_000_000);
    const archive = bundle(shop, {
      manifest: {
        files: {
          bomb: { url: '~/a.js', type: 'minified_source' },
          'bomb.map': { url: '~/a.js.map', type: 'source_map' },
        },
      },
      entries: [
        { name: 'bomb', bytes: bomb, claims: { sizeBytes: 1000 } },
        { name: 'bomb.map', bytes: Buffer.from('{}') },
      ],
    });
    const { last } = await upload(project, archive, { version: '1' });
    expect(last.body).toMatchObject({
      state: 'error',
      detail: 'The bytes of bomb are not those that the archive lists.',
    });
  });
});

describe('what a build tool asks', () => {
  it('is told the address that it reached, behind a proxy as well', async () => {
    const { project } = await connect(culprit);
    const url = async (headers: Record<string, string>) =>
      (await ask(project.memberToken, 'GET', `${ORGANIZATION}/chunk-upload/`, undefined, headers)).body.url;
    expect(await url({})).toBe(`${culprit.url}${ORGANIZATION}/chunk-upload/`);
    expect(await url({ 'x-forwarded-proto': 'https' })).toBe(
      `${culprit.url.replace('http:', 'https:')}${ORGANIZATION}/chunk-upload/`,
    );
  });

  it('is told in words what is wrong with token, project, chunk and call', async () => {
    const { project } = await connect(culprit);
    const { memberToken } = project;
    const assemble = {
      checksum: sha1(Buffer.from('x')),
      chunks: [sha1(Buffer.from('x'))],
      projects: ['nobody'],
    };
    const path = `${ORGANIZATION}/artifactbundle/assemble/`;
    expect(await ask(null, 'GET', `${ORGANIZATION}/chunk-upload/`)).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('SENTRY_AUTH_TOKEN') },
    });
    expect(await ask(project.projectToken, 'POST', path, assemble)).toMatchObject({ status: 401 });
    expect(await ask(memberToken, 'POST', path, assemble)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('"nobody"') },
    });
    expect(await ask(memberToken, 'POST', path, { ...assemble, projects: [] })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('SENTRY_PROJECT') },
    });
    const other = await connect(culprit);
    expect(
      await ask(memberToken, 'POST', path, { ...assemble, projects: [other.project.projectId] }),
    ).toMatchObject({ status: 400, body: { detail: expect.stringContaining('You have no project') } });
    const form = new FormData();
    form.append('file', new Blob(['x']), sha1(Buffer.from('y')));
    expect(await ask(memberToken, 'POST', `${ORGANIZATION}/chunk-upload/`, form)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('differ from its name') },
    });
    expect(await ask(memberToken, 'POST', `${ORGANIZATION}/chunk-upload/`, {})).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('not a multipart form') },
    });
    expect(await ask(memberToken, 'GET', '/api/0/organizations/acme/issues/')).toMatchObject({
      status: 404,
      body: { detail: expect.any(String) },
    });
  });

  it('is answered in words where its text is none that PostgreSQL keeps', async () => {
    const { project } = await connect(culprit);
    const { memberToken, projectId } = project;
    const releases = `${ORGANIZATION}/releases/`;
    const text = 'a\0b \ud800';
    const unknown = { status: 400, body: { detail: expect.stringContaining('You have no project') } };
    expect(await ask(memberToken, 'POST', releases, { version: '1', projects: [text] })).toMatchObject(
      unknown,
    );
    expect(
      await ask(memberToken, 'POST', '/api/0/projects/acme/%00/releases/', { version: '1' }),
    ).toMatchObject({ status: 400, body: { detail: expect.stringContaining('NUL') } });
    const assemble = { checksum: sha1(Buffer.from('x')), chunks: [sha1(Buffer.from('x'))], projects: [text] };
    expect(
      await ask(memberToken, 'POST', `${ORGANIZATION}/artifactbundle/assemble/`, assemble),
    ).toMatchObject(unknown);
    const commits = [{ id: 'c0ffee', message: text, author_name: text }];
    const release = { version: '1', projects: [projectId], ref: text, url: text, commits };
    expect(await ask(memberToken, 'POST', releases, release)).toMatchObject({ status: 201 });
    expect(
      await ask(memberToken, 'POST', `${releases}1/deploys/`, { environment: text, name: text }),
    ).toMatchObject({ status: 201 });
  });

  it('makes releases with commits, and deployments of what runs in the environment', async () => {
    const client = await connect(culprit);
    const { project } = client;
    await client.send(failure(null));
    await client.only();
    const version = 'shop@4.0.0+7';
    const token = project.memberToken;
    const path = `${ORGANIZATION}/releases/${encodeURIComponent(version)}/`;
    expect(await ask(token, 'PUT', path, { dateReleased: '2026-11-29T10:48:27.033Z' })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('sentry-cli releases new') },
    });
    const body = {
      version,
      projects: [await slugOf(project)],
      dateStarted: '2026-11-29T10:48:31.495964795Z',
    };
    expect(await ask(token, 'POST', `${ORGANIZATION}/releases/`, body)).toMatchObject({
      status: 201,
      body: { version, projects: [{ slug: await slugOf(project) }], newGroups: 0 },
    });
    const commits = [
      {
        id: 'a'.repeat(40),
        message: 'Fix the cart\n',
        author_name: 'Ada',
        author_email: 'ada@example.test',
        timestamp: '2026-11-29T10:00:00+01:00',
      },
    ];
    expect(await ask(token, 'PUT', path, { commits })).toMatchObject({ status: 200 });
    expect(await ask(token, 'PUT', path, { dateReleased: '2026-11-29T10:48:27.033Z' })).toMatchObject({
      status: 200,
      body: { dateReleased: '2026-11-29T10:48:27.033Z' },
    });
    expect(
      await ask(token, 'POST', `${path}deploys/`, { environment: 'production', name: null }),
    ).toMatchObject({ status: 201, body: { environment: 'production' } });
    expect(await ask(token, 'GET', path)).toMatchObject({ status: 200, body: { version } });
    const api = createClient({ baseUrl: culprit.url, token });
    const params = { id: project.projectId };
    const { releases: listed } = expectOk(
      await api.call(releases.listReleases, { params, query: { version } }),
    );
    expect(listed).toMatchObject([
      {
        version,
        created_by: 'api',
        commits: 1,
        deploys: 1,
        commit_sha: 'a'.repeat(40),
        services: [{ service_name: 'shop-web', environment: 'production' }],
      },
    ]);
    const shown = expectOk(
      await api.call(releases.getRelease, { params: { ...params, releaseId: listed[0]?.release_id ?? '' } }),
    );
    expect(shown).toMatchObject({
      deployments: [{ service_name: 'shop-web', version }],
      commits: [
        {
          sha: 'a'.repeat(40),
          author_name: 'Ada',
          message: 'Fix the cart',
          committed_at: '2026-11-29T09:00:00.000Z',
        },
      ],
    });
    expect(JSON.stringify(shown)).not.toContain('ada@example.test');
  });
});
