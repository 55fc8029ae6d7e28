import { createHash, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { api } from '@culprit/contract/endpoints/api';
import {
  CREDENTIAL_PROBLEM,
  type Endpoint,
  isMutation,
  pathParameterNames,
} from '@culprit/contract/endpoints/endpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OperationRequest, sendOperation } from '../security/operation-request.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/source-maps.md 11 and item 41 of its checklist: the token that a build has. */

/** What the chapter lets it call, by hand, so that no endpoint gets it by a word in its declaration alone. */
const ALLOWED = [
  'listProjects',
  'beginMapUpload',
  'putMapPart',
  'finishMapUpload',
  'getMapUpload',
  'listMapUploads',
  'listSourceMaps',
  'getSourceMap',
  'listMissingMaps',
  'explainFrame',
  'listReleases',
  'createRelease',
  'getRelease',
] as const;

let culprit: TestCulprit;
let client: IncidentClient;
let headers: { authorization: string };
beforeAll(async () => {
  culprit = await shareCulprit();
  client = await connect(culprit);
  const owner = managementClient(culprit, client.project.memberToken);
  const { plaintext } = await owner.createMemberToken('ci', 'build');
  headers = { authorization: `Bearer ${plaintext}` };
});
afterAll(() => culprit.stop());

const announced = (text: string) => ({
  sha256: createHash('sha256').update(text).digest('hex'),
  size_bytes: text.length,
});
const endpointOf = (id: string): Endpoint => {
  const endpoint = api.find((each) => each.id === id);
  if (endpoint === undefined) throw new Error(`there is no endpoint ${id}`);
  return endpoint;
};

describe('a token of the access `build`', () => {
  it('uploads maps, reads what became of them, and makes and reads releases, each by its endpoint', async () => {
    const { projectId: id } = client.project;
    const ask = async (endpointId: (typeof ALLOWED)[number], request: OperationRequest) => {
      const answer = await sendOperation(culprit.url, endpointOf(endpointId), request, headers);
      expect([endpointId, answer.status, answer.text]).toEqual([
        endpointId,
        expect.toBeOneOf([200, 201, 202, 204]),
        expect.any(String),
      ]);
      asked.add(endpointId);
      return answer.text === '' ? {} : JSON.parse(answer.text);
    };
    const asked = new Set<string>();
    const code = `cart(${JSON.stringify(randomUUID())})`;
    const map = JSON.stringify({ version: 3, sources: ['cart.ts'], names: [], mappings: 'AAAA' });
    expect((await ask('listProjects', {})).projects).toMatchObject([{ project_id: id }]);
    const { upload } = await ask('beginMapUpload', {
      params: { id },
      body: {
        release: 'shop@1',
        files: [{ path: 'a.js', debug_id: null, generated: announced(code), map: announced(map) }],
      },
    });
    const params = { id, uploadId: upload.upload_id };
    for (const text of [code, map]) {
      await ask('putMapPart', {
        params: { ...params, sha256: announced(text).sha256, part: '0' },
        bytes: new TextEncoder().encode(text),
      });
    }
    await ask('finishMapUpload', { params });
    const done = await ask('getMapUpload', { params, query: { wait_seconds: '25' } });
    expect(done.upload.files).toMatchObject([{ verdict: 'ready' }]);
    await ask('listMapUploads', { params: { id } });
    await ask('listSourceMaps', { params: { id } });
    await ask('getSourceMap', { params: { id, sourceMapId: done.upload.files[0].source_map_id } });
    await ask('listMissingMaps', { params: { id } });
    await ask('explainFrame', { params: { id }, body: { file: 'a.js', line: 1, column: 1 } });
    const { release } = await ask('createRelease', { params: { id }, body: { version: 'shop@2' } });
    await ask('listReleases', { params: { id } });
    await ask('getRelease', { params: { id, releaseId: release.release_id } });
    expect([...asked]).toEqual(expect.arrayContaining([...ALLOWED]));
    // What everyone may ask it may ask too.
    const server = await sendOperation(culprit.url, endpointOf('getServer'), {}, headers);
    expect(server.status).toBe(200);
  });

  it('may do what build tools of others ask, and a token that reads may only read of it', async () => {
    const { projectId: id, memberToken } = client.project;
    const owner = managementClient(culprit, memberToken);
    const { plaintext: reads } = await owner.createMemberToken('reads', 'read');
    const chunk = Buffer.from('chunk');
    const sha1 = createHash('sha1').update(chunk).digest('hex');
    const form = new FormData();
    form.append('file_gzip', new Blob([new Uint8Array(gzipSync(chunk))]), sha1);
    const [organization, project] = ['/api/0/organizations/acme', `/api/0/projects/acme/${id}`];
    // In the order of docs/contract/source-maps.md 9.
    const asked: [method: string, path: string, status: number, body?: object | FormData][] = [
      ['GET', `${organization}/chunk-upload/`, 200],
      ['POST', `${organization}/chunk-upload/`, 200, form],
      [
        'POST',
        `${organization}/artifactbundle/assemble/`,
        200,
        { checksum: sha1, chunks: [sha1], projects: [id] },
      ],
      ['POST', `${organization}/releases/`, 201, { version: 'tool@1', projects: [id] }],
      ['PUT', `${organization}/releases/tool@1/`, 200, { projects: [id] }],
      ['GET', `${organization}/releases/tool@1/`, 200],
      ['GET', `${organization}/releases/tool@1/previous-with-commits/`, 200],
      ['GET', `${organization}/repos/`, 200],
      ['POST', `${organization}/releases/tool@1/deploys/`, 201, { environment: 'production' }],
      ['GET', `${organization}/`, 200],
      ['POST', `${project}/releases/`, 201, { version: 'tool@1' }],
      ['PUT', `${project}/releases/tool@1/`, 200, {}],
      ['GET', `${project}/releases/tool@1/`, 200],
    ];
    const statuses = async (token: string) => {
      const seen: string[] = [];
      for (const [method, path, , body] of asked) {
        const isForm = body instanceof FormData;
        const answer = await fetch(`${culprit.url}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
        });
        seen.push(`${method} ${path} ${answer.status}`);
      }
      return seen;
    };
    const row = (status: (method: string, own: number) => number) =>
      asked.map(([method, path, own]) => `${method} ${path} ${status(method, own)}`);
    expect(await statuses(headers.authorization.replace('Bearer ', ''))).toEqual(row((_, own) => own));
    expect(await statuses(reads)).toEqual(row((method) => (method === 'GET' ? 200 : 403)));
  });

  it('is refused by every other operation, before anything of the request is looked at', async () => {
    const upload = await uploadMaps(culprit, client.project, [
      {
        path: 'b.js',
        code: 'b()',
        debugId: randomUUID(),
        map: JSON.stringify({ version: 3, sources: ['b.ts'], mappings: 'AAAA' }),
      },
    ]);
    // Real ids where there are some, so that nothing else can be the reason of a refusal.
    const real: Readonly<Record<string, string>> = {
      id: client.project.projectId,
      sourceMapId: upload.files[0]?.source_map_id ?? '',
      uploadId: upload.upload_id,
    };
    const wrong: string[] = [];
    let judged = 0;
    for (const endpoint of api) {
      if (endpoint.auth === 'public' || ALLOWED.some((id) => id === endpoint.id)) continue;
      const names = pathParameterNames(endpoint.path);
      const params = Object.fromEntries(names.map((name) => [name, real[name] ?? randomUUID()]));
      const body = isMutation(endpoint.method) ? { body: {} } : {};
      const { status, text } = await sendOperation(culprit.url, endpoint, { params, ...body }, headers);
      const expected =
        endpoint.auth === 'member'
          ? '403 {"error":"forbidden"}'
          : `401 {"error":"${CREDENTIAL_PROBLEM[endpoint.auth]}"}`;
      if (`${status} ${text}` !== expected) wrong.push(`${endpoint.id}: ${status} ${text.slice(0, 100)}`);
      judged += 1;
    }
    expect(wrong).toEqual([]);
    expect(judged).toBeGreaterThan(150);
    expect((await client.get(`/v1/projects/${real.id}/source-maps/${real.sourceMapId}`)).body).toMatchObject({
      source_map: { state: 'ready' },
    });
  });

  it('sees a project of others as no project', async () => {
    const other = await connect(culprit);
    const answers = await Promise.all(
      ['source-maps', 'source-maps/missing', 'source-maps/uploads', 'releases'].map(
        async (path) =>
          await fetch(`${culprit.url}/v1/projects/${other.project.projectId}/${path}`, { headers }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const begun = await sendOperation(
      culprit.url,
      endpointOf('beginMapUpload'),
      {
        params: { id: other.project.projectId },
        body: {
          files: [{ path: 'a.js', debug_id: randomUUID(), generated: announced('a'), map: announced('b') }],
        },
      },
      headers,
    );
    expect([begun.status, begun.text]).toEqual([404, '{"error":"project_not_found"}']);
  });
});
