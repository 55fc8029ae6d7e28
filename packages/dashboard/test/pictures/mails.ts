import { createAlert } from '@culprit/contract/alerts/alerts';
import { createClient } from '@culprit/contract/endpoints/client';
import { mailsTo, nextMail } from '../../../server/test/support/mailbox.ts';
import { sendEvents } from '../../../server/test/support/send-events.ts';
import type { DemoProject } from './demo-data.ts';

/** The mails that a person gets, by what they are about, as HTML: an alert, and the code to sign in. */
export async function makeMails(
  url: string,
  { projectId, memberToken, projectToken }: DemoProject,
  mailDirectory: string,
  email: string,
): Promise<Map<string, string>> {
  const client = createClient({ baseUrl: url, token: memberToken });
  await client.call(createAlert, {
    body: {
      project_id: projectId,
      name: 'New in the shop',
      condition_type: 'new_incident',
      channel: 'email',
      config: { to: email },
    },
  });
  await sendEvents(url, projectToken, [
    {
      event_type: 'backend_exception',
      timestamp: new Date().toISOString(),
      service: { name: 'checkout-api', environment: 'production' },
      sdk: { name: 'custom', version: '1.0.0' },
      context: {},
      payload: {
        error_class: 'GiftCardError',
        message: 'The balance of the gift card is negative',
        stacktrace:
          'GiftCardError: The balance of the gift card is negative\n    at redeem (/srv/app/gift-cards/redeem.ts:62:11)',
      },
    },
  ]);
  await nextMail(mailDirectory, email, 0, 'GiftCardError');
  const mails = await mailsTo(mailDirectory, email);
  return new Map(
    mails.flatMap(({ subject, html }) =>
      html === ''
        ? []
        : [
            [
              `mail-${subject
                .toLowerCase()
                .replaceAll(/[^a-z]+/g, '-')
                .slice(0, 40)}`,
              html,
            ] as const,
          ],
    ),
  );
}
