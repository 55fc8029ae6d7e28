/**
 * A process of its own around the launcher, for tests that kill it. Prints one line of JSON when the database
 * is ready or refused, then runs until it is ended; SIGTERM stops the database first.
 */

import { startEmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.ts';
import { EmbeddedPostgresError } from '../../src/platform/db/embedded/embedded-postgres-error.ts';

const [dataDir = ''] = process.argv.slice(2);
try {
  const server = await startEmbeddedPostgres({ dataDir, log: () => {} });
  process.once('SIGTERM', () => void server.stop());
  print({ url: server.url, pid: server.pid, port: server.port });
} catch (error) {
  if (!(error instanceof EmbeddedPostgresError)) {
    throw error;
  }
  print({ code: error.code, message: error.message });
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
