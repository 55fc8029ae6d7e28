import checkIcon from 'virtual:icon/check';
import dashIcon from 'virtual:icon/dash';
import pauseIcon from 'virtual:icon/pause';
import crossIcon from 'virtual:icon/x';
import type { AvailabilityCheck } from '@culprit/contract/monitor/availability-checks';
import { Icon } from '../../ui/icon.tsx';
import styles from './check-state.module.css';

const WORDS = {
  passing: { word: 'Passing', icon: checkIcon },
  failing: { word: 'Failing', icon: crossIcon },
  paused: { word: 'Paused', icon: pauseIcon },
  unknown: { word: 'Unknown', icon: dashIcon },
} as const;

/** Shows the state of a check by shape and word. */
export function CheckState({ status }: { status: AvailabilityCheck['status'] }) {
  const { word, icon } = WORDS[status] ?? { word: status, icon: dashIcon };
  return (
    <span className={[styles.mark, styles[status]].join(' ')}>
      <Icon path={icon} size={14} />
      {word}
    </span>
  );
}
