import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../src/platform/db/database.ts';
import { createCollaborator } from '../support/collaborators.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/grouping.md 6: merging and splitting by hand. */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});
afterAll(() => culprit.stop());

let sent = 0;

/** A failure of its own for each name, `secondsAgo` so that the order of the incidents is known. */
function failure(name: string, secondsAgo: number, service = 'shop'): object {
  sent += 1;
  return {
    event_type: 'backend_exception',
    timestamp: new Date(Date.now() - secondsAgo * 1000).toISOString(),
    service: { name: service, environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    payload: {
      name,
      message: `${name} broke ${sent}`,
      stack: `${name}: x\n    at ${name} (/app/${name}.js:1:1)`,
    },
  };
}

/** Opens an incident for a name and tells its id. */
async function opened(
  client: IncidentClient,
  name: string,
  secondsAgo: number,
  service?: string,
): Promise<string> {
  const before = new Set((await client.list()).map(({ incident_id }) => incident_id));
  await client.send(failure(name, secondsAgo, service));
  await client.processed();
  const fresh = (await client.list()).find(({ incident_id }) => !before.has(incident_id));
  expect(fresh?.title).toContain(name);
  return fresh?.incident_id ?? '';
}

async function groupingOf(answer: Promise<{ status: number; body: unknown }>): Promise<JsonObject> {
  const { status, body } = await answer;
  expect({ status, body }).toMatchObject({ status: 200 });
  return isJsonObject(body) && isJsonObject(body.grouping) ? body.grouping : {};
}

const merge = (client: IncidentClient, ...ids: string[]) =>
  groupingOf(client.post('/v1/incidents/merge', { incident_ids: ids }));
const split = (client: IncidentClient, from: string, ...ids: string[]) =>
  groupingOf(client.post(`/v1/incidents/${from}/split`, { incident_ids: ids }));
const read = (client: IncidentClient, id: string) => groupingOf(client.get(`/v1/incidents/${id}/grouping`));

describe('incidents that are merged by hand', () => {
  it('takes a signal that had found an incident before another one merged it', async () => {
    const client = await connect(culprit);
    const into = await opened(client, 'FirstError', 60);
    const merged = await opened(client, 'SecondError', 30);
    const waiting = async (transaction: Queryable, count: number) =>
      await eventually(async () => {
        // A transaction sees the activity of its first look until it asks anew.
        await transaction.query({ name: 'test-look-anew', text: 'select pg_stat_clear_snapshot()' });
        const [row] = await transaction.query<{ waiting: number }>(
          {
            name: 'test-waiting-for-row',
            text: `select count(*) as waiting from pg_stat_activity where datname = current_database()
              and wait_event_type = 'Lock' and (query ilike '%incidents%for %update%' or query ilike '%update incidents%')`,
          },
          [],
        );
        expect(row?.waiting).toBe(count);
      });
    // The merge waits first and the signal behind it, once it has found its incident.
    const merging = await culprit.database.transaction(async (transaction) => {
      await transaction.query(
        { name: 'test-hold-incident', text: 'select from incidents where incident_id = $1 for update' },
        [merged.slice('inc_'.length)],
      );
      const answer = client.post('/v1/incidents/merge', { incident_ids: [into, merged] });
      await waiting(transaction, 1);
      await client.send(failure('SecondError', 0));
      await waiting(transaction, 2);
      return { answer };
    });
    expect(await merging.answer).toMatchObject({ status: 200 });
    await client.processed();
    expect(await client.read(merged)).toMatchObject({ status: 'resolved', occurrence_count: 1 });
    expect(await client.read(into)).toMatchObject({ status: 'open', occurrence_count: 2 });
  });

  it('give the oldest, where no one has it, to the assignee of the one with the most events', async () => {
    const client = await connect(culprit, { plan: 'team' });
    const api = managementClient(culprit, client.project.memberToken);
    const [ada, ben, gone] = [
      await createCollaborator(culprit, client.project, 'member'),
      await createCollaborator(culprit, client.project, 'member'),
      await createCollaborator(culprit, client.project, 'member'),
    ];
    const assign = async (id: string, userId: string | null) =>
      expect(
        (await api.patch(`/v1/incidents/${id}`, { assignee: userId === null ? null : { user_id: userId } }))
          .status,
      ).toBe(200);
    const oldest = await opened(client, 'Alpha', 60);
    const few = await opened(client, 'Beta', 30);
    const many = await opened(client, 'Gamma', 20);
    const most = await opened(client, 'Delta', 10);
    await client.send(failure('Gamma', 0), ...[1, 2, 3].map(() => failure('Delta', 0)));
    await client.counted(1, 1, 2, 4);
    await assign(few, ada.userId);
    await assign(many, ben.userId);
    await assign(most, gone.userId);
    // The person who has the largest loses access at the same moment.
    await culprit.database.script(`delete from project_members where user_id = '${gone.userId}'`);
    await merge(client, oldest, few, many, most);
    expect((await client.read(oldest)).triage.assignee).toMatchObject({ id: ben.userId });
    expect((await client.ledger('incident.assigned')).at(-1)).toMatchObject({
      incidentId: oldest,
      data: { because: 'merge', user_id: client.project.userId, assignee: { id: ben.userId } },
    });
    const last = await opened(client, 'Omega', 5);
    await assign(last, ada.userId);
    await merge(client, oldest, last);
    expect((await client.read(oldest)).triage.assignee).toMatchObject({ id: ben.userId });
  });

  it('go on in the oldest, and come back as they were when they are taken out', async () => {
    const client = await connect(culprit);
    const oldest = await opened(client, 'Alpha', 60);
    const other = await opened(client, 'Beta', 30);
    const explanation = { readers: ['js_trace'], rule: 'own_frames' };
    expect(await read(client, oldest)).toMatchObject(explanation);
    await client.post(`/v1/incidents/${other}/watch`);
    expect(await merge(client, other, oldest)).toMatchObject({
      ...explanation,
      incident_id: oldest,
      merged_into: null,
      members: [other],
      keys: [{ origin: 'own' }, { origin: 'merge', from_incident_id: other }],
    });
    expect(await read(client, other)).toMatchObject({ merged_into: oldest, members: [] });
    expect(await client.read(other)).toMatchObject({ status: 'resolved', occurrence_count: 1 });
    expect((await client.get(`/v1/incidents/${oldest}/watch`)).body).toMatchObject({
      watch: { is_watched: true },
    });

    await client.send(failure('Beta', 0), failure('Alpha', 0));
    await client.processed();
    expect(await client.read(oldest)).toMatchObject({ status: 'open', occurrence_count: 3 });
    expect(await client.read(other)).toMatchObject({ status: 'resolved', occurrence_count: 1 });

    expect(await split(client, oldest, other)).toMatchObject({ members: [], keys: [{ origin: 'own' }] });
    expect(await client.read(other)).toMatchObject({ status: 'open', occurrence_count: 1 });
    await client.send(failure('Beta', 0));
    await client.processed();
    expect(await client.read(oldest)).toMatchObject({ occurrence_count: 3 });
    expect(await client.read(other)).toMatchObject({ occurrence_count: 2 });
    const kinds = (await client.ledger())
      .filter(({ incidentId }) => other.endsWith(incidentId))
      .map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind.startsWith('incident.'))).toEqual([
      'incident.opened',
      'incident.resolved',
      'incident.merged',
      'incident.reopened',
      'incident.split',
    ]);
  });

  it('lead to one incident, also when one of them was merged before', async () => {
    const client = await connect(culprit);
    const first = await opened(client, 'One', 90);
    const second = await opened(client, 'Two', 60);
    const third = await opened(client, 'Three', 30);
    await merge(client, first, third);
    expect(await merge(client, second, third)).toMatchObject({ incident_id: first });
    await client.send(failure('Two', 0), failure('Three', 0));
    await client.processed();
    expect(await client.read(first)).toMatchObject({ occurrence_count: 3 });
    expect((await read(client, first)).members).toEqual([second, third].sort());
  });

  it('are explained in the bundle of the oldest, of which webhooks are told when it is there', async () => {
    const client = await connect(culprit);
    const oldest = await opened(client, 'Gamma', 60);
    const other = await opened(client, 'Delta', 30);
    expect((await client.bundle(oldest)).context.grouping).toMatchObject({
      members: [],
      slots: [],
      changes: [],
    });
    await client.settled();
    const { generation_number: before } = (await client.bundle(oldest)).metadata;
    const told = async () => (await client.ledger('bundle.updated')).length;
    const toldBefore = await told();
    await merge(client, oldest, other);
    const merged = await client.bundle(oldest, before + 1);
    const change = { by: 'person', user_id: client.project.userId, slot_id: null };
    expect(merged.context.grouping).toMatchObject({
      members: [other],
      slots: [],
      changes: [{ ...change, kind: 'merged', into: oldest }],
    });
    expect(await told()).toBe(toldBefore + 1);
    await split(client, oldest, other);
    expect((await client.bundle(oldest, before + 2)).context.grouping).toMatchObject({
      members: [],
      changes: [
        { ...change, kind: 'split', into: null },
        { ...change, kind: 'merged' },
      ],
    });
  });

  it('are of one service', async () => {
    const client = await connect(culprit);
    const one = await opened(client, 'Eta', 60);
    const other = await opened(client, 'Theta', 30, 'mail');
    expect(await client.post('/v1/incidents/merge', { incident_ids: [one, other] })).toMatchObject({
      status: 409,
      body: { error: 'incidents_of_different_services' },
    });
    expect(await read(client, one)).toMatchObject({ members: [] });
  });

  it('are refused when they were no members, and change nothing when they are one incident', async () => {
    const client = await connect(culprit);
    const one = await opened(client, 'Iota', 60);
    const other = await opened(client, 'Kappa', 30);
    const told = async () => (await client.ledger()).filter(({ kind }) => kind.startsWith('incident.'));
    const before = await told();
    for (const ids of [[other], [other, 'inc_unknown'], [one, 'inc_unknown']]) {
      expect(await client.post(`/v1/incidents/${one}/split`, { incident_ids: ids })).toMatchObject({
        status: 404,
        body: { error: 'incident_not_found' },
      });
    }
    expect(await split(client, one, one)).toMatchObject({ members: [] });
    expect(await merge(client, one, one)).toMatchObject({ members: [] });
    expect(await told()).toEqual(before);
  });
});
