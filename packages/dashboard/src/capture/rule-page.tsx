import type { CaptureRule } from '@culprit/contract/capture/capture';
import {
  createCaptureRule,
  deleteCaptureRule,
  updateCaptureRule,
} from '@culprit/contract/capture/capture-rules';
import type { Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { problemText } from '../api/problem-words.ts';
import { useFeature } from '../api/server.ts';
import { call, serverNow } from '../api/transport.ts';
import { visibleLine } from '../format/event-text.ts';
import { plural } from '../format/numbers.ts';
import { pathTo } from '../paths.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { ActionError } from '../shell/parts/action-error.tsx';
import { ChangedByOthers, fieldsChanged } from '../shell/parts/changed-by-others.tsx';
import { ConfirmButton } from '../shell/parts/confirmed-action.tsx';
import link from '../shell/parts/link.module.css';
import { LoadingPart } from '../shell/parts/loading-part.tsx';
import { refusalFor } from '../shell/parts/roles.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { useDraft } from '../shell/parts/use-draft.ts';
import { Button } from '../ui/button.tsx';
import { CheckField } from '../ui/fields/field.tsx';
import { ConfirmDialog } from '../ui/layers/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import styles from './capture.module.css';
import { readCapturePreview, useCapturePreview } from './capture-effect.tsx';
import { rulesQuery } from './capture-query.ts';
import { RuleEffect } from './rule-effect.tsx';
import { RuleFields } from './rule-fields.tsx';
import {
  faultOfMatch,
  faultOfRule,
  NEW_RULE,
  newRuleOf,
  patchOf,
  type RuleValues,
  valuesOf,
} from './rule-values.ts';

const PARENT = { to: 'capture', label: 'Event filters' } as const;

export function NewRulePage() {
  return (
    <ProjectScreen title="New event filter" parent={PARENT}>
      {(project) => <RuleEditor project={project} stored={null} />}
    </ProjectScreen>
  );
}

/** A rule, what it says, and what it would hide. */
export function RulePage() {
  const { ruleId = '' } = useParams({ strict: false });
  return (
    <ProjectScreen title="Event filter" parent={PARENT}>
      {(project) => <StoredRule key={ruleId} project={project} ruleId={ruleId} />}
    </ProjectScreen>
  );
}

function StoredRule({ project, ruleId }: { project: Project; ruleId: string }) {
  const { data, error, refetch } = useQuery(rulesQuery(project.project_id));
  if (data === undefined) return <LoadingPart error={error} retry={refetch} rows={4} />;
  const rule = data.find(({ id }) => id === ruleId);
  if (rule !== undefined) return <RuleEditor project={project} stored={rule} />;
  return (
    <Notice
      title="This rule does not exist, or you cannot see it."
      action={
        <Link className={link.link} to={pathTo('capture', { pid: project.project_id })}>
          All rules
        </Link>
      }
    />
  );
}

const FIELD_WORDS = {
  name: 'name',
  description: 'description',
  enabled: 'on or off',
  action: 'action',
  matcher: 'conditions',
  sample_rate: 'share',
  sample_event_class: 'what is kept',
  expires_at: 'end',
} as const;

/** The questions that were asked before a save, and answered. */
type Answered = 'nothing' | 'hidden' | 'all';

function RuleEditor({ project, stored }: { project: Project; stored: CaptureRule | null }) {
  const pid = project.project_id;
  const refusal = refusalFor('admin', project);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [loaded, setLoaded] = useState(stored);
  const [theirs, setTheirs] = useState<CaptureRule | null>(null);
  const [wasTried, setTried] = useState(false);
  const [hidden, setHidden] = useState(0);
  const form = useForm<RuleValues>({ defaultValues: stored === null ? NEW_RULE : valuesOf(stored) });
  const draft = useDraft(form);
  const values = form.watch();
  const fault = faultOfRule(values);
  const patch = loaded === null || fault !== null ? null : patchOf(values, loaded, serverNow());
  const isChanged = loaded === null || fault !== null || Object.keys(patch ?? {}).length > 0;
  const matchFault = faultOfMatch(values);
  // Its own name and end do not change what it matches; a fixed end keeps the question the same.
  const asked =
    matchFault === null
      ? { ...newRuleOf({ ...values, name: 'preview', lifetime: 'never' }, null, 0), enabled: true }
      : null;
  const hasPreview = useFeature('capture_preview');
  const preview = useCapturePreview(pid, asked === null || refusal !== null ? null : { rule: asked });

  function begin(rule: CaptureRule): void {
    queryClient.setQueryData(rulesQuery(pid).queryKey, (rules) =>
      rules?.map((each) => (each.id === rule.id ? rule : each)),
    );
    setLoaded(rule);
    setTheirs(null);
    setTried(false);
    form.reset(valuesOf(rule));
    draft.forget();
  }

  const save = useMutation({
    mutationFn: async ({ answered }: { answered: Answered }) => {
      // Dropped events are gone: if an incident would vanish, the person must confirm.
      if (answered === 'nothing' && asked?.action === 'drop' && hasPreview) {
        const effect = await readCapturePreview(pid, { rule: asked });
        const { length } = effect.incidents_hidden;
        if (length > 0) return { kind: 'hides', incidents: length } as const;
      }
      if (loaded === null) {
        const body = newRuleOf(values, null, serverNow());
        const { rule } = await call(createCaptureRule, { params: { id: pid }, body });
        return { kind: 'made', rule } as const;
      }
      const rules =
        answered === 'all' ? [] : await queryClient.fetchQuery({ ...rulesQuery(pid), staleTime: 0 });
      const now = rules.find(({ id }) => id === loaded.id) ?? loaded;
      if (now.updated_at !== loaded.updated_at) return { kind: 'conflict', rule: now } as const;
      const params = { id: pid, ruleId: loaded.id };
      const { rule } = await call(updateCaptureRule, { params, body: patch ?? {} });
      return { kind: 'saved', rule } as const;
    },
    onSuccess: async (answer) => {
      setHidden(answer.kind === 'hides' ? answer.incidents : 0);
      if (answer.kind === 'hides') return;
      if (answer.kind === 'conflict') {
        setTheirs(answer.rule);
        return;
      }
      begin(answer.rule);
      showToast(answer.kind === 'made' ? 'Filter created. It applies from the next event.' : 'Saved');
      if (answer.kind === 'saved') return;
      await navigate({ to: pathTo('capture', { pid }) });
      await queryClient.invalidateQueries(rulesQuery(pid));
    },
  });

  function submit(): void {
    setTried(true);
    if (fault === null && refusal === null && isChanged && !save.isPending) {
      save.mutate({ answered: 'nothing' });
    }
  }

  return (
    <form
      className={styles.editor}
      aria-label="Filter"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <fieldset className={styles.controls} disabled={refusal !== null}>
        <legend className="visually-hidden">The rule</legend>
        <RuleFields form={form} values={values} stored={loaded} hasFaults={wasTried} />
      </fieldset>
      <RuleEffect
        values={values}
        stored={loaded}
        fault={matchFault}
        preview={preview}
        isAsked={refusal === null}
      />
      {wasTried && fault !== null && (
        <p className={styles.error} role="alert">
          {fault}
        </p>
      )}
      <ActionError error={save.error} />
      <div className={styles.foot}>
        <Button
          kind="primary"
          type="submit"
          isBusy={save.isPending}
          refusal={refusal ?? (isChanged ? null : 'Nothing was changed')}
        >
          {loaded === null ? 'Create filter' : 'Save filter'}
        </Button>
        {form.formState.isDirty && loaded !== null && (
          <Button onClick={draft.discard}>Discard changes</Button>
        )}
        <CheckField {...form.register('isEnabled')} label="Enabled" disabled={refusal !== null} />
        {loaded !== null && <DeleteRule project={project} rule={loaded} onDeleted={draft.forget} />}
      </div>
      {refusal !== null && <p className={styles.soft}>{refusal}</p>}
      <ConfirmDialog
        title="Discard these events?"
        verb={loaded === null ? 'Create the rule' : 'Save the rule'}
        isOpen={hidden > 0}
        isBusy={save.isPending}
        error={save.isError ? problemText(save.error) : null}
        onConfirm={() => save.mutate({ answered: 'hidden' })}
        onClose={() => setHidden(0)}
      >
        <p>
          This filter hides {plural(hidden, 'incident')} of the last 24 hours. Discarded events cannot be
          restored. The action "keep without incident" keeps the events.
        </p>
      </ConfirmDialog>
      <ChangedByOthers
        fields={theirs === null || loaded === null ? null : fieldsChanged(loaded, theirs, FIELD_WORDS)}
        isBusy={save.isPending}
        onSave={() => save.mutate({ answered: 'all' })}
        onTakeTheirs={() => theirs !== null && begin(theirs)}
        onClose={() => setTheirs(null)}
      />
    </form>
  );
}

function DeleteRule({
  project,
  rule,
  onDeleted,
}: {
  project: Project;
  rule: CaptureRule;
  onDeleted: () => void;
}) {
  const navigate = useNavigate();
  const pid = project.project_id;
  return (
    <ConfirmButton
      label="Delete rule"
      refusal={refusalFor('admin', project)}
      title={`Delete ${visibleLine(rule.name)}?`}
      verb="Delete the rule"
      run={() => call(deleteCaptureRule, { params: { id: pid, ruleId: rule.id } })}
      done={() => `Deleted ${visibleLine(rule.name)}`}
      onDone={async () => {
        onDeleted();
        await navigate({ to: pathTo('capture', { pid }) });
      }}
      rereads={rulesQuery(pid)}
    >
      <p>Matching events open incidents again. The filter's counts are deleted.</p>
    </ConfirmButton>
  );
}
