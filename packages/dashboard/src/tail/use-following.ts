import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Near enough to the end of the page to count as its end. */
const AT_END_PX = 8;

/** The reason why the list is paused; null while it follows new rows. */
type Pause = 'wanted' | 'scrolled' | 'selected' | null;

/**
 * Keeps the end of the page in view while rows are added below, until the person scrolls up, selects text in the list,
 * or pauses it. Scrolling back to the end continues.
 */
export function useFollowing(
  list: RefObject<HTMLElement | null>,
  rows: readonly unknown[],
): { isPaused: boolean; pause: () => void; goOn: () => void } {
  const [pause, setPause] = useState<Pause>(null);
  const lastY = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each row that comes moves the end
  useLayoutEffect(() => {
    if (pause !== null) return;
    window.scrollTo({ top: document.documentElement.scrollHeight });
    lastY.current = window.scrollY;
  }, [rows, pause]);
  useEffect(() => {
    const onScroll = () => {
      const { scrollY, innerHeight } = window;
      const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - AT_END_PX;
      const isUp = scrollY < lastY.current;
      lastY.current = scrollY;
      setPause((before) => {
        if (isAtEnd) return before === 'scrolled' ? null : before;
        return isUp ? (before ?? 'scrolled') : before;
      });
    };
    const onSelection = () => {
      const selection = document.getSelection();
      const isInList = selection?.anchorNode != null && list.current?.contains(selection.anchorNode) === true;
      if (isInList && selection.isCollapsed === false) setPause((before) => before ?? 'selected');
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    document.addEventListener('selectionchange', onSelection);
    return () => {
      window.removeEventListener('scroll', onScroll);
      document.removeEventListener('selectionchange', onSelection);
    };
  }, [list]);
  return {
    isPaused: pause !== null,
    pause: useCallback(() => setPause('wanted'), []),
    goOn: useCallback(() => setPause(null), []),
  };
}
