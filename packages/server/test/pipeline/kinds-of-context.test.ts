import { offerBits } from '@culprit/evidence/bundles/evidence/offers';
import type { EventType } from '@culprit/evidence/events/normalize/event';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findOfferedContext,
  notedKinds,
} from '../../src/pipeline/bundles/evidence/offered-context.queries.ts';
import {
  ensureEventPartition,
  insertEventRows,
} from '../../src/pipeline/incidents/processing/evidence.queries.ts';
import { eventTypeCode } from '../../src/pipeline/stored-events/event-codes.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { createTestDatabase } from '../support/test-database.ts';

/** Claims look only for kinds of context that the project sent and the incident was not offered (docs/scaling.md). */

const TRACE = 77n;
const EXCEPTIONS = offerBits('job_exception');
const NOW = Date.parse('2026-03-24T12:30:00Z');

let first: Database;
let second: Database;
beforeAll(async () => {
  const url = await createTestDatabase();
  first = openDatabase({ url, connectionsMax: 1, applicationName: 'test' });
  second = openDatabase({ url, connectionsMax: 1, applicationName: 'test' });
  await ensureEventPartition(first, NOW);
});
afterAll(async () => {
  await first.close();
  await second.close();
});

describe('the first event of a kind', () => {
  it.each<EventType>([
    'log_event',
    'request_event',
    'probe_event',
    'frontend_breadcrumb',
    'frontend_exception',
  ])('%s is found by the next claim, of another worker too', async (type) => {
    const { projectId, incidentId } = await makeIncident();
    expect(await findFrom(second, incidentId)).toEqual([]);
    await insert(first, projectId, { type });
    expect(await findFrom(second, incidentId)).toEqual([type]);
    expect(await findFrom(first, incidentId)).toEqual([type]);
  });

  it('is found by the claim that adds it', async () => {
    const { projectId, incidentId } = await makeIncident();
    const found = await first.transaction(async (transaction) => {
      insertEventRows(transaction, projectId, [row({ type: 'log_event' })]);
      return await findOfferedContext(transaction, [incidentId], false);
    });
    expect(found.get(incidentId)).toEqual(['log_event']);
  });

  it('is not remembered by a claim that was rolled back, and is by the one that repeats it', async () => {
    const { projectId, incidentId } = await makeIncident();
    const failed = first.transaction(async (transaction) => {
      insertEventRows(transaction, projectId, [row({ type: 'log_event' })]);
      await transaction.query({ name: 'test-fail', text: 'select 1 / $1::integer' }, [0]);
    });
    await expect(failed).rejects.toThrow();
    expect(await kindsOf(projectId)).toBe(0);
    await insert(first, projectId, { type: 'log_event' });
    expect(await findFrom(second, incidentId)).toEqual(['log_event']);
  });
});

describe('kinds that are noted', () => {
  it('are those that make a document look: exceptions, which may have none, are always looked for', () => {
    expect(notedKinds(['log_event', 'probe_event'])).toBe(offerBits('logs', 'probe_data'));
    expect(notedKinds(['frontend_breadcrumb', 'request_event'])).toBe(
      offerBits('frontend', 'request', 'response'),
    );
    expect(notedKinds(['backend_exception'])).toBe(0);
    expect(notedKinds(['log_event', 'backend_exception'])).toBe(0);
  });
});

describe('an incident', () => {
  it('that was offered a kind is not asked about it, unless a trail may show more', async () => {
    const { projectId, incidentId } = await makeIncident();
    await insert(first, projectId, { type: 'frontend_breadcrumb' });
    await offer(incidentId, offerBits('frontend', 'job_exception'));
    expect(await findFrom(second, incidentId)).toEqual([]);
    expect(await findFrom(second, incidentId, true)).toEqual(['frontend_breadcrumb']);
    await insert(first, projectId, { type: 'log_event' });
    expect((await findFrom(second, incidentId)).sort()).toEqual(['frontend_breadcrumb', 'log_event']);
  });

  it('that waits for exceptions of its trace finds them, which are not noted', async () => {
    const { projectId, incidentId } = await makeIncident();
    await insert(first, projectId, { type: 'backend_exception' });
    expect(await kindsOf(projectId)).toBe(0);
    expect(await findFrom(second, incidentId)).toEqual([]);
    await offer(incidentId, 0);
    expect(await findFrom(second, incidentId)).toEqual(['backend_exception']);
  });
});

async function findFrom(database: Database, incidentId: string, looksForAll = false): Promise<EventType[]> {
  const found = await database.transaction((transaction) =>
    findOfferedContext(transaction, [incidentId], looksForAll),
  );
  return found.get(incidentId) ?? [];
}

async function kindsOf(projectId: string): Promise<number> {
  const [found] = await first.query<{ offers: number }>(
    { name: 'test-kinds', text: 'select offers from context_kinds where project_id = $1' },
    [projectId],
  );
  return found?.offers ?? 0;
}

async function offer(incidentId: string, bits: number): Promise<void> {
  await first.query({ name: 'test-offer', text: 'update bundles set offers = $2 where incident_id = $1' }, [
    incidentId,
    bits,
  ]);
}

/** An incident with one occurrence, its primary one. Its document waits for no exceptions of a job. */
async function makeIncident(): Promise<{ projectId: string; incidentId: string }> {
  const [projectId, incidentId, eventId] = [newUuid(), newUuid(), newUuid()];
  await first.script(`
    insert into projects (project_id, name, slug, capture_preset, user_key, incident_key, deleted_at)
      values ('${projectId}', 'p', 'p', 'balanced', '', 'PP', culprit_now());
    insert into bundles (incident_id, project_id, status, offers)
      values ('${incidentId}', '${projectId}', 'ready', ${EXCEPTIONS});
    insert into incident_samples (incident_id, place, event_id, effective_at, received_at, severity, richness, roles,
        is_origin_bound, batch_id, frame_offset, frame_length, record_offset)
      values ('${incidentId}', 0, '${eventId}', '${MOMENT}', '${MOMENT}', 0, 0, '{highest_severity}', false,
        '${newUuid()}', 0, 0, 0)`);
  await insert(first, projectId, { type: 'backend_exception', incidentId, eventId });
  return { projectId, incidentId };
}

interface Inserted {
  type: EventType;
  incidentId?: string;
  eventId?: string;
}

async function insert(database: Database, projectId: string, inserted: Inserted): Promise<void> {
  await database.transaction(async (transaction) => {
    insertEventRows(transaction, projectId, [row(inserted)]);
  });
}

const MOMENT = new Date(NOW).toISOString();

function row({ type, incidentId, eventId }: Inserted) {
  return {
    service_id: newUuid(),
    incident_id: incidentId ?? null,
    batch_id: newUuid(),
    occurred_at: NOW,
    received_at: NOW,
    frame_offset: 0,
    frame_length: 0,
    record_offset: 0,
    library: 0,
    event_type: eventTypeCode(type),
    event_class: 0,
    level: -1,
    is_counted: incidentId !== undefined,
    event_id: eventId ?? newUuid(),
    trace_hash: TRACE,
    request_hash: null,
    session_hash: null,
    report_key: null,
    id_hash: null,
    signal_key: null,
  };
}
