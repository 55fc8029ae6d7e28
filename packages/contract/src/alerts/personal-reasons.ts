/** Why a person is mailed (docs/contract/team-workflow.md 6.4). */
export const PERSONAL_REASONS = ['assigned', 'mentioned', 'own_regressed', 'own_woke', 'watched'] as const;
export type PersonalReason = (typeof PERSONAL_REASONS)[number];
