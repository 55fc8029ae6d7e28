import '../api/screen-problem-words.ts';
import { createProject, PROJECT_NAME_LENGTH_MAX } from '@culprit/contract/projects';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { projectsQuery } from '../api/projects.ts';
import { rememberProject } from '../api/session.ts';
import { bodyOf, client } from '../api/transport.ts';
import { pathTo } from '../paths.ts';
import { Breadcrumb } from '../shell/breadcrumb.tsx';
import { PageTitle, Reading } from '../shell/page.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { newProject } from './new-project.ts';
import styles from './welcome-page.module.css';

/** The first thing to do: a project that events belong to. */
export function WelcomePage() {
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: async () => {
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      const body = { name: name.trim(), weekly_report_timezone: zone };
      return (await bodyOf(client.call(createProject, { body }))).project;
    },
    onSuccess: async (project) => {
      rememberProject(project.project_id);
      newProject.set(project.project_id);
      await queryClient.invalidateQueries(projectsQuery);
      await navigate({ to: pathTo('setup', { pid: project.project_id }) });
    },
  });
  return (
    <Reading>
      <Breadcrumb>
        <span>New project</span>
      </Breadcrumb>
      <PageTitle title="New project" windowTitle="New project">
        <p>
          A project is what one team looks after: its services send their events to it, and its people see
          them.
        </p>
      </PageTitle>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!create.isPending) create.mutate();
        }}
      >
        <TextField
          label="Name"
          name="name"
          required
          pattern=".*\S.*"
          maxLength={PROJECT_NAME_LENGTH_MAX}
          autoComplete="off"
          autoFocus
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={create.isError ? problemText(create.error) : null}
        />
        <Button kind="primary" type="submit" isBusy={create.isPending}>
          Create project
        </Button>
      </form>
    </Reading>
  );
}
