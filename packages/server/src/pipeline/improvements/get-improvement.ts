import type { Improvement } from '@culprit/contract/incidents/improvements';
import type { Queryable } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { RecordAccess } from '../../workspace/access/authorize.ts';
import { findImprovementRecord } from './improvements.queries.ts';

/** Returns one improvement. @throws Problem `improvement_not_found` when it was removed */
export async function getImprovement(
  database: Queryable,
  { recordId }: Pick<RecordAccess, 'recordId'>,
): Promise<Improvement> {
  const record = await findImprovementRecord(database, recordId);
  if (record === null) throw new Problem('improvement_not_found');
  return record;
}
