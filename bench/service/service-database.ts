import { setTimeout as delay } from 'node:timers/promises';
import { type Database, openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { type ProcessorTime, processorTimeOf } from './processor-time.ts';
import type { BenchProject, Service } from './service.ts';

/** Looks into the database of the service: what was counted must be what was accepted. */
export interface ServiceDatabase {
  database: Database;
  /** Waits until `events` events of the project have their outcome; returns the moment of `performance.now()`. */
  untilProcessed(project: BenchProject, events: number): Promise<number>;
  /** Waits until no job of the lane could run now. */
  untilNothingIsDue(): Promise<void>;
  /** Fails unless exactly so many events were counted, each once, and none went another way. */
  assertCounted(project: BenchProject, events: number): Promise<void>;
  /** Returns the time that the service has used, without the connections of the benchmark. */
  processorTime(): Promise<ProcessorTime>;
  /** Returns the end of the write-ahead log: all bytes that were ever written to it. */
  logBytes(): Promise<number>;
  /**
   * Returns the bytes written to the log since `from`, by the relation that each record changes first; '' is the rest.
   */
  logBytesByRelation(from: number): Promise<Map<string, number>>;
  /** The next change of each page writes the whole page to the log. */
  checkpoint(): Promise<void>;
  /** The processes of PostgreSQL that serve these connections. */
  processIds(): Promise<Set<number>>;
  close(): Promise<void>;
}

const POLL_MS = 20;
const APPLICATION_NAME = 'culprit-bench';
const DRAIN_TIMEOUT_MS = 600_000;

/** The name of relation `c`; the partitions of a table share one. */
export const RELATION_NAME = "regexp_replace(c.relname, '_[0-9]{8}', '')";

export function openServiceDatabase(service: Service): ServiceDatabase {
  const database = openDatabase({
    url: service.databaseUrl,
    connectionsMax: 2,
    statementTimeoutMs: 300_000,
    applicationName: APPLICATION_NAME,
    // A connection that ends would leave its time among that of the service.
    idleTimeoutMs: 0,
  });

  async function fates(project: BenchProject): Promise<Map<string, number>> {
    const rows = await database.query<{ fate: string; events: number }>(
      {
        name: 'bench-fates',
        text: 'select fate, sum(events)::bigint as events from event_fates where project_id = $1 group by fate',
      },
      [project.projectId],
    );
    return new Map(rows.map((row) => [row.fate, row.events]));
  }

  async function until(isDone: () => Promise<boolean>, what: string): Promise<number> {
    const deadline = performance.now() + DRAIN_TIMEOUT_MS;
    while (!(await isDone())) {
      if (performance.now() > deadline) throw new Error(`${what} took too long`);
      await delay(POLL_MS);
    }
    return performance.now();
  }

  /** The role of the service may not do everything. The other role of the cluster has the same password. */
  async function asSuperuser<Result>(work: (superuser: Database) => Promise<Result>): Promise<Result> {
    const url = new URL(service.databaseUrl);
    url.username = 'postgres';
    const superuser = openDatabase({
      url: url.href,
      connectionsMax: 1,
      statementTimeoutMs: 300_000,
      applicationName: APPLICATION_NAME,
    });
    try {
      return await work(superuser);
    } finally {
      await superuser.close();
    }
  }

  async function processIds(): Promise<Set<number>> {
    const rows = await database.query<{ pid: number }>(
      { name: 'bench-processes', text: 'select pid from pg_stat_activity where application_name = $1' },
      [APPLICATION_NAME],
    );
    return new Set(rows.map(({ pid }) => pid));
  }

  return {
    database,
    processIds,
    processorTime: async () => processorTimeOf(service.pid, await processIds()),
    untilProcessed: (project, events) =>
      until(async () => {
        const byFate = await fates(project);
        byFate.delete('submitted');
        return [...byFate.values()].reduce((sum, count) => sum + count, 0) >= events;
      }, 'processing'),
    async untilNothingIsDue() {
      await until(async () => {
        const [row] = await database.query<{ due: boolean }>({
          name: 'bench-due',
          text: `select exists (select from jobs
            where run_at <= culprit_now() + interval '2 s' or leased_until > culprit_now()) as due`,
        });
        return row?.due === false;
      }, 'the queue');
    },
    async assertCounted(project, events) {
      const byFate = await fates(project);
      const [row] = await database.query<{ occurrences: number }>(
        {
          name: 'bench-occurrences',
          text: 'select coalesce(sum(occurrence_count), 0)::bigint as occurrences from incidents where project_id = $1',
        },
        [project.projectId],
      );
      const occurrences = row?.occurrences ?? 0;
      const isExact = byFate.get('submitted') === events && byFate.get('processed') === events;
      if (!isExact || byFate.size !== 2 || occurrences !== events) {
        throw new Error(
          `accepted ${events}, counted ${occurrences}, fates ${JSON.stringify(Object.fromEntries(byFate))}`,
        );
      }
    },
    async logBytes() {
      const [row] = await database.query<{ bytes: number }>({
        name: 'bench-log-bytes',
        text: "select (pg_current_wal_insert_lsn() - '0/0')::bigint as bytes",
      });
      return row?.bytes ?? 0;
    },
    logBytesByRelation: (from) =>
      asSuperuser(async (superuser) => {
        await superuser.script('create extension if not exists pg_walinspect');
        const rows = await superuser.query<{ relation: string; bytes: number }>(
          {
            name: 'bench-log-by-relation',
            text: `select coalesce(${RELATION_NAME}, '') as relation, sum(w.record_length)::bigint as bytes
              from pg_get_wal_block_info('0/0'::pg_lsn + $1::numeric, pg_current_wal_insert_lsn(), false) w
              left join pg_class c on c.relfilenode = w.relfilenode and w.reldatabase <> 0
              where w.block_id = 0 group by 1`,
          },
          [from],
        );
        return new Map(rows.map(({ relation, bytes }) => [relation, bytes]));
      }),
    checkpoint: () => asSuperuser((superuser) => superuser.script('checkpoint')),
    close: () => database.close(),
  };
}
