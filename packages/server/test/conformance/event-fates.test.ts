import { createClient } from '@culprit/contract/endpoints/client';
import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import {
  type EventFates,
  FATE_REASONS_MAX,
  FATE_WORDS,
  listEventFates,
} from '@culprit/contract/events/event-fates';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import type { TestCulprit, TestProject } from '../support/culprit.ts';
import { connect } from '../support/incident-client.ts';
import { ruleClient } from '../support/rule-client.ts';
import { sendEvents } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX, LOG } from './incidents-fixtures.ts';

/** What became of every event (docs/contract/server-additions.md S11). */
describe.concurrent('the fates of the events of a project', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  const HOUR_MS = 3_600_000;
  const firstDayMs = Math.floor(Date.now() / (24 * HOUR_MS)) * 24 * HOUR_MS - 10 * 24 * HOUR_MS;
  /** A day that retention leaves alone, by its number. */
  const day = (n: number) => new Date(firstDayMs + n * 24 * HOUR_MS).toISOString().slice(0, 10);

  async function read(project: TestProject, query: QueryOf<typeof listEventFates> = {}) {
    const api = createClient({ baseUrl: culprit.url, token: project.memberToken });
    return await api.call(listEventFates, { params: { id: project.projectId }, query });
  }

  async function fatesOf(
    project: TestProject,
    query: QueryOf<typeof listEventFates> = {},
  ): Promise<EventFates> {
    const answer = await read(project, query);
    if (!answer.ok) throw new Error(answer.error);
    return answer.body;
  }

  /** Every row has each word, and its fates are together what was submitted. */
  function expectSums(rows: readonly object[]): void {
    for (const row of rows) {
      const counts = new Map(Object.entries(row).filter(([word]) => FATE_WORDS.includes(word)));
      expect([...counts.keys()].sort()).toEqual([...FATE_WORDS].sort());
      const others = [...counts].reduce((sum, [word, n]) => (word === 'submitted' ? sum : sum + n), 0);
      expect(counts.get('submitted')).toBe(others);
    }
  }

  it('add up to what senders sent, by time, token and rule', async () => {
    const client = await connect(culprit);
    const { project } = client;
    const rule = await ruleClient(culprit.url, project).create({
      name: 'quiet',
      matcher: { services: ['quiet'] },
    });
    const second = await culprit.createProjectToken(project.projectId);
    const event = EX();
    await sendEvents(culprit.url, project.projectToken, [
      { ...event, event_id: 'evt-twice' },
      { ...event, event_id: 'evt-twice' },
      EX({ service: { name: 'quiet' } }),
      EX({ service: { name: 'quiet' } }),
      { event_type: 'log_event' },
    ]);
    await sendEvents(culprit.url, second, [LOG('debug', 'nobody wants this'), EX()]);
    await client.processed();

    const fates = await fatesOf(project);
    expect(fates.totals).toMatchObject({ submitted: 7, processed: 2, duplicate: 1, dropped: 2, invalid: 1 });
    expect(fates.totals).toMatchObject({ refused_by_policy: 1, waiting: 0 });
    expectSums([fates.totals, ...fates.series, ...fates.by_token]);
    expect(fates.series.reduce((sum, { submitted }) => sum + submitted, 0)).toBe(7);
    expect(fates.by_token.map(({ label, submitted }) => [label, submitted])).toEqual([
      ['bootstrap', 5],
      ['test', 2],
    ]);
    expect(fates.by_rule).toEqual([{ rule_id: rule.id, name: 'quiet', action: 'drop', events: 2 }]);

    await ruleClient(culprit.url, project).delete(rule.id);
    expect((await fatesOf(project)).by_rule).toEqual([
      { rule_id: rule.id, name: null, action: 'drop', events: 2 },
    ]);
  });

  it('have a reason for each rejected event, as many as there are, and the others together', async () => {
    const project = await culprit.createProject();
    const bad = (event_type: string) => ({ event_type });
    const { projectToken } = project;
    await sendEvents(culprit.url, projectToken, [
      ...Array.from({ length: 10 }, () => ({ ...EX(), service: 7 })),
      bad('nul\0 and \ud800'),
    ]);
    const { by_reason: reasons } = await fatesOf(project);
    expect(reasons.toSorted((a, b) => b.events - a.events)).toEqual([
      expect.objectContaining({
        label: 'bootstrap',
        events: 10,
        reason: 'invalid_event: invalid field "service"',
      }),
      expect.objectContaining({ events: 1, reason: 'Invalid event_type: nul  and \ufffd' }),
    ]);
    // Senders invent reasons: a request has few of its own, and so has an hour of a project.
    for (let request = 0; request < 8; request += 1) {
      await sendEvents(
        culprit.url,
        projectToken,
        Array.from({ length: 50 }, (_, n) => bad(`made up ${request} ${n}`)),
      );
    }
    const { by_reason: rows, totals } = await fatesOf(project);
    expect(rows.length).toBeLessThanOrEqual(FATE_REASONS_MAX);
    expect(rows.find(({ reason }) => reason === null)?.events).toBeGreaterThan(200);
    const [stored] = await culprit.database.query<{ rows: number; events: number }>(
      {
        name: 'test-rejections',
        text: `select max(rows) as rows, sum(events)::bigint as events from (
          select count(*) as rows, sum(events) as events from rejections where project_id = $1::uuid group by hour) h`,
      },
      [parseId(['proj'], project.projectId)],
    );
    expect(stored?.rows).toBeLessThanOrEqual(130);
    expect(stored?.events).toBe(totals.invalid);
  });

  it('count an accepted event as waiting until it is processed', async () => {
    const project = await culprit.createProject();
    await insertFates(project, [{ hour: `${day(0)}T10:00:00Z`, fate: 'submitted', events: 5 }]);
    await insertFates(project, [{ hour: `${day(0)}T10:00:00Z`, fate: 'processed', events: 3 }]);
    const fates = await fatesOf(project, { from: `${day(0)}T10:00:00Z`, to: `${day(0)}T11:00:00Z` });
    expect(fates.totals).toMatchObject({ submitted: 5, processed: 3, waiting: 2 });
    expectSums([fates.totals, ...fates.series, ...fates.by_token]);
  });

  it('come in whole hours or days of UTC, empty ones too', async () => {
    const project = await culprit.createProject();
    await insertFates(project, [
      { hour: `${day(0)}T23:00:00Z`, fate: 'submitted', events: 1 },
      { hour: `${day(2)}T00:00:00Z`, fate: 'submitted', events: 2 },
      { hour: `${day(3)}T00:00:00Z`, fate: 'submitted', events: 4 },
    ]);
    const days = await fatesOf(project, {
      from: `${day(0)}T13:30:00Z`,
      to: `${day(2)}T02:00:00+02:00`,
      bucket: 'day',
    });
    expect([days.from, days.to]).toEqual([`${day(0)}T00:00:00.000Z`, `${day(2)}T00:00:00.000Z`]);
    expect(days.series.map(({ at, waiting }) => [at.slice(0, 10), waiting])).toEqual([
      [day(0), 1],
      [day(1), 0],
    ]);
    const hours = await fatesOf(project, { from: `${day(1)}T23:59:00Z`, to: `${day(2)}T00:01:00Z` });
    expect(hours.series.map(({ at, waiting }) => [at.slice(11, 13), waiting])).toEqual([
      ['23', 0],
      ['00', 2],
    ]);
    const untold = await fatesOf(project);
    expect(untold.bucket).toBe('hour');
    const hoursTold = (Date.parse(untold.to) - Date.parse(untold.from)) / HOUR_MS;
    // Now lies inside an hour, or on its edge.
    expect([24, 25]).toContain(hoursTold);
    expect(untold.series).toHaveLength(hoursTold);
  });

  it.each([
    ['that ends before it begins', { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }],
    ['longer than 31 days', { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:01Z' }],
    ['that is no time', { from: 'yesterday' }],
    ['without a zone', { to: '2026-01-01T00:00:00' }],
  ])('are refused for a time %s', async (_, query) => {
    const project = await culprit.createProject();
    expect(await read(project, query)).toMatchObject({ status: 400, error: 'invalid_query' });
  });

  it('are those of the project alone', async () => {
    const [mine, other] = [await connect(culprit), await connect(culprit)];
    await mine.send(EX());
    await mine.processed();
    expect((await fatesOf(other.project)).totals.submitted).toBe(0);
    const api = createClient({ baseUrl: culprit.url, token: other.project.memberToken });
    const answer = await api.call(listEventFates, { params: { id: mine.project.projectId } });
    expect(answer).toMatchObject({ status: 404, error: 'project_not_found' });
  });

  /** Of a token that is gone. */
  async function insertFates(
    project: TestProject,
    rows: readonly { hour: string; fate: string; events: number }[],
  ): Promise<void> {
    for (const { hour, fate, events } of rows) {
      await culprit.database.query(
        {
          name: 'test-fate',
          text: `insert into event_fates (token_id, hour, fate, project_id, events) values ($1, $2, $3, $4, $5)`,
        },
        [parseId(['proj'], project.projectId), hour, fate, parseId(['proj'], project.projectId), events],
      );
    }
  }
});
