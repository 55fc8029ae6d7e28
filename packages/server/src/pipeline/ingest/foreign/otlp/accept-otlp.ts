import type { Sliced } from '@culprit/evidence/events/envelope/sliced';
import { type OtlpForm, type OtlpSignal, otlpFormOf } from '@culprit/evidence/foreign/otlp/otlp-form';
import { readOtlp } from '@culprit/evidence/foreign/otlp/read-otlp';
import { bearerToken, isTokenShaped } from '../../../../workspace/tokens/token.ts';
import { acceptForeign } from '../accept-foreign.ts';
import type { ForeignAnswer } from '../foreign-answer.ts';
import { sentryCredential } from '../foreign-credential.ts';
import { type BodyBounds, type ForeignIntake, type ForeignRequest, isRefusal } from '../foreign-intake.ts';
import type { KeyFacts } from '../foreign-keys.queries.ts';
import { type ForeignRefusal, refusal } from '../foreign-refusal.ts';
import { KindCounts } from '../kind-counts.ts';
import type { MappedBatch } from '../mapped-batch.ts';
import { openWholeBody } from '../whole-body.ts';
import { type OtlpContent, otlpRefusal, otlpSuccess } from './otlp-answers.ts';

const MEBIBYTE = 1024 * 1024;
const RATIO_MAX = 50;

const BOUNDS: BodyBounds = {
  wireBytesMax: 4 * MEBIBYTE,
  bytesMax: (wireBytes) => Math.max(MEBIBYTE, Math.min(4 * MEBIBYTE, RATIO_MAX * wireBytes)),
};

interface OtlpAddress {
  signal: OtlpSignal;
  /** The number of the project, if the address has it; else project tokens are keys. */
  number: string | null;
}

/** `POST /v1/traces`, `/v1/logs` and those below a project's number (docs/contract/foreign-protocols.md 8). */
export async function acceptOtlp(
  request: ForeignRequest,
  intake: ForeignIntake,
  { signal, number }: OtlpAddress,
): Promise<ForeignAnswer> {
  const { contentType } = request;
  const form = otlpFormOf(contentType);
  if (form === null) return otlpRefusal(MEDIA_TYPE, contentType);
  const credential = credentialOf(request, number === null);
  if (isRefusal(credential)) return otlpRefusal(credential, contentType);
  const counts = new KindCounts();
  const result = await acceptForeign(request, intake, {
    ...credential,
    number,
    bounds: BOUNDS,
    openReader: openWholeBody,
    read: (reader, known) => readEvents(reader.bytes(), { form, signal }, known, counts),
  });
  if (result.key !== null && (result.refusal === undefined || result.refusal.code === 'payload_too_large')) {
    if (result.refusal !== undefined) counts.refuseTaken();
    intake.kinds.add(result.key.projectId, 'otlp', counts);
  }
  return result.refusal === undefined
    ? otlpSuccess(form, signal, result)
    : otlpRefusal(result.refusal, contentType);
}

/** `POST /v1/metrics`, of which nothing is read. */
export async function refuseMetrics({ contentType }: ForeignRequest): Promise<ForeignAnswer> {
  return otlpRefusal(otlpFormOf(contentType) === null ? MEDIA_TYPE : NO_METRICS, contentType);
}

const MEDIA_TYPE = refusal(
  'invalid_content_type',
  'The body must be application/x-protobuf or application/json. Set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf; gRPC is not supported.',
);
const NO_METRICS = refusal(
  'not_supported',
  'Culprit accepts traces and logs, but no metrics. Set OTEL_METRICS_EXPORTER=none',
);
const KEY_MISSING = refusal(
  'key_missing',
  'No key: set OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20 followed by a project token, or send the key of a DSN in X-Sentry-Auth.',
);

const TOKEN_UNKNOWN = refusal(
  'key_unknown',
  'This is not a project token. Copy one from the settings of the project, or send the key of a DSN in X-Sentry-Auth.',
);

/** A project token as a bearer, or the key of a DSN in its own places, where a token would get into logs of addresses. */
function credentialOf(
  { headers, queryText }: ForeignRequest,
  takesBearers: boolean,
): { key: string; takesProjectTokens: boolean } | ForeignRefusal {
  // Exporters that do not decode their setting send the blank as it was written.
  const authorization = headers.authorization?.replace(/^(bearer)%20/i, '$1 ');
  const token = takesBearers && authorization !== undefined ? bearerToken(authorization) : null;
  if (token !== null) {
    return isTokenShaped('project', token) ? { key: token, takesProjectTokens: true } : TOKEN_UNKNOWN;
  }
  const credential = sentryCredential(headers, queryText);
  if (isRefusal(credential)) return credential;
  return credential.key === null ? KEY_MISSING : { key: credential.key, takesProjectTokens: false };
}

function* readEvents(
  bytes: Buffer,
  kind: { form: OtlpForm; signal: OtlpSignal },
  { key, receivedAtMs, batch }: { key: KeyFacts; receivedAtMs: number; batch: MappedBatch },
  counts: KindCounts,
): Sliced<OtlpContent | ForeignRefusal> {
  const reading = yield* readOtlp(bytes, kind, {
    serviceName: key.serviceName,
    keyId: key.tokenId,
    receivedAtMs,
  });
  if (!reading.ok) return refusal(reading.problem, reading.reason);
  const part = kind.signal === 'traces' ? 'span' : 'log_record';
  let { overLimit } = reading;
  for (const [item, { event, isContext }] of reading.events.entries()) {
    yield EVENT_WORK;
    const type = String(event.event_type);
    if (batch.add(event, { item, type }, isContext ? 'context' : null))
      counts.add(KINDS[type] ?? part, 'taken');
    else overLimit += 1;
  }
  counts.add(part, 'not_taken', reading.notTaken);
  counts.add(part, 'over_limit', overLimit);
  return { overLimit };
}

/** Writing and checking one event, as bytes of JSON that are read. */
const EVENT_WORK = 4_096;

/** The kinds of spans and records, by the type of the event. */
const KINDS: Readonly<Record<string, string>> = {
  backend_exception: 'exception',
  frontend_exception: 'exception',
  request_event: 'request',
  log_event: 'log',
};
