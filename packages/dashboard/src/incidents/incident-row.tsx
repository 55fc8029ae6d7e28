import type { IncidentActivity } from '@culprit/contract/incident-activity';
import type { Incident } from '@culprit/contract/incidents';
import { Link } from '@tanstack/react-router';
import { visibleLine } from '../format/event-text.ts';
import { titleParts, trendWords } from '../format/incident-words.ts';
import { count, fullCount } from '../format/numbers.ts';
import { Time, usePresent } from '../format/time.tsx';
import { pathTo } from '../paths.ts';
import { ServiceName } from '../shell/service-name.tsx';
import { PriorityMark } from '../shell/severity.tsx';
import { isNew, isSpiking, StateMark } from '../shell/state.tsx';
import { AssigneeMark, SnoozeMark } from '../shell/triage-marks.tsx';
import { Button } from '../ui/button.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import styles from './incident-table.module.css';

/** Where most of what is looked at runs; naming it in each row would say nothing. */
const USUAL_ENVIRONMENT = 'production';

export interface RowProps {
  row: Incident;
  /** Null while it is read, and where the server cannot tell. */
  activity: IncidentActivity | null;
  hasActivity: boolean;
  hasProject: boolean;
  isActive: boolean;
  isSelected: boolean;
  onSelect: (isRange: boolean) => void;
  onFocus: () => void;
  /** Resolves it, or reopens what is resolved. */
  onChange: () => void;
}

/** The cells of one incident; the whole row leads to it. */
export function IncidentCells(props: RowProps) {
  const { row, activity, hasActivity, hasProject, isActive, isSelected, onSelect, onFocus, onChange } = props;
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
            <Place row={row} activity={activity} hasProject={hasProject} />
          </span>
          {isNew(row, now) && <span className={styles.isNew}> New</span>}
          {isSpiking(row, now) && <StateMark state="spiking" />}
          {row.status !== 'open' && <StateMark state={row.status} />}
          <SnoozeMark triage={row.triage} />
          <AssigneeMark triage={row.triage} isCompact />
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
    </>
  );
}

/** Where it broke, in what, and where that runs unless it is the usual place. */
function Place({ row, activity, hasProject }: Pick<RowProps, 'row' | 'activity' | 'hasProject'>) {
  const frame = activity?.top_frame ?? null;
  const rest = [
    row.environment === USUAL_ENVIRONMENT ? null : row.environment,
    hasProject ? row.project_name : null,
  ].filter((fact) => fact !== null);
  return (
    <>
      {frame !== null && (
        <>
          <span className={styles.frame} title={visibleLine(frame.file)}>
            {visibleLine(frame.function)} {visibleLine(shortPath(frame.file))}
            {frame.line === null ? '' : `:${frame.line}`}
          </span>
          {row.service_name === null ? '' : ' · '}
        </>
      )}
      {row.service_name !== null && <ServiceName name={row.service_name} />}
      {rest.map((fact) => ` · ${visibleLine(fact)}`).join('')}
    </>
  );
}

/** The folder and the file; what stands before them is the same in all rows. */
function shortPath(path: string): string {
  return path.split(/[\\/]/).slice(-2).join('/');
}
