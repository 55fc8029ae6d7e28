import type { CollaboratorRole } from '@culprit/contract/workspace/members';

/** The permissions of each role, for the person who assigns it. */
export const ROLE_WORDS: Readonly<Record<CollaboratorRole, string>> = {
  member: 'Can read everything, resolve incidents, and manage alerts, webhooks and tokens',
  admin: 'Can also manage event filters, checks and members',
};

/** The role that a list of choices holds. */
export function roleIn(text: string): CollaboratorRole {
  return text === 'admin' ? 'admin' : 'member';
}
