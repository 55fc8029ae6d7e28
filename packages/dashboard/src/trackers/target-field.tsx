import { TRACKER_FACTS } from '@culprit/contract/alerts/tracker-words';
import type { Tracker, TrackerTargets } from '@culprit/contract/alerts/trackers';
import { useMutation } from '@tanstack/react-query';
import type { UseFormReturn } from 'react-hook-form';
import { problemText } from '../api/problem-words.ts';
import { readTargets } from '../api/trackers.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import type { TrackerValues } from './tracker-values.ts';

/**
 * The field for the target of tickets and, for Jira, their type: chosen from the tracker's list, or typed if the
 * tracker lists nothing.
 */
export function TargetField({
  form,
  projectId,
  stored,
}: {
  form: UseFormReturn<TrackerValues>;
  projectId: string;
  stored: Tracker | null;
}) {
  const { register, watch, formState } = form;
  const [kind, target, token, issueType] = watch(['kind', 'target', 'token', 'issue_type']);
  const facts = TRACKER_FACTS[kind];
  const noun = facts.target.toLowerCase();
  const list = useMutation({ mutationFn: () => readTargets(projectId, askedOf(form.getValues(), stored)) });
  const types = useMutation({
    mutationFn: (chosen: string) =>
      readTargets(projectId, { ...askedOf(form.getValues(), stored), target: chosen }),
  });
  const targets = list.data?.targets ?? [];
  const chosen = register('target', {
    validate: (text) => text.trim() !== '' || `Example: ${facts.example}`,
  });
  const isReady = stored !== null || token.trim() !== '';
  return (
    <>
      {targets.length === 0 ? (
        <TextField
          {...chosen}
          label={facts.target}
          hint={`Where tickets are created, such as ${facts.example}`}
          autoComplete="off"
          spellCheck={false}
          error={formState.errors.target?.message ?? null}
        />
      ) : (
        <SelectField
          {...chosen}
          onChange={async (event) => {
            await chosen.onChange(event);
            if (kind === 'jira' && event.target.value !== '') types.mutate(event.target.value);
          }}
          label={facts.target}
          error={formState.errors.target?.message ?? null}
        >
          <option value="">choose one</option>
          {withChosen(targets, target).map((each) => (
            <option key={each.target} value={each.target}>
              {each.name}
            </option>
          ))}
        </SelectField>
      )}
      {kind !== 'generic' && (
        <p>
          <Button
            isBusy={list.isPending}
            refusal={isReady ? null : 'Enter the token first'}
            onClick={() => list.mutate()}
          >
            {targets.length === 0 ? `Choose ${noun} from a list` : 'Reload the list'}
          </Button>{' '}
          <span role="status">
            {list.isSuccess && targets.length === 0 && `The tracker lists none. Type the ${noun}.`}
            {list.isError && problemText(list.error)}
          </span>
        </p>
      )}
      {kind === 'jira' && (types.data?.issue_types ?? []).length > 0 && (
        <SelectField {...register('issue_type')} label="Issue type" hint="The type of new tickets">
          {withType(types.data?.issue_types ?? [], issueType).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      {kind === 'jira' && (types.data?.issue_types ?? []).length === 0 && (
        <TextField
          {...register('issue_type')}
          label="Issue type"
          hint="The type of new tickets"
          autoComplete="off"
        />
      )}
    </>
  );
}

/** The connection whose lists are read: the stored one, unless a new token was entered for it. */
function askedOf({ kind, base_url: typed, user, token }: TrackerValues, stored: Tracker | null) {
  if (stored !== null && token.trim() === '') return { tracker_id: stored.tracker_id };
  const url = stored?.base_url ?? typed.trim();
  return {
    ...{ kind, token: token.trim() },
    ...(url === '' ? {} : { base_url: url }),
    ...(user.trim() === '' ? {} : { user: user.trim() }),
  };
}

/** The list with what is chosen already, which may be beyond its end. */
function withChosen(targets: TrackerTargets['targets'], target: string): TrackerTargets['targets'] {
  const isThere = target === '' || targets.some((each) => each.target === target);
  return isThere ? targets : [{ target, name: target }, ...targets];
}

function withType(types: readonly string[], type: string): readonly string[] {
  return type === '' || types.includes(type) ? types : [type, ...types];
}
