import type {
  ReportChannelKind,
  ReportConfig,
  ReportConfigRequest,
} from '@culprit/contract/alerts/weekly-reports';
import { normalizeEmail } from '@culprit/contract/workspace/email-address';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import type { OutboundPolicy } from '../../platform/outbound/outbound-policy.ts';
import { requireTarget } from '../../platform/outbound/require-target.ts';

/** Slack channels of one project (docs/contract/notifications.md 4.2). */
export const SLACK_CHANNELS_MAX = 10;

/** The kind of channel a config is for. */
export function kindOf(config: ReportConfig): ReportChannelKind {
  return 'to' in config ? 'email' : 'slack';
}

/**
 * Returns a config in its stored form: addresses each once, in lower case and in order; a target as the outbound policy
 * reads it. The caller, which knows the organization, checks a destination.
 * @throws Problem `invalid_payload`, `blocked_target`
 */
export function parseReportConfig(outbound: OutboundPolicy, request: ReportConfigRequest): ReportConfig {
  if ('webhook_url' in request)
    return { webhook_url: requireTarget(outbound, request.webhook_url, '/config/webhook_url') };
  if ('slack_destination_id' in request) return request;
  const addresses = request.to.map((text) => {
    const address = normalizeEmail(text);
    if (address === null) throw invalidPayload('/config/to', 'has an entry that is not an e-mail address');
    return address;
  });
  return { to: [...new Set(addresses)] };
}
