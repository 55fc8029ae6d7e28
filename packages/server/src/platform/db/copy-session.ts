import { once } from 'node:events';
import { Readable } from 'node:stream';
import pg from 'pg';

/** One connection on which tables go out and come in as streams. Its statements have no time limit. */
export interface CopySession {
  query<Row extends object>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Returns the rows of a `copy … to stdout` in its text format; pauses while they are not read. */
  copyOut(statement: string): CopiedRows;
  /** Feeds a `copy … from stdin`; returns how many rows came in. Rejects with the failure of the source too. */
  copyIn(statement: string, source: AsyncIterable<Buffer>): Promise<number>;
  close(): Promise<void>;
}

interface CopiedRows {
  chunks: Readable;
  /** Returns the number of rows; known when the chunks have ended. */
  count(): number;
}

/** Rows come one by one, and small chunks cost more than large ones. */
const CHUNK_BYTES = 65_536;

/** Connects. Rejects with the driver's error when it cannot. */
export async function openCopySession(options: {
  url: string;
  applicationName: string;
  connectTimeoutMs: number;
}): Promise<CopySession> {
  const client = new pg.Client({
    connectionString: options.url,
    connectionTimeoutMillis: options.connectTimeoutMs,
    application_name: options.applicationName,
    keepAlive: true,
    // Text that every later server reads in the same way, whatever this one or the role is set to.
    options:
      '-c timezone=UTC -c datestyle=ISO -c intervalstyle=postgres -c extra_float_digits=1 -c bytea_output=hex -c client_encoding=UTF8 -c statement_timeout=0 -c idle_in_transaction_session_timeout=0',
  });
  // A lost connection fails the statement under way.
  client.on('error', () => {});
  await client.connect();
  return {
    async query<Row extends object>(text: string, parameters: readonly unknown[] = []) {
      return (await client.query<Row>(text, [...parameters])).rows;
    },
    copyOut: (statement) => copyOut(client, statement),
    copyIn: (statement, source) => copyIn(client, statement, source),
    async close() {
      await client.end();
    },
  };
}

function copyOut(client: pg.Client, statement: string): CopiedRows {
  let connection: pg.Connection | null = null;
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let filled = 0;
  let count = 0;
  const rows = new Readable({
    highWaterMark: 4 * CHUNK_BYTES,
    read: () => void connection?.stream.resume(),
    destroy(error, done) {
      // Otherwise the end of the connection would not be read either.
      connection?.stream.resume();
      done(error);
    },
  });

  function handOn(bytes: Buffer): void {
    if (!rows.destroyed && !rows.push(bytes)) connection?.stream.pause();
  }
  function flush(): void {
    if (filled > 0) handOn(chunk.subarray(0, filled));
    chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    filled = 0;
  }

  client.query({
    submit(used: pg.Connection) {
      connection = used;
      used.query(statement);
    },
    handleCopyData({ chunk: row }: { chunk: Buffer }) {
      if (filled + row.length > CHUNK_BYTES) flush();
      // Copied in any case: the driver uses its memory again.
      if (row.length > CHUNK_BYTES) handOn(Buffer.from(row));
      else filled += row.copy(chunk, filled);
    },
    handleCommandComplete(message: { text: string }) {
      count = rowsOf(message);
      flush();
    },
    handleError: (error: Error) => void rows.destroy(error),
    handleReadyForQuery: () => void (rows.destroyed || rows.push(null)),
  });
  return { chunks: rows, count: () => count };
}

/** The methods of the driver's connection that its types do not declare. */
interface CopyConnection extends pg.Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
}

async function copyIn(client: pg.Client, statement: string, source: AsyncIterable<Buffer>): Promise<number> {
  const result = Promise.withResolvers<number>();
  const stopped = new AbortController();
  let rows = 0;
  let failure: unknown = null;

  async function feed(connection: CopyConnection): Promise<void> {
    try {
      for await (const chunk of source) {
        if (stopped.signal.aborted) return;
        connection.sendCopyFromChunk(chunk);
        if (connection.stream.writableNeedDrain)
          await once(connection.stream, 'drain', { signal: stopped.signal });
      }
      connection.endCopyFrom();
    } catch (error) {
      if (stopped.signal.aborted) return;
      failure = error;
      connection.sendCopyFail('the rows could not be read');
    }
  }

  client.query({
    submit: (connection: pg.Connection) => connection.query(statement),
    handleCopyInResponse: (connection: CopyConnection) => void feed(connection),
    handleCommandComplete(message: { text: string }) {
      rows = rowsOf(message);
    },
    handleError(error: Error) {
      stopped.abort();
      result.reject(failure ?? error);
    },
    handleReadyForQuery: () => result.resolve(rows),
  });
  return await result.promise;
}

function rowsOf({ text }: { text: string }): number {
  return Number(/^COPY (\d+)$/.exec(text)?.[1]);
}
