import searchIcon from 'virtual:icon/search';
import { lazy, useState } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { LazyPart } from '../parts/lazy-part.tsx';
import styles from './palette-button.module.css';
import { keysInWords, useShortcuts } from './shortcuts.tsx';

const PaletteDialog = lazy(() =>
  import('./palette-dialog.tsx').then((module) => ({ default: module.PaletteDialog })),
);

/** The button of the search over everything, which is loaded when it is first wanted. */
export function Palette() {
  const [isOpen, setOpen] = useState(false);
  useShortcuts('Everywhere', [
    { keys: '$mod+k', label: 'Search or jump to…', run: () => setOpen(true), isAlwaysOn: true },
  ]);
  return (
    <>
      <button
        type="button"
        className={styles.button}
        aria-keyshortcuts="Control+K"
        onClick={() => setOpen(true)}
      >
        <Icon path={searchIcon} size={14} />
        <span className={styles.words}>Search or jump to…</span>
        <span className={styles.keys} aria-hidden="true">
          {keysInWords('$mod+k')}
        </span>
      </button>
      {isOpen && (
        <LazyPart>
          <PaletteDialog onClose={() => setOpen(false)} />
        </LazyPart>
      )}
    </>
  );
}
