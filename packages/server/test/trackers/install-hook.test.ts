import { createHmac } from 'node:crypto';
import type { TrackerKind } from '@culprit/contract/alerts/tracker-words';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readRights } from '../../src/notify/trackers/token-rights.ts';
import type { Connection } from '../../src/notify/trackers/tracker-api.ts';
import { callsTo } from '../../src/notify/trackers/tracker-call.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { LOCAL_RECEIVERS } from '../support/receivers-allowed.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { startTrackerBench, type TrackerBench, trackerPath } from '../support/tracker-bench.ts';
import type { StoredRights } from '../support/tracker-hooks-server.ts';
import { startTrackerServer } from '../support/tracker-server.ts';
import { TRACKER_TOKEN } from '../support/trackers/tracker-store.ts';

/** The webhook that is created by a call, and what the tracker says of its token (docs/contract/team-workflow.md 7.1). */

const ADDRESS = /\/v1\/tracker-hooks\/[A-Za-z0-9]{43}$/;
const install = (world: TrackerBench) => world.ask('POST', `${trackerPath(world)}/install-hook`);
const hookOf = async (world: TrackerBench) => {
  const { body } = await world.ask('GET', `/projects/${world.client.project.projectId}/trackers`);
  return (body as { trackers: { hook: JsonObject }[] }).trackers[0]?.hook;
};

describe.each([
  ['github', { kind: 'github' }],
  ['gitlab', { kind: 'gitlab' }],
  ['jira', { kind: 'jira', target: 'ENG', user: 'ada@acme.example' }],
  ['linear', { kind: 'linear', target: 'ENG' }],
])('the webhook of %s', (_name, settings) => {
  it('is created once with an address and a secret of ours, and set right by the next call', async () => {
    const world = await startTrackerBench(await shareCulprit(), settings);
    const { hooks, rules } = world.server;
    rules.rights.level = 30;
    rules.rights.lacks = ['ADMINISTER'];
    const refused = await install(world);
    expectProblem(refused, 409, 'tracker_refused');
    expect(refused.headers.get('x-service-problem')).toMatch(/^(?:http_403|graphql_forbidden)$/);
    expect(await hookOf(world)).toEqual({ state: 'none', last_received_at: null });
    rules.rights.level = 40;
    rules.rights.lacks = [];
    expect(await install(world)).toMatchObject({
      status: 200,
      body: { tracker: { hook: { state: 'waiting' } } },
    });
    const [made] = hooks;
    expect(made).toMatchObject({
      url: expect.stringMatching(ADDRESS),
      secret: expect.stringMatching(/^\w{43}$/),
    });
    const other = { id: 7, url: 'https://other.example/v1/tracker-hooks/x', secret: 'theirs' };
    hooks.push(other);
    hooks[0] = { id: 1, url: made?.url ?? '', secret: 'changed there' };
    expect((await install(world)).status).toBe(200);
    expect(hooks).toEqual([made, other]);
  });
});

describe('a webhook that is created by a call', () => {
  it('receives what is signed with its secret', async () => {
    const culprit = await shareCulprit();
    const world = await startTrackerBench(culprit);
    await install(world);
    const [hook] = world.server.hooks;
    const body = '{}';
    const mac = createHmac('sha256', hook?.secret ?? '')
      .update(body)
      .digest('hex');
    const headers = { 'x-hub-signature-256': `sha256=${mac}` };
    const address = culprit.url + new URL(hook?.url ?? '').pathname;
    expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(202);
    expect(await hookOf(world)).toMatchObject({ state: 'receiving' });
    // The next call leaves what works.
    await install(world);
    expect(await hookOf(world)).toMatchObject({ state: 'receiving' });
  });

  it('is one, although the answer to its creation is lost, and a refused one leaves that of before', async () => {
    const world = await startTrackerBench(await shareCulprit());
    const { server, ask } = world;
    const byHand = await ask('POST', `${trackerPath(world)}/hook`);
    server.fail('POST', { status: 422 });
    expectProblem(await install(world), 409, 'tracker_refused');
    // Its people can have entered that address there.
    server.hooks.push({ id: 1, url: (byHand.body as { url: string }).url, secret: 'x' });
    expect((await install(world)).status).toBe(200);
    expect(server.hooks).toEqual([{ id: 1, ...(byHand.body as { url: string; secret: string }) }]);
    server.hooks.length = 0;
    server.fail('POST', 'lost');
    expectProblem(await install(world), 502, 'tracker_unreachable');
    expect(await hookOf(world)).toMatchObject({ state: 'waiting' });
    expect((await install(world)).status).toBe(200);
    expect(server.hooks).toHaveLength(1);
    expect(
      server.requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/hooks')),
    ).toHaveLength(2);
    const other = await ask('POST', `${trackerPath(world)}/install-hook`, {}, 'culprit_x');
    expect(other.status).toBe(401);
  });

  it.each([
    ['generic', { kind: 'generic', target: 'support' }],
    ['Jira on an own server', { kind: 'jira', target: 'ENG' }],
  ])('is none of %s, whose people create it by hand', async (_name, settings) => {
    const world = await startTrackerBench(await shareCulprit(), settings);
    expectProblem(await install(world), 409, 'hook_by_hand');
    expect(world.server.requests).toEqual([]);
  });
});

describe('the rights of a token', () => {
  it('are in the answer of a test, with the account', async () => {
    const world = await startTrackerBench(await shareCulprit());
    expect(await world.ask('POST', `${trackerPath(world)}/test`)).toMatchObject({
      status: 200,
      body: {
        tracker: { account: 'octo' },
        rights: { create: true, comment: true, transition: true, hook: true },
      },
    });
  });

  const rights = (create: boolean | null, hook: boolean | null, transition = create) => ({
    ...{ create, comment: create, transition, hook },
  });
  const [yes, no] = [rights(true, true), rights(false, false)];
  it.each<[TrackerKind, Partial<StoredRights>, object, string | null]>([
    ['github', {}, yes, null],
    ['github', { level: 30 }, rights(true, false), null],
    ['github', { scopes: 'public_repo, admin:repo_hook' }, rights(false, true), null],
    ['github', { scopes: 'repo', hasIssues: false }, rights(false, true), null],
    ['github', { isArchived: true }, no, null],
    ['github', { scopes: null }, rights(null, null), null],
    ['github', { scopes: null, level: 30 }, rights(null, false), null],
    ['gitlab', {}, yes, null],
    ['gitlab', { level: 30 }, rights(true, false), null],
    ['gitlab', { level: 10 }, rights(true, false, false), null],
    ['gitlab', { level: 0 }, rights(null, null), null],
    ['gitlab', { tokenScopes: ['read_api'] }, no, null],
    ['gitlab', { hasIssues: false }, rights(false, true), null],
    ['gitlab', { isArchived: true }, no, null],
    ['jira', {}, yes, 'ada@acme.example'],
    ['jira', { lacks: ['ADMINISTER'] }, rights(true, false), 'ada@acme.example'],
    ['jira', { lacks: ['TRANSITION_ISSUES'] }, rights(true, true, false), 'ada@acme.example'],
    ['jira', {}, rights(true, false), null],
    ['linear', {}, rights(null, true), null],
    ['linear', { level: 30 }, rights(null, false), null],
    ['generic', {}, rights(null, false), null],
  ])('of %s with %o are %o', async (kind, said, expected, user) => {
    const server = await startTrackerServer();
    onTestFinished(() => server.close());
    Object.assign(server.rules.rights, said);
    const target = kind === 'jira' || kind === 'linear' ? 'ENG' : 'acme/shop';
    const connection: Connection = {
      ...{ baseUrl: server.url, target, token: new Secret(TRACKER_TOKEN), user },
      ...{ issueType: null, extraFields: [], callbackUrl: null },
    };
    const call = callsTo(LOCAL_RECEIVERS, server.url);
    expect(await readRights(kind, connection, call, call)).toEqual(expected);
    expect(server.requests.length).toBeLessThanOrEqual(3);
    // What is not answered is not known.
    server.fail('GET', 'cut');
    server.fail('POST', 'cut');
    const unknown = await readRights(kind, connection, call, call);
    if (kind !== 'generic') expect(unknown).toEqual(rights(null, null));
  });
});
