import { fileURLToPath } from 'node:url';

/** The bundler's facts about a module. */
interface Module {
  importedIds: readonly string[];
  dynamicImporters: readonly string[];
}

const pathsOf = (...paths: string[]) => paths.map((path) => fileURLToPath(new URL(path, import.meta.url)));
/** The modules around the screens, and the first screen: the list of incidents. */
const FIRST = pathsOf(
  '../src/main.tsx',
  '../src/shell/frame/frame.tsx',
  '../src/incidents/incidents-page.tsx',
);
/** The first screen of a person who is not signed in; an invite leads to the frame immediately. */
const ENTRANCE = pathsOf('../src/account/login-page.tsx');
const INVITE = pathsOf('../src/invite/invite-page.tsx');
/**
 * The libraries change least, so they are a separate piece, which browsers keep across releases. It excludes the
 * modules that only editors and screens with actions use.
 */
export const LIBRARIES =
  /[\\/]node_modules[\\/](?:react|react-dom|scheduler|use-sync-external-store|@tanstack)[\\/](?!.*(?:useBlocker|useMutation|mutationObserver)\.js)/;
const SHARED = /[\\/]dashboard[\\/]src[\\/](?:api|format|shell|ui)[\\/]/;
/** Constants of the API, each so small that a request for it costs more than it weighs. */
const CONTRACT = /[\\/]contract[\\/]src[\\/]/;
/** The page of one incident is opened most, and alone; its styles stay with it. */
const INCIDENT = /[\\/]dashboard[\\/]src[\\/]incident[\\/]/;
const STYLES = /[\\/]dashboard[\\/]src[\\/].*[.]css$/;
const ICON = 'virtual:icon/';

/**
 * Which piece of the build a module goes to; null for those that stay with the screen that uses them. A request for each
 * part costs more than the part weighs, so there are few pieces: what the frame and the first screen need, what the other
 * screens share, and their styles.
 */
export function pieceOf(id: string, find: (id: string) => Module | null): string | null {
  const isShared = SHARED.test(id);
  const isFirst = idsFrom(FIRST, find).has(id);
  const isEntrance = idsFrom(ENTRANCE, find).has(id);
  if (isFirst && (isShared || CONTRACT.test(id) || STYLES.test(id) || id.includes(ICON))) {
    return 'frame';
  }
  if (isEntrance || idsFrom(INVITE, find).has(id)) return null;
  // Many small files of styles weigh half as much again as one.
  if (!isShared) return STYLES.test(id) && !INCIDENT.test(id) ? 'styles' : null;
  if ((find(id)?.dynamicImporters.length ?? 0) > 0) return null;
  // A piece takes along what its modules import, and the entrance must not load what the other screens share.
  const entrance = idsFrom(ENTRANCE, find);
  const first = idsFrom(FIRST, find);
  return [...idsFrom([id], find)].some((each) => entrance.has(each) && !first.has(each)) ? null : 'parts';
}

const known = new Map<readonly string[], Set<string>>();

/** Everything that some modules import, however far away. */
function idsFrom(entries: readonly string[], find: (id: string) => Module | null): Set<string> {
  const before = known.get(entries);
  if (before !== undefined) return before;
  const ids = new Set<string>();
  const open = [...entries];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (ids.has(id)) continue;
    ids.add(id);
    open.push(...(find(id)?.importedIds ?? []));
  }
  known.set(entries, ids);
  return ids;
}
