import { listWebhookDeliveries, listWebhooks, type Webhook } from '@culprit/contract/alerts/webhooks';
import type { Api } from '../../api/api.ts';
import { type Finding, warning } from './finding.ts';

const DAY_MS = 86_400_000;
/** The newest deliveries of a webhook that are looked at: one page. */
const DELIVERIES_MAX = 100;

/** Webhooks of a project that are disabled, and those whose receiver does not take what is sent. */
export async function webhookFindings(api: Api, projectId: string): Promise<Finding[]> {
  const answer = await api.attempt(listWebhooks, { query: { project_id: projectId, limit: 100 } });
  if (!answer.ok) return [];
  const { webhooks } = answer.body;
  const disabled = webhooks.filter(({ is_enabled }) => !is_enabled).length;
  const findings =
    disabled === 0 ? [] : [warning('webhooks', `${disabled} are disabled`, 'culprit webhooks list')];
  for (const webhook of webhooks) {
    if (webhook.is_enabled) findings.push(...(await deliveryFindings(api, webhook)));
  }
  return findings;
}

async function deliveryFindings(api: Api, { webhook_id, url }: Webhook): Promise<Finding[]> {
  const answer = await api.attempt(listWebhookDeliveries, {
    params: { id: webhook_id },
    query: { limit: DELIVERIES_MAX },
  });
  if (!answer.ok) return [];
  const since = new Date(Date.now() - DAY_MS).toISOString();
  const failing = answer.body.deliveries.filter(
    ({ status, created_at }) => (status === 'failed' || status === 'retrying') && created_at >= since,
  );
  const [latest] = failing;
  if (latest === undefined) return [];
  const deliveries = failing.length === 1 ? '1 delivery' : `${failing.length} deliveries`;
  // An address may hold a secret in its path, as those of chats do.
  const host = URL.canParse(url) ? new URL(url).host : 'its receiver';
  return [
    warning(
      'webhooks',
      `${deliveries} to ${host} of the last 24 h did not arrive, the latest: ${latest.last_error ?? latest.status}`,
      `culprit webhooks deliveries ${webhook_id}, and when the receiver works again: culprit webhooks retry ${webhook_id} --failed`,
    ),
  ];
}
