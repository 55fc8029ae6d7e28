import { TRACKER_FACTS, TRACKER_KINDS } from '@culprit/contract/alerts/tracker-words';
import { createTracker, type Tracker, testTracker, updateTracker } from '@culprit/contract/alerts/trackers';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { problemText } from '../api/problem-words.ts';
import { trackersQuery } from '../api/trackers.ts';
import { call } from '../api/transport.ts';
import { ActionError } from '../shell/parts/action-error.tsx';
import { AssigneeField, WontFixField } from '../shell/parts/sync-fields.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { CheckField, SelectField, TextAreaField, TextField } from '../ui/fields/field.tsx';
import { Actions, Dialog } from '../ui/layers/dialog.tsx';
import { TargetField } from './target-field.tsx';
import { bodyFrom, readFields, type TrackerValues, valuesOf } from './tracker-values.ts';
import styles from './trackers-page.module.css';

const TOKEN_HINTS: Readonly<Record<Tracker['kind'], string>> = {
  github:
    'A fine-grained token that can read and write the issues of the repository, and its webhooks if Culprit creates one. Or the private key of a GitHub App',
  jira: 'An API token; on your own server, a personal access token',
  gitlab: 'A project, group or personal access token with the scope api',
  linear: 'A personal API key',
  generic: '',
};
/** Connects a tracker, or changes one; a token that is stored is never shown. */
export function TrackerDialog({
  projectId,
  stored,
  isOpen,
  onClose,
  onSecret,
}: {
  projectId: string;
  stored: Tracker | null;
  isOpen: boolean;
  onClose: () => void;
  /** With the new secret of a custom tracker, which is shown once. */
  onSecret: (secret: string) => void;
}) {
  return (
    <Dialog
      title={stored === null ? 'Connect a tracker' : `Edit ${stored.name}`}
      isOpen={isOpen}
      onClose={onClose}
    >
      <TrackerForm projectId={projectId} stored={stored} onClose={onClose} onSecret={onSecret} />
    </Dialog>
  );
}

function TrackerForm({
  projectId,
  stored,
  onClose,
  onSecret,
}: {
  projectId: string;
  stored: Tracker | null;
  onClose: () => void;
  onSecret: (secret: string) => void;
}) {
  const queryClient = useQueryClient();
  const form = useForm<TrackerValues>({ defaultValues: valuesOf(stored) });
  const { register, handleSubmit, watch, formState } = form;
  const kind = watch('kind');
  const facts = TRACKER_FACTS[kind];
  const save = useMutation({
    mutationFn: async (values: TrackerValues) => {
      const body = bodyFrom(values);
      if (stored !== null) {
        const params = { id: projectId, trackerId: stored.tracker_id };
        return (await call(updateTracker, { params, body })).tracker;
      }
      const made = { ...body, kind: values.kind, target: values.target.trim() };
      const url = values.base_url.trim();
      const params = { id: projectId };
      const created = await call(createTracker, {
        params,
        body: url === '' ? made : { ...made, base_url: url },
      });
      if (created.secret !== undefined) onSecret(created.secret);
      return created.tracker;
    },
    onSuccess: async (tracker) => {
      onClose();
      // Its service has no secret to check yet.
      const isUntested = stored === null && tracker.kind === 'generic';
      showToast(isUntested ? 'Connected' : stored === null ? 'Connected. Testing the connection…' : 'Saved');
      if (isUntested) return await queryClient.invalidateQueries(trackersQuery(projectId));
      // The test shows a wrong token in the list immediately, and not only with the first ticket.
      const params = { id: projectId, trackerId: tracker.tracker_id };
      await call(testTracker, { params }).catch((error: unknown) => showToast(problemText(error)));
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
              facts.baseUrl !== null ||
              text.trim() !== '' ||
              `Enter an address, such as ${exampleAddress(kind)}`,
          })}
          label="Address"
          hint={
            facts.baseUrl === null
              ? `${kind === 'generic' ? 'Address that receives the requests' : 'Address of your Jira site'}, such as ${exampleAddress(kind)}`
              : `Optional; for your own server. ${facts.baseUrl} by default`
          }
          type="url"
          autoComplete="off"
          spellCheck={false}
          error={formState.errors.base_url?.message ?? null}
        />
      )}
      {kind === 'github' && (
        <TextField
          {...register('user')}
          label="App ID"
          hint="Only for a GitHub App, with its private key as the token. Tokens of its installation, which expire after an hour, are created from it"
          autoComplete="off"
        />
      )}
      {kind === 'jira' && (
        <TextField
          {...register('user')}
          label="E-mail address"
          hint="The account that has the API token. Leave empty on your own server"
          autoComplete="off"
        />
      )}
      {kind === 'generic' ? (
        stored === null && <p>The shared secret is shown once, after the tracker is connected.</p>
      ) : (
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
      )}
      <TargetField key={kind} form={form} projectId={projectId} stored={stored} />
      {kind === 'jira' && (
        <TextAreaField
          {...register('extra_fields', {
            validate: (text) => readFields(text) !== null || 'Each line must have the form id: value.',
          })}
          label="Required fields"
          hint='Optional; one per line, such as customfield_10042: {"value":"Web"}. Enter the fields that Jira requires in new tickets'
          rows={3}
          spellCheck={false}
          error={formState.errors.extra_fields?.message ?? null}
        />
      )}
      <CheckField {...register('close_on_resolve')} label="Close the ticket when its incident is resolved" />
      <CheckField
        {...register('reopen_on_regress')}
        label="Reopen the ticket when its incident happens again"
      />
      <CheckField
        {...register('resolve_on_close')}
        label="Resolve the incident when its ticket is closed, and reopen it when the ticket is reopened"
      />
      <WontFixField {...register('wont_fix')} />
      <AssigneeField
        {...register('sync_assignee')}
        hint="People are found by e-mail address, handle or name"
      />
      <CheckField
        {...register('sync_notes')}
        label={
          kind === 'generic'
            ? 'Add new notes as comments to the ticket'
            : 'Add new notes as comments to the ticket, and its comments as notes'
        }
      />
      <ActionError error={save.error} />
      <Actions>
        <Button kind="primary" type="submit" isBusy={save.isPending}>
          {stored === null ? 'Connect tracker' : 'Save tracker'}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </Actions>
    </form>
  );
}

function exampleAddress(kind: Tracker['kind']): string {
  return kind === 'generic' ? 'https://tickets.example.com/culprit' : 'https://acme.atlassian.net';
}
