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
 * What may travel behind a `begin` that is not answered yet: alone, it would change nothing that stays. Locks that it
 * takes end with it.
 */
const ONLY_READS = /^\s*select\b/i;
/**
 * What the server says of statements behind one that failed: the transaction is aborted, and the statement that was to
 * be prepared by one of them is not known.
 */
const BEHIND_A_FAILURE_CODES: readonly unknown[] = ['25P02', '26000'];

/**
 * Statements of one transaction. They reach the server in the order in which they were given, and those that are given
 * without waiting in between travel together.
 * @param begun answers the `begin` that was sent before
 * @param run sends at once, whatever else is under way on the connection
 */
export function openTransaction<Parameter>(
  begun: Promise<unknown>,
  run: <Row extends object>(statement: Statement, parameters: readonly Parameter[]) => Promise<Row[]>,
): OpenTransaction<Parameter> {
  let isFirst = true;
  let isEnded = false;
  /** What waits until the server has opened the transaction; null as soon as it has. */
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
  // Each statement is told of it.
  opening.catch(() => {});

  /** Where the transaction does not open, a change would be one of its own. */
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

/** What is sent before this thread waits for something else goes out in one piece, which wakes the server once. */
export function holdForCompany(client: pg.PoolClient): void {
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
