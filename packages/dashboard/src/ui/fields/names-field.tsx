import { type KeyboardEvent, useId, useState } from 'react';
import styles from './names-field.module.css';

/** Names that are offered as buttons; those behind them are offered while a name is typed. */
const OFFERED_MAX = 12;

/** Several of the names that are known, and others that are typed: a button each, pressed when it is chosen. */
export function NamesField({
  label,
  hint,
  addLabel,
  known,
  names,
  max,
  problemOf,
  show,
  onChange,
}: {
  label: string;
  hint: string;
  /** The label of the field for another name. */
  addLabel: string;
  known: readonly string[];
  names: readonly string[];
  /** That may be chosen. */
  max: number;
  /** Why a typed name is not accepted; null when it is. */
  problemOf: (name: string) => string | null;
  /** A name as it may be shown. */
  show: (name: string) => string;
  onChange: (names: string[]) => void;
}) {
  const id = useId();
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const others = known.filter((name) => !names.includes(name));
  const offered = [...names, ...others.slice(0, OFFERED_MAX)];

  function choose(name: string): void {
    if (names.includes(name)) onChange(names.filter((each) => each !== name));
    else if (names.length < max) onChange([...names, name]);
    else setProblem(`At most ${max}`);
  }

  function add(): void {
    const name = text.trim();
    const found = name === '' ? null : problemOf(name);
    setProblem(found);
    if (found !== null) return;
    setText('');
    if (name !== '' && !names.includes(name)) choose(name);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || text.trim() === '') return;
    event.preventDefault();
    add();
  }

  return (
    <fieldset className={styles.field} aria-describedby={`${id}-hint`}>
      <legend className={styles.label}>{label}</legend>
      <div className={styles.names}>
        {offered.map((name) => (
          <button
            key={name}
            type="button"
            className={styles.name}
            aria-pressed={names.includes(name)}
            translate="no"
            dir="auto"
            onClick={() => choose(name)}
          >
            {show(name)}
          </button>
        ))}
        <input
          className={styles.input}
          aria-label={addLabel}
          placeholder={addLabel}
          aria-invalid={problem !== null || undefined}
          aria-describedby={problem === null ? undefined : `${id}-error`}
          list={`${id}-known`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={add}
        />
        <datalist id={`${id}-known`}>
          {others.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </div>
      <p id={`${id}-hint`} className={styles.hint}>
        {hint}
      </p>
      {problem !== null && (
        <p id={`${id}-error`} className={styles.error} role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
