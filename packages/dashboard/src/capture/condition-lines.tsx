import xIcon from 'virtual:icon/x';
import { Button, IconButton } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import styles from './capture.module.css';
import {
  type Condition,
  FACT_NAMES,
  type FactName,
  factOf,
  factsBeside,
  faultOfCondition,
} from './rule-conditions.ts';

/** The conditions of a rule, all of which must hold. A fact is offered only where some event could have all of them. */
export function ConditionLines({
  conditions,
  hasFaults,
  onChange,
}: {
  conditions: readonly Condition[];
  /** True if faults are shown: only after the first attempt to save. */
  hasFaults: boolean;
  onChange: (conditions: Condition[]) => void;
}) {
  const chosen = conditions.map(({ fact }) => fact);
  const [next] = factsBeside(chosen);
  const change = (index: number, part: Partial<Condition>) =>
    onChange(conditions.map((each, place) => (place === index ? { ...each, ...part } : each)));
  return (
    <fieldset className={styles.conditions}>
      <legend className={styles.label}>Conditions (all must match)</legend>
      {conditions.map((condition, index) => (
        <div key={condition.fact} className={styles.condition}>
          <SelectField
            label={`Condition ${index + 1}`}
            value={condition.fact}
            onChange={({ target }) => {
              const fact = FACT_NAMES.find((name) => name === target.value);
              if (fact !== undefined) change(index, { fact, value: firstValue(fact) });
            }}
          >
            {[condition.fact, ...factsBeside(chosen.filter((_fact, place) => place !== index))]
              .filter((name, place, all) => all.indexOf(name) === place)
              .map((name) => (
                <option key={name} value={name}>
                  {factOf(name).label}
                </option>
              ))}
          </SelectField>
          <Value
            condition={condition}
            error={hasFaults ? faultOfCondition(condition) : null}
            onChange={(value) => change(index, { value })}
          />
          <IconButton
            label={`Remove condition ${index + 1}`}
            icon={xIcon}
            data-tip-side="end"
            onClick={() => onChange(conditions.filter((_each, place) => place !== index))}
          />
        </div>
      ))}
      <Button
        kind="quiet"
        refusal={next === undefined ? 'No other condition can be combined with these' : null}
        onClick={() => {
          if (next !== undefined) onChange([...conditions, { fact: next, value: firstValue(next) }]);
        }}
      >
        Add a condition
      </Button>
    </fieldset>
  );
}

function firstValue(fact: FactName): string {
  return Object.keys(factOf(fact).choices ?? {})[0] ?? '';
}

function Value({
  condition: { fact, value },
  error,
  onChange,
}: {
  condition: Condition;
  error: string | null;
  onChange: (value: string) => void;
}) {
  const { label, choices, hint, isList } = factOf(fact);
  if (choices !== undefined) {
    return (
      <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        {Object.entries(choices).map(([choice, word]) => (
          <option key={choice} value={choice}>
            {word}
          </option>
        ))}
      </SelectField>
    );
  }
  return (
    <TextField
      label={label}
      value={value}
      autoComplete="off"
      spellCheck={false}
      maxLength={isList === true ? 4000 : 500}
      hint={hint ?? (isList === true ? 'One or more, comma-separated' : undefined)}
      error={error}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
