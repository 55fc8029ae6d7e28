import type { Incident } from '@culprit/contract/incidents/incidents';
import styles from './severity.module.css';
import { PRIORITY_WORDS, priorityReason } from './triage-words.ts';

type Severity = Incident['severity'];
type Priority = Incident['triage']['priority'];

export const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
};

/**
 * A ladder of weight: shape and word carry it, colour only helps (docs/contract/dashboard.md 3.4). Rows have the shape
 * alone, whose word is its tooltip.
 */
export function SeverityMark({ severity, isCompact = false }: { severity: Severity; isCompact?: boolean }) {
  const word = SEVERITY_WORDS[severity] ?? severity;
  return (
    <span
      className={[isCompact ? styles.bare : styles.mark, styles[severity]].filter(Boolean).join(' ')}
      title={word}
    >
      <Shape severity={severity} />
      <span className={isCompact ? 'visually-hidden' : ''}>{word}</span>
    </span>
  );
}

/** The same ladder for the order in which incidents need a person; the rules that decide are its tooltip. */
const PRIORITY_SHAPES: Readonly<Record<Priority['level'], Severity>> = {
  urgent: 'critical',
  high: 'high',
  normal: 'medium',
  low: 'low',
};

export function PriorityMark({ priority, isCompact = false }: { priority: Priority; isCompact?: boolean }) {
  const shape = PRIORITY_SHAPES[priority.level] ?? 'medium';
  const word = `${PRIORITY_WORDS[priority.level] ?? priority.level} priority`;
  const reason = priorityReason(priority);
  return (
    <span
      className={[isCompact ? styles.bare : styles.mark, styles[shape]].filter(Boolean).join(' ')}
      title={`${word}. ${reason}`}
    >
      <Shape severity={shape} />
      {isCompact ? <span className="visually-hidden">{`${word}. ${reason}.`} </span> : word}
    </span>
  );
}

function Shape({ severity }: { severity: Severity }) {
  return (
    <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" className={styles.shape}>
      {severity === 'critical' && (
        <path
          d="M3.5 0h5L12 3.5v5L8.5 12h-5L0 8.5v-5zM5.2 2.6v4.2h1.6V2.6zm0 5.4v1.6h1.6V8z"
          fillRule="evenodd"
        />
      )}
      {severity === 'high' && <path d="M6 .8 12 11.4H0z" />}
      {severity === 'medium' && <circle cx="6" cy="6" r="3.2" />}
      {severity === 'low' && <circle cx="6" cy="6" r="4.2" className={styles.ring} />}
    </svg>
  );
}
