import * as reports from '@culprit/contract/weekly-reports';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import type { Binder, Callers } from '../platform/http/bind-endpoint.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import type { SlackApp } from '../slack/slack-settings.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { createChannel } from './create-channel.ts';
import { deleteChannel } from './delete-channel.ts';
import { listChannels } from './list-channels.ts';
import { updateChannel } from './update-channel.ts';

export interface ReportsRoom {
  database: Database;
  plans: PlanSettings;
  outbound: OutboundPolicy;
  /** Null: reports cannot go to connected destinations. */
  slackApp: SlackApp | null;
}

/** Who gets the weekly reports of a project. */
export function bindReportRoutes<C extends Callers & { member: Member }>(
  binder: Binder<C>,
  room: ReportsRoom,
): void {
  binder.bind(reports.listWeeklyReportChannels).to(async ({ caller, query }) => ({
    status: 200,
    body: await listChannels(room, caller, query),
  }));
  binder.bind(reports.createWeeklyReportChannel).to(async (context) => ({
    status: 201,
    body: { channel: await createChannel(room, context.caller, context.body, context) },
  }));
  binder.bind(reports.updateWeeklyReportChannel).to(async (context) => {
    const { caller, params, body } = context;
    return { status: 200, body: { channel: await updateChannel(room, caller, params.id, body, context) } };
  });
  binder.bind(reports.deleteWeeklyReportChannel).to(async (context) => {
    await deleteChannel(room, context.caller, context.params.id, context);
    return { status: 204 };
  });
}
