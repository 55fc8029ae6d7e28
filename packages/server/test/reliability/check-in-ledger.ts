import type { Database } from '../../src/platform/db/database.ts';

/**
 * What a job knows of the check-ins it sent, against what is stored of them: an answered one is stored once, one without
 * an answer at most once, a refused one never (docs/contract/team-workflow.md 8.2).
 */
export interface CheckInLedger {
  /** Reports one message; a message that is sent again under its id is reported again. */
  note(checkInId: string, status: SentStatus, answer: CheckInAnswer): void;
  /** Check-ins with at least one sending of that answer. */
  count(answer: CheckInAnswer): number;
  judge(found: StoredCheckIns): CheckInVerdict;
}

/** `unknown` is a 503 or no answer at all. */
export type CheckInAnswer = 'accepted' | 'unknown' | 'refused';
export type SentStatus = 'in_progress' | 'ok' | 'error';

/** What the database has of the runs of a project. */
interface StoredCheckIns {
  runs: { checkInId: string; status: string }[];
  /** Runs that ended, as the days of their heartbeats count them. */
  days: { ok: number; error: number; others: number };
  /** Failures as occurrences of incidents. */
  failures: number;
}

/** Ids that break the promise, and sums that differ from the runs; all are empty when it was kept. */
interface CheckInVerdict {
  lost: string[];
  twice: string[];
  storedThoughRefused: string[];
  neverSent: string[];
  miscounted: string[];
}

export const ALL_STORED: CheckInVerdict = {
  lost: [],
  twice: [],
  storedThoughRefused: [],
  neverSent: [],
  miscounted: [],
};

export function createCheckInLedger(): CheckInLedger {
  const runs = new Map<string, Map<SentStatus, Set<CheckInAnswer>>>();

  function answersOf(checkInId: string, status: SentStatus): Set<CheckInAnswer> {
    return runs.get(checkInId)?.get(status) ?? new Set();
  }

  return {
    note(checkInId, status, answer) {
      const known = runs.get(checkInId) ?? new Map<SentStatus, Set<CheckInAnswer>>();
      runs.set(checkInId, known.set(status, answersOf(checkInId, status).add(answer)));
    },
    count: (answer) =>
      [...runs.values()].flatMap((run) => [...run.values()].filter((answers) => answers.has(answer))).length,
    judge(found) {
      const verdict = structuredClone(ALL_STORED);
      const stored = new Map<string, string>();
      for (const { checkInId, status } of found.runs) {
        if (stored.has(checkInId)) verdict.twice.push(checkInId);
        if (!runs.has(checkInId)) verdict.neverSent.push(checkInId);
        stored.set(checkInId, status);
      }
      for (const [checkInId, run] of runs) {
        const status = stored.get(checkInId);
        for (const [sent, answers] of run) {
          // The end of a run takes the place of its begin.
          const isStored = status !== undefined && (sent === 'in_progress' || sent === status);
          if (answers.has('accepted') && !isStored) verdict.lost.push(`${checkInId} ${sent}`);
          if (status === sent && answers.has('refused') && answers.size === 1)
            verdict.storedThoughRefused.push(`${checkInId} ${sent}`);
        }
      }
      const countOf = (wanted: string) => [...stored.values()].filter((status) => status === wanted).length;
      for (const [what, counted, ended] of [
        ['ok', found.days.ok, countOf('ok')],
        ['error', found.days.error, countOf('error')],
        ['others', found.days.others, 0],
        ['failures', found.failures, countOf('error')],
      ] as const) {
        if (counted !== ended) verdict.miscounted.push(`${what}: ${counted}, not ${ended}`);
      }
      return verdict;
    },
  };
}

export async function readStoredCheckIns(database: Database, projectId: string): Promise<StoredCheckIns> {
  const runs = await database.query<StoredCheckIns['runs'][number]>(
    {
      name: 'test-check-ins',
      text: `select check_in_id::text as "checkInId", status from heartbeat_runs where project_id = $1`,
    },
    [projectId],
  );
  const [sums] = await database.query<StoredCheckIns['days'] & { failures: number }>(
    {
      name: 'test-check-in-sums',
      text: `select coalesce(sum(ok), 0)::integer as ok, coalesce(sum(failed), 0)::integer as error,
          coalesce(sum(missed + timed_out + unknown), 0)::integer as others,
          (select count(*) from events where project_id = $1)::integer as failures
        from heartbeat_days where project_id = $1`,
    },
    [projectId],
  );
  const { failures = 0, ...days } = sums ?? { ok: 0, error: 0, others: 0 };
  return { runs, days, failures };
}
