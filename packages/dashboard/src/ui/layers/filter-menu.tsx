import chevronIcon from 'virtual:icon/chevron-down';
import { Icon } from '../icon.tsx';
import styles from './filter-menu.module.css';
import { Menu } from './menu.tsx';

/** A filter of a list: what it is cut to, or nothing. */
export function FilterMenu({
  label,
  value,
  values,
  onChoose,
}: {
  label: string;
  value: string | undefined;
  values: readonly (readonly [string, string])[];
  onChoose: (value: string | undefined) => void;
}) {
  const chosen = values.find(([each]) => each === value)?.[1] ?? value;
  return (
    <Menu
      label={chosen === undefined ? label : `${label}: ${chosen}`}
      triggerClass={chosen === undefined ? styles.filter : `${styles.filter} ${styles.isOn}`}
      trigger={
        <>
          <span className={styles.value}>{chosen ?? label}</span>
          <Icon path={chevronIcon} size={12} />
        </>
      }
      items={[
        { kind: 'action', label: 'Any', isChosen: value === undefined, onChoose: () => onChoose(undefined) },
        ...values.map(([each, words]) => ({
          kind: 'action' as const,
          label: words,
          isChosen: each === value,
          onChoose: () => onChoose(each),
        })),
      ]}
    />
  );
}
