import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { headerText, type Mail } from '../../../platform/mail/mail.ts';
import { composeMailBody, type MailBlock } from '../../../platform/mail/mail-body.ts';
import {
  type AlertFacts,
  type AlertItem,
  type AlertItems,
  capitalized,
  deployName,
  fixPair,
  frameText,
  headlineOf,
  incidentLink,
  isTest,
  type LaterFacts,
  numberBefore,
  reachedPair,
  rulesText,
  wakePairs,
} from '../alert-facts.ts';

const TITLE_MAX = 120;
const NAME_MAX = 200;
const RULES_MAX = 2000;

/**
 * A digest of alerts of one project to one address, both forms (docs/contract/notifications.md 1.12).
 * @param items the worst first; beyond those that are shown there may be more
 * @param itemCount with those that are not shown
 * @param later of the worst, null when its incident is gone
 */
export function alertMail(
  items: AlertItems,
  itemCount: number,
  appUrl: string,
  later: LaterFacts | null = null,
): Omit<Mail, 'to'> {
  const [worst] = items;
  if (isTest(worst.facts)) return testMail(items);
  const { projectId, projectName, incident } = worst.facts;
  const project = headerText(projectName, NAME_MAX);
  const [, ...others] = byTransition(items);
  const more = itemCount - items.length;
  const headline = `${numberBefore(worst.facts)}${headlineOf(worst.facts)}`;
  const otherCount = others.length + more;
  const body = composeMailBody(headerText(incident.title, TITLE_MAX), [
    { kind: 'text', text: placeOf(worst.facts) },
    { kind: 'facts', rows: factRows(worst.facts, later) },
    { kind: 'button', label: 'Open incident', url: incidentLink(worst.facts, appUrl) },
    ...(others.length === 0 ? [] : [otherAlerts(others, appUrl)].flat()),
    ...(more === 0 ? [] : [{ kind: 'text', text: `And ${more} more.` } as const]),
    {
      kind: 'note',
      text: `You get this because of the ${headerText(rulesText(items), RULES_MAX)} of ${project}.`,
    },
    {
      kind: 'link',
      label: 'Change the alerts of this project',
      url: `${appUrl}/projects/${projectId}/alerts`,
    },
  ]);
  const isOfOne = more === 0 && items.every(({ facts }) => facts.incident.incidentId === incident.incidentId);
  return {
    subject: otherCount === 0 ? headline : `${headline}, and ${otherCount} more`,
    ...body,
    ...(isOfOne ? { threadId: incident.incidentId } : {}),
  };
}

/** Returns a separate message that names no incident, because there is none. */
function testMail(items: AlertItems): Omit<Mail, 'to'> {
  const rules = headerText(rulesText(items), RULES_MAX);
  const body = composeMailBody('Test of an alert', [
    { kind: 'text', text: `The ${rules} can send mail to this address. Nothing has failed.` },
  ]);
  return { subject: `[Test] Alert ${rules}`, ...body };
}

/** Items, in order, in groups of one transition each, however many rules it satisfied. */
function byTransition(items: AlertItems): AlertItems[] {
  const groups = new Map<string, [AlertItem, ...AlertItem[]]>();
  for (const item of items) {
    const { lifecycle, triggeredAt, incident } = item.facts;
    const key = `${incident.incidentId} ${lifecycle} ${triggeredAt}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

function otherAlerts(others: readonly AlertItems[], appUrl: string): MailBlock[] {
  return [
    { kind: 'heading', text: others.length === 1 ? '1 more alert' : `${others.length} more alerts` },
    {
      kind: 'links',
      items: others.map(([{ facts }]) => ({
        label: `${numberBefore(facts)}${headerText(facts.incident.title, TITLE_MAX)}`,
        url: incidentLink(facts, appUrl),
        note: `${headlineOf(facts).split(':')[0]} · ${capitalized(facts.incident.severity)} · ${placeOf(facts)}`,
      })),
    },
  ];
}

function placeOf({ incident }: AlertFacts): string {
  return `${headerText(incident.serviceName, NAME_MAX)} · ${headerText(incident.environment, NAME_MAX)}`;
}

function factRows(facts: AlertFacts, later: LaterFacts | null): { label: string; value: string }[] {
  const { incident, spike, threshold, wake, fix } = facts;
  const rows = [
    { label: 'Severity', value: capitalized(incident.severity) },
    { label: 'First seen', value: shownTime(incident.firstSeenAt) },
  ];
  if (incident.lastSeenAt !== incident.firstSeenAt) {
    rows.push({ label: 'Last seen', value: shownTime(incident.lastSeenAt) });
  }
  rows.push({ label: 'Events', value: incident.occurrenceCount.toLocaleString('en-US') });
  const users = later?.affectedUsers ?? null;
  if (users !== null) rows.push({ label: 'Users', value: users.toLocaleString('en-US') });
  if (spike !== null) {
    const baseline = spike.baseline5m.toFixed(1);
    rows.push({
      label: 'Last 5 minutes',
      value: `${spike.events5m} events, ${spike.ratio.toFixed(1)} times the usual ${baseline}`,
    });
  }
  if (threshold !== undefined && !('users' in threshold)) {
    const [label, value] = reachedPair(threshold);
    rows.push({ label, value });
  }
  if (wake !== undefined) for (const [label, value] of wakePairs(wake)) rows.push({ label, value });
  if (fix !== undefined) {
    const [label, value] = fixPair(fix);
    rows.push({ label, value: headerText(value, NAME_MAX) });
  }
  const release = releaseText(facts, later);
  if (release !== null) rows.push({ label: 'Release', value: release });
  const place = frameText(later);
  if (place !== null) rows.push({ label: 'In-app frame', value: headerText(place, NAME_MAX) });
  return rows;
}

/** The release in which it failed, with the age of its deploy; of an event that names none, what was deployed. */
function releaseText({ release, deploy }: AlertFacts, later: LaterFacts | null): string | null {
  const running =
    deploy === null
      ? (later?.deploy ?? null)
      : { ...deploy, minutesBefore: Math.round(deploy.minutesSinceDeploy) };
  if (running === null || (release !== null && release !== (running.version ?? running.commitSha)))
    return release === null ? null : headerText(release, NAME_MAX);
  return `${headerText(deployName(running), NAME_MAX)}, deployed ${span(running.minutesBefore)} before`;
}

function span(minutes: number): string {
  if (minutes < 120) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} d`;
}

/** `2026-01-02 03:04:05 UTC`. */
function shownTime(timestamp: string): string {
  return `${formatTimestamp(Date.parse(timestamp)).slice(0, 19).replace('T', ' ')} UTC`;
}
