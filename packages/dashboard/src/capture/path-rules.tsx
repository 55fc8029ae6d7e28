import xIcon from 'virtual:icon/x';
import { Button, IconButton } from '../ui/button.tsx';
import { TextField } from '../ui/fields/field.tsx';
import styles from './capture.module.css';
import { faultOfPathRule, type TypedPathRule } from './policy-values.ts';

const RULES_MAX = 25;
const EMPTY: TypedPathRule = { status: '404', path: '', methods: '' };

/** Shows the requests that open an incident immediately because of their status and path. No preset has any. */
export function PathRules({
  rules,
  onChange,
}: {
  rules: readonly TypedPathRule[] | null;
  onChange: (rules: TypedPathRule[] | null) => void;
}) {
  const shown = rules ?? [];
  const change = (index: number, part: Partial<TypedPathRule>) =>
    onChange(shown.map((rule, place) => (place === index ? { ...rule, ...part } : rule)));
  return (
    <fieldset className={styles.paths}>
      <legend className={styles.label}>
        {rules === null
          ? 'Paths whose failures open an incident'
          : 'Paths whose failures open an incident, changed'}
      </legend>
      {shown.map((rule, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
        <div key={index} className={styles.path}>
          <TextField
            label="Status"
            inputMode="numeric"
            value={rule.status}
            onChange={(event) => change(index, { status: event.target.value })}
          />
          <TextField
            label="Path"
            value={rule.path}
            spellCheck={false}
            onChange={(event) => change(index, { path: event.target.value })}
            error={rule.path === '' ? null : faultOfPathRule(rule)}
            hint={rule.path === '' ? 'Example: /checkout/*' : undefined}
          />
          <TextField
            label="Methods"
            value={rule.methods}
            placeholder="any"
            onChange={(event) => change(index, { methods: event.target.value })}
          />
          <IconButton
            label={`Remove path ${index + 1}`}
            icon={xIcon}
            data-tip-side="end"
            onClick={() => onChange(shown.filter((_rule, place) => place !== index))}
          />
        </div>
      ))}
      <div className={styles.foot}>
        <Button
          kind="quiet"
          refusal={shown.length >= RULES_MAX ? `At most ${RULES_MAX}` : null}
          onClick={() => onChange([...shown, EMPTY])}
        >
          Add a path
        </Button>
        {rules !== null && (
          <Button kind="quiet" onClick={() => onChange(null)}>
            Use the preset
          </Button>
        )}
      </div>
    </fieldset>
  );
}
