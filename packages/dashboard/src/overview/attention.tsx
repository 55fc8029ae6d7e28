import checkIcon from 'virtual:icon/check';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { rowsOf } from '../api/incident-pages.ts';
import { ATTENTION_SEARCH } from '../api/list-search.ts';
import { visibleLine } from '../format/event-text.ts';
import { titleParts } from '../format/incident-words.ts';
import { plural } from '../format/numbers.ts';
import { Time, usePresent } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { PartError } from '../shell/parts/part-error.tsx';
import { ServiceName } from '../shell/parts/service-name.tsx';
import { PriorityMark } from '../shell/triage/severity.tsx';
import { isNew, isSpiking, StateMark } from '../shell/triage/state.tsx';
import { Icon } from '../ui/icon.tsx';
import { Section } from '../ui/section.tsx';
import styles from './attention.module.css';
import { ATTENTION_SHOWN, attentionQuery } from './overview-queries.ts';
import rows from './rows.module.css';

/** Naming where most of it runs would say nothing. */
const USUAL_ENVIRONMENT = 'production';

/** The first rows of the list of what needs a person, in its order. */
export function Attention({ pid }: { pid: string }) {
  const list = useInfiniteQuery(attentionQuery(pid));
  const incidents = rowsOf(list.data?.pages ?? []).slice(0, ATTENTION_SHOWN);
  return (
    <Section
      id="attention"
      title="Needs attention"
      note="Urgent or high priority"
      actions={
        <Link className={rows.all} to={pathTo('incidents', { pid })} search={ATTENTION_SEARCH}>
          Show all
        </Link>
      }
    >
      {list.isError && incidents.length === 0 && (
        <PartError error={list.error} retry={() => void list.refetch()} />
      )}
      {list.isSuccess && incidents.length === 0 && (
        <p className={styles.none}>
          <Icon path={checkIcon} /> Nothing needs attention.
        </p>
      )}
      <ul className={rows.rows}>
        {incidents.map((incident) => (
          <Row key={incident.incident_id} incident={incident} />
        ))}
      </ul>
    </Section>
  );
}

function Row({ incident }: { incident: Incident }) {
  const now = usePresent();
  const { name, rest } = titleParts(incident.title);
  return (
    <li className={styles.row}>
      <PriorityMark priority={incident.triage.priority} isCompact />
      <span className={styles.words}>
        <Link
          className={rows.name}
          to={pathTo('incident', { id: incident.incident_id })}
          title={visibleLine(incident.title)}
          dir="auto"
          translate="no"
        >
          {name === '' ? '' : `${visibleLine(name)}: `}
          <span className={styles.rest}>{visibleLine(rest)}</span>
        </Link>
        <span className={styles.facts} translate="no">
          {incident.service_name !== null && <ServiceName name={incident.service_name} />}
          {incident.environment !== USUAL_ENVIRONMENT && (
            <span>{` · ${visibleLine(incident.environment)}`}</span>
          )}
          {incident.status === 'regressed' && <StateMark state="regressed" />}
          {isNew(incident, now) && <span className={styles.isNew}> New</span>}
          {isSpiking(incident, now) && <StateMark state="spiking" />}
          {incident.is_sample && ' · Sample'}
        </span>
      </span>
      <span className={`${rows.soft} ${styles.count}`}>{plural(incident.occurrence_count, 'event')}</span>
      <span className={`${rows.soft} ${styles.seen}`}>
        <Time iso={incident.last_seen_at} form="relative" />
      </span>
    </li>
  );
}
