import { createSignal } from '../../ui/signal.ts';

/** True if the service has another build of the dashboard than this page. */
export const isOutdated = createSignal(false);

const ADDRESS = '/assets/build.json';
const EVERY_MS = 10 * 60_000;
let ownBuild: string | null = null;

async function look(): Promise<void> {
  if (document.hidden || !import.meta.env.PROD) return;
  const answer: unknown = await fetch(ADDRESS, { cache: 'no-cache' })
    .then((response) => (response.ok ? response.json() : null))
    .catch(() => null);
  if (typeof answer !== 'object' || answer === null || !('build' in answer)) return;
  const build = String(answer.build);
  ownBuild ??= build;
  isOutdated.set(build !== ownBuild);
}

/** Looks now and then, and whenever the page is shown again. */
export function watchBuild(): void {
  setInterval(() => void look(), EVERY_MS);
  document.addEventListener('visibilitychange', () => void look());
  // Not among the first requests, which the first screen waits for.
  setTimeout(() => void look(), EVERY_MS / 100);
}
