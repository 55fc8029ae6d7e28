import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { FieldValues, Path, UseFormReturn } from 'react-hook-form';

const PREFIX = 'culprit.draft.';

/**
 * Keeps what was typed into an editor and not saved, for this tab: a reload or a new sign-in brings it back. Leaving the
 * page asks first. Fields named in `secrets` are never written anywhere.
 */
export function useDraft<Values extends FieldValues>(
  form: UseFormReturn<Values>,
  secrets: readonly Path<Values>[] = [],
): { forget: () => void; discard: () => void } {
  const key = `${PREFIX}${location.pathname}`;
  const { isDirty } = form.formState;
  /** True after the draft was saved or discarded: then the values on the page cannot be lost. */
  const isForgotten = useRef(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the editor opens
  useEffect(() => {
    const stored = sessionStorage.getItem(key);
    if (stored === null) return;
    const now = form.getValues();
    const kept = Object.entries(parseObject(stored)).filter(
      ([name, value]) => Object.hasOwn(now, name) && typeof value === typeof now[name],
    );
    form.reset({ ...now, ...Object.fromEntries(kept) }, { keepDefaultValues: true });
  }, []);

  useEffect(() => {
    const { unsubscribe } = form.watch((values) => {
      isForgotten.current = false;
      const kept = Object.entries(values).filter(([name]) => !secrets.some((secret) => secret === name));
      sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(kept)));
    });
    return unsubscribe;
  }, [form, key, secrets]);

  useBlocker({
    shouldBlockFn: () =>
      isDirty &&
      !isForgotten.current &&
      !window.confirm('Leave without saving? What you typed is kept in this tab.'),
    enableBeforeUnload: false,
    disabled: !isDirty,
  });

  const forget = () => {
    isForgotten.current = true;
    sessionStorage.removeItem(key);
  };
  return {
    forget,
    discard() {
      form.reset();
      forget();
    },
  };
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
