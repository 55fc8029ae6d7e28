import { prefixedId } from '../platform/ids.ts';
import type { Mail } from '../platform/mail/mail.ts';
import { composeMailBody } from '../platform/mail/mail-body.ts';
import type { PausedLink } from './tracked-links.queries.ts';

/** The notice that incident and ticket are no longer synchronized, both forms. */
export function pausedLinkMail(
  { ticket, shortId, trackerName, incidentId }: Omit<PausedLink, 'email'>,
  appUrl: string,
): Omit<Mail, 'to'> {
  const incident = shortId ?? 'An incident';
  const title = `${incident} and ${ticket} are no longer synchronized`;
  const body = composeMailBody(title, [
    {
      kind: 'text',
      text: `More than 6 changes crossed between the incident and its ticket in ${trackerName} within 10 minutes. Culprit has paused this ticket, so that the two do not change each other without end.`,
    },
    {
      kind: 'text',
      text: 'Check which rule or integration of the tracker changes the ticket. Then refresh the ticket on the page of the incident to end the pause.',
    },
    {
      kind: 'button',
      label: 'Open incident',
      url: `${appUrl}/incidents/${prefixedId('inc', incidentId)}`,
    },
  ]);
  return {
    subject: `${title} (${new URL(appUrl).host})`,
    ...body,
    threadId: prefixedId('inc', incidentId),
  };
}
