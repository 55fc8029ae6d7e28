import type { CaptureRule } from '@culprit/contract/capture/capture';
import type { UseFormReturn } from 'react-hook-form';
import { absoluteTime } from '../format/times.ts';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import styles from './capture.module.css';
import { ConditionLines } from './condition-lines.tsx';
import { LIFETIMES_DAYS, type RuleValues, rateOf } from './rule-values.ts';

const ACTIONS = [
  ['demote', 'Keep without incident', 'They are evidence of incidents but open none'],
  ['sample', 'Keep a share', 'Some are kept, the rest are discarded'],
  ['drop', 'Discard', 'None are kept'],
] as const;

/** The fields of a rule. */
export function RuleFields({
  form,
  values,
  stored,
  hasFaults,
}: {
  form: UseFormReturn<RuleValues>;
  values: RuleValues;
  stored: CaptureRule | null;
  hasFaults: boolean;
}) {
  const { register, setValue } = form;
  return (
    <>
      <div className={styles.pairs}>
        <TextField
          {...register('name')}
          label="Name"
          autoComplete="off"
          maxLength={120}
          error={hasFaults && values.name.trim() === '' ? 'Enter a name.' : null}
        />
        <TextField {...register('description')} label="Reason" autoComplete="off" maxLength={500} />
      </div>
      <ConditionLines
        conditions={values.conditions}
        hasFaults={hasFaults}
        onChange={(conditions) => setValue('conditions', conditions, { shouldDirty: true })}
      />
      <fieldset className={styles.presets}>
        <legend className={styles.label}>Action</legend>
        {ACTIONS.map(([action, name, words]) => (
          <label key={action} className={styles.preset}>
            <input type="radio" value={action} {...register('action')} />
            <span>
              <b>{name}</b>
              <span className={styles.soft}>{words}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div className={styles.pairs}>
        {values.action === 'sample' && (
          <>
            <TextField
              {...register('sampleRate')}
              label="Share to keep, in percent"
              inputMode="decimal"
              autoComplete="off"
              error={Number.isNaN(rateOf(values)) ? 'Enter a number from 0 to 100' : null}
            />
            <SelectField {...register('sampleEventClass')} label="Kept events">
              <option value="context">open no incident</option>
              <option value="preserve">open incidents as usual</option>
            </SelectField>
          </>
        )}
        <SelectField
          {...register('lifetime')}
          label="Expires"
          hint="A filter that is no longer needed hides later events."
        >
          {stored?.expires_at !== null && stored !== null && (
            <option value="keep">{absoluteTime(stored.expires_at)}</option>
          )}
          {LIFETIMES_DAYS.map((days) => (
            <option key={days} value={days}>
              {days === 1 ? 'in a day' : `in ${days} days`}
            </option>
          ))}
          <option value="never">never</option>
        </SelectField>
      </div>
    </>
  );
}
