import { randomBytes } from 'node:crypto';
import { addressesOf, type Dsn, isDsnKeyShaped, parseDsn } from '@culprit/contract/events/dsn';
import { resolveIncident } from '@culprit/contract/incidents/incidents';
import { lookUpId } from '@culprit/contract/incidents/lookup';
import { NoAnswer, sendHttp } from '../../api/http-send.ts';
import { CliError } from '../../cli-error.ts';
import { isObject, type JsonObject } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import { sleep } from '../../sleep.ts';
import { VERSION } from '../../version.ts';
import { type Finding, ok, skipped, wrong } from './finding.ts';

const ANSWER_BYTES_MAX = 64 * 1024;
const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 250;
/** The check that a refusal of the server belongs to. */
const STEPS: Readonly<Record<string, string>> = {
  key_missing: 'key',
  key_unknown: 'key',
  key_conflict: 'key',
  project_token_in_dsn: 'key',
  wrong_project_number: 'number',
  origin_not_allowed: 'origin',
  rate_limited: 'rate',
};

/**
 * Sends one event to the address of a DSN as a Sentry library would, follows it to its incident, and names the step at
 * which it failed (docs/contract/foreign-protocols.md 11.7).
 */
export async function checkDsn(
  context: Context,
  text: string,
  pageOrigin: string | null,
): Promise<Finding[]> {
  const dsn = parseDsn(text);
  if (dsn === null) {
    return [
      wrong('dsn', 'This is not a DSN. A DSN has the form https://<key>@<host>/<number>.', 'culprit dsn'),
    ];
  }
  const findings = [ok('dsn', `sends to ${addressesOf(dsn).envelope}`)];
  if (!isDsnKeyShaped(dsn.key)) {
    return [...findings, wrong('key', 'The key is not 32 hexadecimal digits.', 'culprit dsn')];
  }
  const eventId = randomBytes(16).toString('hex');
  const sent = await sendEnvelope(context, dsn, eventId, pageOrigin);
  findings.push(...sent);
  if (sent.some(({ level }) => level === 'wrong')) return findings;
  return [...findings, await follow(context, eventId)];
}

async function sendEnvelope(
  context: Context,
  dsn: Dsn,
  eventId: string,
  pageOrigin: string | null,
): Promise<Finding[]> {
  try {
    const answer = await sendHttp(addressesOf(dsn).envelope, {
      method: 'POST',
      headers: {
        'x-sentry-auth': `Sentry sentry_version=7, sentry_client=culprit-cli/${VERSION}, sentry_key=${dsn.key}`,
        ...(pageOrigin === null ? {} : { origin: pageOrigin }),
      },
      body: envelopeOf(eventId),
      timeoutMs: context.globals.timeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    return judge(answer.status, bodyOf(await answer.text()));
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return [
      wrong('connection', `The server did not respond: ${error.message}.`, 'check the host in the DSN'),
    ];
  }
}

function judge(status: number, body: JsonObject): Finding[] {
  const { error, detail, rejected } = body;
  if (status === 200 && Array.isArray(rejected) && rejected.length > 0) {
    const [first] = rejected.filter(isObject);
    const reason = String(first?.reason ?? 'unknown');
    const isPolicy = reason.startsWith('capture_');
    return [
      ok('key', 'accepted'),
      wrong(
        isPolicy ? 'policy' : 'event',
        `The event was not accepted: ${reason}.`,
        isPolicy ? 'culprit capture policy show, culprit capture rules list' : null,
      ),
    ];
  }
  if (status === 200 && typeof body.id === 'string') {
    return [ok('key', 'accepted'), ok('event', `stored with the id ${body.id}`)];
  }
  if (typeof error !== 'string') {
    const says = `The server there responds with status ${status} and is not Culprit.`;
    return [wrong('connection', says, 'check host and path of the DSN, and any proxy in front')];
  }
  const says = typeof detail === 'string' ? detail : error;
  return [
    wrong(STEPS[error] ?? 'event', says, error === 'origin_not_allowed' ? ORIGIN_HINT : 'culprit keys list'),
  ];
}

const ORIGIN_HINT =
  'add the page with --origin URL, or change the key: culprit keys update ID --allowed-origin ORIGIN';

/** Follows the event to its incident, which is resolved immediately, since nothing is broken. */
async function follow(context: Context, eventId: string): Promise<Finding> {
  try {
    const api = await context.api();
    const startedAt = performance.now();
    while (performance.now() - startedAt < WAIT_MS && !context.interrupted.aborted) {
      const { matches } = await api.call(lookUpId, { query: { id: eventId } });
      const id = matches.find(({ incident_id }) => incident_id !== null)?.incident_id ?? null;
      if (id !== null) {
        const visibleMs = Math.round(performance.now() - startedAt);
        await api.call(resolveIncident, { params: { id }, body: {} });
        return ok('incident', `the event was an incident after ${visibleMs} ms (${id})`);
      }
      await sleep(LOOK_EVERY_MS, context.interrupted);
    }
    return wrong(
      'incident',
      'The event was stored, but its incident is not visible to you after 30 s.',
      'culprit doctor, and check that the DSN belongs to a project that you see',
    );
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return skipped('incident', `the event cannot be followed: ${error.message}`);
  }
}

function envelopeOf(eventId: string): string {
  const event = {
    event_id: eventId,
    timestamp: Date.now() / 1000,
    platform: 'other',
    level: 'error',
    environment: 'doctor',
    sdk: { name: 'culprit-cli', version: VERSION },
    tags: { service: 'cli' },
    exception: {
      values: [
        {
          type: 'CulpritVerification',
          value: 'culprit sent this event to check that events for this DSN arrive',
        },
      ],
    },
  };
  const payload = JSON.stringify(event);
  const item = JSON.stringify({ type: 'event', length: Buffer.byteLength(payload) });
  return `${JSON.stringify({ event_id: eventId })}\n${item}\n${payload}\n`;
}

function bodyOf(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
