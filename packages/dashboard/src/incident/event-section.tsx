import xIcon from 'virtual:icon/x';
import { getIncidentEvent } from '@culprit/contract/incident-events';
import type { Incident } from '@culprit/contract/incidents';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { bodyOf, client } from '../api/transport.ts';
import { visibleLine, visibleText } from '../format/event-text.ts';
import { Time } from '../format/time.tsx';
import { PartError } from '../shell/part-error.tsx';
import { useShortcuts } from '../shell/shortcuts.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { JsonView } from '../ui/json-view.tsx';
import { Section } from '../ui/section.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import styles from './event-section.module.css';

/** What of an event has a heading of its own, in the order in which it is read. */
const BLOCKS: readonly (readonly [name: string, title: string])[] = [
  ['request', 'Request'],
  ['response', 'Response'],
  ['breadcrumbs', 'Trail'],
  ['logs', 'Logs'],
];
/** Shown in the line above. */
const ELSEWHERE = new Set(['error_class', 'message', 'stacktrace', ...BLOCKS.map(([name]) => name)]);

/** The occurrence that the address names, and the way to another one. */
export function useChosenEvent(): { eventId: string | null; choose: (eventId: string | null) => void } {
  const { event } = useSearch({ strict: false });
  const navigate = useNavigate();
  return {
    eventId: event ?? null,
    choose: (eventId) =>
      void navigate({ to: '.', search: eventId === null ? {} : { event: eventId }, replace: true }),
  };
}

/** One occurrence as it was sent, in place of the evidence that was put together from several. */
export function EventSection({ incident, eventId }: { incident: Incident; eventId: string }) {
  const { choose } = useChosenEvent();
  const { data, error, refetch } = useQuery({
    queryKey: [getIncidentEvent.id, incident.incident_id, eventId],
    queryFn: async ({ signal }) => {
      const params = { id: incident.incident_id, eventId };
      return await bodyOf(client.call(getIncidentEvent, { params, signal }));
    },
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });
  const [older, newer] = [data?.older_event_id ?? null, data?.newer_event_id ?? null];
  useShortcuts('Occurrence', [
    { keys: ',', label: 'Older occurrence', run: () => older !== null && choose(older) },
    { keys: '.', label: 'Newer occurrence', run: () => newer !== null && choose(newer) },
  ]);
  // Where scrolling answers with a promise, that must not be taken for what ends the effect.
  useEffect(() => {
    document.getElementById('event')?.scrollIntoView({ block: 'start' });
  }, []);
  return (
    <Section
      id="event"
      title="Occurrence"
      note={data !== undefined && <Time iso={data.event.occurred_at} form="exact" />}
      actions={
        <>
          <Button
            keys=","
            refusal={older === null ? 'This is the oldest that is kept' : null}
            onClick={() => older !== null && choose(older)}
          >
            Older
          </Button>
          <Button
            keys="."
            refusal={newer === null ? 'This is the newest' : null}
            onClick={() => newer !== null && choose(newer)}
          >
            Newer
          </Button>
          <IconButton
            icon={xIcon}
            label="Back to the evidence of all"
            data-tip-side="end"
            onClick={() => choose(null)}
          />
        </>
      }
    >
      {error !== null && data === undefined && <PartError error={error} retry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows rows={6} height="28px" />}
      {data !== undefined && <Event event={data.event} />}
    </Section>
  );
}

type Detail = Awaited<ReturnType<typeof bodyOf<typeof getIncidentEvent>>>['event'];

function Event({ event }: { event: Detail }) {
  const { payload, context, correlation, sdk, service, environment } = event;
  const message = [payload.error_class, payload.message]
    .filter((part) => typeof part === 'string')
    .join(': ');
  const { stacktrace } = payload;
  const rest = Object.fromEntries(Object.entries(payload).filter(([name]) => !ELSEWHERE.has(name)));
  const ids = [
    ['Event', event.event_id],
    ['Trace', correlation.trace_id],
    ['Request', correlation.request_id],
    ['Session', correlation.session_id],
  ] as const;
  return (
    <div className={styles.event}>
      {message !== '' && (
        <p className={styles.message} dir="auto" translate="no">
          {visibleText(message)}
        </p>
      )}
      <p className={styles.soft} translate="no">
        {[event.event_type, event.level, service, environment, `${sdk.name} ${sdk.version}`]
          .filter((part) => part !== null)
          .map(visibleLine)
          .join(' · ')}
      </p>
      <dl className={styles.ids}>
        {ids.map(
          ([name, id]) =>
            id !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <code translate="no">{visibleLine(id)}</code>
                  <CopyButton isIcon text={id} label={`Copy ${name.toLowerCase()} id`} />
                </dd>
              </div>
            ),
        )}
      </dl>
      {typeof stacktrace === 'string' && (
        <CodeBlock code={stacktrace} label="stack of this occurrence">
          {visibleText(stacktrace)}
        </CodeBlock>
      )}
      {BLOCKS.map(([name, title]) => (
        <Block key={name} title={title} value={payload[name] ?? context[name]} />
      ))}
      <Block title="Payload" value={rest} />
      <Block
        title="Context"
        value={Object.fromEntries(Object.entries(context).filter(([name]) => !ELSEWHERE.has(name)))}
      />
    </div>
  );
}

function Block({ title, value }: { title: string; value: unknown }) {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object' && Object.keys(value).length === 0) return null;
  return (
    <div>
      <h3 className={styles.title}>{title}</h3>
      <JsonView value={value} show={visibleText} />
    </div>
  );
}
