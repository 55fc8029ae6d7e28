/**
 * The condition in SQL that a row `i` of `project_invites` can still be accepted (docs/contract/incidents.md 7.5): it
 * is neither accepted nor canceled, its 7 days last, and its sender may still invite into the project. The last part is
 * checked each time, so that no way of losing a role leaves an invite that grants one.
 */
export const IS_OPEN_INVITE = `i.accepted_at is null and i.canceled_at is null and i.expires_at > culprit_now()
  and exists (select from project_members s where s.project_id = i.project_id
    and s.user_id = i.invited_by_user_id and s.role in ('owner', 'admin'))`;
