import { randomBytes } from 'node:crypto';
import { addressesOf, dsnText, projectNumber } from '@culprit/contract/events/dsn';
import type { DsnKey } from '@culprit/contract/events/dsn-keys';
import type { Queryable } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { pageParameters, type TimePage } from '../../platform/http/binding/time-page.ts';
import { newUuid, prefixedId } from '../../platform/ids.ts';
import { tokenHash, tokenPreview } from './token.ts';
import { isoOrNull } from './token-records.ts';

/** Statements over the DSN keys of a project, which are its tokens of the kind `dsn`. Each is bound to the project. */

/** The settings of a key that a member decides. */
export interface DsnKeyChoices {
  label: string;
  allowedOrigins: readonly string[];
  serviceName: string | null;
  eventsPerMinute: number | null;
}

/** New values of a key; undefined keeps the one there is. */
export type DsnKeyChange = { [Choice in keyof DsnKeyChoices]: DsnKeyChoices[Choice] | undefined };

/** The settings of the key with which every project begins. */
export const DEFAULT_DSN_KEY: DsnKeyChoices = {
  label: 'Default',
  allowedOrigins: [],
  serviceName: null,
  eventsPerMinute: null,
};

/** The row that the statements select. */
interface DsnKeyRow {
  token_id: string;
  project_id: string;
  label: string;
  public_key: string;
  allowed_origins: string[];
  service_name: string | null;
  events_per_minute: number | null;
  /** Milliseconds since the epoch, as all times here. */
  created_at: number;
  last_used_at: number | null;
  revoked_at: number | null;
}

const COLUMNS = `token_id, project_id, label, public_key, allowed_origins, service_name, events_per_minute, created_at,
  last_used_at, revoked_at`;

/** The record of docs/contract/foreign-protocols.md 2.3. @param baseUrl where the API is reached */
export function dsnKeyOf(row: DsnKeyRow, baseUrl: string): DsnKey {
  const dsn = { baseUrl, key: row.public_key, number: projectNumber(row.project_id) };
  return {
    token_id: prefixedId('tok', row.token_id),
    project_id: prefixedId('proj', row.project_id),
    label: row.label,
    public_key: row.public_key,
    dsn: dsnText(dsn),
    addresses: addressesOf(dsn),
    allowed_origins: row.allowed_origins,
    service_name: row.service_name,
    events_per_minute: row.events_per_minute,
    created_at: new Date(row.created_at).toISOString(),
    last_used_at: isoOrNull(row.last_used_at),
    revoked_at: isoOrNull(row.revoked_at),
  };
}

/** Writes a new key. */
export async function insertDsnKey(
  transaction: Queryable,
  key: DsnKeyChoices & { projectId: string; createdByUserId: string | null },
): Promise<DsnKeyRow> {
  const publicKey = createDsnKey();
  const [row] = await transaction.query<DsnKeyRow>(
    sql(
      'dsn-key-insert',
    )`insert into project_tokens (token_id, project_id, label, token_hash, token_preview, allowed_origins,
          created_by_user_id, kind, public_key, service_name, events_per_minute)
        values ($1, $2, $3, $4, $5, $6, $7, 'dsn', $8, $9, $10) returning ${COLUMNS}`,
    [
      newUuid(),
      key.projectId,
      key.label,
      tokenHash(publicKey),
      tokenPreview(publicKey),
      [...key.allowedOrigins],
      key.createdByUserId,
      publicKey,
      key.serviceName,
      key.eventsPerMinute,
    ],
  );
  if (row === undefined) throw new Error('the row of the key was not written');
  return row;
}

/** Keys of the project that are not revoked. */
export const countLiveDsnKeys = inTransaction.value<[projectId: string], number>(
  'dsn-keys-live',
  `select count(*) as live from project_tokens
    where project_id = $1 and kind = 'dsn' and revoked_at is null`,
  0,
);

/** A page of the project's keys, newest first. */
export async function listDsnKeyRows(
  database: Queryable,
  projectId: string,
  page: TimePage,
): Promise<DsnKeyRow[]> {
  return await database.query<DsnKeyRow>(
    sql('dsn-keys-list')`select ${COLUMNS} from project_tokens
        where project_id = $1 and kind = 'dsn'
          and ($2::timestamptz is null or (created_at, token_id) < ($2, $3::uuid))
        order by created_at desc, token_id desc limit $4`,
    [projectId, ...pageParameters(page)],
  );
}

/** Changes a key, live or revoked; null for anything that is not the project's. */
export async function changeDsnKey(
  database: Queryable,
  key: { projectId: string; tokenId: string },
  change: DsnKeyChange,
): Promise<DsnKeyRow | null> {
  const { label, allowedOrigins, serviceName, eventsPerMinute } = change;
  const [row] = await database.query<DsnKeyRow>(
    sql('dsn-key-change')`update project_tokens set
          label = coalesce($3, label),
          allowed_origins = coalesce($4::text[], allowed_origins),
          service_name = case when $5::boolean then $6 else service_name end,
          events_per_minute = case when $7::boolean then $8::integer else events_per_minute end
        where project_id = $1 and token_id = $2 and kind = 'dsn' returning ${COLUMNS}`,
    [
      key.projectId,
      key.tokenId,
      label ?? null,
      allowedOrigins === undefined ? null : [...allowedOrigins],
      serviceName !== undefined,
      serviceName ?? null,
      eventsPerMinute !== undefined,
      eventsPerMinute ?? null,
    ],
  );
  return row ?? null;
}

/** Revokes a live key; null when the project has none of that id that is live. */
export const revokeLiveDsnKey = statement.one<[projectId: string, tokenId: string], DsnKeyRow>(
  'dsn-key-revoke',
  `update project_tokens set revoked_at = culprit_now()
    where project_id = $1 and token_id = $2 and kind = 'dsn' and revoked_at is null returning ${COLUMNS}`,
);

/** One key of the project, live or revoked. */
export const findDsnKey = statement.one<[projectId: string, tokenId: string], DsnKeyRow>(
  'dsn-key-read',
  `select ${COLUMNS} from project_tokens where project_id = $1 and token_id = $2 and kind = 'dsn'`,
);

/** The oldest live key of a project that any sender may use; null when there is none. */
export const findPlainDsnKey = statement.one<[projectId: string], DsnKeyRow>(
  'dsn-key-plain',
  `select ${COLUMNS} from project_tokens
    where project_id = $1 and kind = 'dsn' and revoked_at is null and allowed_origins = '{}'
    order by created_at, token_id limit 1`,
);

/** A new key for the address of foreign clients. It is public: hard to guess, and never hidden. */
function createDsnKey(): string {
  return randomBytes(16).toString('hex');
}
