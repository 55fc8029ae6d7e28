import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import {
  CHECK_DEFAULTS,
  CHECK_ENVIRONMENT_LENGTH_MAX,
  CHECK_NAME_LENGTH_MAX,
  type createAvailabilityCheck,
  type testAvailabilityTarget,
  type updateAvailabilityCheck,
} from '@culprit/contract/monitor/availability-checks';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import type { CheckTarget } from './check-outcome.ts';

/** The settings of a check that people edit (docs/contract/account.md 7.2). */
export interface CheckSettings extends CheckTarget {
  name: string;
  intervalSeconds: number;
  failureThreshold: number;
  recoveryThreshold: number;
  environment: string;
  serviceName: string | null;
  isEnabled: boolean;
}

/**
 * Returns the target of a new check, or of a test; the address is read elsewhere.
 * @throws Problem `invalid_payload` for bounds that no status can meet
 */
export function targetOf(url: string, body: Omit<BodyOf<typeof testAvailabilityTarget>, 'url'>): CheckTarget {
  return requireBounds({
    url,
    method: body.method ?? CHECK_DEFAULTS.method,
    expectedStatusMin: body.expected_status_min ?? CHECK_DEFAULTS.expectedStatusMin,
    expectedStatusMax: body.expected_status_max ?? CHECK_DEFAULTS.expectedStatusMax,
    timeoutMs: body.timeout_ms ?? CHECK_DEFAULTS.timeoutMs,
  });
}

/** The settings of a new check; without an environment where the body names none: it is the project's then. */
export type NewCheckSettings = Omit<CheckSettings, 'environment'> & { environment: string | null };

/** Returns the settings of a new check from a body. @throws Problem `invalid_payload` */
export function newCheckSettings(
  url: string,
  body: BodyOf<typeof createAvailabilityCheck>,
): NewCheckSettings {
  return {
    ...targetOf(url, body),
    name: readTrimmed('/name', body.name, CHECK_NAME_LENGTH_MAX),
    intervalSeconds: body.interval_seconds,
    failureThreshold: body.failure_threshold ?? CHECK_DEFAULTS.failureThreshold,
    recoveryThreshold: body.recovery_threshold ?? CHECK_DEFAULTS.recoveryThreshold,
    environment:
      body.environment === undefined
        ? null
        : readTrimmed('/environment', body.environment, CHECK_ENVIRONMENT_LENGTH_MAX),
    serviceName: readServiceName(body.service_name ?? null),
    isEnabled: body.enabled ?? true,
  };
}

/** The fields of a change; a field that it does not name is undefined. */
export type CheckChange = { [Key in keyof CheckSettings]: CheckSettings[Key] | undefined };

/**
 * Returns a change, validated as far as possible without the check.
 * @param url the stored form; undefined when the address stays
 * @throws Problem `invalid_payload`
 */
export function checkChange(
  url: string | undefined,
  body: BodyOf<typeof updateAvailabilityCheck>,
): CheckChange {
  const { name, environment, service_name: serviceName } = body;
  return {
    url,
    name: name === undefined ? undefined : readTrimmed('/name', name, CHECK_NAME_LENGTH_MAX),
    method: body.method,
    expectedStatusMin: body.expected_status_min,
    expectedStatusMax: body.expected_status_max,
    timeoutMs: body.timeout_ms,
    intervalSeconds: body.interval_seconds,
    failureThreshold: body.failure_threshold,
    recoveryThreshold: body.recovery_threshold,
    environment:
      environment === undefined
        ? undefined
        : readTrimmed('/environment', environment, CHECK_ENVIRONMENT_LENGTH_MAX),
    serviceName: serviceName === undefined ? undefined : readServiceName(serviceName),
    isEnabled: body.enabled,
  };
}

/**
 * The settings after a change.
 * @throws Problem `invalid_payload` when the bounds of the resulting check contradict each other
 */
export function changedSettings(before: CheckSettings, change: CheckChange): CheckSettings {
  return requireBounds({
    url: change.url ?? before.url,
    name: change.name ?? before.name,
    method: change.method ?? before.method,
    expectedStatusMin: change.expectedStatusMin ?? before.expectedStatusMin,
    expectedStatusMax: change.expectedStatusMax ?? before.expectedStatusMax,
    timeoutMs: change.timeoutMs ?? before.timeoutMs,
    intervalSeconds: change.intervalSeconds ?? before.intervalSeconds,
    failureThreshold: change.failureThreshold ?? before.failureThreshold,
    recoveryThreshold: change.recoveryThreshold ?? before.recoveryThreshold,
    environment: change.environment ?? before.environment,
    // Null is a value here: it clears the name.
    serviceName: change.serviceName === undefined ? before.serviceName : change.serviceName,
    isEnabled: change.isEnabled ?? before.isEnabled,
  });
}

/**
 * Returns true if the results of its runs are about something else now (docs/contract/account.md 7.2), or must not be
 * counted while it is paused (7.4).
 */
export function resetsEvidence(before: CheckSettings, after: CheckSettings): boolean {
  return (
    (before.isEnabled && !after.isEnabled) ||
    before.url !== after.url ||
    before.method !== after.method ||
    before.expectedStatusMin !== after.expectedStatusMin ||
    before.expectedStatusMax !== after.expectedStatusMax ||
    before.timeoutMs !== after.timeoutMs
  );
}

function requireBounds<Target extends CheckTarget>(target: Target): Target {
  if (target.expectedStatusMin > target.expectedStatusMax) {
    throw invalidPayload('/expected_status_min', 'must not be above expected_status_max');
  }
  return target;
}

function readServiceName(text: string | null): string | null {
  return text === null ? null : readTrimmed('/service_name', text, CHECK_NAME_LENGTH_MAX);
}

/** Trimmed, as names in events are. */
function readTrimmed(pointer: string, text: string, lengthMax: number): string {
  const trimmed = text.trim();
  if (trimmed === '' || [...trimmed].length > lengthMax) {
    throw invalidPayload(pointer, `must have 1 to ${lengthMax} characters besides white space`);
  }
  return trimmed;
}
