import type { CommonOptions } from '../../../sdk-core/src/options.ts';

/** Switches of automatic capture by name (docs/contract/clients.md 4); all on, `console` is `trail`. */
export interface CaptureSwitches {
  uncaught?: boolean | undefined;
  rejections?: boolean | undefined;
  requests?: boolean | undefined;
  outgoing?: boolean | undefined;
  loggers?: boolean | undefined;
  warnings?: boolean | undefined;
  console?: 'trail' | 'events' | 'off' | undefined;
}

/** Options of `init` (docs/contract/clients.md 2.1). */
export interface NodeOptions extends CommonOptions {
  /** `auto` writes files in development and sends everywhere else. */
  mode?: 'auto' | 'connected' | 'local' | undefined;
  /** The commit that runs; read from the environment of known platforms otherwise. */
  git?: { commit: string; branch?: string | undefined; repo?: string | undefined } | undefined;
  capture?: CaptureSwitches | undefined;
  /** Path prefixes or regular expressions whose status is no failure. */
  ignoreRequests?: readonly (string | RegExp)[] | undefined;
  /** `failures` sends the parsed body of failed requests. */
  requestBodies?: 'off' | 'failures' | undefined;
  /** Address of an HTTP proxy; otherwise `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` decide. */
  proxy?: string | undefined;
  localDir?: string | undefined;
  spool?: boolean | { dir?: string | undefined; maxBytes?: number | undefined } | undefined;
  /** Longest delay of a crash by its report; 0 only writes the spool. */
  crashTimeoutMs?: number | undefined;
  /** `Error.stackTraceLimit` is raised to this; null leaves it. */
  stackFrames?: number | null | undefined;
}
