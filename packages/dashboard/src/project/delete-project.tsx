import { deleteProject, type Project } from '@culprit/contract/workspace/projects';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem-words.ts';
import { projectsQuery } from '../api/projects.ts';
import { call } from '../api/transport.ts';
import { pathTo } from '../paths.ts';
import { refusalFor } from '../shell/parts/roles.ts';
import { showToast } from '../shell/parts/toasts.tsx';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields/field.tsx';
import { Actions, Dialog } from '../ui/layers/dialog.tsx';
import styles from './project-settings-page.module.css';

/** Deletes everything immediately; the name must be typed, because this cannot be undone. */
export function DeleteProject({ project }: { project: Project }) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => call(deleteProject, { params: { id: project.project_id } }),
    onSuccess: async () => {
      setOpen(false);
      showToast(`Deleted ${project.name}`);
      await queryClient.invalidateQueries(projectsQuery);
      await navigate({ to: pathTo('home') });
    },
  });
  return (
    <section className={styles.danger}>
      <h2>Delete the project</h2>
      <p>
        Its incidents, evidence, events, tokens, alerts, webhooks and checks are deleted immediately and
        permanently.
      </p>
      <Button kind="danger" refusal={refusalFor('owner', project)} onClick={() => setOpen(true)}>
        Delete the project
      </Button>
      <Dialog title={`Delete ${project.name}?`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <form
          className={styles.confirm}
          onSubmit={(event) => {
            event.preventDefault();
            if (typed === project.name && !remove.isPending) remove.mutate();
          }}
        >
          <TextField
            label={`Type its name to continue: ${project.name}`}
            autoComplete="off"
            autoFocus
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            error={remove.isError ? problemText(remove.error) : null}
          />
          <Actions>
            <Button
              kind="danger"
              type="submit"
              isBusy={remove.isPending}
              refusal={typed === project.name ? null : 'Type the name first'}
            >
              Delete the project
            </Button>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
          </Actions>
        </form>
      </Dialog>
    </section>
  );
}
