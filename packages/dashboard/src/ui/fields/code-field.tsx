import type { InputHTMLAttributes, ReactNode, Ref } from 'react';
import styles from './code-field.module.css';
import { Labelled } from './field.tsx';

export const CODE_LENGTH = 6;

/** The digits of a code in what was typed, pasted or filled in, such as `123 456`. */
export function digitsOf(text: string): string {
  return text.normalize('NFKC').replaceAll(/\D/g, '').slice(0, CODE_LENGTH);
}

/**
 * A code that was mailed. It is one field, so that pasting, password managers and screen readers work; the six cells
 * are drawn behind it.
 */
export function CodeField({
  label,
  hint,
  error,
  value,
  onDigits,
  ...input
}: Omit<InputHTMLAttributes<HTMLInputElement>, 'value' | 'onChange'> & {
  label: string;
  hint?: ReactNode;
  error?: string | null;
  value: string;
  onDigits: (digits: string) => void;
  ref?: Ref<HTMLInputElement>;
}) {
  return (
    <Labelled {...{ label, hint, error, className: undefined }}>
      {(tied) => (
        <div className={styles.code}>
          <div className={styles.cells} aria-hidden="true">
            {Array.from({ length: CODE_LENGTH }, (_, index) => (
              <span
                // biome-ignore lint/suspicious/noArrayIndexKey: the cells never move
                key={index}
                data-next={index === Math.min(value.length, CODE_LENGTH - 1) || undefined}
              />
            ))}
          </div>
          {/* Without a maximum length, which would cut "123 456" before its blank is removed. */}
          <input
            {...input}
            {...tied}
            className={styles.input}
            value={value}
            inputMode="numeric"
            autoComplete="one-time-code"
            onChange={(event) => onDigits(digitsOf(event.target.value))}
          />
        </div>
      )}
    </Labelled>
  );
}
