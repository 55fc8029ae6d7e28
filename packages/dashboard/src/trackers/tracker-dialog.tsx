import {
  TRACKER_FACTS,
  TRACKER_KINDS,
  WONT_FIX_EFFECTS,
  type WontFixEffect,
} from '@culprit/contract/tracker-words';
import { createTracker, type Tracker, testTracker, updateTracker } from '@culprit/contract/trackers';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { problemText } from '../api/problem-words.ts';
import { trackersQuery } from '../api/trackers.ts';
import { bodyOf, client } from '../api/transport.ts';
import { showToast } from '../shell/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { Actions, Dialog } from '../ui/dialog.tsx';
import { CheckField, SelectField, TextField } from '../ui/field.tsx';
import styles from './trackers-page.module.css';

const TOKEN_HINTS: Readonly<Record<Tracker['kind'], string>> = {
  github: 'A fine-grained token that may read and write issues of the repository',
  jira: 'An API token; on your own server, a personal access token',
  gitlab: 'A project, group or personal access token with the scope api',
  linear: 'A personal API key',
};
const WONT_FIX_WORDS: Readonly<Record<WontFixEffect, string>> = {
  snooze: 'snoozes the incident for 90 days',
  resolve: 'resolves the incident',
  nothing: 'changes nothing',
};

interface Values {
  kind: Tracker['kind'];
  target: string;
  base_url: string;
  user: string;
  issue_type: string;
  token: string;
  close_on_resolve: boolean;
  reopen_on_regress: boolean;
  resolve_on_close: boolean;
  wont_fix: WontFixEffect;
}

/** Connects a tracker, or changes one; a token that is stored is never shown. */
export function TrackerDialog({
  projectId,
  stored,
  isOpen,
  onClose,
}: {
  projectId: string;
  stored: Tracker | null;
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Dialog
      title={stored === null ? 'Connect a tracker' : `Edit ${stored.name}`}
      isOpen={isOpen}
      onClose={onClose}
    >
      <TrackerForm projectId={projectId} stored={stored} onClose={onClose} />
    </Dialog>
  );
}

function TrackerForm({
  projectId,
  stored,
  onClose,
}: {
  projectId: string;
  stored: Tracker | null;
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const { register, handleSubmit, watch, formState } = useForm<Values>({ defaultValues: valuesOf(stored) });
  const kind = watch('kind');
  const facts = TRACKER_FACTS[kind];
  const save = useMutation({
    mutationFn: async (values: Values) => {
      const body = bodyFrom(values);
      if (stored !== null) {
        const params = { id: projectId, trackerId: stored.tracker_id };
        return (await bodyOf(client.call(updateTracker, { params, body }))).tracker;
      }
      const made = { ...body, kind: values.kind, target: values.target.trim(), token: values.token.trim() };
      const url = values.base_url.trim();
      const params = { id: projectId };
      const created = await bodyOf(
        client.call(createTracker, { params, body: url === '' ? made : { ...made, base_url: url } }),
      );
      return created.tracker;
    },
    onSuccess: async (tracker) => {
      onClose();
      showToast(stored === null ? 'Connected. Testing the connection…' : 'Saved');
      // A wrong token shows in the list immediately, and not with the first ticket.
      const params = { id: projectId, trackerId: tracker.tracker_id };
      await bodyOf(client.call(testTracker, { params })).catch((error: unknown) =>
        showToast(problemText(error)),
      );
      await queryClient.invalidateQueries(trackersQuery(projectId));
    },
  });
  return (
    <form
      className={styles.form}
      noValidate
      onSubmit={handleSubmit((values) => {
        if (!save.isPending) save.mutate(values);
      })}
    >
      {stored === null && (
        <SelectField {...register('kind')} label="Product">
          {TRACKER_KINDS.map((each) => (
            <option key={each} value={each}>
              {TRACKER_FACTS[each].name}
            </option>
          ))}
        </SelectField>
      )}
      {stored === null && (
        <TextField
          {...register('base_url', {
            validate: (text) =>
              facts.baseUrl !== null || text.trim() !== '' || 'Such as: https://acme.atlassian.net',
          })}
          label="Address"
          hint={
            facts.baseUrl === null
              ? 'Where Jira is reached, such as https://acme.atlassian.net'
              : `Optional; for your own server. ${facts.baseUrl} by default`
          }
          type="url"
          autoComplete="off"
          spellCheck={false}
          error={formState.errors.base_url?.message ?? null}
        />
      )}
      <TextField
        {...register('target', { validate: (text) => text.trim() !== '' || `Such as: ${facts.example}` })}
        label={facts.target}
        hint={`Where tickets are created, such as ${facts.example}`}
        autoComplete="off"
        spellCheck={false}
        error={formState.errors.target?.message ?? null}
      />
      {kind === 'jira' && (
        <>
          <TextField
            {...register('user')}
            label="E-mail address"
            hint="The account that has the API token. Leave empty on your own server"
            autoComplete="off"
          />
          <TextField
            {...register('issue_type')}
            label="Issue type"
            hint="The type of new tickets"
            autoComplete="off"
          />
        </>
      )}
      <TextField
        {...register('token', {
          validate: (text) => stored !== null || text.trim() !== '' || 'A token is needed.',
        })}
        label="Token"
        hint={stored === null ? TOKEN_HINTS[kind] : 'Leave empty to keep the stored token'}
        type="password"
        autoComplete="off"
        error={formState.errors.token?.message ?? null}
      />
      <CheckField {...register('close_on_resolve')} label="A resolved incident closes its ticket" />
      <CheckField
        {...register('reopen_on_regress')}
        label="An incident that happens again reopens its ticket"
      />
      <CheckField
        {...register('resolve_on_close')}
        label="A closed ticket resolves its incident, and a reopened one reopens it"
      />
      <SelectField {...register('wont_fix')} label="A ticket closed as not planned">
        {WONT_FIX_EFFECTS.map((effect) => (
          <option key={effect} value={effect}>
            {WONT_FIX_WORDS[effect]}
          </option>
        ))}
      </SelectField>
      {save.isError && <p role="alert">{problemText(save.error)}</p>}
      <Actions>
        <Button kind="primary" type="submit" isBusy={save.isPending}>
          {stored === null ? 'Connect tracker' : 'Save tracker'}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </Actions>
    </form>
  );
}

function valuesOf(stored: Tracker | null): Values {
  return {
    kind: stored?.kind ?? 'github',
    target: stored?.target ?? '',
    base_url: '',
    user: stored?.user ?? '',
    issue_type: stored?.issue_type ?? 'Task',
    token: '',
    close_on_resolve: stored?.close_on_resolve ?? true,
    reopen_on_regress: stored?.reopen_on_regress ?? true,
    resolve_on_close: stored?.resolve_on_close ?? true,
    wont_fix: stored?.wont_fix ?? 'snooze',
  };
}

function bodyFrom(values: Values) {
  const { kind, close_on_resolve, reopen_on_regress, resolve_on_close, wont_fix } = values;
  const [token, user, type] = [values.token.trim(), values.user.trim(), values.issue_type.trim()];
  return {
    ...{ target: values.target.trim(), close_on_resolve, reopen_on_regress, resolve_on_close, wont_fix },
    ...(token === '' ? {} : { token }),
    ...(kind === 'jira' ? { user: user === '' ? null : user, issue_type: type === '' ? null : type } : {}),
  };
}
