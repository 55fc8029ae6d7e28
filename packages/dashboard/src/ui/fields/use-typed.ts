import { useEffect, useRef, useState } from 'react';

const REST_MS = 250;

/**
 * The text of a search field: what is typed is handed on once it has rested, and a value that comes from elsewhere, such
 * as the way back, takes its place.
 */
export function useTyped(
  value: string,
  onChange: (value: string) => void,
): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(value);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => latest.current(text.trim()), REST_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return [text, setText];
}
