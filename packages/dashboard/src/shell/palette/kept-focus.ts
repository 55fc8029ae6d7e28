import { useEffect } from 'react';

/** Not the rows of a long list, which leave the page whenever they are scrolled out of view. */
const LISTS = 'ul, ol, tbody';
const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';

/**
 * Keeps the keyboard in a list whose line with the focus goes away: the next line has it then, or the one before. A line
 * may go while a dialog over it is still open, which then cannot give the focus back.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    let heir: HTMLElement | null = null;
    const remember = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.closest(LISTS) !== null) last = target;
      // Elsewhere of their own will, unless in a dialog that was opened from the line.
      else if (target instanceof Element && target.closest('dialog') === null) last = null;
    };
    const give = () => {
      if (document.activeElement === document.body && heir?.isConnected === true)
        heir.focus({ preventScroll: true });
      if (document.querySelector('dialog[open]') === null) heir = null;
    };
    const observer = new MutationObserver((changes) => {
      for (const { target, removedNodes, nextSibling, previousSibling } of changes) {
        const isGone = last !== null && [...removedNodes].some((node) => node.contains(last));
        if (!isGone || !(target instanceof Element) || !target.matches(LISTS)) continue;
        heir = controlIn(nextSibling) ?? controlIn(previousSibling);
        last = null;
        give();
      }
    });
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', remember);
    document.addEventListener('close', give, true);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', remember);
      document.removeEventListener('close', give, true);
    };
  }, []);
}

function controlIn(line: Node | null): HTMLElement | null {
  return line instanceof Element ? line.querySelector<HTMLElement>(CONTROLS) : null;
}
