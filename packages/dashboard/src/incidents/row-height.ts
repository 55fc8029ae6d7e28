import { useEffect, useState } from 'react';

/** Returns the height of rows, by density and width, read from the style sheet. */
export function useRowHeight(): number {
  const [height, setHeight] = useState(readRowHeight);
  useEffect(() => {
    const read = () => setHeight(readRowHeight());
    const observer = new MutationObserver(read);
    observer.observe(document.documentElement, { attributes: true });
    window.addEventListener('resize', read);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', read);
    };
  }, []);
  return height;
}

const FALLBACK_PX = 52;

/** The same at this moment. */
export function readRowHeight(): number {
  const style = getComputedStyle(document.documentElement);
  const isNarrow = window.matchMedia('(width < 600px)').matches;
  return Number.parseInt(style.getPropertyValue(isNarrow ? '--row-narrow' : '--row'), 10) || FALLBACK_PX;
}
