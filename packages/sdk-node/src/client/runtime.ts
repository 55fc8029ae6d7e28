import type { Client } from '../../../sdk-core/src/client.ts';
import type { Directives } from '../../../sdk-core/src/probes/directives.ts';
import type { Probes } from '../../../sdk-core/src/probes/probes.ts';
import type { Cleaner } from '../../../sdk-core/src/redaction/clean.ts';
import type { Host } from '../../../sdk-core/src/sending/host.ts';
import type { CapturePolicy } from '../../../sdk-core/src/wire.ts';
import type { DependencyMonitor } from '../capture/dependency-monitor.ts';
import type { GitFacts } from '../facts/git-facts.ts';
import type { Scopes, Unit } from '../scope/scopes.ts';
import type { ResolvedOptions } from './resolve-options.ts';
import type { Triggers } from './trigger-tokens.ts';

/** Everything that the parts of one client share, made once by `init`. */
export interface Runtime {
  options: ResolvedOptions;
  host: Host;
  client: Client;
  scopes: Scopes;
  dependencies: DependencyMonitor;
  git: GitFacts | null;
  readonly release: string | null;
  startCleaner: () => Cleaner;
  /** Null while it is not known yet. */
  policy(): CapturePolicy | null;
  probes: Probes;
  directives: Directives;
  triggers: Triggers;
  /** Returns true if neither a hook of the host nor a rule reads events. */
  isPlain(): boolean;
  /** True if no option drops exceptions by their message. */
  isUnfiltered: boolean;
  newId(): string;
  /** Units with events that wait for their end. */
  waitingUnits: Set<Unit>;
}
