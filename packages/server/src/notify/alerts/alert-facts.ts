import type { AlertCondition, AlertTrigger } from '@culprit/contract/alerts/alerts';
import type { TopFrame } from '@culprit/contract/incidents/incident-activity';
import { EARLY_WAKE_CAUSES, type EarlyWakeCause } from '@culprit/contract/incidents/triage-words';
import type { Severity } from '@culprit/evidence/events/normalize/event';
import { headerText } from '../../platform/mail/mail.ts';

/** A change of an incident whose alert was sent (docs/contract/notifications.md 1.20). */
export type AlertFollowUp = 'incident_resolved' | 'incident_assigned';

export type AlertLifecycle = AlertTrigger | AlertFollowUp;

/** The count of an incident when it reached the threshold of a rule. */
export type Reached = { occurrences: number; windowMinutes: number } | { users: number };

/** Why an incident woke before the time of its snooze, and how many events the snooze kept silent. */
export interface Wake {
  because: EarlyWakeCause;
  keptSilent: number;
}

/** The fix after which an incident came back. */
export interface FailedFix {
  url: string;
  commitSha: string | null;
  release: string | null;
  author: string | null;
}

/**
 * The content of a message about one match, frozen when the match was recorded. Ids are in their external form, times
 * ISO 8601.
 */
export interface AlertFacts {
  condition: AlertCondition;
  lifecycle: AlertLifecycle;
  triggeredAt: string;
  projectId: string;
  projectName: string;
  incident: {
    incidentId: string;
    /** `CHECKOUT-42`; null in a test, which has no incident. */
    shortId: string | null;
    bundleId: string;
    title: string;
    description: string;
    /** Why it is an incident: `incident_reason.kind`. */
    kind: string;
    /** At the transition; a later raise is no news. */
    severity: Severity;
    status: 'open' | 'resolved' | 'regressed';
    serviceId: string;
    serviceName: string;
    environment: string;
    occurrenceCount: number;
    firstSeenAt: string;
    lastSeenAt: string;
  };
  /** In which it began or came back, else the latest; null where none is known. */
  release: string | null;
  /** Only for a spike (docs/contract/notifications.md 1.8). */
  spike: { events5m: number; baseline5m: number; ratio: number } | null;
  /** Only for a threshold (1.22). */
  threshold?: Reached;
  /** Only for a wake-up (1.24). */
  wake?: Wake;
  /** Only for a regression after a fix (docs/contract/team-workflow.md 5.2). */
  fix?: FailedFix;
  /** Only for a regression within 24 hours of a deploy. */
  deploy: {
    version: string | null;
    commitSha: string | null;
    branch: string | null;
    deployedAt: string | null;
    minutesSinceDeploy: number;
  } | null;
}

/** One match in the form in which it is sent. Ids are in their outside form. */
export interface AlertItem {
  alertId: string;
  /** The rule's name now. */
  ruleName: string | null;
  alertDeliveryId: string;
  facts: AlertFacts;
}

/** The facts about an incident that are read when its message is sent. */
export interface LaterFacts {
  affectedUsers: number | null;
  /** The first in-app frame. */
  topFrame: TopFrame | null;
  /** The newest one of the service before the transition. */
  deploy: { version: string | null; commitSha: string | null; minutesBefore: number } | null;
  /** The likely cause of the failure, as a sentence. */
  cause: string | null;
  /** The name of the person or team who has it. */
  assignee: string | null;
  /** Key or address of the newest ticket or link. */
  ticket: string | null;
}

/** The first in-app frame in one line, such as `applyDiscount pricing/discounts.ts:88`; null where there is none. */
export function frameText(later: LaterFacts | null): string | null {
  const frame = later?.topFrame ?? null;
  if (frame === null) return null;
  const line = frame.line === null ? '' : `:${frame.line}`;
  const parts = [frame.function, frame.file === null ? null : `${frame.file}${line}`];
  const text = parts.filter((part) => part !== null && part !== '').join(' ');
  return text === '' ? null : text;
}

/** Matches of one transition that go out in one message, the rule that asks for the highest severity first. */
export type AlertItems = readonly [AlertItem, ...AlertItem[]];

/** The placeholder for the incident of a test, which has none; a bare UUID. */
export const NO_INCIDENT = '00000000-0000-4000-8000-000000000000';

/** Returns true if a message was requested as a test: it has no incident to open. */
export function isTest({ incident }: AlertFacts): boolean {
  return incident.incidentId.endsWith(NO_INCIDENT);
}

/** Conditions in plain words (docs/contract/notifications.md 1.12). */
export const CONDITION_LABEL: Readonly<Record<AlertCondition, string>> = {
  new_incident: 'new incident',
  incident_regressed: 'regression',
  error_spike: 'error spike',
  severity_threshold: 'severity threshold',
  regression_after_deploy: 'regression after deploy',
  occurrence_threshold: 'threshold reached',
  snooze_ended: 'snooze ended',
};

/** The most rules that one message names; of more it shows the number. */
const NAMED_RULES_MAX = 20;

/**
 * Returns the rules that sent a message: `rule "Pager"`, `rules "Pager", "New incident"`. A rule without a name has its
 * condition's.
 */
export function rulesText(items: readonly AlertItem[]): string {
  const names = new Map(
    items.map(({ alertId, ruleName, facts }) => [
      alertId,
      ruleName ?? capitalized(CONDITION_LABEL[facts.condition]),
    ]),
  );
  const shown = [...names.values()].slice(0, NAMED_RULES_MAX).map((name) => `"${name}"`);
  const more = names.size - shown.length;
  return `${names.size === 1 ? 'rule' : 'rules'} ${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

/** The labels of items about one transition, each once, as a title has them: `severity threshold, new incident`. */
export function labelsOf(items: readonly AlertItem[]): string {
  return [...new Set(items.map(({ facts }) => CONDITION_LABEL[facts.condition]))].join(', ');
}

/** The effect on an incident at the receiver: it is opened, acknowledged or closed. */
export function actionOf({ lifecycle }: AlertFacts): 'trigger' | 'acknowledge' | 'resolve' {
  if (lifecycle === 'incident_resolved') return 'resolve';
  return lifecycle === 'incident_assigned' ? 'acknowledge' : 'trigger';
}

export function incidentLink(facts: AlertFacts, appUrl: string): string {
  return `${appUrl}/incidents/${facts.incident.incidentId}`;
}

export function bundleLink(facts: AlertFacts, appUrl: string): string {
  return `${appUrl}/bundles/${facts.incident.bundleId}`;
}

const LIFECYCLE_WORD: Readonly<Record<AlertLifecycle, string>> = {
  new_incident: 'New',
  incident_regressed: 'Regressed',
  error_spike: 'Spiking',
  occurrence_threshold: 'Threshold reached',
  snooze_ended: 'No longer snoozed',
  incident_resolved: 'Resolved',
  incident_assigned: 'Assigned',
};

const HEADLINE_MAX = 80;
const VALUE_MAX = 200;

/** `New: GiftCardError in checkout-api`. */
export function headlineOf({ lifecycle, incident }: AlertFacts): string {
  const name = headerText(errorName(incident.title), HEADLINE_MAX);
  return `${LIFECYCLE_WORD[lifecycle]}: ${name} in ${headerText(incident.serviceName, HEADLINE_MAX)}`;
}

/** The short number before a text, as `[CHECKOUT-42] `; nothing in a test. */
export function numberBefore({ incident: { shortId } }: AlertFacts): string {
  return shortId === null ? '' : `[${shortId}] `;
}

const TITLE_MAX = 256;

/** Returns a transition in one line: `[CHECKOUT-42] New incident: TypeError in checkout`. */
export function transitionTitle(items: AlertItems): string {
  const [{ facts }] = items;
  const title = headerText(facts.incident.title, TITLE_MAX);
  return `${numberBefore(facts)}${capitalized(labelsOf(items))}: ${title}`;
}

/** Returns the facts that chats show of a transition below its title, in order. */
export function factPairs({
  incident,
  spike,
  threshold,
  wake,
  fix,
  deploy,
  release,
}: AlertFacts): [name: string, value: string][] {
  const pairs: [string, string][] = [
    ['Severity', incident.severity],
    ['Service', incident.serviceName],
    ['Environment', incident.environment],
    ['Events', String(incident.occurrenceCount)],
  ];
  if (spike !== null) {
    pairs.push(['Last 5 min', String(spike.events5m)], ['Baseline', spike.baseline5m.toFixed(1)]);
    pairs.push(['Ratio', spike.ratio.toFixed(1)]);
  }
  if (threshold !== undefined) pairs.push(reachedPair(threshold));
  if (wake !== undefined) pairs.push(...wakePairs(wake));
  if (fix !== undefined) pairs.push(fixPair(fix));
  if (release !== null && release !== deploy?.version) pairs.push(['Release', release]);
  if (deploy !== null) {
    pairs.push(['Deploy', deployName(deploy)], ['Minutes since deploy', String(deploy.minutesSinceDeploy)]);
  }
  return pairs.map(([name, value]) => [name, headerText(value, VALUE_MAX)]);
}

/** `Last 5 min`, `120 events`. */
export function reachedPair(reached: Reached): [name: string, value: string] {
  if ('users' in reached) return ['Users', reached.users.toLocaleString('en-US')];
  const { occurrences, windowMinutes } = reached;
  const span = windowMinutes > 120 ? `${windowMinutes / 60} h` : `${windowMinutes} min`;
  return [`Last ${span}`, `${occurrences.toLocaleString('en-US')} events`];
}

const CAUSE_WORDS: Readonly<Record<EarlyWakeCause, string>> = {
  occurrences: 'it reached the number of events that the snooze waited for',
  users: 'it reached the number of users that the snooze waited for',
  release: 'it occurred after a deploy',
  escalation: 'it became worse',
};

/** Returns the cause of a wake-up in words, or null if alerts do not report that cause. */
export function wakeWords(because: string | null): string | null {
  const cause = EARLY_WAKE_CAUSES.find((each) => each === because);
  return cause === undefined ? null : CAUSE_WORDS[cause];
}

/** Why it woke, and `Kept silent`, `12 events`. */
export function wakePairs({ because, keptSilent }: Wake): [name: string, value: string][] {
  return [
    ['Woke because', CAUSE_WORDS[because]],
    ['Kept silent', `${keptSilent.toLocaleString('en-US')} events`],
  ];
}

/** `Came back after the fix`, `https://… (commit 1a2b3c4, release 1.2.3, by Ada)`. */
export function fixPair({ url, commitSha, release, author }: FailedFix): [name: string, value: string] {
  const facts = [
    commitSha === null ? [] : `commit ${commitSha.slice(0, 7)}`,
    release === null ? [] : `release ${release}`,
    author === null ? [] : `by ${author}`,
  ].flat();
  return ['Came back after the fix', facts.length === 0 ? url : `${url} (${facts.join(', ')})`];
}

/** The type of an error, which is what is before the first `: ` and has no blank; else the title. */
function errorName(title: string): string {
  const end = title.indexOf(': ');
  const name = end === -1 ? '' : title.slice(0, end);
  return name === '' || /\s/.test(name) ? title : name;
}

/** A text with its first letter in upper case. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The deploy in one line, such as `1.2.3 (abc123)`. */
export function deployName({
  version,
  commitSha,
}: Pick<NonNullable<AlertFacts['deploy']>, 'version' | 'commitSha'>): string {
  if (version === null) return commitSha ?? 'unknown version';
  return commitSha === null ? version : `${version} (${commitSha})`;
}
