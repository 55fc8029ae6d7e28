import type { Ownership, OwnershipPreview } from '@culprit/contract/workspace/ownership';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { alertClient } from '../support/alert-client.ts';
import { type Collaborator, createCollaborator } from '../support/collaborators.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { type Answer, sendRequest } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX, named } from './incidents-fixtures.ts';

/** Who gets which new incidents (docs/contract/team-workflow.md 2.3). */
describe.concurrent('ownership', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const ask = async (token: string, method: string, path: string, body?: object): Promise<Answer> =>
    await sendRequest(culprit.url + path, {
      method,
      token,
      json: body,
    });
  const ownershipIn = ({ status, body }: Answer) => {
    expect(status).toBe(200);
    return (body as { ownership: Ownership }).ownership;
  };

  interface Stage {
    client: IncidentClient;
    owner: string;
    member: Collaborator;
    path: string;
  }

  async function stage(): Promise<Stage> {
    const client = await connect(culprit, { plan: 'team' });
    const member = await createCollaborator(culprit, client.project, 'member');
    const path = `/v1/projects/${client.project.projectId}/ownership`;
    return { client, owner: client.project.memberToken, member, path };
  }

  const save = async ({ owner, path }: Stage, text: string, version = 0) =>
    await ask(owner, 'POST', path, { text, version });

  it('is saved by admins, read by all, and replaced only in the version that was read', async () => {
    const at = await stage();
    const { owner, member, path } = at;
    const empty = ownershipIn(await ask(member.memberToken, 'GET', path));
    expect(empty).toMatchObject({ text: '', version: 0, lines: [], unowned_30d: 0, updated_at: null });
    const text = `# ours\n* ${member.email} @not-here\n`;
    expect(ownershipIn(await save(at, text))).toMatchObject({
      text,
      version: 1,
      lines: [
        {
          number: 2,
          text: `* ${member.email} @not-here`,
          problem: 'Not found: @not-here. An owner is a person of this project, or a team that has one.',
          matched_30d: 0,
        },
      ],
      updated_by_user_id: at.client.project.userId,
    });
    for (const version of [0, 2, 2 ** 31 - 1])
      expectProblem(await save(at, 'x', version), 409, 'version_conflict');
    for (const version of [-1, 0.5, 2 ** 31, 2 ** 53])
      expectProblem(await save(at, 'x', version), 400, 'invalid_payload');
    expectProblem(await ask(member.memberToken, 'POST', path, { text, version: 1 }), 403, 'forbidden');
    expectProblem(await ask(member.memberToken, 'POST', `${path}/apply`), 403, 'forbidden');
    const wrong = await save(at, 'a @b\nservice: @c', 1);
    expectProblem(wrong, 400, 'invalid_payload');
    expect(wrong.headers.get('x-service-problem')).toBe('/text: line 2: a value is missing after service:');
    for (const long of ['x'.repeat(65_537), 'ü'.repeat(32_769)])
      expectProblem(await save(at, long, 1), 400, 'invalid_payload');
    const longest = `# ${'ü'.repeat(32_767)}`;
    expect(ownershipIn(await save(at, longest, 1))).toMatchObject({ text: longest, version: 2, lines: [] });
    expect(ownershipIn(await save(at, '', 2))).toMatchObject({ version: 3, lines: [] });
    const other = await stage();
    expectProblem(await ask(other.owner, 'GET', path), 404, 'project_not_found');
    expect(owner).not.toBe(other.owner);
  });

  it('assigns an incident when it opens and when it regresses, and never takes it from a person', async () => {
    const at = await stage();
    const { client, owner, member } = at;
    await save(at, `service:* ${member.email}`);
    const alerts = alertClient(culprit, client.project);
    const config = { target_url: 'https://hooks.example.test/' };
    await alerts.create({ channel: 'webhook', config, query: `assignee:${member.email}` });
    await client.send(EX());
    const { incident_id: id, triage } = await client.only();
    // With the incident: an alert about what a person has finds it.
    expect(triage.assignee).toMatchObject({ id: member.userId });
    expect(await alerts.evaluated()).toHaveLength(1);
    const assigned = () =>
      eventually(async () => {
        const { assignee } = (await client.read(id)).triage;
        if (assignee === null) throw new Error('assigned to no one');
        return assignee;
      });
    expect(await assigned()).toMatchObject({ kind: 'user', id: member.userId });
    expect(await client.ledger('incident.assigned')).toMatchObject([
      { data: { reason: `service:* ${member.email}`, assignee: { id: member.userId } } },
    ]);
    const mine = { assignee: { user_id: client.project.userId } };
    await ask(owner, 'PATCH', `/v1/incidents/${id}`, mine);
    await client.resolve(id);
    await client.send(EX());
    await client.only(2);
    await client.settled();
    expect((await client.read(id)).triage.assignee).toMatchObject({ id: client.project.userId });
    await ask(owner, 'PATCH', `/v1/incidents/${id}`, { assignee: null });
    await client.resolve(id);
    await client.send(EX());
    expect(await assigned()).toMatchObject({ id: member.userId });
  });

  it('gives the priority of its line and watchers, but never over the priority of a person', async () => {
    const at = await stage();
    const { client, owner, member } = at;
    const mine = (await ask(owner, 'GET', `/v1/projects/${client.project.projectId}/people`)).body;
    const { people } = mine as { people: { email: string; is_me: boolean }[] };
    const ownEmail = people.find(({ is_me: isMe }) => isMe)?.email ?? '';
    await save(at, `* ${member.email} ${ownEmail} priority=urgent\ntype:SecondError none priority=low`);
    await client.send(named('First'), named('Second'));
    await client.counted(1, 1);
    await eventually(async () => expect(await client.ledger('incident.prioritized')).toHaveLength(2));
    expect(await client.ledger('incident.prioritized')).toContainEqual(
      expect.objectContaining({
        data: { priority_from: null, priority_to: 'low', reason: 'type:SecondError none priority=low' },
      }),
    );
    const [first] = await client.list({ q: 'type:FirstError' });
    expect((await ask(owner, 'GET', `/v1/incidents/${first?.incident_id}/watch`)).body).toMatchObject({
      watch: { is_watched: true, watchers: [{ user_id: client.project.userId }] },
    });
    const [second] = await client.list({ q: 'type:SecondError' });
    const id = second?.incident_id ?? '';
    expect(second?.triage).toMatchObject({ assignee: null, priority: { level: 'low', is_manual: true } });
    await ask(owner, 'PATCH', `/v1/incidents/${id}`, { priority: 'high' });
    expect((await ask(owner, 'POST', `${at.path}/apply`)).body).toEqual({ assigned: 0 });
    expect((await client.read(id)).triage.priority).toMatchObject({ level: 'high', is_manual: true });
  });

  it('leaves to no one what a line says is for none, and a team what it has', async () => {
    const at = await stage();
    const { client, owner, member } = at;
    const teams = `/v1/projects/${client.project.projectId}/teams`;
    const { body } = await ask(owner, 'POST', teams, { slug: 'triage', name: 'Triage' });
    const { team_id: teamId } = (body as { team: { team_id: string } }).team;
    await ask(owner, 'POST', `${teams}/${teamId}/members/${member.userId}`);
    const { body: other } = await ask(owner, 'POST', teams, { slug: 'second', name: 'Second' });
    const { team_id: otherId } = (other as { team: { team_id: string } }).team;
    await ask(owner, 'POST', `${teams}/${otherId}/members/${client.project.userId}`);
    await save(at, '* @org/triage @second\ntype:SecondError none');
    await client.send(named('First'), named('Second'));
    await client.counted(1, 1);
    await eventually(async () => expect(await client.ledger('incident.assigned')).toHaveLength(1));
    const assignees = (await client.list({ project_id: client.project.projectId })).map(
      ({ title, triage }) => [title.slice(0, 5), triage.assignee?.handle ?? null],
    );
    expect(new Map(assignees as [string, string | null][])).toEqual(
      new Map([
        ['First', 'triage'],
        ['Secon', null],
      ]),
    );
    // The people of the other team watch it.
    const [watched] = await client.list({ q: 'type:FirstError' });
    expect(
      (await ask(member.memberToken, 'GET', `/v1/incidents/${watched?.incident_id}/watch`)).body,
    ).toEqual({
      watch: { is_watched: false, watchers: [expect.objectContaining({ user_id: client.project.userId })] },
    });
    // Other lines take nothing from a team when its incident returns.
    await save(at, `* ${member.email}`, 1);
    const [first] = await client.list({ project_id: client.project.projectId, q: 'title:FirstError' });
    const id = first?.incident_id ?? '';
    await client.resolve(id);
    await client.send(named('First'));
    await eventually(async () => expect(await client.ledger('incident.regressed')).toHaveLength(1));
    await client.settled();
    expect((await client.read(id)).triage.assignee).toMatchObject({ kind: 'team', handle: 'triage' });
  });

  it('knows the job or the check that an incident tells of', async () => {
    const at = await stage();
    const { client, owner, member, path } = at;
    const project = `/v1/projects/${client.project.projectId}`;
    const nightly = { slug: 'nightly-billing', schedule: { type: 'interval', value: 1, unit: 'day' } };
    const made = await ask(owner, 'POST', `${project}/heartbeats`, nightly);
    const { heartbeat } = made.body as { heartbeat: { ping_url: string } };
    await save(at, `heartbeat:nightly-* ${member.email}`);
    const key = heartbeat.ping_url.split('/').at(-1) ?? '';
    expect((await ask(owner, 'POST', `/v1/heartbeats/${key}/fail`)).status).toBe(202);
    const { incident_id: id } = await client.only();
    await eventually(async () =>
      expect((await client.read(id)).triage.assignee).toMatchObject({ id: member.userId }),
    );
    const check = { name: 'Shop front', url: 'https://shop.example/', interval_seconds: 300, enabled: false };
    expect((await ask(owner, 'POST', `${project}/availability-checks`, check)).status).toBe(201);
    await culprit.database.script(
      `update availability_checks set incident_id = '${parseId(['inc'], id) ?? ''}' where project_id = '${parseId(['proj'], client.project.projectId) ?? ''}'`,
    );
    const tried = await ask(owner, 'POST', `${path}/preview`, { text: `check:Shop\\ * ${member.email}` });
    expect((tried.body as { preview: OwnershipPreview }).preview).toMatchObject({
      owned: 1,
      never_matching: [],
    });
  });

  it('gives nothing to a person who leaves at the same moment', async () => {
    const at = await stage();
    const { client, owner, member, path } = at;
    await client.send(EX());
    const { incident_id: id } = await client.only();
    await save(at, `* ${member.email} priority=low`);
    const applying = await culprit.database.transaction(async (transaction) => {
      await transaction.query(
        { name: 'test-leave', text: 'delete from project_members where user_id = $1' },
        [member.userId],
      );
      const answer = ask(owner, 'POST', `${path}/apply`);
      await eventually(async () => {
        await transaction.query({ name: 'test-look-anew', text: 'select pg_stat_clear_snapshot()' });
        const waiting = await transaction.query({
          name: 'test-waiting-for-members',
          text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query ilike '%project_members%key share%'`,
        });
        expect(waiting).toHaveLength(1);
      });
      return { answer };
    });
    expect((await applying.answer).body).toEqual({ assigned: 0 });
    expect((await client.read(id)).triage).toMatchObject({
      assignee: null,
      priority: { level: 'low', is_manual: true },
    });
  });

  it('shows before what applying then does', async () => {
    const at = await stage();
    const { client, owner, member, path } = at;
    await client.send(named('First'), named('Second'), named('Third'));
    await client.counted(1, 1, 1);
    const text = `* ${member.email}\ntype:SecondError none\ntype:NeverError @x\nservice:no-such @y`;
    const preview = async (token: string) =>
      ((await ask(token, 'POST', `${path}/preview`, { text })).body as { preview: OwnershipPreview }).preview;
    const shown = await preview(member.memberToken);
    expect(shown).toMatchObject({ incidents: 3, owned: 2, never_matching: [3, 4], is_complete: true });
    expect(shown.by_owner).toEqual([{ owner: expect.stringMatching(/^member-/), incidents: 2 }]);
    expect(shown.changed.map(({ from, line }) => [from, line])).toEqual([
      [null, 1],
      [null, 1],
    ]);
    expectProblem(await ask(owner, 'POST', `${path}/preview`, { text: 'tag.: @a' }), 400, 'invalid_payload');
    expect((await ask(owner, 'POST', `${path}/apply`)).body).toEqual({ assigned: 0 });
    expect(ownershipIn(await save(at, text))).toMatchObject({
      unowned_30d: 1,
      lines: [{ matched_30d: 2 }, { matched_30d: 1 }, { matched_30d: 0 }, { matched_30d: 0 }],
    });
    expect((await ask(owner, 'POST', `${path}/apply`)).body).toEqual({ assigned: 2 });
    expect((await ask(owner, 'POST', `${path}/apply`)).body).toEqual({ assigned: 0 });
    const mine = await ask(member.memberToken, 'GET', '/v1/incidents?q=is:mine');
    const ids = (mine.body as { incidents: { incident_id: string }[] }).incidents.map(
      (each) => each.incident_id,
    );
    expect(new Set(ids)).toEqual(new Set(shown.changed.map((each) => each.incident_id)));
    expect((await preview(owner)).changed).toEqual([]);
  });
});
