import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { createSignal, useSignal } from '../../ui/signal.ts';
import { announce } from './announce.tsx';
import styles from './toasts.module.css';

interface Toast {
  id: number;
  text: string;
  /** The action that the toast offers. */
  action: { label: string; keys?: string; onChoose: () => void } | null;
  /** The time for which it stays while no pointer is on it; null stays until it is closed. */
  lastsMs: number | null;
  onGone: () => void;
}

const NOTICE_MS = 4000;
const shown = createSignal<readonly Toast[]>([]);
let lastId = 0;

/** Says what happened, for a moment. */
export function showToast(text: string, options: Partial<Omit<Toast, 'id' | 'text'>> = {}): number {
  lastId += 1;
  const toast: Toast = { id: lastId, text, action: null, lastsMs: NOTICE_MS, onGone: () => {}, ...options };
  shown.set([...shown.get(), toast]);
  announce(spoken(text, toast.action));
  return toast.id;
}

/** Returns the text for a screen reader: text and action as sentences, the action with its keys. */
function spoken(text: string, action: Toast['action']): string {
  if (action === null) return text;
  const { label, keys } = action;
  return `${text}${/[.!?]$/.test(text) ? '' : '.'} ${keys === undefined ? label : `${label}: ${keys}`}`;
}

export function dropToast(id: number): void {
  const toast = shown.get().find((each) => each.id === id);
  if (toast === undefined) return;
  shown.set(shown.get().filter((each) => each.id !== id));
  toast.onGone();
}

/** Shows the toasts. */
export function Toasts() {
  const toasts = useSignal(shown);
  return (
    <section className={styles.place} aria-label="Recent actions">
      {toasts.map((toast) => (
        <ToastLine key={toast.id} toast={toast} />
      ))}
    </section>
  );
}

function ToastLine({ toast }: { toast: Toast }) {
  const { id, text, action, lastsMs } = toast;
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld || lastsMs === null) return;
    const timer = setTimeout(() => dropToast(id), lastsMs);
    return () => clearTimeout(timer);
  }, [isHeld, lastsMs, id]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at it only keeps it from leaving
    <div
      className={styles.toast}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <span>{text}</span>
      {action !== null && (
        <Button
          className={styles.action}
          keys={action.keys}
          onClick={() => {
            action.onChoose();
            if (lastsMs === null) dropToast(id);
          }}
        >
          {action.label}
        </Button>
      )}
    </div>
  );
}
