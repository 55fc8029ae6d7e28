import type { Runtime } from '../runtime.ts';

/** The runtime of a worker's main thread: everything but what only answers requests. */
export type WorkerRuntime = Omit<
  Runtime,
  | 'fingerprints'
  | 'signIn'
  | 'operators'
  | 'github'
  | 'oidc'
  | 'slackApp'
  | 'version'
  | 'ledger'
  | 'payments'
  | 'mcp'
  | 'packages'
>;
