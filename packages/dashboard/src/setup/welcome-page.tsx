import '../api/screen-problem-words.ts';
import { createProject, PROJECT_NAME_LENGTH_MAX } from '@culprit/contract/workspace/projects';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { projectsQuery } from '../api/projects.ts';
import { serverQuery } from '../api/server.ts';
import { rememberProject, sessionQuery } from '../api/session.ts';
import { call } from '../api/transport.ts';
import { pathTo } from '../paths.ts';
import { Breadcrumb } from '../shell/frame/breadcrumb.tsx';
import { PageTitle, Reading } from '../shell/frame/page.tsx';
import { Button } from '../ui/button.tsx';
import { CheckField, TextField } from '../ui/fields/field.tsx';
import { newProject } from './new-project.ts';
import styles from './welcome-page.module.css';

/** The first thing to do: a project that events belong to. */
export function WelcomePage() {
  const [name, setName] = useState('');
  const [isTold, setTold] = useState(true);
  const { data: session } = useQuery(sessionQuery);
  const { data: server } = useQuery(serverQuery);
  const address = server === undefined || server.auth.email === 'off' ? null : (session?.email ?? null);
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: async () => {
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      const body = { name: name.trim(), weekly_report_timezone: zone, first_alert: isTold };
      const { project } = await call(createProject, { body });
      return project;
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
        <p>A project collects the events of your services. Its members see the incidents.</p>
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
        {address !== null && (
          <CheckField
            label="E-mail me about new and regressed incidents"
            hint={`Urgent and high priority, to ${address}, at most once an hour for the same failure. Change it under Alerts.`}
            name="alert"
            checked={isTold}
            onChange={(event) => setTold(event.target.checked)}
          />
        )}
        <Button kind="primary" type="submit" isBusy={create.isPending}>
          Create project
        </Button>
      </form>
    </Reading>
  );
}
