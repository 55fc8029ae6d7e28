import { hash } from 'node:crypto';
import { ALLOWED_ORIGINS_MAX } from '@culprit/contract/workspace/tokens';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { tokenPreview } from '../../src/workspace/tokens/token.ts';
import { LIVE_TOKENS_MAX } from '../../src/workspace/tokens/token-records.ts';
import { createCollaborator } from '../support/collaborators.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { pageOf, readPages } from '../support/read-pages.ts';
import { sendEvents } from '../support/send-events.ts';
import { tablesWith } from '../support/tables-with.ts';
import { auditOfToken, tokenIn } from '../support/token-answers.ts';
import { EX } from './incidents-fixtures.ts';

/** docs/contract/account.md 4 and 1.6. */
describe('tokens of a project', () => {
  let culprit: TestCulprit;
  let project: TestProject;
  let owner: ManagementClient;
  let tokensPath: string;
  beforeAll(async () => {
    culprit = await startCulprit({ hasWorker: false });
  });
  afterAll(() => culprit.stop());
  afterEach(() => moveClock(culprit.database, 0));

  async function freshProject(): Promise<void> {
    project = await culprit.createProject();
    owner = managementClient(culprit, project.memberToken);
    tokensPath = `/v1/projects/${project.projectId}/tokens`;
  }
  beforeAll(freshProject);

  async function send(token: string, headers: Readonly<Record<string, string>> = {}) {
    return await sendEvents(culprit.url, token, [EX()], headers);
  }

  async function readRow(tokenId: string): Promise<object | undefined> {
    const rows = await culprit.database.query(
      { name: 'test-token-row', text: 'select * from project_tokens where token_id = $1' },
      [tokenId.replace('tok_', '')],
    );
    return rows[0];
  }

  //
  it('a project token is created with normalized origins and shown once', async () => {
    const answer = await owner.post(tokensPath, {
      label: 'static',
      allowed_origins: ['https://WWW.Example.com:443/'],
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toEqual({
      token: {
        token_id: expect.stringMatching(/^tok_[0-9a-f-]{36}$/),
        project_id: project.projectId,
        label: 'static',
        allowed_origins: ['https://www.example.com'],
        token_preview: expect.stringMatching(/^svc_\.\.\.[0-9A-Za-z]{4}$/),
        plaintext: expect.stringMatching(/^svc_proj_[0-9A-Za-z]{43}$/),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        last_used_at: null,
        revoked_at: null,
        expires_at: null,
      },
    });
    expect(Object.keys(tokenIn(answer.body))).toEqual([
      ...['token_id', 'project_id', 'label', 'allowed_origins', 'token_preview', 'plaintext', 'created_at'],
      ...['last_used_at', 'revoked_at', 'expires_at'],
    ]);
    const { plaintext, token_preview } = tokenIn(answer.body);
    expect(token_preview).toBe(tokenPreview(String(plaintext)));
  });

  //
  it('the plaintext is in no list and in no table', async () => {
    const { plaintext, token_id } = await owner.createProjectToken(project.projectId);
    const { items } = pageOf(await owner.get(tokensPath), 'tokens');
    const listed = items.find((item) => item.token_id === token_id);
    expect(listed).toBeDefined();
    expect(items.some((item) => 'plaintext' in item)).toBe(false);
    expect(await readRow(token_id)).toMatchObject({
      token_hash: Buffer.from(hash('sha256', plaintext), 'hex'),
    });
    expect(await tablesWith(culprit, plaintext)).toEqual([]);
  });

  it.each([
    [['https://a.example/x']],
    [['*']],
    [['null']],
    [['ftp://a.example']],
    [Array.from({ length: ALLOWED_ORIGINS_MAX + 1 }, (_, i) => `https://a${i}.example`)],
    [['https://*.example']],
    [['https://u:p@a.example']],
    [['https://a.example?x=1']],
    [['https://a.example#x']],
    [['a.example']],
    [['']],
    [[`https://${'a'.repeat(2048)}.example`]],
    [['https://a.example', 7]],
    ['https://a.example'],
    [null],
  ])('A-16 the origins %j are refused', async (allowed_origins) => {
    const before = (await owner.listProjectTokens(project.projectId)).length;
    const answer = await owner.post(tokensPath, { label: 'x', allowed_origins });
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_payload' }]);
    expect(await owner.listProjectTokens(project.projectId)).toHaveLength(before);
  });

  it('origins that mean the same are one, and an empty list restricts nothing', async () => {
    const token = await owner.createProjectToken(project.projectId, {
      allowed_origins: [
        'https://a.example',
        'HTTPS://A.EXAMPLE:443/',
        'http://a.example:80',
        'http://a.example:8080',
      ],
    });
    expect(token.allowed_origins).toEqual(['https://a.example', 'http://a.example', 'http://a.example:8080']);
    const free = await owner.createProjectToken(project.projectId, { allowed_origins: [] });
    expect(free.allowed_origins).toEqual([]);
    expect((await send(free.plaintext)).status).toBe(202);
  });

  //
  it('an allowlist admits exactly its origins', async () => {
    const { plaintext } = await owner.createProjectToken(project.projectId, {
      allowed_origins: ['https://WWW.Example.com:443/'],
    });
    expect((await send(plaintext, { origin: 'https://www.example.com' })).status).toBe(202);
    const refused: Readonly<Record<string, string>>[] = [
      {},
      { origin: 'https://example.com' },
      { origin: 'http://www.example.com' },
      { origin: 'https://www.example.com.evil.test' },
      { origin: 'null' },
    ];
    for (const headers of refused) {
      const answer = await send(plaintext, headers);
      expect([headers, answer.status, answer.body]).toEqual([headers, 403, { error: 'origin_not_allowed' }]);
    }
  });

  //
  it('a revoked token fails at once, and a second revocation keeps the first time', async () => {
    const token = await owner.createProjectToken(project.projectId);
    expect((await send(token.plaintext)).status).toBe(202);
    const path = `${tokensPath}/${token.token_id}/revoke`;
    const first = await owner.post(path);
    expect(first.status).toBe(200);
    expect(tokenIn(first.body).revoked_at).toEqual(expect.any(String));
    const refused = await send(token.plaintext);
    expect([refused.status, refused.body]).toEqual([401, { error: 'invalid_project_token' }]);
    await moveClock(culprit.database, 60_000);
    const second = await owner.post(path, {});
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await auditOfToken(culprit, token.token_id)).toMatchObject([
      {
        action: 'project_token.created',
        actor_user_id: project.userId,
        project_id: project.projectId.replace('proj_', ''),
        address_class: 'loopback_ipv4',
      },
      { action: 'project_token.revoked', actor_user_id: project.userId },
    ]);
  });

  //
  it('the last use is told after an accepted call and not moved by a refused one', async () => {
    const token = await owner.createProjectToken(project.projectId);
    async function lastUsed() {
      const listed = await owner.listProjectTokens(project.projectId);
      return listed.find(({ token_id }) => token_id === token.token_id)?.last_used_at;
    }
    expect(await lastUsed()).toBeNull();
    await send(token.plaintext);
    const used = await lastUsed();
    expect(used).toEqual(expect.any(String));
    await owner.post(`${tokensPath}/${token.token_id}/revoke`);
    await moveClock(culprit.database, 120_000);
    expect((await send(token.plaintext)).status).toBe(401);
    expect(await lastUsed()).toBe(used);
  });

  it.each(['', ' ', '\t\n', 'x'.repeat(121), 7, null])('A-22 the label %j is refused', async (label) => {
    for (const path of [tokensPath, '/v1/member/tokens']) {
      const answer = await owner.post(path, { label });
      expect([path, answer.status, answer.body]).toEqual([path, 400, { error: 'invalid_payload' }]);
    }
  });

  //
  it('labels of 120 characters are taken, whatever alphabet, and trimmed before they are counted', async () => {
    for (const label of ['x'.repeat(120), '😀'.repeat(120), ` ${'x'.repeat(120)}\n`]) {
      expect((await owner.createProjectToken(project.projectId, { label })).label).toBe(label.trim());
      expect((await owner.createMemberToken(label)).label).toBe(label.trim());
    }
  });

  it('unknown fields, a missing label and bodies at a revocation are refused', async () => {
    const { token_id } = await owner.createProjectToken(project.projectId);
    for (const [path, body] of [
      [tokensPath, {}],
      [tokensPath, { label: 'x', role: 'admin' }],
      [`${tokensPath}/${token_id}/revoke`, { force: true }],
      ['/v1/member/tokens', {}],
      ['/v1/member/tokens', { label: 'x', allowed_origins: [] }],
    ] as const) {
      const answer = await owner.post(path, body);
      expect([path, answer.status, answer.body]).toEqual([path, 400, { error: 'invalid_payload' }]);
    }
  });

  //
  it('a stranger and the ids of other projects reach nothing', async () => {
    const stranger = await culprit.createProject();
    const foreigner = managementClient(culprit, stranger.memberToken);
    const token = await owner.createProjectToken(project.projectId);
    const path = `${tokensPath}/${token.token_id}/revoke`;
    for (const answer of [
      await foreigner.post(path),
      await foreigner.get(tokensPath),
      await foreigner.post(tokensPath, { label: 'x' }),
    ]) {
      expect([answer.status, answer.body]).toEqual([404, { error: 'project_not_found' }]);
    }
    const mine = await owner.listMemberTokens();
    for (const id of [
      token.token_id,
      token.token_id.replace('tok_', ''),
      newUuid(),
      'x',
      mine[0]?.token_id,
    ]) {
      const answer = await foreigner.post(`/v1/projects/${stranger.projectId}/tokens/${id}/revoke`);
      expect([answer.status, answer.body]).toEqual([404, { error: 'token_not_found' }]);
    }
    expect((await send(token.plaintext)).status).toBe(202);
  });

  it('malformed ids are told by their kind, the project first', async () => {
    const good = newUuid();
    for (const [path, error] of [
      ['/v1/projects/a.b/tokens/a.b/revoke', 'invalid_project_id'],
      [`/v1/projects/${good}/tokens/a.b/revoke`, 'invalid_token_id'],
      ['/v1/member/tokens/a%20b/revoke', 'invalid_token_id'],
    ]) {
      const answer = await owner.post(path ?? '', { x: 1 });
      expect([path, answer.status, answer.body]).toEqual([path, 400, { error }]);
    }
    expect((await owner.get('/v1/projects/a.b/tokens?limit=0')).body).toEqual({
      error: 'invalid_project_id',
    });
  });

  it('any member of the project manages its tokens, and ids are taken with and without prefix', async () => {
    for (const role of ['admin', 'member'] as const) {
      const person = await createCollaborator(culprit, project, role);
      const client = managementClient(culprit, person.memberToken);
      const bare = project.projectId.replace('proj_', '');
      const token = await client.createProjectToken(bare);
      expect(token.project_id).toBe(project.projectId);
      const path = `/v1/projects/${bare}/tokens/${token.token_id.replace('tok_', '')}/revoke`;
      expect((await client.post(path)).status).toBe(200);
    }
  });

  it('lists hold live and revoked tokens, newest first, and are paged to the end', async () => {
    await freshProject();
    const made = [];
    for (let i = 0; i < 5; i += 1) made.push(await owner.createProjectToken(project.projectId));
    await owner.post(`${tokensPath}/${made[2]?.token_id}/revoke`);
    const all = await owner.listProjectTokens(project.projectId);
    expect(all).toHaveLength(6);
    expect(all.slice(0, 5).map(({ token_id }) => token_id)).toEqual(
      made.map(({ token_id }) => token_id).reverse(),
    );
    expect(all.filter(({ revoked_at }) => revoked_at !== null)).toHaveLength(1);
    for (const path of [tokensPath, '/v1/member/tokens']) {
      const whole = pageOf(await owner.get(`${path}?limit=100`), 'tokens').items;
      expect(await readPages(owner, path, 'tokens', 2)).toEqual(whole);
    }
  });

  it.each(['limit=0', 'limit=101', 'cursor=x', 'cursor=', 'project_id=x', 'limit=1&limit=1'])(
    'lists refuse the query %s',
    async (query) => {
      for (const path of [tokensPath, '/v1/member/tokens']) {
        const answer = await owner.get(`${path}?${query}`);
        expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_query' }]);
      }
    },
  );

  it('a project holds 50 live tokens and no more, also when many are asked for at once', async () => {
    await freshProject();
    const answers = await Promise.all(
      Array.from({ length: LIVE_TOKENS_MAX + 5 }, () => owner.post(tokensPath, { label: 'x' })),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    // One was there from the start.
    expect(refused.map(({ status, body }) => [status, body])).toEqual(
      Array.from({ length: 6 }, () => [409, { error: 'resource_limit_reached' }]),
    );
    const [first] = await owner.listProjectTokens(project.projectId);
    expect((await owner.post(`${tokensPath}/${first?.token_id}/revoke`)).status).toBe(200);
    expect((await owner.post(tokensPath, { label: 'x' })).status).toBe(201);
    expect((await owner.post(tokensPath, { label: 'x' })).status).toBe(409);
  });
});
