import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import styles from './button.module.css';
import { Icon } from './icon.tsx';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  /** The request it caused is under way. */
  isBusy?: boolean;
  /** The shortcut that does the same. */
  keys?: string | undefined;
  icon?: string;
  /** Why it cannot be used now; the button stays reachable, so that the reason can be read. */
  refusal?: string | null | undefined;
  children?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
}

/** A button whose words are a verb and its object. */
export function Button(props: ButtonProps) {
  const {
    kind = 'plain',
    isBusy = false,
    keys,
    icon,
    refusal,
    children,
    onClick,
    className,
    ...rest
  } = props;
  const isOff = isBusy || (refusal !== null && refusal !== undefined);
  return (
    <button
      type="button"
      {...rest}
      className={[styles.button, styles[kind], className].filter(Boolean).join(' ')}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      data-tip={refusal ?? rest['aria-description']}
      aria-description={refusal ?? rest['aria-description']}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {icon !== undefined && <Icon path={icon} />}
      {children}
      {keys !== undefined && <Keys keys={keys} />}
    </button>
  );
}

/** A button of a toolbar: an icon alone, whose name is its tooltip. */
export function IconButton({
  label,
  icon,
  keys,
  className,
  ...rest
}: Omit<ButtonProps, 'kind' | 'children'> & { label: string; icon: string }) {
  return (
    <button
      type="button"
      {...rest}
      className={[styles.iconButton, className].filter(Boolean).join(' ')}
      aria-label={label}
      aria-keyshortcuts={keys}
      data-tip={keys === undefined ? label : `${label}  ${keyName(keys)}`}
    >
      <Icon path={icon} />
    </button>
  );
}

const KEY_NAMES: Readonly<Record<string, string>> = { ',': 'comma', '.': 'dot' };

/** Returns a key as text: by its name if its sign is too small to be distinguished from others. */
export function keyName(key: string): string {
  return KEY_NAMES[key] ?? key;
}

/** Shows a shortcut beside the action that it runs. */
function Keys({ keys }: { keys: string }) {
  return (
    <span className={styles.keys} aria-hidden="true">
      {keyName(keys)}
    </span>
  );
}
