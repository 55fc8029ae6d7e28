import { type SpawnOptions, spawn } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { MACHINE } from '../../machine.ts';
import type { PostgresBinaries } from './binaries.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** The id of the unprivileged user of every distribution; no account needs to exist for a numeric id. */
const UNPRIVILEGED_ID = 65534;
const NAMESPACE_COMMAND = [
  'unshare',
  '--user',
  `--map-user=${UNPRIVILEGED_ID}`,
  `--map-group=${UNPRIVILEGED_ID}`,
];
const PROBE_TIMEOUT_MS = 10_000;
const OUTPUT_CHARACTERS_MAX = 64 * 1024;

/**
 * Under which user PostgreSQL's programs run. PostgreSQL refuses to run as root; inside a user namespace root's
 * files belong to an ordinary user, so no account and no change of ownership is needed.
 */
export interface RunAs {
  kind: 'same_user' | 'user_namespace' | 'other_user';
  /** Owner that the files of the cluster must have on disk. */
  fileOwnerUid: number;
  fileOwnerGid: number;
  /** The version that the binaries report, for example `18.4`. */
  version: string;
  binaries: PostgresBinaries;
}

/**
 * Chooses the first way that works here. `clusterOwnerUid` is the owner of an existing cluster: root keeps
 * running a cluster that an ordinary user made as that user.
 *
 * Fails with `binaries_unusable` or `root_not_possible`.
 */
export async function chooseRunAs(
  binaries: PostgresBinaries,
  dataDir: string,
  clusterOwner: { uid: number; gid: number } | null,
): Promise<RunAs> {
  const uid = process.getuid?.() ?? -1;
  const gid = process.getgid?.() ?? -1;
  if (uid !== 0) {
    return probe({ kind: 'same_user', fileOwnerUid: uid, fileOwnerGid: gid, version: '', binaries });
  }

  const otherOwner = clusterOwner !== null && clusterOwner.uid !== 0 ? clusterOwner : null;
  const reasons: string[] = [];
  if (otherOwner === null && MACHINE.hasUserNamespaces) {
    const inNamespace: RunAs = {
      kind: 'user_namespace',
      fileOwnerUid: uid,
      fileOwnerGid: gid,
      version: '',
      binaries,
    };
    try {
      return await probe(inNamespace);
    } catch (error) {
      reasons.push(`user namespace: ${firstLine(error)}`);
    }
  }
  const unprivileged = otherOwner ?? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID };
  const blockedAt =
    findClosedDirectory(dataDir, unprivileged) ?? findClosedDirectory(binaries.postgres, unprivileged);
  if (blockedAt === null) {
    try {
      return await probe({
        kind: 'other_user',
        fileOwnerUid: unprivileged.uid,
        fileOwnerGid: unprivileged.gid,
        version: '',
        binaries,
      });
    } catch (error) {
      reasons.push(`user id ${unprivileged.uid}: ${firstLine(error)}`);
    }
  } else {
    reasons.push(`user id ${unprivileged.uid}: may not enter ${blockedAt}`);
  }
  throw new EmbeddedPostgresError(
    'root_not_possible',
    `PostgreSQL does not run as root, and no way around was found (${reasons.join('; ')}). Start Culprit as an ordinary user, or move program and CULPRIT_DATA_DIR to folders that every user can enter, or set CULPRIT_DATABASE_URL.`,
  );
}

/** The arguments for `spawn`, with an environment that holds none of our secrets and no `PG*` setting. */
export function spawnArguments(
  runAs: RunAs,
  program: 'postgres' | 'initdb',
  programArguments: readonly string[],
): { command: string; args: string[]; options: SpawnOptions } {
  const full = [runAs.binaries[program], ...programArguments];
  const [command = '', ...args] = runAs.kind === 'user_namespace' ? [...NAMESPACE_COMMAND, ...full] : full;
  const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  if (runAs.binaries.libraryPath !== null) {
    env[MACHINE.libraryPathVariable] = runAs.binaries.libraryPath;
  }
  const user = runAs.kind === 'other_user' ? { uid: runAs.fileOwnerUid, gid: runAs.fileOwnerGid } : {};
  // The current directory may be closed to the other user; the file system's root never is.
  return { command, args, options: { env, cwd: '/', ...user } };
}

/** Runs one of the programs to its end, feeding it `input`; never rejects for what the program says. */
export function runToEnd(
  runAs: RunAs,
  program: 'postgres' | 'initdb',
  programArguments: readonly string[],
  settings: { input: string; timeoutMs: number },
): Promise<{ isSuccess: boolean; output: string }> {
  const { command, args, options } = spawnArguments(runAs, program, programArguments);
  return new Promise((resolvePromise) => {
    const child = spawn(command, args, {
      ...options,
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: settings.timeoutMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_CHARACTERS_MAX);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    // A program that ends early closes its input; its exit code reports the result.
    child.stdin?.on('error', () => {});
    child.stdin?.end(settings.input);
    child.on('error', (error) => resolvePromise({ isSuccess: false, output: error.message }));
    child.on('close', (code, signal) => {
      const ending = signal === null ? '' : `\nended by ${signal}`;
      resolvePromise({ isSuccess: code === 0, output: output + ending });
    });
  });
}

async function probe(runAs: RunAs): Promise<RunAs> {
  const { isSuccess, output } = await runToEnd(runAs, 'postgres', ['--version'], {
    input: '',
    timeoutMs: PROBE_TIMEOUT_MS,
  });
  // "postgres (PostgreSQL) 18.4", on some builds followed by a note in parentheses.
  const version = output.split('(PostgreSQL) ')[1]?.trim().split(' ')[0];
  if (!isSuccess || version === undefined) {
    throw new EmbeddedPostgresError(
      'binaries_unusable',
      `The embedded PostgreSQL cannot be run here: ${output.trim()}. It needs ${MACHINE.postgresNeeds}; set CULPRIT_DATABASE_URL to use another PostgreSQL.`,
    );
  }
  return { ...runAs, version };
}

/** The first directory on the way to `path` that the user may not enter, or null. Access lists are not read. */
function findClosedDirectory(path: string, user: { uid: number; gid: number }): string | null {
  let directory = resolve(path);
  while (!existsSync(directory)) {
    directory = dirname(directory);
  }
  directory = realpathSync(directory);
  for (;;) {
    const stat = statSync(directory);
    const enterBit = stat.uid === user.uid ? 0o100 : stat.gid === user.gid ? 0o010 : 0o001;
    if ((stat.mode & enterBit) === 0) {
      return directory;
    }
    const parent = dirname(directory);
    if (parent === directory) {
      return null;
    }
    directory = parent;
  }
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] ?? '';
}
