import type { Transaction } from '../../../platform/db/database.ts';

/**
 * Statements that move tickets and links with the incidents of a group (docs/contract/team-workflow.md 7.3). The caller
 * holds the incidents.
 */

/** Links are locked in the order of their ids, as wherever several are. */
const move = (held: string) => `with held as (
    select k.link_id from incident_links k where ${held} order by k.link_id for update
  ), moved as (
    update incident_links k set incident_id = i.incident_id, joined_at = culprit_now(),
      former_incident_ids = case when k.incident_id = any (k.former_incident_ids) then k.former_incident_ids
        else k.former_incident_ids || k.incident_id end,
      seen_resolved = case when $3 then i.status = 'resolved' else k.seen_resolved end
    from held, incidents i where k.link_id = held.link_id and i.incident_id = $1 returning k.link_id
  )
  update note_comments c set incident_id = $1 from moved where c.link_id = moved.link_id`;

/** Moves the links of merged incidents to the one that stays. Its state at this moment is no change of it. */
export function moveLinksInto(
  transaction: Transaction,
  { fromIds, intoId }: { fromIds: readonly string[]; intoId: string },
): void {
  const name = 'links-move-into';
  transaction.send({ name, text: move('k.incident_id = any ($2::uuid[])') }, [intoId, [...fromIds], true]);
}

/** Moves links back to the incident of a part that leaves a group, from whose incidents they came. */
export function moveLinksOut(
  transaction: Transaction,
  { groupId, rootId, incidentIds }: { groupId: string; rootId: string; incidentIds: readonly string[] },
): void {
  const held = 'k.incident_id = $4 and k.former_incident_ids[1] = any ($2::uuid[])';
  const parameters = [rootId, [...incidentIds], false, groupId];
  transaction.send({ name: 'links-move-out', text: move(held) }, parameters);
}
