import { arrayLiteral } from '../../../platform/db/array-literal.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import { inTransaction, sql } from '../../../platform/db/statement.ts';

/**
 * One lock for all slots of a service, until the transaction ends. The slots that a transaction needs become known only
 * step by step, so a transaction would lock their rows in an arbitrary order; this one comes first, before incidents
 * are locked too. Every statement that writes slots runs after it. Keys that incidents have already need no slot, so it
 * is rare.
 */
const LOCK = 'pg_advisory_xact_lock(key)';
const KEY_OF = (serviceId: string) => `hashtextextended('slots:' || ${serviceId}::text, 0)`;

/** Locks the slots of some services, in one order. */
export async function lockSlots(transaction: Transaction, serviceIds: readonly string[]): Promise<void> {
  await transaction.query(
    sql('slots-lock')`select ${LOCK} from (
          select distinct ${KEY_OF('service_id')} as key from unnest($1::uuid[]) as s (service_id) order by key) k`,
    [arrayLiteral([...serviceIds])],
  );
}

/** Locks the slots of the services of some incidents, before these are locked themselves. */
export const lockSlotsOf = inTransaction.run<[incidentIds: readonly string[]]>(
  'slots-lock-of-incidents',
  `select ${LOCK} from (
    select distinct ${KEY_OF('service_id')} as key from incidents where incident_id = any ($1::uuid[])
    order by key) k`,
);
