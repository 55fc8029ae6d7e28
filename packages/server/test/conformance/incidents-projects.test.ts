import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { pageOf, readPages } from '../support/read-pages.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX, named } from './incidents-fixtures.ts';

/** What a person sees follows the projects they belong to (docs/contract/incidents.md 0, Visibility). */
describe.concurrent('visibility', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function share(project: TestProject, withUserId: string): Promise<void> {
    await culprit.database.query(
      {
        name: 'test-share',
        text: `insert into project_members (project_id, user_id, role) values ($1, $2, 'member')`,
      },
      [parseId(['proj'], project.projectId), withUserId],
    );
  }

  it('without project_id the list holds the incidents of every project the caller sees and of no other', async () => {
    const email = 'two-projects@example.test';
    const [first, second] = [
      await connect(culprit, { email, name: 'one' }),
      await connect(culprit, { email, name: 'two' }),
    ];
    const [shared, foreign] = [await connect(culprit), await connect(culprit)];
    await share(shared.project, first.project.userId);
    for (const client of [first, second, shared, foreign]) {
      await client.send(EX());
      await client.only();
    }
    const ids = (await first.list()).map((incident) => incident.project_id).sort();
    expect(ids).toEqual([first, second, shared].map(({ project }) => project.projectId).sort());
    expect((await foreign.list()).map((incident) => incident.project_id)).toEqual([
      foreign.project.projectId,
    ]);
  });

  it('project_id narrows the list to that project, in its prefixed and its bare form', async () => {
    const email = 'narrow@example.test';
    const [first, second] = [
      await connect(culprit, { email, name: 'one' }),
      await connect(culprit, { email, name: 'two' }),
    ];
    await first.send(named('Alpha'));
    await second.send(named('Beta'));
    await first.only();
    await second.only();
    const { projectId } = first.project;
    for (const project_id of [projectId, projectId.replace('proj_', '')]) {
      expect((await second.list({ project_id })).map(({ title }) => title)).toEqual([
        'AlphaError: Alpha failed',
      ]);
    }
  });

  it.each(['/v1/incidents', '/v1/services'])(
    "%s answers 404 for a stranger's and an unknown project",
    async (path) => {
      const [own, foreign] = [await connect(culprit), await connect(culprit)];
      for (const id of [
        foreign.project.projectId,
        'proj_00000000-0000-4000-8000-000000000000',
        'proj_x',
        'x',
      ]) {
        const answer = await own.get(`${path}?project_id=${id}`);
        expect([answer.status, answer.body]).toEqual([404, { error: 'project_not_found' }]);
      }
    },
  );

  it("another tenant's incident answers 404 everywhere and stays as it is", async () => {
    const [owner, stranger] = [await connect(culprit), await connect(culprit)];
    await owner.send(EX());
    const incident = await owner.only();
    const { incident_id: id } = incident;
    const answers = await Promise.all([
      stranger.get(`/v1/incidents/${id}`),
      stranger.get(`/v1/incidents/${id}/bundle`),
      stranger.get(`/v1/incidents/${id}/reproduction`),
      stranger.get(`/v1/incidents/${id}/logs`),
      stranger.get(`/v1/logs?incident_id=${id}`),
      stranger.post(`/v1/incidents/${id}/resolve`),
      stranger.post(`/v1/incidents/${id}/reopen`),
      stranger.post('/v1/incidents/resolve', { incident_ids: [id] }),
      stranger.post('/v1/incidents/reopen', { incident_ids: [id] }),
    ]);
    for (const answer of answers) {
      expect([answer.status, answer.body]).toEqual([404, { error: 'incident_not_found' }]);
    }
    expect(await owner.read(id)).toEqual(incident);
    expect(await stranger.list()).toEqual([]);
  });

  it('a plain member of the project resolves and reopens like its owner', async () => {
    const [owner, member] = [await connect(culprit), await connect(culprit)];
    await share(owner.project, member.project.userId);
    await owner.send(EX());
    const { incident_id } = await owner.only();
    expect((await member.resolve(incident_id)).status).toBe('resolved');
    expect((await member.reopen(incident_id)).status).toBe('open');
    expect(await owner.ledger('incident.resolved')).toMatchObject([
      { data: { user_id: member.project.userId } },
    ]);
  });

  it('one service name, environment and bug in two projects are two incidents', async () => {
    const [first, second] = [await connect(culprit), await connect(culprit)];
    await first.send(EX());
    await second.send(EX());
    const [one, two] = [await first.only(), await second.only()];
    expect(one.fingerprint).toBe(two.fingerprint);
    expect(one.incident_id).not.toBe(two.incident_id);
    expect(one.service_id).not.toBe(two.service_id);
  });

  //
  it('services are listed by project, and without project_id for all the caller sees', async () => {
    const email = 'services@example.test';
    const [first, second] = [
      await connect(culprit, { email, name: 'one' }),
      await connect(culprit, { email, name: 'two' }),
    ];
    await first.send(EX());
    await second.send(named('Beta', { service: { name: 'mailer', runtime: 'node', framework: 'express' } }));
    const [{ service_id: checkout }, { service_id: mailer }] = [await first.only(), await second.only()];
    const own = {
      service_id: checkout,
      project_id: first.project.projectId,
      name: 'checkout-api',
      runtime: null,
      framework: null,
      environment: 'production',
    };
    const other = {
      service_id: mailer,
      project_id: second.project.projectId,
      name: 'mailer',
      runtime: 'node',
      framework: 'express',
      environment: 'production',
    };
    const narrowed = await first.get(`/v1/services?project_id=${first.project.projectId}`);
    expect(narrowed.body).toEqual({ services: [own], next_cursor: null });
    expect((await first.get('/v1/services')).body).toEqual({ services: [own, other], next_cursor: null });
  });

  it('services are ordered by name and environment, paged to the end, and one row for each pair', async () => {
    const client = await connect(culprit);
    const pairs = ['b|prod', 'a|prod', 'a|dev', 'A|prod', 'ü b|x', 'a b|c%7Cd', 'z|1'];
    const events = pairs.flatMap((pair) => {
      const [name, environment] = pair.split('|');
      return [EX({ service: { name, environment } }), EX({ service: { name, environment } })];
    });
    await client.send(...events);
    await client.processed();
    const services = await readPages(client, '/v1/services', 'services', 2);
    const seen = services.map(({ name, environment }) => `${name}|${environment}`);
    expect(seen).toEqual(['A|prod', 'a|dev', 'a|prod', 'a b|c%7Cd', 'b|prod', 'z|1', 'ü b|x']);
  });

  it.each([
    'limit=0',
    'limit=101',
    'cursor=zzz',
    'cursor=a%7Cb%7Cc',
    'cursor=%2500%7Cb%7C00000000-0000-4000-8000-000000000000',
    'name=a',
    'project_id=',
  ])('services refuse the query %s', async (query) => {
    const client = await connect(culprit);
    const answer = await client.get(`/v1/services?${query}`);
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_query' }]);
  });

  it('the runtime and framework of a service follow the latest event that names them', async () => {
    const client = await connect(culprit);
    await client.send(EX({ service: { runtime: 'node', framework: 'express' } }));
    await client.send(EX({ service: { runtime: 'bun' } }));
    await client.send(EX());
    await client.only(3);
    const { items } = pageOf(await client.get('/v1/services'), 'services');
    expect(items).toMatchObject([{ runtime: 'bun', framework: 'express' }]);
  });

  it('names of services and environments are trimmed before they are compared', async () => {
    const client = await connect(culprit);
    await client.send(EX({ service: { name: ' checkout-api ', environment: '\tproduction' } }), EX());
    expect(await client.only(2)).toMatchObject({ service_name: 'checkout-api', environment: 'production' });
  });
});
