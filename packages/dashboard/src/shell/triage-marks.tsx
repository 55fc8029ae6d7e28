import clockIcon from 'virtual:icon/clock';
import personIcon from 'virtual:icon/person';
import type { Incident } from '@culprit/contract/incidents';
import { visibleLine } from '../format/event-text.ts';
import { Icon } from '../ui/icon.tsx';
import { AssigneeLink } from './fact-links.tsx';
import styles from './state.module.css';
import { snoozeWords } from './triage-words.ts';

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

/** Who has it, which leads to all that this person has. */
export function AssigneeMark({
  triage: { assignee },
  project_id: pid,
}: Pick<Incident, 'triage' | 'project_id'>) {
  if (assignee === null) return null;
  const name = visibleLine(assignee.name);
  return (
    <span className={styles.mark} title={`Assigned to ${name}`} translate="no">
      <Icon path={personIcon} size={12} />
      <span className="visually-hidden">Assigned to </span>
      {assignee.email === null ? (
        name
      ) : (
        <AssigneeLink pid={pid} email={assignee.email}>
          {name}
        </AssigneeLink>
      )}
    </span>
  );
}
