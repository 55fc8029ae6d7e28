import {
  ENVIRONMENT_DEFAULT_LENGTH_MAX,
  PROJECT_NAME_LENGTH_MAX,
  type Project,
  RESOLVES_AFTER_DAYS_MAX,
  SLUG_LENGTH_MAX,
  updateProject,
} from '@culprit/contract/workspace/projects';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { problemText } from '../api/problem-words.ts';
import { projectQuery, projectsQuery } from '../api/projects.ts';
import { call, codeOf } from '../api/transport.ts';
import { ProjectScreen } from '../shell/frame/project-screen.tsx';
import { ActionError } from '../shell/parts/action-error.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { useDraft } from '../shell/parts/use-draft.ts';
import { Button } from '../ui/button.tsx';
import { CheckField, TextField } from '../ui/fields/field.tsx';
import { Actions } from '../ui/layers/dialog.tsx';
import { DefaultDsn } from './default-dsn.tsx';
import { DeleteProject } from './delete-project.tsx';
import styles from './project-settings-page.module.css';
import { RepositoriesForm } from './repositories-form.tsx';

/** The screen of the project's name and further settings. */
export function ProjectSettingsPage() {
  return (
    <ProjectScreen title="Project settings">
      {(project) => (
        <>
          <ProjectForm key={project.updated_at} project={project} />
          <RepositoriesForm key={JSON.stringify(project.repositories)} project={project} />
          <DefaultDsn project={project} />
          <DeleteProject project={project} />
        </>
      )}
    </ProjectScreen>
  );
}

interface Values {
  name: string;
  slug: string;
  incident_key: string;
  environment_default: string;
  /** Empty for never. */
  resolves_after_days: string;
  heartbeats_from_clients: boolean;
}

function ProjectForm({ project }: { project: Project }) {
  const { name, slug, incident_key, environment_default } = project;
  const resolves_after_days = String(project.resolves_after_days ?? '');
  const queryClient = useQueryClient();
  const form = useForm<Values>({
    defaultValues: {
      ...{ name, slug, incident_key, environment_default, resolves_after_days },
      heartbeats_from_clients: project.heartbeats_from_clients,
    },
  });
  const { register, handleSubmit, formState } = form;
  const draft = useDraft(form);
  const save = useMutation({
    mutationFn: async (values: Values) => {
      const { dirtyFields } = formState;
      // Only the changed fields, so that another person's changes stay.
      const body = {
        ...(dirtyFields.name === true ? { name: values.name.trim() } : {}),
        ...(dirtyFields.slug === true ? { slug: values.slug } : {}),
        ...(dirtyFields.incident_key === true
          ? { incident_key: values.incident_key.trim().toUpperCase() }
          : {}),
        ...(dirtyFields.environment_default === true
          ? { environment_default: values.environment_default.trim() }
          : {}),
        ...(dirtyFields.resolves_after_days === true
          ? { resolves_after_days: Number(values.resolves_after_days) || null }
          : {}),
        ...(dirtyFields.heartbeats_from_clients === true
          ? { heartbeats_from_clients: values.heartbeats_from_clients }
          : {}),
      };
      return (await call(updateProject, { params: { id: project.project_id }, body })).project;
    },
    onSuccess: async (saved) => {
      draft.forget();
      queryClient.setQueryData(projectQuery(project.project_id).queryKey, saved);
      showToast('Saved');
      await queryClient.invalidateQueries(projectsQuery);
    },
  });
  const isSlugTaken = codeOf(save.error) === 'project_slug_taken';
  const isKeyTaken = codeOf(save.error) === 'incident_key_taken';
  return (
    <form className={styles.form} onSubmit={handleSubmit((values) => save.mutate(values))} noValidate>
      <TextField
        {...register('name', { required: true, pattern: /\S/ })}
        label="Name"
        maxLength={PROJECT_NAME_LENGTH_MAX}
        error={formState.errors.name === undefined ? null : 'A project needs a name.'}
      />
      <TextField
        {...register('slug', { required: true, pattern: /^[a-z0-9]+(?:-[a-z0-9]+)*$/ })}
        label="Short name"
        hint="Used in evidence and reports: letters, digits and hyphens"
        maxLength={SLUG_LENGTH_MAX}
        error={
          isSlugTaken
            ? problemText(save.error)
            : formState.errors.slug === undefined
              ? null
              : 'Use lower-case letters and digits, with single hyphens between them.'
        }
      />
      <TextField
        {...register('incident_key', { required: true, pattern: /^\s*[A-Za-z][A-Za-z0-9]{1,9}\s*$/ })}
        label="Incident key"
        hint={`Incident numbers begin with it: ${incident_key}-42. Numbers with an earlier key still work`}
        maxLength={10}
        error={
          isKeyTaken
            ? problemText(save.error)
            : formState.errors.incident_key === undefined
              ? null
              : 'Use 2 to 10 letters and digits, beginning with a letter.'
        }
      />
      <TextField
        {...register('environment_default', { required: true, pattern: /\S/ })}
        label="Default environment"
        hint="Used for events without one"
        maxLength={ENVIRONMENT_DEFAULT_LENGTH_MAX}
        error={formState.errors.environment_default === undefined ? null : 'Example: production'}
      />
      <TextField
        {...register('resolves_after_days', {
          validate: (text) => /^\s*\d*\s*$/.test(text) && Number(text) <= RESOLVES_AFTER_DAYS_MAX,
        })}
        label="Resolve after days without events"
        hint="A later event reopens the incident. Leave empty to resolve incidents only by hand"
        inputMode="numeric"
        error={
          formState.errors.resolves_after_days === undefined
            ? null
            : `Enter a number from 1 to ${RESOLVES_AFTER_DAYS_MAX}, or leave it empty.`
        }
      />
      <CheckField
        {...register('heartbeats_from_clients')}
        label="Check-ins create and change heartbeats"
        hint="Otherwise only members do, and check-ins of unknown heartbeats are rejected"
      />
      {!isSlugTaken && !isKeyTaken && <ActionError error={save.error} />}
      <Actions>
        <Button
          kind="primary"
          type="submit"
          isBusy={save.isPending}
          refusal={formState.isDirty ? null : 'Nothing was changed'}
        >
          Save project
        </Button>
        {formState.isDirty && <Button onClick={draft.discard}>Discard changes</Button>}
      </Actions>
    </form>
  );
}
