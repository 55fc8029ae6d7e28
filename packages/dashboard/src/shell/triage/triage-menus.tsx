import chevronIcon from 'virtual:icon/chevron-down';
import type { SnoozeRequest } from '@culprit/contract/incidents/incident-snooze';
import type { TriageChange } from '@culprit/contract/incidents/incident-triage';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { PRIORITY_LEVELS } from '@culprit/contract/incidents/triage-words';
import { useQuery } from '@tanstack/react-query';
import { lazy, type Ref, useState } from 'react';
import { serverNow } from '../../api/transport.ts';
import { peopleQuery } from '../../api/triage.ts';
import { visibleLine } from '../../format/event-text.ts';
import { Icon } from '../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../ui/layers/menu.tsx';
import { LazyPart } from '../parts/lazy-part.tsx';
import { changeTriage, snoozeIncidents, wakeIncidents } from './change-triage.ts';
import styles from './triage-menus.module.css';
import { PRIORITY_WORDS, priorityReason } from './triage-words.ts';

const SnoozeDialog = lazy(async () => ({ default: (await import('./snooze-dialog.tsx')).SnoozeDialog }));

export interface MenuHandle {
  open(): void;
}

interface Chosen {
  incidents: readonly Incident[];
  ref?: Ref<MenuHandle>;
  placement?: 'below' | 'above';
}

/** So many people are in the menu; it leads to one by the first letter of the name. */
const PEOPLE_SHOWN = 100;
const TEAMS_SHOWN = 50;

type Assignee = Exclude<TriageChange['assignee'], undefined>;

/** The id of a person or a team that a request names. */
function idOf(assignee: Assignee): string | null {
  return assignee?.user_id ?? assignee?.team_id ?? null;
}

/** Gives incidents to a person or a team of their project. */
export function AssignMenu({ incidents, ref, placement }: Chosen) {
  const projects = new Set(incidents.map(({ project_id: id }) => id));
  const [projectId = ''] = projects;
  const { data } = useQuery({ ...peopleQuery(projectId), enabled: projectId !== '' });
  const { people, teams } = data ?? { people: [], teams: [] };
  const assigned = incidents.length === 1 ? (incidents[0]?.triage.assignee ?? null) : null;
  const me = people.find(({ is_me: isMe }) => isMe);
  const item = (label: string, to: Assignee, name: string): MenuItem => ({
    kind: 'action',
    label,
    isChosen: incidents.length === 1 && (assigned?.id ?? null) === idOf(to),
    onChoose: () =>
      changeTriage(incidents, { assignee: to }, to === null ? 'No one is assigned' : `Assigned to ${name}`),
  });
  const others = people.filter(({ is_me: isMe }) => !isMe).slice(0, PEOPLE_SHOWN);
  return (
    <Menu
      {...(ref === undefined ? {} : { ref })}
      {...(placement === undefined ? {} : { placement })}
      label={assigned === null ? 'Assign' : `Assigned to ${visibleLine(assigned.name)}`}
      side="end"
      triggerClass={styles.trigger}
      trigger={<Trigger words={assigned === null ? 'Assign' : visibleLine(assigned.name)} keys="A" />}
      items={[
        ...(me === undefined ? [] : [item('Me', { user_id: me.user_id }, 'you')]),
        item('No one', null, ''),
        ...(others.length === 0 ? [] : [{ kind: 'line' } as const]),
        ...others.map(({ user_id: id, name, email }) => {
          const words = visibleLine(name ?? email);
          return item(words, { user_id: id }, words);
        }),
        ...(teams.length === 0 ? [] : [{ kind: 'line' } as const]),
        ...teams.slice(0, TEAMS_SHOWN).map(({ team_id: id, name }) => {
          const words = visibleLine(name);
          return item(words, { team_id: id }, words);
        }),
      ]}
    />
  );
}

/** Sets the priority of incidents, or gives it back to the rules. */
export function PriorityMenu({ incidents, ref, placement }: Chosen) {
  const only = incidents.length === 1 ? (incidents[0]?.triage.priority ?? null) : null;
  return (
    <Menu
      {...(ref === undefined ? {} : { ref })}
      {...(placement === undefined ? {} : { placement })}
      label={only === null ? 'Priority' : `${PRIORITY_WORDS[only.level]} priority. ${priorityReason(only)}`}
      side="end"
      triggerClass={styles.trigger}
      trigger={<Trigger words="Priority" keys="P" />}
      items={[
        ...(only === null ? [] : [{ kind: 'title', label: priorityReason(only) } as const]),
        ...[...PRIORITY_LEVELS].reverse().map(
          (level): MenuItem => ({
            kind: 'action',
            label: PRIORITY_WORDS[level],
            isChosen: only?.is_manual === true && only.level === level,
            onChoose: () =>
              changeTriage(incidents, { priority: level }, `Priority set to ${PRIORITY_WORDS[level]}`),
          }),
        ),
        { kind: 'line' },
        {
          kind: 'action',
          label: 'By the rules',
          isChosen: only?.is_manual === false,
          onChoose: () => changeTriage(incidents, { priority: null }, 'Priority follows the rules'),
        },
      ]}
    />
  );
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MORNING_HOUR = 9;
/** The days after which a snooze until an event ends in any case. */
const EVENT_SNOOZE_DAYS = 90;

/** Silences incidents until a time or an event. */
export function SnoozeMenu({ incidents, ref, placement }: Chosen) {
  const [isAsking, setAsking] = useState(false);
  const isAsleep = incidents.length > 0 && incidents.every(({ triage }) => triage.snooze !== null);
  const isResolved = incidents.every(({ status }) => status === 'resolved');
  if (isResolved) return null;
  const until = (label: string, untilMs: () => number): MenuItem => ({
    kind: 'action',
    label,
    onChoose: () =>
      snoozeIncidents(incidents, { until: new Date(untilMs()).toISOString() }, label.toLowerCase()),
  });
  const event = (label: string, condition: Omit<SnoozeRequest, 'until'>): MenuItem => ({
    kind: 'action',
    label,
    onChoose: () => {
      const end = new Date(serverNow() + EVENT_SNOOZE_DAYS * DAY_MS).toISOString();
      snoozeIncidents(incidents, { until: end, ...condition }, label.toLowerCase());
    },
  });
  return (
    <>
      <Menu
        {...(ref === undefined ? {} : { ref })}
        {...(placement === undefined ? {} : { placement })}
        label={isAsleep ? 'Snoozed' : 'Snooze'}
        side="end"
        triggerClass={styles.trigger}
        trigger={<Trigger words={isAsleep ? 'Snoozed' : 'Snooze'} keys="S" />}
        items={[
          ...(isAsleep
            ? [
                { kind: 'action', label: 'Wake now', onChoose: () => wakeIncidents(incidents) } as const,
                { kind: 'line' } as const,
              ]
            : []),
          until('For 1 hour', () => serverNow() + HOUR_MS),
          until('For 1 day', () => serverNow() + DAY_MS),
          until('Until tomorrow 9:00', () => morningAfter(1)),
          until('Until Monday 9:00', () => morningAfter(daysToMonday())),
          until('For 1 week', () => serverNow() + 7 * DAY_MS),
          { kind: 'line' },
          event('Until the next event', { for_occurrences: 1 }),
          event('Until 100 more events', { for_occurrences: 100 }),
          event('Until 10 more users', { for_users: 10 }),
          event('Until the next deploy', { until_next_release: true }),
          { kind: 'line' },
          { kind: 'action', label: 'Choose conditions…', onChoose: () => setAsking(true) },
        ]}
      />
      {isAsking && (
        <LazyPart>
          <SnoozeDialog incidents={incidents} onClose={() => setAsking(false)} />
        </LazyPart>
      )}
    </>
  );
}

/** Nine in the morning, so many days from today, where the reader is. */
function morningAfter(days: number): number {
  const morning = new Date(serverNow());
  morning.setDate(morning.getDate() + days);
  morning.setHours(MORNING_HOUR, 0, 0, 0);
  return morning.getTime();
}

function daysToMonday(): number {
  return (8 - new Date(serverNow()).getDay()) % 7 || 7;
}

/**
 * Shows the content of a trigger. Its key is drawn by the style sheet: as text it would have to be part of the name
 * too.
 */
export function Trigger({ words, keys }: { words: string; keys: string }) {
  return (
    <>
      <span className={styles.words}>{words}</span>
      <span className={styles.keys} data-keys={keys} />
      <Icon path={chevronIcon} size={12} />
    </>
  );
}
