import type { ReactNode } from 'react';
import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

/** Code that is shown in full and can be copied; it scrolls inside its own block. */
export function CodeBlock({
  code,
  label,
  copyLabel,
  isWrapped = false,
  children,
}: {
  code: string;
  /** The description of the code for people who do not see it. */
  label: string;
  copyLabel?: string;
  /** Long lines break instead of scrolling, for what is one line by nature. */
  isWrapped?: boolean;
  /** The content that is shown in place of the bare code. */
  children?: ReactNode;
}) {
  return (
    <div className={styles.block}>
      <pre
        className={styles.code}
        data-wrapped={isWrapped}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={label}
        role="region"
        dir="ltr"
        translate="no"
      >
        {children ?? code}
      </pre>
      <div className={styles.copy}>
        <CopyButton text={code} label={copyLabel ?? `Copy ${label}`} isIcon />
      </div>
    </div>
  );
}
