import * as alerts from '@culprit/contract/alerts';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import type { SlackApp } from '../slack/slack-settings.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { createAlert } from './create-alert.ts';
import { deleteAlert } from './delete-alert.ts';
import { listAlerts } from './list-alerts.ts';
import { updateAlert } from './update-alert.ts';

export interface AlertsRoom {
  database: Database;
  plans: PlanSettings;
  outbound: OutboundPolicy;
  /** Null: none is configured, and no rule can name a connected destination. */
  slackApp: SlackApp | null;
}

/** Alert rules of projects. */
export function bindAlertRoutes<C extends Callers & { member: Member }>(
  binder: Binder<C>,
  room: AlertsRoom,
): void {
  binder.bind(alerts.listAlerts).to(async ({ caller, query }) => ({
    status: 200,
    body: await listAlerts(room, caller, query),
  }));
  binder.bind(alerts.createAlert).to(async (context) => ({
    status: 201,
    body: { alert: await createAlert(room, context.caller, context.body, context) },
  }));
  binder.bind(alerts.updateAlert).to(async (context) => {
    const { caller, params, body } = context;
    return { status: 200, body: { alert: await updateAlert(room, caller, params.id, body, context) } };
  });
  binder.bind(alerts.deleteAlert).to(async (context) => {
    await deleteAlert(room, context.caller, context.params.id, context);
    return { status: 204 };
  });
}
