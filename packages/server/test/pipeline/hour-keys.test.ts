import type { EventType } from '@culprit/evidence/events/normalize/event';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSharingIncidents } from '../../src/pipeline/incidents/processing/attach-context.ts';
import {
  ensureEventPartition,
  insertEventRows,
} from '../../src/pipeline/incidents/processing/evidence.queries.ts';
import { anyHour, hourKey, keysBetween } from '../../src/pipeline/stored-events/hour-keys.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { createTestDatabase } from '../support/test-database.ts';

/** Hashes of ids as rows of events have them, with the hour of receipt in front (docs/scaling.md). */

const HOUR = 3_600_000;
const NOON = Date.parse('2026-03-24T12:00:00Z');
const HASHES = [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 0x1234_5678_9abc_def0n, -0x1234_5678_9abc_def0n];
const MOMENTS = Array.from({ length: 50 }, (_, n) => NOON - 24 * HOUR + n * HOUR + n * 71_234);

let database: Database;
beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), connectionsMax: 1, applicationName: 'test' });
});
afterAll(() => database.close());

describe('the key of a hash', () => {
  it('is the same to the program and to the database, which looks for it in each hour', async () => {
    const cases = HASHES.flatMap((hash) => MOMENTS.map((atMs) => ({ hash, atMs })));
    const rows = await database.query<{ key: string; is_found: boolean }>(
      {
        name: 'test-keys',
        text: `select hour_key(hash, at)::text as key, hour_key(hash, at) = any (${anyHour('hash')}) as is_found
          from unnest($1::bigint[], $2::timestamptz[]) with ordinality as c (hash, at, n) order by n`,
      },
      [cases.map(({ hash }) => String(hash)), cases.map(({ atMs }) => new Date(atMs).toISOString())],
    );
    expect(rows).toEqual(
      cases.map(({ hash, atMs }) => ({ key: String(hourKey(hash, atMs)), is_found: true })),
    );
  });

  it('follows those of the hours before, and differs for hashes that differ', () => {
    const day = Array.from({ length: 16 }, (_, hour) => hourKey(-1n, NOON - 12 * HOUR + hour * HOUR));
    expect(day).toEqual([...day].sort((a, b) => (a < b ? -1 : 1)));
    expect(hourKey(1n, NOON)).not.toBe(hourKey(2n, NOON));
  });
});

describe('the keys of a span', () => {
  it('are those of its hours, the first and the last included', () => {
    const hash = 0x77n;
    expect(keysBetween(hash, NOON, NOON)).toEqual([hourKey(hash, NOON)]);
    expect(keysBetween(hash, NOON - 1, NOON)).toEqual([hourKey(hash, NOON - 1), hourKey(hash, NOON)]);
    const midnight = NOON + 12 * HOUR;
    expect(keysBetween(hash, midnight - HOUR, midnight + 1)).toEqual([
      hourKey(hash, midnight - HOUR),
      hourKey(hash, midnight),
    ]);
  });

  it('are those of a day at most', () => {
    const keys = keysBetween(5n, NOON - 100 * HOUR, NOON);
    expect(new Set(keys).size).toBe(24);
    expect(keys.length).toBe(24);
  });
});

describe('context of an hour', () => {
  it('is noticed by incidents with its ids, also in the next hour and on the next day', async () => {
    const projectId = newUuid();
    const trace = -0x55aa_0000_1111n;
    const midnight = NOON + 12 * HOUR;
    const [noon, lateNoon, night] = [NOON - HOUR / 2, NOON + HOUR / 2, midnight - HOUR / 4];
    const incidents = new Map<number, string>();
    for (const receivedAtMs of [noon, lateNoon, night]) {
      incidents.set(receivedAtMs, await occurrence(projectId, { trace }, receivedAtMs));
    }
    await occurrence(newUuid(), { trace }, noon);
    const at = (receivedAtMs: number, hashes: { trace?: bigint; request?: bigint } = { trace }) => ({
      event: { receivedAtMs, eventType: 'log_event' as const },
      hashes: { trace: null, request: null, session: null, ...hashes },
    });
    const idsOf = (...moments: number[]) => moments.map((moment) => incidents.get(moment)).sort();
    const found = async (nowMs: number, ...events: ReturnType<typeof at>[]) =>
      await database.transaction(async (transaction) =>
        (await findSharingIncidents(transaction, projectId, events, nowMs)).sort(),
      );

    expect(await found(NOON, at(NOON))).toEqual(idsOf(noon, lateNoon));
    expect(await found(noon + HOUR, at(noon + HOUR))).toEqual(idsOf(noon, lateNoon));
    expect(await found(noon + HOUR + 1, at(noon + HOUR + 1))).toEqual(idsOf(lateNoon));
    expect(await found(midnight + HOUR / 2, at(midnight + HOUR / 2))).toEqual(idsOf(night));
    // What waited for its worker.
    expect(await found(midnight, at(NOON))).toEqual(idsOf(noon, lateNoon));
    expect(await found(midnight, at(NOON, { trace: trace + 1n }), at(NOON, { request: trace }))).toEqual([]);
  });

  it('is what a document shows by that id: events of other types are not looked for', async () => {
    const projectId = newUuid();
    const [trace, request, session] = [101n, 102n, 103n];
    const incidentId = await occurrence(projectId, { trace, request, session }, NOON);
    const none = { trace: null, request: null, session: null };
    const findBy = async (eventType: EventType, hashes: Partial<Record<keyof typeof none, bigint>>) =>
      await database.transaction((transaction) =>
        findSharingIncidents(
          transaction,
          projectId,
          [{ event: { receivedAtMs: NOON, eventType }, hashes: { ...none, ...hashes } }],
          NOON,
        ),
      );
    const shown: [EventType, boolean, boolean, boolean][] = [
      ['log_event', true, true, false],
      ['request_event', true, true, true],
      ['probe_event', true, true, false],
      ['frontend_breadcrumb', true, false, true],
      ['frontend_exception', true, false, true],
      ['backend_exception', false, false, false],
      ['deploy_metadata', false, false, false],
    ];
    for (const [type, byTrace, byRequest, bySession] of shown) {
      const found = [
        await findBy(type, { trace }),
        await findBy(type, { request }),
        await findBy(type, { session }),
      ];
      expect([type, ...found]).toEqual([
        type,
        ...[byTrace, byRequest, bySession].map((is) => (is ? [incidentId] : [])),
      ]);
    }

    // The document of a job shows the exceptions of its run.
    await database.script(`
      insert into projects (project_id, name, slug, capture_preset, user_key, incident_key, deleted_at)
        values ('${projectId}', 'p', 'p', 'balanced', '', 'PP', culprit_now());
      insert into heartbeats (heartbeat_id, project_id, slug, environment, name, schedule_type, schedule_value, timezone,
          margin_minutes, max_runtime_minutes, failure_threshold, recovery_threshold, is_enabled, managed_by, ping_key,
          slot_opened_at, expected_at, judge_at)
        values ('${newUuid()}', '${projectId}', 's', 'e', 'n', 'interval', '1', 'UTC', 1, 1, 1, 1, true, 'member',
          '${newUuid()}', culprit_now(), culprit_now(), culprit_now())`);
    expect(await findBy('backend_exception', { trace })).toEqual([incidentId]);
    expect(await findBy('backend_exception', { request, session })).toEqual([]);
  });

  /** A counted event of an incident of its own. */
  async function occurrence(
    projectId: string,
    ids: { trace: bigint; request?: bigint; session?: bigint },
    receivedAtMs: number,
  ): Promise<string> {
    const keyOf = (hash: bigint | undefined) => (hash === undefined ? null : hourKey(hash, receivedAtMs));
    const incidentId = newUuid();
    await ensureEventPartition(database, receivedAtMs);
    await database.transaction(async (transaction) => {
      insertEventRows(transaction, projectId, [
        {
          service_id: newUuid(),
          incident_id: incidentId,
          batch_id: newUuid(),
          occurred_at: receivedAtMs,
          received_at: receivedAtMs,
          frame_offset: 0,
          frame_length: 0,
          record_offset: 0,
          library: 0,
          event_type: 0,
          event_class: 0,
          level: 4,
          is_counted: true,
          event_id: newUuid(),
          trace_hash: keyOf(ids.trace),
          request_hash: keyOf(ids.request),
          session_hash: keyOf(ids.session),
          report_key: null,
          id_hash: null,
          signal_key: null,
        },
      ]);
    });
    return incidentId;
  }
});
