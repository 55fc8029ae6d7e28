import type { Sliced } from '../../events/envelope/sliced.ts';
import { mapLogs } from './map-logs.ts';
import { mapTraces, type OtlpMapped, type OtlpSource } from './map-traces.ts';
import type { OtlpForm, OtlpSignal } from './otlp-form.ts';
import { readJsonLogs, readJsonTraces } from './read-json.ts';
import { readProtobufLogs, readProtobufTraces } from './read-protobuf.ts';
import { UnreadableBody } from './unreadable-body.ts';

export type OtlpReading =
  | ({ ok: true } & OtlpMapped)
  | { ok: false; problem: UnreadableBody['problem']; reason: string };

/** Reads and maps the body of an export (docs/contract/foreign-protocols.md 8). Never throws for any bytes. */
export function* readOtlp(
  bytes: Buffer,
  { form, signal }: { form: OtlpForm; signal: OtlpSignal },
  source: OtlpSource,
): Sliced<OtlpReading> {
  try {
    const mapped =
      signal === 'traces'
        ? yield* mapTraces(yield* form === 'json' ? readJsonTraces(bytes) : readProtobufTraces(bytes), source)
        : yield* mapLogs(yield* form === 'json' ? readJsonLogs(bytes) : readProtobufLogs(bytes), source);
    return { ok: true, ...mapped };
  } catch (error) {
    if (error instanceof UnreadableBody) return { ok: false, problem: error.problem, reason: error.message };
    throw error;
  }
}
