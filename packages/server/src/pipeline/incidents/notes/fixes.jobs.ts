import { PEOPLE_LANE } from '../../../workspace/members/members.jobs.ts';

/** Job kind: looks for the fixes of a project that were deployed (docs/contract/team-workflow.md 5.2). */
export const SETTLE_FIXES = { lane: PEOPLE_LANE, kind: 'people.fixes' } as const;
