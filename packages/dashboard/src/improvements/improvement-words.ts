import type {
  Improvement,
  ImprovementBundleFailureReason,
  ImprovementKind,
  ImprovementSensitivity,
} from '@culprit/contract/incidents/improvements';
import { visibleLine } from '../format/event-text.ts';
import { count, duration, percent, plural } from '../format/numbers.ts';

export const KIND_WORDS: Readonly<Record<ImprovementKind, string>> = {
  slow_request: 'Slow requests',
  warning_hotspot: 'Noisy warning',
  request_failure_pattern: 'Repeatedly failing request',
  recurring_incident: 'Recurring incident',
  post_deploy_regression: 'Regression after a deploy',
};

const FAILURE_WORDS: Readonly<Record<ImprovementBundleFailureReason, string>> = {
  bundle_not_generated_yet: 'The evidence has not been built yet.',
  covered_by_incident_bundle: 'The evidence is on the page of its incident.',
  generation_error: 'The evidence could not be built.',
  artifact_unreadable: 'The stored evidence can no longer be read.',
  automation_disabled: 'Insights are disabled in this project, so no evidence is built.',
  monthly_quota_exceeded: "This month's evidence allowance is used up.",
};

/** The requirements of each level, in numbers (docs/contract/incidents.md 6.2). */
export const SENSITIVITY_WORDS: Readonly<Record<ImprovementSensitivity, { name: string; means: string }>> = {
  high_confidence: {
    name: 'Only certain ones',
    means: '20 requests of 2 s and more in a day, 50 equal warnings in a day, 3 loops of 5 attempts',
  },
  balanced: {
    name: 'Balanced',
    means: '10 requests of 1.5 s and more in a day, 25 equal warnings in a day, 2 loops of 4 attempts',
  },
  verbose: {
    name: 'All',
    means: '5 requests of 1 s and more in a day, 10 equal warnings in a day, 1 loop of 3 attempts',
  },
};

export function kindWords(kind: ImprovementKind): string {
  return KIND_WORDS[kind] ?? kind;
}

export function failureWords(reason: ImprovementBundleFailureReason): string {
  return FAILURE_WORDS[reason] ?? reason;
}

/** "31 of 20 in 24 h": what was seen of what is needed. */
export function observedWords({ evidence }: Improvement): string {
  const { observed, threshold, window_seconds: seconds } = evidence;
  const span = seconds > 0 ? ` in ${duration(seconds * 1000)}` : '';
  return `${count(observed)} of ${count(threshold)}${span}`;
}

/** "Seen 31 times in 24 h; an insight needs 20." */
export function observationSentence({ evidence }: Improvement): string {
  const { observed, threshold, window_seconds: seconds } = evidence;
  const span = seconds > 0 ? ` in ${duration(seconds * 1000)}` : '';
  return `Seen ${plural(observed, 'time')}${span}; an insight needs ${count(threshold)}.`;
}

/** Returns the evidence of the detector, as a sentence. */
export function evidenceSentence({ evidence }: Improvement): string {
  const {
    detector,
    observed,
    window_seconds: seconds,
    limit_ms: limitMs,
    group_attempts: attempts,
  } = evidence;
  const span = duration(seconds * 1000);
  const route = visibleLine(`${evidence.method ?? ''} ${evidence.route ?? ''}`.trim()) || 'the same route';
  const limit = limitMs === undefined ? 'long' : `${duration(limitMs)} or longer`;
  switch (detector) {
    case 'slow_request': {
      const share =
        evidence.percent === undefined || evidence.requests === undefined
          ? ''
          : `, which is ${percent(evidence.percent / 100)} of ${count(evidence.requests)}`;
      return `${plural(observed, 'request')} ${route} took ${limit} in ${span}${share}.`;
    }
    case 'slow_query':
      return `One statement took ${limit} ${plural(observed, 'time')} in ${span}.`;
    case 'warning_hotspot':
      return `The same warning was logged ${plural(observed, 'time')} in ${span}.`;
    case 'deprecation':
      return `The same deprecation notice appeared ${plural(observed, 'time')} in ${span}.`;
    case 'request_failure':
      return `${route} was answered ${evidence.status ?? 'with a failure'} ${plural(observed, 'time')} in ${span}.`;
    case 'retry_loop':
      return `${plural(observed, 'caller')} tried ${route} ${attempts ?? 'several'} times or more within a minute, in ${span}.`;
    case 'recurring_incident':
      return evidence.regressions !== undefined && evidence.regressions > 0
        ? `An incident came back ${plural(evidence.regressions, 'time')} in ${span}.`
        : `An incident occurred on ${plural(evidence.days ?? observed, 'day')} in ${span}.`;
    case 'post_deploy_regression':
      return 'A resolved incident came back after a deploy.';
    default:
      return `${count(observed)} observations in ${span}.`;
  }
}
