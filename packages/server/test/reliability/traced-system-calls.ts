import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newUuid } from '../../src/platform/ids.ts';
import { SELF_HOSTED, type TestCulprit } from '../support/culprit.ts';
import { apiSettings } from '../support/role-process.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { ledgerEvent } from './event-ledger.ts';
import type { TraceStep } from './intake-trace.ts';
import { readSystemCalls } from './read-system-calls.ts';

const API = fileURLToPath(new URL('../support/api-child.ts', import.meta.url));
/** A `?` before a call that not every processor has. */
const CALLS = [
  ...['write', 'writev', 'pwrite64', 'sendto', 'sendmsg', 'read', 'recvfrom', 'fsync', 'fdatasync'],
  ...['?open', 'openat', '?rename', '?renameat', '?renameat2', '?mkdir', '?mkdirat'],
].join();
/** Threads too, with the paths and addresses behind descriptors, and the whole of what is sent. */
const STRACE = [
  '--follow-forks',
  '--decode-fds=all',
  '--string-limit=16384',
  '--seccomp-bpf',
  `--trace=${CALLS}`,
];

/** Whether this machine lets us trace system calls. */
export function canTraceSystemCalls(): boolean {
  return spawnSync('strace', [...STRACE, 'true'], { stdio: 'ignore' }).status === 0;
}

/**
 * Has an API process accept requests one after the other, and traces its system calls.
 * @param preload modules that the process loads first
 */
export async function traceSystemCalls(
  culprit: TestCulprit,
  requests: number,
  preload: readonly string[] = [],
): Promise<TraceStep[]> {
  const directory = await mkdtemp(join(tmpdir(), 'culprit-trace-'));
  try {
    const file = join(directory, 'calls');
    const api = await startTracedApi(culprit, file, preload);
    // A project that is new to it: the directories are made, too.
    const { projectToken } = await culprit.createProject();
    for (let sent = 0; sent < requests; sent += 1) {
      const { body } = ledgerEvent(newUuid(), 'alpha', true);
      acknowledgement(await sendEvents(api.address, projectToken, [body]));
    }
    await api.end();
    return readSystemCalls(await readFile(file, 'utf8'), {
      databasePort: Number(new URL(culprit.databaseUrl).port),
      apiPort: Number(new URL(api.address).port),
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function startTracedApi(
  culprit: TestCulprit,
  file: string,
  preload: readonly string[],
): Promise<{ address: string; end(): Promise<void> }> {
  const child = fork(API, {
    execPath: 'strace',
    execArgv: [
      ...[...STRACE, `--output=${file}`, '--', process.execPath],
      ...preload.flatMap((path) => ['--import', path]),
    ],
    // Calls that go through a ring in memory leave no trace.
    env: { ...process.env, UV_USE_IO_URING: '0' },
  });
  const ended = once(child, 'exit');
  child.send(apiSettings(culprit, SELF_HOSTED));
  const first: unknown[] | null = await Promise.race([once(child, 'message'), ended.then(() => null)]);
  if (first === null) throw new Error('the traced process ended before it was ready');
  return {
    address: String(first[0]),
    async end() {
      // It ends with its parent's attention, and the tracer with it.
      child.disconnect();
      await ended;
    },
  };
}
