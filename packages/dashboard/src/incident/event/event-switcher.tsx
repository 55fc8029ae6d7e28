import chevronIcon from 'virtual:icon/chevron-down';
import leftIcon from 'virtual:icon/chevron-left';
import rightIcon from 'virtual:icon/chevron-right';
import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { incidentLogsQuery } from '../../api/incidents.ts';
import { visibleLine } from '../../format/event-text.ts';
import { Time } from '../../format/time.tsx';
import { shortTime } from '../../format/times.ts';
import { useShortcuts } from '../../shell/palette/shortcuts.tsx';
import { IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu, type MenuItem } from '../../ui/layers/menu.tsx';
import { eventQuery, useChosenEvent } from './chosen-event.ts';
import styles from './event-switcher.module.css';

const ROLE_WORDS: Readonly<Record<string, string>> = {
  first: 'First',
  latest: 'Latest',
  after_deploy: 'First after a deploy',
  highest_severity: 'Most severe',
  richest: 'Most detailed',
};

/** Which event is shown below, and the ways to others. */
export function EventSwitcher({ incident, bundle }: { incident: Incident; bundle: DebugBundle | null }) {
  const { eventId, choose } = useChosenEvent();
  const events = useInfiniteQuery(incidentLogsQuery(incident.incident_id));
  const rows = (events.data?.pages ?? []).flatMap(({ logs }) => logs);
  const detail = useQuery({ ...eventQuery(incident.incident_id, eventId ?? ''), enabled: eventId !== null });
  const latest = rows[0] ?? null;
  const older = eventId === null ? (rows[1]?.event_id ?? null) : (detail.data?.older_event_id ?? null);
  const newer = eventId === null ? null : (detail.data?.newer_event_id ?? null);
  // The newest event is what "Latest" shows, with the evidence of all around it.
  const toNewer = () => newer !== null && choose(newer === latest?.event_id ? null : newer);
  useShortcuts('Event', [
    { keys: ',', label: 'Older event (comma)', run: () => older !== null && choose(older) },
    { keys: '.', label: 'Newer event (dot)', run: toNewer },
  ]);
  const event = eventId === null ? null : detail.data?.event;
  const at = event?.occurred_at ?? (eventId === null ? (bundle?.captured_at ?? latest?.occurred_at) : null);
  const shown = eventId === null ? 'Latest' : nameOf(eventId, bundle);
  const requestId = event?.correlation.request_id ?? bundle?.context.request?.request_id ?? null;
  return (
    <section id="event" className={styles.bar} aria-labelledby="event-title">
      <h2 id="event-title" className={styles.title} tabIndex={-1}>
        Event
      </h2>
      <Menu
        label={`Event: ${shown}`}
        triggerClass={styles.trigger}
        trigger={
          <>
            {shown} <Icon path={chevronIcon} size={12} />
          </>
        }
        items={choicesOf(bundle, eventId, choose)}
      />
      <span className={styles.steps}>
        <IconButton
          icon={leftIcon}
          label="Older event"
          keys=","
          disabled={older === null}
          onClick={() => older !== null && choose(older)}
        />
        <IconButton
          icon={rightIcon}
          label="Newer event"
          keys="."
          disabled={newer === null}
          onClick={toNewer}
        />
      </span>
      <p className={styles.words}>
        {at !== null && at !== undefined && <Time iso={at} form="exact" />}
        {requestId !== null && (
          <span className={styles.request} translate="no">
            request <code title={visibleLine(requestId)}>{visibleLine(requestId)}</code>
            <CopyButton isIcon text={requestId} label="Copy request id" />
          </span>
        )}
      </p>
    </section>
  );
}

function nameOf(eventId: string, bundle: DebugBundle | null): string {
  const item = bundle?.context.occurrences?.items.find(({ event_id: id }) => id === eventId);
  const [role] = item?.roles ?? [];
  return role === undefined ? 'Earlier' : (ROLE_WORDS[role] ?? role);
}

function choicesOf(
  bundle: DebugBundle | null,
  chosen: string | null,
  choose: (eventId: string | null) => void,
): MenuItem[] {
  const kept = (bundle?.context.occurrences?.items ?? []).filter(({ roles }) => !roles.includes('latest'));
  return [
    {
      kind: 'action',
      label: 'Latest, with the evidence of all',
      isChosen: chosen === null,
      onChoose: () => choose(null),
    },
    ...kept.map(
      ({ event_id: id, roles, occurred_at: at }): MenuItem => ({
        kind: 'action',
        label: `${roles.map((role) => ROLE_WORDS[role] ?? role).join(', ')} · ${shortTime(at)}`,
        isChosen: chosen === id,
        onChoose: () => choose(id),
      }),
    ),
  ];
}
