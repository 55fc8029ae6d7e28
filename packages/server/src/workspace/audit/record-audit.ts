import { BlockList, isIP } from 'node:net';
import type { Logger } from 'pino';
import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import { errorFields } from '../../platform/error-fields.ts';

/**
 * One thing that was done, without secrets and without an address that things are sent to (docs/contract/account.md
 * 13).
 */
interface AuditEntry {
  /** `<resource>.<verb>` such as `project_token.created`. */
  action: string;
  actorUserId: string | null;
  organizationId?: string | null;
  projectId?: string | null;
  /** The record it was done to, as `kind:id`. */
  subject?: string | null;
  data?: Readonly<Record<string, string | number | boolean | null>>;
}

/**
 * Writes an audit row after the change it describes. A failure is logged and fails nothing else
 * (docs/contract/account.md 13), so it takes the database itself and never the transaction of the change.
 * @param origin.clientAddress null if no request caused it: a worker, or an operator at the machine
 */
export async function recordAudit(
  database: Queryable,
  { log, clientAddress }: { log: Logger; clientAddress: string | null },
  entry: AuditEntry,
): Promise<void> {
  try {
    await database.query(
      sql('audit-insert')`insert into audit_log
            (action, actor_user_id, organization_id, project_id, subject, address_class, data)
          values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        entry.action,
        entry.actorUserId,
        entry.organizationId ?? null,
        entry.projectId ?? null,
        entry.subject ?? null,
        clientAddress === null ? null : addressClass(clientAddress),
        JSON.stringify(entry.data ?? {}),
      ],
    );
  } catch (error) {
    log.warn({ action: entry.action, ...errorFields(error) }, 'audit row could not be written');
  }
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8, 'ipv4');
PRIVATE.addSubnet('172.16.0.0', 12, 'ipv4');
PRIVATE.addSubnet('192.168.0.0', 16, 'ipv4');
PRIVATE.addSubnet('100.64.0.0', 10, 'ipv4');
PRIVATE.addSubnet('169.254.0.0', 16, 'ipv4');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/** The kind of network an address belongs to, such as `public_ipv4`; never the address. */
export function addressClass(address: string): string {
  const version = isIP(address);
  if (version === 0) return 'unknown';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const network = LOOPBACK.check(address, family)
    ? 'loopback'
    : PRIVATE.check(address, family)
      ? 'private'
      : 'public';
  return `${network}_${family}`;
}
