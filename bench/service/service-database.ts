import { setTimeout as delay } from 'node:timers/promises';
import { type Database, openDatabase } from '../../packages/server/src/platform/db/database.ts';
import { type ProcessorTime, processorTimeOf } from './processor-time.ts';
import type { BenchProject, Service } from './service.ts';

/** Looks into the database of the service: what was counted must be what was accepted. */
export interface ServiceDatabase {
  database: Database;
  /** Waits until so many events of the project have their fate; gives the moment of `performance.now()`. */
  untilProcessed(project: BenchProject, events: number): Promise<number>;
  /** Waits until no job of the lane could run now. */
  untilNothingIsDue(): Promise<void>;
  /** Fails unless exactly so many events were counted, each once, and none went another way. */
  assertCounted(project: BenchProject, events: number): Promise<void>;
  /** What the service has used, without the connections of the benchmark. */
  processorTime(): Promise<ProcessorTime>;
  /** The processes of PostgreSQL that serve these connections. */
  processIds(): Promise<Set<number>>;
  close(): Promise<void>;
}

const POLL_MS = 20;
const APPLICATION_NAME = 'culprit-bench';
const DRAIN_TIMEOUT_MS = 600_000;

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
    close: () => database.close(),
  };
}
