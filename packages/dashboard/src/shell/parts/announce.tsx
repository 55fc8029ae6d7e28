import { createSignal, useSignal } from '../../ui/signal.ts';

const polite = createSignal('');
const REST_MS = 500;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says the result of something to those who do not see it, once things have come to rest. */
export function announce(text: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => polite.set(text), REST_MS);
}

/** The place that screen readers listen to; what stops the whole page says so itself, in its banner. */
export function Announcements() {
  return (
    <div className="visually-hidden" aria-live="polite">
      {useSignal(polite)}
    </div>
  );
}
