import { prefixedId } from '../../platform/ids.ts';
import { composeMailBody } from '../../platform/mail/mail-body.ts';

/** The notice that a tracker refuses the token, both forms (docs/contract/team-workflow.md 7.2). */
export function stoppedTrackerMail(
  tracker: { name: string; target: string; projectId: string },
  appUrl: string,
): { subject: string; text: string; html: string } {
  const title = `${tracker.name} refuses the token for ${tracker.target}`;
  const url = `${appUrl}/projects/${prefixedId('proj', tracker.projectId)}/trackers`;
  const body = composeMailBody(title, [
    {
      kind: 'text',
      text: 'No tickets are created, and incidents and tickets are not synchronized until the connection works again.',
    },
    {
      kind: 'text',
      text: 'Replace the token or give it the required rights, then test the connection.',
    },
    { kind: 'button', label: 'Open issue trackers', url },
  ]);
  return { subject: `${title} (${new URL(appUrl).host})`, ...body };
}
