import { SIMILAR_INCIDENTS_MAX, type SimilarIncident } from '@culprit/contract/incidents/incident-similar';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { prefixedId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { RecordAccess } from '../../../workspace/access/authorize.ts';
import { findIncidentRecords } from './incidents.queries.ts';
import { findCandidates } from './similar.queries.ts';
import { similarityOf } from './similarity.ts';

/**
 * Returns the incidents that are most like one (docs/contract/server-additions.md S20), the most alike first.
 * @throws Problem `incident_not_found` when it was deleted
 */
export async function listSimilar(
  { database }: Runtime,
  { recordId }: RecordAccess,
): Promise<SimilarIncident[]> {
  const [subject, ...others] = await findCandidates(database, recordId);
  if (subject === undefined) throw new Problem('incident_not_found');
  // Equal ones stay in their order: the last seen first.
  const alike = others
    .flatMap(({ incidentId, ...likeness }) => {
      const similarity = similarityOf(subject, likeness);
      return similarity === null ? [] : [{ id: prefixedId('inc', incidentId), incidentId, similarity }];
    })
    .toSorted((a, b) => b.similarity.score - a.similarity.score)
    .slice(0, SIMILAR_INCIDENTS_MAX);
  const records = await findIncidentRecords(
    database,
    alike.map(({ incidentId }) => incidentId),
  );
  return alike.flatMap(({ id, similarity }) => {
    const incident = records.find(({ incident_id: each }) => each === id);
    return incident === undefined ? [] : [{ incident, ...similarity }];
  });
}
