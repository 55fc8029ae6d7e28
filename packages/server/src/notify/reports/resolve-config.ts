import type { ReportConfig } from '@culprit/contract/alerts/weekly-reports';
import type { Transaction } from '../../platform/db/database.ts';
import type { Runtime } from '../../runtime.ts';
import { requireSlackDestination } from '../slack/find-slack-destination.ts';

/**
 * A config that may be written now, in this transaction: a connected destination in it is one that the organization may
 * use, and it stays until the transaction ends.
 * @throws Problem `slack_destination_not_found`, `upgrade_required`, `slack_not_configured`
 */
export async function resolveConfig(
  transaction: Transaction,
  runtime: Pick<Runtime, 'plans' | 'slackApp'>,
  organizationId: string,
  config: ReportConfig,
): Promise<ReportConfig> {
  if (!('slack_destination_id' in config)) return config;
  const { slack_destination_id: id } = config;
  return { slack_destination_id: await requireSlackDestination(transaction, runtime, organizationId, id) };
}
