import { composeMailBody } from '../../platform/mail/mail-body.ts';

/**
 * Returns the notice to the owner that Slack refused a destination permanently, in both forms
 * (docs/contract/notifications.md 6).
 */
export function inactiveDestinationMail(
  destination: { slackTeamName: string | null; slackChannelName: string | null },
  appUrl: string,
): { subject: string; text: string; html: string } {
  const channel = destination.slackChannelName ?? 'a channel';
  const team = destination.slackTeamName ?? 'a Slack workspace';
  const { host } = new URL(appUrl);
  const title = `Slack refuses messages to ${channel} of ${team}`;
  const body = composeMailBody(title, [
    {
      kind: 'text',
      text: 'Slack no longer accepts messages for it. The channel was archived or deleted, or the app was removed from it.',
    },
    {
      kind: 'text',
      text: 'The channel is now inactive: alert rules and weekly reports that use it send nothing to Slack.',
    },
    {
      kind: 'text',
      text: 'Connect the channel again, or make it usable again in Slack and send a test message. Or choose another channel for those rules and reports.',
    },
    { kind: 'button', label: 'Open Culprit', url: appUrl },
  ]);
  return { subject: `${title} (${host})`, ...body };
}
