import { type AriaAttributes, lazy, type Ref, useCallback, useId, useState } from 'react';
import { useFeature } from '../../api/server.ts';
import { LazyPart } from './lazy-part.tsx';

const QuerySuggestions = lazy(() =>
  import('./query-suggestions.tsx').then((module) => ({ default: module.QuerySuggestions })),
);

/** A line in which a query is written, with what may follow as a list below it. Its parent is the list's place. */
export function QueryInput({
  input,
  text,
  projectId,
  placeholder,
  maxLength,
  onText,
  onLeave,
  ...described
}: AriaAttributes & {
  id?: string;
  input: { current: HTMLInputElement | null } & Ref<HTMLInputElement>;
  text: string;
  projectId: string | null;
  placeholder?: string;
  maxLength: number;
  onText: (text: string) => void;
  /** After Escape, where no list was open. */
  onLeave?: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [queries, setQueries] = useState<readonly string[]>([]);
  const hasLanguage = useFeature('query_language');
  const listId = useId();
  const onFound = useCallback((found: readonly string[]) => {
    setQueries(found);
    setActive(-1);
  }, []);
  const isListed = isOpen && hasLanguage;
  const write = (next: string) => {
    onText(next);
    setOpen(true);
  };
  return (
    <>
      <input
        {...described}
        ref={input}
        type="search"
        role="combobox"
        aria-expanded={isListed && queries.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isListed && active >= 0 ? `${listId}-${active}` : undefined}
        placeholder={placeholder}
        maxLength={maxLength}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            if (isListed && queries.length > 0) {
              event.preventDefault();
              setOpen(false);
              setQueries([]);
            } else onLeave?.();
          }
          const chosen = isListed ? queries[active] : undefined;
          if (event.key === 'Enter') {
            if (chosen === undefined) setOpen(false);
            else {
              event.preventDefault();
              write(chosen);
            }
          }
          const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
          if (step !== 0 && isListed && queries.length > 0) {
            event.preventDefault();
            setActive(((active + 1 + step + queries.length + 1) % (queries.length + 1)) - 1);
          }
        }}
      />
      {isListed && (
        <LazyPart>
          <QuerySuggestions
            id={listId}
            text={text}
            projectId={projectId}
            active={active}
            onFound={onFound}
            onChoose={(query) => {
              write(query);
              input.current?.focus();
            }}
          />
        </LazyPart>
      )}
    </>
  );
}
