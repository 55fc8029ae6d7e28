import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './install.mjs';

const NODE_MAJOR_MIN = 24;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Ctrl-C reaches the child from the terminal too, and npm passes it on once more: one is enough. */
const REPEAT_MS = 500;

/** The Node to run our programs with: this one when it is new enough, else the one of the lockfile, else null. */
export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN) {
    return process.execPath;
  }
  const bundled = join(ROOT, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  return existsSync(bundled) ? bundled : null;
}

/**
 * Runs Node with these arguments on our own input and output, passes signals on and resolves to how it ended. Ends
 * the process with exit code 1 when there is no suitable Node.
 */
export function runNode(nodeArguments) {
  const node = findNode();
  if (node === null) {
    console.error(
      `Culprit needs Node ${NODE_MAJOR_MIN} or newer. This is ${process.version}, and the lockfile brings none for ${process.platform}-${process.arch}: install it from nodejs.org and start again.`,
    );
    process.exit(1);
  }
  return new Promise((resolve, reject) => {
    const child = spawn(node, nodeArguments, {
      stdio: 'inherit',
      cwd: process.cwd(),
      env: childEnvironment(),
    });
    const passOn = forwarder(child);
    for (const signal of SIGNALS) {
      process.on(signal, passOn);
    }
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const name of SIGNALS) {
        process.removeListener(name, passOn);
      }
      resolve({ code, signal });
    });
  });
}

/**
 * Our own environment with two defaults of Node that suit us: compiled code is kept between starts, which saves the
 * memory and time of stripping types in every process, and more threads, so that a hung disk does not hold them all.
 */
function childEnvironment() {
  return {
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'culprit-compiled'),
    UV_THREADPOOL_SIZE: '8',
    ...process.env,
  };
}

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
