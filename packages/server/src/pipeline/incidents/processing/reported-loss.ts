import { LOSS_REASONS } from '@culprit/contract/events/loss-reasons';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { getOwn } from '@culprit/evidence/events/envelope/own-property';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';

/** The limit of one reason in one event; no client can count more. */
const LOST_PER_EVENT_MAX = 1_000_000_000;
/** Reasons of one event that are read. */
const REASONS_MAX = 32;

const REASONS: ReadonlySet<string> = new Set(LOSS_REASONS);

const NOTHING: readonly ReportedLoss[] = [];

/** The number of events that a client lost for a reason. */
export type ReportedLoss = readonly [reason: string, lost: number];

/** Returns `context.capture_loss`: how many events the client lost for each reason since its last report. */
export function reportedLoss({ context }: NormalizedEvent): readonly ReportedLoss[] {
  const loss = getOwn(context, 'capture_loss');
  if (!isJsonObject(loss)) return NOTHING;
  return Object.entries(loss)
    .slice(0, REASONS_MAX)
    .flatMap(([reason, lost]): ReportedLoss[] =>
      typeof lost === 'number' && Number.isInteger(lost) && lost > 0
        ? [[REASONS.has(reason) ? reason : 'other', Math.min(lost, LOST_PER_EVENT_MAX)]]
        : [],
    );
}
