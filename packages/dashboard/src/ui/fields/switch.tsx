import type { ButtonHTMLAttributes } from 'react';
import styles from './switch.module.css';

/** Shows a switch that applies immediately. Its words are beside it, or are its name alone. */
export function Switch({
  label,
  isOn,
  onChange,
  refusal,
  hasWords = false,
  ...rest
}: Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onChange'> & {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  /** Why it cannot be used now. */
  refusal?: string | null | undefined;
  hasWords?: boolean;
}) {
  const isOff = refusal !== null && refusal !== undefined;
  return (
    <button
      type="button"
      {...rest}
      role="switch"
      className={styles.switch}
      aria-checked={isOn}
      aria-label={label}
      aria-disabled={isOff || undefined}
      aria-description={refusal ?? undefined}
      data-tip={refusal ?? (hasWords ? undefined : label)}
      data-tip-side="end"
      onClick={() => {
        if (!isOff) onChange(!isOn);
      }}
    >
      <span className={styles.track} aria-hidden="true">
        <span className={styles.thumb} />
      </span>
      {hasWords && <span>{label}</span>}
    </button>
  );
}
