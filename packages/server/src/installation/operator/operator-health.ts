import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import {
  CANARY_HOURS,
  type OperatorFinding,
  type OperatorHealth,
} from '@culprit/contract/workspace/operator';
import { readFigures } from '../../monitor/canary/canary.queries.ts';
import { countsOf } from '../../pipeline/ingest/list-event-fates.ts';
import type { Migration } from '../../platform/db/migrate.ts';
import { guardBytes } from '../../platform/objects/free-space.ts';
import type { Runtime } from '../../runtime.ts';
import { checkDatabase } from '../findings/check-database.ts';
import { checkMaps } from '../findings/check-maps.ts';
import type { Finding } from '../findings/finding.ts';
import { readLastBackup } from '../findings/findings.queries.ts';
import {
  type InstallationSettings,
  inspectSurroundings,
  wholeList,
} from '../findings/inspect-installation.ts';
import { listProcesses } from '../processes/processes.queries.ts';
import { readDatabaseFigures, sumAllFates, sumBatchBytes } from './operator-health.queries.ts';

/** The state of the queues; the metrics page shows the same. */
interface QueueInspection {
  lanes: { lane: string; waiting: number; due: number; oldestDueSeconds: number }[];
  deadLetters: number;
  oldestTransactionSeconds: number;
}

/** The sources of the operator's endpoints besides the runtime. */
export interface OperatorSources {
  settings: InstallationSettings;
  migrations: readonly Migration[];
  /** Every lane there is, those without jobs included. */
  lanes: readonly string[];
  inspect: () => Promise<QueueInspection>;
}

const HOURS = 24;
/** Four beats of a process. */
const PROCESS_AGE_MAX_SECONDS = 120;
/** Mail server, object store and base URL are asked this seldom, however many look. */
const SURROUNDINGS_CACHED_MS = 60_000;
const OBJECT_BYTES_CACHED_MS = 300_000;
const MAPS_CACHED_MS = 300_000;
/** One look at the database is enough for all who look at that time. */
const STATE_CACHED_MS = 2000;

/** Makes `GET /v1/operator/health`. */
export function createOperatorHealth(
  runtime: Runtime,
  sources: OperatorSources,
): () => Promise<OperatorHealth> {
  const { database, objects, maps, version, baseUrl, signIn } = runtime;
  const { settings } = sources;
  const surroundings = cached(SURROUNDINGS_CACHED_MS, () => inspectSurroundings(settings, true));
  const objectBytes = cached(OBJECT_BYTES_CACHED_MS, () => sumBatchBytes(database).catch(() => null));
  const ofMaps = cached(MAPS_CACHED_MS, () => checkMaps({ database, objects, maps }));

  async function findings(): Promise<OperatorFinding[]> {
    const [around, ofDatabase, aboutMaps] = await Promise.all([
      surroundings(),
      checkDatabase({ database, migrations: sources.migrations, settings, isServerExpected: true }),
      // The other look says why, where the database does not answer.
      ofMaps().catch(() => []),
    ]);
    return shownFindings(wholeList(around, [...ofDatabase, ...aboutMaps]));
  }

  return cached(STATE_CACHED_MS, async () => {
    const [figures, queues, processes, canary, fates, space, backup, size, found] = await Promise.all([
      readDatabaseFigures(database),
      sources.inspect(),
      listProcesses(database, PROCESS_AGE_MAX_SECONDS),
      settings.isCanaryOn ? readFigures(database, CANARY_HOURS) : null,
      sumAllFates(database, HOURS),
      objects.freeSpace(),
      readLastBackup(database),
      objectBytes(),
      findings(),
    ]);
    const byLane = new Map(queues.lanes.map((each) => [each.lane, each]));
    const names = new Set([...sources.lanes, ...byLane.keys()]);
    return {
      version,
      time: formatTimestamp(figures.now),
      started_at: formatTimestamp(performance.timeOrigin),
      settings: {
        mail: signIn.mailTransport === 'console' ? 'terminal' : signIn.mailTransport,
        object_store: settings.objectStore.kind,
        database_version: figures.version,
        embedded: settings.databaseUrl === null,
        base_url: baseUrl,
        signup: signIn.signup,
      },
      processes: processes.map(({ object_failures: _, started_at, seen_at, ...shown }) => ({
        ...shown,
        started_at: formatTimestamp(started_at),
        seen_at: formatTimestamp(seen_at),
      })),
      queues: [...names].map((lane) => {
        const { waiting = 0, due = 0, oldestDueSeconds = 0 } = byLane.get(lane) ?? {};
        return { lane, waiting, due, oldest_due_seconds: oldestDueSeconds };
      }),
      canary:
        canary === null
          ? null
          : {
              last_at: formatTimestamp(canary.last_at),
              incident_ms: canary.incident_ms,
              webhook_ms: canary.webhook_ms,
              failures_24h: canary.failures,
              series: canary.slowest,
            },
      fates_24h: countsOf(fates),
      dead_letters: queues.deadLetters,
      disk:
        space === null
          ? null
          : {
              free_bytes: space.freeBytes,
              total_bytes: space.totalBytes,
              guard_bytes: guardBytes(space, settings.freeSpaceMinBytes),
            },
      database: {
        size_bytes: figures.size_bytes,
        oldest_transaction_seconds: Math.max(0, queues.oldestTransactionSeconds),
      },
      objects: {
        size_bytes: size,
        failures_1h: processes.reduce((sum, { object_failures: failures }) => sum + failures, 0),
      },
      backup:
        backup === null
          ? null
          : {
              finished_at: formatTimestamp(backup.finished_at),
              directory: backup.directory,
              size_bytes: backup.size_bytes,
              missing_objects: backup.missing_objects,
            },
      findings: found,
    };
  });
}

/** Returns the findings that are wrong, then those that may be unintended. */
export function shownFindings(findings: readonly Finding[]): OperatorFinding[] {
  const shown = findings.flatMap(({ check, state, what, todo, sinceMs, command }): OperatorFinding[] =>
    state === 'ok'
      ? []
      : [
          {
            check,
            severity: state,
            what,
            since: sinceMs === null ? null : formatTimestamp(sinceMs),
            todo: todo ?? '',
            command,
          },
        ],
  );
  return shown.toSorted((a, b) => Number(b.severity === 'wrong') - Number(a.severity === 'wrong'));
}

/** Reads at most once in that time for all callers; a failure is not cached. */
function cached<Answer>(cachedMs: number, ask: () => Promise<Answer>): () => Promise<Answer> {
  let latest: { answer: Promise<Answer>; askedAtMs: number } | null = null;
  return () => {
    if (latest !== null && performance.now() - latest.askedAtMs < cachedMs) return latest.answer;
    const asked = { answer: ask(), askedAtMs: performance.now() };
    latest = asked;
    asked.answer.catch(() => {
      if (latest === asked) latest = null;
    });
    return asked.answer;
  };
}
