import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeUnusedSlots } from '../../src/pipeline/incidents/grouping/slots.queries.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';

/** docs/contract/grouping.md 3: tables of slots never grow without bound, and what is decided stays. */

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await shareCulprit();
});
afterAll(() => culprit.stop());

const ORIGIN = 'https://shop.example';
const USERS = ['alice', 'bob', 'chen', 'dana', 'emil', 'farid'];

function log(message: string): object {
  return {
    event_type: 'log_event',
    timestamp: new Date().toISOString(),
    service: { name: 'shop', environment: 'production' },
    sdk: { name: 'custom', version: '1.0.0' },
    payload: { level: 'error', message, attributes: {} },
  };
}

interface Place {
  projectId: string;
  serviceId: string;
}

/** The service of a project after its first event. */
async function placeOf(client: IncidentClient): Promise<Place> {
  await client.send(log('nothing of this is learned'));
  await client.counted(1);
  const projectId = client.project.projectId.slice('proj_'.length);
  const [row] = await culprit.database.query<{ service_id: string }>(
    { name: 'test-service', text: 'select service_id from services where project_id = $1' },
    [projectId],
  );
  return { projectId, serviceId: row?.service_id ?? '' };
}

/** Slots as a service has them that learned much, told apart by their pattern. */
async function addSlots(
  { projectId, serviceId }: Place,
  slots: { pattern: string; count: number; isBrowser?: boolean; state?: 'open' | 'closed'; ageDays: number },
): Promise<void> {
  const { pattern, count, isBrowser = false, state = null, ageDays } = slots;
  await culprit.database.query(
    {
      name: 'test-add-slots',
      text: `insert into incident_slots (project_id, service_id, slot, is_browser, words, fingerprints, noted_at, pattern,
          opened_at, opened_by_event_id, closed_at)
        select $1, $2, decode(md5($4 || n), 'hex'), $5, '{a}', array[decode(md5(n::text), 'hex')],
          culprit_now() - interval '1 day' * $6, $4,
          case when $7::text is not null then culprit_now() - interval '2 days' end,
          case when $7 is not null then 'evt_1' end, case when $7 = 'closed' then culprit_now() end
        from generate_series(1, $3::integer) n`,
    },
    [projectId, serviceId, count, pattern, isBrowser, ageDays, state],
  );
}

async function slotsLeft({ projectId, serviceId }: Place): Promise<Record<string, number>> {
  const rows = await culprit.database.query<{ pattern: string; count: number }>(
    {
      name: 'test-slots-left',
      text: `select pattern, count(*) as count from incident_slots where project_id = $1 and service_id = $2
        group by pattern`,
    },
    [projectId, serviceId],
  );
  return Object.fromEntries(rows.map((row) => [row.pattern, row.count]));
}

async function removeUnused({ projectId, serviceId }: Place, isBrowser: boolean): Promise<void> {
  await culprit.database.transaction((transaction) =>
    removeUnusedSlots(transaction, projectId, { serviceId, isBrowser }),
  );
}

describe('the slots of a service', () => {
  it('are at most 50,000: those go that were not used for longest, and open and closed ones stay', async () => {
    const place = await placeOf(await connect(culprit));
    await addSlots(place, { pattern: 'open', state: 'open', count: 10, ageDays: 90 });
    await addSlots(place, { pattern: 'closed', state: 'closed', count: 5, ageDays: 90 });
    await addSlots(place, { pattern: 'old', count: 6000, ageDays: 30 });
    await addSlots(place, { pattern: 'recent', count: 43_985, ageDays: 1 });
    const full = { open: 10, closed: 5, old: 6000, recent: 43_985 };
    await removeUnused(place, false);
    expect(await slotsLeft(place)).toEqual(full);

    // A flood of browsers takes only slots of browsers away.
    await addSlots(place, { pattern: 'flood', isBrowser: true, count: 10_001, ageDays: 0 });
    await removeUnused(place, true);
    await removeUnused(place, false);
    expect(await slotsLeft(place)).toEqual({ ...full, flood: 5001 });

    await addSlots(place, { pattern: 'newest', count: 1, ageDays: 0 });
    await removeUnused(place, false);
    expect(await slotsLeft(place)).toEqual({ ...full, old: 1000, flood: 5001, newest: 1 });
  });

  it('open up to a bound of servers and one of browsers, beyond which messages stay apart', async () => {
    const client = await connect(culprit);
    const place = await placeOf(client);
    await addSlots(place, {
      pattern: 'of browsers',
      isBrowser: true,
      state: 'open',
      count: 5000,
      ageDays: 2,
    });
    await addSlots(place, { pattern: 'of servers', state: 'open', count: 4999, ageDays: 2 });
    // What browsers opened takes no room from servers, which have room for one more.
    await client.send(...USERS.map((user) => log(`User '${user}' could not sign in`)));
    await client.counted(3, 1, 1, 1, 1);
    await client.send(...USERS.map((user) => log(`Mailbox of '${user}' could not be opened`)));
    await client.counted(3, ...Array(10).fill(1));

    const token = await culprit.createProjectToken(client.project.projectId, [ORIGIN]);
    const browsed = USERS.map((user) => log(`Avatar of '${user}' could not be drawn`));
    const answer = await sendEvents(culprit.url, token, browsed, { origin: ORIGIN });
    expect(acknowledgement(answer)).toMatchObject({ accepted: USERS.length });
    await client.counted(3, ...Array(16).fill(1));
  });

  it('bring an incident at most 5,000 keys, and events of later words are counted there all the same', async () => {
    const client = await connect(culprit);
    const { projectId, serviceId } = await placeOf(client);
    await client.send(...USERS.map((user) => log(`User '${user}' could not sign in`)));
    const fused = (await client.counted(3, 1, 1, 1, 1)).find((each) => each.occurrence_count === 3);
    const incidentId = (fused?.incident_id ?? '').slice('inc_'.length);
    await culprit.database.query(
      {
        name: 'test-add-keys',
        text: `insert into incident_aliases (service_id, fingerprint_version, fingerprint, project_id, incident_id, origin,
            created_at)
          select $2, 'v2', sha256(n::text::bytea), $1, $3, 'slot', culprit_now() from generate_series(1, 5000) n`,
      },
      [projectId, serviceId, incidentId],
    );
    const keys = async () => {
      const [row] = await culprit.database.query<{ count: number }>(
        { name: 'test-keys', text: 'select count(*) as count from incident_aliases where incident_id = $1' },
        [incidentId],
      );
      return row?.count;
    };
    const before = await keys();
    for (const occurrences of [4, 5]) {
      await client.send(log("User 'hedy' could not sign in"));
      await client.counted(occurrences, 1, 1, 1, 1);
    }
    expect(await keys()).toBe(before);
  });
});
