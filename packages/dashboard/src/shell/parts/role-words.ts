import type { CollaboratorRole } from '@culprit/contract/workspace/members';

/** The permissions of each role, for the person who assigns it. */
export const ROLE_WORDS: Readonly<Record<CollaboratorRole, string>> = {
  member: 'Reads everything, resolves incidents, keeps alerts, webhooks and tokens',
  admin: 'Also decides what is captured and checked, and who is here',
};

/** The role that a list of choices holds. */
export function roleIn(text: string): CollaboratorRole {
  return text === 'admin' ? 'admin' : 'member';
}
