import { useEffect, useState } from 'react';
import { useShortcuts } from '../shell/palette/shortcuts.tsx';

const KEYS_MAX = 9;

/** The digits lead to the parts of the page that are there. */
export function usePartKeys(): void {
  const [parts, setParts] = useState<readonly { id: string; title: string }[]>([]);
  useEffect(() => {
    const read = () => {
      const sections = [...document.querySelectorAll<HTMLElement>('main section[id]')];
      const found = sections.map((section) => ({
        id: section.id,
        title: section.querySelector('h2')?.textContent ?? section.id,
      }));
      setParts((before) => (sameIds(before, found) ? before : found));
    };
    read();
    const main = document.querySelector('main');
    const observer = new MutationObserver(read);
    if (main !== null) observer.observe(main, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  useShortcuts(
    'Parts',
    parts.slice(0, KEYS_MAX).map(({ id, title }, index) => ({
      keys: String(index + 1),
      label: title,
      run: () => goTo(id),
    })),
  );
}

/** Shows a part, unfolded, and moves the focus there. */
function goTo(id: string): void {
  const part = document.getElementById(id);
  const heading = part?.querySelector<HTMLElement>('h2');
  if (part === null || heading === null || heading === undefined) return;
  heading.querySelector<HTMLElement>('[aria-expanded="false"]')?.click();
  part.scrollIntoView({ block: 'start' });
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

function sameIds(a: readonly { id: string }[], b: readonly { id: string }[]): boolean {
  return a.length === b.length && a.every(({ id }, index) => id === b[index]?.id);
}
