import { type ReactNode, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import styles from './breadcrumb.module.css';

/** Shows the position of the screen, in the bar above it. */
export function Breadcrumb({ children }: { children: ReactNode }) {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  useEffect(() => setPlace(document.getElementById('breadcrumb')), []);
  return place === null
    ? null
    : createPortal(
        <nav aria-label="Breadcrumb" className={styles.trail}>
          {children}
        </nav>,
        place,
      );
}
