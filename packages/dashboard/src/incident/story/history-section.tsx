import { getIncidentHistory, type HistoryEntry } from '@culprit/contract/incidents/incident-history';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import { freshness } from '../../api/freshness.ts';
import { readAllPages } from '../../api/pages.ts';
import { useFeature } from '../../api/server.ts';
import { call } from '../../api/transport.ts';
import { notesQuery } from '../../api/triage.ts';
import { visibleLine } from '../../format/event-text.ts';
import { plural } from '../../format/numbers.ts';
import { Time } from '../../format/time.tsx';
import { absoluteTime } from '../../format/times.ts';
import { PersonLink, ReleaseLink, WithFacts } from '../../shell/parts/fact-links.tsx';
import { LazyPart } from '../../shell/parts/lazy-part.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import { WatchButton } from '../header/watch-button.tsx';
import styles from './history-section.module.css';
import { NoteComposer, NoteEntry } from './notes.tsx';

const VerdictsDialog = lazy(() =>
  import('../header/verdicts-dialog.tsx').then((module) => ({ default: module.VerdictsDialog })),
);

const ENTRIES_AT_FIRST = 5;

/** The history of an incident, oldest first. */
export function useHistory(incident: Incident) {
  const hasHistory = useFeature('incident_history');
  return queryOptions({
    queryKey: [getIncidentHistory.id, incident.incident_id, incident.status],
    queryFn: ({ signal }) =>
      readAllPages(
        (query) => call(getIncidentHistory, { params: { id: incident.incident_id }, query, signal }),
        ({ history }) => history,
      ),
    enabled: hasHistory,
    ...freshness('incident'),
  });
}

/** Shows the history of the incident and the notes of people, newest first. */
export function Activity({ incident }: { incident: Incident }) {
  const { data: history } = useQuery(useHistory(incident));
  const { data: notes, isPending } = useQuery(notesQuery(incident.incident_id));
  const [isAll, setAll] = useState(false);
  const hasVerdicts = useFeature('alert_verdicts');
  const [isExplaining, setExplaining] = useState(false);
  // Notes are among the entries, so both appear together.
  if (history === undefined || isPending) return null;
  const entries = [
    // A note replaces its entry.
    ...history
      .filter(({ kind }) => kind !== 'incident.noted')
      .map((entry) => ({ at: entry.occurred_at, key: entry.id, entry, note: null })),
    ...(notes ?? []).map((note) => ({ at: note.created_at, key: note.note_id, entry: null, note })),
  ].sort((a, b) => (a.at < b.at ? 1 : -1));
  const shown = isAll ? entries : entries.slice(0, ENTRIES_AT_FIRST);
  return (
    <Section id="history" title="Activity">
      <NoteComposer incident={incident} />
      <WatchButton incident={incident} />
      <ol className={styles.entries}>
        {shown.map(({ key, entry, note }) =>
          entry === null ? (
            <NoteEntry key={key} incident={incident} note={note} />
          ) : (
            <li key={key}>
              <span>
                <WithFacts text={wordsFor(entry)} facts={linksOf(entry, incident.project_id)} />
              </span>
              <Time iso={entry.occurred_at} />
            </li>
          ),
        )}
      </ol>
      {shown.length < entries.length && (
        <Button kind="quiet" onClick={() => setAll(true)}>
          Show {entries.length - shown.length} more
        </Button>
      )}
      {hasVerdicts && (
        <Button kind="quiet" onClick={() => setExplaining(true)}>
          Explain alerts
        </Button>
      )}
      {isExplaining && (
        <LazyPart>
          <VerdictsDialog incident={incident} onClose={() => setExplaining(false)} />
        </LazyPart>
      )}
    </Section>
  );
}

const KIND_WORDS: Readonly<Record<string, string>> = {
  'incident.opened': 'Opened',
  'incident.regressed': 'Regressed',
  'incident.resolved': 'Resolved',
  'incident.reopened': 'Reopened',
  'incident.spike_detected': 'Spike detected',
  'incident.threshold_reached': 'Alert rule threshold reached',
  'incident.severity_raised': 'Severity raised',
  'incident.merged': 'Merged',
  'incident.split': 'Split',
  'incident.assigned': 'Assigned',
  'incident.unassigned': 'Unassigned',
  'incident.prioritized': 'Priority changed',
  'incident.snoozed': 'Snoozed',
  'incident.woke': 'Woke',
  'incident.noted': 'Note',
  'incident.fix_proposed': 'Fix proposed',
  'incident.linked': 'Linked',
  'incident.unlinked': 'Unlinked',
  'incident.link_state_changed': 'Ticket',
  'incident.remapped': 'Stack mapped by a new source map',
  'incident.seen_in_old_release': 'Seen in an earlier release',
  'bundle.created': 'Evidence collected',
  'bundle.updated': 'Evidence updated',
};

const CAUSE_WORDS: Readonly<Record<string, string>> = {
  time: 'its time ended',
  occurrences: 'of its events',
  users: 'of its users',
  release: 'of a deploy',
  escalation: 'it escalated',
};

/** The reasons for which an incident is resolved without a person. */
const RESOLVED_WORDS: Readonly<Record<string, string>> = {
  recovery: ' because the check or the job recovered',
  silence: ' because it had no more events',
  tracker: ' because its ticket was closed',
};

/** Returns the decision of a person, or the reason for which the incident woke. */
function decisionOf(kind: HistoryEntry['kind'], data: HistoryEntry['data']): string {
  switch (kind) {
    case 'incident.assigned':
      if (data.assignee === null) return '';
      if (data.because === 'tracker') return ` to ${data.assignee.name} by ticket ${data.ticket ?? ''}`;
      if (data.because === 'merge') return ` to ${data.assignee.name}, who had a merged incident`;
      return ` to ${data.assignee.name}${data.reason === null ? '' : ` by the line ${data.reason}`}`;
    case 'incident.unassigned':
      if (data.because === 'tracker') return ` because the ticket ${data.ticket ?? ''} has no assignee`;
      return data.reason === 'no_access' ? ' because the person left the project' : '';
    case 'incident.prioritized':
      return ` to ${data.priority_to ?? 'the rules'}`;
    case 'incident.seen_in_old_release':
      return data.release === null ? '' : `, ${data.release}`;
    case 'incident.fix_proposed':
      return data.fix === null ? '' : `, ${visibleLine(data.fix.url)}`;
    case 'incident.regressed':
    case 'incident.resolved': {
      if (data.because === 'fix' || (kind === 'incident.regressed' && data.fix !== null)) {
        const release = data.release === null ? '' : ` in ${data.release}`;
        const word = kind === 'incident.regressed' ? 'after the fix' : 'with the fix';
        return `${release}${data.fix === null ? '' : ` ${word} ${visibleLine(data.fix.url)}`}`;
      }
      if (data.because === 'tracker' && data.closed_by !== null)
        return ` because ${visibleLine(data.closed_by)} closed its ticket`;
      return data.release === null ? (RESOLVED_WORDS[data.because ?? ''] ?? '') : ` in ${data.release}`;
    }
    case 'incident.snoozed':
      return data.snoozed_until === null ? '' : ` until ${absoluteTime(data.snoozed_until)}`;
    case 'incident.woke': {
      const because = CAUSE_WORDS[data.because ?? ''];
      const silent = data.kept_silent ?? 0;
      const kept = silent === 0 ? '' : ` after ${plural(silent, 'silent event')}`;
      return `${because === undefined ? '' : ` because ${because}`}${kept}`;
    }
    case 'incident.reopened':
      return data.because === 'tracker' ? ' because its ticket was reopened' : '';
    case 'incident.linked':
      if (data.ticket !== null) return ` ${data.ticket}`;
      return data.because === 'alert' ? ' a new ticket by an alert rule' : ' a new ticket';
    case 'incident.unlinked':
      return data.ticket === null ? '' : ` ${data.ticket}`;
    case 'incident.link_state_changed':
      if (data.closed_by !== null)
        return ` ${data.ticket ?? ''} was closed by ${visibleLine(data.closed_by)}`;
      return ` ${data.ticket ?? ''} is ${data.link_state ?? ''}`;
    default:
      return '';
  }
}

/** The release and the people that the words of an entry name. */
function linksOf({ actor, data: { release, assignee } }: HistoryEntry, pid: string) {
  const people = [actor?.name, assignee?.name].filter((each) => each !== undefined);
  return [
    ...people.map(
      (each) =>
        [
          each,
          <PersonLink key={each} pid={pid}>
            {visibleLine(each)}
          </PersonLink>,
        ] as const,
    ),
    ...(release === null
      ? []
      : [[release, <ReleaseLink key={release} pid={pid} version={release} />] as const]),
  ];
}

function wordsFor({ kind, actor, data }: HistoryEntry): string {
  const words = KIND_WORDS[kind] ?? kind.replaceAll(/[._]/g, ' ');
  const who = actor === null ? '' : ` by ${actor.name}`;
  const severity =
    data.severity_from === null || data.severity_to === null
      ? ''
      : ` from ${data.severity_from} to ${data.severity_to}`;
  const version = data.generation === null ? '' : `, version ${data.generation}`;
  return `${words}${severity}${decisionOf(kind, data)}${who}${version}`;
}
