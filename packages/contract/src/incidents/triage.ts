import Type, { type Static } from 'typebox';
import { LINK_STATES, LINKS_SHOWN } from '../alerts/tracker-words.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { PRIORITY_LEVELS, PRIORITY_REASONS } from './triage-words.ts';

const Priority = Named('Priority', {
  level: Type.Enum([...PRIORITY_LEVELS]),
  reasons: Type.Array(Type.Enum([...PRIORITY_REASONS]), {
    description: 'Reasons for the level; empty for `normal` and for a level that a person set',
  }),
  is_manual: Type.Boolean({ description: 'Whether a person set the level' }),
});

const Assignee = Named('Assignee', {
  kind: Type.Enum(['user', 'team']),
  id: AnswerId(null),
  name: Type.String({ description: 'The handle, if the person has no name' }),
  handle: Type.String({ description: 'Slug of a team' }),
  email: Nullable(Type.String({ description: 'Null for a team' })),
  at: Timestamp,
});

const Snooze = Named('Snooze', {
  until: Timestamp,
  until_count: Nullable(Type.Integer({ description: 'Occurrences at which it wakes' })),
  until_users: Nullable(Type.Integer({ description: 'Affected users at which it wakes' })),
  until_release: Type.Boolean({
    description: 'Whether the first occurrence after the next deploy wakes it',
  }),
  wakes_on_escalation: Type.Boolean(),
  reason: Nullable(Type.String()),
  set_at: Timestamp,
  set_by: Nullable(Closed({ user_id: AnswerId(null), name: Type.String() })),
  kept_silent: Type.Integer({ minimum: 0, description: 'Occurrences since it was snoozed' }),
});

const ShownLink = Named('ShownLink', {
  link_id: AnswerId(null),
  key: Nullable(Type.String()),
  url: Nullable(Type.String()),
  state: Type.Enum([...LINK_STATES]),
});

/** The decisions of people about an incident (docs/contract/team-workflow.md 0.1). */
export const Triage = Named('Triage', {
  priority: Priority,
  assignee: Nullable(Assignee),
  snooze: Nullable(Snooze),
  notes: Type.Integer({ minimum: 0, description: 'Notes that were not deleted' }),
  links: Type.Array(ShownLink, { description: `The newest tickets and links, at most ${LINKS_SHOWN}` }),
});
export type Triage = Static<typeof Triage>;

/** That of an incident which no person touched and no rule lifts. */
export const NO_TRIAGE: Triage = {
  priority: { level: 'normal', reasons: [], is_manual: false },
  assignee: null,
  snooze: null,
  notes: 0,
  links: [],
};
