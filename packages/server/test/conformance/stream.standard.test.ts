import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertLifecycleEvents } from '../../src/pipeline/ledger/lifecycle.queries.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { openStream, type StreamReader } from '../support/event-stream.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/incident-client.ts';
import { newAddress } from '../support/people.ts';
import { sendEvents } from '../support/send-events.ts';
import { EX } from './incidents-fixtures.ts';

/** Hints of what changed, as server-sent events (docs/contract/server-additions.md S21). */
describe('the stream of changes', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ streamTimes: { commentMs: 200, maxAgeMs: 60_000 } });
  });
  afterAll(() => culprit.stop());

  const bearer = ({ memberToken }: Pick<TestProject, 'memberToken'>) => ({
    authorization: `Bearer ${memberToken}`,
  });

  async function opened(project: TestProject, query = ''): Promise<StreamReader> {
    const stream = await openStream(culprit.url, bearer(project), query);
    expect(await stream.next()).toMatchObject({ event: 'hello', data: { server_time: expect.any(String) } });
    return stream;
  }

  /** Reads until the stream names the incident. */
  async function toldOf(stream: StreamReader, incidentId: string) {
    for (;;) {
      const message = await stream.next();
      if (message === null) throw new Error('the stream ended');
      const { incident_ids: ids } = message.data;
      if (Array.isArray(ids) && ids.includes(incidentId)) return message;
    }
  }

  it('greets, and names what a commit changed', async () => {
    const client = await connect(culprit);
    const stream = await opened(client.project);
    await client.send(EX());
    const { incident_id } = await client.only();
    const message = await toldOf(stream, incident_id);
    expect(message.event).toBe('changed');
    expect(Object.keys(message.data).sort()).toEqual(['incident_ids', 'project_id', 'resources']);
    expect(message.data).toMatchObject({
      project_id: client.project.projectId,
      resources: expect.arrayContaining(['incidents']),
    });
    await stream.close();
  });

  it('says that events were rejected, once for a batch of them', async () => {
    const client = await connect(culprit);
    const stream = await opened(client.project);
    const bad = Array.from({ length: 10 }, () => ({ event_type: 'log_event' }));
    await sendEvents(culprit.url, client.project.projectToken, bad);
    expect((await stream.next())?.data).toEqual({
      project_id: client.project.projectId,
      resources: ['rejections'],
      incident_ids: [],
    });
    await client.send(EX());
    const { incident_id } = await client.only();
    expect((await toldOf(stream, incident_id)).data.resources).not.toContain('rejections');
    await stream.close();
  });

  it('says nothing of projects that the reader does not see or did not ask for', async () => {
    const [mine, other] = [await connect(culprit), await connect(culprit)];
    const stream = await opened(mine.project, `?project_id=${mine.project.projectId}`);
    await other.send(EX());
    await other.only();
    await mine.send(EX());
    const { incident_id } = await mine.only();
    const seen: unknown[] = [];
    for (;;) {
      const message = await stream.next();
      seen.push(message?.data.project_id);
      const ids = message?.data.incident_ids;
      if (Array.isArray(ids) && ids.includes(incident_id)) break;
    }
    expect(new Set(seen)).toEqual(new Set([mine.project.projectId]));
    await stream.close();
    const foreign = await openStream(
      culprit.url,
      bearer(mine.project),
      `?project_id=${other.project.projectId}`,
    );
    expect(foreign.status).toBe(404);
  });

  it('names no more than a hundred incidents', async () => {
    const { project } = await connect(culprit);
    const stream = await opened(project);
    const projectId = parseId(['proj'], project.projectId) ?? '';
    const write = (count: number) =>
      culprit.database.transaction(async (transaction) =>
        insertLifecycleEvents(
          transaction,
          Array.from({ length: count }, () => ({
            kind: 'bundle.updated' as const,
            projectId,
            incidentId: newUuid(),
            data: {},
          })),
        ),
      );
    await write(100);
    expect((await stream.next())?.data.incident_ids).toHaveLength(100);
    await write(101);
    expect((await stream.next())?.data).toEqual({
      project_id: project.projectId,
      resources: ['incidents', 'bundles'],
      incident_ids: null,
    });
    await stream.close();
  });

  it('ends when the session has ended, or the token was revoked', async () => {
    const person = await culprit.signIn(newAddress('reader'));
    const stream = await openStream(culprit.url, { cookie: person.cookie });
    expect((await stream.next())?.event).toBe('hello');
    await fetch(`${culprit.url}/v1/auth/logout`, {
      method: 'POST',
      headers: { cookie: person.cookie, 'x-csrf-token': person.csrfToken, origin: culprit.baseUrl },
    });
    await expectBye(stream, 'session_ended');

    const project = await culprit.createProject();
    const ofToken = await opened(project);
    await culprit.database.query(
      { name: 'test-revoke', text: 'update member_tokens set revoked_at = culprit_now() where user_id = $1' },
      [project.userId],
    );
    await expectBye(ofToken, 'session_ended');
  });

  it('ends when the reader has left the one project that they asked for', async () => {
    const project = await culprit.createProject();
    const stream = await opened(project, `?project_id=${project.projectId}`);
    await culprit.database.query(
      { name: 'test-leave', text: 'delete from project_members where user_id = $1' },
      [project.userId],
    );
    await expectBye(stream, 'session_ended');
    expect(stream.comments()).toBeLessThan(50);
  });

  it('is open six times for one token, and gives places back when clients leave', async () => {
    const project = await culprit.createProject();
    const streams = await Promise.all(Array.from({ length: 6 }, () => opened(project)));
    const refused = await fetch(`${culprit.url}/v1/stream`, { headers: bearer(project) });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('30');
    expect(await refused.json()).toEqual({ error: 'rate_limited' });
    await Promise.all(streams.map((stream) => stream.close()));
    await eventually(async () => {
      const again = await openStream(culprit.url, bearer(project));
      await again.close();
      expect(again.status).toBe(200);
    });
  });

  it('is open twenty times for one person, whatever they bring', async () => {
    const email = newAddress('many-browsers');
    const cookies: string[] = [];
    for (let browser = 0; browser < 4; browser += 1) cookies.push((await culprit.signIn(email)).cookie);
    const allowed = cookies.flatMap((cookie, index) =>
      Array.from({ length: index < 3 ? 6 : 2 }, () => cookie),
    );
    const streams = await Promise.all(allowed.map((cookie) => openStream(culprit.url, { cookie })));
    expect(streams.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const refused = await fetch(`${culprit.url}/v1/stream`, { headers: { cookie: cookies[3] ?? '' } });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    await Promise.all(streams.map((stream) => stream.close()));
  });

  it('ends at its greatest age, and says that the service stops', async () => {
    const short = await startCulprit({ hasWorker: false, streamTimes: { commentMs: 100, maxAgeMs: 300 } });
    const project = await short.createProject();
    const old = await openStream(short.url, bearer(project));
    expect((await old.next())?.event).toBe('hello');
    await expectBye(old, 'max_age');
    expect(old.comments()).toBeGreaterThan(0);
    await short.stop();

    const long = await startCulprit({ hasWorker: false });
    const reader = await openStream(long.url, bearer(await long.createProject()));
    expect((await reader.next())?.event).toBe('hello');
    const unread = await openStream(long.url, bearer(await long.createProject()));
    const stopped = long.stop();
    await expectBye(reader, 'shutting_down');
    await stopped;
    expect(unread.status).toBe(200);
  });

  async function expectBye(stream: StreamReader, reason: string): Promise<void> {
    for (;;) {
      const message = await stream.next();
      if (message?.event === 'changed') continue;
      expect(message).toEqual({ event: 'bye', data: { reason } });
      break;
    }
    expect(await stream.next()).toBeNull();
  }
});
