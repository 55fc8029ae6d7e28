import clockIcon from 'virtual:icon/clock';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { Icon } from '../../ui/icon.tsx';
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
