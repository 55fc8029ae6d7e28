import pg from 'pg';
import type { Inspection } from './server-watch.ts';

/** The address of the server for a query that bypasses the pool. */
export interface ServerAddress {
  url: string;
  /** The limit of the connection and of the answer, each. */
  limitMs: number;
  applicationName: string;
}

/** Queries the server on a separate connection; an error from the server is an answer too. Never rejects. */
export async function inspectServer(
  address: ServerAddress,
  processIds: readonly number[],
): Promise<Inspection> {
  try {
    return await ask(address, async (client) => {
      const { rows } = await client.query<{ own: number; working: number[] }>(WORKING, [[...processIds]]);
      const [found] = rows;
      // A pooler between client and server has different numbers.
      if (found === undefined || found.own !== processIdOf(client)) return NOTHING_KNOWN;
      return { isIdle: (processId) => !found.working.includes(processId) };
    });
  } catch (error) {
    return error instanceof pg.DatabaseError ? NOTHING_KNOWN : null;
  }
}

const NOTHING_KNOWN: Inspection = { isIdle: () => false };

const WORKING = `select pg_backend_pid() as own, coalesce(array_agg(pid), '{}') as working
  from pg_stat_activity where pid = any ($1::integer[]) and coalesce(state, '') not like 'idle%'`;

/**
 * Ends idle processes of the server whose connections were lost: what they hold is locked for everybody. Never rejects,
 * because the server ends them by itself, later.
 */
export async function endLostProcesses(address: ServerAddress, processIds: readonly number[]): Promise<void> {
  await ask(address, (client) => client.query(END, [[...processIds], address.applicationName])).catch(
    () => {},
  );
}

const END = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid = any ($1::integer[]) and state like 'idle%' and application_name = $2 and usename = current_user`;

/**
 * Returns the number of the server process that serves a connection: the server sends it at the start, and the driver
 * keeps it, although its types do not declare it.
 */
export function processIdOf(client: pg.ClientBase): number | null {
  const processId: unknown = Reflect.get(client, 'processID');
  return typeof processId === 'number' ? processId : null;
}

async function ask<Result>(
  { url, limitMs, applicationName }: ServerAddress,
  question: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: limitMs,
    query_timeout: limitMs,
    application_name: applicationName,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await question(client);
  } finally {
    client.end().catch(() => {});
  }
}
