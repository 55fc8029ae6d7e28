import { formatTimestamp } from '@culprit/contract/timestamps';
import { headerText, type Mail } from '../../../platform/mail/mail.ts';
import { composeMailBody, type MailBlock } from '../../../platform/mail/mail-body.ts';
import {
  type AlertFacts,
  type AlertItem,
  bundleLink,
  CONDITION_LABEL,
  capitalized,
  deployName,
  incidentLink,
} from '../alert-facts.ts';

const TITLE_MAX = 120;
const NAME_MAX = 200;

/**
 * A digest of alerts of one project to one address, both forms (docs/contract/notifications.md 1.12).
 * @param items the worst first; beyond those that are shown there may be more
 * @param itemCount with those that are not shown
 */
export function alertMail(
  items: readonly [AlertItem, ...AlertItem[]],
  itemCount: number,
  appUrl: string,
): Omit<Mail, 'to'> {
  const [worst] = items;
  const { projectId, projectName, incident } = worst.facts;
  const project = headerText(projectName, NAME_MAX);
  const isOne = itemCount === 1;
  const title = isOne ? itemTitle(worst.facts) : `${itemCount} alerts, highest severity ${incident.severity}`;
  const rules = [...new Set(items.map(({ alertId }) => alertId))];
  const more = itemCount - items.length;
  const body = composeMailBody(title, [
    ...items.flatMap(({ facts }) => [
      ...(isOne ? [] : [{ kind: 'heading', text: itemTitle(facts) } as const]),
      ...itemBlocks(facts, appUrl),
    ]),
    ...(more === 0 ? [] : [{ kind: 'text', text: `And ${more} more.` } as const]),
    {
      kind: 'note',
      text: `Sent by alert ${rules.length === 1 ? 'rule' : 'rules'} ${rules.join(', ')} of ${project}.`,
    },
    { kind: 'link', label: `Alert rules of ${project}`, url: `${appUrl}/projects/${projectId}/alerts` },
  ]);
  return { subject: `[${project}] ${title}`, ...body };
}

/** `High new incident: TypeError in checkout`. */
function itemTitle({ condition, incident }: AlertFacts): string {
  const title = headerText(incident.title, TITLE_MAX);
  return `${capitalized(incident.severity)} ${CONDITION_LABEL[condition]}: ${title}`;
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
