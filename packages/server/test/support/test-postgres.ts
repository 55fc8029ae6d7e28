import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { liveLockHolder } from '../../src/platform/db/embedded/data-directory-lock.ts';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.ts';
import { clearPreviousServer } from '../../src/platform/db/embedded/orphan.ts';
import { eventually } from './eventually.ts';
import { overTcp } from './over-tcp.ts';
import { startPostgres15 } from './postgres-15.ts';

/** Set by the run's global setup: files of one run share a cluster of their version instead of making their own. */
export function postgresUrlVariable(version: PostgresVersion): string {
  return `CULPRIT_TEST_POSTGRES_URL_${version}`;
}

const DIRECTORY_PREFIX = 'culprit-test-postgres-';
const MEMORY_DIRECTORY = '/dev/shm';
const MEMORY_FREE_BYTES_MIN = 4 * 1024 ** 3;
/** A directory this young may belong to a run that has not taken its lock yet. */
const LEFTOVER_AGE_MS = 60_000;
/** Many test files at once, each with its pool; everything about durability stays as in production. */
const TEST_SETTINGS = { max_connections: '300', max_wal_size: '256MB', min_wal_size: '64MB' };

/** A PostgreSQL for tests: databases are made from templates and never shared. */
export interface TestPostgres {
  /** A role that may create databases. */
  adminUrl: string;
  /** Makes a database, as a copy of `template` when given, and returns its URL. */
  createDatabase(template?: string): Promise<string>;
  /** Drops the databases made here and ends the cluster when it was started here. */
  stop(): Promise<void>;
}

/** The oldest PostgreSQL that is supported, or the one that comes with the program. */
export type PostgresVersion = '15' | 'embedded';

/** What the tests of this process run on: `CULPRIT_TEST_POSTGRES=15` chooses the oldest. */
export function testedPostgres(): PostgresVersion {
  return process.env.CULPRIT_TEST_POSTGRES === '15' ? '15' : 'embedded';
}

/** Uses the cluster of the run, else starts one with the program's own launcher. */
export async function startTestPostgres(): Promise<TestPostgres> {
  const sharedUrl = process.env[postgresUrlVariable(testedPostgres())];
  if (sharedUrl !== undefined && sharedUrl !== '') {
    return testPostgresAt(sharedUrl, async () => {});
  }
  return await startOwnPostgres(testedPostgres());
}

/** A cluster of its own, whatever the run has. */
export async function startOwnPostgres(version: PostgresVersion): Promise<TestPostgres> {
  await removeLeftovers();
  const dataDir = mkdtempSync(join(chooseParentDirectory(), DIRECTORY_PREFIX));
  try {
    const start = version === '15' ? startPostgres15 : startEmbeddedPostgres;
    const server = await start({ dataDir, log: printProblems, settings: TEST_SETTINGS });
    // As a server elsewhere is reached, and so that tests can stand between.
    return testPostgresAt(overTcp(server.url).href, async () => {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    });
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

function testPostgresAt(adminUrl: string, stopCluster: () => Promise<void>): TestPostgres {
  const pool = new pg.Pool({ connectionString: adminUrl, max: 2, idleTimeoutMillis: 1_000 });
  // An idle connection that the ending server closes is no failure of a test.
  pool.on('error', () => {});
  const names: string[] = [];
  return {
    adminUrl,
    async createDatabase(template) {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      const source = template === undefined ? '' : ` TEMPLATE ${pg.escapeIdentifier(template)}`;
      await pool.query(`CREATE DATABASE ${name}${source}`);
      names.push(name);
      const url = new URL(adminUrl);
      url.pathname = `/${name}`;
      return url.href;
    },
    async stop() {
      for (const name of names.splice(0)) {
        // Refused while an autovacuum worker is in it: those belong to the superuser, whose sessions nobody else may end.
        await eventually(() => pool.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
      }
      await pool.end();
      await stopCluster();
    },
  };
}

/** In memory where there is plenty of it: the same synchronous writes, without waiting for a disk. */
function chooseParentDirectory(): string {
  try {
    const stats = statfsSync(MEMORY_DIRECTORY);
    return stats.bavail * stats.bsize >= MEMORY_FREE_BYTES_MIN ? MEMORY_DIRECTORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Clusters of runs that were killed: their server may still be running. */
async function removeLeftovers(): Promise<void> {
  for (const parent of new Set([MEMORY_DIRECTORY, tmpdir()])) {
    for (const name of leftoverNames(parent)) {
      const dataDir = join(parent, name);
      const stat = statSync(dataDir, { throwIfNoEntry: false });
      const isOld = stat !== undefined && Date.now() - stat.mtimeMs > LEFTOVER_AGE_MS;
      if (!isOld || stat.uid !== process.getuid?.() || liveLockHolder(dataDir) !== null) {
        continue;
      }
      try {
        await clearPreviousServer(join(dataDir, 'postgres'), printProblems);
        rmSync(dataDir, { recursive: true, force: true });
      } catch (error) {
        console.error(`Could not remove ${dataDir} of an earlier test run:`, error);
      }
    }
  }
}

function leftoverNames(parent: string): string[] {
  try {
    return readdirSync(parent).filter((name) => name.startsWith(DIRECTORY_PREFIX));
  } catch {
    return [];
  }
}

function printProblems(level: 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>) {
  if (level !== 'info') {
    console.error(message, fields ?? '');
  }
}
