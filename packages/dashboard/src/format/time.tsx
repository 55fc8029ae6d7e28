import { serverNow } from '../api/transport.ts';
import { copyText } from '../ui/copy.ts';
import { createSignal, useSignal } from '../ui/signal.ts';
import { absoluteTime, ago, clockTime, relativeTime, timeTitle, timeZone } from './times.ts';

const TICK_MS = 10_000;

/** The present, advanced for the whole page together. */
const present = createSignal(Date.now());
setInterval(() => present.set(serverNow()), TICK_MS);

/** The present by the server's clock, read again every ten seconds. */
export function usePresent(): number {
  return Math.max(useSignal(present), 0);
}

/** A time in the form that its place asks for; pointing at it says all of it, a click copies it. */
export function Time({
  iso,
  form = 'ago',
}: {
  iso: string;
  form?: 'ago' | 'relative' | 'absolute' | 'exact' | 'clock';
}) {
  const now = usePresent();
  useSignal(timeZone);
  const words = {
    ago: () => ago(iso, now),
    relative: () => relativeTime(iso, now),
    absolute: () => absoluteTime(iso),
    exact: () => absoluteTime(iso, { withMs: true }),
    clock: () => clockTime(iso, true),
  }[form]();
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: copying is a comfort; the title has the same for everybody
    <time
      dateTime={iso}
      title={timeTitle(iso, now)}
      onClick={(event) => {
        if (!(event.target instanceof Element) || event.target.closest('a, button') === null)
          void copyText(iso);
      }}
    >
      {words}
    </time>
  );
}
