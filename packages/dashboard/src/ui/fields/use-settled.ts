import { useEffect, useState } from 'react';

/** A value once it has rested, so that typing does not ask the server at each key. It must compare as JSON. */
export function useSettled<T>(value: T, restMs = 300): T {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another object with the same content is no change
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), restMs);
    return () => clearTimeout(timer);
  }, [text, restMs]);
  return settled;
}
