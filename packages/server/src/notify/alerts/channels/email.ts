import { formatTimestamp } from '@culprit/contract/timestamps';
import { headerText, type Mail } from '../../../platform/mail/mail.ts';
import { composeMailBody, type MailBlock } from '../../../platform/mail/mail-body.ts';
import {
  type AlertFacts,
  type AlertItem,
  type AlertItems,
  bundleLink,
  capitalized,
  deployName,
  incidentLink,
  isTest,
  labelsOf,
  rulesText,
} from '../alert-facts.ts';

const TITLE_MAX = 120;
const NAME_MAX = 200;
const RULES_MAX = 2000;

/**
 * A digest of alerts of one project to one address, both forms (docs/contract/notifications.md 1.12).
 * @param items the worst first; beyond those that are shown there may be more
 * @param itemCount with those that are not shown
 */
export function alertMail(items: AlertItems, itemCount: number, appUrl: string): Omit<Mail, 'to'> {
  const [worst] = items;
  const { projectId, projectName, incident } = worst.facts;
  const project = headerText(projectName, NAME_MAX);
  const isOne = itemCount === 1;
  const title = isOne ? itemTitle(items) : `${itemCount} alerts, highest severity ${incident.severity}`;
  const more = itemCount - items.length;
  const body = composeMailBody(title, [
    ...byTransition(items).flatMap((matches) => [
      ...(isOne ? [] : [{ kind: 'heading', text: itemTitle(matches) } as const]),
      ...itemBlocks(matches[0].facts, appUrl),
    ]),
    ...(more === 0 ? [] : [{ kind: 'text', text: `And ${more} more.` } as const]),
    {
      kind: 'note',
      text: `Sent by alert ${headerText(rulesText(items), RULES_MAX)} of ${project}.`,
    },
    { kind: 'link', label: `Alert rules of ${project}`, url: `${appUrl}/projects/${projectId}/alerts` },
  ]);
  return { subject: `[${project}] ${title}`, ...body };
}

/** Items, in order, in groups of one transition each: it is told once, however many rules it satisfied. */
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

/** `High new incident: TypeError in checkout`. */
function itemTitle(matches: AlertItems): string {
  const { incident } = matches[0].facts;
  return `${capitalized(incident.severity)} ${labelsOf(matches)}: ${headerText(incident.title, TITLE_MAX)}`;
}

function itemBlocks(facts: AlertFacts, appUrl: string): MailBlock[] {
  const { incident, spike, deploy } = facts;
  const rows = [
    { label: 'Severity', value: incident.severity },
    { label: 'Service', value: headerText(incident.serviceName, NAME_MAX) },
    { label: 'Environment', value: headerText(incident.environment, NAME_MAX) },
    { label: 'Occurrences', value: String(incident.occurrenceCount) },
    { label: 'First seen', value: shownTime(incident.firstSeenAt) },
    { label: 'Last seen', value: shownTime(incident.lastSeenAt) },
  ];
  if (spike !== null) {
    rows.push({ label: 'Last 5 minutes', value: `${spike.events5m} events` });
    rows.push({ label: 'Baseline', value: `${spike.baseline5m.toFixed(1)} events per 5 minutes` });
    rows.push({ label: 'Ratio', value: spike.ratio.toFixed(1) });
  }
  if (deploy !== null) {
    rows.push({ label: 'Deploy', value: headerText(deployName(deploy), NAME_MAX) });
    rows.push({ label: 'Minutes since deploy', value: String(deploy.minutesSinceDeploy) });
  }
  if (isTest(facts)) return [{ kind: 'facts', rows }];
  return [
    { kind: 'facts', rows },
    { kind: 'link', label: 'Open incident', url: incidentLink(facts, appUrl) },
    { kind: 'link', label: 'Open bundle', url: bundleLink(facts, appUrl) },
  ];
}

/** `2026-01-02 03:04:05 UTC`. */
function shownTime(timestamp: string): string {
  return `${formatTimestamp(Date.parse(timestamp)).slice(0, 19).replace('T', ' ')} UTC`;
}
