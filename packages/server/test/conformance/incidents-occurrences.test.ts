import { Occurrences } from '@culprit/contract/incidents/occurrences';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, DAY, DEP, EX, HOUR, MINUTE, named, SUP } from './incidents-fixtures.ts';

/** Occurrences over time (docs/contract/server-additions.md S4). */
describe.concurrent('the occurrences over time', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const isValid = compileValidator(Occurrences);
  const isAnswer = (body: unknown): body is Occurrences => isValid(body);

  async function occurrences(client: IncidentClient, subject: string, query = ''): Promise<Occurrences> {
    const { status, body } = await client.get(`/v1/${subject}/occurrences${query}`);
    if (status !== 200 || !isAnswer(body)) throw new Error(`answered ${status} ${JSON.stringify(body)}`);
    const buckets = (Date.parse(body.to) - Date.parse(body.from)) / 1000 / body.bucket_seconds;
    expect([body.counts.length, body.suppressed.length]).toEqual([buckets, buckets]);
    return body;
  }

  /** The bucket of a time. */
  function at(answer: Occurrences, time: string): number | undefined {
    const bucket = Math.floor((Date.parse(time) - Date.parse(answer.from)) / 1000 / answer.bucket_seconds);
    return answer.counts[bucket];
  }

  function span(fromMs: number, toMs = 0): string {
    return `?from=${ago(fromMs)}&to=${ago(toMs)}`;
  }

  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

  it('are counted in five minutes, hours or days, by the length of the span', async () => {
    const client = await connect(culprit);
    const times = [ago(MINUTE), ago(90 * MINUTE), ago(5 * HOUR), ago(40 * HOUR), ago(29 * DAY)];
    await client.send(...times.map((timestamp) => EX({ timestamp })), EX({ timestamp: times[2] ?? '' }));
    const { incident_id: id } = await client.only(6);
    const day = await occurrences(client, `incidents/${id}`);
    expect([day.bucket_seconds, sum(day.counts)]).toEqual([3600, 4]);
    expect([24, 25]).toContain(day.counts.length);
    expect(at(day, times[2] ?? '')).toBe(2);
    for (const [query, width, count] of [
      [span(2 * HOUR), 300, 2],
      [span(3 * HOUR), 3600, 2],
      [span(10 * DAY), 3600, 5],
      [span(31 * DAY), 86_400, 6],
      [span(399 * DAY), 86_400, 6],
      [`?from=${ago(31 * DAY)}`, 86_400, 6],
      [`?to=${ago(30 * HOUR)}`, 3600, 1],
      [`?from=${ago(-HOUR)}`, 300, 0],
    ] as const) {
      const answer = await occurrences(client, `incidents/${id}`, query);
      expect([answer.bucket_seconds, sum(answer.counts)], query).toEqual([width, count]);
    }
    const whole = await occurrences(client, `projects/${client.project.projectId}`, span(31 * DAY));
    expect(sum(whole.counts)).toBe(6);
  });

  it('have bounds that are whole buckets around the asked ones', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    const { incident_id: id } = await client.only();
    const query = '?from=2026-03-24T10:30:00Z&to=2026-03-24T14:00:00.001Z';
    const answer = await occurrences(client, `incidents/${id}`, query);
    expect(answer).toEqual({
      from: '2026-03-24T10:00:00.000Z',
      to: '2026-03-24T15:00:00.000Z',
      bucket_seconds: 3600,
      counts: [0, 0, 0, 0, 0],
      suppressed: [0, 0, 0, 0, 0],
      markers: [],
    });
  });

  it('tell apart what a library suppressed', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    await client.only();
    await client.send(SUP());
    const { incident_id: id } = await client.only(98);
    const answer = await occurrences(client, `incidents/${id}`, span(HOUR));
    expect([sum(answer.counts), sum(answer.suppressed)]).toEqual([98, 97]);
  });

  it('of a project are those of all its incidents and of no other project', async () => {
    const [client, foreign] = [await connect(culprit), await connect(culprit)];
    await foreign.send(EX());
    await client.send(named('One'), named('One', { timestamp: ago(3 * HOUR) }), named('Two'));
    await client.counted(1, 2);
    await foreign.only();
    const answer = await occurrences(client, `projects/${client.project.projectId}`);
    expect(sum(answer.counts)).toBe(3);
    expect(at(answer, ago(3 * HOUR))).toBe(1);
    const path = `/v1/projects/${foreign.project.projectId}/occurrences`;
    expect(await client.get(path)).toMatchObject({ status: 404, body: { error: 'project_not_found' } });
  });

  it('come with deploys, spikes and changes of state', async () => {
    const client = await connect(culprit);
    await client.send(DEP());
    await client.processed();
    await client.send(...Array.from({ length: 100 }, () => EX()));
    const incident = await client.only(100);
    const { incident_id: id, title } = incident;
    await client.resolve(id);
    await client.reopen(id);
    await client.resolve(id);
    await client.send(DEP({ timestamp: ago(0), payload: { version: '2', deployed_at: ago(MINUTE) } }));
    await client.processed();
    await client.send(EX());
    const { latest_deployment_id: deploymentId } = await client.only(101);
    const { markers } = await occurrences(client, `incidents/${id}`);
    const none = { until: null, deployment_id: null, label: null };
    const shown = markers.map(({ at: _, ...marker }) => marker);
    expect(shown).toEqual([
      { kind: 'deploy', until: null, deployment_id: expect.any(String), label: '2026.03.24.1' },
      { kind: 'deploy', until: null, deployment_id: deploymentId, label: '2' },
      {
        kind: 'spike',
        until: expect.any(String),
        deployment_id: markers[0]?.deployment_id,
        label: '2026.03.24.1',
      },
      { ...none, kind: 'resolved' },
      { ...none, kind: 'reopened' },
      { ...none, kind: 'resolved' },
      { kind: 'regressed', until: null, deployment_id: deploymentId, label: '2' },
    ]);
    const times = markers.map((marker) => marker.at);
    expect([...times].sort()).toEqual(times);
    const whole = await occurrences(client, `projects/${client.project.projectId}`);
    expect(whole.markers.map(({ kind, label }) => `${kind} ${label}`)).toEqual([
      'deploy checkout-api 2026.03.24.1',
      'deploy checkout-api 2',
      `spike ${title}`,
      `resolved ${title}`,
      `resolved ${title}`,
      `regressed ${title}`,
    ]);
    const before = await occurrences(client, `incidents/${id}`, span(DAY, 3 * HOUR));
    expect(before.markers).toEqual([]);
  });

  it.each([
    'from=yesterday',
    'to=2026-03-24',
    'from=2026-03-24T10:30:00Z&to=2026-03-24T10:30:00Z',
    'from=2026-03-24T10:30:00Z&to=2026-03-24T10:29:00Z',
    'from=2020-03-24T10:30:00Z&to=2026-03-24T10:29:00Z',
    'from=2020-03-24T10:30:00Z',
    'from=2025-01-01T10:30:00Z&to=2026-02-05T10:30:00Z',
    'bucket=hour',
  ])('refuse the query %s', async (query) => {
    const client = await connect(culprit);
    const path = `/v1/projects/${client.project.projectId}/occurrences?${query}`;
    expect(await client.get(path)).toMatchObject({ status: 400, body: { error: 'invalid_query' } });
  });
});
