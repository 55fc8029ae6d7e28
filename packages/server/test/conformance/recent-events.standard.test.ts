import { createClient } from '@culprit/contract/endpoints/client';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { listProbeResults, tailEvents } from '@culprit/contract/events/recent-events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { sendEvents } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX, LOG } from './incidents-fixtures.ts';

/** The newest events and what probes captured (docs/contract/server-additions.md S16, S19). */
describe.concurrent('the events of a project that were accepted just now', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const apiOf = (project: TestProject) => createClient({ baseUrl: culprit.url, token: project.memberToken });

  async function tail(project: TestProject, query: QueryOf<typeof tailEvents> = {}) {
    const answer = await apiOf(project).call(tailEvents, { params: { id: project.projectId }, query });
    if (!answer.ok) throw new Error(answer.error);
    return answer.body;
  }

  async function probes(project: TestProject, query: QueryOf<typeof listProbeResults> = {}) {
    const answer = await apiOf(project).call(listProbeResults, { params: { id: project.projectId }, query });
    if (!answer.ok) throw new Error(answer.error);
    return answer.body;
  }

  it('are followed from cursor to cursor, each once, with their incidents', async () => {
    const client = await connect(culprit);
    const { project } = client;
    const start = await tail(project);
    expect(start.events).toEqual([]);
    await client.send(EX(), LOG('warning', 'disk\nalmost full', { service: { name: 'mailer' } }));
    await client.processed();
    const { incident_id } = await client.only();
    const first = await tail(project, { after: start.cursor });
    expect(first.events).toMatchObject([
      {
        event_type: 'log_event',
        level: 'warning',
        text: 'disk almost full',
        service: 'mailer',
        incident_id: null,
      },
      { event_type: 'backend_exception', level: 'error', environment: 'production', incident_id },
    ]);
    expect((await tail(project, { after: first.cursor })).events).toEqual([]);
    await client.send(LOG('error', 'disk full'));
    const second = await tail(project, { after: first.cursor });
    expect(second.events.map(({ text }) => text)).toEqual(['disk full']);
    expect((await tail(project)).events).toHaveLength(3);
  });

  it('can be narrowed to a type, a level, a service, an environment and a text', async () => {
    const client = await connect(culprit);
    const { project } = client;
    await client.send(
      EX({ service: { environment: 'staging' } }),
      LOG('warning', 'Disk almost full'),
      LOG('error', 'network down', { service: { name: 'mailer' } }),
    );
    const texts = async (query: QueryOf<typeof tailEvents>) =>
      (await tail(project, query)).events.map(({ text }) => text.slice(0, 4));
    expect(await texts({ type: 'log_event' })).toEqual(['netw', 'Disk']);
    expect(await texts({ level: 'error', type: 'log_event' })).toEqual(['netw']);
    expect(await texts({ service: 'mailer' })).toEqual(['netw']);
    expect(await texts({ environment: 'staging' })).toHaveLength(1);
    expect(await texts({ q: 'DISK' })).toEqual(['Disk']);
    const broken = await apiOf(project).call(tailEvents, {
      params: { id: project.projectId },
      query: { after: 'yesterday' },
    });
    expect(broken).toMatchObject({ status: 400, error: 'invalid_query' });
  });

  it('are two hundred at most, the newest', async () => {
    const { project } = await connect(culprit);
    for (const half of [0, 1]) {
      const lines = Array.from({ length: 150 }, (_, n) => LOG('error', `line ${half * 150 + n}`));
      await sendEvents(culprit.url, project.projectToken, lines);
    }
    const { events } = await tail(project);
    expect(events).toHaveLength(200);
    expect(events[0]?.text).toBe('line 299');
    expect(events.at(-1)?.text).toBe('line 100');
  });

  it('tell what probes captured, newest first and page by page, redacted', async () => {
    const client = await connect(culprit, { preset: 'investigative' });
    const { project } = client;
    const activation = `act_${newUuid()}`;
    const probe = (n: number, activation_id: string | null = activation) => ({
      ...EX(),
      event_type: 'probe_event',
      event_id: newUuid(),
      payload: {
        label: `auth.${n}`,
        data: { n, password: 'hunter2' },
        ...(activation_id === null ? {} : { activation_id }),
        label_pattern: 'auth.*',
      },
    });
    const sent = await sendEvents(culprit.url, project.projectToken, [
      probe(1),
      probe(2),
      probe(3, `act_${newUuid()}`),
      EX(),
    ]);
    expect(sent.body).toMatchObject({ accepted: 4 });
    const all = await probes(project);
    expect(all).toMatchObject({
      results: [{ label: 'auth.3' }, { label: 'auth.2', activation_id: activation }, { label: 'auth.1' }],
      next_cursor: null,
    });
    expect(JSON.stringify(all)).not.toContain('hunter2');
    expect((await probes(project, { activation_id: activation })).results.map(({ label }) => label)).toEqual([
      'auth.2',
      'auth.1',
    ]);
    const labels: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof probes>> = await probes(project, {
        limit: 1,
        ...(cursor === null ? {} : { cursor }),
      });
      labels.push(...page.results.map(({ label }) => label));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(labels).toEqual(['auth.3', 'auth.2', 'auth.1']);
    expect((await probes((await connect(culprit)).project)).results).toEqual([]);
  });
});
