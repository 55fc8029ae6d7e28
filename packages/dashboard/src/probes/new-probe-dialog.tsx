import { activateProbe } from '@culprit/contract/capture/probes';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { call, codeOf } from '../api/transport.ts';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import { Dialog } from '../ui/layers/dialog.tsx';
import { DialogForm } from '../ui/layers/dialog-form.tsx';
import { faultOfPattern, patternWords } from './label-pattern.ts';
import styles from './probes.module.css';
import { probesQuery } from './probes-query.ts';

interface Props {
  projectId: string;
  onClose: () => void;
  onMade: (token: string) => void;
}

/** The dialog that enables a probe; the token that triggers it is passed on and not stored. */
export function NewProbeDialog({ isOpen, ...form }: Props & { isOpen: boolean }) {
  return (
    <Dialog title="Enable a probe" isOpen={isOpen} onClose={form.onClose}>
      <NewProbeForm {...form} />
    </Dialog>
  );
}

const DURATIONS = [
  [300, '5 minutes'],
  [900, '15 minutes'],
  [1800, '30 minutes'],
  [3600, '1 hour'],
] as const;
const TRIGGER_DURATIONS = [...DURATIONS, [14_400, '4 hours'], [86_400, '1 day']] as const;

function NewProbeForm({ projectId, onClose, onMade }: Props) {
  const queryClient = useQueryClient();
  const [pattern, setPattern] = useState('');
  const [service, setService] = useState('');
  const [environment, setEnvironment] = useState('');
  const [seconds, setSeconds] = useState('900');
  const [triggerSeconds, setTriggerSeconds] = useState('900');
  const label = pattern.trim();
  const fault = faultOfPattern(label);
  const activate = useMutation({
    mutationFn: async () => {
      const body = {
        label_pattern: label,
        ttl_seconds: Number(seconds),
        trigger_ttl_seconds: Number(triggerSeconds),
        ...(service.trim() === '' ? {} : { service: service.trim() }),
        ...(environment.trim() === '' ? {} : { environment: environment.trim() }),
      };
      return await call(activateProbe, { params: { id: projectId }, body });
    },
    onSuccess: async ({ trigger_token: token }) => {
      onMade(token);
      await queryClient.invalidateQueries(probesQuery(projectId));
    },
  });
  return (
    <DialogForm
      verb="Enable probe"
      noValidate
      isBusy={activate.isPending}
      refusal={fault}
      onSend={() => activate.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Label"
        name="label"
        autoComplete="off"
        autoFocus
        spellCheck={false}
        maxLength={200}
        value={pattern}
        onChange={(event) => setPattern(event.target.value)}
        hint={fault === null ? `Captures ${patternWords(label)}` : 'Example: auth.login, auth.* or *'}
        error={label === '' ? null : fault}
      />
      <div className={styles.pairs}>
        <TextField
          label="Service"
          autoComplete="off"
          maxLength={200}
          value={service}
          onChange={(event) => setService(event.target.value)}
          hint="Leave empty for all"
        />
        <TextField
          label="Environment"
          autoComplete="off"
          maxLength={200}
          value={environment}
          onChange={(event) => setEnvironment(event.target.value)}
          hint="Leave empty for all"
        />
        <SelectField label="Duration" value={seconds} onChange={(event) => setSeconds(event.target.value)}>
          {optionsOf(DURATIONS)}
        </SelectField>
        <SelectField
          label="Trigger token works for"
          value={triggerSeconds}
          onChange={(event) => setTriggerSeconds(event.target.value)}
        >
          {optionsOf(TRIGGER_DURATIONS)}
        </SelectField>
      </div>
      {activate.isError && (
        <p className={styles.error} role="alert">
          {codeOf(activate.error) === 'monthly_quota_exceeded'
            ? "This month's activations are used up."
            : problemText(activate.error)}
        </p>
      )}
    </DialogForm>
  );
}

function optionsOf(durations: readonly (readonly [number, string])[]) {
  return durations.map(([seconds, words]) => (
    <option key={seconds} value={seconds}>
      {words}
    </option>
  ));
}
