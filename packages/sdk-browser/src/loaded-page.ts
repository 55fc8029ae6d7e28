import type { Draft, Step } from '../../sdk-core/src/client.ts';
import type { ReadConfig } from '../../sdk-core/src/config.ts';
import type { Breadcrumb, Hint } from '../../sdk-core/src/options.ts';
import type { ProbeRing } from '../../sdk-core/src/probes/probe-ring.ts';
import type { Probes } from '../../sdk-core/src/probes/probes.ts';
import type { Cleaner } from '../../sdk-core/src/redaction/clean.ts';
import type { Host } from '../../sdk-core/src/sending/host.ts';
import type { CapturePolicy, Directive, JsonObject, Service } from '../../sdk-core/src/wire.ts';
import type { Destination } from './address.ts';
import type { ClientSettings, PageClient } from './client.ts';
import type { PageFailure } from './failures.ts';
import type { BrowserOptions, CaptureSwitches } from './options.ts';
import type { Undo } from './replace.ts';
import type { Scopes } from './scopes.ts';
import type { Transport } from './transport.ts';

/** A page whose failures are captured: made by `init`, ended by `close`. */
export interface Page {
  readonly pageClient: PageClient;
  readonly options: BrowserOptions;
  readonly capture: Partial<CaptureSwitches>;
  readonly sentTo: Destination;
  readonly transport: Transport;
  /** One id for everything that a loaded page does, valid as a W3C trace-id: docs/contract/clients.md 6.2. */
  readonly traceId: string;
  readonly service: Service;
  /** The project's policy; empty if it is not requested. */
  readonly project: PagePolicy;
  /** Run when the policy is known. */
  readonly onPolicy: (() => void)[];
  /** Steps 5 to 8 of docs/contract/clients.md 7.1. */
  readonly steps: Step[];
  /** Added to each batch. */
  readonly headers: Record<string, string>;
  /** The directives of a trigger token, in force as long as the page. */
  readonly triggers: Directive[];
  breadcrumb?: AddBreadcrumb;
  /** Made by the first probe. */
  ring?: ProbeRing;
  /** Once a directive has loaded what acts on it. */
  probe?: Probes['probe'];
  probesLoading?: Promise<void> | undefined;
  probesInForce?: () => number;
  /** Remote probes, as the service last listed them. */
  directives: readonly unknown[];
  readonly scopes: Scopes;
  /** The evidence for exceptions; each function is called when one is captured. */
  readonly evidence: (() => JsonObject)[];
  /** The same, for its context. */
  readonly exceptionContext: (() => Record<string, unknown>)[];
  latestId: string | null;
  startCleaner(): Cleaner;
  exception(failure: PageFailure, hint?: Hint): string | null;
  event(draft: Draft, hint?: Hint): string | null;
}

/** A source of events or evidence; the result ends it. */
export type Part = (page: Page) => Undo | undefined;

/** The features that an entry adds to the bare capture of errors; a feature that no entry adds costs no byte. */
export interface Features extends Pick<ClientSettings, 'judge' | 'keysOf'> {
  describe?: Host['describe'];
  parts: readonly Part[];
}

/** The project's policy for this page (docs/contract/clients.md 9.1). */
export interface PagePolicy {
  /** Null until it is known. */
  policy: CapturePolicy | null;
  /** The answer that contains it. */
  rawConfig: ReadConfig['rawConfig'];
}

/** Adds an entry to the trail that exceptions take along. */
export type AddBreadcrumb = (crumb: Breadcrumb) => void;
