import {
  type AriaAttributes,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import styles from './field.module.css';
import { Select, type SelectProps } from './select.tsx';

interface Described {
  label: string;
  hint?: ReactNode;
  /** The reason why the value is not accepted. */
  error?: string | null | undefined;
}

type TextFieldProps = Described & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> };

/** A line of text. */
export function TextField({ label, hint, error, className, ...input }: TextFieldProps) {
  return (
    <Labelled {...{ label, hint, error, className }}>
      {(tied) => <input {...input} {...tied} className={styles.input} />}
    </Labelled>
  );
}

type SelectFieldProps = Described & Omit<SelectProps, 'isSmall'>;

/** A choice of one among few. */
export function SelectField({ label, hint, error, className, children, ...select }: SelectFieldProps) {
  return (
    <Labelled {...{ label, hint, error, className }}>
      {(tied) => (
        <Select {...select} {...tied}>
          {children}
        </Select>
      )}
    </Labelled>
  );
}

type TextAreaFieldProps = Described &
  TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> };

/** Lines of code, such as rules. */
export function TextAreaField({ label, hint, error, className, ...area }: TextAreaFieldProps) {
  return (
    <Labelled {...{ label, hint, error, className }}>
      {(tied) => <textarea {...area} {...tied} className={styles.area} />}
    </Labelled>
  );
}

/** A label above what is filled in, and hint and error tied to it. */
export function Labelled({
  label,
  hint,
  error,
  className,
  children,
}: Described & {
  className: string | undefined;
  children: (tied: { id: string } & AriaAttributes) => ReactNode;
}) {
  const id = useId();
  return (
    <div className={[styles.field, className].filter(Boolean).join(' ')}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': describedBy(id, hint, error),
      })}
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

/** A box that is ticked or not, with its words beside it. */
export function CheckField({
  label,
  hint,
  error,
  className,
  ...input
}: Described & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> }) {
  const id = useId();
  return (
    <div className={[styles.checkField, className].filter(Boolean).join(' ')}>
      <input {...input} id={id} type="checkbox" aria-describedby={describedBy(id, hint, error)} />
      <label htmlFor={id}>{label}</label>
      <Notes id={id} hint={hint} error={error} />
    </div>
  );
}

function Notes({ id, hint, error }: { id: string; hint: ReactNode; error: string | null | undefined }) {
  return (
    <>
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className={styles.error} role="alert">
          {error}
        </p>
      )}
    </>
  );
}

function describedBy(id: string, hint: ReactNode, error: string | null | undefined): string | undefined {
  const ids = [hint !== undefined && `${id}-hint`, error && `${id}-error`];
  return ids.filter(Boolean).join(' ') || undefined;
}
