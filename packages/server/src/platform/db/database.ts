import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { OutageError } from '../outage-error.ts';
import { assertWorkGoesOn, noteEffect } from '../work.ts';
import { createConnectionSharing, SHARING_WAIT_MS } from './connection-sharing.ts';
import { endLostProcesses, inspectServer, processIdOf, type ServerAddress } from './inspect-server.ts';
import { holdForCompany, type OpenTransaction, openTransaction } from './open-transaction.ts';
import { showPool } from './pool-metrics.ts';
import { watchServer } from './server-watch.ts';

/** A statement with a stable name, so that PostgreSQL plans it once per connection. */
export interface Statement {
  name: string;
  text: string;
}

/** Values a statement takes: scalars, buffers, dates and arrays of them. Many rows go by column (`bulk-rows.ts`). */
export type Parameter = string | number | boolean | null | Date | Buffer | readonly Parameter[];

/** Runs statements: the pool, or the one connection of a transaction. */
export interface Queryable {
  /**
   * The row type describes what the statement selects, so it is written next to the statement. Outside a transaction, a
   * statement that the server cancels is sent again: it had no effect.
   */
  query<Row extends object>(statement: Statement, parameters?: readonly Parameter[]): Promise<Row[]>;
}

/** The one connection of a transaction. */
export interface Transaction extends Queryable {
  /**
   * Sends a statement without waiting for its result. It runs before every statement that is passed later. If it fails,
   * the transaction fails: the next `query`, or the commit, rejects with its error.
   */
  send(statement: Statement, parameters?: readonly Parameter[]): void;
}

export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction and commits. Serialization failures and deadlocks are retried up to five times and a
   * canceled statement once, so `work` may run again and must have no effect outside the transaction. Nothing is
   * committed for a request that was stopped (`../work.ts`).
   */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
  /** Runs a multi-statement script outside any transaction of ours (migrations). */
  script(text: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * The database cannot be reached, refused the connection, or did not answer in time. Nothing is known of the effect.
 */
export class DatabaseUnavailableError extends OutageError {
  override name = 'DatabaseUnavailableError';
}

/**
 * The server canceled a statement each time that it was sent: an operator or a time limit of the server did, or a
 * deadlock or a conflict with another transaction. Neither it nor its transaction had any effect.
 */
export class StatementCanceledError extends Error {
  override name = 'StatementCanceledError';
}

export interface DatabaseOptions {
  url: string;
  connectionsMax: number;
  /** Waiting for a connection (docs/contract/reliability.md A6). */
  connectTimeoutMs?: number;
  /**
   * Limit in the client of one statement, and of those of its transaction that were sent before it; a server-side limit
   * does not fire when the server hangs.
   */
  statementTimeoutMs?: number;
  /**
   * After this long without an answer the server is inspected, on another connection, whether the server is there and works on
   * it (see `watchServer`). When it does not, the statement fails, long before its limit, which has to leave time for
   * slow ones. Absent: only the limit counts.
   */
  silentAfterMs?: number;
  /** A connection that was unused for this time is closed; 0: none is. */
  idleTimeoutMs?: number;
  /** The time that a caller waits for the release of a connection in use before another one is opened. */
  sharingWaitMs?: number;
  applicationName: string;
}

const CONNECT_TIMEOUT_MS = 1000;
/** Longer than the minute after which the canary comes again: a new connection costs more than all that it does. */
const IDLE_TIMEOUT_MS = 75_000;
const STATEMENT_TIMEOUT_MS = 10_000;

const RETRIES_MAX = 5;
const RETRYABLE_CODES = new Set(['40001', '40P01']);
/** Each attempt may run into the same time limit, so they are few. */
const CANCELED_ATTEMPTS_MAX = 2;
const CANCELED_CODE = '57014';
const UNAVAILABLE_CODES = new Set([
  ...['57P01', '57P02', '57P03', '57P05', '58030', '25006', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'],
  ...['ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', '25P03'],
  // At a socket file, of a server that is not running, and of one that more wait for than it lets wait.
  ...['ENOENT', 'EAGAIN'],
  // The machine has no file or port left for a connection, and the connection ended while a statement was written.
  ...['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL', 'ECONNABORTED', 'ERR_STREAM_WRITE_AFTER_END'],
]);
/** The classes of a failed connection and of a server that lacks memory, connections or space. */
const UNAVAILABLE_CLASSES = /^(?:08|53)/;
/** A server without room for another process answers the question for TLS with an error. */
const UNAVAILABLE_MESSAGES =
  /timeout exceeded when trying to connect|query read timeout|connection terminated|client has encountered a connection error|not queryable|connection timeout|after calling end on the pool|error establishing an SSL connection/i;

pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => parseTimestamp(text));

/** Opens a pool. No connection is made before the first statement. */
export function openDatabase(options: DatabaseOptions): Database {
  const { url, silentAfterMs, applicationName, connectTimeoutMs: limitMs = CONNECT_TIMEOUT_MS } = options;
  const address: ServerAddress = { url, limitMs, applicationName };
  let pool = openPool(options);
  const hidePool = showPool(applicationName, () => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }));
  const watch =
    silentAfterMs === undefined
      ? null
      : watchServer({
          silentAfterMs,
          inspect: (processIds) => inspectServer(address, processIds),
          end: (processIds) => endLostProcesses(address, processIds),
          onLost() {
            // If one connection is lost, the idle ones are probably lost too.
            const lost = pool;
            pool = openPool(options);
            lost.end().catch(() => {});
          },
          lostError: (message) => new DatabaseUnavailableError(message),
        });
  const send: Send = (client, query) =>
    watch === null ? client.query(query) : watch.answerTo(processIdOf(client), () => client.query(query));
  const sendAlong: Send = (client, query) => {
    holdForCompany(client);
    return send(client, query);
  };
  const sharing = createConnectionSharing(options.connectionsMax, options.sharingWaitMs ?? SHARING_WAIT_MS);
  const insideTransaction = new AsyncLocalStorage<true>();

  /** The work of a request that was stopped gets no connection, and gives one back for which it waited. */
  async function connect(): Promise<pg.PoolClient> {
    assertWorkGoesOn();
    watch?.assertAnswering();
    await sharing.take();
    const client = await pool.connect().catch((error: unknown) => {
      sharing.released();
      throw translate(error);
    });
    try {
      assertWorkGoesOn();
    } catch (error) {
      release(client, undefined);
      throw error;
    }
    return client;
  }

  function release(client: pg.PoolClient, broken: Error | undefined): void {
    // Its end would wait for the answers that are missing.
    if (broken !== undefined) cut(client);
    client.release(broken);
    sharing.released();
  }

  /** Runs `work` on a connection, which is closed if the state of the statements under way on it is unknown. */
  async function onConnection<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
    const client = await connect();
    let broken: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      const translated = translate(error);
      if (translated instanceof DatabaseUnavailableError) broken = translated;
      throw translated;
    } finally {
      release(client, broken);
    }
  }

  return {
    async query<Row extends object>(statement: Statement, parameters: readonly Parameter[] = []) {
      if (insideTransaction.getStore() === true) {
        throw new Error(`statement ${statement.name} runs outside the transaction it is called in`);
      }
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await onConnection((client) =>
            withEffect(mayChange(statement), () => run<Row>(client, send, statement, parameters)),
          );
        } catch (error) {
          if (!(error instanceof StatementCanceledError) || attempt >= CANCELED_ATTEMPTS_MAX) throw error;
        }
      }
    },

    async transaction(work) {
      for (let attempt = 1; ; attempt += 1) {
        const client = await connect();
        let broken: Error | undefined;
        let open: OpenTransaction<Parameter> | null = null;
        let hasChanges = false;
        try {
          const opened = openTransaction<Parameter>(begin(client, sendAlong), (statement, parameters) => {
            hasChanges ||= mayChange(statement);
            return run(client, sendAlong, statement, parameters);
          });
          open = opened;
          const result = await insideTransaction.run(true, () => work(opened));
          // A statement that did not reach the server did not fail there, so that it would commit without it.
          await opened.end();
          assertWorkGoesOn();
          await withEffect(hasChanges, () => commit(client, send));
          return result;
        } catch (error) {
          const translated = translate(error);
          if (translated instanceof DatabaseUnavailableError) {
            // A connection that hangs would keep the rollback waiting for as long again; closing it rolls back too.
            broken = translated;
            cut(client);
          }
          // A statement that was passed already must not reach the server after the rollback.
          await open?.end().catch(() => {});
          if (broken === undefined) {
            await send(client, 'rollback').catch((failure: Error) => {
              broken = failure;
            });
          }
          if (attempt < attemptsMax(translated) && broken === undefined) continue;
          throw translated;
        } finally {
          release(client, broken);
        }
      }
    },

    async script(text) {
      await onConnection((client) => send(client, text));
    },

    async close() {
      watch?.stop();
      hidePool();
      await pool.end();
    },
  };
}

/** Sends a statement and waits for its answer as long as the pool's options say. */
type Send = <Row extends object>(
  client: pg.PoolClient,
  query: string | pg.QueryConfig,
) => Promise<pg.QueryResult<Row>>;

function openPool(options: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connectionsMax,
    connectionTimeoutMillis: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: options.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
    query_timeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: 30_000,
    application_name: options.applicationName,
    keepAlive: true,
    // Statements of a transaction need not wait for each other (`open-transaction.ts`).
    pipeline: true,
    options: '-c timezone=UTC',
  });
  // An idle connection that breaks is replaced by the pool; the next statement reports a real outage.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

async function begin(client: pg.PoolClient, send: Send): Promise<void> {
  try {
    await send(client, 'begin');
  } catch (error) {
    throw translate(error);
  }
}

/** Makes everything that is under way on the connection fail immediately. */
function cut(client: pg.PoolClient): void {
  client.connection.stream.destroy();
}

/** PostgreSQL answers the commit of a transaction with a failed statement by rolling back, and calls it no error. */
async function commit(client: pg.PoolClient, send: Send): Promise<void> {
  const { command } = await send(client, 'commit');
  if (command !== 'COMMIT')
    throw new Error('a statement of the transaction had failed, so nothing was committed');
}

/** Notes for the request that a change was sent; the note stays unless the server refused the change. */
async function withEffect<Result>(isChange: boolean, sent: () => Promise<Result>): Promise<Result> {
  if (!isChange) return await sent();
  const removeNote = noteEffect();
  try {
    return await sent();
  } catch (error) {
    if (!(translate(error) instanceof DatabaseUnavailableError)) removeNote();
    throw error;
  }
}

const READS = /^\s*select\b/i;
const CHANGES = /\b(?:insert|update|delete|merge|truncate|call)\b/i;

/** Returns true if a statement can change stored data; a statement that only locks counts too. */
function mayChange({ text }: Statement): boolean {
  return !READS.test(text) && CHANGES.test(text);
}

async function run<Row extends object>(
  client: pg.PoolClient,
  send: Send,
  { name, text }: Statement,
  parameters: readonly Parameter[],
): Promise<Row[]> {
  try {
    const { rows } = await send<Row>(client, { name, text, values: [...parameters] });
    return rows;
  } catch (error) {
    throw translate(error);
  }
}

/** PostgreSQL prints `2026-03-24 10:30:00.123+00`; times are kept as milliseconds since the epoch. */
function parseTimestamp(text: string): number {
  const iso = text.replace(' ', 'T').replace(/\+00$/, 'Z');
  return Date.parse(iso);
}

/** Returns true if a statement failed because another transaction has stored the same unique value. */
export function isUniqueViolation(error: unknown): boolean {
  return errorCode(error) === '23505';
}

function errorCode(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** Returns how many times a transaction can run that failed with this error. */
function attemptsMax(error: Error): number {
  if (!(error instanceof StatementCanceledError)) return 1;
  return RETRYABLE_CODES.has(errorCode(error.cause) ?? '') ? RETRIES_MAX : CANCELED_ATTEMPTS_MAX;
}

function translate(error: unknown): Error {
  if (error instanceof DatabaseUnavailableError || error instanceof StatementCanceledError) return error;
  const code = errorCode(error);
  const message = error instanceof Error ? error.message : String(error);
  const isUnavailable =
    (code !== null && (UNAVAILABLE_CODES.has(code) || UNAVAILABLE_CLASSES.test(code))) ||
    UNAVAILABLE_MESSAGES.test(message);
  if (isUnavailable) return new DatabaseUnavailableError(message, { cause: error });
  if (code === CANCELED_CODE || RETRYABLE_CODES.has(code ?? ''))
    return new StatementCanceledError(message, { cause: error });
  return error instanceof Error ? error : new Error(message);
}
