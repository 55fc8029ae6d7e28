import { measureValue } from '@culprit/evidence/events/envelope/scan-batch-body';
import type { Sliced } from '@culprit/evidence/events/envelope/sliced';
import { type ReportSource, readReports } from '@culprit/evidence/foreign/reports/map-reports';
import { acceptForeign } from '../accept-foreign.ts';
import { type ForeignAnswer, refusalAnswer } from '../foreign-answer.ts';
import { keyMissing } from '../foreign-credential.ts';
import type { BodyBounds, ForeignIntake, ForeignRequest } from '../foreign-intake.ts';
import type { KeyFacts } from '../foreign-keys.queries.ts';
import { type ForeignRefusal, refusal } from '../foreign-refusal.ts';
import { KindCounts } from '../kind-counts.ts';
import type { MappedBatch } from '../mapped-batch.ts';
import { rateLimits } from '../sentry/rate-limits.ts';
import { openWholeBody } from '../whole-body.ts';
import type { EqualReport } from './equal-reports.ts';

const BYTES_MAX = 256 * 1024;
const BOUNDS: BodyBounds = { wireBytesMax: BYTES_MAX, bytesMax: () => BYTES_MAX };
const DEPTH_MAX = 32;
const VALUES_MAX = 20_000;
const NAME_CHARS_MAX = 200;
const WORK_PER_BYTE = 6;

const MEDIA_TYPES: ReadonlySet<string> = new Set([
  'application/csp-report',
  'application/reports+json',
  'application/json',
]);

/** The content of a request. */
interface ReportContent {
  origin: string | null;
  /** Reports that became events. */
  events: readonly EqualReport[];
  receivedAtMs: number;
}

/** Takes what browsers report by themselves (docs/contract/foreign-protocols.md 9). */
export function createReportIntake(
  intake: ForeignIntake,
): (request: ForeignRequest, number: string | null) => Promise<ForeignAnswer> {
  const { reports } = intake;

  function* readBody(
    bytes: Buffer,
    request: ForeignRequest,
    known: { key: KeyFacts; receivedAtMs: number; batch: MappedBatch },
    counts: KindCounts,
  ): Sliced<ReportContent | ForeignRefusal> {
    const { key, receivedAtMs, batch } = known;
    if (!reports.takes(key, receivedAtMs)) {
      counts.add('request', 'over_limit');
      // Nothing of it is looked at, its page as little as the rest.
      return { origin: key.allowedOrigins[0] ?? null, events: [], receivedAtMs };
    }
    yield bytes.length * WORK_PER_BYTE;
    const sent = readReports(parsed(bytes));
    if (sent === null) return NO_REPORT;
    const taken = reports.add(sent, {
      key,
      batch,
      source: sourceOf(request, known),
      count: (kind, outcome, parts) => counts.add(kind, outcome, parts),
    });
    return { ...taken, receivedAtMs };
  }

  return async (request, number) => {
    const { contentType, queryText } = request;
    const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (!MEDIA_TYPES.has(mediaType)) return refusalAnswer(MEDIA_TYPE);
    const query = new URLSearchParams(queryText);
    const key = query.get('sentry_key') ?? query.get('key');
    if (key === null || key === '') return refusalAnswer(keyMissing());
    const counts = new KindCounts();
    const result = await acceptForeign(request, intake, {
      key,
      takesProjectTokens: false,
      number,
      bounds: BOUNDS,
      openReader: openWholeBody,
      read: (reader, known) => readBody(reader.bytes(), request, known, counts),
      originOf: ({ origin }) => origin,
    });
    const answer: ForeignAnswer =
      result.refusal === undefined ? { status: 200, headers: {}, body: {} } : refusalAnswer(result.refusal);
    if (result.key === null) return answer;
    if (result.refusal === undefined) {
      const { events, receivedAtMs } = result.content;
      reports.stored(events, receivedAtMs);
      intake.kinds.add(result.key.projectId, 'report', counts);
    }
    answer.headers['x-sentry-rate-limits'] = rateLimits(
      intake.policyOf(result.key),
      result.refusal?.retryAfterSeconds ?? null,
    );
    return answer;
  };
}

const MEDIA_TYPE = refusal(
  'invalid_content_type',
  'The body must be application/csp-report, application/reports+json or application/json.',
);
const NO_REPORT = refusal(
  'invalid_payload',
  'The body is neither an object with csp-report nor a list of reports.',
);

/** Undefined for what is no JSON, or too deep or wide to be parsed. */
function parsed(bytes: Buffer): unknown {
  const size = measureValue(bytes);
  if (size === null || size.depth > DEPTH_MAX || size.nodes > VALUES_MAX) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function sourceOf(
  { headers, queryText }: ForeignRequest,
  { key, receivedAtMs }: { key: KeyFacts; receivedAtMs: number },
): ReportSource {
  const query = new URLSearchParams(queryText);
  const named = (name: string) =>
    (query.get(`sentry_${name}`) ?? query.get(name) ?? '').trim().slice(0, NAME_CHARS_MAX).trim() || null;
  return {
    serviceName: key.serviceName,
    environment: named('environment'),
    release: named('release'),
    userAgent: headers['user-agent'] ?? null,
    receivedAtMs,
  };
}
