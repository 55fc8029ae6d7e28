import type { Project } from '@culprit/contract/workspace/projects';
import { useNavigate } from '@tanstack/react-router';
import { pathTo } from '../../paths.ts';
import { useNavigation, useOwnScreens } from '../frame/navigation.ts';
import { useShortcuts } from './shortcuts.tsx';

/** `G` and a letter lead to each screen of the navigation that has one. */
export function GoToShortcuts({ project }: { project: Project | null }) {
  const navigate = useNavigate();
  const navigation = useNavigation();
  const ownScreens = useOwnScreens();
  const entries = [
    ...(project === null ? [] : navigation.flatMap((entry) => [entry, ...(entry.screens ?? [])])),
    ...ownScreens,
  ];
  useShortcuts(
    'Go to',
    entries.flatMap(({ to, label, key }) =>
      key === null
        ? []
        : [
            {
              keys: `g ${key.toLowerCase()}`,
              label,
              run: () => void navigate({ to: pathTo(to, { pid: project?.project_id ?? '' }) }),
            },
          ],
    ),
  );
  return null;
}
