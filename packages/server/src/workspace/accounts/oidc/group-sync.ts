import type { Transaction } from '../../../platform/db/database.ts';

/** One change of a membership that groups of the provider caused; null: no membership before, or none after. */
export interface GroupChange {
  projectId: string;
  organizationId: string;
  from: 'admin' | 'member' | null;
  to: 'admin' | 'member' | null;
}

/** The changes of a sign-in. */
export interface GroupSyncOutcome {
  changes: readonly GroupChange[];
  /** The provider did not say the groups, though groups have grants: nothing was changed. */
  isGroupsMissing: boolean;
}

/**
 * Makes the memberships of a person what their groups give (docs/contract/team-workflow.md 9.4). Members are a feature
 * above this one, which hands it in.
 * @param person.groups null: the provider did not say
 */
export type SyncGroups = (
  transaction: Transaction,
  person: { userId: string; groups: readonly string[] | null },
) => Promise<GroupSyncOutcome>;
