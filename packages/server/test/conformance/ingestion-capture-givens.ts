import type { CaptureRule } from '@culprit/contract/capture/capture';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { expect } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { eventually } from '../support/eventually.ts';
import { clientOf, type IncidentClient } from '../support/incident-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { acknowledgement, sendEvents, sendRequest } from '../support/send-events.ts';
import { readOccurrences } from '../support/stored-events.ts';
import type { CaseWorld } from './case-world.ts';

type Given = (world: CaseWorld) => Promise<void>;

const HOUR_MS = 3_600_000;
const DROP = { name: 'r', action: 'drop', matcher: { services: ['api-server'] } };

/** What each `given` of 9.4 and 9.5 asks for. */
export const CAPTURE_GIVENS: ReadonlyMap<string, Given> = new Map<string, Given>([
  [
    'solo has override capture_request_events all',
    (world) => world.saveOverrides('solo', { capture_request_events: 'all' }),
  ],
  [
    'an incident from A is resolved; a demote rule on error_name TypeError exists',
    async (world) => {
      const client = await clientOfSolo(world);
      await client.send(world.event('A'));
      await client.resolve((await client.only()).incident_id);
      await createRule(world, { name: 'r', action: 'demote', matcher: { error_name: 'TypeError' } });
    },
  ],
  [
    'A was processed; F is its incident fingerprint; rule drop with matcher {fingerprint {its version, value F}}',
    async (world) => {
      const client = await clientOfSolo(world);
      await client.send(world.event('A'));
      const { fingerprint, fingerprint_version: version } = await client.only();
      world.aliases.set('F', fingerprint);
      await createRule(world, {
        name: 'r',
        action: 'drop',
        matcher: { fingerprint: { version, value: fingerprint } },
      });
    },
  ],
  [
    'rule drop on services ["web"]',
    (world) => createRule(world, { ...DROP, matcher: { services: ['web'] } }),
  ],
  [
    'rule drop disabled; second rule drop whose expires_at has passed',
    async (world) => {
      await createRule(world, { ...DROP, enabled: false });
      await createRule(world, { ...DROP, expires_at: new Date(Date.now() + HOUR_MS).toISOString() });
      await moveClock(world.culprit.database, 2 * HOUR_MS);
    },
  ],
  ['rule drop matched 3 events and the worker is idle', matchThrice],
  [
    'incident inc_1 of solo has a ready bundle from FE',
    async (world) => {
      const client = await clientOfSolo(world);
      await client.send(world.event('FE'));
      const { incident_id } = await client.only();
      await client.bundle(incident_id);
      world.aliases.set('inc_1', incident_id);
    },
  ],
  ['inc_2 of solo has no bundle yet', makeIncidentWithoutBundle],
]);

/** What each `note` of 9.4 and 9.5 says beyond the answers. */
export const CAPTURE_NOTES: ReadonlyMap<string, Given> = new Map<string, Given>([
  [
    'the kept event opens no incident',
    async (world) => {
      await world.culprit.drain();
      expect(await readOccurrences(world.culprit, (await world.project('solo')).projectId)).toEqual([]);
    },
  ],
  [
    'incident stays resolved after processing',
    async (world) => {
      await world.culprit.drain();
      const client = await clientOfSolo(world);
      expect(await client.list()).toMatchObject([{ status: 'resolved', occurrence_count: 1 }]);
    },
  ],
  // Says why the answer is what it is.
  ['error_name 70 beats services 30', async () => {}],
]);

/** Creates a rule of `solo` as its owner. */
async function createRule(world: CaseWorld, body: JsonObject): Promise<void> {
  await createdRule(world, body);
}

/** The same, with the record that came back. */
export async function createdRule(world: CaseWorld, body: JsonObject): Promise<Pick<CaptureRule, 'id'>> {
  const { projectId } = await world.project('solo');
  const answer = await sendRequest(`${world.culprit.url}/v1/projects/${projectId}/capture-rules`, {
    token: await world.token('OWNER'),
    body: JSON.stringify(body),
  });
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 201 });
  const rule = isJsonObject(answer.body) ? answer.body.rule : null;
  if (!isJsonObject(rule ?? null) || typeof rule !== 'object' || rule === null || !('id' in rule)) {
    throw new Error('no rule came back');
  }
  return { id: String(rule.id) };
}

async function clientOfSolo(world: CaseWorld): Promise<IncidentClient> {
  return clientOf(world.culprit, await world.project('solo'));
}

async function matchThrice(world: CaseWorld): Promise<void> {
  await createRule(world, DROP);
  const { url } = world.culprit;
  const token = await world.token('SOLO');
  const answer = await sendEvents(url, token, [world.event('A'), world.event('A'), world.event('A')]);
  expect(acknowledgement(answer).errors).toHaveLength(3);
  // Matches are noted with the events and added up by the worker.
  await eventually(async () => {
    const [row] = await world.culprit.database.query<{ noted: number }>({
      name: 'test-noted-hits',
      text: 'select count(*) as noted from capture_rule_hits',
    });
    if (row?.noted !== 0) throw new Error(`${row?.noted} notes are not counted`);
  });
}

async function makeIncidentWithoutBundle(world: CaseWorld): Promise<void> {
  const client = await clientOfSolo(world);
  await client.send(world.event('A'));
  const { incident_id } = await client.only();
  await client.bundle(incident_id);
  await client.settled();
  await world.culprit.database.query(
    { name: 'test-forget-bundle', text: 'delete from bundles where incident_id = $1' },
    [parseId(['inc'], incident_id) ?? ''],
  );
  world.aliases.set('inc_2', incident_id);
}
