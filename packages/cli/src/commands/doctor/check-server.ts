import { getHealth, getReady } from '@culprit/contract/endpoints/health';
import { getServer } from '@culprit/contract/endpoints/server';
import { certificateEnd } from '../../api/certificate-end.ts';
import { openApi } from '../../api/open-api.ts';
import { CliError } from '../../cli-error.ts';
import { isObject } from '../../config/json-file.ts';
import type { Settings } from '../../config/settings.ts';
import type { Context } from '../../context.ts';
import { type Finding, ok, warning, wrong } from './finding.ts';

const READY: Readonly<Record<string, string>> = {
  db_unreachable: 'its database does not respond',
  db_schema_outdated: 'its database belongs to another release',
  object_store_unreachable: 'its object store does not respond',
  queue_unreachable: 'its queue does not respond',
  worker_starting: 'its workers are starting',
  shutting_down: 'it is shutting down',
};
const CLOCK_WARNING_MS = 60_000;
/** Beyond it the server moves the times of events. */
const CLOCK_WRONG_MS = 600_000;

/** Name, connection, certificate, identity, readiness and clock of the server. */
export async function checkServer(
  context: Context,
  { origin }: Settings,
): Promise<{ findings: Finding[]; isReachable: boolean }> {
  const findings: Finding[] = [];
  let serverTimeMs: number | null = null;
  const place = { credential: 'no token', profileName: null, isFromEnvironment: false };
  const api = openApi(context, origin, null, place, {
    onAnswer: ({ headers }) => {
      const date = Date.parse(headers.get('date') ?? '');
      if (!Number.isNaN(date)) serverTimeMs = date;
    },
  });
  const startedAt = performance.now();
  try {
    const health = await api.call(getHealth);
    if (!isObject(health) || typeof health.version !== 'string') {
      findings.push(wrong('identity', `The server at ${origin} is not Culprit.`, 'check the address'));
      return { findings, isReachable: false };
    }
    const durationMs = Math.round(performance.now() - startedAt);
    findings.push(ok('connection', `Culprit ${health.version} answers after ${durationMs} ms`));
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    findings.push(wrong('connection', error.message, error.hint));
    return { findings, isReachable: false };
  }
  const certificate = origin.startsWith('https:') ? await certificateFinding(origin) : null;
  if (certificate !== null) findings.push(certificate);
  const ready = await api.attempt(getReady);
  if (ready.ok) findings.push(ok('readiness', 'ready'));
  else {
    findings.push(
      wrong(
        'readiness',
        `The server is not ready: ${READY[ready.code] ?? ready.code}.`,
        'ask its operator, or check its log',
      ),
    );
  }
  const server = await api.attempt(getServer);
  const described = server.ok ? featuresFinding(server.body, origin) : olderFinding();
  findings.push(described);
  if (serverTimeMs !== null) findings.push(clockFinding(serverTimeMs - Date.now()));
  // No token is for a stranger.
  return { findings, isReachable: described.level !== 'wrong' };
}

/** Any server that answers everything may answer this too, so nothing of it is believed. */
function featuresFinding(description: unknown, origin: string): Finding {
  const features = isObject(description) ? description.features : null;
  if (!Array.isArray(features) || !features.every((each) => typeof each === 'string')) {
    return wrong(
      'identity',
      `The server at ${origin} does not describe itself as Culprit.`,
      'check the address, and any proxy in front of the server',
    );
  }
  return ok('features', features.join(', '));
}

function olderFinding(): Finding {
  return warning(
    'features',
    'The server is older than this program.',
    'commands that it does not support exit with 9: update the server',
  );
}

function clockFinding(differenceMs: number): Finding {
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  const says = `This clock is ${seconds} s ${differenceMs > 0 ? 'behind' : 'ahead of'} the server's.`;
  const hint = 'set the clock of this machine, for example by NTP';
  if (Math.abs(differenceMs) > CLOCK_WRONG_MS)
    return wrong('clock', `${says} Event times would be shifted.`, hint);
  if (Math.abs(differenceMs) > CLOCK_WARNING_MS) return warning('clock', says, hint);
  return ok('clock', `${seconds} s apart from the server's`);
}

const DAY_MS = 86_400_000;
const WARNING_DAYS = 14;

/** Returns how long the certificate of a reached server is still valid; null if a proxy hides it. */
async function certificateFinding(origin: string): Promise<Finding | null> {
  const endsAt = await certificateEnd(origin);
  if (endsAt === null) return null;
  const days = Math.floor((endsAt - Date.now()) / DAY_MS);
  const day = new Date(endsAt).toISOString().slice(0, 10);
  return days < WARNING_DAYS
    ? warning(
        'certificate',
        `It ends on ${day}, in ${days} days.`,
        'renew it, or ask the operator of the server',
      )
    : ok('certificate', `lasts until ${day}`);
}
