import { headerText } from '../../../platform/mail/mail.ts';
import {
  type AlertItems,
  factPairs,
  headlineOf,
  incidentLink,
  isTest,
  rulesText,
  transitionTitle,
} from '../alert-facts.ts';
import { SEVERITY_COLORS } from './discord.ts';
import { plainMarkdown } from './markdown.ts';

const DESCRIPTION_MAX = 2000;
const FOOTER_MAX = 500;
/**
 * One transition as an attachment, which Mattermost, Rocket.Chat and other chats read that take the older form of Slack
 * (docs/contract/notifications.md 1.18).
 */
export function mattermostMessage(items: AlertItems, appUrl: string): object {
  const [{ facts }] = items;
  const title = transitionTitle(items);
  return {
    text: plainMarkdown(headlineOf(facts)),
    username: 'Culprit',
    attachments: [
      {
        fallback: title,
        color: `#${SEVERITY_COLORS[facts.incident.severity].toString(16)}`,
        title: plainMarkdown(title),
        ...(isTest(facts) ? {} : { title_link: incidentLink(facts, appUrl) }),
        text: plainMarkdown(headerText(facts.incident.description, DESCRIPTION_MAX)),
        fields: factPairs(facts).map(([name, value]) => ({
          title: name,
          value: plainMarkdown(value),
          short: true,
        })),
        footer: headerText(`${facts.projectName}, ${rulesText(items)}`, FOOTER_MAX),
      },
    ],
  };
}
