import { AsyncResource } from 'node:async_hooks';
import type { Scopes } from '../scope/scopes.ts';

/** Runs the library's own work outside of the host's requests, so that no socket or timer refers to one. */
export interface OwnContext {
  run<T>(work: () => T): T;
  /**
   * Asks the platform what Next.js forbids within a page that it prerenders: the time and random numbers. Its guards go by
   * the asynchronous context, and an error that they throw is one of the page.
   */
  ask<T>(platform: () => T): T;
}

/** The asynchronous context of this call, which is that of `init`, with a scope that marks the calls made in it. */
export function captureOwnContext(scopes: Scopes): OwnContext {
  const resource = new AsyncResource('CulpritLibrary', { requireManualDestroy: true });
  return {
    run: (work) => resource.runInAsyncScope(() => scopes.runOwn(work)),
    ask: (platform) => resource.runInAsyncScope(platform),
  };
}
