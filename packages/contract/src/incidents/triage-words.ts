/** Levels of priority, the lowest first: a level is stored as its place. */
export const PRIORITY_LEVELS = ['low', 'normal', 'high', 'urgent'] as const;
export type PriorityLevel = (typeof PRIORITY_LEVELS)[number];

/** Why the rules gave a level, by code (docs/contract/team-workflow.md 5.1). */
export const PRIORITY_REASONS = [
  'critical',
  'regressed',
  'spiking_for_many',
  'escalated',
  'spiking',
  'new',
  'test_environment',
  'opaque_error',
  'browser_noise',
] as const;
export type PriorityReason = (typeof PRIORITY_REASONS)[number];

/** The causes for which a snoozed incident wakes (docs/contract/team-workflow.md 3.2). */
export const WAKE_CAUSES = ['time', 'occurrences', 'users', 'release', 'escalation', 'person'] as const;
export type WakeCause = (typeof WAKE_CAUSES)[number];
/** The causes that end a snooze before its time, which alert rules report (docs/contract/notifications.md 1.24). */
export const EARLY_WAKE_CAUSES = ['occurrences', 'users', 'release', 'escalation'] as const;
export type EarlyWakeCause = (typeof EARLY_WAKE_CAUSES)[number];

/** For how long after its detection a spike makes an incident `spiking`. */
export const SPIKING_MINUTES = 60;

/** Characters of a name that people give themselves or a team. */
export const NAME_LENGTH_MAX = 80;

/** Characters of a note. */
export const NOTE_LENGTH_MAX = 10_000;
/** Notes of an incident, deleted ones included. */
export const NOTES_MAX = 500;
/** Fixes of an incident. */
export const FIXES_MAX = 50;
/** A fix that was not deployed for this time was abandoned. */
export const FIX_WAIT_DAYS = 90;
/** Mentions of a note; further ones stay text. */
export const MENTIONS_MAX = 20;
