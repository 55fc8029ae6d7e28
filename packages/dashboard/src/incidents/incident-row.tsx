import type { IncidentActivity } from '@culprit/contract/incidents/incident-activity';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { Link } from '@tanstack/react-router';
import type { ButtonHTMLAttributes } from 'react';
import { shortPath, visibleLine } from '../format/event-text.ts';
import { titleParts, trendWords } from '../format/incident-words.ts';
import { count, fullCount } from '../format/numbers.ts';
import { Time, usePresent } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { ServiceName } from '../shell/parts/service-name.tsx';
import { PriorityMark } from '../shell/triage/severity.tsx';
import { isNew, isSpiking, StateMark } from '../shell/triage/state.tsx';
import { SnoozeMark } from '../shell/triage/triage-marks.tsx';
import { initialsOf } from '../shell/triage/triage-words.ts';
import { Button } from '../ui/button.tsx';
import { Sparkline } from '../ui/plots/sparkline.tsx';
import styles from './incident-table.module.css';

/** The most common environment; naming it in each row would add nothing. */
const USUAL_ENVIRONMENT = 'production';

interface RowProps {
  row: Incident;
  /** Null while it is read, and if the server does not have it. */
  activity: IncidentActivity | null;
  hasActivity: boolean;
  hasProject: boolean;
  isActive: boolean;
  isSelected: boolean;
  onSelect: (isRange: boolean) => void;
  onFocus: () => void;
  /** Resolves it, or reopens what is resolved. */
  onChange: () => void;
  /** Offers the people who can have it. */
  onAssign: () => void;
  /** Cuts the list to what shares a fact of the row. */
  onFilter: (fact: RowFact) => void;
}

/** A fact of a row by which the list can be filtered. */
export type RowFact = Readonly<{ service: string } | { environment: string } | { file: string }>;

/** The cells of one incident; the whole row leads to it. */
export function IncidentCells(props: RowProps) {
  const { row, activity, hasActivity, hasProject, isActive, isSelected, onSelect, onFocus, onChange } = props;
  const { onAssign, onFilter } = props;
  const now = usePresent();
  const { name, rest } = titleParts(row.title);
  const verb = row.status === 'resolved' ? 'Reopen' : 'Resolve';
  return (
    <>
      <span role="cell" className={styles.check}>
        <input
          type="checkbox"
          checked={isSelected}
          tabIndex={isActive ? 0 : -1}
          aria-label={`Select ${visibleLine(row.title)}`}
          onClick={(event) => onSelect(event.shiftKey)}
          onChange={() => {}}
        />
      </span>
      <span role="cell" className={styles.severity}>
        <PriorityMark priority={row.triage.priority} isCompact />
      </span>
      <span role="cell" className={styles.incident}>
        <Link
          to={pathTo('incident', { id: row.incident_id })}
          className={styles.title}
          title={visibleLine(row.title)}
          dir="auto"
          translate="no"
          data-row={row.incident_id}
          tabIndex={isActive ? 0 : -1}
          onFocus={onFocus}
        >
          {name !== '' && <strong>{visibleLine(name)}: </strong>}
          {visibleLine(rest)}
        </Link>{' '}
        <span className={styles.second}>
          <span className={styles.facts} translate="no">
            {row.short_id !== null && `${row.short_id} · `}
            <Place
              row={row}
              activity={activity}
              hasProject={hasProject}
              isActive={isActive}
              onFilter={onFilter}
            />
          </span>
          {isNew(row, now) && <span className={styles.isNew}> New</span>}
          {isSpiking(row, now) && <StateMark state="spiking" />}
          {row.status !== 'open' && <StateMark state={row.status} />}
          <SnoozeMark triage={row.triage} />
          {row.is_sample && <span className={styles.sample}>Sample</span>}
        </span>
      </span>
      {hasActivity && (
        <span role="cell" className={styles.trend}>
          {activity !== null && (
            <>
              <Sparkline counts={activity.counts} />
              <span className="visually-hidden">{trendWords(activity.counts)}</span>
            </>
          )}
        </span>
      )}
      <span
        role="cell"
        className={`${styles.number} ${styles.count}`}
        title={fullCount(row.occurrence_count)}
      >
        {count(row.occurrence_count)}
      </span>
      {hasActivity && (
        <span role="cell" className={`${styles.number} ${styles.users}`}>
          {count(activity?.affected_users)}
        </span>
      )}
      <span role="cell" className={`${styles.number} ${styles.age}`}>
        <Time iso={row.first_seen_at} form="relative" />
      </span>
      <span role="cell" className={`${styles.number} ${styles.seen}`}>
        <Time iso={row.last_seen_at} form="relative" />
        <span className={styles.actions}>
          <Button tabIndex={-1} onClick={onChange} aria-label={`${verb} ${visibleLine(row.title)}`}>
            {verb}
          </Button>
        </span>
      </span>
      <span role="cell" className={styles.owner}>
        <Owner row={row} isActive={isActive} onAssign={onAssign} />
      </span>
    </>
  );
}

/** Shows the assignee by two letters; a click offers others. */
function Owner({
  row: { title, triage },
  isActive,
  onAssign,
}: Pick<RowProps, 'row' | 'isActive' | 'onAssign'>) {
  const { assignee } = triage;
  const name = assignee === null ? 'no one' : visibleLine(assignee.name);
  return (
    <button
      type="button"
      className={styles.person}
      data-assigned={assignee !== null}
      tabIndex={isActive ? 0 : -1}
      title={assignee === null ? 'No owner. Assign' : `Assigned to ${name}`}
      aria-label={`Owner of ${visibleLine(title)}: ${name}`}
      translate="no"
      onClick={onAssign}
    >
      {assignee === null ? '–' : initialsOf(assignee.name)}
    </button>
  );
}

/** Shows the file of the failure, the service, and the environment unless it is the usual one. */
function Place({
  row: { service_name: service, environment, project_name: project },
  activity,
  hasProject,
  isActive,
  onFilter,
}: Pick<RowProps, 'row' | 'activity' | 'hasProject' | 'isActive' | 'onFilter'>) {
  const frame = activity?.top_frame ?? null;
  const tabIndex = isActive ? 0 : -1;
  return (
    <>
      {frame !== null && (
        <span className={styles.code}>
          <FactButton
            className={styles.frame}
            tabIndex={tabIndex}
            title={visibleLine(frame.file)}
            onClick={() => onFilter({ file: shortPath(frame.file) })}
          >
            {visibleLine(frame.function)} {visibleLine(shortPath(frame.file))}
            {frame.line === null ? '' : `:${frame.line}`}
          </FactButton>
          {service === null ? '' : ' · '}
        </span>
      )}
      {service !== null && (
        <FactButton tabIndex={tabIndex} onClick={() => onFilter({ service })}>
          <ServiceName name={service} />
        </FactButton>
      )}
      {environment !== USUAL_ENVIRONMENT && (
        <>
          {' · '}
          <FactButton tabIndex={tabIndex} onClick={() => onFilter({ environment })}>
            {visibleLine(environment)}
          </FactButton>
        </>
      )}
      {hasProject && <span className={styles.project}>{` · ${visibleLine(project)}`}</span>}
    </>
  );
}

/** A fact that cuts the list to what shares it. */
function FactButton({ className, ...rest }: ButtonHTMLAttributes<HTMLButtonElement>) {
  return <button type="button" {...rest} className={`${styles.fact} ${className ?? ''}`} />;
}
