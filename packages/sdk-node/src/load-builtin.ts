import { createRequire } from 'node:module';

/**
 * Modules of Node that cost more than the rest of the library together, loaded when they are first needed
 * (docs/contract/clients.md 1.3). `promises` of `node:fs` is one too: read as a member, it is loaded at its first use,
 * while an import of `node:fs/promises` loads it immediately. Built-in names resolve alike from every path, so bundled
 * hosts load them too.
 */
const load = createRequire(process.execPath);

/** `node:http`. */
export function loadHttp(): typeof import('node:http') {
  return load('node:http');
}

/** `node:https`. */
export function loadHttps(): typeof import('node:https') {
  return load('node:https');
}

/** `node:tls`. */
export function loadTls(): typeof import('node:tls') {
  return load('node:tls');
}

/** `node:zlib`. */
export function loadZlib(): typeof import('node:zlib') {
  return load('node:zlib');
}

/** `node:worker_threads`. */
export function loadWorkerThreads(): typeof import('node:worker_threads') {
  return load('node:worker_threads');
}

/** `node:crypto`. */
export function loadCrypto(): typeof import('node:crypto') {
  return load('node:crypto');
}

/** `node:os`. */
export function loadOs(): typeof import('node:os') {
  return load('node:os');
}
