import { useEffect, useState } from 'react';
import { useShortcuts } from '../shell/shortcuts.tsx';
import styles from './contents.module.css';

const KEYS_MAX = 9;

/** The parts of the page that are there, below the bar above; the digits lead to them. */
export function Contents({ generation }: { generation: number }) {
  const [parts, setParts] = useState<readonly { id: string; title: string }[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: newer evidence may have other parts
  useEffect(() => {
    const read = () => {
      const sections = [...document.querySelectorAll<HTMLElement>('main section[id]')];
      const found = sections.map(({ id, firstElementChild }) => ({
        id,
        title: firstElementChild?.querySelector('h2')?.textContent ?? id,
      }));
      setParts((before) => (sameIds(before, found) ? before : found));
    };
    read();
    const main = document.querySelector('main');
    const observer = new MutationObserver(read);
    if (main !== null) observer.observe(main, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [generation]);
  useShortcuts(
    'Parts',
    parts.slice(0, KEYS_MAX).map(({ id, title }, index) => ({
      keys: String(index + 1),
      label: title,
      run: () => goTo(id),
    })),
  );
  return (
    <nav className={styles.contents} aria-label="Parts of this page">
      {parts.map(({ id, title }) => (
        <a key={id} href={`#${id}`}>
          {title}
        </a>
      ))}
    </nav>
  );
}

/** Shows a part, and lets the keyboard go on from there. */
function goTo(id: string): void {
  const part = document.getElementById(id);
  const heading = part?.querySelector<HTMLElement>('h2');
  if (part === null || heading === null || heading === undefined) return;
  part.scrollIntoView({ block: 'start' });
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

function sameIds(a: readonly { id: string }[], b: readonly { id: string }[]): boolean {
  return a.length === b.length && a.every(({ id }, index) => id === b[index]?.id);
}
