import { useEffect, useRef } from 'react';
import { keyName } from '../../ui/button.tsx';
import { createSignal } from '../../ui/signal.ts';
import { appearance } from '../frame/appearance.ts';
import { createKeySequence } from './key-sequence.ts';

export interface Shortcut {
  /**
   * The keys in the form of the library: `j`, `Shift+J`, `g i`, `$mod+k`; `[Shift]+?` for a key that some keyboards
   * shift.
   */
  keys: string;
  label: string;
  run: () => void;
  /** A second way to what another one does; it is not listed. */
  isAlias?: boolean;
  /** Works with shortcuts disabled too, because it is no single character. */
  isAlwaysOn?: boolean;
}

const MODIFIERS = new Set(['Shift', 'Control', 'Alt', 'Meta', 'AltGraph']);
/** The elements in which each key has an action already. */
const CONTROLS: Readonly<Record<string, string>> = {
  Enter: 'a, button, summary',
  ' ': 'button, summary, input',
  ArrowDown: 'input, [role="slider"]',
  ArrowUp: 'input, [role="slider"]',
};

/** The list that `?` opens: the shortcuts of the parts that are shown. */
export const shownShortcuts = createSignal<ReadonlyMap<string, readonly Shortcut[]>>(new Map());

/** The shortcuts of each part that is shown, as it last drew them. */
const active = new Set<{ readonly current: readonly Shortcut[] }>();
const completedBy = createKeySequence<Shortcut>();

/** Makes keys do what the controls of a part do, for as long as the part is shown. */
export function useShortcuts(part: string, shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  const names = shortcuts.map(({ keys }) => keys).join('|');
  // biome-ignore lint/correctness/useExhaustiveDependencies: what they do is read when they are pressed
  useEffect(() => {
    shownShortcuts.set(new Map([...shownShortcuts.get(), [part, latest.current]]));
    if (active.size === 0) window.addEventListener('keydown', runShortcuts);
    active.add(latest);
    return () => {
      active.delete(latest);
      if (active.size === 0) window.removeEventListener('keydown', runShortcuts);
      const rest = new Map(shownShortcuts.get());
      rest.delete(part);
      shownShortcuts.set(rest);
    };
  }, [part, names]);
}

function runShortcuts(event: KeyboardEvent): void {
  if (event.isComposing || MODIFIERS.has(event.key)) return;
  const able = [...active].flatMap(({ current }) => current).filter((each) => mayRun(event, each));
  for (const shortcut of completedBy(event, able, event.timeStamp)) {
    event.preventDefault();
    shortcut.run();
  }
}

/**
 * Returns false behind a dialog. Unless the shortcut always works, also while a person types, in a menu, and for a key
 * with which the focused control acts.
 */
function mayRun(event: KeyboardEvent, { isAlwaysOn = false }: Shortcut): boolean {
  const { target, key, defaultPrevented } = event;
  if (defaultPrevented || document.querySelector('dialog[open]') !== null) return false;
  if (isAlwaysOn) return true;
  if (!appearance.get().hasShortcuts || !(target instanceof Element)) return false;
  const ownKeys = CONTROLS[key];
  if (ownKeys !== undefined && target.closest(ownKeys) !== null) return false;
  return (
    target.closest('input:not([type="checkbox"]):not([type="radio"]), textarea, select, [role="menu"]') ===
    null
  );
}

/** Returns keys in the spelling for people. */
export function keysInWords(keys: string): string {
  const isApple = /Mac|iP(?:hone|ad)/.test(navigator.userAgent);
  return keys
    .replaceAll(/\[\w+\]\+/g, '')
    .split(' ')
    .map((press) =>
      press
        .replace('$mod', isApple ? '⌘' : 'Ctrl')
        .split('+')
        .map((key) => (/^\w$/.test(key) ? key.toUpperCase() : keyName(key)))
        .join(' '),
    )
    .join(' then ');
}
