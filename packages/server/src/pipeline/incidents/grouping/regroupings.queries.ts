import type { Regrouping } from '@culprit/contract/incidents/regroupings';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Transaction } from '../../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../../platform/db/statement.ts';

interface RegroupingRow {
  regrouping_id: string;
  created_at: number;
  created_by_user_id: string | null;
  stack_rules_before: string[];
  stack_rules: string[];
  hours: number;
  merged_incidents: number;
  led_keys: number;
  split_incidents: number;
  events_seen: number;
  is_complete: boolean;
  undone_at: number | null;
  undone_by_user_id: string | null;
}

const COLUMNS = `regrouping_id, created_at, created_by_user_id, stack_rules_before, stack_rules, hours,
  merged_incidents, led_keys, split_incidents, events_seen, is_complete, undone_at, undone_by_user_id`;

function regroupingOf(row: RegroupingRow): Regrouping {
  return {
    ...row,
    created_at: formatTimestamp(row.created_at),
    undone_at: row.undone_at === null ? null : formatTimestamp(row.undone_at),
  };
}

/** The regroupings of a project, newest first. */
export const listRegroupingRows = statement.many<
  [projectId: string, limit: number],
  RegroupingRow,
  Regrouping
>(
  'regroupings-list',
  `select ${COLUMNS} from regroupings where project_id = $1
    order by created_at desc, regrouping_id desc limit $2`,
  regroupingOf,
);

/** The newest regrouping of a project that is not undone. */
export const findNewestRegrouping = statement.one<[projectId: string], RegroupingRow, Regrouping>(
  'regroupings-newest',
  `select ${COLUMNS} from regroupings where project_id = $1 and undone_at is null
    order by created_at desc, regrouping_id desc limit 1`,
  regroupingOf,
);

/**
 * Returns the stack rules of a project, whose settings cannot change until the transaction ends; null when it was
 * deleted.
 */
export const lockStackRules = statement.value<[projectId: string], string[] | null>(
  'regroupings-lock-rules',
  `select stack_rules from projects where project_id = $1 and deleted_at is null for no key update`,
  null,
);

/** A regrouping before the database sets its time. */
type NewRegrouping = Omit<
  Regrouping,
  'created_at' | 'undone_at' | 'undone_by_user_id' | 'created_by_user_id'
> & { projectId: string; userId: string | null };

export async function insertRegrouping(transaction: Transaction, made: NewRegrouping): Promise<Regrouping> {
  const rows = await transaction.query<RegroupingRow>(
    sql(
      'regroupings-insert',
    )`insert into regroupings (regrouping_id, project_id, created_at, created_by_user_id, stack_rules_before,
          stack_rules, hours, merged_incidents, led_keys, split_incidents, events_seen, is_complete)
        values ($1, $2, culprit_now(), $3, $4, $5, $6, $7, $8, $9, $10, $11) returning ${COLUMNS}`,
    [
      made.regrouping_id,
      made.projectId,
      made.userId,
      made.stack_rules_before,
      made.stack_rules,
      made.hours,
      made.merged_incidents,
      made.led_keys,
      made.split_incidents,
      made.events_seen,
      made.is_complete,
    ],
  );
  const [row] = rows.map(regroupingOf);
  if (row === undefined) throw new Error('an insert returned no row');
  return row;
}

export const markUndone = inTransaction.one<
  [projectId: string, regroupingId: string, userId: string | null],
  RegroupingRow,
  Regrouping
>(
  'regroupings-undone',
  `update regroupings set undone_at = culprit_now(), undone_by_user_id = $3
    where project_id = $1 and regrouping_id = $2 and undone_at is null returning ${COLUMNS}`,
  regroupingOf,
);

/** The service of each incident that is there, and where keys of theirs lead today, merges considered. */
export async function findLeadsOf(
  transaction: Transaction,
  keys: readonly { serviceId: string; key: string }[],
): Promise<Map<string, string>> {
  const rows = await transaction.query<{ service_id: string; key: string; incident_id: string }>(
    sql('regroupings-leads')`select k.service_id, k.key, coalesce(a.incident_id, i.incident_id) as incident_id
        from unnest($1::uuid[], $2::text[]) as k (service_id, key)
        left join incident_aliases a on a.service_id = k.service_id
          and a.fingerprint_version = split_part(k.key, ' ', 1)
          and a.fingerprint = decode(split_part(k.key, ' ', 2), 'hex')
        left join incidents i on i.service_id = k.service_id and i.fingerprint_version = split_part(k.key, ' ', 1)
          and i.fingerprint = decode(split_part(k.key, ' ', 2), 'hex')
        where coalesce(a.incident_id, i.incident_id) is not null`,
    [keys.map(({ serviceId }) => serviceId), keys.map(({ key }) => key)],
  );
  return new Map(rows.map((row) => [leadText(row.service_id, row.key), row.incident_id]));
}

/** One text for a key of a service. */
export function leadText(serviceId: string, key: string): string {
  return `${serviceId} ${key}`;
}

/** Leads new keys to incidents that are held. */
export async function leadNewKeys(
  transaction: Transaction,
  lead: {
    projectId: string;
    serviceId: string;
    incidentId: string;
    keys: readonly string[];
    regroupingId: string;
  },
): Promise<number> {
  const rows = await transaction.query<{ n: number }>(
    sql(
      'regroupings-lead',
    )`insert into incident_aliases (service_id, fingerprint_version, fingerprint, project_id, incident_id, origin,
          created_at, regrouping_id)
        select $2, split_part(k, ' ', 1), decode(split_part(k, ' ', 2), 'hex'), $1, $3, 'regrouping', culprit_now(), $5
        from unnest($4::text[]) k
        where not exists (select from incidents i where i.service_id = $2
          and i.fingerprint_version = split_part(k, ' ', 1)
          and i.fingerprint = decode(split_part(k, ' ', 2), 'hex'))
        order by k
        on conflict do nothing returning 1 as n`,
    [lead.projectId, lead.serviceId, lead.incidentId, [...lead.keys], lead.regroupingId],
  );
  return rows.length;
}

/** The services of incidents that are there, without those of sample data, whose keys are their own. */
export async function findServicesOf(
  transaction: Transaction,
  projectId: string,
  incidentIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await transaction.query<{ incident_id: string; service_id: string }>(
    sql('regroupings-services')`select incident_id, service_id from incidents
        where project_id = $1 and incident_id = any ($2::uuid[]) and sample_id is null`,
    [projectId, [...incidentIds]],
  );
  return new Map(rows.map((row) => [row.incident_id, row.service_id]));
}

/** The incidents to which a regrouping leads keys. */
export const findRegrouped = inTransaction.many<[regroupingId: string], { incident_id: string }, string>(
  'regroupings-roots',
  'select distinct incident_id from incident_aliases where regrouping_id = $1 order by incident_id',
  (row) => row.incident_id,
);
