import type { AlertConfig } from '@culprit/contract/alerts/alerts';
import type { Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import { requireSlackDestination } from '../slack/find-slack-destination.ts';
import { findTracker } from '../trackers/trackers.queries.ts';
import type { Found } from './alert-rule.ts';
import { hasService } from './alert-rules.queries.ts';

/**
 * Finds what a rule names, inside the transaction that writes it: a service or an issue tracker of the project, a
 * connected Slack destination of its organization.
 * @param named absent or null: nothing
 * @throws Problem `service_not_found`, `slack_destination_not_found`, `upgrade_required`, `slack_not_configured`,
 * `tracker_not_found`
 */
export async function resolveReferences(
  transaction: Transaction,
  runtime: Pick<Runtime, 'plans' | 'slackApp'>,
  { projectId, organizationId }: { projectId: string; organizationId: string },
  named: { serviceId: string | null | undefined; config: AlertConfig | null },
): Promise<Found> {
  const serviceId = named.serviceId ?? null;
  const id = serviceId === null ? null : parseId([], serviceId);
  if (serviceId !== null && (id === null || !(await hasService(transaction, projectId, id)))) {
    throw new Problem('service_not_found');
  }
  const trackerId = named.config?.tracker_id;
  if (trackerId !== undefined) {
    const found = parseId([], trackerId);
    if (found === null || (await findTracker(transaction, projectId, found)) === null) {
      throw new Problem('tracker_not_found');
    }
    return { serviceId: id, config: { tracker_id: found } };
  }
  const destinationId = named.config?.slack_destination_id;
  if (destinationId === undefined) return { serviceId: id, config: named.config ?? {} };
  const found = await requireSlackDestination(transaction, runtime, organizationId, destinationId);
  return { serviceId: id, config: { slack_destination_id: found } };
}
