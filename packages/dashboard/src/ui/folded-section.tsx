import { type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './folded-section.module.css';

/**
 * Shows a part of the page that is one line until it is unfolded. Its content can be found by the browser's search, is
 * printed, and shows when the address names the part.
 */
export function FoldedSection({
  id,
  title,
  summary,
  actions,
  children,
}: {
  id: string;
  title: string;
  /** The content of the part, in a line. */
  summary?: ReactNode;
  /** Controls that show with the content. */
  actions?: ReactNode;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(() => isAddressed(id));
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = content.current;
    const open = () => setOpen(true);
    const openAddressed = () => isAddressed(id) && setOpen(true);
    element?.addEventListener('beforematch', open);
    window.addEventListener('hashchange', openAddressed);
    return () => {
      element?.removeEventListener('beforematch', open);
      window.removeEventListener('hashchange', openAddressed);
    };
  }, [id]);
  // React knows no such value of this attribute.
  useEffect(() => {
    if (isOpen) content.current?.removeAttribute('hidden');
    else content.current?.setAttribute('hidden', 'until-found');
  }, [isOpen]);
  return (
    <section id={id} className={styles.section} aria-labelledby={`${id}-title`}>
      <div className={styles.head}>
        <h2 id={`${id}-title`} tabIndex={-1} className={styles.title}>
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={`${id}-content`}
            onClick={() => setOpen(!isOpen)}
          >
            {title}
          </button>
        </h2>
        {summary !== undefined && <p className={styles.summary}>{summary}</p>}
        {isOpen && actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
      <div ref={content} id={`${id}-content`} className={styles.content} hidden>
        {/* Hidden content keeps the space around it, so that the space is inside. */}
        <div className={styles.inner}>{children}</div>
      </div>
    </section>
  );
}

function isAddressed(id: string): boolean {
  return location.hash === `#${id}`;
}
