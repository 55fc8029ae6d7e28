import { pageExceptionKeys } from '../../sdk-core/src/repeats/suppression.ts';
import { start } from './api.ts';
import type { BrowserOptions } from './options.ts';

export { captureException, close, flush, getDiagnostics, setContext, setTag, setUser } from './api.ts';
export type { BrowserOptions } from './options.ts';

/** Begins to capture errors and rejections, without breadcrumbs, network, probes and configuration. */
export function init(options: BrowserOptions = {}): boolean {
  return start(options, { keysOf: pageExceptionKeys, parts: [] });
}
