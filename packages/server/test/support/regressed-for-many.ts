import { EX } from '../conformance/incidents-fixtures.ts';
import type { IncidentClient } from './incident-client.ts';

/** Row 9 of the acceptance of the dashboard: a query that has to mean the same to people, scripts and agents. */
export const REGRESSED_FOR_MANY = 'service:checkout-api is:regressed -env:staging users:>10';

const USERS = 11;

/** Each but the first differs in one thing from what the query finds. */
const FAILURES: readonly {
  name: string;
  service: Record<string, unknown>;
  users: number;
  isResolved: boolean;
}[] = [
  { name: 'Found', service: {}, users: USERS, isResolved: true },
  { name: 'Open', service: {}, users: USERS, isResolved: false },
  { name: 'Staging', service: { environment: 'staging' }, users: USERS, isResolved: true },
  { name: 'Mailer', service: { name: 'mailer' }, users: USERS, isResolved: true },
  { name: 'Few', service: {}, users: USERS - 1, isResolved: true },
];

/** Sends incidents of which the query finds the first; returns its id. */
export async function sendRegressedForMany(client: IncidentClient): Promise<string> {
  const eventOf = (name: string, service: Record<string, unknown>, user: number) =>
    EX({
      service,
      context: { user: { id: `user-${user}` } },
      payload: {
        error_class: `${name}Error`,
        message: `${name} broke`,
        stacktrace: `${name}Error: ${name} broke\n    at run (/srv/app/src/${name.toLowerCase()}.js:1:1)`,
      },
    });
  await client.send(
    ...FAILURES.flatMap(({ name, service, users }) =>
      Array.from({ length: users }, (_, user) => eventOf(name, service, user)),
    ),
  );
  await client.processed();
  const incidents = await client.list();
  const idOf = (name: string) =>
    incidents.find(({ title }) => title.startsWith(`${name}Error`))?.incident_id ?? '';
  const resolved = FAILURES.filter(({ isResolved }) => isResolved);
  for (const { name } of resolved) await client.resolve(idOf(name));
  await client.send(...resolved.map(({ name, service }) => eventOf(name, service, 0)));
  await client.processed();
  return idOf('Found');
}
