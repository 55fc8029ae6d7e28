import type { Transaction } from '../../../platform/db/database.ts';

/** One change of a membership that groups of the provider caused; null: no membership before, or none after. */
export interface GroupChange {
  projectId: string;
  organizationId: string;
  from: 'admin' | 'member' | null;
  to: 'admin' | 'member' | null;
}

/** A team that a person joined or left because of groups of the provider. */
export interface TeamChange {
  teamId: string;
  organizationId: string;
  slug: string;
  isAdded: boolean;
}

/** The changes of a sign-in. */
export interface GroupSyncOutcome {
  changes: readonly GroupChange[];
  teamChanges: readonly TeamChange[];
  /** The provider did not say the groups, though groups have grants: nothing was changed. */
  isGroupsMissing: boolean;
}

/**
 * Makes the memberships and teams of a person what their groups give (docs/contract/team-workflow.md 9.4). Members and
 * teams are features above this one, which hand it in.
 * @param person.groups null: the provider did not say
 */
export type SyncGroups = (
  transaction: Transaction,
  person: { userId: string; groups: readonly string[] | null },
) => Promise<GroupSyncOutcome>;
