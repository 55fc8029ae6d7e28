import { ActivityAnswer } from '@culprit/contract/incidents/incident-activity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ago, DAY, EX, HOUR, MINUTE, named, SUP } from './incidents-fixtures.ts';

/** What the rows of a list show besides the record (docs/contract/server-additions.md S3). */
describe.concurrent('the activity of incidents', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const isValid = compileValidator(ActivityAnswer);
  const isAnswer = (body: unknown): body is ActivityAnswer => isValid(body);

  async function activity(
    client: Pick<IncidentClient, 'get'>,
    incidentIds: readonly string[],
    query = '',
  ): Promise<ActivityAnswer> {
    const { status, body } = await client.get(
      `/v1/incidents/activity?incident_ids=${incidentIds.join()}${query}`,
    );
    if (status !== 200 || !isAnswer(body)) throw new Error(`answered ${status} ${JSON.stringify(body)}`);
    return body;
  }

  /** How many of these ages lie in each bucket of an answer. */
  function expectedCounts({ window }: ActivityAnswer, times: readonly string[]): number[] {
    const fromMs = Date.parse(window.from);
    const buckets = Array<number>((Date.parse(window.to) - fromMs) / window.bucket_seconds / 1000).fill(0);
    for (const time of times) {
      const bucket = Math.floor((Date.parse(time) - fromMs) / window.bucket_seconds / 1000);
      if (buckets[bucket] !== undefined) buckets[bucket] += 1;
    }
    return buckets;
  }

  const AGES = [0, 1, 40, 125, 200, 201, 600, 23 * 60, 30 * 60, 3 * 24 * 60, 6 * 24 * 60, 8 * 24 * 60];

  async function setRows(client: IncidentClient, change: string): Promise<void> {
    await culprit.database.query(
      {
        name: `test-hours-${change.length}`,
        text: `with these as (select incident_id from incidents where project_id = $1) ${change}`,
      },
      [parseId(['proj'], client.project.projectId)],
    );
  }

  it('counts occurrences by hour of a day, and by six hours of a week', async () => {
    const client = await connect(culprit);
    const times = AGES.map((minutes) => ago(minutes * MINUTE));
    await client.send(...times.map((timestamp) => EX({ timestamp })), named('Other'));
    const [first, second] = await client.counted(1, AGES.length);
    const id = (first?.occurrence_count === 1 ? second : first)?.incident_id ?? '';
    const day = await activity(client, [id]);
    expect(day.window.bucket_seconds).toBe(3600);
    expect(Date.parse(day.window.to) - Date.parse(day.window.from)).toBe(DAY);
    expect(Date.parse(day.window.to)).toBeGreaterThan(Date.parse(times[0] ?? ''));
    expect(day.activity).toMatchObject([{ incident_id: id, counts: expectedCounts(day, times) }]);
    const week = await activity(client, [id], '&window=7d');
    expect(week.window.bucket_seconds).toBe(6 * 3600);
    expect(week.activity[0]?.counts).toEqual(expectedCounts(week, times));
    expect(week.activity[0]?.counts.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(10);
  });

  it('counts the same after the minutes became hours, and each occurrence once', async () => {
    const client = await connect(culprit);
    await client.send(EX({ timestamp: ago(100 * MINUTE) }), EX({ timestamp: ago(90 * MINUTE) }));
    const { incident_id: id } = await client.only(2);
    await setRows(
      client,
      `update incident_minutes set minute = minute - 240 where incident_id in (select * from these)`,
    );
    const before = await activity(client, [id]);
    await client.send(EX({ timestamp: ago(100 * MINUTE + 4 * HOUR) }), EX());
    await client.only(4);
    const rows = await culprit.database.query<{ hours: number; minutes: number }>(
      {
        name: 'test-hours-and-minutes',
        text: `select (select sum(occurrences) from incident_hours where incident_id = $1)::integer as hours,
          (select sum(occurrences) from incident_minutes where incident_id = $1)::integer as minutes`,
      },
      [parseId(['inc'], id)],
    );
    expect(rows).toEqual([{ hours: 3, minutes: 1 }]);
    const after = await activity(client, [id]);
    const times = [100, 90, 100].map((minutes) => ago(minutes * MINUTE + 4 * HOUR));
    expect(before.activity[0]?.counts).toEqual(expectedCounts(before, times.slice(0, 2)));
    expect(after.activity[0]?.counts).toEqual(expectedCounts(after, [...times, ago(0)]));
  });

  it('counts what was there before hours were counted from the events', async () => {
    const client = await connect(culprit);
    const times = [0, 200, 300, 301].map((minutes) => ago(minutes * MINUTE));
    await client.send(...times.map((timestamp) => EX({ timestamp })));
    const { incident_id: id } = await client.only(4);
    await setRows(client, 'delete from incident_hours where incident_id in (select * from these)');
    expect((await activity(client, [id])).activity[0]?.counts.reduce((sum, count) => sum + count)).toBe(1);
    await setRows(
      client,
      `update incidents set hours_from = floor(extract(epoch from culprit_now()) / 3600)::integer - 2
       where incident_id in (select * from these)`,
    );
    const found = await activity(client, [id]);
    expect(found.activity[0]?.counts).toEqual(expectedCounts(found, times));
  });

  it('counts repeats that a library suppressed', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    await client.only();
    await client.send(SUP());
    const { incident_id: id } = await client.only(98);
    const [entry] = (await activity(client, [id])).activity;
    expect(entry?.counts.reduce((sum, count) => sum + count)).toBe(98);
  });

  it('names the users and the place of the failure', async () => {
    const client = await connect(culprit);
    const user = (id: string) => ({ context: { user: { id } } });
    await client.send(EX(user('u-1')), EX(user('u-2')), EX(user('u-1')), named('Placeless'));
    const found = await client.counted(1, 3);
    const ids = found.map(({ incident_id: id }) => id);
    await client.settled();
    const { activity: entries } = await activity(client, ids);
    expect(entries.map(({ incident_id: id }) => id)).toEqual(ids);
    const placed = entries[found.findIndex(({ occurrence_count: count }) => count === 3)];
    expect(placed).toMatchObject({
      affected_users: 2,
      top_frame: {
        function: 'renderTheme',
        file: '/srv/releases/20260324101500/src/checkout/theme.js',
        line: 42,
        column: 27,
      },
    });
    const other = entries.find((entry) => entry !== placed);
    expect(other).toMatchObject({ affected_users: null, top_frame: null });
  });

  it('leaves out what the member does not see, and names each incident once', async () => {
    const [client, foreign] = [await connect(culprit), await connect(culprit)];
    await client.send(EX());
    await foreign.send(EX());
    const [own, hidden] = [await client.only(), await foreign.only()];
    const uuid = parseId(['inc'], own.incident_id) ?? '';
    const asked = [hidden.incident_id, own.incident_id, `bun_${uuid}`, uuid, 'inc_zzz', 'nothing'];
    const { activity: entries } = await activity(client, asked);
    expect(entries.map(({ incident_id: id }) => id)).toEqual([own.incident_id]);
    const elsewhere = await connect(culprit);
    const path = `/v1/incidents/activity?incident_ids=${own.incident_id}&project_id=${elsewhere.project.projectId}`;
    expect(await client.get(path)).toMatchObject({ status: 404, body: { error: 'project_not_found' } });
  });

  it.each([
    '',
    'incident_ids=',
    'incident_ids=a,',
    'incident_ids=a,,b',
    'incident_ids=a%20b',
    `incident_ids=${Array(101).fill('a').join()}`,
    'incident_ids=a&window=1h',
    'incident_ids=a&limit=5',
  ])('refuses the query %s', async (query) => {
    const client = await connect(culprit);
    const answer = await client.get(`/v1/incidents/activity?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_query' } });
  });
});
