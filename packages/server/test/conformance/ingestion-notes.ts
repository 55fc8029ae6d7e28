import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { expect } from 'vitest';

import { clientOf } from '../support/incident-client.ts';
import { readOccurrences, readStoredBatches } from '../support/stored-events.ts';
import type { CaseWorld, PlanName } from './case-world.ts';

type Note = (world: CaseWorld) => Promise<void>;

/** What each `note` of the checklist says beyond the answers. */
export const NOTES: ReadonlyMap<string, Note> = new Map<string, Note>([
  ['the third is 10:30 UTC', expectTimeOfThird],
  ['stored message has 16384 characters and ends with [Truncated]', expectCutMessage],
  ['incident occurrence count is 1 after processing', (world) => expectOneOccurrence(world, 'solo')],
  ['one occurrence', (world) => expectOneOccurrence(world, 'solo')],
  [
    'one occurrence in each project',
    async (world) => {
      await expectOneOccurrence(world, 'solo');
      await expectOneOccurrence(world, 'team');
    },
  ],
  ['401, 408, 409, 422, 429 and 500 open incidents; 200, 302, 400 and 404 do not', expectIncidentsOfStatuses],
]);

/** As the service reads them back; the times are too old to be those of the incident. */
async function expectTimeOfThird(world: CaseWorld): Promise<void> {
  const { projectId } = await world.project('solo');
  const times = (await readStoredBatches(world.culprit, projectId)).flatMap(({ records }) =>
    records.map(({ eventBytes }) => {
      const raw: unknown = JSON.parse(eventBytes.toString());
      if (!isJsonObject(raw)) throw new Error('the stored event is no object');
      const { occurredAtMs } = normalizeEvent(raw, { eventId: 'evt_x', receivedAtMs: Date.now() });
      return new Date(occurredAtMs).toISOString();
    }),
  );
  expect(times).toEqual(Array.from({ length: 3 }, () => '2026-03-24T10:30:00.123Z'));
}

/** Objects keep the bytes that were sent; the event as the service reads it back has the cut message. */
async function expectCutMessage(world: CaseWorld): Promise<void> {
  const { projectId } = await world.project('solo');
  const [record] = (await readStoredBatches(world.culprit, projectId)).flatMap((batch) => batch.records);
  const raw: unknown = JSON.parse(record?.eventBytes.toString() ?? 'null');
  if (!isJsonObject(raw)) throw new Error('the stored event is no object');
  const { payload } = normalizeEvent(raw, { eventId: 'evt_x', receivedAtMs: Date.now() });
  const message = payload.kind === 'exception' ? payload.message : '';
  expect({ length: message.length, end: message.slice(-12) }).toEqual({
    length: 16_384,
    end: 'x[Truncated]',
  });

  const client = clientOf(world.culprit, await world.project('solo'));
  const bundle = await client.bundle((await client.only()).incident_id);
  expect(bundle.context.error?.message).toMatch(/^x+\[Truncated\]$/);
}

async function expectOneOccurrence(world: CaseWorld, plan: PlanName): Promise<void> {
  await world.culprit.drain();
  const { projectId } = await world.project(plan);
  expect(await readOccurrences(world.culprit, projectId)).toEqual([
    { title: 'TypeError: total is undefined', occurrences: 1 },
  ]);
}

async function expectIncidentsOfStatuses(world: CaseWorld): Promise<void> {
  await world.culprit.drain();
  const { projectId } = await world.project('team');
  expect(await readOccurrences(world.culprit, projectId)).toEqual(
    [401, 408, 409, 422, 429, 500].map((status) => ({
      title: `GET /orders/{param} returned ${status}`,
      occurrences: 1,
    })),
  );
}
