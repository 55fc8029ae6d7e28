import { type ReactNode, type Ref, useEffect, useId, useImperativeHandle, useRef, useState } from 'react';
import styles from './menu.module.css';

export type MenuItem =
  | { kind: 'action'; label: string; keys?: string; isChosen?: boolean; onChoose: () => void }
  | { kind: 'link'; label: string; href: string }
  | { kind: 'line' }
  | { kind: 'title'; label: string };

/**
 * A button that opens a list of choices: arrows move, a letter leads to the next choice that begins with it, Escape
 * closes and gives the focus back.
 */
export function Menu({
  label,
  trigger,
  items,
  side = 'start',
  placement = 'below',
  triggerClass,
  ref,
}: {
  label: string;
  trigger: ReactNode;
  items: readonly MenuItem[];
  side?: 'start' | 'end';
  placement?: 'below' | 'above';
  triggerClass?: string | undefined;
  /** Opens it by a shortcut. */
  ref?: Ref<{ open(): void }>;
}) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => ({ open: () => setOpen(true) }), []);

  useEffect(() => {
    if (!isOpen) return;
    const chosen = list.current?.querySelector<HTMLElement>('[aria-checked="true"]');
    (chosen ?? choicesOf(list.current)[0])?.focus();
    const closeOutside = (event: Event) => {
      const { target } = event;
      if (!(target instanceof Node)) return;
      if (!list.current?.contains(target) && !button.current?.contains(target)) setOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [isOpen]);

  function close(): void {
    setOpen(false);
    button.current?.focus();
  }

  function move(key: string): boolean {
    const choices = choicesOf(list.current);
    const at = choices.findIndex((choice) => choice.matches(':focus'));
    const target = targetOf(choices, at, key);
    target?.focus();
    return target !== undefined;
  }

  return (
    <div className={styles.menu}>
      <button
        ref={button}
        type="button"
        className={triggerClass ?? styles.trigger}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={label}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' && !isOpen) {
            event.preventDefault();
            setOpen(true);
          }
        }}
      >
        {trigger}
      </button>
      {isOpen && (
        <div
          ref={list}
          id={id}
          role="menu"
          aria-label={label}
          className={styles.list}
          data-side={side}
          data-placement={placement}
          tabIndex={-1}
          onKeyDown={(event) => {
            event.stopPropagation();
            if (event.key === 'Escape') close();
            else if (event.key === 'Tab') setOpen(false);
            else if (move(event.key)) event.preventDefault();
          }}
        >
          {items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: choices have no identity but their place
            <Item key={index} item={item} onDone={close} />
          ))}
        </div>
      )}
    </div>
  );
}

function Item({ item, onDone }: { item: MenuItem; onDone: () => void }) {
  switch (item.kind) {
    case 'line':
      return <hr className={styles.line} />;
    case 'title':
      return <p className={styles.title}>{item.label}</p>;
    case 'link':
      return (
        <a role="menuitem" className={styles.item} href={item.href} tabIndex={-1} onClick={onDone}>
          {item.label}
        </a>
      );
    case 'action':
      return (
        <button
          type="button"
          {...roleOf(item.isChosen)}
          className={styles.item}
          tabIndex={-1}
          onClick={() => {
            onDone();
            item.onChoose();
          }}
        >
          <span className={styles.words}>{item.label}</span>
          {item.keys !== undefined && <kbd className={styles.keys}>{item.keys}</kbd>}
        </button>
      );
  }
}

/** Returns the role of an item: a choice among others has its state, an action has none. */
function roleOf(isChosen: boolean | undefined) {
  return isChosen === undefined
    ? { role: 'menuitem' as const }
    : { role: 'menuitemradio' as const, 'aria-checked': isChosen };
}

function choicesOf(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
}

function targetOf(choices: readonly HTMLElement[], at: number, key: string): HTMLElement | undefined {
  switch (key) {
    case 'ArrowDown':
      return choices[(at + 1) % choices.length];
    case 'ArrowUp':
      return choices[(at - 1 + choices.length) % choices.length];
    case 'Home':
      return choices[0];
    case 'End':
      return choices.at(-1);
    default: {
      if (key.length !== 1 || key === ' ') return undefined;
      const rest = [...choices.slice(at + 1), ...choices.slice(0, at + 1)];
      return rest.find(({ textContent }) => textContent?.trim().toLowerCase().startsWith(key.toLowerCase()));
    }
  }
}
