import type { Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';
import type { SlackMessage } from '../slack/post-slack-message.ts';

/** The lane of reports on their way to Slack. */
export const REPORTS_LANE = 'reports';

/** Job kind of one report to one Slack channel; keyed by channel and week. */
export const SEND_SLACK_REPORT = 'reports.slack';

/** A report in the form in which it is sent, frozen (docs/contract/reliability.md A4). */
interface SlackReport {
  /** The receiver is looked up for each attempt. */
  channelId: string;
  message: SlackMessage;
}

/** Queues reports inside the transaction that takes their slots. */
export async function queueSlackReports(
  transaction: Transaction,
  reports: readonly (SlackReport & { projectId: string; week: string })[],
): Promise<void> {
  if (reports.length === 0) return;
  await transaction.query(QUEUE, [
    JSON.stringify(
      reports.map(({ channelId, projectId, week, message }) => ({
        project_id: projectId,
        key: `${channelId}:${week}`,
        payload: { channelId, message },
      })),
    ),
  ]);
}

const QUEUE = sql('report-slack-queue')`with queued as (${enqueue({
  job: { lane: REPORTS_LANE, kind: SEND_SLACK_REPORT },
  fairnessKey: 'r.project_id',
  key: 'r.key',
  payload: 'r.payload',
  from: 'from json_to_recordset($1::json) as r (project_id uuid, key text, payload jsonb)',
  whenQueued: 'stays',
})})
    ${WAKE_QUEUED}`;

/** Reads a payload back from its row; a row that was not written by this program is an error. */
export function readSlackReport(payload: Record<string, unknown>): SlackReport {
  const { channelId, message } = payload;
  if (typeof channelId !== 'string' || !isMessage(message)) throw new Error('unreadable report job');
  return { channelId, message };
}

function isMessage(value: unknown): value is SlackMessage {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'text' in value && typeof value.text === 'string' && 'blocks' in value && Array.isArray(value.blocks)
  );
}
