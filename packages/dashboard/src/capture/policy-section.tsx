import { type CapturePolicyAnswer, updateCapturePolicy } from '@culprit/contract/capture/capture-policy';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { policyQuery } from '../api/capture-policy.ts';
import { call } from '../api/transport.ts';
import { ActionError } from '../shell/parts/action-error.tsx';
import { ChangedByOthers } from '../shell/parts/changed-by-others.tsx';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { useDraft } from '../shell/parts/use-draft.ts';
import { Button } from '../ui/button.tsx';
import { EffectPanel } from '../ui/effect-panel.tsx';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import styles from './capture.module.css';
import { CaptureEffect, useCapturePreview } from './capture-effect.tsx';
import { captureMatrix } from './capture-matrix.ts';
import { Matrix } from './matrix.tsx';
import { PathRules } from './path-rules.tsx';
import {
  CONTROL_NAMES,
  CONTROLS,
  faultOfStatuses,
  isSound,
  type PolicyValues,
  PRESETS,
  patchOf,
  policyOf,
  presetPolicy,
  valuesOf,
} from './policy-values.ts';

/** Accepted events: preset and changes on the left, what becomes of each event on the right. */
export function PolicySection({ project }: { project: Project }) {
  const { data, error, refetch } = useQuery(policyQuery(project.project_id));
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={8} />;
  return <PolicyForm project={project} read={data} />;
}

function PolicyForm({ project, read }: { project: Project; read: CapturePolicyAnswer }) {
  const pid = project.project_id;
  const queryClient = useQueryClient();
  const refusal = refusalFor('admin', project);
  const [saved, setSaved] = useState(read);
  const [theirs, setTheirs] = useState<CapturePolicyAnswer | null>(null);
  const form = useForm<PolicyValues>({ defaultValues: valuesOf(saved) });
  const draft = useDraft(form);
  const values = form.watch();
  const isFit = isSound(values);
  const patch = isFit ? patchOf(values, saved) : {};
  const isChanged = Object.keys(patch).length > 0;
  const after = isFit ? policyOf(values, saved) : saved.policy;
  const preview = useCapturePreview(pid, isChanged && refusal === null ? { policy: patch } : null);

  function begin(answer: CapturePolicyAnswer): void {
    queryClient.setQueryData(policyQuery(pid).queryKey, answer);
    setSaved(answer);
    setTheirs(null);
    form.reset(valuesOf(answer));
    draft.forget();
  }

  const save = useMutation({
    mutationFn: async ({ isSure }: { isSure: boolean }) => {
      const now = isSure ? saved : await queryClient.fetchQuery({ ...policyQuery(pid), staleTime: 0 });
      if (JSON.stringify(now) !== JSON.stringify(saved)) return { isConflict: true, answer: now };
      const answer = await call(updateCapturePolicy, { params: { id: pid }, body: patch });
      return { isConflict: false, answer };
    },
    onSuccess: ({ isConflict, answer }) => {
      if (isConflict) {
        setTheirs(answer);
        return;
      }
      begin(answer);
      showToast('Saved. It applies from the next event.');
    },
  });

  return (
    <form
      className={styles.policy}
      aria-label="Preset and limits"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (refusal === null && isChanged && !save.isPending) save.mutate({ isSure: false });
      }}
    >
      <fieldset className={styles.controls} disabled={refusal !== null}>
        <legend className="visually-hidden">Accepted events</legend>
        <Controls form={form} values={values} saved={saved} />
      </fieldset>
      <div className={styles.outcome}>
        <Matrix rows={captureMatrix(saved.policy, after)} isEdited={isChanged} />
      </div>
      <div className={styles.wide}>
        {isChanged && (
          <EffectPanel label="What this would change">
            <CaptureEffect preview={preview.data} error={preview.error} />
          </EffectPanel>
        )}
        <ActionError error={save.error} />
        <div className={styles.foot}>
          <Button
            kind="primary"
            type="submit"
            isBusy={save.isPending}
            refusal={
              refusal ??
              (isFit ? (isChanged ? null : 'Nothing was changed') : 'Correct the marked fields first')
            }
          >
            Save changes
          </Button>
          {form.formState.isDirty && <Button onClick={draft.discard}>Discard changes</Button>}
          {refusal !== null && <p className={styles.soft}>{refusal}</p>}
        </div>
      </div>
      <ChangedByOthers
        fields={theirs === null ? null : ['the preset']}
        isBusy={save.isPending}
        onSave={() => save.mutate({ isSure: true })}
        onTakeTheirs={() => theirs !== null && begin(theirs)}
        onClose={() => setTheirs(null)}
      />
    </form>
  );
}

function Controls({
  form,
  values,
  saved,
}: {
  form: UseFormReturn<PolicyValues>;
  values: PolicyValues;
  saved: CapturePolicyAnswer;
}) {
  const { register, setValue } = form;
  const preset = presetPolicy(values.preset, saved);
  const { statuses } = values;
  const presetStatuses = preset.immediate_client_error_statuses.join(', ');
  return (
    <>
      <fieldset className={styles.presets}>
        <legend className={styles.label}>Preset</legend>
        {PRESETS.map(([name, words]) => (
          <label key={name} className={styles.preset}>
            <input type="radio" value={name} {...register('preset')} />
            <span>
              <b>{name}</b>
              <span className={styles.soft}>{words}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div className={styles.pairs}>
        {CONTROL_NAMES.map((name) => {
          const { label, choices } = CONTROLS[name];
          const words: Readonly<Record<string, string>> = choices;
          return (
            <SelectField
              key={name}
              {...register(name)}
              label={values[name] === '' ? label : `${label}, changed`}
            >
              <option value="">{`preset: ${words[preset[name]] ?? preset[name]}`}</option>
              {Object.entries(words).map(([value, word]) => (
                <option key={value} value={value}>
                  {word}
                </option>
              ))}
            </SelectField>
          );
        })}
      </div>
      <div className={styles.own}>
        <TextField
          label={
            statuses === null ? 'Statuses that open an incident' : 'Statuses that open an incident, changed'
          }
          hint={
            presetStatuses === ''
              ? 'Enter 4xx statuses, comma-separated, in addition to the preset. 5xx always open one.'
              : `Enter 4xx statuses, comma-separated. The preset has ${presetStatuses}. 5xx always open one.`
          }
          autoComplete="off"
          value={statuses?.text ?? presetStatuses}
          onChange={(event) => setValue('statuses', { text: event.target.value }, { shouldDirty: true })}
          error={statuses === null ? null : faultOfStatuses(statuses.text)}
        />
        {statuses !== null && (
          <Button kind="quiet" onClick={() => setValue('statuses', null, { shouldDirty: true })}>
            Use the preset
          </Button>
        )}
      </div>
      <PathRules
        rules={values.pathRules}
        onChange={(rules) => setValue('pathRules', rules, { shouldDirty: true })}
      />
    </>
  );
}
