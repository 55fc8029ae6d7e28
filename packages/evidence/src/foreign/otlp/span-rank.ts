import { type Found, type OtlpRecord, type OtlpSpan, SPAN_KIND, STATUS_ERROR } from './otlp-items.ts';

/** Exceptions go before failures, and these before requests that went well; null for a span that becomes nothing. */
export function spanRank(span: {
  kind: number;
  statusCode: number;
  exceptions: number;
}): Pick<Found<OtlpSpan>, 'rank' | 'events'> | null {
  const isFailed = span.statusCode === STATUS_ERROR;
  const isServer = span.kind === SPAN_KIND.server;
  const isTaken = isServer || (span.kind === SPAN_KIND.consumer && isFailed);
  if (!isTaken && span.exceptions === 0) return null;
  const rank = span.exceptions > 0 ? 0 : isFailed ? 1 : 2;
  return { rank, events: span.exceptions + (isTaken ? 1 : 0) };
}

const WARNING = 13;
const ERROR = 17;

/** Errors go before warnings, and these before the rest. */
export function recordRank(severityNumber: number): Pick<Found<OtlpRecord>, 'rank' | 'events'> {
  return {
    rank: severityNumber >= ERROR || severityNumber === 0 ? 0 : severityNumber >= WARNING ? 1 : 2,
    events: 1,
  };
}
