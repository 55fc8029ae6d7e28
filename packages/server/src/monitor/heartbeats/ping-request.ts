import { cleanText } from '@culprit/evidence/events/envelope/clean-text';
import { redactText } from '@culprit/evidence/events/redact/redact-values';
import { readBoundedBody } from '../../pipeline/ingest/foreign/bounded-body.ts';
import { type ForeignAnswer, refusalAnswer } from '../../pipeline/ingest/foreign/foreign-answer.ts';
import { type ForeignRequest, isRefusal } from '../../pipeline/ingest/foreign/foreign-intake.ts';
import { type ForeignRefusal, refusal } from '../../pipeline/ingest/foreign/foreign-refusal.ts';
import { type CheckIn, type CheckInResult, DURATION_MS_MAX } from './record-check-in.ts';

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const OUTPUT_CHARS_MAX = 2_000;

/** The form of a ping key; any other names no heartbeat, and the database is not asked. */
export function isPingKey(text: string): boolean {
  return /^hb_[A-Za-z0-9_-]{43}$/.test(text);
}

/** A check-in's id as a UUID with hyphens; null for what is none. */
export function readCheckInId(value: unknown): string | null {
  if (typeof value !== 'string' || !UUID.test(value)) return null;
  const hex = value.replaceAll('-', '').toLowerCase();
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** A duration of at most 24 days in whole milliseconds; null for what is none. */
export function readDurationMs(value: unknown, unitMs: number): number | null {
  const duration = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof duration !== 'number' || !Number.isFinite(duration) || duration < 0) return null;
  return Math.min(DURATION_MS_MAX, Math.round(duration * unitMs));
}

/** Returns the content of an own ping (docs/contract/team-workflow.md 8.2); null for an unknown form. */
export function readPing(action: string | undefined, queryText: string, body: string): CheckIn | null {
  const query = new URLSearchParams(queryText);
  const said = statusOf(action);
  if (said === null) return null;
  const output = cleanText(redactText(body.slice(0, OUTPUT_CHARS_MAX)), OUTPUT_CHARS_MAX).trim();
  return {
    ...said,
    checkInId: readCheckInId(query.get('check_in_id')),
    durationMs: readDurationMs(query.get('duration_ms'), 1),
    release: null,
    traceId: null,
    output: output === '' ? null : output,
  };
}

function statusOf(action: string | undefined): Pick<CheckIn, 'status' | 'failure'> | null {
  if (action === undefined) return { status: 'ok', failure: null };
  if (action === 'start') return { status: 'in_progress', failure: null };
  if (action === 'fail') return { status: 'error', failure: null };
  if (!/^\d{1,3}$/.test(action) || Number(action) > 255) return null;
  const code = Number(action);
  return code === 0 ? { status: 'ok', failure: null } : { status: 'error', failure: `exit code ${code}` };
}

const TEXT_BYTES_MAX = 10_240;

/** The body of a request of at most 10 KB, as text. */
export async function readSmallBody(
  request: ForeignRequest,
  sender: string,
): Promise<string | ForeignRefusal> {
  const tooLong = 'The body is too large: send at most 10 KB.';
  const body = await readBoundedBody(request, { sender, bytesMax: TEXT_BYTES_MAX, tooLong });
  return isRefusal(body) ? body : body.toString('utf8');
}

const TOO_MANY: ForeignRefusal = refusal(
  'rate_limited',
  'A heartbeat accepts at most 6 check-ins a minute. This one was not accepted.',
);
const GONE = refusal('not_found', 'There is no such heartbeat. Copy its address from the dashboard.');

/** The answer to a check-in. @param answerId how the protocol says the id */
export function checkInAnswer(
  result: CheckInResult | null,
  answerId: (checkInId: string) => Pick<ForeignAnswer, 'status' | 'body'>,
): ForeignAnswer {
  if (result === null) return refusalAnswer(GONE);
  if ('retryAfterSeconds' in result) {
    return refusalAnswer({ ...TOO_MANY, retryAfterSeconds: result.retryAfterSeconds });
  }
  return { headers: {}, ...answerId(result.checkInId) };
}
