import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { problemText } from '../api/problem-words.ts';
import { plural } from '../format/numbers.ts';
import { ActionError } from '../shell/parts/action-error.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { useDraft } from '../shell/parts/use-draft.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextAreaField } from '../ui/fields/field.tsx';
import { Actions } from '../ui/layers/dialog.tsx';
import styles from './grouping.module.css';
import { GroupingEffect } from './grouping-effect.tsx';
import { apply, type Change, preview, readAgain, takeBack } from './grouping-queries.ts';
import { problemOfRules, rulesOf, textOf } from './stack-rules.ts';

interface Values {
  rules: string;
  hours: string;
}

const SPANS = [
  [1, 'the last hour'],
  [24, 'the last 24 hours'],
  [72, 'the last 3 days'],
  [168, 'the last 7 days'],
] as const;
const HOURS_DEFAULT = '24';
/** Long enough to read what happened. */
const UNDO_MS = 10_000;

/** Rules are edited, tried on what was received, and only then applied. */
export function StackRulesForm({ project }: { project: Project }) {
  const { project_id: pid, stack_rules: rules } = project;
  const form = useForm<Values>({ defaultValues: { rules: textOf(rules), hours: HOURS_DEFAULT } });
  const { register, handleSubmit, formState, watch } = form;
  const draft = useDraft(form);
  const tried = useMutation({ mutationFn: (change: Change) => preview(pid, change) });
  const applied = useMutation({
    mutationFn: (change: Change) => apply(pid, change),
    onSuccess: async ({ regrouping_id: id, merged_incidents: merged }) => {
      draft.forget();
      tried.reset();
      showToast(
        merged === 0 ? 'Applied. No incident changed.' : `Applied. ${plural(merged, 'incident')} merged.`,
        {
          lastsMs: UNDO_MS,
          action: { label: 'Undo', onChoose: () => void undo(pid, id) },
        },
      );
      await readAgain(pid);
    },
  });
  const change = changeOf(watch());
  const isTried = tried.data !== undefined && isSame(tried.variables, change);
  const refusal = refusalFor('admin', project);
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={handleSubmit((values) => {
        applied.reset();
        tried.mutate(changeOf(values));
      })}
    >
      <TextAreaField
        {...register('rules', { validate: (text) => problemOfRules(text) ?? true })}
        label="Rules, one per line"
        hint={
          <>
            A glob of the file or the module, a space, and <code>own</code>, <code>foreign</code> or{' '}
            <code>ignore</code>, such as <code>*/shared/* foreign</code>. The first match decides.
          </>
        }
        rows={6}
        spellCheck={false}
        autoComplete="off"
        readOnly={refusal !== null}
        error={formState.errors.rules?.message}
      />
      <SelectField
        {...register('hours')}
        label="Events to regroup"
        className={styles.span}
        disabled={refusal !== null}
      >
        {SPANS.map(([hours, words]) => (
          <option key={hours} value={hours}>
            {words}
          </option>
        ))}
      </SelectField>
      <Actions>
        <Button type="submit" kind={isTried ? 'plain' : 'primary'} isBusy={tried.isPending} refusal={refusal}>
          Preview
        </Button>
        <Button
          kind={isTried ? 'primary' : 'plain'}
          isBusy={applied.isPending}
          refusal={refusal ?? (isTried ? null : 'Preview the rules first')}
          onClick={() => applied.mutate(change)}
        >
          Apply
        </Button>
        {formState.isDirty && <Button onClick={draft.discard}>Discard changes</Button>}
      </Actions>
      <ActionError error={tried.error} />
      <ActionError error={applied.error} />
      {(tried.isPending || isTried) && (
        <GroupingEffect effect={isTried ? tried.data : null} hours={change.hours} />
      )}
    </form>
  );
}

function changeOf({ rules, hours }: Values): Change {
  return { stack_rules: rulesOf(rules), hours: Number(hours) };
}

function isSame(one: Change | undefined, other: Change): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function undo(projectId: string, id: string): Promise<void> {
  try {
    await takeBack(projectId, id);
    showToast('Undone');
  } catch (error) {
    showToast(`Not undone. ${problemText(error)}`, { lastsMs: null });
  }
  await readAgain(projectId);
}
