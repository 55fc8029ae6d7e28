import { randomBytes } from 'node:crypto';
import { parseDsn } from '@culprit/contract/events/dsn';
import type { DsnKey } from '@culprit/contract/events/dsn-keys';
import type { TestCulprit, TestProject } from './culprit.ts';
import { type ManagementClient, managementClient } from './management-client.ts';

/** A project as a Sentry library sees it: a key, a number and addresses at the running service. */
export interface SentryTarget {
  key: string;
  number: string;
  /** Of the running service, `<url>/api/<number>`. */
  api: string;
  envelope: string;
  record: DsnKey;
  keysPath: string;
  owner: ManagementClient;
}

/** The default key of a project. */
export async function sentryTarget(culprit: TestCulprit, project: TestProject): Promise<SentryTarget> {
  const owner = managementClient(culprit, project.memberToken);
  const keysPath = `/v1/projects/${project.projectId}/dsn-keys`;
  const { body } = await owner.get(keysPath);
  const [record] = (body as { keys: DsnKey[] }).keys;
  const dsn = record === undefined ? null : parseDsn(record.dsn);
  if (record === undefined || dsn === null) throw new Error('the project has no DSN key');
  const api = `${culprit.url}/api/${dsn.number}`;
  return {
    key: record.public_key,
    number: dsn.number,
    api,
    envelope: `${api}/envelope/`,
    record,
    keysPath,
    owner,
  };
}

export function newEventId(): string {
  return randomBytes(16).toString('hex');
}

/** An error as the library for Node sends it. */
export function sentryEvent(eventId: string, changes: object = {}): object {
  return {
    event_id: eventId,
    timestamp: Date.now() / 1000,
    platform: 'node',
    level: 'error',
    environment: 'production',
    sdk: { name: 'sentry.javascript.node', version: '9.47.2' },
    contexts: { runtime: { name: 'node', version: 'v24.0.0' } },
    exception: {
      values: [
        {
          type: 'TypeError',
          value: "Cannot read properties of undefined (reading 'total')",
          mechanism: { type: 'generic', handled: false },
          stacktrace: {
            frames: [
              {
                filename: '/app/node_modules/express/lib/router.js',
                function: 'next',
                lineno: 12,
                colno: 3,
                in_app: false,
              },
              { filename: '/app/src/cart.js', function: 'checkout', lineno: 31, colno: 7, in_app: true },
            ],
          },
        },
      ],
    },
    ...changes,
  };
}

export interface EnvelopeItem {
  type: string;
  payload: object | string | Buffer;
  /** Beside type and length. */
  header?: object;
  /** The payload ends at the line. */
  hasNoLength?: boolean;
}

/** An envelope as libraries write it. */
export function envelope(items: readonly EnvelopeItem[], header: object = {}): Buffer {
  const parts: (string | Buffer)[] = [`${JSON.stringify(header)}\n`];
  for (const { type, payload, header: more, hasNoLength } of items) {
    const bytes =
      typeof payload === 'string' || Buffer.isBuffer(payload)
        ? Buffer.from(payload)
        : Buffer.from(JSON.stringify(payload));
    const length = hasNoLength === true ? {} : { length: bytes.length };
    parts.push(`${JSON.stringify({ type, ...length, ...more })}\n`, bytes, '\n');
  }
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

/** An envelope with one error. */
export function errorEnvelope(eventId: string, changes: object = {}): Buffer {
  return envelope([{ type: 'event', payload: sentryEvent(eventId, changes) }], { event_id: eventId });
}

export function authOf(key: string): Record<string, string> {
  return {
    'x-sentry-auth': `Sentry sentry_version=7, sentry_client=sentry.python/1.9.10, sentry_key=${key}`,
  };
}

interface SentryAnswer {
  status: number;
  headers: Headers;
  body: {
    id?: string;
    error?: string;
    detail?: string;
    rejected?: { item: number; type: string; reason: string }[];
  };
}

export async function post(
  url: string,
  body: BodyInit | Buffer | null,
  headers: Readonly<Record<string, string>> = {},
  method = 'POST',
): Promise<SentryAnswer> {
  const sent: BodyInit | null = Buffer.isBuffer(body) ? new Uint8Array(body) : body;
  const response = await fetch(url, { method, headers, body: sent });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}
