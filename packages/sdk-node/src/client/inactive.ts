import type { Diagnostics, Scope } from './implementation.ts';

/** Setters without effect, before `init` and after `close`. */
export const INACTIVE_SCOPE: Scope = {
  setUser() {},
  setTag() {},
  setContext() {},
  addBreadcrumb() {},
  setRoute() {},
  setRequestBody() {},
  setResponse() {},
};

/** Diagnostics of a library that captures nothing. */
export const INACTIVE_DIAGNOSTICS: Diagnostics = {
  state: 'disabled',
  mode: 'off',
  reason: 'not_initialized',
  endpointOrigin: null,
  captured: 0,
  sent: 0,
  accepted: 0,
  waiting: 0,
  waitingBytes: 0,
  dropped: {},
  requests: 0,
  retries: 0,
  lastEventAt: null,
  policyPreset: null,
  activeProbes: 0,
  debugIds: {},
};
