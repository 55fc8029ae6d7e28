import type { Role } from '@culprit/contract/endpoints/endpoint';
import type { Project } from '@culprit/contract/workspace/projects';

const RANK: Readonly<Record<Role, number>> = { member: 0, admin: 1, owner: 2 };

/** Why this person may not use a control, in words; null when they may. The API decides, this only explains. */
export function refusalFor(needed: Role, project: Project | null | undefined): string | null {
  if (project === null || project === undefined) return null;
  const { effective_role: role, owner_email: owner } = project;
  return RANK[role] >= RANK[needed] ? null : `Needs ${needed}. Yours is ${role}. Ask ${owner}`;
}
