import type { KnownPerson, TicketPerson } from '../notify/trackers/tracker-api.ts';
import type { Queryable } from '../platform/db/database.ts';
import { sql, statement } from '../platform/db/statement.ts';

/** Statements over the people of a project, among whom those of its trackers are looked for. Ids are bare. */

/** A person of a project; null when they are no member of it. */
export const findKnownPerson = statement.one<[projectId: string, userId: string], KnownPerson>(
  'ticket-person',
  `select u.name, u.handle, u.email from project_members m join users u on u.user_id = m.user_id
    where m.project_id = $1 and m.user_id = $2`,
);

/**
 * Returns the person of a project who has a ticket: by address, else by handle, else the only one with the name; null
 * where none of them fits.
 */
export async function findTicketPerson(
  database: Queryable,
  projectId: string,
  { email, login, name }: TicketPerson,
): Promise<string | null> {
  const [first, second] = await database.query<{ user_id: string; is_certain: boolean }>(
    sql(
      'ticket-people',
    )`select u.user_id, coalesce(lower(u.email) = lower($2) or u.handle = lower($3), false) as is_certain
        from project_members m join users u on u.user_id = m.user_id
        where m.project_id = $1
          and (lower(u.email) = lower($2) or u.handle = lower($3) or lower(u.name) = lower($4))
        order by lower(u.email) is not distinct from lower($2) desc, u.handle is not distinct from lower($3) desc
        limit 2`,
    [projectId, email, login, name],
  );
  return first !== undefined && (first.is_certain || second === undefined) ? first.user_id : null;
}
