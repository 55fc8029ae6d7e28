import { lazy } from 'react';
import { createSignal, useSignal } from '../../ui/signal.ts';
import { LazyPart } from '../parts/lazy-part.tsx';
import { useShortcuts } from './shortcuts.tsx';

const ShortcutDialog = lazy(() =>
  import('./shortcut-dialog.tsx').then((module) => ({ default: module.ShortcutDialog })),
);

/** Null until it is first wanted, which is when it is loaded. */
const listOpen = createSignal<boolean | null>(null);

/** Lists the keys that work on the screen. */
export function showShortcuts(): void {
  listOpen.set(true);
}

/** Shows the list of shortcuts that `?` opens. */
export function ShortcutList() {
  const isOpen = useSignal(listOpen);
  useShortcuts('Help', [{ keys: '[Shift]+?', label: 'These shortcuts', run: showShortcuts }]);
  return isOpen === null ? null : (
    <LazyPart>
      <ShortcutDialog isOpen={isOpen} onClose={() => listOpen.set(false)} />
    </LazyPart>
  );
}
