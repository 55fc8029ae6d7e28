import personIcon from 'virtual:icon/person';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { visibleLine } from '../../format/event-text.ts';
import { AssigneeLink } from '../../shell/parts/fact-links.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './incident-header.module.css';

/** Shows the assignee, as a link to all that this person or team has. */
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
      <AssigneeLink pid={pid} handle={assignee.handle}>
        {name}
      </AssigneeLink>
    </span>
  );
}
