import { type OtlpBody, statusBody, successBody } from '@culprit/evidence/foreign/otlp/otlp-answer';
import { type OtlpForm, type OtlpSignal, otlpFormOf } from '@culprit/evidence/foreign/otlp/otlp-form';
import type { ForeignAnswer } from '../foreign-answer.ts';
import type { ForeignResult } from '../foreign-intake.ts';
import { FOREIGN_STATUS, type ForeignRefusal } from '../foreign-refusal.ts';

/** The content of a request besides its events. */
export interface OtlpContent {
  /** Events beyond what a request may hold. */
  overLimit: number;
}

/** After which an exporter sends the same again; it does so for these statuses alone. */
const RETRY_AFTER_SECONDS = 5;
const REPEATED: ReadonlySet<number> = new Set([429, 503]);

/** A refusal as exporters read it, in the form of the request (docs/contract/foreign-protocols.md 8.6). */
export function otlpRefusal(
  { code, detail, retryAfterSeconds }: ForeignRefusal,
  contentType: string | undefined,
): ForeignAnswer {
  const status = FOREIGN_STATUS[code];
  const answer = answerOf(status, statusBody(otlpFormOf(contentType) ?? 'json', status, detail));
  if (REPEATED.has(status)) answer.headers['retry-after'] = String(retryAfterSeconds ?? RETRY_AFTER_SECONDS);
  return answer;
}

/**
 * Returns the answer to an accepted request. A refusal by a policy or a rule is our choice, of which an exporter would
 * warn with every export: only a refusal that the sender can correct is reported.
 */
export function otlpSuccess(
  form: OtlpForm,
  signal: OtlpSignal,
  result: Extract<ForeignResult<OtlpContent>, { refusal?: undefined }>,
): ForeignAnswer {
  const reasons = new Map<string, number>();
  const add = (reason: string, count: number) => reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  for (const { count, reason } of result.refused) {
    if (reason === 'rate_limited') add(reason, count);
    else if (reason.startsWith('invalid_event')) add('invalid_event', count);
  }
  if (result.content.overLimit > 0) add('over_limit', result.content.overLimit);
  const rejected = [...reasons.values()].reduce((sum, count) => sum + count, 0);
  const message = [...reasons].map(([reason, count]) => `${reason}: ${count}`).join(', ');
  return answerOf(200, successBody(form, signal, rejected === 0 ? null : { rejected, message }));
}

function answerOf(status: number, { contentType, body }: OtlpBody): ForeignAnswer {
  return { status, headers: { 'content-type': contentType }, body };
}
