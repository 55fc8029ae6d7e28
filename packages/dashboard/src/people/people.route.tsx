import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { knownSearch, PATTERNS } from '../paths.ts';
import { frameRoute } from '../shell/frame/routes.tsx';

const peopleRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: PATTERNS.people,
  validateSearch: (search) => knownSearch(search, ['new']),
  component: lazyRouteComponent(() => import('./people-page.tsx'), 'PeoplePage'),
});

export const peopleRoutes = [peopleRoute] as const;
