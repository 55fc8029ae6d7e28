import { type Client, createClient } from '@culprit/contract/endpoints/client';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { type LifecycleRecord, listLifecycle } from '@culprit/contract/incidents/lifecycle';
import { decodeCursor, encodeCursor } from '@culprit/contract/schemas/pagination';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertLifecycleEvents } from '../../src/pipeline/ledger/lifecycle.queries.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { EX } from './incidents-fixtures.ts';

/** The durable feed of the ledger (docs/contract/server-additions.md S22). */
describe('the lifecycle feed', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit();
  });
  afterAll(() => culprit.stop());

  type Query = QueryOf<typeof listLifecycle>;

  function apiOf({ memberToken }: Pick<TestProject, 'memberToken'>): Client {
    return createClient({ baseUrl: culprit.url, token: memberToken });
  }

  async function read(project: TestProject, query: Query) {
    const answer = await apiOf(project).call(listLifecycle, { query });
    if (!answer.ok) throw new Error(`${answer.status} ${answer.error}`);
    return answer.body;
  }

  async function cursorOfNow(project: TestProject): Promise<string> {
    return (await read(project, {})).next_cursor;
  }

  /** Reads on until the wanted number of records was told. */
  async function follow(project: TestProject, after: string, count: number, query: Query = {}) {
    const told: LifecycleRecord[] = [];
    let cursor = after;
    await eventually(async () => {
      const page = await read(project, { wait_seconds: 1, ...query, after: cursor });
      cursor = page.next_cursor;
      told.push(...page.lifecycle);
      if (told.length < count) throw new Error(`${told.length} records were told, not ${count}`);
    });
    return { told, cursor };
  }

  async function opened(client: IncidentClient): Promise<string> {
    await client.send(EX());
    const { incident_id } = await client.only();
    await client.settled();
    return parseId(['inc'], incident_id) ?? '';
  }

  const spike = (client: IncidentClient, incidentId: string) => ({
    kind: 'incident.spike_detected' as const,
    projectId: parseId(['proj'], client.project.projectId) ?? '',
    incidentId,
    data: {},
  });

  it('begins with now, and then tells what happened, in order and each record once', async () => {
    const client = await connect(culprit);
    const { project } = client;
    const start = await read(project, {});
    expect(start.lifecycle).toEqual([]);
    await client.send(EX());
    const { incident_id, title } = await client.only();
    const { told, cursor } = await follow(project, start.next_cursor, 2);
    expect(told).toMatchObject([
      {
        kind: 'incident.opened',
        project_id: project.projectId,
        incident_id,
        improvement_id: null,
        bundle_id: null,
        title,
        severity: 'high',
        status: 'open',
        environment: 'production',
        service_name: 'checkout-api',
        occurrence_count: 1,
        webhook: null,
      },
      { kind: 'bundle.created', bundle_id: incident_id.replace('inc_', 'bun_') },
    ]);
    expect((await read(project, { after: cursor })).lifecycle).toEqual([]);
    const again = await read(project, { after: start.next_cursor, limit: 1 });
    expect(again.lifecycle).toEqual(told.slice(0, 1));
    expect((await read(project, { after: again.next_cursor })).lifecycle).toEqual(told.slice(1));
    const bundles = await read(project, { after: start.next_cursor, kinds: 'bundle.created,bundle.updated' });
    expect(bundles.lifecycle).toEqual(told.slice(1));
  });

  it('waits for something to tell, and is woken by the commit', async () => {
    const client = await connect(culprit);
    const after = await cursorOfNow(client.project);
    const waiting = read(client.project, { after, wait_seconds: 25 });
    await client.send(EX());
    expect((await waiting).lifecycle.map(({ kind }) => kind)).toContain('incident.opened');
  });

  it('skips no record of a transaction that began earlier and commits later', async () => {
    const client = await connect(culprit);
    const start = await cursorOfNow(client.project);
    const incidentId = await opened(client);
    // Behind its opening and its bundle, whatever transactions of others held them back.
    const { cursor: after } = await follow(client.project, start, 2);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isWritten = () => {};
    const written = new Promise<void>((resolve) => {
      isWritten = resolve;
    });
    const early = culprit.database.transaction(async (transaction) => {
      insertLifecycleEvents(transaction, [spike(client, incidentId)]);
      // Answered behind it.
      await transaction.query({ name: 'test-written', text: 'select 1 as one' });
      isWritten();
      await held;
    });
    await written;
    await client.resolve(`inc_${incidentId}`);
    const between = await read(client.project, { after });
    expect(between.lifecycle).toEqual([]);
    const waiting = follow(client.project, between.next_cursor, 2, { wait_seconds: 25 });
    release();
    await early;
    const { told } = await waiting;
    expect(told.map(({ kind }) => kind)).toEqual(['incident.spike_detected', 'incident.resolved']);
  });

  it('carries on request what a webhook would be sent', async () => {
    const client = await connect(culprit);
    const { project } = client;
    const after = await cursorOfNow(project);
    const incidentId = await opened(client);
    await client.resolve(`inc_${incidentId}`);
    const { told } = await follow(project, after, 3, { webhooks: 1 });
    expect(told.map(({ kind, webhook }) => [kind, webhook?.event ?? null])).toEqual([
      ['incident.opened', null],
      ['bundle.created', 'bundle.created'],
      ['incident.resolved', 'bundle.resolved'],
    ]);
    expect(JSON.parse(told[1]?.webhook?.body ?? '')).toMatchObject({
      event: 'bundle.created',
      bundle_id: `bun_${incidentId}`,
      project_id: project.projectId,
    });
  });

  it('tells a person of their projects only', async () => {
    const [mine, other] = [await connect(culprit), await connect(culprit)];
    const after = await cursorOfNow(other.project);
    const incidentId = await opened(mine);
    expect((await read(other.project, { after })).lifecycle).toEqual([]);
    const foreign = await apiOf(other.project).call(listLifecycle, {
      query: { project_id: mine.project.projectId },
    });
    expect(foreign).toMatchObject({ status: 404, error: 'project_not_found' });
    // The feed waits for transactions that are open anywhere in the cluster, which other tests use too.
    await eventually(async () => {
      const named = await read(mine.project, { after, project_id: mine.project.projectId });
      expect(named.lifecycle[0]?.incident_id).toBe(`inc_${incidentId}`);
    });
  });

  it.each<[string, (parts: string[]) => string[]]>([
    ['older than 30 days', ([, ...rest]) => [new Date(Date.now() - 31 * 86_400_000).toISOString(), ...rest]],
    ['of another database', ([time = '', , ...rest]) => [time, newUuid(), ...rest]],
    ['that is no place', ([time = '', feed = '']) => [time, feed, '-1', '0']],
    ['that is cut', (parts) => parts.slice(0, 3)],
  ])('refuses a cursor %s', async (_, change) => {
    const project = await culprit.createProject();
    const parts = decodeCursor(await cursorOfNow(project), 4) ?? [];
    const answer = await apiOf(project).call(listLifecycle, {
      query: { after: encodeCursor(change(parts)) },
    });
    expect(answer).toMatchObject({ status: 400, error: 'invalid_query' });
  });

  it('refuses kinds that there are not', async () => {
    const project = await culprit.createProject();
    const answer = await apiOf(project).call(listLifecycle, {
      query: { kinds: 'incident.opened,incident.x' },
    });
    expect(answer).toMatchObject({ status: 400, error: 'invalid_query' });
  });

  it('lets one person wait twenty times at once, and takes back the places of clients that are gone', async () => {
    const project = await culprit.createProject();
    const after = await cursorOfNow(project);
    const leave = new AbortController();
    const wait = () =>
      apiOf(project).call(listLifecycle, {
        query: { after, wait_seconds: 25 },
        signal: leave.signal,
      });
    // A request that a busy process refused, or that waited in vain, is made again.
    async function holdPlace(): Promise<void> {
      while (!leave.signal.aborted) await wait();
    }
    const waiting = Array.from({ length: 20 }, holdPlace);
    await eventually(async () => {
      const answer = await apiOf(project).call(listLifecycle, {
        query: { after, wait_seconds: 1 },
      });
      expect(answer).toMatchObject({ status: 429, error: 'rate_limited', retryAfterSeconds: 5 });
    });
    expect((await read(project, { after })).lifecycle).toEqual([]);
    leave.abort();
    await Promise.all(waiting);
    await eventually(async () => {
      expect((await read(project, { after, wait_seconds: 1 })).lifecycle).toEqual([]);
    });
  });

  it('answers those who wait when the service stops', async () => {
    const stopping = await startCulprit({ hasWorker: false });
    const project = await stopping.createProject();
    const api = createClient({ baseUrl: stopping.url, token: project.memberToken });
    const now = await api.call(listLifecycle);
    if (!now.ok) throw new Error(now.error);
    const waiting = api.call(listLifecycle, { query: { after: now.body.next_cursor, wait_seconds: 25 } });
    await eventually(async () => {
      const [row] = await stopping.database.query<{ listening: number }>({
        name: 'test-listening',
        text: `select count(*) as listening from pg_stat_activity
          where application_name = 'culprit-listen' and datname = current_database() and query like 'listen%'`,
      });
      expect(row?.listening).toBe(1);
    });
    await stopping.stop();
    expect(await waiting).toMatchObject({ ok: true, body: { lifecycle: [] } });
  });
});
