import type pg from 'pg';

interface Statement {
  name: string;
  text: string;
}

/** A transaction that was begun and not ended yet; `Transaction` in `database.ts` says what its statements are. */
export interface OpenTransaction<Parameter> {
  query<Row extends object>(statement: Statement, parameters?: readonly Parameter[]): Promise<Row[]>;
  send(statement: Statement, parameters?: readonly Parameter[]): void;
  /** Takes no more statements and resolves when all of them succeeded; rejects with the first failure. */
  end(): Promise<void>;
}

/**
 * A statement that can be sent after a `begin` without an answer yet: alone, it would change nothing permanently. Locks
 * that it takes end with it.
 */
const ONLY_READS = /^\s*select\b/i;
/**
 * The codes with which the server answers statements after a failed one: the transaction is aborted, and a statement
 * that one of them should have prepared does not exist.
 */
const BEHIND_A_FAILURE_CODES: readonly unknown[] = ['25P02', '26000'];

/**
 * Opens the statements of one transaction. They reach the server in the order in which they are passed, and those that
 * are passed without waiting in between are sent together.
 * @param begun answers the `begin` that was sent before
 * @param run sends immediately, whatever else is under way on the connection
 */
export function openTransaction<Parameter>(
  begun: Promise<unknown>,
  run: <Row extends object>(statement: Statement, parameters: readonly Parameter[]) => Promise<Row[]>,
): OpenTransaction<Parameter> {
  let isFirst = true;
  let isEnded = false;
  /** The statements that wait until the server has opened the transaction; null when it has. */
  let waiting: (() => void)[] | null = [];
  const underWay = new Set<Promise<void>>();
  let failure: { error: unknown } | null = null;

  const opening = begun.then(
    () => {
      const waited = waiting ?? [];
      waiting = null;
      for (const go of waited) go();
    },
    (error: unknown) => {
      failure ??= { error };
      throw error;
    },
  );
  // Each statement rejects with this error.
  opening.catch(() => {});

  /** If the transaction does not open, a change would be committed alone. */
  function whenOpen<Row>(queue: (() => void)[], start: () => Promise<Row[]>): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      queue.push(() => resolve(start()));
      opening.catch(reject);
    });
  }

  function submit<Row extends object>(
    statement: Statement,
    parameters: readonly Parameter[],
  ): Promise<Row[]> {
    if (isEnded) throw new Error(`statement ${statement.name} is given to a transaction that ended`);
    if (failure !== null) return Promise.reject(failure.error);
    const mayFollow = isFirst && ONLY_READS.test(statement.text);
    isFirst = false;
    const answer =
      waiting === null || mayFollow
        ? run<Row>(statement, parameters)
        : whenOpen(waiting, () => run<Row>(statement, parameters));
    const noted = answer.then(
      () => void underWay.delete(noted),
      (error: unknown) => {
        underWay.delete(noted);
        if (!isBehindFailure(error)) failure ??= { error };
      },
    );
    underWay.add(noted);
    return answer;
  }

  async function answered(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }

  return {
    async query<Row extends object>(statement: Statement, parameters: readonly Parameter[] = []) {
      try {
        const rows = await submit<Row>(statement, parameters);
        if (waiting !== null) await opening;
        if (failure !== null) throw failure.error;
        return rows;
      } catch (error) {
        if (isBehindFailure(error)) await answered();
        throw failure === null ? error : failure.error;
      }
    },
    send(statement, parameters = []) {
      submit(statement, parameters).catch(() => {});
    },
    async end() {
      isEnded = true;
      if (waiting !== null) await opening.catch(() => {});
      await answered();
      if (failure !== null) throw failure.error;
    },
  };
}

function isBehindFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && BEHIND_A_FAILURE_CODES.includes(error.code);
}

/** Collects what is sent before this thread waits for something else into one packet, which wakes the server once. */
export function holdForCompany(client: pg.PoolClient): void {
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
