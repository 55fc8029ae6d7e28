import {
  NEW_BROWSER_RELEASES_PER_DAY_MAX,
  NEW_RELEASES_PER_DAY_MAX,
} from '@culprit/contract/releases/release-limits';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, DAY, DEP, EX, named } from './incidents-fixtures.ts';

interface Shown {
  release_id: string;
  version: string;
  created_by: string;
  events: number;
  new_incidents: number;
  regressed_incidents: number;
  previous_version: string | null;
  [key: string]: unknown;
}

const of = (release: string | null, change: object = {}) =>
  EX({ ...change, context: release === null ? {} : { release } });
/** An event that a browser can send. */
const page = (release: string) =>
  EX({
    event_type: 'frontend_exception',
    context: { release },
    payload: { ...(EX().payload as object) },
  });

/** Releases (docs/contract/source-maps.md 10). */
describe.concurrent('releases', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function list(client: IncidentClient, query = ''): Promise<Shown[]> {
    const answer = await client.get(`/v1/projects/${client.project.projectId}/releases${query}`);
    expect(answer.status).toBe(200);
    return (answer.body as { releases: Shown[] }).releases;
  }

  async function find(client: IncidentClient, version: string): Promise<Shown> {
    const found = await list(client, `?version=${encodeURIComponent(version)}`);
    if (found[0] === undefined) throw new Error(`no release ${version}`);
    return found[0];
  }

  const path = (client: IncidentClient, { release_id }: Shown, rest = '') =>
    `/v1/projects/${client.project.projectId}/releases/${release_id}${rest}`;

  /** An incident that is resolved, with its events in these releases. */
  async function resolved(versions: readonly (string | null)[], body: object) {
    const client = await connect(culprit);
    for (const [at, version] of versions.entries()) {
      await client.send(of(version));
      await client.only(at + 1);
    }
    const { incident_id: id } = await client.only(versions.length);
    const answer = await client.post(`/v1/incidents/${id}/resolve`, body);
    return { client, id, answer, events: versions.length };
  }

  it('are made by events, deploys, uploads and calls, one for a version, by what named it first', async () => {
    const client = await connect(culprit);
    const create = (body: object) => client.post(`/v1/projects/${client.project.projectId}/releases`, body);
    expect(await create({ version: ' from-api ' })).toMatchObject({ status: 201 });
    await uploadMaps(
      culprit,
      client.project,
      [
        {
          path: 'a.js',
          debugId: null,
          code: 'x',
          map: '{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA"}',
        },
      ],
      'from-upload',
    );
    await client.send(DEP(), of('from-event'), of('from-api'));
    await client.processed();
    await client.send(
      DEP({ payload: { ...(DEP().payload as object), version: 'from-event' } }),
      of('2026.03.24.1'),
    );
    await client.processed();
    expect(
      await create({ version: 'from-event', url: 'https://ci.example.com/1', commit_sha: 'abc' }),
    ).toMatchObject({
      status: 200,
      body: {
        release: { created_by: 'event', url: 'https://ci.example.com/1', commit_sha: 'abc', deploys: 1 },
      },
    });
    const byVersion = new Map((await list(client)).map((each) => [each.version, each.created_by]));
    expect(Object.fromEntries(byVersion)).toEqual({
      'from-api': 'api',
      'from-upload': 'upload',
      'from-event': 'event',
      '2026.03.24.1': 'deploy',
    });
    const { body } = await client.get(`/v1/projects/${client.project.projectId}/deployments`);
    const ids = new Set((await list(client)).map(({ release_id }) => release_id));
    const deployed = (body as { deployments: { release_id: string }[] }).deployments;
    expect(deployed.length).toBeGreaterThan(0);
    expect(deployed.every(({ release_id }) => ids.has(release_id))).toBe(true);
  });

  it.each([['  '], ['x'.repeat(201)], ['a\nb'], [7]])('are not made of %j', async (release) => {
    const client = await connect(culprit);
    await client.send(EX({ context: { release } }));
    expect(await client.only()).toMatchObject({ first_release: null, last_release: null });
    expect(await list(client)).toEqual([]);
    expectProblem(
      await client.post(`/v1/projects/${client.project.projectId}/releases`, { version: release }),
      400,
      'invalid_payload',
    );
  });

  it(`are at most ${NEW_RELEASES_PER_DAY_MAX} new ones a day, ${NEW_BROWSER_RELEASES_PER_DAY_MAX} of browsers; others are a number`, async () => {
    const client = await connect(culprit);
    await client.send(...Array.from({ length: 35 }, (_, at) => page(`page-${at}`)));
    await client.processed();
    const all = await client.get(`/v1/projects/${client.project.projectId}/releases?limit=100`);
    expect(all.body).toMatchObject({ unnamed_today: 5 });
    expect(await list(client, '?limit=100')).toHaveLength(NEW_BROWSER_RELEASES_PER_DAY_MAX);
    await client.send(...Array.from({ length: 80 }, (_, at) => of(`server-${at}`)));
    await client.processed();
    expect(await list(client, '?limit=100')).toHaveLength(NEW_RELEASES_PER_DAY_MAX);
    await client.send(DEP({ payload: { ...(DEP().payload as object), version: 'deployed' } }));
    await client.processed();
    expect(await find(client, 'deployed')).toMatchObject({ created_by: 'deploy' });
  });

  it('count signals, new and regressed incidents, as a recount does, and name the one before', async () => {
    const client = await connect(culprit);
    await client.send(of('shop@1.9.0'), of('shop@1.9.0'), of('shop@1.9.0', named('Other')));
    await client.counted(1, 2);
    const [first] = (await client.list({ project_id: client.project.projectId })).filter(
      ({ occurrence_count }) => occurrence_count === 2,
    );
    await client.resolve(first?.incident_id ?? '');
    await client.send(of('shop@1.10.0'), of('shop@1.10.0', named('Third')));
    await client.counted(1, 1, 3);
    expect(await find(client, 'shop@1.9.0')).toMatchObject({
      ...{ events: 3, new_incidents: 2, regressed_incidents: 0, previous_version: null },
      services: [{ service_name: 'checkout-api', environment: 'production' }],
    });
    const latest = await find(client, 'shop@1.10.0');
    expect(latest).toMatchObject({
      ...{ events: 2, new_incidents: 1, regressed_incidents: 1, previous_version: 'shop@1.9.0' },
    });
    expect(await client.read(first?.incident_id ?? '')).toMatchObject({
      ...{ first_release: 'shop@1.9.0', last_release: 'shop@1.10.0', regressed_in_release: 'shop@1.10.0' },
    });
    await eventually(async () => {
      const { context } = await client.bundle(first?.incident_id ?? '');
      expect(context.releases).toEqual({
        ...{ version: 1, first: 'shop@1.9.0', last: 'shop@1.10.0', regressed_in: 'shop@1.10.0' },
      });
    });
    const began = async (release: string) =>
      (await client.list({ project_id: client.project.projectId, release })).length;
    expect([await began('shop@1.9.0'), await began('shop@1.10.0'), await began('shop@1.1')]).toEqual([
      2, 1, 0,
    ]);
    const kinds = Object.fromEntries(
      await Promise.all(
        ['new', 'regressed', 'seen', 'resolved'].map(async (kind) => {
          const { body } = await client.get(path(client, latest, `/incidents?kind=${kind}`));
          return [kind, (body as { incidents: object[] }).incidents.length] as const;
        }),
      ),
    );
    expect(kinds).toEqual({ new: 1, regressed: 1, seen: 2, resolved: 0 });
    const { body } = await client.get(path(client, latest, '/activity'));
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
    const activity = body as { counts: number[]; new: number[]; regressed: number[] };
    expect([activity.counts, activity.new, activity.regressed].map(sum)).toEqual([2, 1, 1]);
    expect(activity.counts).toHaveLength(14);
  });

  it('count events on the day on which they occurred, whenever they arrive', async () => {
    const client = await connect(culprit);
    await client.send(of('late-1', { timestamp: ago(3 * DAY) }), of('late-1'));
    await client.only(2);
    const release = await find(client, 'late-1');
    const { body } = await client.get(path(client, release, '/activity'));
    for (const counts of [release.events_by_day, (body as { counts: number[] }).counts])
      expect(String(counts).replace(/^(?:0,)*|(?:,0)*$/g, '')).toBe('1,0,0,1');
  });

  it('keep commits, are found by a part of their version, and are deleted without their incidents', async () => {
    const client = await connect(culprit);
    await client.send(of('find-me-2'));
    await client.only();
    const commits = [{ sha: 'abc', message: 'Fix the cart', author_name: 'Ada' }];
    await client.post(`/v1/projects/${client.project.projectId}/releases`, { version: 'find-me-2', commits });
    const [found] = await list(client, '?q=FIND&service=checkout-api&environment=production');
    if (found === undefined) throw new Error('it is not found');
    expect(await list(client, '?service=other')).toEqual([]);
    expect((await client.get(path(client, found))).body).toMatchObject({
      release: { version: 'find-me-2', commits: 1 },
      commits: [{ ...commits[0], committed_at: null }],
      deployments: [],
    });
    const gone = await sendDelete(client, path(client, found));
    expect(gone).toMatchObject({ status: 200, body: { release: { version: 'find-me-2' } } });
    expect(await list(client)).toEqual([]);
    expectProblem(await client.get(path(client, found)), 404, 'release_not_found');
    expect(await client.only()).toMatchObject({ first_release: 'find-me-2' });
    // The next event makes it again, and all of its events count.
    await client.send(of('find-me-2'));
    await client.only(2);
    expect(await find(client, 'find-me-2')).toMatchObject({
      created_by: 'event',
      events: 1,
      new_incidents: 0,
    });
    await sendDelete(client, path(client, await find(client, 'find-me-2')));
    await client.post(`/v1/projects/${client.project.projectId}/releases`, { version: 'find-me-2' });
    await client.send(of('find-me-2'), of('find-me-2'));
    await client.only(4);
    expect(await find(client, 'find-me-2')).toMatchObject({ created_by: 'api', events: 2 });
  });

  async function sendDelete(client: IncidentClient, at: string) {
    const response = await fetch(culprit.url + at, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${client.project.memberToken}` },
    });
    return { status: response.status, body: await response.json() };
  }

  it.each([
    [['1.9.0'], '1.10.0'],
    [['1.10.0', '1.9.0'], '1.10.1'],
    [['a1b2c3d'], 'f00ba12'],
    [['1.9.0'], null],
  ] as const)('of an incident resolved in the next one after %j: %s reopens it', async (versions, next) => {
    const { client, id, answer, events } = await resolved(versions, { in: 'next_release' });
    const afterVersion = versions[0];
    expect(answer).toMatchObject({
      status: 200,
      body: {
        incident: {
          status: 'resolved',
          resolved_in: { kind: 'next_release', after_version: afterVersion, version: null },
        },
      },
    });
    for (const [at, version] of versions.entries()) {
      await client.send(of(version));
      await client.only(events + 2 * at + 1);
      await client.send(of(version));
      await client.only(events + 2 * at + 2);
    }
    expect(await client.read(id)).toMatchObject({ status: 'resolved', last_release: versions.at(-1) });
    const old = await client.ledger('incident.seen_in_old_release');
    expect(old.map(({ data }) => data)).toEqual(versions.map((release) => ({ release })));
    await client.send(of(next));
    expect(await client.only(3 * events + 1)).toMatchObject({
      ...{ status: 'regressed', resolved_in: null, regressed_in_release: next },
    });
    const { body } = await client.get(`/v1/incidents/${id}/history?limit=100`);
    const { history } = body as { history: { kind: string; data: { release: string | null } }[] };
    expect(history.find(({ kind }) => kind === 'incident.regressed')?.data.release).toBe(next);
  });

  it('that another incident meets first fill the release of one that waits for the next', async () => {
    const { client, id } = await resolved(['1.0.0'], { in: 'next_release' });
    await client.send(of('0.9.0', named('Other')), of('1.1.0', named('Other')), of('1.2.0', named('Other')));
    await client.counted(1, 3);
    const { resolved_in: filled } = await client.read(id);
    expect(filled).toEqual({ kind: 'next_release', after_version: '1.0.0', version: '1.1.0' });
    const { body } = await client.get(path(client, await find(client, '1.1.0'), '/incidents?kind=resolved'));
    expect((body as { incidents: object[] }).incidents).toMatchObject([{ incident_id: id }]);
  });

  it('that are deployed fill the release of one that waits for the next, before any signal of it', async () => {
    const { client, id } = await resolved(['c0ffee1'], { in: 'next_release' });
    const deploy = (version: string, environment: string, minutesAgo: number) =>
      DEP({
        service: { environment },
        payload: {
          version,
          environment,
          deployed_at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
        },
      });
    await client.send(deploy('elsewhere', 'staging', 0), deploy('0ld0ld0', 'production', 90));
    await client.processed();
    expect(await client.read(id)).toMatchObject({ resolved_in: { version: null } });
    await client.send(deploy('feed5ee', 'production', 0));
    await client.processed();
    expect(await client.read(id)).toMatchObject({ status: 'resolved', resolved_in: { version: 'feed5ee' } });
    await client.send(of('0ld0ld0'), of('c0ffee1'));
    expect(await client.only(3)).toMatchObject({ status: 'resolved' });
    await client.send(of('feed5ee'));
    expect(await client.only(4)).toMatchObject({ status: 'regressed', regressed_in_release: 'feed5ee' });
  });

  it.each([
    ['1.4.2', ['1.4.1', '1.4.2-rc.1'], '1.4.2'],
    ['1.4.2', ['1.4.1'], '1.5.0'],
    ['1.4.2', [], null],
    ['feed5ee', ['c0ffee1', 'c0ffee2'], 'feed5ee'],
  ] as const)('resolved in %s: %j leave it so, %s reopens it', async (version, older, next) => {
    const { client, answer } = await resolved(['1.4.0'], { in: 'release', version });
    expect(answer.body).toMatchObject({ incident: { resolved_in: { kind: 'release', version } } });
    for (const [at, release] of older.entries()) {
      await client.send(of(release));
      expect(await client.only(at + 2)).toMatchObject({ status: 'resolved' });
    }
    await client.send(of(next));
    expect(await client.only(older.length + 2)).toMatchObject({ status: 'regressed' });
  });

  it('beyond the limit of the day, whose order is not known, hide no failure', async () => {
    const { client } = await resolved(['c0ffee1'], { in: 'next_release' });
    await client.send(
      ...Array.from({ length: NEW_RELEASES_PER_DAY_MAX - 1 }, (_, at) => of(`s-${at}`, named('Other'))),
    );
    await client.counted(1, NEW_RELEASES_PER_DAY_MAX - 1);
    await client.send(of('unknown'));
    await client.counted(2, NEW_RELEASES_PER_DAY_MAX - 1);
    const [incident] = await client.list({ project_id: client.project.projectId, status: 'regressed' });
    expect(incident).toMatchObject({ regressed_in_release: 'unknown', occurrence_count: 2 });
  });

  it('that are deployed are those of signals without one', async () => {
    const client = await connect(culprit);
    await client.send(DEP());
    await client.processed();
    await client.send(of(null));
    expect(await client.only()).toMatchObject({ first_release: '2026.03.24.1' });
    expect(await find(client, '2026.03.24.1')).toMatchObject({ events: 1, new_incidents: 1 });
  });

  it('end with a reopening; a plain resolution has none; several resolve together or not at all', async () => {
    const { client, id } = await resolved(['1.0.0'], { in: 'next_release' });
    expect(await client.reopen(id)).toMatchObject({ status: 'open', resolved_in: null });
    expect(await client.resolve(id)).toMatchObject({ status: 'resolved', resolved_in: null });
    await client.reopen(id);
    await client.send(
      EX({ ...named('Other'), service: { name: 'never-released', environment: 'production' } }),
    );
    const all = (await client.counted(1, 1)).map(({ incident_id }) => incident_id);
    const bulk = (body: object) => client.post('/v1/incidents/resolve', { incident_ids: all, ...body });
    expectProblem(await bulk({ in: 'next_release' }), 409, 'release_unknown');
    expect(await client.read(id)).toMatchObject({ status: 'open', resolved_in: null });
    expectProblem(await bulk({ in: 'release' }), 400, 'invalid_payload');
    expectProblem(await bulk({ version: '1.0.0' }), 400, 'invalid_payload');
    expect((await bulk({ in: 'release', version: '2.0.0' })).body).toMatchObject({
      incidents: all.map(() => ({ status: 'resolved', resolved_in: { version: '2.0.0' } })),
    });
  });
});
