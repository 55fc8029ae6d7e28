import { createView, deleteView, listViews, updateView, type View } from '@culprit/contract/search/views';
import { queryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { LIST_PARAMETERS, type ListSearch, readListSearch } from './list-search.ts';
import { queryClient } from './query-client.ts';
import { call } from './transport.ts';

/** The person's views of a project and of all projects, and those shared with its people. */
export function viewsQuery(projectId: string | null) {
  return queryOptions({
    queryKey: [listViews.id, projectId],
    queryFn: async ({ signal }) => {
      const query = projectId === null ? {} : { project_id: projectId };
      const { views } = await call(listViews, { query, signal });
      // In the list of all projects a view of one would show others too.
      return projectId === null ? views.filter((view) => view.project_id === null) : views;
    },
    ...freshness('settings'),
  });
}

/** The parameters of a view's list. */
export function searchOf({ q, status, sort }: Pick<View, 'q' | 'status' | 'sort'>): ListSearch {
  return readListSearch({ q, status, sort });
}

/** Returns true if a list has only filters that a view keeps. */
export function isPlain(search: ListSearch): boolean {
  return LIST_PARAMETERS.every(
    (name) => name === 'q' || name === 'status' || name === 'sort' || search[name] === undefined,
  );
}

type NewView = Pick<View, 'name' | 'q' | 'status' | 'sort' | 'is_shared'> & { project_id?: string };

export async function addView(view: NewView): Promise<View> {
  const { view: added } = await call(createView, { body: view });
  await rereadViews();
  return added;
}

export async function renameView(id: string, name: string): Promise<View> {
  const { view } = await call(updateView, { params: { id }, body: { name } });
  await rereadViews();
  return view;
}

export async function shareView(id: string, isShared: boolean): Promise<void> {
  await call(updateView, { params: { id }, body: { is_shared: isShared } });
  await rereadViews();
}

export async function removeView(id: string): Promise<void> {
  await call(deleteView, { params: { id } });
  await rereadViews();
}

async function rereadViews(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: [listViews.id] });
}
