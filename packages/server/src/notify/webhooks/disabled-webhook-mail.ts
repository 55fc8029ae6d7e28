import { prefixedId } from '../../platform/ids.ts';
import { composeMailBody } from '../../platform/mail/mail-body.ts';

/**
 * The notice to the owner that a webhook was disabled, both forms (docs/contract/notifications.md 6). Of its address
 * only the host.
 */
export function disabledWebhookMail(
  webhook: { webhookId: string; projectId: string; projectName: string; url: string },
  appUrl: string,
): { subject: string; text: string; html: string } {
  const { host } = new URL(webhook.url);
  const title = `A webhook of ${webhook.projectName} was disabled`;
  const body = composeMailBody(title, [
    {
      kind: 'text',
      text: `The webhook to ${host} failed 50 times in a row over a long time, so it was disabled.`,
    },
    {
      kind: 'text',
      text: 'Waiting deliveries were cancelled, and new events create none.',
    },
    {
      kind: 'text',
      text: 'When the receiver works again, enable the webhook. Deliveries that were stopped can each be retried by hand.',
    },
    {
      kind: 'button',
      label: 'Open webhook',
      url: `${appUrl}/projects/${prefixedId('proj', webhook.projectId)}/webhooks/${prefixedId('whk', webhook.webhookId)}`,
    },
  ]);
  return { subject: `${title} (${host})`, ...body };
}
