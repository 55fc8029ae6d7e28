import type { Directive, Service } from '../wire.ts';

/** The remote probes that are active for this service (docs/contract/clients.md 9.3). */
export interface Directives {
  /** Replaces all of them: by a configuration answer or the answer to a batch. */
  set(directives: readonly unknown[]): void;
  /** Those whose pattern a label meets and whose time is not over. */
  matching(label: string): Directive[];
  /** The number of directives, expired ones included: a dormant probe tests it. */
  readonly size: number;
  /** Returns the number of directives in force. */
  active(): number;
}

/** @param now by the corrected clock */
export function createDirectives(
  service: Pick<Service, 'name' | 'environment'>,
  now: () => number,
): Directives {
  let current: readonly Directive[] = [];
  const inForce = () => current.filter(({ expires_at }) => Date.parse(expires_at) > now());
  return {
    set(directives) {
      current = directives.filter((each) => isDirective(each) && concerns(each, service)) as Directive[];
    },
    matching: (label) => inForce().filter(({ label_pattern }) => meetsLabel(label_pattern, label)),
    get size() {
      return current.length;
    },
    active: () => inForce().length,
  };
}

export function isDirective(value: unknown): value is Directive {
  return ['activation_id', 'label_pattern', 'service', 'environment', 'expires_at'].every(
    (key) => typeof Object(value)[key] === 'string',
  );
}

/** Returns true if a directive or trigger is for this service and environment. */
export function concerns(
  directive: Pick<Directive, 'service' | 'environment'>,
  service: Pick<Service, 'name' | 'environment'>,
): boolean {
  return (
    ['*', service.name].includes(directive.service) &&
    ['*', service.environment].includes(directive.environment)
  );
}

/**
 * Returns true if a label meets a pattern: `*` is any text, `?` one character, and `auth.*` is `auth` too
 * (docs/contract/ingestion.md 6.1). Each letter moves all places in the pattern in one step, so no pattern costs more
 * than its length for each.
 */
export function meetsLabel(pattern: string, label: string): boolean {
  // Both end with what only the end meets.
  const signs = [...pattern, ''];
  let places = new Set([0]);
  for (const letter of [...label, ...(pattern.endsWith('.*') ? '.' : ''), '']) {
    const next = new Set<number>();
    // Places that are added are visited too.
    for (const place of places) {
      if (signs[place] === '*') {
        places.add(place + 1);
        next.add(place);
      } else if (signs[place] === letter || signs[place] === '?') next.add(place + 1);
    }
    places = next;
  }
  return places.has(signs.length);
}

/** An activation id as the service writes it. */
export function activationId(id: string): string {
  return id.startsWith('act_') ? id : `act_${id}`;
}
