import { hash } from 'node:crypto';
import { DETECTORS, type Detector, type Finding } from './detectors.ts';

/**
 * Returns 64 hex digits that distinguish an improvement from the others of its service (docs/contract/incidents.md
 * 6.1).
 */
export function improvementFingerprint(detector: Detector, key: string): string {
  // Keys in the order of code units and no white space: canonical JSON.
  return hash('sha256', JSON.stringify({ detector, key, v: 1 }), 'hex');
}

/** Returns the subject that a detector counts, by its words in the evidence. */
function subjectOf(detector: Detector, key: string): Readonly<Record<string, string | number>> {
  switch (detector) {
    case 'slow_request':
    case 'retry_loop':
      return requestOf(key);
    case 'request_failure': {
      const end = key.lastIndexOf(' ');
      return { ...requestOf(key.slice(0, end)), status: Number(key.slice(end + 1)) };
    }
    case 'slow_query':
      return { statement: key };
    case 'warning_hotspot':
    case 'deprecation':
      return { message: key };
    case 'recurring_incident':
    case 'post_deploy_regression':
      return {};
  }
}

/** The method holds no space. */
function requestOf(key: string): { method: string; route: string } {
  const end = key.indexOf(' ');
  return { method: key.slice(0, end), route: key.slice(end + 1) };
}

/** The evidence of a record (docs/contract/incidents.md 6.1). */
export function evidenceOf(detector: Detector, key: string, finding: Finding): Record<string, unknown> {
  return {
    detector,
    window_seconds: DETECTORS[detector].windowMs / 1000,
    observed: finding.observed,
    threshold: finding.threshold,
    ...subjectOf(detector, key),
    ...finding.values,
  };
}

/** The name of an incident in texts. */
interface NamedIncident {
  title: string;
}

const TITLE_CHARS_MAX = 300;

/** The title of a record. */
export function titleOf(detector: Detector, key: string, incident: NamedIncident | null): string {
  const { route, method, status } = { route: '', method: '', status: '', ...subjectOf(detector, key) };
  const words: Record<Detector, string> = {
    slow_request: `Slow request: ${method} ${route}`,
    slow_query: `Slow query: ${key}`,
    warning_hotspot: `Frequent warning: ${key}`,
    deprecation: `Deprecated use: ${key}`,
    request_failure: `Repeated ${status} answers: ${method} ${route}`,
    retry_loop: `Retry loop: ${method} ${route}`,
    recurring_incident: `Recurring incident: ${incident?.title ?? ''}`,
    post_deploy_regression: `Regression after a deploy: ${incident?.title ?? ''}`,
  };
  return [...words[detector]].slice(0, TITLE_CHARS_MAX).join('');
}

/** Returns the observations in one sentence. */
export function summaryOf(
  detector: Detector,
  key: string,
  finding: Pick<Finding, 'observed' | 'values'>,
): string {
  const { observed, values } = finding;
  const within = `within ${spanText(DETECTORS[detector].windowMs)}`;
  const times = observed === 1 ? 'once' : `${observed} times`;
  switch (detector) {
    case 'slow_request': {
      const part = values.percent === undefined ? '' : `, ${values.percent} percent of its requests`;
      return `${key} took ${values.limit_ms} ms or longer ${times} ${within}${part}.`;
    }
    case 'slow_query':
      return `A statement took ${values.limit_ms} ms or longer ${times} ${within}.`;
    case 'warning_hotspot':
      return `The same warning was logged ${times} ${within}.`;
    case 'deprecation':
      return `A deprecation was announced ${times} ${within}.`;
    case 'request_failure': {
      const { method, route, status } = subjectOf(detector, key);
      return `${method} ${route} was answered with ${status} ${times} ${within}.`;
    }
    case 'retry_loop':
      return `${key} failed ${values.group_attempts} times or more in a minute for ${observed} callers ${within}.`;
    case 'recurring_incident':
      return values.days === undefined
        ? `The incident regressed ${times} ${within}.`
        : `The incident occurred on ${observed} different days ${within}.`;
    case 'post_deploy_regression':
      return `The incident regressed ${times} within 24 hours after a deploy.`;
  }
}

/** Returns the recommended action: names the route, template or statement (docs/contract/incidents.md 6.5). */
export function recommendedActionOf(detector: Detector, key: string): string {
  switch (detector) {
    case 'slow_request':
      return `Profile the handler of ${key} and speed up what takes longest.`;
    case 'slow_query':
      return `Check the plan of the statement and its indexes: ${key}`;
    case 'warning_hotspot':
      return `Fix the cause of this warning or stop logging it: ${key}`;
    case 'deprecation':
      return `Replace the deprecated use before it is removed: ${key}`;
    case 'request_failure': {
      const { method, route, status } = subjectOf(detector, key);
      return `Find out which callers of ${method} ${route} are answered with ${status}, and fix them or the check.`;
    }
    case 'retry_loop':
      return `Stop the callers of ${key} from retrying immediately: wait longer each time, and stop after a few attempts.`;
    case 'recurring_incident':
    case 'post_deploy_regression':
      return 'Work on the incident.';
  }
}

const LIKELY_CAUSES: Readonly<Record<Detector, string | null>> = {
  slow_request: 'The handler of the route takes longer than its callers should wait.',
  slow_query: 'The statement reads more than it needs, or lacks an index.',
  warning_hotspot: 'One place repeats the same warning and is not fixed.',
  deprecation: 'The code uses something that a future version removes.',
  request_failure: 'Callers send invalid requests, or the service refuses valid ones.',
  retry_loop: 'A client retries a failing request without waiting.',
  recurring_incident: null,
  post_deploy_regression: null,
};

export function likelyCauseOf(detector: Detector): string | null {
  return LIKELY_CAUSES[detector];
}

function spanText(ms: number): string {
  const hours = ms / 3_600_000;
  return hours <= 24 ? `${hours} hours` : `${hours / 24} days`;
}
