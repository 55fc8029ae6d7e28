import styles from './segments.module.css';

/** Shows a choice of a few views of the same thing, which applies immediately. */
export function Segments<Value extends string>({
  label,
  choices,
  value,
  onChange,
  isSmall = false,
}: {
  label: string;
  choices: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
  /** For the head of a plot or a part. */
  isSmall?: boolean;
}) {
  return (
    <fieldset className={styles.segments} data-small={isSmall}>
      <legend className="visually-hidden">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
