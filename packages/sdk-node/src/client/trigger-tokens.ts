import { createTriggerChecks } from '../../../sdk-core/src/probes/trigger-token.ts';
import type { Directive } from '../../../sdk-core/src/wire.ts';
import { loadCrypto } from '../load-builtin.ts';
import { queryOf } from '../scope/exchange.ts';
import type { Unit } from '../scope/scopes.ts';

const HEADERS = ['x-service-probe-trigger', 'x-debugbundle-probe-trigger'] as const;
const PARAMETER = '_debug_probe';
const NONE: readonly Directive[] = [];

/** The parts of a client that the checks need. */
interface TriggerSettings {
  service: { name: string; environment: string };
  now(): number;
  /** Null while it is not known, or when the plan has no remote probes. */
  key(): string | null;
}

/** Trigger tokens of one client. */
export interface Triggers {
  /** The directive of a token that is valid here; null otherwise. */
  check(token: unknown): Directive | null;
  /** Directives of the token that the request of a unit brought. */
  of(unit: Unit): readonly Directive[];
}

/** Directives of the trigger token that a request brought, checked once in its scope (docs/contract/clients.md 9.3). */
export function createTriggers(settings: TriggerSettings): Triggers {
  const check = createTriggerChecks({
    ...settings,
    hmac: (key, text) => loadCrypto().createHmac('sha256', key).update(text).digest('base64url'),
  });
  return {
    check,
    of(unit) {
      if (unit.triggers !== null) return unit.triggers;
      if (unit.exchange === null || settings.key() === null) return NONE;
      const directive = check(tokenOf(unit));
      unit.triggers = directive === null ? NONE : [directive];
      return unit.triggers;
    },
  };
}

/** A header wins over the query, also when it is bad. */
function tokenOf({ exchange }: Unit): unknown {
  for (const name of HEADERS) {
    const header = exchange?.requestHeader(name) ?? null;
    if (header !== null) return header;
  }
  const target = exchange?.target ?? '';
  return target.includes(PARAMETER) ? queryOf(target)[PARAMETER] : undefined;
}
