import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, expect } from 'vitest';
import { prepareBinaries } from '../../src/platform/db/embedded/binaries.ts';
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/embedded-postgres.ts';
import {
  EmbeddedPostgresError,
  type EmbeddedPostgresErrorCode,
} from '../../src/platform/db/embedded/embedded-postgres-error.ts';

/** PostgreSQL as the embedded one starts it, in this process or in a child that can be killed. */

export const CHILD_PROGRAM = fileURLToPath(new URL('./embedded-postgres-child.ts', import.meta.url));
export const NOBODY = 65534;
export const isRoot = process.getuid?.() === 0;
/** Another user can only run the child when the checkout is open to it. */
export const canUseNobody =
  isRoot &&
  spawnSync(process.execPath, ['--check', CHILD_PROGRAM], { uid: NOBODY, gid: NOBODY }).status === 0;

const children: ChildProcess[] = [];

/** A child that the file started itself, to be killed with the others. */
export function killedInTheEnd(child: ChildProcess): void {
  children.push(child);
}

/** The data directory of a test file, and how a server is started in it or in another. In the end nothing of it is left. */
export function openDataDirectory(name: string) {
  const baseDir = mkdtempSync(join(tmpdir(), `culprit-${name}-`));
  chmodSync(baseDir, 0o711);
  const dataDir = join(baseDir, 'data');
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(baseDir, { recursive: true, force: true });
  });
  return {
    baseDir,
    dataDir,
    clusterDir: join(dataDir, 'postgres'),
    start: (directory = dataDir, messages: string[] = []) =>
      startEmbeddedPostgres({ dataDir: directory, log: (_level, message) => messages.push(message) }),
  };
}

export async function expectRefusal(
  starting: Promise<unknown>,
  code: EmbeddedPostgresErrorCode,
  phrase: string,
): Promise<void> {
  const error = await starting.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(EmbeddedPostgresError);
  expect(error).toMatchObject({ code, message: expect.stringContaining(phrase) });
}

export async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  // A server killed by the test ends the connection in its own way.
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

export function spawnChild(directory: string, user: { uid?: number; gid?: number } = {}): ChildProcess {
  const child = spawn(process.execPath, [CHILD_PROGRAM, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...user,
  });
  children.push(child);
  return child;
}

export async function startChild(directory: string, user: { uid?: number; gid?: number } = {}) {
  const child = spawnChild(directory, user);
  return { child, report: await firstReport(child) };
}

export async function firstReport(child: ChildProcess): Promise<Record<string, unknown>> {
  if (child.stdout === null) {
    throw new Error('The child has no output.');
  }
  for await (const line of createInterface({ input: child.stdout })) {
    return JSON.parse(line);
  }
  throw new Error('The child ended without a report.');
}

export function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve();
    } else {
      child.once('exit', () => resolve());
    }
  });
}

export async function killHard(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await ended(child);
}

export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export function listed(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : [];
}

export async function withPortTaken(port: number, action: () => Promise<void>): Promise<void> {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(port, '127.0.0.1', resolve));
  try {
    await action();
  } finally {
    await new Promise((resolve) => blocker.close(resolve));
  }
}

/** Root may write everywhere, so a user without that right runs the launcher's first step. */
export function libraryPathOnReadOnlyPackage(baseDir: string, nativeDir: string): string {
  const ownDir = mkdtempSync(join(baseDir, 'read-only-'));
  if (!isRoot) {
    return prepareBinaries(ownDir, nativeDir).libraryPath ?? '';
  }
  chownSync(ownDir, NOBODY, NOBODY);
  const module = new URL('../../src/platform/db/embedded/binaries.ts', import.meta.url).href;
  const program = `import { prepareBinaries } from ${JSON.stringify(module)};
    process.stdout.write(prepareBinaries(${JSON.stringify(ownDir)}, ${JSON.stringify(nativeDir)}).libraryPath);`;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    uid: NOBODY,
    gid: NOBODY,
  }).stdout;
}

/** Without `unshare` in the path the launcher finds no user namespace. */
export async function withoutUserNamespaces(action: () => Promise<void>): Promise<void> {
  const before = process.env.PATH;
  process.env.PATH = '/nonexistent';
  try {
    await action();
  } finally {
    process.env.PATH = before;
  }
}
