import { type RefObject, useEffect, useRef, useState } from 'react';

/** The distance from the window at which an element counts as seen, so that it is read before it comes into view. */
const MARGIN = '200px';

/** Returns a ref, and true once its element has come into view; a long list reads its rows one by one with it. */
export function useSeen<E extends Element>(): [RefObject<E | null>, boolean] {
  const element = useRef<E>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (isSeen || element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
      },
      { rootMargin: MARGIN },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isSeen]);
  return [element, isSeen];
}
