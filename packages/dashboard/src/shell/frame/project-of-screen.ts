import type { Project } from '@culprit/contract/workspace/projects';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { projectsQuery } from '../../api/projects.ts';
import { lastProject, rememberProject } from '../../api/session.ts';
import { createSignal, useSignal } from '../../ui/signal.ts';

/** The project of a record whose address does not name one, such as an incident. */
const projectOfRecord = createSignal<string | null>(null);

/** Says whose record the screen shows, for as long as it does. */
export function useProjectOfRecord(projectId: string | undefined): void {
  useEffect(() => {
    if (projectId !== undefined) projectOfRecord.set(projectId);
    return () => projectOfRecord.set(null);
  }, [projectId]);
}

/**
 * The project that the screen is about, or the one of the last visit; null before there is any, and at an address that
 * names a project that this account does not have.
 */
export function useCurrentProject(): Project | null {
  const { pid } = useParams({ strict: false });
  const ofRecord = useSignal(projectOfRecord);
  const { data: projects = [] } = useQuery(projectsQuery);
  const wanted = pid ?? ofRecord ?? lastProject();
  const other = pid === undefined ? projects[0] : undefined;
  const project = projects.find(({ project_id: id }) => id === wanted) ?? other ?? null;
  const id = project?.project_id;
  useEffect(() => {
    if (id !== undefined) rememberProject(id);
  }, [id]);
  return project;
}
