import type { CommonOptions } from '../../sdk-core/src/options.ts';
import type { Undo } from './replace.ts';

/** The kinds of capture without a call, by name (docs/contract/clients.md 5.1). */
export interface CaptureSwitches {
  errors: boolean;
  rejections: boolean;
  resources: boolean;
  clicks: boolean;
  navigation: boolean;
  network: boolean;
  /** Breadcrumbs as events of their own, while the policy of the project wants them. Off. */
  standaloneBreadcrumbs: boolean;
  /** Up to 4,096 bytes of the answers of failed calls. Off. */
  networkBodies: boolean;
  /** Captures known failures that are no fault of the page: `ResizeObserver loop`, files of browser extensions. Off. */
  noise: boolean;
  /** An id that lives as long as the tab. */
  session: boolean;
}

/** Adds a source of evidence to the page; made by the functions of `@culprit/browser/integrations`. */
export type Integration = (page: never) => Undo | undefined;

/** Options of `init` (docs/contract/clients.md 2.1). */
export interface BrowserOptions extends CommonOptions {
  sessionSampleRate?: number | undefined;
  maxEventsPerSession?: number | undefined;
  allowUrls?: readonly (string | RegExp)[] | undefined;
  denyUrls?: readonly (string | RegExp)[] | undefined;
  capture?: Partial<CaptureSwitches> | undefined;
  integrations?: readonly Integration[] | undefined;
}
