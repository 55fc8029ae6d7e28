import { setTimeout as delay } from 'node:timers/promises';

/**
 * Distinguishes a slow server from one that no longer answers any connection, or no longer this one
 * (docs/contract/reliability.md A6).
 */
interface ServerWatch {
  /**
   * Returns the server's answer to `ask`. When the server turns out to be silent, all waiting calls fail immediately,
   * and later calls fail without a request, until the server answers again.
   * @param processId the server process that receives the request
   */
  answerTo<Result>(processId: number | null, ask: () => Promise<Result>): Promise<Result>;
  /** Throws while the server is silent. */
  assertAnswering(): void;
  stop(): void;
}

/** The result of an inspection of the server: which of its processes are idle. Null when the server does not answer. */
export type Inspection = { isIdle: (processId: number) => boolean } | null;

interface ServerWatchOptions {
  /** The time that an answer can be missing before the server is inspected. */
  silentAfterMs: number;
  /** Queries the server on a separate connection, with a separate limit; never rejects. */
  inspect: (processIds: readonly number[]) => Promise<Inspection>;
  /** Ends those of them that have nothing to do; never rejects. */
  end: (processIds: readonly number[]) => Promise<void>;
  /** Connections that were made before are not to be trusted. */
  onLost: () => void;
  lostError: (message: string) => Error;
}

/**
 * `silentAfterMs` of pools for which people and clients wait. With the wait for a connection before it and the
 * inspection after it, each of a second, a caller waits at most three seconds for the answer that the database is away.
 */
export const ANSWER_SILENT_AFTER_MS = 1000;
/**
 * The limits of the workers' pools, whose callers have no one waiting for them: on a machine so busy that connections
 * are slow, such as at the first start, work that fails at a limit is only repeated.
 */
export const WORK_PATIENCE = { connectTimeoutMs: 5000, silentAfterMs: 2000 } as const;

const INSPECT_AGAIN_MS = 250;
/** An answer can be in transit, or received and not read yet, when the process that sent it is already idle. */
const IDLE_INSPECTIONS_MAX = 2;

interface Waiting {
  processId: number | null;
  fail: (error: Error) => void;
  /** It waited for another `silentAfterMs` since the server was inspected for it. */
  isDue: boolean;
  idleProbes: number;
}

/** Slow statements cost one inspection each `silentAfterMs`. */
export function watchServer(options: ServerWatchOptions): ServerWatch {
  const { silentAfterMs, inspect, end, onLost, lostError } = options;
  const waiting = new Set<Waiting>();
  let answers = 0;
  let isProbing = false;
  let isSilent = false;
  let isStopped = false;

  async function inspectDue(): Promise<void> {
    if (isProbing || isSilent || isStopped) return;
    const due = [...waiting].filter((each) => each.isDue);
    for (const each of due) each.isDue = false;
    const answersBefore = answers;
    isProbing = true;
    const found = await inspect(processIdsOf(due));
    isProbing = false;
    if (found !== null) judge(due, found.isIdle);
    // If new connections are slow, an answer on an old one is as good.
    else if (answers === answersBefore && !isStopped) await waitWhileSilent();
  }

  function judge(due: readonly Waiting[], isIdle: (processId: number) => boolean): void {
    const lost = due.filter((each) => {
      each.idleProbes = each.processId !== null && isIdle(each.processId) ? each.idleProbes + 1 : 0;
      return waiting.has(each) && each.idleProbes >= IDLE_INSPECTIONS_MAX;
    });
    if (lost.length === 0) return;
    onLost();
    for (const { fail } of lost) fail(lostError('the connection to the server is lost'));
    void end(processIdsOf(lost));
  }

  async function waitWhileSilent(): Promise<void> {
    isSilent = true;
    onLost();
    const lost = processIdsOf([...waiting]);
    for (const { fail } of waiting) fail(silence());
    while (!isStopped && (await inspect([])) === null)
      await delay(INSPECT_AGAIN_MS, undefined, { ref: false });
    isSilent = false;
    if (!isStopped) void end(lost);
  }

  function silence(): Error {
    return lostError('the server does not answer');
  }

  return {
    async answerTo(processId, ask) {
      if (isSilent) throw silence();
      const { promise: failure, reject: fail } = Promise.withResolvers<never>();
      const own: Waiting = { processId, fail, isDue: false, idleProbes: 0 };
      waiting.add(own);
      const timer = setInterval(() => {
        // After a pause of this process the answer may be there and only not read yet.
        setImmediate(() => {
          own.isDue = waiting.has(own);
          if (own.isDue) void inspectDue();
        });
      }, silentAfterMs);
      try {
        const answer = await Promise.race([ask(), failure]);
        answers += 1;
        return answer;
      } finally {
        clearInterval(timer);
        waiting.delete(own);
      }
    },
    assertAnswering() {
      if (isSilent) throw silence();
    },
    stop() {
      isStopped = true;
    },
  };
}

function processIdsOf(waiting: readonly Waiting[]): number[] {
  return waiting.flatMap(({ processId }) => processId ?? []);
}
