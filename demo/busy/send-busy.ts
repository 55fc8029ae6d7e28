import type { Incident } from '@culprit/contract/incidents/incidents';
import { Checks } from '../checks.ts';
import { fact, say, section, table, title } from '../report/paper.ts';
import { sendEvents } from '../service/announce-release.ts';
import type { Connection } from '../service/connect.ts';
import { type ServiceApi, serviceApi } from '../service/service-api.ts';
import { until } from '../service/until.ts';
import { type BusyEvent, busyDeploys, busyHistory, busyLastHours, isFailure, USERS } from './events.ts';
import { FAILURES } from './failures.ts';
import { BUSY_SERVICES } from './services.ts';

/** A request of so many is far below the size that it may have. */
const BATCH_EVENTS = 100;

/**
 * Sends two weeks of a busy project through the ordinary event intake. A second run adds nothing: the events have the
 * same ids, and once all of them are counted none is sent.
 */
export async function sendBusy(connection: Connection, startedAt: Date): Promise<Checks> {
  title(`Culprit ${connection.version} at ${connection.baseUrl}`);
  say(`The project "Busy shop" (${connection.projectId}) is ready. It belongs to ${connection.email}.`);
  const api = serviceApi(connection);
  const checks = new Checks();
  const now = startedAt.getTime();
  const history = busyHistory(now);
  const last = busyLastHours(now);
  const all = history.length + last.filter(isFailure).length;

  section('Two weeks of seven services');
  let incidents = await api.incidents();
  if (occurrences(incidents) >= all) {
    say('All events are there already; none was sent.');
  } else {
    await send(connection, [...busyDeploys(now), ...history], checks);
    incidents = await until(api.incidents, (seen) => occurrences(seen) >= history.length);
    for (const { incident_id: id } of incidents.filter(isToBeResolved)) await api.resolve(id);
    await send(connection, last, checks);
    incidents = await until(api.incidents, (seen) => occurrences(seen) >= all);
  }
  checks.expect(`there are ${FAILURES.length} incidents`, incidents.length === FAILURES.length);
  checks.expect(`${all} occurrences are counted`, occurrences(incidents) >= all);
  await checkUsers(api, incidents, checks);
  table(
    ['Service', 'Incidents', 'Occurrences'],
    BUSY_SERVICES.map(({ name }) => {
      const own = incidents.filter((incident) => incident.service_name === name);
      return [name, String(own.length), String(occurrences(own))];
    }),
  );
  fact('Open it at', `${connection.baseUrl}/projects/${connection.projectId}`);
  return checks;
}

/** The evidence follows the events a little later. */
async function checkUsers(api: ServiceApi, incidents: readonly Incident[], checks: Checks): Promise<void> {
  const main = incidents.find(({ title: text }) => text.includes("reading 'country'"));
  const id = main?.incident_id ?? '';
  const users = await until(
    async () => {
      const bundle = await api.bundle(id);
      return typeof bundle === 'string' ? 0 : (bundle.impact.affected_users_estimate ?? 0);
    },
    (seen) => seen >= USERS,
  );
  checks.expect(`an incident names ${USERS} users, not ${users}`, users === USERS);
}

async function send(connection: Connection, events: readonly BusyEvent[], checks: Checks): Promise<void> {
  for (let from = 0; from < events.length; from += BATCH_EVENTS) {
    const { problems } = await sendEvents(connection, events.slice(from, from + BATCH_EVENTS));
    checks.expect(
      `events are accepted${problems.map((problem) => `: ${problem}`).join('')}`,
      problems.length === 0,
    );
  }
}

/** Once: what came back or was reopened since stays so. */
function isToBeResolved({ status, regressed_at: regressedAt, service_name: service, title: text }: Incident) {
  return (
    status === 'open' &&
    regressedAt === null &&
    FAILURES.some(
      (failure) =>
        (failure.story === 'resolved' || failure.story === 'regressed') &&
        failure.service === service &&
        text.includes(failure.type),
    )
  );
}

function occurrences(incidents: readonly Incident[]): number {
  return incidents.reduce((sum, incident) => sum + incident.occurrence_count, 0);
}
