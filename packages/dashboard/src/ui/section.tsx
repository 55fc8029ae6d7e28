import type { ReactNode } from 'react';
import styles from './section.module.css';

/** A part of the page with a heading that can be linked to. */
export function Section({
  id,
  title,
  note,
  actions,
  children,
}: {
  id: string;
  title: string;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section id={id} className={styles.section} aria-labelledby={`${id}-title`}>
      <div className={styles.head}>
        <h2 id={`${id}-title`} tabIndex={-1}>
          <a href={`#${id}`} className={styles.anchor}>
            {title}
          </a>
        </h2>
        {note !== undefined && <p className={styles.note}>{note}</p>}
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** Shows the sentences of a part, above its content or with its one button. */
export function SectionText({ children }: { children: ReactNode }) {
  return <div className={styles.text}>{children}</div>;
}

/** Moves the focus to the heading of a part, where what had it is gone. */
export function focusHeading(id: string): void {
  document.getElementById(`${id}-title`)?.focus();
}
