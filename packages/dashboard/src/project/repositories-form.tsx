import {
  REPOSITORIES_MAX,
  REPOSITORY_FOLDER_PATTERN,
  REPOSITORY_KINDS,
  REPOSITORY_URL_LENGTH_MAX,
  type RepositoryKind,
  repositoryUrlFault,
} from '@culprit/contract/releases/repository-links';
import { type Project, updateProject } from '@culprit/contract/workspace/projects';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useFieldArray, useForm } from 'react-hook-form';
import { projectQuery } from '../api/projects.ts';
import { call } from '../api/transport.ts';
import { ActionError } from '../shell/parts/action-error.tsx';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/fields/field.tsx';
import { Actions } from '../ui/layers/dialog.tsx';
import styles from './project-settings-page.module.css';

const FOLDER = new RegExp(REPOSITORY_FOLDER_PATTERN);
const KIND_WORDS: Readonly<Record<RepositoryKind, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  bitbucket: 'Bitbucket',
  gitea: 'Gitea or Forgejo',
  azure: 'Azure DevOps',
  template: 'Other, by template',
};
const EXAMPLES: Readonly<Record<RepositoryKind, string>> = {
  github: 'https://github.com/acme/shop',
  gitlab: 'https://gitlab.com/acme/shop',
  bitbucket: 'https://bitbucket.org/acme/shop',
  gitea: 'https://codeberg.org/acme/shop',
  azure: 'https://dev.azure.com/acme/shop/_git/shop',
  template: 'https://git.example.com/shop/{commit}/{path}#L{line}',
};

interface Values {
  repositories: {
    kind: RepositoryKind;
    url: string;
    service: string;
    strip_prefix: string;
    folder: string;
  }[];
}

const NEW = { kind: 'github', url: '', service: '', strip_prefix: '', folder: '' } as const;

/** The form for the repositories of the services, to which lines of stacks link. */
export function RepositoriesForm({ project }: { project: Project }) {
  const queryClient = useQueryClient();
  const { register, control, handleSubmit, watch, formState } = useForm<Values>({
    defaultValues: {
      repositories: project.repositories.map((each) => ({
        ...each,
        service: each.service ?? '',
        strip_prefix: each.strip_prefix ?? '',
        folder: each.folder ?? '',
      })),
    },
  });
  const { fields, append, remove } = useFieldArray({ control, name: 'repositories' });
  const now = watch('repositories');
  const save = useMutation({
    mutationFn: async (values: Values) => {
      const repositories = values.repositories.map(({ kind, url, service, strip_prefix, folder }) => ({
        ...{ kind, url: url.trim() },
        service: service.trim() || null,
        strip_prefix: strip_prefix.trim() || null,
        folder: folder.trim() || null,
      }));
      const params = { id: project.project_id };
      return (await call(updateProject, { params, body: { repositories } })).project;
    },
    onSuccess: (saved) => {
      queryClient.setQueryData(projectQuery(project.project_id).queryKey, saved);
      showToast('Saved');
    },
  });
  return (
    <form
      className={styles.repositories}
      aria-label="Repositories"
      noValidate
      onSubmit={handleSubmit((values) => save.mutate(values))}
    >
      <h2>Repositories</h2>
      <p>
        Stack lines link to the code at the failing commit, here and in copies for agents. The first
        repository that matches a service is used.
      </p>
      {fields.map(({ id }, index) => {
        const kind = now[index]?.kind ?? 'github';
        const errors = formState.errors.repositories?.[index];
        return (
          <fieldset key={id} className={styles.repository}>
            <legend>Repository {index + 1}</legend>
            <SelectField {...register(`repositories.${index}.kind`)} label="Product">
              {REPOSITORY_KINDS.map((each) => (
                <option key={each} value={each}>
                  {KIND_WORDS[each]}
                </option>
              ))}
            </SelectField>
            <TextField
              {...register(`repositories.${index}.url`, {
                validate: (text, values) => {
                  const fault = repositoryUrlFault(values.repositories[index]?.kind ?? kind, text.trim());
                  return fault === null || `The address ${fault}.`;
                },
              })}
              label={kind === 'template' ? 'Address template' : 'Address'}
              hint={`Such as ${EXAMPLES[kind]}`}
              maxLength={REPOSITORY_URL_LENGTH_MAX}
              type="url"
              autoComplete="off"
              spellCheck={false}
              error={errors?.url?.message ?? null}
            />
            <TextField
              {...register(`repositories.${index}.service`)}
              label="Service"
              hint="Optional; * at the end matches anything. Leave empty for all services"
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
            />
            <TextField
              {...register(`repositories.${index}.strip_prefix`)}
              label="Folder where it runs"
              hint="Optional; removed from paths of stacks, such as /srv/app"
              maxLength={300}
              autoComplete="off"
              spellCheck={false}
            />
            <TextField
              {...register(`repositories.${index}.folder`, {
                validate: (text) =>
                  text.trim() === '' || FOLDER.test(text.trim()) || 'Example: services/checkout',
              })}
              label="Folder in the repository"
              hint="Optional; such as services/checkout"
              maxLength={300}
              autoComplete="off"
              spellCheck={false}
              error={errors?.folder?.message ?? null}
            />
            <Button kind="quiet" aria-label={`Remove repository ${index + 1}`} onClick={() => remove(index)}>
              Remove
            </Button>
          </fieldset>
        );
      })}
      <ActionError error={save.error} />
      <Actions>
        <Button
          refusal={fields.length < REPOSITORIES_MAX ? null : `At most ${REPOSITORIES_MAX}`}
          onClick={() => append(NEW)}
        >
          Add a repository
        </Button>
        {(fields.length > 0 || formState.isDirty) && (
          <Button
            kind="primary"
            type="submit"
            isBusy={save.isPending}
            refusal={formState.isDirty ? null : 'Nothing was changed'}
          >
            Save repositories
          </Button>
        )}
      </Actions>
    </form>
  );
}
