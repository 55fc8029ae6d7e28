import type { LifecycleKind } from '@culprit/contract/incidents/lifecycle-kinds';
import { PEOPLE_LANE } from '../../workspace/members/members.jobs.ts';

/**
 * Job kind: assigns incidents to their owners, where lines name what is known some seconds after they opened
 * (docs/contract/team-workflow.md 2.3).
 */
export const OWN_INCIDENTS = { lane: PEOPLE_LANE, kind: 'people.own' } as const;

/** Ledger kinds after which an incident that no one has gets its owner. */
export const OWNED_KINDS: readonly LifecycleKind[] = ['incident.opened', 'incident.regressed'];
