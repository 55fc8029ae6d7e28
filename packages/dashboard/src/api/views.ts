import { createSignal } from '../ui/signal.ts';
import { LIST_PARAMETERS, type ListSearch, readListSearch } from './list-search.ts';

/** A list that somebody gave a name: names and parameters only, in this browser only. */
export interface OwnView {
  name: string;
  search: ListSearch;
}

const KEY = 'culprit.views';
const VIEWS_MAX = 50;
export const VIEW_NAME_MAX = 60;

export const ownViews = createSignal<readonly OwnView[]>(read());

/** Keeps a view under its name, in place of one that had it. */
export function saveView(name: string, search: ListSearch): void {
  const others = ownViews.get().filter((view) => view.name !== name);
  write([...others, { name, search }].slice(-VIEWS_MAX));
}

export function removeView(name: string): void {
  write(ownViews.get().filter((view) => view.name !== name));
}

function write(views: readonly OwnView[]): void {
  ownViews.set(views);
  localStorage.setItem(KEY, JSON.stringify(views));
}

function read(): readonly OwnView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.flatMap(viewIn).slice(-VIEWS_MAX) : [];
  } catch {
    return [];
  }
}

function viewIn(stored: unknown): OwnView[] {
  if (typeof stored !== 'object' || stored === null || !('name' in stored) || !('search' in stored))
    return [];
  const { name, search } = stored;
  if (typeof name !== 'string' || typeof search !== 'object' || search === null) return [];
  const given = new Map<string, unknown>(Object.entries(search));
  const known = Object.fromEntries(LIST_PARAMETERS.map((parameter) => [parameter, given.get(parameter)]));
  return [{ name: name.slice(0, VIEW_NAME_MAX), search: readListSearch(known) }];
}

// What is saved in one tab is there in the others.
window.addEventListener('storage', ({ key }) => {
  if (key === KEY) ownViews.set(read());
});
