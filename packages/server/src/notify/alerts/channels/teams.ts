import { headerText } from '../../../platform/mail/mail.ts';
import {
  type AlertItems,
  factPairs,
  incidentLink,
  isTest,
  type LaterFacts,
  rulesText,
  transitionTitle,
} from '../alert-facts.ts';
import { plainMarkdown } from './markdown.ts';

const DESCRIPTION_MAX = 1000;
const FOOTER_MAX = 500;
const ASSIGNEE_MAX = 80;

/**
 * One transition as an Adaptive Card, as a workflow of Teams that starts with a webhook request posts it
 * (docs/contract/notifications.md 1.18). Its text is below 20,000 bytes, of the 28 KB that Teams takes.
 */
export function teamsMessage(items: AlertItems, appUrl: string, later: LaterFacts | null): object {
  const [{ facts }] = items;
  const assignee = later?.assignee ?? null;
  const pairs = factPairs(facts);
  if (assignee !== null) pairs.push(['Assignee', headerText(assignee, ASSIGNEE_MAX)]);
  const text = (value: string, style: object = {}) => ({
    type: 'TextBlock',
    text: plainMarkdown(value),
    wrap: true,
    ...style,
  });
  const description = headerText(facts.incident.description, DESCRIPTION_MAX);
  const content = {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.4',
    body: [
      text(transitionTitle(items), { size: 'medium', weight: 'bolder' }),
      ...(description === '' ? [] : [text(description)]),
      {
        type: 'FactSet',
        facts: pairs.map(([title, value]) => ({ title, value: plainMarkdown(value) })),
      },
      text(headerText(`${facts.projectName}, ${rulesText(items)}`, FOOTER_MAX), { isSubtle: true }),
    ],
    actions: isTest(facts)
      ? []
      : [{ type: 'Action.OpenUrl', title: 'Open incident', url: incidentLink(facts, appUrl) }],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}
