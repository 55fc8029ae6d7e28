import { matchKeybindingPress, parseKeybinding } from 'tinykeys';

/** The longest pause before the second key of a sequence. */
const PAUSE_MAX_MS = 1000;

/**
 * Returns which of several keys and sequences are complete with a press. All are checked together, so that the second
 * key of one is never taken for a key by itself: `g r` does not also do what `r` does.
 */
export function createKeySequence<Binding extends { keys: string }>() {
  let begun: { presses: readonly KeyboardEvent[]; untilMs: number } = { presses: [], untilMs: 0 };
  return (press: KeyboardEvent, bindings: readonly Binding[], nowMs: number): Binding[] => {
    const presses = nowMs <= begun.untilMs ? [...begun.presses, press] : [press];
    const fitting = bindings.filter(({ keys }) => beginsWith(keys, presses));
    const complete = fitting.filter(({ keys }) => parseKeybinding(keys).length === presses.length);
    const isBegun = complete.length === 0 && fitting.length > 0;
    begun = isBegun ? { presses, untilMs: nowMs + PAUSE_MAX_MS } : { presses: [], untilMs: 0 };
    return complete;
  };
}

function beginsWith(keys: string, presses: readonly KeyboardEvent[]): boolean {
  const expected = parseKeybinding(keys);
  return presses.every((press, index) => {
    const key = expected[index];
    return key !== undefined && matchKeybindingPress(press, key);
  });
}
