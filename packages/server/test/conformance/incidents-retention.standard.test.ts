import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient, incidentsIn } from '../support/incident-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { ageTo, danglingRows, keptRows, QUICK_LOOKS } from '../support/retention.ts';
import { ago, DAY, DEP, EX, EXR, HOUR, named } from './incidents-fixtures.ts';

/**
 * How long data is kept (docs/contract/incidents.md 8, A-62 to A-64). The clock only moves forward: each case begins
 * where it is.
 */
describe('the retention of a project', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  /** Where the clock stands before a case. */
  let startMs = 0;
  beforeAll(async () => {
    culprit = await startCulprit({ plans: HOSTED, ...QUICK_LOOKS });
  });
  afterAll(() => culprit.stop());
  beforeEach(async () => {
    startMs += 200 * DAY;
    await moveClock(culprit.database, startMs);
  });

  /** Lets time pass since the beginning of the case. */
  const pass = (durationMs: number) => ageTo(culprit, startMs + durationMs);
  const freeProject = async () => {
    client = await connect(culprit, { plan: 'free' });
  };

  async function answers(incidentId: string): Promise<number[]> {
    const paths = ['', '/bundle', '/reproduction', '/logs'];
    const found = await Promise.all(paths.map((path) => client.get(`/v1/incidents/${incidentId}${path}`)));
    return found.map(({ status }) => status);
  }

  async function objects(kind: 'raw' | 'bundles'): Promise<string[]> {
    const folder = `${culprit.objectDirectory}/${kind}/${parseId(['proj'], client.project.projectId)}`;
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  }

  //
  it('keeps an incident whose time is two years old until the window of its receipt is over', async () => {
    await freeProject();
    await client.send(EXR({ timestamp: ago(730 * DAY), context: { user_id: 'u-1' } }));
    const { incident_id } = await client.only();
    await client.bundle(incident_id);
    await pass(6 * DAY + 23 * HOUR);
    expect(await answers(incident_id)).toEqual([200, 200, 200, 200]);
    expect((await client.bundle(incident_id)).context.error?.name).toBe('TypeError');
    expect(await client.logs(incident_id)).toMatchObject([{ is_sampled: true }]);

    await pass(8 * DAY + HOUR);
    expect(await answers(incident_id)).toEqual([404, 404, 404, 404]);
    expect(await client.list()).toEqual([]);
    expect(await danglingRows(culprit)).toEqual({});
    await pass(8 * DAY + 3 * HOUR);
    expect(await keptRows(culprit, client.project.projectId)).toEqual({});
    expect([await objects('raw'), await objects('bundles')]).toEqual([[], []]);
  });

  //
  it('makes a new incident of the same bug afterwards', async () => {
    await freeProject();
    await client.send(EX());
    const before = await client.only();
    await client.bundle(before.incident_id);
    await pass(8 * DAY + HOUR);
    await client.send(EX());
    const after = await client.only();
    expect(after.incident_id).not.toBe(before.incident_id);
    expect(after.fingerprint).toBe(before.fingerprint);
    expect((await client.bundle(after.incident_id)).metadata.generation_number).toBe(1);
    expect((await client.ledger('incident.opened')).at(-1)?.incidentId).toBe(after.incident_id);
  });

  //
  it('answers a bundle after its raw events are gone, and says that they are', async () => {
    client = await connect(culprit, { plan: 'team' });
    await client.send(EX());
    const { incident_id } = await client.only();
    const bundle = await client.bundle(incident_id);
    await pass(29 * DAY);
    expect(await client.logs(incident_id)).toMatchObject([{ is_sampled: true }]);
    await pass(32 * DAY);
    expect(await client.logs(incident_id)).toMatchObject([{ is_sampled: false }]);
    expect(bundle.context.error).not.toBeNull();
    expect((await client.get(`/v1/incidents/${incident_id}/bundle`)).body).toEqual(bundle);
    await pass(32 * DAY + 2 * HOUR);
    expect(await objects('raw')).toEqual([]);
  });

  it('keeps what the bundle said of a primary event that is gone, when a lesser one comes', async () => {
    client = await connect(culprit, { plan: 'team' });
    const lead = { event_id: 'evt_lead', context: { severity: 'critical', user_id: 'u-1' } };
    await client.send(EXR(lead));
    const { incident_id } = await client.only();
    const before = await client.bundle(incident_id);
    await pass(32 * DAY);
    await client.send(EX({ event_id: 'evt_lesser', context: { git: { branch: 'late' } } }));
    const after = await client.bundle(incident_id, 2);
    expect(after.signal).toMatchObject({ signal_id: 'evt_lead', occurrence_count: 2, severity: 'critical' });
    for (const block of ['error', 'request', 'response'] as const) {
      expect(after.context[block]).toEqual(before.context[block]);
      expect(before.context[block]).not.toBeNull();
    }
    expect(after.summary).toMatchObject({
      likely_cause: before.summary.likely_cause,
      error_type: before.summary.error_type,
    });
    expect(after.reproduction).toEqual(before.reproduction);
    expect(after.metadata.created_at).toBe(before.metadata.created_at);
    expect(after.context.git?.branch).toBe('late');
    expect(after.context.occurrences?.items.map(({ event_id }) => event_id)).toEqual([
      'evt_lead',
      'evt_lesser',
    ]);
  });

  it('keeps an incident as long as events come or people work on it', async () => {
    await freeProject();
    await client.send(named('Alpha'), named('Beta'), named('Gamma'));
    const incidents = await client.counted(1, 1, 1);
    const byTitle = (title: string) =>
      incidents.find((incident) => incident.title.includes(title))?.incident_id ?? '';
    await pass(5 * DAY);
    await client.send(named('Alpha', { event_id: 'evt_later' }));
    await client.counted(2, 1, 1);
    await client.resolve(byTitle('Beta'));
    await pass(8 * DAY);
    const kept = (await client.list()).map(({ incident_id }) => incident_id).sort();
    expect(kept).toEqual([byTitle('Alpha'), byTitle('Beta')].sort());
    // A row goes by its own receipt.
    expect(await client.logs(byTitle('Alpha'))).toMatchObject([{ event_id: 'evt_later' }]);
    expect(await client.logs(byTitle('Beta'))).toEqual([]);
    await pass(13 * DAY);
    expect(await client.list()).toEqual([]);
  });

  it('leaves a cursor usable behind which incidents went', async () => {
    await freeProject();
    await client.send(named('Alpha'), named('Beta'));
    await client.counted(1, 1);
    await pass(2 * DAY);
    await client.send(named('Gamma'));
    await client.counted(1, 1, 1);
    const project = client.project.projectId;
    const first = await client.get(`/v1/incidents?project_id=${project}&limit=1`);
    expect(first.body).toMatchObject({ next_cursor: expect.any(String) });
    const cursor = Object(first.body).next_cursor;
    await pass(8 * DAY);
    const next = await client.get(
      `/v1/incidents?project_id=${project}&limit=1&cursor=${encodeURIComponent(cursor)}`,
    );
    expect(incidentsIn(next)).toEqual([]);
  });

  it('goes with the plan that is in force', async () => {
    const clients = new Map<string, IncidentClient>();
    for (const plan of ['free', 'solo', 'team'] as const) {
      const each = await connect(culprit, { plan });
      clients.set(plan, each);
      await each.send(EX(), DEP());
      await each.bundle((await each.only()).incident_id);
    }
    const state = async () => {
      const found: Record<string, string> = {};
      for (const [plan, each] of clients) {
        const [incident] = await each.list();
        const logs = incident === undefined ? [] : await each.logs(incident.incident_id);
        found[plan] = incident === undefined ? 'gone' : logs.some((row) => row.is_sampled) ? 'whole' : 'cut';
      }
      return found;
    };
    await pass(6.9 * DAY);
    expect(await state()).toEqual({ free: 'whole', solo: 'whole', team: 'whole' });
    await pass(8 * DAY);
    expect(await state()).toEqual({ free: 'gone', solo: 'whole', team: 'whole' });
    await pass(13.9 * DAY);
    expect(await state()).toMatchObject({ solo: 'whole', team: 'whole' });
    await pass(15 * DAY);
    expect(await state()).toMatchObject({ solo: 'cut', team: 'whole' });
    await pass(29.9 * DAY);
    expect(await state()).toMatchObject({ solo: 'cut', team: 'whole' });
    await pass(31 * DAY);
    expect(await state()).toEqual({ free: 'gone', solo: 'gone', team: 'cut' });
    await pass(89.9 * DAY);
    expect(await state()).toMatchObject({ team: 'cut' });
    await pass(91.2 * DAY);
    expect(await state()).toMatchObject({ team: 'gone' });
    await pass(91.4 * DAY);
    for (const { project } of clients.values())
      expect(await keptRows(culprit, project.projectId)).toEqual({});
  });

  it('follows a change of plan with the next cleaning', async () => {
    client = await connect(culprit, { plan: 'team' });
    await client.send(EX());
    await client.only();
    await pass(20 * DAY);
    await client.only();
    await culprit.database.query(
      {
        name: 'test-downgrade',
        text: `update organizations o set plan = 'free' from projects p
          where p.organization_id = o.organization_id and p.project_id = $1`,
      },
      [parseId(['proj'], client.project.projectId) ?? ''],
    );
    await pass(20 * DAY + 2 * HOUR);
    expect(await client.list()).toEqual([]);
  });
});
