import type { SlackMessage } from '../slack/post-slack-message.ts';
import { escapeSlackText, slackHeaderText, slackSectionText } from '../slack/slack-text.ts';
import { projectLink, type ReportDates } from './report-mail.ts';
import { figuresOf, outcomeOf, type ProjectReport } from './weekly-activity.ts';

/**
 * A report on one project as Slack shows it: header, the counts, one context line (docs/contract/notifications.md
 * 4.3).
 */
export function reportSlackMessage(
  { projectId, projectName, activity }: ProjectReport,
  dates: ReportDates,
  appUrl: string,
): SlackMessage {
  const title = `Weekly report: ${projectName}`;
  const span = `${dates.from} to ${dates.to}`;
  const figures = figuresOf(activity);
  const link = `<${projectLink(projectId, appUrl)}|Open project>`;
  return {
    text: slackSectionText(`${title}, ${span}. ${outcomeOf(activity)}`),
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: slackHeaderText(title) } },
      {
        type: 'section',
        fields: figures.map(({ label, count }) => ({
          type: 'mrkdwn',
          text: `*${escapeSlackText(label)}*\n${escapeSlackText(count)}`,
        })),
      },
      {
        type: 'context',
        elements: [{ type: 'mrkdwn', text: `${span}. ${escapeSlackText(outcomeOf(activity))} ${link}` }],
      },
    ],
  };
}
