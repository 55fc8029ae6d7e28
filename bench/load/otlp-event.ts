import { encodeOtlp } from '../../packages/evidence/test/foreign/otlp/encode-otlp.ts';
import type { OwnEvent } from './sentry-event.ts';

/** The events of the benchmark as an exporter of OpenTelemetry sends them: one span each, on which its exception is recorded. */

/** A placeholder for the id of a trace, which is unique; the sender overwrites it. */
export const TRACE_PLACE = 'c0ffee0fc0ffee1fc0ffee2fc0ffee3f';

const NANOSECONDS = 1_000_000n;

/** Returns one request in protobuf, with its spans below the resource of their service. */
export function otlpRequest(events: readonly string[], nowMs: number): Buffer {
  const byService = new Map<string, OwnEvent[]>();
  for (const text of events) {
    const event: OwnEvent = JSON.parse(text);
    const { name } = event.service;
    byService.set(name, [...(byService.get(name) ?? []), event]);
  }
  const timeUnixNano = String(BigInt(nowMs) * NANOSECONDS);
  return encodeOtlp('ExportTraceServiceRequest', {
    resourceSpans: [...byService].map(([service, own]) => ({
      resource: {
        attributes: attributes({
          'service.name': service,
          'deployment.environment.name': 'production',
          'telemetry.sdk.language': 'nodejs',
          'telemetry.sdk.version': '2.1.0',
          'process.runtime.version': '24.11.0',
        }),
      },
      scopeSpans: [{ scope: { name: 'shop' }, spans: own.map((event) => spanOf(event, timeUnixNano)) }],
    })),
  });
}

function spanOf({ correlation, payload, context }: OwnEvent, timeUnixNano: string): object {
  const { name, message, stack, request } = payload;
  return {
    traceId: TRACE_PLACE,
    spanId: 'b72fa28504b07285',
    name: `POST ${request.route_template}`,
    kind: 1,
    startTimeUnixNano: timeUnixNano,
    endTimeUnixNano: timeUnixNano,
    attributes: attributes({ 'user.id': correlation.user_id_hash, log_tail: String(context.log_tail) }),
    events: [
      {
        timeUnixNano,
        name: 'exception',
        attributes: attributes({
          'exception.type': name,
          'exception.message': message,
          'exception.stacktrace': stack,
        }),
      },
    ],
    status: { code: 2 },
  };
}

function attributes(values: { [key: string]: string }): object[] {
  return Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}
