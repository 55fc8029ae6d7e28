import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './install.mjs';
import { NODE_MAJOR_MIN, nodeMissingText, nodePackage } from './platform.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const STARTED_BY = '--started-by';
const STARTER_POLL_MS = 200;
/** Ctrl-C reaches the child from the terminal too, and npm passes it on again: one is enough. */
const REPEAT_MS = 500;

/** The Node to run our programs with: this one when it is new enough, else the one of the lockfile, else null. */
function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN) {
    return process.execPath;
  }
  const name = nodePackage(process.platform, process.arch);
  const bundled = name === null ? null : join(ROOT, 'node_modules', name, 'bin', 'node');
  return bundled !== null && existsSync(bundled) ? bundled : null;
}

/** The same; ends the process with exit code 1 when there is none. */
export function requireNode() {
  const node = findNode();
  if (node === null) {
    console.error(nodeMissingText(process.platform, process.arch, process.version));
    process.exit(1);
  }
  return node;
}

/**
 * Returns the arguments of a script of ours. `--started-by PID` at their beginning names the npm that runs the script:
 * when that process is gone, this one stops as if it had received a signal. npm does not pass every signal on, and none
 * before it has started to watch its child, so without this a service would continue to run with no process that stops
 * it.
 */
export function readArguments() {
  // Until a debugger is asked for, the signal that opens one does nothing. Our children get the option for it.
  process.on('SIGUSR1', () => {});
  const args = process.argv.slice(2);
  if (args[0] !== STARTED_BY) {
    return args;
  }
  const starter = Number(args[1]);
  const timer = setInterval(() => {
    if (process.ppid !== starter) {
      clearInterval(timer);
      process.kill(process.pid, 'SIGTERM');
    }
  }, STARTER_POLL_MS);
  timer.unref();
  return args.slice(2);
}

/**
 * Runs Node with these arguments on our own input and output, passes signals on and resolves to how it ended. Ends
 * the process with exit code 1 when there is no suitable Node. `isWatched` is for programs of ours that stop when they
 * are disconnected, which happens when this process is killed and can pass nothing on. With `isCaptured` it reads
 * nothing, and what it writes is the `output` of the result instead.
 */
export function runNode(nodeArguments, { isWatched = false, isCaptured = false } = {}) {
  const node = requireNode();
  return new Promise((resolve, reject) => {
    // Only a person who may change the command opens a debugger in a process of ours.
    const ownStreams = isCaptured ? ['ignore', 'pipe', 'pipe'] : ['inherit', 'inherit', 'inherit'];
    const child = spawn(node, ['--disable-sigusr1', ...nodeArguments], {
      stdio: isWatched ? [...ownStreams, 'ipc'] : ownStreams,
      cwd: process.cwd(),
      env: { ...SOURCE_DEFAULTS, ...process.env },
    });
    const passOn = forwarder(child);
    for (const signal of SIGNALS) {
      process.on(signal, passOn);
    }
    let output = '';
    for (const stream of isCaptured ? [child.stdout, child.stderr] : []) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('error', reject);
    child.on(isCaptured ? 'close' : 'exit', (code, signal) => {
      for (const name of SIGNALS) {
        process.removeListener(name, passOn);
      }
      resolve({ code, signal, output });
    });
  });
}

/**
 * Defaults of the environment that suit our programs: more threads, so that a hung disk does not hold them all; and few
 * memory pools of the C library, because one for each thread is mostly unused memory, whose freed end goes back to the
 * system: after a load that is 80 of 500 MB.
 */
export const DEFAULTS = {
  UV_THREADPOOL_SIZE: '8',
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/**
 * Those of programs that run from their sources: compiled code is kept between starts, which saves the memory and time
 * of stripping types in every process. Of a few files it saves a tenth of a second, and takes more memory than they do.
 */
export const SOURCE_DEFAULTS = {
  ...DEFAULTS,
  // Beside node_modules: an installation removes that folder, perhaps while a service that stops still writes here.
  NODE_COMPILE_CACHE: join(ROOT, '.cache', 'compiled'),
};

/** Ends this process the way the child ended; await it, because a signal takes a moment. */
export async function exitLike({ code, signal }) {
  if (signal === null) {
    process.exit(code ?? 1);
  }
  process.kill(process.pid, signal);
  // For signals that do not end a process.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  process.exit(1);
}

function forwarder(child) {
  let passedAt = Number.NEGATIVE_INFINITY;
  return (signal) => {
    const now = Date.now();
    if (now - passedAt > REPEAT_MS) {
      passedAt = now;
      child.kill(signal);
    }
  };
}
