import { PRIORITY_LEVELS } from '@culprit/contract/incidents/triage-words';
import type { Person } from '@culprit/contract/workspace/people';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { type Collaborator, createCollaborator } from '../support/collaborators.ts';
import { copyIncidents } from '../support/copy-incidents.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { clientOf, connect, type IncidentClient } from '../support/incident-client.ts';
import { readPages } from '../support/read-pages.ts';
import { runSize } from '../support/run-size.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { webhookClient } from '../support/webhook-client.ts';
import { EX, named } from './incidents-fixtures.ts';

const LISTED = runSize('CULPRIT_TEST_LISTED', { standard: 220, long: 5000 });

/** Who has an incident and how urgent it is (docs/contract/team-workflow.md 2, 5.1). */
describe.concurrent('what people decide about incidents', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  async function ask(token: string, method: string, path: string, body?: unknown): Promise<Answer> {
    return await sendRequest(culprit.url + path, {
      method,
      token,
      json: body,
    });
  }

  async function withIncident(): Promise<{ client: IncidentClient; id: string; member: Collaborator }> {
    const client = await connect(culprit, { plan: 'team' });
    await client.send(EX());
    const { incident_id: id } = await client.only();
    return { client, id, member: await createCollaborator(culprit, client.project, 'member') };
  }

  /** One more project of a person. */
  async function withProject(token: string): Promise<string> {
    const { status, body } = await ask(token, 'POST', '/v1/projects', { name: 'second' });
    expect(status).toBe(201);
    const project = isJsonObject(body) && isJsonObject(body.project) ? body.project.project_id : null;
    return String(project);
  }

  async function peopleOf(client: IncidentClient, token: string): Promise<Person[]> {
    const { body } = await ask(token, 'GET', `/v1/projects/${client.project.projectId}/people`);
    return isJsonObject(body) && Array.isArray(body.people) ? (body.people as unknown as Person[]) : [];
  }

  it('assigns, tells it once in the history, and takes the assignee back', async () => {
    const { client, id, member } = await withIncident();
    const webhooks = webhookClient(culprit, client.project);
    const { webhook } = await webhooks.create('https://hooks.example.com/in', {
      events: ['incident.assigned'],
    });
    const set = { assignee: { user_id: member.userId } };
    const assigned = await ask(client.project.memberToken, 'PATCH', `/v1/incidents/${id}`, set);
    expect(assigned.status).toBe(200);
    const { triage } = await client.read(id);
    expect(triage.assignee).toEqual({
      kind: 'user',
      id: member.userId,
      name: expect.stringMatching(/^member-/),
      handle: expect.stringMatching(/^member-/),
      email: member.email,
      at: expect.any(String),
    });
    expect((await ask(client.project.memberToken, 'PATCH', `/v1/incidents/${id}`, set)).body).toEqual(
      assigned.body,
    );
    expect(await client.ledger('incident.assigned')).toMatchObject([
      {
        incidentId: id,
        data: { user_id: client.project.userId, via: 'api', assignee: { id: member.userId } },
      },
    ]);
    await eventually(async () => expect(await webhooks.deliveries(webhook.webhook_id)).toHaveLength(1));
    await ask(member.memberToken, 'PATCH', `/v1/incidents/${id}`, { assignee: null });
    expect((await client.read(id)).triage.assignee).toBeNull();
    expect(await client.ledger('incident.unassigned')).toMatchObject([
      { data: { user_id: member.userId, assignee: { id: member.userId } } },
    ]);
    const { body } = await client.get(`/v1/incidents/${id}/history?limit=100`);
    expect(body).toMatchObject({
      history: expect.arrayContaining([
        expect.objectContaining({
          kind: 'incident.assigned',
          data: expect.objectContaining({ assignee: expect.objectContaining({ id: member.userId }) }),
        }),
      ]),
    });
  });

  it('refuses people without access, and changes none of several incidents', async () => {
    const { client, id, member } = await withIncident();
    const other = await connect(culprit, { plan: 'team' });
    await other.send(EX());
    const foreign = await other.only();
    const token = client.project.memberToken;
    for (const user_id of [other.project.userId, newUuid(), 'nothing']) {
      const answer = await ask(token, 'PATCH', `/v1/incidents/${id}`, { assignee: { user_id } });
      expectProblem(answer, 404, 'assignee_not_found');
    }
    const bulk = { incident_ids: [id, foreign.incident_id], set: { priority: 'urgent' } };
    expectProblem(await ask(token, 'PATCH', '/v1/incidents', bulk), 404, 'incident_not_found');
    expect((await client.read(id)).triage.priority.is_manual).toBe(false);
    // Both are the owner's, and the member is in one of the projects.
    const projectId = await withProject(token);
    const second = {
      ...client.project,
      projectId,
      projectToken: await culprit.createProjectToken(projectId),
    };
    await clientOf(culprit, second).send(EX());
    const { incident_id: otherId } = await clientOf(culprit, second).only();
    const shared = {
      incident_ids: [id, otherId],
      set: { assignee: { user_id: member.userId }, priority: 'urgent' },
    };
    expectProblem(await ask(token, 'PATCH', '/v1/incidents', shared), 404, 'assignee_not_found');
    expect((await client.read(id)).triage).toMatchObject({ assignee: null, priority: { is_manual: false } });
    expect(await client.ledger('incident.assigned')).toEqual([]);
    for (const body of [{}, { assignee: 'x' }, { priority: 'none' }, { assignee: null, more: 1 }]) {
      expectProblem(await ask(token, 'PATCH', `/v1/incidents/${id}`, body), 400, 'invalid_payload');
    }
  });

  it('takes the incidents of a person who leaves the project', async () => {
    const { client, id, member } = await withIncident();
    const token = client.project.memberToken;
    await ask(token, 'PATCH', `/v1/incidents/${id}`, { assignee: { user_id: member.userId } });
    const left = await ask(
      token,
      'DELETE',
      `/v1/projects/${client.project.projectId}/members/${member.userId}`,
    );
    expect(left.status).toBe(200);
    const gone = await eventually(async () => {
      const rows = await client.ledger('incident.unassigned');
      if (rows.length === 0) throw new Error('still assigned');
      return rows;
    });
    expect(gone).toMatchObject([{ incidentId: id, data: { reason: 'no_access' } }]);
    expect((await client.read(id)).triage.assignee).toBeNull();
  });

  it('lists the people of a project for members, who may not read the list of members', async () => {
    const { client, member } = await withIncident();
    const people = await peopleOf(client, member.memberToken);
    expect(people.map(({ role, is_me }) => ({ role, is_me }))).toEqual([
      { role: 'owner', is_me: false },
      { role: 'member', is_me: true },
    ]);
    const members = `/v1/projects/${client.project.projectId}/members`;
    expectProblem(await ask(member.memberToken, 'GET', members), 403, 'forbidden');
  });

  it('gives each person a handle of their address, and refuses the handle of another', async () => {
    const { client, member } = await withIncident();
    const [owner, self] = await peopleOf(client, member.memberToken);
    expect(self?.handle).toMatch(/^member-[0-9a-f-]+$/);
    const profile = (body: object) => ask(member.memberToken, 'PATCH', '/v1/account/profile', body);
    expectProblem(await profile({ handle: owner?.handle }), 409, 'handle_taken');
    for (const body of [{}, { handle: 'A' }, { handle: '-a' }, { name: '' }, { name: '\u200b' }]) {
      expectProblem(await profile(body), 400, 'invalid_payload');
    }
    const handle = `ada-${newUuid().slice(0, 8)}`;
    const saved = await profile({ name: ' Ada\n Lovelace ', handle });
    expect(saved.body).toEqual({ profile: { name: 'Ada Lovelace', handle } });
    expect((await profile({ name: null })).body).toEqual({ profile: { name: null, handle } });
  });

  it('numbers handles of one local part', async () => {
    const part = `same-${newUuid().slice(0, 8)}`;
    const handles = await culprit.database.query<{ handle: string }>(
      {
        name: 'test-same-handles',
        text: `insert into users (user_id, email)
          select gen_random_uuid(), $1 || '@' || n || '.test' from generate_series(1, 3) n returning handle`,
      },
      [part],
    );
    expect(handles.map(({ handle }) => handle)).toEqual([part, `${part}-2`, `${part}-3`]);
  });

  /** What the columns of an incident say, by the reason that they give. */
  const RULED: readonly [set: string, level: string, reasons: readonly string[]][] = [
    [`first_seen_at = now() - interval '2 days'`, 'normal', []],
    [`first_seen_at = last_seen_at`, 'high', ['new']],
    [`severity = 3`, 'urgent', ['critical']],
    [`severity = 3, environment = 'staging'`, 'urgent', ['critical']],
    [`status = 'regressed', regressed_at = now()`, 'urgent', ['regressed']],
    [
      `status = 'regressed', regressed_at = now(), environment = 'eu-staging-2', first_seen_at = now() - interval '2 days'`,
      'low',
      ['test_environment'],
    ],
    [`spike_detected_at = now()`, 'high', ['spiking', 'new']],
    [`spike_detected_at = now(), affected_users = 50`, 'urgent', ['spiking_for_many']],
    [
      `spike_detected_at = now() - interval '61 min', first_seen_at = now() - interval '2 days'`,
      'normal',
      [],
    ],
    [`escalated_at = now(), first_seen_at = now() - interval '2 days'`, 'high', ['escalated']],
    [`fingerprint_kind = 'window'`, 'low', ['opaque_error']],
    [`is_browser_noise = true`, 'low', ['browser_noise']],
    [`environment = 'latest', first_seen_at = now() - interval '2 days'`, 'normal', []],
  ];

  it.each(RULED)('gives a priority by rules: %s', async (set, level, reasons) => {
    const { client, id } = await withIncident();
    await culprit.database.script(
      `update incidents set ${set} where incident_id = '${parseId(['inc'], id) ?? ''}'`,
    );
    expect((await client.read(id)).triage.priority).toEqual({ level, reasons, is_manual: false });
  });

  it('sets a priority by hand, and gives it back to the rules', async () => {
    const { client, id } = await withIncident();
    const prioritize = (priority: string | null) =>
      ask(client.project.memberToken, 'PATCH', `/v1/incidents/${id}`, { priority });
    for (const level of PRIORITY_LEVELS) {
      await prioritize(level);
      await prioritize(level);
      expect((await client.read(id)).triage.priority).toEqual({ level, reasons: [], is_manual: true });
    }
    await prioritize(null);
    expect((await client.read(id)).triage.priority).toEqual({
      level: 'high',
      reasons: ['new'],
      is_manual: false,
    });
    await prioritize(null);
    const told = await client.ledger('incident.prioritized');
    expect(told).toHaveLength(PRIORITY_LEVELS.length + 1);
    expect(told.at(-1)).toMatchObject({
      data: { priority_from: 'urgent', priority_to: null },
    });
  });

  it('lists by priority, the latest first among equals, without gaps or doubles', async () => {
    const client = await connect(culprit);
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    await client.send(...names.map((name) => named(name)));
    const all = await client.counted(...names.map(() => 1));
    const token = client.project.memberToken;
    const set = async (index: number, priority: string) =>
      await ask(token, 'PATCH', `/v1/incidents/${all[index]?.incident_id}`, { priority });
    await set(3, 'urgent');
    await set(5, 'low');
    await set(7, 'urgent');
    const met: string[] = [];
    let cursor: unknown = null;
    do {
      const query = new URLSearchParams({
        project_id: client.project.projectId,
        sort: 'priority',
        limit: '2',
        ...(typeof cursor === 'string' ? { cursor } : {}),
      });
      const { status, body } = await client.get(`/v1/incidents?${query}`);
      expect(status).toBe(200);
      if (!isJsonObject(body) || !Array.isArray(body.incidents)) throw new Error('no list');
      met.push(...body.incidents.filter(isJsonObject).map(({ incident_id: id }) => String(id)));
      cursor = body.next_cursor;
    } while (cursor !== null);
    const idsOf = (...places: number[]) => places.map((place) => all[place]?.incident_id);
    expect(met).toHaveLength(9);
    expect(new Set(met)).toEqual(new Set(all.map(({ incident_id: id }) => id)));
    expect(new Set(met.slice(0, 2))).toEqual(new Set(idsOf(3, 7)));
    expect(met.at(-1)).toBe(all[5]?.incident_id);
  });

  it(`pages through ${LISTED} incidents by priority without gaps or doubles`, {
    timeout: 300_000,
  }, async () => {
    const client = await connect(culprit);
    await client.send(named('a'));
    await client.only();
    const projectId = parseId(['proj'], client.project.projectId) ?? '';
    // Each place of the order is that of many.
    const changed = `jsonb_build_object('incident_id', gen_random_uuid(), 'number', 1000000 + n,
      'fingerprint', '\\x' || encode(sha256(n::text::bytea), 'hex'), 'severity', n % 4,
      'last_seen_at', i.last_seen_at - n % 7 * interval '1 s',
      'first_seen_at', i.first_seen_at - interval '1 min' - n % 2 * interval '3 days',
      'environment', case when n % 5 = 0 then 'staging' else i.environment end)`;
    const from = `incidents i, generate_series(1, ${LISTED - 1}) n where i.project_id = $1`;
    await copyIncidents(culprit.database, { changed, from }, [projectId]);
    const path = `/v1/incidents?project_id=${client.project.projectId}&sort=priority`;
    const rows = await readPages(client, path, 'incidents', 100);
    expect(new Set(rows.map(({ incident_id: id }) => id)).size).toBe(LISTED);
    expect(rows).toHaveLength(LISTED);
    const levelsInOrder: readonly unknown[] = PRIORITY_LEVELS;
    const placeOf = ({ triage, last_seen_at: seenAt }: (typeof rows)[number]) => {
      const priority = isJsonObject(triage) && isJsonObject(triage.priority) ? triage.priority.level : null;
      const level = levelsInOrder.indexOf(priority);
      return [level, Date.parse(String(seenAt))] as const;
    };
    const levels = new Set(rows.map((row) => placeOf(row)[0]));
    expect(levels.size).toBe(PRIORITY_LEVELS.length);
    for (const [index, row] of rows.entries()) {
      const [[level, seenAt], [nextLevel, nextSeenAt]] = [placeOf(row), placeOf(rows[index + 1] ?? row)];
      const isInOrder = level > nextLevel || (level === nextLevel && seenAt >= nextSeenAt);
      expect(isInOrder, `${index}`).toBe(true);
    }
  });
});
