import Type, { type Static } from 'typebox';
import { AnswerId } from './identifiers.ts';
import { Nullable } from './nullable.ts';
import { Timestamp } from './timestamp-schemas.ts';

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

/** What woke a snoozed incident (docs/contract/team-workflow.md 3.2). */
export const WAKE_CAUSES = ['time', 'occurrences', 'users', 'release', 'escalation', 'person'] as const;
export type WakeCause = (typeof WAKE_CAUSES)[number];

/** Characters of a name that people give themselves or a team. */
export const NAME_LENGTH_MAX = 80;

export const Priority = Type.Object(
  {
    level: Type.Enum([...PRIORITY_LEVELS]),
    reasons: Type.Array(Type.Enum([...PRIORITY_REASONS]), {
      description: 'Why the rules chose the level; empty for `normal` and for a level that a person set',
    }),
    is_manual: Type.Boolean({ description: 'Whether a person set the level' }),
  },
  { additionalProperties: false, title: 'Priority' },
);

export const Assignee = Type.Object(
  {
    kind: Type.Enum(['user', 'team']),
    id: AnswerId(null),
    name: Type.String({ description: 'Of a person without a name: the handle' }),
    email: Nullable(Type.String({ description: 'Null for a team' })),
    at: Timestamp,
  },
  { additionalProperties: false, title: 'Assignee' },
);
export type Assignee = Static<typeof Assignee>;

export const Snooze = Type.Object(
  {
    until: Timestamp,
    until_count: Nullable(Type.Integer({ description: 'Occurrences at which it wakes' })),
    until_users: Nullable(Type.Integer({ description: 'Affected users at which it wakes' })),
    until_release: Type.Boolean({
      description: 'Whether the first occurrence after the next deploy wakes it',
    }),
    wakes_on_escalation: Type.Boolean(),
    reason: Nullable(Type.String()),
    set_at: Timestamp,
    set_by: Nullable(
      Type.Object({ user_id: AnswerId(null), name: Type.String() }, { additionalProperties: false }),
    ),
    kept_silent: Type.Integer({ minimum: 0, description: 'Occurrences since it was snoozed' }),
  },
  { additionalProperties: false, title: 'Snooze' },
);
export type Snooze = Static<typeof Snooze>;

/** What people decided about an incident (docs/contract/team-workflow.md 0.1). */
export const Triage = Type.Object(
  {
    priority: Priority,
    assignee: Nullable(Assignee),
    snooze: Nullable(Snooze),
    notes: Type.Integer({ minimum: 0, description: 'Notes that were not deleted' }),
  },
  { additionalProperties: false, title: 'Triage' },
);
export type Triage = Static<typeof Triage>;

/** That of an incident which no person touched and no rule lifts. */
export const NO_TRIAGE: Triage = {
  priority: { level: 'normal', reasons: [], is_manual: false },
  assignee: null,
  snooze: null,
  notes: 0,
};
