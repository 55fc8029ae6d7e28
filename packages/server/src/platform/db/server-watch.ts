import { setTimeout as delay } from 'node:timers/promises';

/**
 * Tells a server that is slow from one that answers nobody, or not this connection, any more
 * (docs/contract/reliability.md A6).
 */
export interface ServerWatch {
  /**
   * Gives what the server answers to `ask`. When the server turns out to be silent, everything that waits fails at
   * once, and what comes later fails without being asked, until the server answers again.
   * @param processId of the server process that is asked
   */
  answerTo<Result>(processId: number | null, ask: () => Promise<Result>): Promise<Result>;
  /** Throws while the server is silent. */
  assertAnswering(): void;
  stop(): void;
}

/** What an inspection of the server shows: which of its processes have nothing to do. Null when nobody answers. */
export type Inspection = { isIdle: (processId: number) => boolean } | null;

export interface ServerWatchOptions {
  /** How long an answer may be missing before the server is inspected. */
  silentAfterMs: number;
  /** Asks on a connection of its own, with a limit of its own; never rejects. */
  inspect: (processIds: readonly number[]) => Promise<Inspection>;
  /** Ends those of them that have nothing to do; never rejects. */
  end: (processIds: readonly number[]) => Promise<void>;
  /** Connections that were made before are not to be trusted. */
  onLost: () => void;
  lostError: (message: string) => Error;
}

/**
 * `silentAfterMs` of pools that people and clients wait for. With the wait for a connection before it and the inspection
 * after it, each of a second, nobody waits longer than three for the answer that the database is away.
 */
export const ANSWER_SILENT_AFTER_MS = 1000;
/**
 * Of the pools of workers, whose callers nobody waits for: on a machine so busy that connections take their time, as at
 * the first start, work that fails for it is only repeated.
 */
export const WORK_PATIENCE = { connectTimeoutMs: 5000, silentAfterMs: 2000 } as const;

const INSPECT_AGAIN_MS = 250;
/** An answer may be on its way, or here and not read yet, when the process that sent it has nothing to do any more. */
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
    // Where new connections are slow, an answer on an old one is as good.
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
