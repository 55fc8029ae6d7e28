import { headerText } from '../../../platform/mail/mail.ts';
import type { SlackMessage } from '../../slack/post-slack-message.ts';
import { escapeSlackText, slackHeaderText, slackSectionText } from '../../slack/slack-text.ts';
import {
  type AlertItems,
  capitalized,
  deployName,
  incidentLink,
  isTest,
  labelsOf,
  numberBefore,
  rulesText,
} from '../alert-facts.ts';

const TITLE_MAX = 200;

/**
 * One transition as Slack shows it (docs/contract/notifications.md 1.13). No text of an event can become markup, a link or a
 * mention.
 */
export function slackMessage(items: AlertItems, appUrl: string): SlackMessage {
  const [{ facts }] = items;
  const { incident, spike, deploy, release, projectName } = facts;
  const label = labelsOf(items);
  const title = headerText(`${numberBefore(facts)}${incident.title}`, TITLE_MAX);
  const shown = escapeSlackText(title);
  const fields: [name: string, value: string][] = [
    ['Severity', incident.severity],
    ['Service', incident.serviceName],
    ['Environment', incident.environment],
    ['Events', String(incident.occurrenceCount)],
  ];
  if (spike !== null) {
    fields.push(['Last 5 min', String(spike.events5m)], ['Baseline', spike.baseline5m.toFixed(1)]);
    fields.push(['Ratio', spike.ratio.toFixed(1)]);
  }
  if (release !== null && release !== deploy?.version) fields.push(['Release', release]);
  if (deploy !== null) {
    fields.push(['Deploy', deployName(deploy)], ['Minutes since deploy', String(deploy.minutesSinceDeploy)]);
  }
  return {
    text: slackSectionText(`${capitalized(incident.severity)} ${label}: ${title} (${incident.serviceName})`),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: slackHeaderText(capitalized(label)) } },
      {
        type: 'section',
        text: markdown(isTest(facts) ? `*${shown}*` : `*<${incidentLink(facts, appUrl)}|${shown}>*`),
      },
      {
        type: 'section',
        fields: fields.map(([name, value]) => markdown(`*${name}*\n${slackFieldText(value)}`)),
      },
      ...(isTest(facts) ? [] : [openIncident(incidentLink(facts, appUrl))]),
      { type: 'context', elements: [markdown(slackSectionText(`${projectName}, ${rulesText(items)}`))] },
    ],
  };
}

function openIncident(url: string): object {
  const text = { type: 'plain_text', text: 'Open incident' };
  return { type: 'actions', elements: [{ type: 'button', text, url }] };
}

function markdown(text: string): { type: 'mrkdwn'; text: string } {
  return { type: 'mrkdwn', text };
}

/** Fields take 2000 characters: names are cut before they are escaped, to at most five times as many. */
function slackFieldText(value: string): string {
  return escapeSlackText(headerText(value, TITLE_MAX));
}
