import { NO_HISTORY_DATA } from '@culprit/contract/incidents/incident-history';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCollaborator } from '../support/collaborators.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { readPages } from '../support/read-pages.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { DEP, EX, named } from './incidents-fixtures.ts';

/** What happened to an incident, and who did it (docs/contract/server-additions.md S5). */
describe.concurrent('the history of an incident', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const NOTHING = NO_HISTORY_DATA;

  async function historyOf(client: IncidentClient, incidentId: string, limit = 100) {
    return await readPages(client, `/v1/incidents/${incidentId}/history`, 'history', limit);
  }

  it('tells its life oldest first, with people, severities, deploys and bundle generations', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    const { incident_id: id } = await client.only();
    await client.bundle(id);
    await client.resolve(id);
    await client.reopen(id);
    await client.resolve(id);
    await client.send(DEP());
    await client.processed();
    await client.send(EX({ context: { severity: 'critical' } }));
    const regressed = await client.only(2);
    await client.refreshed();
    const history = await historyOf(client, id);
    const told = history.filter(({ kind }) => kind !== 'bundle.updated');
    const actor = {
      user_id: client.project.userId,
      name: expect.any(String),
      email: expect.stringContaining('@'),
    };
    expect(told).toEqual(
      [
        { kind: 'incident.opened', actor: null, data: { ...NOTHING, severity_to: 'high' } },
        { kind: 'bundle.created', actor: null, data: { ...NOTHING, generation: 1 } },
        { kind: 'incident.resolved', actor, data: NOTHING },
        { kind: 'incident.reopened', actor, data: NOTHING },
        { kind: 'incident.resolved', actor, data: NOTHING },
        {
          kind: 'incident.regressed',
          actor: null,
          data: {
            ...NOTHING,
            severity_to: 'critical',
            deployment_id: regressed.latest_deployment_id,
            release: regressed.last_release,
          },
        },
        {
          kind: 'incident.severity_raised',
          actor: null,
          data: { ...NOTHING, severity_from: 'high', severity_to: 'critical' },
        },
      ].map((entry) => ({ id: expect.stringMatching(/^\d+$/), occurred_at: expect.any(String), ...entry })),
    );
    expect(regressed.latest_deployment_id).not.toBeNull();
    const times = history.map(({ occurred_at: at }) => String(at));
    expect([...times].sort()).toEqual(times);
    expect(history.at(-1)).toMatchObject({ kind: 'bundle.updated', data: { generation: 2 } });
    for (const limit of [1, 3]) expect(await historyOf(client, id, limit)).toEqual(history);
  });

  it('tells what people decided about it, with the data of each kind, in an order that stays', async () => {
    const client = await connect(culprit, { plan: 'team' });
    await client.send(EX());
    const { incident_id: id } = await client.only();
    await client.bundle(id);
    const api = managementClient(culprit, client.project.memberToken);
    const path = `/v1/incidents/${id}`;
    const { userId } = client.project;
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const url = 'https://git.example/shop/pull/7';
    await api.patch(path, { assignee: { user_id: userId } });
    await api.patch(path, { assignee: null, priority: 'urgent' });
    await api.patch(path, { priority: null });
    await api.post(`${path}/snooze`, { until, reason: 'known' });
    await api.post(`${path}/wake`);
    const noted = await api.post(`${path}/notes`, { body: 'seen' });
    const fixed = await api.post(`${path}/fixes`, { url, commit_sha: 'abcdef1' });
    const linked = await api.post(`${path}/links`, { url });
    const idIn = ({ body }: { body: unknown }, kind: 'note' | 'fix' | 'link') =>
      (body as Record<string, Record<string, string>>)[kind]?.[`${kind}_id`];
    await api.delete(`${path}/links/${idIn(linked, 'link')}`);
    const assignee = { kind: 'user', id: userId, name: expect.any(String) };
    const link = { link_id: idIn(linked, 'link'), ticket: url };
    const told = [
      ['incident.assigned', { assignee }],
      ['incident.unassigned', { assignee }],
      ['incident.prioritized', { priority_from: null, priority_to: 'urgent' }],
      ['incident.prioritized', { priority_from: 'urgent', priority_to: null }],
      ['incident.snoozed', { snoozed_until: until, reason: 'known' }],
      ['incident.woke', { because: 'person', kept_silent: 0 }],
      ['incident.noted', { note_id: idIn(noted, 'note') }],
      [
        'incident.fix_proposed',
        { fix_id: idIn(fixed, 'fix'), fix: expect.objectContaining({ url, commit_sha: 'abcdef1' }) },
      ],
      ['incident.linked', link],
      ['incident.unlinked', link],
    ] as const;
    const history = await historyOf(client, id);
    const decided = history.filter(({ actor }) => actor !== null);
    expect(decided.map(({ kind, data }) => [kind, data])).toEqual(
      told.map(([kind, data]) => [kind, { ...NOTHING, ...data, via: 'api' }]),
    );
    expect(await historyOf(client, id, 2)).toEqual(history);
    // The text of a note is not in it.
    expect(JSON.stringify(history)).not.toContain('seen');
  });

  it('is of this incident alone, and hidden from members of other projects', async () => {
    const [client, foreign] = [await connect(culprit), await connect(culprit)];
    await client.send(named('One'), named('Two'));
    const [one, two] = await client.counted(1, 1);
    await client.settled();
    await client.resolve(two?.incident_id ?? '');
    const kinds = (await historyOf(client, one?.incident_id ?? '')).map(({ kind }) => kind);
    expect(kinds).toEqual(['incident.opened', 'bundle.created']);
    expect(await foreign.get(`/v1/incidents/${one?.incident_id}/history`)).toMatchObject({
      status: 404,
      body: { error: 'incident_not_found' },
    });
  });

  it('forgets who did it when their account is gone', async () => {
    const client = await connect(culprit);
    const person = await createCollaborator(culprit, client.project, 'member');
    await client.send(EX());
    const { incident_id: id } = await client.only();
    await fetch(`${culprit.url}/v1/incidents/${id}/resolve`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.memberToken}` },
    });
    const last = async () => (await historyOf(client, id)).find(({ kind }) => kind === 'incident.resolved');
    expect(await last()).toMatchObject({ actor: { user_id: person.userId, email: person.email } });
    await culprit.database.query(
      { name: 'test-forget-person', text: 'delete from users where user_id = $1' },
      [person.userId],
    );
    expect(await last()).toMatchObject({ actor: null });
  });

  it.each(['cursor=0', 'cursor=x', 'cursor=1%7C2', `cursor=${'9'.repeat(30)}`, 'limit=0', 'kind=x'])(
    'refuses the query %s',
    async (query) => {
      const client = await connect(culprit);
      await client.send(EX());
      const { incident_id: id } = await client.only();
      const answer = await client.get(`/v1/incidents/${id}/history?${query}`);
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_query' } });
    },
  );
});
