import type { Incident } from '@culprit/contract/incidents/incidents';
import type { Checks } from './checks.ts';

/** An incident that the visits must lead to. */
interface ExpectedIncident {
  /** The name of the file that holds its evidence, and of its row in `expected-facts.ts`. */
  name: string;
  what: string;
  service: 'shop-api' | 'shop-web';
  kind: Incident['incident_reason']['kind'];
  severity: Incident['severity'];
  title: RegExp;
  /** The beginning of its likely cause. */
  cause: string;
  /** Occurrences in the visits of the first release, and after it. */
  occurrences: number;
  laterOccurrences: number;
}

export const GUEST_CHECKOUT: ExpectedIncident = {
  name: 'guest-checkout',
  what: 'the guest checkout without an address',
  service: 'shop-api',
  kind: 'backend_exception',
  severity: 'high',
  title: /^TypeError: Cannot read properties of undefined \(reading 'country'\)$/,
  cause: 'A value expected to be present was missing at centsPerKilogram.',
  occurrences: 2,
  laterOccurrences: 2,
};

export const PAGE_ERROR: ExpectedIncident = {
  name: 'page-error',
  what: 'the page that takes an error for an order',
  service: 'shop-web',
  kind: 'frontend_exception',
  severity: 'high',
  title: /^TypeError: Cannot read properties of undefined \(reading 'number'\)$/,
  cause: 'A value expected to be present was missing at showConfirmation.',
  occurrences: 4,
  laterOccurrences: 1,
};

export const EXPECTED_INCIDENTS: readonly ExpectedIncident[] = [
  GUEST_CHECKOUT,
  {
    name: 'payment-provider',
    what: 'the payment provider that breaks the connection',
    service: 'shop-api',
    kind: 'backend_exception',
    severity: 'critical',
    title: /^PaymentError: the payment was not taken \(ECONNRESET\)$/,
    cause: 'A dependency did not accept or keep the connection.',
    occurrences: 1,
    laterOccurrences: 0,
  },
  {
    name: 'second-order',
    what: 'the second order for one cart',
    service: 'shop-api',
    kind: 'backend_exception',
    severity: 'high',
    title: /^Error: UNIQUE constraint failed: orders\.cart_id$/,
    cause: 'The database refused a row that breaks a constraint.',
    occurrences: 1,
    laterOccurrences: 0,
  },
  {
    name: 'slow-warehouse',
    what: 'the slow warehouse',
    service: 'shop-api',
    kind: 'backend_exception',
    severity: 'high',
    title: /^StockError: /,
    cause: 'A call took longer than its limit.',
    occurrences: 1,
    laterOccurrences: 0,
  },
  {
    name: 'exchange-rates',
    what: 'the exchange rates that are no JSON',
    service: 'shop-api',
    kind: 'backend_exception',
    severity: 'high',
    title: /^SyntaxError: Unexpected token '<'/,
    cause: 'A response or body was not the JSON the code expects.',
    occurrences: 1,
    laterOccurrences: 0,
  },
  {
    name: 'failed-request',
    what: 'the failed request without an exception',
    service: 'shop-api',
    kind: 'request_failure',
    severity: 'high',
    title: /^GET \/api\/recommendations returned 503$/,
    cause: 'The latest occurrence is within 24 hours after deploy ',
    occurrences: 1,
    laterOccurrences: 0,
  },
  {
    name: 'logged-error',
    what: 'the logged error of the mail',
    service: 'shop-api',
    kind: 'error_log',
    severity: 'low',
    title: /^No confirmation was sent for order /,
    cause: 'The failure surfaces in sendConfirmation at ',
    occurrences: 1,
    laterOccurrences: 0,
  },
  PAGE_ERROR,
  {
    name: 'foreign-script',
    what: 'the script of another origin',
    service: 'shop-web',
    kind: 'frontend_exception',
    severity: 'low',
    title: /^Opaque browser error: /,
    cause: 'The browser withheld the error details of a cross-origin script.',
    occurrences: 5,
    laterOccurrences: 1,
  },
  {
    name: 'missing-style-sheet',
    what: 'the style sheet that is not there',
    service: 'shop-web',
    kind: 'frontend_exception',
    severity: 'medium',
    title: /^Failed to load link localhost:\d+\/assets\/winter-sale\.css$/,
    cause: 'A page resource could not be loaded;',
    occurrences: 5,
    laterOccurrences: 1,
  },
];

/** The project's incidents against what they were before this run. */
export class IncidentLedger {
  readonly #countsBefore: ReadonlyMap<string, number>;

  constructor(before: readonly Incident[]) {
    this.#countsBefore = new Map(before.map((each) => [each.incident_id, each.occurrence_count]));
  }

  /** Incidents that this run touched. */
  touched(now: readonly Incident[]): Incident[] {
    return now.filter((incident) => this.gained(incident) > 0);
  }

  /** Occurrences since the run began. */
  gained(incident: Incident): number {
    return incident.occurrence_count - (this.#countsBefore.get(incident.incident_id) ?? 0);
  }

  /** The one incident of this run that fits, if it is exactly one. */
  find(now: readonly Incident[], expected: ExpectedIncident): Incident | null {
    const [first, ...others] = this.touched(now).filter((incident) => fits(incident, expected));
    return first === undefined || others.length > 0 ? null : first;
  }

  /** Returns true if everything of the first release is there. */
  hasAll(now: readonly Incident[]): boolean {
    return EXPECTED_INCIDENTS.every((expected) => {
      const incident = this.find(now, expected);
      return incident !== null && this.gained(incident) >= expected.occurrences;
    });
  }

  /** Each failure is one incident with the right facts, counted exactly, and there is no other. */
  check(now: readonly Incident[], checks: Checks): void {
    for (const expected of EXPECTED_INCIDENTS) {
      const incident = this.find(now, expected);
      checks.expect(`an incident for ${expected.what}`, incident !== null);
      if (incident === null) continue;
      const { severity } = expected;
      const occurrences = expected.occurrences + expected.laterOccurrences;
      checks.expect(
        `${occurrences} new occurrences of ${expected.what}, not ${this.gained(incident)}`,
        this.gained(incident) === occurrences,
      );
      checks.expect(
        `severity ${severity} for ${expected.what}, not ${incident.severity}`,
        incident.severity === severity,
      );
    }
    for (const incident of this.touched(now)) {
      const isExpected = EXPECTED_INCIDENTS.some((expected) => fits(incident, expected));
      checks.expect(`no incident "${incident.title}"`, isExpected);
    }
  }
}

/** Returns true if an incident is the expected one. */
export function fits(incident: Incident, expected: ExpectedIncident): boolean {
  return (
    incident.service_name === expected.service &&
    incident.environment === 'production' &&
    incident.incident_reason.kind === expected.kind &&
    expected.title.test(incident.title)
  );
}
