import { headerText } from '../../../platform/mail/mail.ts';
import type { SlackMessage } from '../../slack/post-slack-message.ts';
import { escapeSlackText, slackHeaderText, slackSectionText } from '../../slack/slack-text.ts';
import {
  type AlertItems,
  capitalized,
  factPairs,
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
  const { incident, projectName } = facts;
  const label = labelsOf(items);
  const title = headerText(`${numberBefore(facts)}${incident.title}`, TITLE_MAX);
  const shown = escapeSlackText(title);
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
        fields: factPairs(facts).map(([name, value]) => markdown(`*${name}*\n${escapeSlackText(value)}`)),
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
