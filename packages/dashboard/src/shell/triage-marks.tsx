import clockIcon from 'virtual:icon/clock';
import personIcon from 'virtual:icon/person';
import type { Incident } from '@culprit/contract/incidents';
import { visibleLine } from '../format/event-text.ts';
import { Icon } from '../ui/icon.tsx';
import styles from './state.module.css';
import { initialsOf, snoozeWords } from './triage-words.ts';

/** That it is snoozed, with until when as its tooltip. */
export function SnoozeMark({ triage: { snooze } }: Pick<Incident, 'triage'>) {
  if (snooze === null) return null;
  return (
    <span className={styles.mark} title={`Snoozed ${snoozeWords(snooze)}`}>
      <Icon path={clockIcon} size={12} />
      Snoozed
    </span>
  );
}

/** Who has it: initials in rows, whose name is the tooltip. */
export function AssigneeMark({
  triage: { assignee },
  isCompact = false,
}: Pick<Incident, 'triage'> & { isCompact?: boolean }) {
  if (assignee === null) return null;
  const name = visibleLine(assignee.name);
  return (
    <span className={styles.mark} title={`Assigned to ${name}`} translate="no">
      <Icon path={personIcon} size={12} />
      <span className="visually-hidden">Assigned to {name}</span>
      <span aria-hidden="true">{isCompact ? initialsOf(assignee.name) : name}</span>
    </span>
  );
}
