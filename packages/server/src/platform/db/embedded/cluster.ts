import { randomBytes } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { fileProblem } from './file-problem.ts';
import type { LauncherLog } from './launcher-log.ts';
import { postgresProcessesOfCluster } from './postmaster-file.ts';
import { type RunAs, runToEnd } from './run-as.ts';
import { explainStartFailure } from './start-failure.ts';

export const DATABASE_NAME = 'culprit';
/** Owns the database and may make others (tests, restores), but is no superuser: SQL cannot reach files. */
export const DATABASE_USER = 'culprit';
const SUPERUSER = 'postgres';
const INITIALIZING_PREFIX = 'postgres-initializing-';

const INITDB_TIMEOUT_MS = 120_000;
/** Single-user mode recovers a killed server's log first. */
const SINGLE_USER_TIMEOUT_MS = 600_000;

/** The places of one embedded database. */
interface ClusterPaths {
  dataDir: string;
  clusterDir: string;
  passwordFile: string;
}

export function clusterPaths(dataDir: string): ClusterPaths {
  return {
    dataDir,
    clusterDir: join(dataDir, 'postgres'),
    passwordFile: join(dataDir, 'postgres-password'),
  };
}

/** Owner of an existing cluster directory, or null. */
export function clusterOwner(clusterDir: string): { uid: number; gid: number } | null {
  const stat = statSync(clusterDir, { throwIfNoEntry: false });
  return stat === undefined ? null : { uid: stat.uid, gid: stat.gid };
}

/**
 * Makes the cluster on first start, otherwise checks that this program can run it; returns the password. A new
 * cluster is made beside its place and renamed when it is complete, so that a crash on the way leaves nothing
 * that could be mistaken for a database. The caller must hold the data directory and have no server running.
 *
 * Fails with `initialization_failed`, `disk_full`, `data_directory_unwritable`, `wrong_owner`,
 * `version_mismatch`, `cluster_incomplete` or what `explainStartFailure` finds.
 */
export async function prepareCluster(
  paths: ClusterPaths,
  runAs: RunAs,
  { log, beforeCreation }: { log: LauncherLog; beforeCreation?: () => Promise<void> },
): Promise<string> {
  removeInterruptedInitializations(paths.dataDir, log);
  if (isAbsentOrEmpty(paths.clusterDir)) {
    await beforeCreation?.();
    return initializeCluster(paths, runAs, log);
  }
  checkComplete(paths.clusterDir);
  checkVersion(paths.clusterDir, runAs.version);
  ensureOwner(paths.clusterDir, runAs, log);
  return readPassword(paths.passwordFile) ?? (await replacePassword(paths, runAs, log));
}

function removeInterruptedInitializations(dataDir: string, log: LauncherLog): void {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(INITIALIZING_PREFIX)) {
      continue;
    }
    log('warn', 'Removing the remains of an interrupted first start', { directory: name });
    try {
      for (const pid of postgresProcessesOfCluster(join(dataDir, name))) {
        process.kill(pid, 'SIGKILL');
      }
      rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
    } catch {
      // Its initdb is still at work; the next attempt removes what is left.
    }
  }
}

async function initializeCluster(paths: ClusterPaths, runAs: RunAs, log: LauncherLog): Promise<string> {
  log('info', 'Creating the embedded database', { directory: paths.clusterDir, version: runAs.version });
  const password = randomBytes(32).toString('base64url');
  // A new name each time: the initdb of a killed process may still be writing into the previous one.
  const initializingDir = join(paths.dataDir, INITIALIZING_PREFIX + randomBytes(4).toString('hex'));
  try {
    mkdirSync(initializingDir, { mode: 0o700 });
    giveTo(initializingDir, runAs);
    writePassword(paths.passwordFile, password, runAs);
  } catch (error) {
    throw fileProblem(error, initializingDir);
  }

  const made = await runToEnd(
    runAs,
    'initdb',
    [
      `--pgdata=${initializingDir}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${paths.passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The built-in provider needs no locale of the system and sorts the same on every machine.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--data-checksums',
    ],
    { input: '', timeoutMs: INITDB_TIMEOUT_MS },
  );
  if (!made.isSuccess) {
    throw initializationError(made.output, paths.clusterDir);
  }
  await runSingleUser(initializingDir, runAs, [
    `CREATE ROLE ${DATABASE_USER} LOGIN CREATEDB PASSWORD '${password}'`,
    `GRANT pg_monitor TO ${DATABASE_USER}`,
    `CREATE DATABASE ${DATABASE_NAME} OWNER ${DATABASE_USER}`,
  ]);

  try {
    if (existsSync(paths.clusterDir)) {
      rmdirSync(paths.clusterDir);
    }
    renameSync(initializingDir, paths.clusterDir);
    syncDirectory(dirname(paths.clusterDir));
  } catch (error) {
    throw fileProblem(error, paths.clusterDir);
  }
  // An initdb that was still dying at the first attempt is gone by now.
  removeInterruptedInitializations(paths.dataDir, log);
  return password;
}

/** Runs statements on a cluster without a server; the first error ends it. */
async function runSingleUser(clusterDir: string, runAs: RunAs, statements: readonly string[]): Promise<void> {
  const { isSuccess, output } = await runToEnd(
    runAs,
    'postgres',
    [
      '--single',
      '-D',
      clusterDir,
      ...['-c', 'exit_on_error=on'],
      ...['-c', 'log_min_error_statement=panic'],
      ...['-c', 'log_checkpoints=off'],
      SUPERUSER,
    ],
    { input: `${statements.join(';\n')};\n`, timeoutMs: SINGLE_USER_TIMEOUT_MS },
  );
  if (!isSuccess) {
    throw explainStartFailure(lastLines(output), clusterDir);
  }
}

function isAbsentOrEmpty(clusterDir: string): boolean {
  try {
    return readdirSync(clusterDir).length === 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return true;
    }
    throw unusableDirectory(error, clusterDir);
  }
}

function unusableDirectory(error: unknown, clusterDir: string): Error {
  const owner = clusterOwner(clusterDir);
  const uid = process.getuid?.();
  return owner !== null && uid !== undefined && owner.uid !== uid
    ? wrongOwner(clusterDir, owner.uid, uid)
    : fileProblem(error, clusterDir);
}

function checkComplete(clusterDir: string): void {
  for (const name of ['PG_VERSION', join('global', 'pg_control')]) {
    if (!existsSync(join(clusterDir, name))) {
      throw new EmbeddedPostgresError(
        'cluster_incomplete',
        `${clusterDir} is not a complete PostgreSQL data directory (${name} is missing). Restore it from a backup, or move it away to start with an empty database.`,
      );
    }
  }
}

function checkVersion(clusterDir: string, binariesVersion: string): void {
  let found: string;
  try {
    found = readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim();
  } catch (error) {
    throw unusableDirectory(error, clusterDir);
  }
  const own = binariesVersion.split('.')[0] ?? '';
  if (found === own) {
    return;
  }
  const relation = Number(found) > Number(own) ? 'newer' : 'older';
  throw new EmbeddedPostgresError(
    'version_mismatch',
    `${clusterDir} was written by PostgreSQL ${found}, which is ${relation} than the ${own} of this Culprit. Start the Culprit release that wrote it, create a backup there and restore it into an empty data directory with this release.`,
  );
}

/** Changes the owner of the cluster's files if root must run PostgreSQL as another user. */
function ensureOwner(clusterDir: string, runAs: RunAs, log: LauncherLog): void {
  const owner = clusterOwner(clusterDir);
  if (owner === null || owner.uid === runAs.fileOwnerUid) {
    return;
  }
  if (runAs.kind !== 'other_user') {
    throw wrongOwner(clusterDir, owner.uid, runAs.fileOwnerUid);
  }
  log('info', 'Changing the owner of the files of the embedded database', {
    uid: runAs.fileOwnerUid,
  });
  const entries = readdirSync(clusterDir, { recursive: true, encoding: 'utf8' });
  for (const entry of entries) {
    chownSync(join(clusterDir, entry), runAs.fileOwnerUid, runAs.fileOwnerGid);
  }
  // Last, because its owner is what the next start looks at.
  chownSync(clusterDir, runAs.fileOwnerUid, runAs.fileOwnerGid);
}

function readPassword(passwordFile: string): string | null {
  try {
    return readFileSync(passwordFile, 'utf8').trim() || null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return null;
    }
    throw fileProblem(error, passwordFile);
  }
}

/** Replaces a lost password file: no server is running, so no client loses its access. */
async function replacePassword(paths: ClusterPaths, runAs: RunAs, log: LauncherLog): Promise<string> {
  log('warn', 'The password file of the embedded database is missing; setting a new password');
  const password = randomBytes(32).toString('base64url');
  await runSingleUser(paths.clusterDir, runAs, [
    `ALTER ROLE ${SUPERUSER} PASSWORD '${password}'`,
    `ALTER ROLE ${DATABASE_USER} PASSWORD '${password}'`,
  ]);
  try {
    writePassword(paths.passwordFile, password, runAs);
  } catch (error) {
    throw fileProblem(error, paths.passwordFile);
  }
  return password;
}

function writePassword(passwordFile: string, password: string, runAs: RunAs): void {
  const temporary = `${passwordFile}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, `${password}\n`, { mode: 0o600, flush: true });
  giveTo(temporary, runAs);
  renameSync(temporary, passwordFile);
}

function giveTo(path: string, runAs: RunAs): void {
  if (runAs.kind === 'other_user') {
    chownSync(path, runAs.fileOwnerUid, runAs.fileOwnerGid);
  }
}

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function initializationError(output: string, clusterDir: string): EmbeddedPostgresError {
  const explained = explainStartFailure(lastLines(output), clusterDir);
  return explained.code === 'start_failed'
    ? new EmbeddedPostgresError(
        'initialization_failed',
        `The embedded database could not be created in ${clusterDir}. The lines below show the cause; CULPRIT_DATABASE_URL selects another PostgreSQL.`,
        explained.logLines,
      )
    : explained;
}

function wrongOwner(clusterDir: string, ownerUid: number, expectedUid: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'wrong_owner',
    `${clusterDir} belongs to user id ${ownerUid}, but PostgreSQL would run as user id ${expectedUid}. Start Culprit as the owner, or change the owner of the directory with "chown -R ${expectedUid} ${clusterDir}".`,
  );
}

function lastLines(output: string): string[] {
  return output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-10);
}
