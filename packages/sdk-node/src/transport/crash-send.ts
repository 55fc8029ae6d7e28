import { loadWorkerThreads } from '../load-builtin.ts';

/** A last request while the main thread waits. */
export interface CrashRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  timeoutMs: number;
}

/**
 * Runs in a Worker. It is a string, so bundlers need no second file, and it waits for the status only: nothing is left
 * to do with an acknowledgement when the process ends.
 */
const SOURCE = `
'use strict';
const { workerData } = require('node:worker_threads');
const { url, headers, body, timeoutMs, shared } = workerData;
const flags = new Int32Array(shared);
const finish = (status) => {
  Atomics.store(flags, 1, status);
  Atomics.store(flags, 0, 1);
  Atomics.notify(flags, 0);
};
try {
  const { request } = require(url.startsWith('https:') ? 'node:https' : 'node:http');
  const outgoing = request(url, { method: 'POST', headers, agent: false, timeout: timeoutMs }, (response) => {
    response.resume();
    response.on('end', () => finish(response.statusCode));
    response.on('error', () => finish(0));
  });
  outgoing.on('timeout', () => outgoing.destroy());
  outgoing.on('error', () => finish(0));
  outgoing.end(body);
} catch {
  finish(0);
}
`;

/**
 * Posts while this thread stands still, so that it works where no asynchronous work runs any more: in the monitor of
 * uncaught exceptions and in `exit` (docs/contract/clients.md 4.2). The status, or 0 without an answer in time.
 */
export function sendBlocking(request: CrashRequest): number {
  if (request.timeoutMs <= 0) return 0;
  try {
    const { Worker } = loadWorkerThreads();
    const shared = new SharedArrayBuffer(8);
    const flags = new Int32Array(shared);
    const worker = new Worker(SOURCE, {
      eval: true,
      workerData: { ...request, shared },
      execArgv: [],
      env: {},
      stdout: true,
      stderr: true,
      trackUnmanagedFds: false,
    });
    worker.on('error', () => {});
    worker.unref();
    Atomics.wait(flags, 0, 0, request.timeoutMs);
    return Atomics.load(flags, 1);
  } catch {
    return 0;
  }
}
