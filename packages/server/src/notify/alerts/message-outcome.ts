import type { MailTransport } from '../../platform/mail/mail.ts';
import type { AttemptOutcome } from '../../platform/row-queue/attempt-outcome.ts';
import type { Runtime } from '../../runtime.ts';
import type { OpenSlackDestination } from '../slack/find-slack-destination.ts';

/** The settings and services that the sending of messages needs. */
export interface AlertSendingOptions
  extends Pick<Runtime, 'database' | 'plans' | 'outbound' | 'keys' | 'appUrl' | 'log'> {
  /** Null: mail is off. */
  transport: MailTransport | null;
  /** Creates the ticket of an incident, or tests the tracker (docs/contract/team-workflow.md 7.6). */
  fileTicket(request: TicketRequest): Promise<{ error: string | null; isFinal: boolean }>;
  /**
   * The delays after failed attempts, in milliseconds. If the attempt after the last delay fails, the message is
   * abandoned.
   */
  scheduleMs: readonly number[];
}

/** The ticket that a rule requests from a tracker. Ids are bare UUIDs. */
export interface TicketRequest {
  projectId: string;
  trackerId: string;
  /** Null: only a test of the tracker. */
  incidentId: string | null;
  /** ISO 8601. */
  triggeredAt: string;
}

/** The outcome of an attempt, and what is stored with it. */
export interface MessageOutcome extends AttemptOutcome {
  /** The time at which its content was read; null when there was nothing to send. */
  readAtMs: number | null;
  /** The mail server had it all and never answered. */
  isUnknown?: true;
  /** The destination, if Slack refused it permanently. */
  refusedDestination?: OpenSlackDestination;
}

/** An outcome before the time of reading is added. */
export type SendingOutcome = Omit<MessageOutcome, 'readAtMs'>;

/** The outcome if its rules no longer require it. */
export const UNWANTED: MessageOutcome = {
  error: 'alert_disabled',
  responseCode: null,
  isFinal: true,
  latencyClass: 'quick',
  readAtMs: null,
};
