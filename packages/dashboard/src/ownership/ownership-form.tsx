import { readOwnership } from '@culprit/contract/workspace/owner-lines';
import {
  type Ownership,
  type OwnershipPreview,
  previewOwnership,
  saveOwnership,
} from '@culprit/contract/workspace/ownership';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { problemText } from '../api/problem-words.ts';
import { call } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { plural } from '../format/numbers.ts';
import { refusalFor } from '../shell/parts/roles.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { useDraft } from '../shell/parts/use-draft.ts';
import { Button } from '../ui/button.tsx';
import { TextAreaField } from '../ui/fields/field.tsx';
import { Actions } from '../ui/layers/dialog.tsx';
import styles from './ownership-form.module.css';
import { ownershipQuery } from './ownership-query.ts';

const DAYS = 30;

/** Lines are edited, tried on the incidents of the last days, and then saved. */
export function OwnershipForm({ project, ownership }: { project: Project; ownership: Ownership }) {
  const { project_id: id } = project;
  const queryClient = useQueryClient();
  const form = useForm<{ text: string }>({ defaultValues: { text: ownership.text } });
  const { register, handleSubmit, formState, watch } = form;
  const draft = useDraft(form);
  const text = watch('text');
  const tried = useMutation({
    mutationFn: async (body: { text: string; days: number }) =>
      (await call(previewOwnership, { params: { id }, body })).preview,
  });
  const saved = useMutation({
    mutationFn: async (body: { text: string; version: number }) =>
      (await call(saveOwnership, { params: { id }, body })).ownership,
    onSuccess: (stored) => {
      draft.forget();
      showToast('Saved');
      queryClient.setQueryData(ownershipQuery(id).queryKey, stored);
    },
  });
  const refusal = refusalFor('admin', project);
  const isTried = tried.data !== undefined && tried.variables.text === text;
  const failure = saved.error ?? tried.error;
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={handleSubmit((values) => saved.mutate({ text: values.text, version: ownership.version }))}
    >
      <TextAreaField
        {...register('text', { validate: faultOf })}
        label="Matchers and owners, one line each"
        hint={
          <>
            Such as <code>/packages/api/** @backend</code> or <code>service:checkout-* ada@example.com</code>.
            Matchers: path, <code>service:</code>, <code>env:</code>, <code>route:</code>, <code>type:</code>,{' '}
            <code>tag.KEY:</code>, <code>check:</code> with the name of a check and <code>heartbeat:</code>{' '}
            with a slug, joined by <code>&amp;&amp;</code>. <code>none</code> assigns to no one.{' '}
            <code>priority=high</code> may end a line.
          </>
        }
        rows={12}
        spellCheck={false}
        autoComplete="off"
        readOnly={refusal !== null}
        error={formState.errors.text?.message ?? (failure === null ? null : problemText(failure))}
      />
      <Actions>
        <Button type="submit" kind="primary" isBusy={saved.isPending} refusal={refusal}>
          Save lines
        </Button>
        <Button
          isBusy={tried.isPending}
          onClick={handleSubmit((values) => tried.mutate({ ...values, days: DAYS }))}
        >
          Preview
        </Button>
        {formState.isDirty && <Button onClick={draft.discard}>Discard changes</Button>}
      </Actions>
      {isTried && <Effect preview={tried.data} />}
    </form>
  );
}

/** What the lines would have done. */
function Effect({ preview }: { preview: OwnershipPreview }) {
  const { incidents, owned, by_owner: owners, changed, never_matching: dead } = preview;
  return (
    <section aria-label="Preview" className={styles.effect}>
      <p>
        {plural(incidents, 'incident')} of the last {DAYS} days, {owned} with an owner
        {preview.is_complete ? '' : ' (only the newest were tried)'}.
      </p>
      {owners.length > 0 && (
        <ul>
          {owners.map(({ owner, incidents: count }) => (
            <li key={owner}>
              <span translate="no">{visibleLine(owner)}</span>: {count}
            </li>
          ))}
        </ul>
      )}
      {dead.length > 0 && <p>Lines that match no incident: {dead.join(', ')}</p>}
      {changed.length > 0 && (
        <>
          <p>Owner differs from the saved lines:</p>
          <ul>
            {changed.map(({ incident_id: id, title, from, to, line }) => (
              <li key={id} dir="auto">
                <span translate="no">{visibleLine(title)}</span>: {visibleLine(from ?? 'no one')} →{' '}
                {visibleLine(to ?? 'no one')}
                {line === null ? '' : ` (line ${line})`}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** Why a text cannot be read. */
function faultOf(text: string): string | true {
  const { fault } = readOwnership(text);
  return fault === null ? true : `Line ${fault.line}: ${fault.words}.`;
}
