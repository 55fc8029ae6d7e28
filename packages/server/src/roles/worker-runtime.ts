import type { Runtime } from '../runtime.ts';

/** What the main thread of a worker works with: everything but what only answers requests. */
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
