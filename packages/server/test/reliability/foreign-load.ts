import { parseDsn } from '@culprit/contract/events/dsn';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { envelope } from '../support/sentry-client.ts';
import type { SentEvent } from './event-ledger.ts';

/** How events of a ledger go over the wire: in our own form, or as clients of others send them. */
export type Protocol = 'own' | 'sentry' | 'otlp';

/** One request of another protocol with these events, each of which has an id of its own. */
export function foreignRequest(
  protocol: 'sentry' | 'otlp',
  { url, dsn }: { url: string; dsn: string },
  events: readonly SentEvent[],
): { address: string; headers: Record<string, string>; body: Buffer | string } {
  const { key = '', number = '' } = parseDsn(dsn) ?? {};
  const query = `?sentry_key=${key}`;
  if (protocol === 'sentry') {
    const items = events.map((event) => ({ type: 'event', payload: sentryError(event) }));
    return { address: `${url}/api/${number}/envelope/${query}`, headers: {}, body: envelope(items) };
  }
  return {
    address: `${url}/api/${number}/integration/otlp/v1/logs/${query}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceLogs: events.map(resourceLog) }),
  };
}

function sentryError({ key, group, body }: SentEvent): object {
  const { occurredAt, release } = factsOf(body);
  return {
    event_id: key.replaceAll('-', ''),
    timestamp: occurredAt,
    platform: 'node',
    release,
    tags: { service: 'api-server', request_id: key },
    contexts: { runtime: { name: 'node', version: 'v24.0.0' } },
    exception: {
      values: [
        {
          type: `${group}Error`,
          value: `${group} broke`,
          mechanism: { type: 'generic', handled: false },
          stacktrace: {
            frames: [
              { function: group, filename: `/app/src/${group}.js`, lineno: 4, colno: 2, in_app: true },
            ],
          },
        },
      ],
    },
  };
}

function resourceLog({ key, group, body }: SentEvent): object {
  const { occurredAt, release } = factsOf(body);
  const text = (name: string, stringValue: string) => ({ key: name, value: { stringValue } });
  return {
    resource: {
      attributes: [
        text('service.name', 'api-server'),
        text('service.version', release),
        text('telemetry.sdk.language', 'nodejs'),
      ],
    },
    scopeLogs: [
      {
        logRecords: [
          {
            timeUnixNano: `${Date.parse(occurredAt)}000000`,
            severityNumber: 17,
            traceId: key.replaceAll('-', ''),
            spanId: key.replaceAll('-', '').slice(0, 16),
            body: { stringValue: `${group} broke` },
            attributes: [
              text('request_id', key),
              text('exception.type', `${group}Error`),
              text('exception.message', `${group} broke`),
              text(
                'exception.stacktrace',
                `${group}Error: ${group} broke\n    at ${group} (/app/src/${group}.js:4:2)`,
              ),
            ],
          },
        ],
      },
    ],
  };
}

function factsOf(body: object): { occurredAt: string; release: string } {
  const context = 'context' in body && isJsonObject(body.context) ? body.context : {};
  return {
    occurredAt: 'timestamp' in body ? String(body.timestamp) : '',
    release: String(context.release),
  };
}
