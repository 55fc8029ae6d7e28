import type { EventDetail } from '@culprit/contract/incidents/incident-events';
import { visibleLine, visibleText } from '../../format/event-text.ts';
import { EnvironmentLink, ServiceLink, WithFacts } from '../../shell/parts/fact-links.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { FoldedSection } from '../../ui/folded-section.tsx';
import { JsonView, withoutEmpty } from '../../ui/json-view.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './event-section.module.css';
import { Exchange, exchangeOfEvent } from './exchange.tsx';

/** The fields of an event that have a separate part, in the order in which they are read. */
const TRAILS: readonly (readonly [name: string, title: string])[] = [
  ['breadcrumbs', 'Trail'],
  ['logs', 'Logs'],
];
const ELSEWHERE = new Set([
  'error_class',
  'message',
  'stacktrace',
  'exceptions',
  'request',
  'response',
  ...TRAILS.map(([name]) => name),
]);

/** Shows the content of one event, below its stack. */
export function EventSection({ event, pid }: { event: EventDetail; pid: string }) {
  const { payload, context } = event;
  return (
    <>
      <EventFacts event={event} pid={pid} />
      <Exchange exchange={exchangeOfEvent(payload, context)} />
      {TRAILS.map(([name, title]) => (
        <Block key={name} id={name} title={title} value={payload[name] ?? context[name]} />
      ))}
      <Block id="payload" title="Payload" value={without(payload)} />
      <Block id="context" title="Context" value={without(context)} />
    </>
  );
}

function without(map: Readonly<Record<string, unknown>>): unknown {
  return withoutEmpty(Object.fromEntries(Object.entries(map).filter(([name]) => !ELSEWHERE.has(name))));
}

/** Shows the facts about the event, with the ids under which others know it. */
function EventFacts({ event, pid }: { event: EventDetail; pid: string }) {
  const { payload, correlation, sdk } = event;
  const message = [payload.error_class, payload.message]
    .filter((part) => typeof part === 'string')
    .join(': ');
  const ids = [
    ['Event', event.event_id],
    ['Trace', correlation.trace_id],
    ['Request', correlation.request_id],
    ['Session', correlation.session_id],
  ] as const;
  const library = sdk.name === 'unknown' ? null : `${sdk.name} ${sdk.version}`;
  return (
    <Section id="about" title="About this event">
      {message !== '' && (
        <p className={styles.message} dir="auto" translate="no">
          {visibleText(message)}
        </p>
      )}
      <p className={styles.soft} translate="no">
        <WithFacts
          text={[event.event_type, event.level, event.service, event.environment, library]
            .filter((part) => part !== null)
            .join(' · ')}
          facts={[
            [event.service ?? '', <ServiceLink key="service" pid={pid} name={event.service ?? ''} />],
            [event.environment, <EnvironmentLink key="environment" pid={pid} name={event.environment} />],
          ]}
        />
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
    </Section>
  );
}

function Block({ id, title, value }: { id: string; title: string; value: unknown }) {
  if (value === null || value === undefined) return null;
  const size = typeof value === 'object' ? Object.keys(value).length : 1;
  if (size === 0) return null;
  return (
    <FoldedSection id={id} title={title} summary={Array.isArray(value) ? `${size} entries` : undefined}>
      <JsonView value={value} show={visibleText} levels={2} />
    </FoldedSection>
  );
}
