import { loadWorkerThreads } from '../load-builtin.ts';
import type { HttpProxy } from './proxy.ts';

/** A last request while the main thread waits. */
interface CrashRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  timeoutMs: number;
  /** Null: the address is reached directly. */
  proxy: HttpProxy | null;
}

/**
 * Runs in a Worker. It is a string, so bundlers need no second file, and it waits for the status only: nothing is left
 * to do with an acknowledgement when the process ends.
 */
const SOURCE = `
'use strict';
const { workerData } = require('node:worker_threads');
const { url, headers, body, timeoutMs, proxy, shared } = workerData;
const flags = new Int32Array(shared);
const finish = (status) => {
  Atomics.store(flags, 1, status);
  Atomics.store(flags, 0, 1);
  Atomics.notify(flags, 0);
};
const send = (options) => {
  const { request } = require(options.isSecure ? 'node:https' : 'node:http');
  const outgoing = request({ agent: false, timeout: timeoutMs, ...options });
  outgoing.on('timeout', () => outgoing.destroy());
  outgoing.on('error', () => finish(0));
  outgoing.end(options.body);
  return outgoing;
};
const post = (options) => {
  send({ method: 'POST', body, ...options }).on('response', (response) => {
    response.resume();
    response.on('end', () => finish(response.statusCode));
    response.on('error', () => finish(0));
  });
};
try {
  const { protocol, hostname, port, pathname, search, host, href } = new URL(url);
  const isSecure = protocol === 'https:';
  const target = { isSecure, host: hostname.replace(/^\\[|\\]$/g, ''), port, path: pathname + search, headers };
  const own = proxy && proxy.authorization ? { 'Proxy-Authorization': proxy.authorization } : {};
  if (!proxy) post(target);
  else if (!isSecure) post({ ...proxy, path: href, headers: { Host: host, ...own, ...headers } });
  else {
    const end = hostname + ':' + (port || 443);
    const tunnel = send({ ...proxy, method: 'CONNECT', path: end, headers: { Host: end, ...own } });
    tunnel.on('response', () => finish(0));
    tunnel.on('connect', (answer, socket) => {
      if (answer.statusCode !== 200) return finish(0);
      const { connect } = require('node:tls');
      const { isIP } = require('node:net');
      const servername = isIP(target.host) ? {} : { servername: target.host };
      // An agent would open another connection.
      post({ ...target, agent: null, createConnection: () => connect({ socket, ...servername }) });
    });
  }
} catch {
  finish(0);
}
`;

/**
 * Posts while this thread is blocked, so that it works when asynchronous work no longer runs: in the monitor of
 * uncaught exceptions and in `exit` (docs/contract/clients.md 4.2). Returns the status, or 0 without an answer in time.
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
